//! How an object carries what pc3 needs of its sources.

pub mod archive;
pub mod elf;
pub mod private;
pub mod record;
pub mod symbols;
