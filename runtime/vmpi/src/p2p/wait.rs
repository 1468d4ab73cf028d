//! Waiting for requests and testing them.

use super::recv::check;
use super::request::{Req, Request, Status};
use crate::error::Result;
use crate::state::RankState;

/// Blocks until the request is complete.
#[inline]
pub fn wait_done(me: &RankState, r: &Request) {
    while !r.is_done() {
        me.wait_on(r as *const Request as usize, || r.is_done());
    }
}

/// Waits for an operation and ends it.
pub fn wait(me: &RankState, r: Req) -> Result<Status> {
    wait_done(me, r.get());
    let status = r.get().status();
    me.recycle(r);
    check(status)
}

/// Is it complete?  If not, others get a turn first.
pub fn test(me: &RankState, r: &Request) -> bool {
    r.is_done() || {
        me.poll();
        r.is_done()
    }
}

/// Of the complete ones the index of that posted first.
pub fn first_done<'a>(
    me: &RankState,
    list: impl Iterator<Item = (usize, &'a Request)>,
) -> Option<usize> {
    list.filter(|(_, r)| r.is_done())
        .max_by_key(|(i, r)| (r.age(me), std::cmp::Reverse(*i)))
        .map(|(i, _)| i)
}

/// Blocks until one of the requests is complete; its index.  `None` if there are none.
pub fn wait_any<'a>(
    me: &RankState,
    list: impl Iterator<Item = (usize, &'a Request)> + Clone,
) -> Option<usize> {
    list.clone().next()?;
    loop {
        if let Some(i) = first_done(me, list.clone()) {
            return Some(i);
        }
        me.wait_on(RankState::ANY, || list.clone().any(|(_, r)| r.is_done()));
    }
}

/// Gives up a request that nobody will wait for (`MPI_Request_free`): it completes by itself.
pub fn free(me: &RankState, r: Req) {
    if r.get().is_done() || !r.get().active.get() {
        me.recycle(r);
    } else {
        me.detach(r);
    }
}
