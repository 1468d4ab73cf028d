//! Signals: masks, handlers and the stack that they run on.

use std::ffi::{c_int, c_void};
use std::io;
use std::mem::zeroed;
use std::ptr::null;

use super::errors::done;

pub use libc::{
    SA_NOCLDSTOP, SA_NOCLDWAIT, SA_NODEFER, SA_ONSTACK, SA_RESTART, SA_SIGINFO, SIGALRM, SIGCHLD,
    SIGCONT, SIGHUP, SIGINT, SIGKILL, SIGPIPE, SIGPROF, SIGQUIT, SIGSEGV, SIGSTOP, SIGTERM,
    SIGTSTP, SIGURG, SIGUSR1, SIGUSR2, SIGVTALRM, SIGWINCH, SIGXCPU, SIGXFSZ, SIG_DFL, SIG_ERR,
    SIG_IGN, SI_QUEUE, SI_TIMER, SI_USER,
};
pub const SA_RESETHAND: c_int = libc::SA_RESETHAND as c_int;

use super::types::{sigaction, siginfo_t, sigset_t};

/// Numbers from 1 to this one.
pub const LAST: c_int = 64;

/// Signals.
#[derive(Clone, Copy)]
pub struct Mask(sigset_t);

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask({:#x})", bits(&self.0))
    }
}

impl Mask {
    pub fn all() -> Mask {
        // SAFETY: sigfillset initialises it.
        unsafe {
            let mut set: sigset_t = zeroed();
            libc::sigfillset(&raw mut set);
            Mask(set)
        }
    }

    pub fn one(signal: c_int) -> Mask {
        Mask::of(1 << (signal - 1))
    }

    /// Signal 1 is the lowest bit.
    pub fn of(bits: u64) -> Mask {
        Mask(set(bits))
    }

    pub fn bits(&self) -> u64 {
        bits(&self.0)
    }

    pub fn has(&self, signal: c_int) -> bool {
        // SAFETY: an initialised set.
        unsafe { libc::sigismember(&raw const self.0, signal) == 1 }
    }
}

pub fn bits(set: &sigset_t) -> u64 {
    (1..=LAST)
        // SAFETY: an initialised set.
        .filter(|n| unsafe { libc::sigismember(set, *n) } == 1)
        .fold(0, |bits, n| bits | 1 << (n - 1))
}

pub fn set(bits: u64) -> sigset_t {
    // SAFETY: sigemptyset initialises it.
    unsafe {
        let mut set: sigset_t = zeroed();
        libc::sigemptyset(&raw mut set);
        for n in (1..=LAST).filter(|n| bits >> (n - 1) & 1 != 0) {
            libc::sigaddset(&raw mut set, n);
        }
        set
    }
}

fn change(how: c_int, new: *const sigset_t) -> Mask {
    // SAFETY: null or an initialised set; the other is filled by the call.
    unsafe {
        let mut before: sigset_t = zeroed();
        libc::pthread_sigmask(how, new, &raw mut before);
        Mask(before)
    }
}

/// What this thread blocks.
pub fn blocked() -> Mask {
    change(libc::SIG_BLOCK, null())
}

/// Blocks these on this thread, too; returns what was blocked before.
pub fn block(more: &Mask) -> Mask {
    change(libc::SIG_BLOCK, &raw const more.0)
}

/// Blocks these on this thread, and no others; returns what was blocked before.
pub fn block_only(these: &Mask) -> Mask {
    change(libc::SIG_SETMASK, &raw const these.0)
}

/// Those that have been raised and wait, blocked or not.
pub fn pending() -> Mask {
    // SAFETY: the set is filled by the call.
    unsafe {
        let mut set: sigset_t = zeroed();
        libc::sigpending(&raw mut set);
        Mask(set)
    }
}

/// Takes one of these that waits, if one does: its number and what it carries.
pub fn take(these: &Mask) -> Option<(c_int, siginfo_t)> {
    // SAFETY: initialised structures.
    unsafe {
        let now: libc::timespec = zeroed();
        let mut info: siginfo_t = zeroed();
        let signal = libc::sigtimedwait(&raw const these.0, &raw mut info, &raw const now);
        (signal > 0).then_some((signal, info))
    }
}

/// Threads of the runtime take no signals: those are the program's.
pub fn without_signals<T>(spawn: impl FnOnce() -> T) -> T {
    let before = block_only(&Mask::all());
    let spawned = spawn();
    block_only(&before);
    spawned
}

/// A file of `write`'s that grows beyond the process's limit is an error (EFBIG), and no signal to the program.
pub fn without_size_signal<T>(write: impl FnOnce() -> T) -> T {
    let one = Mask::one(SIGXFSZ);
    let pending = pending();
    let before = block(&one);
    let done = write();
    // One that was not pending before is this thread's own.
    if !pending.has(SIGXFSZ) {
        take(&one);
    }
    block_only(&before);
    done
}

/// Has one wait on this thread that was taken; what it carries is as it was.
pub fn put_back(signal: c_int, mut info: siginfo_t) {
    // SAFETY: an initialised structure.
    unsafe {
        let (process, thread) = (libc::getpid(), libc::syscall(libc::SYS_gettid));
        libc::syscall(
            libc::SYS_rt_tgsigqueueinfo,
            process,
            thread,
            signal,
            &raw mut info,
        );
    }
}

/// Was it sent with a value?
pub fn carries_value(info: &siginfo_t) -> bool {
    matches!(
        info.si_code,
        libc::SI_QUEUE | libc::SI_TIMER | libc::SI_MESGQ | libc::SI_ASYNCIO
    )
}

/// What a handler of one is called with besides its number.
pub type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);

/// What a signal does; null at first: what the system does by default.
pub fn new_action(handler: usize, flags: c_int) -> sigaction {
    // SAFETY: a plain structure; an empty set is all zeros.
    let mut new: sigaction = unsafe { zeroed() };
    new.sa_sigaction = handler;
    new.sa_flags = flags;
    new
}

/// What a signal does now.
pub fn action(signal: c_int) -> io::Result<sigaction> {
    let mut now = new_action(SIG_DFL, 0);
    // SAFETY: the structure is filled by the call.
    done(unsafe { libc::sigaction(signal, null(), &raw mut now) }).map(|()| now)
}

/// Has a signal do something; returns what it did before.
///
/// # Safety
/// A handler does only what it may where it interrupts.
pub unsafe fn set_action(signal: c_int, new: &sigaction) -> io::Result<sigaction> {
    let mut before = new_action(SIG_DFL, 0);
    // SAFETY: initialised structures; by the caller.
    done(unsafe { libc::sigaction(signal, new, &raw mut before) }).map(|()| before)
}

/// Leaves a signal to the system.
pub fn by_default(signal: c_int) {
    // SAFETY: no handler of anybody's.
    unsafe { libc::signal(signal, SIG_DFL) };
}

/// Sends this thread one.
pub fn raise(signal: c_int) {
    // SAFETY: what comes of it is what whoever set the action wants.
    unsafe { libc::raise(signal) };
}

/// Sends this process one.
pub fn send_to_self(signal: c_int) {
    // SAFETY: as above.
    unsafe { libc::kill(libc::getpid(), signal) };
}

/// A stack for handlers.
#[derive(Clone, Copy, Debug)]
pub struct Stack(libc::stack_t);

// SAFETY: addresses, which are used by the thread that gives the stack.
unsafe impl Send for Stack {}

impl Stack {
    pub fn new(base: *mut u8, len: usize) -> Stack {
        Stack(libc::stack_t {
            ss_sp: base.cast::<c_void>(),
            ss_flags: 0,
            ss_size: len,
        })
    }

    /// This thread's.
    pub fn now() -> Stack {
        // SAFETY: the structure is filled by the call.
        unsafe {
            let mut stack: libc::stack_t = zeroed();
            libc::sigaltstack(null(), &raw mut stack);
            Stack(stack)
        }
    }

    /// Where it is, if there is one.
    pub fn place(&self) -> Option<(*mut u8, usize)> {
        let there = self.0.ss_flags & libc::SS_DISABLE == 0;
        there.then_some((self.0.ss_sp.cast(), self.0.ss_size))
    }

    /// Makes it this thread's; returns the one before.
    ///
    /// # Safety
    /// The memory stays until the thread has another, and nothing else uses it.
    pub unsafe fn enter(&self) -> io::Result<Stack> {
        // SAFETY: by the caller; the structure is filled by the call.
        unsafe {
            let mut before: libc::stack_t = zeroed();
            done(libc::sigaltstack(&raw const self.0, &raw mut before)).map(|()| Stack(before))
        }
    }
}
