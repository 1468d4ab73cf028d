//! What functions return, and `main`.

use std::marker::PhantomData;
use std::ops::ControlFlow;

/// Ties an argument's type to that of the value it has otherwise.
#[inline(always)]
pub fn same<T>(_: PhantomData<T>, value: T) -> T {
    value
}

/// A value, with what is asked of its type behind it.
#[inline(always)]
pub fn first<T>(value: T, (): ()) -> T {
    value
}

/// A value with a `?` behind it, in a function that returns `R`.
pub struct Asked<V, R> {
    value: V,
    of: PhantomData<R>,
}

impl<V, R> Asked<V, R> {
    #[inline(always)]
    pub fn new(value: V) -> Self {
        Asked {
            value,
            of: PhantomData,
        }
    }
}

impl<T, E, U, F: From<E>> Asked<Result<T, E>, Result<U, F>> {
    #[inline(always)]
    pub fn question(self) -> ControlFlow<Result<U, F>, T> {
        match self.value {
            Ok(value) => ControlFlow::Continue(value),
            Err(e) => ControlFlow::Break(Err(F::from(e))),
        }
    }
}

impl<T, U> Asked<Option<T>, Option<U>> {
    #[inline(always)]
    pub fn question(self) -> ControlFlow<Option<U>, T> {
        match self.value {
            Some(value) => ControlFlow::Continue(value),
            None => ControlFlow::Break(None),
        }
    }
}

impl<B, C, D> Asked<ControlFlow<B, C>, ControlFlow<B, D>> {
    #[inline(always)]
    pub fn question(self) -> ControlFlow<ControlFlow<B, D>, C> {
        match self.value {
            ControlFlow::Continue(value) => ControlFlow::Continue(value),
            ControlFlow::Break(value) => ControlFlow::Break(ControlFlow::Break(value)),
        }
    }
}

/// A `?` that is wrong: the compiler says so of the function as it is written.
#[doc(hidden)]
pub trait Refused<R, T>: Sized {
    fn question(self) -> ControlFlow<R, T> {
        unreachable!("a program with this does not compile")
    }
}

impl<R, T, E> Refused<R, T> for Asked<Result<T, E>, R> {}
impl<R, T> Refused<R, T> for Asked<Option<T>, R> {}
impl<R, B, T> Refused<R, T> for Asked<ControlFlow<B, T>, R> {}

/// The end of a function whose last statement has no value: that is one of a function that gives none, or cannot be reached.
pub struct End<T>(PhantomData<T>);

impl<T> End<T> {
    #[inline(always)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        End(PhantomData)
    }
}

impl End<()> {
    #[inline(always)]
    pub fn reached(self) {}
}

#[doc(hidden)]
pub trait Reached<T>: Sized {
    #[cold]
    fn reached(self) -> T {
        unreachable!("the end of a function that gives a value")
    }
}

impl<T> Reached<T> for End<T> {}

/// The exit status that `main`'s result stands for.
pub trait Report {
    fn report(self) -> i32;
}

impl Report for () {
    fn report(self) -> i32 {
        0
    }
}

impl Report for std::process::ExitCode {
    fn report(self) -> i32 {
        let is = |n: &u8| std::process::ExitCode::from(*n) == self;
        (0..=u8::MAX).find(is).map_or(1, i32::from)
    }
}

impl<T: Report, E: std::fmt::Debug> Report for Result<T, E> {
    fn report(self) -> i32 {
        match self {
            Ok(value) => value.report(),
            Err(e) => {
                eprintln!("Error: {e:?}");
                1
            }
        }
    }
}
