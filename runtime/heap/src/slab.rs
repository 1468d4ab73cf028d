//! Slabs of an arena: finding one with room, making and giving them up.

use crate::arena::Arena;
use crate::bin::{full_word, Bin};
use crate::class::{MAX_SLAB, SLOT_OF};
use crate::granule::GRANULE;
use crate::map::Near;
use crate::page::{Page, State};
use std::ptr::null_mut;

impl Arena {
    #[cold]
    #[inline(never)]
    pub(crate) fn alloc_slow(&mut self, class: usize, size: usize, ty: u32) -> *mut u8 {
        let bin = self.bins.get(class, ty);
        // SAFETY: bins and pages are ours.
        unsafe {
            if bin.is_null() || !self.refill(bin, class, size, ty) {
                return null_mut();
            }
            (*bin).take(size)
        }
    }

    /// Makes a slot available in the bin; false if there is no memory.
    unsafe fn refill(&mut self, bin: *mut Bin, class: usize, size: usize, ty: u32) -> bool {
        let bin = &mut *bin;
        if bin.has_recent() || *bin.word != 0 {
            return true;
        }
        loop {
            let page = bin.page;
            if !page.is_null() {
                let p = &mut *page;
                if p.used < p.slots {
                    let words = p.words();
                    // On from where the last search ended, so that a word yields all that was freed
                    // in it since it was passed.
                    let mut word = p.hint as usize;
                    while *p.bits.add(word) == 0 {
                        word = if word + 1 == words { 0 } else { word + 1 };
                    }
                    p.hint = word as u32;
                    bin.word = p.bits.add(word);
                    bin.word_base = p.base.add(word * 64 * p.slot as usize);
                    return true;
                }
                p.state = State::Full;
            }
            bin.word = full_word();
            bin.page = bin.listed;
            if bin.page.is_null() {
                bin.page = self.new_slab(class, size, ty, bin.slab_len);
                if bin.page.is_null() {
                    return false;
                }
                (*bin.page).bin = bin;
                bin.slab_len = (bin.slab_len * 2).min(MAX_SLAB);
            } else {
                bin.unlist(bin.page);
            }
            (*bin.page).state = State::Current;
        }
    }

    unsafe fn new_slab(&mut self, class: usize, size: usize, ty: u32, len: usize) -> *mut Page {
        let mut page = self.spans.take(len);
        if page.is_null() {
            // Little is left: what other types no longer use, or the smallest slab, may do.
            self.reclaim();
            page = self
                .spans
                .take((SLOT_OF[class] as usize).next_multiple_of(GRANULE));
            if page.is_null() {
                return page;
            }
        }
        // What another type left there might be no values of this one: a checkpoint converts all of an object.
        if !(*page).zero {
            (*page).base.write_bytes(0, (*page).len);
        }
        if !(*page).become_slab(class, ty, size as u32) {
            self.spans.give(page);
            return null_mut();
        }
        self.append(page);
        self.near = Near::to((*page).base as usize);
        page
    }

    /// A slab that was full has a free slot, or one that waits in its bin's list is empty.
    #[cold]
    #[inline(never)]
    pub(crate) unsafe fn make_room(&mut self, page: *mut Page) {
        let p = &mut *page;
        let bin = &mut *p.bin;
        if p.state == State::Full {
            p.state = State::Listed;
            bin.list(page);
        }
        let others = bin.listed != page
            || !p.next.is_null()
            || (!bin.page.is_null() && (*bin.page).used < (*bin.page).slots);
        if p.used == 0 && others {
            self.release(page);
        }
    }

    /// Gives up an empty slab of a bin's list.
    unsafe fn release(&mut self, page: *mut Page) {
        let bin = &mut *(*page).bin;
        bin.unlist(page);
        bin.forget(page);
        self.remove(page);
        (*page).strip();
        self.spans.give(page);
    }

    /// Gives up all memory without objects, for lack of other.
    #[cold]
    pub(crate) unsafe fn reclaim(&mut self) {
        self.drop_spares();
        let mut page = self.oldest;
        while !page.is_null() {
            let next = (*page).newer;
            if (*page).is_slab() && (*page).used == 0 {
                let bin = &mut *(*page).bin;
                if bin.page == page {
                    bin.page = null_mut();
                    bin.word = full_word();
                    bin.list(page);
                }
                self.release(page);
            }
            page = next;
        }
        self.spans.drop_empty_regions();
    }
}
