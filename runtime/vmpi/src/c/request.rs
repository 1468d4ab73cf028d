//! Completing, testing and giving up requests (MPI 4.1 sections 3.7 and 3.8.4).
//!
//! Errors of an operation go to the handler of the communicator that the request was made on.

use std::ffi::c_int;

use super::errors::raise;
use super::status::{put_status, CStatus};
use super::{count, entry, put, slice_mut};
use crate::crossing::outcomes;
use crate::error::{fail, Class, MpiError, Result};
use crate::handle::abi::{REQUEST_NULL, UNDEFINED};
use crate::p2p::recv::check;
use crate::p2p::request::What;
use crate::p2p::wait::{first_done, wait_any, wait_done};
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

/// What a complete request came to, and what a person reads if it failed.
struct Outcome {
    status: Status,
    error: Option<MpiError>,
}

impl Outcome {
    const NOTHING: Outcome = Outcome {
        status: Status::EMPTY,
        error: None,
    };

    fn of(me: &RankState, r: &Request) -> Outcome {
        super::inter::settle(me, r);
        let status = match r.general() {
            Some(g) => super::general::query(g),
            None => r.status(),
        };
        let error = match r.posted() {
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
fn close(me: &RankState, handle: &mut usize, r: &Request) -> Outcome {
    let mut status = Outcome::of(me, r);
    if let Some(g) = r.general() {
        let code = super::general::free(g);
        if code != Class::SUCCESS && status.error.is_none() {
            status.status.error = code;
            let text = "the free function of the generalised request returned this";
            status.error = Some(MpiError::new(code, text));
        }
    }
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
        let done = close(me, handle, r);
        put_status(status, &done.status);
        done.error.map_or(Ok(()), Err)
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
        let done = close(me, handle, r);
        put_status(status, &done.status);
        done.error.map_or(Ok(()), Err)
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
                if s.error.is_some() && !failed {
                    (failed, *comm) = (true, on);
                }
                s.status
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
#[pc3_vmpi_entry::entry]
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
#[pc3_vmpi_entry::entry]
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
        let ask = || {
            all_done() || {
                me.poll();
                all_done()
            }
        };
        let done = outcomes::flag(me, ask, || {
            list.iter().flatten().for_each(|r| wait_done(me, r));
        });
        put(flag, c_int::from(done))?;
        if !done {
            return Ok(());
        }
        close_all(me, comm, statuses, &mut handles.iter_mut().zip(list))
    })
}

/// The active ones, with their places.
fn live<'a>(
    list: &'a [Option<&'static Request>],
) -> impl Iterator<Item = (usize, &'static Request)> + Clone + 'a {
    list.iter()
        .enumerate()
        .filter_map(|(i, r)| r.map(|r| (i, r)))
}

/// What `ask` finds among the requests, or what it found the first time.
fn one_of(
    me: &RankState,
    list: &[Option<&'static Request>],
    ask: impl FnOnce() -> Option<usize>,
) -> Option<usize> {
    if !me.world().crossing.is_slow() {
        return ask();
    }
    let mut found = outcomes::which(
        me,
        || ask().into_iter().collect(),
        |i| list.get(i).copied().flatten(),
    );
    found.pop()
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
    let (i, done) = match found {
        Some((i, r)) => {
            *comm = r.comm;
            (i as c_int, close(me, &mut handles[i], r))
        }
        None => (UNDEFINED, Outcome::NOTHING),
    };
    // SAFETY: the program's own variables.
    unsafe {
        put_status(status, &done.status);
        put(index, i)?;
    }
    done.error.map_or(Ok(()), Err)
}

/// MPI 4.1 section 3.7.5.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Waitany(
    n: c_int,
    requests: *mut usize,
    index: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    on_request("MPI_Waitany", |me, comm| {
        let (handles, list) = all(me, n, requests)?;
        let some = || live(&list);
        let first = if some().next().is_some() {
            one_of(me, &list, || wait_any(me, some()))
        } else {
            None
        };
        let found = first.and_then(|i| list[i].map(|r| (i, r)));
        report_any(me, comm, handles, found, index, status)
    })
}

/// MPI 4.1 section 3.7.5.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Testany(
    n: c_int,
    requests: *mut usize,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    on_request("MPI_Testany", |me, comm| {
        let (handles, list) = all(me, n, requests)?;
        let some = || live(&list);
        let found = match some().next() {
            None => None,
            Some(_) => one_of(me, &list, || {
                first_done(me, some()).or_else(|| {
                    me.poll();
                    first_done(me, some())
                })
            }),
        };
        let found = found.and_then(|i| list[i].map(|r| (i, r)));
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
            let some = || live(&list);
            if some().next().is_none() {
                return put(outcount, UNDEFINED);
            }
            let ask = || {
                if wait {
                    wait_any(me, some());
                } else if !some().any(|(_, r)| r.is_done()) {
                    me.poll();
                }
                let mut done: Vec<_> = some().filter(|(_, r)| r.is_done()).collect();
                done.sort_by_key(|(_, r)| std::cmp::Reverse(r.age(me)));
                done.into_iter().map(|(i, _)| i).collect()
            };
            let order = outcomes::which(me, ask, |i| list.get(i).copied().flatten());
            let mut place = vec![None; list.len()];
            for (at, i) in order.iter().enumerate() {
                place[*i] = Some(at);
            }
            let all = handles.iter_mut().zip(&list).enumerate();
            let mut which: Vec<_> = all.filter(|(i, _)| place[*i].is_some()).collect();
            which.sort_unstable_by_key(|(i, _)| place[*i]);
            let out = slice_mut(indices, which.len())?;
            for (to, (i, _)) in out.iter_mut().zip(&which) {
                *to = *i as c_int;
            }
            put(outcount, which.len() as c_int)?;
            let mut items = which.into_iter().map(|(_, (handle, r))| (handle, *r));
            close_all(me, comm, statuses, &mut items)
        }
    })
}

/// MPI 4.1 section 3.7.5.
#[pc3_vmpi_entry::entry]
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
#[pc3_vmpi_entry::entry]
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
        if r.posted().is_some() && r.active.get() {
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
        match general.map(|g| super::general::free(&g)) {
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
                What::Coll => fail(Class::ERR_REQUEST, "a collective cannot be cancelled"),
                What::General => super::general::cancel(r),
                _ => {
                    p2p::cancel(me, r);
                    Ok(())
                }
            }
        }
        None => fail(Class::ERR_REQUEST, "the request is MPI_REQUEST_NULL"),
    })
}
