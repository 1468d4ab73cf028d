//! Memory that the program maps.  Private memory of no file, to be read and written, is an object of the heap like any
//! other; what else is mapped keeps checkpoints from being taken (`obstacles`).

use std::ffi::{c_int, c_void};

use pc3_heap::Obj;
use pc3_os::{errors, memory, original};
use pc3_typemetric::descriptor::pc3_site;
use pc3_typemetric::types::TypeId;

use super::heap::pc3_aligned_alloc;
use pc3_process::files::call;
use pc3_process::obstacles;
use pc3_state::rank::Rank;

/// Larger ones are mostly room that is never used, and are left to the system.
const LARGEST: usize = 256 << 20;

const PAGE: usize = 4096;

fn rank<'a>() -> Option<&'a mut Rank> {
    // SAFETY: used by entry points only, which user code calls.
    unsafe { Rank::current() }
}

/// The heap object in which an address lies, if its pages are its own.
fn object(at: *const c_void) -> Option<Obj> {
    let found = rank()?.heap.find(at as usize)?;
    (found.base as usize % PAGE == 0 && found.size % PAGE == 0).then_some(found)
}

fn pages(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(PAGE)
}

fn is_ordinary(at: *mut c_void, bytes: usize, protection: c_int, flags: c_int) -> bool {
    at.is_null() && (1..=LARGEST).contains(&bytes) && memory::is_ordinary(protection, flags)
}

/// An object of the heap, zeroed.
///
/// # Safety
/// `site` as generated code makes it.
unsafe fn fresh(bytes: usize, site: *const pc3_site) -> *mut c_void {
    let Some(bytes) = pages(bytes) else {
        return memory::FAILED;
    };
    // SAFETY: by the caller; the memory is new.
    unsafe {
        let at = pc3_aligned_alloc(PAGE, bytes, site);
        if at.is_null() {
            return memory::FAILED;
        }
        at.cast::<u8>().write_bytes(0, bytes);
        at
    }
}

/// # Safety
/// As `mmap`; `site` as generated code makes it.
#[no_mangle]
pub unsafe extern "C" fn pc3_mmap(
    at: *mut c_void,
    bytes: usize,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
    site: *const pc3_site,
) -> *mut c_void {
    let made_by = call("mmap");
    // SAFETY: by the caller.
    unsafe {
        if rank().is_some() && is_ordinary(at, bytes, protection, flags) {
            return fresh(bytes, site);
        }
        let made = original::mmap64(at, bytes, protection, flags, fd, offset);
        if made != memory::FAILED {
            obstacles::mapped(made, made_by);
        }
        made
    }
}

/// # Safety
/// As `munmap`.
#[no_mangle]
pub unsafe extern "C" fn pc3_munmap(at: *mut c_void, bytes: usize) -> c_int {
    if let (Some(found), Some(bytes)) = (object(at), pages(bytes)) {
        // A part of it stays with the rest.
        if found.base.cast() == at && bytes >= found.size {
            obstacles::unprotected(found.base as usize, found.size);
            if let Some(rank) = rank() {
                let _ = rank.heap.free(found.base);
            }
        }
        return 0;
    }
    // SAFETY: by the caller.
    let done = unsafe { original::munmap(at, bytes) };
    if done == 0 {
        obstacles::unmapped(at as usize, bytes);
    }
    done
}

/// # Safety
/// As `mremap`; `to` counts if the flags ask for a place.
#[no_mangle]
pub unsafe extern "C" fn pc3_remap(
    at: *mut c_void,
    old: usize,
    new: usize,
    flags: c_int,
    to: *mut c_void,
) -> *mut c_void {
    // SAFETY: by the caller; the heap object is as long as it says.
    unsafe {
        let Some(found) = object(at) else {
            let made = original::mremap(at, old, new, flags, to);
            if made != memory::FAILED {
                obstacles::unmapped(at as usize, old);
                obstacles::mapped(made, "mremap".to_owned());
            }
            return made;
        };
        let room = found.base as usize + found.size - at as usize;
        let wanted = pages(new).filter(|n| (1..=LARGEST).contains(n));
        match wanted {
            Some(n) if n <= room => return at,
            Some(n) if memory::may_only_move(flags) => {
                let types = rank().map(|r| &r.job().program.descriptors);
                let ty = types.and_then(|t| t.get(&TypeId(found.ty)).copied());
                let site = pc3_site {
                    ty: ty.unwrap_or(std::ptr::null_mut()),
                    file: std::ptr::null(),
                    line: 0,
                    head: std::ptr::null_mut(),
                };
                let made = fresh(n, &raw const site);
                if made != memory::FAILED {
                    made.cast::<u8>()
                        .copy_from_nonoverlapping(at.cast(), room.min(old));
                    pc3_munmap(at, old);
                }
                return made;
            }
            _ => {}
        }
        errors::set(errors::ENOMEM);
        memory::FAILED
    }
}

/// # Safety
/// As `mprotect`.
#[no_mangle]
pub unsafe extern "C" fn pc3_mprotect(at: *mut c_void, bytes: usize, protection: c_int) -> c_int {
    // SAFETY: by the caller.
    let done = unsafe { original::mprotect(at, bytes, protection) };
    if done == 0 && object(at).is_some() {
        if memory::is_usable(protection) {
            obstacles::unprotected(at as usize, bytes);
        } else {
            obstacles::protected(at as usize);
        }
    }
    done
}
