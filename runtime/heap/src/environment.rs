//! The environment as the process was given it: a program may have a `getenv` of its own, which is not to answer for the
//! system's.

use std::ffi::OsString;

pub fn variable(name: &str) -> Option<OsString> {
    std::env::vars_os().find_map(|(n, value)| (n == name).then_some(value))
}

/// As text; what is none counts as absent.
pub fn text(name: &str) -> Option<String> {
    variable(name)?.into_string().ok()
}
