//! The other processes, while a checkpoint is under way: who counts from when, and what the root decides.
//!
//! A process that hears `Start` turns the slow way on. When no rank of it can be on a usual way any more it gives away what it
//! has offered ([`offers::give_all`]), tells every other process that it counts from here on (`Counts`, behind all that it
//! has sent), and counts. Its ranks hear of the epoch when all processes have told it that and nothing that was taken from
//! elsewhere is still on its way: then nothing that nobody has counted can come to them.

use crate::checkpoint::waiting;
use crate::epoch_frames::tell;
use crate::machines::machines;
use crate::state::remote::FAN;
use pc3_vmpi_core::coord::decide::furthest_of_all;
use pc3_vmpi_link::link;
use pc3_vmpi_link::post::fail;

use pc3_protocol::{above, Down, Source, Up};
use pc3_runtime::skipped_checkpoint::Skipped;

use crate::epoch_frames;
use crate::epoch_frames::Word;
use crate::machines::done;
use crate::operations::births;
use crate::state::{Stage, State};
use pc3_vmpi_core::world::World;
use pc3_vmpi_link::messages::offers;

/// Another process says something.
pub(crate) fn hear(world: &World, from: u32, bytes: &[u8]) {
    let word = match epoch_frames::read(bytes) {
        Ok(word) => word,
        Err(e) => fail(&format!("internal error: {e}")),
    };
    let mut s = machines(world).lock();
    match word {
        Word::Down(down) => {
            let outs = s.node.hear(&down);
            s.pass_on(world, &down);
            s.obey(world, &down);
            s.carry(world, outs);
        }
        Word::Up(up) => {
            let outs = s.node.say(Source::Node(from), up);
            s.carry(world, outs);
        }
        Word::Counts(epoch) => {
            if let Some(apart) = &mut s.remote_epochs {
                apart.count_from[from as usize] = epoch;
            }
        }
        Word::Wanted => s.want(world),
        Word::Asked(epoch) => s.asked_elsewhere(world, epoch),
        Word::GiveUp {
            epoch,
            disturbed,
            why,
        } => {
            // It may have come another way than what ended that epoch.
            if s.remote_epochs.as_ref().is_some_and(|a| a.heard == epoch) {
                s.attempt.disturbed |= disturbed;
                s.give_up(world, why);
            }
        }
        Word::Write => s.complete(world),
        Word::Born(rank) => {
            if let Some(child) = world.local(rank) {
                births::begins(world, child, None);
            }
        }
    }
    done(world, s);
}

/// Nothing has come for a while.
pub fn tick(world: &World) {
    if world.nonblocking.is_slow() {
        done(world, machines(world).lock());
    }
}

/// A checkpoint has been asked for here.  Ranks here may come to no location for long, or never again: others may.
pub fn asked(world: &World) {
    machines(world).lock().ask_others(world);
}

impl State {
    /// Do messages to other processes count?
    pub(crate) fn counts_apart(&self) -> bool {
        self.remote_epochs.as_ref().is_some_and(|a| a.counts)
    }

    fn is_root(&self) -> bool {
        self.remote_epochs.as_ref().is_none_or(|a| a.index == 0)
    }

    pub(crate) fn pass_on(&self, world: &World, down: &Down) {
        for process in self.node.below() {
            tell(world, *process, &Word::Down(down.clone()));
        }
    }

    pub(crate) fn tell_above(&self, world: &World, up: Up) {
        let above = self
            .remote_epochs
            .as_ref()
            .and_then(|a| above(a.index, FAN));
        if let Some(process) = above {
            tell(world, process, &Word::Up(up));
        }
    }

    pub(crate) fn want_together(&mut self, world: &World) {
        if self.is_root() {
            if self.node.is_idle() && !self.is_over {
                let outs = self.node.request();
                self.carry(world, outs);
            }
            return;
        }
        let free = self.stage == Stage::Idle && !self.writes();
        let Some(apart) = &mut self.remote_epochs else {
            return;
        };
        if free && !std::mem::replace(&mut apart.wanted, true) {
            tell(world, 0, &Word::Wanted);
        }
    }

    fn ask_others(&mut self, world: &World) {
        let Some(apart) = &mut self.remote_epochs else {
            return;
        };
        let epoch = apart.heard;
        // An epoch may have begun for it meanwhile.
        let asked = world.job.get().is_some_and(|j| j.control.requested());
        if !asked || self.is_over || apart.asked.is_some_and(|told| told >= epoch) {
            return;
        }
        apart.asked = Some(epoch);
        for process in link(world).others() {
            tell(world, process, &Word::Asked(epoch));
        }
    }

    /// What began behind that epoch is what was asked for.
    fn asked_elsewhere(&mut self, world: &World, epoch: u32) {
        let Some(apart) = &mut self.remote_epochs else {
            return;
        };
        if epoch >= apart.heard && !self.is_over {
            apart.asked = apart.asked.max(Some(epoch));
            if let Some(job) = world.job.get() {
                job.control.asked_elsewhere();
            }
        }
    }

    /// No rank here is on a usual way. Can anything still come that was not counted?
    pub(crate) fn is_clear(&mut self, world: &World) -> bool {
        let link = link(world);
        let Some(apart) = &mut self.remote_epochs else {
            return true;
        };
        if !apart.counts {
            if let Some(job) = world.job.get() {
                // No rank of any process passes its line before all processes count.
                job.lines_begin();
            }
            world.ranks().iter().for_each(|r| offers::settle(link, r));
            offers::give_all(link, world);
            for process in link.others() {
                tell(world, process, &Word::Counts(apart.heard));
            }
            apart.counts = true;
        }
        let from = |p: u32| apart.count_from[p as usize];
        link.others().all(|p| from(p) >= apart.heard) && link.traffic.is_still()
    }

    /// The ranks here hear of the epoch.
    pub(crate) fn begin_together(&mut self, world: &World) {
        if let Some(apart) = &self.remote_epochs {
            world.nonblocking.set_now(apart.heard);
        }
        for slot in 0..self.members.len() as u32 {
            self.member(slot).hear(&Down::Start);
        }
    }

    /// An epoch has begun elsewhere.
    pub(crate) fn gather_together(&mut self, world: &World) {
        let Some(apart) = &mut self.remote_epochs else {
            return;
        };
        apart.heard += 1;
        let another = apart.asked.is_some_and(|epoch| epoch >= apart.heard);
        self.gather(world);
        if let Some(job) = world.job.get().filter(|_| another) {
            job.control.asked_elsewhere();
        }
    }

    /// There is to be no checkpoint this time: the root says so to all.  `first`: the first reason of this process.
    pub(crate) fn give_up_together(&mut self, world: &World, why: Skipped, first: bool) {
        if !matches!(self.stage, Stage::Gathering | Stage::Running) {
            return;
        }
        if self.is_root() {
            if let Some(outs) = self.node.give_up() {
                self.why = Some(why);
                if outs.is_empty() {
                    // It ends when all processes have heard that it began, of which nobody need wait.
                    waiting::report(self, world);
                }
                self.carry(world, outs);
            }
            return;
        }
        if !self.node.has_saved() {
            self.spoilt.get_or_insert_with(|| why.clone());
        }
        let Some(apart) = self.remote_epochs.as_ref().filter(|_| first) else {
            return;
        };
        let word = Word::GiveUp {
            epoch: apart.heard,
            disturbed: self.attempt.disturbed,
            why,
        };
        tell(world, 0, &word);
    }

    /// All that belongs to the checkpoint is known: each process writes its part once that is there.
    pub(crate) fn complete(&mut self, world: &World) {
        if self.is_root() && self.remote_epochs.is_some() {
            if self.is_over {
                return;
            }
            for process in link(world).others() {
                tell(world, process, &Word::Write);
            }
        }
        if let Some(job) = world.job.get().filter(|_| self.remote_epochs.is_some()) {
            // All ranks of all processes have passed their lines.
            // In several processes nobody prints in between.
            self.attempt.output = Some(job.lines_passed().map(|(places, _)| places));
        }
        self.commit_due = true;
    }

    /// The epoch is over, and nothing was written here.
    pub(crate) fn none_taken(&self, world: &World) {
        if self.is_root() || self.written {
            return;
        }
        if let Some(job) = world.job.get() {
            let passage = self.attempt.passage.max(furthest_of_all(world));
            job.took_none(passage);
        }
    }
}
