//! Memory from the operating system. All mappings are zeroed, private, and aligned to at least `UNIT`.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pc3_os::memory::{self, Advice, Backing};

use crate::address_space::{self, Purpose};
use crate::granule::ADDRESS_LIMIT;

static STILL: AtomicBool = AtomicBool::new(false);

/// From now on large objects that grow are copied. Communication libraries watch the memory that they have registered by
/// functions of their own in place of the system's, and UCX's `mremap` loses the address to move to.
pub fn keep_mappings_still() {
    STILL.store(true, Relaxed);
}

/// Mappings are made in multiples of the largest page size of the supported systems.
pub(crate) const UNIT: usize = 64 << 10;
/// Size of a transparent huge page; on 32-bit hosts address space is too scarce to align to it.
pub(crate) const HUGE: usize = 2 << 20;

/// `align` is a power of two, `len` a multiple of `UNIT`. Null if there is no memory.
pub(crate) fn map(len: usize, align: usize) -> *mut u8 {
    let align = if cfg!(target_pointer_width = "64") && len >= 2 * HUGE {
        align.max(HUGE)
    } else {
        align.max(UNIT)
    };
    let own = address_space::map(Purpose::Heap, len, align);
    if !own.is_null() {
        return usable(own, len);
    }
    let base = raw_map(len);
    if base.is_null() || base as usize % align == 0 {
        return usable(base, len);
    }
    unmap(base, len);
    let Some(more) = len.checked_add(align) else {
        return null_mut();
    };
    let wide = raw_map(more);
    if wide.is_null() {
        return wide;
    }
    let head = (wide as usize).wrapping_neg() % align;
    if head > 0 {
        unmap(wide, head);
    }
    let base = wide.wrapping_add(head);
    if align > head {
        unmap(base.wrapping_add(len), align - head);
    }
    usable(base, len)
}

/// Memory that no object is made of.
pub(crate) fn map_aside(len: usize) -> *mut u8 {
    raw_map(len)
}

/// The range where it was in another process; false if something is there.
pub(crate) fn map_again(base: usize, len: usize) -> bool {
    (base as u64).saturating_add(len as u64) <= ADDRESS_LIMIT && address_space::map_again(base, len)
}

/// The range for parts of it that were in use in another process.
pub(crate) fn reserve(base: usize, len: usize) {
    if (base as u64).saturating_add(len as u64) <= ADDRESS_LIMIT {
        address_space::reserve(base, len);
    }
}

fn usable(base: *mut u8, len: usize) -> *mut u8 {
    if base.is_null() {
        return base;
    }
    if (base as u64).saturating_add(len as u64) > ADDRESS_LIMIT {
        unmap(base, len);
        return null_mut();
    }
    if cfg!(target_pointer_width = "64") && len >= 2 * HUGE {
        memory::advise(base, len, Advice::Huge);
    }
    base
}

fn raw_map(len: usize) -> *mut u8 {
    memory::map(len, Backing::Promised).unwrap_or(null_mut())
}

pub(crate) fn unmap(base: *mut u8, len: usize) {
    // SAFETY: callers own the range and hold no references into it.
    unsafe { memory::unmap(base, len) };
    address_space::unmapped(base as usize, len);
}

/// Moves the pages of one mapping to the place of another (or of nothing), which they replace.
/// False if it cannot, or must not, be done.
pub(crate) fn move_to(old: *mut u8, old_len: usize, new: *mut u8, len: usize) -> bool {
    if STILL.load(Relaxed) {
        return false;
    }
    // SAFETY: both ranges are the caller's.
    let moved = unsafe { memory::move_to(old, old_len, new, len) };
    if moved {
        address_space::unmapped(old as usize, old_len);
    }
    moved
}
