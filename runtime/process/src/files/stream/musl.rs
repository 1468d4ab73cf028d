//! Inside of musl's `FILE`: what `<stdio.h>` has no call for. Its members have been the same since 2018. As `gnu`, which is of
//! the GNU C library; what a checkpoint has of a stream of the one goes on in one of the other.

use std::ffi::{c_int, c_long, c_uint, c_void};

use pc3_os::types::FILE;
use pc3_os::{allocator, streams};

use super::{is_saved, Standing};
use crate::files::system;
use pc3_format::library::{HeldMeta, STATE_EOF, STATE_ERROR, STATE_NARROW, STATE_WIDE};

#[repr(C)]
struct Inner {
    flags: c_uint,
    /// Null while it is not read.
    read_ptr: *mut u8,
    read_end: *mut u8,
    close: *mut c_void,
    /// Null while it is not written.
    write_end: *mut u8,
    write_ptr: *mut u8,
    zero: *mut c_void,
    write_base: *mut u8,
    /// Null where the stream's kind has none.
    read: *mut c_void,
    write: *mut c_void,
    seek: *mut c_void,
    buffer: *mut u8,
    size: usize,
    previous: *mut c_void,
    next: *mut c_void,
    fileno: c_int,
    child: c_int,
    locks: c_long,
    width: c_int,
    lock: c_int,
    /// `'\n'` where a line is written out at its end.
    line_end: c_int,
}

const NO_READS: c_uint = 4;
const NO_WRITES: c_uint = 8;
const EOF_SEEN: c_uint = 16;
const ERR_SEEN: c_uint = 32;
const APPENDING: c_uint = 128;
/// Bytes in front of each buffer, for what is given back.
const IN_FRONT: usize = 8;

/// # Safety
/// Both in one object, or null.
unsafe fn bytes(start: *mut u8, end: *mut u8) -> Vec<u8> {
    match between(start, end) {
        0 => Vec::new(),
        // SAFETY: by the caller.
        n => unsafe { std::slice::from_raw_parts(start, n) }.to_vec(),
    }
}

fn between(start: *mut u8, end: *mut u8) -> usize {
    (end as usize).saturating_sub(start as usize)
}

/// # Safety
/// An open stream that nobody uses now.
pub unsafe fn standing(stream: *mut FILE) -> Standing {
    // SAFETY: by the caller; the C library is musl.
    unsafe {
        let inner = &*stream.cast::<Inner>();
        let width = streams::width(stream);
        let mut state = 0;
        for (bit, is) in [
            (STATE_EOF, inner.flags & EOF_SEEN != 0),
            (STATE_ERROR, inner.flags & ERR_SEEN != 0),
            (STATE_WIDE, width > 0),
            (STATE_NARROW, width < 0),
        ] {
            state |= if is { bit } else { 0 };
        }
        // What is given back goes over what has been read, and in front of the buffer where nothing has.
        let in_buffer = inner.read_ptr.max(inner.buffer);
        let is_read = is_read(inner);
        Standing {
            unread: if is_read {
                between(in_buffer, inner.read_end) as u64
            } else {
                0
            },
            pushed: match is_read {
                true => bytes(inner.read_ptr, in_buffer.min(inner.read_end)),
                false => Vec::new(),
            },
            pending: bytes(inner.write_base, inner.write_ptr),
            state,
        }
    }
}

fn is_read(inner: &Inner) -> bool {
    !inner.read_end.is_null()
}

/// Does the buffer hold what the file does not have in front of where its descriptor stands: `from` its start, or from what is next?
///
/// # Safety
/// An open stream that nobody uses now.
unsafe fn differs(inner: &Inner, from: *mut u8) -> Option<bool> {
    let now = system::position(inner.fileno)?;
    // SAFETY: by the caller; the C library is musl.
    let held = unsafe { bytes(from, inner.read_end) };
    let start = now.checked_sub(held.len() as u64);
    Some(start.is_none_or(|at| !system::has(inner.fileno, at, &held)))
}

/// Have characters been given back that do not stand in the file?
///
/// # Safety
/// An open stream.
pub(crate) unsafe fn has_pushed(stream: *mut FILE) -> bool {
    // SAFETY: by the caller; the C library is musl.
    unsafe {
        let inner = &*stream.cast::<Inner>();
        is_read(inner)
            && (inner.read_ptr < inner.buffer || differs(inner, inner.read_ptr) == Some(true))
    }
}

/// What the buffer of a stream on a file holds.
///
/// # Safety
/// An open stream that nobody uses now.
pub unsafe fn held(stream: *mut FILE) -> Option<HeldMeta> {
    // SAFETY: by the caller; the C library is musl. In front of what is left to be read the buffer has what was.
    unsafe {
        let inner = &*stream.cast::<Inner>();
        if !is_used(stream) || !is_saved(stream) {
            return None;
        }
        let read = is_read(inner);
        Some(HeldMeta {
            offset: None,
            size: inner.size as u64,
            at: if read {
                between(inner.buffer, inner.read_ptr) as u64
            } else {
                0
            },
            bytes: match read {
                true => bytes(inner.buffer, inner.read_end),
                false => Vec::new(),
            },
        })
    }
}

/// Bytes that have been read from the file, and have to be once more.
///
/// # Safety
/// An open stream that nobody uses now.
pub(crate) unsafe fn to_go_back(stream: *mut FILE) -> u64 {
    // SAFETY: by the caller.
    unsafe {
        match is_saved(stream) {
            true => 0,
            false => standing(stream).unread,
        }
    }
}

/// Has the program moved the descriptor of a stream that has read ahead what no checkpoint holds?
///
/// # Safety
/// An open stream.
pub unsafe fn is_moved(stream: *mut FILE) -> bool {
    // SAFETY: by the caller; the C library is musl.
    unsafe {
        let inner = &*stream.cast::<Inner>();
        let read = is_read(inner) && between(inner.buffer, inner.read_end) > 0;
        read && !is_saved(stream) && differs(inner, inner.buffer) == Some(true)
    }
}

/// Does output wait in it?
///
/// # Safety
/// An open stream.
pub(crate) unsafe fn has_output(stream: *mut FILE) -> bool {
    // SAFETY: by the caller; the C library is musl.
    unsafe { !(*stream.cast::<Inner>()).write_end.is_null() }
}

/// Has it been used?
///
/// # Safety
/// An open stream.
pub unsafe fn is_used(stream: *mut FILE) -> bool {
    // SAFETY: by the caller.
    unsafe { is_read(&*stream.cast::<Inner>()) || has_output(stream) }
}

/// Gives a fresh stream a buffer as it had, and what that held.
///
/// # Safety
/// An open stream that has not been used.
unsafe fn fill(stream: *mut FILE, held: &HeldMeta) -> Result<(), String> {
    let inner = stream.cast::<Inner>();
    // SAFETY: by the caller; the buffer has room for what one of that size held.
    unsafe {
        if (*inner).size as u64 != held.size {
            let mode = match (*inner).line_end {
                end if end == c_int::from(b'\n') => streams::_IOLBF,
                _ => streams::_IOFBF,
            };
            let size = held.size as usize + IN_FRONT;
            // The stream's for good, as one of the program's own would be.
            streams::set_buffer(stream, allocator::allocate(size).cast(), mode, size);
        }
        let base = (*inner).buffer;
        if (*inner).size < held.bytes.len() {
            return Err("no memory for a stream's buffer".to_owned());
        }
        if !held.bytes.is_empty() {
            std::ptr::copy_nonoverlapping(held.bytes.as_ptr(), base, held.bytes.len());
            (*inner).read_ptr = base.add(held.at as usize);
            (*inner).read_end = base.add(held.bytes.len());
        }
    }
    Ok(())
}

/// Gives a fresh stream what it had: what it had read, output that waits, characters in front, state.
///
/// # Safety
/// An open stream that has not been used.
pub unsafe fn put_back(
    stream: *mut FILE,
    held: Option<&HeldMeta>,
    pending: &[u8],
    pushed: &[u8],
    state: u64,
) -> Result<(), String> {
    // SAFETY: by the caller.
    unsafe {
        if state & STATE_WIDE != 0 {
            streams::set_wide(stream, true);
        }
        if state & STATE_NARROW != 0 {
            streams::set_wide(stream, false);
        }
        if let Some(held) = held {
            fill(stream, held)?;
        }
        if !pending.is_empty() {
            streams::write(stream, pending);
        }
        for c in pushed.iter().rev() {
            streams::put_back(stream, *c);
        }
        let inner = stream.cast::<Inner>();
        if state & STATE_EOF != 0 {
            (*inner).flags |= EOF_SEEN;
        }
        if state & STATE_ERROR != 0 {
            (*inner).flags |= ERR_SEEN;
        }
    }
    Ok(())
}

/// Makes a standard stream one opened with `mode` on its descriptor.
///
/// # Safety
/// A standard stream that has not been used.
pub(crate) unsafe fn set_mode(stream: *mut FILE, mode: &str) {
    let both = mode.contains('+');
    let mut flags = match mode.as_bytes().first() {
        _ if both => 0,
        Some(b'r') => NO_WRITES,
        _ => NO_READS,
    };
    if mode.starts_with('a') {
        flags |= APPENDING;
    }
    let [stdin, _, stderr] = pc3_os::variables::streams();
    // SAFETY: by the caller; each of the standard streams lacks what it does not do.
    unsafe {
        let inner = stream.cast::<Inner>();
        (*inner).flags = (*inner).flags & !(NO_READS | NO_WRITES | APPENDING) | flags;
        if (*inner).read.is_null() {
            (*inner).read = (*stdin.cast::<Inner>()).read;
        }
        if (*inner).write.is_null() {
            (*inner).write = (*stderr.cast::<Inner>()).write;
        }
    }
}

/// Moves a stream to another descriptor of the same open file.
///
/// # Safety
/// An open stream that nobody uses now.
pub unsafe fn set_descriptor(stream: *mut FILE, fd: c_int) {
    // SAFETY: by the caller.
    unsafe { (*stream.cast::<Inner>()).fileno = fd };
}
