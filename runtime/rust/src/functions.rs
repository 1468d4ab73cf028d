//! Functions as values.

/// `functions!(struct Op: fn(f64, f64) -> f64 { add, sub = math::minus })`: values that are one of these functions, called as a
/// field of type `fn` is, and known in checkpoints by these names.
///
/// ```
/// use pc3::prelude::*;
///
/// fn add(a: f64, b: f64) -> f64 {
///     a + b
/// }
///
/// pc3::functions! {
///     /// What a node does.
///     struct Op: fn(f64, f64) -> f64 { add, pow = f64::powf }
/// }
///
/// #[derive(Checkpointable)]
/// struct Node {
///     op: Op,
/// }
///
/// #[pc3::main]
/// fn main() {
///     let nodes = vec![Node { op: Op::add }, Node { op: Op::pow }];
///     checkpoint!();
///     assert_eq!((nodes[0].op)(2.0, 3.0), 5.0);
///     assert_eq!((nodes[1].op)(2.0, 3.0), 8.0);
///     assert!(nodes[0].op == Op::add && nodes[0].op != nodes[1].op);
/// }
/// ```
#[macro_export]
macro_rules! functions {
    ($(#[$attribute:meta])* $vis:vis struct $name:ident: $t:ty { $($function:ident $(= $path:expr)?),+ $(,)? }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        $vis struct $name {
            name: &'static str,
            call: $t,
        }
        #[allow(non_upper_case_globals, dead_code)]
        impl $name {
            $($vis const $function: $name = $name {
                name: ::core::stringify!($function),
                call: $crate::functions!(@of $function $($path)?),
            };)+
        }
        impl ::core::ops::Deref for $name {
            type Target = $t;
            fn deref(&self) -> &$t {
                &self.call
            }
        }
        impl ::core::cmp::PartialEq for $name {
            fn eq(&self, other: &$name) -> bool {
                self.name == other.name
            }
        }
        impl ::core::cmp::Eq for $name {}
        impl ::core::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter) -> ::core::fmt::Result {
                f.write_str(self.name)
            }
        }
        impl $crate::Plain for $name {}
        impl $crate::Loud for $name {}
        impl $crate::Checkpointable for $name {
            const SIZE: u64 = 4;
            const ALIGN: u64 = 4;

            fn describe(types: &mut $crate::Types) -> $crate::TypeId {
                types.variants::<Self>(::std::string::ToString::to_string(::core::stringify!($name)), |_| {
                    ::std::vec![$($crate::Variant {
                        name: ::std::string::ToString::to_string(::core::stringify!($function)),
                        members: ::std::vec::Vec::new(),
                        size: 0,
                        align: 1,
                    }),+]
                })
            }
            fn save<'a>(&'a self, out: &mut $crate::Saver<'a>, at: usize) {
                let all = [$(::core::stringify!($function)),+];
                if let ::core::option::Option::Some(tag) = all.iter().position(|name| *name == self.name) {
                    out.put(at, &(tag as u32).to_ne_bytes());
                }
            }
            fn load(from: &$crate::Loading, value: $crate::View) -> ::core::result::Result<Self, $crate::LoadError> {
                let (name, _) = from.variant::<Self>(value, ::core::stringify!($name))?;
                $(
                    if name == ::core::stringify!($function) {
                        return ::core::result::Result::Ok($name::$function);
                    }
                )+
                ::core::result::Result::Err($crate::LoadError::new(::std::format!(
                    "is the function {name}, which pc3::functions! does not name"
                )))
            }
        }
    };
    (@of $function:ident) => { $function };
    (@of $function:ident $path:expr) => { $path };
}
