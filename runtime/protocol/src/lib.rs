//! How ranks agree on a checkpoint, as state machines: events and messages in, decisions and messages out.  No I/O, no
//! clock, no threads: a runtime drives them, and a simulator drives them unchanged.
//!
//! [`barrier`] lets all ranks of a process stand still at once, and [`processes`] those of several.  The rest of this crate is the *non-blocking* protocol; `docs/protocols.md` has its rules and why they are right.  A [`Member`] is
//! one rank's part: what it does at a location, with a message, in a collective.  A [`Node`] is one process's part: it
//! gathers what its members and the nodes below it say, and passes on what the root decides.

#![forbid(unsafe_code)]

pub mod barrier;
mod log;
mod member;
mod node;
pub mod processes;
mod rules;

use std::collections::BTreeMap;

pub use log::{Log, LogParts, Name};
pub use member::{Arrival, Birth, Line, Member, Phase, Sending, Waiting};
pub use node::{above, below, Event, Node, Out, Source};
pub use rules::Rules;

/// A logical process of the job; spawned ranks have numbers of their own.
pub type Rank = u32;
/// A place to which ranks print, as the driver numbers them.
pub type Output = u8;
/// Those who take part in a collective, under one name for all of them.
pub type Group = u64;
/// Of each group, how many of its collectives a rank has entered (Xu and Cooperman's collective clocks).
pub type Clocks = BTreeMap<Group, u64>;

/// What a message, and an entry into a collective, tells of its sender.
///
/// On a message two bits do (Thoai and Hung): `logging`, and whether `epoch` is odd; [`Member::epoch_of`] knows the rest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Stamp {
    /// Local checkpoints that the sender had taken.
    pub epoch: u32,
    /// It did not know yet that all have taken theirs.
    pub logging: bool,
    /// How many messages it had sent to the same receiver since its checkpoint; only while somebody may need to know.
    pub number: Option<u32>,
}

/// What is known of all entries into one collective when it forms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Entries {
    range: Option<(u32, u32)>,
    /// The newest epoch of an entry by a rank that was not logging.
    unlogged: Option<u32>,
}

impl Entries {
    pub fn add(&mut self, stamp: Stamp) {
        let e = stamp.epoch;
        let (low, high) = self.range.unwrap_or((e, e));
        self.range = Some((low.min(e), high.max(e)));
        if !stamp.logging {
            self.unlogged = self.unlogged.max(Some(e));
        }
    }

    /// And these.
    pub fn join(&mut self, others: &Entries) {
        let (Some((low, high)), unlogged) = (others.range, others.unlogged) else {
            return;
        };
        let (l, h) = self.range.unwrap_or((low, high));
        self.range = Some((l.min(low), h.max(high)));
        self.unlogged = self.unlogged.max(unlogged);
    }

    /// The oldest and the newest epoch, if there are any, and the newest of one who was not logging.
    pub fn summary(&self) -> Option<(u32, u32, Option<u32>)> {
        self.range.map(|(low, high)| (low, high, self.unlogged))
    }

    /// What was told so.
    pub fn of((low, high, unlogged): (u32, u32, Option<u32>)) -> Entries {
        Entries {
            range: Some((low, high)),
            unlogged,
        }
    }

    /// Somebody entered before its line of this epoch.
    fn any_before(&self, epoch: u32) -> bool {
        self.range.is_some_and(|(low, _)| low < epoch)
    }

    /// Somebody entered when it knew already that all have taken this epoch's checkpoint.
    fn any_unlogged(&self, epoch: u32) -> bool {
        self.unlogged == Some(epoch)
    }
}

/// How far a group had come when its members stopped logging: the least clock, from how many of how many members.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Least {
    pub clock: u64,
    pub told: u32,
    pub size: u32,
}

/// From members to their node, and from nodes to the root.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Up {
    /// Collectives entered so far; upwards, the greatest.
    Clocks(Clocks),
    /// A rank without a checkpoint goes beyond a target.
    Raise(Clocks),
    /// The checkpoint is taken (or, given up, the line is passed): messages sent since the line before, and how many of
    /// those sent before a line have arrived.
    /// `given_up`: said after the news that the epoch is given up; it replaces what was said before.
    Taken {
        sent: u64,
        arrived: u64,
        given_up: bool,
    },
    /// More of them have.
    Arrived { count: u64, given_up: bool },
    /// Nothing more is logged.
    Closed(BTreeMap<Group, Least>),
    /// Log and records are on disk.
    Saved,
    /// What was logged has been done again.
    Replayed,
}

/// From the root to all nodes and members.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Down {
    /// An epoch begins.
    Start,
    /// The collectives to have entered before a checkpoint.
    Aim(Clocks),
    /// Targets that have grown.
    Raise(Clocks),
    /// All have taken their checkpoints.
    Close,
    /// Everything has arrived; collectives up to these were entered by all before they stopped logging.
    Settle(Clocks),
    /// There will be no checkpoint: pass the line without one.
    GiveUp,
    /// The epoch is over.
    Finish,
    /// All have replayed what was logged.
    Replayed,
}
