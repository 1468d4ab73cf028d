//! The barrier protocol in worlds drawn from one number: programs that send and receive between locations, plans at any
//! moment, losses of everything but the newest checkpoint.

use std::collections::{BTreeMap, VecDeque};

use fastrand::Rng;
use pc3_protocol::barrier::{Answer, Barrier, RankStatus, Verdict};

use crate::script::{scripts, Kinds, ScriptOp};

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BarrierViolation {
    #[error("a checkpoint is taken while rank {0} is {1:?}")]
    Moves(usize, RankStatus),
    #[error("rank {0} goes by a location, though the plan takes ranks at any passage")]
    GoesBy(usize),
    #[error("nothing can happen any more, and rank {0} has not ended")]
    Hang(usize),
    #[error("rank {to} got message {got} of rank {from} instead of {want}")]
    Differs {
        from: usize,
        to: usize,
        got: u32,
        want: u32,
    },
}

#[derive(Clone, Copy, Debug, Default)]
pub struct BarrierCounts {
    pub checkpoints: u64,
    pub put_off: u64,
    pub dropped: u64,
    pub losses: u64,
}

impl BarrierCounts {
    pub fn add(&mut self, other: &BarrierCounts) {
        self.checkpoints += other.checkpoints;
        self.put_off += other.put_off;
        self.dropped += other.dropped;
        self.losses += other.losses;
    }
}

/// What a checkpoint has of the job.
#[derive(Clone)]
struct Image {
    at: Vec<usize>,
    passed: Vec<u64>,
    sent: BTreeMap<(usize, usize), u32>,
    received: BTreeMap<(usize, usize), u32>,
    mail: BTreeMap<(usize, usize), VecDeque<u32>>,
}

struct World {
    rng: Rng,
    scripts: Vec<Vec<ScriptOp>>,
    now: Image,
    saved: Image,
    barrier: Barrier,
    /// At a location, and told to wait.
    waits: Vec<bool>,
    counts: BarrierCounts,
    hasty: bool,
}

fn barrier(hasty: bool, ranks: usize) -> Barrier {
    Barrier::new(ranks, false).hasty(hasty)
}

/// One schedule.  `hasty`: of a protocol that does not wait for all.
pub fn run(seed: u64, hasty: bool) -> Result<BarrierCounts, BarrierViolation> {
    let mut rng = Rng::with_seed(seed);
    let ranks = rng.usize(2..=8);
    let scripts = scripts(&mut rng, ranks, Kinds::default());
    let start = Image {
        at: vec![0; ranks],
        passed: vec![0; ranks],
        sent: BTreeMap::new(),
        received: BTreeMap::new(),
        mail: BTreeMap::new(),
    };
    let mut w = World {
        rng,
        scripts,
        now: start.clone(),
        saved: start,
        barrier: barrier(hasty, ranks),
        waits: vec![false; ranks],
        counts: BarrierCounts::default(),
        hasty,
    };
    let losses = w.rng.u64(0..3);
    while !w.step(losses)? {}
    Ok(w.counts)
}

impl World {
    fn ranks(&self) -> std::ops::Range<usize> {
        0..self.scripts.len()
    }

    fn next(&self, rank: usize) -> Option<ScriptOp> {
        self.scripts[rank].get(self.now.at[rank]).copied()
    }

    fn has_ended(&self, rank: usize) -> bool {
        self.barrier.status(rank) == RankStatus::Finished
    }

    fn can_run(&self, rank: usize) -> bool {
        if self.has_ended(rank) {
            return false;
        }
        if self.waits[rank] {
            return !matches!(
                self.barrier.status(rank),
                RankStatus::Parked | RankStatus::Unwound
            );
        }
        match self.next(rank) {
            Some(ScriptOp::Recv(from)) => self
                .now
                .mail
                .get(&(from, rank))
                .is_some_and(|q| !q.is_empty()),
            _ => true,
        }
    }

    /// True if all have ended.
    fn step(&mut self, losses: u64) -> Result<bool, BarrierViolation> {
        if self.ranks().all(|r| self.has_ended(r)) {
            return Ok(true);
        }
        if self.counts.losses < losses && self.rng.u32(0..150) == 0 {
            self.lose();
            return Ok(false);
        }
        if self.rng.u32(0..40) == 0 {
            self.barrier.loosen();
        }
        if self.barrier.is_idle() && self.rng.u32(0..25) == 0 {
            // As whoever comes to a location does: for the passage of the rank that is furthest ahead.
            let furthest = self.now.passed.iter().copied().max().unwrap_or(0);
            self.barrier.plan(furthest + self.rng.u64(0..3));
        }
        let able: Vec<usize> = self.ranks().filter(|r| self.can_run(*r)).collect();
        if able.is_empty() {
            return self.stuck().map(|()| false);
        }
        let rank = able[self.rng.usize(0..able.len())];
        self.act(rank)?;
        Ok(false)
    }

    fn stuck(&mut self) -> Result<(), BarrierViolation> {
        match self.barrier.stuck() {
            Verdict::Nothing => {
                let left = self.ranks().find(|r| !self.has_ended(*r));
                Err(BarrierViolation::Hang(left.unwrap_or(0)))
            }
            Verdict::Released(_) => {
                self.counts.put_off += 1;
                Ok(())
            }
            Verdict::Dropped { .. } => {
                self.counts.dropped += 1;
                Ok(())
            }
        }
    }

    fn act(&mut self, rank: usize) -> Result<(), BarrierViolation> {
        if self.waits[rank] {
            let answer = self.barrier.answer(rank);
            return self.answered(rank, answer);
        }
        match self.next(rank) {
            None => {
                self.barrier.finished(rank);
            }
            Some(ScriptOp::Location) => {
                self.now.passed[rank] += 1;
                let answer = self.barrier.at_location(rank, self.now.passed[rank]);
                if answer == Answer::Go && self.barrier.is_loose() {
                    return Err(BarrierViolation::GoesBy(rank));
                }
                return self.answered(rank, answer);
            }
            Some(ScriptOp::Send(to) | ScriptOp::Hold(to) | ScriptOp::Sync(to)) => {
                let n = self.now.sent.entry((rank, to)).or_default();
                self.now.mail.entry((rank, to)).or_default().push_back(*n);
                *n += 1;
                self.now.at[rank] += 1;
            }
            Some(ScriptOp::Recv(from) | ScriptOp::Poll(from) | ScriptOp::PollAtLocations(from)) => {
                let got = self
                    .now
                    .mail
                    .get_mut(&(from, rank))
                    .and_then(VecDeque::pop_front);
                let want = self.now.received.entry((from, rank)).or_default();
                if got != Some(*want) {
                    return Err(BarrierViolation::Differs {
                        from,
                        to: rank,
                        got: got.unwrap_or(u32::MAX),
                        want: *want,
                    });
                }
                *want += 1;
                self.now.at[rank] += 1;
            }
        }
        Ok(())
    }

    /// A rank at a location is told what to do.
    fn answered(&mut self, rank: usize, answer: Answer) -> Result<(), BarrierViolation> {
        self.waits[rank] = answer != Answer::Go;
        match answer {
            Answer::Go => self.now.at[rank] += 1,
            Answer::Wait => {}
            Answer::Unwind => {
                if self.barrier.unwound(rank) {
                    self.checkpoint()?;
                }
            }
        }
        Ok(())
    }

    /// The last rank has unwound, or so the protocol says.
    fn checkpoint(&mut self) -> Result<(), BarrierViolation> {
        for rank in self.ranks() {
            let status = self.barrier.status(rank);
            let rests = self.waits[rank] && status == RankStatus::Unwound;
            if !rests && status != RankStatus::Finished {
                return Err(BarrierViolation::Moves(rank, status));
            }
        }
        self.counts.checkpoints += 1;
        // They go on behind their locations, here and after a loss.
        for rank in self.ranks().filter(|r| self.waits[*r]).collect::<Vec<_>>() {
            self.now.at[rank] += 1;
        }
        self.saved = self.now.clone();
        self.waits.fill(false);
        self.barrier.resume();
        Ok(())
    }

    /// All but the newest checkpoint is lost.
    fn lose(&mut self) {
        self.counts.losses += 1;
        self.now = self.saved.clone();
        self.waits.fill(false);
        self.barrier = barrier(self.hasty, self.scripts.len());
        for rank in self.ranks() {
            if self.next(rank).is_none() {
                self.barrier.finished(rank);
            }
        }
    }
}
