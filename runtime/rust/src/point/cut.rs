//! Borrowed texts in locals of which it does not show what they are made from, or that become others (`rest = &rest[i..]`): a
//! checkpoint has texts of their own for them, which they borrow afterwards.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::marker::PhantomData;

use super::frames::Entry;
use super::questions::ways::Unchanged;
use crate::point::locals::{keep, take};
use crate::point::mode::Left;
use crate::value::Checkpointable;

/// What a function's locals borrow after a checkpoint.
#[derive(Default)]
pub struct Texts(RefCell<Vec<*mut dyn Any>>);

impl Texts {
    #[inline(always)]
    pub fn new() -> Texts {
        Texts(RefCell::new(Vec::new()))
    }

    pub fn lend<'a, T: Cut<'a>>(&'a self, own: T::Own) -> T {
        T::lend(own, self)
    }

    fn keep<T: 'static>(&self, own: T) -> &T {
        let own = Box::into_raw(Box::new(own));
        self.0.borrow_mut().push(own);
        // SAFETY: it is freed with `self` and changed by nobody.
        unsafe { &*own }
    }
}

impl Drop for Texts {
    #[inline(always)]
    fn drop(&mut self) {
        for own in self.0.get_mut().drain(..) {
            // SAFETY: from a box, in `lend`; what borrows it has ended.
            drop(unsafe { Box::from_raw(own) });
        }
    }
}

/// Borrows that can be saved as what they lead to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` becomes another borrow, which a checkpoint cannot hold",
    label = "only texts and lists of numbers may: they are saved as they are",
    note = "keep an index instead, or an `Rc`"
)]
pub trait Cut<'a>: Cuts {
    type Own: Checkpointable;
    fn own(self) -> Self::Own;
    fn lend(own: Self::Own, texts: &'a Texts) -> Self;
}

/// The same of any lifetime.
pub trait Cuts: Sized {}

macro_rules! cuts {
    ($([$($g:tt)*] $t:ty, $own:ty, $self:ident => $to:expr, $from:ident, $texts:ident => $back:expr;)*) => {$(
        impl<'a, $($g)*> Cuts for $t {}
        impl<'a, $($g)*> Cut<'a> for $t {
            type Own = $own;
            fn own(self) -> $own {
                let $self = self;
                $to
            }
            fn lend($from: $own, $texts: &'a Texts) -> Self {
                $back
            }
        }
    )*};
}

cuts! {
    [] &'a str, String, s => s.to_owned(), own, texts => texts.keep(own);
    [T: Checkpointable + Copy] &'a [T], Vec<T>, s => s.to_vec(), own, texts => texts.keep(own);
    [] BTreeSet<&'a str>, BTreeSet<String>,
        s => s.into_iter().map(str::to_owned).collect(),
        own, texts => own.into_iter().map(|o| <&str>::lend(o, texts)).collect();
    [] HashSet<&'a str>, HashSet<String>,
        s => s.into_iter().map(str::to_owned).collect(),
        own, texts => own.into_iter().map(|o| <&str>::lend(o, texts)).collect();
    [V: Checkpointable] BTreeMap<&'a str, V>, BTreeMap<String, V>,
        s => s.into_iter().map(|(k, v)| (k.to_owned(), v)).collect(),
        own, texts => own.into_iter().map(|(k, v)| (<&str>::lend(k, texts), v)).collect();
    [V: Checkpointable] HashMap<&'a str, V>, HashMap<String, V>,
        s => s.into_iter().map(|(k, v)| (k.to_owned(), v)).collect(),
        own, texts => own.into_iter().map(|(k, v)| (<&str>::lend(k, texts), v)).collect();
}

/// Groups of them, and pairs with values.
macro_rules! groups {
    ($([$($g:ident),*] $t:ty, $own:ty, $self:ident => $to:expr, $from:ident, $texts:ident => $back:expr;)*) => {$(
        impl<$($g: Cuts),*> Cuts for $t {}
        impl<'a, $($g: Cut<'a>),*> Cut<'a> for $t {
            type Own = $own;
            fn own(self) -> $own {
                let $self = self;
                $to
            }
            fn lend($from: $own, $texts: &'a Texts) -> Self {
                $back
            }
        }
    )*};
}

groups! {
    [T] Option<T>, Option<T::Own>, s => s.map(T::own), own, texts => own.map(|o| T::lend(o, texts));
    [T] Vec<T>, Vec<T::Own>,
        s => with(Vec::with_capacity(s.capacity()), s.into_iter().map(T::own)),
        own, texts => with(Vec::with_capacity(own.capacity()), own.into_iter().map(|o| T::lend(o, texts)));
    [T] VecDeque<T>, VecDeque<T::Own>,
        s => with(VecDeque::with_capacity(s.capacity()), s.into_iter().map(T::own)),
        own, texts => with(VecDeque::with_capacity(own.capacity()), own.into_iter().map(|o| T::lend(o, texts)));
    [A, B] (A, B), (A::Own, B::Own),
        s => (s.0.own(), s.1.own()), own, texts => (A::lend(own.0, texts), B::lend(own.1, texts));
}

fn with<T, C: Extend<T>>(mut list: C, items: impl Iterator<Item = T>) -> C {
    list.extend(items);
    list
}

macro_rules! pairs {
    ($($n:ty)*) => { groups! {$(
        [A] (A, $n), (A::Own, $n), s => (s.0.own(), s.1), own, texts => (A::lend(own.0, texts), own.1);
        [A] ($n, A), ($n, A::Own), s => (s.0, s.1.own()), own, texts => (own.0, A::lend(own.1, texts));
    )*} };
}

pairs!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char String);

/// A local that becomes another borrow.
pub fn cut<'a, T: Cut<'a>>(name: &'static str, value: T) -> Entry {
    keep(name, value.own())
}

/// What becomes of a local of type `T`, of which only its type says whether it is such a borrow.
pub trait Parting<'a, T> {
    fn entry(name: &'static str, value: T) -> Entry;
    fn back(texts: &'a Texts, frame: &mut impl Left, name: &'static str) -> T;
}

/// It is one,
pub struct LentPart;

impl<'a, T: Cut<'a>> Parting<'a, T> for LentPart {
    fn entry(name: &'static str, value: T) -> Entry {
        cut(name, value)
    }
    fn back(texts: &'a Texts, frame: &mut impl Left, name: &'static str) -> T {
        texts.lend(take(frame, name))
    }
}

/// or a value.
pub struct Whole;

impl<T: Checkpointable> Parting<'_, T> for Whole {
    fn entry(name: &'static str, value: T) -> Entry {
        keep(name, value)
    }
    fn back(_: &Texts, frame: &mut impl Left, name: &'static str) -> T {
        take(frame, name)
    }
}

#[inline(always)]
pub fn part<'a, T, K: Parting<'a, T>>(_: &PhantomData<K>, name: &'static str, value: T) -> Entry {
    K::entry(name, value)
}

#[inline(always)]
pub fn parted<'a, T, K: Parting<'a, T>>(
    _: &PhantomData<K>,
    texts: &'a Texts,
    frame: &mut impl Left,
    name: &'static str,
) -> T {
    K::back(texts, frame, name)
}

/// Asks it of the type.
pub struct Parted<T>(PhantomData<T>);

impl<T> Parted<T> {
    pub fn of(_: &PhantomData<T>) -> Self {
        Parted(PhantomData)
    }
}

pub trait IsLent {
    fn parts(&self, _: &PhantomData<LentPart>) {}
}

impl<T: Cuts> IsLent for &Parted<T> {}

pub trait IsOwn {
    fn parts(&self, _: &PhantomData<Whole>) {}
}

impl<T> IsOwn for Parted<T> {}

/// Of a local that would be made again, but is another one now.
pub trait LentStays {
    fn stays(&self, _: &PhantomData<LentPart>) {}
}

impl<T: Cuts> LentStays for &&Parted<T> {}

pub trait SavedStays {
    fn stays(&self, _: &PhantomData<Whole>) {}
}

impl<T: Checkpointable> SavedStays for &Parted<T> {}

pub trait OtherStays<T> {
    fn stays(&self, _: &PhantomData<Refused>)
    where
        T: Unchanged,
    {
    }
}

impl<T> OtherStays<T> for Parted<T> {}

/// It is neither: the compiler says so.
pub struct Refused;

impl<T> Parting<'_, T> for Refused {
    fn entry(_: &'static str, _: T) -> Entry {
        unreachable!("a program with this does not compile")
    }
    fn back(_: &Texts, _: &mut impl Left, _: &'static str) -> T {
        unreachable!("a program with this does not compile")
    }
}
