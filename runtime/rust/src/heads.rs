//! Values in the heads of branches, loops and calls.  They live until the end of those, so across the points in them, but
//! have no names: where somebody could see them end earlier, the program does not compile.

use std::marker::PhantomData;

use crate::loud::{Judged, Kind, Local, Loud, Saved};

/// Asks what is known of such a value's type.
pub struct Brief<T>(PhantomData<T>);

impl<T> Brief<T> {
    pub fn of(_: &PhantomData<T>) -> Self {
        Brief(PhantomData)
    }
}

impl<T: Loud> Brief<T> {
    pub fn ends<L: Local>(self, _: Judged<L, Saved<T>>) {}
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
