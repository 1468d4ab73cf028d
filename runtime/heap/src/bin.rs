//! Bins: where an arena looks for a free slot of one (class, type), and the table that finds them.

use crate::class::{MIN_SLOTS, SLOT_OF};
use crate::granule::GRANULE;
use crate::page::Page;
use std::alloc::{alloc, dealloc, Layout};
use std::ptr::null_mut;

/// Slots freed last, given out first: they are warm, and need no search. All of them are marked free
/// in their pages; slots are taken from the bitmaps only when there are none.
const RECENT: usize = 30;

#[derive(Clone, Copy)]
struct Recent {
    slot: *mut u8,
    page: *mut Page,
}

pub(crate) struct Bin {
    recents: usize,
    /// The bitmap word where the search stands, and the address of its first slot.
    pub word: *mut u64,
    pub word_base: *mut u8,
    /// The page of `word`, or null.
    pub page: *mut Page,
    /// Other slabs with room.
    pub listed: *mut Page,
    pub slab_len: usize,
    recent: [Recent; RECENT],
}

static FULL_WORD: u64 = 0;

/// A word that offers no slot. Never written.
pub(crate) fn full_word() -> *mut u64 {
    (&raw const FULL_WORD).cast_mut()
}

impl Bin {
    /// Takes a free slot if one is at hand. Null if there is none, or its size cannot be noted.
    #[inline(always)]
    pub unsafe fn take(&mut self, size: usize) -> *mut u8 {
        let (slot, page, word, bit) = if self.recents > 0 {
            let Recent { slot, page } = *self.recent.get_unchecked(self.recents - 1);
            let index = (*page).index(slot as usize - (*page).base as usize);
            self.recents -= 1;
            (
                slot,
                page,
                (*page).bits.add(index / 64),
                1u64 << (index % 64),
            )
        } else {
            let bits = *self.word;
            if bits == 0 {
                return null_mut();
            }
            let index = bits.trailing_zeros() as usize;
            let page = self.page;
            (
                self.word_base.add(index * (*page).slot as usize),
                page,
                self.word,
                bits & bits.wrapping_neg(),
            )
        };
        debug_assert!(*word & bit != 0);
        *word ^= bit;
        let page = &mut *page;
        page.used += 1;
        if page.common as usize != size && !note_size(page, slot, size) {
            *word |= bit;
            page.used -= 1;
            return null_mut();
        }
        slot
    }

    /// Notes a slot that was just freed.
    #[inline(always)]
    pub fn freed(&mut self, slot: *mut u8, page: *mut Page) {
        if self.recents < RECENT {
            self.recent[self.recents] = Recent { slot, page };
            self.recents += 1;
        }
    }

    pub(crate) fn has_recent(&self) -> bool {
        self.recents > 0
    }

    /// Puts a page with room at the head of the list.
    pub unsafe fn list(&mut self, page: *mut Page) {
        let p = &mut *page;
        p.prev = null_mut();
        p.next = self.listed;
        if !p.next.is_null() {
            (*p.next).prev = page;
        }
        self.listed = page;
    }

    pub(crate) unsafe fn unlist(&mut self, page: *mut Page) {
        let p = &mut *page;
        if !p.next.is_null() {
            (*p.next).prev = p.prev;
        }
        if p.prev.is_null() {
            self.listed = p.next;
        } else {
            (*p.prev).next = p.next;
        }
    }

    /// Forgets a page that is given up.
    pub fn forget(&mut self, page: *mut Page) {
        let mut kept = 0;
        for i in 0..self.recents {
            if self.recent[i].page != page {
                self.recent[kept] = self.recent[i];
                kept += 1;
            }
        }
        self.recents = kept;
    }
}

#[inline(always)]
unsafe fn note_size(page: &mut Page, slot: *mut u8, size: usize) -> bool {
    let index = page.index(slot as usize - page.base as usize);
    page.set_size(index, size)
}

#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    bin: *mut Bin,
}

const NO_KEY: u64 = u64::MAX;

struct Empty(Entry);
// SAFETY: never written.
unsafe impl Sync for Empty {}
static EMPTY: Empty = Empty(Entry {
    key: NO_KEY,
    bin: null_mut(),
});

/// An arena's bins, by key.
pub(crate) struct Bins {
    table: *mut Entry,
    mask: usize,
    count: usize,
}

#[inline(always)]
fn key_of(class: usize, ty: u32) -> u64 {
    u64::from(ty) << 8 | class as u64
}

#[inline(always)]
fn hash(class: usize, ty: u32) -> usize {
    (ty as usize).wrapping_mul(33).wrapping_add(class)
}

impl Bins {
    pub fn new() -> Self {
        // An empty table costs an idle arena nothing and needs no test of its own.
        Bins {
            table: (&raw const EMPTY.0).cast_mut(),
            mask: 0,
            count: 0,
        }
    }

    /// The bin, if the first look finds it; else null.
    #[inline(always)]
    pub fn quick(&self, class: usize, ty: u32) -> *mut Bin {
        // SAFETY: the table has `mask + 1` entries.
        let entry = unsafe { &*self.table.add(hash(class, ty) & self.mask) };
        if entry.key == key_of(class, ty) {
            entry.bin
        } else {
            null_mut()
        }
    }

    /// The bin, made if need be; null if there is no memory.
    pub fn get(&mut self, class: usize, ty: u32) -> *mut Bin {
        let key = key_of(class, ty);
        // SAFETY: a search ends at the latest at an empty entry, as at most half of them are taken; entries
        // of the shared empty table are not written, as it counts as full.
        unsafe {
            let found = probe(self.table, self.mask, key);
            if (*found).key == key {
                return (*found).bin;
            }
            if (self.count + 1) * 2 > self.mask + 1 && !self.grow() {
                return null_mut();
            }
            let bin = alloc(Layout::new::<Bin>()).cast::<Bin>();
            if bin.is_null() {
                return bin;
            }
            bin.write(Bin {
                recents: 0,
                word: full_word(),
                word_base: null_mut(),
                page: null_mut(),
                listed: null_mut(),
                slab_len: (SLOT_OF[class] as usize * MIN_SLOTS).next_multiple_of(GRANULE),
                recent: [Recent {
                    slot: null_mut(),
                    page: null_mut(),
                }; RECENT],
            });
            probe(self.table, self.mask, key).write(Entry { key, bin });
            self.count += 1;
            bin
        }
    }

    /// Calls `each` with every bin.
    pub fn for_each(&self, mut each: impl FnMut(*mut Bin)) {
        for at in 0..=self.mask {
            // SAFETY: within the table.
            let entry = unsafe { *self.table.add(at) };
            if entry.key != NO_KEY {
                each(entry.bin);
            }
        }
    }

    #[cold]
    unsafe fn grow(&mut self) -> bool {
        let len = if self.mask == 0 {
            16
        } else {
            (self.mask + 1) * 2
        };
        let Ok(layout) = Layout::array::<Entry>(len) else {
            return false;
        };
        let table = alloc(layout).cast::<Entry>();
        if table.is_null() {
            return false;
        }
        for at in 0..len {
            table.add(at).write(EMPTY.0);
        }
        for at in 0..=self.mask {
            let entry = *self.table.add(at);
            if entry.key != NO_KEY {
                probe(table, len - 1, entry.key).write(entry);
            }
        }
        self.free_table();
        self.table = table;
        self.mask = len - 1;
        true
    }

    unsafe fn free_table(&mut self) {
        if self.mask > 0 {
            let bytes = (self.mask + 1) * size_of::<Entry>();
            dealloc(
                self.table.cast(),
                Layout::from_size_align_unchecked(bytes, align_of::<Entry>()),
            );
        }
    }
}

impl Drop for Bins {
    fn drop(&mut self) {
        // SAFETY: both were allocated with these layouts.
        unsafe {
            self.for_each(|bin| dealloc(bin.cast(), Layout::new::<Bin>()));
            self.free_table();
        }
    }
}

unsafe fn probe(table: *mut Entry, mask: usize, key: u64) -> *mut Entry {
    let mut at = hash(key as u8 as usize, (key >> 8) as u32) & mask;
    loop {
        let entry = table.add(at);
        if (*entry).key == key || (*entry).key == NO_KEY {
            return entry;
        }
        at = (at + 1) & mask;
    }
}
