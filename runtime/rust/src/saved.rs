//! Statics whose values belong to the state: each rank has its own, which checkpoints hold under the static's path.
//!
//! They make themselves known before `main` (`register`), so that a restart knows them all before the program goes on.
//! Their values lie with the rank's frames; in a process without ranks (tests, the feature `plain`) each thread has its own.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::point::frames;
use crate::start;
use crate::statics::{self, Static, Value, Values};
use crate::value::load::{LoadError, Loading, View};
use crate::value::Checkpointable;

/// A static of [`saved!`](crate::saved).
pub struct Saved<T: 'static> {
    name: &'static str,
    init: fn() -> T,
    /// Where its value is among those of a rank.
    index: AtomicUsize,
}

/// Called before `main`.
#[doc(hidden)]
pub fn register<T: Checkpointable>(saved: &'static Saved<T>) {
    statics::add(saved);
}

thread_local! {
    static OF_THREAD: RefCell<Values> = const { RefCell::new(Vec::new()) };
}

impl<T: Checkpointable> Static for Saved<T> {
    fn name(&self) -> &'static str {
        self.name
    }
    fn set_index(&self, index: usize) {
        self.index.store(index, Relaxed);
    }
    fn load(&self, from: &Loading, value: View) -> Result<Value, LoadError> {
        T::load(from, value).map(|value| self.value(&Rc::new(value)))
    }
}

impl<T: Checkpointable> Saved<T> {
    #[doc(hidden)]
    pub const fn new(name: &'static str, init: fn() -> T) -> Saved<T> {
        Saved {
            name,
            init,
            index: AtomicUsize::new(usize::MAX),
        }
    }

    fn value(&self, value: &Rc<T>) -> Value {
        Value {
            name: self.name,
            kept: value.clone(),
            any: value.clone(),
        }
    }

    /// Lends the rank's value, which is made when it is first asked for.
    ///
    /// # Panics
    /// In threads that are no rank's, and in the function that `#[pc3::main(setup = …)]` names.
    #[track_caller]
    pub fn with<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        f(&self.own())
    }

    #[track_caller]
    fn own(&'static self) -> Rc<T> {
        let index = self.index.load(Relaxed);
        let found = self.among(|values| values.get(index)?.clone());
        let found = found.and_then(|v| v.any.downcast::<T>().ok());
        found.unwrap_or_else(|| self.made(index))
    }

    /// The first use: what makes the value may use other statics.
    #[cold]
    #[track_caller]
    fn made(&'static self, index: usize) -> Rc<T> {
        let name = self.name;
        assert!(index != usize::MAX, "{name} is no static of `pc3::saved!`");
        let made = Rc::new((self.init)());
        let value = self.value(&made);
        self.among(|values| {
            if values.len() <= index {
                values.resize(index + 1, None);
            }
            values[index] = Some(value);
        });
        made
    }

    #[track_caller]
    fn among<R>(&self, with: impl FnOnce(&mut Values) -> R) -> R {
        let name = self.name;
        assert!(
            !start::is_setting_up(),
            "{name} is a saved static: what `setup` does to it would be done again behind a restart"
        );
        match frames::statics() {
            // SAFETY: of the running rank, which outlives the call; `with` calls no code of the program.
            Some(values) => with(&mut unsafe { &*values }.borrow_mut()),
            None => {
                assert!(
                    !start::is_started(),
                    "{name} is a saved static: each rank has its own value, and this thread is no rank's"
                );
                OF_THREAD.with_borrow_mut(with)
            }
        }
    }
}

impl<T> Saved<Cell<T>>
where
    Cell<T>: Checkpointable,
{
    #[track_caller]
    pub fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }
    #[track_caller]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T> Saved<RefCell<T>>
where
    RefCell<T>: Checkpointable,
{
    #[track_caller]
    pub fn with_borrow<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| f(&cell.borrow()))
    }
    #[track_caller]
    pub fn with_borrow_mut<R>(&'static self, f: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }
    #[track_caller]
    pub fn set(&'static self, value: T) {
        self.with(|cell| drop(cell.replace(value)));
    }
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

/// Statics that are part of the state: as those of `thread_local!`, and each checkpoint has their values, under their paths.
///
/// ```
/// use pc3::prelude::*;
/// use std::cell::{Cell, RefCell};
///
/// pc3::saved! {
///     static NEXT: Cell<u64> = Cell::new(1);
///     pub static NAMES: RefCell<Vec<String>> = RefCell::new(Vec::new());
/// }
///
/// fn named(name: &str) -> u64 {
///     NAMES.with_borrow_mut(|names| names.push(name.to_owned()));
///     NEXT.replace(NEXT.get() + 1)
/// }
///
/// #[pc3::main]
/// fn main() {
///     let first = named("first");
///     checkpoint!();
///     assert_eq!((first, named("second")), (1, 2));
///     assert_eq!(NAMES.take().len(), 2);
/// }
/// ```
///
/// A value is made when it is first used. Each rank has its own, and it is not dropped at the end. A static that a
/// checkpoint has and the program has not, or with another type, is refused at the restart.
#[macro_export]
macro_rules! saved {
    ($($(#[$attribute:meta])* $vis:vis static $name:ident: $t:ty = $init:expr);+ $(;)?) => {$(
        $(#[$attribute])*
        $vis static $name: $crate::Saved<$t> = {
            fn init() -> $t {
                $init
            }
            $crate::Saved::new(
                ::core::concat!(::core::module_path!(), "::", ::core::stringify!($name)),
                init,
            )
        };
        const _: () = {
            extern "C" fn register() {
                $crate::point::register(&$name);
            }
            // The loader calls what is listed there before `main`.
            #[used]
            #[unsafe(link_section = ".init_array")]
            static REGISTER: extern "C" fn() = register;
        };
    )+};
}
