//! Inside of the GNU C library's `FILE`: what `<stdio.h>` has no call for.  Its first members have been the
//! same on all ABIs since 1999; programs compiled long ago use them through inlined `getc`.

use std::ffi::{c_char, c_int, c_long, c_void};

use libc::FILE;

use super::system;
use crate::format::library::{STATE_EOF, STATE_ERROR, STATE_WIDE};

#[repr(C)]
struct Inner {
    flags: c_int,
    read_ptr: *mut c_char,
    read_end: *mut c_char,
    read_base: *mut c_char,
    write_base: *mut c_char,
    write_ptr: *mut c_char,
    write_end: *mut c_char,
    buf_base: *mut c_char,
    buf_end: *mut c_char,
    save_base: *mut c_char,
    backup_base: *mut c_char,
    save_end: *mut c_char,
    markers: *mut c_void,
    chain: *mut c_void,
    fileno: c_int,
    flags2: c_int,
    old_offset: c_long,
    column: u16,
    vtable_offset: i8,
    short_buffer: [c_char; 1],
    lock: *mut c_void,
    /// Where the descriptor stood when the stream last used it, or -1.
    offset: i64,
}

const NO_READS: c_int = 0x4;
const NO_WRITES: c_int = 0x8;
const EOF_SEEN: c_int = 0x10;
const ERR_SEEN: c_int = 0x20;
const IN_BACKUP: c_int = 0x100;
const PUTTING: c_int = 0x800;
const APPENDING: c_int = 0x1000;

extern "C" {
    fn ftello64(stream: *mut FILE) -> i64;
    fn fwide(stream: *mut FILE, mode: c_int) -> c_int;
}

/// A stream at rest.
pub(super) struct Standing {
    /// Bytes read from the file that the program has not seen.
    pub unread: u64,
    /// In front of them, given back with `ungetc`.
    pub pushed: Vec<u8>,
    /// Written by the program and not to the file.
    pub pending: Vec<u8>,
    pub state: u64,
}

/// # Safety
/// An open stream that nobody uses now.
pub(super) unsafe fn standing(stream: *mut FILE) -> Standing {
    // SAFETY: by the caller; the C library is GNU's.
    unsafe {
        let inner = &*stream.cast::<Inner>();
        let wide = fwide(stream, 0) > 0;
        let mut state = 0;
        for (bit, is) in [
            (STATE_EOF, inner.flags & EOF_SEEN != 0),
            (STATE_ERROR, inner.flags & ERR_SEEN != 0),
            (STATE_WIDE, wide),
        ] {
            state |= if is { bit } else { 0 };
        }
        let (mut pushed, mut pending) = (Vec::new(), Vec::new());
        let unread = if wide {
            let behind = system::position(libc::fileno(stream));
            let errno = *libc::__errno_location();
            let here = u64::try_from(ftello64(stream)).ok();
            *libc::__errno_location() = errno;
            behind
                .zip(here)
                .map_or(0, |(behind, here)| behind.saturating_sub(here))
        } else if inner.flags & PUTTING != 0 {
            let bytes = between(inner.write_base, inner.write_ptr) as usize;
            if bytes > 0 {
                pending = std::slice::from_raw_parts(inner.write_base.cast(), bytes).to_vec();
            }
            // What is written where something had been read goes in front of the rest of that.
            between(inner.write_base, inner.read_end)
        } else {
            let rest = between(inner.read_ptr, inner.read_end);
            if inner.flags & IN_BACKUP != 0 {
                let bytes = inner.read_ptr.cast::<u8>();
                pushed = std::slice::from_raw_parts(bytes, rest as usize).to_vec();
                between(inner.save_base, inner.save_end)
            } else {
                rest
            }
        };
        Standing {
            unread,
            pushed,
            pending,
            state,
        }
    }
}

fn between(start: *mut c_char, end: *mut c_char) -> u64 {
    (end as usize).saturating_sub(start as usize) as u64
}

/// Is output that waits in it saved?  Otherwise it has to go to the file.
///
/// # Safety
/// An open stream.
pub(super) unsafe fn may_wait(stream: *mut FILE) -> bool {
    // SAFETY: by the caller.
    unsafe { system::length_of(libc::fileno(stream)).is_some() && fwide(stream, 0) <= 0 }
}

/// Is it used for wide characters?
///
/// # Safety
/// An open stream.
pub(super) unsafe fn is_wide(stream: *mut FILE) -> bool {
    // SAFETY: by the caller.
    unsafe { fwide(stream, 0) > 0 }
}

/// Have characters been given back that do not stand in the file?
///
/// # Safety
/// An open stream.
pub(super) unsafe fn has_pushed(stream: *mut FILE) -> bool {
    // SAFETY: by the caller; the C library is GNU's.
    unsafe { (*stream.cast::<Inner>()).flags & IN_BACKUP != 0 }
}

/// Has the program moved the descriptor of a stream that has read ahead?
///
/// # Safety
/// An open stream.
pub(super) unsafe fn is_moved(stream: *mut FILE) -> bool {
    // SAFETY: by the caller; the C library is GNU's.
    unsafe {
        let inner = &*stream.cast::<Inner>();
        let ahead = inner.flags & PUTTING == 0 && standing(stream).unread > 0;
        let now = system::position(inner.fileno);
        ahead && inner.offset >= 0 && now.is_some_and(|at| at != inner.offset as u64)
    }
}

/// Does output wait in it?
///
/// # Safety
/// An open stream.
pub(super) unsafe fn has_output(stream: *mut FILE) -> bool {
    // SAFETY: by the caller; the C library is GNU's.
    unsafe { (*stream.cast::<Inner>()).flags & PUTTING != 0 }
}

/// Has it been used?  A stream gets its buffer when it first is.
///
/// # Safety
/// An open stream.
pub(super) unsafe fn is_used(stream: *mut FILE) -> bool {
    // SAFETY: by the caller.
    unsafe { !(*stream.cast::<Inner>()).buf_base.is_null() }
}

/// Gives a fresh stream what it had: output that waits, characters in front, state.
///
/// # Safety
/// An open stream that has not been used.
pub(super) unsafe fn put_back(stream: *mut FILE, pending: &[u8], pushed: &[u8], state: u64) {
    // SAFETY: by the caller.
    unsafe {
        if state & STATE_WIDE != 0 {
            fwide(stream, 1);
        }
        if !pending.is_empty() {
            libc::fwrite(pending.as_ptr().cast(), 1, pending.len(), stream);
        }
        for c in pushed.iter().rev() {
            libc::ungetc(c_int::from(*c), stream);
        }
        let inner = stream.cast::<Inner>();
        if state & STATE_EOF != 0 {
            (*inner).flags |= EOF_SEEN;
        }
        if state & STATE_ERROR != 0 {
            (*inner).flags |= ERR_SEEN;
        }
    }
}

/// Makes a standard stream one opened with `mode` on its descriptor.
///
/// # Safety
/// A standard stream that has not been used.
pub(super) unsafe fn set_mode(stream: *mut FILE, mode: &str) {
    let both = mode.contains('+');
    let mut flags = match mode.as_bytes().first() {
        _ if both => 0,
        Some(b'r') => NO_WRITES,
        _ => NO_READS,
    };
    if mode.starts_with('a') {
        flags |= APPENDING;
    }
    // SAFETY: by the caller.
    unsafe {
        let inner = stream.cast::<Inner>();
        (*inner).flags = (*inner).flags & !(NO_READS | NO_WRITES | APPENDING) | flags;
    }
}

/// Moves a fresh stream to another descriptor.
///
/// # Safety
/// An open stream that has not been used.
pub(super) unsafe fn set_descriptor(stream: *mut FILE, fd: c_int) {
    // SAFETY: by the caller.
    unsafe { (*stream.cast::<Inner>()).fileno = fd };
}
