//! Making, committing and freeing datatypes (MPI 3.1 section 4.1).

use crate::arguments::{count, put, slice};
use crate::entry::entry;
use crate::objects::attr;
use crate::raise::source_line;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::attr::{Attributes, On};
use pc3_vmpi_objects::datatype::build::{build, make, ArrayOrder, Constructor, Subdim};
use pc3_vmpi_objects::datatype::counted::{Counted, Counts};
use pc3_vmpi_objects::datatype::darray::DarrayArguments;
use pc3_vmpi_objects::datatype::{Datatype, TypeObject, TypeRef};
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::{abi, FIRST_DYNAMIC};
use std::ffi::c_int;

pub fn give(me: &RankState, ty: TypeRef, committed: bool) -> usize {
    me.objects().types.insert(TypeObject {
        ty,
        committed,
        name: None,
        attrs: Attributes::new(),
    })
}

pub unsafe fn create(me: &RankState, c: Constructor, new: *mut usize) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { create_of(me, c, false, new) }
}

/// `wide`: by a constructor with large counts.
pub(crate) unsafe fn create_of(
    me: &RankState,
    c: Constructor,
    wide: bool,
    new: *mut usize,
) -> Result<()> {
    let addresses = if c.has_byte_displacements() {
        me.objects().addresses.lately()
    } else {
        Box::default()
    };
    let ty = build(c, source_line(me))?;
    let ty = Datatype {
        addresses,
        wide,
        ..ty
    };
    let made = give(me, ty.into(), false);
    me.objects().made = made;
    put(new, made)
}

/// What generated code puts around a call that makes a datatype or a window: what numbers of bytes in it are.
#[no_mangle]
pub(crate) extern "C" fn pc3_counted(lengths: u32, places: u32, result: c_int) -> c_int {
    let counts = Counts {
        lengths: Counted::of(lengths),
        places: Counted::of(places),
    };
    if result == Class::SUCCESS.0 && counts.is_known() {
        if let Some(me) = RankState::try_current() {
            let made = me.objects().made;
            if let Ok(w) = me.objects().window(made) {
                w.counts = counts;
            } else if let Ok(object) = me.objects().type_object(made) {
                let ty = (*object.ty).clone();
                object.ty = Datatype { counts, ..ty }.into();
            }
        }
    }
    result
}

fn blocks(lens: &[c_int], displs: impl Iterator<Item = isize>) -> Result<Vec<(usize, isize)>> {
    lens.iter()
        .zip(displs)
        .map(|(&n, d)| Ok((count(n)?, d)))
        .collect()
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_contiguous(n: c_int, old: usize, new: *mut usize) -> c_int {
    entry("MPI_Type_contiguous", 0, |me| {
        let c = Constructor::Contiguous {
            count: count(n)?,
            old: me.objects().datatype(old)?,
        };
        create(me, c, new)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_vector(
    n: c_int,
    blocklen: c_int,
    stride: c_int,
    old: usize,
    new: *mut usize,
) -> c_int {
    entry("MPI_Type_vector", 0, |me| {
        let old = me.objects().datatype(old)?;
        let c = Constructor::Vector {
            count: count(n)?,
            blocklen: count(blocklen)?,
            stride: stride as isize,
            old,
        };
        create(me, c, new)
    })
}

macro_rules! hvector { ($($c:ident)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $c(n: c_int, blocklen: c_int, stride: isize, old: usize, new: *mut usize) -> c_int {
        entry(stringify!($c), 0, |me| {
            let old = me.objects().datatype(old)?;
            create(me, Constructor::Hvector { count: count(n)?, blocklen: count(blocklen)?, stride, old }, new)
        })
    }
)* } }
hvector!(MPI_Type_create_hvector MPI_Type_hvector);

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_indexed(
    n: c_int,
    lens: *const c_int,
    displs: *const c_int,
    old: usize,
    new: *mut usize,
) -> c_int {
    entry("MPI_Type_indexed", 0, |me| {
        let n = count(n)?;
        let displs = slice(displs, n)?.iter().map(|&d| d as isize);
        let c = Constructor::Indexed {
            blocks: blocks(slice(lens, n)?, displs)?,
            old: me.objects().datatype(old)?,
        };
        create(me, c, new)
    })
}

macro_rules! hindexed { ($($c:ident)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $c(n: c_int, lens: *const c_int, displs: *const isize, old: usize, new: *mut usize) -> c_int {
        entry(stringify!($c), 0, |me| {
            let n = count(n)?;
            let blocks = blocks(slice(lens, n)?, slice(displs, n)?.iter().copied())?;
            create(me, Constructor::Hindexed { blocks, old: me.objects().datatype(old)? }, new)
        })
    }
)* } }
hindexed!(MPI_Type_create_hindexed MPI_Type_hindexed);

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_create_indexed_block(
    n: c_int,
    blocklen: c_int,
    displs: *const c_int,
    old: usize,
    new: *mut usize,
) -> c_int {
    entry("MPI_Type_create_indexed_block", 0, |me| {
        let displs = slice(displs, count(n)?)?
            .iter()
            .map(|&d| d as isize)
            .collect();
        let old = me.objects().datatype(old)?;
        create(
            me,
            Constructor::IndexedBlock {
                blocklen: count(blocklen)?,
                displs,
                old,
            },
            new,
        )
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_create_hindexed_block(
    n: c_int,
    blocklen: c_int,
    displs: *const isize,
    old: usize,
    new: *mut usize,
) -> c_int {
    entry("MPI_Type_create_hindexed_block", 0, |me| {
        let displs = slice(displs, count(n)?)?.to_vec();
        let old = me.objects().datatype(old)?;
        create(
            me,
            Constructor::HindexedBlock {
                blocklen: count(blocklen)?,
                displs,
                old,
            },
            new,
        )
    })
}

macro_rules! structure { ($($c:ident)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $c(
        n: c_int,
        lens: *const c_int,
        displs: *const isize,
        types: *const usize,
        new: *mut usize,
    ) -> c_int {
        entry(stringify!($c), 0, |me| {
            let n = count(n)?;
            let parts = slice(lens, n)?.iter().zip(slice(displs, n)?).zip(slice(types, n)?);
            let blocks = parts.map(|((&len, &at), &ty)| Ok((count(len)?, at, me.objects().datatype(ty)?)));
            create(me, Constructor::Struct { blocks: blocks.collect::<Result<_>>()? }, new)
        })
    }
)* } }
structure!(MPI_Type_create_struct MPI_Type_struct);

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_create_subarray(
    ndims: c_int,
    sizes: *const c_int,
    subsizes: *const c_int,
    starts: *const c_int,
    order: c_int,
    old: usize,
    new: *mut usize,
) -> c_int {
    entry("MPI_Type_create_subarray", 0, |me| {
        let order = order_of(order)?;
        let n = count(ndims).ok().filter(|n| *n > 0);
        let Some(n) = n else {
            return fail(
                Class::ERR_ARG,
                format!("the number of dimensions is {ndims}"),
            );
        };
        let at = |v: c_int| {
            usize::try_from(v).or_else(|_| fail(Class::ERR_ARG, format!("a subarray with {v}")))
        };
        let parts = slice(sizes, n)?
            .iter()
            .zip(slice(subsizes, n)?)
            .zip(slice(starts, n)?);
        let dims = parts
            .map(|((&size, &subsize), &start)| {
                Ok(Subdim {
                    size: at(size)?,
                    subsize: at(subsize)?,
                    start: at(start)?,
                })
            })
            .collect::<Result<_>>()?;
        create(
            me,
            Constructor::Subarray {
                dims,
                order,
                old: me.objects().datatype(old)?,
            },
            new,
        )
    })
}

macro_rules! distributed { ($($name:ident $n:ident $wide:literal;)*) => { $(
    /// MPI 3.1 section 4.1.4.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(
        size: c_int,
        rank: c_int,
        ndims: c_int,
        gsizes: *const $n,
        distribs: *const c_int,
        dargs: *const c_int,
        psizes: *const c_int,
        order: c_int,
        old: usize,
        new: *mut usize,
    ) -> c_int {
        entry(stringify!($name), 0, |me| {
            let n = match count(ndims) {
                Ok(n) if n > 0 => n,
                _ => return fail(Class::ERR_ARG, format!("the number of dimensions is {ndims}")),
            };
            let sizes = slice(gsizes, n)?.iter().map(|s| i64::from(*s)).collect::<Vec<_>>();
            let given = DarrayArguments {
                size,
                rank,
                sizes: &sizes,
                distribs: slice(distribs, n)?,
                args: slice(dargs, n)?,
                procs: slice(psizes, n)?,
            };
            let (dims, order) = (given.dims(order_of(order)?)?, order_of(order)?);
            let old = me.objects().datatype(old)?;
            create_of(me, Constructor::Darray { size, rank, dims, order, old }, $wide, new)
        })
    }
)* } }
distributed! {
    MPI_Type_create_darray c_int false;
    MPI_Type_create_darray_c i64 true;
}

pub(crate) fn order_of(order: c_int) -> Result<ArrayOrder> {
    match order {
        12 => Ok(ArrayOrder::C),
        15 => Ok(ArrayOrder::Fortran),
        _ => fail(Class::ERR_ARG, format!("the order is {order}")),
    }
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_create_resized(
    old: usize,
    lb: isize,
    extent: isize,
    new: *mut usize,
) -> c_int {
    entry("MPI_Type_create_resized", 0, |me| {
        create(
            me,
            Constructor::Resized {
                lb,
                extent,
                old: me.objects().datatype(old)?,
            },
            new,
        )
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_dup(old: usize, new: *mut usize) -> c_int {
    entry("MPI_Type_dup", 0, |me| {
        let committed = me.objects().committed(old).is_ok();
        let ty = make(
            Constructor::Dup(me.objects().datatype(old)?),
            source_line(me),
        )?;
        put(new, give(me, ty, committed))?;
        let copied = attr::copy_all(me, On::Type, old, *new);
        if copied.is_err() {
            me.objects().types.remove(*new);
            put(new, abi::DATATYPE_NULL)?;
        }
        copied
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_commit(datatype: *mut usize) -> c_int {
    entry("MPI_Type_commit", 0, |me| {
        let handle = slice(datatype, 1)?[0];
        me.objects().datatype(handle)?;
        if let Some(t) = me.objects().types.get_mut(handle) {
            t.committed = true;
        }
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_free(datatype: *mut usize) -> c_int {
    entry("MPI_Type_free", 0, |me| {
        let handle = slice(datatype, 1)?[0];
        let ty = me.objects().datatype(handle)?;
        if handle < FIRST_DYNAMIC {
            return fail(Class::ERR_TYPE, "a predefined datatype cannot be freed");
        }
        if let Constructor::Parametrised { .. } = ty.constructor {
            return fail(Class::ERR_TYPE, "a parametrised datatype cannot be freed");
        }
        attr::delete_all(me, On::Type, handle)?;
        me.objects().types.remove(handle);
        put(datatype, abi::DATATYPE_NULL)
    })
}
