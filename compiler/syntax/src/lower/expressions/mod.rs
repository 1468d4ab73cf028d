//! Expressions and their types.

pub mod builtins;
pub mod exprs;
pub mod leaves;
pub mod typing;
pub mod unseen;
