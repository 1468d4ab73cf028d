//! The calling rank's locale, where it has others beside it; else the process's.

use std::ffi::{c_char, c_int, CStr};
use std::ptr::null;

use pc3_os::locales::{Locale as Object, ALL, CATEGORIES};
use pc3_os::original;
use pc3_os::types::locale_t;

use pc3_state::rank::Rank;

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
        if !name.is_null() && !rank.locale.choose(category, CStr::from_ptr(name)) {
            return null();
        }
        rank.locale.say(category).as_ptr()
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
        rank.locale.choose_for_thread(Object::of(new)).object()
    }
}
