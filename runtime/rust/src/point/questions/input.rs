//! What is asked of locals that are made again or have been moved, by their types.

use std::marker::PhantomData;

use super::heads::Locked;
use super::ways::Borrowed;
use crate::point::mode::Kept;
use crate::value::Checkpointable;

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

/// An argument that is a borrow is made again,
#[doc(hidden)]
pub trait AgainBorrow: Sized {
    #[inline(always)]
    fn pc3_again(self) -> Self {
        self
    }
}

impl<T: Borrowed> AgainBorrow for T {}

/// and one that is a value has been kept.
#[doc(hidden)]
pub trait AgainValue: Sized {
    #[inline(always)]
    fn pc3_again(self) -> Kept<Self> {
        Kept(PhantomData)
    }
}

impl<T: crate::Loud> AgainValue for T {}
