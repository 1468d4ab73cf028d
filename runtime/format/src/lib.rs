//! The checkpoint file: `file` frames it (header, checksummed sections, trailer), `meta` (and `library`) hold what
//! the sections say, `read` opens it without the program, `room`: memory for what waits to be written.  docs/format.md has every byte.

pub mod birth;
pub mod bytes;
pub mod file;
pub mod kept;
pub mod lent;
pub mod library;
mod mapping;
pub mod meta;
pub mod pieces;
pub mod read;
pub mod room;
pub mod shared;
pub mod unions;
