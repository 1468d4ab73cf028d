//! What collective functions are given: root, counts, displacements and types of either width, and which of it counts at a rank.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use crate::arguments::{buffer, slice, wide_count};
use crate::messages::p2p::described;
use pc3_vmpi_coll::comm::Comm;
use pc3_vmpi_coll::meeting::posted::KeptShape;
use pc3_vmpi_coll::meeting::Kind;
use pc3_vmpi_coll::work::shapes::{DealShape, NOBODY};
use pc3_vmpi_coll::work::side::{Ints, Side};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::abi::{IN_PLACE, PROC_NULL, ROOT};

/// Who is the root, for this rank.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Root {
    /// Its rank; in an inter-communicator [`NOBODY`] for those beside it.
    pub rank: usize,
    pub here: bool,
    /// On the root's side of an inter-communicator.
    pub near: bool,
}

pub(crate) fn root_of(comm: &Comm, root: c_int) -> Result<Root> {
    let peers = comm.peers().size();
    if comm.remote.is_some() {
        match root {
            ROOT => {
                return Ok(Root {
                    rank: comm.rank as usize,
                    here: true,
                    near: true,
                })
            }
            PROC_NULL => {
                return Ok(Root {
                    rank: NOBODY,
                    here: false,
                    near: true,
                })
            }
            _ => {}
        }
    }
    match usize::try_from(root) {
        Ok(rank) if rank < peers => Ok(Root {
            rank,
            here: comm.remote.is_none() && comm.rank as usize == rank,
            near: false,
        }),
        _ => fail(Class::ERR_ROOT, format!("root {root} of {peers} ranks")),
    }
}

pub fn shape(comm: &Comm) -> DealShape<'static> {
    match &comm.remote {
        None => DealShape::Intra,
        Some(r) => DealShape::Inter { low: r.low },
    }
}

pub(crate) fn keep_shape(s: &DealShape) -> KeptShape {
    match s {
        DealShape::Intra => KeptShape::Intra,
        DealShape::Inter { low } => KeptShape::Inter { low: *low },
        DealShape::Neighbors(n) => KeptShape::Neighbors(Arc::new((*n).clone())),
    }
}

pub fn in_place(p: *const u8) -> bool {
    p as usize == IN_PLACE
}

/// An array argument of any width.
#[derive(Clone, Copy)]
pub enum Array {
    Int(*const c_int),
    Count(*const i64),
    Aint(*const isize),
}

impl Array {
    pub unsafe fn read<'a>(self, n: usize) -> Result<Ints<'a>> {
        // SAFETY: the program's array.
        unsafe {
            Ok(match self {
                Array::Int(p) => Ints::Int(slice(p, n)?),
                Array::Count(p) => Ints::Count(slice(p, n)?),
                Array::Aint(p) => Ints::Aint(slice(p, n)?),
            })
        }
    }
}

/// Arguments of the two widths.
pub trait Count: Copy {
    fn count(self) -> i64;
}
impl Count for c_int {
    #[inline(always)]
    fn count(self) -> i64 {
        i64::from(self)
    }
}
impl Count for i64 {
    #[inline(always)]
    fn count(self) -> i64 {
        self
    }
}

pub trait IntegerList: Copy {
    fn list(self) -> Array;
}
impl IntegerList for *const c_int {
    #[inline(always)]
    fn list(self) -> Array {
        Array::Int(self)
    }
}
impl IntegerList for *const i64 {
    #[inline(always)]
    fn list(self) -> Array {
        Array::Count(self)
    }
}
impl IntegerList for *const isize {
    #[inline(always)]
    fn list(self) -> Array {
        Array::Aint(self)
    }
}

/// What a call says it sends or receives: address, counts, displacements, datatypes.  The forms are those of [`Side`].
#[derive(Clone, Copy)]
pub enum SideArguments {
    One(*const c_void, i64, usize),
    Blocks(*const c_void, i64, usize),
    Each(*const c_void, Array, Array, usize),
    Typed(*const c_void, Array, Array, *const usize),
}

/// What becomes of a side at one rank.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    Yes,
    /// MPI_IN_PLACE may stand for it.
    OrInPlace,
    /// Not significant.
    No,
}

/// Uses of what is sent and received.
#[inline(always)]
pub fn uses(kind: Kind, root: bool) -> (Use, Use) {
    match (kind, root) {
        (Kind::Bcast, true) => (Use::Yes, Use::No),
        (Kind::Bcast, false) => (Use::No, Use::Yes),
        (Kind::Gather | Kind::Gatherv, true) => (Use::OrInPlace, Use::Yes),
        (Kind::Gather | Kind::Gatherv, false) => (Use::Yes, Use::No),
        (Kind::Scatter | Kind::Scatterv, true) => (Use::Yes, Use::OrInPlace),
        (Kind::Scatter | Kind::Scatterv, false) => (Use::No, Use::Yes),
        _ => (Use::OrInPlace, Use::Yes),
    }
}

/// The same between two groups, where nothing is in place.
pub(crate) fn uses_between(kind: Kind, root: Option<Root>) -> (Use, Use) {
    let to_root = matches!(kind, Kind::Gather | Kind::Gatherv);
    match root {
        None => (Use::Yes, Use::Yes),
        Some(r) if r.near && !r.here => (Use::No, Use::No),
        // The root receives in a gather, and all others send; else it is the other way round.
        Some(r) if r.here == to_root => (Use::No, Use::Yes),
        Some(_) => (Use::Yes, Use::No),
    }
}

/// The datatypes that a [`Side`] borrows.  Small: the last arriver reads every member's.
#[derive(Default)]
pub struct HeldTypes {
    pub one: Option<TypeRef>,
    pub each: Vec<TypeRef>,
}

/// Where nothing is.
const FIRST_PAGE: usize = 4096;

/// A side checked, its handles looked up.
#[inline(always)]
pub unsafe fn side<'a>(
    me: &RankState,
    blocks: usize,
    given: SideArguments,
    used: Use,
    held: &'a mut HeldTypes,
) -> Result<Side<'a>> {
    let (SideArguments::One(p, ..)
    | SideArguments::Blocks(p, ..)
    | SideArguments::Each(p, ..)
    | SideArguments::Typed(p, ..)) = given;
    let ptr: *mut u8 = p.cast_mut().cast();
    match used {
        Use::No => return Ok(Side::None),
        Use::OrInPlace if in_place(ptr) => return Ok(Side::InPlace),
        Use::Yes | Use::OrInPlace => {}
    }
    match given {
        SideArguments::One(_, n, datatype) | SideArguments::Blocks(_, n, datatype) => {
            let count = wide_count(n)?;
            let ty = described(me, p, count, datatype)?;
            let Some(bytes) = ty.bytes(count) else {
                return fail(
                    Class::ERR_COUNT,
                    format!("{count} elements are too much memory"),
                );
            };
            buffer(ptr, bytes, ty.predefined != 0)?;
            let ty = held.one.insert(ty);
            Ok(match given {
                SideArguments::One(..) => Side::One { ptr, count, ty },
                _ => Side::Blocks { ptr, count, ty },
            })
        }
        SideArguments::Each(_, counts, displs, datatype) => {
            let (counts, displs) = (counts.read(blocks)?, displs.read(blocks)?);
            let ty = described(me, p, sum(&counts)?, datatype)?;
            buffer(
                ptr,
                sum(&counts)?.saturating_mul(ty.size),
                ty.predefined != 0,
            )?;
            let ty = held.one.insert(ty);
            Ok(Side::Each {
                ptr,
                counts,
                displs,
                ty,
            })
        }
        SideArguments::Typed(_, counts, displs, types) => {
            // Each block's place is looked at below.
            buffer(ptr, 0, false)?;
            let (counts, displs) = (counts.read(blocks)?, displs.read(blocks)?);
            sum(&counts)?;
            let types = slice(types, blocks)?.iter();
            held.each = types
                .enumerate()
                .map(|(i, &t)| {
                    let at = p.cast::<u8>().wrapping_offset(displs.at(i));
                    let count = counts.at(i) as usize;
                    let ty = described(me, at.cast(), count, t)?;
                    // Displacements may be addresses, but not of the first page.
                    if p.is_null() && (at as usize) < FIRST_PAGE {
                        let bytes = count.saturating_mul(ty.size);
                        buffer(ptr, bytes, ty.predefined != 0)?;
                    }
                    Ok(ty)
                })
                .collect::<Result<_>>()?;
            Ok(Side::Typed {
                ptr,
                counts,
                displs,
                types: &held.each,
            })
        }
    }
}

/// The counts of a call, none of which may be negative.
pub fn sum(counts: &Ints) -> Result<usize> {
    counts.iter().try_fold(0usize, |all, c| {
        Ok(all.saturating_add(wide_count(c as i64)?))
    })
}
