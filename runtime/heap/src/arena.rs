//! The allocator: small objects in slabs keyed by (size class, type), each found through its bin's current
//! bitmap word; large ones in runs of granules or mappings of their own.

use crate::bin::Bins;
use crate::class::{aligned_class, class_of, ALIGN, MAX_SLAB, MAX_SLOT, SLOT_OF};
use crate::granule::GRANULE;
use crate::map::{self, Near};
use crate::page::{Kind, Left, Page, State};
use crate::span::{Spans, Spares, NO_SPARES};
use crate::sys;

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

/// A heap for one logical thread of control. `tag` is its owner's name for it, for error reports.
///
/// Every object starts at a multiple of 16. No two objects touch: one past the end of an object is never
/// the start of another.
pub struct Arena {
    pub(crate) bins: Bins,
    pub(crate) near: Near,
    id: u32,
    pub(crate) oldest: *mut Page,
    newest: *mut Page,
    /// Bytes of large objects' own mappings.
    pub(crate) direct: usize,
    /// Large objects that were given a place.
    pub(crate) placed: u32,
    pub(crate) spares: Spares,
    pub(crate) spans: Spans,
    /// Bytes behind each object that are no other's, beyond the one that always is.
    pub(crate) apart: usize,
}

// SAFETY: an arena owns what it points to; the shared table of addresses is written atomically.
unsafe impl Send for Arena {}

impl Arena {
    pub fn new(tag: u32) -> Self {
        static IDS: AtomicU32 = AtomicU32::new(1);
        let id = IDS.fetch_add(1, Ordering::Relaxed);
        Arena {
            bins: Bins::new(),
            near: Near::NOWHERE,
            id,
            oldest: null_mut(),
            newest: null_mut(),
            direct: 0,
            placed: 0,
            spares: NO_SPARES,
            spans: Spans::new(id, tag),
            apart: 0,
        }
    }

    /// From now on objects lie at least so many bytes apart.
    pub fn keep_apart(&mut self, bytes: usize) {
        self.apart = bytes.min(MAX_SLOT);
    }

    /// Like `malloc`: null if there is no memory, a unique address for size 0.
    #[inline]
    pub fn alloc(&mut self, size: usize, ty: u32) -> *mut u8 {
        let room = size.saturating_add(self.apart);
        if room >= MAX_SLOT {
            return self.alloc_large(size, 1, ty).0;
        }
        let class = class_of(room);
        let bin = self.bins.quick(class, ty);
        if !bin.is_null() {
            // SAFETY: a bin of ours.
            let p = unsafe { (*bin).take(size) };
            if !p.is_null() {
                return p;
            }
        }
        self.alloc_slow(class, size, ty)
    }

    /// Like `calloc(1, size)`.
    pub fn alloc_zeroed(&mut self, size: usize, ty: u32) -> *mut u8 {
        let (p, zero) = if size.saturating_add(self.apart) < MAX_SLOT {
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
        self.aligned(align, size, ty).0
    }

    /// The same, zeroed.
    pub fn alloc_aligned_zeroed(&mut self, align: usize, size: usize, ty: u32) -> *mut u8 {
        if align <= ALIGN {
            return self.alloc_zeroed(size, ty);
        }
        let (p, zero) = self.aligned(align, size, ty);
        if !zero && !p.is_null() {
            // SAFETY: a fresh object of `size` bytes.
            unsafe { p.write_bytes(0, size) };
        }
        p
    }

    /// Also says whether the memory is known to be zero.
    fn aligned(&mut self, align: usize, size: usize, ty: u32) -> (*mut u8, bool) {
        let room = size.saturating_add(self.apart);
        match aligned_class(room, align).filter(|_| align <= GRANULE) {
            Some(class) => (self.alloc_slow(class, size, ty), false),
            None => self.alloc_large(size, align, ty),
        }
    }

    /// Allocates `n` objects of one size, type and alignment and passes each to `each`, in the order of their
    /// addresses per slab. Returns how many there was memory for.
    pub fn alloc_many(
        &mut self,
        align: usize,
        size: usize,
        ty: u32,
        n: usize,
        mut each: impl FnMut(*mut u8),
    ) -> usize {
        let room = size.saturating_add(self.apart);
        let class = match align <= ALIGN {
            true => (room < MAX_SLOT).then(|| class_of(room)),
            false => aligned_class(room, align).filter(|_| align <= GRANULE),
        };
        if let Some(class) = class.filter(|_| n > 0) {
            let bin = self.bins.get(class, ty);
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
            let p = self.alloc_aligned(align, size, ty);
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
        self.free_seen(ptr, |_, _| {})
    }

    /// The same; `see` is told its type and size while it is there.
    #[inline]
    pub fn free_seen(&mut self, ptr: *mut u8, see: impl FnOnce(u32, usize)) -> Result<(), Fault> {
        let page = self.near.lookup(ptr as usize);
        // SAFETY: descriptors stay readable; past the test of the owner it is ours.
        unsafe {
            if page.is_null()
                || (*page).owner.load(Ordering::Relaxed) != self.id
                || (*page).kind != Kind::Slab
            {
                return self.free_large(ptr, see);
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
            see(p.type_at(index), p.size_at(index));
            *bits |= bit;
            p.used -= 1;
            if !p.types.is_null() {
                *p.types.add(index) = p.ty;
            }
            (*p.bin).freed(ptr, page);
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
                    let room = size.saturating_add(self.apart);
                    let fits =
                        room < slot && (class_of(room) == p.class as usize || room > slot / 2);
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
        let page = self.near.lookup(addr);
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
                    base: p.object,
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
            // In front of a large object there may be some bytes, too.
            (addr.wrapping_sub(obj.base as usize) <= obj.size).then_some(obj)
        }
    }

    /// The type of whatever lies there, in free memory as well, if all of its page has one.
    #[inline]
    pub fn common_type(&self, addr: usize) -> Option<u32> {
        let page = self.near.lookup(addr);
        // SAFETY: as in `free`.
        unsafe {
            if page.is_null() || (*page).owner.load(Ordering::Relaxed) != self.id {
                return None;
            }
            let p = &*page;
            (p.kind == Kind::Slab && p.types.is_null()).then_some(p.ty)
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
        let p = &mut *page;
        if p.ty != ty {
            p.left = Left::MIXED;
        }
        p.ty = ty;
        true
    }

    /// Page and slot of the live object that starts at `ptr`.
    pub(crate) fn object_at(&self, ptr: *mut u8) -> Result<(*mut Page, usize), Fault> {
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
                Kind::Large if ptr == p.object => Ok((page, 0)),
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

    pub(crate) unsafe fn append(&mut self, page: *mut Page) {
        (*page).older = self.newest;
        (*page).newer = null_mut();
        if self.newest.is_null() {
            self.oldest = page;
        } else {
            (*self.newest).newer = page;
        }
        self.newest = page;
    }

    pub(crate) unsafe fn remove(&mut self, page: *mut Page) {
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
        self.drop_spares();
    }
}
