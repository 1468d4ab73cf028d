//! Arrays of the crate `ndarray`: extents, and elements in the order of memory.

use ndarray::{ArcArray, Array, ArrayBase, CowArray, Data, Dimension, IxDyn, ShapeBuilder};

use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{TypeId, Types};
use crate::value::Checkpointable;

fn describe<A: Checkpointable, T: Checkpointable>(types: &mut Types) -> TypeId {
    let (item, extent) = (T::describe(types), usize::describe(types));
    types.record::<A>(format!("Array<{}>", types.name(item)), |types| {
        vec![
            ("extents".to_owned(), types.pointer(extent), 0),
            ("dimensions".to_owned(), u64::describe(types), 8),
            ("items".to_owned(), types.pointer(item), 16),
            ("length".to_owned(), u64::describe(types), 24),
            ("columns_first".to_owned(), bool::describe(types), 32),
        ]
    })
}

fn save<'a, S, D>(array: &'a ArrayBase<S, D>, out: &mut Saver<'a>, at: usize)
where
    S: Data,
    S::Elem: Checkpointable,
    D: Dimension,
{
    // The order of elements in memory is part of the value: sums are made in it.
    let columns = !array.is_standard_layout();
    let items = match columns {
        false => array.as_slice(),
        true if array.view().reversed_axes().is_standard_layout() => array.as_slice_memory_order(),
        true => None,
    };
    let Some(items) = items else {
        out.fail("an array does not lie in memory row by row or column by column: copy it first (`to_owned`)");
        return;
    };
    let extents = out.slice(array.shape());
    let address = out.slice(items);
    out.put(at, &extents.to_ne_bytes());
    out.put(at + 8, &(array.ndim() as u64).to_ne_bytes());
    out.put(at + 16, &address.to_ne_bytes());
    out.put(at + 24, &(items.len() as u64).to_ne_bytes());
    out.put(at + 32, &[u8::from(columns)]);
}

fn load<T: Checkpointable, D: Dimension>(
    from: &Loading,
    value: View,
) -> Result<Array<T, D>, LoadError> {
    let members = from.generic::<Array<T, D>>(value, "Array")?;
    let extents: Vec<usize> = members.list("extents", "dimensions")?;
    let items: Vec<T> = members.list("items", "length")?;
    let columns: bool = members.load("columns_first")?;
    let shape = IxDyn(&extents).set_f(columns);
    let array = Array::from_shape_vec(shape, items).map_err(|e| LoadError::new(e.to_string()))?;
    array
        .into_dimensionality()
        .map_err(|_| value.not::<Array<T, D>>(from))
}

/// Those that share their elements with others have them for themselves after a restart: they copy what they change.
macro_rules! arrays {
    ($([$($bound:tt)*] $t:ty, $make:expr;)*) => {$(
        impl<T: Checkpointable $($bound)*, D: Dimension + 'static> Checkpointable for $t {
            const SIZE: u64 = 40;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                describe::<Self, T>(types)
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                save(self, out, at);
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                load::<T, D>(from, value).map($make)
            }
        }
    )*};
}

arrays! {
    [] Array<T, D>, |a| a;
    [+ Clone] ArcArray<T, D>, ArcArray::from;
    [+ Clone] CowArray<'static, T, D>, CowArray::from;
}
