//! What generated code calls: every `extern "C"` of the runtime, each a shell around what lies below.

pub mod frames;
pub mod objects;
pub mod process;
pub mod units;
