//! Locals of which only the type says what becomes of them at a point: a value is saved, a borrow or a guard is given up and
//! made again.
//!
//! ```text
//! let first = list.first().unwrap();     // `&T`: made again; had `list` a method `first` that gives a value: saved
//! let mut agent = shared.borrow_mut();   // `RefMut`: ends in front of the checkpoint, and is taken again behind it
//! ```

use std::cell::{Ref, RefMut};
use std::marker::PhantomData;
use std::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

use super::places::Fine;
use crate::point::frames::Entry;
use crate::point::locals::{hold, keep, take};
use crate::point::mode::{Kept, Left};
use crate::value::Checkpointable;

/// What is asked about a local of type `T`.
pub struct Ask<T>(PhantomData<T>);

impl<T> Ask<T> {
    /// Of a local that has no value yet.
    #[inline(always)]
    pub fn of(_: &PhantomData<T>) -> Self {
        Ask(PhantomData)
    }

    #[inline(always)]
    pub fn about(_: &T) -> Self {
        Ask(PhantomData)
    }

    /// Of one that a pattern binds in a head.
    #[inline(always)]
    pub fn seen(self) -> Seen<T> {
        Seen(PhantomData)
    }
}

/// As `Ask`; what is neither a borrow nor can be saved is made again.
pub struct Seen<T>(PhantomData<T>);

/// Borrows and guards: what they stand for is elsewhere.
pub trait Borrowed {}

/// Those without parts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is made again after a restart, and its parts may be other borrows then",
    label = "changes here",
    note = "bind its parts by names of their own, without `mut`, or keep an index"
)]
pub trait Single {}

/// Values that are the same when they are made again of what has not changed.
pub trait Repeated {}

macro_rules! marked {
    ($mark:ident: $([$($g:tt)*] $t:ty;)*) => { $(impl<$($g)*> $mark for $t {})* };
}

marked! { Borrowed:
    ['a, T: ?Sized] &'a T; ['a, T: ?Sized] &'a mut T;
    ['a, T: ?Sized] Ref<'a, T>; ['a, T: ?Sized] RefMut<'a, T>; ['a, T: ?Sized] MutexGuard<'a, T>;
    ['a, T: ?Sized] RwLockReadGuard<'a, T>; ['a, T: ?Sized] RwLockWriteGuard<'a, T>;
    [T: Borrowed] Option<T>; [T: Borrowed, E: Borrowed] Result<T, E>;
    [A: Borrowed, B: Borrowed] (A, B); [A: Borrowed, B: Borrowed, C: Borrowed] (A, B, C);
    [T: Borrowed, const N: usize] [T; N];
}

marked! { Single:
    ['a, T: ?Sized] &'a T; ['a, T: ?Sized] &'a mut T;
    ['a, T: ?Sized] Ref<'a, T>; ['a, T: ?Sized] RefMut<'a, T>; ['a, T: ?Sized] MutexGuard<'a, T>;
    ['a, T: ?Sized] RwLockReadGuard<'a, T>; ['a, T: ?Sized] RwLockWriteGuard<'a, T>;
}

marked! { Repeated:
    ['a, T: ?Sized] &'a T; ['a, T: ?Sized] &'a mut T; [T: Repeated] Option<T>; [T: Repeated, E: Repeated] Result<T, E>;
    [A: Repeated, B: Repeated] (A, B); [A: Repeated, B: Repeated, C: Repeated] (A, B, C);
    [] bool; [] char; [] u8; [] u16; [] u32; [] u64; [] u128; [] usize; [] i8; [] i16; [] i32; [] i64; [] i128; [] isize;
    [] f32; [] f64; [] ();
}

#[diagnostic::on_unimplemented(
    message = "`{Self}` is made again after a restart, and it, or what it is made from, may have another value then",
    label = "changes here",
    note = "keep an index, or a value that can be saved: `.clone()`, `.to_owned()`, or derive `Checkpointable` for its type"
)]
pub trait Unchanged {}

/// What is left of a local at a point.
pub trait Parked {
    fn entry(self, name: &'static str) -> Entry;
}

/// A value, to be saved.
pub struct ParkedValue<T>(T);

impl<T: Checkpointable> Parked for ParkedValue<T> {
    fn entry(self, name: &'static str) -> Entry {
        keep(name, self.0)
    }
}

/// Nothing: it is made again.
pub struct Ended;

impl Parked for Ended {
    fn entry(self, name: &'static str) -> Entry {
        hold(name, ())
    }
}

/// Asked first.
pub trait AskBorrowed<T> {
    /// It is bound as `mut`, so parts of it may get other values.
    fn changed(&self)
    where
        T: Single,
    {
    }
    /// It may have cells of its own.
    fn cells(&self) -> Nothing<()> {
        Nothing(PhantomData)
    }
    #[inline(always)]
    fn again(&self) -> bool {
        true
    }
    /// The value that was saved, if any was.
    #[inline(always)]
    fn back(&self, _: &mut impl Left, _: &'static str) -> Option<T> {
        None
    }
    #[inline(always)]
    fn park(&self, value: T) -> Ended {
        drop(value);
        Ended
    }
    /// It is an argument of a call that is gone back into.
    #[inline(always)]
    fn argument(&self, made: impl FnOnce() -> T) -> T {
        made()
    }
}

impl<T: Borrowed> AskBorrowed<T> for &&&Ask<T> {}
impl<T: Borrowed> AskBorrowed<T> for &&&Seen<T> {}

pub trait AskSaved<T: Checkpointable> {
    fn changed(&self) {}
    fn cells(&self) -> Nothing<()> {
        Nothing(PhantomData)
    }
    #[inline(always)]
    fn again(&self) -> bool {
        false
    }
    #[inline(always)]
    fn back(&self, frame: &mut impl Left, name: &'static str) -> Option<T> {
        Some(take(frame, name))
    }
    #[inline(always)]
    fn park(&self, value: T) -> ParkedValue<T> {
        ParkedValue(value)
    }
    /// It is an argument of a call that is gone back into.
    #[inline(always)]
    fn argument(&self, made: impl FnOnce() -> T) -> Kept<T> {
        let _ = made;
        Kept(PhantomData)
    }
}

impl<T: Checkpointable> AskSaved<T> for &&Ask<T> {}
impl<T: Checkpointable> AskSaved<T> for &&Seen<T> {}

pub trait AskRepeated<T> {
    fn changed(&self)
    where
        T: Unchanged,
    {
    }
    fn cells(&self) -> Nothing<()> {
        Nothing(PhantomData)
    }
    #[inline(always)]
    fn again(&self) -> bool {
        true
    }
    #[inline(always)]
    fn back(&self, _: &mut impl Left, _: &'static str) -> Option<T> {
        None
    }
    #[inline(always)]
    fn park(&self, _: T) -> Ended {
        Ended
    }
    /// It is an argument of a call that is gone back into.
    #[inline(always)]
    fn argument(&self, made: impl FnOnce() -> T) -> T {
        made()
    }
}

impl<T: Repeated> AskRepeated<T> for &Ask<T> {}
impl<T: Repeated> AskRepeated<T> for &Seen<T> {}

/// What is neither is refused.
pub trait AskOther<T> {
    fn changed(&self) {}
    #[inline(always)]
    fn again(&self) -> bool {
        false
    }
    fn back(&self, frame: &mut impl Left, name: &'static str) -> Option<T>
    where
        T: Checkpointable,
    {
        Some(take(frame, name))
    }
    #[inline(always)]
    fn park(&self, _: T) -> Ended {
        Ended
    }
    /// It is an argument of a call that is gone back into.
    #[inline(always)]
    fn argument(&self, made: impl FnOnce() -> T) -> Kept<T> {
        let _ = made;
        Kept(PhantomData)
    }
}

impl<T> AskOther<T> for Ask<T> {}

/// What holds borrows, as far as that is known.
pub trait AskSeen<T> {
    fn changed(&self)
    where
        T: Unchanged,
    {
    }
    fn cells(&self) -> Cells<T> {
        Cells(PhantomData)
    }
    #[inline(always)]
    fn again(&self) -> bool {
        true
    }
    #[inline(always)]
    fn back(&self, _: &mut impl Left, _: &'static str) -> Option<T> {
        None
    }
    #[inline(always)]
    fn park(&self, value: T) -> Ended {
        drop(value);
        Ended
    }
    #[inline(always)]
    fn argument(&self, made: impl FnOnce() -> T) -> T {
        made()
    }
}

impl<T> AskSeen<T> for Seen<T> {}

/// A value that is made again: what is in its cells would be lost.
pub struct Cells<T>(PhantomData<T>);

pub trait WithoutCells {
    fn none(&self) {}
}

impl<T: std::panic::RefUnwindSafe> WithoutCells for &Cells<T> {}
impl WithoutCells for &Nothing<()> {}

pub trait WithCells<T> {
    fn none(&self)
    where
        T: Unchanged,
    {
    }
}

impl<T> WithCells<T> for Cells<T> {}

/// A `#[reeval]` local.
pub struct Remade<T>(PhantomData<T>);

impl<T> Remade<T> {
    pub fn of(_: &T) -> Self {
        Remade(PhantomData)
    }
}

pub trait RemadeBorrow {
    fn whole(&self) {}
}

impl<T: Borrowed> RemadeBorrow for &&Remade<T> {}

pub trait RemadeSteady {
    fn whole(&self) {}
}

impl<T: std::panic::RefUnwindSafe> RemadeSteady for &Remade<T> {}

pub trait RemadeOther<T> {
    fn whole(&self)
    where
        T: Unchanged,
    {
    }
}

impl<T> RemadeOther<T> for Remade<T> {}

/// The value in what had one when it was first asked: `list.first()?`.
pub trait Still {
    type Value;
    fn still(self) -> Self::Value;
}

impl<T> Still for Option<T> {
    type Value = T;
    fn still(self) -> T {
        self.unwrap_or_else(|| crate::point::locals::changed())
    }
}

impl<T, E> Still for Result<T, E> {
    type Value = T;
    fn still(self) -> T {
        self.unwrap_or_else(|_| crate::point::locals::changed())
    }
}

/// What an expression gives when it is evaluated again.
#[diagnostic::on_unimplemented(
    message = "`#[reeval]` cannot make a local again whose type holds a closure: it would be of another type",
    label = "holds a closure",
    note = "write the expression where it is used, or put a function (`fn`) in the place of the closure"
)]
pub trait Again<T> {
    fn again(self) -> T;
}

impl<T> Again<T> for T {
    fn again(self) -> T {
        self
    }
}

/// There is another one, so that the compiler does not take that above for granted: it would say something else then.
pub struct Nothing<T>(PhantomData<T>);

impl<T> Again<Nothing<T>> for T {
    fn again(self) -> Nothing<T> {
        Nothing(PhantomData)
    }
}

/// A value that was made again; of what it was made of its type is known.
pub struct Anew<E>(pub E);

impl<E> Anew<E> {
    #[inline(always)]
    pub fn value<T>(self) -> T
    where
        E: Again<T>,
    {
        self.0.again()
    }
}

/// Types whose methods that are named like the standard library's (`get`, `first`, `iter` …), whose `Index` and `Deref`, and
/// whose `IntoIterator` if they are borrowed, give the same each time they are called, and do nothing else; nor do the iterators
/// that these give.
///
/// After a restart borrows are made again, so such a method is called again.  Types of a program say that this may be done:
///
/// ```
/// # struct Grid { cells: Vec<f64> }
/// impl pc3::Plain for Grid {}
/// ```
#[diagnostic::on_unimplemented(
    message = "a borrow out of `{Self}` is not made again after a restart: what else its methods, or its `Index`, do would be done twice",
    label = "only the standard library's types are known to do nothing else",
    note = "keep what it is found by (an index, a key), or a value: `.clone()`, `.to_owned()`; go over what it holds (`&list.items`); or say that its methods do nothing else: `impl pc3::Plain for … {{}}`"
)]
pub trait Plain {}

/// Says so of one.
pub fn plain<T: Plain + ?Sized>(_: &T) {}

marked! { Plain:
    ['a, T: Plain + ?Sized] &'a T; ['a, T: Plain + ?Sized] &'a mut T;
    [T: Plain + ?Sized] Box<T>; [T: Plain + ?Sized] std::rc::Rc<T>; [T: Plain + ?Sized] std::sync::Arc<T>;
    [T] [T]; [T, const N: usize] [T; N]; [T] Vec<T>; [T] std::collections::VecDeque<T>; [T] std::collections::BinaryHeap<T>;
    [K, V] std::collections::BTreeMap<K, V>; [T] std::collections::BTreeSet<T>; [T] std::collections::LinkedList<T>;
    [K, V, S] std::collections::HashMap<K, V, S>; [T, S] std::collections::HashSet<T, S>;
    [T] Option<T>; [T, E] Result<T, E>; [] str; [] String; [] std::path::Path; [] std::path::PathBuf; [] std::ffi::OsStr;
    [] std::ffi::OsString; [T] std::cell::RefCell<T>; [T] std::sync::Mutex<T>; [T] std::sync::RwLock<T>;
    ['a, T: Plain + ?Sized] Ref<'a, T>; ['a, T: Plain + ?Sized] RefMut<'a, T>; ['a, T: Plain + ?Sized] MutexGuard<'a, T>;
    ['a, T: Plain + ?Sized] RwLockReadGuard<'a, T>; ['a, T: Plain + ?Sized] RwLockWriteGuard<'a, T>;
    ['a, T: ToOwned + ?Sized] std::borrow::Cow<'a, T>; [T] std::cell::OnceCell<T>; [T] std::sync::OnceLock<T>;
    [] std::ffi::CStr; [] std::ffi::CString; [T] std::vec::IntoIter<T>; ['a, T] std::slice::Iter<'a, T>;
}

#[cfg(feature = "bytes")]
impl Plain for bytes::Bytes {}

#[cfg(feature = "bytes")]
impl Plain for bytes::BytesMut {}

#[cfg(feature = "indexmap")]
impl<T, S> Plain for indexmap::IndexSet<T, S> {}

#[cfg(feature = "ndarray")]
impl<S: ndarray::RawData, D> Plain for ndarray::ArrayBase<S, D> {}

#[cfg(feature = "indexmap")]
impl<K, V, S> Plain for indexmap::IndexMap<K, V, S> {}

#[cfg(feature = "smallvec")]
impl<A: smallvec::Array> Plain for smallvec::SmallVec<A> {}

#[cfg(feature = "arrayvec")]
marked! { Plain:
    [T, const N: usize] arrayvec::ArrayVec<T, N>; [const N: usize] arrayvec::ArrayString<N>;
}

#[cfg(feature = "nalgebra")]
marked! { Plain:
    [T, R, C, S] nalgebra::Matrix<T, R, C, S>; [T: nalgebra::Scalar, const D: usize] nalgebra::Point<T, D>;
    [T: nalgebra::Scalar, const D: usize] nalgebra::Translation<T, D>;
    [T: nalgebra::Scalar, const D: usize] nalgebra::Rotation<T, D>; [T: nalgebra::Scalar] nalgebra::Quaternion<T>;
    [T] nalgebra::Unit<T>;
}

/// A type without cells: what is the largest of such values stays it.
#[diagnostic::on_unimplemented(
    message = "which `{Self}` is found may be another one after a restart: it may hold a cell",
    label = "the largest or smallest of these is not made again",
    note = "keep an index: `(0..list.len()).max_by_key(|&i| &list[i])`, or a value: `.cloned()`"
)]
pub trait Fixed {}

marked! { Fixed:
    ['a, T: Fixed + ?Sized] &'a T; [T: Fixed] [T]; [T: Fixed, const N: usize] [T; N]; [T: Fixed] Vec<T>; [T: Fixed] Option<T>;
    [T: Fixed] std::cmp::Reverse<T>; [T: Fixed + ?Sized] Box<T>; [A: Fixed] (A,); [A: Fixed, B: Fixed] (A, B);
    [A: Fixed, B: Fixed, C: Fixed] (A, B, C); [] str; [] String; [] bool; [] char; [] ();
    [] u8; [] u16; [] u32; [] u64; [] u128; [] usize; [] i8; [] i16; [] i32; [] i64; [] i128; [] isize;
    [] std::time::Duration; [] std::path::PathBuf;
}

/// Iterators that give the same items in the same order.
#[diagnostic::on_unimplemented(
    message = "which item of `{Self}` is found may be another one after a restart",
    label = "the largest or smallest of these is not made again",
    note = "keep a key, an index, or a value: `.copied()`, `.cloned()`"
)]
pub trait Ordered {}

marked! { Ordered:
    ['a, T: Fixed] std::slice::Iter<'a, T>; ['a, T: Fixed] std::collections::vec_deque::Iter<'a, T>;
    ['a, T: Fixed] std::collections::btree_set::Iter<'a, T>; ['a, K, V: Fixed] std::collections::btree_map::Values<'a, K, V>;
    ['a, K: Fixed, V] std::collections::btree_map::Keys<'a, K, V>;
}

/// Of locals that are made again it is asked whether what they are made of does nothing else.
pub trait KnownBorrowed<T> {
    fn fine<R: Fine>(&self, _: &R) {}
    fn plain<R: Plain + ?Sized>(&self, _: &R) {}
    fn ordered<I: Ordered>(&self, _: &I) {}
}

impl<T: Borrowed> KnownBorrowed<T> for &&&Ask<T> {}
impl<T: Borrowed> KnownBorrowed<T> for &&&Seen<T> {}

pub trait KnownSaved {
    fn fine<R>(&self, _: &R) {}
    fn plain<R: ?Sized>(&self, _: &R) {}
    fn ordered<I>(&self, _: &I) {}
}

impl<T: Checkpointable> KnownSaved for &&Ask<T> {}
impl<T: Checkpointable> KnownSaved for &&Seen<T> {}

pub trait KnownRepeated {
    fn fine<R: Fine>(&self, _: &R) {}
    fn plain<R: Plain + ?Sized>(&self, _: &R) {}
    fn ordered<I: Ordered>(&self, _: &I) {}
}

impl<T: Repeated> KnownRepeated for &Ask<T> {}
impl<T: Repeated> KnownRepeated for &Seen<T> {}

pub trait KnownOther {
    fn fine<R>(&self, _: &R) {}
    fn plain<R: ?Sized>(&self, _: &R) {}
    fn ordered<I>(&self, _: &I) {}
}

impl<T> KnownOther for Ask<T> {}

pub trait KnownSeen {
    fn fine<R: Fine>(&self, _: &R) {}
    fn plain<R: Plain + ?Sized>(&self, _: &R) {}
    fn ordered<I: Ordered>(&self, _: &I) {}
}

impl<T> KnownSeen for Seen<T> {}
