//! Messages from one rank to another. What checkpoints hold of them is named by this module.

mod transfer;

use std::ffi::c_void;

use pc3_vmpi::c::probe::MPI_Mrecv;
use pc3_vmpi::c::status::CStatus;
use pc3_vmpi::datatype::basic::Basic;

use super::buffer::values;
use super::equivalence::{wire, wire_size, Equivalence};
use super::{fail, ok, Rank, Tag};
use crate::Checkpointable;

pub use transfer::{
    send_receive, send_receive_into, send_receive_into_with_tags, Destination, Source,
};

/// What is known of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Checkpointable)]
pub struct Status {
    source: Rank,
    tag: Tag,
    /// Elements of MPI's type `basic`; 0: of none.
    units: u64,
    basic: u32,
    cancelled: bool,
}

impl Status {
    pub(crate) fn of(c: &CStatus) -> Status {
        let s = c.read();
        let size = s.basic.map_or(1, Basic::size);
        Status {
            source: s.source,
            tag: s.tag,
            units: (s.bytes / size) as u64,
            basic: s.basic.map_or(0, |b| b as u32),
            cancelled: s.cancelled,
        }
    }

    /// The sender.
    pub fn source_rank(&self) -> Rank {
        self.source
    }

    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// The receive was taken back before a message came.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    /// How many values of type `T` the message has.  A message of another kind ends the job.
    pub fn count<T: Equivalence>(&self) -> usize {
        let wire = wire::<T>();
        let name = |b: usize| Basic::from_handle(b).map_or("nothing", Basic::name);
        if self.units == 0 {
            return 0;
        }
        if self.basic as usize != wire.basic {
            fail(&format!(
                "a message of {} from rank {} with tag {} was received as {} ({})",
                name(self.basic as usize),
                self.source,
                self.tag,
                std::any::type_name::<T>(),
                name(wire.basic),
            ));
        }
        let n = usize::try_from(self.units).ok();
        let whole = n.filter(|n| wire.units > 0 && n % wire.units == 0);
        whole.map_or_else(
            || {
                fail(&format!(
                    "a message of {} elements from rank {} with tag {} is not made of {}, which have {} each",
                    self.units,
                    self.source,
                    self.tag,
                    std::any::type_name::<T>(),
                    wire.units
                ))
            },
            |n| n / wire.units,
        )
    }
}

pub(crate) fn empty() -> CStatus {
    CStatus::of(&pc3_vmpi::p2p::Status::EMPTY)
}

/// Empty slices may begin where MPI has marks, such as 1.
pub(super) fn address(bytes: &mut [u8]) -> *mut c_void {
    if bytes.is_empty() {
        return std::ptr::null_mut();
    }
    bytes.as_mut_ptr().cast()
}

/// A number of elements as MPI counts them.
pub(crate) fn int(n: usize) -> i32 {
    i32::try_from(n).unwrap_or_else(|_| fail(&format!("{n} elements are too many for one message")))
}

pub(crate) fn one<T>(mut values: Vec<T>, status: &Status) -> T {
    match values.pop() {
        Some(value) => value,
        None => fail(&format!(
            "a message without values came from rank {} with tag {} where one value was expected",
            status.source, status.tag
        )),
    }
}

/// A message that has been taken and not yet received.  Checkpoints keep it; one that is dropped is never received.
#[must_use]
#[derive(Debug, Checkpointable)]
pub struct Message {
    handle: usize,
    status: Status,
}

impl Message {
    /// Receives its values.
    pub fn receive_vec<T: Equivalence>(mut self) -> (Vec<T>, Status) {
        let n = self.status.count::<T>();
        let mut bytes = vec![0; n * wire_size::<T>()];
        let wire = wire::<T>();
        let mut c = empty();
        // SAFETY: room for as many.
        ok(unsafe {
            MPI_Mrecv(
                address(&mut bytes),
                int(n * wire.units),
                wire.basic,
                &raw mut self.handle,
                &raw mut c,
            )
        });
        (values(&bytes), Status::of(&c))
    }
}
