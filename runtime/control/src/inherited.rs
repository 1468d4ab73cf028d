//! The settings that the process was given: its environment's, until the program runs.  Then they are out of that, so that neither
//! the program nor what it starts sees another's settings.

use std::collections::BTreeMap;
use std::ffi::{c_char, CStr, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

use pc3_os::variables;

use crate::settings::is_of_a_job;

static TAKEN: OnceLock<BTreeMap<OsString, OsString>> = OnceLock::new();

pub fn var_os(name: &str) -> Option<OsString> {
    match TAKEN.get() {
        Some(taken) => taken.get(OsStr::new(name)).cloned(),
        None => std::env::var_os(name),
    }
}

pub fn var(name: &str) -> Option<String> {
    var_os(name)?.into_string().ok()
}

/// To be called before the program runs; `given`: what the process was started with, or null.
///
/// # Safety
/// Null, or an array of terminated texts that ends with null; nobody else uses the environment now.
pub unsafe fn take(given: *mut *mut c_char) {
    let ours = |name: &OsStr| name.to_str().is_some_and(is_of_a_job);
    let taken = std::env::vars_os().filter(|(name, _)| ours(name));
    if TAKEN.set(taken.collect()).is_err() {
        return;
    }
    // SAFETY: by the caller.
    unsafe {
        leave_out(variables::environment());
        leave_out(given);
    }
}

/// # Safety
/// As of [`take`].
unsafe fn leave_out(list: *mut *mut c_char) {
    if list.is_null() {
        return;
    }
    let (mut from, mut to) = (0, 0);
    // SAFETY: by the caller.
    unsafe {
        loop {
            let text = *list.add(from);
            from += 1;
            let ours = !text.is_null() && is_ours(CStr::from_ptr(text).to_bytes());
            if !ours {
                *list.add(to) = text;
                to += 1;
            }
            if text.is_null() {
                return;
            }
        }
    }
}

fn is_ours(text: &[u8]) -> bool {
    let name = text.split(|b| *b == b'=').next().unwrap_or_default();
    OsStr::from_bytes(name).to_str().is_some_and(is_of_a_job)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_jobs_is_left_out() {
        let texts = [c"A=1", c"PC3_DIR=x", c"PC3_CC=gcc", c"PC3_EVERY=1s", c"B"]
            .map(|t| t.as_ptr().cast_mut());
        let [a, _, cc, _, b] = texts;
        let mut list = texts.to_vec();
        list.push(std::ptr::null_mut());
        // SAFETY: it ends with null.
        unsafe { leave_out(list.as_mut_ptr()) };
        assert_eq!(list[..4], [a, cc, b, std::ptr::null_mut()]);
        // SAFETY: nothing to look at.
        unsafe { leave_out(std::ptr::null_mut()) };
    }
}
