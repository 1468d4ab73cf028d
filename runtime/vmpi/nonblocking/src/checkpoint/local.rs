//! Local checkpoints: when a rank takes its own, how all become one, and how ranks go on from them.

use crate::machines::machines;
use pc3_vmpi_snapshot::save::save;
use std::time::Instant;

use pc3_protocol::Phase;
use pc3_runtime::rank::Rank;
use pc3_runtime::save::Part;
use pc3_runtime::skipped_checkpoint::Skipped;
use pc3_runtime::transfer::SaveCtx;
use pc3_runtime::{chaos, checkpoint};

use crate::epoch_memory;
use crate::machines::done;
use crate::operations::{later, p2p, remote};
use crate::state::{Stage, State, Taken};
use pc3_vmpi_core::mail::request::{Mode, Request, RequestKind};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;

/// A rank is at a location: is it to unwind and take its local checkpoint?
pub fn due(world: &World, rank: &mut Rank) -> bool {
    let me = world.rank(rank.id() as u32);
    let passed = rank.count_passages();
    let job = rank.job();
    let wanted = job.control.wanted(passed);
    if !world.nonblocking.is_slow() && !wanted {
        return false;
    }
    let mut s = machines(world).enter(me);
    // Another rank may have begun it meanwhile.
    if s.stage == Stage::Idle && job.control.wanted(passed) {
        s.want(world);
        s.seen[me.slot as usize] = true;
    }
    s.begin(world);
    if me.has_chores() {
        // All parts of these calls have come, some on the usual way: behind the line nobody would be told of them.
        drop(s);
        me.do_chores();
        s = machines(world).enter(me);
    }
    let unreceived = waits_for_receiver(me);
    if unreceived && s.member(me.slot).phase() == Phase::Asked {
        s.attempt.unreceived.insert(me.rank);
    }
    let waits = unreceived || remote::waits_for_content(me);
    let takes = !waits && s.member(me.slot).at_location();
    let others = !takes && s.waits_for_lines();
    if takes {
        s.attempt.unreceived.remove(&me.rank);
    }
    done(world, s);
    if others {
        // Ranks that have much to receive would pass location after location before others of their worker come to one.
        me.yield_now();
    }
    takes
}

/// Has it a synchronous message that nobody has received?  What becomes of that is not its own affair.
pub(crate) fn waits_for_receiver(me: &RankState) -> bool {
    let pending = |r: &Request| {
        r.what == RequestKind::Send(Mode::Synchronous) && r.active.get() && !r.null && !r.is_done()
    };
    me.requests.borrow().iter().any(|(_, r)| pending(r.get()))
        || me.detached().iter().any(|r| pending(r.get()))
}

/// A rank's stack is empty: takes its local checkpoint.
pub fn unwound(world: &World, rank: &mut Rank) {
    let start = Instant::now();
    let me = world.rank(rank.id() as u32);
    let mut s = machines(world).enter(me);
    if s.member(me.slot).phase() != Phase::Asked {
        // Given up meanwhile.
        return done(world, s);
    }
    if let Err(why) = epoch_memory::for_line(me) {
        s.give_up(world, why);
        return done(world, s);
    }
    let engine = pass(me, rank, &mut s);
    drop(s);
    chaos();
    let part = part(me, rank, &engine);
    let mut s = machines(world).enter(me);
    s.attempt
        .stalls
        .0
        .push((u64::from(me.rank), start.elapsed()));
    store(&mut s, world, me, part);
    done(world, s);
}

/// What is the rank's own.
pub(crate) fn part(me: &RankState, rank: &mut Rank, engine: &[u8]) -> Result<Part, Skipped> {
    let part = checkpoint::part(&rank.job().clone(), rank, engine);
    me.pending_at_line.borrow_mut().clear();
    part
}

/// The rank passes its line; what the virtual MPI keeps of it.
pub(crate) fn pass(me: &RankState, rank: &Rank, s: &mut State) -> Vec<u8> {
    let world = me.world();
    if let Some(guest) = rank.guest.as_deref() {
        // What it holds back has been written before the line.
        guest.flush();
        let requests = me.requests.borrow();
        let pending = requests.iter().filter(|(_, r)| !r.get().is_done());
        *me.pending_at_line.borrow_mut() = pending.map(|(handle, _)| handle).collect();
    }
    if let (None, 0, Some(job)) = (&s.remote_epochs, s.lined, world.job.get()) {
        job.lines_begin();
    }
    later::at_line(me, s);
    let mut line = s.member(me.slot).take();
    rank.passes_line();
    s.one_more_line(world);
    p2p::at_line(me, s, &mut line);
    s.taken[me.slot as usize] = Some(Taken {
        line,
        ..Taken::default()
    });
    save(me, &SaveCtx::default())
}

pub(crate) fn store(s: &mut State, world: &World, me: &RankState, part: Result<Part, Skipped>) {
    let Some(job) = world.job.get() else { return };
    let Some(taken) = &mut s.taken[me.slot as usize] else {
        return;
    };
    let part = taken.part.insert(part);
    s.stored += 1;
    let part = match part {
        Ok(part) => part,
        Err(why) => {
            let why = why.clone();
            return s.give_up(world, why);
        }
    };
    s.attempt.passage = s.attempt.passage.max(part.passages());
    let mut numbers = part.descriptors().iter();
    let twice = numbers.find(|n| !s.descriptors.insert(**n)).copied();
    let mut why = twice.map(two_had);
    // When all have passed their lines; before that, not for each.
    if why.is_none() && (s.all_stored() || s.stored.is_power_of_two()) {
        why = job.lines_clash();
    }
    if let Some(why) = why {
        s.attempt.disturbed = true;
        // All that crosses the lines may be known, and the epoch past giving up, before the last rank is copied.
        s.spoilt.get_or_insert_with(|| why.clone().into());
        s.give_up(world, why);
    }
}

pub(crate) fn two_had(number: u64) -> String {
    format!("descriptor {number} was one rank's file at its local checkpoint and another's at the other's, each time; use the barrier protocol")
}

pub(crate) fn take_ended(s: &mut State, world: &World) {
    for i in 0..s.ended.len() {
        let slot = s.ended[i];
        take_one_ended(s, &world.ranks()[slot as usize]);
    }
}

/// A rank that has ended is always at a location.
pub(crate) fn take_one_ended(s: &mut State, me: &RankState) {
    if s.members[me.slot as usize].at_location() {
        let Some(rank) = me.exec() else { return };
        if let Err(why) = epoch_memory::for_line(me) {
            return s.give_up(me.world(), why);
        }
        let engine = pass(me, rank, s);
        let part = part(me, rank, &engine);
        store(s, me.world(), me, part);
    }
}

/// A rank that is spawned behind the line of its root: the checkpoint has it as it begins.
pub(crate) fn take_unborn(s: &mut State, me: &RankState) {
    let Some(rank) = me.exec() else { return };
    s.taken[me.slot as usize] = Some(Taken::default());
    s.one_more_line(me.world());
    let engine = save(me, &SaveCtx::default());
    let part = part(me, rank, &engine);
    store(s, me.world(), me, part);
}

/// The program of a rank is over.
pub fn ended(world: &World, me: &RankState) {
    let mut s = machines(world).enter(me);
    s.end_of(me);
    s.begin(world);
    take_one_ended(&mut s, me);
    done(world, s);
}

impl State {
    /// Are there ranks here that have yet to come to a location, or to where all is counted?
    pub(crate) fn waits_for_lines(&self) -> bool {
        match self.stage {
            Stage::Gathering => true,
            Stage::Running => !self.all_stored(),
            Stage::Idle | Stage::Replaying => false,
        }
    }

    /// A rank has passed its line.
    pub(crate) fn one_more_line(&mut self, world: &World) {
        self.lined += 1;
        let all = self.lined >= self.members.len() - self.born;
        if let Some(job) = world
            .job
            .get()
            .filter(|_| all && self.remote_epochs.is_none())
        {
            let passed = job.lines_passed();
            self.attempt.output = Some(passed.map(|(places, printed)| {
                for (rank, output, times) in printed {
                    if let Some(me) = world.local(rank) {
                        self.members[me.slot as usize].printed(output, times);
                    }
                }
                places
            }));
        }
    }

    pub(crate) fn end_of(&mut self, me: &RankState) {
        self.member(me.slot).end();
        self.ended.push(me.slot);
    }
}
