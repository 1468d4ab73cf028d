//! Large objects: runs of granules below `DIRECT`, mappings of their own from there on.

use crate::arena::{Arena, Fault};
use crate::class::MAX_SLOT;
use crate::granule::{GRANULE, LINE};
use crate::map;
use crate::page::{Kind, Left, Page};
use crate::span::{Spare, NO_SPARES, RETAIN};
use crate::sys;
use std::ptr::null_mut;

const DIRECT: usize = if cfg!(target_pointer_width = "64") {
    1 << 20
} else {
    256 << 10
};

/// Stores and loads are compared by their addresses within so much.
const PAGE: usize = 4096;

/// Whole granules that hold a large object and at least a byte of gap.
fn block_len(size: usize) -> Option<usize> {
    let len = size.checked_add(GRANULE)? / GRANULE * GRANULE;
    (len <= isize::MAX as usize - sys::HUGE).then_some(len)
}

/// Bytes of a block for where its object begins: pages that are not touched, so next to no memory.
fn play(size: usize) -> usize {
    (size / 16).min(sys::UNIT) / PAGE * PAGE
}

/// The part of `all` that belongs to the n-th of a sequence in which any few in a row lie well apart.
fn spread(n: u32, all: usize) -> usize {
    const STEP: u32 = 0x6a09_e667;
    ((u64::from(n.wrapping_mul(STEP)) * all as u64) >> 32) as usize
}

impl Arena {
    /// Also says whether the memory is known to be zero.
    #[cold]
    #[inline(never)]
    pub(crate) fn alloc_large(&mut self, size: usize, align: usize, ty: u32) -> (*mut u8, bool) {
        let room = size.saturating_add(self.apart);
        let Some(len) = block_len(room.saturating_add(play(size))) else {
            return (null_mut(), false);
        };
        // SAFETY: the run is ours alone.
        unsafe {
            let mut page = self.block(len, align);
            if page.is_null() {
                self.reclaim();
                page = self.block(len, align);
            }
            if page.is_null() {
                return (null_mut(), false);
            }
            let p = &mut *page;
            p.object = self.place(p, room, align);
            let left = Left {
                ty,
                from: p.object as usize,
            };
            // As in a slab: what another type left might be no values of this one.
            if !p.zero && p.left != left {
                p.base.write_bytes(0, p.len);
                p.zero = true;
            }
            p.kind = Kind::Large;
            p.size = size;
            p.ty = ty;
            p.left = left;
            self.append(page);
            ((*page).object, (*page).zero)
        }
    }

    /// Where an object begins in its block. Were it always the block's begin, equal elements of several arrays
    /// would be in the same sets of the caches, for which processors have few places, and stores to one would
    /// look like stores to another. Where one was before is the next.
    fn place(&mut self, p: &Page, room: usize, align: usize) -> *mut u8 {
        let most = p.len - room - 1;
        let before = p.left.from.wrapping_sub(p.base as usize);
        if !p.zero && before <= most && p.left.from % align.max(LINE) == 0 {
            return p.base.wrapping_add(before);
        }
        let all = play(room).max(PAGE).min(most);
        let unit = align.max(LINE);
        let at = spread(self.placed, all) / unit * unit;
        self.placed = self.placed.wrapping_add(1);
        p.base.wrapping_add(at)
    }

    unsafe fn block(&mut self, len: usize, align: usize) -> *mut Page {
        if len < DIRECT && align <= GRANULE {
            self.spans.take(len)
        } else {
            self.map_direct(len.next_multiple_of(sys::UNIT), align)
        }
    }

    unsafe fn map_direct(&mut self, len: usize, align: usize) -> *mut Page {
        let page = self.spans.descriptor();
        if page.is_null() {
            return page;
        }
        let p = &mut *page;
        if let Some(spare) = self.spare(len, align) {
            (p.base, p.len, p.left) = (spare.base, spare.len, spare.left);
        } else {
            (p.base, p.len) = (sys::map(len, align), len);
            p.zero = true;
            if p.base.is_null() || !map::prepare(p.base as usize, len) {
                if !p.base.is_null() {
                    sys::unmap(p.base, len);
                }
                self.spans.pool.put(page);
                return null_mut();
            }
        }
        map::set(p.base as usize, p.len, page);
        self.direct += p.len;
        page
    }

    #[inline(never)]
    pub(crate) unsafe fn free_large(
        &mut self,
        ptr: *mut u8,
        see: impl FnOnce(u32, usize),
    ) -> Result<(), Fault> {
        let (page, _) = self.object_at(ptr)?;
        see((*page).ty, (*page).size);
        self.remove(page);
        if (*page).region.is_null() {
            let (base, len, left) = ((*page).base, (*page).len, (*page).left);
            map::set(base as usize, len, null_mut());
            self.direct -= len;
            self.spans.pool.put(page);
            self.keep(Spare { base, len, left });
        } else {
            self.spans.give(page);
        }
        Ok(())
    }

    /// The large object's new address, or null if it has to be copied.
    pub(crate) unsafe fn resize_large(&mut self, page: *mut Page, size: usize) -> *mut u8 {
        let p = &mut *page;
        let before = p.object as usize - p.base as usize;
        let room = size.saturating_add(self.apart);
        let len = block_len(room.saturating_add(play(size).max(before)));
        let Some(len) = len.filter(|_| size >= MAX_SLOT) else {
            return null_mut();
        };
        if p.region.is_null() {
            let len = len.next_multiple_of(sys::UNIT);
            if len < DIRECT || (len != p.len && !self.remap_direct(page, len)) {
                return null_mut();
            }
        } else if len < p.len {
            self.spans.shrink(page, len);
        } else if len > p.len && (len >= DIRECT || !self.spans.grow(page, len)) {
            return null_mut();
        }
        p.size = size;
        p.object
    }

    unsafe fn remap_direct(&mut self, page: *mut Page, len: usize) -> bool {
        let p = &mut *page;
        let old = (p.base, p.len);
        let base = sys::map(len, sys::UNIT);
        if base.is_null() {
            return false;
        }
        // The entries come first: a mapping that was moved has no way back.
        if !map::prepare(base as usize, len) || !sys::move_to(old.0, old.1, base, len) {
            sys::unmap(base, len);
            return false;
        }
        map::set(old.0 as usize, old.1, null_mut());
        let moved = (base as usize).wrapping_sub(old.0 as usize);
        p.object = p.object.wrapping_add(moved);
        p.left.from = p.left.from.wrapping_add(moved);
        p.base = base;
        p.len = len;
        map::set(base as usize, len, page);
        self.direct = self.direct - old.1 + len;
        true
    }

    fn spare(&mut self, len: usize, align: usize) -> Option<Spare> {
        let fits =
            |s: &&mut Spare| s.len >= len && s.len <= len + len / 4 && s.base as usize % align == 0;
        let spare = self.spares.iter_mut().find(fits)?;
        Some(std::mem::replace(spare, NO_SPARES[0]))
    }

    /// Keeps a mapping in place of the oldest spare, within limits.
    fn keep(&mut self, mut new: Spare) {
        if new.len > RETAIN {
            sys::unmap(new.base, new.len);
            return;
        }
        let mut room = RETAIN;
        for spare in &mut self.spares {
            std::mem::swap(spare, &mut new);
            if spare.len > room {
                sys::unmap(spare.base, spare.len);
                *spare = NO_SPARES[0];
            }
            room -= spare.len;
        }
        if new.len > 0 {
            sys::unmap(new.base, new.len);
        }
    }

    pub(crate) fn drop_spares(&mut self) {
        for spare in std::mem::replace(&mut self.spares, NO_SPARES) {
            if spare.len > 0 {
                sys::unmap(spare.base, spare.len);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where `n` objects of this size in a row begin.
    fn begins(n: usize, size: usize) -> Vec<usize> {
        let mut a = Arena::new(0);
        (0..n).map(|_| a.alloc(size, 1) as usize).collect()
    }

    #[test]
    fn a_few_in_a_row_lie_well_apart() {
        for first in [0, 17, u32::MAX - 3] {
            for (i, j) in (0..6).flat_map(|j| (0..j).map(move |i| (i, j))) {
                let at = |n| spread(first.wrapping_add(n), 1 << 16) as i32;
                let apart = (at(i) - at(j)).rem_euclid(1 << 16);
                let apart = apart.min((1 << 16) - apart);
                assert!(apart >= 1 << 12, "{first}: {i} and {j} are {apart} apart");
            }
        }
    }

    #[test]
    fn objects_begin_at_cache_lines_that_differ() {
        for size in [66_000, 300_000, 5 << 20] {
            let begins = begins(6, size);
            assert!(begins.iter().all(|b| b % LINE == 0));
            let mut lines: Vec<usize> = begins.iter().map(|b| b % PAGE).collect();
            lines.sort_unstable();
            lines.dedup();
            assert!(lines.len() > 4, "{size}: {lines:?}");
        }
    }

    #[test]
    fn alignment_that_was_asked_for_is_kept() {
        let mut a = Arena::new(0);
        for n in 0..40 {
            let align = 16 << (n % 20);
            for size in [9_000, 70_000, 1 << 20] {
                let p = a.alloc_aligned(align, size, 1);
                assert_eq!(p as usize % align, 0, "{size} at multiples of {align}");
                // SAFETY: an object of so many bytes.
                unsafe { p.write_bytes(1, size) };
            }
        }
    }
}
