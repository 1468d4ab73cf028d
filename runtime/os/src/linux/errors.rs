//! The thread's error number.

use std::ffi::c_int;

pub use libc::{
    EACCES, EAGAIN, EBUSY, EDQUOT, EEXIST, EFAULT, EINVAL, EIO, EISDIR, ENAMETOOLONG, ENOENT,
    ENOMEM, ENOSPC, ENOTDIR, EPERM, EROFS, ESRCH,
};

/// Where this thread's lies.
#[inline(always)]
pub fn slot() -> *mut c_int {
    // SAFETY: a plain call.
    unsafe { libc::__errno_location() }
}

#[inline(always)]
pub fn last() -> c_int {
    // SAFETY: the thread's own.
    unsafe { *slot() }
}

#[inline(always)]
pub fn set(code: c_int) {
    // SAFETY: the thread's own.
    unsafe { *slot() = code }
}

/// What `f` does leaves the number as it was.
#[inline(always)]
pub fn keep<T>(f: impl FnOnce() -> T) -> T {
    let before = last();
    let done = f();
    set(before);
    done
}

/// What a call says that gives 0 if it went well.
pub(super) fn done(code: c_int) -> std::io::Result<()> {
    match code {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}
