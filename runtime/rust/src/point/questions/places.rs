//! Operators of types that borrows go through: where the compiler asks whether they do nothing else.

use std::borrow::Cow;
use std::cell::{LazyCell, Ref, RefMut};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::pin::Pin;
use std::rc::Rc;
use std::slice::SliceIndex;
use std::sync::{Arc, LazyLock, MutexGuard, RwLockReadGuard, RwLockWriteGuard};

use super::ways::Plain;

/// What `[…]` is behind, and what stands in it.
pub struct Indexed<T: ?Sized, I>(PhantomData<(I, T)>);

pub fn indexed<T: ?Sized, I>(_: &T, _: &I) -> Indexed<T, I> {
    Indexed(PhantomData)
}

/// What a field is of, or `*` is in front of; `To`: where the way ends, if that is known.
pub struct Holds<T: ?Sized, To: ?Sized = Anywhere>(PhantomData<T>, PhantomData<To>);

/// The end of a way that is not known.
pub enum Anywhere {}

pub fn holds<T: ?Sized>(_: &T) -> Holds<T> {
    Holds(PhantomData, PhantomData)
}

/// An expression's own type, and the one that it is made into where it stands: `let text: &str = &name;`, `f(&name)`.
pub struct Leads<T, X>(PhantomData<(T, X)>);

pub fn leads<T, X>(_: &T, _: &PhantomData<X>) -> Leads<T, X> {
    Leads(PhantomData)
}

/// The type of a local.
pub fn type_of<T>(_: &T) -> PhantomData<T> {
    PhantomData
}

/// Nothing is left to be asked.
pub struct Known;

/// A type with a `Deref` of its own.
pub struct Follows<T: ?Sized>(PhantomData<T>);

/// Behind the `Deref` of such a type: the way may still end otherwise.
pub struct Seeks<Through: ?Sized, T: ?Sized, To: ?Sized>(
    PhantomData<(PhantomData<Through>, PhantomData<T>, PhantomData<To>)>,
);

impl Known {
    pub fn to(&self) -> Known {
        Known
    }
    pub fn followed(&self) -> Known {
        Known
    }
}

impl<T: ?Sized> Follows<T> {
    pub fn to(&self) -> Follows<T> {
        Follows(PhantomData)
    }
}

/// Going this way does nothing else.
#[diagnostic::on_unimplemented(
    message = "this method is the program's, though it has the name of one of the standard library's, and is called again as a borrow, or an iterator, is made again behind a checkpoint",
    label = "what else it does would be done twice",
    note = "borrow where it is used; or keep what it is found by (an index, a key), or a value (`.clone()`, `.to_owned()`)"
)]
pub trait Fine {}

impl Fine for Known {}
impl<T: ?Sized, To: ?Sized> Fine for Holds<T, To> {}
impl<Through: ?Sized, T: ?Sized, To: ?Sized> Fine for Seeks<Through, T, To> {}
impl<T: Plain + ?Sized, I> Fine for Indexed<T, I> {}
impl<T: DerefPlain + ?Sized> Fine for Follows<T> {}

pub fn fine<T: Fine>(_: &T) {}

#[diagnostic::on_unimplemented(
    message = "a borrow through `{Self}` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again",
    label = "what else that does would be done twice",
    note = "borrow where it is used; or say that the type's operators do nothing else: `impl pc3::Plain for … {{}}`"
)]
pub trait DerefPlain {}

/// Pointers of the language and of the standard library, and arrays, which are found as lists.
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
    ['a, T: Clone] Cow<'a, T> => T; ['a] Cow<'a, str> => str; ['a, T: Clone] Cow<'a, [T]> => [T];
    ['a] Cow<'a, std::path::Path> => std::path::Path; ['a] Cow<'a, std::ffi::OsStr> => std::ffi::OsStr;
    [T: ?Sized] ManuallyDrop<T> => T; [P: Pointer] Pin<P> => P::To;
    [T] std::panic::AssertUnwindSafe<T> => T; [T, F] LazyCell<T, F> => T; [T, F] LazyLock<T, F> => T;
    ['a, T: Ord] std::collections::binary_heap::PeekMut<'a, T> => T; [T, const N: usize] [T; N] => [T];
}

#[cfg(feature = "smallvec")]
impl<A: smallvec::Array> Pointer for smallvec::SmallVec<A> {
    type To = [A::Item];
}

#[cfg(feature = "arrayvec")]
pointers! {
    [T, const N: usize] arrayvec::ArrayVec<T, N> => [T]; [const N: usize] arrayvec::ArrayString<N> => str;
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

impl<T: ?Sized> HoldsEnd for &&&&&&Holds<T, T> {}

pub trait HoldsPointer<To: ?Sized> {
    type Target: ?Sized;
    /// What is behind it.
    fn to(&self) -> Holds<Self::Target, To> {
        Holds(PhantomData, PhantomData)
    }
    fn followed(&self) -> Known {
        Known
    }
}

impl<P: Pointer + ?Sized, To: ?Sized> HoldsPointer<To> for &&&&&Holds<P, To> {
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

impl<T: Plain + ?Sized> HoldsPlain for &&&&Holds<T> {}

/// Its `Deref` does nothing else; what that leads to may have one.
pub trait HoldsPlainPointer<To: ?Sized> {
    type Target: ?Sized;
    fn to(&self) -> Holds<Self::Target, To> {
        Holds(PhantomData, PhantomData)
    }
}

impl<T: Plain + Deref + ?Sized, To: ?Sized> HoldsPlainPointer<To> for &&&Holds<T, To> {
    type Target = T::Target;
}

pub trait HoldsOther<T: ?Sized> {
    fn to(&self) -> Follows<T> {
        Follows(PhantomData)
    }
    fn followed(&self) -> Follows<T> {
        Follows(PhantomData)
    }
}

impl<T: Deref + ?Sized> HoldsOther<T> for &&Holds<T> {}

/// It is not the end that is known: only what stands behind its `Deref` tells whether that is called.
pub trait HoldsPerhaps<T: ?Sized, To: ?Sized> {
    type Target: ?Sized;
    fn to(&self) -> Seeks<T, Self::Target, To> {
        Seeks(PhantomData)
    }
}

impl<T: Deref + ?Sized, To: ?Sized> HoldsPerhaps<T, To> for &Holds<T, To> {
    type Target = T::Target;
}

pub trait HoldsItself {
    fn to(&self) -> Known {
        Known
    }
    fn followed(&self) -> Known {
        Known
    }
}

impl<T: ?Sized, To: ?Sized> HoldsItself for Holds<T, To> {}

pub trait SeeksEnd<Through: ?Sized> {
    fn to(&self) -> Follows<Through> {
        Follows(PhantomData)
    }
}

impl<Through: ?Sized, T: ?Sized> SeeksEnd<Through> for &&Seeks<Through, T, T> {}

pub trait SeeksOn<Through: ?Sized, To: ?Sized> {
    type Target: ?Sized;
    fn to(&self) -> Seeks<Through, Self::Target, To> {
        Seeks(PhantomData)
    }
}

impl<Through: ?Sized, T: Deref + ?Sized, To: ?Sized> SeeksOn<Through, To>
    for &Seeks<Through, T, To>
{
    type Target = T::Target;
}

/// Another trait that the value itself implements.
pub trait SeeksNothing {
    fn to(&self) -> Known {
        Known
    }
}

impl<Through: ?Sized, T: ?Sized, To: ?Sized> SeeksNothing for Seeks<Through, T, To> {}

/// What a borrow is made into that it is not.
pub trait LeadsBorrow<T: ?Sized, To: ?Sized> {
    fn way(&self) -> Holds<T, To> {
        Holds(PhantomData, PhantomData)
    }
}

impl<T: ?Sized, To: ?Sized> LeadsBorrow<T, To> for &&Leads<&T, &To> {}
impl<T: ?Sized, To: ?Sized> LeadsBorrow<T, To> for &&Leads<&mut T, &To> {}
impl<T: ?Sized, To: ?Sized> LeadsBorrow<T, To> for &&Leads<&mut T, &mut To> {}

pub trait LeadsSame {
    fn way(&self) -> Known {
        Known
    }
}

impl<X> LeadsSame for &&&Leads<X, X> {}

pub trait LeadsValue {
    fn way(&self) -> Known {
        Known
    }
}

impl<T, X> LeadsValue for &Leads<T, X> {}

/// What `as_deref` looks into.
pub trait Deep {
    type In: ?Sized;
}

impl<T> Deep for Option<T> {
    type In = T;
}

impl<T, E> Deep for Result<T, E> {
    type In = T;
}

impl<T: Deep + ?Sized> Deep for &T {
    type In = T::In;
}

impl<T: Deep + ?Sized> Deep for &mut T {
    type In = T::In;
}

pub trait HoldsDeep {
    type In: ?Sized;
    fn deep(&self) -> Holds<Self::In> {
        Holds(PhantomData, PhantomData)
    }
}

impl<T: Deep + ?Sized> HoldsDeep for &Holds<T> {
    type In = T::In;
}

pub trait HoldsNoDeep {
    fn deep(&self) -> Known {
        Known
    }
}

impl<T: ?Sized> HoldsNoDeep for Holds<T> {}

/// Lists and maps of the standard library: `Index` is theirs for these `I`, and may be the program's for others.
pub trait KnownIndex<I> {}

/// These, whatever stands in the brackets.
pub trait Listed {}

macro_rules! listed {
    ($([$($g:tt)*] $t:ty, [$($i:tt)*] $by:ty;)*) => { $(
        impl<$($g)*> Listed for $t {}
        impl<$($i)* $($g)*> KnownIndex<$by> for $t {}
    )* };
}

listed! {
    [T,] [T], [I: SliceIndex<[T]>,] I; [T,] Vec<T>, [I: SliceIndex<[T]>,] I; [T, const N: usize,] [T; N], [I: SliceIndex<[T]>,] I;
    [] str, [I: SliceIndex<str>,] I; [] String, [I: SliceIndex<str>,] I; [T,] std::collections::VecDeque<T>, [] usize;
    [K, V,] std::collections::BTreeMap<K, V>, ['q, Q: ?Sized,] &'q Q; [K, V, S,] std::collections::HashMap<K, V, S>, ['q, Q: ?Sized,] &'q Q;
}

macro_rules! listed_within {
    ($([$($g:tt)*] $t:ty;)*) => { $(
        impl<$($g)* T: Listed + ?Sized> Listed for $t {}
        impl<$($g)* T: KnownIndex<I> + ?Sized, I> KnownIndex<I> for $t {}
    )* };
}

listed_within! {
    ['a,] &'a T; ['a,] &'a mut T; [] Box<T>; [] Rc<T>; [] Arc<T>; ['a,] Ref<'a, T>; ['a,] RefMut<'a, T>; ['a,] MutexGuard<'a, T>;
    ['a,] RwLockReadGuard<'a, T>; ['a,] RwLockWriteGuard<'a, T>;
}

#[diagnostic::on_unimplemented(
    message = "a borrow out of a list by `{Self}` is made again after a checkpoint, which calls the program's `Index` again",
    label = "what else that does would be done twice",
    note = "borrow where it is used, or with a number: `&list[i.0]`"
)]
pub trait IndexPlain {}

/// An `Index` of the program's for a list of the standard library's.
pub struct IndexedOther<I>(PhantomData<I>);

impl<I: IndexPlain> Fine for IndexedOther<I> {}

pub trait IndexedKnown {
    fn way(&self) -> Known {
        Known
    }
}

impl<T: KnownIndex<I> + ?Sized, I> IndexedKnown for &&Indexed<T, I> {}

pub trait IndexedList<I> {
    fn way(&self) -> IndexedOther<I> {
        IndexedOther(PhantomData)
    }
}

impl<T: Listed + ?Sized, I> IndexedList<I> for &Indexed<T, I> {}

pub trait IndexedItself<T: ?Sized, I> {
    fn way(&self) -> Indexed<T, I> {
        Indexed(PhantomData)
    }
}

impl<T: ?Sized, I> IndexedItself<T, I> for Indexed<T, I> {}
