//! Callbacks around checkpoints.

use std::ffi::{c_int, c_void};

pub const BEFORE: c_int = 1;
pub const CONTINUE: c_int = 2;
pub const RESTART: c_int = 4;

pub type Function = unsafe extern "C" fn(c_int, *mut c_void);

#[derive(Clone, Copy)]
pub struct Callback {
    pub events: c_int,
    pub function: Function,
    pub context: *mut c_void,
}
