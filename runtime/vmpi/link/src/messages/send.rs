//! Sends messages to ranks of other processes.

use pc3_transport::Head;

use super::frame_heads::{head_of, type_to_wire};
use super::rendezvous::offer_copy;
use crate::kind::Kind;
use crate::link::Link;
use pc3_vmpi_core::p2p::{Buf, Key, Mode};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::Result;

/// What may go in a line of a ring.
const SHORT: usize = 59;

/// Sends to a rank of another process; false if the message has to be offered.
///
/// # Safety
/// The buffer is readable.
#[inline(always)]
pub unsafe fn deposit(
    link: &Link,
    me: &RankState,
    buf: &Buf<'_>,
    dest: u32,
    key: &Key,
    mode: Mode,
) -> Result<bool> {
    let len = buf.len();
    let to = me.world().process_of(dest);
    match mode {
        Mode::Synchronous => return Ok(false),
        Mode::Buffered => {
            me.bsend.reserve(len)?;
            if !link.credits.lend(to, len) {
                // SAFETY: the caller's promise.
                unsafe { offer_copy(link, me, buf, dest, key) };
                return Ok(true);
            }
            // It is on its way when this returns: the room is free again.
            me.bsend.release(len);
        }
        _ if !link.credits.lend(to, len) => return Ok(false),
        _ => {}
    }
    // SAFETY: the caller's promise.
    unsafe {
        if !send_short(me, link, buf, (to, dest, key)) {
            send_whole(link, me, buf, (to, dest, key), Kind::Eager, (0, 0));
        }
    }
    Ok(true)
}

/// Sends a message to a process as one frame, with `id` and `token` in its head.
///
/// # Safety
/// The buffer is readable.
#[inline(never)]
pub unsafe fn send_whole(
    link: &Link,
    me: &RankState,
    buf: &Buf<'_>,
    (to, dest, key): (u32, u32, &Key),
    kind: Kind,
    (id, token): (u64, u64),
) {
    let len = buf.len();
    let (ty, count, signature) = type_to_wire(buf.ty, buf.count);
    let head = Head {
        id,
        token,
        ..head_of(me.rank, dest, key, ty, count, signature.len())
    };
    if buf.ty.contiguous && signature.is_empty() {
        let head = Head {
            len: len as u64,
            ..head
        };
        let from = buf.addr.wrapping_offset(buf.ty.layout.at);
        // SAFETY: the caller's promise; copied, for want of a token.
        unsafe { link.send(to, kind, head, from, 0) };
        return;
    }
    let mut body = signature;
    let at = body.len();
    body.reserve(len);
    // SAFETY: the caller's promise; the vector has the room and is then full.
    unsafe {
        buf.pack(body.as_mut_ptr().add(at));
        body.set_len(at + len);
    }
    link.send_bytes(to, kind, head, &body);
}

/// Sends one block of a predefined type, if it is a line of a ring; false: it has to go another way.
#[inline(always)]
unsafe fn send_short(
    me: &RankState,
    link: &Link,
    buf: &Buf<'_>,
    (to, dest, key): (u32, u32, &Key),
) -> bool {
    if buf.len() > SHORT || buf.ty.predefined == 0 || !buf.ty.contiguous {
        return false;
    }
    let ty = buf.ty.known_as() as u32;
    let head = Head {
        kind: Kind::Eager as u32,
        len: buf.len() as u64,
        ..head_of(me.rank, dest, key, ty, buf.count as u64, 0)
    };
    let from = buf.addr.wrapping_offset(buf.ty.layout.at);
    pc3_runtime::chaos();
    // SAFETY: the caller's promise.
    unsafe { link.carrier.send_short(to, &head, from) }
}
