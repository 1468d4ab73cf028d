//! What a program changes of its process: working directory, umask, environment, locale, signals, timers.  All of
//! it can be asked for, so nothing is noted when it changes.

use std::ffi::{c_char, c_int, CStr, CString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::OnceLock;

use crate::children;
use crate::control;
use crate::environment::keep;
use crate::files::baseline;
use crate::format::library::{
    ProcessMeta, SignalMeta, VariableMeta, SIGNAL_INFO, SIGNAL_NODEFER, SIGNAL_NO_STOPPED_CHILDREN,
    SIGNAL_NO_ZOMBIES, SIGNAL_ON_STACK, SIGNAL_PENDING, SIGNAL_RESET, SIGNAL_RESTART,
};
use crate::handlers;
use crate::limits;

extern "C" {
    pub(crate) static mut environ: *mut *mut c_char;
    static tzname: [*mut c_char; 2];
    fn tzset();
}

#[derive(Debug, Default)]
struct Beginning {
    umask: u32,
    environment: Vec<Vec<u8>>,
    signals: Vec<SignalMeta>,
    blocked: u64,
}

/// What the process was started with under a name; null: nothing.
///
/// # Safety
/// A terminated string.
#[no_mangle]
pub unsafe extern "C" fn pc3_first_value(name: *const c_char) -> *const c_char {
    static FIRST: OnceLock<Vec<CString>> = OnceLock::new();
    let all = FIRST.get_or_init(|| {
        let list = BEGINNING.get().map_or(&[][..], |b| &b.environment);
        let text = |t: &Vec<u8>| CString::new(t.as_slice()).ok();
        list.iter().filter_map(text).collect()
    });
    // SAFETY: by the caller.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let value = all.iter().find_map(|text| {
        let rest = text.to_bytes_with_nul().strip_prefix(name)?;
        rest.strip_prefix(b"=")
    });
    value.map_or(std::ptr::null(), |v| v.as_ptr().cast())
}

static BEGINNING: OnceLock<Beginning> = OnceLock::new();

/// To be called before the program runs.
pub(crate) fn note() {
    let beginning = Beginning {
        umask: umask(),
        environment: environment().map(|(_, text)| text).collect(),
        signals: (1..=64).filter_map(disposition).collect(),
        blocked: blocked(),
    };
    let _ = BEGINNING.set(beginning);
    limits::note();
    children::note();
}

/// That with which the process was started.
pub(crate) fn first_umask() -> libc::mode_t {
    BEGINNING.get().map_or(0o22, |b| b.umask as libc::mode_t)
}

fn umask() -> u32 {
    // SAFETY: plain system calls; no other thread makes files now.
    unsafe {
        let mask = libc::umask(0o77);
        libc::umask(mask);
        mask
    }
}

fn environment() -> impl Iterator<Item = (usize, Vec<u8>)> {
    let mut i = 0;
    std::iter::from_fn(move || {
        // SAFETY: a list that ends with null; nobody changes it now.
        unsafe {
            let list = environ;
            if list.is_null() {
                return None;
            }
            let text = *list.add(i);
            i += 1;
            (!text.is_null()).then(|| (text as usize, CStr::from_ptr(text).to_bytes().to_vec()))
        }
    })
}

fn name_of(text: &[u8]) -> &[u8] {
    text.split(|b| *b == b'=').next().unwrap_or(text)
}

pub(crate) fn blocked() -> u64 {
    // SAFETY: the set is filled by the call.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut set);
        bits(&set)
    }
}

/// Blocked ones that have been raised.
fn pending() -> u64 {
    // SAFETY: the set is filled by the call.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigpending(&raw mut set);
        bits(&set) & blocked()
    }
}

/// A signal that waits with a value, or may do so more than once: what it carries cannot be asked for without taking it.
pub(crate) fn queued() -> Option<c_int> {
    const FIRST_QUEUED: c_int = 32;
    let waiting = pending();
    let mut waiting = (1..=64).filter(|n| waiting >> (n - 1) & 1 != 0);
    waiting.find(|n| *n >= FIRST_QUEUED || carries_value(*n))
}

/// Takes a signal that waits, and has it wait again.
fn carries_value(signal: c_int) -> bool {
    let one = set(1 << (signal - 1));
    let now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: initialised structures; the signal is this thread's own again.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        if libc::sigtimedwait(&raw const one, &raw mut info, &raw const now) != signal {
            return false;
        }
        let (process, thread) = (libc::getpid(), libc::syscall(libc::SYS_gettid));
        libc::syscall(
            libc::SYS_rt_tgsigqueueinfo,
            process,
            thread,
            signal,
            &raw mut info,
        );
        matches!(
            info.si_code,
            libc::SI_QUEUE | libc::SI_TIMER | libc::SI_MESGQ | libc::SI_ASYNCIO
        )
    }
}

pub(crate) fn bits(set: &libc::sigset_t) -> u64 {
    (1..=64)
        // SAFETY: an initialised set.
        .filter(|n| unsafe { libc::sigismember(set, *n) } == 1)
        .fold(0, |bits, n| bits | 1 << (n - 1))
}

pub(crate) fn set(bits: u64) -> libc::sigset_t {
    // SAFETY: sigemptyset initialises it.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for n in (1..=64).filter(|n| bits >> (n - 1) & 1 != 0) {
            libc::sigaddset(&raw mut set, n);
        }
        set
    }
}

const FLAGS: [(c_int, u64); 7] = [
    (libc::SA_ONSTACK, SIGNAL_ON_STACK),
    (libc::SA_RESTART, SIGNAL_RESTART),
    (libc::SA_SIGINFO, SIGNAL_INFO),
    (libc::SA_NODEFER, SIGNAL_NODEFER),
    (libc::SA_RESETHAND as c_int, SIGNAL_RESET),
    (libc::SA_NOCLDSTOP, SIGNAL_NO_STOPPED_CHILDREN),
    (libc::SA_NOCLDWAIT, SIGNAL_NO_ZOMBIES),
];

/// In the checkpoint's bits.
pub(crate) fn flags_of(flags: c_int) -> u64 {
    let set = FLAGS.iter().filter(|f| flags & f.0 != 0);
    set.fold(0, |bits, f| bits | f.1)
}

pub(crate) fn flags_to(bits: u64) -> c_int {
    let set = FLAGS.iter().filter(|f| bits & f.1 != 0);
    set.fold(0, |flags, f| flags | f.0)
}

fn disposition(signal: c_int) -> Option<SignalMeta> {
    // SAFETY: the structure is filled by the call.
    let act = unsafe {
        let mut act: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, std::ptr::null(), &raw mut act) != 0 {
            return None;
        }
        act
    };
    Some(SignalMeta {
        signal: signal as u64,
        handler: handlers::meant(act.sa_sigaction, handlers::of(signal)) as u64,
        mask: bits(&act.sa_mask),
        flags: flags_of(act.sa_flags),
    })
}

/// What differs from the beginning.  `is_function`: is it one of the program's?  `is_own`: is the address one of
/// the program's memory?
pub(crate) fn collect(
    is_function: &dyn Fn(u64) -> bool,
    is_own: &dyn Fn(usize) -> bool,
    masks: bool,
) -> ProcessMeta {
    static NONE: Beginning = Beginning {
        umask: 0,
        environment: Vec::new(),
        signals: Vec::new(),
        blocked: 0,
    };
    let first = BEGINNING.get().unwrap_or(&NONE);
    let mask = umask();
    let now = handlers::held().unwrap_or_else(blocked);
    let list: Vec<VariableMeta> = environment()
        .map(|(addr, text)| VariableMeta {
            addr: addr as u64,
            changed: !first.environment.contains(&text),
            own: is_own(addr),
            text,
        })
        .collect();
    let has = |text: &[u8]| list.iter().any(|v| name_of(&v.text) == name_of(text));
    let removed = first.environment.iter().filter(|t| !has(t));
    let removed = removed.map(|t| name_of(t).to_vec()).collect();
    let mut list = list;
    list.retain(|v| v.changed);
    let waiting = if masks { pending() } else { 0 };
    let waits = |signal: u64| waiting >> (signal - 1) & 1 != 0;
    let signals = (1..=64).filter_map(disposition).filter(|s| {
        let new = !first.signals.contains(s) && (s.handler <= 1 || is_function(s.handler));
        new || waits(s.signal)
    });
    let signals = signals.map(|s| SignalMeta {
        flags: s.flags | if waits(s.signal) { SIGNAL_PENDING } else { 0 },
        handler: if s.handler == control::listener() as u64 {
            libc::SIG_DFL as u64
        } else {
            s.handler
        },
        ..s
    });
    ProcessMeta {
        directory: directory(),
        umask: (mask != first.umask).then_some(u64::from(mask)),
        removed,
        environment: list,
        locale: locale(),
        // SAFETY: the library's variable; nobody changes it now.
        zone: unsafe { CStr::from_ptr(tzname[0]) } != c"GMT",
        signals: signals.collect(),
        blocked: (masks && now != first.blocked).then_some(now),
        timers: timers(),
        limits: limits::collect(masks),
    }
}

fn directory() -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let base = baseline::get();
    let now = std::env::current_dir().ok()?.into_os_string().into_vec();
    let below = base.below(&now);
    (now != base.directory).then_some((now, below))
}

/// The C library's categories, but for the one that means all.
pub(crate) const CATEGORIES: [c_int; 12] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12];

fn locale() -> Vec<(u64, String)> {
    let name = |category: c_int| {
        // SAFETY: asks only; the result is a terminated string or null.
        unsafe {
            let name = libc::setlocale(category, std::ptr::null());
            (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
        }
    };
    CATEGORIES
        .into_iter()
        .filter_map(|c| Some((c as u64, name(c)?)))
        .filter(|(_, name)| name != "C")
        .collect()
}

extern "C" {
    fn getitimer(which: c_int, value: *mut libc::itimerval) -> c_int;
    fn setitimer(which: c_int, value: *const libc::itimerval, old: *mut libc::itimerval) -> c_int;
}

#[allow(clippy::unnecessary_cast)] // the fields' types depend on the ABI
fn timers() -> Vec<(u64, u64, u64)> {
    let micros = |t: &libc::timeval| t.tv_sec as u64 * 1_000_000 + t.tv_usec as u64;
    (0..3)
        .filter_map(|kind| {
            // SAFETY: the structure is filled by the call.
            let value = unsafe {
                let mut value: libc::itimerval = std::mem::zeroed();
                (getitimer(kind, &raw mut value) == 0).then_some(value)
            }?;
            let each = micros(&value.it_interval);
            let left = match micros(&value.it_value) {
                // SIGALRM waits to be taken: the system goes on counting behind that.  Others that have stopped keep their interval.
                0 if kind == libc::ITIMER_REAL => each,
                left => left,
            };
            (left > 0).then_some((kind as u64, left, each))
        })
        .collect()
}

/// Changes the environment as the program had, and says where its strings are now: saved address, length, here.
/// Strings in the program's own memory follow with [`apply`].
pub(crate) fn environment_again(saved: &ProcessMeta) -> Vec<(u64, u64, usize)> {
    let text = |bytes: &[u8]| CString::new(bytes).unwrap_or_default();
    // SAFETY: terminated strings; the program does not run yet.
    unsafe {
        for name in &saved.removed {
            libc::unsetenv(text(name).as_ptr());
        }
        let here: Vec<Vec<u8>> = environment().map(|(_, text)| text).collect();
        for v in saved.environment.iter().filter(|v| v.changed && !v.own) {
            if v.text.contains(&b'=') && !here.contains(&v.text) {
                libc::putenv(text(&v.text).into_raw());
            }
        }
    }
    let here: Vec<(usize, Vec<u8>)> = environment().collect();
    let place = |v: &VariableMeta| {
        let same = here.iter().find(|h| h.1 == v.text);
        // What the program may still point to stays as it was.
        let place = same.map_or_else(|| text(&v.text).into_raw() as usize, |h| h.0);
        keep(place);
        place
    };
    let foreign = saved.environment.iter().filter(|v| !v.own);
    foreign
        .map(|v| (v.addr, v.text.len() as u64, place(v)))
        .collect()
}

/// Can all of it be had here?  Changes nothing.  Handlers are addresses of this program already.
pub(crate) fn check(saved: &ProcessMeta) -> Result<(), String> {
    for (category, name) in &saved.locale {
        let text = CString::new(name.as_str()).unwrap_or_default();
        // SAFETY: a terminated string; what is made is given back.
        unsafe {
            let made = libc::newlocale(1 << category, text.as_ptr(), std::ptr::null_mut());
            if made.is_null() {
                return Err(format!("the program's locale {name} is not installed here"));
            }
            libc::freelocale(made);
        }
    }
    if let Some((path, below)) = &saved.directory {
        if !places(path, below.as_deref()).any(|p| p.is_dir()) {
            let path = String::from_utf8_lossy(path);
            return Err(format!(
                "the program's working directory {path} is not here"
            ));
        }
    }
    Ok(())
}

pub(crate) fn places<'a>(
    path: &[u8],
    below: Option<&[u8]>,
) -> impl Iterator<Item = std::path::PathBuf> + use<'a> {
    let list = baseline::get().candidates(path, below);
    list.into_iter()
        .map(|p| Path::new(std::ffi::OsStr::from_bytes(&p)).to_owned())
}

/// Before any stream is used for wide characters: those keep the encoding that they begin with.
pub(crate) fn apply_locale(saved: &ProcessMeta) -> Result<(), String> {
    for (category, name) in &saved.locale {
        let text = CString::new(name.as_str()).unwrap_or_default();
        // SAFETY: a terminated string; the program does not run yet.
        if unsafe { libc::setlocale(*category as c_int, text.as_ptr()) }.is_null() {
            return Err(format!("the program's locale {name} cannot be set here"));
        }
    }
    Ok(())
}

/// Makes the process what the program had made of it; `own`: strings of its memory that are in the environment.
pub(crate) fn apply(saved: &ProcessMeta, own: &[usize], mpi: bool) -> Result<(), String> {
    let failed = |what: &str| {
        let e = std::io::Error::last_os_error();
        Err(format!("{what} cannot be restored: {e}"))
    };
    if let Some((path, below)) = &saved.directory {
        if !places(path, below.as_deref()).any(|p| std::env::set_current_dir(p).is_ok()) {
            return failed("the working directory");
        }
    }
    // SAFETY: plain calls with initialised structures and terminated strings; the program does not run yet.
    unsafe {
        if let Some(mask) = saved.umask {
            libc::umask(mask as libc::mode_t);
        }
        for text in own {
            libc::putenv(*text as *mut c_char);
        }
        if saved.zone {
            tzset();
        }
        for s in &saved.signals {
            let mut act: libc::sigaction = std::mem::zeroed();
            act.sa_sigaction = handlers::stand_in(s.signal as c_int, s.handler as usize);
            act.sa_mask = set(s.mask);
            act.sa_flags = flags_to(s.flags);
            if libc::sigaction(s.signal as c_int, &raw const act, std::ptr::null_mut()) != 0 {
                return failed("a signal's handler");
            }
            if s.handler == libc::SIG_DFL as u64 {
                control::listen_again(s.signal as c_int);
            }
        }
        if let Some(blocked) = saved.blocked {
            let blocked = set(blocked);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const blocked, std::ptr::null_mut());
        }
        if !mpi {
            handlers::hold();
        }
        for s in saved
            .signals
            .iter()
            .filter(|s| s.flags & SIGNAL_PENDING != 0)
        {
            libc::raise(s.signal as c_int);
        }
        for (kind, left, each) in &saved.timers {
            let time = |micros: u64| libc::timeval {
                tv_sec: (micros / 1_000_000) as _,
                tv_usec: (micros % 1_000_000) as _,
            };
            let value = libc::itimerval {
                it_interval: time(*each),
                it_value: time(*left),
            };
            setitimer(*kind as c_int, &raw const value, std::ptr::null_mut());
        }
    }
    limits::apply(&saved.limits)
}
