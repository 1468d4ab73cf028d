//! Where mappings lie. They come from stretches of address space that nothing else uses, lowest first, so that a
//! program that is started again can have its objects at the addresses where they were: numbers made of addresses
//! mean the same then. Where a stretch is full, or the system has it otherwise, the system chooses.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use pc3_os::memory;

/// What a mapping is for: programs with more of one kind have the other at the same addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Heap,
    /// Stacks and copies of globals: made once, in the same order by every run.
    Standing,
}

#[cfg(target_pointer_width = "64")]
const STANDING: (usize, usize) = (0x2000_0000_0000, 0x3000_0000_0000);
#[cfg(target_pointer_width = "64")]
const HEAP: (usize, usize) = (0x3000_0000_0000, 0x5000_0000_0000);
#[cfg(not(target_pointer_width = "64"))]
const STANDING: (usize, usize) = (0x3000_0000, 0x5000_0000);
#[cfg(not(target_pointer_width = "64"))]
const HEAP: (usize, usize) = (0x5000_0000, 0xa000_0000);

/// Stretches, ascending, none beside another.
struct Stretches(Vec<(usize, usize)>);

struct AddressSpace {
    unused: Stretches,
    /// Mapped, for those who will ask for these very ranges.
    reserved: Stretches,
}

/// Not to be used: mappings are to lie elsewhere.
static AVOID: AtomicBool = AtomicBool::new(false);

static ROOM: Mutex<Option<AddressSpace>> = Mutex::new(None);

/// Tries before the system is asked: each finds a place taken by others.
const TRIES: usize = 4;

/// From now on the system chooses all addresses, and none is had again: for tests of what moves.
pub fn avoid() {
    AVOID.store(true, Ordering::Relaxed);
}

fn bounds(purpose: Purpose) -> (usize, usize) {
    match purpose {
        Purpose::Heap => HEAP,
        Purpose::Standing => STANDING,
    }
}

/// None: a thread held it for long. In a child that was forked meanwhile it may be held for ever.
fn lock() -> Option<MutexGuard<'static, Option<AddressSpace>>> {
    if AVOID.load(Ordering::Relaxed) {
        return None;
    }
    for _ in 0..1000 {
        match ROOM.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(e)) => return Some(PoisonError::into_inner(e)),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

impl AddressSpace {
    fn new() -> AddressSpace {
        AddressSpace {
            unused: Stretches(vec![STANDING, HEAP]),
            reserved: Stretches(Vec::new()),
        }
    }

    fn map_again(&mut self, base: usize, len: usize) -> bool {
        let end = base + len;
        if self.reserved.has(base, end) {
            self.reserved.remove(base, end);
            return true;
        }
        let done = map_at(base, len).is_some();
        if done {
            self.unused.remove(base, end);
        }
        done
    }
}

impl Stretches {
    fn has(&self, from: usize, to: usize) -> bool {
        let at = self.0.partition_point(|p| p.1 < to);
        self.0.get(at).is_some_and(|p| p.0 <= from && to <= p.1)
    }

    fn first(&self, (low, high): (usize, usize), len: usize, align: usize) -> Option<usize> {
        self.0.iter().find_map(|&(start, end)| {
            let at = start.max(low).checked_next_multiple_of(align)?;
            (at.checked_add(len)? <= end.min(high)).then_some(at)
        })
    }

    fn remove(&mut self, from: usize, to: usize) {
        let first = self.0.partition_point(|p| p.1 <= from);
        let behind = self.0.partition_point(|p| p.0 < to);
        let touched = &self.0[first..behind];
        let (Some(&(start, _)), Some(&(_, end))) = (touched.first(), touched.last()) else {
            return;
        };
        let kept = [(start, from), (to, end)];
        let kept = kept.into_iter().filter(|(a, b)| a < b);
        self.0.splice(first..behind, kept);
    }

    fn add(&mut self, mut from: usize, mut to: usize) {
        self.0.retain(|&(start, end)| {
            let apart = end < from || to < start;
            if !apart {
                (from, to) = (from.min(start), to.max(end));
            }
            apart
        });
        let at = self.0.partition_point(|p| p.0 < from);
        self.0.insert(at, (from, to));
    }
}

fn map_at(base: usize, len: usize) -> Option<*mut u8> {
    memory::map_at(base, len).ok()
}

/// Zeroed memory in the stretch for `purpose`; null if there is no place or no memory.
/// `len` and `align` are of whole pages.
pub fn map(purpose: Purpose, len: usize, align: usize) -> *mut u8 {
    let Some(mut guard) = lock() else {
        return null_mut();
    };
    let free = &mut guard.get_or_insert_with(AddressSpace::new).unused;
    for _ in 0..TRIES {
        let Some(at) = free.first(bounds(purpose), len, align) else {
            break;
        };
        let end = at + len;
        let found = map_at(at, len);
        // What others have is not asked for again.
        free.remove(at, end);
        if let Some(p) = found {
            return p;
        }
    }
    null_mut()
}

/// The very range, if nothing is there or it was reserved.
pub(crate) fn map_again(base: usize, len: usize) -> bool {
    lock().is_some_and(|mut guard| {
        let room = guard.get_or_insert_with(AddressSpace::new);
        room.map_again(base, len)
    })
}

/// Maps a range of which parts will be asked for again: one mapping, where each part would be one.
pub(crate) fn reserve(base: usize, len: usize) {
    if let Some(mut guard) = lock() {
        let room = guard.get_or_insert_with(AddressSpace::new);
        if room.map_again(base, len) {
            room.reserved.add(base, base + len);
        }
    }
}

/// A range is not mapped any more.
pub fn unmapped(base: usize, len: usize) {
    let ours = |(low, high): (usize, usize)| base >= low && base + len <= high;
    if !ours(HEAP) && !ours(STANDING) {
        return;
    }
    if let Some(mut guard) = lock() {
        if let Some(room) = guard.as_mut() {
            room.unused.add(base, base + len);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_cut_and_joined() {
        let mut free = Stretches(vec![(100, 200), (300, 500)]);
        assert_eq!(free.first((0, 1000), 50, 64), Some(128));
        assert_eq!(free.first((0, 1000), 150, 1), Some(300));
        assert_eq!(free.first((0, 400), 150, 1), None);
        free.remove(150, 350);
        assert_eq!(free.0, [(100, 150), (350, 500)]);
        free.add(150, 160);
        free.add(340, 350);
        assert_eq!(free.0, [(100, 160), (340, 500)]);
        free.add(160, 340);
        assert_eq!(free.0, [(100, 500)]);
    }

    #[test]
    fn parts_of_what_is_reserved_are_had_again() {
        let len = 1 << 20;
        let base = map(Purpose::Heap, len, 1 << 20) as usize;
        assert_ne!(base, 0);
        let give_back = |from: usize, len: usize| {
            // SAFETY: ours.
            unsafe { memory::unmap(from as *mut u8, len) };
            unmapped(from, len);
        };
        give_back(base, len);
        reserve(base, len);
        assert!(map_again(base + 0x20000, 0x10000));
        assert!(!map_again(base + 0x20000, 0x10000), "it is in use");
        assert!(!map_again(base + 0x10000, 0x20000), "a part is in use");
        assert!(map_again(base, 0x20000) && map_again(base + 0x30000, len - 0x30000));
        give_back(base, len);
    }

    #[test]
    fn a_range_that_was_given_back_is_had_again() {
        let len = 1 << 20;
        let p = map(Purpose::Standing, len, 1 << 16);
        assert!(!p.is_null());
        assert!(!map_again(p as usize, len), "it is in use");
        // SAFETY: ours.
        unsafe { memory::unmap(p, len) };
        unmapped(p as usize, len);
        assert!(map_again(p as usize, len));
        // SAFETY: ours.
        unsafe { memory::unmap(p, len) };
        unmapped(p as usize, len);
    }
}
