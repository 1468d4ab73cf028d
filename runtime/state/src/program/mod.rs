//! The program as its units describe it.

pub mod block_heads;
pub mod registry;
pub mod struct_overlays;
