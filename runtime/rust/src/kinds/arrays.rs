//! Arrays of the crate `ndarray`: extents, and elements in the order of memory.

use ndarray::{Array, Dimension, IxDyn, ShapeBuilder};

use crate::load::{LoadError, Loading, View};
use crate::save::Saver;
use crate::types::{TypeId, Types};
use crate::value::Checkpointable;

impl<T: Checkpointable, D: Dimension + 'static> Checkpointable for Array<T, D> {
    const SIZE: u64 = 40;
    const ALIGN: u64 = 8;

    fn describe(types: &mut Types) -> TypeId {
        let (item, extent) = (T::describe(types), usize::describe(types));
        types.record::<Self>(format!("Array<{}>", types.name(item)), |types| {
            vec![
                ("extents".to_owned(), types.pointer(extent), 0),
                ("dimensions".to_owned(), u64::describe(types), 8),
                ("items".to_owned(), types.pointer(item), 16),
                ("length".to_owned(), u64::describe(types), 24),
                ("columns_first".to_owned(), bool::describe(types), 32),
            ]
        })
    }

    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        // The order of elements in memory is part of the value: sums are made in it.
        let columns = !self.is_standard_layout();
        let items = match columns {
            false => self.as_slice(),
            true if self.view().reversed_axes().is_standard_layout() => {
                self.as_slice_memory_order()
            }
            true => None,
        };
        let Some(items) = items else {
            out.fail("an array does not lie in memory row by row or column by column: copy it first (`to_owned`)");
            return;
        };
        let extents = out.slice(self.shape());
        let address = out.slice(items);
        out.put(at, &extents.to_ne_bytes());
        out.put(at + 8, &(self.ndim() as u64).to_ne_bytes());
        out.put(at + 16, &address.to_ne_bytes());
        out.put(at + 24, &(items.len() as u64).to_ne_bytes());
        out.put(at + 32, &[u8::from(columns)]);
    }

    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let members = from.generic::<Self>(value, "Array")?;
        let extents: Vec<usize> = members.list("extents", "dimensions")?;
        let items: Vec<T> = members.list("items", "length")?;
        let columns: bool = members.load("columns_first")?;
        let shape = IxDyn(&extents).set_f(columns);
        let array =
            Array::from_shape_vec(shape, items).map_err(|e| LoadError::new(e.to_string()))?;
        array
            .into_dimensionality()
            .map_err(|_| value.not::<Self>(from))
    }
}
