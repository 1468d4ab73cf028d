//! Collective functions (MPI 3.1 chapter 5).

use super::{buffer, count, entry, slice};
use crate::coll::barrier::Gate;
use crate::coll::meeting::{Call, Kind};
use crate::coll::moves::{Move, Side};
use crate::coll::reduce::Reduction;
use crate::comm::Comm;
use crate::datatype::TypeRef;
use crate::error::{fail, Class, Result};
use crate::handle::abi::IN_PLACE;
use crate::op::Op;
use crate::state::RankState;
use std::ffi::{c_int, c_void};

fn take_part<C: Call>(me: &'static RankState, comm: &Comm, call: &C) -> Result<()> {
    comm.meeting
        .take_part(me, &comm.group, comm.rank as usize, call)
}

fn root_of(comm: &Comm, root: c_int) -> Result<usize> {
    match usize::try_from(root) {
        Ok(r) if r < comm.size() => Ok(r),
        _ => fail(
            Class::ERR_ROOT,
            format!("root {root} of {} ranks", comm.size()),
        ),
    }
}

/// (address, count, datatype) of a call.
type Args = (*mut u8, c_int, usize);

fn checked(me: &RankState, (ptr, n, datatype): Args) -> Result<(usize, TypeRef)> {
    let (n, ty) = (count(n)?, me.objects().committed(datatype)?);
    let Some(bytes) = ty.bytes(n) else {
        return fail(
            Class::ERR_COUNT,
            format!("{n} elements are too much memory"),
        );
    };
    buffer(ptr, bytes, ty.predefined != 0)?;
    Ok((n, ty))
}

/// Storage for what a [`Side`] refers to.
#[derive(Default)]
struct Held {
    n: usize,
    ty: Option<TypeRef>,
    types: Vec<TypeRef>,
}

impl Held {
    fn new(me: &RankState, args: Args) -> Result<Held> {
        let (n, ty) = checked(me, args)?;
        Ok(Held {
            n,
            ty: Some(ty),
            types: Vec::new(),
        })
    }

    fn one(&self, ptr: *mut u8) -> Side<'_> {
        self.ty.as_ref().map_or(Side::None, |ty| Side::One {
            ptr,
            count: self.n,
            ty,
        })
    }

    fn blocks(&self, ptr: *mut u8) -> Side<'_> {
        self.ty.as_ref().map_or(Side::None, |ty| Side::Blocks {
            ptr,
            count: self.n,
            ty,
        })
    }

    fn each<'a>(&'a self, ptr: *mut u8, counts: &'a [c_int], displs: &'a [c_int]) -> Side<'a> {
        self.ty.as_ref().map_or(Side::None, |ty| Side::Each {
            ptr,
            counts,
            displs,
            ty,
        })
    }
}

/// The type and the counts of a v-variant's blocks.
unsafe fn vector<'a>(
    me: &RankState,
    n: usize,
    ptr: *mut u8,
    counts: *const c_int,
    displs: *const c_int,
    datatype: usize,
) -> Result<(Held, &'a [c_int], &'a [c_int])> {
    let (counts, displs) = (slice(counts, n)?, slice(displs, n)?);
    let ty = me.objects().committed(datatype)?;
    let any = counts.iter().try_fold(0, |sum, &c| Ok(sum + count(c)?))?;
    buffer(ptr, any.saturating_mul(ty.size), ty.predefined != 0)?;
    Ok((
        Held {
            n: 0,
            ty: Some(ty),
            types: Vec::new(),
        },
        counts,
        displs,
    ))
}

fn in_place(p: *const u8) -> bool {
    p as usize == IN_PLACE
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Barrier(comm: usize) -> c_int {
    entry("MPI_Barrier", comm, |me| {
        take_part(me, me.objects().comm(comm)?, &Gate(Kind::Barrier))
    })
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Bcast(
    buf: *mut c_void,
    n: c_int,
    datatype: usize,
    root: c_int,
    comm: usize,
) -> c_int {
    entry("MPI_Bcast", comm, |me| {
        let comm = me.objects().comm(comm)?;
        let root = root_of(comm, root)?;
        let held = Held::new(me, (buf.cast(), n, datatype))?;
        let (mut send, mut recv) = (Side::None, held.one(buf.cast()));
        if comm.rank as usize == root {
            std::mem::swap(&mut send, &mut recv);
        }
        take_part(
            me,
            comm,
            &Move {
                kind: Kind::Bcast,
                root,
                send,
                recv,
            },
        )
    })
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Gather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: usize,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: usize,
    root: c_int,
    comm: usize,
) -> c_int {
    entry("MPI_Gather", comm, |me| {
        let comm = me.objects().comm(comm)?;
        let root = root_of(comm, root)?;
        let am_root = comm.rank as usize == root;
        let (sendbuf, recvbuf): (*mut u8, *mut u8) = (sendbuf.cast_mut().cast(), recvbuf.cast());
        let out = if am_root && in_place(sendbuf) {
            None
        } else {
            Some(Held::new(me, (sendbuf, sendcount, sendtype))?)
        };
        let into = if am_root {
            Held::new(me, (recvbuf, recvcount, recvtype))?
        } else {
            Held::default()
        };
        let send = out.as_ref().map_or(Side::InPlace, |h| h.one(sendbuf));
        take_part(
            me,
            comm,
            &Move {
                kind: Kind::Gather,
                root,
                send,
                recv: into.blocks(recvbuf),
            },
        )
    })
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Gatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: usize,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: usize,
    root: c_int,
    comm: usize,
) -> c_int {
    entry("MPI_Gatherv", comm, |me| {
        let comm = me.objects().comm(comm)?;
        let root = root_of(comm, root)?;
        let am_root = comm.rank as usize == root;
        let (sendbuf, recvbuf): (*mut u8, *mut u8) = (sendbuf.cast_mut().cast(), recvbuf.cast());
        let out = if am_root && in_place(sendbuf) {
            None
        } else {
            Some(Held::new(me, (sendbuf, sendcount, sendtype))?)
        };
        let (into, counts, displs) = if am_root {
            vector(me, comm.size(), recvbuf, recvcounts, displs, recvtype)?
        } else {
            (Held::default(), &[][..], &[][..])
        };
        let send = out.as_ref().map_or(Side::InPlace, |h| h.one(sendbuf));
        take_part(
            me,
            comm,
            &Move {
                kind: Kind::Gatherv,
                root,
                send,
                recv: into.each(recvbuf, counts, displs),
            },
        )
    })
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Scatter(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: usize,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: usize,
    root: c_int,
    comm: usize,
) -> c_int {
    entry("MPI_Scatter", comm, |me| {
        let comm = me.objects().comm(comm)?;
        let root = root_of(comm, root)?;
        let am_root = comm.rank as usize == root;
        let (sendbuf, recvbuf): (*mut u8, *mut u8) = (sendbuf.cast_mut().cast(), recvbuf.cast());
        let out = if am_root {
            Held::new(me, (sendbuf, sendcount, sendtype))?
        } else {
            Held::default()
        };
        let into = if am_root && in_place(recvbuf) {
            None
        } else {
            Some(Held::new(me, (recvbuf, recvcount, recvtype))?)
        };
        let recv = into.as_ref().map_or(Side::InPlace, |h| h.one(recvbuf));
        take_part(
            me,
            comm,
            &Move {
                kind: Kind::Scatter,
                root,
                send: out.blocks(sendbuf),
                recv,
            },
        )
    })
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Scatterv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    displs: *const c_int,
    sendtype: usize,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: usize,
    root: c_int,
    comm: usize,
) -> c_int {
    entry("MPI_Scatterv", comm, |me| {
        let comm = me.objects().comm(comm)?;
        let root = root_of(comm, root)?;
        let am_root = comm.rank as usize == root;
        let (sendbuf, recvbuf): (*mut u8, *mut u8) = (sendbuf.cast_mut().cast(), recvbuf.cast());
        let (out, counts, displs) = if am_root {
            vector(me, comm.size(), sendbuf, sendcounts, displs, sendtype)?
        } else {
            (Held::default(), &[][..], &[][..])
        };
        let into = if am_root && in_place(recvbuf) {
            None
        } else {
            Some(Held::new(me, (recvbuf, recvcount, recvtype))?)
        };
        let recv = into.as_ref().map_or(Side::InPlace, |h| h.one(recvbuf));
        take_part(
            me,
            comm,
            &Move {
                kind: Kind::Scatterv,
                root,
                send: out.each(sendbuf, counts, displs),
                recv,
            },
        )
    })
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Allgather(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: usize,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: usize,
    comm: usize,
) -> c_int {
    entry("MPI_Allgather", comm, |me| {
        let comm = me.objects().comm(comm)?;
        let (sendbuf, recvbuf): (*mut u8, *mut u8) = (sendbuf.cast_mut().cast(), recvbuf.cast());
        let out = if in_place(sendbuf) {
            None
        } else {
            Some(Held::new(me, (sendbuf, sendcount, sendtype))?)
        };
        let into = Held::new(me, (recvbuf, recvcount, recvtype))?;
        let send = out.as_ref().map_or(Side::InPlace, |h| h.one(sendbuf));
        take_part(
            me,
            comm,
            &Move {
                kind: Kind::Allgather,
                root: 0,
                send,
                recv: into.blocks(recvbuf),
            },
        )
    })
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Allgatherv(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: usize,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    displs: *const c_int,
    recvtype: usize,
    comm: usize,
) -> c_int {
    entry("MPI_Allgatherv", comm, |me| {
        let comm = me.objects().comm(comm)?;
        let (sendbuf, recvbuf): (*mut u8, *mut u8) = (sendbuf.cast_mut().cast(), recvbuf.cast());
        let out = if in_place(sendbuf) {
            None
        } else {
            Some(Held::new(me, (sendbuf, sendcount, sendtype))?)
        };
        let (into, counts, displs) =
            vector(me, comm.size(), recvbuf, recvcounts, displs, recvtype)?;
        let send = out.as_ref().map_or(Side::InPlace, |h| h.one(sendbuf));
        take_part(
            me,
            comm,
            &Move {
                kind: Kind::Allgatherv,
                root: 0,
                send,
                recv: into.each(recvbuf, counts, displs),
            },
        )
    })
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Alltoall(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: usize,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: usize,
    comm: usize,
) -> c_int {
    entry("MPI_Alltoall", comm, |me| {
        let comm = me.objects().comm(comm)?;
        let (sendbuf, recvbuf): (*mut u8, *mut u8) = (sendbuf.cast_mut().cast(), recvbuf.cast());
        let out = if in_place(sendbuf) {
            None
        } else {
            Some(Held::new(me, (sendbuf, sendcount, sendtype))?)
        };
        let into = Held::new(me, (recvbuf, recvcount, recvtype))?;
        let send = out.as_ref().map_or(Side::InPlace, |h| h.blocks(sendbuf));
        take_part(
            me,
            comm,
            &Move {
                kind: Kind::Alltoall,
                root: 0,
                send,
                recv: into.blocks(recvbuf),
            },
        )
    })
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Alltoallv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtype: usize,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtype: usize,
    comm: usize,
) -> c_int {
    entry("MPI_Alltoallv", comm, |me| {
        let comm = me.objects().comm(comm)?;
        let (sendbuf, recvbuf): (*mut u8, *mut u8) = (sendbuf.cast_mut().cast(), recvbuf.cast());
        let n = comm.size();
        let out = if in_place(sendbuf) {
            None
        } else {
            Some(vector(me, n, sendbuf, sendcounts, sdispls, sendtype)?)
        };
        let (into, counts, displs) = vector(me, n, recvbuf, recvcounts, rdispls, recvtype)?;
        let send = out
            .as_ref()
            .map_or(Side::InPlace, |(h, c, d)| h.each(sendbuf, c, d));
        take_part(
            me,
            comm,
            &Move {
                kind: Kind::Alltoallv,
                root: 0,
                send,
                recv: into.each(recvbuf, counts, displs),
            },
        )
    })
}

/// The types and counts of MPI_Alltoallw's blocks.
unsafe fn typed<'a>(
    me: &RankState,
    n: usize,
    counts: *const c_int,
    displs: *const c_int,
    types: *const usize,
) -> Result<(Held, &'a [c_int], &'a [c_int])> {
    let (counts, displs) = (slice(counts, n)?, slice(displs, n)?);
    counts.iter().try_for_each(|&c| count(c).map(drop))?;
    let types = slice(types, n)?
        .iter()
        .map(|&t| me.objects().committed(t))
        .collect::<Result<_>>()?;
    Ok((
        Held {
            n: 0,
            ty: None,
            types,
        },
        counts,
        displs,
    ))
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Alltoallw(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtypes: *const usize,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtypes: *const usize,
    comm: usize,
) -> c_int {
    entry("MPI_Alltoallw", comm, |me| {
        let comm = me.objects().comm(comm)?;
        let (sendbuf, recvbuf): (*mut u8, *mut u8) = (sendbuf.cast_mut().cast(), recvbuf.cast());
        let n = comm.size();
        let out = if in_place(sendbuf) {
            None
        } else {
            Some(typed(me, n, sendcounts, sdispls, sendtypes)?)
        };
        let (into, counts, displs) = typed(me, n, recvcounts, rdispls, recvtypes)?;
        let send = match &out {
            Some((h, counts, displs)) => Side::Typed {
                ptr: sendbuf,
                counts,
                displs,
                types: &h.types,
            },
            None => Side::InPlace,
        };
        let recv = Side::Typed {
            ptr: recvbuf,
            counts,
            displs,
            types: &into.types,
        };
        take_part(
            me,
            comm,
            &Move {
                kind: Kind::Alltoallw,
                root: 0,
                send,
                recv,
            },
        )
    })
}

/// What the reductions have in common.  `counts` are those of MPI_Reduce_scatter and its kin.
struct Reduce<'a> {
    kind: Kind,
    send: *const c_void,
    recv: *mut c_void,
    count: usize,
    counts: &'a [c_int],
    datatype: usize,
    op: usize,
    root: Option<c_int>,
}

impl Reduce<'_> {
    fn run(self, me: &'static RankState, comm: usize) -> Result<()> {
        let comm = me.objects().comm(comm)?;
        let root = self.root.map_or(Ok(0), |r| root_of(comm, r))?;
        let op = me.objects().op(self.op)?;
        let ty = me.objects().committed(self.datatype)?;
        let Some(bytes) = ty.bytes(self.count) else {
            return fail(
                Class::ERR_COUNT,
                format!("{} elements are too much memory", self.count),
            );
        };
        let kernel = match op {
            Op::Predef(p) => Some(p.kernel(&ty)?),
            Op::User(_) => None,
        };
        let receives = self.kind != Kind::Reduce || comm.rank as usize == root;
        let mut send: *const u8 = self.send.cast();
        let recv: *mut u8 = self.recv.cast();
        if receives {
            buffer(recv, bytes, ty.predefined != 0)?;
            if in_place(send) {
                send = recv;
            }
        }
        buffer(send, bytes, ty.predefined != 0)?;
        let (kind, count, counts) = (self.kind, self.count, self.counts);
        take_part(
            me,
            comm,
            &Reduction {
                kind,
                root,
                send,
                recv,
                count,
                counts,
                ty: &ty,
                handle: self.datatype,
                op,
                kernel,
            },
        )
    }
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Reduce(
    send: *const c_void,
    recv: *mut c_void,
    n: c_int,
    datatype: usize,
    op: usize,
    root: c_int,
    comm: usize,
) -> c_int {
    entry("MPI_Reduce", comm, |me| {
        let (count, root) = (count(n)?, Some(root));
        Reduce {
            kind: Kind::Reduce,
            send,
            recv,
            count,
            counts: &[],
            datatype,
            op,
            root,
        }
        .run(me, comm)
    })
}

macro_rules! symmetric { ($($c:ident $kind:expr,)*) => { $(
    #[no_mangle]
    pub unsafe extern "C" fn $c(
        send: *const c_void,
        recv: *mut c_void,
        n: c_int,
        datatype: usize,
        op: usize,
        comm: usize,
    ) -> c_int {
        entry(stringify!($c), comm, |me| {
            Reduce { kind: $kind, send, recv, count: count(n)?, counts: &[], datatype, op, root: None }.run(me, comm)
        })
    }
)* } }
symmetric! { MPI_Allreduce Kind::Allreduce, MPI_Scan Kind::Scan, MPI_Exscan Kind::Exscan, }

#[no_mangle]
pub unsafe extern "C" fn MPI_Reduce_scatter(
    send: *const c_void,
    recv: *mut c_void,
    recvcounts: *const c_int,
    datatype: usize,
    op: usize,
    comm: usize,
) -> c_int {
    entry("MPI_Reduce_scatter", comm, |me| {
        let counts = slice(recvcounts, me.objects().comm(comm)?.size())?;
        let count = counts.iter().try_fold(0, |sum, &c| Ok(sum + count(c)?))?;
        Reduce {
            kind: Kind::ReduceScatter,
            send,
            recv,
            count,
            counts,
            datatype,
            op,
            root: None,
        }
        .run(me, comm)
    })
}

#[no_mangle]
pub unsafe extern "C" fn MPI_Reduce_scatter_block(
    send: *const c_void,
    recv: *mut c_void,
    recvcount: c_int,
    datatype: usize,
    op: usize,
    comm: usize,
) -> c_int {
    entry("MPI_Reduce_scatter_block", comm, |me| {
        let n = me.objects().comm(comm)?.size();
        let Some(count) = count(recvcount)?.checked_mul(n) else {
            return fail(Class::ERR_COUNT, "the elements are too much memory");
        };
        let counts = &[recvcount];
        Reduce {
            kind: Kind::ReduceScatterBlock,
            send,
            recv,
            count,
            counts,
            datatype,
            op,
            root: None,
        }
        .run(me, comm)
    })
}
