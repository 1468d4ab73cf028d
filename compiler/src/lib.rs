//! pc3cc: instruments C programs so that they can be checkpointed and moved.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod analysis;
pub mod annotations;
pub mod consteval;
pub mod diag;
pub mod driver;
pub mod dump;
pub mod emit;
pub mod front;
pub mod library;
pub mod locations;
pub mod lower;
pub mod parallel;
mod parse;
pub mod paths;
pub mod prefilter;
pub mod preprocess;
pub mod rewrite;
pub mod standard;
pub mod tree;
pub mod types;
pub mod walk;
