//! Random schedules of random programs, each from one number.

use std::sync::Arc;

use fastrand::Rng;
use pc3_protocol::Rules;

use crate::check::{self, Violation};
use crate::generate::{generate, ProgramShape};
use crate::state::{Action, Budget, Counts, World};

/// What to draw from.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub most_ranks: u32,
    pub rules: Rules,
    /// Programs ask and look a lot, and jobs are lost often.
    pub nosy: bool,
    /// Nobody counts messages while no checkpoint is under way.
    pub usual: bool,
    /// So long may a log be.
    pub bound: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            most_ranks: 16,
            rules: Rules::default(),
            nosy: false,
            usual: false,
            bound: usize::MAX,
        }
    }
}

/// The world of a seed, before anything has happened, and the numbers its schedule is drawn from.
pub fn world(seed: u64, options: &Options) -> (World, Rng) {
    let mut rng = Rng::with_seed(seed);
    let most = options.most_ranks.max(2);
    // Small jobs say more for the time.
    let ranks = 2 + rng.u32(0..most - 1).min(rng.u32(0..most - 1));
    let shape = ProgramShape {
        ranks,
        length: rng.u32(5..60),
        spawns: rng.u32(0..3) == 0,
        wildcards: options.nosy || rng.u32(0..4) > 0,
        nosy: options.nosy,
        usual: options.usual,
    };
    let program = Arc::new(generate(&mut rng, shape));
    let budget = Budget {
        requests: rng.u32(1..4),
        give_ups: rng.u32(0..6).saturating_sub(3),
        crashes: if options.nosy { 3 } else { rng.u32(0..4) },
    };
    let chance = rng.u64(..);
    let mut world = World::new(program, options.rules, budget, chance);
    world.bound = options.bound;
    (world, rng)
}

/// Who is how fast: ranks and channels that get their turn seldom let others run far ahead.
struct Pace {
    slow: u64,
    /// Only control messages to this node are slow: it hears of everything last.
    control: Option<u32>,
}

impl Pace {
    fn is_slow(&self, action: Action) -> bool {
        if let (Some(last), Action::Control(_, to)) = (self.control, action) {
            return to == last;
        }
        let bit = match action {
            Action::Step(r) => r,
            Action::Deliver(a, b) => 7 * a + 3 * b + 11,
            Action::Control(a, b) => 5 * a + b + 29,
            Action::Result(r, _) => r + 41,
            Action::Count(n) => n + 53,
            Action::Begin(n) => n + 59,
            Action::Request | Action::GiveUp | Action::Crash => return false,
        };
        self.slow >> (bit % 64) & 1 == 1
    }
}

/// One schedule, to its end.
pub fn run(seed: u64, options: &Options) -> Result<Counts, Violation> {
    let (end, w) = trace(seed, options);
    end.map(|()| w.counts)
}

/// The same, with the world as it was then.
pub fn trace(seed: u64, options: &Options) -> (Result<(), Violation>, World) {
    let (mut w, rng) = world(seed, options);
    let end = explore(&mut w, rng);
    (end, w)
}

fn explore(w: &mut World, mut rng: Rng) -> Result<(), Violation> {
    let pace = Pace {
        slow: rng.u64(..) & rng.u64(..),
        control: rng.bool().then(|| rng.u32(0..w.nodes.len() as u32)),
    };
    let slowness = rng.u32(1..40);
    // Interference comes all over the run.
    let rarity = rng.u32(10..200);
    let mut actions = Vec::new();
    let mut extra = Vec::new();
    loop {
        if rng.u32(0..rarity) == 0 {
            w.interference(&mut extra);
            if let Some(action) = rng.choice(&extra) {
                w.apply(*action)?;
            }
            extra.clear();
        }
        w.actions(&mut actions);
        let Some(mut action) = rng.choice(&actions).copied() else {
            break;
        };
        for _ in 0..slowness {
            if !pace.is_slow(action) {
                break;
            }
            action = actions[rng.usize(..actions.len())];
        }
        w.apply(action)?;
    }
    check::end(w)
}
