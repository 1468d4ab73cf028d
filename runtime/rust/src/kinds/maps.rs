//! Sets and maps: items, or keys and values, in the order of iteration.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash, RandomState};

use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{TypeId, Types};
use crate::value::Checkpointable;

use super::containers::{describe, load, put};

/// Hashers of maps and sets whose order of iteration a program does not depend on: behind a restart it is another one.
///
/// That of the standard library's maps differs from run to run anyway.  With a hasher that is the same in each run it does not,
/// and what the program prints might depend on it: such a map says that it does not by [`Unordered`], or by
/// `impl pc3::AnyOrder for` a hasher of the program's.
#[diagnostic::on_unimplemented(
    message = "a hash map or set with the hasher `{Self}` has the same order in each run, and another one behind a restart",
    label = "what goes over it might do something else",
    note = "use a `BTreeMap`, the crate `indexmap`, or the standard library's `RandomState`; if the order does not matter, say so: `HashMap<K, V, pc3::Unordered<Hasher>>`"
)]
pub trait AnyOrder {}

impl AnyOrder for RandomState {}
impl<S> AnyOrder for Unordered<S> {}

/// A hasher of maps and sets whose order of iteration does not matter.
///
/// ```
/// # use std::hash::{BuildHasherDefault, DefaultHasher};
/// type Map<K, V> = std::collections::HashMap<K, V, pc3::Unordered<BuildHasherDefault<DefaultHasher>>>;
/// let mut ages = Map::default();
/// ages.insert("Dolly", 6);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unordered<S>(pub S);

impl<S: BuildHasher> BuildHasher for Unordered<S> {
    type Hasher = S::Hasher;
    fn build_hasher(&self) -> S::Hasher {
        self.0.build_hasher()
    }
}

macro_rules! sets {
    ($([$($g:tt)*] $t:ty, $name:literal, $make:expr;)*) => {$(
        impl<$($g)*> Checkpointable for $t {
            const SIZE: u64 = 16;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                describe::<Self, T>(types, $name)
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let address = out.items(self.iter().collect());
                put(out, at, address, self.len());
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let items = load::<Self, T>(from, value, $name)?;
                let make: fn(Vec<T>) -> Self = $make;
                Ok(make(items))
            }
        }
    )*};
}

sets! {
    [T: Checkpointable + Ord] BTreeSet<T>, "BTreeSet", |items| items.into_iter().collect();
    [T: Checkpointable + Hash + Eq, S: BuildHasher + Default + AnyOrder + 'static] HashSet<T, S>, "HashSet",
        |items| items.into_iter().collect();
}

macro_rules! maps {
    ($([$($g:tt)*] $t:ty, $name:literal;)*) => {$(
        impl<$($g)*> Checkpointable for $t {
            const SIZE: u64 = 24;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                let (key, value) = (K::describe(types), V::describe(types));
                let name = format!("{}<{}, {}>", $name, types.name(key), types.name(value));
                types.record::<Self>(name, |types| {
                    vec![
                        ("keys".to_owned(), types.pointer(key), 0),
                        ("values".to_owned(), types.pointer(value), 8),
                        ("length".to_owned(), u64::describe(types), 16),
                    ]
                })
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let keys = out.items(self.keys().collect());
                let values = out.items(self.values().collect());
                out.put(at, &keys.to_ne_bytes());
                put(out, at + 8, values, self.len());
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let members = from.generic::<Self>(value, $name)?;
                let keys: Vec<K> = members.list("keys", "length")?;
                let values: Vec<V> = members.list("values", "length")?;
                Ok(keys.into_iter().zip(values).collect())
            }
        }
    )*};
}

maps! {
    [K: Checkpointable + Ord, V: Checkpointable] BTreeMap<K, V>, "BTreeMap";
    [K: Checkpointable + Hash + Eq, V: Checkpointable, S: BuildHasher + Default + AnyOrder + 'static] HashMap<K, V, S>, "HashMap";
}
