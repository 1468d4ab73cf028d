//! What the engine asks of a protocol: how ranks agree on a checkpoint.  The job's is chosen as it starts (`--protocol`).
//!
//! A protocol is state machines in `pc3-protocol`, which a simulator drives, too, and a driver here: [`coord`](crate::coord)
//! and [`nonblocking`](crate::nonblocking).  Whichever was chosen, the machines of both hear which ranks there are and which
//! have ended: what a checkpoint of the other protocol logged is done again under either.

use std::fmt;

use pc3_runtime::rank::Rank;

use crate::state::World;

pub(crate) trait Protocol: fmt::Debug + Sync {
    /// A rank is at a location, in no critical section: must it unwind now?  It may have to wait for the answer.
    fn due(&self, world: &World, rank: &mut Rank) -> bool;

    /// The rank's stack is empty.  Returns when it may be rebuilt: what the checkpoint has of the rank is then as it was here.
    fn unwound(&self, world: &World, rank: &mut Rank);

    /// Are all ranks saved at one moment?  Then one of them can be in the middle of a message to another.
    fn lines_are_at_once(&self) -> bool;

    /// In a job of several processes, and no rank here need come to a location: a checkpoint is wanted.  Called until one begins.
    fn asked(&self, world: &World);
}
