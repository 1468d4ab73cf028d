//! Memory beside the program's, in which generated code notes without a call which member of a union was written last:
//! twice as much as the program's, found by one look into a directory.
//!
//! ```text
//! union at a:  code (4), the member's bytes (its window)     at 2a + where its stretch of notes lies
//! ```
//! A note has the bytes of the member that was written, up to 64, and at least 8 unless the union has fewer: an object may
//! be shorter than its union. Unions that do not overlap have places that do not, so threads never meet here unless they do
//! in the union itself. Unions in which others lie have theirs in a second such memory, behind the first.
//! Stretches are made when something in theirs is first noted, and stay.  Of a union that reaches across the end of a
//! stretch all of the note lies with the stretch where it begins: there is room for that behind each.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::*};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use pc3_os::memory::{self, Backing};
use pc3_typemetric::descriptor::{
    NOTES_CODES, NOTES_ENTRIES, NOTES_LEVEL, NOTES_MOST, NOTES_SHIFT,
};

use crate::unions::shapes::{NoteSlot, Shapes};

/// Bytes of the program's that have their notes in one mapping.
const STRETCH: usize = 1 << NOTES_SHIFT;
/// Bytes of a note in front of the member's.
const HEAD: usize = 4;
/// Where a union that begins in front of an edge, and whose note reaches across it, can begin.
const NEAR: usize = (HEAD + NOTES_MOST) / 2;

/// Where a stretch's notes lie, less twice its address; 0: nowhere yet.
#[no_mangle]
#[allow(non_upper_case_globals)]
static pc3_notes: [AtomicUsize; NOTES_ENTRIES] = [const { AtomicUsize::new(0) }; NOTES_ENTRIES];

/// Unions at other places (in packed structs) are not looked for.
pub const STEP: usize = 2;

static STRETCHES: AtomicU32 = AtomicU32::new(0);
/// Are there unions in which others lie, and are such unions noted?
static DEEP: AtomicBool = AtomicBool::new(false);
static NESTED: AtomicBool = AtomicBool::new(false);

/// Before anything is noted.
pub fn begin(deep: bool, nested: bool) {
    DEEP.store(deep, Relaxed);
    NESTED.store(nested, Relaxed);
}

#[inline]
fn levels() -> usize {
    1 + usize::from(NESTED.load(Relaxed))
}

/// Has anything been noted?
#[inline]
pub fn any() -> bool {
    STRETCHES.load(Relaxed) != 0
}

#[inline]
fn base(at: usize) -> Option<usize> {
    match pc3_notes.get(at >> NOTES_SHIFT)?.load(Acquire) {
        0 => None,
        base => Some(base),
    }
}

fn base_made(at: usize) -> Option<usize> {
    base(at).or_else(|| make(at))
}

#[cold]
fn make(at: usize) -> Option<usize> {
    let entry = pc3_notes.get(at >> NOTES_SHIFT)?;
    let bytes = (1 + usize::from(DEEP.load(Relaxed))) * NOTES_LEVEL;
    let p = memory::map(bytes, Backing::AsTouched).ok()?;
    let base = (p as usize).wrapping_sub(2 * (at & !(STRETCH - 1)));
    let free = |p| {
        // SAFETY: nobody else knows of it.
        unsafe { memory::unmap(p, bytes) };
    };
    if base == 0 {
        free(p);
        return None;
    }
    match entry.compare_exchange(0, base, AcqRel, Acquire) {
        Ok(_) => {
            STRETCHES.fetch_add(1, Relaxed);
            Some(base)
        }
        Err(other) => {
            free(p);
            Some(other)
        }
    }
}

fn place(base: usize, at: usize, level: usize) -> usize {
    base.wrapping_add(2 * at + level * NOTES_LEVEL)
}

unsafe fn raw<'a>(at: usize, bytes: usize) -> &'a [u8] {
    // SAFETY: by the caller.
    unsafe { std::slice::from_raw_parts(at as *const u8, bytes) }
}

unsafe fn word(at: usize) -> u32 {
    // SAFETY: by the caller.
    unsafe { (at as *const u32).read_unaligned() }
}

/// The code of a union's note, whatever it holds now; 0: none.
#[inline]
pub fn code(at: usize, level: usize) -> u32 {
    // SAFETY: a place in a mapping of ours.
    base(at).map_or(0, |b| unsafe { word(place(b, at, level)) })
}

/// Are the bytes those that were noted?
///
/// # Safety
/// The member can be read; so in all that follows.
#[inline]
pub unsafe fn holds(at: usize, p: NoteSlot) -> bool {
    let Some(slot) = base(at).map(|b| place(b, at, p.level) + HEAD) else {
        return false;
    };
    // SAFETY: by the caller; a place in a mapping of ours.
    unsafe { raw(slot, p.window) == raw(at, p.window) }
}

/// Gives it a code, for its contents.
///
/// # Safety
/// Memory of the program, which nobody else changes now.
#[inline]
pub unsafe fn set(at: usize, p: NoteSlot, code: u32) {
    if p.level > 0 {
        NESTED.store(true, Relaxed);
    }
    let slot = if code == 0 { base(at) } else { base_made(at) };
    let Some(slot) = slot.map(|b| place(b, at, p.level)) else {
        return;
    };
    // SAFETY: as above.
    unsafe {
        (slot as *mut u32).write_unaligned(code);
        std::ptr::copy_nonoverlapping(at as *const u8, (slot + HEAD) as *mut u8, p.window);
    }
}

/// Whatever is noted of unions that begin in these bytes is void.
#[inline]
pub fn clear(at: usize, bytes: usize) {
    if bytes == 0 || !any() {
        return;
    }
    if 2 * bytes > SMALL || !inside(at, bytes) {
        return clear_all(at, bytes);
    }
    let Some(base) = base(at) else { return };
    for level in 0..levels() {
        // SAFETY: twice the bytes lie in the stretch's mapping.
        unsafe { std::ptr::write_bytes(place(base, at, level) as *mut u8, 0, 2 * bytes) };
    }
}

fn clear_all(at: usize, bytes: usize) {
    for (at, n) in parts(at, bytes, STRETCH) {
        if let Some(base) = base(at) {
            for level in 0..levels() {
                // SAFETY: twice the piece lies in the stretch's mapping.
                unsafe { wipe(place(base, at, level), 2 * n) };
            }
        }
    }
}

/// What has no notes yet stays memory that the system has not given.
unsafe fn wipe(at: usize, bytes: usize) {
    for (at, n) in parts(at, bytes, PIECE) {
        // SAFETY: by the caller.
        unsafe {
            if n <= SMALL || !blank(at, n) {
                std::ptr::write_bytes(at as *mut u8, 0, n);
            }
        }
    }
}

/// Is nothing noted of unions that begin in these bytes? Of many it is not looked at.
#[inline]
pub fn nothing(at: usize, bytes: usize) -> bool {
    if bytes > SMALL || !inside(at, bytes) {
        return false;
    }
    let Some(base) = base(at) else { return true };
    // SAFETY: twice the bytes lie in the stretch's mapping.
    let blank = |level| unsafe { blank(place(base, at, level), 2 * bytes) };
    blank(0) && (levels() == 1 || blank(1))
}

#[inline]
unsafe fn blank(at: usize, bytes: usize) -> bool {
    const WORD: usize = 8;
    const BLOCK: usize = 4 * WORD;
    // SAFETY: by the caller.
    let word = |at: usize| unsafe { (at as *const u64).read_unaligned() };
    let block = |at: usize| word(at) | word(at + 8) | word(at + 16) | word(at + 24);
    // Many at a time: a test of each costs more than the bytes behind it. The last may overlap.
    match bytes {
        BLOCK.. => {
            let rest = (0..bytes - BLOCK).step_by(BLOCK);
            rest.fold(block(at + bytes - BLOCK), |all, d| all | block(at + d)) == 0
        }
        WORD.. => {
            let rest = (0..bytes - WORD).step_by(WORD);
            rest.fold(word(at + bytes - WORD), |all, d| all | word(at + d)) == 0
        }
        // SAFETY: by the caller.
        _ => unsafe { raw(at, bytes) }.iter().all(|b| *b == 0),
    }
}

/// Bytes looked at before they are written, so that pages without notes stay the system's.
const PIECE: usize = 4096;
const SMALL: usize = 256;

/// Do they all lie in one stretch?
#[inline]
fn inside(at: usize, bytes: usize) -> bool {
    at % STRETCH + bytes <= STRETCH
}

/// Notes of bytes that have been copied, or moved, go with them.
pub fn copy(to: usize, from: usize, bytes: usize, shapes: &Shapes) {
    if bytes == 0 || !any() {
        return;
    }
    if inside(to, bytes) && inside(from, bytes) && bytes <= SMALL {
        for level in 0..levels() {
            // SAFETY: neither leaves its stretch.
            unsafe { copy_piece(to, from, bytes, level) };
        }
        return;
    }
    let across = across(to, from, bytes, shapes);
    for level in 0..levels() {
        copy_all(to, from, bytes, level);
    }
    for (at, level, note) in across {
        if let Some(base) = base_made(at) {
            let slot = place(base, at, level) as *mut u8;
            // SAFETY: a note's place, with room behind the stretch.
            unsafe { std::ptr::copy_nonoverlapping(note.as_ptr(), slot, note.len()) };
        }
    }
}

/// From the side on which what has not been read yet is not overwritten.
fn copy_all(to: usize, from: usize, bytes: usize, level: usize) {
    let forward = to <= from;
    let mut done = 0;
    while done < bytes {
        let rest = bytes - done;
        let n = match forward {
            true => {
                let (a, b) = (to + done, from + done);
                rest.min(STRETCH - a % STRETCH).min(STRETCH - b % STRETCH)
            }
            false => {
                let (a, b) = (to + rest, from + rest);
                rest.min((a - 1) % STRETCH + 1).min((b - 1) % STRETCH + 1)
            }
        };
        let n = n.min(PIECE / 2);
        let at = if forward { done } else { rest - n };
        // SAFETY: neither piece leaves its stretch.
        unsafe { copy_piece(to + at, from + at, n, level) };
        done += n;
    }
}

unsafe fn copy_piece(to: usize, from: usize, n: usize, level: usize) {
    let source = base(from).map(|b| place(b, from, level));
    // SAFETY: by the caller.
    unsafe {
        let Some(source) = source.filter(|s| n <= SMALL || !blank(*s, 2 * n)) else {
            if let Some(b) = base(to) {
                wipe(place(b, to, level), 2 * n);
            }
            return;
        };
        if let Some(b) = base_made(to) {
            let target = place(b, to, level) as *mut u8;
            std::ptr::copy(source as *const u8, target, 2 * n);
        }
    }
}

/// Notes that reach across the end of a stretch where they are, or where they go: by where they go.
fn across(to: usize, from: usize, bytes: usize, shapes: &Shapes) -> Vec<(usize, usize, Vec<u8>)> {
    let edges = |at: usize| {
        let last = (at + bytes - 1) / STRETCH;
        (at / STRETCH + 1..=last).map(move |n| n * STRETCH - at)
    };
    let mut out = Vec::new();
    for edge in edges(from).chain(edges(to)) {
        let first = edge.saturating_sub(NEAR);
        let starts = (first..edge).filter(|d| (from + d) % STEP == 0);
        for (d, level) in starts.flat_map(|d| (0..levels()).map(move |l| (d, l))) {
            let at = from + d;
            let noted = shapes.noted(code(at, level));
            let place_of = noted.and_then(|(ty, m)| shapes.place(ty, m));
            let whole = |p: &NoteSlot| p.level == level && d + p.window <= bytes;
            if let (Some(p), Some(base)) = (place_of.filter(whole), base(at)) {
                // SAFETY: a note's place.
                let note = unsafe { raw(place(base, at, level), HEAD + p.window) };
                out.push((to + d, level, note.to_vec()));
            }
        }
    }
    out
}

/// The notes in these bytes that hold: a union's address, its type and members.
///
/// # Safety
/// Memory of the program, which nobody else changes now.
pub unsafe fn each(
    at: usize,
    bytes: usize,
    shapes: &Shapes,
    mut found: impl FnMut(usize, u32, u64),
) {
    if !any() {
        return;
    }
    let start = at.next_multiple_of(STEP);
    let end = at.saturating_add(bytes);
    for (piece, n) in parts(start, end.saturating_sub(start), STRETCH) {
        let Some(base) = base(piece) else { continue };
        let all = (piece..piece + n).step_by(STEP);
        for (at, level) in all.flat_map(|at| (0..levels()).map(move |l| (at, l))) {
            // SAFETY: in the stretch's mapping.
            let code = unsafe { word(place(base, at, level)) };
            if code < NOTES_CODES {
                continue;
            }
            let noted = shapes.noted(code);
            let Some((ty, members, p)) = noted.and_then(|(t, m)| Some((t, m, shapes.place(t, m)?)))
            else {
                continue;
            };
            // SAFETY: in the object.
            if p.level == level && at + p.window <= end && unsafe { holds(at, p) } {
                found(at, ty, members);
            }
        }
    }
}

/// Unions on both sides of an edge have been written in part: the notes of those that begin at `least` or behind it are void.
#[inline]
pub fn cut(edge: usize, least: usize, shapes: &Shapes) {
    let first = least.max(edge.saturating_sub(shapes.most()));
    let first = first.next_multiple_of(STEP);
    if first >= edge || !any() {
        return;
    }
    if inside(first, edge - first) {
        return cut_part(first, edge - first, edge, shapes);
    }
    for (start, n) in parts(first, edge - first, STRETCH) {
        cut_part(start, n, edge, shapes);
    }
}

/// Of unions that begin in these bytes.
#[inline]
fn cut_part(start: usize, bytes: usize, edge: usize, shapes: &Shapes) {
    let Some(base) = base(start) else { return };
    for level in 0..levels() {
        let place = place(base, start, level);
        // SAFETY: in the stretch's mapping.
        if unsafe { blank(place, 2 * bytes) } {
            continue;
        }
        // A code in each word, if at all; of most pairs there is none.
        for d in (0..bytes).step_by(2 * STEP) {
            // SAFETY: in the stretch's mapping, or in the room behind it.
            if unsafe { ((place + 2 * d) as *const u64).read_unaligned() } != 0 {
                for d in [d, d + STEP].into_iter().filter(|d| *d < bytes) {
                    // SAFETY: a word in the stretch's mapping.
                    unsafe { cut_one(place + 2 * d, level, edge - start - d, shapes) };
                }
            }
        }
    }
}

/// The note is void if it has more than so many bytes.
#[cold]
unsafe fn cut_one(slot: usize, level: usize, bytes: usize, shapes: &Shapes) {
    // SAFETY: by the caller.
    let noted = shapes.noted(unsafe { word(slot) });
    let place_of = noted.and_then(|(ty, m)| shapes.place(ty, m));
    if place_of.is_some_and(|p| p.level == level && p.window > bytes) {
        // SAFETY: by the caller.
        unsafe { (slot as *mut u32).write_unaligned(0) };
    }
}

/// Divided where addresses are multiples of `size`.
fn parts(at: usize, bytes: usize, size: usize) -> impl Iterator<Item = (usize, usize)> {
    let (mut at, end) = (at, at + bytes);
    std::iter::from_fn(move || {
        let n = (end - at).min(size - at % size);
        let piece = (n > 0).then_some((at, n));
        at += n;
        piece
    })
}

/// Everything that is noted is forgotten.
#[cold]
pub fn forget() {
    for (i, _) in pc3_notes
        .iter()
        .enumerate()
        .filter(|(_, e)| e.load(Relaxed) != 0)
    {
        clear(i * STRETCH, STRETCH);
    }
}

/// Types and members that have a code of the runtime's own, from here on.
const OWN: u32 = 1 << 31;
const MOST: usize = 1 << 16;
static OTHERS: Mutex<Vec<(u32, u64)>> = Mutex::new(Vec::new());

/// None: whom a signal handler interrupts has it.
fn others() -> Option<MutexGuard<'static, Vec<(u32, u64)>>> {
    for _ in 0..1000 {
        match OTHERS.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(e)) => return Some(PoisonError::into_inner(e)),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

/// A code for one of several members of a union of this type having been written last; 0 if there is none.
pub fn coded(ty: u32, members: u64) -> u32 {
    if members == 0 {
        return 0;
    }
    let Some(mut list) = others() else { return 0 };
    let n = match list.iter().position(|m| *m == (ty, members)) {
        Some(n) => n,
        None if list.len() < MOST => {
            list.push((ty, members));
            list.len() - 1
        }
        None => return 0,
    };
    OWN + n as u32
}

/// What says both; 0: nothing does.
#[cold]
pub fn either(a: u32, b: u32, types: &[u32]) -> u32 {
    match (decoded(a, types), decoded(b, types)) {
        (Some((ty, m)), Some((of, n))) if ty == of => coded(ty, m | n),
        _ => 0,
    }
}

/// The union's type, and the members, that a code stands for; `types`: those of generated code's numbers.
#[inline]
pub fn decoded(code: u32, types: &[u32]) -> Option<(u32, u64)> {
    match code {
        OWN.. => decoded_own(code - OWN),
        NOTES_CODES.. => {
            let n = code - NOTES_CODES;
            let ty = *types.get((n >> 6) as usize).filter(|ty| **ty != 0)?;
            Some((ty, 1 << (n & 63)))
        }
        _ => None,
    }
}

#[cold]
fn decoded_own(n: u32) -> Option<(u32, u64)> {
    others()?.get(n as usize).copied()
}

#[cfg(test)]
#[path = "notes_tests.rs"]
mod tests;
