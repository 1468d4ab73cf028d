//! Pointers that generated code moves to where they could leave their object: see [`pc3_state::beside`].

use std::ffi::{c_char, c_void};

use pc3_checkpoint::address_map::out_of_bounds::moved;
use pc3_state::rank::Rank;

/// Where a pointer is that was moved from `rank.abi.from`; `elem`: the size of what it points to, 0 for what is around where it was.
///
/// # Safety
/// Called by generated code; `place` is a constant string.
#[no_mangle]
pub unsafe extern "C" fn pc3_to_where(
    pointer: *const c_void,
    elem: usize,
    place: *const c_char,
) -> *mut c_void {
    // SAFETY: an entry point.
    if let Some(rank) = unsafe { Rank::current() } {
        let from = std::mem::take(&mut rank.abi.from);
        let bytes = std::mem::take(&mut rank.abi.from_bytes);
        let to = pointer as usize;
        let inside = bytes > 0 && (from..=from + bytes).contains(&to);
        if from != 0 && from != to && !inside {
            moved(rank, from, to, elem, place);
        }
    }
    pointer.cast_mut()
}
