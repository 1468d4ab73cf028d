//! The C tables behind each unit: types, points, functions, globals, allocation sites.

mod flexible_arrays;
pub mod global;
pub mod locks;
mod members;
pub mod memory;
mod stored;
pub mod tables;
pub mod texts;
pub mod types;
mod unions;
