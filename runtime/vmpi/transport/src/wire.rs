//! A transport's table and this process's place in its job.

use std::ffi::c_void;

use pc3_transport::{Head, Joined, Sink, Transport};

pub(crate) struct Wire {
    table: &'static Transport,
    joined: Joined,
}

// SAFETY: `wait` and `wake` may be called by any thread; those who call the others see to their turn.
unsafe impl Sync for Wire {}
// SAFETY: as above.
unsafe impl Send for Wire {}

impl Wire {
    pub fn new(table: &'static Transport, joined: Joined) -> Wire {
        Wire { table, joined }
    }

    pub fn index(&self) -> u32 {
        self.joined.index
    }

    pub fn count(&self) -> u32 {
        self.joined.count
    }

    pub fn others(&self) -> impl Iterator<Item = u32> {
        let me = self.index();
        (0..self.count()).filter(move |p| *p != me)
    }

    pub fn is(&self, table: &'static Transport) -> bool {
        std::ptr::eq(self.table, table)
    }

    fn handle(&self) -> *mut c_void {
        self.joined.handle
    }

    /// Once, before all else.
    pub fn attach(&self, sink: &Sink) {
        // SAFETY: the interface; copied there.
        unsafe { (self.table.attach)(self.handle(), sink) }
    }

    pub fn send(&self, peer: u32, head: &Head, body: &[u8]) {
        debug_assert_eq!(head.len, body.len() as u64);
        // SAFETY: a slice, and no token.
        unsafe { self.send_from(peer, head, body.as_ptr(), 0) }
    }

    /// # Safety
    /// The body has `head.len` bytes; with a token they stay until it comes back.
    pub(crate) unsafe fn send_from(&self, peer: u32, head: &Head, body: *const u8, token: u64) {
        // SAFETY: by the caller.
        unsafe { (self.table.send)(self.handle(), peer, head, body, token) }
    }

    /// # Safety
    /// There are `len` bytes, which stay until the sink is told that `id` is there.
    pub unsafe fn pull(&self, peer: u32, to: *mut u8, len: u64, id: u64) -> u32 {
        match self.table.pull {
            // SAFETY: by the caller.
            Some(pull) => unsafe { pull(self.handle(), peer, to, len, id) },
            None => 0,
        }
    }

    /// # Safety
    /// The body has `len` bytes, which stay until the token comes back.
    pub unsafe fn push(&self, peer: u32, name: u32, from: *const u8, len: u64, token: u64) {
        if let Some(push) = self.table.push {
            // SAFETY: by the caller.
            unsafe { push(self.handle(), peer, name, from, len, token) }
        }
    }

    pub fn progress(&self) -> bool {
        // SAFETY: the interface.
        unsafe { (self.table.progress)(self.handle()) != 0 }
    }

    pub fn unsent(&self, peer: u32) -> u64 {
        // SAFETY: the interface.
        unsafe { (self.table.unsent)(self.handle(), peer) }
    }

    pub fn wait(&self, microseconds: u64) {
        // SAFETY: the interface.
        unsafe { (self.table.wait)(self.handle(), microseconds) }
    }

    pub fn wake(&self) {
        // SAFETY: the interface.
        unsafe { (self.table.wake)(self.handle()) }
    }

    pub fn finish(&self) {
        // SAFETY: the interface.
        unsafe { (self.table.finish)(self.handle()) }
    }

    pub fn abort(&self, status: i32) {
        // SAFETY: the interface.
        unsafe { (self.table.abort)(self.handle(), status) }
    }
}
