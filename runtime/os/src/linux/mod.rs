//! Linux, with the GNU C library or musl.

pub mod clocks;
pub mod errors;
pub mod files;
mod library;
pub mod limits;
pub mod loader;
pub mod memory;
pub mod processes;
pub mod signals;
pub mod sockets;
pub mod threads;

pub use library::{allocator, locales, original, streams, types, variables};
