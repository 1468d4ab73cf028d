//! Large objects: runs of granules below `DIRECT`, mappings of their own from there on.

use crate::arena::{Arena, Fault};
use crate::class::MAX_SLOT;
use crate::granule::GRANULE;
use crate::map;
use crate::page::{Kind, Page};
use crate::span::{Spare, NO_SPARES, RETAIN};
use crate::sys;
use std::ptr::null_mut;

const DIRECT: usize = if cfg!(target_pointer_width = "64") {
    1 << 20
} else {
    256 << 10
};

/// Whole granules that hold a large object and at least a byte of gap.
fn block_len(size: usize) -> Option<usize> {
    let len = size.checked_add(GRANULE)? / GRANULE * GRANULE;
    (len <= isize::MAX as usize - sys::HUGE).then_some(len)
}

impl Arena {
    /// Also says whether the memory is known to be zero.
    #[cold]
    #[inline(never)]
    pub(crate) fn alloc_large(&mut self, size: usize, align: usize, ty: u32) -> (*mut u8, bool) {
        let Some(len) = block_len(size.saturating_add(self.apart)) else {
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
            // As in a slab: what another type left might be no values of this one.
            if !p.zero && p.left != ty {
                p.base.write_bytes(0, p.len);
                p.zero = true;
            }
            p.kind = Kind::Large;
            p.size = size;
            p.ty = ty;
            p.left = ty;
            self.append(page);
            ((*page).base, (*page).zero)
        }
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

    pub(crate) unsafe fn free_large(&mut self, ptr: *mut u8) -> Result<(), Fault> {
        let (page, _) = self.object_at(ptr)?;
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
        let len = block_len(size.saturating_add(self.apart));
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
        p.base
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
