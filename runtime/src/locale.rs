//! The locale of each rank, where several share a process: a thread takes that of the rank that it runs.

use std::cell::Cell;
use std::ffi::{c_char, c_int, CStr, CString};
use std::ptr::null;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pc3_os::locales::{Locale as Object, ALL, CATEGORIES, NAMES};
use pc3_os::original;
use pc3_os::types::locale_t;

use crate::format::library::ProcessMeta;
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

/// Some rank has.
static USED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static NOW: Cell<Object> = const { Cell::new(Object::GLOBAL) };
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
    let wanted = chosen.copied().unwrap_or(Object::GLOBAL);
    if NOW.replace(wanted) != wanted {
        wanted.enter();
    }
}

/// Of one category; "C" where nothing has been chosen.
fn name(locale: &Locale, category: c_int) -> String {
    match &locale.object {
        Some(object) => object.name(category),
        None => "C".to_owned(),
    }
}

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
    let Some(new) = Object::with(rank.locale.object, category, name) else {
        return false;
    };
    USED.store(true, Relaxed);
    rank.locale.object = Some(new);
    take(rank);
    true
}

/// # Safety
/// As `setlocale`.
#[no_mangle]
pub unsafe extern "C" fn pc3_locale(category: c_int, name: *const c_char) -> *const c_char {
    // SAFETY: an entry point; by the caller.
    unsafe {
        let Some(rank) = Rank::current().filter(|r| r.job().several()) else {
            return original::setlocale(category, name);
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
pub unsafe extern "C" fn pc3_uselocale(new: locale_t) -> locale_t {
    // SAFETY: an entry point; by the caller.
    unsafe {
        let Some(rank) = Rank::current().filter(|r| r.job().several()) else {
            return original::uselocale(new);
        };
        let old = rank.locale.thread.unwrap_or(Object::GLOBAL);
        if let Some(new) = Object::of(new) {
            USED.store(true, Relaxed);
            rank.locale.thread = (new != Object::GLOBAL).then_some(new);
            take(rank);
        }
        old.object()
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
