//! What must never happen, seen by one who sees everything at once.

use super::world::{Activity, Frame, JobWorld};
use pc3_protocol::barrier;
use pc3_protocol::processes::FromLead;

/// What the program does wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doom {
    Nothing,
    /// Two ranks wait for each other at last.
    Deadlock,
    /// One polls for what nobody sends.
    Polls,
}

/// How a round ended in a process: was there a checkpoint, planned for which passage, and how often was it put off?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobOutcome {
    pub taken: bool,
    pub target: u64,
    pub put_off: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum JobViolation {
    #[error("a checkpoint is taken while rank {0} is {1:?}")]
    Moves(usize, barrier::RankStatus),
    #[error("rank {0} unwinds, and process {1} has gone on from that already")]
    Late(usize, usize),
    #[error("processes take checkpoints of rounds or for passages that differ: {0:?}")]
    Rounds(Vec<(u64, Option<u64>)>),
    #[error("round {round}: process {process} has {here:?}, another one {there:?}")]
    Apart {
        round: u64,
        process: usize,
        here: JobOutcome,
        there: JobOutcome,
    },
    #[error("from rank {from} to rank {to} {sent} messages were sent, {received} received, and {waiting} wait")]
    Lost {
        from: usize,
        to: usize,
        sent: u32,
        received: u32,
        waiting: u32,
    },
    #[error("rank {to} got message {got} of rank {from} instead of {want}")]
    Differs {
        from: usize,
        to: usize,
        got: u32,
        want: u32,
    },
    #[error("a checkpoint is planned for a passage that a rank had behind it when all were asked")]
    Behind,
    #[error("a checkpoint is planned twice in one round")]
    Twice,
    #[error("a plan is put off, and all ranks have come")]
    Needless,
    #[error("a plan is put off while {0}")]
    Hurried(String),
    #[error("a deadlock is reported while {0}")]
    NoDeadlock(String),
    #[error("a deadlock is reported, and the program has none")]
    Innocent,
    #[error("the job is over while rank {0} is not")]
    Ended(usize),
    #[error("process {0} has been asked for a checkpoint, and nobody thinks of it any more")]
    Forgotten(usize),
    #[error("rank {0} goes by a location, though the plan takes ranks at any passage")]
    GoesBy(usize),
    #[error("nothing can happen any more, and rank {0} has not ended")]
    Hang(usize),
    #[error("who stands is told of a plan that is over, or not all ranks are counted")]
    Miscounted,
    #[error("it goes on for ever")]
    Endless,
}

impl JobWorld {
    /// Where everything is, for people.
    pub fn sights(&self) -> String {
        let mut text = format!("{:?}, step {}\n{:?}\n", self.counts, self.steps, self.lead);
        for (i, p) in self.processes.iter().enumerate() {
            text += &format!("process {i}: {:?}\n  {:?}\n", p.part, p.barrier);
            text += &format!("  at {}, requested {}\n", p.interval_at, p.requested);
            for r in p.ranks.clone() {
                let (place, next) = (self.activity(r), self.next(r));
                let passed = self.now.passed[r];
                text += &format!("  rank {r}: {place:?}, next {next:?}, {passed} passed\n");
            }
        }
        let n = self.processes.len();
        let full = self.frames.iter().enumerate().filter(|f| !f.1.is_empty());
        full.for_each(|(i, f)| text += &format!("{} to {}: {f:?}\n", i / n, i % n));
        text
    }

    /// What moves, or is about to; `plans`: one that somebody has yet to hear of counts.
    fn motion(&self, plans: bool) -> Option<String> {
        let runs = self.ranks().find(|r| self.activity(*r) == Activity::Runs);
        let runs = runs.map(|r| format!("rank {r} can run"));
        runs.or_else(|| {
            let all = self.frames.iter().flatten();
            let moves = |f: &&Frame| match f {
                Frame::Data { .. } | Frame::Ack { .. } => true,
                Frame::Down(FromLead::Plan { .. }) => plans,
                Frame::Down(down) => {
                    matches!(down, FromLead::Stuck { .. } | FromLead::Unwind { .. })
                }
                Frame::Up(..) | Frame::Over | Frame::Marker => false,
            };
            let one = all.into_iter().find(moves)?;
            Some(format!("{one:?} is under way"))
        })
    }

    /// Nobody has to come for the checkpoint that is planned.
    fn all_rest(&self) -> bool {
        let rests = |r: usize| matches!(self.activity(r), Activity::Parked | Activity::Ended);
        self.ranks().all(rests)
    }

    /// The lead says this now.
    pub fn judge(&mut self, down: &FromLead) -> Result<(), JobViolation> {
        match down {
            FromLead::Ask { .. } => {
                self.asked = self.now.passed.iter().copied().max().unwrap_or(0);
                Ok(())
            }
            FromLead::Plan { target, .. } if *target < self.asked => Err(JobViolation::Behind),
            FromLead::Plan { round, .. } => match self.planned.replace(*round) == Some(*round) {
                true => Err(JobViolation::Twice),
                false => Ok(()),
            },
            FromLead::Stuck { .. } if !self.polls && self.all_rest() => Err(JobViolation::Needless),
            // Who polls may go on by itself at any moment.
            FromLead::Stuck { .. } if !self.polls => match self.motion(true) {
                Some(what) => Err(JobViolation::Hurried(what)),
                None => Ok(()),
            },
            FromLead::Deadlock { .. } => {
                if self.doom != Doom::Deadlock {
                    return Err(JobViolation::Innocent);
                }
                let waits = |r: &usize| match self.activity(*r) {
                    Activity::Parked | Activity::Polls => true,
                    Activity::Waits => self.is_held(*r),
                    Activity::Runs | Activity::Ended => false,
                };
                let waits = self.ranks().find(waits);
                let waits = waits.map(|r| format!("rank {r} could go on"));
                // Where nobody stands for a plan it changes nothing.
                match self.motion(false).or(waits) {
                    Some(what) => Err(JobViolation::NoDeadlock(what)),
                    None => Ok(()),
                }
            }
            FromLead::Stands { stands } => {
                let ended = self
                    .ranks()
                    .filter(|r| self.activity(*r) == Activity::Ended);
                let known = (stands.standing + stands.late) as usize;
                // Ranks end while they are counted.
                match (known..=known + ended.count()).contains(&self.ranks().len()) {
                    true => Ok(()),
                    false => Err(JobViolation::Miscounted),
                }
            }
            FromLead::End { .. } => {
                let left = self.ranks().find(|r| self.activity(*r) != Activity::Ended);
                left.map_or(Ok(()), |r| Err(JobViolation::Ended(r)))
            }
            _ => Ok(()),
        }
    }

    /// All processes say that none of their ranks runs.
    pub(crate) fn judge_line(&self) -> Result<(), JobViolation> {
        let of = |p: &super::world::Process| (p.part.round(), p.barrier.target());
        let rounds: Vec<_> = self.processes.iter().map(of).collect();
        if rounds.iter().any(|r| *r != rounds[0]) {
            return Err(JobViolation::Rounds(rounds));
        }
        for r in self.ranks() {
            let place = self.barrier_status(r);
            let rests = self.now.waits[r] && place == barrier::RankStatus::Unwound;
            if !rests && place != barrier::RankStatus::Finished {
                return Err(JobViolation::Moves(r, place));
            }
        }
        Ok(())
    }

    /// What has been drained is all there.
    pub(crate) fn judge_messages(&self) -> Result<(), JobViolation> {
        for (&(from, to), &sent) in &self.now.sent {
            let received = self.now.received.get(&(from, to)).copied().unwrap_or(0);
            let waiting = self.now.mail.get(&(from, to)).map_or(0, |q| q.len() as u32);
            if sent != received + waiting {
                return Err(JobViolation::Lost {
                    from,
                    to,
                    sent,
                    received,
                    waiting,
                });
            }
        }
        Ok(())
    }

    /// A process has come to the end of a round.
    pub fn note(
        &mut self,
        process: usize,
        round: u64,
        here: JobOutcome,
    ) -> Result<(), JobViolation> {
        let there = *self.outcomes.entry(round).or_insert(here);
        if there == here {
            return Ok(());
        }
        Err(JobViolation::Apart {
            round,
            process,
            here,
            there,
        })
    }

    /// Who has asked is not forgotten.
    pub(crate) fn judge_wishes(&self) -> Result<(), JobViolation> {
        for (i, p) in self.processes.iter().enumerate() {
            if !p.requested || !p.part.has_told() || !p.barrier.is_idle() || !self.lead.is_idle() {
                continue;
            }
            let under_way = self.frames.iter().flatten();
            let mut of_it =
                under_way.filter(|f| !matches!(f, Frame::Data { .. } | Frame::Ack { .. }));
            if of_it.next().is_none() && !p.part.has_early() {
                return Err(JobViolation::Forgotten(i));
            }
        }
        Ok(())
    }
}
