//! Memory beside the program's, in which generated code notes without a call which member of a union was written last:
//! twice as much as the program's, found by one look into a directory.
//!
//! ```text
//! union of n bytes at a:  its contents (n), code (4)     at 2a + where its stretch of notes lies
//! ```
//! Unions that do not overlap have places that do not, so threads never meet here unless they do in the union itself.
//! Stretches are made when something in theirs is first noted, and stay.  Of a union that reaches across the end of a
//! stretch all of the note lies with the stretch where it begins: there is room for that behind each.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use pc3_typemetric::descriptor::{NOTES_CODES, NOTES_ENTRIES, NOTES_MOST, NOTES_SHIFT};

/// Bytes of the program's that have their notes in one mapping.
const STRETCH: usize = 1 << NOTES_SHIFT;
/// Room behind a stretch's notes, for the longest note that begins with its last bytes.
const BEHIND: usize = NOTES_MOST + 4;

/// Where a stretch's notes lie, less twice its address; 0: nowhere yet.
#[no_mangle]
#[allow(non_upper_case_globals)]
static pc3_notes: [AtomicUsize; NOTES_ENTRIES] = [const { AtomicUsize::new(0) }; NOTES_ENTRIES];

/// Unions at other places (in packed structs) are not looked for.
pub(crate) const STEP: usize = 2;

static STRETCHES: AtomicU32 = AtomicU32::new(0);

/// Has anything been noted?
pub(crate) fn any() -> bool {
    STRETCHES.load(Relaxed) != 0
}

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
    // SAFETY: an anonymous mapping at an address of the system's choice.
    let p = unsafe {
        libc::mmap(
            null_mut(),
            2 * STRETCH + BEHIND,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if p == libc::MAP_FAILED {
        return None;
    }
    let base = (p as usize).wrapping_sub(2 * (at & !(STRETCH - 1)));
    let free = |p| {
        // SAFETY: nobody else knows of it.
        unsafe { libc::munmap(p, 2 * STRETCH + BEHIND) };
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

fn place(base: usize, at: usize) -> usize {
    base.wrapping_add(2 * at)
}

/// The code of a union of so many bytes, if it still has the contents that it had then; else 0.
///
/// # Safety
/// The union can be read; so in all that follows.
#[inline]
pub(crate) unsafe fn code(at: usize, bytes: usize) -> u32 {
    let Some(slot) = base(at).map(|b| place(b, at)) else {
        return 0;
    };
    // SAFETY: by the caller; a place in a mapping of ours.
    unsafe {
        let same = match bytes {
            8 => (slot as *const u64).read_unaligned() == (at as *const u64).read_unaligned(),
            _ => raw(slot, bytes) == raw(at, bytes),
        };
        match same {
            true => ((slot + bytes) as *const u32).read_unaligned(),
            false => 0,
        }
    }
}

unsafe fn raw<'a>(at: usize, bytes: usize) -> &'a [u8] {
    // SAFETY: by the caller.
    unsafe { std::slice::from_raw_parts(at as *const u8, bytes) }
}

/// Gives it a code, for its contents.
#[inline]
pub(crate) unsafe fn set(at: usize, bytes: usize, code: u32) {
    let slot = if code == 0 { base(at) } else { base_made(at) };
    let Some(slot) = slot.map(|b| place(b, at)) else {
        return;
    };
    // SAFETY: as above.
    unsafe {
        match bytes {
            8 => (slot as *mut u64).write_unaligned((at as *const u64).read_unaligned()),
            _ => std::ptr::copy_nonoverlapping(at as *const u8, slot as *mut u8, bytes),
        }
        ((slot + bytes) as *mut u32).write_unaligned(code);
    }
}

/// Whatever is noted of these bytes is void.
pub(crate) fn clear(at: usize, bytes: usize) {
    if bytes == 0 || !any() {
        return;
    }
    let start = at & !3;
    let end = at.saturating_add(bytes).saturating_add(3) & !3;
    for (at, n) in pieces(start, end - start) {
        if let Some(base) = base(at) {
            // SAFETY: twice the piece lies in the stretch's mapping.
            unsafe { wipe(place(base, at), 2 * n) };
        }
    }
    across(start, end);
}

/// What is noted of unions that reach across the end of a stretch, and of which some byte may be among these, is void.
fn across(start: usize, end: usize) {
    let first = start.saturating_sub(NOTES_MOST) / STRETCH + 1;
    for edge in (first..=end / STRETCH).map(|n| n * STRETCH) {
        if let Some(base) = base(edge - 1) {
            // SAFETY: the room behind the stretch's notes.
            unsafe { wipe(place(base, edge), BEHIND) };
        }
    }
}

/// Ends of stretches within these bytes.
fn edges(at: usize, bytes: usize) -> impl Iterator<Item = usize> {
    let last = (at + bytes).saturating_sub(1) / STRETCH;
    (at / STRETCH + 1..=last).map(|n| n * STRETCH)
}

/// How much of a note lies behind `edge`, of a union that reaches across it: as notes are with this base.
fn behind(
    base: usize,
    edge: usize,
    types: &[u32],
    size: &impl Fn(u32) -> Option<usize>,
) -> Option<usize> {
    (edge..edge + NOTES_MOST / 2).step_by(STEP).find_map(|at| {
        // SAFETY: in a stretch's mapping, or the room behind its notes.
        let word = unsafe { (place(base, at) as *const u32).read_unaligned() };
        let n = size(decoded(word, types)?.0)?;
        let union = at.wrapping_sub(n / 2);
        (union < edge && union + n > edge).then_some(2 * (at - edge) + 4)
    })
}

/// The note of the union across this edge, as if the stretches' notes followed each other: to be copied with them.
fn spread(edge: usize, types: &[u32], size: &impl Fn(u32) -> Option<usize>) {
    let Some(before) = base(edge - 1) else { return };
    let Some(n) = behind(before, edge, types, size) else {
        return;
    };
    if let Some(after) = base_made(edge) {
        // SAFETY: room in both; what begins behind the edge begins behind this union.
        unsafe {
            let (from, to) = (place(before, edge), place(after, edge));
            std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, n);
        }
    }
}

/// The other way round.
fn join(edge: usize, types: &[u32], size: &impl Fn(u32) -> Option<usize>) {
    let Some(before) = base(edge - 1) else { return };
    let to = place(before, edge);
    // SAFETY: room in both.
    unsafe {
        wipe(to, BEHIND);
        let Some(after) = base(edge) else { return };
        if let Some(n) = behind(after, edge, types, size) {
            let from = place(after, edge) as *const u8;
            std::ptr::copy_nonoverlapping(from, to as *mut u8, n);
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

unsafe fn blank(at: usize, bytes: usize) -> bool {
    // SAFETY: by the caller.
    let words = unsafe { raw(at, bytes) };
    words.iter().all(|b| *b == 0)
}

/// Bytes looked at before they are written, so that pages without notes stay the system's.
const PIECE: usize = 4096;
const SMALL: usize = 256;

/// Notes of bytes that have been copied, or moved, go with them. `types`, `size`: as for [`each`].
pub(crate) fn copy(
    to: usize,
    from: usize,
    bytes: usize,
    types: &[u32],
    size: impl Fn(u32) -> Option<usize>,
) {
    if bytes == 0 || !any() {
        return;
    }
    if (to | from | bytes) & 3 != 0 {
        return clear(to, bytes);
    }
    for edge in edges(from, bytes) {
        spread(edge, types, &size);
    }
    let forward = to <= from;
    let mut done = 0;
    while done < bytes {
        // From the side on which what has not been read yet is not overwritten.
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
        unsafe { copy_piece(to + at, from + at, n) };
        done += n;
    }
    for edge in edges(to, bytes) {
        join(edge, types, &size);
    }
}

unsafe fn copy_piece(to: usize, from: usize, n: usize) {
    let source = base(from).map(|b| place(b, from));
    // SAFETY: by the caller.
    unsafe {
        let Some(source) = source.filter(|s| n <= SMALL || !blank(*s, 2 * n)) else {
            if let Some(b) = base(to) {
                wipe(place(b, to), 2 * n);
            }
            return;
        };
        if let Some(b) = base_made(to) {
            let target = place(b, to) as *mut u8;
            std::ptr::copy(source as *const u8, target, 2 * n);
        }
    }
}

/// The notes in these bytes that hold: a union's address, its type and members. `size`: of unions of a type that have such notes.
pub(crate) unsafe fn each(
    at: usize,
    bytes: usize,
    types: &[u32],
    size: impl Fn(u32) -> Option<usize>,
    mut found: impl FnMut(usize, u32, u64),
) {
    if !any() {
        return;
    }
    let start = at.next_multiple_of(STEP);
    let end = at.saturating_add(bytes);
    for (piece, n) in pieces(start, end.saturating_sub(start)) {
        let Some(base) = base(piece) else { continue };
        let goes_on = piece + n < end;
        let behind = if goes_on { NOTES_MOST / 2 } else { 0 };
        for at in (piece..piece + n + behind).step_by(STEP) {
            // SAFETY: in the stretch's mapping, or behind its notes.
            let word = unsafe { (place(base, at) as *const u32).read_unaligned() };
            if word < NOTES_CODES {
                continue;
            }
            let noted = decoded(word, types);
            let Some((ty, members, n)) = noted.and_then(|(ty, m)| Some((ty, m, size(ty)?))) else {
                continue;
            };
            let union = at.wrapping_sub(n / 2);
            let here = union >= start && union + n <= end && union / STRETCH == piece / STRETCH;
            // SAFETY: in the object.
            if here && unsafe { code(union, n) } == word {
                found(union, ty, members);
            }
        }
    }
}

/// Voids notes of unions that lie in these bytes in part: `types` and `size` as above, none larger than `most`.
pub(crate) fn cut(
    at: usize,
    bytes: usize,
    types: &[u32],
    most: usize,
    size: impl Fn(u32) -> Option<usize>,
) {
    let end = at.saturating_add(bytes);
    let first = at.saturating_sub(most);
    if [first, at, end].into_iter().all(|a| base(a).is_none()) {
        return;
    }
    let around = |edge: usize| {
        let first = edge.saturating_sub(most / 2) & !(STEP - 1);
        (first..edge.saturating_add(most / 2)).step_by(STEP)
    };
    // With its own stretch's notes, or behind those of the one where the union begins.
    let bases = |at_code: usize| {
        let edge = at_code & !(STRETCH - 1);
        let near = edge > 0 && at_code - edge < NOTES_MOST / 2;
        [base(at_code), near.then(|| base(edge - 1)).flatten()]
    };
    let all = around(at).chain(around(end));
    for (at_code, base) in all.flat_map(|c| bases(c).into_iter().flatten().map(move |b| (c, b))) {
        let place = place(base, at_code) as *mut u32;
        // SAFETY: in the stretch's mapping, or behind its notes.
        let word = unsafe { place.read_unaligned() };
        if word < NOTES_CODES {
            continue;
        }
        let Some(n) = decoded(word, types).and_then(|(ty, _)| size(ty)) else {
            continue;
        };
        let union = at_code.wrapping_sub(n / 2);
        let inside = union >= at && union + n <= end;
        if union < end && union + n > at && !inside {
            // SAFETY: as above.
            unsafe { place.write_unaligned(0) };
        }
    }
}

/// By stretches.
fn pieces(at: usize, bytes: usize) -> impl Iterator<Item = (usize, usize)> {
    parts(at, bytes, STRETCH)
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
pub(crate) fn forget() {
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
pub(crate) fn coded(ty: u32, members: u64) -> u32 {
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
pub(crate) fn either(a: u32, b: u32, types: &[u32]) -> u32 {
    match (decoded(a, types), decoded(b, types)) {
        (Some((ty, m)), Some((of, n))) if ty == of => coded(ty, m | n),
        _ => 0,
    }
}

/// The union's type, and the members, that a code stands for; `types`: those of generated code's numbers.
#[inline]
pub(crate) fn decoded(code: u32, types: &[u32]) -> Option<(u32, u64)> {
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
