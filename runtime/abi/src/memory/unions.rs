//! What generated code says of unions: see `unions`. Before a rank runs, and on threads that are none, nothing is noted.

use std::ffi::{c_char, c_int, c_void};
use std::ops::Range;

use pc3_typemetric::descriptor::{pc3_type, pc3_union_mark, pc3_value};

use pc3_state::program::registry::Program;
use pc3_state::rank::Rank;
use pc3_state::unions::notes;
use pc3_state::unions::shapes::NoteSlot;
use pc3_state::unions::Unions;

/// # Safety
/// `ty` is an imported descriptor, and what `f` looks at can be read.
unsafe fn with(ty: *const pc3_type, f: impl FnOnce(&mut Unions, &Program, &pc3_type)) {
    // SAFETY: by the caller; entry points only.
    let (Some(rank), Some(ty)) = (unsafe { Rank::current() }, unsafe { ty.as_ref() }) else {
        return;
    };
    if ty.id == 0 {
        return;
    }
    let program: *const Program = &rank.job().program;
    // SAFETY: the running rank's, whose job outlives the call.
    unsafe { Unions::with(&raw mut rank.unions, |u| f(u, &*program, ty)) };
}

/// Member `k` of a union has been written.
///
/// # Safety
/// Called by generated code; so are all that follow.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_set(at: *const c_void, ty: *const pc3_type, k: u32) {
    // SAFETY: by the caller.
    let (Some(rank), Some(ty)) = (unsafe { Rank::current() }, unsafe { ty.as_ref() }) else {
        return;
    };
    if ty.id != 0 {
        // SAFETY: the running rank's, and a union of the program.
        unsafe {
            Unions::with(&raw mut rank.unions, |u| {
                u.set(at as usize, ty.id, k);
            });
        }
    }
}

/// A function was called with a pointer to member `k`.
///
/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_lent(at: *const c_void, ty: *const pc3_type, k: u32) {
    // SAFETY: by the caller.
    unsafe { with(ty, |u, _, t| u.lent(at as usize, t.id, k)) }
}

/// The program keeps a pointer to member `k` of the union at an offset in an object, which is returned. `code`: by which
/// `pc3_keep` finds that in `pc3_kept`; 0: it does not look.
///
/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_held(
    object: *const c_void,
    offset: usize,
    ty: *const pc3_type,
    k: u32,
    code: u32,
) -> *mut c_void {
    // SAFETY: by the caller.
    unsafe {
        with(ty, |u, _, t| {
            u.member_held(object as usize + offset, t.id, k, code)
        })
    };
    object.cast_mut()
}

/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_copied(
    to: *const c_void,
    from: *const c_void,
    ty: *const pc3_type,
) {
    // SAFETY: by the caller.
    unsafe {
        with(ty, |u, p, t| {
            u.copied(to as usize, from as usize, &p.types, t.id)
        })
    }
}

/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_passed(at: *const c_void, ty: *const pc3_type) -> *mut c_void {
    // SAFETY: by the caller.
    unsafe { with(ty, |u, p, t| u.pass(at as usize, &p.types, t.id)) };
    at.cast_mut()
}

/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_taken(at: *const c_void, ty: *const pc3_type) {
    // SAFETY: by the caller.
    unsafe { with(ty, |u, p, t| u.take(at as usize, &p.types, t.id)) }
}

/// A value with this code is on its way where another one waits: of two that look alike either may be the one.
///
/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_crowded(old: *const pc3_value, held: u64, code: u32) -> u32 {
    // SAFETY: an entry point; one of the running rank's values.
    let (Some(rank), Some(old)) = (unsafe { Rank::current() }, unsafe { old.as_ref() }) else {
        return 0;
    };
    if old.held != held {
        rank.unions.set_aside(*old);
        rank.abi.crowded = 1;
        return code;
    }
    // Of nothing but zeros it makes no difference.
    match held {
        0 => old.code.max(code),
        _ => notes::either(old.code, code, rank.unions.shapes().types()),
    }
}

/// A value arrives that had to make place.
#[no_mangle]
pub extern "C" fn pc3_union_sought(held: u64) -> u32 {
    // SAFETY: an entry point.
    let rank = unsafe { Rank::current() };
    rank.map_or(0, |rank| rank.unions.aside(held))
}

/// A union of so many bytes has arrived with this code where there were no notes yet.
///
/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_noted(at: *const c_void, n: usize, code: u32) {
    if at as usize % notes::STEP == 0 {
        // SAFETY: by the caller.
        unsafe {
            let place = NoteSlot {
                level: 0,
                window: n,
            };
            notes::set(at as usize, place, code);
        }
    }
}

/// An object has been initialised; returns it.
///
/// # Safety
/// As above; the marks end with one without a type.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_made(
    at: *const c_void,
    n: usize,
    marks: *const pc3_union_mark,
) -> *mut c_void {
    unions(|u| u.gone(at as usize, n, &NOWHERE));
    let mut mark = marks;
    // SAFETY: by the caller.
    while let Some(m) = unsafe { mark.as_ref() }.filter(|m| !m.ty.is_null()) {
        // SAFETY: a union in the object.
        unsafe { pc3_union_set(at.cast::<c_char>().add(m.offset).cast(), m.ty, m.member) };
        // SAFETY: it was not the last.
        mark = unsafe { mark.add(1) };
    }
    at.cast_mut()
}

fn unions(f: impl FnOnce(&mut Unions)) {
    // SAFETY: entry points only; the running rank's.
    if let Some(rank) = unsafe { Rank::current() } {
        // SAFETY: as above.
        unsafe { Unions::with(&raw mut rank.unions, f) };
    }
}

/// What lies here has been filled from elsewhere.
///
/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_gone(at: *const c_void, n: usize) {
    unions(|u| u.gone(at as usize, n, &NOWHERE));
}

/// The whole object around it has been given to a function that may fill it.
///
/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_filled(at: *const c_void, n: usize) -> *mut c_void {
    // SAFETY: by the caller.
    let Some(rank) = (unsafe { Rank::current() }) else {
        return at.cast_mut();
    };
    match around(rank, at as usize) {
        Some(None) => {}
        Some(Some(o)) => unions(|u| u.gone(o.start, o.len(), &o)),
        None => unions(|u| u.gone(at as usize, n, &NOWHERE)),
    }
    at.cast_mut()
}

/// Ends at which nothing lies.
const NOWHERE: Range<usize> = 0..0;

/// The object that these bytes are in, where unions can be in it whose notes have to follow what is written there;
/// `NOWHERE`: it is none of the heap.
#[inline]
fn object(rank: &Rank, at: usize, n: usize, from: Option<usize>) -> Option<Range<usize>> {
    match rank.heap.common_type(at) {
        Some(ty) if !rank.unions.shapes().has(ty) => None,
        _ => object_there(rank, at, n, from),
    }
}

fn object_there(rank: &Rank, at: usize, n: usize, from: Option<usize>) -> Option<Range<usize>> {
    let stack = rank.shadow.start() as usize..rank.shadow.end() as usize;
    if !stack.contains(&at) {
        if let Some(object) = around(rank, at) {
            return object;
        }
    }
    // Buffers of characters, most of the time.
    let nothing = rank.unions.nothing(at, n, true);
    let nothing = nothing && from.is_none_or(|from| rank.unions.nothing(from, n, false));
    (!nothing).then_some(NOWHERE)
}

/// The object of the heap that it is in; within that None where no unions can be in it: its type says so.
fn around(rank: &Rank, at: usize) -> Option<Option<Range<usize>>> {
    let o = rank.heap.find(at)?;
    let base = o.base as usize;
    Some(rank.unions.shapes().has(o.ty).then(|| base..base + o.size))
}

/// `memset`.
///
/// # Safety
/// As `memset`.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_memset(at: *mut c_void, c: c_int, n: usize) -> *mut c_void {
    // SAFETY: an entry point.
    if let Some(rank) = unsafe { Rank::current() } {
        if let Some(o) = object(rank, at as usize, n, None) {
            // SAFETY: the running rank's.
            unsafe { Unions::with(&raw mut rank.unions, |u| u.gone(at as usize, n, &o)) };
        }
    }
    // SAFETY: by the caller.
    unsafe { std::ptr::write_bytes(at.cast::<u8>(), c as u8, n) };
    at
}

/// What lies there has been copied from elsewhere, by `memcpy`.
///
/// # Safety
/// As `memcpy`.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_memcpy(
    to: *mut c_void,
    from: *const c_void,
    n: usize,
) -> *mut c_void {
    // SAFETY: by the caller.
    unsafe { pc3_union_memmove(to, from, n) }
}

/// `memmove`.
///
/// # Safety
/// As `memmove`.
#[no_mangle]
pub unsafe extern "C" fn pc3_union_memmove(
    to: *mut c_void,
    from: *const c_void,
    n: usize,
) -> *mut c_void {
    let copy = || {
        // SAFETY: by the caller.
        unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), n) }
    };
    // SAFETY: an entry point.
    let rank = unsafe { Rank::current() };
    let within = |r: &&mut Rank| object(r, to as usize, n, Some(from as usize));
    let Some((rank, o)) = rank.and_then(|r| within(&r).map(|o| (r, o))) else {
        copy();
        return to;
    };
    // SAFETY: the running rank's, twice; the source can be read, the target has been written.
    unsafe {
        let unions = &raw mut rank.unions;
        // Where both overlap, notes of what is overwritten are read first.
        let mut notes = None;
        if (*unions).may_have(from as usize, n) {
            Unions::with(unions, |u| notes = u.picked(from as usize, n));
        }
        copy();
        Unions::with(unions, |u| u.put(to as usize, from as usize, n, notes, &o));
    }
    to
}
