//! Saved frames of one rank: records in a growing buffer, innermost first while unwinding,
//! outermost first while resuming.

use std::ffi::c_void;

/// Mirror of `struct pc3_frame`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FrameAbi {
    pub point: *const c_void,
    pub live: *mut c_void,
    pub shadow: *mut c_void,
}

#[derive(Default, Debug)]
pub struct Frames {
    /// Innermost first.
    pub(crate) list: Vec<FrameAbi>,
    /// While resuming: frames not yet entered.
    pub(crate) left: usize,
}
