//! Operators of types that borrows go through: where the compiler asks whether they do nothing else.

use std::cell::{LazyCell, Ref, RefMut};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, LazyLock, MutexGuard, RwLockReadGuard, RwLockWriteGuard};

use super::ways::Plain;

/// A base of `[…]`.
pub struct Indexed<'a, T: ?Sized>(pub &'a T);

/// What a field is of, or `*` is in front of; `To`: where the way ends, if that is known.
pub struct Holds<'a, T: ?Sized, To: ?Sized = Anywhere>(&'a T, PhantomData<To>);

/// The end of a way that is not known.
pub enum Anywhere {}

pub fn holds<T: ?Sized>(from: &T) -> Holds<'_, T> {
    Holds(from, PhantomData)
}

/// What is borrowed as something that is found through it: `let text: &str = &name;`.
pub fn leads<'a, T: ?Sized, To: ?Sized>(from: &'a T, _: &To) -> Holds<'a, T, To> {
    Holds(from, PhantomData)
}

/// Nothing is left to be asked.
pub struct Known;

/// A type with a `Deref` of its own.
pub struct Follows<T: ?Sized>(PhantomData<T>);

impl Known {
    pub fn to(&self) -> Known {
        Known
    }
}

impl<T: ?Sized> Follows<T> {
    pub fn to(&self) -> Follows<T> {
        Follows(PhantomData)
    }
}

/// Going this way does nothing else.
pub trait Fine {}

impl Fine for Known {}
impl<T: ?Sized, To: ?Sized> Fine for Holds<'_, T, To> {}
impl<T: Plain + ?Sized> Fine for Indexed<'_, T> {}
impl<T: DerefPlain + ?Sized> Fine for Follows<T> {}

pub fn fine<T: Fine>(_: &T) {}

#[diagnostic::on_unimplemented(
    message = "a borrow through `{Self}` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again",
    label = "what else that does would be done twice",
    note = "borrow where it is used; or say that the type's operators do nothing else: `impl pc3::Plain for … {{}}`"
)]
pub trait DerefPlain {}

/// Pointers of the language and of the standard library.
pub trait Pointer {
    type To: ?Sized;
}

macro_rules! pointers {
    ($([$($g:tt)*] $t:ty => $to:ty;)*) => { $(impl<$($g)*> Pointer for $t { type To = $to; })* };
}

pointers! {
    ['a, T: ?Sized] &'a T => T; ['a, T: ?Sized] &'a mut T => T; [T: ?Sized] Box<T> => T; [T: ?Sized] Rc<T> => T;
    [T: ?Sized] Arc<T> => T; ['a, T: ?Sized] Ref<'a, T> => T; ['a, T: ?Sized] RefMut<'a, T> => T;
    ['a, T: ?Sized] MutexGuard<'a, T> => T; ['a, T: ?Sized] RwLockReadGuard<'a, T> => T;
    ['a, T: ?Sized] RwLockWriteGuard<'a, T> => T; [T] Vec<T> => [T]; [] String => str;
    [] std::path::PathBuf => std::path::Path; [] std::ffi::OsString => std::ffi::OsStr; [] std::ffi::CString => std::ffi::CStr;
    ['a, B: ToOwned + ?Sized] std::borrow::Cow<'a, B> => B; [T: ?Sized] ManuallyDrop<T> => T; [T: Deref] Pin<T> => T;
    [T] std::panic::AssertUnwindSafe<T> => T; [T, F] LazyCell<T, F> => T; [T, F] LazyLock<T, F> => T;
    ['a, T: Ord] std::collections::binary_heap::PeekMut<'a, T> => T;
}

#[cfg(feature = "smallvec")]
impl<A: smallvec::Array> Pointer for smallvec::SmallVec<A> {
    type To = [A::Item];
}

#[cfg(feature = "bytes")]
impl Pointer for bytes::Bytes {
    type To = [u8];
}

#[cfg(feature = "bytes")]
impl Pointer for bytes::BytesMut {
    type To = [u8];
}

/// Asked first.
pub trait HoldsEnd {
    fn to(&self) -> Known {
        Known
    }
}

impl<T: ?Sized> HoldsEnd for &&&&Holds<'_, T, T> {}

pub trait HoldsPointer<'a, To: ?Sized> {
    type Target: ?Sized + 'a;
    /// What is behind it.
    fn to(&self) -> Holds<'a, Self::Target, To> {
        unreachable!("only types are meant")
    }
    fn followed(&self) -> Known {
        Known
    }
}

impl<'a, P: Pointer + ?Sized, To: ?Sized> HoldsPointer<'a, To> for &&&Holds<'a, P, To>
where
    P::To: 'a,
{
    type Target = P::To;
}

pub trait HoldsPlain {
    fn to(&self) -> Known {
        Known
    }
    fn followed(&self) -> Known {
        Known
    }
}

impl<T: Plain + ?Sized, To: ?Sized> HoldsPlain for &&Holds<'_, T, To> {}

pub trait HoldsOther<T: ?Sized> {
    fn to(&self) -> Follows<T> {
        Follows(PhantomData)
    }
    fn followed(&self) -> Follows<T> {
        Follows(PhantomData)
    }
}

impl<T: Deref + ?Sized, To: ?Sized> HoldsOther<T> for &Holds<'_, T, To> {}

pub trait HoldsItself {
    fn to(&self) -> Known {
        Known
    }
    fn followed(&self) -> Known {
        Known
    }
}

impl<T: ?Sized, To: ?Sized> HoldsItself for Holds<'_, T, To> {}

/// Says of an operand in a closure that is called again, of what a method is called on there, or of what parts of a text are
/// found by, that its type's operators and methods do nothing but give a value.
pub fn called_again<T: Repeatable + ?Sized>(_: &T) {}

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
    ['a, T] std::slice::Iter<'a, T>; [T: ?Sized] std::marker::PhantomData<T>;
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
