//! Locals on their way into a frame, and back.

use super::frames::{self, Entry};
use super::function::Point;
use super::mode::Left;
use crate::value::{Checkpointable, Transient};

/// A local to be kept.
pub fn keep<T: Checkpointable>(name: &'static str, value: T) -> Entry {
    (name, Box::new(value))
}

/// A local that waits for its way back in this process, and is not saved.
pub fn hold<T: 'static>(name: &'static str, value: T) -> Entry {
    (name, Box::new(Transient(value)))
}

/// Takes such a local back; `None`: this is another process.
#[inline(always)]
pub fn held<T: 'static>(frame: &mut impl Left, name: &'static str) -> Option<T> {
    frame.frame().take_held(name)
}

/// The label of a frame that is gone back into; 0 for none.
#[inline(always)]
pub fn label(frame: &impl Left) -> u32 {
    frame.label()
}

/// The frame must have been left at this point.
#[inline(always)]
pub fn check(frame: &mut impl Left, point: &'static Point) {
    frame.frame().check(point);
}

/// Takes a local back.
#[inline(always)]
pub fn take<T: Checkpointable>(frame: &mut impl Left, name: &'static str) -> T {
    frame.frame().take(name)
}

/// All of the frame is back.
#[inline(always)]
pub fn back(frame: &mut impl Left) {
    frame.back();
}

/// The frame was left at a point that does not exist here.
#[cold]
pub fn lost(frame: &mut impl Left) -> ! {
    frame.frame().lost()
}

/// What a pattern matched is not there any more.
#[cold]
pub fn changed() -> ! {
    frames::changed()
}

/// A local that the last round of a loop has handed on.
#[inline(always)]
pub fn carried<T>(slot: &mut Option<T>) -> T {
    match slot.take() {
        Some(value) => value,
        None => unreachable!("each round hands it on"),
    }
}
