//! Between a transport and whoever it delivers to: what comes before that is known is kept, and it is known how much the
//! transport still has to do.

use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::{c_char, c_void, CStr, CString};

use pc3_transport::{Head, Sink};

/// From whom, and what.
type Early = (u32, Head, Box<[u8]>);

/// Used under the lock that the transport's functions need, as it is called by these.
#[derive(Default)]
pub(crate) struct Relay {
    pub sink: OnceCell<Sink>,
    /// Frames that have come before there was a sink.
    pub early: RefCell<Vec<Early>>,
    /// Bodies that were begun before.
    open: RefCell<Vec<(u32, Box<[u8]>)>>,
    /// Processes that are gone and of which the sink has not been told.
    pub lost: RefCell<Vec<(u32, CString)>>,
    /// Of these it is told by others.
    pub near: RefCell<Vec<u32>>,
    /// Bodies under way, to or from this process.
    pub busy: Cell<u64>,
}

impl Relay {
    /// A sink that lives as long as the process.
    pub fn leak(self: Box<Relay>) -> (&'static Relay, Sink) {
        let relay: &'static Relay = Box::leak(self);
        let sink = Sink {
            context: std::ptr::from_ref(relay).cast_mut().cast(),
            room,
            arrived,
            whole,
            sent,
            pulled,
            lost,
        };
        (relay, sink)
    }

    fn keep(&self, peer: u32, head: &Head, body: Box<[u8]>) {
        self.early.borrow_mut().push((peer, *head, body));
    }

    fn less_busy(&self) {
        self.busy.set(self.busy.get().saturating_sub(1));
    }

    pub(crate) fn more_busy(&self) {
        self.busy.set(self.busy.get() + 1);
    }

    /// Delivers what came too early.
    pub(crate) fn deliver_early(&self, sink: &Sink) {
        for (peer, head, body) in self.early.borrow_mut().drain(..) {
            // SAFETY: the interface.
            unsafe { (sink.whole)(sink.context, peer, &raw const head, body.as_ptr()) }
        }
    }
}

unsafe fn of<'a>(context: *mut c_void) -> &'a Relay {
    // SAFETY: the context of our sink, which lives as long as the process.
    unsafe { &*context.cast::<Relay>() }
}

unsafe extern "C" fn room(context: *mut c_void, peer: u32, head: *const Head) -> *mut u8 {
    // SAFETY: the interface, here and below.
    unsafe {
        let relay = of(context);
        if let Some(sink) = relay.sink.get() {
            return (sink.room)(sink.context, peer, head);
        }
        let mut body = vec![0; (*head).len as usize].into_boxed_slice();
        let to = body.as_mut_ptr();
        relay.open.borrow_mut().push((peer, body));
        to
    }
}

unsafe extern "C" fn arrived(context: *mut c_void, peer: u32, head: *const Head) {
    // SAFETY: as above.
    unsafe {
        let relay = of(context);
        let begun = relay.open.borrow().iter().position(|o| o.0 == peer);
        match (begun, relay.sink.get()) {
            (Some(at), sink) => {
                let (_, body) = relay.open.borrow_mut().swap_remove(at);
                match sink {
                    Some(sink) => (sink.whole)(sink.context, peer, head, body.as_ptr()),
                    None => relay.keep(peer, &*head, body),
                }
            }
            (None, Some(sink)) => (sink.arrived)(sink.context, peer, head),
            (None, None) => {}
        }
    }
}

unsafe extern "C" fn whole(context: *mut c_void, peer: u32, head: *const Head, body: *const u8) {
    // SAFETY: as above.
    unsafe {
        let relay = of(context);
        match relay.sink.get() {
            Some(sink) => (sink.whole)(sink.context, peer, head, body),
            None => {
                let body = match (*head).len as usize {
                    0 => Box::default(),
                    n => std::slice::from_raw_parts(body, n).into(),
                };
                relay.keep(peer, &*head, body);
            }
        }
    }
}

unsafe extern "C" fn sent(context: *mut c_void, token: u64) {
    // SAFETY: as above.
    unsafe {
        let relay = of(context);
        relay.less_busy();
        if let Some(sink) = relay.sink.get() {
            (sink.sent)(sink.context, token);
        }
    }
}

unsafe extern "C" fn pulled(context: *mut c_void, peer: u32, id: u64) {
    // SAFETY: as above.
    unsafe {
        let relay = of(context);
        relay.less_busy();
        if let Some(sink) = relay.sink.get() {
            (sink.pulled)(sink.context, peer, id);
        }
    }
}

unsafe extern "C" fn lost(context: *mut c_void, peer: u32, why: *const c_char) {
    // SAFETY: as above.
    unsafe {
        let relay = of(context);
        match relay.sink.get() {
            Some(sink) if !relay.near.borrow().contains(&peer) => {
                (sink.lost)(sink.context, peer, why);
            }
            _ => {
                let why = CStr::from_ptr(why).to_owned();
                relay.lost.borrow_mut().push((peer, why));
            }
        }
    }
}
