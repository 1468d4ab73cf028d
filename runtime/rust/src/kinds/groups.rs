//! Tuples, `Option`, `Result` and other enums of the standard library.

use std::cmp::Ordering;
use std::convert::Infallible;
use std::ops::{Bound, ControlFlow};
use std::task::Poll;

use crate::value::load::{missing, LoadError, Loading, Members, View};
use crate::value::save::Saver;
use crate::value::types::{layout, widest, TypeId, Types};
use crate::value::Checkpointable;

macro_rules! tuples {
    ($($n:literal: $($t:ident $i:tt),+;)*) => {$(
        impl<$($t: Checkpointable),+> Checkpointable for ($($t,)+) {
            const SIZE: u64 = layout::<$n>([$(($t::SIZE, $t::ALIGN)),+]).size;
            const ALIGN: u64 = layout::<$n>([$(($t::SIZE, $t::ALIGN)),+]).align;
            const FLAT: bool = $($t::FLAT)&&+;

            fn describe(types: &mut Types) -> TypeId {
                let ids = [$($t::describe(types)),+];
                let names: Vec<String> = ids.iter().map(|id| types.name(*id)).collect();
                types.record::<Self>(format!("({})", names.join(", ")), |_| {
                    let at = layout::<$n>([$(($t::SIZE, $t::ALIGN)),+]).offsets;
                    vec![$((stringify!($i).to_owned(), ids[$i], at[$i])),+]
                })
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let offsets = layout::<$n>([$(($t::SIZE, $t::ALIGN)),+]).offsets;
                $(self.$i.save(out, at + offsets[$i] as usize);)+
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let members = Members::of(from, value);
                if members.names().count() != $n || !from.ty(value.ty).name.starts_with('(') {
                    return Err(value.not::<Self>(from));
                }
                Ok(($(members.load::<$t>(stringify!($i))?,)+))
            }
            fn load_all(from: &Loading, values: View) -> Result<Vec<Self>, LoadError> {
                from.columns(values, "(", &[$(stringify!($i)),+], |part| {
                    let mut all = ($(part.load::<$t>(stringify!($i))?,)+);
                    let one = |_| Ok(($(all.$i.next().ok_or_else(missing)?,)+));
                    (0..part.count()).map(one).collect()
                })
            }
        }
    )*};
}

tuples! {
    1: A 0;
    2: A 0, B 1;
    3: A 0, B 1, C 2;
    4: A 0, B 1, C 2, D 3;
    5: A 0, B 1, C 2, D 3, E 4;
    6: A 0, B 1, C 2, D 3, E 4, F 5;
    7: A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    8: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
    9: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8;
    10: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9;
    11: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10;
    12: A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11;
}

/// Enums whose variants hold one value or none.
macro_rules! enums {
    ($([$($g:tt)*] $t:ty, $name:literal { $($tag:literal $variant:ident $pattern:pat => $inner:ty, $value:expr, $make:expr;)+ })*) => {$(
        impl<$($g)*> $crate::Checkpointable for $t {
            const SIZE: u64 = $crate::tagged([$((<$inner as $crate::Checkpointable>::SIZE, <$inner as $crate::Checkpointable>::ALIGN)),+]).0;
            const ALIGN: u64 = $crate::tagged([$((<$inner as $crate::Checkpointable>::SIZE, <$inner as $crate::Checkpointable>::ALIGN)),+]).1;

            fn describe(types: &mut $crate::Types) -> $crate::TypeId {
                let inner: Vec<$crate::TypeId> = vec![$(<$inner as $crate::Checkpointable>::describe(types)),+];
                let names: Vec<String> = inner.iter().map(|id| types.name(*id)).filter(|n| n != "()").collect();
                let name = if names.is_empty() { $name.to_owned() } else { format!("{}<{}>", $name, names.join(", ")) };
                types.variants::<Self>(name, |_| vec![$($crate::Variant {
                    name: stringify!($variant).to_owned(),
                    members: if std::any::TypeId::of::<$inner>() == std::any::TypeId::of::<()>() {
                        Vec::new()
                    } else {
                        vec![("0".to_owned(), inner[$tag], 0)]
                    },
                    size: <$inner as $crate::Checkpointable>::SIZE,
                    align: <$inner as $crate::Checkpointable>::ALIGN,
                }),+])
            }
            fn save<'a>(&'a self, out: &mut $crate::Saver<'a>, at: usize) {
                match self {
                    $($pattern => {
                        out.put(at, &u32::to_ne_bytes($tag));
                        let inner: &'a $inner = $value;
                        $crate::Checkpointable::save(inner, out, at + <Self as $crate::Checkpointable>::ALIGN as usize);
                    })+
                }
            }
            fn load(from: &$crate::Loading, value: $crate::View) -> Result<Self, $crate::LoadError> {
                let name = &from.ty(value.ty).name;
                if name.split('<').next() != Some($name) {
                    return Err(value.not::<Self>(from));
                }
                let (variant, members) = from.variant::<Self>(value, name)?;
                match variant {
                    $(stringify!($variant) => {
                        let make: fn($inner) -> Self = $make;
                        let inner = match members.get("0") {
                            Some(view) => <$inner as $crate::Checkpointable>::load(from, view).map_err(|e| e.within(concat!(".", stringify!($variant))))?,
                            None => from.nothing::<$inner>()?,
                        };
                        Ok(make(inner))
                    })+
                    _ => Err(value.not::<Self>(from)),
                }
            }
        }
    )*};
}

pub(super) use enums;

/// Size and alignment of a tag in front of the widest of several values.
pub const fn tagged<const N: usize>(variants: [(u64, u64); N]) -> (u64, u64) {
    let (size, align) = widest(variants);
    let align = if align > 4 { align } else { 4 };
    ((align + size).next_multiple_of(align), align)
}

const NOTHING: &() = &();

impl Checkpointable for Infallible {
    const SIZE: u64 = 0;
    const ALIGN: u64 = 1;

    fn describe(types: &mut Types) -> TypeId {
        types.record::<Self>("Infallible".to_owned(), |_| Vec::new())
    }
    fn save<'a>(&'a self, _: &mut Saver<'a>, _: usize) {
        match *self {}
    }
    fn load(_: &Loading, _: View) -> Result<Self, LoadError> {
        Err(LoadError::new("has no value"))
    }
}

enums! {
    [T: Checkpointable] Option<T>, "Option" {
        0 None None => (), NOTHING, |()| None;
        1 Some Some(x) => T, x, Some;
    }
    [T: Checkpointable, E: Checkpointable] Result<T, E>, "Result" {
        0 Ok Ok(x) => T, x, Ok;
        1 Err Err(e) => E, e, Err;
    }
    [B: Checkpointable, C: Checkpointable] ControlFlow<B, C>, "ControlFlow" {
        0 Continue ControlFlow::Continue(x) => C, x, ControlFlow::Continue;
        1 Break ControlFlow::Break(x) => B, x, ControlFlow::Break;
    }
    [T: Checkpointable] Bound<T>, "Bound" {
        0 Included Bound::Included(x) => T, x, Bound::Included;
        1 Excluded Bound::Excluded(x) => T, x, Bound::Excluded;
        2 Unbounded Bound::Unbounded => (), NOTHING, |()| Bound::Unbounded;
    }
    [T: Checkpointable] Poll<T>, "Poll" {
        0 Ready Poll::Ready(x) => T, x, Poll::Ready;
        1 Pending Poll::Pending => (), NOTHING, |()| Poll::Pending;
    }
    [] Ordering, "Ordering" {
        0 Less Ordering::Less => (), NOTHING, |()| Ordering::Less;
        1 Equal Ordering::Equal => (), NOTHING, |()| Ordering::Equal;
        2 Greater Ordering::Greater => (), NOTHING, |()| Ordering::Greater;
    }
}
