//! The order in which one worker's ranks run, made of a seed: another one for each, the same in every run.

use std::cell::Cell;
use std::collections::VecDeque;

pub(super) fn start(seed: u64) -> Cell<u64> {
    // The generator must not begin with 0; seeds near each other are to differ at once.
    Cell::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d | 1)
}

/// Marsaglia's xorshift, which is enough for an order.
fn next(state: &Cell<u64>) -> u64 {
    let mut x = state.get();
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    state.set(x);
    x
}

pub(super) fn shuffle(run: &mut VecDeque<u32>, state: &Cell<u64>) {
    for i in (1..run.len()).rev() {
        run.swap(i, (next(state) % (i as u64 + 1)) as usize);
    }
}
