//! Versions and flags of what is saved, and statuses of requests.

use pc3_vmpi_core::p2p::Status;
use pc3_vmpi_objects::datatype::basic::Basic;
use pc3_vmpi_objects::error::Class;
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

pub const VERSION: u8 = 1;

/// What is added to that for what only some ranks have: that of jobs with ranks that were spawned, or with ports;
/// representations of files; windows; communicators on which memory was
/// shared; sessions and buffers of objects.
pub(crate) const GROWN: u8 = 1;
pub(crate) const REPRESENTATIONS: u8 = 2;
pub(crate) const WINDOWS: u8 = 4;
pub(crate) const TOGETHER: u8 = 8;
pub(crate) const SESSIONS: u8 = 16;

pub const NULL: u8 = 1;

pub(crate) const PERSISTENT: u8 = 2;

pub(crate) const ACTIVE: u8 = 4;

pub const DONE: u8 = 8;

/// Of a partitioned message.
pub(crate) const PARTS: u8 = 16;

pub fn write(w: &mut Writer, s: &Status) {
    w.i32(s.source);
    w.i32(s.tag);
    let unit = s.basic.filter(|b| s.bytes % b.size() == 0);
    w.u32(unit.map_or(0, |b| b as u32));
    w.size(s.bytes / unit.map_or(1, |b| b.size()));
    w.u8(s.cancelled.into());
    w.i32(s.error.0);
}

pub fn read(r: &mut Reader) -> Read<Status> {
    let (source, tag) = (r.i32()?, r.i32()?);
    let basic = basic(r)?;
    let Some(bytes) = r.size()?.checked_mul(basic.map_or(1, |b| b.size())) else {
        return bad("a status");
    };
    Ok(Status {
        source,
        tag,
        bytes,
        basic,
        cancelled: r.u8()? != 0,
        error: Class(r.i32()?),
    })
}

pub fn basic(r: &mut Reader) -> Read<Option<Basic>> {
    match r.u32()? {
        0 => Ok(None),
        h => Basic::from_handle(h as usize)
            .map_or_else(|| bad("an unknown basic type"), |b| Ok(Some(b))),
    }
}
