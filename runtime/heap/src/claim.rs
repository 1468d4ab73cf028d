//! An arena built anew with each object where it was in another process: the ranges are claimed first, all or none,
//! then slabs and blocks are laid into them.

use crate::arena::Arena;
use crate::class::{MAX_SLAB, SLOT_OF};
use crate::granule::{GRANULE, LINE};
use crate::map;
use crate::page::{Kind, Left, Page, State};
use crate::span::MIN_REGION;
use crate::sys;

/// What a slab or a large object occupied, with the gap behind its last object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AddressRange {
    pub base: usize,
    pub len: usize,
    /// A slab's; 0: one object.
    pub slot: usize,
}

impl AddressRange {
    /// Its first granule: large objects begin anywhere in it.
    fn start(&self) -> usize {
        self.base / GRANULE * GRANULE
    }

    fn end(&self) -> Option<usize> {
        self.base
            .checked_add(self.len.max(1))?
            .checked_next_multiple_of(GRANULE)
    }
}

/// Maps what lies between these, too, where that is too little for a region of any arena's: as many mappings as there
/// are arenas may be more than a process may have. Each arena claims its own then.
pub fn reserve(places: &[AddressRange]) {
    for (start, end) in runs(places, MIN_REGION).unwrap_or_default() {
        sys::reserve(start, end - start);
    }
}

impl Arena {
    /// Makes room for all of these; false, and nothing was done, if that cannot be.
    pub fn claim(&mut self, places: &[AddressRange]) -> bool {
        let known = |p: &AddressRange| p.slot == 0 || class_of_slot(p.slot).is_some();
        let Some(runs) = runs(places, 0).filter(|_| places.iter().all(known)) else {
            return false;
        };
        for (i, run) in runs.iter().enumerate() {
            if !sys::map_again(run.0, run.1 - run.0) {
                for (start, end) in &runs[..i] {
                    sys::unmap(*start as *mut u8, end - start);
                }
                return false;
            }
        }
        let mut sorted: Vec<AddressRange> = places.to_vec();
        sorted.sort_unstable();
        for (i, &(start, end)) in runs.iter().enumerate() {
            let inside = |p: &&AddressRange| (start..end).contains(&p.start());
            let pieces = sorted.iter().filter(inside);
            let pieces: Vec<(usize, usize)> =
                pieces.filter_map(|p| Some((p.start(), p.end()?))).collect();
            // SAFETY: just mapped, for this arena.
            if !unsafe { self.spans.adopt(start, end, &pieces) } {
                // Those before stay with the arena, as free as any memory that it cannot use.
                for (start, end) in &runs[i..] {
                    sys::unmap(*start as *mut u8, end - start);
                }
                return false;
            }
        }
        true
    }

    /// A slab at a claimed place: a bit per slot in `occupied`, size and type of the k-th occupied one from `of`.
    /// False if that is no slab of this allocator's.
    pub fn slab_again(
        &mut self,
        base: usize,
        slot: usize,
        occupied: &[u64],
        of: impl Fn(usize) -> Option<(usize, u32)>,
    ) -> bool {
        let page = map::lookup(base);
        let (Some(class), Some((size, ty)), false) = (class_of_slot(slot), of(0), page.is_null())
        else {
            return false;
        };
        // SAFETY: claimed, so ours; slots are within the page by the test below.
        unsafe {
            let p = &mut *page;
            if p.base as usize != base || p.kind != Kind::Free {
                return false;
            }
            let bin = self.bins.get(class, ty);
            if bin.is_null() || !p.become_slab(class, ty, size as u32) {
                return false;
            }
            let mut k = 0;
            for (word, bits) in occupied.iter().enumerate() {
                let mut rest = *bits;
                while rest != 0 {
                    let bit = rest & rest.wrapping_neg();
                    rest ^= bit;
                    let index = word * 64 + bit.trailing_zeros() as usize;
                    let Some((size, ty)) = of(k).filter(|o| o.0 < slot) else {
                        return false;
                    };
                    if index >= p.slots as usize {
                        return false;
                    }
                    *p.bits.add(word) &= !bit;
                    p.used += 1;
                    k += 1;
                    if !p.set_size(index, size) || !p.set_type(index, ty) {
                        return false;
                    }
                }
            }
            p.bin = bin;
            (*bin).slab_len = (*bin).slab_len.max((p.len * 2).min(MAX_SLAB));
            p.state = State::Full;
            if p.used < p.slots {
                p.state = State::Listed;
                (*bin).list(page);
            }
            self.append(page);
        }
        true
    }

    /// A large object at a claimed place.
    pub fn large_again(&mut self, base: usize, size: usize, ty: u32) -> bool {
        let page = map::lookup(base);
        if page.is_null() {
            return false;
        }
        // SAFETY: claimed, so ours.
        unsafe {
            let p: &mut Page = &mut *page;
            if p.kind != Kind::Free || size >= p.end() - base {
                return false;
            }
            (p.kind, p.object, p.size, p.ty) = (Kind::Large, base as *mut u8, size, ty);
            (p.left, p.zero) = (Left { ty, from: base }, false);
            self.append(page);
        }
        true
    }
}

fn class_of_slot(slot: usize) -> Option<usize> {
    SLOT_OF.iter().position(|s| usize::from(*s) == slot)
}

/// What has to be mapped, with gaps that are shorter than `gap`, or None if places overlap or are none of an arena's.
fn runs(places: &[AddressRange], gap: usize) -> Option<Vec<(usize, usize)>> {
    let mut sorted: Vec<AddressRange> = places.to_vec();
    sorted.sort_unstable();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut last = 0;
    for p in &sorted {
        let end = p.end()?;
        let unit = if p.slot == 0 { LINE } else { GRANULE };
        if p.base == 0 || p.base % unit != 0 || p.start() < last {
            return None;
        }
        last = end;
        let (start, end) = (
            p.start() / sys::UNIT * sys::UNIT,
            end.checked_next_multiple_of(sys::UNIT)?,
        );
        match runs.last_mut() {
            Some(run) if start <= run.1 || start - run.1 < gap => run.1 = run.1.max(end),
            _ => runs.push((start, end)),
        }
    }
    Some(runs)
}
