//! Communicators (MPI 3.1 chapter 6).  Each rank has its own [`Comm`] for a communicator it
//! belongs to; members share the group and the meeting place of collectives.
//!
//! **Context ids.**  Every rank keeps the lowest id it has not seen.  Making a communicator takes
//! the highest of these among the members of the parent, and all of them count on from there: two
//! communicators that share a rank never share an id, and the ids depend only on the calls that the
//! program makes, so they are the same after a restart.  Messages travel in context `2 id`,
//! collectives in `2 id + 1`.

pub mod create;
pub mod idup;
pub mod inter;

use crate::meeting::MeetingRef;
use crate::topo::Topology;
use pc3_vmpi_objects::attr::Attributes;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::{Group, GroupRef};
use std::sync::atomic::AtomicU64;
use std::sync::Arc;

pub struct Comm {
    pub id: u32,
    pub group: GroupRef,
    /// The owner's rank in the group.
    pub rank: u32,
    /// Predefined or dynamic error handler.
    pub errhandler: usize,
    pub name: Option<Box<str>>,
    pub attrs: Attributes,
    pub topo: Option<Topology>,
    pub meeting: MeetingRef,
    /// Of an inter-communicator.
    pub remote: Option<Remote>,
    /// Non-blocking collectives that this rank has started on it.
    pub rounds: Arc<AtomicU64>,
}

/// The other side of an inter-communicator; [`Comm::group`] is this rank's own.
#[derive(Clone, Debug)]
pub struct Remote {
    pub group: GroupRef,
    /// Everybody: first the side whose first member has the lower rank in MPI_COMM_WORLD.
    pub all: GroupRef,
    /// Members of the side that comes first.
    pub low: usize,
    /// This rank belongs to it.
    pub first: bool,
}

impl Remote {
    pub fn new(local: &GroupRef, remote: GroupRef) -> Remote {
        let first = local.ranks().first() < remote.ranks().first();
        let (a, b) = if first {
            (local, &remote)
        } else {
            (&remote, local)
        };
        Remote {
            all: Group::new([a.ranks(), b.ranks()].concat()),
            low: a.size(),
            first,
            group: remote,
        }
    }

    /// Place in `all` of a member of the own side.
    #[inline]
    pub fn seat(&self, rank: usize) -> usize {
        if self.first {
            rank
        } else {
            self.low + rank
        }
    }
}

/// Context ids of the predefined communicators; MPI_COMM_SELF is private to its rank.
pub const WORLD_ID: u32 = 0;
pub const SELF_ID: u32 = 1;
pub const FIRST_ID: u32 = 2;
/// Of communicators by MPI_Comm_idup, which cannot wait for its members to agree: counted by the job.
pub use pc3_vmpi_core::world::FIRST_LATE_ID;

impl Comm {
    /// Of a file or a window: nobody but these uses it.
    pub fn own(id: u32, group: GroupRef, rank: u32, meeting: MeetingRef) -> Box<Comm> {
        Box::new(Comm {
            id,
            group,
            rank,
            errhandler: pc3_vmpi_objects::handle::abi::ERRORS_ARE_FATAL,
            name: None,
            attrs: Attributes::new(),
            topo: None,
            meeting,
            remote: None,
            rounds: Arc::default(),
        })
    }

    #[inline]
    pub fn size(&self) -> usize {
        self.group.size()
    }

    /// Context of point-to-point messages.
    #[inline]
    pub fn p2p_context(&self) -> u32 {
        2 * self.id
    }

    /// Context of messages that collectives exchange.
    #[inline]
    pub fn coll_context(&self) -> u32 {
        2 * self.id + 1
    }

    /// Those that a rank in a message names: the other side of an inter-communicator.
    #[inline]
    pub fn peers(&self) -> &GroupRef {
        self.remote.as_ref().map_or(&self.group, |r| &r.group)
    }

    /// Those that collectives bring together.
    #[inline]
    pub fn everyone(&self) -> &GroupRef {
        self.remote.as_ref().map_or(&self.group, |r| &r.all)
    }

    /// This rank's place among them.
    #[inline]
    pub fn seat(&self) -> usize {
        let rank = self.rank as usize;
        self.remote.as_ref().map_or(rank, |r| r.seat(rank))
    }

    /// For calls that inter-communicators do not have.
    #[inline]
    pub fn intra(&self) -> Result<&Comm> {
        match self.remote {
            None => Ok(self),
            Some(_) => fail(Class::ERR_COMM, "the call is not for inter-communicators"),
        }
    }
}
