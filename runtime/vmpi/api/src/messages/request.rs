//! Completing, testing and giving up a request (MPI 4.1 sections 3.7 and 3.8.4).
//!
//! Errors of an operation go to the handler of the communicator that the request was made on.

use super::callbacks::{self, query};
use pc3_vmpi_coll::meeting::posted::Posted;
use std::ffi::c_int;

use crate::arguments::put;
use crate::entry::entry;
use crate::messages::status::{put_status, CStatus};
use crate::raise::raise;
use pc3_vmpi_core::mail::request::{check, RequestKind};
use pc3_vmpi_core::p2p;
use pc3_vmpi_core::p2p::wait::wait_done;
use pc3_vmpi_core::p2p::{Request, Status};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_nonblocking::operations::outcomes;
use pc3_vmpi_objects::error::{fail, Class, MpiError, Result};
use pc3_vmpi_objects::handle::abi::REQUEST_NULL;
use pc3_vmpi_objects::handle::SENT;

/// As [`entry`], where the communicator is known only when the request has been looked at.
pub(crate) fn on_request(
    name: &'static str,
    f: impl FnOnce(&'static RankState, &mut usize) -> Result<()>,
) -> c_int {
    let mut code = Class::SUCCESS.0;
    let outside = entry(name, 0, |me| {
        let mut comm = 0;
        if let Err(e) = f(me, &mut comm) {
            code = raise(me, name, comm, e);
        }
        Ok(())
    });
    if outside == Class::SUCCESS.0 {
        code
    } else {
        outside
    }
}

/// The request of a handle; `None` for `MPI_REQUEST_NULL`.
pub fn look(me: &RankState, handle: usize) -> Result<Option<&'static Request>> {
    if handle == REQUEST_NULL {
        return Ok(None);
    }
    me.request(handle).map_or_else(
        || {
            fail(
                Class::ERR_REQUEST,
                "not a request (completed or freed already?)",
            )
        },
        |r| Ok(Some(r)),
    )
}

/// A request that is pending, or complete and not yet reported.
pub fn active(me: &RankState, handle: usize) -> Result<Option<&'static Request>> {
    Ok(look(me, handle)?.filter(|r| r.active.get()))
}

/// What a complete request came to, and what a person reads if it failed.
pub struct Outcome {
    pub status: Status,
    pub error: Option<MpiError>,
}

impl Outcome {
    #[inline(always)]
    pub fn of(me: &RankState, r: &Request) -> Outcome {
        if r.extra.is_none() {
            let status = r.status();
            let error = check(status).err();
            return Outcome { status, error };
        }
        Outcome::of_other(me, r)
    }

    /// Of what is no message.
    #[cold]
    fn of_other(me: &RankState, r: &Request) -> Outcome {
        pc3_vmpi_coll::comm::idup::settle(me, r);
        let status = match r.general() {
            Some(g) => query(g),
            None => r.status(),
        };
        let error = match Posted::of(r) {
            // SAFETY: the request is complete, so it is its owner's.
            Some(p) => unsafe { (*p.error.get()).clone() },
            None if r.general().is_some() && status.error != Class::SUCCESS => Some(MpiError::new(
                status.error,
                "a function of the generalised request returned this",
            )),
            None => check(status).err(),
        };
        Outcome { status, error }
    }
}

/// Reports a complete request; its handle is gone unless it is persistent.
#[inline(never)]
pub fn close(me: &RankState, handle: &mut usize, r: &Request) -> Outcome {
    let mut status = Outcome::of(me, r);
    if r.extra.is_some() {
        free(r, &mut status);
    }
    if r.persistent {
        r.active.set(false);
    } else {
        give_back(me, handle);
    }
    status
}

#[inline(always)]
fn give_back(me: &RankState, handle: &mut usize) {
    let taken = me.requests.borrow_mut().remove(*handle);
    if let Some(r) = taken {
        me.recycle(r);
    }
    *handle = REQUEST_NULL;
}

/// Reports a complete request that is a message and went well, as nearly all are; else false, and nothing was done.
///
/// # Safety
/// `status` is null or valid.
#[inline(always)]
pub(crate) unsafe fn close_message(
    me: &RankState,
    handle: &mut usize,
    r: &Request,
    status: *mut CStatus,
) -> bool {
    if *handle == SENT {
        // SAFETY: the caller's promise.
        unsafe { put_status(status, &Status::EMPTY) };
        *handle = REQUEST_NULL;
        return true;
    }
    if r.extra.is_some() || r.persistent {
        return false;
    }
    let s = r.status();
    if s.error != Class::SUCCESS {
        return false;
    }
    // SAFETY: the caller's promise.
    unsafe { put_status(status, &s) };
    give_back(me, handle);
    true
}

/// Reports a complete request.
///
/// # Safety
/// As of [`close_message`].
#[inline(always)]
pub unsafe fn report(
    me: &RankState,
    handle: &mut usize,
    r: &Request,
    status: *mut CStatus,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        if close_message(me, handle, r, status) {
            return Ok(());
        }
        let done = close(me, handle, r);
        put_status(status, &done.status);
        done.error.map_or(Ok(()), Err)
    }
}

/// A generalised request's own function frees what it has.
#[cold]
fn free(r: &Request, status: &mut Outcome) {
    let Some(g) = r.general() else { return };
    let code = callbacks::free(g);
    if code != Class::SUCCESS && status.error.is_none() {
        status.status.error = code;
        let text = "the free function of the generalised request returned this";
        status.error = Some(MpiError::new(code, text));
    }
}

pub unsafe fn one<'a>(request: *mut usize) -> Result<&'a mut usize> {
    // SAFETY: the program's own variable.
    unsafe { request.as_mut() }.map_or_else(
        || fail(Class::ERR_REQUEST, "the request is a null pointer"),
        Ok,
    )
}

/// MPI 4.1 section 3.7.3.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Wait(request: *mut usize, status: *mut CStatus) -> c_int {
    on_request("MPI_Wait", |me, comm| {
        let handle = one(request)?;
        let Some(r) = active(me, *handle)? else {
            put_status(status, &Status::EMPTY);
            return Ok(());
        };
        *comm = r.comm;
        wait_done(me, r);
        report(me, handle, r, status)
    })
}

/// MPI 4.1 section 3.7.3.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Test(
    request: *mut usize,
    flag: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    on_request("MPI_Test", |me, comm| {
        let handle = one(request)?;
        let Some(r) = active(me, *handle)? else {
            put_status(status, &Status::EMPTY);
            return put(flag, 1);
        };
        *comm = r.comm;
        let done = outcomes::flag(me, || p2p::test(me, r), || wait_done(me, r));
        put(flag, c_int::from(done))?;
        if !done {
            return Ok(());
        }
        report(me, handle, r, status)
    })
}

/// MPI 4.1 section 3.7.6: like MPI_Test, but the request stays.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Request_get_status(
    request: usize,
    flag: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    on_request("MPI_Request_get_status", |me, comm| {
        let Some(r) = active(me, request)? else {
            put_status(status, &Status::EMPTY);
            return put(flag, 1);
        };
        *comm = r.comm;
        let done = outcomes::flag(me, || p2p::test(me, r), || wait_done(me, r));
        if done {
            put_status(status, &Outcome::of(me, r).status);
        }
        put(flag, c_int::from(done))
    })
}

/// MPI 4.1 section 3.7.3.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Request_free(request: *mut usize) -> c_int {
    on_request("MPI_Request_free", |me, _| {
        let handle = one(request)?;
        let Some(r) = look(me, *handle)? else {
            return fail(Class::ERR_REQUEST, "the request is MPI_REQUEST_NULL");
        };
        if Posted::of(r).is_some() && r.active.get() {
            return fail(
                Class::ERR_REQUEST,
                "a collective operation cannot be given up while it is pending",
            );
        }
        let general = r.general().copied();
        if general.is_some() && !r.is_done() {
            // It goes when the program completes it.
            if let Some(r) = me.requests.borrow_mut().get_mut(*handle) {
                r.get_mut().null = true;
            }
            *handle = REQUEST_NULL;
            return Ok(());
        }
        let taken = me.requests.borrow_mut().remove(*handle);
        *handle = REQUEST_NULL;
        if let Some(r) = taken {
            p2p::free(me, r);
        }
        match general.map(|g| callbacks::free(&g)) {
            None | Some(Class::SUCCESS) => Ok(()),
            Some(code) => fail(code, "the free function of the generalised request failed"),
        }
    })
}

/// MPI 4.1 section 3.8.4.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Cancel(request: *mut usize) -> c_int {
    on_request("MPI_Cancel", |me, comm| match look(me, *one(request)?)? {
        Some(r) => {
            *comm = r.comm;
            match r.what {
                RequestKind::Coll => fail(Class::ERR_REQUEST, "a collective cannot be cancelled"),
                RequestKind::General => callbacks::cancel(r),
                _ => {
                    p2p::cancel(me, r);
                    Ok(())
                }
            }
        }
        None => fail(Class::ERR_REQUEST, "the request is MPI_REQUEST_NULL"),
    })
}
