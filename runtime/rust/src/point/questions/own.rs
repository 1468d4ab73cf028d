//! Methods that are called again: where the compiler asks whether they are the standard library's, or have the name of one of
//! those and are the program's, by a trait.
//!
//! ```text
//! list.first()   →   `first` of a value of each type that it is looked for in (`&Vec<T>`, `Vec<T>`), where a trait of ours,
//!                    whose methods are found last, has one for all types; `[T]` has it itself
//! ```

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{CStr, CString, OsStr, OsString};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use super::places::{Fine, Pointer};

/// No method of the program's has been found.
pub struct NoOther;

impl Fine for NoOther {}

/// A method of the program's.
pub struct Programs;

/// A type that a method is looked for in; `N` stands for its name.
pub struct Level<T: ?Sized, N>(PhantomData<N>, PhantomData<T>);

pub fn level<T: ?Sized, N>(_: &T, _: N) -> Level<T, N> {
    Level(PhantomData, PhantomData)
}

/// The method is found here, if not in front of it.
pub struct Last;

/// It has this method itself.
pub trait Own<N> {}

impl<T: Own<N> + ?Sized, N> Own<N> for &T {}
impl<T: Own<N> + ?Sized, N> Own<N> for &mut T {}

/// What methods it has is known.
pub trait Tabled {}

macro_rules! own {
    (@tabled [$($g:tt)*] $t:ty) => { impl<$($g)*> Tabled for $t {} };
    (@named [$($g:tt)*] $t:ty, $name:ident) => { impl<$($g)*> Own<names::$name> for $t {} };
    (@one $g:tt $t:ty: $($name:ident)*) => {
        own!(@tabled $g $t);
        $(own!(@named $g $t, $name);)*
    };
    ($($g:tt $t:ty: $($name:ident)*;)*) => { $(own!(@one $g $t: $($name)*);)* };
}

macro_rules! names {
    ($($name:ident)*) => {
        /// Names of methods.
        #[allow(non_camel_case_types)]
        pub mod names {
            $(pub struct $name;)*
        }
    };
}

names! {
    capacity is_empty is_err is_none is_ok is_some len
    as_bytes as_deref as_deref_mut as_mut_slice as_path as_slice as_str back back_mut borrow borrow_mut bytes char_indices chars
    chunks chunks_exact chunks_exact_mut chunks_mut difference first first_key_value first_mut front front_mut get get_key_value
    get_mut iter iter_mut keys last last_key_value last_mut lines lock match_indices range range_mut rchunks read rsplit rsplit_once
    rsplitn split split_ascii_whitespace split_at split_at_mut split_first split_first_mut split_inclusive split_last
    split_last_mut split_once split_terminator split_whitespace splitn strip_prefix strip_suffix symmetric_difference trim trim_end
    trim_end_matches trim_matches trim_start trim_start_matches values values_mut windows write
}

own! {
    [T] [T]: is_empty len bytes chunks chunks_exact chunks_exact_mut chunks_mut first first_mut get get_mut iter iter_mut last last_mut lines
        rchunks rsplit rsplitn split split_at split_at_mut split_first split_first_mut split_inclusive split_last split_last_mut
        split_once rsplit_once splitn strip_prefix strip_suffix windows borrow borrow_mut;
    [] str: is_empty len as_bytes as_str bytes char_indices chars get get_mut lines match_indices rsplit rsplit_once rsplitn split
        split_ascii_whitespace split_at split_at_mut split_inclusive split_once split_terminator split_whitespace splitn
        strip_prefix strip_suffix trim trim_end trim_end_matches trim_matches trim_start trim_start_matches borrow borrow_mut;
    [T] Vec<T>: capacity is_empty len as_slice as_mut_slice borrow borrow_mut; [T, const N: usize] [T; N]: as_slice as_mut_slice borrow borrow_mut;
    [] String: capacity is_empty len as_str as_bytes borrow borrow_mut; [] PathBuf: capacity as_path borrow; [] OsString: capacity as_bytes borrow;
    [] CString: as_bytes borrow; [] Path: iter strip_prefix borrow; [] OsStr: is_empty len as_bytes borrow; [] CStr: is_empty bytes borrow;
    [T] Option<T>: is_none is_some as_deref as_deref_mut as_mut_slice as_slice iter iter_mut;
    [T, E] Result<T, E>: is_err is_ok as_deref as_deref_mut iter iter_mut;
    [T] VecDeque<T>: capacity is_empty len back back_mut front front_mut get get_mut iter iter_mut range range_mut;
    [T] LinkedList<T>: is_empty len back back_mut front front_mut iter iter_mut; [T] BinaryHeap<T>: capacity is_empty len as_slice iter;
    [K, V] BTreeMap<K, V>: is_empty len first_key_value get get_key_value get_mut iter iter_mut keys last_key_value range range_mut values
        values_mut;
    [K, V, S] HashMap<K, V, S>: capacity is_empty len get get_key_value get_mut iter iter_mut keys values values_mut;
    [T] BTreeSet<T>: is_empty len difference first get iter last range symmetric_difference;
    [T, S] HashSet<T, S>: capacity is_empty len difference get iter symmetric_difference;
    [T] std::cell::RefCell<T>: borrow borrow_mut get_mut; [T] std::sync::Mutex<T>: get_mut lock;
    [T] std::sync::RwLock<T>: get_mut read write; [T] std::cell::OnceCell<T>: get get_mut;
    [T] std::sync::OnceLock<T>: get get_mut; [T] std::vec::IntoIter<T>: len as_slice as_mut_slice;
    ['a, T] std::slice::Iter<'a, T>: len as_slice;
}

#[cfg(feature = "smallvec")]
impl<A: smallvec::Array> Own<names::as_slice> for smallvec::SmallVec<A> {}
#[cfg(feature = "smallvec")]
impl<A: smallvec::Array> Own<names::as_mut_slice> for smallvec::SmallVec<A> {}

#[cfg(feature = "arrayvec")]
own! {
    [T, const N: usize] arrayvec::ArrayVec<T, N>: as_slice as_mut_slice; [const N: usize] arrayvec::ArrayString<N>: as_str;
}

macro_rules! here {
    ($to:ty, $last:ident) => {
        fn here(&self) -> Last {
            Last
        }
        fn next(&self) -> Level<$to, N> {
            Level(PhantomData, PhantomData)
        }
        fn end(&self) -> $last {
            $last
        }
    };
}

/// `Borrow` would be found in front of ours.
impl Last {
    pub fn borrow(&self) -> NoOther {
        NoOther
    }
    pub fn borrow_mut(&self) -> NoOther {
        NoOther
    }
}

/// Asked first.
pub trait LevelOwn<N> {
    here!(Last, NoOther);
}

impl<T: Own<N> + ?Sized, N> LevelOwn<N> for &&&&&Level<T, N> {}

/// A borrow of a pointer: a method may be the borrow's own.
pub trait LevelBorrow<B, N> {
    type To: ?Sized;
    fn here(&self) -> B {
        unreachable!()
    }
    fn next(&self) -> Level<Self::To, N> {
        Level(PhantomData, PhantomData)
    }
    fn end(&self) -> NoOther {
        NoOther
    }
}

impl<'a, P: Pointer, N> LevelBorrow<&'a P, N> for &&&&Level<&'a P, N> {
    type To = P;
}

impl<'a, P: Pointer, N> LevelBorrow<&'a mut P, N> for &&&&Level<&'a mut P, N> {
    type To = P;
}

/// Of something else: its methods take a borrow.
pub trait LevelLast<N> {
    type To: ?Sized;
    here!(Self::To, NoOther);
}

impl<T: ?Sized, N> LevelLast<N> for &&&Level<&T, N> {
    type To = T;
}

impl<T: ?Sized, N> LevelLast<N> for &&&Level<&mut T, N> {
    type To = T;
}

pub trait LevelPointer<P, N> {
    type To: ?Sized;
    fn here(&self) -> P {
        unreachable!()
    }
    fn next(&self) -> Level<Self::To, N> {
        Level(PhantomData, PhantomData)
    }
    fn end(&self) -> NoOther {
        NoOther
    }
}

impl<P: Pointer, N> LevelPointer<P, N> for &&Level<P, N> {
    type To = P::To;
}

/// It has no such method, nor has what it leads to.
pub trait LevelWithout<T: ?Sized, N> {
    here!(T, Programs);
}

impl<T: Tabled + ?Sized, N> LevelWithout<T, N> for &Level<T, N> {}

pub trait LevelItself<N> {
    here!(Last, NoOther);
}

impl<T: ?Sized, N> LevelItself<N> for Level<T, N> {}

// ---- `unwrap`, `expect` ---------------------------------------------------------------------------

/// What one of these is called on.
pub struct Within<T: ?Sized>(PhantomData<T>);

pub fn within<T: ?Sized>(_: &T) -> Within<T> {
    Within(PhantomData)
}

pub trait WithinKnown<T> {
    fn way(&self) -> NoOther {
        NoOther
    }
    /// A value of this type.
    fn value(&self) -> T {
        unreachable!()
    }
}

impl<T> WithinKnown<Option<T>> for &Within<Option<T>> {}
impl<T, E> WithinKnown<Result<T, E>> for &Within<Result<T, E>> {}

pub trait WithinOther {
    fn way(&self) -> Programs {
        Programs
    }
    fn value(&self) -> Last {
        Last
    }
}

impl<T: ?Sized> WithinOther for Within<T> {}

// ---- `as_ref`, `borrow` ---------------------------------------------------------------------------

/// What one of these gives: the standard library's lead to types of the standard library's, or to what a pointer is of.
pub struct Viewed<T: ?Sized, Y: ?Sized>(PhantomData<T>, PhantomData<Y>);

pub fn view<T: ?Sized, Y>(_: &T, _: &PhantomData<Y>) -> Viewed<T, Y> {
    Viewed(PhantomData, PhantomData)
}

pub trait ViewBorrow<T: ?Sized, Y: ?Sized> {
    fn seen(&self) -> Viewed<T, PhantomData<Y>> {
        Viewed(PhantomData, PhantomData)
    }
}

impl<T: ?Sized, Y: ?Sized> ViewBorrow<T, Y> for &Viewed<T, &Y> {}
impl<T: ?Sized, Y: ?Sized> ViewBorrow<T, Y> for &Viewed<T, &mut Y> {}

/// An `Option`, a guard.
pub trait ViewValue {
    fn seen(&self) -> NoOther {
        NoOther
    }
}

impl<T: ?Sized, Y> ViewValue for Viewed<T, Y> {}

impl NoOther {
    pub fn to(&self) -> NoOther {
        NoOther
    }
}

impl Programs {
    pub fn to(&self) -> Programs {
        Programs
    }
}

macro_rules! to {
    ($last:ident) => {
        fn to(&self) -> $last {
            $last
        }
    };
}

pub trait ViewItself {
    to!(NoOther);
}

impl<T: ?Sized> ViewItself for &&&&Viewed<T, PhantomData<T>> {}

pub trait ViewTabled {
    to!(NoOther);
}

impl<T: ?Sized, Y: Tabled + ?Sized> ViewTabled for &&&Viewed<T, PhantomData<Y>> {}

pub trait ViewPointer<Y: ?Sized> {
    type To: ?Sized;
    fn to(&self) -> Viewed<Self::To, PhantomData<Y>> {
        Viewed(PhantomData, PhantomData)
    }
}

impl<P: Pointer + ?Sized, Y: ?Sized> ViewPointer<Y> for &&Viewed<P, PhantomData<Y>> {
    type To = P::To;
}

pub trait ViewOther {
    to!(Programs);
}

impl<T: Tabled + ?Sized, Y: ?Sized> ViewOther for &Viewed<T, PhantomData<Y>> {}

pub trait ViewUnknown {
    to!(NoOther);
}

impl<T: ?Sized, Y: ?Sized> ViewUnknown for Viewed<T, Y> {}
