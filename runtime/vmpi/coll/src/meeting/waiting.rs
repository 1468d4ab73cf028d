//! Requests of non-blocking collectives that wait for other members.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::remote::few::CallSignature;
use crate::remote::members::Members;
use pc3_protocol::Entries;
use pc3_vmpi_core::p2p::{Request, Status};
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::Class;

/// By their place among those of the communicator.
#[derive(Default)]
pub struct Rounds(pub(crate) Mutex<HashMap<(u64, u64), Vec<*const Request>>>);

/// The requests of this process's members, which wait for calls from elsewhere.
pub struct Pending(pub(crate) Vec<*const Request>);

// SAFETY: requests are pending as long as they are named here, and completed by whoever takes them out.
unsafe impl Send for Pending {}

/// What came from other processes.
#[derive(Default)]
pub struct RemoteParts {
    pub list: Vec<(u32, Box<[u8]>)>,
    /// How their members entered.
    pub entries: Entries,
}

/// Calls of this process's members that go along the tree of its processes.
pub struct Climb {
    pub pending: Pending,
    pub members: Arc<Members>,
    pub record: CallSignature,
    /// What members here have for the others, and how they have entered.
    pub own: Vec<u8>,
    pub entries: Option<Entries>,
}

/// A collective whose work is done, of which nobody has been told.
pub struct Over {
    pub(crate) list: Vec<*const Request>,
    pub(crate) status: Vec<Class>,
}

impl Over {
    /// With the world ranks of their owners.
    pub fn requests(&self) -> impl Iterator<Item = (u32, *const Request)> + '_ {
        // SAFETY: pending until they are told.
        self.list.iter().map(|r| (unsafe { (**r).owner }, *r))
    }

    /// Completes the requests.  `from`: the caller's worker.
    pub fn tell(self, world: &World, from: Option<u32>) {
        for (r, error) in self.list.into_iter().zip(self.status) {
            let status = Status {
                error,
                ..Status::EMPTY
            };
            // SAFETY: nobody else completes it; it is not touched afterwards.
            unsafe { world.rank((*r).owner).complete(r, from, status) };
        }
    }
}

impl Pending {
    /// World ranks, all of this process.
    pub fn owners(&self) -> impl Iterator<Item = u32> + '_ {
        // SAFETY: pending.
        self.0.iter().map(|r| unsafe { (**r).owner })
    }
}
