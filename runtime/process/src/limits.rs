//! Limits, priority, stack for signals and user of the process: what can be asked for, and made so again.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pc3_os::limits;
use pc3_os::signals::Stack;

use pc3_format::library::LimitsMeta;

#[derive(Debug, Default, PartialEq, Eq)]
struct Beginning {
    limits: Vec<(u64, u64, u64)>,
    nice: i32,
    users: [u32; 6],
    /// Address and size, if there is one: what runs the program (Rust's `main`, a sanitizer) may have its own.
    stack: Option<(u64, u64)>,
}

static BEGINNING: OnceLock<Beginning> = OnceLock::new();

/// The calling thread's stack for signals.
fn stack() -> Option<(u64, u64)> {
    let (base, bytes) = Stack::now().place()?;
    Some((base as u64, bytes as u64))
}

fn now() -> Beginning {
    Beginning {
        limits: limits::all(),
        nice: limits::nice(),
        users: limits::users(),
        stack: stack(),
    }
}

/// To be called before the program runs.
pub fn note() {
    let _ = BEGINNING.set(now());
}

/// What no restart can have.
pub fn obstacle() -> Option<String> {
    let first = BEGINNING.get()?;
    (first.users != limits::users())
        .then(|| "the program has changed its user or group (setuid, setgid)".to_owned())
}

/// What the runtime raised limits to: no business of the program's.
static RAISED: Mutex<Vec<(u64, u64, u64)>> = Mutex::new(Vec::new());

fn raised() -> MutexGuard<'static, Vec<(u64, u64, u64)>> {
    RAISED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Raises a limit to what `more` makes of it, as far as the system allows.
fn raise(resource: u64, more: impl FnOnce(u64) -> u64) {
    let Some((_, soft, hard)) = limits::get(resource) else {
        return;
    };
    let new = (resource, more(soft).min(hard), hard);
    if new.1 > soft && limits::set(new).is_ok() {
        raised().push(new);
    }
}

/// Lets the stack grow further than the system said. A restart goes down again by functions whose frames are larger
/// than those it was saved from (at -O0 by half), so a recursion that nearly filled its stack would not come back.
pub fn more_stack() {
    // What the kernel leaves free below a stack whatever its limit (mmap_base: 128 MiB), less what lies there already.
    const MOST: u64 = 120 << 20;
    raise(limits::STACK, |soft| soft.saturating_mul(4).min(MOST));
}

/// Lets a descriptor have this number.
pub(crate) fn room_for(fd: u32) {
    let enough = u64::from(fd) + 1;
    raise(limits::FILES, |soft| match soft < enough {
        true => enough.next_power_of_two(),
        false => soft,
    });
}

/// What differs from the beginning.  `alone`: the calling thread is the program's.
pub fn collect(alone: bool) -> LimitsMeta {
    let Some(first) = BEGINNING.get() else {
        return LimitsMeta::default();
    };
    let mut changed = limits::all();
    changed.retain(|l| !first.limits.contains(l) && !raised().contains(l));
    let nice = limits::nice();
    LimitsMeta {
        limits: changed,
        nice: (alone && nice != first.nice).then_some(i64::from(nice - first.nice) as u64),
        stack: stack().filter(|s| alone && first.stack != Some(*s)),
    }
}

/// Makes the process so; the stack's address is one of this program.
pub fn apply(saved: &LimitsMeta) -> Result<(), String> {
    let failed = |what: &str, e: std::io::Error| format!("{what} cannot be restored: {e}");
    for limit in &saved.limits {
        let what = "a limit of the process (setrlimit)";
        limits::set(*limit).map_err(|e| failed(what, e))?;
    }
    if let Some(nice) = saved.nice {
        let new = BEGINNING.get().map_or(0, |b| b.nice) + nice as i32;
        limits::set_nice(new).map_err(|e| failed("the priority of the process", e))?;
    }
    if let Some((at, size)) = saved.stack {
        let stack = Stack::new(at as usize as *mut u8, size as usize);
        // SAFETY: memory of the program, which it has for that.
        let entered = unsafe { stack.enter() };
        entered.map_err(|e| failed("the stack for signals (sigaltstack)", e))?;
    }
    Ok(())
}
