//! The C tables behind each unit: types, points, functions, globals, allocation sites.
//!
//! * `tables`: all of them, in their order; `types`, `members`: the table of types, measured by the compiler.
//! * `global`, `flexible_arrays`, `texts`: objects of static storage; `memory`: types that only memory has; `locks`.
//! * `unions`: unions that are noted; `stored`: addresses among numbers.

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
