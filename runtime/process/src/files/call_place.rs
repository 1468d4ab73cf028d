//! Where a call of the program stands, to name it by.

use std::cell::Cell;
use std::ffi::{c_char, CStr};
use std::ptr::null;

thread_local! {
    /// Where the call stands that is being made.
    static PLACE: Cell<*const c_char> = const { Cell::new(null()) };
}

/// Says where the next call stands: a static string, `a.c:12`.
#[inline]
pub fn at(place: *const c_char) {
    PLACE.set(place);
}

/// `open at a.c:12`.
#[inline]
pub fn call(name: &str) -> String {
    let place = PLACE.replace(null());
    if place.is_null() {
        return name.to_owned();
    }
    // SAFETY: a static string of generated code.
    let place = unsafe { CStr::from_ptr(place) }.to_string_lossy();
    format!("{name} at {place}")
}

/// That of the next call, if it has been said.
#[inline]
pub fn get() -> *const c_char {
    PLACE.get()
}
