//! ABIs, type tables, and conversion of values between ABIs.  Pure logic: no I/O, and no unsafe
//! code but the walk over a program's C descriptors in [`import`].
//!
//! * [`descriptor`]: the Rust mirror of `pc3_rt.h`.
//! * [`abi`]: what an ABI is: byte order, sizes, alignments.
//! * [`types`] (`intern`), [`import`]: the types of a program, each once.
//! * `table_codec`, `table_text`: a type table as bytes and as text.
//! * [`layout`]: C's layout rules, for building types without a C compiler.
//! * [`plan`] (`compile`, `ops`, `exec`), [`float`]: conversion plans and how they run.
//! * [`choice`], `held`: what the program's author says of unions, and of integers that hold addresses.
//! * [`path`]: element paths: byte offset ↔ element ↔ the target's byte offset.

pub mod abi;
mod agree;
pub mod choice;
mod codec;
pub mod codes;
mod compile;
pub mod descriptor;
mod exec;
pub mod float;
mod held;
pub mod import;
mod intern;
pub mod layout;
mod ops;
pub mod path;
pub mod plan;
mod table_codec;
mod table_text;
pub mod types;

pub use codec::DecodeError;
pub use intern::Batch;
