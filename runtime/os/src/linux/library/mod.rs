//! What the C library keeps besides the system: GNU's, or musl.

pub mod allocator;
pub mod locales;
pub mod original;
pub mod streams;
pub mod types;
pub mod variables;
