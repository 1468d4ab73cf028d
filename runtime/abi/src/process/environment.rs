//! The environment that the process was started with.

use std::ffi::{c_char, CStr};
use std::ptr::null;

use pc3_checkpoint::process::attributes;
use pc3_process::arguments;

/// What the process was started with under a name; null: nothing.
///
/// # Safety
/// A terminated string.
#[no_mangle]
pub unsafe extern "C" fn pc3_first_value(name: *const c_char) -> *const c_char {
    // SAFETY: by the caller.
    let value = attributes::first_value(unsafe { CStr::from_ptr(name) });
    value.map_or(null(), CStr::as_ptr)
}

/// All of it.
#[no_mangle]
pub extern "C" fn pc3_environment() -> *mut *mut c_char {
    arguments::environment()
}
