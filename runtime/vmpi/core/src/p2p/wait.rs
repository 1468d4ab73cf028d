//! Waiting for requests and testing them.

use super::held::{give_way, is_lazy, keep_lazy};
use crate::mail::request::{check, Req, Request, Status};
use crate::poll::poll as polled;
use crate::rank::RankState;
use pc3_vmpi_objects::error::Result;

/// Blocks until the request is complete.
#[inline]
pub fn wait_done(me: &RankState, r: &Request) {
    if is_lazy(r) {
        give_way(me, r);
    }
    while !r.is_done() {
        me.wait_on(r as *const Request as usize, || r.is_done());
    }
}

/// Waits for an operation and ends it.
#[inline]
pub fn wait(me: &RankState, r: Req) -> Result<Status> {
    wait_done(me, r.get());
    let status = r.get().status();
    me.recycle(r);
    check(status)
}

/// Is it complete?  If not, others get a turn first.
#[inline]
pub fn test(me: &RankState, r: &Request) -> bool {
    r.is_done() || {
        poll(me, std::iter::once(r));
        r.is_done()
    }
}

/// None of these is complete: others get a turn, and what is then only waiting to be buffered is.
#[inline]
pub fn poll<'a>(me: &RankState, list: impl Iterator<Item = &'a Request>) {
    polled(me);
    list.filter(|r| is_lazy(r)).for_each(|r| keep_lazy(me, r));
}

/// Of the complete ones the index of that posted first.
#[inline]
pub fn first_done<'a>(
    me: &RankState,
    list: impl Iterator<Item = (usize, &'a Request)>,
) -> Option<usize> {
    list.filter(|(_, r)| r.is_done())
        .max_by_key(|(i, r)| (me.age(r), std::cmp::Reverse(*i)))
        .map(|(i, _)| i)
}

/// Blocks until one of the requests is complete; its index.  `None` if there are none.
pub fn wait_any<'a>(
    me: &RankState,
    list: impl Iterator<Item = (usize, &'a Request)> + Clone,
) -> Option<usize> {
    list.clone().next()?;
    let mut lazy = list.clone().any(|(_, r)| is_lazy(r));
    loop {
        if let Some(i) = first_done(me, list.clone()) {
            return Some(i);
        }
        if std::mem::take(&mut lazy) {
            poll(me, list.clone().map(|(_, r)| r));
            continue;
        }
        me.wait_on(RankState::ANY, || list.clone().any(|(_, r)| r.is_done()));
    }
}

/// Gives up a request that nobody will wait for (`MPI_Request_free`): it completes by itself.
pub fn free(me: &RankState, r: Req) {
    if r.get().active.get() && is_lazy(r.get()) {
        // The program may know that it has arrived, and use the memory again.
        keep_lazy(me, r.get());
    }
    if r.get().is_done() || !r.get().active.get() {
        me.recycle(r);
    } else {
        me.detach(r);
    }
}
