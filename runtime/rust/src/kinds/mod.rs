//! How values of the standard library's types are held in checkpoints.

mod cells;
mod containers;
mod crates;
mod groups;
mod iterators;
mod maps;
mod numbers;
mod plain;
mod ranges;
mod shared;
mod text;
mod walks;

pub use crate::kinds::walks::{
    Ahead, AheadBothWays, AheadOneWay, AheadSaved, Makes, MakesValue, Owned, OwnedListed,
    OwnedOther, OwnedSaved, Paused, Peekable, Walked,
};
#[cfg(feature = "serde")]
pub use crates::serde::Serde;
pub use groups::tagged;
pub use iterators::exact::{
    AheadExact, AheadExactOneWay, MakesExact, Rested, Rests, RestsExact, RestsSaved, RestsWalk,
    Returns, ReturnsOther, ReturnsSaved,
};
pub use iterators::{
    Chain, Enumerate, Flatten, Items, Listed, OtherItems, Rev, Skip, StepBy, Take, Zip,
};
pub use maps::{AnyOrder, Unordered};
