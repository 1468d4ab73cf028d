//! Completing, testing and giving up requests (MPI 4.1 sections 3.7 and 3.8.4).
//!
//! Errors of an operation go to the handler of the communicator that the request was made on.

use std::ffi::c_int;

use super::errors::raise;
use super::status::{put_status, CStatus};
use super::{count, entry, put, slice_mut};
use crate::error::{fail, Class, Result};
use crate::handle::abi::{REQUEST_NULL, UNDEFINED};
use crate::p2p::recv::check;
use crate::p2p::wait::{wait_any, wait_done};
use crate::p2p::{self, Request, Status};
use crate::state::RankState;

/// As [`entry`], where the communicator is known only when the request has been looked at.
pub(super) fn on_request(
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
pub(super) fn look(me: &RankState, handle: usize) -> Result<Option<&'static Request>> {
    if handle == REQUEST_NULL {
        return Ok(None);
    }
    match me.requests.borrow().get(handle) {
        // SAFETY: requests stay in place until `close` takes them back.
        Some(r) => Ok(Some(unsafe { &*r.ptr() })),
        None => fail(
            Class::ERR_REQUEST,
            "not a request (completed or freed already?)",
        ),
    }
}

/// A request that is pending, or complete and not yet reported.
fn active(me: &RankState, handle: usize) -> Result<Option<&'static Request>> {
    Ok(look(me, handle)?.filter(|r| r.active.get()))
}

/// Reports a complete request: its status, its handle gone unless it is persistent.
fn close(me: &RankState, handle: &mut usize, r: &Request) -> Status {
    let status = r.status();
    if r.persistent {
        r.active.set(false);
    } else {
        let taken = me.requests.borrow_mut().remove(*handle);
        if let Some(r) = taken {
            me.recycle(r);
        }
        *handle = REQUEST_NULL;
    }
    status
}

pub(super) unsafe fn one<'a>(request: *mut usize) -> Result<&'a mut usize> {
    // SAFETY: the program's own variable.
    unsafe { request.as_mut() }.map_or_else(
        || fail(Class::ERR_REQUEST, "the request is a null pointer"),
        Ok,
    )
}

/// MPI 4.1 section 3.7.3.
#[no_mangle]
pub unsafe extern "C" fn MPI_Wait(request: *mut usize, status: *mut CStatus) -> c_int {
    on_request("MPI_Wait", |me, comm| {
        let handle = one(request)?;
        let Some(r) = active(me, *handle)? else {
            put_status(status, &Status::EMPTY);
            return Ok(());
        };
        *comm = r.comm;
        wait_done(me, r);
        let s = close(me, handle, r);
        put_status(status, &s);
        check(s).map(drop)
    })
}

/// MPI 4.1 section 3.7.3.
#[no_mangle]
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
        let done = p2p::test(me, r);
        put(flag, c_int::from(done))?;
        if !done {
            return Ok(());
        }
        let s = close(me, handle, r);
        put_status(status, &s);
        check(s).map(drop)
    })
}

/// The requests of an array, `None` where there is nothing to wait for.
unsafe fn all<'a>(
    me: &RankState,
    n: c_int,
    requests: *mut usize,
) -> Result<(&'a mut [usize], Vec<Option<&'static Request>>)> {
    // SAFETY: the program's own array.
    let handles = unsafe { slice_mut(requests, count(n)?) }?;
    let list = handles
        .iter()
        .map(|h| active(me, *h))
        .collect::<Result<Vec<_>>>()?;
    Ok((handles, list))
}

/// Reports several complete requests; statuses lie one after another.
unsafe fn close_all(
    me: &RankState,
    comm: &mut usize,
    statuses: *mut CStatus,
    items: &mut dyn Iterator<Item = (&mut usize, Option<&Request>)>,
) -> Result<()> {
    let mut codes = Vec::new();
    let mut failed = false;
    for (i, (handle, r)) in items.enumerate() {
        let s = match r {
            Some(r) => {
                let on = r.comm;
                let s = close(me, handle, r);
                if s.error != Class::SUCCESS && !failed {
                    (failed, *comm) = (true, on);
                }
                s
            }
            None => Status::EMPTY,
        };
        if !statuses.is_null() {
            // SAFETY: the program's array has room for all.
            unsafe { put_status(statuses.add(i), &s) };
        }
        codes.push(s.error.0);
    }
    if !failed {
        return Ok(());
    }
    if !statuses.is_null() {
        for (i, code) in codes.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { (*statuses.add(i)).error = code };
        }
    }
    fail(Class::ERR_IN_STATUS, "an operation failed: see its status")
}

/// MPI 4.1 section 3.7.5.
#[no_mangle]
pub unsafe extern "C" fn MPI_Waitall(
    n: c_int,
    requests: *mut usize,
    statuses: *mut CStatus,
) -> c_int {
    on_request("MPI_Waitall", |me, comm| {
        let (handles, list) = all(me, n, requests)?;
        for r in list.iter().flatten() {
            wait_done(me, r);
        }
        close_all(me, comm, statuses, &mut handles.iter_mut().zip(list))
    })
}

/// MPI 4.1 section 3.7.5.
#[no_mangle]
pub unsafe extern "C" fn MPI_Testall(
    n: c_int,
    requests: *mut usize,
    flag: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    on_request("MPI_Testall", |me, comm| {
        let (handles, list) = all(me, n, requests)?;
        // Asked once for flag and result: other workers complete requests at any time.
        let all_done = || list.iter().flatten().all(|r| r.is_done());
        let done = all_done() || {
            me.poll();
            all_done()
        };
        put(flag, c_int::from(done))?;
        if !done {
            return Ok(());
        }
        close_all(me, comm, statuses, &mut handles.iter_mut().zip(list))
    })
}

/// The complete one of the requests with index `found`, or none.
unsafe fn report_any(
    me: &RankState,
    comm: &mut usize,
    handles: &mut [usize],
    found: Option<(usize, &Request)>,
    index: *mut c_int,
    status: *mut CStatus,
) -> Result<()> {
    let (i, s) = match found {
        Some((i, r)) => {
            *comm = r.comm;
            (i as c_int, close(me, &mut handles[i], r))
        }
        None => (UNDEFINED, Status::EMPTY),
    };
    // SAFETY: the program's own variables.
    unsafe {
        put_status(status, &s);
        put(index, i)?;
    }
    check(s).map(drop)
}

/// MPI 4.1 section 3.7.5.
#[no_mangle]
pub unsafe extern "C" fn MPI_Waitany(
    n: c_int,
    requests: *mut usize,
    index: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    on_request("MPI_Waitany", |me, comm| {
        let (handles, list) = all(me, n, requests)?;
        let some = || {
            list.iter()
                .enumerate()
                .filter_map(|(i, r)| r.map(|r| (i, r)))
        };
        let found = wait_any(me, some()).and_then(|i| list[i].map(|r| (i, r)));
        report_any(me, comm, handles, found, index, status)
    })
}

/// MPI 4.1 section 3.7.5.
#[no_mangle]
pub unsafe extern "C" fn MPI_Testany(
    n: c_int,
    requests: *mut usize,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    on_request("MPI_Testany", |me, comm| {
        let (handles, list) = all(me, n, requests)?;
        let some = || {
            list.iter()
                .enumerate()
                .filter_map(|(i, r)| r.map(|r| (i, r)))
        };
        let mut found = some().find(|(_, r)| r.is_done());
        if found.is_none() && some().next().is_some() {
            me.poll();
            found = some().find(|(_, r)| r.is_done());
        }
        let none_left = some().next().is_none();
        put(flag, c_int::from(found.is_some() || none_left))?;
        if found.is_none() && !none_left {
            return put(index, UNDEFINED);
        }
        report_any(me, comm, handles, found, index, status)
    })
}

/// `MPI_Waitsome` and `MPI_Testsome`.
#[allow(clippy::too_many_arguments)]
unsafe fn some(
    name: &'static str,
    wait: bool,
    n: c_int,
    requests: *mut usize,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    on_request(name, |me, comm| {
        // SAFETY: the program's own arrays.
        unsafe {
            let (handles, list) = all(me, n, requests)?;
            let live = || {
                list.iter()
                    .enumerate()
                    .filter_map(|(i, r)| r.map(|r| (i, r)))
            };
            if live().next().is_none() {
                return put(outcount, UNDEFINED);
            }
            if wait {
                wait_any(me, live());
            } else if !live().any(|(_, r)| r.is_done()) {
                me.poll();
            }
            let done: Vec<bool> = list
                .iter()
                .map(|r| r.is_some_and(Request::is_done))
                .collect();
            let which: Vec<usize> = (0..list.len()).filter(|&i| done[i]).collect();
            let out = slice_mut(indices, which.len())?;
            for (to, i) in out.iter_mut().zip(&which) {
                *to = *i as c_int;
            }
            put(outcount, which.len() as c_int)?;
            let mut items = handles
                .iter_mut()
                .zip(list)
                .zip(done)
                .filter(|(_, d)| *d)
                .map(|(item, _)| item);
            close_all(me, comm, statuses, &mut items)
        }
    })
}

/// MPI 4.1 section 3.7.5.
#[no_mangle]
pub unsafe extern "C" fn MPI_Waitsome(
    n: c_int,
    requests: *mut usize,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    some(
        "MPI_Waitsome",
        true,
        n,
        requests,
        outcount,
        indices,
        statuses,
    )
}

/// MPI 4.1 section 3.7.5.
#[no_mangle]
pub unsafe extern "C" fn MPI_Testsome(
    n: c_int,
    requests: *mut usize,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    some(
        "MPI_Testsome",
        false,
        n,
        requests,
        outcount,
        indices,
        statuses,
    )
}

/// MPI 4.1 section 3.7.6: like MPI_Test, but the request stays.
#[no_mangle]
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
        let done = p2p::test(me, r);
        if done {
            put_status(status, &r.status());
        }
        put(flag, c_int::from(done))
    })
}

/// MPI 4.1 section 3.7.3.
#[no_mangle]
pub unsafe extern "C" fn MPI_Request_free(request: *mut usize) -> c_int {
    on_request("MPI_Request_free", |me, _| {
        let handle = one(request)?;
        let taken = me.requests.borrow_mut().remove(*handle);
        match taken {
            Some(r) => p2p::free(me, r),
            None => {
                return fail(
                    Class::ERR_REQUEST,
                    "not a request (completed or freed already?)",
                )
            }
        }
        *handle = REQUEST_NULL;
        Ok(())
    })
}

/// MPI 4.1 section 3.8.4.
#[no_mangle]
pub unsafe extern "C" fn MPI_Cancel(request: *mut usize) -> c_int {
    on_request("MPI_Cancel", |me, comm| match look(me, *one(request)?)? {
        Some(r) => {
            *comm = r.comm;
            p2p::cancel(me, r);
            Ok(())
        }
        None => fail(Class::ERR_REQUEST, "the request is MPI_REQUEST_NULL"),
    })
}
