//! Address → page, for all arenas of the process: a two-level table over granules. Reading takes no lock
//! and two loads; an entry is written only by the arena that owns the granule.

use crate::granule::{ADDRESS_BITS, GRANULE_BITS};
use crate::page::Page;
use crate::sys;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

const LEAF_BITS: u32 = (ADDRESS_BITS - GRANULE_BITS) / 2;
const ROOT_BITS: u32 = ADDRESS_BITS - GRANULE_BITS - LEAF_BITS;

type Leaf = [AtomicPtr<Page>; 1 << LEAF_BITS];

static ROOT: [AtomicPtr<Leaf>; 1 << ROOT_BITS] =
    [const { AtomicPtr::new(null_mut()) }; 1 << ROOT_BITS];

#[inline(always)]
fn split(addr: usize) -> (usize, usize) {
    let granule = addr >> GRANULE_BITS;
    (granule >> LEAF_BITS, granule & ((1 << LEAF_BITS) - 1))
}

/// The page that holds `addr`, or null.
#[inline(always)]
pub(crate) fn lookup(addr: usize) -> *mut Page {
    let (root, index) = split(addr);
    if root >= 1 << ROOT_BITS {
        return null_mut();
    }
    let leaf = ROOT[root].load(Ordering::Acquire);
    if leaf.is_null() {
        return null_mut();
    }
    // SAFETY: leaves are never unmapped and `index` is within one.
    unsafe { (*leaf)[index].load(Ordering::Acquire) }
}

/// The leaf an arena looked at last. It saves the load that every lookup has to wait for first; the leaf of an
/// address never changes.
#[derive(Clone, Copy)]
pub(crate) struct Near {
    root: usize,
    leaf: *const Leaf,
}

impl Near {
    pub const NOWHERE: Near = Near {
        root: usize::MAX,
        leaf: std::ptr::null(),
    };

    /// Of a prepared range.
    pub fn to(addr: usize) -> Near {
        let (root, _) = split(addr);
        Near {
            root,
            leaf: ROOT[root].load(Ordering::Acquire),
        }
    }

    #[inline(always)]
    pub fn lookup(&self, addr: usize) -> *mut Page {
        let (root, index) = split(addr);
        if root == self.root {
            // SAFETY: as in `lookup`.
            return unsafe { (&(*self.leaf))[index].load(Ordering::Acquire) };
        }
        lookup(addr)
    }
}

/// Makes room for entries of a range; false if there is no memory.
pub(crate) fn prepare(base: usize, len: usize) -> bool {
    let (first, _) = split(base);
    let (last, _) = split(base + (len - 1));
    (first..=last).all(|root| {
        if !ROOT[root].load(Ordering::Acquire).is_null() {
            return true;
        }
        let bytes = std::mem::size_of::<Leaf>().next_multiple_of(sys::UNIT);
        let leaf = sys::map_aside(bytes);
        if leaf.is_null() {
            return false;
        }
        // Another thread may have been faster: its leaf stays.
        if ROOT[root]
            .compare_exchange(null_mut(), leaf.cast(), Ordering::AcqRel, Ordering::Acquire)
            .is_err()
        {
            sys::unmap(leaf, bytes);
        }
        true
    })
}

/// Sets the entries of a prepared range of whole granules.
pub(crate) fn set(base: usize, len: usize, page: *mut Page) {
    for granule in 0..len >> GRANULE_BITS {
        let (root, index) = split(base + (granule << GRANULE_BITS));
        let leaf = ROOT[root].load(Ordering::Acquire);
        // SAFETY: `prepare` made the leaf.
        unsafe { (*leaf)[index].store(page, Ordering::Release) };
    }
}
