//! What a program changes of its process: working directory, umask, environment, locale, signals, timers.  All of
//! it can be asked for, so nothing is noted when it changes.

use std::ffi::{c_char, c_int, CStr, CString};
use std::os::unix::ffi::OsStringExt;
use std::sync::OnceLock;

use pc3_os::locales::{self, CATEGORIES};
use pc3_os::signals::{self, Mask};
use pc3_os::{clocks, files, processes, variables};

use crate::process::interrupts;
use pc3_control::listening;
use pc3_format::library::{
    ProcessMeta, SignalMeta, VariableMeta, SIGNAL_INFO, SIGNAL_NODEFER, SIGNAL_NO_STOPPED_CHILDREN,
    SIGNAL_NO_ZOMBIES, SIGNAL_ON_STACK, SIGNAL_PENDING, SIGNAL_RESET, SIGNAL_RESTART,
};
use pc3_process::children;
use pc3_process::environment::keep;
use pc3_process::files::baseline;
use pc3_process::limits;

#[derive(Debug, Default)]
struct Beginning {
    environment: Vec<Vec<u8>>,
    signals: Vec<SignalMeta>,
    blocked: u64,
}

/// What the process was started with under a name.
pub fn first_value(name: &CStr) -> Option<&'static CStr> {
    static FIRST: OnceLock<Vec<CString>> = OnceLock::new();
    let all = FIRST.get_or_init(|| {
        let list = BEGINNING.get().map_or(&[][..], |b| &b.environment);
        let text = |t: &Vec<u8>| CString::new(t.as_slice()).ok();
        list.iter().filter_map(text).collect()
    });
    let mut values = all.iter().filter_map(|text| {
        let rest = text.to_bytes_with_nul().strip_prefix(name.to_bytes())?;
        CStr::from_bytes_with_nul(rest.strip_prefix(b"=")?).ok()
    });
    values.next()
}

static BEGINNING: OnceLock<Beginning> = OnceLock::new();

/// To be called before the program runs.
pub fn note() {
    let beginning = Beginning {
        environment: environment().map(|(_, text)| text).collect(),
        signals: (1..=64).filter_map(disposition).collect(),
        blocked: signals::blocked().bits(),
    };
    let _ = BEGINNING.set(beginning);
    limits::note();
    children::note();
}

fn environment() -> impl Iterator<Item = (usize, Vec<u8>)> {
    let mut i = 0;
    std::iter::from_fn(move || {
        // SAFETY: a list that ends with null; nobody changes it now.
        unsafe {
            let list = variables::environment();
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

/// Blocked ones that have been raised.
fn pending() -> u64 {
    signals::pending().bits() & signals::blocked().bits()
}

/// A signal that waits with a value, or may do so more than once: what it carries cannot be asked for without taking it.
pub fn queued() -> Option<c_int> {
    const FIRST_QUEUED: c_int = 32;
    let waiting = pending();
    let mut waiting = (1..=64).filter(|n| waiting >> (n - 1) & 1 != 0);
    waiting.find(|n| *n >= FIRST_QUEUED || carries_value(*n))
}

/// Takes a signal that waits, and has it wait again.
fn carries_value(signal: c_int) -> bool {
    let Some((taken, info)) = signals::take(&Mask::one(signal)) else {
        return false;
    };
    // It is this thread's own again.
    signals::put_back(taken, info);
    signals::carries_value(&info)
}

const FLAGS: [(c_int, u64); 7] = [
    (signals::SA_ONSTACK, SIGNAL_ON_STACK),
    (signals::SA_RESTART, SIGNAL_RESTART),
    (signals::SA_SIGINFO, SIGNAL_INFO),
    (signals::SA_NODEFER, SIGNAL_NODEFER),
    (signals::SA_RESETHAND, SIGNAL_RESET),
    (signals::SA_NOCLDSTOP, SIGNAL_NO_STOPPED_CHILDREN),
    (signals::SA_NOCLDWAIT, SIGNAL_NO_ZOMBIES),
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
    let act = signals::action(signal).ok()?;
    Some(SignalMeta {
        signal: signal as u64,
        handler: interrupts::meant(act.sa_sigaction, interrupts::of(signal)) as u64,
        mask: signals::bits(&act.sa_mask),
        flags: flags_of(act.sa_flags),
    })
}

/// What differs from the beginning.  `is_function`: is it one of the program's?  `is_own`: is the address one of
/// the program's memory?
pub fn collect(
    is_function: &dyn Fn(u64) -> bool,
    is_own: &dyn Fn(usize) -> bool,
    masks: bool,
) -> ProcessMeta {
    static NONE: Beginning = Beginning {
        environment: Vec::new(),
        signals: Vec::new(),
        blocked: 0,
    };
    let first = BEGINNING.get().unwrap_or(&NONE);
    let base = baseline::get();
    let mask = files::mask();
    let now = interrupts::program_mask().unwrap_or_else(|| signals::blocked().bits());
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
        handler: if s.handler == listening::listener() as u64 {
            signals::SIG_DFL as u64
        } else {
            s.handler
        },
        ..s
    });
    ProcessMeta {
        directory: directory(),
        umask: (mask != base.umask).then_some(u64::from(mask)),
        removed,
        environment: list,
        locale: locale(),
        zone: processes::has_zone(),
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

fn locale() -> Vec<(u64, String)> {
    CATEGORIES
        .into_iter()
        .filter_map(|c| Some((c as u64, locales::process(c)?)))
        .filter(|(_, name)| name != "C")
        .collect()
}

fn timers() -> Vec<(u64, u64, u64)> {
    (0..3)
        .filter_map(|kind| {
            let (left, each) = clocks::interval_timer(kind)?;
            let left = match left {
                // SIGALRM waits to be taken: the system goes on counting behind that.  Others that have stopped keep their interval.
                0 if kind == clocks::ITIMER_REAL => each,
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
    for name in &saved.removed {
        processes::unset_variable(&text(name));
    }
    let here: Vec<Vec<u8>> = environment().map(|(_, text)| text).collect();
    for v in saved.environment.iter().filter(|v| v.changed && !v.own) {
        if v.text.contains(&b'=') && !here.contains(&v.text) {
            // SAFETY: a terminated string, which stays.
            unsafe { processes::put_variable(text(&v.text).into_raw()) };
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
pub fn check(saved: &ProcessMeta) -> Result<(), String> {
    for (category, name) in &saved.locale {
        let text = CString::new(name.as_str()).unwrap_or_default();
        if !locales::exists(*category as c_int, &text) {
            return Err(format!("the program's locale {name} is not installed here"));
        }
    }
    if let Some((path, below)) = &saved.directory {
        if !baseline::places(path, below.as_deref()).any(|p| p.is_dir()) {
            let path = String::from_utf8_lossy(path);
            return Err(format!(
                "the program's working directory {path} is not here"
            ));
        }
    }
    Ok(())
}

/// Before any stream is used for wide characters: those keep the encoding that they begin with.
pub(crate) fn apply_locale(saved: &ProcessMeta) -> Result<(), String> {
    for (category, name) in &saved.locale {
        let text = CString::new(name.as_str()).unwrap_or_default();
        if !locales::set_process(*category as c_int, &text) {
            return Err(format!("the program's locale {name} cannot be set here"));
        }
    }
    Ok(())
}

/// Makes the process what the program had made of it; `own`: strings of its memory that are in the environment.
pub fn apply(saved: &ProcessMeta, own: &[usize], mpi: bool) -> Result<(), String> {
    let failed = |what: &str, e: std::io::Error| Err(format!("{what} cannot be restored: {e}"));
    if let Some((path, below)) = &saved.directory {
        let mut gone = std::io::Error::from(std::io::ErrorKind::NotFound);
        let go = |p| std::env::set_current_dir(p).map_err(|e| gone = e).is_ok();
        if !baseline::places(path, below.as_deref()).any(go) {
            return failed("the working directory", gone);
        }
    }
    if let Some(mask) = saved.umask {
        files::set_mask(mask as u32);
    }
    for text in own {
        // SAFETY: a terminated string of the program, which had it there.
        unsafe { processes::put_variable(*text as *mut c_char) };
    }
    if saved.zone {
        processes::take_zone();
    }
    for s in &saved.signals {
        let signal = s.signal as c_int;
        let handler = interrupts::stand_in(signal, s.handler as usize);
        let mut act = signals::new_action(handler, flags_to(s.flags));
        act.sa_mask = signals::set(s.mask);
        // SAFETY: a handler of the program, which had it.
        if let Err(e) = unsafe { signals::set_action(signal, &act) } {
            return failed("a signal's handler", e);
        }
        if s.handler == signals::SIG_DFL as u64 {
            listening::listen_again(signal);
        }
    }
    if let Some(blocked) = saved.blocked {
        signals::block_only(&Mask::of(blocked));
    }
    if !mpi {
        interrupts::hold();
    }
    let waiting = |s: &&SignalMeta| s.flags & SIGNAL_PENDING != 0;
    for s in saved.signals.iter().filter(waiting) {
        signals::raise(s.signal as c_int);
    }
    for (kind, left, each) in &saved.timers {
        clocks::set_interval_timer(*kind as c_int, (*left, *each));
    }
    limits::apply(&saved.limits)
}
