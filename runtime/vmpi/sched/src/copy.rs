//! Copies of what ranks send: mostly one number.

/// Above some megabytes the C library writes past the caches, which takes half as long again: more than this is
/// copied in pieces.
const PIECE: usize = 256 << 10;

/// Mostly one number.
///
/// # Safety
/// As of [`copy_block`].
#[inline]
pub unsafe fn copy_few(from: *const u8, to: *mut u8, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match n {
            8 => to
                .cast::<u64>()
                .write_unaligned(from.cast::<u64>().read_unaligned()),
            4 => to
                .cast::<u32>()
                .write_unaligned(from.cast::<u32>().read_unaligned()),
            0 => {}
            _ => std::ptr::copy_nonoverlapping(from, to, n),
        }
    }
}

/// # Safety
/// Readable and writable; the two do not overlap.
#[inline]
pub unsafe fn copy_block(from: *const u8, to: *mut u8, n: usize) {
    let mut at = 0;
    // SAFETY: the caller's promise.
    unsafe {
        while n - at > PIECE {
            std::ptr::copy_nonoverlapping(from.add(at), to.add(at), PIECE);
            at += PIECE;
        }
        std::ptr::copy_nonoverlapping(from.add(at), to.add(at), n - at);
    }
}
