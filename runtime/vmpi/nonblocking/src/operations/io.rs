//! Files of `MPI_File` that are open while local checkpoints are taken.
//!
//! A rank's own position and view go with its line. What all see, the contents, the size and the shared pointer, is the same at
//! all lines if nobody changes it between the first and the last: whoever does so has the epoch begun anew. The shared
//! pointer's positions are not logged, so it may not move before the logs are closed either.

use crate::machines::machines;
use std::sync::MutexGuard;

use crate::machines::done;
use crate::state::{Stage, State};
use pc3_vmpi_coll::io::MpiFile;
use pc3_vmpi_core::rank::RankState;

/// What a call is about to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// Bytes are written, or the size is set.
    Contents,
    /// The shared pointer moves, or is asked for.
    Pointer,
}

/// To be kept until it is done: no line is passed meanwhile.
pub type Changing = Option<MutexGuard<'static, State>>;

/// A rank is about to change what others see of a file.
#[inline]
pub fn changes(me: &'static RankState, f: &MpiFile, what: Change) -> Changing {
    match me.world().nonblocking.is_slow() {
        true => changes_slow(me, f, what),
        false => None,
    }
}

#[cold]
fn changes_slow(me: &'static RankState, f: &MpiFile, what: Change) -> Changing {
    let world = me.world();
    // It is not seen on the slow way: what it does here nobody counts.
    let mut s = machines(world).lock();
    let disturbs = match (s.stage, what) {
        (Stage::Idle | Stage::Replaying, _) => return None,
        (Stage::Gathering, Change::Contents) => return Some(s),
        (Stage::Running, Change::Contents) => s.has_lines_to_pass(),
        (Stage::Gathering | Stage::Running, Change::Pointer) => true,
    };
    if disturbs {
        let was = match what {
            Change::Contents => "written",
            Change::Pointer => "used through its shared pointer",
        };
        s.attempt.disturbed = true;
        let path = f.shared.path.display();
        s.give_up(
            world,
            format!("{path} was {was} between ranks' local checkpoints each time; use the barrier protocol"),
        );
        done(world, s);
    }
    None
}

impl State {
    /// May a rank here or elsewhere still have its local checkpoint to take?
    fn has_lines_to_pass(&self) -> bool {
        match self.remote_epochs {
            None => !self.all_stored(),
            // All have been told to write.
            Some(_) => !self.commit_due && !self.written,
        }
    }
}
