//! Stacks that the worker's thread resumes in turn.

use std::sync::Arc;

use corosensei::{Coroutine, CoroutineResult};

use super::context::{Coro, Yield};
use super::live;
use super::stack::RankStack;
use crate::overflow::look;
use crate::scheduler::{Host, Sched, Slot, Worker};

/// Lets a rank run; it is returned if it has ended.
///
/// # Safety
/// Called by the worker's thread; the rank is one of its, and ready.
pub(super) unsafe fn go<H: Host>(
    host: &Arc<H>,
    _: &Worker,
    rank: u32,
    pool: &mut Vec<RankStack>,
) -> Option<u32> {
    let sched = host.sched();
    let context = sched.slots[rank as usize].coro.get();
    // SAFETY: contexts belong to their worker; the coroutine's own stack only reads `yielder`.
    unsafe {
        if (*context).coro.is_none() {
            let stack = pool
                .pop()
                .unwrap_or_else(|| RankStack::new(sched.stack_size));
            (*context).canary = stack.canary().into();
            (*context).coro = Some(make(host, rank, stack));
        }
        host.enter(rank);
        let outcome = match &mut (*context).coro {
            Some(coro) => coro.resume(()),
            None => unreachable!("made above"),
        };
        let CoroutineResult::Return(()) = outcome else {
            return None;
        };
        look(*(*context).canary.get_mut());
        pool.extend((*context).coro.take().map(Coro::into_stack));
        Some(rank)
    }
}

fn make<H: Host>(host: &Arc<H>, rank: u32, stack: RankStack) -> Coro {
    let host = Arc::clone(host);
    Coroutine::with_stack(stack, move |yielder, ()| {
        // SAFETY: the context is alive as long as the scheduler, which `host` owns.
        unsafe {
            (*host.sched().slots[rank as usize].coro.get())
                .yielder
                .set(Yield(yielder))
        };
        live(&*host, rank);
    })
}

/// The calling rank goes away; `next`: who is to run.
///
/// # Safety
/// Called on the stack of the rank of this slot, which is one of the worker's.
#[inline(always)]
pub(super) unsafe fn leave<H: Host>(
    _: &Sched,
    _: &H,
    (w, slot): (&Worker, &Slot),
    next: Option<u32>,
) {
    w.home.next.set(next);
    let context = slot.coro.get();
    // SAFETY: set when this coroutine began, on this very stack.
    unsafe {
        let canary = *(*context).canary.get_mut();
        if !canary.is_null() {
            look(canary);
        }
        (*(*context).yielder.get().0).suspend(());
    }
}
