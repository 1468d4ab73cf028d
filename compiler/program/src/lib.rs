//! The whole program: what calls what, and what each function's control flow and variables do.
//!
//! | module | what |
//! |---|---|
//! | `program` | all units together: which definition a name means |
//! | `callgraph`, `groups`, `pointers`, `signatures` | which functions a call may reach; which reach a location |
//! | `cfg`, `liveness` | control flow of a function; which locals are needed behind a point |
//! | `points`, `linear`, `linearise` | the points of a function; expressions with points taken apart |
//! | `escape`, `copied`, `variadic` | locals that have to stay where they are, that are copied, variable arguments |
//! | `held`, `untouched`, `beside`, `moved` | numbers kept in locals, constants, pointers that leave their objects |
//! | `annotations` | what pragmas and files say of the program |
//! | `quiet`, `environment`, `floats`, `tables` | functions without locations; what is known of the C library |
//! | `walk`, `parents`, `initialiser`, `scope`, `static_objects`, `bits` | walks over the tree, sets |

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod annotations;
pub mod beside;
pub mod bits;
pub mod callgraph;
pub mod cfg;
pub mod copied;
pub mod environment;
pub mod escape;
pub mod floats;
pub mod groups;
pub mod held;
pub mod initialiser;
pub mod linear;
mod linearise;
pub mod liveness;
pub mod moved;
pub mod parents;
pub mod pointers;
pub mod points;
pub mod program;
pub mod quiet;
pub mod scope;
pub mod signatures;
pub mod static_objects;
pub mod tables;
pub mod untouched;
pub mod variadic;
pub mod walk;
