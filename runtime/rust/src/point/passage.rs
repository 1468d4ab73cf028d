//! Passing a location, and leaving a frame there.

use std::sync::atomic::Ordering::Relaxed;

use pc3_runtime::control::pc3_flag;

use super::frames::{self, Entry};
use super::function::{Point, Unwind};

/// Is a checkpoint to be taken here?
#[inline(always)]
pub fn due() -> bool {
    pc3_flag.load(Relaxed) != 0 && due_now()
}

#[cold]
#[inline(never)]
fn due_now() -> bool {
    frames::due()
}

/// A location in a function that was called as if it were not checkpointable.
#[inline(always)]
pub fn passed(function: &'static str, file: &'static str, line: u32) {
    if cfg!(not(feature = "plain")) && pc3_flag.load(Relaxed) != 0 {
        passed_now(function, file, line);
    }
}

#[cold]
#[inline(never)]
fn passed_now(function: &'static str, file: &'static str, line: u32) {
    frames::passed(function, file, line);
}

/// Keeps a frame's locals; its function returns what this returns.  Apart from that function, which is to stay as small as
/// the user's is.
#[cold]
#[inline(never)]
pub fn leave(point: &'static Point, values: impl FnOnce() -> Vec<Entry>) -> Unwind {
    frames::park(point, values());
    Unwind { _private: () }
}

/// The innermost frame is back.
pub fn resumed() {
    frames::resumed();
}
