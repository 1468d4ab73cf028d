//! Completing and testing several requests at once (MPI 4.1 section 3.7.5).

use std::ffi::c_int;
use std::ops::Deref;

use crate::arguments::{count, put, slice_mut};
use crate::messages::request::{active, close, close_message, on_request, report, Outcome};
use crate::messages::status::{put_status, CStatus};
use pc3_vmpi_core::p2p::held::is_lazy;
use pc3_vmpi_core::p2p::wait::{first_done, poll, wait_any, wait_done};
use pc3_vmpi_core::p2p::{Request, Status};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_nonblocking::operations::outcomes;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::abi::UNDEFINED;

/// So many requests are listed without an allocation.
const FEW: usize = 32;

/// Requests, `None` where there is nothing to wait for.
struct RequestList {
    few: [Option<&'static Request>; FEW],
    len: usize,
    /// All, if there are more.
    many: Vec<Option<&'static Request>>,
}

impl Deref for RequestList {
    type Target = [Option<&'static Request>];
    #[inline]
    fn deref(&self) -> &Self::Target {
        match self.few.get(..self.len) {
            Some(few) => few,
            None => &self.many,
        }
    }
}

/// The requests of an array.
#[inline]
unsafe fn all<'a>(
    me: &RankState,
    n: c_int,
    requests: *mut usize,
) -> Result<(&'a mut [usize], RequestList)> {
    // SAFETY: the program's own array.
    let handles = unsafe { slice_mut(requests, count(n)?) }?;
    let mut list = RequestList {
        few: [None; FEW],
        len: handles.len(),
        many: Vec::new(),
    };
    if list.len > FEW {
        list.many.resize(list.len, None);
    }
    let to = match list.few.get_mut(..list.len) {
        Some(few) => few,
        None => &mut list.many,
    };
    for (to, h) in to.iter_mut().zip(&*handles) {
        *to = active(me, *h)?;
    }
    Ok((handles, list))
}

fn pairs<'a>(
    handles: &'a mut [usize],
    list: &'a RequestList,
) -> impl Iterator<Item = (&'a mut usize, Option<&'a Request>)> {
    handles.iter_mut().zip(list.iter().copied())
}

/// Reports several complete requests; statuses lie one after another.
unsafe fn close_all<'a>(
    me: &RankState,
    comm: &mut usize,
    statuses: *mut CStatus,
    items: impl Iterator<Item = (&'a mut usize, Option<&'a Request>)>,
) -> Result<()> {
    // Seldom any.
    let mut codes = Vec::new();
    let mut failed = false;
    for (i, (handle, r)) in items.enumerate() {
        let status = match statuses.is_null() {
            true => statuses,
            // SAFETY: the program's array has room for all.
            false => unsafe { statuses.add(i) },
        };
        // SAFETY: as above.
        if r.is_some_and(|r| unsafe { close_message(me, handle, r, status) }) {
            if failed {
                codes.resize(i + 1, Class::SUCCESS.0);
            }
            continue;
        }
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
        // SAFETY: as above.
        unsafe { put_status(status, &s) };
        if failed || s.error != Class::SUCCESS {
            codes.resize(i, Class::SUCCESS.0);
            codes.push(s.error.0);
        }
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
        // Messages that are taken while the others are waited for need not be copied.
        let mut lazy = false;
        for r in list.iter().flatten() {
            match is_lazy(r) {
                true => lazy = true,
                false => wait_done(me, r),
            }
        }
        if lazy {
            list.iter().flatten().for_each(|r| wait_done(me, r));
        }
        close_all(me, comm, statuses, pairs(handles, &list))
    })
}

/// Are all complete? Asked once for flag and result: other workers complete requests at any time.
fn all_done(me: &RankState, list: &RequestList) -> bool {
    let done = || list.iter().flatten().all(|r| r.is_done());
    let ask = || {
        done() || {
            poll(me, list.iter().flatten().copied());
            done()
        }
    };
    outcomes::flag(me, ask, || {
        list.iter().flatten().for_each(|r| wait_done(me, r));
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
        let done = all_done(me, &list);
        put(flag, c_int::from(done))?;
        if !done {
            return Ok(());
        }
        close_all(me, comm, statuses, pairs(handles, &list))
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
    if !me.world().nonblocking.is_slow() {
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
    // SAFETY: the program's own variables.
    unsafe {
        match found {
            Some((i, r)) => {
                *comm = r.comm;
                put(index, i as c_int)?;
                report(me, &mut handles[i], r, status)
            }
            None => {
                put_status(status, &Status::EMPTY);
                put(index, UNDEFINED)
            }
        }
    }
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

/// A complete one, if there is one by now.
fn any_done(me: &RankState, list: &RequestList) -> Option<usize> {
    let some = || live(list);
    some().next()?;
    one_of(me, list, || {
        first_done(me, some()).or_else(|| {
            poll(me, some().map(|(_, r)| r));
            first_done(me, some())
        })
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
        let found = any_done(me, &list).and_then(|i| list[i].map(|r| (i, r)));
        let none_left = live(&list).next().is_none();
        put(flag, c_int::from(found.is_some() || none_left))?;
        if found.is_none() && !none_left {
            return put(index, UNDEFINED);
        }
        report_any(me, comm, handles, found, index, status)
    })
}

/// Those that are complete by now, the first posted first; `wait`: at least one.
fn some_done(me: &RankState, list: &RequestList, wait: bool) -> Vec<usize> {
    let some = || live(list);
    let ask = || {
        if wait {
            wait_any(me, some());
        } else if !some().any(|(_, r)| r.is_done()) {
            poll(me, some().map(|(_, r)| r));
        }
        let mut done: Vec<_> = some().filter(|(_, r)| r.is_done()).collect();
        done.sort_by_key(|(_, r)| std::cmp::Reverse(me.age(r)));
        done.into_iter().map(|(i, _)| i).collect()
    };
    outcomes::which(me, ask, |i| list.get(i).copied().flatten())
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
            if live(&list).next().is_none() {
                return put(outcount, UNDEFINED);
            }
            let order = some_done(me, &list, wait);
            let mut place = vec![None; list.len()];
            for (at, i) in order.iter().enumerate() {
                place[*i] = Some(at);
            }
            let all = handles.iter_mut().zip(&*list).enumerate();
            let mut which: Vec<_> = all.filter(|(i, _)| place[*i].is_some()).collect();
            which.sort_unstable_by_key(|(i, _)| place[*i]);
            let out = slice_mut(indices, which.len())?;
            for (to, (i, _)) in out.iter_mut().zip(&which) {
                *to = *i as c_int;
            }
            put(outcount, which.len() as c_int)?;
            let items = which.into_iter().map(|(_, (handle, r))| (handle, *r));
            close_all(me, comm, statuses, items)
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

/// Statuses of complete requests, which stay; statuses lie one after another.
unsafe fn put_all<'a>(
    me: &RankState,
    statuses: *mut CStatus,
    requests: impl Iterator<Item = Option<&'a Request>>,
) {
    for (i, r) in requests.enumerate() {
        let status = match statuses.is_null() {
            true => return,
            // SAFETY: the program's array has room for all.
            false => unsafe { statuses.add(i) },
        };
        let s = r.map_or(Status::EMPTY, |r| Outcome::of(me, r).status);
        // SAFETY: as above.
        unsafe { put_status(status, &s) };
    }
}

/// MPI 4.1 section 3.7.6: like MPI_Testall, but the requests stay.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Request_get_status_all(
    n: c_int,
    requests: *mut usize,
    flag: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    on_request("MPI_Request_get_status_all", |me, _| {
        let (_, list) = all(me, n, requests)?;
        let done = all_done(me, &list);
        if done {
            put_all(me, statuses, list.iter().copied());
        }
        put(flag, c_int::from(done))
    })
}

/// MPI 4.1 section 3.7.6: like MPI_Testany, but the requests stay.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Request_get_status_any(
    n: c_int,
    requests: *mut usize,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    on_request("MPI_Request_get_status_any", |me, _| {
        let (_, list) = all(me, n, requests)?;
        let found = any_done(me, &list);
        let none_left = live(&list).next().is_none();
        put(flag, c_int::from(found.is_some() || none_left))?;
        put(index, found.map_or(UNDEFINED, |i| i as c_int))?;
        if found.is_some() || none_left {
            put_all(me, status, std::iter::once(found.and_then(|i| list[i])));
        }
        Ok(())
    })
}

/// MPI 4.1 section 3.7.6: like MPI_Testsome, but the requests stay.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Request_get_status_some(
    n: c_int,
    requests: *mut usize,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut CStatus,
) -> c_int {
    on_request("MPI_Request_get_status_some", |me, _| {
        let (_, list) = all(me, n, requests)?;
        if live(&list).next().is_none() {
            return put(outcount, UNDEFINED);
        }
        let found = some_done(me, &list, false);
        for (to, i) in slice_mut(indices, found.len())?.iter_mut().zip(&found) {
            *to = *i as c_int;
        }
        put(outcount, found.len() as c_int)?;
        put_all(me, statuses, found.iter().map(|i| list[*i]));
        Ok(())
    })
}
