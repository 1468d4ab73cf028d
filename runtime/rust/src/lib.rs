//! Rust programs that save their state and go on elsewhere.
//!
//! ```
//! use pc3::prelude::*;
//!
//! #[checkpointable]
//! fn work(list: &mut Vec<u64>, n: u64) -> u64 {
//!     let mut sum = 0;
//!     for i in 0..n {
//!         list.push(i * i);
//!         sum += i;
//!         checkpoint!();
//!     }
//!     sum
//! }
//!
//! #[pc3::main]
//! fn main() {
//!     let mut list = Vec::new();
//!     let sum = ck!(work(&mut list, 10));
//!     assert_eq!((sum, list.len()), (45, 10));
//! }
//! ```
//!
//! At a location where a checkpoint is due each function hands its live locals to the runtime, by move, and returns;
//! when the checkpoint is written, or in another process on another machine, they come back the same way.  What a
//! program's environment (`PC3_EVERY`, `PC3_RESTART`, …) and the tools do is the same as for C programs.
//!
//! | module | what |
//! |---|---|
//! | `value` | what can be saved: to bytes and back, and how checkpoints describe it |
//! | `kinds` | the standard library's types, and those of widely used crates |
//! | `file`, `buffered` | files, buffers in front of them |
//! | `saved`, `statics` | statics that are part of the state: as programs use them; all that there are |
//! | `functions`, `rand` | functions as values, generators |
//! | `point` | what the attribute's code is made of; `point::frames`: where locals wait |
//! | `mpi` | messages between ranks |
//! | `start` | `main` |
//!
//! Checkpoints name a derived type by its module, so such a type stays in its module.

// What the derive makes speaks of `pc3`.
extern crate self as pc3;

mod buffered;
mod file;
mod functions;
mod kinds;
#[cfg(feature = "mpi")]
pub mod mpi;
#[doc(hidden)]
pub mod point;
pub mod prelude;
#[cfg(feature = "rand")]
pub mod rand;
mod saved;
mod start;
mod statics;
mod value;

pub use crate::point::questions::loud::Loud;
pub use crate::point::questions::ways::Plain;
pub use buffered::{stdin, BufReader, BufWriter, Lines, Numbered, Stdin};
pub use file::{File, OpenOptions};
#[cfg(feature = "serde")]
pub use kinds::Serde;
pub use kinds::{tagged, AnyOrder, Unordered};
pub use pc3_macros::{checkpointable, main, Checkpointable};
pub use saved::Saved;
#[doc(hidden)]
pub use start::start;
#[cfg(feature = "mpi")]
#[doc(hidden)]
pub use start::start_mpi;
#[doc(hidden)]
pub use value::load::{missing, Columns};
pub use value::load::{LoadError, Loading, Members, View};
pub use value::save::Saver;
pub use value::types::{layout, widest, Layout, TypeId, Types, Variant};
pub use value::Checkpointable;

/// A checkpoint may be taken here: only within a function with `#[checkpointable]`.
#[macro_export]
macro_rules! checkpoint {
    (@used $function:literal) => {
        $crate::point::passed($function, ::core::file!(), ::core::line!())
    };
    ($($t:tt)*) => {
        compile_error!("`checkpoint!()` is a statement of a function with #[checkpointable]")
    };
}

/// Marks the call of a checkpointable function: only within another one.
#[macro_export]
macro_rules! ck {
    (@used) => {
        ()
    };
    ($($t:tt)*) => {
        compile_error!("`ck!(…)` is a statement, or the value of a `let`, of a function with #[checkpointable]")
    };
}

/// `dbg!` of values under the names that they are given.
#[doc(hidden)]
#[macro_export]
macro_rules! dbg_named {
    ($name:expr, $value:expr $(,)?) => {
        match $value {
            value => {
                ::std::eprintln!(
                    "[{}:{}:{}] {} = {:#?}",
                    ::core::file!(), ::core::line!(), ::core::column!(), $name, &value
                );
                value
            }
        }
    };
    ($($name:expr, $value:expr),+ $(,)?) => {
        ($($crate::dbg_named!($name, $value)),+,)
    };
}

/// What a trait whose objects are saved has above it: `trait Strategy: pc3::Dynamic`.
pub trait Dynamic: std::any::Any {
    fn as_any(&self) -> &dyn std::any::Any;
}

impl<T: std::any::Any> Dynamic for T {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// What a trait has above it whose `dynamic!` gives its types a name together: those that it does not name do not compile.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not among the types that `pc3::dynamic!` names as `{T}`",
    label = "boxes with this type could not be saved",
    note = "add it to that list"
)]
pub trait Named<T> {}

/// `dynamic!(dyn Trait: A, B)`, `dynamic!(dyn Trait + Send: A, B)`: boxes of `dyn Trait` can be saved; in them are values of these types, known in
/// checkpoints by these names.
///
/// ```
/// # use pc3::prelude::*;
/// mod shapes {
///     #[derive(pc3::Checkpointable)]
///     pub struct Square(pub f64);
///     #[derive(pc3::Checkpointable)]
///     pub struct Near<T>(pub T);
/// }
/// trait Shape: pc3::Dynamic {}
/// impl Shape for shapes::Square {}
/// impl Shape for shapes::Near<u8> {}
/// pc3::dynamic!(dyn Shape: shapes::Square, shapes::Near<u8>);
/// pc3::dynamic!(dyn Shape + Send: shapes::Square);
/// # #[pc3::main]
/// # fn main() {
/// #     let all: Vec<Box<dyn Shape>> = vec![Box::new(shapes::Square(2.0)), Box::new(shapes::Near(1))];
/// #     let sent: Box<dyn Shape + Send> = Box::new(shapes::Square(3.0));
/// #     checkpoint!();
/// #     assert_eq!(all.len(), 2);
/// #     let of = pc3::Dynamic::as_any(&*sent).downcast_ref::<shapes::Square>();
/// #     assert_eq!(of.map(|s| s.0), Some(3.0));
/// # }
/// ```
///
/// A box with another type in it is found when it is to be saved.  If the trait says so, it is when the program is built:
///
/// ```
/// # use pc3::prelude::*;
/// # #[derive(pc3::Checkpointable)]
/// # struct Square(pub f64);
/// trait Shape: pc3::Dynamic + pc3::Named<Shapes> {}
/// impl Shape for Square {}
/// pc3::dynamic!(dyn Shape as Shapes: Square);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! dynamic {
    ($of:ty as $name:ident: $($t:ty),+ $(,)?) => {
        /// Types whose boxes can be saved.
        pub enum $name {}
        $(impl $crate::Named<$name> for $t {})+
        $crate::dynamic!($of: $($t),+);
    };
    ($of:ty: $($t:ty),+ $(,)?) => {
        impl $crate::Checkpointable for ::std::boxed::Box<$of> {
            const SIZE: u64 = 16;
            const ALIGN: u64 = 8;

            fn describe(types: &mut $crate::Types) -> $crate::TypeId {
                types.variants::<Self>(::std::format!("Box<{}>", ::core::stringify!($of)), |types| {
                    ::std::vec![$($crate::Variant {
                        name: ::std::string::ToString::to_string(::core::stringify!($t)),
                        members: ::std::vec![(
                            ::std::string::ToString::to_string("0"),
                            <::std::boxed::Box<$t> as $crate::Checkpointable>::describe(types),
                            0,
                        )],
                        size: 8,
                        align: 8,
                    }),+]
                })
            }
            fn save<'a>(&'a self, out: &mut $crate::Saver<'a>, at: usize) {
                let any = $crate::Dynamic::as_any(&**self);
                let mut tag = 0u32;
                $(
                    if let ::core::option::Option::Some(value) = any.downcast_ref::<$t>() {
                        out.put(at, &tag.to_ne_bytes());
                        let address = out.slice(::core::slice::from_ref(value));
                        out.put(at + 8, &address.to_ne_bytes());
                        return;
                    }
                    tag += 1;
                )+
                let _ = tag;
                out.fail(::std::concat!("a value behind ", ::core::stringify!($of), " is of a type that its pc3::dynamic! does not name"));
            }
            fn load(from: &$crate::Loading, value: $crate::View) -> ::core::result::Result<Self, $crate::LoadError> {
                let name = ::std::format!("Box<{}>", ::core::stringify!($of));
                let (variant, members) = from.variant::<Self>(value, &name)?;
                $(
                    if variant == ::core::stringify!($t) {
                        let value: ::std::boxed::Box<$t> = members.load("0")?;
                        return ::core::result::Result::Ok(value);
                    }
                )+
                ::core::result::Result::Err($crate::LoadError::new(::std::format!(
                    "holds a {variant}, which pc3::dynamic! does not name"
                )))
            }
        }
    };
}

/// The guide's programs.
#[cfg(all(doctest, feature = "mpi"))]
#[doc = include_str!("../guide.md")]
pub struct Guide;
