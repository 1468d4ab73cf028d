//! Collective functions that move data (MPI 3.1 sections 5.3 to 5.8, 5.12, 7.6 and 7.7): blocking,
//! non-blocking and persistent, with counts of both widths.

use pc3_vmpi_coll::handles::HasObjects;
use std::ffi::{c_int, c_void};

use pc3_vmpi_coll::topo::neighbors::Neighbors;

use crate::collective_arguments::{
    keep_shape, root_of, shape, side, uses, uses_between, Count, HeldTypes, IntegerList,
    SideArguments, Use,
};
use crate::entry::entry;
use crate::messages::p2p::publish;
use pc3_vmpi_coll::comm::Comm;
use pc3_vmpi_coll::meeting::posted::{Posted, Work};
use pc3_vmpi_coll::meeting::{rounds, Call, Kind};
use pc3_vmpi_coll::work::barrier::Gate;
use pc3_vmpi_coll::work::moves::Move;
use pc3_vmpi_coll::work::shapes::DealShape;
use pc3_vmpi_core::mail::request::{Extra, RequestKind};
use pc3_vmpi_core::p2p::{Buf, Key, Request, ANY_TAG};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::abi::PROC_NULL;

/// When a call is carried out.
#[derive(Clone, Copy)]
pub enum When {
    Now,
    /// Started; the request goes there.
    Begun(*mut usize),
    /// Later, by MPI_Start.
    Later(*mut usize),
}

pub fn take_part<C: Call>(me: &'static RankState, comm: &Comm, call: &C) -> Result<()> {
    comm.meeting
        .take_part(me, comm.everyone(), comm.seat(), call)
}

/// Makes the request of a collective, and starts it if it is to be.
pub unsafe fn post(
    me: &'static RankState,
    comm: &Comm,
    handle: usize,
    kind: Kind,
    work: Work,
    when: When,
) -> Result<()> {
    let posted = Posted::new(comm, kind, work);
    let none = pc3_vmpi_objects::datatype::build::bytes();
    let key = Key {
        ctx: comm.coll_context(),
        src: PROC_NULL,
        tag: ANY_TAG,
    };
    let buf = Buf::new(std::ptr::null_mut(), 0, &none);
    let mut r = Request::new(me.rank, RequestKind::Coll, me.rank, key, &buf);
    r.comm = handle;
    r.extra = Some(Box::new(Extra::Coll(Box::new(posted))));
    let (to, begun) = match when {
        When::Begun(to) => (to, true),
        When::Now => (std::ptr::null_mut(), true),
        When::Later(to) => (to, false),
    };
    r.persistent = !begun;
    r.active.set(begun);
    let r = me.new_request(r);
    let q = r.ptr();
    // SAFETY: the program's own variable; requests stay where they are.
    unsafe {
        publish(me, r, to)?;
        if begun {
            begin(me, &*q);
        }
    }
    Ok(())
}

/// Starts a collective request.
///
/// # Safety
/// It is not pending; its buffers are the library's until it is complete.
pub unsafe fn begin(me: &'static RankState, r: &Request) {
    if let Some(p) = Posted::of(r) {
        p.times.set(p.times.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { rounds::join(me, r) };
    }
}

/// Inlined, so that every entry point has code for its own kind and forms only.
#[inline(always)]
unsafe fn moved(
    name: &'static str,
    kind: Kind,
    root: Option<c_int>,
    send: SideArguments,
    recv: SideArguments,
    handle: usize,
    when: When,
) -> c_int {
    entry(name, handle, |me| {
        let comm = me.objects().comm(handle)?;
        let root = root.map(|r| root_of(comm, r)).transpose()?;
        let (sends, receives) = match comm.remote {
            None => uses(kind, root.is_some_and(|r| r.here)),
            Some(_) => uses_between(kind, root),
        };
        let (mut out, mut into) = (HeldTypes::default(), HeldTypes::default());
        let peers = comm.peers().size();
        // SAFETY: the program's arguments.
        unsafe {
            let call = Move {
                kind,
                root: root.map_or(0, |r| r.rank),
                send: side(me, peers, send, sends, &mut out)?,
                recv: side(me, peers, recv, receives, &mut into)?,
                shape: shape(comm),
            };
            carry_out(me, comm, handle, call, when)
        }
    })
}

#[inline(always)]
unsafe fn carry_out(
    me: &'static RankState,
    comm: &Comm,
    handle: usize,
    call: Move,
    when: When,
) -> Result<()> {
    if let When::Now = when {
        return take_part(me, comm, &call);
    }
    let work = Work::Move {
        root: call.root,
        send: call.send.keep(),
        recv: call.recv.keep(),
        shape: keep_shape(&call.shape),
    };
    // SAFETY: the caller's promise.
    unsafe { post(me, comm, handle, call.kind, work, when) }
}

/// A collective along the edges of the communicator's topology.
unsafe fn along(
    name: &'static str,
    kind: Kind,
    send: SideArguments,
    recv: SideArguments,
    handle: usize,
    when: When,
) -> c_int {
    entry(name, handle, |me| {
        let comm = me.objects().comm(handle)?;
        let Some(topo) = &comm.intra()?.topo else {
            return fail(Class::ERR_TOPOLOGY, "the communicator has no topology");
        };
        let neighbors: Neighbors = topo.neighbors(comm.rank as usize)?;
        let (mut out, mut into) = (HeldTypes::default(), HeldTypes::default());
        // SAFETY: the program's arguments.
        unsafe {
            let call = Move {
                kind,
                root: 0,
                send: side(me, neighbors.dests.len(), send, Use::Yes, &mut out)?,
                recv: side(me, neighbors.sources.len(), recv, Use::Yes, &mut into)?,
                shape: DealShape::Neighbors(&neighbors),
            };
            carry_out(me, comm, handle, call, when)
        }
    })
}

/// Types of arguments: `N` count, `L` array of counts, `D` of displacements in extents, `B` in bytes.
macro_rules! arg {
    (N int) => { c_int };
    (L int) => { *const c_int };
    (D int) => { *const c_int };
    (B int) => { *const c_int };
    (A int) => { *const isize };
    (N wide) => { i64 };
    (L wide) => { *const i64 };
    (D wide) => { *const isize };
    (B wide) => { *const isize };
    (A wide) => { *const isize };
    (P $w:ident) => { *const c_void };
    (M $w:ident) => { *mut c_void };
    (T $w:ident) => { usize };
    (TT $w:ident) => { *const usize };
}
pub(crate) use arg;

macro_rules! given {
    (One $p:ident $n:ident $t:ident) => {
        SideArguments::One($p, $n.count(), $t)
    };
    (Blocks $p:ident $n:ident $t:ident) => {
        SideArguments::Blocks($p, $n.count(), $t)
    };
    (Each $p:ident $n:ident $d:ident $t:ident) => {
        SideArguments::Each($p, $n.list(), $d.list(), $t)
    };
    (Typed $p:ident $n:ident $d:ident $t:ident) => {
        SideArguments::Typed($p, $n.list(), $d.list(), $t)
    };
}

/// One entry point.
macro_rules! one {
    ($name:ident $w:ident now ($($arg:ident: $t:ident),*) ($($root:ident)?) $kind:ident ($($send:tt)*) ($($recv:tt)*)) => {
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $name($($arg: arg!($t $w),)* $($root: c_int,)? comm: usize) -> c_int {
            let root = None$(.or(Some($root)))?;
            moved(stringify!($name), Kind::$kind, root, given!($($send)*), given!($($recv)*), comm, When::Now)
        }
    };
    ($name:ident $w:ident begun ($($arg:ident: $t:ident),*) ($($root:ident)?) $kind:ident ($($send:tt)*) ($($recv:tt)*)) => {
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $name($($arg: arg!($t $w),)* $($root: c_int,)? comm: usize, request: *mut usize) -> c_int {
            let root = None$(.or(Some($root)))?;
            moved(stringify!($name), Kind::$kind, root, given!($($send)*), given!($($recv)*), comm, When::Begun(request))
        }
    };
    ($name:ident $w:ident later ($($arg:ident: $t:ident),*) ($($root:ident)?) $kind:ident ($($send:tt)*) ($($recv:tt)*)) => {
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $name($($arg: arg!($t $w),)* $($root: c_int,)? comm: usize, _info: usize, request: *mut usize) -> c_int {
            let root = None$(.or(Some($root)))?;
            moved(stringify!($name), Kind::$kind, root, given!($($send)*), given!($($recv)*), comm, When::Later(request))
        }
    };
}

/// `names of the six forms (arguments; root, if it has one) kind: what is sent => what is received`.
macro_rules! moves {
    ($($now:ident $begun:ident $later:ident $now_c:ident $begun_c:ident $later_c:ident $args:tt $root:tt $kind:ident:
       $send:tt => $recv:tt;)*) => { $(
        one!($now int now $args $root $kind $send $recv);
        one!($begun int begun $args $root $kind $send $recv);
        one!($later int later $args $root $kind $send $recv);
        one!($now_c wide now $args $root $kind $send $recv);
        one!($begun_c wide begun $args $root $kind $send $recv);
        one!($later_c wide later $args $root $kind $send $recv);
    )* };
}

moves! {
    MPI_Bcast MPI_Ibcast MPI_Bcast_init MPI_Bcast_c MPI_Ibcast_c MPI_Bcast_init_c
        (buf: M, n: N, ty: T) (root) Bcast: (One buf n ty) => (One buf n ty);
    MPI_Gather MPI_Igather MPI_Gather_init MPI_Gather_c MPI_Igather_c MPI_Gather_init_c
        (from: P, n: N, ty: T, to: M, rn: N, rty: T) (root) Gather: (One from n ty) => (Blocks to rn rty);
    MPI_Gatherv MPI_Igatherv MPI_Gatherv_init MPI_Gatherv_c MPI_Igatherv_c MPI_Gatherv_init_c
        (from: P, n: N, ty: T, to: M, rns: L, rats: D, rty: T) (root)
        Gatherv: (One from n ty) => (Each to rns rats rty);
    MPI_Scatter MPI_Iscatter MPI_Scatter_init MPI_Scatter_c MPI_Iscatter_c MPI_Scatter_init_c
        (from: P, n: N, ty: T, to: M, rn: N, rty: T) (root) Scatter: (Blocks from n ty) => (One to rn rty);
    MPI_Scatterv MPI_Iscatterv MPI_Scatterv_init MPI_Scatterv_c MPI_Iscatterv_c MPI_Scatterv_init_c
        (from: P, ns: L, ats: D, ty: T, to: M, rn: N, rty: T) (root)
        Scatterv: (Each from ns ats ty) => (One to rn rty);
    MPI_Allgather MPI_Iallgather MPI_Allgather_init MPI_Allgather_c MPI_Iallgather_c MPI_Allgather_init_c
        (from: P, n: N, ty: T, to: M, rn: N, rty: T) () Allgather: (One from n ty) => (Blocks to rn rty);
    MPI_Allgatherv MPI_Iallgatherv MPI_Allgatherv_init MPI_Allgatherv_c MPI_Iallgatherv_c MPI_Allgatherv_init_c
        (from: P, n: N, ty: T, to: M, rns: L, rats: D, rty: T) ()
        Allgatherv: (One from n ty) => (Each to rns rats rty);
    MPI_Alltoall MPI_Ialltoall MPI_Alltoall_init MPI_Alltoall_c MPI_Ialltoall_c MPI_Alltoall_init_c
        (from: P, n: N, ty: T, to: M, rn: N, rty: T) () Alltoall: (Blocks from n ty) => (Blocks to rn rty);
    MPI_Alltoallv MPI_Ialltoallv MPI_Alltoallv_init MPI_Alltoallv_c MPI_Ialltoallv_c MPI_Alltoallv_init_c
        (from: P, ns: L, ats: D, ty: T, to: M, rns: L, rats: D, rty: T) ()
        Alltoallv: (Each from ns ats ty) => (Each to rns rats rty);
    MPI_Alltoallw MPI_Ialltoallw MPI_Alltoallw_init MPI_Alltoallw_c MPI_Ialltoallw_c MPI_Alltoallw_init_c
        (from: P, ns: L, ats: B, tys: TT, to: M, rns: L, rats: B, rtys: TT) ()
        Alltoallw: (Typed from ns ats tys) => (Typed to rns rats rtys);
}

macro_rules! neighbor {
    ($name:ident $w:ident ($($arg:ident: $t:ident),*) ($($more:ident: $mt:ty),*) $when:expr, $kind:ident ($($send:tt)*) ($($recv:tt)*)) => {
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $name($($arg: arg!($t $w),)* comm: usize $(, $more: $mt)*) -> c_int {
            along(stringify!($name), Kind::$kind, given!($($send)*), given!($($recv)*), comm, $when)
        }
    };
}

macro_rules! neighbors {
    ($($now:ident $begun:ident $later:ident $now_c:ident $begun_c:ident $later_c:ident $args:tt $kind:ident:
       $send:tt => $recv:tt;)*) => { $(
        neighbor!($now int $args () When::Now, $kind $send $recv);
        neighbor!($begun int $args (request: *mut usize) When::Begun(request), $kind $send $recv);
        neighbor!($later int $args (_info: usize, request: *mut usize) When::Later(request), $kind $send $recv);
        neighbor!($now_c wide $args () When::Now, $kind $send $recv);
        neighbor!($begun_c wide $args (request: *mut usize) When::Begun(request), $kind $send $recv);
        neighbor!($later_c wide $args (_info: usize, request: *mut usize) When::Later(request), $kind $send $recv);
    )* };
}

neighbors! {
    MPI_Neighbor_allgather MPI_Ineighbor_allgather MPI_Neighbor_allgather_init
        MPI_Neighbor_allgather_c MPI_Ineighbor_allgather_c MPI_Neighbor_allgather_init_c
        (from: P, n: N, ty: T, to: M, rn: N, rty: T) NeighborAllgather: (One from n ty) => (Blocks to rn rty);
    MPI_Neighbor_allgatherv MPI_Ineighbor_allgatherv MPI_Neighbor_allgatherv_init
        MPI_Neighbor_allgatherv_c MPI_Ineighbor_allgatherv_c MPI_Neighbor_allgatherv_init_c
        (from: P, n: N, ty: T, to: M, rns: L, rats: D, rty: T)
        NeighborAllgatherv: (One from n ty) => (Each to rns rats rty);
    MPI_Neighbor_alltoall MPI_Ineighbor_alltoall MPI_Neighbor_alltoall_init
        MPI_Neighbor_alltoall_c MPI_Ineighbor_alltoall_c MPI_Neighbor_alltoall_init_c
        (from: P, n: N, ty: T, to: M, rn: N, rty: T) NeighborAlltoall: (Blocks from n ty) => (Blocks to rn rty);
    MPI_Neighbor_alltoallv MPI_Ineighbor_alltoallv MPI_Neighbor_alltoallv_init
        MPI_Neighbor_alltoallv_c MPI_Ineighbor_alltoallv_c MPI_Neighbor_alltoallv_init_c
        (from: P, ns: L, ats: D, ty: T, to: M, rns: L, rats: D, rty: T)
        NeighborAlltoallv: (Each from ns ats ty) => (Each to rns rats rty);
    MPI_Neighbor_alltoallw MPI_Ineighbor_alltoallw MPI_Neighbor_alltoallw_init
        MPI_Neighbor_alltoallw_c MPI_Ineighbor_alltoallw_c MPI_Neighbor_alltoallw_init_c
        (from: P, ns: L, ats: A, tys: TT, to: M, rns: L, rats: A, rtys: TT)
        NeighborAlltoallw: (Typed from ns ats tys) => (Typed to rns rats rtys);
}

/// MPI 3.1 section 5.3.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Barrier(comm: usize) -> c_int {
    entry("MPI_Barrier", comm, |me| {
        take_part(me, me.objects().comm(comm)?, &Gate(Kind::Barrier))
    })
}

unsafe fn barrier(name: &'static str, comm: usize, when: When) -> c_int {
    entry(name, comm, |me| {
        let c = me.objects().comm(comm)?;
        // SAFETY: it has no buffers.
        unsafe { post(me, c, comm, Kind::Barrier, Work::Gate, when) }
    })
}

/// MPI 3.1 section 5.12.1.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Ibarrier(comm: usize, request: *mut usize) -> c_int {
    barrier("MPI_Ibarrier", comm, When::Begun(request))
}

/// MPI 4.1 section 6.13.1.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Barrier_init(comm: usize, _info: usize, request: *mut usize) -> c_int {
    barrier("MPI_Barrier_init", comm, When::Later(request))
}
