//! What the attribute's code is made of: functions, points, and how arguments come.  Not for use by hand.
//!
//! * `function`, `mode`, `results`: a function, its two forms, what it returns; `passage`: passing a location, or leaving there.
//! * `frames`, `locals`: where locals wait, and their way there and back; `items`, `cut`: items of iterators, borrowed texts.
//! * `questions`: what the compiler is asked by types.

pub(crate) mod cut;
pub(crate) mod frames;
pub(crate) mod function;
pub(crate) mod items;
pub(crate) mod locals;
pub(crate) mod mode;
pub(crate) mod passage;
pub(crate) mod questions;
pub(crate) mod results;

pub use pc3_macros::words;

pub use crate::dbg_named as dbg;
pub use crate::kinds::{
    Ahead, AheadBothWays, AheadExact, AheadExactOneWay, AheadOneWay, AheadSaved, Chain, Enumerate,
    Flatten, Items, Listed, Makes, MakesExact, MakesValue, OtherItems, Owned, OwnedListed,
    OwnedOther, OwnedSaved, Paused, Peekable, Rested, Rests, RestsExact, RestsSaved, RestsWalk,
    Returns, ReturnsOther, ReturnsSaved, Rev, Skip, StepBy, Take, Walked, Zip,
};
pub use crate::saved::register;
pub use crate::start::set_up;
pub use cut::{cut, part, parted, IsLent, IsOwn, LentStays, OtherStays, Parted, SavedStays, Texts};
pub use frames::{Entry, Frame, Program};
pub use function::{Function, Point, Unwind};
pub use items::{advance, array, Array};
pub use locals::{back, carried, changed, check, held, hold, keep, label, lost, take};
pub use mode::{Hot, Kept, Left, Mode, Never, Resume};
pub use passage::{due, leave, passed, resumed};
pub use questions::closures::{
    called_again, filled_again, items_again, made_again, Copies, CopiesBits, CopiesKnown,
    CopiesOther, CopiesPlain, Ending, EndsAloud, EndsQuietly,
};
pub use questions::heads::{
    given, in_order, read, second, Between, Brief, Foreign, Goes, GoesItself, GoesOther, GoesPlain,
    IsApart, IsCell, IsElsewhere, IsFixed, IsLocked, IsOrdered, IsPart, IsShuffled, IsTaken,
    IsThere, IsWhole, Locked, Order, Part, Reads, Taken,
};
pub use questions::input::{
    AgainBorrow, AgainValue, Borrow, Copied, Gone, Input, IsBorrow, IsCopied, IsInput, IsMoved,
    IsShared, IsSteady, IsText, IsValue, Made, Steady,
};
pub use questions::lasting::{
    again, handed, kept, Argument, Handed, IsEnding, IsLasting, IsNoPiece, IsPiece,
};
pub use questions::loud::{
    judge, judge_called, of, Ends, Held, Local, NoDrop, Probe, Quiet, Unsaved,
};
pub use questions::own::{level, names, view, within, NoOther};
pub use questions::places::{fine, holds, indexed, leads, type_of};
pub use questions::receivers::{Form, Lent, Moved, Way};
pub use questions::repeats::{
    copied_into, looked, mapped, passes, scanned, successors, Cloned, Repeats, RepeatsOther,
};
#[allow(deprecated)]
pub use questions::statics::STATIC_MUT;
pub use questions::statics::{Changing, Named, NamedLock, NamedOther, NotSaved};
pub use questions::ways::{
    plain, Anew, Ask, AskBorrowed, AskOther, AskRepeated, AskSaved, AskSeen, KnownBorrowed,
    KnownOther, KnownRepeated, KnownSaved, KnownSeen, Parked, Remade, RemadeBorrow, RemadeOther,
    RemadeSteady, Seen, Still, WithCells, WithoutCells,
};
pub use results::{first, same, Asked, End, Reached, Refused, Report};

/// What the questions about places, and about methods called on them, are asked with.
pub mod places {
    pub use super::questions::own::{
        LevelBorrow as _, LevelItself as _, LevelLast as _, LevelOwn as _, LevelPointer as _,
        LevelWithout as _, ViewBorrow as _, ViewItself as _, ViewOther as _, ViewPointer as _,
        ViewTabled as _, ViewUnknown as _, ViewValue as _, WithinKnown as _, WithinOther as _,
    };
    pub use super::questions::places::{
        HoldsDeep as _, HoldsEnd as _, HoldsItself as _, HoldsNoDeep as _, HoldsOther as _,
        HoldsPerhaps as _, HoldsPlain as _, HoldsPlainPointer as _, HoldsPointer as _,
        IndexedItself as _, IndexedKnown as _, IndexedList as _, LeadsBorrow as _, LeadsSame as _,
        LeadsValue as _, SeeksEnd as _, SeeksNothing as _, SeeksOn as _,
    };
    pub use super::questions::ways::{RemadeBorrow as _, RemadeOther as _, RemadeSteady as _};
}
