//! What cannot be instrumented, or cannot be moved, and is said when it is compiled.

pub(crate) mod functions;
pub(crate) mod inexpressible;
pub(crate) mod outside_paths;
pub(crate) mod program;
pub(crate) mod unions;
