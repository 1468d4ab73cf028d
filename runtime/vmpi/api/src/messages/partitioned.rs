//! Partitioned communication (MPI 4.1 chapter 4): a message whose parts become ready one after the other.  It goes as one, when
//! the last of them is.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::Relaxed;

use crate::arguments::{count, put, slice};
use crate::entry::entry;
use crate::messages::p2p::{data, prepare, publish, source, target};
use crate::messages::request::{look, on_request};
use crate::objects::info::known;
use pc3_vmpi_core::mail::request::{Extra, Parts, RequestKind};
use pc3_vmpi_core::p2p::{self, Buf, Mode, Request, ANY_SOURCE, ANY_TAG};
use pc3_vmpi_core::poll::poll;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_nonblocking::above::unsupported;
use pc3_vmpi_objects::error::{fail, Class, Result};

/// A message as a call names it: address, parts, elements of each, datatype.
type Whole = (*mut c_void, c_int, i64, usize);
/// Peer, tag, communicator, info.
type Envelope = (c_int, c_int, usize, usize);

/// A request that matches one of another rank, for all of its life: no other such message.
unsafe fn init(
    name: &'static str,
    what: RequestKind,
    (p, parts, n, datatype): Whole,
    (peer, tag, comm, info): Envelope,
    request: *mut usize,
) -> c_int {
    entry(name, comm, |me| {
        known(me, info)?;
        let parts = count(parts)?;
        if what == RequestKind::Recv && (peer == ANY_SOURCE || tag == ANY_TAG) {
            return fail(
                Class::ERR_ARG,
                "a partitioned message is received from one rank, with one tag",
            );
        }
        let (to, from) = match what {
            RequestKind::Send(_) => (target(me, name, peer, tag, comm)?, None),
            _ => (None, source(me, name, peer, tag, comm)?),
        };
        let Some(all) = n.checked_mul(parts as i64) else {
            return fail(Class::ERR_COUNT, format!("{parts} parts of {n} elements"));
        };
        let (n, ty) = data(me, p, all, datatype)?;
        let mut r = prepare(me, what, to, from, &Buf::new(p.cast(), n, &ty), peer, comm);
        let new = r.get_mut();
        new.persistent = true;
        new.active.set(false);
        // Other messages of the communicator are not received by these.
        new.key.ctx += u32::from(!new.null);
        new.extra = Some(Box::new(Extra::Parts(Parts::new(parts))));
        if !new.null && has_another(me, new) {
            me.recycle(r);
            return fail(
                Class::ERR_UNSUPPORTED_OPERATION,
                "several partitioned messages of one pair of ranks and one tag at a time are not available",
            );
        }
        // SAFETY: the program's own variable.
        unsafe { publish(me, r, request) }
    })
}

/// Is there another one that its messages could be taken for?
fn has_another(me: &RankState, new: &Request) -> bool {
    let same = |r: &Request| {
        r.parts().is_some()
            && (r.what, r.key, r.dest) == (new.what, new.key, new.dest)
            && !std::ptr::eq(r, new)
    };
    let held = me.requests.borrow();
    let found = held.iter().any(|(_, r)| same(r.get()));
    found
}

macro_rules! inits { ($($send:ident $recv:ident $n:ident;)*) => { $(
    /// MPI 4.1 section 4.2.1.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $send(p: *const c_void, parts: c_int, n: $n, datatype: usize, dest: c_int, tag: c_int, comm: usize, info: usize, request: *mut usize) -> c_int {
        let whole = (p.cast_mut(), parts, n.into(), datatype);
        init(stringify!($send), RequestKind::Send(Mode::Standard), whole, (dest, tag, comm, info), request)
    }
    /// MPI 4.1 section 4.2.1.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $recv(p: *mut c_void, parts: c_int, n: $n, datatype: usize, src: c_int, tag: c_int, comm: usize, info: usize, request: *mut usize) -> c_int {
        let whole = (p, parts, n.into(), datatype);
        init(stringify!($recv), RequestKind::Recv, whole, (src, tag, comm, info), request)
    }
)* } }
inits! {
    MPI_Psend_init MPI_Precv_init c_int;
    MPI_Psend_init_c MPI_Precv_init_c i64;
}

/// A message of parts begins anew; true if it waits for them.
pub(crate) fn begin(r: &Request) -> bool {
    let Some(parts) = r.parts().filter(|_| matches!(r.what, RequestKind::Send(_))) else {
        return false;
    };
    parts.ready.borrow_mut().fill(false);
    !r.null && !parts.ready.borrow().is_empty()
}

/// The request, and its parts.
fn of(me: &RankState, handle: usize) -> Result<(&'static Request, &'static Parts)> {
    let found = look(me, handle)?;
    match found.and_then(|r| Some((r, r.parts()?))) {
        Some(both) => Ok(both),
        None => fail(Class::ERR_REQUEST, "not a request of a partitioned message"),
    }
}

unsafe fn ready(
    me: &'static RankState,
    handle: usize,
    list: impl Iterator<Item = c_int>,
    comm: &mut usize,
) -> Result<()> {
    let (r, parts) = of(me, handle)?;
    *comm = r.comm;
    if !matches!(r.what, RequestKind::Send(_)) || !r.active.get() {
        return fail(
            Class::ERR_REQUEST,
            "the request is not one of a partitioned send that has been started",
        );
    }
    let mut ready = parts.ready.borrow_mut();
    for part in list {
        match usize::try_from(part).ok().and_then(|p| ready.get_mut(p)) {
            Some(is) if !*is => *is = true,
            Some(_) => return fail(Class::ERR_ARG, format!("part {part} is ready already")),
            None => return fail(Class::ERR_ARG, format!("part {part} of {}", ready.len())),
        }
    }
    let all = ready.iter().all(|is| *is);
    drop(ready);
    match all && !r.null {
        // SAFETY: not pending; the buffer is the program's.
        true => unsafe { p2p::send::start(me, r) },
        false => Ok(()),
    }
}

/// MPI 4.1 section 4.2.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Pready(part: c_int, request: usize) -> c_int {
    on_request("MPI_Pready", |me, comm| {
        ready(me, request, std::iter::once(part), comm)
    })
}

/// MPI 4.1 section 4.2.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Pready_range(low: c_int, high: c_int, request: usize) -> c_int {
    on_request("MPI_Pready_range", |me, comm| {
        ready(me, request, low..=high, comm)
    })
}

/// MPI 4.1 section 4.2.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Pready_list(n: c_int, parts: *const c_int, request: usize) -> c_int {
    on_request("MPI_Pready_list", |me, comm| {
        let list = slice(parts, count(n)?)?;
        ready(me, request, list.iter().copied(), comm)
    })
}

/// MPI 4.1 section 4.2.2: each part has arrived when all have.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Parrived(request: usize, part: c_int, flag: *mut c_int) -> c_int {
    on_request("MPI_Parrived", |me, comm| {
        if look(me, request)?.is_none() {
            return put(flag, 1);
        }
        let (r, parts) = of(me, request)?;
        *comm = r.comm;
        if r.what != RequestKind::Recv {
            return fail(Class::ERR_REQUEST, "the request is not one of a receive");
        }
        let n = parts.ready.borrow().len();
        if !usize::try_from(part).is_ok_and(|p| p < n) {
            return fail(Class::ERR_ARG, format!("part {part} of {n}"));
        }
        unsupported(me, "MPI_Parrived");
        let arrived = || !r.active.get() || r.done.load(Relaxed) && r.is_done();
        if !arrived() {
            poll(me);
        }
        put(flag, c_int::from(arrived()))
    })
}
