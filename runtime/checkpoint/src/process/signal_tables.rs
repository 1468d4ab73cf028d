//! Signal handlers and timers of each rank, where several share a process.
//!
//! The process has one handler for all of them.  What a rank sends to itself reaches its own handler, and so do its
//! timers, which are timers of the kernel that name it; what comes from outside reaches every rank that has a handler, as
//! launchers pass signals on.  A rank that has none, and sends itself one, ends the job as it would end its process.

use std::ffi::{c_int, c_void};
use std::io;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

use crate::process::attributes::{flags_of, flags_to};
use crate::process::interrupts;
use pc3_control::listening;
use pc3_format::library::{ProcessMeta, SignalMeta};
use pc3_os::clocks::{Timer, Times, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID};
use pc3_os::processes;
use pc3_os::signals::{
    self, new_action, Handler, Mask, SA_NOCLDSTOP, SA_NOCLDWAIT, SA_NODEFER, SA_RESETHAND,
    SA_RESTART, SA_SIGINFO, SIGALRM, SIGCHLD, SIGCONT, SIGKILL, SIGPROF, SIGSTOP, SIGURG,
    SIGVTALRM, SIGWINCH, SIG_DFL, SIG_IGN, SI_QUEUE, SI_TIMER, SI_USER,
};
use pc3_os::types::{clockid_t, sigaction, siginfo_t};
use pc3_state::rank::Rank;
use pc3_state::stack::dispositions::{Entry, Table, SIGNALS};
use pc3_state::stack::tls;

/// All of them.
static FIRST: AtomicPtr<Table> = AtomicPtr::new(null_mut());

fn tables() -> impl Iterator<Item = &'static Table> {
    let mut at: *const Table = FIRST.load(SeqCst);
    std::iter::from_fn(move || {
        // SAFETY: tables live as long as the process.
        let table = unsafe { at.as_ref() }?;
        at = table.next;
        Some(table)
    })
}

fn table(rank: &mut Rank) -> &'static Table {
    if rank.dispositions.table.is_null() {
        let mut new = Box::new(Table {
            rank: &raw mut rank.abi,
            delta: rank.delta(),
            entries: std::array::from_fn(|_| Entry::default()),
            next: FIRST.load(SeqCst),
        });
        let place: *mut Table = &raw mut *new;
        while let Err(now) = FIRST.compare_exchange(new.next.cast_mut(), place, SeqCst, SeqCst) {
            new.next = now;
        }
        rank.dispositions.table = Box::leak(new);
    }
    // SAFETY: as above.
    unsafe { &*rank.dispositions.table }
}

/// Several ranks share the process, and this one calls.
pub fn apart<'a>() -> Option<&'a mut Rank> {
    // SAFETY: an entry point.
    unsafe { Rank::current() }.filter(|r| r.job().several())
}

fn ignored_by_default(signal: c_int) -> bool {
    [SIGCHLD, SIGURG, SIGWINCH, SIGCONT].contains(&signal)
}

/// Runs a rank's handler.
///
/// # Safety
/// On a signal, with what the system says of it.
unsafe fn deliver(to: &Table, signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let entry = &to.entries[signal as usize];
    let flags = entry.flags.load(SeqCst);
    let handler = match flags & SA_RESETHAND {
        0 => entry.handler.load(SeqCst),
        _ => entry.handler.swap(SIG_DFL, SeqCst),
    };
    if handler == SIG_IGN {
        return;
    }
    if handler == SIG_DFL {
        by_default(signal);
        return;
    }
    let me = tls::me();
    let apart = me != to.rank;
    let call = || {
        // SAFETY: the program's function.
        unsafe {
            if flags & SA_SIGINFO != 0 {
                let f: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                    std::mem::transmute(handler);
                f(signal, info, context);
            } else {
                let f: extern "C" fn(c_int) = std::mem::transmute(handler);
                f(signal);
            }
        }
    };
    // SAFETY: it sees its own rank, as the one that was interrupted does afterwards.
    unsafe {
        let here = me.cast::<Rank>().as_ref().map_or(0, Rank::delta);
        if apart {
            tls::set(to.rank, to.delta);
        }
        interrupts::below(to.rank.cast(), call);
        if apart {
            tls::set(me, here);
        }
    }
}

fn by_default(signal: c_int) {
    if !ignored_by_default(signal) {
        signals::by_default(signal);
        signals::raise(signal);
    }
}

extern "C" fn on_any(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: called by the system.
    unsafe {
        let code = (*info).si_code;
        if code == SI_TIMER {
            let whose = (*info).si_value().sival_ptr.cast::<Table>().cast_const();
            if let Some(table) = tables().find(|t| std::ptr::eq(*t, whose)) {
                deliver(table, signal, info, context);
                return;
            }
        }
        let sent = [SI_USER, SI_QUEUE].contains(&code);
        let outside = sent && (*info).si_pid() != processes::id();
        if outside || code == SI_TIMER {
            let handles = |t: &&Table| t.entries[signal as usize].handler.load(SeqCst) > SIG_IGN;
            for table in tables().filter(handles) {
                deliver(table, signal, info, context);
            }
            return;
        }
        let me = tls::me().cast::<Rank>();
        let mine = me.as_ref().and_then(|r| r.dispositions.table.as_ref());
        match mine {
            Some(table) => deliver(table, signal, info, context),
            None => by_default(signal),
        }
    }
}

/// What the process does with a signal, so that every rank gets what it wants.
fn install(signal: c_int, act: &sigaction) {
    let handlers = || tables().map(|t| t.entries[signal as usize].handler.load(SeqCst));
    let mut new = new_action(SIG_DFL, 0);
    new.sa_mask = act.sa_mask;
    if handlers().any(|h| h > SIG_IGN) {
        new.sa_sigaction = on_any as Handler as usize;
        let kept = SA_RESTART | SA_NODEFER | SA_NOCLDSTOP | SA_NOCLDWAIT;
        new.sa_flags = act.sa_flags & kept | SA_SIGINFO;
    } else if handlers().any(|h| h == SIG_IGN) {
        new.sa_sigaction = SIG_IGN;
    }
    // SAFETY: handlers of ranks run as the program's own would.
    let _ = unsafe { signals::set_action(signal, &new) };
    if new.sa_sigaction == SIG_DFL {
        listening::listen_again(signal);
    }
}

fn change(rank: &mut Rank, signal: c_int, act: &sigaction) {
    let entry = &table(rank).entries[signal as usize];
    alone(|| {
        entry.flags.store(act.sa_flags, SeqCst);
        entry.mask.store(signals::bits(&act.sa_mask), SeqCst);
        entry.handler.store(act.sa_sigaction, SeqCst);
        install(signal, act);
    });
}

/// While no other worker looks at all tables and tells the system what came of it: the later of two would tell what was.  No
/// handler runs meanwhile on this thread; it could want to change something, too.
fn alone(f: impl FnOnce()) {
    static CHANGES: Mutex<()> = Mutex::new(());
    let before = signals::block(&Mask::of(u64::MAX));
    let changes = CHANGES.lock().unwrap_or_else(PoisonError::into_inner);
    f();
    drop(changes);
    signals::block_only(&before);
}

/// As `sigaction`, for a rank that has others beside it; none: the process is its own.
pub fn action(signal: c_int, new: Option<&sigaction>) -> Option<sigaction> {
    let valid = (1..SIGNALS as c_int).contains(&signal) && ![SIGKILL, SIGSTOP].contains(&signal);
    let rank = apart().filter(|_| valid)?;
    let entry = &table(rank).entries[signal as usize];
    let mut old = new_action(entry.handler.load(SeqCst), entry.flags.load(SeqCst));
    old.sa_mask = signals::set(entry.mask.load(SeqCst));
    if let Some(new) = new {
        change(rank, signal, new);
    }
    Some(old)
}

const TIMERS: [(clockid_t, c_int); 3] = [
    (CLOCK_MONOTONIC, SIGALRM),
    (CLOCK_PROCESS_CPUTIME_ID, SIGVTALRM),
    (CLOCK_PROCESS_CPUTIME_ID, SIGPROF),
];

fn timer(rank: &mut Rank, which: usize) -> Option<Timer> {
    if rank.dispositions.timers[which].is_none() {
        let (clock, signal) = TIMERS[which];
        let carries = std::ptr::from_ref(table(rank)).cast_mut().cast();
        rank.dispositions.timers[which] = Timer::new(clock, signal, carries);
    }
    rank.dispositions.timers[which]
}

pub fn left(rank: &Rank, which: usize) -> Times {
    let timer = &rank.dispositions.timers[which];
    timer.as_ref().map_or((0, 0), Timer::left)
}

pub fn start(rank: &mut Rank, which: usize, times: Times) -> io::Result<()> {
    if times.0 == 0 && rank.dispositions.timers[which].is_none() {
        return Ok(());
    }
    let timer = timer(rank, which).ok_or_else(io::Error::last_os_error)?;
    timer.start(times)
}

/// Puts a rank's own into what is saved of it.
pub fn describe(rank: &Rank, meta: &mut ProcessMeta) {
    // SAFETY: tables live as long as the process.
    let table = unsafe { rank.dispositions.table.as_ref() };
    let entries = table.map_or(&[][..], |t| &t.entries);
    let all = entries.iter().enumerate().map(|(n, e)| SignalMeta {
        signal: n as u64,
        handler: e.handler.load(SeqCst) as u64,
        mask: e.mask.load(SeqCst),
        flags: flags_of(e.flags.load(SeqCst)),
    });
    meta.signals = all.filter(|s| s.handler != 0).collect();
    let timers = (0..3).map(|n| (n as u64, left(rank, n)));
    let running = timers.filter(|(_, t)| t.0 > 0);
    meta.timers = running.map(|(n, t)| (n, t.0, t.1)).collect();
}

/// Takes it out again, at a restart.
pub fn restore(rank: &mut Rank, meta: &mut ProcessMeta) -> Result<(), String> {
    for s in std::mem::take(&mut meta.signals) {
        let signal = c_int::try_from(s.signal).ok();
        let signal = signal.filter(|n| (1..SIGNALS as c_int).contains(n));
        let signal = signal.ok_or("the table of signals is damaged")?;
        let mut act = new_action(s.handler as usize, flags_to(s.flags));
        act.sa_mask = signals::set(s.mask);
        change(rank, signal, &act);
    }
    for (which, left, each) in std::mem::take(&mut meta.timers) {
        let started = start(rank, (which as usize).min(2), (left, each));
        started.map_err(|e| format!("a timer cannot be restored: {e}"))?;
    }
    Ok(())
}
