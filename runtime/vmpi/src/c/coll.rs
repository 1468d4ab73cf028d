//! Collective functions that move data (MPI 3.1 sections 5.3 to 5.8).

use super::{buffer, count, entry, slice};
use crate::coll::barrier::Gate;
use crate::coll::meeting::{Call, Kind};
use crate::coll::moves::{Move, Side};
use crate::comm::Comm;
use crate::datatype::TypeRef;
use crate::error::{fail, Class, Result};
use crate::handle::abi::IN_PLACE;
use crate::state::RankState;
use std::ffi::{c_int, c_void};

pub(super) fn take_part<C: Call>(me: &'static RankState, comm: &Comm, call: &C) -> Result<()> {
    comm.meeting
        .take_part(me, &comm.group, comm.rank as usize, call)
}

pub(super) fn root_of(comm: &Comm, root: c_int) -> Result<usize> {
    match usize::try_from(root) {
        Ok(r) if r < comm.size() => Ok(r),
        _ => fail(
            Class::ERR_ROOT,
            format!("root {root} of {} ranks", comm.size()),
        ),
    }
}

pub(super) fn in_place(p: *const u8) -> bool {
    p as usize == IN_PLACE
}

/// What a call says it sends or receives: address, counts, displacements, datatypes.  The forms are those of [`Side`].
#[derive(Clone, Copy)]
enum Given {
    One(*const c_void, c_int, usize),
    Blocks(*const c_void, c_int, usize),
    Each(*const c_void, *const c_int, *const c_int, usize),
    Typed(*const c_void, *const c_int, *const c_int, *const usize),
}

/// What becomes of a side at one rank.
#[derive(Clone, Copy)]
enum Use {
    Yes,
    /// MPI_IN_PLACE may stand for it.
    OrInPlace,
    /// Not significant.
    No,
}

/// Uses of what is sent and received.
#[inline(always)]
fn uses(kind: Kind, root: bool) -> (Use, Use) {
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

/// The datatypes that a [`Side`] borrows.  Small: the last arriver reads every member's.
#[derive(Default)]
struct Held {
    one: Option<TypeRef>,
    each: Vec<TypeRef>,
}

/// A side checked, its handles looked up.
#[inline(always)]
unsafe fn side<'a>(
    me: &RankState,
    size: usize,
    given: Given,
    used: Use,
    held: &'a mut Held,
) -> Result<Side<'a>> {
    let (Given::One(p, ..) | Given::Blocks(p, ..) | Given::Each(p, ..) | Given::Typed(p, ..)) =
        given;
    let ptr: *mut u8 = p.cast_mut().cast();
    match used {
        Use::No => return Ok(Side::None),
        Use::OrInPlace if in_place(ptr) => return Ok(Side::InPlace),
        Use::Yes | Use::OrInPlace => {}
    }
    match given {
        Given::One(_, n, datatype) | Given::Blocks(_, n, datatype) => {
            let (count, ty) = (count(n)?, me.objects().committed(datatype)?);
            let Some(bytes) = ty.bytes(count) else {
                return fail(
                    Class::ERR_COUNT,
                    format!("{count} elements are too much memory"),
                );
            };
            buffer(ptr, bytes, ty.predefined != 0)?;
            let ty = held.one.insert(ty);
            Ok(match given {
                Given::One(..) => Side::One { ptr, count, ty },
                _ => Side::Blocks { ptr, count, ty },
            })
        }
        Given::Each(_, counts, displs, datatype) => {
            let (counts, displs) = (slice(counts, size)?, slice(displs, size)?);
            let ty = me.objects().committed(datatype)?;
            let sum = |all: usize, &c: &c_int| Ok(all.saturating_add(count(c)?));
            let n = counts.iter().try_fold(0, sum)?;
            buffer(ptr, n.saturating_mul(ty.size), ty.predefined != 0)?;
            let ty = held.one.insert(ty);
            Ok(Side::Each {
                ptr,
                counts,
                displs,
                ty,
            })
        }
        Given::Typed(_, counts, displs, types) => {
            let (counts, displs) = (slice(counts, size)?, slice(displs, size)?);
            counts.iter().try_for_each(|&c| count(c).map(drop))?;
            let types = slice(types, size)?.iter();
            held.each = types
                .map(|&t| me.objects().committed(t))
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

/// Inlined, so that every entry point has code for its own kind and forms only.
#[inline(always)]
unsafe fn moved(
    name: &'static str,
    kind: Kind,
    root: Option<c_int>,
    send: Given,
    recv: Given,
    comm: usize,
) -> c_int {
    entry(name, comm, |me| {
        let comm = me.objects().comm(comm)?;
        let root = root.map_or(Ok(0), |r| root_of(comm, r))?;
        let (sends, receives) = uses(kind, comm.rank as usize == root);
        let (mut out, mut into) = (Held::default(), Held::default());
        // SAFETY: the program's arguments.
        let (send, recv) = unsafe {
            (
                side(me, comm.size(), send, sends, &mut out)?,
                side(me, comm.size(), recv, receives, &mut into)?,
            )
        };
        take_part(
            me,
            comm,
            &Move {
                kind,
                root,
                send,
                recv,
            },
        )
    })
}

/// `name(arguments; root, if it has one) kind: what is sent => what is received`.
macro_rules! moves {
    ($($name:ident($($arg:ident: $t:ty),*; $($root:ident)?) $kind:ident:
       $send:ident($($s:ident),*) => $recv:ident($($r:ident),*);)*) => { $(
        #[no_mangle]
        pub unsafe extern "C" fn $name($($arg: $t,)* $($root: c_int,)? comm: usize) -> c_int {
            let root = None$(.or(Some($root)))?;
            moved(stringify!($name), Kind::$kind, root, Given::$send($($s),*), Given::$recv($($r),*), comm)
        }
    )* };
}

moves! {
    MPI_Bcast(buf: *mut c_void, n: c_int, ty: usize; root)
        Bcast: One(buf, n, ty) => One(buf, n, ty);
    MPI_Gather(from: *const c_void, n: c_int, ty: usize, to: *mut c_void, rn: c_int, rty: usize; root)
        Gather: One(from, n, ty) => Blocks(to, rn, rty);
    MPI_Gatherv(from: *const c_void, n: c_int, ty: usize,
                to: *mut c_void, rns: *const c_int, rats: *const c_int, rty: usize; root)
        Gatherv: One(from, n, ty) => Each(to, rns, rats, rty);
    MPI_Scatter(from: *const c_void, n: c_int, ty: usize, to: *mut c_void, rn: c_int, rty: usize; root)
        Scatter: Blocks(from, n, ty) => One(to, rn, rty);
    MPI_Scatterv(from: *const c_void, ns: *const c_int, ats: *const c_int, ty: usize,
                 to: *mut c_void, rn: c_int, rty: usize; root)
        Scatterv: Each(from, ns, ats, ty) => One(to, rn, rty);
    MPI_Allgather(from: *const c_void, n: c_int, ty: usize, to: *mut c_void, rn: c_int, rty: usize;)
        Allgather: One(from, n, ty) => Blocks(to, rn, rty);
    MPI_Allgatherv(from: *const c_void, n: c_int, ty: usize,
                   to: *mut c_void, rns: *const c_int, rats: *const c_int, rty: usize;)
        Allgatherv: One(from, n, ty) => Each(to, rns, rats, rty);
    MPI_Alltoall(from: *const c_void, n: c_int, ty: usize, to: *mut c_void, rn: c_int, rty: usize;)
        Alltoall: Blocks(from, n, ty) => Blocks(to, rn, rty);
    MPI_Alltoallv(from: *const c_void, ns: *const c_int, ats: *const c_int, ty: usize,
                  to: *mut c_void, rns: *const c_int, rats: *const c_int, rty: usize;)
        Alltoallv: Each(from, ns, ats, ty) => Each(to, rns, rats, rty);
    MPI_Alltoallw(from: *const c_void, ns: *const c_int, ats: *const c_int, tys: *const usize,
                  to: *mut c_void, rns: *const c_int, rats: *const c_int, rtys: *const usize;)
        Alltoallw: Typed(from, ns, ats, tys) => Typed(to, rns, rats, rtys);
}

/// MPI 3.1 section 5.3.
#[no_mangle]
pub unsafe extern "C" fn MPI_Barrier(comm: usize) -> c_int {
    entry("MPI_Barrier", comm, |me| {
        take_part(me, me.objects().comm(comm)?, &Gate(Kind::Barrier))
    })
}
