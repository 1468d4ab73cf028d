//! What happens next.

use super::judge::{Doom, JobViolation};
use super::world::{Activity, JobWorld};
use crate::script::ScriptOp;

/// A schedule that is longer never ends.
const STEPS: u64 = 400_000;
/// So often nothing has happened but that time passed.
const LULLS: u32 = 8;

impl JobWorld {
    /// True if the job has ended as it should.
    pub fn step(&mut self) -> Result<bool, JobViolation> {
        self.steps += 1;
        if self.steps > STEPS {
            return Err(JobViolation::Endless);
        }
        if self.told || self.processes.iter().all(|p| p.is_over) {
            return self.ended();
        }
        if self.is_drained() {
            self.save()?;
        }
        let rare = self.rng.u32(0..400);
        let any = self.rng.usize(0..self.processes.len());
        match rare {
            0 if self.counts.losses < self.losses => {
                self.counts.losses += 1;
                self.begin();
                return Ok(false);
            }
            1..=6 if self.requests > 0 && !self.processes[any].requested => {
                self.requests -= 1;
                self.processes[any].requested = true;
            }
            7..=10 => {
                let b = &mut self.processes[any].barrier;
                let was = b.is_loose();
                b.loosen();
                self.counts.loosened += u64::from(b.is_loose() && !was);
            }
            11..=16 => {
                let list = self.lead.look_again();
                self.down(list)?;
            }
            // Once for a plan, as people are told once.
            21..=22 if self.counted != self.planned => {
                self.counted = self.planned;
                let list = self.lead.count();
                self.down(list)?;
            }
            17 if self.doom == Doom::Polls => self.tell_polls()?,
            17..=20 => self.judge_wishes()?,
            _ => {}
        }
        self.happen(any)?;
        Ok(false)
    }

    fn happen(&mut self, any: usize) -> Result<(), JobViolation> {
        match self.rng.u32(0..8) {
            0 => {
                let p = &mut self.processes[any];
                let glitch = p.glitches > 0 && self.rng.u32(0..3) == 0;
                p.glitches -= u32::from(glitch);
                self.tick(any, glitch);
                Ok(())
            }
            1..=4 => match self.deliver()? {
                true => Ok(()),
                false => self.go_on().and_then(|any| self.lull(any)),
            },
            _ => match self.go_on()? {
                true => Ok(()),
                false => self.deliver().and_then(|any| self.lull(any)),
            },
        }
    }

    /// A frame arrives, if there is any.
    fn deliver(&mut self) -> Result<bool, JobViolation> {
        let n = self.processes.len();
        let full = (0..n * n).filter(|i| !self.frames[*i].is_empty());
        let full: Vec<usize> = full.collect();
        let Some(at) = self.rng.choice(full) else {
            return Ok(false);
        };
        if self.rng.u32(0..1000) >= self.lags[at] {
            if let Some(frame) = self.frames[at].pop_front() {
                self.arrive(at % n, frame)?;
            }
        }
        Ok(true)
    }

    /// A rank, or a process, does something, if any can.
    fn go_on(&mut self) -> Result<bool, JobViolation> {
        let can = |r: &usize| match self.activity(*r) {
            Activity::Runs => true,
            Activity::Polls => matches!(self.next(*r), Some(ScriptOp::PollAtLocations(_))),
            Activity::Waits | Activity::Parked | Activity::Ended => false,
        };
        let able: Vec<usize> = self.ranks().filter(can).collect();
        let written = |p: &usize| self.processes[*p].written;
        let all = 0..self.processes.len();
        let written: Vec<usize> = all.clone().filter(written).collect();
        let ended = |p: &usize| {
            let p = &self.processes[*p];
            let mut ranks = p.ranks.clone();
            !p.has_said_end && ranks.all(|r| self.activity(r) == Activity::Ended)
        };
        let ended: Vec<usize> = all.filter(ended).collect();
        let n = able.len() + written.len() + ended.len();
        if n == 0 {
            return Ok(false);
        }
        let i = self.rng.usize(0..n);
        if i < able.len() {
            self.run(able[i])?;
        } else if i < able.len() + written.len() {
            self.resume(written[i - able.len()])?;
        } else {
            let p = ended[i - able.len() - written.len()];
            if self.rng.u32(0..16) > 0 {
                return Ok(true);
            }
            self.processes[p].has_said_end = true;
            let up = self.processes[p].part.ended(0);
            self.up(p, [up]);
        }
        Ok(true)
    }

    /// If nothing has happened time passes; if nothing comes of that, nothing ever will.
    fn lull(&mut self, any: bool) -> Result<(), JobViolation> {
        if any {
            self.lulls = 0;
            return Ok(());
        }
        self.judge_wishes()?;
        for p in 0..self.processes.len() {
            for _ in 0..3 {
                self.tick(p, false);
            }
        }
        if self.frames.iter().any(|f| !f.is_empty()) {
            return Ok(());
        }
        self.lulls += 1;
        if self.lulls >= LULLS {
            let left = self.ranks().find(|r| self.activity(*r) != Activity::Ended);
            return Err(JobViolation::Hang(left.unwrap_or(0)));
        }
        if self.lulls > LULLS / 2 && self.doom == Doom::Polls {
            return self.tell_polls();
        }
        let list = self.lead.look_again();
        self.down(list)
    }

    /// Once, as people are told once.
    fn tell_polls(&mut self) -> Result<(), JobViolation> {
        if self.tells || self.lead.still().is_none() {
            return Ok(());
        }
        self.tells = true;
        let list = self.lead.tell_polls();
        self.down(list)
    }

    fn ended(&mut self) -> Result<bool, JobViolation> {
        let left = self.ranks().find(|r| self.activity(*r) != Activity::Ended);
        match left {
            Some(r) if !self.told => Err(JobViolation::Ended(r)),
            _ => Ok(true),
        }
    }
}
