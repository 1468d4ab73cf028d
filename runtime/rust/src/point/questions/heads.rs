//! Values in the heads of branches, loops and calls.  They live until the end of those, so across the points in them, but
//! have no names: where somebody could see them end earlier, the program does not compile.

use std::collections::{hash_map, hash_set};
use std::iter;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::panic::RefUnwindSafe;
use std::rc::Rc;
use std::sync::atomic::{
    AtomicBool, AtomicI16, AtomicI32, AtomicI64, AtomicI8, AtomicIsize, AtomicU16, AtomicU32,
    AtomicU64, AtomicU8, AtomicUsize,
};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::thread::LocalKey;

use super::loud::{Judged, Kind, Local, Loud, SavedKind};
use super::ways::Plain;
use crate::point::frames;
use crate::point::mode::Kept;

/// Asks what is known of such a value's type.
pub struct Brief<T>(PhantomData<T>);

impl<T> Brief<T> {
    pub fn of(_: &PhantomData<T>) -> Self {
        Brief(PhantomData)
    }
}

impl<T: Loud> Brief<T> {
    pub fn ends<L: Local>(self, _: Judged<L, SavedKind<T>>) {}
}

/// Of a type that nothing is known of.
pub trait Foreign<T>: Sized {
    fn ends<L: Local>(self, _: Judged<L, Dropped<T>>) {}
}

impl<T> Foreign<T> for Brief<T> {}

pub struct Dropped<T>(PhantomData<T>);

impl<T> Kind for Dropped<T> {
    const ENDS_ALOUD: bool = std::mem::needs_drop::<T>();
}

// ---- the order of what a loop goes over ---------------------------------------------------------

/// An iterator that gives its items in an order that a restart does not keep; `W` says where in it that is.
pub trait Shuffled<W> {}

pub struct Here;
pub struct First<W>(PhantomData<W>);
pub struct Second<W>(PhantomData<W>);

macro_rules! shuffled {
    ($([$($g:tt)*] $t:ty;)*) => { $(impl<$($g)*> Shuffled<Here> for $t {})* };
}

shuffled! {
    ['a, K, V] hash_map::Iter<'a, K, V>; ['a, K, V] hash_map::IterMut<'a, K, V>;
    ['a, K, V] hash_map::Keys<'a, K, V>; ['a, K, V] hash_map::Values<'a, K, V>;
    ['a, K, V] hash_map::ValuesMut<'a, K, V>; ['a, K, V] hash_map::Drain<'a, K, V>;
    ['a, T] hash_set::Iter<'a, T>; ['a, T] hash_set::Drain<'a, T>;
    ['a, T, S] hash_set::Union<'a, T, S>; ['a, T, S] hash_set::Intersection<'a, T, S>;
    ['a, T, S] hash_set::Difference<'a, T, S>; ['a, T, S] hash_set::SymmetricDifference<'a, T, S>;
}

macro_rules! over_one {
    ($($t:ident [$($g:ident),*];)*) => {$(
        impl<I: Shuffled<W>, W, $($g),*> Shuffled<First<W>> for iter::$t<I, $($g),*> {}
        impl<I: Elsewhere<W>, W, $($g),*> Elsewhere<First<W>> for iter::$t<I, $($g),*> {}
    )*};
}

over_one! {
    Enumerate []; Skip []; Take []; StepBy []; Cloned []; Copied []; Fuse []; Cycle [];
    Map [F]; Filter [F]; FilterMap [F]; Inspect [F]; TakeWhile [F]; SkipWhile [F]; MapWhile [F]; Scan [S, F];
}

impl<I: Iterator + Shuffled<W>, W> Shuffled<First<W>> for iter::Peekable<I> {}
impl<I: Iterator + Elsewhere<W>, W> Elsewhere<First<W>> for iter::Peekable<I> {}
impl<I: Elsewhere<W>, W> Elsewhere<First<W>> for iter::Rev<I> {}
impl<I: Elsewhere<W>, J, W> Elsewhere<First<W>> for iter::Zip<I, J> {}
impl<I, J: Elsewhere<W>, W> Elsewhere<Second<W>> for iter::Zip<I, J> {}
impl<I: Elsewhere<W>, J, W> Elsewhere<First<W>> for iter::Chain<I, J> {}
impl<I, J: Elsewhere<W>, W> Elsewhere<Second<W>> for iter::Chain<I, J> {}
impl<I: Elsewhere<W>, U: IntoIterator, F, W> Elsewhere<First<W>> for iter::FlatMap<I, U, F> {}
impl<I: Shuffled<W> + ?Sized, W> Shuffled<First<W>> for &mut I {}
impl<I: Shuffled<W>, J, W> Shuffled<First<W>> for iter::Zip<I, J> {}
impl<I, J: Shuffled<W>, W> Shuffled<Second<W>> for iter::Zip<I, J> {}
impl<I: Shuffled<W>, J, W> Shuffled<First<W>> for iter::Chain<I, J> {}
impl<I, J: Shuffled<W>, W> Shuffled<Second<W>> for iter::Chain<I, J> {}
impl<I: Shuffled<W>, U: IntoIterator, F, W> Shuffled<First<W>> for iter::FlatMap<I, U, F> {}
impl<I, U, F, W> Shuffled<Second<W>> for iter::FlatMap<I, U, F>
where
    U: IntoIterator,
    U::IntoIter: Shuffled<W>,
{
}

/// Asks whether a loop's iterator, which is made again, goes the same way then.
pub struct Order<I>(PhantomData<I>);

impl<I> Order<I> {
    pub fn of(_: &PhantomData<I>) -> Self {
        Order(PhantomData)
    }
}

#[diagnostic::on_unimplemented(
    message = "a loop with locations, or an iterator that is needed behind one, goes over a hash map or set, which has another order after a restart",
    label = "elements would be visited twice, and others never",
    note = "collect the keys first (`let keys: Vec<_> = map.keys().cloned().collect();`), or use a `BTreeMap`, a `BTreeSet` or the crate `indexmap`"
)]
pub trait Ordered {}

pub trait IsShuffled<I, W> {
    fn kept(&self)
    where
        I: Ordered,
    {
    }
}

impl<I: Shuffled<W>, W> IsShuffled<I, W> for &Order<I> {}

pub trait IsOrdered {
    fn kept(&self) {}
}

impl<I> IsOrdered for Order<I> {}

/// An iterator that takes from one that is elsewhere: it cannot be made again, as that one has gone on.
pub trait Elsewhere<W> {}

impl<I: Iterator + ?Sized> Elsewhere<Here> for &mut I {}

#[diagnostic::on_unimplemented(
    message = "a loop with locations, or an iterator that is needed behind one, takes from a borrowed iterator, which goes on meanwhile",
    label = "made again after a restart, it would take what comes behind",
    note = "go over that iterator itself, `for x in it.by_ref()`, and do in the loop what adaptors do"
)]
pub trait Apart {}

pub trait IsElsewhere<I, W> {
    fn apart(&self)
    where
        I: Apart,
    {
    }
}

impl<I: Elsewhere<W>, W> IsElsewhere<I, W> for &Order<I> {}

pub trait IsApart {
    fn apart(&self) {}
}

impl<I> IsApart for Order<I> {}

/// Where a type did not say so, a checkpoint is refused.
#[cold]
pub fn in_order<I>(_: &I, at: &str) {
    let name = std::any::type_name::<I>();
    let known = [
        "hash::map::",
        "hash::set::",
        "hash_map::",
        "hash_set::",
        "hashbrown",
        "dashmap",
    ];
    if known.iter().any(|k| name.contains(k)) {
        frames::shuffled(at);
    }
}

// ---- closures that are called again -------------------------------------------------------------

/// Asks whether what a closure reads is what it was when the closure was called first.
pub struct Reads<T: ?Sized>(PhantomData<T>);

impl<T: ?Sized> Reads<T> {
    pub fn of(_: &PhantomData<T>) -> Self {
        Reads(PhantomData)
    }
}

/// Says that the two are of one type.
pub fn read<T: ?Sized>(_: &T, _: &PhantomData<T>) {}

/// What can be changed while it is borrowed, and may be shared by threads.
pub trait Locked {}

macro_rules! locked {
    ($([$($g:ident: $b:ident),*] $t:ty;)*) => { $(impl<$($g: $b + ?Sized),*> Locked for $t {})* };
}

locked! {
    [] AtomicBool; [] AtomicU8; [] AtomicU16; [] AtomicU32; [] AtomicU64; [] AtomicUsize;
    [] AtomicI8; [] AtomicI16; [] AtomicI32; [] AtomicI64; [] AtomicIsize;
    [T: Locked] Arc<T>; [T: Locked] Rc<T>; [T: Locked] Box<T>; [T: Locked] &T; [T: Locked] &mut T;
}
impl<T: Locked> Locked for [T] {}
impl<T: Locked> Locked for Vec<T> {}
impl<T: Locked> Locked for Option<T> {}
impl<T: ?Sized> Locked for Mutex<T> {}
impl<T: ?Sized> Locked for RwLock<T> {}
impl<T> Locked for OnceLock<T> {}
impl<T> Locked for LocalKey<T> {}
impl<T: Locked, const N: usize> Locked for [T; N] {}

#[diagnostic::on_unimplemented(
    message = "a closure of a loop's iterator reads a value of type `{Self}`, of which the loop may change a part in the meantime (`Cell`, `RefCell`, `Mutex` …; a type that is not known might hold one)",
    label = "after a restart the closure is called again for the items that were taken, and may decide otherwise",
    note = "do in the loop what the closure does (`if … {{ continue; }}`), or copy what it reads to a `let` in front; a parameter's type may say `: std::panic::RefUnwindSafe`"
)]
pub trait Unchanging {}

pub trait IsLocked<T: ?Sized> {
    fn unchanged(&self)
    where
        T: Unchanging,
    {
    }
}

impl<T: Locked + ?Sized> IsLocked<T> for &&Reads<T> {}

pub trait IsFixed {
    fn unchanged(&self) {}
}

impl<T: RefUnwindSafe + ?Sized> IsFixed for &Reads<T> {}

pub trait IsCell<T: ?Sized> {
    fn unchanged(&self)
    where
        T: Unchanging,
    {
    }
}

impl<T: ?Sized> IsCell<T> for Reads<T> {}

// ---- what goes over a borrow --------------------------------------------------------------------

/// Asks whether making an iterator of a borrow does nothing else.
pub struct Goes<'a, T>(pub &'a T);

#[diagnostic::on_unimplemented(
    message = "a loop with locations goes over `{Self}` by an `IntoIterator` that is not the standard library's",
    label = "after a restart the iterator is made again: what else `into_iter` does would be done twice",
    note = "go over what it holds (`&list.items`), or over a method's iterator (`list.iter()`), which may have no effects either"
)]
pub trait KnownItems {}

pub trait GoesItself {
    fn goes(&self) {}
}

impl<T: Iterator> GoesItself for &&Goes<'_, T> {}

pub trait GoesPlain {
    fn goes(&self) {}
}

impl<T: Plain> GoesPlain for &Goes<'_, T> {}

pub trait GoesOther<T> {
    fn goes(&self)
    where
        T: KnownItems,
    {
    }
}

impl<T> GoesOther<T> for Goes<'_, T> {}

// ---- values that an iterator takes --------------------------------------------------------------

/// Asks whether a value is still there when it was given away.
pub struct Taken<T>(PhantomData<T>);

impl<T> Taken<T> {
    pub fn of(_: &PhantomData<T>) -> Self {
        Taken(PhantomData)
    }
}

#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is moved into a loop's iterator, which is made again after a restart",
    label = "moved here",
    note = "let the iterator borrow it (`zip(&list)`, `zip(list.iter())`)"
)]
pub trait Stays {}

pub trait IsTaken<T> {
    fn copied(&self)
    where
        T: Stays,
    {
    }
}

impl<T> IsTaken<T> for Taken<T> {}

pub trait IsThere {
    fn copied(&self) {}
}

impl<T: Copy> IsThere for &Taken<T> {}

/// From one key to another, of a map that is gone over.
pub struct Between<'a, T>(pub Bound<&'a T>, pub Bound<&'a T>);

impl<T> RangeBounds<T> for Between<'_, T> {
    fn start_bound(&self) -> Bound<&T> {
        self.0
    }
    fn end_bound(&self) -> Bound<&T> {
        self.1
    }
}

// ---- arguments and fields -----------------------------------------------------------------------

/// An argument made of constants, for a parameter that is made again, or that has been kept.
pub trait Given<P> {
    fn given(self) -> P;
}

impl<T> Given<T> for T {
    #[inline(always)]
    fn given(self) -> T {
        self
    }
}

impl<T> Given<Kept<T>> for T {
    #[inline(always)]
    fn given(self) -> Kept<T> {
        // It has not been there before, so it does not end either.
        std::mem::forget(self);
        Kept(PhantomData)
    }
}

#[inline(always)]
pub fn given<T: Given<P>, P>(value: T) -> P {
    value.given()
}

/// A field that has been moved out of a local at a point, on some way at least.
pub struct Part<'a, T>(pub &'a T);

#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` is moved out of a local in front of a location or marked call that would have to save the rest",
    label = "moved out here",
    note = "take the value apart, so that its parts are locals (`let Type {{ a, b }} = value;`), or leave a value in the field's place: `std::mem::take(&mut …)`"
)]
pub trait CopiedOut {}

#[doc(hidden)]
pub trait IsWhole {
    #[inline(always)]
    fn taken(&self) {}
}

impl<T: Copy> IsWhole for &Part<'_, T> {}

#[doc(hidden)]
pub trait IsPart<T> {
    #[inline(always)]
    fn taken(&self)
    where
        T: CopiedOut,
    {
    }
}

impl<T> IsPart<T> for Part<'_, T> {}

/// What `op=` changes after its right side has been evaluated.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is found before what stands right of the operator is evaluated, which is a marked call",
    label = "evaluated first",
    note = "bind the call's value with `let` in front, or what the place is found by"
)]
pub trait Later {}

macro_rules! second {
    ($($t:ident)*) => {$(impl Later for $t {})*};
}

second!(bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);

#[inline(always)]
pub fn second<T: Later>(place: &mut T) -> &mut T {
    place
}
