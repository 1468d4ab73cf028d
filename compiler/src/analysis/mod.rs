//! What has to be known before a program can be rewritten: one file per question.

pub mod addresses;
pub mod beside;
pub mod bits;
pub mod callgraph;
pub mod cfg;
pub mod copied;
pub mod escape;
pub mod floats;
pub mod heap;
pub mod initialiser;
pub mod linear;
mod linearise;
pub mod lints;
pub mod liveness;
pub mod moved;
pub mod passed;
pub mod points;
pub mod program;
pub mod quiet;
pub mod scope;
pub mod signatures;
pub mod tables;
pub mod unions;
pub mod unsaved;
pub mod untouched;
pub mod variadic;
pub mod walk;
