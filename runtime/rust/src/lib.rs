//! Rust programs that save their state and go on elsewhere.
//!
//! ```
//! use pc3::prelude::*;
//!
//! #[checkpointable]
//! fn work(list: &mut Vec<u64>, n: u64) -> u64 {
//!     let mut sum = 0;
//!     for i in 0..n {
//!         list.push(i * i);
//!         sum += i;
//!         checkpoint!();
//!     }
//!     sum
//! }
//!
//! #[pc3::main]
//! fn main() {
//!     let mut list = Vec::new();
//!     let sum = ck!(work(&mut list, 10));
//!     assert_eq!((sum, list.len()), (45, 10));
//! }
//! ```
//!
//! At a location where a checkpoint is due each function hands its live locals to the runtime, by move, and returns;
//! when the checkpoint is written, or in another process on another machine, they come back the same way.  What a
//! program's environment (`PC3_EVERY`, `PC3_RESTART`, …) and the tools do is the same as for C programs.
//!
//! * `value`: what can be saved; `kinds`: the standard library's types; `types`: how checkpoints describe them.
//! * `save`, `load`: values to bytes and back.
//! * `frames`: where locals wait; `point`: what the attribute's code is made of; `start`: `main`.

mod frames;
mod kinds;
mod load;
pub mod point;
mod save;
mod start;
mod types;
mod value;

pub use load::{LoadError, Loading, Members, View};
pub use pc3_macros::{checkpointable, main, Checkpointable};
pub use save::Saver;
pub use start::start;
pub use kinds::tagged;
pub use types::{layout, widest, Layout, TypeId, Types, Variant};
pub use value::Checkpointable;

/// A checkpoint may be taken here: only within a function with `#[checkpointable]`.
#[macro_export]
macro_rules! checkpoint {
    ($($t:tt)*) => {
        compile_error!("`checkpoint!()` is a statement of a function with #[checkpointable]")
    };
}

/// Marks the call of a checkpointable function: only within another one.
#[macro_export]
macro_rules! ck {
    ($($t:tt)*) => {
        compile_error!("`ck!(…)` is a statement, or the value of a `let`, of a function with #[checkpointable]")
    };
}

/// What programs use.
pub mod prelude {
    pub use crate::{checkpoint, checkpointable, ck, Checkpointable};
}
