//! Members in other processes.
//!
//! What is done to them is said to their process, which does it whenever it looks for frames: on the target's memory, while its
//! ranks do anything else.  A process hears what another one says in the order in which that was said.  So what needs no answer
//! is only said (`put`, `accumulate`, `post`, `complete`), and a flush is a question whose answer comes when everything in front
//! of it has been done.
//!
//! | verb | bytes | answer |
//! |---|---|---|
//! | `PUT` | spot, data | if asked for: 1 if that changed anything |
//! | `GET` | spot | data |
//! | `ACCUMULATE` | spot, op:u32 fetch:u8, data | data as they were, of those that fetch |
//! | `SWAP` | spot, value to compare with, value | 1 if it was stored, value as it was |
//! | `LOCK` | wish | when it is granted; who asks quietly hears before that if it is not at once |
//! | `UNLOCK` | wish | yes |
//! | `FLUSH` | | yes |
//! | `POST`, `COMPLETE` | member:u32 by:u32 | |
//! | `ANSWER` | state:u8 outcome | |
//!
//! ```text
//! spot = member:u32 at:u64 count:u64 checked:u8 type
//! wish = origin:u32 target:u32 exclusive:u8
//! ```

pub mod ask;
pub mod operate;
pub mod serve;

use pc3_vmpi_objects::datatype::{told, TypeRef};
use pc3_vmpi_objects::wire::{Read, Reader, Writer};

use crate::locks::Wish;

const PUT: i32 = 1;
const GET: i32 = 2;
const ACCUMULATE: i32 = 3;
const SWAP: i32 = 4;
pub(crate) const LOCK: i32 = 5;
pub(crate) const UNLOCK: i32 = 6;
const FLUSH: i32 = 7;
pub(crate) const POST: i32 = 8;
pub(crate) const COMPLETE: i32 = 9;

/// Elements of a member's memory.
struct Spot {
    member: usize,
    /// An address there.
    at: usize,
    count: usize,
    /// They are known to be in its part; else it looks whether they are attached.
    checked: bool,
    ty: TypeRef,
}

impl Spot {
    fn write(&self, w: &mut Writer) {
        w.u32(self.member as u32);
        w.size(self.at);
        w.size(self.count);
        w.u8(self.checked.into());
        let bytes = pc3_vmpi_objects::datatype::build::bytes();
        let unit = crate::operations::unit(&self.ty).unwrap_or(&bytes);
        told::write(w, &self.ty, unit);
    }

    fn read(r: &mut Reader) -> Read<Spot> {
        Ok(Spot {
            member: r.u32()? as usize,
            at: r.size()?,
            count: r.size()?,
            checked: r.u8()? != 0,
            ty: told::read(r)?,
        })
    }

    fn bytes(&self) -> usize {
        self.ty.size.saturating_mul(self.count)
    }
}

/// All members of a process at once.
const ALL: u32 = u32::MAX;

pub(crate) fn write_wish(w: &mut Writer, wish: &Wish) {
    w.u32(wish.origin as u32);
    w.u32(wish.target.map_or(ALL, |t| t as u32));
    w.u8(wish.exclusive.into());
}

fn read_wish(r: &mut Reader, from: (u32, u64)) -> Read<Wish> {
    let origin = r.u32()? as usize;
    let target = Some(r.u32()?).filter(|t| *t != ALL);
    Ok(Wish {
        origin,
        target: target.map(|t| t as usize),
        exclusive: r.u8()? != 0,
        from: Some(from),
    })
}
