//! Persistent requests (MPI 4.1 section 3.9).

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::*;

use crate::arguments::{count, slice_mut};
use crate::entry::entry;
use crate::messages::p2p::{data, prepare, publish, source, target};
use crate::messages::partitioned;
use crate::messages::request::{look, on_request, one};
use pc3_vmpi_core::mail::request::RequestKind;
use pc3_vmpi_core::p2p;
use pc3_vmpi_core::p2p::recv::post;
use pc3_vmpi_core::p2p::{Buf, Mode};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};

unsafe fn start(me: &'static RankState, handle: usize, comm: &mut usize) -> Result<()> {
    let Some(r) = look(me, handle)?.filter(|r| r.persistent && r.general().is_none()) else {
        return fail(Class::ERR_REQUEST, "not a persistent request");
    };
    *comm = r.comm;
    if r.active.get() {
        return fail(Class::ERR_REQUEST, "the request is active already");
    }
    r.done.store(false, Relaxed);
    // A collective may be complete, by others, as soon as it is started.
    r.active.set(true);
    // SAFETY: not pending; the buffer is the program's.
    unsafe {
        match r.what {
            RequestKind::Recv => post(me, r),
            // Who says that its parts are ready sends it.
            RequestKind::Send(_) if partitioned::begin(r) => {}
            RequestKind::Send(_) => p2p::send::start(me, r).inspect_err(|_| r.active.set(false))?,
            RequestKind::Coll => crate::collectives::coll::begin(me, r),
            RequestKind::General => {}
        }
    }
    Ok(())
}

/// MPI 4.1 section 3.9.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Start(request: *mut usize) -> c_int {
    on_request("MPI_Start", |me, comm| start(me, *one(request)?, comm))
}

/// MPI 4.1 section 3.9.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Startall(n: c_int, requests: *mut usize) -> c_int {
    on_request("MPI_Startall", |me, comm| {
        for h in slice_mut(requests, count(n)?)? {
            start(me, *h, comm)?;
        }
        Ok(())
    })
}

/// A persistent request, not started.
#[allow(clippy::too_many_arguments)]
unsafe fn init(
    name: &'static str,
    what: RequestKind,
    p: *mut c_void,
    n: i64,
    datatype: usize,
    peer: c_int,
    tag: c_int,
    comm: usize,
    request: *mut usize,
) -> c_int {
    entry(name, comm, |me| {
        let (to, from) = match what {
            RequestKind::Send(_) => (target(me, name, peer, tag, comm)?, None),
            _ => (None, source(me, name, peer, tag, comm)?),
        };
        let (n, ty) = data(me, p, n, datatype)?;
        let mut r = prepare(me, what, to, from, &Buf::new(p.cast(), n, &ty), peer, comm);
        r.get_mut().persistent = true;
        r.get().active.set(false);
        // SAFETY: the program's own variable.
        unsafe { publish(me, r, request) }
    })
}

macro_rules! inits { ($($name:ident $n:ident $mode:ident;)*) => { $(
    /// MPI 4.1 section 3.9.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(p: *const c_void, n: $n, datatype: usize, dest: c_int, tag: c_int, comm: usize, request: *mut usize) -> c_int {
        init(stringify!($name), RequestKind::Send(Mode::$mode), p.cast_mut(), n.into(), datatype, dest, tag, comm, request)
    }
)* } }
inits! {
    MPI_Send_init c_int Standard;
    MPI_Ssend_init c_int Synchronous;
    MPI_Bsend_init c_int Buffered;
    MPI_Rsend_init c_int Ready;
    MPI_Send_init_c i64 Standard;
    MPI_Ssend_init_c i64 Synchronous;
    MPI_Bsend_init_c i64 Buffered;
    MPI_Rsend_init_c i64 Ready;
}

macro_rules! recv_inits { ($($name:ident $n:ident;)*) => { $(
    /// MPI 4.1 section 3.9.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(p: *mut c_void, n: $n, datatype: usize, src: c_int, tag: c_int, comm: usize, request: *mut usize) -> c_int {
        init(stringify!($name), RequestKind::Recv, p, n.into(), datatype, src, tag, comm, request)
    }
)* } }
recv_inits! {
    MPI_Recv_init c_int;
    MPI_Recv_init_c i64;
}
