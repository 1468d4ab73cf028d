//! What several processes decide together at a barrier, in worlds drawn from one number: programs that send and receive
//! between locations, frames that take as long as they like (in order for each pair of processes), plans begun by any
//! process at any moment, plans put off and given up, ranks that poll or end, losses of everything but the newest
//! checkpoint.

mod acts;
mod judge;
mod ranks;
mod step;
mod world;

pub use judge::{Doom, JobViolation};
use pc3_protocol::processes::Rules;
use world::JobWorld;

#[derive(Clone, Copy, Debug, Default)]
pub struct JobCounts {
    pub checkpoints: u64,
    pub put_off: u64,
    pub dropped: u64,
    pub loosened: u64,
    pub losses: u64,
    pub deadlocks: u64,
    pub polls: u64,
    /// Who stands was told so often.
    pub told: u64,
}

impl JobCounts {
    pub fn add(&mut self, other: &JobCounts) {
        self.checkpoints += other.checkpoints;
        self.put_off += other.put_off;
        self.dropped += other.dropped;
        self.loosened += other.loosened;
        self.losses += other.losses;
        self.deadlocks += other.deadlocks;
        self.polls += other.polls;
        self.told += other.told;
    }
}

/// What is taken away, to see that it is missed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Broken {
    pub rules: Rules,
    /// Processes do not wait for all of their ranks.
    pub hasty: bool,
    /// A rank says what it wants at one moment and plans at another.
    pub torn: bool,
}

impl Broken {
    /// Every set of rules in which one is missing, and that one's name.
    pub fn each() -> Vec<(&'static str, Broken)> {
        let rules = Rules::each_broken().into_iter();
        let each = rules.map(|(name, rules)| {
            let broken = Broken::default();
            (name, Broken { rules, ..broken })
        });
        let broken = Broken::default();
        let hasty = Broken {
            hasty: true,
            ..broken
        };
        let torn = Broken {
            torn: true,
            ..broken
        };
        each.chain([
            ("waiting for all ranks of a process", hasty),
            ("telling and planning at one moment", torn),
        ])
        .collect()
    }
}

/// One schedule.
pub fn run(seed: u64, broken: Broken) -> Result<JobCounts, JobViolation> {
    let mut world = JobWorld::new(seed, broken);
    while !world.step()? {}
    Ok(world.counts)
}

/// One schedule, and what it ended with, for people.
pub fn trace(seed: u64) -> (Result<JobCounts, JobViolation>, String) {
    let mut world = JobWorld::new(seed, Broken::default());
    let end = loop {
        match world.step() {
            Ok(false) => {}
            Ok(true) => break Ok(world.counts),
            Err(e) => break Err(e),
        }
    };
    (end, world.sights())
}
