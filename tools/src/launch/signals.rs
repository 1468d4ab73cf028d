//! Passing signals on to the program. Those from the keyboard reach it anyway, as it shares the terminal's
//! foreground group; only signals that some process sent are passed on.  The launchers of native MPIs do as they like with
//! signals (MPICH's ends the job), so requests for a checkpoint go past them to a process of the job.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::SeqCst};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::process::{is_alive, job_below, listens};

const FORWARDED: [c_int; 8] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGXCPU,
];

static CHILD: AtomicI32 = AtomicI32::new(0);
/// The run's other processes, which get signals that are no requests.
static OTHERS: OnceLock<Box<[AtomicI32]>> = OnceLock::new();
/// Signals that came before the child was there, or before it caught them.
static EARLY: AtomicU64 = AtomicU64::new(0);
/// Signals that would kill the child as long as it does not catch them.
static HELD: AtomicU64 = AtomicU64::new(0);
/// An event's descriptor, for whoever looks after requests.
static ASKED: AtomicI32 = AtomicI32::new(-1);
static ONE: u64 = 1;
/// The last signal to this process that asks it to end; 0: none.
static TO_END: AtomicI32 = AtomicI32::new(0);
/// The processes below a launcher were told to say what they do, and to end by that.
static QUIT: AtomicBool = AtomicBool::new(false);
/// Time that a program has to set up its signals.
const YOUTH: Duration = Duration::from_secs(1);

extern "C" fn forward(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    if matches!(
        signal,
        libc::SIGHUP | libc::SIGINT | libc::SIGQUIT | libc::SIGTERM
    ) {
        TO_END.store(signal, SeqCst);
    }
    // SAFETY: the kernel's information about this signal; kill may be called here.
    unsafe {
        // A terminal that goes away tells only the first process of its session.
        if (*info).si_code > 0 && signal != libc::SIGHUP {
            return;
        }
        match CHILD.load(SeqCst) {
            0 => {
                EARLY.fetch_or(1 << signal, SeqCst);
            }
            child if child > 0 => {
                EARLY.fetch_or(1 << signal, SeqCst);
                if HELD.load(SeqCst) & 1 << signal == 0 {
                    send_early(signal);
                } else {
                    libc::write(ASKED.load(SeqCst), (&raw const ONE).cast(), 8);
                }
            }
            _ => {}
        }
    }
}

/// To be called before the program is started.
pub(super) fn catch() {
    for signal in FORWARDED {
        // SAFETY: `forward` is safe in a handler. What was ignored (nohup) stays so.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, null_mut(), &raw mut old);
            if old.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction =
                forward as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &raw const new, null_mut());
        }
    }
}

/// Was this process asked to end?
pub(super) fn to_end() -> Option<u8> {
    u8::try_from(TO_END.load(SeqCst)).ok().filter(|s| *s > 0)
}

/// `others`: processes that are to say what they are doing, too (SIGQUIT).
pub(super) fn also_to(others: impl Iterator<Item = i32>) {
    let _ = OTHERS.set(others.map(AtomicI32::new).collect());
}

/// Also in a handler.
fn others() -> &'static [AtomicI32] {
    OTHERS.get().map_or(&[], |o| o)
}

/// A process's number may belong to somebody else from now on.
pub(super) fn gone(child: i32) {
    let is = |o: &&AtomicI32| o.load(SeqCst) == child;
    if let Some(slot) = others().iter().find(is) {
        slot.store(0, SeqCst);
    }
}

/// `requests`: signals that ask the program for a checkpoint, once it catches them.
pub(super) fn send_to(child: i32, requests: impl Iterator<Item = c_int>) {
    let requests: Vec<c_int> = requests.filter(|s| FORWARDED.contains(s)).collect();
    HELD.store(requests.iter().map(|s| 1 << s).sum(), SeqCst);
    CHILD.store(child, SeqCst);
    let others = FORWARDED.iter().filter(|s| !requests.contains(s));
    others.for_each(|s| send_early(*s));
    let wait = move || {
        let start = Instant::now();
        for signal in requests {
            while start.elapsed() < YOUTH && is_alive(child) && !listens(child, signal) {
                std::thread::sleep(Duration::from_millis(1));
            }
            HELD.fetch_and(!(1 << signal), SeqCst);
            send_early(signal);
        }
    };
    if std::thread::Builder::new().spawn(wait).is_err() {
        HELD.store(0, SeqCst);
    }
}

/// The same where the child is a launcher: any process of the job can be asked, and all say what they do (SIGQUIT).
pub(super) fn send_below(launcher: i32, requests: impl Iterator<Item = c_int>) {
    let mut requests: Vec<c_int> = requests.filter(|s| FORWARDED.contains(s)).collect();
    // SAFETY: a plain system call.
    let event = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
    if event < 0 {
        return send_to(launcher, std::iter::empty());
    }
    if !requests.contains(&libc::SIGQUIT) {
        requests.push(libc::SIGQUIT);
    }
    ASKED.store(event, SeqCst);
    HELD.store(requests.iter().map(|s| 1 << s).sum(), SeqCst);
    CHILD.store(launcher, SeqCst);
    let others = FORWARDED.iter().filter(|s| !requests.contains(s));
    others.for_each(|s| send_early(*s));
    let pass_on = move || {
        while CHILD.load(SeqCst) == launcher {
            let mut waits = false;
            for signal in &requests {
                let bit = 1 << signal;
                if EARLY.load(SeqCst) & bit == 0 {
                    continue;
                }
                // Launchers take their time; a process that does not catch the signal yet would be killed by it.
                let mut ready = job_below(launcher).filter(|p| listens(*p, *signal));
                let told: Vec<i32> = match *signal {
                    libc::SIGQUIT => ready.collect(),
                    _ => ready.next().into_iter().collect(),
                };
                if told.is_empty() {
                    waits = true;
                    continue;
                }
                EARLY.fetch_and(!bit, SeqCst);
                if *signal == libc::SIGQUIT {
                    QUIT.store(true, SeqCst);
                }
                for process in told {
                    // SAFETY: a plain system call.
                    unsafe { libc::kill(process, *signal) };
                }
            }
            if waits {
                std::thread::sleep(Duration::from_millis(10));
            } else {
                let mut number = 0_u64;
                // SAFETY: the event's number.
                unsafe { libc::read(event, (&raw mut number).cast(), 8) };
            }
        }
    };
    if std::thread::Builder::new().spawn(pass_on).is_err() {
        HELD.store(0, SeqCst);
    }
}

fn send_early(signal: c_int) {
    let child = CHILD.load(SeqCst);
    if child > 0 && EARLY.fetch_and(!(1 << signal), SeqCst) & 1 << signal != 0 {
        // SAFETY: our child, not waited for yet.
        unsafe { libc::kill(child, signal) };
        if signal == libc::SIGQUIT {
            let others = others().iter().map(|o| o.load(SeqCst));
            // SAFETY: as above, but for those that have ended just now.
            others.filter(|o| *o > 0).for_each(|o| unsafe {
                libc::kill(o, signal);
            });
        }
    }
}

/// What SIGQUIT has ended: launchers have statuses of their own for that.
pub(super) fn has_quit() -> bool {
    QUIT.load(SeqCst)
}

/// To the child, as long as there is one.
pub(super) fn end(signal: c_int) {
    let child = CHILD.load(SeqCst);
    if child > 0 {
        // SAFETY: our child, not waited for yet, or only just now.
        unsafe { libc::kill(child, signal) };
    }
}

/// The child's number may belong to somebody else from now on.
pub(super) fn done() {
    CHILD.store(-1, SeqCst);
}
