//! The whole program: what calls what, and what each function's control flow and variables do.
//!
//! | module | what |
//! |---|---|
//! | `program` | all units together: which definition a name means |
//! | `calls` | which functions a call may reach, which reach a location: `callgraph`, `groups`, `pointers`, `signatures`; `quiet`: those that reach none |
//! | `flow` | `cfg`: control flow; `liveness`: locals needed behind a point; `points`; `linear`, `linearise`: expressions with points taken apart |
//! | `locals` | `escape`: those that must stay where they are; `copied_structs`, `variadic`, `moved_parameters`, `scalar_promotion`, `out_of_bounds_pointers` |
//! | `untouched`, `static_objects`, `initialiser` | constants, objects of static storage, what they begin with |
//! | `annotations` | what pragmas and files say of the program |
//! | `environment`, `floats`, `tables` | what is known of the C library |
//! | `walk`, `parents`, `dump` | walks over the tree; analyses as text, for tests |

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
