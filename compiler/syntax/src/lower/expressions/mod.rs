//! Expressions and their types.

mod builtin_results;
pub mod builtins;
pub mod exprs;
pub mod leaves;
pub mod typing;
pub mod unseen;
