//! Walking over an arena's objects: slab by slab and block by block, in the order of their creation, which
//! depends on nothing but the program's requests.

use crate::arena::{Arena, Obj};
use crate::page::{Kind, Page, MIXED};
use std::marker::PhantomData;

/// A page of equally large slots.
#[derive(Clone, Copy)]
pub struct Slab<'a> {
    page: *const Page,
    arena: PhantomData<&'a Arena>,
}

/// An object in a block of its own.
pub type Large = Obj;

#[derive(Clone, Copy)]
pub enum Block<'a> {
    Slab(Slab<'a>),
    Large(Large),
}

impl Slab<'_> {
    fn page(&self) -> &Page {
        // SAFETY: the arena is borrowed, its pages stay as they are.
        unsafe { &*self.page }
    }
    pub fn base(&self) -> *mut u8 {
        self.page().base
    }
    pub fn slot_size(&self) -> usize {
        self.page().slot as usize
    }
    pub fn slots(&self) -> usize {
        self.page().slots as usize
    }
    /// Occupied slots.
    pub fn used(&self) -> usize {
        self.page().used as usize
    }
    /// The type of all its objects, if they have one in common.
    pub fn ty(&self) -> Option<u32> {
        let p = self.page();
        if p.types.is_null() {
            return Some(p.ty);
        }
        let mut types = self.occupied().map(|i| self.type_at(i));
        let first = types.next()?;
        types.all(|t| t == first).then_some(first)
    }
    /// The exact size of all its objects, if they have one in common.
    pub fn size(&self) -> Option<usize> {
        Some(self.page().common)
            .filter(|&c| c != MIXED)
            .map(|c| c as usize)
    }
    /// The bitmap, a bit per slot from the lowest up, set if occupied.
    pub fn bitmap(&self) -> impl Iterator<Item = u64> + '_ {
        let p = self.page();
        (0..p.words()).map(move |word| {
            let rest = p.slots as usize - word * 64;
            let mask = if rest >= 64 {
                u64::MAX
            } else {
                (1 << rest) - 1
            };
            // SAFETY: the word exists.
            unsafe { !*p.bits.add(word) & mask }
        })
    }
    /// Occupied slots, ascending.
    pub fn occupied(&self) -> impl Iterator<Item = usize> + '_ {
        self.bitmap().enumerate().flat_map(|(word, mut bits)| {
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                Some(word * 64 + bit)
            })
        })
    }
    /// Exact size of an occupied slot's object.
    pub fn size_at(&self, slot: usize) -> usize {
        assert!(slot < self.slots());
        // SAFETY: the slot exists.
        unsafe { self.page().size_at(slot) }
    }
    pub fn type_at(&self, slot: usize) -> u32 {
        assert!(slot < self.slots());
        // SAFETY: the slot exists.
        unsafe { self.page().type_at(slot) }
    }
    pub fn objects(&self) -> impl Iterator<Item = Obj> + '_ {
        self.occupied().map(|i| Obj {
            base: self.base().wrapping_add(i * self.slot_size()),
            size: self.size_at(i),
            ty: self.type_at(i),
        })
    }
}

/// See [`Arena::blocks`].
pub struct Blocks<'a> {
    next: *const Page,
    arena: PhantomData<&'a Arena>,
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Block<'a>> {
        loop {
            // SAFETY: the arena is borrowed, its list of pages stays as it is.
            let p = unsafe { self.next.as_ref() }?;
            let page = std::mem::replace(&mut self.next, p.newer);
            match p.kind {
                Kind::Slab if p.used > 0 => {
                    return Some(Block::Slab(Slab {
                        page,
                        arena: PhantomData,
                    }))
                }
                Kind::Large => {
                    return Some(Block::Large(Obj {
                        base: p.object,
                        size: p.size,
                        ty: p.ty,
                    }))
                }
                _ => {}
            }
        }
    }
}

impl Arena {
    /// Everything alive, in the order in which slabs and large blocks were made; empty slabs are left out.
    pub fn blocks(&self) -> Blocks<'_> {
        Blocks {
            next: self.oldest,
            arena: PhantomData,
        }
    }

    /// Every live object, in the order of [`Arena::blocks`].
    pub fn for_each_object(&self, mut each: impl FnMut(Obj)) {
        for block in self.blocks() {
            match block {
                Block::Slab(slab) => slab.objects().for_each(&mut each),
                Block::Large(large) => each(large),
            }
        }
    }
}
