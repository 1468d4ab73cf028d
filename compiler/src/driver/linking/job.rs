//! What there is to compile: a unit of the link, instrumented.

use std::path::Path;

use crate::driver::build::Position;
use crate::driver::options::Options;
use crate::driver::toolchain::Toolchain;

/// A unit to compile, under its own options.
pub struct Job<'a> {
    pub text: &'a str,
    pub options: &'a Options,
    pub toolchain: &'a Toolchain,
    /// Where it was compiled when the user did.
    pub directory: &'a Path,
    pub clang: bool,
    pub position: Position,
    /// The program looks at the floating-point environment.
    pub floats: bool,
    /// The source and all options that it comes with, if the user's compiler has not seen it yet.
    pub source: Option<(&'a Path, &'a Options)>,
    /// For messages, and for names of temporary files.
    pub name: &'a str,
    pub stem: String,
}
