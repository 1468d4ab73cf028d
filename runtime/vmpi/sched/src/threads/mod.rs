//! Back end for every target: each rank a thread, of which one per worker holds the baton.

pub(crate) mod baton;

use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;

use crate::lock::lock;
use crate::overflow::{watch_thread, GUARD};
use crate::scheduler::{Host, Sched, Slot};
use pc3_runtime::report::{die, EXIT_FATAL};

/// Spins while waiting for the baton: worth it only if the giver runs on another core.
const SPIN: u32 = 200;

pub(super) fn run<H: Host>(host: &Arc<H>) {
    let sched = host.sched();
    let mut threads = Vec::new();
    for rank in 0..sched.slots.len() as u32 {
        match start(host, rank) {
            Ok(t) => threads.push(t),
            Err(e) => die(
                EXIT_FATAL,
                &format!("no thread for rank {rank} of {}: {e}", sched.slots.len()),
            ),
        }
    }
    for w in &sched.workers {
        // SAFETY: nobody holds this worker's baton yet.
        if let Some(first) = unsafe { (*w.run.get()).pop_front() } {
            sched.slots[first as usize].baton.give();
        }
    }
    let mut over = lock(&sched.stopped.0);
    while !*over {
        over = sched
            .stopped
            .1
            .wait(over)
            .unwrap_or_else(PoisonError::into_inner);
    }
    drop(over);
    if (0..sched.slots.len() as u32).all(|r| sched.has_ended(r)) {
        for t in threads {
            // A rank that left through `abandon` never ends its thread.
            if t.is_finished() {
                let _ = t.join();
            }
        }
    }
}

/// A rank's thread, which waits for its first turn.
pub(super) fn start<H: Host>(host: &Arc<H>, rank: u32) -> std::io::Result<JoinHandle<()>> {
    let own = Arc::clone(host);
    std::thread::Builder::new()
        .name(format!("rank {rank}"))
        .stack_size(host.sched().stack_size + 2 * GUARD)
        .spawn(move || {
            watch_thread();
            let sched = own.sched();
            sched.slots[rank as usize].baton.take(0);
            own.enter(rank);
            own.body(rank);
            sched.end(rank);
            hand_on(sched, &*own, rank);
            if sched.stay {
                loop {
                    std::thread::park();
                }
            }
        })
}

fn hand_on<H: Host>(sched: &Sched, host: &H, me: u32) {
    if let Some(next) = sched.next(host, sched.worker(me)) {
        sched.slots[next as usize].baton.give();
    }
}

/// Hands the baton to the next ready rank of the worker and waits for it to come back.  What the system says of the
/// waiting is not the program's.
pub(super) fn away<H: Host>(sched: &Sched, host: &H, slot: &Slot, me: u32) {
    pc3_os::errors::keep(|| switch(sched, host, slot, me));
}

fn switch<H: Host>(sched: &Sched, host: &H, slot: &Slot, me: u32) {
    match sched.next(host, slot.worker()) {
        Some(rank) if rank == me => return,
        Some(rank) => sched.slots[rank as usize].baton.give(),
        None => {}
    }
    slot.baton.take(SPIN);
    host.enter(me);
}
