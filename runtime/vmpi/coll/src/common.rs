//! What the collectives of a job have in common.

use crate::above::Epochs;
use crate::meeting::{Meeting, MeetingRef, Registry};
use crate::remote::elsewhere::Elsewhere;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;

/// The other processes, as a rank sees them.
pub type See = fn(&RankState) -> &dyn Elsewhere;

/// A part of a job.
pub struct Common {
    /// Of MPI_COMM_WORLD's members.
    pub meeting: MeetingRef,
    pub epochs: &'static dyn Epochs,
    see: See,
}

impl Common {
    /// Of so many ranks; `id`: MPI_COMM_WORLD's.
    pub fn new(size: usize, id: u32, epochs: &'static dyn Epochs, see: See) -> Common {
        let meeting = Meeting::new(size, id);
        Common {
            meeting,
            epochs,
            see,
        }
    }

    /// Meetings of communicators whose members come to know of them one by one.
    #[inline]
    pub fn meetings(&self) -> &Registry {
        &self.meeting.inner
    }

    /// Only in a job of several processes.
    #[inline]
    pub fn elsewhere<'a>(&self, me: &'a RankState) -> &'a dyn Elsewhere {
        (self.see)(me)
    }
}

#[inline]
pub fn common(world: &World) -> &Common {
    world.part()
}
