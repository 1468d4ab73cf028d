//! How values of the standard library's types are held in checkpoints.

#[cfg(feature = "ndarray")]
mod arrays;
mod cells;
mod containers;
mod crates;
mod exact;
mod groups;
mod iterators;
mod maps;
mod numbers;
mod plain;
mod ranges;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "serde")]
mod shape;
mod shared;
mod text;
mod walks;

pub use exact::{
    AheadExact, AheadExactOneWay, MakesExact, Rested, Rests, RestsExact, RestsSaved, RestsWalk,
    Returns, ReturnsOther, ReturnsSaved,
};
pub use groups::tagged;
pub use iterators::{
    Chain, Enumerate, Flatten, Items, Listed, OtherItems, Rev, Skip, StepBy, Take, Zip,
};
pub use maps::{AnyOrder, Unordered};
#[cfg(feature = "serde")]
pub use serde::Serde;
pub use walks::{
    Ahead, AheadBothWays, AheadOneWay, AheadSaved, Makes, MakesValue, Owned, OwnedListed,
    OwnedOther, OwnedSaved, Paused, Peekable, Walk, Walked,
};
