//! Inside of the GNU C library's `FILE`: what `<stdio.h>` has no call for.  Its first members have been the
//! same on all ABIs since 1999; programs compiled long ago use them through inlined `getc`.

use std::ffi::{c_char, c_int, c_long, c_void};

use pc3_os::types::FILE;
use pc3_os::{allocator, errors, streams};

use super::{is_saved, Standing};
use crate::files::system;
use pc3_format::library::{HeldMeta, STATE_EOF, STATE_ERROR, STATE_NARROW, STATE_WIDE};

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
const LINE_BUFFERED: c_int = 0x200;

/// # Safety
/// An open stream that nobody uses now.
pub unsafe fn standing(stream: *mut FILE) -> Standing {
    // SAFETY: by the caller; the C library is GNU's.
    unsafe {
        let inner = &*stream.cast::<Inner>();
        let wide = streams::width(stream) > 0;
        let mut state = 0;
        for (bit, is) in [
            (STATE_EOF, inner.flags & EOF_SEEN != 0),
            (STATE_ERROR, inner.flags & ERR_SEEN != 0),
            (STATE_WIDE, wide),
            (STATE_NARROW, streams::width(stream) < 0),
        ] {
            state |= if is { bit } else { 0 };
        }
        let (mut pushed, mut pending) = (Vec::new(), Vec::new());
        let unread = if wide {
            let behind = system::position(streams::number(stream));
            let here = errors::keep(|| u64::try_from(streams::position(stream)).ok());
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

/// Have characters been given back that do not stand in the file?
///
/// # Safety
/// An open stream.
pub(crate) unsafe fn has_pushed(stream: *mut FILE) -> bool {
    // SAFETY: by the caller; the C library is GNU's.
    unsafe { (*stream.cast::<Inner>()).flags & IN_BACKUP != 0 }
}

/// What the buffer of a stream on a file holds.
///
/// # Safety
/// An open stream that nobody uses now.
pub unsafe fn held(stream: *mut FILE) -> Option<HeldMeta> {
    // SAFETY: by the caller; the C library is GNU's. In front of what is left to be read the buffer has what was.
    unsafe {
        let inner = &*stream.cast::<Inner>();
        if inner.buf_base.is_null() || !is_saved(stream) {
            return None;
        }
        let (at, end) = match inner.flags {
            f if f & PUTTING != 0 => (inner.buf_base, inner.buf_base),
            f if f & IN_BACKUP != 0 => (inner.save_base, inner.save_end),
            _ => (inner.read_ptr, inner.read_end),
        };
        let offset = u64::try_from(inner.offset).ok();
        let length = between(inner.buf_base, end) as usize;
        Some(HeldMeta {
            offset: offset.map(|o| o.saturating_sub(to_go_back(stream))),
            size: between(inner.buf_base, inner.buf_end),
            at: between(inner.buf_base, at),
            bytes: std::slice::from_raw_parts(inner.buf_base.cast(), length).to_vec(),
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
        let inner = &*stream.cast::<Inner>();
        match inner.flags & PUTTING == 0 && is_saved(stream) {
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
    // SAFETY: by the caller; the C library is GNU's.
    unsafe {
        let inner = &*stream.cast::<Inner>();
        let read = between(inner.buf_base, inner.read_end) as usize;
        if inner.flags & PUTTING != 0 || is_saved(stream) || read == 0 {
            return false;
        }
        match (system::position(inner.fileno), inner.offset) {
            (None, _) => false,
            (Some(now), 0..) => now != inner.offset as u64,
            // The library does not know where it stood: behind what the buffer has, where the file has that.
            (Some(now), _) => {
                let bytes = std::slice::from_raw_parts(inner.buf_base.cast::<u8>(), read);
                let start = now.checked_sub(read as u64);
                start.is_none_or(|at| !system::has(inner.fileno, at, bytes))
            }
        }
    }
}

/// Does output wait in it?
///
/// # Safety
/// An open stream.
pub(crate) unsafe fn has_output(stream: *mut FILE) -> bool {
    // SAFETY: by the caller; the C library is GNU's.
    unsafe { (*stream.cast::<Inner>()).flags & PUTTING != 0 }
}

/// Has it been used?  A stream gets its buffer when it first is.
///
/// # Safety
/// An open stream.
pub unsafe fn is_used(stream: *mut FILE) -> bool {
    // SAFETY: by the caller.
    unsafe { !(*stream.cast::<Inner>()).buf_base.is_null() }
}

/// Gives a fresh stream a buffer as it had, and what that held.
///
/// # Safety
/// An open stream that has not been used.
unsafe fn fill(stream: *mut FILE, held: &HeldMeta) -> Result<(), String> {
    let inner = stream.cast::<Inner>();
    // SAFETY: by the caller; the buffer has room for what one of that size held.
    unsafe {
        streams::give_buffer(stream);
        if between((*inner).buf_base, (*inner).buf_end) != held.size {
            let mode = match (*inner).flags & LINE_BUFFERED {
                0 => streams::_IOFBF,
                _ => streams::_IOLBF,
            };
            let size = held.size as usize;
            // The stream's for good, as one of the program's own would be.
            streams::set_buffer(stream, allocator::allocate(size).cast(), mode, size);
        }
        let base = (*inner).buf_base;
        if between(base, (*inner).buf_end) < held.bytes.len() as u64 {
            return Err("no memory for a stream's buffer".to_owned());
        }
        std::ptr::copy_nonoverlapping(held.bytes.as_ptr(), base.cast(), held.bytes.len());
        let at = base.add(held.at as usize);
        ((*inner).read_base, (*inner).read_ptr) = (base, at);
        (*inner).read_end = base.add(held.bytes.len());
        let nothing = [
            &raw mut (*inner).write_base,
            &raw mut (*inner).write_ptr,
            &raw mut (*inner).write_end,
        ];
        nothing.into_iter().for_each(|p| *p = base);
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
        if let Some(offset) = held.and_then(|h| h.offset) {
            (*inner).offset = offset as i64;
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
    // SAFETY: by the caller.
    unsafe {
        let inner = stream.cast::<Inner>();
        (*inner).flags = (*inner).flags & !(NO_READS | NO_WRITES | APPENDING) | flags;
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
