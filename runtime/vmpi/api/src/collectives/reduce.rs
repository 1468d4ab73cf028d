//! Reductions (MPI 3.1 sections 5.9 to 5.12).

use pc3_vmpi_coll::handles::HasObjects;
use std::ffi::{c_int, c_void};

use crate::arguments::{buffer, wide_count};
use crate::collective_arguments::{
    in_place, keep_shape, root_of, shape, sum, Array, Count, IntegerList,
};
use crate::collectives::coll::{arg, post, take_part, When};
use crate::entry::entry;
use pc3_vmpi_coll::meeting::posted::{KeptReduction, Work};
use pc3_vmpi_coll::meeting::Kind;
use pc3_vmpi_coll::work::reduce::Reduction;
use pc3_vmpi_coll::work::side::Ints;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::op::Op;

/// How many elements a call contributes.
#[derive(Clone, Copy)]
enum Elements {
    Of(i64),
    /// For each member so many.
    Parts(Array),
    /// For every member so many.
    Equal(i64),
}

/// What the reductions have in common.
struct Reduce {
    kind: Kind,
    send: *const c_void,
    recv: *mut c_void,
    elements: Elements,
    datatype: usize,
    op: usize,
    root: Option<c_int>,
}

impl Reduce {
    #[inline(always)]
    unsafe fn run(self, me: &'static RankState, handle: usize, when: When) -> Result<()> {
        let comm = me.objects().comm(handle)?;
        let (kind, inter) = (self.kind, comm.remote.is_some());
        if inter && matches!(kind, Kind::Scan | Kind::Exscan) {
            comm.intra()?;
        }
        let root = self.root.map(|r| root_of(comm, r)).transpose()?;
        let members = comm.size();
        let each;
        let (count, counts) = match self.elements {
            Elements::Of(n) => (wide_count(n)?, Ints::NONE),
            // SAFETY: the program's array.
            Elements::Parts(a) => {
                let counts = unsafe { a.read(members)? };
                (sum(&counts)?, counts)
            }
            Elements::Equal(n) => {
                let Some(all) = wide_count(n)?.checked_mul(members) else {
                    return fail(Class::ERR_COUNT, "the elements are too much memory");
                };
                each = [n];
                (all, Ints::Count(&each))
            }
        };
        let op = me.objects().op(self.op)?;
        let ty = me.objects().committed(self.datatype)?;
        let Some(bytes) = ty.bytes(count) else {
            return fail(
                Class::ERR_COUNT,
                format!("{count} elements are too much memory"),
            );
        };
        let kernel = match op {
            Op::Predef(p) => Some(p.kernel(&ty)?),
            Op::User(_) => None,
        };
        let receives = root.is_none_or(|r| r.here);
        // Beside the root of an inter-communicator nothing is looked at.
        let contributes = root.is_none_or(|r| !r.near);
        let mut send: *const u8 = self.send.cast();
        let recv: *mut u8 = self.recv.cast();
        let predefined = ty.predefined != 0;
        if receives {
            buffer(recv, bytes, predefined)?;
            if in_place(send) && !inter {
                send = recv;
            }
        }
        if contributes {
            buffer(send, bytes, predefined)?;
        }
        let shape = shape(comm);
        let root = root.map_or(0, |r| r.rank);
        if let When::Now = when {
            let call = Reduction {
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
                shape,
                contributes,
                covers: 1,
                remote: false,
                odd: None,
                everywhere: false,
            };
            return take_part(me, comm, &call);
        }
        let work = Work::Reduce(KeptReduction {
            root,
            send,
            recv,
            count,
            counts: counts.iter().collect(),
            ty,
            handle: self.datatype,
            op,
            kernel,
            shape: keep_shape(&shape),
            contributes,
        });
        // SAFETY: the program's buffers, as MPI requires them.
        unsafe { post(me, comm, handle, kind, work, when) }
    }
}

macro_rules! reduction {
    ($name:ident $w:ident ($n:ident: $nt:ident) ($($root:ident)?) ($($more:ident: $mt:ty),*) $when:expr, $kind:ident $form:ident $get:ident) => {
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $name(
            send: *const c_void,
            recv: *mut c_void,
            $n: arg!($nt $w),
            datatype: usize,
            op: usize,
            $($root: c_int,)?
            comm: usize
            $(, $more: $mt)*
        ) -> c_int {
            entry(stringify!($name), comm, |me| {
                Reduce {
                    kind: Kind::$kind,
                    send,
                    recv,
                    elements: Elements::$form($n.$get()),
                    datatype,
                    op,
                    root: None$(.or(Some($root)))?,
                }
                .run(me, comm, $when)
            })
        }
    };
}

/// Names of the six forms, the count, the root if there is one.
macro_rules! reductions {
    ($($now:ident $begun:ident $later:ident $now_c:ident $begun_c:ident $later_c:ident $n:tt $root:tt $kind:ident $form:ident $get:ident;)*) => { $(
        reduction!($now int $n $root () When::Now, $kind $form $get);
        reduction!($begun int $n $root (request: *mut usize) When::Begun(request), $kind $form $get);
        reduction!($later int $n $root (_info: usize, request: *mut usize) When::Later(request), $kind $form $get);
        reduction!($now_c wide $n $root () When::Now, $kind $form $get);
        reduction!($begun_c wide $n $root (request: *mut usize) When::Begun(request), $kind $form $get);
        reduction!($later_c wide $n $root (_info: usize, request: *mut usize) When::Later(request), $kind $form $get);
    )* };
}
reductions! {
    MPI_Reduce MPI_Ireduce MPI_Reduce_init MPI_Reduce_c MPI_Ireduce_c MPI_Reduce_init_c
        (n: N) (root) Reduce Of count;
    MPI_Allreduce MPI_Iallreduce MPI_Allreduce_init MPI_Allreduce_c MPI_Iallreduce_c MPI_Allreduce_init_c
        (n: N) () Allreduce Of count;
    MPI_Scan MPI_Iscan MPI_Scan_init MPI_Scan_c MPI_Iscan_c MPI_Scan_init_c
        (n: N) () Scan Of count;
    MPI_Exscan MPI_Iexscan MPI_Exscan_init MPI_Exscan_c MPI_Iexscan_c MPI_Exscan_init_c
        (n: N) () Exscan Of count;
    MPI_Reduce_scatter MPI_Ireduce_scatter MPI_Reduce_scatter_init
        MPI_Reduce_scatter_c MPI_Ireduce_scatter_c MPI_Reduce_scatter_init_c
        (counts: L) () ReduceScatter Parts list;
    MPI_Reduce_scatter_block MPI_Ireduce_scatter_block MPI_Reduce_scatter_block_init
        MPI_Reduce_scatter_block_c MPI_Ireduce_scatter_block_c MPI_Reduce_scatter_block_init_c
        (n: N) () ReduceScatterBlock Equal count;
}
