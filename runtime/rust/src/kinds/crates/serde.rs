//! Values that serde saves: their form, and bytes that only their own type can read, the same on all hosts.

use serde::{de::DeserializeOwned, Serialize};

use super::shape;
use crate::point::questions::loud::Loud;
use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{TypeId, Types};
use crate::value::Checkpointable;

/// A value that is saved by serde; what `#[pc3(with = "serde")]` makes of a field's type.
#[repr(transparent)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Serde<T>(pub T);

impl<T> Serde<T> {
    /// The same value, seen so.
    pub fn of(value: &T) -> &Serde<T> {
        // SAFETY: the two have one layout.
        unsafe { &*std::ptr::from_ref(value).cast() }
    }
}

impl<T: Serialize + DeserializeOwned + 'static> Checkpointable for Serde<T> {
    const SIZE: u64 = 16;
    const ALIGN: u64 = 8;

    fn describe(types: &mut Types) -> TypeId {
        crate::kinds::containers::describe::<Self, u8>(types, "Serde")
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        match bytes(&self.0) {
            Ok(bytes) => {
                let length = bytes.len();
                let address = out.owned(bytes);
                crate::kinds::containers::put(out, at, address, length);
            }
            Err(e) => out.fail(format!("serde cannot save a value: {e}")),
        }
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let bytes: Vec<u8> = crate::kinds::containers::load::<Self, u8>(from, value, "Serde")?;
        let (form, bytes) = bytes
            .split_first_chunk()
            .ok_or_else(|| LoadError::new("has no bytes for serde"))?;
        let (value, rest) = postcard::take_from_bytes(bytes)
            .map_err(|e| LoadError::new(format!("is not what serde can read here: {e}")))?;
        if !rest.is_empty() {
            return Err(LoadError::new("has more bytes than serde reads here"));
        }
        match shape::of(&value) {
            Ok(found) if found == u64::from_le_bytes(*form) => Ok(Serde(value)),
            _ => Err(LoadError::new(
                "was saved by serde as another type: names, order or kinds of its members or variants have changed",
            )),
        }
    }
}

impl<T> Loud for Serde<T> {
    const LOUD: bool = std::mem::needs_drop::<T>();
}

/// The form of the value, eight bytes, and what serde makes of it.
fn bytes<T: Serialize>(value: &T) -> Result<Vec<u8>, String> {
    let form = shape::of(value).map_err(|e| e.to_string())?;
    postcard::to_extend(value, form.to_le_bytes().to_vec()).map_err(|e| e.to_string())
}

/// Types of crates that are saved by serde.
#[cfg(feature = "rand")]
macro_rules! by_serde {
    ($($t:ty),* $(,)?) => {$(
        impl Checkpointable for $t {
            const SIZE: u64 = 16;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                let bytes = <Serde<Self>>::describe(types);
                types.record::<Self>(stringify!($t).to_owned(), |_| vec![("state".to_owned(), bytes, 0)])
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                Serde::of(self).save(out, at);
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let members = from.members::<Self>(value, stringify!($t))?;
                members.load::<Serde<Self>>("state").map(|s| s.0)
            }
        }

        impl Loud for $t {}
    )*};
}

#[cfg(feature = "rand")]
by_serde! {
    rand_chacha::ChaCha8Rng, rand_chacha::ChaCha12Rng, rand_chacha::ChaCha20Rng,
    rand_pcg::Lcg64Xsh32, rand_pcg::Lcg128Xsl64, rand_pcg::Lcg128CmDxsm64, rand_pcg::Mcg128Xsl64,
    rand_xoshiro::SplitMix64, rand_xoshiro::Xoroshiro64Star, rand_xoshiro::Xoroshiro64StarStar,
    rand_xoshiro::Xoroshiro128Plus, rand_xoshiro::Xoroshiro128PlusPlus, rand_xoshiro::Xoroshiro128StarStar,
    rand_xoshiro::Xoshiro128Plus, rand_xoshiro::Xoshiro128PlusPlus, rand_xoshiro::Xoshiro128StarStar,
    rand_xoshiro::Xoshiro256Plus, rand_xoshiro::Xoshiro256PlusPlus, rand_xoshiro::Xoshiro256StarStar,
    rand_xoshiro::Xoshiro512Plus, rand_xoshiro::Xoshiro512PlusPlus, rand_xoshiro::Xoshiro512StarStar,
}
