//! Borrowed texts in locals of which it does not show what they are made from, or that become others (`rest = &rest[i..]`): a
//! checkpoint has texts of their own for them, which they borrow afterwards.

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;

use crate::frames::Entry;
use crate::point::{keep, take, Left};
use crate::value::Checkpointable;
use crate::ways::Unchanged;

/// What a function's locals borrow after a checkpoint.
#[derive(Default)]
pub struct Texts(RefCell<Vec<*mut dyn Any>>);

impl Texts {
    #[inline(always)]
    pub fn new() -> Texts {
        Texts(RefCell::new(Vec::new()))
    }

    pub fn lend<'a, T: Cut<'a>>(&'a self, own: T::Own) -> T {
        let own = Box::into_raw(Box::new(own));
        self.0.borrow_mut().push(own);
        // SAFETY: it is freed with `self` and changed by nobody.
        T::lend(unsafe { &*own })
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
    fn own(&self) -> Self::Own;
    fn lend(own: &'a Self::Own) -> Self;
}

/// The same of any lifetime.
pub trait Cuts: Sized {}

macro_rules! cuts {
    ($([$($g:tt)*] $t:ty, $own:ty, $self:ident => $to:expr, $from:ident => $back:expr;)*) => {$(
        impl<'a, $($g)*> Cuts for $t {}
        impl<'a, $($g)*> Cut<'a> for $t {
            type Own = $own;
            fn own(&self) -> $own {
                let $self = self;
                $to
            }
            fn lend($from: &'a $own) -> Self {
                $back
            }
        }
    )*};
}

cuts! {
    [] &'a str, String, s => (*s).to_owned(), own => own;
    [T: Checkpointable + Copy] &'a [T], Vec<T>, s => s.to_vec(), own => own;
}

impl<T: Cuts> Cuts for Option<T> {}
impl<'a, T: Cut<'a>> Cut<'a> for Option<T> {
    type Own = Option<T::Own>;
    fn own(&self) -> Self::Own {
        self.as_ref().map(T::own)
    }
    fn lend(own: &'a Self::Own) -> Self {
        own.as_ref().map(T::lend)
    }
}

impl<T: Cuts> Cuts for Vec<T> {}
impl<'a, T: Cut<'a>> Cut<'a> for Vec<T> {
    type Own = Vec<T::Own>;
    fn own(&self) -> Self::Own {
        let mut own = Vec::with_capacity(self.capacity());
        own.extend(self.iter().map(T::own));
        own
    }
    fn lend(own: &'a Self::Own) -> Self {
        let mut all = Vec::with_capacity(own.capacity());
        all.extend(own.iter().map(T::lend));
        all
    }
}

impl<A: Cuts, B: Cuts> Cuts for (A, B) {}
impl<'a, A: Cut<'a>, B: Cut<'a>> Cut<'a> for (A, B) {
    type Own = (A::Own, B::Own);
    fn own(&self) -> Self::Own {
        (self.0.own(), self.1.own())
    }
    fn lend(own: &'a Self::Own) -> Self {
        (A::lend(&own.0), B::lend(&own.1))
    }
}

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
pub struct Lent;

impl<'a, T: Cut<'a>> Parting<'a, T> for Lent {
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
    fn parts(&self, _: &PhantomData<Lent>) {}
}

impl<T: Cuts> IsLent for &Parted<T> {}

pub trait IsOwn {
    fn parts(&self, _: &PhantomData<Whole>) {}
}

impl<T> IsOwn for Parted<T> {}

/// Of a local that would be made again, but is another one now.
pub trait LentStays {
    fn stays(&self, _: &PhantomData<Lent>) {}
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
