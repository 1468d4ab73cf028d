//! What the GNU C library keeps besides the system.

pub mod allocator;
pub mod locales;
pub mod original;
pub mod streams;
pub mod types;
pub mod variables;
