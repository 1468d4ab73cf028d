//! Statements, and what stands in their place.

pub mod labels;
pub mod nested;
pub mod openmp;
pub mod stmts;
