//! Messages to the person who runs the program, and the exit statuses that go with them.

use std::borrow::Cow;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pc3_os::{processes, streams, variables};
use pc3_typemetric::codes;

use pc3_os::forks::forked;

/// After a checkpoint with stop.
pub const EXIT_STOPPED: i32 = 85;
/// A control variable (`PC3_...`) has a value that means nothing.
pub const EXIT_SETTINGS: i32 = 86;
/// The checkpoint directory cannot be used: not writable, or a running job holds it.
pub const EXIT_DIRECTORY: i32 = 87;
/// There is no usable checkpoint to restart from.
pub const EXIT_NO_CHECKPOINT: i32 = 88;
/// The checkpoint cannot be continued here: another program, a value that does not fit, ...
pub const EXIT_REFUSED: i32 = 89;
/// The run cannot go on: out of shadow stack, a checkpoint below a library's callback, ...
pub const EXIT_FATAL: i32 = 90;

/// Every rank waits for another.
pub const EXIT_DEADLOCK: i32 = 91;
/// A process of the job, or the link to it, is lost: the job can go on from its newest checkpoint.
pub const EXIT_LOST: i32 = 92;

/// A message with its code, as pc3cc writes them.
pub fn error(code: &str, message: &str) -> String {
    format!("error[pc3::{code}]: {message}")
}

pub fn warning(code: &str, message: &str) -> String {
    format!("warning[pc3::{code}]: {message}")
}

/// With the code that goes with an exit status, if it has none of its own.
fn coded(status: i32, message: &str) -> Cow<'_, str> {
    let code = match status {
        EXIT_SETTINGS => codes::SETTINGS,
        EXIT_DIRECTORY => codes::DIRECTORY,
        EXIT_NO_CHECKPOINT => codes::UNREADABLE,
        EXIT_REFUSED => codes::SURROUNDINGS,
        EXIT_FATAL | EXIT_LOST => codes::CANNOT_GO_ON,
        EXIT_DEADLOCK => codes::DEADLOCK,
        _ => return message.into(),
    };
    match message.starts_with("error[") {
        true => message.into(),
        false => error(code, message).into(),
    }
}

/// Messages that wait: a restart cuts output files, and one of them may be where standard error goes.
static HELD: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Until [`release`], [`say`] only collects.
pub fn hold() {
    collected().get_or_insert_with(Vec::new);
}

/// Says what was collected.
pub fn release() {
    let messages = collected().take().unwrap_or_default();
    messages.iter().for_each(|m| say(m));
}

fn collected() -> MutexGuard<'static, Option<Vec<String>>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn say(message: &str) {
    if let Some(list) = collected().as_mut() {
        list.push(message.to_owned());
        return;
    }
    let line = format!("pc3: {message}\n");
    SAID.fetch_add(line.len() as u64, SeqCst);
    // One write: other ranks and processes talk, too.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

static SAID: AtomicU64 = AtomicU64::new(0);

/// Bytes of what this process has said on standard error.
pub fn said() -> u64 {
    SAID.load(SeqCst)
}

/// Tells whoever must know that this process ends while the job goes on.
static ON_LEAVE: OnceLock<fn(i32)> = OnceLock::new();

pub fn on_leave(tell: fn(i32)) {
    let _ = ON_LEAVE.set(tell);
}

fn tell_others(status: i32) {
    // A child that the program has forked is no process of the job.
    if let Some(tell) = ON_LEAVE.get().filter(|_| !forked()) {
        tell(status);
    }
}

/// What [`die`] waits for.
static ON_DEATH: OnceLock<fn()> = OnceLock::new();

pub fn on_death(wait: fn()) {
    let _ = ON_DEATH.set(wait);
}

static LEAVES: AtomicBool = AtomicBool::new(false);

/// Does the process end for a reason that has been told?
pub(crate) fn ends_early() -> bool {
    LEAVES.load(SeqCst)
}

/// Ends the process, and the job's other processes; exit handlers run.
pub fn leave(status: i32) -> ! {
    LEAVES.store(true, SeqCst);
    tell_others(status);
    std::process::exit(status)
}

/// Another process has ended the job and said why.
pub fn follow(status: i32) -> ! {
    flush_all();
    processes::end_now(status)
}

/// Ends the process without running the program's exit handlers; what it printed so far is kept.
pub fn die(status: i32, message: &str) -> ! {
    release();
    say(&coded(status, message));
    flush_all();
    tell_others(status);
    ON_DEATH.get().inspect(|wait| wait());
    processes::end_now(status)
}

/// What waits in the standard streams goes where they lead.
pub fn flush_standard() {
    let [_, out, err] = variables::streams();
    // SAFETY: the C library's streams.
    unsafe {
        streams::flush(out);
        streams::flush(err);
    }
}

/// The same when nobody may be left who lets go of one that is locked.
pub fn flush_free() {
    let [_, out, err] = variables::streams();
    // SAFETY: the C library's streams.
    unsafe {
        for stream in [out, err] {
            if streams::try_lock(stream) {
                streams::flush(stream);
                streams::unlock(stream);
            }
        }
    }
}

pub fn flush_all() {
    streams::flush_all();
}
