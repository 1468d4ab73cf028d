//! Processes, their ranks, and the frames between them.

use std::collections::{BTreeMap, VecDeque};

use fastrand::Rng;
use pc3_protocol::barrier::{self, Barrier};
use pc3_protocol::processes::{FromLead, Lead, Participant, Ranks, ToLead};

use super::judge::{Doom, JobOutcome, JobViolation};
use super::{Broken, JobCounts};
use crate::script::{scripts, Kinds, ScriptOp};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Frame {
    Data {
        from: usize,
        to: usize,
        message: ProcessMessage,
    },
    /// A message of this rank's was received.
    Ack {
        rank: usize,
        number: u64,
    },
    Up(usize, ToLead),
    Down(FromLead),
    /// To the lead: its round is over.
    Over,
    /// Behind all that a process has sent before it came to the line.
    Marker,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessMessage {
    pub number: u32,
    /// Its sender waits, and calls it so.
    pub awaited: Option<u64>,
}

/// Where a rank is, as far as its process's part is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Activity {
    Runs,
    Polls,
    Waits,
    Parked,
    Ended,
}

/// What a checkpoint has of the job.
#[derive(Clone)]
pub struct ProcessImage {
    pub at: Vec<usize>,
    pub passed: Vec<u64>,
    pub sent: BTreeMap<(usize, usize), u32>,
    pub received: BTreeMap<(usize, usize), u32>,
    pub mail: BTreeMap<(usize, usize), VecDeque<ProcessMessage>>,
    /// At a location, and told to wait.
    pub waits: Vec<bool>,
    /// In a send that waits: its name, and whether it may be buffered.
    pub sends: Vec<Option<(u64, bool)>>,
    pub interval_at: u64,
}

pub struct Process {
    pub ranks: std::ops::Range<usize>,
    pub part: Participant,
    pub barrier: Barrier,
    pub requested: bool,
    /// The passage at which a checkpoint is due by itself.
    pub interval_at: u64,
    pub in_vain: u32,
    pub put_off: u32,
    pub counts: (u64, u64),
    /// So often it may yet look as if ranks ran, though they do no more.
    pub glitches: u32,
    /// All ranks here have unwound or ended, and wait for the checkpoint; or it is written.
    pub at_line: bool,
    /// Other processes of which the same is known here, and that all they sent has come.
    pub markers: usize,
    pub written: bool,
    pub has_said_end: bool,
    pub is_over: bool,
}

pub struct JobWorld {
    pub rng: Rng,
    pub broken: Broken,
    pub scripts: Vec<Vec<ScriptOp>>,
    pub interval: u64,
    attempts: (u32, u32),
    pub doom: Doom,
    /// Some ranks poll.
    pub polls: bool,
    pub now: ProcessImage,
    saved: ProcessImage,
    pub lead: Lead,
    pub processes: Vec<Process>,
    /// From each process to each.
    pub frames: Vec<VecDeque<Frame>>,
    /// How often in 1000 a frame is late.
    pub lags: Vec<u32>,
    /// Ranks that have said what they want, and are about to do it.
    pub comes: Vec<bool>,
    pub outcomes: BTreeMap<u64, JobOutcome>,
    pub names: u64,
    pub counts: JobCounts,
    pub requests: u64,
    pub losses: u64,
    pub steps: u64,
    /// Times that nothing happened but that time passed.
    pub lulls: u32,
    /// That ranks poll in vain is to be told, and has been.
    pub tells: bool,
    pub told: bool,
    /// The passage of the rank furthest ahead when all were asked.
    pub asked: u64,
    pub planned: Option<u64>,
    /// Of this one people are told who stands.
    pub counted: Option<u64>,
}

fn doomed(rng: &mut Rng, scripts: &mut [Vec<ScriptOp>]) -> Doom {
    let one = rng.usize(0..scripts.len());
    let other = (one + rng.usize(1..scripts.len())) % scripts.len();
    match rng.u32(0..16) {
        0 => {
            scripts[one].extend([ScriptOp::Recv(other), ScriptOp::Send(other)]);
            scripts[other].extend([ScriptOp::Recv(one), ScriptOp::Send(one)]);
            Doom::Deadlock
        }
        1 => {
            scripts[one].push(ScriptOp::Poll(other));
            Doom::Polls
        }
        _ => Doom::Nothing,
    }
}

impl JobWorld {
    pub fn new(seed: u64, broken: Broken) -> JobWorld {
        let mut rng = Rng::with_seed(seed);
        let ranks = rng.usize(2..=8);
        let kind = rng.u32(0..4);
        let kinds = Kinds {
            waiting_sends: kind != 0,
            polls: kind > 1,
            polls_at_locations: kind > 2,
        };
        let mut scripts = scripts(&mut rng, ranks, kinds);
        // Who passes locations for ever in vain says nothing; and a deadlock is one only where nobody polls.
        let doom = match kinds.polls {
            true => Doom::Nothing,
            false => doomed(&mut rng, &mut scripts),
        };
        let interval = match rng.u32(0..3) {
            0 => u64::MAX,
            _ => rng.u64(1..8),
        };
        let start = ProcessImage {
            at: vec![0; ranks],
            passed: vec![0; ranks],
            sent: BTreeMap::new(),
            received: BTreeMap::new(),
            mail: BTreeMap::new(),
            waits: vec![false; ranks],
            sends: vec![None; ranks],
            interval_at: interval,
        };
        let mut world = JobWorld {
            broken,
            interval,
            attempts: (rng.u32(2..7), rng.u32(1..3)),
            polls: kinds.polls || doom == Doom::Polls,
            doom,
            scripts,
            now: start.clone(),
            saved: start,
            lead: Lead::with(1, broken.rules),
            processes: Vec::new(),
            frames: Vec::new(),
            lags: Vec::new(),
            comes: Vec::new(),
            outcomes: BTreeMap::new(),
            names: 0,
            counts: JobCounts::default(),
            requests: rng.u64(0..6),
            losses: rng.u64(0..3),
            steps: 0,
            lulls: 0,
            tells: false,
            told: false,
            asked: 0,
            planned: None,
            counted: None,
            rng,
        };
        world.begin();
        world
    }

    /// From the newest checkpoint, on any number of processes.
    pub fn begin(&mut self) {
        self.now = self.saved.clone();
        let ranks = self.scripts.len();
        let n = self.rng.usize(2..=ranks.min(4));
        let interval_at = self.now.interval_at;
        let process = |i: usize| {
            let ranks = i * ranks / n..(i + 1) * ranks / n;
            let barrier = Barrier::new(ranks.len(), true)
                .with_attempts(self.attempts.0, self.attempts.1)
                .hasty(self.broken.hasty);
            Process {
                ranks,
                part: Participant::with(self.broken.rules),
                barrier,
                requested: false,
                interval_at,
                in_vain: 0,
                put_off: 0,
                counts: (0, 0),
                glitches: 0,
                at_line: false,
                markers: 0,
                written: false,
                has_said_end: false,
                is_over: false,
            }
        };
        self.processes = (0..n).map(process).collect();
        self.lead = Lead::with(n, self.broken.rules);
        self.frames = vec![VecDeque::new(); n * n];
        let lag = self.rng.u32(0..980);
        let lags = (0..n * n).map(|_| match self.rng.u32(0..6) {
            0 => 995,
            _ => self.rng.u32(0..=lag),
        });
        self.lags = lags.collect();
        (self.asked, self.planned, self.counted, self.tells) = (0, None, None, false);
        self.comes = vec![false; ranks];
        self.outcomes.clear();
        for r in self.ranks() {
            if self.next(r).is_none() {
                let p = self.process_of(r);
                let slot = r - self.processes[p].ranks.start;
                self.processes[p].barrier.finished(slot);
            }
        }
    }

    pub fn ranks(&self) -> std::ops::Range<usize> {
        0..self.scripts.len()
    }

    pub fn process_of(&self, rank: usize) -> usize {
        let has = |p: &Process| p.ranks.contains(&rank);
        self.processes.iter().position(has).unwrap_or(0)
    }

    pub fn next(&self, rank: usize) -> Option<ScriptOp> {
        self.scripts[rank].get(self.now.at[rank]).copied()
    }

    pub(crate) fn barrier_status(&self, rank: usize) -> barrier::RankStatus {
        let p = &self.processes[self.process_of(rank)];
        p.barrier.status(rank - p.ranks.start)
    }

    pub fn has_mail(&self, from: usize, to: usize) -> bool {
        let mail = self.now.mail.get(&(from, to));
        mail.is_some_and(|q| !q.is_empty())
    }

    pub(crate) fn activity(&self, rank: usize) -> Activity {
        let place = self.barrier_status(rank);
        if place == barrier::RankStatus::Finished {
            return Activity::Ended;
        }
        if self.now.waits[rank] {
            let rests = matches!(
                place,
                barrier::RankStatus::Parked | barrier::RankStatus::Unwound
            );
            return if rests {
                Activity::Parked
            } else {
                Activity::Runs
            };
        }
        if self.now.sends[rank].is_some() {
            return Activity::Waits;
        }
        match self.next(rank) {
            Some(ScriptOp::Recv(from)) if !self.has_mail(from, rank) => Activity::Waits,
            Some(ScriptOp::Poll(from) | ScriptOp::PollAtLocations(from))
                if !self.has_mail(from, rank) =>
            {
                Activity::Polls
            }
            _ => Activity::Runs,
        }
    }

    /// It waits in a send that could be buffered.
    pub fn is_held(&self, rank: usize) -> bool {
        matches!(self.now.sends[rank], Some((_, true)))
    }

    pub fn states(&self, p: usize) -> Ranks {
        let mut places = self.processes[p].ranks.clone().map(|r| self.activity(r));
        let all: Vec<Activity> = places.by_ref().collect();
        if all.iter().all(|x| *x == Activity::Ended) {
            Ranks::Over
        } else if all.contains(&Activity::Runs) {
            Ranks::Run
        } else if all.contains(&Activity::Polls) {
            Ranks::Poll
        } else {
            Ranks::Wait
        }
    }

    pub fn channel(&mut self, from: usize, to: usize) -> &mut VecDeque<Frame> {
        let n = self.processes.len();
        &mut self.frames[from * n + to]
    }

    pub fn up(&mut self, p: usize, up: impl IntoIterator<Item = ToLead>) {
        for up in up {
            self.channel(p, 0).push_back(Frame::Up(p, up));
        }
    }

    /// The lead tells all.
    pub fn down(&mut self, list: Vec<FromLead>) -> Result<(), JobViolation> {
        for down in list {
            self.judge(&down)?;
            self.counts.put_off += u64::from(matches!(down, FromLead::Stuck { .. }));
            for p in 0..self.processes.len() {
                self.channel(0, p).push_back(Frame::Down(down.clone()));
            }
        }
        Ok(())
    }

    /// A frame arrives.
    pub fn arrive(&mut self, p: usize, frame: Frame) -> Result<(), JobViolation> {
        match frame {
            Frame::Data { from, to, message } => {
                self.processes[p].counts.1 += 1;
                self.put(from, to, message);
            }
            Frame::Ack { rank, number } => {
                self.processes[p].counts.1 += 1;
                self.acknowledge(rank, number);
            }
            Frame::Up(from, up) => {
                let list = self.lead.hear(from, up);
                self.down(list)?;
            }
            Frame::Marker => self.processes[p].markers += 1,
            Frame::Over => {
                let list = self.lead.over();
                self.down(list)?;
            }
            Frame::Down(down) => {
                let Process { part, barrier, .. } = &mut self.processes[p];
                let acts = part.hear(barrier, down);
                self.act(p, acts)?;
            }
        }
        Ok(())
    }

    pub fn put(&mut self, from: usize, to: usize, message: ProcessMessage) {
        let mail = self.now.mail.entry((from, to)).or_default();
        mail.push_back(message);
    }

    pub(crate) fn acknowledge(&mut self, rank: usize, number: u64) {
        if self.now.sends[rank].is_some_and(|(n, _)| n == number) {
            self.now.sends[rank] = None;
            self.now.at[rank] += 1;
        }
    }

    pub fn tick(&mut self, p: usize, glitch: bool) {
        if self.processes[p].requested {
            let up = self.processes[p].part.want();
            self.up(p, up);
        }
        let states = if glitch { Ranks::Run } else { self.states(p) };
        let Process {
            part,
            barrier,
            counts,
            ..
        } = &mut self.processes[p];
        let up = part.tick(barrier, states, *counts);
        self.up(p, up);
    }

    /// Nobody of this process's runs: the checkpoint is written when that is so everywhere.
    pub(crate) fn come_to_line(&mut self, p: usize) {
        self.processes[p].at_line = true;
        // What is asked for from now on is another one.
        self.processes[p].requested = false;
        for q in (0..self.processes.len()).filter(|q| *q != p) {
            self.channel(p, q).push_back(Frame::Marker);
        }
    }

    /// Nothing is between processes any more.
    pub(crate) fn is_drained(&self) -> bool {
        let others = self.processes.len() - 1;
        let drained = |p: &Process| p.at_line && p.markers == others;
        self.processes.iter().all(drained)
    }

    /// All are there.
    pub fn save(&mut self) -> Result<(), JobViolation> {
        self.judge_line()?;
        self.judge_messages()?;
        self.counts.checkpoints += 1;
        let target = self.processes[0].barrier.target().unwrap_or(0);
        self.saved = self.now.clone();
        self.saved.interval_at = self.after(target);
        for r in self.ranks() {
            // They go on behind their locations.
            if std::mem::take(&mut self.saved.waits[r]) {
                self.pass(r, true);
            }
        }
        for p in &mut self.processes {
            p.written = true;
            p.markers = 0;
        }
        Ok(())
    }

    fn after(&self, target: u64) -> u64 {
        match self.interval {
            u64::MAX => u64::MAX,
            n => (target / n + 1) * n,
        }
    }

    /// Behind a location: of what is saved, or now.
    pub fn pass(&mut self, rank: usize, saved: bool) {
        let image = if saved {
            &mut self.saved
        } else {
            &mut self.now
        };
        if let Some(ScriptOp::Location) = self.scripts[rank].get(image.at[rank]) {
            image.at[rank] += 1;
        }
    }

    /// The checkpoint is written, and this process has heard of it.
    pub fn resume(&mut self, i: usize) -> Result<(), JobViolation> {
        let after = self.after(self.processes[i].barrier.target().unwrap_or(0));
        let p = &mut self.processes[i];
        let (target, put_off, taken) = (p.barrier.target().unwrap_or(0), p.put_off, true);
        let here = JobOutcome {
            taken,
            target,
            put_off,
        };
        (p.interval_at, p.in_vain, p.at_line) = (after, 0, false);
        let round = p.part.round() + 1;
        for r in p.ranks.clone() {
            if std::mem::take(&mut self.now.waits[r]) {
                self.pass(r, false);
            }
        }
        self.note(i, round, here)?;
        let p = &mut self.processes[i];
        let acts = p.part.resume(&mut p.barrier);
        self.act(i, acts)?;
        self.processes[i].written = false;
        Ok(())
    }
}
