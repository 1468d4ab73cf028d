//! Signals that ask for a checkpoint, or end the process.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering::SeqCst};
use std::sync::OnceLock;
use std::time::Duration;

use pc3_os::signals::{self, new_action, SIG_DFL};
use pc3_os::{errors, processes};

use crate::control::ask;
use crate::inherited;
use crate::settings::{self, Action};

/// 0: not ours; 1: checkpoint; 2: stop; 3: the end is noted first.
static ACTIONS: [AtomicU8; 65] = [const { AtomicU8::new(0) }; 65];

extern "C" fn on_signal(signal: c_int) {
    // What is interrupted may be about to look at it.
    let errno = errors::last();
    let action = usize::try_from(signal).ok().and_then(|n| ACTIONS.get(n));
    match action.map_or(0, |a| a.load(SeqCst)) {
        0 => {}
        NOTE => note(signal),
        n => ask(n == 2),
    }
    errors::set(errno);
}

/// The signal that this process is to end by, once it has said so.
static ENDING: AtomicI32 = AtomicI32::new(0);
/// Whom it wakes.
static WAKE: OnceLock<fn()> = OnceLock::new();
/// Of [`ACTIONS`].
const NOTE: u8 = 3;

/// SIGTERM no longer ends this process by itself, unless the program has said what it does: `wake`, which is called in
/// the handler, gets somebody to ask for [`ending`] and then to call [`end_by`].
pub fn note_the_end(wake: fn()) {
    let signal = signals::SIGTERM;
    let kept = signals::action(signal).is_ok_and(|now| now.sa_sigaction != SIG_DFL);
    if !kept {
        let _ = WAKE.set(wake);
        ACTIONS[signal as usize].store(NOTE, SeqCst);
        listen_to(signal);
    }
}

/// The signal that has come to end this process.
pub fn ending() -> Option<c_int> {
    Some(ENDING.load(SeqCst)).filter(|s| *s != 0)
}

/// Ends it, as the signal would have.
pub fn end_by(signal: c_int) -> ! {
    signals::by_default(signal);
    signals::send_to_self(signal);
    std::thread::sleep(Duration::from_secs(1));
    // Blocked in all threads.
    processes::end_now(128 + signal)
}

fn note(signal: c_int) {
    if ENDING.swap(signal, SeqCst) != 0 {
        // Nobody has listened the first time.
        signals::by_default(signal);
        signals::raise(signal);
    } else if let Some(wake) = WAKE.get() {
        wake();
    }
}

/// A request before `main` must not kill the program: its units call this as they are loaded.
pub fn listen() {
    static LISTENS: AtomicBool = AtomicBool::new(false);
    if !LISTENS.swap(true, SeqCst) {
        // What is wrong is said when the program starts.
        let _ = install_signals(&settings::signals(inherited::var));
    }
}

/// What handles the signals that ask for checkpoints.
pub fn listener() -> usize {
    on_signal as extern "C" fn(c_int) as usize
}

fn listen_to(signal: c_int) -> bool {
    let act = new_action(listener(), signals::SA_RESTART);
    // SAFETY: the handler only stores to atomics and removes a file.
    unsafe { signals::set_action(signal, &act) }.is_ok()
}

/// The program has given a signal up.
pub fn listen_again(signal: c_int) {
    let action = usize::try_from(signal).ok().and_then(|n| ACTIONS.get(n));
    if action.is_some_and(|a| a.load(SeqCst) != 0) {
        listen_to(signal);
    }
}

/// Makes signals ask for checkpoints.
pub fn install_signals(signals: &BTreeMap<c_int, Action>) -> io::Result<()> {
    for (&signal, &action) in signals {
        if let Some(slot) = usize::try_from(signal).ok().and_then(|n| ACTIONS.get(n)) {
            slot.store(if action == Action::Stop { 2 } else { 1 }, SeqCst);
        }
        let failed = !listen_to(signal);
        if failed {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}
