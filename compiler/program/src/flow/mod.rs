//! Control flow inside of a function.

pub mod bits;
pub mod cfg;
pub mod linear;
mod linearise;
pub mod liveness;
pub mod points;
