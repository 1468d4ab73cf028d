//! What ranks do in the simulators of barriers: they send and receive between locations.

use fastrand::Rng;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScriptOp {
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
pub fn scripts(rng: &mut Rng, ranks: usize, kinds: Kinds) -> Vec<Vec<ScriptOp>> {
    let mut all = vec![Vec::new(); ranks];
    let locations = rng.u32(1..60);
    for _ in 0..rng.usize(1..40) {
        let (from, to) = (rng.usize(0..ranks), rng.usize(0..ranks));
        if from != to {
            event(rng, kinds, &mut all, from, to);
        }
        for script in &mut all {
            if rng.u32(0..100) < locations {
                script.push(ScriptOp::Location);
            }
        }
    }
    all
}

fn event(rng: &mut Rng, kinds: Kinds, all: &mut [Vec<ScriptOp>], from: usize, to: usize) {
    let what = rng.u32(0..8);
    if what == 0 && kinds.waiting_sends {
        // Each sends before it receives: one of them must be buffered.
        all[from].push(ScriptOp::Hold(to));
        all[to].push(ScriptOp::Hold(from));
        all[to].push(ScriptOp::Recv(from));
        all[from].push(ScriptOp::Recv(to));
        return;
    }
    all[from].push(match what {
        1 | 2 if kinds.waiting_sends => ScriptOp::Hold(to),
        3 if kinds.waiting_sends => ScriptOp::Sync(to),
        _ => ScriptOp::Send(to),
    });
    all[to].push(match rng.u32(0..6) {
        0 if kinds.polls => ScriptOp::Poll(from),
        1 if kinds.polls_at_locations => ScriptOp::PollAtLocations(from),
        _ => ScriptOp::Recv(from),
    });
}
