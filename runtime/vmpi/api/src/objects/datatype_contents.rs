//! How a datatype was made: envelopes and contents (MPI 4.1 section 5.1.13).

use crate::arguments::{put, slice_mut, wide_count};
use crate::entry::entry;
use crate::objects::datatype::give;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_objects::datatype::build::{ArrayOrder, Constructor};
use pc3_vmpi_objects::datatype::constructor::Class90;
use pc3_vmpi_objects::datatype::{Datatype, TypeRef};
use pc3_vmpi_objects::error::{fail, Class, Result};
use std::ffi::c_int;

/// An argument of a constructor.
#[derive(Clone, Copy)]
enum Argument {
    /// An int in either form of the call.
    Int(i64),
    /// An int, and large in the form with large counts.
    Count(i64),
    /// An address, and a large count there.
    Address(i64),
}
use Argument::{Address, Count, Int};

/// Which constructor made the type, and its arguments but for types, in order.
fn made_by(ty: &Datatype) -> (c_int, Vec<Argument>) {
    let size = |n: &usize| Count(*n as i64);
    let place = |d: &isize| Count(*d as i64);
    let address = |d: &isize| Address(*d as i64);
    let order = |o: &ArrayOrder| Int(if *o == ArrayOrder::C { 12 } else { 15 });
    // What the constructors with a list of blocks have.
    let listed = |blocks: &[(usize, isize)], displ: &dyn Fn(&isize) -> Argument| {
        let lens = blocks.iter().map(|b| size(&b.0));
        let displs = blocks.iter().map(|b| displ(&b.1));
        let all = [size(&blocks.len())].into_iter().chain(lens).chain(displs);
        all.collect::<Vec<_>>()
    };
    let even = |len: &usize, displs: &[isize], displ: &dyn Fn(&isize) -> Argument| {
        let head = [size(&displs.len()), size(len)].into_iter();
        head.chain(displs.iter().map(displ)).collect::<Vec<_>>()
    };
    match &ty.constructor {
        Constructor::Named(_) | Constructor::Pair(..) => (101, vec![]),
        Constructor::Dup(_) => (102, vec![]),
        Constructor::Parametrised {
            class,
            digits,
            range,
            ..
        } => match class {
            Class90::Real => (113, vec![Int((*digits).into()), Int((*range).into())]),
            Class90::Complex => (114, vec![Int((*digits).into()), Int((*range).into())]),
            Class90::Integer => (115, vec![Int((*range).into())]),
        },
        Constructor::Contiguous { count, .. } => (103, vec![size(count)]),
        Constructor::Vector {
            count,
            blocklen,
            stride,
            ..
        } => (104, vec![size(count), size(blocklen), place(stride)]),
        Constructor::Hvector {
            count,
            blocklen,
            stride,
            ..
        } => (105, vec![size(count), size(blocklen), address(stride)]),
        Constructor::Indexed { blocks, .. } => (106, listed(blocks, &place)),
        Constructor::Hindexed { blocks, .. } => (107, listed(blocks, &address)),
        Constructor::IndexedBlock {
            blocklen, displs, ..
        } => (108, even(blocklen, displs, &place)),
        Constructor::HindexedBlock {
            blocklen, displs, ..
        } => (109, even(blocklen, displs, &address)),
        Constructor::Struct { blocks } => {
            let parts: Vec<(usize, isize)> = blocks.iter().map(|b| (b.0, b.1)).collect();
            (110, listed(&parts, &address))
        }
        Constructor::Subarray { dims, order: o, .. } => {
            let mut list = vec![Int(dims.len() as i64)];
            list.extend(dims.iter().map(|d| size(&d.size)));
            list.extend(dims.iter().map(|d| size(&d.subsize)));
            list.extend(dims.iter().map(|d| size(&d.start)));
            list.push(order(o));
            (111, list)
        }
        Constructor::Darray {
            size: of,
            rank,
            dims,
            order: o,
            ..
        } => {
            let int = |n: i32| Int(n.into());
            let mut list = vec![int(*of), int(*rank), Int(dims.len() as i64)];
            list.extend(dims.iter().map(|d| size(&d.size)));
            list.extend(dims.iter().map(|d| int(d.distrib)));
            list.extend(dims.iter().map(|d| int(d.arg)));
            list.extend(dims.iter().map(|d| Int(d.procs as i64)));
            list.push(order(o));
            (112, list)
        }
        Constructor::Resized { lb, extent, .. } => (116, vec![address(lb), address(extent)]),
    }
}

/// The types among its arguments.
fn types(ty: &Datatype) -> Vec<&TypeRef> {
    match ty.constructor {
        Constructor::Parametrised { .. } => vec![],
        _ => ty.constructor.children(),
    }
}

/// The arguments as they are handed out.
#[derive(Default)]
struct Contents {
    combiner: c_int,
    ints: Vec<c_int>,
    addresses: Vec<isize>,
    counts: Vec<i64>,
}

fn contents(ty: &Datatype) -> Contents {
    let (combiner, list) = made_by(ty);
    let mut c = Contents {
        combiner,
        ..Contents::default()
    };
    for argument in list {
        match argument {
            Count(n) | Address(n) if ty.wide => c.counts.push(n),
            // They were given as such.
            Int(n) | Count(n) => c.ints.push(n as c_int),
            Address(n) => c.addresses.push(n as isize),
        }
    }
    c
}

fn narrow(ty: &Datatype) -> Result<()> {
    if !ty.wide {
        return Ok(());
    }
    fail(
        Class::ERR_TYPE,
        "the datatype was made with large counts: MPI_Type_get_envelope_c and MPI_Type_get_contents_c tell how",
    )
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
        let ty = me.objects().datatype(datatype)?;
        narrow(&ty)?;
        let c = contents(&ty);
        put(nints, c.ints.len() as c_int)?;
        put(naddrs, c.addresses.len() as c_int)?;
        put(ntypes, types(&ty).len() as c_int)?;
        put(combiner, c.combiner)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_get_envelope_c(
    datatype: usize,
    nints: *mut i64,
    naddrs: *mut i64,
    ncounts: *mut i64,
    ntypes: *mut i64,
    combiner: *mut c_int,
) -> c_int {
    entry("MPI_Type_get_envelope_c", 0, |me| {
        let ty = me.objects().datatype(datatype)?;
        let c = contents(&ty);
        put(nints, c.ints.len() as i64)?;
        put(naddrs, c.addresses.len() as i64)?;
        put(ncounts, c.counts.len() as i64)?;
        put(ntypes, types(&ty).len() as i64)?;
        put(combiner, c.combiner)
    })
}

/// An array of the program's: how many elements it has, and where.
type Room<T> = (i64, *mut T);

unsafe fn fill<T: Copy>(room: Room<T>, list: &[T]) -> Result<()> {
    if list.len() > wide_count(room.0)? {
        return fail(
            Class::ERR_ARG,
            "the arrays are too small for the datatype's contents",
        );
    }
    // SAFETY: the program's array.
    unsafe { slice_mut(room.1, list.len())?.copy_from_slice(list) };
    Ok(())
}

unsafe fn hand_out(
    name: &'static str,
    datatype: usize,
    ints: Room<c_int>,
    addresses: Room<isize>,
    counts: Option<Room<i64>>,
    given: Room<usize>,
) -> c_int {
    entry(name, 0, |me| {
        let ty = me.objects().datatype(datatype)?;
        if ty.predefined != 0 {
            return fail(Class::ERR_TYPE, "a predefined datatype has no contents");
        }
        let (c, children) = (contents(&ty), types(&ty));
        let nulls = vec![0; children.len()];
        // SAFETY: the program's arrays.
        unsafe {
            match counts {
                Some(room) => fill(room, &c.counts)?,
                None => narrow(&ty)?,
            }
            fill(ints, &c.ints)?;
            fill(addresses, &c.addresses)?;
            // Room first: a type that is handed out is the program's to free.
            fill(given, &nulls)?;
            for (to, child) in slice_mut(given.1, children.len())?.iter_mut().zip(children) {
                *to = match child.predefined {
                    0 => give(me, child.clone(), false),
                    handle => handle,
                };
            }
        }
        Ok(())
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
    let name = "MPI_Type_get_contents";
    let (ints, addrs) = ((maxints.into(), ints), (maxaddrs.into(), addrs));
    hand_out(name, datatype, ints, addrs, None, (maxtypes.into(), types))
}

#[pc3_vmpi_entry::entry]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn MPI_Type_get_contents_c(
    datatype: usize,
    maxints: i64,
    maxaddrs: i64,
    maxcounts: i64,
    maxtypes: i64,
    ints: *mut c_int,
    addrs: *mut isize,
    counts: *mut i64,
    types: *mut usize,
) -> c_int {
    let (ints, addrs) = ((maxints, ints), (maxaddrs, addrs));
    let (counts, types) = (Some((maxcounts, counts)), (maxtypes, types));
    hand_out(
        "MPI_Type_get_contents_c",
        datatype,
        ints,
        addrs,
        counts,
        types,
    )
}
