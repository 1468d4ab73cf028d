//! What the protocol knows: of the ranks here, of the epoch, of what is taken.

pub mod outcome;
pub(crate) mod record;
pub(crate) mod remote;
pub(crate) mod round;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::thread::JoinHandle;
use std::time::Instant;

use pc3_protocol::{Group, Member, Node, Rules};
use pc3_runtime::format::meta::FileMeta;
use pc3_runtime::save::Part;
use pc3_runtime::skipped_checkpoint::Skipped;
use pc3_runtime::store::Stalls;

use outcome::Outcome;
use record::Recovered;
use remote::{node, RemoteEpochs};
use round::Round;

/// So many entries may a rank's log have, and so many bytes what it holds of the system's and the messages that cross its line.
pub(crate) const LOG: usize = 1 << 20;

pub(crate) const LATE: usize = 1 << 30;

/// In whose name messages from before the line are counted: their order at the receiver is all that matters.
pub(crate) const BEFORE: u32 = u32::MAX;

pub(crate) type Machine = Member<Outcome, Vec<u8>>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    Idle,
    /// Ranks may still be on a way on which nobody counts.
    Gathering,
    /// An epoch.
    Running,
    /// What was logged is done again.
    Replaying,
}

/// Who has taken a local checkpoint.
#[derive(Default)]
pub(crate) struct Taken {
    /// What the protocol adds to it.
    pub(crate) line: pc3_protocol::Line,
    /// Objects, files and MPI state, or why they cannot be had; none yet: they are being copied.
    pub(crate) part: Option<Result<Part, Skipped>>,
    /// Messages that cross the line.
    pub(crate) late: Vec<u8>,
    pub(crate) late_count: u64,
    /// Bytes that its log has of what the system said.
    pub(crate) said: usize,
}

pub struct State {
    pub(crate) stage: Stage,
    pub(crate) node: Node,
    /// The other processes, if there are any.
    pub(crate) remote_epochs: Option<RemoteEpochs>,
    /// Of the ranks here, as all lists of ranks.
    pub(crate) members: Vec<Machine>,
    /// Ranks that were seen on no other way since the epoch was asked for; all in front of this one were, or were blocked.
    pub(crate) seen: Vec<bool>,
    pub(crate) unseen: usize,
    /// Numbers of pending receives.
    pub(crate) numbers: HashMap<usize, u32>,
    pub(crate) dirty: BTreeSet<u32>,
    pub(crate) taken: Vec<Option<Taken>>,
    /// How many have passed their lines, how many of these have their parts, and the numbers of descriptors that are in these.
    pub(crate) lined: usize,
    pub(crate) stored: usize,
    /// Ranks that were spawned when all was behind the line: it is without them.
    pub(crate) born: usize,
    pub(crate) descriptors: HashSet<u64>,
    /// Ranks that have ended.
    pub(crate) ended: Vec<u32>,
    pub(crate) rounds: HashMap<(Group, u64), Round>,
    /// Groups that are counted in this epoch.
    pub(crate) known: HashSet<Group>,
    /// Of the epoch, or of the replay: counts both.
    pub(crate) generation: u64,
    pub(crate) commit_due: bool,
    /// What is there has been written, or tried to be.
    pub(crate) written: bool,
    /// There is to be no checkpoint this time, or the root has been asked for that.
    pub(crate) refused: bool,
    /// What is here belongs to none, should it be too late for the root to give it up.
    pub(crate) spoilt: Option<Skipped>,
    /// By a lack of memory for it.
    pub(crate) short: bool,
    pub(crate) writer: Option<JoinHandle<()>>,
    pub(crate) watcher: Option<JoinHandle<()>>,
    pub(crate) is_over: bool,
    /// What the epoch is for.
    pub(crate) attempt: Attempt,
    pub(crate) why: Option<Skipped>,
    pub(crate) recovered: Vec<Option<Recovered>>,
}

pub(crate) struct Attempt {
    pub(crate) asked: bool,
    pub(crate) since: Instant,
    pub(crate) passage: u64,
    pub(crate) stalls: Stalls,
    /// How standard output and error are to be found again, or why they cannot be: when the last line is passed.
    pub(crate) output: Option<Result<Vec<FileMeta>, String>>,
    /// What ranks did with files is in the way.
    pub(crate) disturbed: bool,
    /// Epochs given up for it in a row.
    pub(crate) in_vain: u32,
    /// Ranks that have passed locations since they wait for somebody to receive what they have sent.
    pub(crate) unreceived: BTreeSet<u32>,
}

impl State {
    pub(crate) fn new(here: &[u32], (index, count): (u32, u32)) -> State {
        let n = here.len();
        State {
            stage: Stage::Idle,
            node: node(here, (index, count), false),
            remote_epochs: (count > 1).then(|| RemoteEpochs::new(index, count)),
            members: (0..n).map(|_| Member::new(Rules::default())).collect(),
            seen: vec![false; n],
            unseen: 0,
            numbers: HashMap::new(),
            dirty: BTreeSet::new(),
            taken: (0..n).map(|_| None).collect(),
            lined: 0,
            stored: 0,
            born: 0,
            descriptors: HashSet::new(),
            ended: Vec::new(),
            rounds: HashMap::new(),
            known: HashSet::new(),
            generation: 0,
            commit_due: false,
            written: false,
            refused: false,
            spoilt: None,
            short: false,
            writer: None,
            watcher: None,
            is_over: false,
            attempt: Attempt {
                asked: false,
                since: Instant::now(),
                passage: 0,
                stalls: Stalls::default(),
                output: None,
                disturbed: false,
                in_vain: 0,
                unreceived: BTreeSet::new(),
            },
            why: None,
            recovered: (0..n).map(|_| None).collect(),
        }
    }

    pub(crate) fn is_full(&self, slot: u32) -> bool {
        let taken = self.taken[slot as usize].as_ref();
        self.members[slot as usize].log().len() > LOG
            || taken.is_some_and(|t| t.late.len() + t.said > LATE)
    }

    /// Has everybody whom the checkpoint is of been copied?
    pub(crate) fn all_stored(&self) -> bool {
        self.stored >= self.members.len() - self.born
    }

    pub(crate) fn member(&mut self, slot: u32) -> &mut Machine {
        self.dirty.insert(slot);
        &mut self.members[slot as usize]
    }

    /// Is the newest checkpoint still being written?  What is due behind it is known then.
    pub(crate) fn writes(&self) -> bool {
        self.writer.as_ref().is_some_and(|w| !w.is_finished())
    }
}
