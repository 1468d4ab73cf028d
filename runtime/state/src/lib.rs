//! The state of a job and its ranks: data, and functions that change one component.
//!
//! * `job`: what all ranks share, and `growth` of it; `rank`: one of them. Both are made of the
//!   components below. `engine`: the interface to whoever runs the ranks; `transfer`: what an engine
//!   may ask while it saves and loads; `guest`: programs in other languages than C.
//! * `program`: the program as its units describe it.
//! * `stack`: frames, the shadow stack, jumps, callbacks, handlers; the thread-local state.
//! * `globals`: a rank's own copy. `floats`: how a processor calculates.
//! * `unions`: which member was written last. `pieces`: blocks that are handed out in pieces.
//! * `beside`: pointers outside of their objects; `first_numbers`: addresses kept as numbers.
//! * `save_data`: the data section being written; `behind`: a checkpoint that is written while ranks
//!   go on; `skipped_checkpoint`: why there is no checkpoint.

pub mod behind;
pub mod beside;
pub mod engine;
pub mod first_numbers;
pub mod floats;
pub mod globals;
pub mod growth;
pub mod guest;
pub mod job;
pub mod pieces;
pub mod program;
pub mod rank;
pub mod save_data;
pub mod skipped_checkpoint;
pub mod stack;
pub mod transfer;
pub mod unions;
