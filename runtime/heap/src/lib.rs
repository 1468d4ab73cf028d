//! A typed heap. Each [`Arena`] knows every object it handed out: base, exact size, type. Pages are keyed by
//! (size class, type), so that the objects of a page are alike and an address leads to its object in a few
//! loads. Arenas need no lock: each is used by one thread at a time.
//!
//! It follows `malloc` where that has rules (null without memory, unique pointers for size 0) and reports
//! wrong frees instead of acting on them. Types are numbers whose meaning is the caller's.
//!
//! | module | what |
//! |---|---|
//! | `arena`, `slab`, `bin`, `class` | small objects: slots of one size class and type |
//! | `large`, `span`, `page` | large ones; runs of granules, and what is known of each |
//! | `granule`, `map` | the addresses there are; from one to its page |
//! | `view`, `claim` | walks over the objects; an arena built anew with each object where it was |
//! | `address_space`, `sys`, `guard` | where mappings lie, how they are made, what must not be touched |

// Pointers from outside are looked up before anything is read through them.
#![allow(clippy::not_unsafe_ptr_arg_deref)]

pub mod address_space;
mod arena;
mod bin;
mod claim;
mod class;
mod granule;
pub mod guard;
mod large;
mod map;
mod page;
mod slab;
mod span;
mod sys;
mod view;

pub use arena::{Arena, Fault, Obj};
pub use claim::{reserve, AddressRange};
pub use sys::keep_mappings_still;
pub use view::{Block, Blocks, Large, Slab};
