//! The C tables behind each unit: types, points, functions, globals, allocation sites.

pub mod locks;
mod members;
pub mod memory;
mod stored;
pub mod tables;
mod tails;
pub mod texts;
pub mod types;
mod unions;
