//! Sending and receiving at once.

use super::buf::Buf;
use super::queue::Key;
use super::recv::irecv;
use super::request::{Mode, Status};
use super::send::{send, Dest};
use super::wait::wait;
use crate::rank::RankState;
use pc3_vmpi_objects::error::Result;

/// Sends one message and receives another, in whichever order they get through.
///
/// # Safety
/// As of [`send`] and [`recv`](super::recv()).
pub unsafe fn exchange(
    me: &RankState,
    out: Buf<'_>,
    to: Dest,
    into: Buf<'_>,
    from: Key,
) -> Result<Status> {
    // SAFETY: the caller's promise.
    unsafe {
        let r = irecv(me, into, from);
        let sent = send(me, out, to, Mode::Standard);
        let got = wait(me, r);
        sent.and(got)
    }
}
