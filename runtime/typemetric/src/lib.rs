//! ABIs, type tables, and conversion of values between ABIs.  Pure logic: no I/O, and no unsafe
//! code but the walk over a program's C descriptors in [`import`].
//!
//! * [`descriptor`]: the Rust mirror of `pc3_rt.h`.
//! * [`abi`]: what an ABI is: byte order, sizes, alignments.
//! * [`types`] (`intern`), [`import`]: the types of a program, each once.
//! * `table_codec`, `table_text`: a type table as bytes (`codec`: its fields) and as text.
//! * [`codes`]: what running programs can say, with the codes of errors and warnings.
//! * [`layout`]: C's layout rules, for building types without a C compiler.
//! * [`plan`], [`float`]: conversion plans. `plan::compile` makes them of `ops`, `exec` runs these;
//!   `resolve`: what it asks for; `address_bits`: integers that hold addresses; `agree`: unions by value.
//! * [`choice`]: what the program's author says of unions, and of integers that hold addresses.
//! * [`path`]: element paths: byte offset ↔ element ↔ the target's byte offset.

pub mod abi;
pub mod choice;
mod codec;
pub mod codes;
pub mod descriptor;
pub mod float;
pub mod import;
mod intern;
pub mod layout;
pub mod path;
pub mod plan;
mod table_codec;
mod table_text;
pub mod types;

pub use codec::DecodeError;
pub use intern::Batch;
