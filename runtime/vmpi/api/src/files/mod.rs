//! Files.

pub mod datarep;
pub mod file;
pub mod file_data;
mod on_file;
