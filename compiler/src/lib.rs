pub mod consteval;
pub mod diag;
pub mod dump;
pub mod lower;
mod parse;
pub mod prefilter;
pub mod preprocess;
pub mod tree;
pub mod types;
