//! Streams in memory: `fmemopen` and `open_memstream`, on buffers that are the program's own, so that what is left
//! to save is how far a stream is.  The rules are the GNU C library's.

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr::{null_mut, NonNull};

use pc3_heap::Arena;
use pc3_os::streams::{of_functions, Functions, SEEK_CUR, SEEK_END, SEEK_SET};
use pc3_os::types::FILE;
use pc3_os::{errors, original};

use pc3_format::library::MemoryMeta;

/// A stream that keeps nothing of what is written to it; null if there is no memory for one.
pub fn nowhere() -> *mut FILE {
    let functions = Functions {
        read: None,
        write: None,
        seek: None,
        close: None,
    };
    // SAFETY: without functions the C library discards what is written, and looks at no cookie.
    unsafe { of_functions(null_mut(), c"w".as_ptr(), functions) }
}

/// Where a stream's bytes are, and how far it is.
pub struct StreamMemory {
    bytes: *mut u8,
    /// Room for so many.
    size: usize,
    at: usize,
    length: usize,
    appends: bool,
    /// The buffer goes with the stream.
    own: bool,
    /// Of a stream whose memory grows: where the program wants to have its address and length.
    wanted: Option<(*mut *mut c_char, *mut usize)>,
    owner: Owner,
}

/// Whose memory a stream's buffer is.
#[derive(Clone, Copy)]
pub struct Owner {
    pub rank: usize,
    heap: *mut Arena,
    /// Of characters.
    ty: u32,
}

impl Owner {
    /// `ty`: of characters.
    pub fn new(rank: usize, heap: *mut Arena, ty: u32) -> Owner {
        Owner { rank, heap, ty }
    }
}

impl StreamMemory {
    fn new(owner: Owner) -> StreamMemory {
        StreamMemory {
            bytes: null_mut(),
            size: 0,
            at: 0,
            length: 0,
            appends: false,
            own: false,
            wanted: None,
            owner,
        }
    }

    fn open(self, mode: &CStr) -> (*mut FILE, *mut StreamMemory) {
        let memory = Box::into_raw(Box::new(self));
        let functions = Functions {
            read: Some(read),
            write: Some(write),
            seek: Some(seek),
            close: Some(close),
        };
        // SAFETY: the functions are for what the cookie is.
        let stream = unsafe { of_functions(memory.cast(), mode.as_ptr(), functions) };
        if stream.is_null() {
            // SAFETY: nobody else has it.
            drop(unsafe { Box::from_raw(memory) });
        }
        (stream, memory)
    }

    /// Room for `size` bytes and a zero behind them.
    fn grow(&mut self, size: usize) -> bool {
        if self.wanted.is_none() || size <= self.size {
            return size <= self.size;
        }
        let Some(room) = size.max(64).checked_mul(2) else {
            return false;
        };
        let old = if self.bytes.is_null() {
            0
        } else {
            self.size + 1
        };
        // SAFETY: ranks live as long as the process, and this is used by its rank, or while that is at rest.
        let heap = unsafe { &mut *self.owner.heap };
        let new = match self.bytes.is_null() {
            true => Ok(heap.alloc(room + 1, self.owner.ty)),
            false => heap.realloc(self.bytes, room + 1, self.owner.ty),
        };
        match new {
            Ok(new) if !new.is_null() => {
                // SAFETY: what is new of the block.
                unsafe { new.add(old).write_bytes(0, room + 1 - old) };
                (self.bytes, self.size) = (new, room);
                true
            }
            _ => false,
        }
    }

    /// What a flush tells the program.
    fn tell(&self) {
        if let Some((bytes, size)) = self.wanted {
            // SAFETY: by the caller of `open_memstream`, they live as long as the stream is used.
            unsafe {
                *bytes = self.bytes.cast();
                *size = self.at;
            }
        }
    }

    /// `unread`: bytes that the stream has and the program has not seen.
    pub fn describe(&self, unread: u64) -> MemoryMeta {
        let (bytes, size) = self.wanted.unwrap_or((null_mut(), null_mut()));
        MemoryMeta {
            grows: self.wanted.is_some(),
            own: self.own,
            addr: self.bytes as usize as u64,
            size: self.size as u64,
            position: (self.at as u64).saturating_sub(unread),
            length: self.length as u64,
            pointer: bytes as usize as u64,
            count: size as usize as u64,
        }
    }
}

/// # Safety
/// As the C library's.
pub unsafe fn on_buffer(
    owner: Owner,
    buffer: *mut c_void,
    size: usize,
    mode: &CStr,
) -> Option<(*mut FILE, *mut StreamMemory)> {
    let mut m = StreamMemory::new(owner);
    let kind = mode.to_bytes();
    m.size = size;
    m.bytes = buffer.cast();
    // SAFETY: by the caller, the buffer has `size` bytes.
    unsafe {
        if buffer.is_null() {
            m.own = true;
            m.bytes = (*owner.heap).alloc_zeroed(size.max(1), owner.ty);
            if m.bytes.is_null() {
                errors::set(errors::ENOMEM);
                return None;
            }
        } else if kind.starts_with(b"w+") && size > 0 {
            *m.bytes = 0;
        }
        m.appends = kind.first() == Some(&b'a');
        m.length = match kind.first() {
            Some(b'r') => size,
            Some(b'a') => original::strnlen(m.bytes.cast(), size),
            _ => 0,
        };
        m.at = if m.appends { m.length } else { 0 };
        let (own, bytes) = (m.own, m.bytes);
        let made = m.open(mode);
        if made.0.is_null() {
            if own {
                let _ = (*owner.heap).free(bytes);
            }
            return None;
        }
        Some(made)
    }
}

/// What a stream of the C library's, closed now, has grown to becomes a block of the program's, as all that it gets from there. If there
/// is no memory for one it stays as it is.
///
/// # Safety
/// At `place` is the address that the library has told, or nothing.
pub unsafe fn adopt(owner: Owner, place: NonNull<*mut c_char>) {
    // SAFETY: by the caller; the heap as in `grow`.
    unsafe {
        let from = *place.as_ptr();
        let size = original::malloc_usable_size(from.cast());
        let heap = &mut *owner.heap;
        let to = match from.is_null() {
            true => null_mut(),
            false => heap.alloc(size, owner.ty),
        };
        if !to.is_null() {
            std::ptr::copy_nonoverlapping(from.cast(), to, size);
            *place.as_ptr() = to.cast();
            original::free(from.cast());
        }
    }
}

/// # Safety
/// As `open_memstream`.
pub unsafe fn growing(
    owner: Owner,
    bytes: *mut *mut c_char,
    size: *mut usize,
) -> Option<(*mut FILE, *mut StreamMemory)> {
    let mut m = StreamMemory::new(owner);
    m.wanted = Some((bytes, size));
    m.grow(1).then_some(())?;
    m.length = 0;
    let made = m.open(c"w");
    (!made.0.is_null()).then_some(made)
}

/// That of a checkpoint, whose addresses are this program's already.
pub fn restored(
    owner: Owner,
    meta: &MemoryMeta,
    mode: &str,
) -> Option<(*mut FILE, *mut StreamMemory)> {
    let mut m = StreamMemory::new(owner);
    let number = |n: u64| usize::try_from(n).ok();
    m.bytes = number(meta.addr)? as *mut u8;
    m.size = number(meta.size)?;
    m.at = number(meta.position)?;
    m.length = number(meta.length)?;
    m.own = meta.own;
    m.appends = mode.starts_with('a');
    if meta.grows {
        m.wanted = Some((
            number(meta.pointer)? as *mut _,
            number(meta.count)? as *mut _,
        ));
    }
    let made = m.open(&CString::new(mode).ok()?);
    (!made.0.is_null()).then_some(made)
}

unsafe extern "C" fn read(cookie: *mut c_void, into: *mut c_char, n: usize) -> isize {
    // SAFETY: by the C library.
    unsafe {
        let m = &mut *cookie.cast::<StreamMemory>();
        let n = n.min(m.length.saturating_sub(m.at));
        if n > 0 {
            std::ptr::copy_nonoverlapping(m.bytes.add(m.at), into.cast(), n);
        }
        m.at += n;
        n as isize
    }
}

unsafe extern "C" fn write(cookie: *mut c_void, from: *const c_char, n: usize) -> isize {
    // SAFETY: by the C library.
    unsafe {
        let m = &mut *cookie.cast::<StreamMemory>();
        let from = from.cast::<u8>();
        let at = if m.appends { m.length } else { m.at };
        let mut n = n;
        // A zero goes behind the bytes, unless they end in one.
        let zero = n == 0 || *from.add(n - 1) != 0;
        let fits = at.checked_add(n).is_some_and(|end| m.grow(end));
        if m.wanted.is_some() {
            if !fits {
                errors::set(errors::ENOMEM);
                return 0;
            }
        } else if !fits {
            if m.at + usize::from(zero) >= m.size {
                errors::set(errors::ENOSPC);
                return 0;
            }
            n = m.size - at;
        }
        std::ptr::copy_nonoverlapping(from, m.bytes.add(at), n);
        m.at = at + n;
        if m.wanted.is_some() {
            m.length = m.at;
            m.tell();
        } else if m.at > m.length {
            m.length = m.at;
            if m.length < m.size && zero {
                *m.bytes.add(m.length) = 0;
            } else if !m.appends && zero {
                *m.bytes.add(m.size - 1) = 0;
            }
        }
        n as isize
    }
}

unsafe extern "C" fn seek(cookie: *mut c_void, offset: *mut i64, whence: c_int) -> c_int {
    // SAFETY: by the C library.
    unsafe {
        let m = &mut *cookie.cast::<StreamMemory>();
        let from = match whence {
            SEEK_SET => 0,
            SEEK_CUR => m.at,
            SEEK_END => m.length,
            _ => {
                errors::set(errors::EINVAL);
                return -1;
            }
        };
        let to = i64::try_from(from)
            .ok()
            .and_then(|f| f.checked_add(*offset));
        let to = to.and_then(|t| usize::try_from(t).ok());
        let Some(to) = to.filter(|t| m.wanted.is_some() || *t <= m.size) else {
            errors::set(errors::EINVAL);
            return -1;
        };
        if !m.grow(to) {
            errors::set(errors::ENOMEM);
            return -1;
        }
        m.at = to;
        if m.wanted.is_some() {
            // The library's ends where it stands.
            m.length = to;
        }
        *offset = to as i64;
        m.tell();
        0
    }
}

unsafe extern "C" fn close(cookie: *mut c_void) -> c_int {
    // SAFETY: by the C library; nobody uses it afterwards.
    unsafe {
        let m = Box::from_raw(cookie.cast::<StreamMemory>());
        if m.wanted.is_some() {
            *m.bytes.add(m.at) = 0;
        }
        m.tell();
        if m.own {
            let _ = (*m.owner.heap).free(m.bytes);
        }
    }
    0
}
