//! The command line, and what the person is told.

pub mod diagnostics;
pub mod options;
pub mod own;
pub mod response;
pub mod spelling;
