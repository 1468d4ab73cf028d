//! Streams of `<stdio.h>`, and the inside of their `FILE`, of which each C library has its own.

mod any;
#[cfg(not(target_env = "musl"))]
mod gnu;
#[cfg(target_env = "musl")]
mod musl;

pub use any::{alone, is_saved, is_wide, Standing};
pub(crate) use any::{lock, locked};
#[cfg(not(target_env = "musl"))]
use gnu as library;
#[cfg(target_env = "musl")]
use musl as library;

pub(crate) use library::{has_output, has_pushed, set_mode, to_go_back};
pub use library::{held, is_moved, is_used, put_back, set_descriptor, standing};
