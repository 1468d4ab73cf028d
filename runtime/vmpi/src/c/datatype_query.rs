//! What programs ask about datatypes and addresses (MPI 3.1 sections 4.1 and 6.8).

use super::datatype::give;
use super::{count, entry, put, put_text, slice_mut, text, MAX_NAME};
use crate::datatype::basic::{Basic, LONG_DOUBLE};
use crate::datatype::build::{Constructor, Order};
use crate::datatype::{of_basic, predefined_name, Datatype, TypeRef};
use crate::error::{fail, Class};
use crate::handle::abi;
use std::ffi::{c_char, c_int, c_void};

/// Queries with a result too large for their type answer MPI_UNDEFINED.
macro_rules! query { ($($c:ident ($($out:ident: $t:ty = $f:expr),*);)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $c(datatype: usize, $($out: *mut $t),*) -> c_int {
        entry(stringify!($c), 0, |me| {
            let ty = me.objects().datatype(datatype)?;
            $({
                let f: fn(&Datatype) -> isize = $f;
                put($out, <$t>::try_from(f(&ty)).unwrap_or(abi::UNDEFINED as $t))?;
            })*
            Ok(())
        })
    }
)* } }
query! {
    MPI_Type_size(size: c_int = |t| t.size as isize);
    MPI_Type_size_x(size: i64 = |t| t.size as isize);
    MPI_Type_get_extent(lb: isize = |t| t.lb, extent: isize = |t| t.extent);
    MPI_Type_get_extent_x(lb: i64 = |t| t.lb, extent: i64 = |t| t.extent);
    MPI_Type_get_true_extent(lb: isize = |t| t.true_lb, extent: isize = |t| t.true_extent);
    MPI_Type_get_true_extent_x(lb: i64 = |t| t.true_lb, extent: i64 = |t| t.true_extent);
    MPI_Type_size_c(size: i64 = |t| t.size as isize);
    MPI_Type_get_extent_c(lb: i64 = |t| t.lb, extent: i64 = |t| t.extent);
    MPI_Type_get_true_extent_c(lb: i64 = |t| t.true_lb, extent: i64 = |t| t.true_extent);
    MPI_Type_extent(extent: isize = |t| t.extent);
    MPI_Type_lb(lb: isize = |t| t.lb);
    MPI_Type_ub(ub: isize = |t| t.lb + t.extent);
}

/// A constructor's arguments as MPI_Type_get_contents orders them.
fn contents(ty: &Datatype) -> (c_int, Vec<c_int>, Vec<isize>, Vec<TypeRef>) {
    let types = ty.constructor.children().into_iter().cloned().collect();
    let int = |n: usize| n as c_int;
    let (combiner, ints, addrs) = match &ty.constructor {
        Constructor::Named(_) | Constructor::Pair(..) => (101, vec![], vec![]),
        Constructor::Dup(_) => (102, vec![], vec![]),
        Constructor::Contiguous { count, .. } => (103, vec![int(*count)], vec![]),
        Constructor::Vector {
            count,
            blocklen,
            stride,
            ..
        } => (
            104,
            vec![int(*count), int(*blocklen), *stride as c_int],
            vec![],
        ),
        Constructor::Hvector {
            count,
            blocklen,
            stride,
            ..
        } => (105, vec![int(*count), int(*blocklen)], vec![*stride]),
        Constructor::Indexed { blocks, .. } => {
            let lens = blocks.iter().map(|b| int(b.0));
            let displs = blocks.iter().map(|b| b.1 as c_int);
            (
                106,
                [int(blocks.len())]
                    .into_iter()
                    .chain(lens)
                    .chain(displs)
                    .collect(),
                vec![],
            )
        }
        Constructor::Hindexed { blocks, .. } => {
            let lens = blocks.iter().map(|b| int(b.0));
            let ints = [int(blocks.len())].into_iter().chain(lens).collect();
            (107, ints, blocks.iter().map(|b| b.1).collect())
        }
        Constructor::IndexedBlock {
            blocklen, displs, ..
        } => {
            let head = [int(displs.len()), int(*blocklen)].into_iter();
            (
                108,
                head.chain(displs.iter().map(|&d| d as c_int)).collect(),
                vec![],
            )
        }
        Constructor::HindexedBlock {
            blocklen, displs, ..
        } => (109, vec![int(displs.len()), int(*blocklen)], displs.clone()),
        Constructor::Struct { blocks } => {
            let lens = blocks.iter().map(|b| int(b.0));
            let ints = [int(blocks.len())].into_iter().chain(lens).collect();
            (110, ints, blocks.iter().map(|b| b.1).collect())
        }
        Constructor::Darray {
            size,
            rank,
            dims,
            order,
            ..
        } => {
            let mut ints = vec![*size, *rank, int(dims.len())];
            ints.extend(dims.iter().map(|d| int(d.size)));
            ints.extend(dims.iter().map(|d| d.distrib));
            ints.extend(dims.iter().map(|d| d.arg));
            ints.extend(dims.iter().map(|d| int(d.procs)));
            ints.push(if *order == Order::C { 12 } else { 15 });
            (112, ints, vec![])
        }
        Constructor::Subarray { dims, order, .. } => {
            let mut ints = vec![int(dims.len())];
            ints.extend(dims.iter().map(|d| int(d.size)));
            ints.extend(dims.iter().map(|d| int(d.subsize)));
            ints.extend(dims.iter().map(|d| int(d.start)));
            ints.push(if *order == Order::C { 12 } else { 15 });
            (111, ints, vec![])
        }
        Constructor::Resized { lb, extent, .. } => (116, vec![], vec![*lb, *extent]),
    };
    (combiner, ints, addrs, types)
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_get_envelope(
    datatype: usize,
    nints: *mut c_int,
    naddrs: *mut c_int,
    ntypes: *mut c_int,
    combiner: *mut c_int,
) -> c_int {
    entry("MPI_Type_get_envelope", 0, |me| {
        let (how, ints, addrs, types) = contents(&*me.objects().datatype(datatype)?);
        put(nints, ints.len() as c_int)?;
        put(naddrs, addrs.len() as c_int)?;
        put(ntypes, types.len() as c_int)?;
        put(combiner, how)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_get_contents(
    datatype: usize,
    maxints: c_int,
    maxaddrs: c_int,
    maxtypes: c_int,
    ints: *mut c_int,
    addrs: *mut isize,
    types: *mut usize,
) -> c_int {
    entry("MPI_Type_get_contents", 0, |me| {
        let ty = me.objects().datatype(datatype)?;
        let (_, i, a, t) = contents(&ty);
        if ty.predefined != 0 {
            return fail(Class::ERR_TYPE, "a predefined datatype has no contents");
        }
        if i.len() > count(maxints)? || a.len() > count(maxaddrs)? || t.len() > count(maxtypes)? {
            return fail(
                Class::ERR_ARG,
                "the arrays are too small for the datatype's contents",
            );
        }
        slice_mut(ints, i.len())?.copy_from_slice(&i);
        slice_mut(addrs, a.len())?.copy_from_slice(&a);
        for (to, ty) in slice_mut(types, t.len())?.iter_mut().zip(t) {
            *to = if ty.predefined != 0 {
                ty.predefined
            } else {
                give(me, ty, false)
            };
        }
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_set_name(datatype: usize, name: *const c_char) -> c_int {
    entry("MPI_Type_set_name", 0, |me| {
        let mut name = text(name)?;
        while name.len() >= MAX_NAME {
            name.pop();
        }
        me.objects().type_object(datatype)?.name = Some(name.into());
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_get_name(
    datatype: usize,
    name: *mut c_char,
    len: *mut c_int,
) -> c_int {
    entry("MPI_Type_get_name", 0, |me| {
        let given = match datatype {
            abi::DATATYPE_NULL => None,
            _ => me.objects().type_object(datatype)?.name.as_deref(),
        };
        let said = given.or(predefined_name(datatype)).unwrap_or("");
        put(len, put_text(name, MAX_NAME, said)? as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_match_size(
    class: c_int,
    size: c_int,
    datatype: *mut usize,
) -> c_int {
    entry("MPI_Type_match_size", 0, |_| {
        let found = match (class, size) {
            (192, 1) => Basic::Integer1,
            (192, 2) => Basic::Integer2,
            (192, 4) => Basic::Integer4,
            (192, 8) => Basic::Integer8,
            (193, 4) => Basic::Real4,
            (193, 8) => Basic::Real8,
            (194, 8) => Basic::Complex8,
            (194, 16) => Basic::Complex16,
            (193, n) if n as usize == LONG_DOUBLE.0 => Basic::LongDouble,
            (194, n) if n as usize == 2 * LONG_DOUBLE.0 => Basic::LongDoubleComplex,
            _ => {
                return fail(
                    Class::ERR_ARG,
                    format!("no datatype of class {class} and size {size}"),
                )
            }
        };
        put(datatype, of_basic(found).predefined)
    })
}

macro_rules! address { ($($c:ident)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $c(location: *const c_void, address: *mut isize) -> c_int {
        entry(stringify!($c), 0, |me| {
            me.objects().addresses.record(location as usize);
            put(address, location as isize)
        })
    }
)* } }
address!(MPI_Get_address MPI_Address);

/// MPI 3.1 section 4.1.5.
#[pc3_vmpi_entry::entry]
pub extern "C" fn MPI_Aint_add(base: isize, disp: isize) -> isize {
    base.wrapping_add(disp)
}

/// MPI 3.1 section 4.1.5.
#[pc3_vmpi_entry::entry]
pub extern "C" fn MPI_Aint_diff(addr1: isize, addr2: isize) -> isize {
    addr1.wrapping_sub(addr2)
}
