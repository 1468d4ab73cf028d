//! What a transport delivers, until somebody handles it.

use std::ffi::{c_char, c_void, CStr};
use std::sync::atomic::Ordering::*;
use std::sync::Arc;

use pc3_transport::Head;

use crate::frame::{Frame, FrameBody, Handler, HANDLES};
use crate::kind::Kind;
use crate::link::Link;
use crate::messages::handle::at_once;
use crate::post::lock;
use pc3_vmpi_core::mail::mailbox::Data;
use pc3_vmpi_transport::Sink;

/// For a link that lives as long as the process.
pub fn sink(link: &Arc<Link>) -> Sink {
    Sink {
        context: Arc::as_ptr(link).cast_mut().cast(),
        room,
        arrived,
        whole,
        sent,
        pulled,
        lost,
    }
}

unsafe fn of<'a>(context: *mut c_void) -> &'a Link {
    // SAFETY: the context of the sink, which lives as long as the process.
    unsafe { &*context.cast::<Link>() }
}

unsafe extern "C" fn room(context: *mut c_void, peer: u32, head: *const Head) -> *mut u8 {
    // SAFETY: the interface.
    let (link, head) = unsafe { (of(context), &*head) };
    let placed = (head.kind == Kind::Data as u32)
        .then(|| link.traffic.place(head))
        .flatten();
    let (to, body) = match placed {
        Some(to) => (to, FrameBody::Placed),
        None => {
            let n = head.len as usize;
            let mut own = Vec::<u8>::with_capacity(n);
            // SAFETY: filled by the transport before anybody looks.
            #[allow(clippy::uninit_vec)]
            unsafe {
                own.set_len(n);
            }
            let mut own = own.into_boxed_slice();
            (own.as_mut_ptr(), FrameBody::Own(own))
        }
    };
    if let Some(heartbeat) = &link.heartbeat {
        heartbeat.expect(peer, head.len);
    }
    lock(&link.arrivals).open[peer as usize] = Some(body);
    to
}

unsafe extern "C" fn arrived(context: *mut c_void, peer: u32, head: *const Head) {
    // SAFETY: the interface.
    let (link, head) = unsafe { (of(context), *head) };
    let mut a = lock(&link.arrivals);
    let body = a.open[peer as usize].take();
    let body = body.unwrap_or_else(|| FrameBody::Own(Box::default()));
    a.frames.push(Frame { peer, head, body });
    link.any.store(true, Release);
}

unsafe extern "C" fn whole(context: *mut c_void, peer: u32, head: *const Head, body: *const u8) {
    // SAFETY: the interface.
    unsafe { take(of(context), (peer, HANDLES.get()), &*head, body) }
}

/// A frame of that process, its body as well; who handles it.
///
/// # Safety
/// The interface.
#[inline]
pub unsafe fn take(link: &Link, (peer, by): (u32, Handler), head: &Head, body: *const u8) {
    // SAFETY: by the caller.
    let from = unsafe { std::slice::from_raw_parts(body, head.len as usize) };
    // What came before and still waits to be handled comes first.
    if by != Handler::Nobody && !link.any.load(Relaxed) && at_once(link, (peer, by), head, from) {
        return;
    }
    keep(link, peer, *head, from);
}

#[cold]
fn keep(link: &Link, peer: u32, head: Head, from: &[u8]) {
    let n = from.len();
    let body = if n <= Data::SHORT {
        let mut bytes = [0; Data::SHORT];
        bytes[..n].copy_from_slice(from);
        let len = n as u8;
        FrameBody::Short { len, bytes }
    } else {
        FrameBody::Own(from.into())
    };
    lock(&link.arrivals).frames.push(Frame { peer, head, body });
    link.any.store(true, Release);
}

unsafe extern "C" fn sent(context: *mut c_void, token: u64) {
    // SAFETY: the interface.
    let link = unsafe { of(context) };
    lock(&link.arrivals).sent.push(token);
    link.any.store(true, Release);
    if HANDLES.get() == Handler::Nobody {
        link.wake();
    }
}

unsafe extern "C" fn pulled(context: *mut c_void, peer: u32, id: u64) {
    // SAFETY: the interface.
    let link = unsafe { of(context) };
    lock(&link.arrivals).pulled.push((peer, id));
    link.any.store(true, Release);
}

unsafe extern "C" fn lost(context: *mut c_void, peer: u32, why: *const c_char) {
    // SAFETY: the interface.
    let (link, why) = unsafe { (of(context), CStr::from_ptr(why)) };
    let why = why.to_string_lossy().into_owned();
    lock(&link.arrivals).lost.push((peer, why));
    link.any.store(true, Release);
}
