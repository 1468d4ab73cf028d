//! Message-passing programs, as the simulator's ranks run them.

use std::collections::BTreeMap;

use pc3_protocol::{Group, Rank};

pub type Slot = u32;
pub type Tag = u32;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Send {
        to: Rank,
        tag: Tag,
    },
    /// From anybody if `from` is none.
    Receive {
        from: Option<Rank>,
        tag: Tag,
    },
    Post {
        slot: Slot,
        from: Option<Rank>,
        tag: Tag,
    },
    Test(Slot),
    Wait(Slot),
    /// At least one of them will be complete without this rank's doing.
    WaitAny(Vec<Slot>),
    Probe {
        tag: Tag,
    },
    /// Serves as many requests as there are: receives one from anybody, answers its sender.
    Serve {
        request: Tag,
        answer: Tag,
    },
    /// A clock, or a random number from outside.
    Chance,
    /// One of the two, as what it has learnt so far says.
    ChanceOrProbe {
        tag: Tag,
    },
    Location,
    /// To the one output of the job.
    Print,
    Collective(Group),
    Initiate {
        slot: Slot,
        group: Group,
    },
    /// A collective by which `root` brings ranks into being.
    Spawn {
        group: Group,
        root: Rank,
        children: Vec<Rank>,
    },
}

impl Op {
    /// It begins something, and ends when that is complete.
    pub fn waits(&self) -> bool {
        use Op::*;
        matches!(
            self,
            Receive { .. } | Serve { .. } | Collective(_) | Spawn { .. }
        )
    }

    /// So many entries of a log it can come to.
    pub fn entries(&self) -> usize {
        match self {
            Op::Spawn { children, .. } => 1 + children.len(),
            Op::Send { .. } | Op::Location | Op::Print => 0,
            _ => 1,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Program {
    /// Those that are there from the start are the first.
    pub ranks: u32,
    pub scripts: Vec<Vec<Op>>,
    pub groups: BTreeMap<Group, Vec<Rank>>,
    /// The process that each rank lives in.
    pub nodes: Vec<u32>,
    /// Nobody counts messages while no checkpoint is under way.
    pub usual: bool,
}
