//! Stacks between which ranks switch by themselves.
//!
//! Whoever goes leaves on its stack where it goes on, and jumps to where the next one left that.  Calls and returns stay in pairs
//! for each rank, so where ranks wait in the same call a processor that predicts returns by the calls before is right for the
//! next rank, too.

use std::arch::asm;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use std::sync::Arc;

use corosensei::stack::Stack;

use super::live;
use super::stack::RankStack;
use crate::overflow::look;
use crate::scheduler::{Host, Sched, Slot, Worker};

/// Goes on at `to`; whoever goes on at `from` returns from here.
///
/// # Safety
/// `to` was left here, or is of a stack that [`begin`] is to be called on, and nobody goes on there besides.
#[inline(always)]
unsafe fn switch(from: &AtomicPtr<u8>, to: *mut u8) {
    // SAFETY: all registers that a call keeps are on the stack or said to be changed.
    unsafe {
        asm!(
            "push rbp",
            "push rbx",
            "lea rax, [rip + 2f]",
            "push rax",
            "mov [rdi], rsp",
            "mov rsp, rsi",
            "pop rax",
            "jmp rax",
            "2:",
            "pop rbx",
            "pop rbp",
            inout("rdi") from.as_ptr() => _,
            inout("rsi") to => _,
            lateout("r12") _,
            lateout("r13") _,
            lateout("r14") _,
            lateout("r15") _,
            clobber_abi("sysv64"),
        );
    }
}

/// What lies at the top of a stack on which nobody has run: as if `begin` had been called from nowhere.
#[repr(C, align(16))]
struct First<H> {
    code: unsafe extern "sysv64" fn(*mut u8, *const First<H>) -> !,
    back: usize,
    host: *const H,
    rank: u32,
}

/// The first on its stack, entered by [`switch`]: the second argument is what that went to.
unsafe extern "sysv64" fn begin<H: Host>(_: *mut u8, first: *const First<H>) -> ! {
    // SAFETY: written by `go`; the host outlives the worker's thread, which this is.
    let (host, rank) = unsafe { (&*(*first).host, (*first).rank) };
    live(host, rank);
    let slot = &host.sched().slots[rank as usize];
    let thread = &slot.worker().home.thread;
    thread.ended.set(Some(rank));
    // SAFETY: the thread waits in `go`; nobody comes back.
    unsafe { switch(&(*slot.coro.get()).at, thread.at.load(Relaxed)) };
    std::process::abort()
}

/// The worker's thread lets a rank run, and those that follow; who of them has ended when it is back.
///
/// # Safety
/// Called by the worker's thread, on its own stack; the rank is one of its, and ready.
pub(super) unsafe fn go<H: Host>(
    host: &Arc<H>,
    w: &Worker,
    rank: u32,
    pool: &mut Vec<RankStack>,
) -> Option<u32> {
    let sched = host.sched();
    let thread = &w.home.thread;
    // SAFETY: contexts belong to their worker.
    unsafe {
        let context = sched.slots[rank as usize].coro.get();
        if (*context).at.load(Relaxed).is_null() {
            let stack = pool
                .pop()
                .unwrap_or_else(|| RankStack::new(sched.stack_size));
            (*context).canary = stack.canary().into();
            let top = stack.base().get() as *mut First<H>;
            let first = top.wrapping_sub(1);
            first.write(First {
                code: begin::<H>,
                back: 0,
                host: Arc::as_ptr(host),
                rank,
            });
            (*context).at.store(first.cast(), Relaxed);
            (*context).stack = Some(stack);
        }
        host.enter(rank);
        switch(&thread.at, (*context).at.load(Relaxed));
        let ended = thread.ended.take()?;
        let context = sched.slots[ended as usize].coro.get();
        look(*(*context).canary.get_mut());
        (*context).at.store(null_mut(), Relaxed);
        pool.extend((*context).stack.take());
        Some(ended)
    }
}

/// The calling rank goes away; `next`: who is to run.  Whom nobody has let begin, and all where times are taken, the worker's thread
/// lets run.
///
/// # Safety
/// Called on the stack of the rank of this slot, which is one of the worker's.
#[inline(always)]
pub(super) unsafe fn leave<H: Host>(
    sched: &Sched,
    host: &H,
    (w, slot): (&Worker, &Slot),
    next: Option<u32>,
) {
    // SAFETY: contexts belong to their worker.
    unsafe {
        let context = slot.coro.get();
        let canary = *(*context).canary.get_mut();
        if !canary.is_null() {
            look(canary);
        }
        let mut to = null_mut();
        if let Some(rank) = next.filter(|_| sched.watch.is_none()) {
            to = (*sched.slots[rank as usize].coro.get()).at.load(Relaxed);
            if !to.is_null() {
                host.enter(rank);
            }
        }
        if to.is_null() {
            w.home.next.set(next);
            to = w.home.thread.at.load(Relaxed);
        }
        switch(&(*context).at, to);
    }
}
