//! Control flow inside of a function.

pub mod bits;
pub mod cfg;
mod commuted;
pub mod linear;
mod linearise;
pub mod liveness;
pub mod points;
