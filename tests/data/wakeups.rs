//! A thread goes to sleep in an inbox again and again while another puts something into it.  Ends only if nothing is
//! missed: where a processor, or its emulation, lets the sleeper's look pass its own announcement, that takes no second.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};

#[allow(dead_code)]
#[path = "../../runtime/vmpi/sched/src/inbox.rs"]
mod inbox;
#[path = "../../runtime/vmpi/sched/src/lock.rs"]
mod lock;
mod scheduler {
    /// As the inbox knows it.
    pub(crate) struct Slot {
        pub(crate) link: std::sync::atomic::AtomicU32,
    }
}
use scheduler::Slot;

const TIMES: u32 = 500_000;

fn main() {
    let (inbox, never, taken) = (inbox::Inbox::new(), AtomicBool::new(false), AtomicU32::new(0));
    let slots = [Slot {
        link: AtomicU32::new(inbox::NOBODY),
    }];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut run = VecDeque::new();
            for n in 1..=TIMES {
                inbox.sleep(|| never.load(SeqCst));
                inbox.drain(&slots, &mut run);
                assert_eq!(run.drain(..).count(), 1);
                taken.store(n, SeqCst);
            }
        });
        for n in 1..=TIMES {
            for _ in 0..(n.wrapping_mul(2_654_435_761) >> 20) % 32 {
                std::hint::black_box(n);
            }
            inbox.push(&slots, 0, 0);
            let mut looks = 0u32;
            while taken.load(SeqCst) != n {
                looks = looks.wrapping_add(1);
                if looks % 1024 == 0 {
                    std::thread::yield_now();
                }
                std::hint::spin_loop();
            }
        }
    });
}
