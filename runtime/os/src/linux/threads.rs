//! Threads: ids, stacks, sleep and wake, and the order in which they see memory.

use std::ffi::c_int;
use std::mem::zeroed;
use std::ptr::{from_ref, null, null_mut};
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::errors;
use super::types::timespec;

/// Locks it, also if a thread has panicked that had it.
#[inline]
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The system's number of this thread.
pub fn id() -> u32 {
    // SAFETY: a plain system call.
    unsafe { libc::syscall(libc::SYS_gettid) as u32 }
}

/// The processors that this thread may run on, a bit each, in words.
pub fn processors() -> Vec<u64> {
    // Room for more than any machine has.
    let mut mask = vec![0u64; 1024];
    let room = std::mem::size_of_val(mask.as_slice());
    // SAFETY: the mask has so much room; the system fills it from the lowest bit on.
    let got = unsafe { libc::syscall(libc::SYS_sched_getaffinity, 0, room, mask.as_mut_ptr()) };
    mask.truncate(usize::try_from(got).unwrap_or(0).div_ceil(8));
    mask
}

/// From now on this thread runs on these only; false: it stays where it may be.
pub fn stay_on(mask: &[u64]) -> bool {
    let bytes = std::mem::size_of_val(mask);
    // SAFETY: a mask of so many bytes, which is only read.
    unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, bytes, mask.as_ptr()) == 0 }
}

/// The processor that runs this thread now.
pub fn processor() -> Option<usize> {
    // SAFETY: a plain question.
    usize::try_from(unsafe { libc::sched_getcpu() }).ok()
}

/// Where this thread's stack begins, below, and how long it is.
pub fn stack() -> Option<(usize, usize)> {
    // SAFETY: the structure is filled by the first call.
    unsafe {
        let mut of: libc::pthread_attr_t = zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut of) != 0 {
            return None;
        }
        let (mut low, mut bytes) = (null_mut(), 0);
        let got = libc::pthread_attr_getstack(&raw const of, &raw mut low, &raw mut bytes);
        libc::pthread_attr_destroy(&raw mut of);
        (got == 0).then_some((low as usize, bytes))
    }
}

/// Leaves the thread's error number as it was.
fn futex(word: &AtomicU32, what: c_int, value: u32, time: Option<Duration>) {
    let time = time.map(|t| timespec {
        tv_sec: t.as_secs() as _,
        tv_nsec: t.subsec_nanos() as _,
    });
    let time = time.as_ref().map_or(null(), from_ref);
    // SAFETY: the word, and a time or none.
    errors::keep(|| unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), what, value, time);
    });
}

/// Sleeps as long as the word, which processes may share, has this value, until it is woken, or the time is over.
pub fn sleep_while(word: &AtomicU32, value: u32, time: Duration) {
    futex(word, libc::FUTEX_WAIT, value, Some(time));
}

/// Wakes one who sleeps at the word.
pub fn wake_one(word: &AtomicU32) {
    futex(word, libc::FUTEX_WAKE, 1, None);
}

/// Whose memory is put in order by a thread that calls for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Barrier {
    /// This process's threads.
    Process,
    /// Threads of all processes that have asked for it.
    All,
}

fn command(command: c_int) -> bool {
    // SAFETY: no memory is passed.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Asks for it; false: the system has no such barriers.
pub fn register(barrier: Barrier) -> bool {
    command(match barrier {
        Barrier::Process => libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
        Barrier::All => libc::MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED,
    })
}

/// Puts it in order.
pub fn order(barrier: Barrier) -> bool {
    command(match barrier {
        Barrier::Process => libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED,
        Barrier::All => libc::MEMBARRIER_CMD_GLOBAL_EXPEDITED,
    })
}
