//! Reductions (MPI 3.1 sections 5.9 to 5.11).

use super::coll::{in_place, root_of, take_part};
use super::{buffer, count, entry, slice};
use crate::coll::meeting::Kind;
use crate::coll::reduce::Reduction;
use crate::error::{fail, Class, Result};
use crate::op::Op;
use crate::state::RankState;
use std::ffi::{c_int, c_void};

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
