//! Page descriptors: what is known about a run of granules. Their memory is never given back to the
//! system, so that a lookup of another arena's address may read `owner` at any time.

use crate::bin::Bin;
use crate::class::{ALIGN, SLOT_OF};
use std::alloc::{alloc, dealloc, Layout};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Mutex;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A free run of granules in a region.
    Free,
    Slab,
    /// One object.
    Large,
}

/// Where a slab's bin looks for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    Current,
    Listed,
    Full,
}

/// `common` of a slab whose objects differ in size; the type of what several types have left.
pub(crate) const MIXED: u32 = u32::MAX;

/// What was in memory before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Left {
    /// The type of all of it, or `MIXED`.
    pub ty: u32,
    /// Where that object began: the elements of one that begins elsewhere may lie askew to its.
    pub from: usize,
}

impl Left {
    pub const MIXED: Left = Left { ty: MIXED, from: 0 };
}

/// A mapping that runs are cut from.
pub(crate) struct Region {
    pub base: *mut u8,
    pub len: usize,
    pub prev: *mut Region,
    pub next: *mut Region,
}

#[repr(C, align(64))]
pub(crate) struct Page {
    pub base: *mut u8,
    /// Slab: one bit per slot, set if free.
    pub bits: *mut u64,
    /// Slab: a type per slot, or null while all are of type `ty`.
    pub types: *mut u32,
    pub owner: AtomicU32,
    pub reciprocal: u32,
    pub slot: u32,
    pub slots: u32,
    pub used: u32,
    /// A word of `bits` worth looking at first.
    pub hint: u32,
    pub ty: u32,
    /// Slab: the exact size of all objects, or `MIXED`.
    pub common: u32,
    pub kind: Kind,
    pub state: State,
    pub class: u8,
    /// Free, or large and fresh: all bytes are zero.
    pub zero: bool,
    // Up to here one cache line on 64-bit hosts.
    pub tag: AtomicU32,
    /// Free or large: of all that was ever here.
    pub left: Left,
    /// Slab: an exact size per slot (a byte each up to slots of 256, else two), or null while `common`.
    pub sizes: *mut u8,
    pub len: usize,
    /// Slab: where its free slots are given out.
    pub bin: *mut Bin,
    /// Large: where the object begins, and its exact size.
    pub object: *mut u8,
    pub size: usize,
    /// Null for a large object with a mapping of its own.
    pub region: *mut Region,
    /// Neighbours in a list of free runs, of a bin's pages with room, or of unused descriptors.
    pub prev: *mut Page,
    pub next: *mut Page,
    /// Neighbours in allocation order.
    pub older: *mut Page,
    pub newer: *mut Page,
}

impl Page {
    pub fn end(&self) -> usize {
        self.base as usize + self.len
    }

    /// Index of the slot that holds the byte at `offset`; may lie in the unused tail.
    #[inline(always)]
    pub fn index(&self, offset: usize) -> usize {
        (((offset / ALIGN) as u64 * u64::from(self.reciprocal)) >> 31) as usize
    }

    /// Free: what else has been left in what becomes a part of it.
    pub(crate) fn joins(&mut self, other: &Page) {
        if !other.zero && other.left != self.left {
            self.left = Left::MIXED;
        }
    }

    pub(crate) fn is_slab(&self) -> bool {
        self.kind == Kind::Slab
    }

    pub fn words(&self) -> usize {
        (self.slots as usize).div_ceil(64)
    }

    /// Turns a run into an empty slab; false if there is no memory.
    pub(crate) unsafe fn become_slab(&mut self, class: usize, ty: u32, common: u32) -> bool {
        let slot = u32::from(SLOT_OF[class]);
        let slots = (self.len / slot as usize) as u32;
        let words = (slots as usize).div_ceil(64);
        let bits = alloc(words_layout(words)).cast::<u64>();
        if bits.is_null() {
            return false;
        }
        for word in 0..words {
            let rest = slots as usize - word * 64;
            bits.add(word).write(if rest >= 64 {
                u64::MAX
            } else {
                (1 << rest) - 1
            });
        }
        self.kind = Kind::Slab;
        self.bits = bits;
        self.types = null_mut();
        self.sizes = null_mut();
        // Exact for all offsets of a page, as offset/16 · slot/16 stays below 2^31.
        self.reciprocal = (1u32 << 31).div_ceil(slot / ALIGN as u32);
        self.slot = slot;
        self.slots = slots;
        self.used = 0;
        self.hint = 0;
        self.ty = ty;
        self.common = common;
        self.class = class as u8;
        self.zero = false;
        true
    }

    /// Frees what hangs on a slab's descriptor.
    pub unsafe fn strip(&mut self) {
        if self.kind != Kind::Slab {
            return;
        }
        dealloc(self.bits.cast(), words_layout(self.words()));
        if !self.types.is_null() {
            dealloc(self.types.cast(), self.types_layout());
        }
        if !self.sizes.is_null() {
            dealloc(self.sizes, self.sizes_layout());
        }
    }

    fn types_layout(&self) -> Layout {
        layout(self.slots as usize * 4, 4)
    }

    fn sizes_layout(&self) -> Layout {
        layout(
            self.slots as usize * if self.slot <= 256 { 1 } else { 2 },
            2,
        )
    }

    #[inline(always)]
    pub(crate) unsafe fn is_free(&self, index: usize) -> bool {
        *self.bits.add(index / 64) & (1 << (index % 64)) != 0
    }

    #[inline(always)]
    pub unsafe fn size_at(&self, index: usize) -> usize {
        if self.common != MIXED {
            self.common as usize
        } else if self.slot <= 256 {
            *self.sizes.add(index) as usize
        } else {
            *self.sizes.cast::<u16>().add(index) as usize
        }
    }

    /// Notes the exact size of an occupied slot; false if there is no memory.
    #[inline(always)]
    pub unsafe fn set_size(&mut self, index: usize, size: usize) -> bool {
        if self.common != MIXED && !self.mix_sizes(size) {
            return false;
        }
        if self.common == MIXED {
            if self.slot <= 256 {
                *self.sizes.add(index) = size as u8;
            } else {
                *self.sizes.cast::<u16>().add(index) = size as u16;
            }
        }
        true
    }

    #[cold]
    unsafe fn mix_sizes(&mut self, size: usize) -> bool {
        let old = self.common;
        if old as usize == size {
            return true;
        }
        if self.used <= 1 {
            // The object in question is the only one.
            self.common = size as u32;
            return true;
        }
        let sizes = alloc(self.sizes_layout());
        if sizes.is_null() {
            return false;
        }
        for i in 0..self.slots as usize {
            if self.slot <= 256 {
                *sizes.add(i) = old as u8;
            } else {
                *sizes.cast::<u16>().add(i) = old as u16;
            }
        }
        self.sizes = sizes;
        self.common = MIXED;
        true
    }

    #[inline(always)]
    pub unsafe fn type_at(&self, index: usize) -> u32 {
        if self.types.is_null() {
            self.ty
        } else {
            *self.types.add(index)
        }
    }

    /// Gives one slot a type of its own; false if there is no memory.
    pub unsafe fn set_type(&mut self, index: usize, ty: u32) -> bool {
        if self.types.is_null() {
            if self.ty == ty {
                return true;
            }
            let types = alloc(self.types_layout()).cast::<u32>();
            if types.is_null() {
                return false;
            }
            for i in 0..self.slots as usize {
                *types.add(i) = self.ty;
            }
            self.types = types;
        }
        *self.types.add(index) = ty;
        true
    }
}

fn words_layout(words: usize) -> Layout {
    layout(words * 8, 64)
}

fn layout(bytes: usize, align: usize) -> Layout {
    // SAFETY: `align` is one of a few small powers of two and `bytes` is bounded by a slab's slots.
    unsafe { Layout::from_size_align_unchecked(bytes.max(align), align) }
}

/// An arena's unused descriptors.
pub(crate) struct Pool {
    first: *mut Page,
    /// How many are made at once: few at first, there may be many arenas with next to nothing in them.
    batch: usize,
}

struct Shared(*mut Page);
// SAFETY: the list is only touched under its lock.
unsafe impl Send for Shared {}

/// Descriptors of arenas that are gone.
static SHARED: Mutex<Shared> = Mutex::new(Shared(null_mut()));

impl Pool {
    pub const fn new() -> Self {
        Pool {
            first: null_mut(),
            batch: 4,
        }
    }

    /// A descriptor with unspecified contents (but `owner` 0), or null if there is no memory.
    pub fn get(&mut self) -> *mut Page {
        if self.first.is_null() {
            self.refill();
        }
        let page = self.first;
        if !page.is_null() {
            // SAFETY: the list holds valid descriptors of ours.
            self.first = unsafe { (*page).next };
        }
        page
    }

    pub fn put(&mut self, page: *mut Page) {
        // SAFETY: the caller gives up the descriptor.
        unsafe {
            (*page).owner.store(0, Ordering::Relaxed);
            (*page).next = self.first;
        }
        self.first = page;
    }

    #[cold]
    fn refill(&mut self) {
        const MOST: usize = 16;
        let n = self.batch;
        self.batch = (2 * n).min(MOST);
        let mut shared = SHARED.lock().unwrap_or_else(|e| e.into_inner());
        for _ in 0..n {
            let page = shared.0;
            if page.is_null() {
                break;
            }
            // SAFETY: the shared list holds valid descriptors.
            shared.0 = unsafe { (*page).next };
            self.put(page);
        }
        drop(shared);
        if self.first.is_null() {
            let Ok(layout) = Layout::array::<Page>(n) else {
                return;
            };
            // SAFETY: the layout is not empty; a zeroed descriptor is a valid one.
            let batch = unsafe { std::alloc::alloc_zeroed(layout) }.cast::<Page>();
            if !batch.is_null() {
                for i in (0..n).rev() {
                    // SAFETY: within the batch.
                    self.put(unsafe { batch.add(i) });
                }
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut shared = SHARED.lock().unwrap_or_else(|e| e.into_inner());
        while !self.first.is_null() {
            let page = self.first;
            // SAFETY: both lists hold valid descriptors.
            unsafe {
                self.first = (*page).next;
                (*page).next = shared.0;
            }
            shared.0 = page;
        }
    }
}
