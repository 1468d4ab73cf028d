//! The C library's streams.

use std::ffi::{c_char, c_int, c_void};
use std::os::fd::RawFd;
use std::ptr::null_mut;

use super::types::FILE;

pub use libc::{_IOFBF, _IOLBF, _IONBF, SEEK_CUR, SEEK_END, SEEK_SET};

/// How long a buffer is that `setbuf` is given.
pub const BUFFER: usize = libc::BUFSIZ as usize;

extern "C" {
    fn flockfile(stream: *mut FILE);
    fn ftrylockfile(stream: *mut FILE) -> c_int;
    fn funlockfile(stream: *mut FILE);
    #[cfg(not(target_env = "musl"))]
    fn _IO_doallocbuf(stream: *mut FILE);
    #[cfg_attr(target_env = "musl", link_name = "ftello")]
    fn ftello64(stream: *mut FILE) -> i64;
    fn fwide(stream: *mut FILE, mode: c_int) -> c_int;
    fn fopencookie(cookie: *mut c_void, mode: *const c_char, functions: Functions) -> *mut FILE;
}

/// # Safety
/// An open stream.
pub unsafe fn number(stream: *mut FILE) -> RawFd {
    // SAFETY: by the caller.
    unsafe { libc::fileno(stream) }
}

/// What waits in the stream goes where it leads; 0 if it could.
///
/// # Safety
/// An open stream.
pub unsafe fn flush(stream: *mut FILE) -> c_int {
    // SAFETY: by the caller.
    unsafe { libc::fflush(stream) }
}

pub fn flush_all() {
    // SAFETY: null means all streams.
    unsafe { libc::fflush(null_mut()) };
}

/// Locks a stream for this thread, as often as it is asked to.
///
/// # Safety
/// An open stream.
pub unsafe fn lock(stream: *mut FILE) {
    // SAFETY: by the caller.
    unsafe { flockfile(stream) }
}

/// The same, unless another thread has it.
///
/// # Safety
/// An open stream.
pub unsafe fn try_lock(stream: *mut FILE) -> bool {
    // SAFETY: by the caller.
    unsafe { ftrylockfile(stream) == 0 }
}

/// # Safety
/// An open stream that this thread has locked.
pub unsafe fn unlock(stream: *mut FILE) {
    // SAFETY: by the caller.
    unsafe { funlockfile(stream) }
}

/// Gives a stream the buffer that it would get when it is first used.
///
/// # Safety
/// An open stream without one.
#[cfg(not(target_env = "musl"))]
pub unsafe fn give_buffer(stream: *mut FILE) {
    // SAFETY: by the caller.
    unsafe { _IO_doallocbuf(stream) }
}

/// Where the stream stands; -1 if it has no position.
///
/// # Safety
/// An open stream.
pub unsafe fn position(stream: *mut FILE) -> i64 {
    // SAFETY: by the caller.
    unsafe { ftello64(stream) }
}

/// Is it used for wide characters (above 0), for bytes (below), or has it not been used?
///
/// # Safety
/// An open stream.
pub unsafe fn width(stream: *mut FILE) -> c_int {
    // SAFETY: by the caller; 0 asks only.
    unsafe { fwide(stream, 0) }
}

/// From now on it is, if it has not been used.
///
/// # Safety
/// An open stream.
pub unsafe fn set_wide(stream: *mut FILE, wide: bool) {
    // SAFETY: by the caller.
    unsafe { fwide(stream, if wide { 1 } else { -1 }) };
}

/// A stream over a descriptor; null if there is none.
///
/// # Safety
/// `mode` as for `fdopen`.
pub unsafe fn over(fd: RawFd, mode: *const c_char) -> *mut FILE {
    // SAFETY: by the caller.
    unsafe { libc::fdopen(fd, mode) }
}

/// # Safety
/// As `setvbuf`.
pub unsafe fn set_buffer(stream: *mut FILE, buffer: *mut c_char, mode: c_int, size: usize) {
    // SAFETY: by the caller.
    unsafe { libc::setvbuf(stream, buffer, mode, size) };
}

/// # Safety
/// An open stream.
pub unsafe fn write(stream: *mut FILE, bytes: &[u8]) {
    // SAFETY: by the caller; initialised bytes.
    unsafe { libc::fwrite(bytes.as_ptr().cast(), 1, bytes.len(), stream) };
}

/// The byte is the next to be read.
///
/// # Safety
/// An open stream.
pub unsafe fn put_back(stream: *mut FILE, byte: u8) {
    // SAFETY: by the caller.
    unsafe { libc::ungetc(c_int::from(byte), stream) };
}

type Read = unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> isize;
type Write = unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> isize;
type Seek = unsafe extern "C" fn(*mut c_void, *mut i64, c_int) -> c_int;
type Close = unsafe extern "C" fn(*mut c_void) -> c_int;

/// What a stream of our own making does; without functions it discards what is written.
#[repr(C)]
pub struct Functions {
    pub read: Option<Read>,
    pub write: Option<Write>,
    pub seek: Option<Seek>,
    pub close: Option<Close>,
}

/// A stream that these functions make, called with `cookie`; null if there is no memory for one.
///
/// # Safety
/// The functions do with `cookie` as the C library asks them to.
pub unsafe fn of_functions(
    cookie: *mut c_void,
    mode: *const c_char,
    functions: Functions,
) -> *mut FILE {
    // SAFETY: by the caller.
    unsafe { fopencookie(cookie, mode, functions) }
}
