//! Datatype constructors with large counts (MPI 4.1 section 5.1).

use crate::arguments::{count, slice, wide_count};
use crate::entry::entry;
use crate::objects::datatype::{create_of, order_of};
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_objects::datatype::build::{Constructor, Subdim};
use pc3_vmpi_objects::error::{fail, Class, Result};
use std::ffi::c_int;

fn disp(d: i64) -> Result<isize> {
    isize::try_from(d).or_else(|_| {
        fail(
            Class::ERR_ARG,
            format!("the displacement {d} is more than memory has"),
        )
    })
}

unsafe fn blocks(n: i64, lens: *const i64, displs: *const i64) -> Result<Vec<(usize, isize)>> {
    let n = wide_count(n)?;
    // SAFETY: the program's arrays.
    let pairs = unsafe { slice(lens, n)?.iter().zip(slice(displs, n)?) };
    pairs
        .map(|(n, d)| Ok((wide_count(*n)?, disp(*d)?)))
        .collect()
}

unsafe fn places(n: i64, displs: *const i64) -> Result<Vec<isize>> {
    // SAFETY: the program's array.
    let list = unsafe { slice(displs, wide_count(n)?)? };
    list.iter().map(|d| disp(*d)).collect()
}

/// The call's arguments, and the constructor they make.
macro_rules! constructors { ($($name:ident($($arg:ident: $t:ty),*) $me:ident => $c:expr;)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name($($arg: $t,)* new: *mut usize) -> c_int {
        entry(stringify!($name), 0, |$me| create_of($me, $c, true, new))
    }
)* } }
constructors! {
    MPI_Type_contiguous_c(n: i64, old: usize) me => Constructor::Contiguous {
        count: wide_count(n)?,
        old: me.objects().datatype(old)?,
    };
    MPI_Type_vector_c(n: i64, blocklen: i64, stride: i64, old: usize) me => Constructor::Vector {
        count: wide_count(n)?,
        blocklen: wide_count(blocklen)?,
        stride: disp(stride)?,
        old: me.objects().datatype(old)?,
    };
    MPI_Type_create_hvector_c(n: i64, blocklen: i64, stride: i64, old: usize) me => Constructor::Hvector {
        count: wide_count(n)?,
        blocklen: wide_count(blocklen)?,
        stride: disp(stride)?,
        old: me.objects().datatype(old)?,
    };
    MPI_Type_indexed_c(n: i64, lens: *const i64, displs: *const i64, old: usize) me => Constructor::Indexed {
        blocks: blocks(n, lens, displs)?,
        old: me.objects().datatype(old)?,
    };
    MPI_Type_create_hindexed_c(n: i64, lens: *const i64, displs: *const i64, old: usize) me => Constructor::Hindexed {
        blocks: blocks(n, lens, displs)?,
        old: me.objects().datatype(old)?,
    };
    MPI_Type_create_indexed_block_c(n: i64, blocklen: i64, displs: *const i64, old: usize) me =>
        Constructor::IndexedBlock {
            blocklen: wide_count(blocklen)?,
            displs: places(n, displs)?,
            old: me.objects().datatype(old)?,
        };
    MPI_Type_create_hindexed_block_c(n: i64, blocklen: i64, displs: *const i64, old: usize) me =>
        Constructor::HindexedBlock {
            blocklen: wide_count(blocklen)?,
            displs: places(n, displs)?,
            old: me.objects().datatype(old)?,
        };
    MPI_Type_create_struct_c(n: i64, lens: *const i64, displs: *const i64, types: *const usize) me => {
        let list = blocks(n, lens, displs)?.into_iter().zip(slice(types, wide_count(n)?)?);
        let list = list.map(|((len, at), ty)| Ok((len, at, me.objects().datatype(*ty)?)));
        Constructor::Struct { blocks: list.collect::<Result<_>>()? }
    };
    MPI_Type_create_resized_c(old: usize, lb: i64, extent: i64) me => Constructor::Resized {
        lb: disp(lb)?,
        extent: disp(extent)?,
        old: me.objects().datatype(old)?,
    };
    MPI_Type_create_subarray_c(
        ndims: c_int,
        sizes: *const i64,
        subsizes: *const i64,
        starts: *const i64,
        order: c_int,
        old: usize
    ) me => {
        let n = count(ndims)?;
        if n == 0 {
            return fail(Class::ERR_ARG, "a subarray without dimensions");
        }
        let (sizes, subsizes, starts) = (slice(sizes, n)?, slice(subsizes, n)?, slice(starts, n)?);
        let at = |v: i64| {
            usize::try_from(v).or_else(|_| fail(Class::ERR_ARG, format!("a subarray with {v}")))
        };
        let dim = |i: usize| -> Result<Subdim> {
            Ok(Subdim { size: at(sizes[i])?, subsize: at(subsizes[i])?, start: at(starts[i])? })
        };
        Constructor::Subarray {
            dims: (0..n).map(dim).collect::<Result<_>>()?,
            order: order_of(order)?,
            old: me.objects().datatype(old)?,
        }
    };
}
