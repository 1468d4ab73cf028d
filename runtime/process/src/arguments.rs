//! What the program was called with.

use std::ffi::{c_char, CStr};
use std::ptr::null_mut;
use std::sync::OnceLock;

/// What `main` was called with.
pub struct Arguments {
    pub list: Vec<&'static CStr>,
    pub env: *mut *mut c_char,
}

// SAFETY: the process's own, which live as long as it.
unsafe impl Send for Arguments {}
// SAFETY: as above.
unsafe impl Sync for Arguments {}

static ARGUMENTS: OnceLock<Arguments> = OnceLock::new();
/// Arguments of the job's first start, if this is another.
static FIRST: OnceLock<Vec<Vec<u8>>> = OnceLock::new();

/// To be called once, before the program runs.
pub fn note(arguments: Arguments) {
    let _ = ARGUMENTS.set(arguments);
}

/// None: no C program has been started.
pub fn get() -> Option<&'static Arguments> {
    ARGUMENTS.get()
}

/// The job was first started with these.
pub fn go_on_with(first: &[Vec<u8>]) {
    let _ = FIRST.set(first.to_vec());
}

/// What the program was started with at first, without its name.
pub fn first() -> Vec<Vec<u8>> {
    FIRST.get().cloned().unwrap_or_else(here)
}

/// What this process was started with.
pub fn here() -> Vec<Vec<u8>> {
    let list = ARGUMENTS.get().map_or(&[][..], |a| &a.list[..]);
    list.iter().skip(1).map(|a| a.to_bytes().to_vec()).collect()
}

/// The environment that this process was started with; null: nobody has said.
pub fn environment() -> *mut *mut c_char {
    ARGUMENTS.get().map_or(null_mut(), |a| a.env)
}
