//! The locale of each rank, where several share a process: a thread takes that of the rank that it runs.

use std::cell::Cell;
use std::ffi::{c_char, c_int, CStr, CString};
use std::ptr::null;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::format::library::ProcessMeta;
use crate::process::CATEGORIES;
use crate::rank::Rank;

/// What a rank has chosen.
#[derive(Debug, Default)]
pub(crate) struct Locale {
    object: Option<Object>,
    /// The program's own, which it has made its thread's (`uselocale`).
    thread: Option<Object>,
    /// The last answer.
    said: CString,
}

/// Never given back: another worker may still be set to it, until it runs its next rank.
#[derive(Debug)]
struct Object(libc::locale_t);

/// Some rank has.
static USED: AtomicBool = AtomicBool::new(false);

const GLOBAL: libc::locale_t = -1_isize as libc::locale_t;

thread_local! {
    static NOW: Cell<libc::locale_t> = const { Cell::new(GLOBAL) };
}

/// The thread runs this rank from now on.
#[inline]
pub(crate) fn enter(rank: &Rank) {
    if USED.load(Relaxed) {
        take(rank);
    }
}

#[cold]
fn take(rank: &Rank) {
    let locale = &rank.locale;
    let chosen = locale.thread.as_ref().or(locale.object.as_ref());
    let wanted = chosen.map_or(GLOBAL, |o| o.0);
    if NOW.replace(wanted) != wanted {
        // SAFETY: the rank's own, or the process's.
        unsafe { libc::uselocale(wanted) };
    }
}

const ALL: c_int = 6;

fn mask(category: c_int) -> c_int {
    let all = || CATEGORIES.iter().fold(0, |bits, c| bits | 1 << c);
    if category == ALL {
        all()
    } else {
        1 << category
    }
}

/// Of one category; "C" where nothing has been chosen.
fn name(locale: &Locale, category: c_int) -> String {
    let Some(object) = &locale.object else {
        return "C".to_owned();
    };
    // The C library's item for a category's name.
    let item = category << 16 | 0xffff;
    // SAFETY: a locale that exists; the result is a terminated string.
    let text = unsafe { CStr::from_ptr(libc::nl_langinfo_l(item, object.0)) };
    text.to_string_lossy().into_owned()
}

const NAMES: [&str; 12] = [
    "LC_CTYPE",
    "LC_NUMERIC",
    "LC_TIME",
    "LC_COLLATE",
    "LC_MONETARY",
    "LC_MESSAGES",
    "LC_PAPER",
    "LC_NAME",
    "LC_ADDRESS",
    "LC_TELEPHONE",
    "LC_MEASUREMENT",
    "LC_IDENTIFICATION",
];

/// As `setlocale` says it.
fn described(locale: &Locale, category: c_int) -> String {
    if category != ALL {
        return name(locale, category);
    }
    let all: Vec<String> = CATEGORIES.iter().map(|c| name(locale, *c)).collect();
    if all.iter().all(|n| *n == all[0]) {
        return all[0].clone();
    }
    let parts: Vec<String> = NAMES
        .iter()
        .zip(&all)
        .map(|(c, n)| format!("{c}={n}"))
        .collect();
    parts.join(";")
}

fn choose(rank: &mut Rank, category: c_int, name: &CStr) -> bool {
    // SAFETY: a terminated string; the copy is consumed or given back.
    unsafe {
        let old = rank.locale.object.as_ref();
        let base = old.map_or(std::ptr::null_mut(), |o| libc::duplocale(o.0));
        let new = libc::newlocale(mask(category), name.as_ptr(), base);
        if new.is_null() {
            if !base.is_null() {
                libc::freelocale(base);
            }
            return false;
        }
        USED.store(true, Relaxed);
        rank.locale.object = Some(Object(new));
        take(rank);
    }
    true
}

/// # Safety
/// As `setlocale`.
#[no_mangle]
pub unsafe extern "C" fn pc3_locale(category: c_int, name: *const c_char) -> *const c_char {
    // SAFETY: an entry point; by the caller.
    unsafe {
        let Some(rank) = Rank::current().filter(|r| r.job().several()) else {
            return libc::setlocale(category, name);
        };
        if category != ALL && !CATEGORIES.contains(&category) {
            return null();
        }
        if !name.is_null() && !choose(rank, category, CStr::from_ptr(name)) {
            return null();
        }
        let said = described(&rank.locale, category);
        rank.locale.said = CString::new(said).unwrap_or_default();
        rank.locale.said.as_ptr()
    }
}

/// # Safety
/// As `uselocale`.
#[no_mangle]
pub unsafe extern "C" fn pc3_uselocale(new: libc::locale_t) -> libc::locale_t {
    // SAFETY: an entry point; by the caller.
    unsafe {
        let Some(rank) = Rank::current().filter(|r| r.job().several()) else {
            return libc::uselocale(new);
        };
        let old = rank.locale.thread.as_ref().map_or(GLOBAL, |o| o.0);
        if !new.is_null() {
            USED.store(true, Relaxed);
            rank.locale.thread = (new != GLOBAL).then_some(Object(new));
            take(rank);
        }
        old
    }
}

/// Puts a rank's own into what is saved of it.
pub(crate) fn describe(rank: &Rank, meta: &mut ProcessMeta) {
    let all = CATEGORIES
        .iter()
        .map(|c| (*c as u64, name(&rank.locale, *c)));
    meta.locale = all.filter(|(_, name)| name != "C").collect();
}

/// Takes it out again, at a restart.
pub(crate) fn restore(rank: &mut Rank, meta: &mut ProcessMeta) -> Result<(), String> {
    for (category, name) in std::mem::take(&mut meta.locale) {
        let text = CString::new(name.as_str()).unwrap_or_default();
        if !choose(rank, category as c_int, &text) {
            return Err(format!("the program's locale {name} cannot be set here"));
        }
    }
    Ok(())
}
