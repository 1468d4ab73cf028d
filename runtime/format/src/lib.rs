//! The checkpoint file.  docs/format.md has every byte.
//!
//! * `file`: its outer form: header, checksummed sections, trailer; `sections` reads it; `bytes`: numbers and texts in it.
//! * `increments`: files of which only what has changed is written.
//! * `meta`, `library`, `unions`, `pieces`, `lent`, `shared`, `birth`: what the sections say.
//! * `read` opens it without the program; `mapping`: a part of it as memory.
//! * `kept`, `memory_reserve`: sections that wait to be written, and memory for them; `pipe`: sections that another thread writes.

pub mod birth;
pub mod bytes;
pub mod file;
pub mod increments;
pub mod kept;
pub mod lent;
pub mod library;
mod mapping;
pub mod memory_reserve;
pub mod meta;
pub mod pieces;
pub mod pipe;
pub mod read;
pub mod sections;
pub mod shared;
pub mod unions;
