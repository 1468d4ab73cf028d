//! Which addresses objects may have, and the pieces that they come in.

/// Pages consist of whole granules. 32-bit hosts save address space, 64-bit hosts table entries.
pub(crate) const GRANULE_BITS: u32 = if cfg!(target_pointer_width = "64") {
    14
} else {
    12
};
pub(crate) const GRANULE: usize = 1 << GRANULE_BITS;

/// Of caches: large objects begin at one.
pub(crate) const LINE: usize = 64;

/// User addresses that may be used. Systems with larger spaces hand them out only on request.
pub(crate) const ADDRESS_BITS: u32 = if cfg!(target_pointer_width = "64") {
    48
} else {
    32
};
pub(crate) const ADDRESS_LIMIT: u64 = 1 << ADDRESS_BITS;
