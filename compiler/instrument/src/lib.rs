//! From the typed tree of a whole program to instrumented C.
//!
//! | module | what |
//! |---|---|
//! | `rewrite` | a text for each unit: functions with points, calls that save and resume, notes |
//! | `emit` | the tables behind each unit: types, points, functions, globals, allocation sites |

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod emit;
pub mod rewrite;
