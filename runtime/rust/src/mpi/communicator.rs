//! Communicators and the processes in them.

use std::ffi::c_int;

use pc3_vmpi::c::comm::{
    MPI_Comm_compare, MPI_Comm_create, MPI_Comm_dup, MPI_Comm_group, MPI_Comm_rank, MPI_Comm_size,
    MPI_Comm_split,
};
use pc3_vmpi::c::env::MPI_Abort;
use pc3_vmpi::group::Compare;
use pc3_vmpi::handle::abi;

use super::group::Group;
use super::request::owned::{End, Owned};
use super::topology::{self, CartesianCommunicator};
use super::{fail, ok, Rank};
use crate::Checkpointable;

/// How two communicators compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommunicatorRelation {
    /// They are one,
    Identical,
    /// have the same ranks in the same order,
    Congruent,
    /// in another order,
    Similar,
    /// or other ranks.
    Unequal,
}

/// A group of ranks that exchange messages among each other.
pub trait Communicator {
    #[doc(hidden)]
    fn handle(&self) -> usize;

    /// The number of its ranks.
    fn size(&self) -> Rank {
        let mut n = 0;
        // SAFETY: fills the variable.
        ok(unsafe { MPI_Comm_size(self.handle(), &raw mut n) });
        n
    }

    /// The calling rank's number in it.
    fn rank(&self) -> Rank {
        let mut n = 0;
        // SAFETY: as above.
        ok(unsafe { MPI_Comm_rank(self.handle(), &raw mut n) });
        n
    }

    /// The rank of this number; one that does not exist ends the job.
    fn process_at_rank(&self, rank: Rank) -> Process {
        if !(0..self.size()).contains(&rank) {
            fail(&format!("rank {rank} of {} ranks", self.size()));
        }
        Process {
            comm: self.handle(),
            rank,
        }
    }

    /// The calling rank.
    fn this_process(&self) -> Process {
        self.process_at_rank(self.rank())
    }

    /// Nobody: what is sent there is gone, what is received from there is nothing.
    fn null_process(&self) -> Process {
        Process {
            comm: self.handle(),
            rank: abi::PROC_NULL,
        }
    }

    /// The rank of this number, or nobody: what [`CartesianCommunicator::shift`] finds.
    fn process_or_null(&self, rank: Option<Rank>) -> Process {
        rank.map_or_else(|| self.null_process(), |r| self.process_at_rank(r))
    }

    /// Whoever sends something.
    fn any_process(&self) -> AnyProcess {
        AnyProcess {
            comm: self.handle(),
        }
    }

    /// A communicator of the same ranks, in which messages are apart from those in this one.  All ranks call it.
    fn duplicate(&self) -> SimpleCommunicator {
        let mut new = 0;
        // SAFETY: as above.
        ok(unsafe { MPI_Comm_dup(self.handle(), &raw mut new) });
        SimpleCommunicator::owned(new)
    }

    /// Communicators of the ranks that give the same color, in the order that they have here; `None` where none is given.  All
    /// ranks call it.
    fn split_by_color(&self, color: Option<u32>) -> Option<SimpleCommunicator> {
        self.split_by_color_with_key(color, 0)
    }

    /// Likewise, in the order of the keys.
    fn split_by_color_with_key(&self, color: Option<u32>, key: i32) -> Option<SimpleCommunicator> {
        let color = color.map_or(abi::UNDEFINED, |c| {
            c_int::try_from(c).unwrap_or_else(|_| fail(&format!("color {c} is too large")))
        });
        let mut new = 0;
        // SAFETY: as above.
        ok(unsafe { MPI_Comm_split(self.handle(), color, key, &raw mut new) });
        (new != abi::COMM_NULL).then(|| SimpleCommunicator::owned(new))
    }

    /// A communicator of the ranks of a group, which must be some of this one's; `None` for all others.  All ranks call it with
    /// the same group.
    fn split_by_subgroup_collective(&self, group: &Group) -> Option<SimpleCommunicator> {
        let mut new = 0;
        // SAFETY: as above.
        ok(unsafe { MPI_Comm_create(self.handle(), group.handle(), &raw mut new) });
        (new != abi::COMM_NULL).then(|| SimpleCommunicator::owned(new))
    }

    /// Its ranks.
    fn group(&self) -> Group {
        let mut new = 0;
        // SAFETY: as above.
        ok(unsafe { MPI_Comm_group(self.handle(), &raw mut new) });
        Group::of(new)
    }

    /// A communicator of ranks in a grid of these dimensions, which may be periodic; `None` for ranks that the grid has no
    /// place for.  All ranks call it.
    fn create_cartesian_communicator(
        &self,
        dims: &[Rank],
        periods: &[bool],
        reorder: bool,
    ) -> Option<CartesianCommunicator> {
        topology::create(self.handle(), dims, periods, reorder)
    }

    fn compare(&self, other: &impl Communicator) -> CommunicatorRelation
    where
        Self: Sized,
    {
        let mut result = 0;
        // SAFETY: as above.
        ok(unsafe { MPI_Comm_compare(self.handle(), other.handle(), &raw mut result) });
        match result {
            r if r == Compare::Ident as c_int => CommunicatorRelation::Identical,
            r if r == Compare::Congruent as c_int => CommunicatorRelation::Congruent,
            r if r == Compare::Similar as c_int => CommunicatorRelation::Similar,
            _ => CommunicatorRelation::Unequal,
        }
    }

    /// Do the two have the same ranks in the same order?
    fn is_congruent(&self, other: &impl Communicator) -> bool
    where
        Self: Sized,
    {
        use CommunicatorRelation::{Congruent, Identical};
        matches!(self.compare(other), Identical | Congruent)
    }

    /// Ends the job.
    fn abort(&self, status: i32) -> ! {
        // SAFETY: ends the process.
        unsafe { MPI_Abort(self.handle(), status) };
        unreachable!("the job has ended")
    }
}

/// A communicator without a topology.  Dropped, it is freed; the world is not.
#[derive(Debug, Checkpointable)]
pub struct SimpleCommunicator {
    object: Owned,
}

impl SimpleCommunicator {
    fn of(handle: usize, end: End) -> SimpleCommunicator {
        let object = Owned { handle, end };
        SimpleCommunicator { object }
    }

    pub(crate) fn owned(handle: usize) -> SimpleCommunicator {
        SimpleCommunicator::of(handle, End::Communicator)
    }

    /// All ranks.
    pub fn world() -> SimpleCommunicator {
        SimpleCommunicator::of(abi::COMM_WORLD, End::Stays)
    }

    /// The calling rank alone.
    pub fn self_comm() -> SimpleCommunicator {
        SimpleCommunicator::of(abi::COMM_SELF, End::Stays)
    }
}

impl Communicator for SimpleCommunicator {
    fn handle(&self) -> usize {
        self.object.handle
    }
}

/// A rank of a communicator, which must exist as long as this is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Checkpointable)]
pub struct Process {
    pub(crate) comm: usize,
    pub(crate) rank: Rank,
}

impl Process {
    /// Its number.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// Is it the calling rank?
    pub fn is_self(&self) -> bool {
        let mut n = 0;
        // SAFETY: fills the variable.
        ok(unsafe { MPI_Comm_rank(self.comm, &raw mut n) });
        n == self.rank
    }
}

/// Any rank of a communicator, which must exist as long as this is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Checkpointable)]
pub struct AnyProcess {
    pub(crate) comm: usize,
}
