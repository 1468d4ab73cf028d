//! The allocator: small objects in slabs keyed by (size class, type), each found through its bin's current
//! bitmap word; large ones in runs of granules or mappings of their own.

use crate::class::{aligned_class, class_of, ALIGN, MAX_SLOT, SLOT_OF};
use crate::map::{self, GRANULE};
use crate::page::{Kind, Page, State};
use crate::span::Spans;
use crate::sys;
use std::alloc::{alloc, dealloc, Layout};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

/// Why a pointer could not be freed or reallocated. Nothing was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Fault {
    /// Not memory of any arena: another allocator's, the stack's, or a global's.
    #[error("not a heap object of this allocator")]
    Foreign,
    #[error("the object belongs to another arena ({tag})")]
    OtherArena { tag: u32 },
    #[error("the pointer is not the start of an object")]
    Interior,
    #[error("the object was freed already")]
    Freed,
}

/// A live object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Obj {
    pub base: *mut u8,
    /// Exactly as requested.
    pub size: usize,
    /// As given at the allocation or by `set_type`; 0 = unknown.
    pub ty: u32,
}

/// Blocks of at least this size get a mapping of their own, which goes back to the system when freed.
const DIRECT: usize = if cfg!(target_pointer_width = "64") {
    1 << 20
} else {
    256 << 10
};
/// Slabs grow from a granule (or a few slots) to this size as their bin fills.
const MAX_SLAB: usize = 256 << 10;
const MIN_SLOTS: usize = 8;

/// One (class, type). The first three fields say where to look for a free slot.
struct Bin {
    key: u64,
    word: *mut u64,
    word_base: *mut u8,
    page: *mut Page,
    /// Other slabs with room.
    listed: *mut Page,
    slab_len: usize,
}

const NO_KEY: u64 = u64::MAX;

struct Static(Bin);
// SAFETY: never written.
unsafe impl Sync for Static {}
static FULL_WORD: u64 = 0;
static NO_BIN: Static = Static(Bin::new(NO_KEY));

impl Bin {
    const fn new(key: u64) -> Self {
        Bin {
            key,
            // Never written, as it offers no slot.
            word: (&raw const FULL_WORD).cast_mut(),
            word_base: null_mut(),
            page: null_mut(),
            listed: null_mut(),
            slab_len: 0,
        }
    }
}

/// A heap for one logical thread of control. `tag` is its owner's name for it, for error reports.
///
/// Every object starts at a multiple of 16. No two objects touch: one past the end of an object is never
/// the start of another.
pub struct Arena {
    bins: *mut Bin,
    mask: usize,
    keys: usize,
    id: u32,
    pub(crate) oldest: *mut Page,
    newest: *mut Page,
    direct: usize,
    spans: Spans,
}

// SAFETY: an arena owns what it points to; the shared table of addresses is written atomically.
unsafe impl Send for Arena {}

#[inline(always)]
fn key_of(class: usize, ty: u32) -> u64 {
    u64::from(ty) << 8 | class as u64
}

#[inline(always)]
fn hash(class: usize, ty: u32) -> usize {
    (ty as usize).wrapping_mul(33).wrapping_add(class)
}

impl Arena {
    pub fn new(tag: u32) -> Self {
        static IDS: AtomicU32 = AtomicU32::new(1);
        let id = IDS.fetch_add(1, Ordering::Relaxed);
        Arena {
            bins: (&raw const NO_BIN.0).cast_mut(),
            mask: 0,
            keys: 0,
            id,
            oldest: null_mut(),
            newest: null_mut(),
            direct: 0,
            spans: Spans::new(id, tag),
        }
    }

    /// Like `malloc`: null if there is no memory, a unique address for size 0.
    #[inline]
    pub fn alloc(&mut self, size: usize, ty: u32) -> *mut u8 {
        if size >= MAX_SLOT {
            return self.alloc_large(size, 1, ty).0;
        }
        let class = class_of(size);
        // SAFETY: `bins` is a table of `mask + 1` bins; a bin's word and page belong together.
        unsafe {
            let bin = self.bins.add(hash(class, ty) & self.mask);
            if (*bin).key == key_of(class, ty) && *(*bin).word != 0 {
                return take_slot(bin, size);
            }
        }
        self.alloc_slow(class, size, ty)
    }

    /// Like `calloc(1, size)`.
    pub fn alloc_zeroed(&mut self, size: usize, ty: u32) -> *mut u8 {
        let (p, zero) = if size < MAX_SLOT {
            (self.alloc(size, ty), false)
        } else {
            self.alloc_large(size, 1, ty)
        };
        if !zero && !p.is_null() {
            // SAFETY: a fresh object of `size` bytes.
            unsafe { p.write_bytes(0, size) };
        }
        p
    }

    /// `align` is a power of two (null otherwise). `realloc` does not keep the alignment.
    pub fn alloc_aligned(&mut self, align: usize, size: usize, ty: u32) -> *mut u8 {
        if !align.is_power_of_two() {
            return null_mut();
        }
        if align <= ALIGN {
            return self.alloc(size, ty);
        }
        match aligned_class(size, align).filter(|_| align <= GRANULE) {
            Some(class) => self.alloc_slow(class, size, ty),
            None => self.alloc_large(size, align, ty).0,
        }
    }

    /// Allocates `n` objects of one size and type and passes each to `each`, in the order of their
    /// addresses per slab. Returns how many there was memory for.
    pub fn alloc_many(
        &mut self,
        size: usize,
        ty: u32,
        n: usize,
        mut each: impl FnMut(*mut u8),
    ) -> usize {
        if size < MAX_SLOT && n > 0 {
            let class = class_of(size);
            let bin = self.bin(class, ty);
            if bin.is_null() {
                return 0;
            }
            // SAFETY: the bin is ours. Few big slabs instead of many growing ones.
            unsafe {
                let wish = n
                    .saturating_mul(SLOT_OF[class] as usize)
                    .min(MAX_SLAB)
                    .next_multiple_of(GRANULE);
                (*bin).slab_len = (*bin).slab_len.max(wish);
            }
        }
        for done in 0..n {
            let p = self.alloc(size, ty);
            if p.is_null() {
                return done;
            }
            each(p);
        }
        n
    }

    /// Frees an object.
    #[inline]
    pub fn free(&mut self, ptr: *mut u8) -> Result<(), Fault> {
        let page = map::lookup(ptr as usize);
        // SAFETY: descriptors stay readable; past the test of the owner it is ours.
        unsafe {
            if page.is_null()
                || (*page).owner.load(Ordering::Relaxed) != self.id
                || (*page).kind != Kind::Slab
            {
                return self.free_other(ptr, page);
            }
            let p = &mut *page;
            let offset = ptr as usize - p.base as usize;
            let index = p.index(offset);
            if index * p.slot as usize != offset || index >= p.slots as usize {
                return Err(Fault::Interior);
            }
            let (word, bit) = (index / 64, 1u64 << (index % 64));
            let bits = p.bits.add(word);
            if *bits & bit != 0 {
                return Err(Fault::Freed);
            }
            *bits |= bit;
            p.used -= 1;
            p.hint = word as u32;
            if !p.types.is_null() {
                *p.types.add(index) = p.ty;
            }
            if p.state == State::Full || (p.used == 0 && p.state == State::Listed) {
                self.make_room(page);
            }
        }
        Ok(())
    }

    /// Like `realloc` of a non-null pointer; `Ok(null)`: no memory, the object is as it was.
    /// A `ty` of 0 keeps the object's type. Size 0 gives an object of size 0.
    pub fn realloc(&mut self, ptr: *mut u8, size: usize, ty: u32) -> Result<*mut u8, Fault> {
        let (page, index) = self.object_at(ptr)?;
        // SAFETY: a live object of ours; the copy stays within both.
        unsafe {
            let p = &mut *page;
            let (old, old_ty) = if p.kind == Kind::Slab {
                (p.size_at(index), p.type_at(index))
            } else {
                (p.size, p.ty)
            };
            let ty = if ty == 0 { old_ty } else { ty };
            let moved = match p.kind {
                Kind::Slab => {
                    let slot = p.slot as usize;
                    let fits =
                        size < slot && (class_of(size) == p.class as usize || size > slot / 2);
                    let retyped = ty == p.ty || !p.types.is_null() || p.used == 1;
                    if fits
                        && retyped
                        && p.set_size(index, size)
                        && self.set_type_at(page, index, ty)
                    {
                        return Ok(ptr);
                    }
                    null_mut()
                }
                _ => self.resize_large(page, size),
            };
            if !moved.is_null() {
                self.set_type_at(page, 0, ty);
                return Ok(moved);
            }
            let new = self.alloc(size, ty);
            if !new.is_null() {
                new.copy_from_nonoverlapping(ptr, old.min(size));
                self.free(ptr)?;
            }
            Ok(new)
        }
    }

    /// The exact size of the object that starts at `ptr`.
    pub fn size_of(&self, ptr: *const u8) -> Option<usize> {
        self.find(ptr as usize)
            .filter(|o| o.base.cast_const() == ptr)
            .map(|o| o.size)
    }

    /// The object that contains `addr` or ends there. None in the gap behind an object.
    #[inline]
    pub fn find(&self, addr: usize) -> Option<Obj> {
        let page = map::lookup(addr);
        // SAFETY: as in `free`.
        unsafe {
            if page.is_null() || (*page).owner.load(Ordering::Relaxed) != self.id {
                return None;
            }
            let p = &*page;
            let offset = addr - p.base as usize;
            let obj = match p.kind {
                Kind::Free => return None,
                Kind::Large => Obj {
                    base: p.base,
                    size: p.size,
                    ty: p.ty,
                },
                Kind::Slab => {
                    let index = p.index(offset);
                    if index >= p.slots as usize || p.is_free(index) {
                        return None;
                    }
                    let base = p.base.add(index * p.slot as usize);
                    Obj {
                        base,
                        size: p.size_at(index),
                        ty: p.type_at(index),
                    }
                }
            };
            (addr - obj.base as usize <= obj.size).then_some(obj)
        }
    }

    /// Gives an object another type; false if `ptr` is not the start of one (or there is no memory to note it).
    pub fn set_type(&mut self, ptr: *mut u8, ty: u32) -> bool {
        match self.object_at(ptr) {
            // SAFETY: a live object of ours.
            Ok((page, index)) => unsafe { self.set_type_at(page, index, ty) },
            Err(_) => false,
        }
    }

    /// Bytes of address space held for objects.
    pub fn mapped(&self) -> usize {
        self.spans.mapped + self.direct
    }

    unsafe fn set_type_at(&mut self, page: *mut Page, index: usize, ty: u32) -> bool {
        if (*page).kind == Kind::Slab {
            return (*page).set_type(index, ty);
        }
        (*page).ty = ty;
        true
    }

    /// Page and slot of the live object that starts at `ptr`.
    fn object_at(&self, ptr: *mut u8) -> Result<(*mut Page, usize), Fault> {
        let page = map::lookup(ptr as usize);
        if page.is_null() {
            return Err(Fault::Foreign);
        }
        // SAFETY: as in `free`.
        unsafe {
            let p = &*page;
            match p.owner.load(Ordering::Relaxed) {
                0 => return Err(Fault::Foreign),
                id if id != self.id => {
                    return Err(Fault::OtherArena {
                        tag: p.tag.load(Ordering::Relaxed),
                    })
                }
                _ => {}
            }
            let offset = ptr as usize - p.base as usize;
            match p.kind {
                Kind::Free => Err(Fault::Freed),
                Kind::Large if offset == 0 => Ok((page, 0)),
                Kind::Large => Err(Fault::Interior),
                Kind::Slab => {
                    let index = p.index(offset);
                    if index * p.slot as usize != offset || index >= p.slots as usize {
                        Err(Fault::Interior)
                    } else if p.is_free(index) {
                        Err(Fault::Freed)
                    } else {
                        Ok((page, index))
                    }
                }
            }
        }
    }

    /// The bin of a key, made if need be; null if there is no memory.
    fn bin(&mut self, class: usize, ty: u32) -> *mut Bin {
        let key = key_of(class, ty);
        // SAFETY: probing stays within the table and ends at an empty entry, as at most a quarter are taken.
        unsafe {
            if self.mask > 0 {
                let found = probe(self.bins, self.mask, class, ty);
                if (*found).key == key {
                    return found;
                }
            }
            if (self.keys + 1) * 4 > self.mask + 1 && !self.grow_table() {
                return null_mut();
            }
            let bin = probe(self.bins, self.mask, class, ty);
            bin.write(Bin::new(key));
            self.keys += 1;
            (*bin).slab_len = (SLOT_OF[class] as usize * MIN_SLOTS).next_multiple_of(GRANULE);
            bin
        }
    }

    #[cold]
    unsafe fn grow_table(&mut self) -> bool {
        let len = if self.mask == 0 {
            32
        } else {
            (self.mask + 1) * 2
        };
        let Ok(layout) = Layout::array::<Bin>(len) else {
            return false;
        };
        let bins = alloc(layout).cast::<Bin>();
        if bins.is_null() {
            return false;
        }
        for i in 0..len {
            bins.add(i).write(Bin::new(NO_KEY));
        }
        if self.mask > 0 {
            for i in 0..=self.mask {
                let old = self.bins.add(i);
                if (*old).key != NO_KEY {
                    let (class, ty) = ((*old).key as u8 as usize, ((*old).key >> 8) as u32);
                    probe(bins, len - 1, class, ty).write(old.read());
                }
            }
        }
        self.free_table();
        self.bins = bins;
        self.mask = len - 1;
        true
    }

    fn free_table(&mut self) {
        if self.mask > 0 {
            // SAFETY: allocated with this layout by `grow_table`.
            unsafe {
                dealloc(
                    self.bins.cast(),
                    Layout::from_size_align_unchecked(
                        (self.mask + 1) * size_of::<Bin>(),
                        align_of::<Bin>(),
                    ),
                )
            };
        }
    }

    #[cold]
    #[inline(never)]
    fn alloc_slow(&mut self, class: usize, size: usize, ty: u32) -> *mut u8 {
        let bin = self.bin(class, ty);
        // SAFETY: bins and pages are ours.
        unsafe {
            if bin.is_null() || !self.refill(bin, class, size, ty) {
                return null_mut();
            }
            take_slot(bin, size)
        }
    }

    /// Points the bin to a bitmap word with a free slot; false if there is no memory.
    unsafe fn refill(&mut self, bin: *mut Bin, class: usize, size: usize, ty: u32) -> bool {
        let bin = &mut *bin;
        if *bin.word != 0 {
            return true;
        }
        loop {
            let page = bin.page;
            if !page.is_null() {
                let p = &mut *page;
                if p.used < p.slots {
                    let words = p.words();
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
            bin.word = (&raw const FULL_WORD).cast_mut();
            bin.page = bin.listed;
            if bin.page.is_null() {
                bin.page = self.new_slab(class, size, ty, bin.slab_len);
                if bin.page.is_null() {
                    return false;
                }
                bin.slab_len = (bin.slab_len * 2).min(MAX_SLAB);
            } else {
                bin.listed = (*bin.page).next;
                if !bin.listed.is_null() {
                    (*bin.listed).prev = null_mut();
                }
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
        if !(*page).become_slab(class, ty, size as u32) {
            self.spans.give(page);
            return null_mut();
        }
        self.append(page);
        page
    }

    /// A slab that was full has a free slot, or one that waits in its bin's list is empty.
    #[cold]
    #[inline(never)]
    unsafe fn make_room(&mut self, page: *mut Page) {
        let p = &mut *page;
        let bin = &mut *self.bin(p.class as usize, p.ty);
        if p.state == State::Full {
            p.state = State::Listed;
            p.prev = null_mut();
            p.next = bin.listed;
            if !p.next.is_null() {
                (*p.next).prev = page;
            }
            bin.listed = page;
        }
        let others = bin.listed != page
            || !p.next.is_null()
            || (!bin.page.is_null() && (*bin.page).used < (*bin.page).slots);
        if p.used == 0 && others {
            self.release(bin, page);
        }
    }

    /// Gives up an empty slab of a bin's list.
    unsafe fn release(&mut self, bin: &mut Bin, page: *mut Page) {
        let p = &mut *page;
        if !p.next.is_null() {
            (*p.next).prev = p.prev;
        }
        if p.prev.is_null() {
            bin.listed = p.next;
        } else {
            (*p.prev).next = p.next;
        }
        self.remove(page);
        p.strip();
        self.spans.give(page);
    }

    /// Gives up all empty slabs, for lack of memory.
    #[cold]
    unsafe fn reclaim(&mut self) {
        if self.mask == 0 {
            return;
        }
        for at in 0..=self.mask {
            let bin = &mut *self.bins.add(at);
            if !bin.page.is_null() && (*bin.page).used == 0 {
                let page = std::mem::replace(&mut bin.page, null_mut());
                bin.word = (&raw const FULL_WORD).cast_mut();
                (*page).state = State::Listed;
                (*page).prev = null_mut();
                (*page).next = bin.listed;
                if !bin.listed.is_null() {
                    (*bin.listed).prev = page;
                }
                bin.listed = page;
            }
            let mut page = bin.listed;
            while !page.is_null() {
                let next = (*page).next;
                if (*page).used == 0 {
                    self.release(bin, page);
                }
                page = next;
            }
        }
    }

    /// Also says whether the memory is known to be zero.
    #[cold]
    #[inline(never)]
    fn alloc_large(&mut self, size: usize, align: usize, ty: u32) -> (*mut u8, bool) {
        let Some(len) = block_len(size) else {
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
            (*page).kind = Kind::Large;
            (*page).size = size;
            (*page).ty = ty;
            self.append(page);
            ((*page).base, (*page).zero)
        }
    }

    unsafe fn block(&mut self, len: usize, align: usize) -> *mut Page {
        if len < DIRECT && align <= GRANULE {
            self.spans.take(len)
        } else {
            self.map_direct(len, align)
        }
    }

    unsafe fn map_direct(&mut self, len: usize, align: usize) -> *mut Page {
        let len = len.next_multiple_of(sys::UNIT);
        let page = self.spans.descriptor();
        if page.is_null() {
            return page;
        }
        let base = sys::map(len, align);
        if base.is_null() || !map::prepare(base as usize, len) {
            if !base.is_null() {
                sys::unmap(base, len);
            }
            self.spans.pool.put(page);
            return null_mut();
        }
        (*page).base = base;
        (*page).len = len;
        (*page).zero = true;
        map::set(base as usize, len, page);
        self.direct += len;
        page
    }

    #[cold]
    #[inline(never)]
    unsafe fn free_other(&mut self, ptr: *mut u8, page: *mut Page) -> Result<(), Fault> {
        self.object_at(ptr)?;
        self.remove(page);
        if (*page).region.is_null() {
            let p = &*page;
            map::set(p.base as usize, p.len, null_mut());
            sys::unmap(p.base, p.len);
            self.direct -= p.len;
            self.spans.pool.put(page);
        } else {
            self.spans.give(page);
        }
        Ok(())
    }

    /// The large object's new address, or null if it has to be copied.
    unsafe fn resize_large(&mut self, page: *mut Page, size: usize) -> *mut u8 {
        let p = &mut *page;
        let Some(len) = block_len(size) else {
            return null_mut();
        };
        if size < MAX_SLOT {
            return null_mut();
        }
        if p.region.is_null() {
            let len = len.next_multiple_of(sys::UNIT);
            if len < DIRECT {
                return null_mut();
            }
            if len != p.len && !self.remap_direct(page, len) {
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
        let base = sys::remap(p.base, p.len, len);
        if base.is_null() {
            return false;
        }
        map::set(old.0 as usize, old.1, null_mut());
        if !map::prepare(base as usize, len) {
            // The pages can go back to where they came from: that range has its entries.
            let back = sys::remap_to(base, len, old.0, old.1);
            debug_assert!(back);
            map::set(old.0 as usize, old.1, page);
            return false;
        }
        p.base = base;
        p.len = len;
        map::set(base as usize, len, page);
        self.direct = self.direct - old.1 + len;
        true
    }

    unsafe fn append(&mut self, page: *mut Page) {
        (*page).older = self.newest;
        (*page).newer = null_mut();
        if self.newest.is_null() {
            self.oldest = page;
        } else {
            (*self.newest).newer = page;
        }
        self.newest = page;
    }

    unsafe fn remove(&mut self, page: *mut Page) {
        let p = &*page;
        if p.older.is_null() {
            self.oldest = p.newer;
        } else {
            (*p.older).newer = p.newer;
        }
        if p.newer.is_null() {
            self.newest = p.older;
        } else {
            (*p.newer).older = p.older;
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: nothing refers to the arena's objects any more.
        unsafe {
            while !self.oldest.is_null() {
                let page = self.oldest;
                let p = &mut *page;
                self.oldest = p.newer;
                p.strip();
                if p.region.is_null() {
                    map::set(p.base as usize, p.len, null_mut());
                    sys::unmap(p.base, p.len);
                }
                self.spans.pool.put(page);
            }
        }
        self.free_table();
    }
}

/// Whole granules that hold a large object and at least a byte of gap.
fn block_len(size: usize) -> Option<usize> {
    let len = size.checked_add(GRANULE)? / GRANULE * GRANULE;
    (len <= isize::MAX as usize - sys::HUGE).then_some(len)
}

unsafe fn probe(bins: *mut Bin, mask: usize, class: usize, ty: u32) -> *mut Bin {
    let mut at = hash(class, ty) & mask;
    loop {
        let bin = bins.add(at);
        if (*bin).key == key_of(class, ty) || (*bin).key == NO_KEY {
            return bin;
        }
        at = (at + 1) & mask;
    }
}

/// Takes a free slot of the bin's current word, which has one. Null if the size cannot be noted.
#[inline(always)]
unsafe fn take_slot(bin: *mut Bin, size: usize) -> *mut u8 {
    let page = &mut *(*bin).page;
    let bits = *(*bin).word;
    let index = bits.trailing_zeros() as usize;
    *(*bin).word = bits & (bits - 1);
    page.used += 1;
    let p = (*bin).word_base.add(index * page.slot as usize);
    if page.common as usize != size && !note_size(page, p, size) {
        *(*bin).word = bits;
        page.used -= 1;
        return null_mut();
    }
    p
}

unsafe fn note_size(page: &mut Page, p: *mut u8, size: usize) -> bool {
    let index = page.index(p as usize - page.base as usize);
    page.set_size(index, size)
}
