//! The C tables behind each unit: types, points, functions, globals, allocation sites.

pub mod locks;
pub mod memory;
pub mod tables;
pub mod types;
mod unions;
