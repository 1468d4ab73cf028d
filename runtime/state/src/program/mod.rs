//! The program as its units describe it.

pub mod also;
pub mod heads;
pub mod registry;
