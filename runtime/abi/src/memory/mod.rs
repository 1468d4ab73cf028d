//! Memory and what is known of it.

mod first_numbers;
pub mod heap;
mod mapped;
mod out_of_bounds;
mod pieces;
mod unions;
