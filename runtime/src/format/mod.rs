//! The checkpoint file: `file` frames it (header, checksummed sections, footer), `meta` holds what
//! the sections say, `write` and `read` go between the two.  docs/format.md has every byte.

pub mod bytes;
pub mod file;
