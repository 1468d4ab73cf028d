//! What ranks do in the simulators of barriers: they send and receive between locations.

use fastrand::Rng;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Location,
    /// Goes on at once.
    Send(usize),
    /// Waits until it is received, or buffered because nothing else moves.
    Hold(usize),
    /// Waits until it is received.
    Sync(usize),
    Recv(usize),
    /// Tests until the message is there.
    Poll(usize),
    /// The same, with a location at each test.
    PollAtLocations(usize),
}

/// What else ranks may do than send at once and wait for what they receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Kinds {
    pub waiting_sends: bool,
    pub polls: bool,
    pub polls_at_locations: bool,
}

/// Each message is sent before it is received in one order of all events, so nobody waits for ever.
pub fn scripts(rng: &mut Rng, ranks: usize, kinds: Kinds) -> Vec<Vec<Op>> {
    let mut all = vec![Vec::new(); ranks];
    let locations = rng.u32(1..60);
    for _ in 0..rng.usize(1..40) {
        let (from, to) = (rng.usize(0..ranks), rng.usize(0..ranks));
        if from != to {
            event(rng, kinds, &mut all, from, to);
        }
        for script in &mut all {
            if rng.u32(0..100) < locations {
                script.push(Op::Location);
            }
        }
    }
    all
}

fn event(rng: &mut Rng, kinds: Kinds, all: &mut [Vec<Op>], from: usize, to: usize) {
    let what = rng.u32(0..8);
    if what == 0 && kinds.waiting_sends {
        // Each sends before it receives: one of them must be buffered.
        all[from].push(Op::Hold(to));
        all[to].push(Op::Hold(from));
        all[to].push(Op::Recv(from));
        all[from].push(Op::Recv(to));
        return;
    }
    all[from].push(match what {
        1 | 2 if kinds.waiting_sends => Op::Hold(to),
        3 if kinds.waiting_sends => Op::Sync(to),
        _ => Op::Send(to),
    });
    all[to].push(match rng.u32(0..6) {
        0 if kinds.polls => Op::Poll(from),
        1 if kinds.polls_at_locations => Op::PollAtLocations(from),
        _ => Op::Recv(from),
    });
}
