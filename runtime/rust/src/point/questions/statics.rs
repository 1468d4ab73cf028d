//! Statics that are named by checkpointable functions: the compiler warns of those whose values change, as these are not saved.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{
    AtomicBool, AtomicI16, AtomicI32, AtomicI64, AtomicI8, AtomicIsize, AtomicPtr, AtomicU16,
    AtomicU32, AtomicU64, AtomicU8, AtomicUsize,
};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, RwLock};
use std::thread::LocalKey;

/// A value that has a name in capitals.
pub struct Named<'a, T: ?Sized>(pub &'a T);

/// A type whose values change in place.
pub trait Changing {}

macro_rules! changing {
    ($([$($g:tt)*] $t:ty;)*) => { $(impl<$($g)*> Changing for $t {})* };
}

changing! {
    [T] Cell<T>; [T: ?Sized] RefCell<T>; [T: ?Sized] Mutex<T>; [T: ?Sized] RwLock<T>; [T] LocalKey<T>;
    [] AtomicBool; [] AtomicU8; [] AtomicU16; [] AtomicU32; [] AtomicU64; [] AtomicUsize;
    [] AtomicI8; [] AtomicI16; [] AtomicI32; [] AtomicI64; [] AtomicIsize; [T] AtomicPtr<T>;
    // What is set once is set by `setup`, or is the same again.
    [T: Changing] OnceCell<T>; [T: Changing] OnceLock<T>; [T: Changing, F] LazyLock<T, F>;
    ['a, T: Changing + ?Sized] &'a T; [T: Changing + ?Sized] Box<T>; [T: Changing + ?Sized] Rc<T>; [T: Changing + ?Sized] Arc<T>;
    [T: Changing] [T]; [T: Changing, const N: usize] [T; N]; [T: Changing] Option<T>;
}

/// Asked first: a lock around nothing has no value.
pub trait NamedLock {
    fn value(&self) {}
}

impl NamedLock for &&Named<'_, Mutex<()>> {}
impl NamedLock for &&Named<'_, RwLock<()>> {}

pub trait NotSaved {
    #[deprecated(
        note = "the value of this static is not saved: behind a restart it is what it was at the start; make it one of `pc3::saved!`, or a local that is handed on; `#[allow(deprecated)]` in front of the function says that it does not matter"
    )]
    fn value(&self) {}
}

impl<T: Changing + ?Sized> NotSaved for &Named<'_, T> {}

pub trait NamedOther {
    fn value(&self) {}
}

impl<T: ?Sized> NamedOther for Named<'_, T> {}

/// Stands where a `static mut` is assigned to.
#[deprecated(
    note = "the value of this static is not saved: behind a restart it is what it was at the start; make it one of `pc3::saved!`, or a local that is handed on; `#[allow(deprecated)]` in front of the function says that it does not matter"
)]
pub const STATIC_MUT: () = ();
