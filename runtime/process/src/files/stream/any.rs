//! What streams are whatever C library they are of.

use std::time::Duration;

use pc3_os::streams;
use pc3_os::types::FILE;

use crate::files::system;

/// While `f` runs no other thread uses the stream.
///
/// # Safety
/// An open stream.
pub unsafe fn alone<T>(stream: *mut FILE, f: impl FnOnce() -> T) -> T {
    // SAFETY: by the caller.
    unsafe { streams::lock(stream) };
    let result = f();
    // SAFETY: as above.
    unsafe { streams::unlock(stream) };
    result
}

/// A stream at rest.
pub struct Standing {
    /// Bytes read from the file that the program has not seen.
    pub unread: u64,
    /// In front of them, given back with `ungetc`.
    pub pushed: Vec<u8>,
    /// Written by the program and not to the file.
    pub pending: Vec<u8>,
    pub state: u64,
}

/// Is what its buffer has saved?  Otherwise output has to go to the file, and what was read has to be read again.
///
/// # Safety
/// An open stream.
pub unsafe fn is_saved(stream: *mut FILE) -> bool {
    // SAFETY: by the caller.
    unsafe { system::length_of(streams::number(stream)).is_some() && streams::width(stream) <= 0 }
}

/// Is it used for wide characters?
///
/// # Safety
/// An open stream.
pub unsafe fn is_wide(stream: *mut FILE) -> bool {
    // SAFETY: by the caller.
    unsafe { streams::width(stream) > 0 }
}

/// Locks a stream, unless somebody keeps it.
pub(crate) fn lock(stream: *mut FILE) -> bool {
    const TRIES: u32 = 200;
    (0..TRIES).any(|i| {
        if i > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        // SAFETY: a standard stream.
        unsafe { streams::try_lock(stream) }
    })
}

/// With the stream's lock, unless somebody keeps that.
pub(crate) fn locked<T>(stream: *mut FILE, act: impl FnOnce() -> T) -> Option<T> {
    lock(stream).then(|| {
        let done = act();
        // SAFETY: locked here.
        unsafe { streams::unlock(stream) };
        done
    })
}
