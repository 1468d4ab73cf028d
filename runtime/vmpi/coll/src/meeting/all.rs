//! The calls of all members, in their seats.

use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;

use super::kind::Kind;
use pc3_vmpi_objects::error::{fail, Class, MpiError, Result};

#[repr(align(64))]
pub(crate) struct Seat {
    pub(crate) kind: Cell<Kind>,
    /// How often its member has come.
    pub(crate) entered: Cell<u32>,
    pub(crate) call: Cell<*const ()>,
    pub(crate) status: UnsafeCell<Result<()>>,
}

/// The calls of all members, by rank.
pub struct All<'a, C> {
    pub(crate) seats: &'a [Seat],
    pub(crate) of: PhantomData<C>,
}

impl Seat {
    pub(crate) fn new(kind: Kind, call: *const ()) -> Seat {
        Seat {
            kind: Cell::new(kind),
            entered: Cell::new(0),
            call: Cell::new(call),
            status: UnsafeCell::new(Ok(())),
        }
    }
}

/// Members of one communicator must be in the same collective.
pub(crate) fn same_kind(kinds: impl Fn(usize) -> Kind, n: usize, me: usize) -> Result<()> {
    let mine = kinds(me);
    match (0..n).find(|i| kinds(*i) != mine) {
        None => Ok(()),
        Some(i) => fail(
            Class::ERR_OTHER,
            format!(
                "members of one communicator are in different collectives: rank {me} called {}, rank {i} {}",
                mine.name(),
                kinds(i).name()
            ),
        ),
    }
}

impl<C> All<'_, C> {
    #[allow(clippy::len_without_is_empty)]
    #[inline]
    pub fn len(&self) -> usize {
        self.seats.len()
    }

    #[inline]
    pub fn get(&self, i: usize) -> &C {
        // SAFETY: kinds were compared, so it is a `C`; its owner waits until we are done.
        unsafe { &*self.seats[i].call.get().cast::<C>() }
    }

    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &C> {
        (0..self.len()).map(|i| self.get(i))
    }

    #[inline]
    pub fn kind(&self, i: usize) -> Kind {
        self.seats[i].kind.get()
    }

    /// Of a member elsewhere; false: there is none such.
    #[inline]
    pub(crate) fn set_kind(&self, i: usize, kind: u32) -> bool {
        Kind::of(kind).map(|k| self.seats[i].kind.set(k)).is_some()
    }

    /// Of a member elsewhere.
    #[inline]
    pub fn seat(&self, i: usize, call: &C) {
        self.seats[i].call.set((call as *const C).cast());
    }

    /// Member `i`'s call is to return this error.
    #[inline]
    pub fn fail(&self, i: usize, e: MpiError) {
        // SAFETY: only whoever works for member `i` writes here, before its release.
        unsafe { *self.seats[i].status.get() = Err(e) }
    }
}
