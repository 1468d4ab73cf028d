//! The program's allocation calls, with the rules of C's own.
//!
//! Memory comes from the calling rank's arena.  Threads that are no rank, and code that runs before
//! `main`, get the C library's; frees find out whose a pointer is.

use std::ffi::{c_char, c_int, c_void, CStr};
use std::ptr::null_mut;

use pc3_heap::{Arena, Fault};
use pc3_os::types::FILE;
use pc3_os::{errors, memory, original};
use pc3_typemetric::descriptor::{pc3_head, pc3_site};
use pc3_typemetric::types::{Kind, TypeId};

use super::pieces;
use pc3_control::report::{flush_all, say};
use pc3_process::shared_objects;
use pc3_state::engine::Engine;
use pc3_state::rank::Rank;

fn rank<'a>() -> Option<&'a mut Rank> {
    // SAFETY: used by entry points only, which user code calls.
    unsafe { Rank::current() }
}

fn type_of(site: *const pc3_site) -> u32 {
    // SAFETY: generated code passes null or a static site with null or an imported type.
    unsafe {
        site.as_ref()
            .and_then(|s| s.ty.as_ref())
            .map_or(0, |t| t.id)
    }
}

fn checked(p: *mut u8) -> *mut c_void {
    if p.is_null() {
        errors::set(errors::ENOMEM);
    }
    p.cast()
}

/// As glibc: a wrong free ends the program where it happens.
fn abort_at(call: &str, p: *mut c_void, fault: &Fault) -> ! {
    say(&format!("{call}({p:p}): {fault}"));
    flush_all();
    std::process::abort()
}

/// What is kept for a checkpoint goes before the program is told that there is no memory.
fn found(rank: &mut Rank, mut alloc: impl FnMut(&mut Rank) -> *mut u8) -> *mut u8 {
    let mut p = alloc(rank);
    let mut more = true;
    while p.is_null() && more {
        more = relieved(rank);
        // What there was may have gone by itself since.
        p = alloc(rank);
    }
    p
}

/// Was there anything that could be given back?
#[cold]
fn relieved(rank: &Rank) -> bool {
    // The engine may be in the middle of what calls the function of a reduction.
    rank.aside == 0 && rank.job().clone().engine().is_some_and(Engine::relieve)
}

/// May it be handed out in pieces?
fn is_dealt(rank: &Rank, ty: u32) -> bool {
    let dealt = &rank.job().program.dealt;
    dealt.get(ty as usize).is_some_and(|d| *d)
}

/// Memory that may be handed out in pieces is zero where nothing is known to lie.
fn dealt(rank: &mut Rank, n: usize, site: *const pc3_site) -> *mut c_void {
    let ty = type_of(site);
    let n = rank.asked(n, site);
    let p = found(rank, |rank| rank.heap.alloc_zeroed(n, ty));
    if !p.is_null() && ty == 0 {
        pieces::head(rank, p as usize, site);
    }
    checked(p)
}

/// What was there before would be taken for unions of which nothing is noted.
fn has_notes(rank: &Rank, ty: u32) -> bool {
    ty != 0 && rank.unions.shapes().has(ty)
}

/// # Safety
/// As `malloc`.
#[no_mangle]
pub unsafe extern "C" fn pc3_malloc(n: usize, site: *const pc3_site) -> *mut c_void {
    match rank() {
        Some(rank) => {
            rank.about_to_allocate(type_of(site));
            if is_dealt(rank, type_of(site)) {
                return dealt(rank, n, site);
            }
            let n = rank.asked(n, site);
            let noted = has_notes(rank, type_of(site));
            checked(found(rank, |rank| match noted {
                true => rank.heap.alloc_zeroed(n, type_of(site)),
                false => rank.heap.alloc(n, type_of(site)),
            }))
        }
        // SAFETY: as malloc.
        None => unsafe { original::malloc(n) },
    }
}

/// # Safety
/// As `calloc`.
#[no_mangle]
pub unsafe extern "C" fn pc3_calloc(n: usize, each: usize, site: *const pc3_site) -> *mut c_void {
    let Some(rank) = rank() else {
        // SAFETY: as calloc.
        return unsafe { original::calloc(n, each) };
    };
    let Some(bytes) = n.checked_mul(each) else {
        return checked(null_mut());
    };
    rank.about_to_allocate(type_of(site));
    if is_dealt(rank, type_of(site)) {
        return dealt(rank, bytes, site);
    }
    let bytes = rank.asked(bytes, site);
    checked(found(rank, |rank| {
        rank.heap.alloc_zeroed(bytes, type_of(site))
    }))
}

/// # Safety
/// As `realloc`.
#[no_mangle]
pub unsafe extern "C" fn pc3_realloc(
    p: *mut c_void,
    n: usize,
    site: *const pc3_site,
) -> *mut c_void {
    if p.is_null() {
        // SAFETY: by the caller.
        return unsafe { pc3_malloc(n, site) };
    }
    let Some(rank) = rank() else {
        // SAFETY: memory of threads that are no rank is the C library's.
        return unsafe { original::realloc(p, n) };
    };
    if n == 0 {
        // As glibc does.
        // SAFETY: by the caller.
        unsafe { pc3_free(p) };
        return null_mut();
    }
    let n = rank.asked(n, site);
    ends(rank, p as usize);
    let before = rank.heap.find(p as usize);
    let old = before.as_ref().map_or(0, |o| o.size);
    // Of a call that says nothing, what was there before does.
    let ty = match (type_of(site), &before) {
        (0, Some(o)) => o.ty,
        (ty, _) => ty,
    };
    rank.about_to_allocate(ty);
    let kept = old.min(n);
    let unions = before.is_some_and(|o| rank.unions.shapes().has(o.ty));
    let notes = match unions {
        // SAFETY: a live object of the rank.
        true => unsafe { rank.unions.picked(p as usize, kept) },
        false => None,
    };
    let mut moved = rank.heap.realloc(p.cast(), n, ty);
    let mut more = true;
    while more && matches!(&moved, Ok(new) if new.is_null()) {
        more = relieved(rank);
        moved = rank.heap.realloc(p.cast(), n, ty);
    }
    match moved {
        Ok(new) => {
            if !new.is_null() && n > old && (is_dealt(rank, ty) || has_notes(rank, ty)) {
                // SAFETY: what has been added to the object.
                unsafe { new.add(old).write_bytes(0, n - old) };
            }
            if !new.is_null() && rank.job().program.pieces {
                rank.pieces.moved(p as usize, new as usize, n);
                if old == 0 && ty == 0 {
                    pieces::head(rank, new as usize, site);
                }
            }
            let moved = !std::ptr::eq(new.cast(), p) && !new.is_null();
            if moved && !rank.first_numbers.is_empty() {
                rank.first_numbers.gone(p as usize);
            }
            if moved && unions {
                let within = new as usize..new as usize + kept;
                // SAFETY: it has been moved there.
                unsafe {
                    rank.unions
                        .put(new as usize, p as usize, kept, notes, &within)
                };
                rank.unions.over(p as usize, old);
            }
            checked(new)
        }
        // SAFETY: by the caller, it is the C library's then.
        Err(Fault::Foreign) => unsafe { original::realloc(p, n) },
        Err(fault) => abort_at("realloc", p, &fault),
    }
}

/// # Safety
/// As `reallocarray`.
#[no_mangle]
pub unsafe extern "C" fn pc3_reallocarray(
    p: *mut c_void,
    n: usize,
    each: usize,
    site: *const pc3_site,
) -> *mut c_void {
    match n.checked_mul(each) {
        // SAFETY: by the caller.
        Some(bytes) => unsafe { pc3_realloc(p, bytes, site) },
        None => checked(null_mut()),
    }
}

/// # Safety
/// As `malloc_usable_size`.
#[no_mangle]
pub unsafe extern "C" fn pc3_malloc_usable_size(p: *mut c_void) -> usize {
    match rank().and_then(|rank| rank.heap.size_of(p.cast())) {
        Some(bytes) => bytes,
        // SAFETY: by the caller, it is the C library's then.
        None => unsafe { original::malloc_usable_size(p) },
    }
}

/// `valloc`, `pvalloc`.
///
/// # Safety
/// Called by generated code.
#[no_mangle]
pub unsafe extern "C" fn pc3_valloc(n: usize, site: *const pc3_site) -> *mut c_void {
    // SAFETY: as aligned_alloc.
    unsafe { pc3_aligned_alloc(memory::page_size(), n, site) }
}

/// # Safety
/// As `aligned_alloc`.
#[no_mangle]
pub unsafe extern "C" fn pc3_aligned_alloc(
    align: usize,
    n: usize,
    site: *const pc3_site,
) -> *mut c_void {
    if !align.is_power_of_two() {
        errors::set(errors::EINVAL);
        return null_mut();
    }
    match rank() {
        Some(rank) => {
            rank.about_to_allocate(type_of(site));
            {
                let bytes = rank.asked(n, site);
                let ty = type_of(site);
                let p = found(rank, |rank| rank.heap.alloc_aligned(align, bytes, ty));
                let dealt = is_dealt(rank, type_of(site));
                if !p.is_null() && (dealt || has_notes(rank, type_of(site))) {
                    // SAFETY: a fresh object.
                    unsafe { p.write_bytes(0, bytes) };
                }
                if !p.is_null() && dealt && type_of(site) == 0 {
                    pieces::head(rank, p as usize, site);
                }
                checked(p)
            }
        }
        // SAFETY: as aligned_alloc.
        None => unsafe { original::aligned_alloc(align, n) },
    }
}

/// # Safety
/// As `posix_memalign`.
#[no_mangle]
pub unsafe extern "C" fn pc3_posix_memalign(
    out: *mut *mut c_void,
    align: usize,
    n: usize,
    site: *const pc3_site,
) -> c_int {
    if !align.is_power_of_two() || align % size_of::<*mut c_void>() != 0 {
        return errors::EINVAL;
    }
    // SAFETY: by the caller.
    unsafe {
        let errno = errors::last();
        let p = pc3_aligned_alloc(align, n, site);
        if p.is_null() {
            errors::set(errno);
            return errors::ENOMEM;
        }
        *out = p;
    }
    0
}

/// What generated code knows of the object is no longer so.
fn ends(rank: &mut Rank, at: usize) {
    if rank.abi.within == at {
        rank.abi.within_elem = 0;
    }
    if rank.pieces.told == at {
        rank.abi.told_bytes = 0;
    }
}

/// # Safety
/// As `free`.
#[no_mangle]
pub unsafe extern "C" fn pc3_free(p: *mut c_void) {
    if p.is_null() {
        return;
    }
    let freed = match rank() {
        Some(rank) => {
            ends(rank, p as usize);
            rank.pieces.gone(p as usize);
            if !rank.first_numbers.is_empty() {
                rank.first_numbers.gone(p as usize);
            }
            let (heap, unions) = (&mut rank.heap, &mut rank.unions);
            heap.free_seen(p.cast(), |ty, n| unions.freed(p as usize, n, ty))
        }
        // A thread that is no rank must not touch a rank's arena, which may be in use: its
        // objects are left alone.
        None => Arena::new(u32::MAX).free(p.cast()),
    };
    match freed {
        Ok(()) => {}
        Err(Fault::Foreign) => {
            shared_objects::give_back(p as usize);
            // SAFETY: by the caller, it is the C library's.
            unsafe { original::free(p) }
        }
        Err(Fault::OtherArena { .. }) if rank().is_none() => {}
        Err(fault) => abort_at("free", p, &fault),
    }
}

/// The C library's own, for what it hands out and takes back: a program may have others of these names.
///
/// # Safety
/// As `free`.
#[no_mangle]
pub unsafe extern "C" fn pc3_library_free(p: *mut c_void) {
    // SAFETY: by the caller.
    unsafe { original::free(p) }
}

#[no_mangle]
pub extern "C" fn pc3_library_calloc(n: usize, size: usize) -> *mut c_void {
    // SAFETY: plain calloc.
    unsafe { original::calloc(n, size) }
}

/// The same address, as that of an array which nothing else leads to for a while (`pc3cc`'s `rewrite/holding`). Has to be a call.
#[no_mangle]
pub extern "C" fn pc3_apart(array: *mut c_void) -> *mut c_void {
    array
}

/// Memory for characters, typed as such.
#[no_mangle]
pub extern "C" fn pc3_characters(n: usize) -> *mut c_char {
    characters(n)
}

fn characters(n: usize) -> *mut c_char {
    let Some(rank) = rank() else {
        // SAFETY: plain malloc.
        return unsafe { original::malloc(n) }.cast();
    };
    let ty = rank.job().program.char_type();
    checked(rank.heap.alloc(n, ty.0)).cast()
}

/// # Safety
/// As `strdup`.
#[no_mangle]
pub unsafe extern "C" fn pc3_strdup(s: *const c_char) -> *mut c_char {
    // SAFETY: by the caller.
    unsafe { pc3_strndup(s, CStr::from_ptr(s).count_bytes()) }
}

/// # Safety
/// As `strndup`.
#[no_mangle]
pub unsafe extern "C" fn pc3_strndup(s: *const c_char, max: usize) -> *mut c_char {
    // SAFETY: by the caller; the copy has room for the bytes and the zero.
    unsafe {
        let n = original::strnlen(s, max);
        let copy = characters(n.saturating_add(1));
        if !copy.is_null() {
            copy.copy_from_nonoverlapping(s, n);
            *copy.add(n) = 0;
        }
        copy
    }
}

/// # Safety
/// As `getdelim`; `*line` is null or came from these functions.
#[no_mangle]
pub unsafe extern "C" fn pc3_getdelim(
    line: *mut *mut c_char,
    n: *mut usize,
    delimiter: c_int,
    stream: *mut FILE,
) -> isize {
    // SAFETY: by the caller; the library reads into a buffer of its own.
    unsafe {
        let (mut own, mut room) = (null_mut(), 0);
        let got = original::getdelim(&raw mut own, &raw mut room, delimiter, stream);
        if let Ok(len) = usize::try_from(got) {
            if (*line).is_null() || *n < len + 1 {
                let new = characters((len + 1).max(120));
                if new.is_null() {
                    original::free(own.cast());
                    return -1;
                }
                pc3_free((*line).cast());
                *line = new;
                *n = (len + 1).max(120);
            }
            (*line).copy_from_nonoverlapping(own, len + 1);
        }
        original::free(own.cast());
        got
    }
}

/// # Safety
/// As `getline`.
#[no_mangle]
pub unsafe extern "C" fn pc3_getline(
    line: *mut *mut c_char,
    n: *mut usize,
    stream: *mut FILE,
) -> isize {
    // SAFETY: by the caller.
    unsafe { pc3_getdelim(line, n, c_int::from(b'\n'), stream) }
}

/// The site of what lies behind a head of the program's.
///
/// # Safety
/// Called by generated code, with null or rows and sites of its units.
#[no_mangle]
pub unsafe extern "C" fn pc3_behind(head: *const pc3_head, of: *const pc3_site) -> *mut pc3_site {
    // SAFETY: by the caller; ranks are used by user code only.
    let (rank, ty) = unsafe {
        let ty = of.as_ref().and_then(|s| s.ty.as_ref());
        (Rank::current(), ty)
    };
    let found = rank.zip(ty).and_then(|(rank, ty)| {
        let sites = &rank.job().program.headed;
        sites.get(&(head as usize, ty.id)).copied()
    });
    found.map_or(null_mut(), |site| site as *mut pc3_site)
}

/// A fresh rank's arguments: `char *[]` and `char[]` on its heap.
pub fn arguments(rank: &mut Rank, args: &[&std::ffi::CStr]) -> *mut *mut c_char {
    let program = &rank.job().program;
    let char_type = program.char_type();
    let string = program
        .types
        .iter()
        .find(|(_, t)| t.kind == Kind::Pointer && t.elem == char_type);
    let string = string.map_or(TypeId::UNKNOWN, |(id, _)| id);
    let list = rank
        .heap
        .alloc_zeroed((args.len() + 1) * size_of::<*mut c_char>(), string.0)
        .cast::<*mut c_char>();
    // One behind the other, as systems have them: slabs of several sizes would take a page each.
    let bytes = |arg: &&std::ffi::CStr| arg.to_bytes_with_nul().len();
    let mut copy = rank.heap.alloc(args.iter().map(bytes).sum(), char_type.0);
    if list.is_null() || copy.is_null() {
        return std::ptr::null_mut();
    }
    for (i, arg) in args.iter().enumerate() {
        let bytes = arg.to_bytes_with_nul();
        // SAFETY: fresh objects with room for all.
        unsafe {
            copy.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            *list.add(i) = copy.cast();
            copy = copy.add(bytes.len());
        }
    }
    list
}
