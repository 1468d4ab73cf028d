//! Values that checkpoints can hold.

pub(crate) mod deep;
pub(crate) mod load;
pub(crate) mod save;
pub(crate) mod types;

use std::any::Any;

use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{TypeId, Types};

/// A value that a checkpoint can hold: `#[derive(Checkpointable)]` for structs and enums of such values.
///
/// `SIZE` and `ALIGN` are those of its form in checkpoints, in bytes, the same on every host.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be saved in a checkpoint",
    label = "this value would have to be saved",
    note = "derive `Checkpointable` for it, end its life before the location, or make it a borrow that shows as such (`&place`, `list.get(i)`), which is made again; let a loop go over a borrow, or over a `Vec` (`.collect::<Vec<_>>()`); of borrowed texts and lists keep an index, or an own one (`.to_owned()`)",
    note = "a field: `#[pc3(with = \"serde\")]`, `#[pc3(skip)]`, `#[pc3(transient = expression)]`; a local: `#[transient(expression)]`, or `#[reeval]` if the same expression gives it again; a file: `pc3::File`, `pc3::BufReader`; `StdRng`, `SmallRng`: those of `pc3::rand` give the same numbers; a function: `pc3::functions!`"
)]
pub trait Checkpointable: Sized + 'static {
    const SIZE: u64;
    const ALIGN: u64;
    /// The memory of a slice of these is what a checkpoint holds of it.
    const PLAIN: bool = false;
    /// Nothing in it leads elsewhere, and many of these are made faster part by part than one by one.
    #[doc(hidden)]
    const FLAT: bool = Self::PLAIN;

    /// The type as checkpoints describe it.
    fn describe(types: &mut Types) -> TypeId;

    /// Writes the value's `SIZE` bytes at `at` of the object that is being saved.
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize);

    /// Makes the value again.
    fn load(from: &Loading, value: View) -> Result<Self, LoadError>;

    /// Values one after the other.
    fn load_all(from: &Loading, values: View) -> Result<Vec<Self>, LoadError> {
        from.each(values)
    }

    /// Of types with `PLAIN`: the bytes of a slice.
    fn bytes(_slice: &[Self]) -> &[u8] {
        &[]
    }
}

/// A value of any type that a frame keeps while its stack is gone.
pub trait Kept {
    /// Checkpoints have it.
    fn is_saved(&self) -> bool {
        true
    }
    fn describe(&self, types: &mut Types) -> TypeId;
    fn metric(&self) -> (u64, u64);
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize);
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<T: Checkpointable> Kept for T {
    fn describe(&self, types: &mut Types) -> TypeId {
        T::describe(types)
    }
    fn metric(&self) -> (u64, u64) {
        (T::SIZE, T::ALIGN)
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        Checkpointable::save(self, out, at);
    }
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// A value that is kept in its process only.
pub(crate) struct Transient<T>(pub T);

impl<T: 'static> Kept for Transient<T> {
    fn is_saved(&self) -> bool {
        false
    }
    fn describe(&self, types: &mut Types) -> TypeId {
        <() as Checkpointable>::describe(types)
    }
    fn metric(&self) -> (u64, u64) {
        (0, 1)
    }
    fn save<'a>(&'a self, _: &mut Saver<'a>, _: usize) {}
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
