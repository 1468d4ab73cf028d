//! What generated code calls: every `extern "C"` of the runtime, each a shell around what lies below.

pub(crate) mod frames;
pub(crate) mod objects;
mod process;
mod units;

pub use process::files::{closing, opened};
pub use units::pc3_register_tls;
