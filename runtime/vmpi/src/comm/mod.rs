//! Communicators (MPI 3.1 chapter 6).  Each rank has its own [`Comm`] for a communicator it
//! belongs to; members share the group and the meeting place of collectives.
//!
//! **Context ids.**  Every rank keeps the lowest id it has not seen.  Making a communicator takes
//! the highest of these among the members of the parent, and all of them count on from there: two
//! communicators that share a rank never share an id, and the ids depend only on the calls that the
//! program makes, so they are the same after a restart.  Messages travel in context `2 id`,
//! collectives in `2 id + 1`.

pub mod create;

use crate::attr::Attributes;
use crate::coll::meeting::MeetingRef;
use crate::group::GroupRef;
use crate::topo::Topology;

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
}

/// Context ids of the predefined communicators; MPI_COMM_SELF is private to its rank.
pub const WORLD_ID: u32 = 0;
pub const SELF_ID: u32 = 1;
pub const FIRST_ID: u32 = 2;

impl Comm {
    pub fn size(&self) -> usize {
        self.group.size()
    }

    /// Context of point-to-point messages.
    pub fn p2p_context(&self) -> u32 {
        2 * self.id
    }

    /// Context of messages that collectives exchange.
    pub fn coll_context(&self) -> u32 {
        2 * self.id + 1
    }

    /// World rank of a member.
    pub fn world_rank(&self, rank: usize) -> Option<u32> {
        self.group.world_rank(rank)
    }
}
