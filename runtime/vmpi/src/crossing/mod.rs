//! The non-blocking protocol at work: drives the state machines of `pc3-protocol` for the ranks of one process.
//!
//! While no checkpoint is under way nothing of this runs: messages take their usual ways, uncounted, which is right
//! because within a process what is sent has arrived.  A request turns [`Crossing::is_slow`] on.  From then on every
//! operation that the machines have to know of is done under one lock, together with what the machines say of it, so that to
//! them each send, arrival, match and entry into a collective happens at one moment.  The epoch begins when no rank can
//! be on one of the usual ways any more ([`State::begin`]); it ends for all at once.
//!
//! [`p2p`] has messages, [`coll`] collectives, [`outcomes`] what else another run could have otherwise, [`line`] the
//! local checkpoints, and [`record`] what a file keeps of them.

pub(crate) mod coll;
pub(crate) mod line;
pub(crate) mod outcomes;
pub(crate) mod p2p;
mod record;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use pc3_protocol::{Event, Group, Member, Name, Node, Out, Phase, Rules, Source, Stamp};
use pc3_runtime::control::{clear_flag, set_flag, FLAG_ENGINE};
use pc3_runtime::save::Part;
use pc3_runtime::store::Stalls;

use crate::state::{RankState, World};
use coll::Round;
use outcomes::Outcome;

/// What a message tells of its sender, as long as that matters.
pub(crate) struct Mark {
    /// World rank; [`BEFORE`] with names that say so.
    from: u32,
    stamp: Stamp,
    name: Option<Name>,
    /// It is not part of its receiver's local checkpoint: it will be sent again.
    pub(crate) left_out: bool,
}

/// In whose name messages from before the line are counted: their order at the receiver is all that matters.
const BEFORE: u32 = u32::MAX;

type Machine = Member<Outcome, Vec<u8>>;

pub(crate) struct Crossing {
    slow: AtomicBool,
    state: Mutex<State>,
    /// An epoch has begun, or the job is over.
    news: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Idle,
    /// Ranks may still be on a way on which nobody counts.
    Gathering,
    /// An epoch.
    Running,
    /// What was logged is done again.
    Replaying,
}

/// Who has taken a local checkpoint.
struct Taken {
    /// What the protocol adds to it.
    line: pc3_protocol::Line,
    /// Objects, files and MPI state; none yet: they are being copied.
    part: Option<Part>,
    /// Messages that cross the line.
    late: Vec<u8>,
    late_count: u64,
}

pub(crate) struct State {
    stage: Stage,
    node: Node,
    members: Vec<Machine>,
    /// Ranks that were seen on no other way since the epoch was asked for.
    seen: Vec<bool>,
    /// Numbers of pending receives.
    numbers: HashMap<usize, u32>,
    dirty: BTreeSet<u32>,
    taken: Vec<Option<Taken>>,
    rounds: HashMap<(Group, u64), Round>,
    /// Groups that are counted in this epoch.
    known: HashSet<Group>,
    /// Of the epoch, or of the replay: counts both.
    generation: u64,
    commit_due: bool,
    writer: Option<JoinHandle<()>>,
    watcher: Option<JoinHandle<()>>,
    is_over: bool,
    /// What the epoch is for.
    plan: Plan,
    why: Option<String>,
    recovered: Vec<Option<record::Recovered>>,
}

struct Plan {
    asked: bool,
    since: Instant,
    passage: u64,
    stalls: Stalls,
    /// How far standard streams were at the first line.
    output: Option<Vec<u64>>,
    /// That has changed since.
    disturbed: bool,
    /// Epochs given up for it in a row.
    in_vain: u32,
}

impl Crossing {
    pub fn new(ranks: u32) -> Crossing {
        Crossing {
            slow: AtomicBool::new(false),
            state: Mutex::new(State::new(ranks)),
            news: Condvar::new(),
        }
    }

    /// Everything has to be known to the machines.
    #[inline]
    pub fn is_slow(&self) -> bool {
        self.slow.load(Relaxed)
    }

    /// The calling rank is on none of the usual ways.
    fn enter(&self, me: &RankState) -> MutexGuard<'_, State> {
        if let Some(lanes) = me.world().lanes() {
            // Sent on the usual ways.
            lanes.flush_of(me.world(), me.worker());
        }
        let mut s = self.lock();
        if s.stage == Stage::Gathering {
            s.seen[me.rank as usize] = true;
        }
        s
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job is over: waits for a checkpoint that is being written.
    pub fn finish(&self) {
        let watcher = {
            let mut s = self.lock();
            s.is_over = true;
            s.watcher.take()
        };
        self.news.notify_all();
        if let Some(w) = watcher {
            drop(w.join());
        }
        loop {
            let writer = self.lock().writer.take();
            match writer {
                Some(w) => drop(w.join()),
                None => return,
            }
        }
    }

    /// No rank can run.
    pub fn quiescent(&self, world: &World) {
        if self.is_slow() {
            let mut s = self.lock();
            s.begin(world);
        }
    }
}

/// A call whose outcome is not logged: no checkpoint may have it between the lines of two ranks.
pub(crate) fn unsupported(me: &RankState, name: &str) {
    let world = me.world();
    if world.crossing.is_slow() {
        let mut s = world.crossing.enter(me);
        s.give_up(
            world,
            format!("{name} was called while it was being taken; use the barrier protocol"),
        );
        done(world, s);
    }
}

/// So many entries may a rank's log have, and so many bytes the messages that cross its line.
const LOG: usize = 1 << 20;
const LATE: usize = 1 << 30;

/// An operation is over: what it said is passed on.
fn done(world: &World, mut s: MutexGuard<'_, State>) {
    s.begin(world);
    if s.stage == Stage::Running && s.dirty.iter().any(|r| s.is_full(*r)) {
        let why = format!(
            "ranks that had not come to a location kept it waiting for too long: {}",
            line::missing(&s)
        );
        s.give_up(world, why);
    }
    s.pump(world);
}

impl State {
    fn new(ranks: u32) -> State {
        let n = ranks as usize;
        State {
            stage: Stage::Idle,
            node: Node::new(
                Rules::default(),
                true,
                (0..ranks).collect(),
                Vec::new(),
                false,
            ),
            members: (0..n).map(|_| Member::new(Rules::default())).collect(),
            seen: vec![false; n],
            numbers: HashMap::new(),
            dirty: BTreeSet::new(),
            taken: (0..n).map(|_| None).collect(),
            rounds: HashMap::new(),
            known: HashSet::new(),
            generation: 0,
            commit_due: false,
            writer: None,
            watcher: None,
            is_over: false,
            plan: Plan {
                asked: false,
                since: Instant::now(),
                passage: 0,
                stalls: Stalls::default(),
                output: None,
                disturbed: false,
                in_vain: 0,
            },
            why: None,
            recovered: (0..n).map(|_| None).collect(),
        }
    }

    fn is_full(&self, rank: u32) -> bool {
        let taken = self.taken[rank as usize].as_ref();
        self.members[rank as usize].log().len() > LOG || taken.is_some_and(|t| t.late.len() > LATE)
    }

    fn member(&mut self, rank: u32) -> &mut Machine {
        self.dirty.insert(rank);
        &mut self.members[rank as usize]
    }

    /// A checkpoint is wanted.
    fn want(&mut self, world: &World) {
        if self.stage != Stage::Idle || self.writer.as_ref().is_some_and(|w| !w.is_finished()) {
            return;
        }
        let Some(job) = world.job.get() else { return };
        self.stage = Stage::Gathering;
        self.seen.fill(false);
        self.plan.asked = job.begin_apart();
        self.plan.since = Instant::now();
        self.plan.passage = 0;
        self.plan.stalls = Stalls::default();
        self.plan.output = None;
        self.plan.disturbed = false;
        self.why = None;
        world.crossing.slow.store(true, SeqCst);
        set_flag(FLAG_ENGINE);
        line::watch(self, world);
        // The store comes before every look at who is blocked.
        std::sync::atomic::fence(SeqCst);
    }

    /// The epoch begins as soon as nobody is on a way on which nothing is counted: a rank has been seen at a location
    /// or on a slow way since, or it is blocked, and looks again when it is woken.
    fn begin(&mut self, world: &World) {
        if self.stage != Stage::Gathering {
            return;
        }
        let sched = world.sched();
        let away = |r: &RankState| sched.is_blocked(r.slot) || sched.has_ended(r.slot);
        let all = world.ranks().iter();
        if !all
            .zip(&self.seen)
            .all(|(r, seen)| *seen || away(r) || self.members[r.rank as usize].has_ended())
        {
            return;
        }
        if let Some(lanes) = world.lanes() {
            lanes.flush(world, None);
        }
        self.stage = Stage::Running;
        self.generation += 1;
        self.rounds.clear();
        self.known.clear();
        self.numbers.clear();
        self.taken.iter_mut().for_each(|t| *t = None);
        self.members.iter_mut().for_each(Member::count_anew);
        let outs = self.node.request();
        self.carry(world, outs);
        self.pump(world);
    }

    /// Passes on what members say until nobody says anything more.
    fn pump(&mut self, world: &World) {
        while let Some(rank) = self.dirty.pop_first() {
            for up in self.members[rank as usize].said() {
                let outs = self.node.say(Source::Member(rank), up);
                self.carry(world, outs);
            }
        }
        if self.commit_due && self.taken.iter().flatten().all(|t| t.part.is_some()) {
            self.commit_due = false;
            line::commit(self, world);
        }
    }

    fn carry(&mut self, world: &World, outs: Vec<Out>) {
        for out in outs {
            match out {
                Out::Down(down) => {
                    for rank in 0..self.members.len() as u32 {
                        self.member(rank).hear(&down);
                    }
                    if self.members.iter().all(|m| m.phase() == Phase::Plain) {
                        self.over(world);
                    } else {
                        line::take_ended(self, world);
                    }
                }
                Out::Event(Event::Commit) => self.commit_due = true,
                Out::Event(Event::Over { given_up }) => {
                    if given_up {
                        line::report(self, world);
                    }
                }
                // The only process is the root.
                Out::Up(_) => {}
            }
        }
    }

    /// There is to be no checkpoint this time.
    fn give_up(&mut self, world: &World, why: String) {
        if self.stage == Stage::Gathering {
            self.why = Some(why);
            self.over(world);
            line::report(self, world);
            return;
        }
        if self.stage != Stage::Running {
            return;
        }
        if let Some(outs) = self.node.give_up() {
            self.why = Some(why);
            self.carry(world, outs);
        }
    }

    /// The usual ways are free again.
    fn over(&mut self, world: &World) {
        if self.stage == Stage::Idle {
            return;
        }
        self.stage = Stage::Idle;
        if let Some(job) = world.job.get() {
            job.lines_end();
        }
        self.generation += 1;
        self.numbers.clear();
        self.rounds.clear();
        self.taken.iter_mut().for_each(|t| *t = None);
        self.commit_due = false;
        clear_flag(FLAG_ENGINE);
        world.crossing.slow.store(false, SeqCst);
    }
}
