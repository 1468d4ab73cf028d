//! Mappings, which are of whole pages.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;

/// Not in every libc's headers.
const MADV_GUARD_INSTALL: c_int = 102;

const ACCESS: c_int = libc::PROT_READ | libc::PROT_WRITE;
const OWN: c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;

/// Is memory promised as soon as it is mapped, or had as it is touched?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backing {
    Promised,
    AsTouched,
}

pub fn page_size() -> usize {
    // SAFETY: a plain call.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

fn mapped(base: *mut c_void) -> io::Result<*mut u8> {
    match base {
        libc::MAP_FAILED => Err(io::Error::last_os_error()),
        _ => Ok(base.cast()),
    }
}

fn own(at: *mut c_void, len: usize, backing: Backing, more: c_int) -> io::Result<*mut u8> {
    let backing = match backing {
        Backing::Promised => 0,
        Backing::AsTouched => libc::MAP_NORESERVE,
    };
    // SAFETY: an anonymous mapping where nothing else is disturbs nothing; `more` replaces none.
    mapped(unsafe { libc::mmap(at, len, ACCESS, OWN | backing | more, -1, 0) })
}

/// Zeroed memory, where the system chooses.
pub fn map(len: usize, backing: Backing) -> io::Result<*mut u8> {
    own(null_mut(), len, backing, 0)
}

/// Zeroed memory at that place, had as it is touched, if nothing is there.
pub fn map_at(base: usize, len: usize) -> io::Result<*mut u8> {
    let flags = libc::MAP_FIXED_NOREPLACE;
    let p = own(base as *mut c_void, len, Backing::AsTouched, flags)?;
    // Old systems take the address for a wish.
    if p as usize != base {
        // SAFETY: just mapped.
        unsafe { unmap(p, len) };
        return Err(io::Error::from_raw_os_error(libc::EEXIST));
    }
    Ok(p)
}

/// A part of a file, to be read, all of it now.
pub fn map_file(file: &File, offset: u64, len: usize) -> io::Result<*mut u8> {
    let offset = libc::off64_t::try_from(offset).map_err(io::Error::other)?;
    let (flags, fd) = (libc::MAP_PRIVATE | libc::MAP_POPULATE, file.as_raw_fd());
    // SAFETY: a new mapping where the system chooses.
    mapped(unsafe { libc::mmap64(null_mut(), len, libc::PROT_READ, flags, fd, offset) })
}

/// A part of a file, shared with whoever maps it.
pub fn map_shared(file: &File, offset: u64, len: usize) -> io::Result<*mut u8> {
    let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
    let (flags, fd) = (libc::MAP_SHARED | libc::MAP_NORESERVE, file.as_raw_fd());
    // SAFETY: a new mapping where the system chooses.
    mapped(unsafe { libc::mmap(null_mut(), len, ACCESS, flags, fd, offset) })
}

/// # Safety
/// The caller owns the range and holds no references into it.
pub unsafe fn unmap(base: *mut u8, len: usize) {
    // SAFETY: by the caller.
    unsafe { libc::munmap(base.cast(), len) };
}

/// Moves the pages of one mapping to the place of another (or of nothing), which they replace.
///
/// # Safety
/// Both ranges are the caller's.
pub unsafe fn move_to(old: *mut u8, old_len: usize, new: *mut u8, len: usize) -> bool {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    // SAFETY: by the caller.
    let p = unsafe { libc::mremap(old.cast(), old_len, len, flags, new.cast::<c_void>()) };
    p != libc::MAP_FAILED
}

/// What the system may do with pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advice {
    /// Make them large ones.
    Huge,
    NotHuge,
    /// Leave them out of a child.
    NotForChildren,
}

/// Advice only: the system need not follow it.
pub fn advise(base: *mut u8, len: usize, advice: Advice) {
    let advice = match advice {
        Advice::Huge => libc::MADV_HUGEPAGE,
        Advice::NotHuge => libc::MADV_NOHUGEPAGE,
        Advice::NotForChildren => libc::MADV_DONTFORK,
    };
    // SAFETY: none of these changes what the pages hold.
    unsafe { libc::madvise(base.cast(), len, advice) };
}

/// Marks a range so that touching it is a fault; takes no mapping. False if the system has no marks (Linux 6.13 has),
/// though some say yes to every advice.
///
/// # Safety
/// Nobody uses the range.
pub unsafe fn mark_guard(at: *mut u8, len: usize) -> bool {
    // SAFETY: by the caller.
    unsafe { libc::madvise(at.cast(), len, MADV_GUARD_INSTALL) == 0 }
}

/// Lets nobody touch a range; splits its mapping.
///
/// # Safety
/// Nobody uses the range.
pub unsafe fn forbid(at: *mut u8, len: usize) -> bool {
    // SAFETY: by the caller.
    unsafe { libc::mprotect(at.cast(), len, libc::PROT_NONE) == 0 }
}

/// Has the system write there, less than a page, which it refuses where it is a fault.
///
/// # Safety
/// Nobody uses the page.
pub unsafe fn can_be_written(at: *mut u8) -> bool {
    // SAFETY: by the caller; the structure is smaller than a page.
    unsafe { libc::uname(at.cast()) == 0 }
}

/// What `mmap` and `mremap` give where they fail.
pub const FAILED: *mut c_void = libc::MAP_FAILED;

/// Does `mmap` with these give private memory of no file, to be read and written?
pub fn is_ordinary(protection: c_int, flags: c_int) -> bool {
    let harmless = libc::MAP_NORESERVE | libc::MAP_STACK | libc::MAP_POPULATE;
    flags & !harmless == OWN && protection == ACCESS
}

/// Can it be both read and written?
pub fn is_usable(protection: c_int) -> bool {
    protection & ACCESS == ACCESS
}

/// Does `mremap` with these choose a place itself, if it needs one?
pub fn may_only_move(flags: c_int) -> bool {
    flags == libc::MREMAP_MAYMOVE
}

/// Mappings that a process may have.
pub fn most_mappings() -> usize {
    let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
    text.trim().parse().unwrap_or(65_530)
}

/// All mappings of the process, as the system lists them.
pub fn listed() -> io::Result<String> {
    std::fs::read_to_string("/proc/self/maps")
}
