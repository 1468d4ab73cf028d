//! The non-blocking protocol at work: drives the state machines of `pc3-protocol` for the ranks of this process.
//!
//! While no checkpoint is under way nothing of this runs: messages take their usual ways, uncounted, which is right
//! because within a process what is sent has arrived, and between processes what was sent so arrives before an epoch
//! begins ([`remote_epochs`]).  A request turns [`Nonblocking::is_slow`] on.  From then on every
//! operation that the machines have to know of is done under one lock, together with what the machines say of it, so that to
//! them each send, arrival, match and entry into a collective happens at one moment.  The epoch begins when no rank can
//! be on one of the usual ways any more ([`State::begin`]); it ends for all at once.
//!
//! [`p2p`] has messages, [`far`] those between processes, [`coll`] and [`later`] collectives, [`outcomes`] what else another run could have
//! otherwise, [`births`] ranks that are spawned, [`io`] files of `MPI_File`, [`local_checkpoint`] the local checkpoints, [`protocol`] what the engine asks, [`record`] what a file keeps of them, [`room`] memory for that, and [`words`] what processes tell each other.

pub(crate) mod births;
pub(crate) mod coll;
pub(crate) mod io;
pub(crate) mod later;
pub(crate) mod local_checkpoint;
pub(crate) mod outcomes;
pub(crate) mod p2p;
pub(crate) mod protocol;
mod record;
pub(crate) mod remote;
pub(crate) mod remote_epochs;
pub(crate) mod room;
mod words;

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use pc3_protocol::{Down, Event, Group, Member, Name, Node, Out, Phase, Rules, Source, Stamp};
use pc3_runtime::control::{clear_flag, set_flag, FLAG_ENGINE};
use pc3_runtime::format::meta::FileMeta;
use pc3_runtime::report::{die, EXIT_FATAL};
use pc3_runtime::save::Part;
use pc3_runtime::skipped_checkpoint::Skipped;
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
    /// A probe has shown it to a receiver in front of the line behind which it was sent.
    seen: Cell<bool>,
    /// It is part of its receiver's local checkpoint, though it was sent behind the line: its sender's has nothing of it.
    pub(crate) early: bool,
}

/// In whose name messages from before the line are counted: their order at the receiver is all that matters.
const BEFORE: u32 = u32::MAX;

type Machine = Member<Outcome, Vec<u8>>;

pub(crate) struct Nonblocking {
    slow: AtomicBool,
    /// Of what comes from other processes and does not tell: its sender's epoch.
    now: AtomicU32,
    /// Ranks are waited for, or what is on its way between processes.
    gathers: AtomicBool,
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
#[derive(Default)]
struct Taken {
    /// What the protocol adds to it.
    line: pc3_protocol::Line,
    /// Objects, files and MPI state, or why they cannot be had; none yet: they are being copied.
    part: Option<Result<Part, Skipped>>,
    /// Messages that cross the line.
    late: Vec<u8>,
    late_count: u64,
    /// Bytes that its log has of what the system said.
    said: usize,
}

pub(crate) struct State {
    stage: Stage,
    node: Node,
    /// The other processes, if there are any.
    remote_epochs: Option<remote_epochs::RemoteEpochs>,
    /// Of the ranks here, as all lists of ranks.
    members: Vec<Machine>,
    /// Ranks that were seen on no other way since the epoch was asked for; all in front of this one were, or were blocked.
    seen: Vec<bool>,
    unseen: usize,
    /// Numbers of pending receives.
    numbers: HashMap<usize, u32>,
    dirty: BTreeSet<u32>,
    taken: Vec<Option<Taken>>,
    /// How many have passed their lines, how many of these have their parts, and the numbers of descriptors that are in these.
    lined: usize,
    stored: usize,
    /// Ranks that were spawned when all was behind the line: it is without them.
    born: usize,
    descriptors: HashSet<u64>,
    /// Ranks that have ended.
    ended: Vec<u32>,
    rounds: HashMap<(Group, u64), Round>,
    /// Groups that are counted in this epoch.
    known: HashSet<Group>,
    /// Of the epoch, or of the replay: counts both.
    generation: u64,
    commit_due: bool,
    /// What is there has been written, or tried to be.
    written: bool,
    /// There is to be no checkpoint this time, or the root has been asked for that.
    refused: bool,
    /// What is here belongs to none, should it be too late for the root to give it up.
    spoilt: Option<Skipped>,
    /// By a lack of memory for it.
    short: bool,
    writer: Option<JoinHandle<()>>,
    watcher: Option<JoinHandle<()>>,
    is_over: bool,
    /// What the epoch is for.
    plan: Plan,
    why: Option<Skipped>,
    recovered: Vec<Option<record::Recovered>>,
}

struct Plan {
    asked: bool,
    since: Instant,
    passage: u64,
    stalls: Stalls,
    /// How standard output and error are to be found again, or why they cannot be: when the last line is passed.
    output: Option<Result<Vec<FileMeta>, String>>,
    /// What ranks did with files is in the way.
    disturbed: bool,
    /// Epochs given up for it in a row.
    in_vain: u32,
    /// Ranks that have passed locations since they wait for somebody to receive what they have sent.
    unreceived: BTreeSet<u32>,
}

impl Nonblocking {
    /// `here`: the ranks of this process, which is the one of this number among so many.
    pub fn new(here: &[u32], (index, count): (u32, u32)) -> Nonblocking {
        Nonblocking {
            slow: AtomicBool::new(false),
            now: AtomicU32::new(0),
            gathers: AtomicBool::new(false),
            state: Mutex::new(State::new(here, (index, count))),
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
            s.seen[me.slot as usize] = true;
        }
        s
    }

    /// The same, for what the rank does again behind its checkpoint.
    fn step(&self, me: &RankState) -> MutexGuard<'_, State> {
        course_only(me);
        self.enter(me)
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

    /// Something is waited for that ranks here need not bring about.
    pub(crate) fn gathers(&self) -> bool {
        self.gathers.load(Relaxed)
    }

    /// The epoch of who sends on a usual way what comes now.
    pub(crate) fn now(&self) -> u32 {
        self.now.load(Relaxed)
    }

    /// Process 0 has decided that the job is over: no checkpoint is begun any more.
    pub(crate) fn end(&self) {
        self.lock().is_over = true;
    }

    /// What is under way, for SIGQUIT's report.
    pub(crate) fn sights(&self, out: &mut impl fmt::Write, world: &World) -> fmt::Result {
        if !self.is_slow() {
            return Ok(());
        }
        let Ok(s) = self.state.try_lock() else {
            return writeln!(out, "  what the epoch is at is being changed");
        };
        let stage = match s.stage {
            Stage::Idle => return Ok(()),
            Stage::Replaying => {
                return writeln!(out, "  what a checkpoint's log has is done again")
            }
            Stage::Gathering => "a checkpoint is wanted",
            Stage::Running => "a checkpoint is being taken",
        };
        write!(out, "  {stage}; yet to come to a location:")?;
        for slot in local_checkpoint::late_slots(&s, world).take(16) {
            write!(out, " {}", world.ranks()[slot as usize].rank)?;
        }
        writeln!(
            out,
            " ({} ranks here)",
            local_checkpoint::late_slots(&s, world).count()
        )
    }

    /// No rank can run.
    pub fn quiescent(&self, world: &World) {
        if self.is_slow() {
            let mut s = self.lock();
            s.begin(world);
        }
    }
}

/// What communicates is a step of its rank's course: a callback would meet ranks that are not in theirs, or take what was logged for
/// others.
fn course_only(me: &RankState) {
    if me.exec().is_some_and(|r| r.aside > 0) {
        beside_the_course(me);
    }
}

#[cold]
fn beside_the_course(me: &RankState) -> ! {
    let call = match me.call.get().name {
        "" => "an MPI function that communicates",
        name => name,
    };
    let why = format!(
        "rank {}: {call} was called by a callback around checkpoints, or by the function of a reduction, while the nonblocking protocol takes a \
         checkpoint or goes on from one: what such functions send and hear is no part of what a rank does again; let them not communicate (around \
         checkpoints at a barrier they may)",
        me.rank
    );
    die(EXIT_FATAL, &why)
}

/// A call whose outcome is not logged: no checkpoint may have it between the lines of two ranks.
pub(crate) fn unsupported(me: &RankState, name: &str) {
    let world = me.world();
    if world.nonblocking.is_slow() {
        let mut s = world.nonblocking.enter(me);
        // The next one may be taken between two such calls.
        s.plan.disturbed = true;
        s.give_up(world, during(name));
        done(world, s);
    }
}

fn during(name: &str) -> String {
    format!("{name} was called while it was being taken, each time; use the barrier protocol, or let no rank make such calls all the time")
}

/// So many entries may a rank's log have, and so many bytes what it holds of the system's and the messages that cross its line.
const LOG: usize = 1 << 20;
const LATE: usize = 1 << 30;

/// An operation is over: what it said is passed on.
fn done(world: &World, mut s: MutexGuard<'_, State>) {
    s.begin(world);
    if let Some(why) = s.is_too_much(world) {
        s.give_up(world, why);
    }
    s.pump(world);
}

impl State {
    fn new(here: &[u32], (index, count): (u32, u32)) -> State {
        let n = here.len();
        State {
            stage: Stage::Idle,
            node: remote_epochs::node(here, (index, count), false),
            remote_epochs: (count > 1).then(|| remote_epochs::RemoteEpochs::new(index, count)),
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
            plan: Plan {
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

    /// Is more to be kept than may be, or than there is memory for?
    fn is_too_much(&mut self, world: &World) -> Option<Skipped> {
        if self.stage != Stage::Running {
            return None;
        }
        if std::mem::take(&mut self.short) {
            return self.spoilt.clone();
        }
        if self.dirty.iter().any(|r| self.is_full(*r)) {
            let missing = local_checkpoint::missing(self, world);
            let why = format!(
                "ranks that had not come to a location kept it waiting for too long: {missing}"
            );
            return Some(why.into());
        }
        self.logs_have_room(world).err()
    }

    fn is_full(&self, slot: u32) -> bool {
        let taken = self.taken[slot as usize].as_ref();
        self.members[slot as usize].log().len() > LOG
            || taken.is_some_and(|t| t.late.len() + t.said > LATE)
    }

    /// Has everybody whom the checkpoint is of been copied?
    fn all_stored(&self) -> bool {
        self.stored >= self.members.len() - self.born
    }

    fn member(&mut self, slot: u32) -> &mut Machine {
        self.dirty.insert(slot);
        &mut self.members[slot as usize]
    }

    /// A checkpoint is wanted.
    fn want(&mut self, world: &World) {
        if self.remote_epochs.is_some() {
            return self.want_together(world);
        }
        if self.stage == Stage::Idle && !self.writes() {
            self.gather(world);
        }
    }

    /// Is the newest checkpoint still being written?  What is due behind it is known then.
    fn writes(&self) -> bool {
        self.writer.as_ref().is_some_and(|w| !w.is_finished())
    }

    /// Ranks go over to the way on which all is counted.
    fn gather(&mut self, world: &World) {
        let Some(job) = world.job.get() else { return };
        self.stage = Stage::Gathering;
        world.nonblocking.gathers.store(true, SeqCst);
        self.seen.fill(false);
        self.unseen = 0;
        self.plan.asked = job.begin_apart();
        self.plan.since = Instant::now();
        self.plan.passage = 0;
        self.plan.stalls = Stalls::default();
        self.plan.output = None;
        self.plan.disturbed = false;
        self.plan.unreceived.clear();
        self.why = None;
        self.written = false;
        self.refused = false;
        self.spoilt = None;
        self.short = false;
        world.nonblocking.slow.store(true, SeqCst);
        set_flag(FLAG_ENGINE);
        local_checkpoint::watch(self, world);
        // The store comes before every look at who is blocked.
        std::sync::atomic::fence(SeqCst);
    }

    /// Is that rank on no way on which nothing is counted?
    fn is_there(&self, world: &World, slot: u32) -> bool {
        let (sched, at) = (world.sched(), slot as usize);
        let away = sched.is_blocked(slot) || sched.has_ended(slot);
        self.seen[at] || away || self.members[at].has_ended()
    }

    fn all_there(&self, world: &World) -> bool {
        (0..self.members.len() as u32).all(|slot| self.is_there(world, slot))
    }

    /// The epoch begins as soon as nobody is on a way on which nothing is counted: a rank has been seen at a location
    /// or on a slow way since, or it is blocked, and looks again when it is woken.
    fn begin(&mut self, world: &World) {
        if self.stage != Stage::Gathering {
            return;
        }
        while self.unseen < self.members.len() {
            if !self.is_there(world, self.unseen as u32) {
                return;
            }
            self.unseen += 1;
        }
        if let Some(lanes) = world.lanes() {
            lanes.flush(world, None);
        }
        if self.remote_epochs.is_some() && !self.is_clear(world) {
            return;
        }
        self.stage = Stage::Running;
        world.nonblocking.gathers.store(false, SeqCst);
        self.generation += 1;
        self.rounds.clear();
        self.known.clear();
        self.numbers.clear();
        self.taken.iter_mut().for_each(|t| *t = None);
        self.lined = 0;
        self.stored = 0;
        self.born = 0;
        self.descriptors.clear();
        self.members.iter_mut().for_each(Member::count_anew);
        if self.remote_epochs.is_some() {
            self.begin_together(world);
        } else {
            let outs = self.node.request();
            self.carry(world, outs);
        }
        self.pump(world);
    }

    /// Passes on what members say until nobody says anything more.
    fn pump(&mut self, world: &World) {
        while let Some(slot) = self.dirty.pop_first() {
            let rank = world.ranks()[slot as usize].rank;
            for up in self.members[slot as usize].said() {
                let outs = self.node.say(Source::Member(rank), up);
                self.carry(world, outs);
            }
        }
        if self.commit_due && self.all_stored() {
            self.commit_due = false;
            local_checkpoint::commit(self, world);
        }
    }

    fn carry(&mut self, world: &World, outs: Vec<Out>) {
        for out in outs {
            match out {
                Out::Down(down) => {
                    self.pass_on(world, &down);
                    self.obey(world, &down);
                }
                Out::Event(Event::Commit) => self.complete(world),
                Out::Event(Event::Over { given_up }) => {
                    if given_up {
                        local_checkpoint::report(self, world);
                    }
                }
                Out::Up(up) => self.tell_above(world, up),
            }
        }
    }

    /// All ranks here hear what the root has decided.
    fn obey(&mut self, world: &World, down: &Down) {
        if *down == Down::Start && self.remote_epochs.is_some() {
            // They hear of it once all is counted.
            return self.gather_together(world);
        }
        for slot in 0..self.members.len() as u32 {
            self.member(slot).hear(down);
        }
        if self.members.iter().all(|m| m.phase() == Phase::Plain) {
            self.over(world);
        } else {
            local_checkpoint::take_ended(self, world);
        }
    }

    /// There is to be no checkpoint this time.
    fn give_up(&mut self, world: &World, why: impl Into<Skipped>) {
        let why = why.into();
        let first = !std::mem::replace(&mut self.refused, true);
        if self.remote_epochs.is_some() {
            return self.give_up_together(world, why, first);
        }
        if self.stage == Stage::Gathering {
            self.why = Some(why);
            self.over(world);
            local_checkpoint::report(self, world);
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
        let was = std::mem::replace(&mut self.stage, Stage::Idle);
        world.nonblocking.gathers.store(false, SeqCst);
        if let Some(apart) = &mut self.remote_epochs {
            apart.over();
        }
        if was == Stage::Running {
            self.none_taken(world);
        }
        if let Some(job) = world.job.get() {
            job.lines_end();
        }
        self.generation += 1;
        self.numbers.clear();
        self.rounds.clear();
        self.taken.iter_mut().for_each(|t| *t = None);
        self.commit_due = false;
        clear_flag(FLAG_ENGINE);
        world.nonblocking.slow.store(false, SeqCst);
    }
}
