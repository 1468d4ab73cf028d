//! Group functions (MPI 3.1 section 6.3).

use crate::arguments::{count, put, slice, slice_mut};
use crate::entry::entry;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::GroupRef;
use pc3_vmpi_objects::handle::abi;
use std::ffi::c_int;

/// A new handle for a group; the empty group has a predefined one.
pub unsafe fn give(me: &RankState, g: GroupRef, out: *mut usize) -> Result<()> {
    let handle = if g.size() == 0 {
        abi::GROUP_EMPTY
    } else {
        me.objects().groups.insert(g)
    };
    put(out, handle)
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Group_size(group: usize, size: *mut c_int) -> c_int {
    entry("MPI_Group_size", 0, |me| {
        put(size, me.objects().group(group)?.size() as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Group_rank(group: usize, rank: *mut c_int) -> c_int {
    entry("MPI_Group_rank", 0, |me| {
        let r = me.objects().group(group)?.rank_of(me.rank);
        put(rank, r.map_or(abi::UNDEFINED, |r| r as c_int))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Group_translate_ranks(
    group1: usize,
    n: c_int,
    ranks1: *const c_int,
    group2: usize,
    ranks2: *mut c_int,
) -> c_int {
    entry("MPI_Group_translate_ranks", 0, |me| {
        let (a, b) = (me.objects().group(group1)?, me.objects().group(group2)?);
        let n = arg(n)?;
        for (from, to) in slice(ranks1, n)?.iter().zip(slice_mut(ranks2, n)?) {
            *to = a.translate(*from, &b)?;
        }
        Ok(())
    })
}

/// A number of ranks; the standard has it in class MPI_ERR_ARG.
fn arg(n: c_int) -> Result<usize> {
    count(n).or_else(|_| fail(Class::ERR_ARG, format!("the number of ranks is {n}")))
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Group_compare(
    group1: usize,
    group2: usize,
    result: *mut c_int,
) -> c_int {
    entry("MPI_Group_compare", 0, |me| {
        let (a, b) = (me.objects().group(group1)?, me.objects().group(group2)?);
        put(result, a.compare(&b) as c_int)
    })
}

macro_rules! binary { ($($c:ident $f:ident,)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $c(group1: usize, group2: usize, new: *mut usize) -> c_int {
        entry(stringify!($c), 0, |me| {
            let (a, b) = (me.objects().group(group1)?, me.objects().group(group2)?);
            give(me, a.$f(&b), new)
        })
    }
)* } }
binary! { MPI_Group_union union, MPI_Group_intersection intersection, MPI_Group_difference difference, }

macro_rules! choice { ($($c:ident $f:ident $t:ty,)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $c(group: usize, n: c_int, ranks: *const $t, new: *mut usize) -> c_int {
        entry(stringify!($c), 0, |me| {
            let g = me.objects().group(group)?.$f(slice(ranks, arg(n)?)?)?;
            give(me, g, new)
        })
    }
)* } }
choice! {
    MPI_Group_incl incl c_int,
    MPI_Group_excl excl c_int,
    MPI_Group_range_incl range_incl [c_int; 3],
    MPI_Group_range_excl range_excl [c_int; 3],
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Group_free(group: *mut usize) -> c_int {
    entry("MPI_Group_free", 0, |me| {
        if group.is_null()
            || (*group != abi::GROUP_EMPTY && me.objects().groups.remove(*group).is_none())
        {
            return fail(Class::ERR_GROUP, "not a group (freed already?)");
        }
        put(group, abi::GROUP_NULL)
    })
}
