//! Matrices of the crate `nalgebra`, and what is made of them: elements column by column, as they lie in memory.

use nalgebra::{
    ArrayStorage, Const, Dim, Isometry, Matrix, Point, Quaternion, RawStorage, Rotation, SVector,
    Scalar, Translation, Unit, VecStorage, Vector4,
};

use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{layout, TypeId, Types};
use crate::value::Checkpointable;

/// Those whose extents are in their type.
impl<T: Checkpointable, const R: usize, const C: usize> Checkpointable
    for Matrix<T, Const<R>, Const<C>, ArrayStorage<T, R, C>>
{
    const SIZE: u64 = <[[T; R]; C]>::SIZE;
    const ALIGN: u64 = <[[T; R]; C]>::ALIGN;
    const FLAT: bool = T::FLAT;

    fn describe(types: &mut Types) -> TypeId {
        let columns = <[[T; R]; C]>::describe(types);
        let name = format!("Matrix<{}>", types.name(columns));
        types.record::<Self>(name, |_| vec![("columns".to_owned(), columns, 0)])
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        self.data.0.save(out, at);
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let columns = from.generic::<Self>(value, "Matrix")?.load("columns")?;
        Ok(Matrix::from_data(ArrayStorage(columns)))
    }
}

/// Others.
impl<T: Checkpointable, R: Dim, C: Dim> Checkpointable for Matrix<T, R, C, VecStorage<T, R, C>>
where
    VecStorage<T, R, C>: RawStorage<T, R, C>,
{
    const SIZE: u64 = 32;
    const ALIGN: u64 = 8;

    fn describe(types: &mut Types) -> TypeId {
        let (item, extent) = (T::describe(types), usize::describe(types));
        types.record::<Self>(format!("DMatrix<{}>", types.name(item)), |types| {
            vec![
                ("items".to_owned(), types.pointer(item), 0),
                ("length".to_owned(), u64::describe(types), 8),
                ("rows".to_owned(), extent, 16),
                ("columns".to_owned(), extent, 24),
            ]
        })
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        let items = self.data.as_slice();
        let address = out.slice(items);
        super::super::containers::put(out, at, address, items.len());
        out.put(at + 16, &(self.nrows() as u64).to_ne_bytes());
        // Of a matrix without rows the items do not say how many.
        out.put(at + 24, &(self.ncols() as u64).to_ne_bytes());
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let members = from.generic::<Self>(value, "DMatrix")?;
        let items: Vec<T> = members.list("items", "length")?;
        let (rows, columns): (usize, usize) = (members.load("rows")?, members.load("columns")?);
        let fits = |known: Option<usize>, n| known.is_none_or(|k| k == n);
        let whole = rows.checked_mul(columns) == Some(items.len());
        if !whole || !fits(R::try_to_usize(), rows) || !fits(C::try_to_usize(), columns) {
            return Err(value.not::<Self>(from));
        }
        let storage = VecStorage::new(R::from_usize(rows), C::from_usize(columns), items);
        Ok(Matrix::from_data(storage))
    }
}

/// What is one value of another type.
macro_rules! wrappers {
    ($([$($g:tt)*] $t:ty, $name:literal, $inner:ty, $get:expr, $make:expr;)*) => {$(
        impl<$($g)*> Checkpointable for $t {
            const SIZE: u64 = <$inner>::SIZE;
            const ALIGN: u64 = <$inner>::ALIGN;
            const FLAT: bool = <$inner>::FLAT;

            fn describe(types: &mut Types) -> TypeId {
                let inner = <$inner>::describe(types);
                let name = format!("{}<{}>", $name, types.name(inner));
                types.record::<Self>(name, |_| vec![("value".to_owned(), inner, 0)])
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let get: fn(&'a Self) -> &'a $inner = $get;
                get(self).save(out, at);
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let make: fn($inner) -> Self = $make;
                from.generic::<Self>(value, $name)?.load("value").map(make)
            }
        }
    )*};
}

type Square<T, const D: usize> = Matrix<T, Const<D>, Const<D>, ArrayStorage<T, D, D>>;

wrappers! {
    [T: Checkpointable + Scalar, const D: usize] Point<T, D>, "Point", SVector<T, D>, |p| &p.coords, Point::from;
    [T: Checkpointable + Scalar, const D: usize] Translation<T, D>, "Translation", SVector<T, D>, |t| &t.vector, Translation::from;
    [T: Checkpointable + Scalar, const D: usize] Rotation<T, D>, "Rotation", Square<T, D>, |r| r.matrix(), Rotation::from_matrix_unchecked;
    [T: Checkpointable + Scalar] Quaternion<T>, "Quaternion", Vector4<T>, |q| &q.coords, Quaternion::from_vector;
    // It has length one as it is: to make it so again would change its last digits.
    [T: Checkpointable] Unit<T>, "Unit", T, |u| u.as_ref(), Unit::new_unchecked;
}

impl<T: Checkpointable + Scalar, R: Checkpointable, const D: usize> Checkpointable
    for Isometry<T, R, D>
{
    const SIZE: u64 = parts::<T, R, D>().size;
    const ALIGN: u64 = parts::<T, R, D>().align;

    fn describe(types: &mut Types) -> TypeId {
        let (turn, shift) = (R::describe(types), Translation::<T, D>::describe(types));
        let name = format!("Isometry<{}, {}>", types.name(turn), types.name(shift));
        let [_, at] = parts::<T, R, D>().offsets;
        types.record::<Self>(name, |_| {
            vec![
                ("rotation".to_owned(), turn, 0),
                ("translation".to_owned(), shift, at),
            ]
        })
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        let [_, shift] = parts::<T, R, D>().offsets;
        self.rotation.save(out, at);
        self.translation.save(out, at + shift as usize);
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let members = from.generic::<Self>(value, "Isometry")?;
        let (rotation, translation) = (members.load("rotation")?, members.load("translation")?);
        Ok(Isometry {
            rotation,
            translation,
        })
    }
}

const fn parts<T: Checkpointable + Scalar, R: Checkpointable, const D: usize>() -> crate::Layout<2>
{
    layout([
        (R::SIZE, R::ALIGN),
        (Translation::<T, D>::SIZE, Translation::<T, D>::ALIGN),
    ])
}
