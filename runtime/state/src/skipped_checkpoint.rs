//! Checkpoints that are not taken: why, and who is told.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Instant;

use pc3_os::threads::lock;
use pc3_typemetric::codes;

use crate::job::Job;
use pc3_control::control::Attempted;
use pc3_control::report::{say, warning};

/// Why there is no checkpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Skipped {
    /// Something of the program's stands in the way, which may soon be gone.
    InTheWay(String),
    /// There is no memory for what has to be kept until it is written; to find that out was not for free.
    NoMemory(String),
}

impl Skipped {
    /// What is said of a rank that has so many bytes to be copied.
    pub fn no_memory(rank: u64, bytes: u64, what: &str) -> Skipped {
        Skipped::NoMemory(format!(
            "rank {rank}: no memory for a copy of {what} ({bytes} bytes), which is kept until it is written (the barrier protocol needs none)"
        ))
    }

    pub fn why(&self) -> &str {
        match self {
            Skipped::InTheWay(why) | Skipped::NoMemory(why) => why,
        }
    }
}

impl From<String> for Skipped {
    fn from(why: String) -> Skipped {
        Skipped::InTheWay(why)
    }
}

impl Job {
    /// A checkpoint that ranks take one by one is given up, unless it is tried `again`.
    pub fn gave_up(&self, passage: u64, why: &Skipped, asked: bool, again: bool, since: Instant) {
        if again {
            self.control.retry(asked);
            return;
        }
        let what = self.skipped(why, asked);
        self.control.done(passage, what, since.elapsed());
    }

    /// None can be taken now.
    pub fn skipped(&self, why: &Skipped, asked: bool) -> Attempted {
        match why {
            Skipped::InTheWay(why) => {
                self.not_taken(codes::NOT_TAKEN, &self.refused, why, asked);
                Attempted::InTheWay
            }
            Skipped::NoMemory(why) => self.not_written(why, asked),
        }
    }

    /// It could not be written.
    pub fn not_written(&self, why: &str, asked: bool) -> Attempted {
        self.not_taken(codes::NOT_WRITTEN, &self.failures, why, asked);
        Attempted::Failed
    }

    /// Said once for each cause, and to those who ask.
    fn not_taken(&self, code: &str, said: &Mutex<BTreeSet<String>>, why: &str, asked: bool) {
        if asked && self.open_store().is_ok() {
            self.refuse(why);
        }
        // The same with another checkpoint's number is no news.
        let cause: String = why.chars().filter(|c| !c.is_ascii_digit()).collect();
        if lock(said).insert(cause) || asked {
            let next = match self.control.stops() {
                true => "the program goes on, and stops as soon as one can be taken",
                false => "the program goes on",
            };
            say(&warning(
                code,
                &format!("no checkpoint was taken: {why}; {next}"),
            ));
        }
    }
}
