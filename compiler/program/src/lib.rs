//! The whole program: what calls what, and what each function's control flow and variables do.
//!
//! | module | what |
//! |---|---|
//! | `program` | all units together: which definition a name means |
//! | `callgraph`, `groups`, `pointers`, `signatures` | which functions a call may reach; which reach a location |
//! | `cfg`, `liveness` | control flow of a function; which locals are needed behind a point |
//! | `points`, `linear`, `linearise` | the points of a function; expressions with points taken apart |
//! | `escape`, `copied_structs`, `variadic` | locals that have to stay where they are, that are copied, variable arguments |
//! | `scalar_promotion`, `untouched`, `out_of_bounds_pointers`, `moved_parameters` | numbers kept in locals, constants, pointers that leave their objects |
//! | `annotations` | what pragmas and files say of the program |
//! | `quiet`, `environment`, `floats`, `tables` | functions without locations; what is known of the C library |
//! | `walk`, `parents`, `initialiser`, `scope`, `static_objects`, `bits` | walks over the tree, sets |

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod annotations;
mod calls;
pub mod dump;
pub mod environment;
pub mod floats;
pub mod initialiser;
pub mod parents;
pub mod program;
pub mod static_objects;
pub mod tables;
pub mod untouched;
pub mod walk;
pub use calls::{callgraph, groups, pointers, quiet, signatures};
mod flow;
pub use flow::{bits, cfg, linear, liveness, points};
mod locals;
pub use locals::{
    copied_structs, escape, moved_parameters, out_of_bounds_pointers, scalar_promotion, scope,
    variadic,
};
