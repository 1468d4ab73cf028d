//! An epoch from its beginning to its end.

use pc3_protocol::{Down, Event, Member, Out, Phase, Source};
use pc3_runtime::control::{clear_flag, set_flag, FLAG_ENGINE};
use pc3_runtime::skipped_checkpoint::Skipped;
use pc3_runtime::store::Stalls;
use std::fmt;
use std::sync::atomic::Ordering::*;
use std::time::Instant;

use crate::checkpoint::{commit, local, waiting};
use crate::machines::{done, machines, Machines};
use crate::state::{Stage, State};
use pc3_vmpi_core::p2p::deliver;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;

impl Machines {
    /// What is under way, for SIGQUIT's report.
    pub fn sights(&self, out: &mut impl fmt::Write, world: &World) -> fmt::Result {
        if !world.nonblocking.is_slow() {
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
        for slot in waiting::late_slots(&s, world).take(16) {
            write!(out, " {}", world.ranks()[slot as usize].rank)?;
        }
        writeln!(
            out,
            " ({} ranks here)",
            waiting::late_slots(&s, world).count()
        )
    }
}

/// No rank can run.
pub(crate) fn quiescent(world: &World) {
    let mut s = machines(world).lock();
    s.begin(world);
}

/// A call whose outcome is not logged: no checkpoint may have it between the lines of two ranks.
pub fn unsupported(me: &RankState, name: &str) {
    let world = me.world();
    if world.nonblocking.is_slow() {
        let mut s = machines(world).enter(me);
        // The next one may be taken between two such calls.
        s.attempt.disturbed = true;
        s.give_up(world, during(name));
        done(world, s);
    }
}

pub(crate) fn during(name: &str) -> String {
    format!("{name} was called while it was being taken, each time; use the barrier protocol, or let no rank make such calls all the time")
}

impl State {
    /// Is more to be kept than may be, or than there is memory for?
    pub(crate) fn is_too_much(&mut self, world: &World) -> Option<Skipped> {
        if self.stage != Stage::Running {
            return None;
        }
        if std::mem::take(&mut self.short) {
            return self.spoilt.clone();
        }
        if self.dirty.iter().any(|r| self.is_full(*r)) {
            let missing = waiting::missing(self, world);
            let why = format!(
                "ranks that had not come to a location kept it waiting for too long: {missing}"
            );
            return Some(why.into());
        }
        self.logs_have_room(world).err()
    }

    /// A checkpoint is wanted.
    pub(crate) fn want(&mut self, world: &World) {
        if self.remote_epochs.is_some() {
            return self.want_together(world);
        }
        if self.stage == Stage::Idle && !self.writes() {
            self.gather(world);
        }
    }

    /// Ranks go over to the way on which all is counted.
    pub(crate) fn gather(&mut self, world: &World) {
        let Some(job) = world.job.get() else { return };
        self.stage = Stage::Gathering;
        world.nonblocking.set_gathers(true);
        self.seen.fill(false);
        self.unseen = 0;
        self.attempt.asked = job.begin_apart();
        self.attempt.since = Instant::now();
        self.attempt.passage = 0;
        self.attempt.stalls = Stalls::default();
        self.attempt.output = None;
        self.attempt.disturbed = false;
        self.attempt.unreceived.clear();
        self.why = None;
        self.written = false;
        self.refused = false;
        self.spoilt = None;
        self.short = false;
        world.nonblocking.set_slow(true);
        set_flag(FLAG_ENGINE);
        waiting::watch(self, world);
        // The store comes before every look at who is blocked.
        std::sync::atomic::fence(SeqCst);
    }

    /// Is that rank on no way on which nothing is counted?
    pub(crate) fn is_there(&self, world: &World, slot: u32) -> bool {
        let (sched, at) = (world.sched(), slot as usize);
        let away = sched.is_blocked(slot) || sched.has_ended(slot);
        self.seen[at] || away || self.members[at].has_ended()
    }

    pub(crate) fn all_there(&self, world: &World) -> bool {
        (0..self.members.len() as u32).all(|slot| self.is_there(world, slot))
    }

    /// The epoch begins as soon as nobody is on a way on which nothing is counted: a rank has been seen at a location
    /// or on a slow way since, or it is blocked, and looks again when it is woken.
    pub(crate) fn begin(&mut self, world: &World) {
        if self.stage != Stage::Gathering {
            return;
        }
        while self.unseen < self.members.len() {
            if !self.is_there(world, self.unseen as u32) {
                return;
            }
            self.unseen += 1;
        }
        deliver::flush(world, None);
        if self.remote_epochs.is_some() && !self.is_clear(world) {
            return;
        }
        self.stage = Stage::Running;
        world.nonblocking.set_gathers(false);
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
    pub(crate) fn pump(&mut self, world: &World) {
        while let Some(slot) = self.dirty.pop_first() {
            let rank = world.ranks()[slot as usize].rank;
            for up in self.members[slot as usize].said() {
                let outs = self.node.say(Source::Member(rank), up);
                self.carry(world, outs);
            }
        }
        if self.commit_due && self.all_stored() {
            self.commit_due = false;
            commit::commit(self, world);
        }
    }

    pub(crate) fn carry(&mut self, world: &World, outs: Vec<Out>) {
        for out in outs {
            match out {
                Out::Down(down) => {
                    self.pass_on(world, &down);
                    self.obey(world, &down);
                }
                Out::Event(Event::Commit) => self.complete(world),
                Out::Event(Event::Over { given_up }) => {
                    if given_up {
                        waiting::report(self, world);
                    }
                }
                Out::Up(up) => self.tell_above(world, up),
            }
        }
    }

    /// All ranks here hear what the root has decided.
    pub(crate) fn obey(&mut self, world: &World, down: &Down) {
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
            local::take_ended(self, world);
        }
    }

    /// There is to be no checkpoint this time.
    pub(crate) fn give_up(&mut self, world: &World, why: impl Into<Skipped>) {
        let why = why.into();
        let first = !std::mem::replace(&mut self.refused, true);
        if self.remote_epochs.is_some() {
            return self.give_up_together(world, why, first);
        }
        if self.stage == Stage::Gathering {
            self.why = Some(why);
            self.over(world);
            waiting::report(self, world);
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
    pub(crate) fn over(&mut self, world: &World) {
        if self.stage == Stage::Idle {
            return;
        }
        let was = std::mem::replace(&mut self.stage, Stage::Idle);
        world.nonblocking.set_gathers(false);
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
        world.nonblocking.set_slow(false);
    }
}
