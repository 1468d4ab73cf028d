//! Collectives of members in several processes.
//!
//! In each process the last member to arrive sends every other process with members what that needs of the calls here,
//! and waits for theirs.  Calls from elsewhere then stand in their seats like any other, so that every process does
//! the work for its own members by the same code in the same order.  As every process waits for all others, none is
//! done before all have begun: at a checkpoint, no collective is half done.
//!
//! What many calls amount to is told in a few words instead ([`crate::remote::inline_collective`]), by more than a few processes
//! along a [`tree`]. Whoever cannot tell, or hears what is not alike, brings its calls to all; and so does whoever sees such a
//! call. That is right whenever it happens: nobody has told its last word before all have told their first.
//!
//! A user's reduction function runs at one member in one process, which sends the others their results.
//!
//! * `exchange`: a blocking collective, from the last arriver here to what the others have said, straight or along the tree.
//! * `inline_collective`, `few`: what is told, and its form; `routed`: short calls along the tree as they are; `tree`: its shape.
//! * `parts`, `kept`: calls on their way, and calls from elsewhere; `zero_copy`: long blocks that stay where they are.
//! * `members`, `places`: which process has which member; `elsewhere`: what sends and receives all that.

pub mod elsewhere;
mod exchange;
pub mod few;
pub(crate) mod inline_collective;
pub mod kept;
pub mod members;
pub(crate) mod parts;
pub mod places;
pub mod routed;
pub mod tree;
pub(crate) mod zero_copy;
