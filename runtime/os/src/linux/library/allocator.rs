//! The C library's allocator, beside our own heap.

use std::ffi::c_void;

/// Memory that the C library may give back itself (`setvbuf`, `getline`); null if there is none.
#[inline(always)]
pub fn allocate(bytes: usize) -> *mut c_void {
    // SAFETY: no preconditions.
    unsafe { libc::malloc(bytes) }
}

/// # Safety
/// Null, or of the C library's allocator and not given back yet.
#[inline(always)]
pub unsafe fn give_back(p: *mut c_void) {
    // SAFETY: by the caller.
    unsafe { libc::free(p) }
}

/// Where what grows behind the program's own data ends now.
pub fn end_of_data() -> usize {
    // SAFETY: a plain query.
    unsafe { libc::sbrk(0) as usize }
}

/// Where it begins, if the system says so.
pub fn start_of_data() -> Option<u64> {
    const START_BRK: usize = 47;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is a name, which may hold blanks.
    let behind = stat.rsplit_once(')')?.1;
    behind.split_whitespace().nth(START_BRK - 3)?.parse().ok()
}
