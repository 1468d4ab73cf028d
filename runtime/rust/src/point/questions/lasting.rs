//! Texts that live as long as the program, as arguments of marked calls: a parameter `text: &str` is made again by the caller,
//! who keeps a copy for that.  Only the type says whether an argument is one, and may not be known before the function's end.

use std::marker::PhantomData;

use crate::point::cut::{cut, Cut, Cuts, Texts};
use crate::point::frames::Entry;
use crate::point::locals::{hold, keep, take};
use crate::point::mode::{Kept, Left};
use crate::value::Checkpointable;

/// Texts, and values that hold some.
pub trait Lasting: Checkpointable + Copy {}

impl Lasting for &'static str {}
impl<T: Lasting> Lasting for Option<T> {}
impl<T: Lasting, U: Checkpointable + Copy> Lasting for (T, U) {}
impl<T: Lasting, U: Checkpointable + Copy, V: Checkpointable + Copy> Lasting for (T, U, V) {}

/// What the caller has of an argument of type `T`.
pub trait Keeping<T> {
    type Room;
    fn none() -> Self::Room;
    fn of(value: &T) -> Self::Room;
    fn entry(room: Self::Room, name: &'static str) -> Entry;
    fn back(frame: &mut impl Left, name: &'static str) -> Self::Room;
}

/// What an argument left there on its way into the call.
#[inline(always)]
pub(crate) fn copied<T>(room: Option<T>) -> T {
    match room {
        Some(value) => value,
        None => unreachable!("the call has been made"),
    }
}

/// A copy.
pub struct Lasts;

impl<T: Lasting> Keeping<T> for Lasts {
    type Room = Option<T>;
    #[inline(always)]
    fn none() -> Option<T> {
        None
    }
    #[inline(always)]
    fn of(value: &T) -> Option<T> {
        Some(*value)
    }
    fn entry(room: Option<T>, name: &'static str) -> Entry {
        keep(name, copied(room))
    }
    fn back(frame: &mut impl Left, name: &'static str) -> Option<T> {
        Some(take(frame, name))
    }
}

/// Nothing.
pub struct NoRoom;

/// Nothing, of no argument.
pub struct NoArgument;

macro_rules! nothing {
    ($($kind:ident)*) => {$(impl<T> Keeping<T> for $kind {
    type Room = ();
    #[inline(always)]
    fn none() {}
    #[inline(always)]
    fn of(_: &T) {}
    fn entry((): (), name: &'static str) -> Entry {
        hold(name, ())
    }
    #[inline(always)]
    fn back(_: &mut impl Left, _: &'static str) {}
})*};
}

nothing!(NoRoom NoArgument);

/// A copy of a borrow, which is saved as what it leads to.
pub struct Parts<'a>(PhantomData<&'a Texts>);

impl<'a, T: Cut<'a> + Copy> Keeping<T> for Parts<'a> {
    type Room = Option<T>;
    #[inline(always)]
    fn none() -> Option<T> {
        None
    }
    #[inline(always)]
    fn of(value: &T) -> Option<T> {
        Some(*value)
    }
    fn entry(room: Option<T>, name: &'static str) -> Entry {
        cut(name, copied(room))
    }
    fn back(_: &mut impl Left, _: &'static str) -> Option<T> {
        unreachable!("it borrows a text")
    }
}

/// What may have to borrow a text.
pub trait Lends<'a, T>: Keeping<T> {
    fn lent(texts: &'a Texts, frame: &mut impl Left, name: &'static str) -> Self::Room;
}

impl<'a, T: Cut<'a> + Copy> Lends<'a, T> for Parts<'a> {
    fn lent(texts: &'a Texts, frame: &mut impl Left, name: &'static str) -> Option<T> {
        Some(texts.lend(take(frame, name)))
    }
}

impl<T> Lends<'_, T> for NoRoom {
    #[inline(always)]
    fn lent(_: &Texts, _: &mut impl Left, _: &'static str) {}
}

/// An argument that the called function has kept, if that takes a value.
#[diagnostic::on_unimplemented(
    message = "this argument would be kept by the function that is called, which takes a borrow here: `{Self}`",
    label = "does not show that it is a borrow",
    note = "write `&` or `&mut` in front, or bind the borrow with `let` in front of the call; of a parameter `x: T` write `x: &T` or `&mut T`"
)]
pub trait Parameter<T, K: Keeping<T>> {
    fn again(room: &K::Room) -> Self;
}

impl<T> Parameter<T, NoRoom> for Kept<T> {
    #[inline(always)]
    fn again((): &()) -> Self {
        Kept(PhantomData)
    }
}

impl<T: Lasting> Parameter<T, Lasts> for Kept<T> {
    #[inline(always)]
    fn again(_: &Option<T>) -> Self {
        Kept(PhantomData)
    }
}

/// The function takes a borrow, and the value is one that lives as long as the program.
impl<T: Lasting> Parameter<T, Lasts> for T {
    #[inline(always)]
    fn again(room: &Option<T>) -> Self {
        copied(*room)
    }
}

impl<'a, T: Cut<'a> + Copy> Parameter<T, Parts<'a>> for Kept<T> {
    #[inline(always)]
    fn again(_: &Option<T>) -> Self {
        Kept(PhantomData)
    }
}

/// It takes a borrow of what has been saved with that.
impl<'a, T: Cut<'a> + Copy> Parameter<T, Parts<'a>> for T {
    #[inline(always)]
    fn again(room: &Option<T>) -> Self {
        copied(*room)
    }
}

/// So that the compiler does not take that above for granted: it would say something else then.
impl<T: Lasting> Parameter<T, NoArgument> for T {
    fn again((): &()) -> Self {
        unreachable!("no argument is of this kind")
    }
}

/// That of an argument which shows that it is no text.
#[inline(always)]
pub fn kept<T, P: Parameter<T, NoRoom>>(_: PhantomData<T>) -> P {
    P::again(&())
}

/// Of an argument.
pub struct Handed<T, K: Keeping<T>> {
    room: K::Room,
    of: PhantomData<(T, K)>,
}

impl<T, K: Keeping<T>> Handed<T, K> {
    /// The types are told apart from the value.
    #[inline(always)]
    pub fn none(_: &PhantomData<T>, _: &PhantomData<K>) -> Self {
        Handed {
            room: K::none(),
            of: PhantomData,
        }
    }
    pub fn entry(self, name: &'static str) -> Entry {
        K::entry(self.room, name)
    }
    #[inline(always)]
    pub fn back(frame: &mut impl Left, name: &'static str) -> Self {
        Handed {
            room: K::back(frame, name),
            of: PhantomData,
        }
    }
}

impl<T, K: Keeping<T>> Handed<T, K> {
    /// As `back`, of a local that may be a part of a text.
    #[inline(always)]
    pub fn lent<'a>(texts: &'a Texts, frame: &mut impl Left, name: &'static str) -> Self
    where
        K: Lends<'a, T>,
    {
        Handed {
            room: K::lent(texts, frame, name),
            of: PhantomData,
        }
    }
}

/// The argument, on its way into the call.
#[inline(always)]
pub fn handed<T, K: Keeping<T>>(into: &mut Handed<T, K>, value: T) -> T {
    into.room = K::of(&value);
    value
}

/// The argument when the call is gone back into.
#[inline(always)]
pub fn again<T, K: Keeping<T>, P: Parameter<T, K>>(from: &Handed<T, K>) -> P {
    P::again(&from.room)
}

/// Asks it of the type.
pub struct Argument<T>(PhantomData<T>);

impl<T> Argument<T> {
    pub fn of(_: &PhantomData<T>) -> Self {
        Argument(PhantomData)
    }
}

pub trait IsLasting {
    fn lasts(&self, _: &PhantomData<Lasts>) {}
}

impl<T: Lasting> IsLasting for &Argument<T> {}

pub trait IsPiece {
    fn pieces<'a>(&self, _: &PhantomData<Parts<'a>>) {}
}

impl<T: Cuts + Copy> IsPiece for &Argument<T> {}

pub trait IsNoPiece {
    fn pieces(&self, _: &PhantomData<NoRoom>) {}
}

impl<T> IsNoPiece for Argument<T> {}

pub trait IsEnding {
    fn lasts(&self, _: &PhantomData<NoRoom>) {}
}

impl<T> IsEnding for Argument<T> {}
