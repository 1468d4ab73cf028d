//! From objects and archives to a program.
//!
//! * `link`: the steps; `plain`: the plain compiler's link; `inputs`, `trace`: what goes in, and what the linker takes of it.
//! * `program`: the units as one program, analysed and written; `job`: one that is to be compiled; `recompile`, `split`: compiling
//!   it; `substitute`: putting it into its object's place.
//! * `gaps`: a byte behind each object of static storage; `clashes`, `removed`, `teams`: names that need others' care.

pub mod clashes;
pub mod gaps;
pub mod inputs;
pub mod job;
pub mod link;
pub mod plain;
pub mod program;
pub mod recompile;
pub mod removed;
pub mod split;
pub mod substitute;
pub mod teams;
pub mod trace;
