//! A long offer is copied by both sides: who takes it reads parts of it, and its sender, if it has nothing else to do, writes others.
//!
//! Parts are begun in their order, by who counts [`Slot::begun`] on.  That word has the offer's name, which no other offer ever has, and
//! is 0 while the rest of the slot changes: so whoever has counted it on knows the place of its part, and that this offer is being taken.
//! It stays so until all parts are done, as who takes it waits for those that its sender has begun.  An offer is taken once: whoever
//! could not copy it asks for it.

use std::sync::atomic::Ordering::*;
use std::time::Duration;

use super::direct::{copy, CopyDirection, Process, SLOT};
use super::segment::Slot;

/// Shorter ones are copied before the other side would begin.
pub const LONG: usize = 64 << 10;
/// A part is a sixteenth, within these: shorter ones are calls for their own sake, at the end of longer ones one side waits.
const PARTS: u64 = 16;
const SHORTEST: u64 = 32 << 10;
const LONGEST: u64 = 256 << 10;
/// As many parts as can be counted, at most.
const PARTS_BITS: u32 = 15;
/// Of [`Slot::done`]: a part could not be copied.
const FAILED: u64 = 1 << 32;

fn part_of(len: u64) -> u64 {
    let part = (len / PARTS).next_multiple_of(4096);
    part.clamp(SHORTEST, LONGEST).max((len >> PARTS_BITS) + 1)
}

struct CopyShare {
    pid: u32,
    from: u64,
    to: u64,
    len: usize,
}

/// The next part of that offer, which the caller has to copy; none: all have been begun, or it is over.
fn begin(slot: &Slot, id: u64) -> Option<CopyShare> {
    loop {
        let begun = slot.begun.load(SeqCst);
        if begun & !SLOT != id & !SLOT {
            return None;
        }
        let len = slot.len.load(SeqCst);
        let at = (begun & SLOT) * part_of(len);
        let part = CopyShare {
            pid: slot.pid.load(SeqCst) as u32,
            from: slot.from.load(SeqCst).wrapping_add(at),
            to: slot.to.load(SeqCst).wrapping_add(at),
            len: len.saturating_sub(at).min(part_of(len)) as usize,
        };
        if part.len == 0 {
            return None;
        }
        let counted = slot
            .begun
            .compare_exchange(begun, begun + 1, SeqCst, SeqCst);
        if counted.is_ok() {
            return Some(part);
        }
    }
}

/// Takes an offer of that process, which may help; `call` tells it so.  All of it, or false.
///
/// # Safety
/// `to` has room for `len` bytes, and nobody else takes this offer.
pub unsafe fn take(
    slot: &Slot,
    id: u64,
    sender: &Process,
    (from, to, len): (u64, *mut u8, usize),
    call: impl FnOnce(),
) -> bool {
    slot.begun.store(0, SeqCst);
    slot.done.store(0, SeqCst);
    slot.from.store(from, SeqCst);
    slot.to.store(to as usize as u64, SeqCst);
    slot.len.store(len as u64, SeqCst);
    slot.pid.store(std::process::id().into(), SeqCst);
    slot.begun.store(id & !SLOT, SeqCst);
    call();
    let (mut parts, mut all) = (0, true);
    while let Some(part) = begin(slot, id) {
        let to = part.to as usize as *mut u8;
        // SAFETY: by the caller: it is within.
        all &= unsafe { copy(CopyDirection::Read, sender.pid, part.from, to, part.len).is_ok() };
        parts += 1;
    }
    let theirs = (len as u64).div_ceil(part_of(len as u64)) - parts;
    match wait(slot, theirs, sender) {
        // Nobody writes to it any more, and nobody else will send it.
        None => false,
        Some(done) if all && done < FAILED => true,
        // SAFETY: by the caller.
        Some(_) => unsafe { copy(CopyDirection::Read, sender.pid, from, to, len).is_ok() },
    }
}

/// So many looks until the sender's parts can be expected to be done, if it has a processor.
const SOON: u32 = 1 << 14;
const NAP: Duration = Duration::from_micros(50);
/// One of so many naps.
const RARELY: u32 = 1 << 7;

/// All parts of the sender's are done; none if it is gone, so that they never will be.
fn wait(slot: &Slot, theirs: u64, sender: &Process) -> Option<u64> {
    let mut turns = 0u32;
    loop {
        let done = slot.done.load(SeqCst);
        if done % FAILED == theirs {
            return Some(done);
        }
        turns = turns.saturating_add(1);
        match turns {
            ..SOON if turns % 256 == 0 => std::thread::yield_now(),
            ..SOON => std::hint::spin_loop(),
            _ => std::thread::sleep(NAP),
        }
        if turns == SOON + RARELY {
            turns = SOON;
            if sender.is_gone() {
                return None;
            }
        }
    }
}

/// Copies a part of an offer of ours that is being taken; false if none is left.
pub fn help(slot: &Slot, id: u64) -> bool {
    let Some(part) = begin(slot, id) else {
        return false;
    };
    let from = part.from as usize as *mut u8;
    // SAFETY: what is offered stays while it is taken, which is until we have done this part.
    let all = unsafe { copy(CopyDirection::Write, part.pid, part.to, from, part.len).is_ok() };
    slot.done
        .fetch_add(if all { 1 } else { 1 + FAILED }, SeqCst);
    true
}
