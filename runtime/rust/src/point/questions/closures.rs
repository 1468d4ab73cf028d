//! What closures and copies in an iterator that is made again make use of: where the compiler asks whether that does nothing else.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use super::ways::Plain;

/// Says of an operand in a closure that is called again, of what a method is called on there, or of what parts of a text are
/// found by, that its type's operators and methods do nothing but give a value.
pub fn called_again<T: Repeatable + ?Sized>(_: &T) {}

/// As that, of a value that is made there.
pub fn made_again<T: Repeatable>(_: &PhantomData<T>) {}

/// As that, of the items of an iterator that are added up.
pub fn items_again<I: Iterator>(_: &I)
where
    I::Item: Repeatable,
{
}

/// As that, of what is filled with the items of an iterator.
pub fn filled_again<T: Filled>(_: &PhantomData<T>) {}

#[diagnostic::on_unimplemented(
    message = "this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and what else `FromIterator` of `{Self}` does is not known",
    label = "what else it does would be done twice",
    note = "do it in the loop, or keep what this gives as a value (`collect()` into a `Vec`, `to_owned()`)"
)]
pub trait Filled {}

macro_rules! filled {
    ($([$($g:tt)*] $t:ty;)*) => { $(impl<$($g)*> Filled for $t {})* };
}

filled! {
    [T] Vec<T>; [] String; [] (); [T] VecDeque<T>; [T] BTreeSet<T>; [K, V] BTreeMap<K, V>; [T, S] HashSet<T, S>;
    [K, V, S] HashMap<K, V, S>; [T] std::collections::LinkedList<T>; [T] std::collections::BinaryHeap<T>; [T: Filled] Option<T>;
    [T: Filled, E] Result<T, E>; [T] Box<[T]>; [] Box<str>; [T] Rc<[T]>; [T] Arc<[T]>; [] std::path::PathBuf;
    [] std::ffi::OsString; [A: Filled, B: Filled] (A, B); ['a] std::borrow::Cow<'a, str>;
}

#[cfg(feature = "indexmap")]
filled! { [K, V, S] indexmap::IndexMap<K, V, S>; [T, S] indexmap::IndexSet<T, S>; }
#[cfg(feature = "smallvec")]
impl<A: smallvec::Array> Filled for smallvec::SmallVec<A> {}
#[cfg(feature = "arrayvec")]
impl<T, const N: usize> Filled for arrayvec::ArrayVec<T, N> {}

#[diagnostic::on_unimplemented(
    message = "this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and what the operators and methods of `{Self}` do is not known",
    label = "what else they do would be done twice",
    note = "do it in the loop, or keep what this gives as a value (`collect()` into a `Vec`, `to_owned()`)"
)]
pub trait Repeatable {}

macro_rules! repeatable {
    ($([$($g:tt)*] $t:ty;)*) => { $(impl<$($g)*> Repeatable for $t {})* };
}

repeatable! {
    ['a, T: Repeatable + ?Sized] &'a T; ['a, T: Repeatable + ?Sized] &'a mut T; [T: Repeatable] [T];
    [T: Repeatable, const N: usize] [T; N]; [T: Repeatable] Vec<T>; [T: Repeatable] std::collections::VecDeque<T>;
    [T: Repeatable] Option<T>; [T: Repeatable, E: Repeatable] Result<T, E>; [T: Repeatable] std::cmp::Reverse<T>;
    [T: Repeatable + ?Sized] Box<T>; [T: Repeatable + ?Sized] Rc<T>; [T: Repeatable + ?Sized] Arc<T>;
    [T: Repeatable] std::collections::BTreeSet<T>; [K: Repeatable, V: Repeatable] std::collections::BTreeMap<K, V>;
    [T: Repeatable, S] std::collections::HashSet<T, S>; [K: Repeatable, V: Repeatable, S] std::collections::HashMap<K, V, S>;
    [T: Repeatable] std::num::Wrapping<T>; [T: Repeatable] std::ops::Range<T>; [T: Repeatable] std::ops::RangeInclusive<T>;
    [A: Repeatable] (A,); [A: Repeatable, B: Repeatable] (A, B); [A: Repeatable, B: Repeatable, C: Repeatable] (A, B, C);
    [A: Repeatable, B: Repeatable, C: Repeatable, D: Repeatable] (A, B, C, D);
    [] str; [] String; [] bool; [] char; []  (); [] u8; [] u16; [] u32; [] u64; [] u128; [] usize;
    [] i8; [] i16; [] i32; [] i64; [] i128; [] isize; [] f32; [] f64; [] std::time::Duration; [] std::path::Path;
    [] std::path::PathBuf; [] std::ffi::OsStr; [] std::ffi::OsString; [] std::cmp::Ordering;
    ['a] std::str::Chars<'a>; ['a] std::str::CharIndices<'a>; ['a] std::str::SplitWhitespace<'a>; ['a] std::str::Lines<'a>;
    ['a, T: Repeatable] std::slice::Iter<'a, T>; [T: ?Sized] std::marker::PhantomData<T>;
    [] std::num::ParseIntError; [] std::num::ParseFloatError; [] std::num::TryFromIntError; [] std::str::ParseBoolError;
    [] std::char::ParseCharError; [] std::str::Utf8Error; [] std::convert::Infallible;
}

/// Asks how values of a type are copied.
pub struct Copies<T>(PhantomData<T>);

impl<T> Copies<T> {
    /// Of an iterator's items.
    pub fn items<'a, I: Iterator<Item = &'a T>>(_: &I) -> Self
    where
        T: 'a,
    {
        Copies(PhantomData)
    }
    pub fn value(_: &T) -> Self {
        Copies(PhantomData)
    }
}

#[diagnostic::on_unimplemented(
    message = "`{Self}` is cloned by an iterator that is made again behind a checkpoint, and what else its `Clone` does is not known",
    label = "what else it does would be done twice",
    note = "clone in the loop, or collect into a `Vec` first; or say that the type's operators do nothing else: `impl pc3::Plain for … {{}}`"
)]
pub trait KnownCopies {}

pub trait CopiesBits {
    fn known(&self) {}
}

impl<T: Copy> CopiesBits for &&&Copies<T> {}

pub trait CopiesPlain {
    fn known(&self) {}
}

impl<T: Plain> CopiesPlain for &&Copies<T> {}

pub trait CopiesKnown {
    fn known(&self) {}
}

impl<T: Repeatable> CopiesKnown for &Copies<T> {}

pub trait CopiesOther<T> {
    fn known(&self)
    where
        T: KnownCopies,
    {
    }
}

impl<T> CopiesOther<T> for Copies<T> {}

/// Asks how a value ends that a closure makes which is called again.
pub struct Ending<T>(PhantomData<T>);

impl<T> Ending<T> {
    pub fn of(_: &PhantomData<T>) -> Self {
        Ending(PhantomData)
    }
}

#[diagnostic::on_unimplemented(
    message = "this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and `{Self}`, which it makes, has a `Drop`",
    label = "its `Drop` would run once more",
    note = "do it in the loop, or keep what this gives as a value (`collect()` into a `Vec`, `to_owned()`)"
)]
pub trait QuietDrop {}

#[allow(drop_bounds)]
pub trait EndsAloud<T> {
    fn known(&self)
    where
        T: QuietDrop,
    {
    }
}

#[allow(drop_bounds)]
impl<T: Drop> EndsAloud<T> for &Ending<T> {}

pub trait EndsQuietly {
    fn known(&self) {}
}

impl<T> EndsQuietly for Ending<T> {}
