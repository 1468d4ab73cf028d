//! Ranks that poll.

use std::sync::atomic::Ordering::Relaxed;

use crate::coord::decide;
use crate::rank::{RankState, POLLS};
use crate::{deadlock, relief};

/// A test or probe found nothing: whoever could change that gets a turn.
pub fn poll(me: &RankState) {
    let mut n = me.polls.load(Relaxed).wrapping_add(1);
    if me.event.load(Relaxed) {
        me.event.store(false, Relaxed);
        n = 1;
    }
    me.polls.store(n, Relaxed);
    if n % POLLS == 0 {
        let world = me.world();
        decide::polled(world);
        relief::polled(world);
        deadlock::polled(me);
    }
    me.do_chores();
    if me.gave_way() {
        // Meanwhile others had more time than so many polls would have given them.
        me.polls.store(n | (POLLS - 1), Relaxed);
    }
}
