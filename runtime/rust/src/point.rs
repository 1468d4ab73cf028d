//! What the attribute's code is made of: functions, points, and how arguments come.  Not for use by hand.

use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;

pub use pc3_macros::words;
use pc3_runtime::control::pc3_flag;

pub use crate::cut::{
    cut, part, parted, IsLent, IsOwn, LentStays, OtherStays, Parted, SavedStays, Texts,
};
pub use crate::dbg_named as dbg;
use crate::frames;
pub use crate::frames::{Entry, Frame, Program};
pub use crate::heads::{
    given, in_order, kept, read, second, Between, Brief, Foreign, Goes, GoesItself, GoesOther,
    GoesPlain, IsApart, IsCell, IsElsewhere, IsFixed, IsLocked, IsOrdered, IsPart, IsShuffled,
    IsTaken, IsThere, IsWhole, Locked, Order, Part, Reads, Taken,
};
pub use crate::kinds::{
    Ahead, AheadBothWays, AheadExact, AheadExactOneWay, AheadOneWay, AheadSaved, Chain, Enumerate,
    Flatten, Items, Listed, Makes, MakesExact, MakesValue, OtherItems, Owned, OwnedListed,
    OwnedOther, OwnedSaved, Paused, Peekable, Rested, Rests, RestsExact, RestsSaved, RestsWalk,
    Returns, ReturnsOther, ReturnsSaved, Rev, Skip, StepBy, Take, Walked, Zip,
};
pub use crate::lasting::{
    again, handed, Argument, Handed, IsEnding, IsLasting, IsNoPiece, IsPiece,
};
use crate::load::{LoadError, Loading, View};
pub use crate::loud::{judge, judge_called, of, Ends, Held, Local, NoDrop, Probe, Quiet, Unsaved};
pub use crate::places::{
    called_again, fine, Holds, HoldsItself, HoldsOther, HoldsPlain, HoldsPointer, Indexed,
};
pub use crate::receivers::{Form, Lent, Moved, Way};
pub use crate::repeats::{
    copied_into, looked, mapped, passes, scanned, successors, Cloned, Repeats, RepeatsOther,
};
use crate::save::Saver;
pub use crate::saved::register;
pub use crate::start::set_up;
#[allow(deprecated)]
pub use crate::statics::STATIC_MUT;
pub use crate::statics::{Changing, Named, NamedLock, NamedOther, NotSaved};
use crate::types::{layout, TypeId, Types};
use crate::value::{Checkpointable, Transient};
pub use crate::ways::{
    plain, Anew, Ask, AskBorrowed, AskOther, AskRepeated, AskSaved, AskSeen, KnownBorrowed,
    KnownOther, KnownRepeated, KnownSaved, KnownSeen, Parked, Remade, RemadeBorrow, RemadeOther,
    RemadeSteady, Seen, Still, WithCells, WithoutCells,
};

/// A checkpointable function.
#[derive(Debug)]
pub struct Function {
    /// With its modules.
    pub name: &'static str,
}

/// A location, or a call that may reach one.
#[derive(Debug)]
pub struct Point {
    pub function: &'static Function,
    /// From 1, in the order of the source.
    pub label: u32,
    pub file: &'static str,
    pub line: u32,
    /// The function that is called, or "checkpoint".
    pub what: &'static str,
    /// Where it is among the function's statements.
    pub position: &'static str,
    /// Names of the locals that are kept.
    pub live: &'static [&'static str],
}

/// The stack is being taken down for a checkpoint.
#[derive(Debug)]
#[must_use]
pub struct Unwind {
    _private: (),
}

/// Is a checkpoint to be taken here?
#[inline(always)]
pub fn due() -> bool {
    pc3_flag.load(Relaxed) != 0 && due_now()
}

#[cold]
#[inline(never)]
fn due_now() -> bool {
    frames::due()
}

/// A location in a function that was called as if it were not checkpointable.
#[inline(always)]
pub fn passed(function: &'static str, file: &'static str, line: u32) {
    if cfg!(not(feature = "plain")) && pc3_flag.load(Relaxed) != 0 {
        passed_now(function, file, line);
    }
}

#[cold]
#[inline(never)]
fn passed_now(function: &'static str, file: &'static str, line: u32) {
    frames::passed(function, file, line);
}

/// Keeps a frame's locals; its function returns what this returns.  Apart from that function, which is to stay as small as
/// the user's is.
#[cold]
#[inline(never)]
pub fn leave(point: &'static Point, values: impl FnOnce() -> Vec<Entry>) -> Unwind {
    frames::park(point, values());
    Unwind { _private: () }
}

/// A local to be kept.
pub fn keep<T: Checkpointable>(name: &'static str, value: T) -> Entry {
    (name, Box::new(value))
}

/// A local that waits for its way back in this process, and is not saved.
pub fn hold<T: 'static>(name: &'static str, value: T) -> Entry {
    (name, Box::new(Transient(value)))
}

/// A reference to what a `#[reeval]` local is made of; it lives to the point, so nothing has changed it but what changes in cells.
pub struct Input<'a, T: ?Sized>(pub &'a T);

/// An atomic, a lock, or what each thread has.
pub trait IsShared<T: ?Sized> {
    #[inline(always)]
    fn steady(&self)
    where
        T: Steady,
    {
    }
}

impl<T: ?Sized + Locked> IsShared<T> for &&Input<'_, T> {}

/// Without cells, as far as the type says.
pub trait IsSteady {
    #[inline(always)]
    fn steady(&self) {}
}

impl<T: ?Sized + std::panic::RefUnwindSafe> IsSteady for &Input<'_, T> {}

pub trait IsInput<T: ?Sized> {
    #[inline(always)]
    fn steady(&self)
    where
        T: Steady,
    {
    }
}

impl<T: ?Sized> IsInput<T> for Input<'_, T> {}

#[diagnostic::on_unimplemented(
    message = "a `#[reeval]` local is made of a `{Self}`, which may have cells, or be changed by others, before it is made again",
    note = "copy what it is made of to a `let` in front"
)]
pub trait Steady {}

/// Takes such a local back; `None`: this is another process.
#[inline(always)]
pub fn held<T: 'static>(frame: &mut impl Left, name: &'static str) -> Option<T> {
    frame.frame().take_held(name)
}

/// The label of a frame that is gone back into; 0 for none.
#[inline(always)]
pub fn label(frame: &impl Left) -> u32 {
    frame.label()
}

/// The frame must have been left at this point.
#[inline(always)]
pub fn check(frame: &mut impl Left, point: &'static Point) {
    frame.frame().check(point);
}

/// Takes a local back.
#[inline(always)]
pub fn take<T: Checkpointable>(frame: &mut impl Left, name: &'static str) -> T {
    frame.frame().take(name)
}

/// All of the frame is back.
#[inline(always)]
pub fn back(frame: &mut impl Left) {
    frame.back();
}

/// The frame was left at a point that does not exist here.
#[cold]
pub fn lost(frame: &mut impl Left) -> ! {
    frame.frame().lost()
}

/// What a pattern matched is not there any more.
#[cold]
pub fn changed() -> ! {
    frames::changed()
}

/// The item that an iterator gave last, and the iterator behind it.
pub fn advance<I: Iterator>(iterator: &mut I, taken: u64) -> Option<I::Item> {
    let last = usize::try_from(taken).ok()?.checked_sub(1)?;
    iterator.nth(last)
}

/// A local that the last round of a loop has handed on.
#[inline(always)]
pub fn carried<T>(slot: &mut Option<T>) -> T {
    match slot.take() {
        Some(value) => value,
        None => unreachable!("each round hands it on"),
    }
}

/// The innermost frame is back.
pub fn resumed() {
    frames::resumed();
}

/// A local that is made again after a restart, so it has to be a borrow.
pub struct Made<'a, T>(pub &'a T);

#[diagnostic::on_unimplemented(
    message = "`{Self}` is no borrow, but would be made again after a restart, when what it is made from may have another value",
    label = "a borrow of a place is needed here",
    note = "bind the value with `let` in front, or use `.copied()` or `.cloned()`"
)]
pub trait Borrow {}

#[doc(hidden)]
pub trait IsText {
    #[inline(always)]
    fn made(&self) {}
}

impl IsText for &&Made<'_, &str> {}
impl IsText for &&Made<'_, Option<&str>> {}

#[doc(hidden)]
pub trait IsValue<T> {
    #[inline(always)]
    fn made(&self)
    where
        T: Borrow,
    {
    }
}

impl<T: Checkpointable> IsValue<T> for &Made<'_, T> {}

#[doc(hidden)]
pub trait IsBorrow {
    #[inline(always)]
    fn made(&self) {}
}

impl<T> IsBorrow for Made<'_, T> {}

/// A local that has been moved at a point, on some way at least, so it has to be one that is copied.
pub struct Gone<'a, T>(pub &'a T);

#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is moved in front of a location or marked call that would have to save it",
    label = "moved here; it gets another value only behind that point",
    note = "leave a value in its place: `std::mem::take(&mut …)`, or an `Option` and its `take()`; or assign in front of the point"
)]
pub trait Copied {}

#[doc(hidden)]
pub trait IsCopied {
    #[inline(always)]
    fn gone(&self) {}
}

impl<T: Copy> IsCopied for &Gone<'_, T> {}

#[doc(hidden)]
pub trait IsMoved<T> {
    #[inline(always)]
    fn gone(&self)
    where
        T: Copied,
    {
    }
}

impl<T> IsMoved<T> for Gone<'_, T> {}

/// Which of a function's two forms is compiled: the one that runs, or the one that is gone back into.
pub trait Mode {
    const RESUME: bool;
    /// How an argument by value comes: as it is, or it is among the frame's locals.
    type By<T>;
    /// What it is gone back into with.
    type From: Left;
    fn given<T>(argument: Self::By<T>) -> T;
    fn frame(function: &'static Function) -> Self::From;
}

/// A frame that a function may have left.
pub trait Left {
    fn label(&self) -> u32;
    fn frame(&mut self) -> &mut Frame;
    fn back(&mut self);
}

/// The function has left none.
pub struct Never;

impl Left for Never {
    #[inline(always)]
    fn label(&self) -> u32 {
        0
    }
    fn frame(&mut self) -> &mut Frame {
        unreachable!("only frames are gone back into")
    }
    #[inline(always)]
    fn back(&mut self) {}
}

/// It has, until all of it is back.
impl Left for Option<Frame> {
    fn label(&self) -> u32 {
        self.as_ref().map_or(0, Frame::label)
    }
    fn frame(&mut self) -> &mut Frame {
        match self {
            Some(frame) => frame,
            None => unreachable!("a frame is taken back once"),
        }
    }
    fn back(&mut self) {
        *self = None;
    }
}

/// The form that runs.
pub enum Hot {}

impl Mode for Hot {
    const RESUME: bool = false;
    type By<T> = T;
    type From = Never;
    #[inline(always)]
    fn given<T>(argument: T) -> T {
        argument
    }
    #[inline(always)]
    fn frame(_: &'static Function) -> Never {
        Never
    }
}

/// The form that is gone back into.
pub enum Resume {}

impl Mode for Resume {
    const RESUME: bool = true;
    type By<T> = Kept<T>;
    type From = Option<Frame>;
    fn given<T>(_: Kept<T>) -> T {
        unreachable!("a resumed function starts at a point")
    }
    fn frame(function: &'static Function) -> Option<Frame> {
        Some(frames::next(function))
    }
}

/// An argument that the called function has kept.
pub struct Kept<T>(pub PhantomData<T>);

/// An argument that is a borrow is made again,
#[doc(hidden)]
pub trait AgainBorrow: Sized {
    #[inline(always)]
    fn pc3_again(self) -> Self {
        self
    }
}

impl<T: crate::ways::Borrowed> AgainBorrow for T {}

/// and one that is a value has been kept.
#[doc(hidden)]
pub trait AgainValue: Sized {
    #[inline(always)]
    fn pc3_again(self) -> Kept<Self> {
        Kept(PhantomData)
    }
}

impl<T: crate::Loud> AgainValue for T {}

/// Ties an argument's type to that of the value it has otherwise.
#[inline(always)]
pub fn same<T>(_: PhantomData<T>, value: T) -> T {
    value
}

/// A value with a `?` behind it, in a function that returns `R`.
pub struct Asked<V, R> {
    value: V,
    of: PhantomData<R>,
}

impl<V, R> Asked<V, R> {
    #[inline(always)]
    pub fn new(value: V) -> Self {
        Asked {
            value,
            of: PhantomData,
        }
    }
}

impl<T, E, U, F: From<E>> Asked<Result<T, E>, Result<U, F>> {
    #[inline(always)]
    pub fn question(self) -> ControlFlow<Result<U, F>, T> {
        match self.value {
            Ok(value) => ControlFlow::Continue(value),
            Err(e) => ControlFlow::Break(Err(F::from(e))),
        }
    }
}

impl<T, U> Asked<Option<T>, Option<U>> {
    #[inline(always)]
    pub fn question(self) -> ControlFlow<Option<U>, T> {
        match self.value {
            Some(value) => ControlFlow::Continue(value),
            None => ControlFlow::Break(None),
        }
    }
}

impl<B, C, D> Asked<ControlFlow<B, C>, ControlFlow<B, D>> {
    #[inline(always)]
    pub fn question(self) -> ControlFlow<ControlFlow<B, D>, C> {
        match self.value {
            ControlFlow::Continue(value) => ControlFlow::Continue(value),
            ControlFlow::Break(value) => ControlFlow::Break(ControlFlow::Break(value)),
        }
    }
}

/// A `?` that is wrong: the compiler says so of the function as it is written.
#[doc(hidden)]
pub trait Refused<R, T>: Sized {
    fn question(self) -> ControlFlow<R, T> {
        unreachable!("a program with this does not compile")
    }
}

impl<R, T, E> Refused<R, T> for Asked<Result<T, E>, R> {}
impl<R, T> Refused<R, T> for Asked<Option<T>, R> {}
impl<R, B, T> Refused<R, T> for Asked<ControlFlow<B, T>, R> {}

/// The end of a function whose last statement has no value: that is one of a function that gives none, or cannot be reached.
pub struct End<T>(PhantomData<T>);

impl<T> End<T> {
    #[inline(always)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        End(PhantomData)
    }
}

impl End<()> {
    #[inline(always)]
    pub fn reached(self) {}
}

#[doc(hidden)]
pub trait Reached<T>: Sized {
    #[cold]
    fn reached(self) -> T {
        unreachable!("the end of a function that gives a value")
    }
}

impl<T> Reached<T> for End<T> {}

/// The exit status that `main`'s result stands for.
pub trait Report {
    fn report(self) -> i32;
}

impl Report for () {
    fn report(self) -> i32 {
        0
    }
}

impl Report for std::process::ExitCode {
    fn report(self) -> i32 {
        let is = |n: &u8| std::process::ExitCode::from(*n) == self;
        (0..=u8::MAX).find(is).map_or(1, i32::from)
    }
}

impl<T: Report, E: std::fmt::Debug> Report for Result<T, E> {
    fn report(self) -> i32 {
        match self {
            Ok(value) => value.report(),
            Err(e) => {
                eprintln!("Error: {e:?}");
                1
            }
        }
    }
}

/// Goes over the values of an array.
pub struct Array<T, const N: usize> {
    items: [Option<T>; N],
    next: usize,
}

/// The values of an array that a loop goes over.
pub fn array<T, const N: usize>(items: [T; N]) -> Array<T, N> {
    Array {
        items: items.map(Some),
        next: 0,
    }
}

impl<T, const N: usize> Iterator for Array<T, N> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        let item = self.items.get_mut(self.next)?.take();
        self.next += 1;
        item
    }
}

impl<T: Checkpointable, const N: usize> Checkpointable for Array<T, N> {
    const SIZE: u64 = layout([(8, 8), (<[Option<T>; N]>::SIZE, <[Option<T>; N]>::ALIGN)]).size;
    const ALIGN: u64 = 8;

    fn describe(types: &mut Types) -> TypeId {
        let items = <[Option<T>; N]>::describe(types);
        types.record::<Self>(format!("Items<{}>", types.name(items)), |types| {
            vec![
                ("next".to_owned(), usize::describe(types), 0),
                ("items".to_owned(), items, 8),
            ]
        })
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        self.next.save(out, at);
        self.items.save(out, at + 8);
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let members = from.generic::<Self>(value, "Items")?;
        Ok(Array {
            items: members.load("items")?,
            next: members.load("next")?,
        })
    }
}
