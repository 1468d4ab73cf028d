//! What there is of a job at a moment: its ranks, processes, everything that is under way between them, and the newest checkpoint.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use pc3_protocol::{Down, Entries, Group, Line, Name, Node, Rank, Rules, Stamp, Up};

use crate::program::{Program, Slot, Tag};

/// What a test, probe, clock said.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    Complete(bool),
    Which(Slot),
    Seen(Option<(Rank, Option<Name>)>),
    Chance(u64),
}

pub type Member = pc3_protocol::Member<Outcome, u64>;
pub type Log = pc3_protocol::Log<Outcome, u64>;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Message {
    pub from: Rank,
    pub tag: Tag,
    pub stamp: Stamp,
    pub content: u64,
    /// What its sender knew to have been printed.
    pub knows: Printed,
    /// Which of the sender's messages to this receiver it is; the protocol does not see this.
    pub truth: u32,
    /// As the receiver knows it.
    pub name: Option<Name>,
    /// A probe has shown it to a receiver that has to remember that.
    pub seen: bool,
    /// It was sent on a way on which nobody counts, and tells nothing of its sender; its stamp is what the receiver has to
    /// find out.
    pub usual: bool,
}

/// Which ways the ranks of a process take.  While no checkpoint is under way nobody counts messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ProcessEpochs {
    /// Epochs that it has heard of.
    pub heard: u32,
    /// Epochs for which it has begun to count.
    pub counting: u32,
    /// Epochs that its ranks know of.
    pub known: u32,
    /// Its ranks count what they send.
    pub counts: bool,
}

/// A receive that the program posted.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Posted {
    pub slot: Slot,
    pub from: Option<Rank>,
    pub tag: Tag,
    pub number: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Pending {
    pub slot: Slot,
    pub group: Group,
    pub n: u64,
    pub epoch: u32,
    pub contribution: u64,
}

/// Everything of a rank that a checkpoint keeps as it is.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Progress {
    pub pc: usize,
    /// The current operation has begun: its receive is posted, its collective entered.
    pub begun: bool,
    pub ended: bool,
    /// It was spawned behind the line, and is to begin when it is spawned again.
    pub unborn: bool,
    /// Digest of all that it has learnt.
    pub digest: u64,
    /// Requests that are complete, with what they brought.
    pub done: BTreeMap<Slot, (Rank, u64)>,
    /// Of each tag, the message that the last probe saw.
    pub seen: BTreeMap<Tag, (Rank, u32)>,
    /// How often ranks have printed, as far as it knows, and as far as these know that sent what is complete.
    pub knows: Printed,
    pub told: BTreeMap<Slot, Printed>,
    pub history: Arc<History>,
}

/// By rank.
pub type Printed = BTreeMap<Rank, u32>;

/// What a rank has done, for the judge.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct History {
    pub sent: BTreeMap<Rank, Vec<u64>>,
    pub received: BTreeMap<Rank, BTreeMap<u32, u64>>,
    /// Its contribution, and the result.
    pub collectives: BTreeMap<(Group, u64), (u64, Option<u64>)>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RankState {
    pub own: Progress,
    pub member: Member,
    pub mailbox: Vec<Message>,
    pub posted: Vec<Posted>,
    pub pending: Vec<Pending>,
    /// Results under way to this rank.
    pub results: Vec<(Group, u64, u64, Entries)>,
}

/// A collective until all have entered.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Meeting {
    pub entries: BTreeMap<Rank, u64>,
    pub stamps: Entries,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Control {
    Up(Up),
    Down(Down),
}

/// One rank's local checkpoint.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Image {
    pub own: Progress,
    pub line: Line,
    pub mailbox: Vec<Message>,
    pub posted: Vec<Posted>,
    pub pending: Vec<Pending>,
}

/// The newest checkpoint.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Committed {
    pub images: BTreeMap<Rank, Image>,
    pub records: BTreeMap<Rank, Vec<Message>>,
    pub logs: BTreeMap<Rank, Log>,
    /// So much of the output.
    pub place: usize,
}

/// What explorers may do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    Step(Rank),
    /// The oldest message between two ranks comes.
    Deliver(Rank, Rank),
    /// The oldest control message between two nodes comes.
    Control(u32, u32),
    /// All ranks of a process count from now on.
    Count(u32),
    /// Nothing that is not counted can come there any more: its ranks hear of the epoch.
    Begin(u32),
    /// A result comes to a rank.
    Result(Rank, usize),
    Request,
    GiveUp,
    /// Everything is lost but the newest checkpoint.
    Crash,
}

/// How often an explorer may interfere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Budget {
    pub requests: u32,
    pub give_ups: u32,
    pub crashes: u32,
}

/// What happened, for statistics.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Counts {
    pub commits: u32,
    pub given_up: u32,
    /// Logs that were too long.
    pub outgrown: u32,
    pub recoveries: u32,
    pub late: u32,
    pub early: u32,
    /// Of these, those that were not received, but seen by a probe.
    pub seen: u32,
    pub logged: u32,
    pub suppressed: u32,
    /// Prints that the output had already.
    pub left_out: u32,
    /// Ranks spawned before the line of their root while an epoch was under way, behind it, and again.
    pub across: u32,
    pub within: u32,
    pub again: u32,
    pub control: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct World {
    pub program: Arc<Program>,
    pub rules: Rules,
    /// A log of more entries has its epoch given up.
    pub bound: usize,
    pub ranks: BTreeMap<Rank, RankState>,
    pub nodes: Vec<Node>,
    pub ways: Vec<ProcessEpochs>,
    pub app: BTreeMap<(Rank, Rank), VecDeque<Message>>,
    pub control: BTreeMap<(u32, u32), VecDeque<Control>>,
    pub meetings: BTreeMap<(Group, u64), Meeting>,
    /// What ranks have saved in this epoch.
    pub images: BTreeMap<Rank, Image>,
    pub records: BTreeMap<Rank, Vec<Message>>,
    pub logs: BTreeMap<Rank, Log>,
    /// Who has printed, in order; and how much of that there was when the last rank passed its line.
    pub output: Vec<Rank>,
    pub place: usize,
    pub committed: Option<Arc<Committed>>,
    /// What crossed the line to ranks that it does not know: programs here send to ranks that they have not heard of.
    pub waiting: BTreeMap<Rank, Vec<Message>>,
    pub budget: Budget,
    pub counts: Counts,
    /// Feeds clocks and the like; changes with every use and every recovery.
    pub chance: u64,
}

pub fn mix(a: u64, b: u64) -> u64 {
    let x = (a ^ b.rotate_left(31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 29)
}
