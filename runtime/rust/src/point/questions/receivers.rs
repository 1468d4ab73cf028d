//! Whether a method takes its receiver by value, for the calls that are marked: types decide, so the arm that is not taken
//! ends in front of what it would do, and the compiler sees that no value is used there that is not there.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The very type: what is inferred of it is not of one like it.
type Just<T> = PhantomData<fn(T) -> T>;

/// The method borrows it; `S` has the types of its arguments.
pub struct Lent<S>(Just<S>);

impl<S> Lent<S> {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Lent(PhantomData)
    }
}

/// The method takes it; `F` is what goes back into it.
pub struct Moved<F>(Just<F>);

/// How a method takes what it is called on.
pub trait Takes {
    const MOVED: bool;
}

impl<S> Takes for Lent<S> {
    const MOVED: bool = false;
}

impl<F> Takes for Moved<F> {
    const MOVED: bool = true;
}

impl<F> Moved<F> {
    /// `F` is a function's own type, of which there is one value without a size.
    pub fn by(_: F) -> Self {
        const { assert!(size_of::<F>() == 0) };
        Moved(PhantomData)
    }
}

/// How a call's method takes its receiver.
pub struct Way<W>(Just<W>);

impl<W> Way<W> {
    #[inline(always)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Way(PhantomData)
    }
    /// Says which it is.
    pub fn is(&self, _: W) {}
}

/// What goes back into the method.
pub struct Form<F>(Just<F>);

impl<F> Form<F> {
    #[inline(always)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Form(PhantomData)
    }
    #[inline(always)]
    pub fn get(&self) -> F {
        if size_of::<F>() != 0 {
            unreachable!("only functions are gone back into");
        }
        // SAFETY: `Way::typed` makes `F` the type of a `Moved`, so the method's `pc3_way_…` has shown a function's own type, which
        // can be named, and so has its value, anywhere; or else that of a pointer, which has a size.
        unsafe { NonNull::<F>::dangling().read() }
    }
}

impl<S> Way<Lent<S>> {
    pub fn typed(&self, _: &Form<S>) {}
    #[inline(always)]
    pub fn is_moved(&self) -> bool {
        false
    }
    #[inline(always)]
    pub fn moved(&self) -> Infallible {
        unreachable!("it is borrowed")
    }
    #[inline(always)]
    pub fn lent(&self) {}
    #[inline(always)]
    pub fn given<T, R>(&self, _: T) -> R {
        unreachable!("it is borrowed")
    }
}

impl<F> Way<Moved<F>> {
    pub fn typed(&self, _: &Form<F>) {}
    #[inline(always)]
    pub fn is_moved(&self) -> bool {
        true
    }
    #[inline(always)]
    pub fn moved(&self) {}
    #[inline(always)]
    pub fn lent(&self) -> Infallible {
        unreachable!("it is moved")
    }
    #[inline(always)]
    pub fn given<R>(&self, result: R) -> R {
        result
    }
}
