//! Runs of granules. They are cut from regions (mappings that grow with the arena), kept in lists by length
//! when free, and merged with free neighbours of their region. Everything happens in an order that depends
//! only on the sequence of requests.

use crate::granule::GRANULE;
use crate::map;
use crate::page::{Kind, Left, Page, Pool, Region};
use crate::sys;
use std::alloc::{alloc, dealloc, Layout};
use std::ptr::null_mut;
use std::sync::atomic::Ordering;

const EXACT: usize = 32;
const BINS: usize = 64;

pub(crate) const MIN_REGION: usize = if cfg!(target_pointer_width = "64") {
    256 << 10
} else {
    64 << 10
};
const MAX_REGION: usize = if cfg!(target_pointer_width = "64") {
    32 << 20
} else {
    4 << 20
};

/// Unused memory that an arena keeps from the system, at most: twice this (in regions and as spares).
pub(crate) const RETAIN: usize = if cfg!(target_pointer_width = "64") {
    32 << 20
} else {
    4 << 20
};

/// A mapping kept for the next request of about its size: programs that allocate work arrays again and again
/// need not have the system clear them each time.
#[derive(Clone, Copy)]
pub(crate) struct Spare {
    pub base: *mut u8,
    pub len: usize,
    pub left: Left,
}

pub(crate) type Spares = [Spare; 4];
pub(crate) const NO_SPARES: Spares = [Spare {
    base: null_mut(),
    len: 0,
    left: Left::MIXED,
}; 4];

pub(crate) struct Spans {
    owner: u32,
    tag: u32,
    bins: [*mut Page; BINS],
    nonempty: u64,
    regions: *mut Region,
    /// Bytes of regions without a block in them.
    empty: usize,
    pub mapped: usize,
    pub pool: Pool,
}

fn bin_of(len: usize) -> usize {
    let granules = len / GRANULE;
    if granules <= EXACT {
        granules - 1
    } else {
        (EXACT + (granules.ilog2() - EXACT.ilog2()) as usize).min(BINS - 1)
    }
}

impl Spans {
    pub const fn new(owner: u32, tag: u32) -> Self {
        Spans {
            owner,
            tag,
            bins: [null_mut(); BINS],
            nonempty: 0,
            regions: null_mut(),
            empty: 0,
            mapped: 0,
            pool: Pool::new(),
        }
    }

    /// A run of `len` bytes (whole granules) whose table entries lead to its descriptor, or null.
    /// `kind` stays `Free` until the caller says what it is.
    pub unsafe fn take(&mut self, len: usize) -> *mut Page {
        let mut page = self.best(len);
        if page.is_null() {
            if !self.new_region(len) {
                return null_mut();
            }
            page = self.best(len);
        }
        self.unlink(page);
        let p = &mut *page;
        if p.len == (*p.region).len {
            self.empty -= p.len;
        }
        if p.len > len {
            let rest = self.descriptor();
            if !rest.is_null() {
                (*rest).base = p.base.add(len);
                (*rest).len = p.len - len;
                (*rest).region = p.region;
                (*rest).zero = p.zero;
                (*rest).left = p.left;
                p.len = len;
                self.link(rest);
            }
        }
        map::set(p.base as usize, p.len, page);
        page
    }

    /// Takes back a run; its descriptor is stripped already.
    pub unsafe fn give(&mut self, page: *mut Page) {
        let p = &mut *page;
        if p.kind == Kind::Slab {
            p.left = Left::MIXED;
        }
        p.kind = Kind::Free;
        p.zero = false;
        map::set(p.base as usize, p.len, null_mut());
        let before = self.free_neighbour(p.region, (p.base as usize).wrapping_sub(1));
        if !before.is_null() {
            p.base = (*before).base;
            p.len += (*before).len;
            p.joins(&*before);
            self.absorb(before);
        }
        let after = self.free_neighbour(p.region, p.end());
        if !after.is_null() {
            p.len += (*after).len;
            p.joins(&*after);
            self.absorb(after);
        }
        let region = p.region;
        if p.len == (*region).len {
            if self.empty + p.len > RETAIN {
                self.pool.put(page);
                self.drop_region(region);
                return;
            }
            self.empty += p.len;
        }
        self.link(page);
    }

    /// Gives back the tail of a run beyond `len`.
    pub unsafe fn shrink(&mut self, page: *mut Page, len: usize) {
        let p = &mut *page;
        let rest = self.descriptor();
        if rest.is_null() {
            return;
        }
        (*rest).base = p.base.add(len);
        (*rest).len = p.len - len;
        (*rest).region = p.region;
        (*rest).left = p.left;
        p.len = len;
        self.give(rest);
    }

    /// Extends a run in place into the free run behind it.
    pub unsafe fn grow(&mut self, page: *mut Page, len: usize) -> bool {
        let p = &mut *page;
        let more = len - p.len;
        let after = self.free_neighbour(p.region, p.end());
        if after.is_null() || (*after).len < more {
            return false;
        }
        self.unlink(after);
        if !(*after).zero && (*after).left != p.left {
            (*after).base.write_bytes(0, more);
        }
        if (*after).len > more {
            (*after).base = (*after).base.add(more);
            (*after).len -= more;
            self.link(after);
        } else {
            self.pool.put(after);
        }
        map::set(p.end(), more, page);
        p.len = len;
        true
    }

    /// A descriptor that belongs to this arena, or null.
    pub unsafe fn descriptor(&mut self) -> *mut Page {
        let page = self.pool.get();
        if !page.is_null() {
            (*page).owner.store(self.owner, Ordering::Relaxed);
            (*page).tag.store(self.tag, Ordering::Relaxed);
            (*page).kind = Kind::Free;
            (*page).zero = false;
            (*page).left = Left::MIXED;
            (*page).region = null_mut();
        }
        page
    }

    unsafe fn best(&self, len: usize) -> *mut Page {
        let bin = bin_of(len);
        let mut candidates = self.nonempty >> bin << bin;
        while candidates != 0 {
            let mut page = self.bins[candidates.trailing_zeros() as usize];
            while !page.is_null() {
                if (*page).len >= len {
                    return page;
                }
                page = (*page).next;
            }
            candidates &= candidates - 1;
        }
        null_mut()
    }

    unsafe fn free_neighbour(&self, region: *mut Region, addr: usize) -> *mut Page {
        let page = map::lookup(addr);
        let ours = !page.is_null()
            && (*page).owner.load(Ordering::Relaxed) == self.owner
            && (*page).kind == Kind::Free
            && (*page).region == region;
        if ours {
            page
        } else {
            null_mut()
        }
    }

    unsafe fn absorb(&mut self, page: *mut Page) {
        self.unlink(page);
        self.pool.put(page);
    }

    unsafe fn link(&mut self, page: *mut Page) {
        let p = &mut *page;
        map::set(p.base as usize, GRANULE, page);
        map::set(p.end() - GRANULE, GRANULE, page);
        let bin = bin_of(p.len);
        p.prev = null_mut();
        p.next = self.bins[bin];
        if !p.next.is_null() {
            (*p.next).prev = page;
        }
        self.bins[bin] = page;
        self.nonempty |= 1 << bin;
    }

    unsafe fn unlink(&mut self, page: *mut Page) {
        let p = &mut *page;
        map::set(p.base as usize, GRANULE, null_mut());
        map::set(p.end() - GRANULE, GRANULE, null_mut());
        if !p.next.is_null() {
            (*p.next).prev = p.prev;
        }
        if p.prev.is_null() {
            let bin = bin_of(p.len);
            self.bins[bin] = p.next;
            if p.next.is_null() {
                self.nonempty &= !(1 << bin);
            }
        } else {
            (*p.prev).next = p.next;
        }
    }

    #[cold]
    unsafe fn new_region(&mut self, need: usize) -> bool {
        let need = need.next_multiple_of(sys::UNIT);
        let wish = need.max(
            self.mapped
                .clamp(MIN_REGION, MAX_REGION)
                .next_multiple_of(sys::UNIT),
        );
        let (page, region) = (
            self.descriptor(),
            alloc(Layout::new::<Region>()).cast::<Region>(),
        );
        let mut len = wish;
        let mut base = sys::map(len, sys::UNIT);
        if base.is_null() && need < wish {
            len = need;
            base = sys::map(len, sys::UNIT);
        }
        if page.is_null() || region.is_null() || base.is_null() || !map::prepare(base as usize, len)
        {
            if !page.is_null() {
                self.pool.put(page);
            }
            if !region.is_null() {
                dealloc(region.cast(), Layout::new::<Region>());
            }
            if !base.is_null() {
                sys::unmap(base, len);
            }
            return false;
        }
        self.enlist(region, base, len);
        (*page).base = base;
        (*page).len = len;
        (*page).region = region;
        (*page).zero = true;
        self.empty += len;
        self.link(page);
        true
    }

    unsafe fn enlist(&mut self, region: *mut Region, base: *mut u8, len: usize) {
        region.write(Region {
            base,
            len,
            prev: null_mut(),
            next: self.regions,
        });
        if !self.regions.is_null() {
            (*self.regions).prev = region;
        }
        self.regions = region;
        self.mapped += len;
    }

    /// Takes over mapped memory; what lies within becomes runs of their own, the rest is free.
    /// False if there is no memory for descriptors.
    pub unsafe fn adopt(&mut self, start: usize, end: usize, within: &[(usize, usize)]) -> bool {
        let region = alloc(Layout::new::<Region>()).cast::<Region>();
        let mut pages = Vec::new();
        let mut at = start;
        let gaps = within.iter().flat_map(|&(from, to)| {
            let gap = (std::mem::replace(&mut at, to), from);
            [(gap, false), ((from, to), true)]
        });
        let mut pieces: Vec<((usize, usize), bool)> = gaps.collect();
        pieces.push(((at, end), false));
        pieces.retain(|((from, to), _)| from < to);
        pages.extend(pieces.iter().map(|_| self.descriptor()));
        if region.is_null()
            || pages.iter().any(|p| p.is_null())
            || !map::prepare(start, end - start)
        {
            let made = pages.iter().filter(|p| !p.is_null());
            made.for_each(|p| self.pool.put(*p));
            if !region.is_null() {
                dealloc(region.cast(), Layout::new::<Region>());
            }
            return false;
        }
        self.enlist(region, start as *mut u8, end - start);
        for (((from, to), taken), page) in pieces.into_iter().zip(pages) {
            let p = &mut *page;
            (p.base, p.len, p.region, p.zero) = (from as *mut u8, to - from, region, true);
            if taken {
                map::set(from, p.len, page);
            } else {
                self.link(page);
            }
        }
        true
    }

    /// Gives all unused regions back to the system.
    pub(crate) unsafe fn drop_empty_regions(&mut self) {
        for bin in 0..BINS {
            let mut page = self.bins[bin];
            while !page.is_null() {
                let next = (*page).next;
                let region = (*page).region;
                if (*page).len == (*region).len {
                    self.empty -= (*page).len;
                    self.absorb(page);
                    self.drop_region(region);
                }
                page = next;
            }
        }
    }

    unsafe fn drop_region(&mut self, region: *mut Region) {
        let r = &*region;
        if r.prev.is_null() {
            self.regions = r.next;
        } else {
            (*r.prev).next = r.next;
        }
        if !r.next.is_null() {
            (*r.next).prev = r.prev;
        }
        map::set(r.base as usize, r.len, null_mut());
        sys::unmap(r.base, r.len);
        self.mapped -= r.len;
        dealloc(region.cast(), Layout::new::<Region>());
    }
}

impl Drop for Spans {
    fn drop(&mut self) {
        // SAFETY: the arena's blocks are gone; what is left is ours alone.
        unsafe {
            for bin in 0..BINS {
                while !self.bins[bin].is_null() {
                    let page = self.bins[bin];
                    self.bins[bin] = (*page).next;
                    self.pool.put(page);
                }
            }
            while !self.regions.is_null() {
                self.drop_region(self.regions);
            }
        }
    }
}
