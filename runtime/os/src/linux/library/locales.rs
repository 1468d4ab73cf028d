//! Locales of the process and of its threads.

use std::ffi::{c_int, CStr};
use std::ptr::{null, null_mut};

use super::types::locale_t;

/// How many categories there are: musl has those of POSIX.
const COUNT: usize = if cfg!(target_env = "musl") { 6 } else { 12 };

/// The C library's categories, but for the one that means all.
pub const CATEGORIES: [c_int; COUNT] = *first(&[0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]);
/// Their names, in that order.
pub const NAMES: [&str; COUNT] = *first(&[
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
]);
pub const ALL: c_int = 6;

const fn first<T, const N: usize>(all: &[T; 12]) -> &[T; N] {
    match all.first_chunk() {
        Some(some) => some,
        None => panic!("so many there are"),
    }
}

fn mask(category: c_int) -> c_int {
    match category {
        ALL => CATEGORIES.iter().fold(0, |bits, c| bits | 1 << c),
        _ => 1 << category,
    }
}

/// A locale that a thread can have; never given back: any thread may be set to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Locale(locale_t);

impl Locale {
    /// The process's.
    pub const GLOBAL: Locale = Locale(-1_isize as locale_t);

    /// As C has it; null is none.
    pub fn of(object: locale_t) -> Option<Locale> {
        (!object.is_null()).then_some(Locale(object))
    }

    pub fn object(self) -> locale_t {
        self.0
    }

    /// Another one in a category, or in all; else as `base`, or as "C". None: there is no such locale here.
    pub fn with(base: Option<Locale>, category: c_int, name: &CStr) -> Option<Locale> {
        // SAFETY: a terminated string; the copy is consumed or given back.
        unsafe {
            // Without one musl would take what the environment says.
            let base = match base {
                Some(o) => libc::duplocale(o.0),
                None => libc::newlocale(mask(ALL), c"C".as_ptr(), null_mut()),
            };
            let new = libc::newlocale(mask(category), name.as_ptr(), base);
            if new.is_null() && !base.is_null() {
                libc::freelocale(base);
            }
            Locale::of(new)
        }
    }

    /// Of one category.
    pub fn name(self, category: c_int) -> String {
        // The C library's item for a category's name.
        let item = category << 16 | 0xffff;
        // SAFETY: a locale that exists; the result is a terminated string.
        let text = unsafe { CStr::from_ptr(libc::nl_langinfo_l(item, self.0)) };
        text.to_string_lossy().into_owned()
    }

    /// This thread has it from now on.
    pub fn enter(self) {
        // SAFETY: a locale that exists, or the process's.
        unsafe { libc::uselocale(self.0) };
    }
}

/// Is there such a locale here?
pub fn exists(category: c_int, name: &CStr) -> bool {
    // SAFETY: a terminated string; what is made is given back.
    unsafe {
        let made = libc::newlocale(1 << category, name.as_ptr(), null_mut());
        if !made.is_null() {
            libc::freelocale(made);
        }
        !made.is_null()
    }
}

/// The process's, of one category.
pub fn process(category: c_int) -> Option<String> {
    // SAFETY: asks only; the result is a terminated string or null.
    unsafe {
        let name = libc::setlocale(category, null());
        (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
    }
}

/// Sets the process's; no thread uses it now.
pub fn set_process(category: c_int, name: &CStr) -> bool {
    // SAFETY: a terminated string.
    unsafe { !libc::setlocale(category, name.as_ptr()).is_null() }
}
