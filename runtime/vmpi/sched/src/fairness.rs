//! A rank that sends and sends gives way after a while.
//!
//! Sends seldom block, so the first rank of a wavefront would send all that it ever will before another of its worker runs, and
//! other workers would wait for what these hand on.

use std::time::{Duration, Instant};

use crate::scheduler::{Host, Sched};

/// For about so long it goes on while others of its worker could run.
const TURN: Duration = Duration::from_micros(20);
/// The clock is looked at once in so many sends.
const SENDS: u32 = 4;

impl Sched {
    /// `me` has sent something.
    #[inline]
    pub fn sent<H: Host>(&self, host: &H, me: u32) {
        if !self.turns {
            return;
        }
        let turn = &self.worker(me).turn;
        let n = turn.sends.get().wrapping_add(1);
        turn.sends.set(n);
        if n % SENDS == 0 {
            self.end_turn(host, me);
        }
    }

    #[cold]
    fn end_turn<H: Host>(&self, host: &H, me: u32) {
        let w = self.worker(me);
        // SAFETY: baton.
        let alone = unsafe { &*w.run.get() }.is_empty() && !w.inbox.has();
        if alone {
            w.turn.of.set(None);
            return;
        }
        let now = Instant::now();
        match w.turn.of.get() {
            Some((rank, since)) if rank == me => {
                if now - since > TURN {
                    w.turn.of.set(None);
                    self.yield_now(host, me);
                }
            }
            _ => w.turn.of.set(Some((me, now))),
        }
    }
}
