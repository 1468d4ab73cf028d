//! Sending and receiving at once.

use super::recv::irecv;
use super::send::{send, Dest};
use super::wait::wait;
use crate::mail::buf::Buf;
use crate::mail::queue::Key;
use crate::mail::request::{Mode, Status};
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
