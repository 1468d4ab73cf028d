//! Types of widely used crates.

#[cfg(feature = "ndarray")]
pub(in crate::kinds) mod arrays;
#[cfg(feature = "chrono")]
mod dates;
#[cfg(feature = "nalgebra")]
mod linear;
#[cfg(feature = "serde")]
pub(in crate::kinds) mod serde;
#[cfg(feature = "serde")]
pub(in crate::kinds) mod shape;

#[cfg(feature = "num-complex")]
impl<T: crate::Checkpointable> crate::Checkpointable for num_complex::Complex<T> {
    const SIZE: u64 = 2 * T::SIZE;
    const ALIGN: u64 = T::ALIGN;
    const PLAIN: bool = T::PLAIN;

    fn describe(types: &mut crate::Types) -> crate::TypeId {
        let part = T::describe(types);
        types.record::<Self>(format!("Complex<{}>", types.name(part)), |_| {
            vec![("re".to_owned(), part, 0), ("im".to_owned(), part, T::SIZE)]
        })
    }
    fn save<'a>(&'a self, out: &mut crate::Saver<'a>, at: usize) {
        self.re.save(out, at);
        self.im.save(out, at + T::SIZE as usize);
    }
    fn load(from: &crate::Loading, value: crate::View) -> Result<Self, crate::LoadError> {
        let members = from.generic::<Self>(value, "Complex")?;
        Ok(Self::new(members.load("re")?, members.load("im")?))
    }
    fn load_all(from: &crate::Loading, values: crate::View) -> Result<Vec<Self>, crate::LoadError> {
        let Some(parts) = from.joined(values, "Complex", &["re", "im"]) else {
            return from.each(values);
        };
        let mut parts = T::load_all(from, parts)?.into_iter();
        Ok(std::iter::from_fn(|| Some(Self::new(parts.next()?, parts.next()?))).collect())
    }
    fn bytes(slice: &[Self]) -> &[u8] {
        // SAFETY: two parts one after the other, `repr(C)`.
        T::bytes(unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), 2 * slice.len()) })
    }
}

#[cfg(feature = "smallvec")]
impl<A: smallvec::Array + 'static> crate::Checkpointable for smallvec::SmallVec<A>
where
    A::Item: crate::Checkpointable,
{
    const SIZE: u64 = 16;
    const ALIGN: u64 = 8;

    fn describe(types: &mut crate::Types) -> crate::TypeId {
        super::containers::describe::<Self, A::Item>(types, "SmallVec")
    }
    fn save<'a>(&'a self, out: &mut crate::Saver<'a>, at: usize) {
        let address = out.slice(self.as_slice());
        super::containers::put(out, at, address, self.len());
    }
    fn load(from: &crate::Loading, value: crate::View) -> Result<Self, crate::LoadError> {
        super::containers::load::<Self, A::Item>(from, value, "SmallVec").map(Self::from_vec)
    }
}

#[cfg(feature = "arrayvec")]
impl<T: crate::Checkpointable, const N: usize> crate::Checkpointable for arrayvec::ArrayVec<T, N> {
    const SIZE: u64 = 16;
    const ALIGN: u64 = 8;

    fn describe(types: &mut crate::Types) -> crate::TypeId {
        super::containers::describe::<Self, T>(types, "ArrayVec")
    }
    fn save<'a>(&'a self, out: &mut crate::Saver<'a>, at: usize) {
        let address = out.slice(self.as_slice());
        super::containers::put(out, at, address, self.len());
    }
    fn load(from: &crate::Loading, value: crate::View) -> Result<Self, crate::LoadError> {
        let items = super::containers::load::<Self, T>(from, value, "ArrayVec")?;
        match items.len() <= N {
            true => Ok(items.into_iter().collect()),
            false => Err(crate::LoadError::new(format!(
                "has room for {N}, and holds {} in the checkpoint",
                items.len()
            ))),
        }
    }
}

#[cfg(feature = "arrayvec")]
impl<const N: usize> crate::Checkpointable for arrayvec::ArrayString<N> {
    const SIZE: u64 = 16;
    const ALIGN: u64 = 8;

    fn describe(types: &mut crate::Types) -> crate::TypeId {
        super::containers::describe::<Self, u8>(types, "ArrayString")
    }
    fn save<'a>(&'a self, out: &mut crate::Saver<'a>, at: usize) {
        let address = out.slice(self.as_bytes());
        super::containers::put(out, at, address, self.len());
    }
    fn load(from: &crate::Loading, value: crate::View) -> Result<Self, crate::LoadError> {
        let bytes = super::containers::load::<Self, u8>(from, value, "ArrayString")?;
        let text = std::str::from_utf8(&bytes).map_err(|e| crate::LoadError::new(e.to_string()))?;
        Self::from(text).map_err(|e| crate::LoadError::new(e.to_string()))
    }
}

#[cfg(feature = "indexmap")]
impl<K, V, S> crate::Checkpointable for indexmap::IndexMap<K, V, S>
where
    K: crate::Checkpointable + std::hash::Hash + Eq,
    V: crate::Checkpointable,
    S: std::hash::BuildHasher + Default + 'static,
{
    const SIZE: u64 = 32;
    const ALIGN: u64 = 8;

    fn describe(types: &mut crate::Types) -> crate::TypeId {
        let (key, value) = (K::describe(types), V::describe(types));
        let name = format!("IndexMap<{}, {}>", types.name(key), types.name(value));
        types.record::<Self>(name, |types| {
            vec![
                ("keys".to_owned(), types.pointer(key), 0),
                ("values".to_owned(), types.pointer(value), 8),
                ("length".to_owned(), u64::describe(types), 16),
            ]
        })
    }
    fn save<'a>(&'a self, out: &mut crate::Saver<'a>, at: usize) {
        let keys = out.items(self.keys().collect());
        let values = out.items(self.values().collect());
        out.put(at, &keys.to_ne_bytes());
        super::containers::put(out, at + 8, values, self.len());
    }
    fn load(from: &crate::Loading, value: crate::View) -> Result<Self, crate::LoadError> {
        let members = from.generic::<Self>(value, "IndexMap")?;
        let keys: Vec<K> = members.list("keys", "length")?;
        let values: Vec<V> = members.list("values", "length")?;
        Ok(keys.into_iter().zip(values).collect())
    }
}

#[cfg(feature = "indexmap")]
impl<T, S> crate::Checkpointable for indexmap::IndexSet<T, S>
where
    T: crate::Checkpointable + std::hash::Hash + Eq,
    S: std::hash::BuildHasher + Default + 'static,
{
    const SIZE: u64 = 16;
    const ALIGN: u64 = 8;

    fn describe(types: &mut crate::Types) -> crate::TypeId {
        super::containers::describe::<Self, T>(types, "IndexSet")
    }
    fn save<'a>(&'a self, out: &mut crate::Saver<'a>, at: usize) {
        let items = out.items(self.iter().collect());
        super::containers::put(out, at, items, self.len());
    }
    fn load(from: &crate::Loading, value: crate::View) -> Result<Self, crate::LoadError> {
        let items = super::containers::load::<Self, T>(from, value, "IndexSet")?;
        Ok(items.into_iter().collect())
    }
}

#[cfg(feature = "bytes")]
macro_rules! bytes {
    ($($t:ident)*) => {$(
        impl crate::Checkpointable for bytes::$t {
            const SIZE: u64 = 16;
            const ALIGN: u64 = 8;

            fn describe(types: &mut crate::Types) -> crate::TypeId {
                super::containers::describe::<Self, u8>(types, stringify!($t))
            }
            fn save<'a>(&'a self, out: &mut crate::Saver<'a>, at: usize) {
                let address = out.slice(&self[..]);
                super::containers::put(out, at, address, self.len());
            }
            fn load(from: &crate::Loading, value: crate::View) -> Result<Self, crate::LoadError> {
                let list = super::containers::load::<Self, u8>(from, value, stringify!($t))?;
                Ok(bytes::Bytes::from(list).into())
            }
        }
    )*};
}

#[cfg(feature = "bytes")]
bytes!(Bytes BytesMut);

#[cfg(feature = "uuid")]
impl crate::Checkpointable for uuid::Uuid {
    const SIZE: u64 = 16;
    const ALIGN: u64 = 1;

    fn describe(types: &mut crate::Types) -> crate::TypeId {
        types.record::<Self>("Uuid".to_owned(), |types| {
            vec![("bytes".to_owned(), <[u8; 16]>::describe(types), 0)]
        })
    }
    fn save<'a>(&'a self, out: &mut crate::Saver<'a>, at: usize) {
        out.put(at, self.as_bytes());
    }
    fn load(from: &crate::Loading, value: crate::View) -> Result<Self, crate::LoadError> {
        let members = from.members::<Self>(value, "Uuid")?;
        members.load("bytes").map(Self::from_bytes)
    }
}
