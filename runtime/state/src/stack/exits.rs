//! Functions that the program wants called at its end: kept here and not with the C library, so that they are
//! saved, and each rank's run when that rank ends.  Destructors follow them.

use std::ffi::{c_int, c_void};

pub type Plain = unsafe extern "C" fn();
pub type WithStatus = unsafe extern "C" fn(c_int, *mut c_void);

#[derive(Clone, Copy)]
pub enum AtExit {
    Plain(Plain),
    WithStatus(WithStatus, *mut c_void),
}
