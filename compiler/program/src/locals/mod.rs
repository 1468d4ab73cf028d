//! What a function's variables and parameters are used for.

pub mod copied_structs;
pub mod escape;
pub mod moved_parameters;
pub mod out_of_bounds_pointers;
pub mod scalar_promotion;
pub mod scope;
pub mod variadic;
