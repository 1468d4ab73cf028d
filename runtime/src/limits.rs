//! Limits, priority, stack for signals and user of the process: what can be asked for, and made so again.

use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::format::library::LimitsMeta;

/// The system's numbers, which are the same on every architecture that we know.
const RESOURCES: u64 = 16;

#[derive(Debug, Default, PartialEq, Eq)]
struct Beginning {
    limits: Vec<(u64, u64, u64)>,
    nice: i32,
    users: [u32; 6],
    /// Address and size, if there is one: what runs the program (Rust's `main`, a sanitizer) may have its own.
    stack: Option<(u64, u64)>,
}

static BEGINNING: OnceLock<Beginning> = OnceLock::new();

fn limits() -> Vec<(u64, u64, u64)> {
    let one = |resource: u64| {
        // SAFETY: the structure is filled by the call.
        unsafe {
            let mut now: libc::rlimit64 = std::mem::zeroed();
            let done = libc::prlimit64(0, resource as _, std::ptr::null(), &raw mut now);
            (done == 0).then_some((resource, now.rlim_cur, now.rlim_max))
        }
    };
    (0..RESOURCES).filter_map(one).collect()
}

fn nice() -> i32 {
    // SAFETY: a plain system call.
    unsafe { libc::getpriority(libc::PRIO_PROCESS as _, 0) }
}

/// Users and groups: real, effective, saved.
fn users() -> [u32; 6] {
    let mut all = [0; 6];
    let [a, b, c, d, e, f] = &mut all;
    // SAFETY: the variables are filled by the calls.
    unsafe {
        libc::getresuid(a, b, c);
        libc::getresgid(d, e, f);
    }
    all
}

/// The calling thread's stack for signals.
fn stack() -> Option<(u64, u64)> {
    // SAFETY: the structure is filled by the call.
    let stack = unsafe {
        let mut stack: libc::stack_t = std::mem::zeroed();
        libc::sigaltstack(std::ptr::null(), &raw mut stack);
        stack
    };
    let there = stack.ss_flags & libc::SS_DISABLE == 0;
    there.then_some((stack.ss_sp as u64, stack.ss_size as u64))
}

fn now() -> Beginning {
    Beginning {
        limits: limits(),
        nice: nice(),
        users: users(),
        stack: stack(),
    }
}

/// To be called before the program runs.
pub(crate) fn note() {
    let _ = BEGINNING.set(now());
}

/// What no restart can have.
pub(crate) fn obstacle() -> Option<String> {
    let first = BEGINNING.get()?;
    (first.users != users())
        .then(|| "the program has changed its user or group (setuid, setgid)".to_owned())
}

/// What the runtime raised limits to: no business of the program's.
static RAISED: Mutex<Vec<(u64, u64, u64)>> = Mutex::new(Vec::new());

fn raised() -> MutexGuard<'static, Vec<(u64, u64, u64)>> {
    RAISED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Raises a limit to what `more` makes of it, as far as the system allows.
fn raise(resource: u64, more: impl FnOnce(u64) -> u64) {
    let Some((_, soft, hard)) = limits().into_iter().find(|l| l.0 == resource) else {
        return;
    };
    let more = more(soft).min(hard);
    let new = libc::rlimit64 {
        rlim_cur: more,
        rlim_max: hard,
    };
    // SAFETY: a plain system call with an initialised structure.
    let set =
        || unsafe { libc::prlimit64(0, resource as _, &raw const new, std::ptr::null_mut()) == 0 };
    if more > soft && set() {
        raised().push((resource, more, hard));
    }
}

/// Lets the stack grow further than the system said. A restart goes down again by functions whose frames are larger
/// than those it was saved from (at -O0 by half), so a recursion that nearly filled its stack would not come back.
pub(crate) fn more_stack() {
    // What the kernel leaves free below a stack whatever its limit (mmap_base: 128 MiB), less what lies there already.
    const MOST: u64 = 120 << 20;
    raise(libc::RLIMIT_STACK as u64, |soft| {
        soft.saturating_mul(4).min(MOST)
    });
}

/// Lets a descriptor have this number.
pub(crate) fn room_for(fd: u32) {
    let enough = u64::from(fd) + 1;
    raise(libc::RLIMIT_NOFILE as u64, |soft| match soft < enough {
        true => enough.next_power_of_two(),
        false => soft,
    });
}

/// What differs from the beginning.  `alone`: the calling thread is the program's.
pub(crate) fn collect(alone: bool) -> LimitsMeta {
    let Some(first) = BEGINNING.get() else {
        return LimitsMeta::default();
    };
    let mut changed = limits();
    changed.retain(|l| !first.limits.contains(l) && !raised().contains(l));
    let nice = nice();
    LimitsMeta {
        limits: changed,
        nice: (alone && nice != first.nice).then_some(i64::from(nice - first.nice) as u64),
        stack: stack().filter(|s| alone && first.stack != Some(*s)),
    }
}

/// Makes the process so; the stack's address is one of this program.
pub(crate) fn apply(saved: &LimitsMeta) -> Result<(), String> {
    let failed = |what: &str| {
        let e = std::io::Error::last_os_error();
        Err(format!("{what} cannot be restored: {e}"))
    };
    // SAFETY: plain system calls with initialised structures; the stack is memory of the program.
    unsafe {
        for (resource, soft, hard) in &saved.limits {
            let new = libc::rlimit64 {
                rlim_cur: *soft,
                rlim_max: *hard,
            };
            if libc::prlimit64(0, *resource as _, &raw const new, std::ptr::null_mut()) != 0 {
                return failed("a limit of the process (setrlimit)");
            }
        }
        if let Some(nice) = saved.nice {
            let new = BEGINNING.get().map_or(0, |b| b.nice) + nice as i32;
            if libc::setpriority(libc::PRIO_PROCESS as _, 0, new) != 0 {
                return failed("the priority of the process");
            }
        }
        if let Some((at, size)) = saved.stack {
            let mut stack: libc::stack_t = std::mem::zeroed();
            stack.ss_sp = at as usize as *mut c_void;
            stack.ss_size = size as usize;
            if libc::sigaltstack(&raw const stack, std::ptr::null_mut()) != 0 {
                return failed("the stack for signals (sigaltstack)");
            }
        }
    }
    Ok(())
}
