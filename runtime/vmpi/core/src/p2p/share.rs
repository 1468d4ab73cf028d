//! Messages between ranks of this process, whose workers may share the work.

use crate::mail::buf::{move_block, Buf};
use crate::mail::sharing::LEAST;
use crate::rank::RankState;
use pc3_vmpi_objects::error::Result;

/// Moves a message between `me` and `other`, whose worker may help.
///
/// # Safety
/// As of [`Buf::move_to`].
#[inline(always)]
pub(crate) unsafe fn share(
    from: &Buf<'_>,
    to: &Buf<'_>,
    me: &RankState,
    other: &RankState,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        match from.blocks(to) {
            Some((from, into, n)) if n >= LEAST => {
                if !copy(me, other, from, into, n) {
                    move_block(from, into, n);
                }
                Ok(())
            }
            blocks => from.move_to(to, blocks),
        }
    }
}

/// Copies a block of at least [`LEAST`] bytes from a rank to another one of this process, one of which is `me`; `other` may
/// help.  False: it is not copied.
///
/// # Safety
/// The message is readable, its destination writable.
unsafe fn copy(
    me: &RankState,
    other: &RankState,
    from: *const u8,
    to: *mut u8,
    len: usize,
) -> bool {
    let apart = (from as usize).abs_diff(to as usize) >= len;
    // SAFETY: the caller's promise.
    apart && me.worker() != other.worker() && unsafe { other.sharing.copy(from, to, len) }
}
