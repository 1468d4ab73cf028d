//! What programs ask that own the buffers of their requests as values, not by address.

use pc3_vmpi_core::mail::request::RequestKind;
use pc3_vmpi_core::p2p;
use pc3_vmpi_core::rank::RankState;

/// Bytes that a complete request has received; `None`: it is pending, or there is none.  While the rank's local checkpoint is
/// taken, what is said is how it was at the line: others may complete it meanwhile.
pub fn received(me: &RankState, handle: usize) -> Option<usize> {
    if me.pending_at_line.borrow().contains(&handle) {
        return None;
    }
    let r = me.request(handle)?;
    r.is_done().then(|| r.status().bytes)
}

/// Does the request still need its buffer, after as much of it as can be has been copied?
pub fn needs_buffer(me: &RankState, handle: usize) -> bool {
    p2p::settle(me);
    me.request(handle).is_some_and(|r| !r.is_done())
}

/// Is it a receive?
pub fn is_receive(me: &RankState, handle: usize) -> bool {
    me.request(handle)
        .is_some_and(|r| r.what == RequestKind::Recv)
}

/// Has a persistent request been started, and not been waited for?
pub fn is_active(me: &RankState, handle: usize) -> bool {
    me.request(handle).is_some_and(|r| r.active.get())
}
