//! What generated code calls: every `extern "C"` of the runtime, each a shell around what lies below.
//!
//! * `frames`: locations, frames, and what happens around them (jumps, exits, callbacks).
//! * `memory`: memory, and what is known of it: the heap, unions, pieces.
//! * `process`: files, signals, locale, environment; what stands in the way of a checkpoint.
//! * `units`: constructors of the program's units.

pub mod frames;
pub mod memory;
pub mod process;
pub mod units;
