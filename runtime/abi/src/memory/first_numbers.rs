//! Numbers that the program makes of addresses for good: see [`pc3_state::first_numbers`].

use pc3_typemetric::descriptor::PC3_SEEN_ONCE;

use pc3_control::report::{die, EXIT_FATAL};
use pc3_state::rank::Rank;

/// # Safety
/// Called by generated code, with a mark of its unit.
#[no_mangle]
pub unsafe extern "C" fn pc3_first_number(seen: *const u8, p: isize) -> isize {
    // SAFETY: called by user code only.
    let Some(rank) = (unsafe { Rank::current() }) else {
        return p;
    };
    let at = p as usize;
    // SAFETY: by the caller.
    let once = unsafe { *seen } & PC3_SEEN_ONCE != 0;
    let object = rank.heap.find(at).map(|o| (o.base as usize, o.size));
    match rank.first_numbers.number(at, object, once) {
        Ok(number) => number as isize,
        Err(why) => die(
            EXIT_FATAL,
            &format!("an address becomes a number again, and {why}: keep it in a pointer"),
        ),
    }
}
