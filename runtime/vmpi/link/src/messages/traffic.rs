//! What is known here of messages that wait or are under way: offered ones, bodies, receives that have asked for one.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::Mutex;

use pc3_transport::Head;

use crate::collectives::hashing::ById;
use crate::post::lock;
use pc3_vmpi_core::p2p::{Key, Request, Status};
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_objects::error::Result;
use pc3_vmpi_transport::name;

/// A message that a rank here has offered to one elsewhere.
pub struct OfferedMessage {
    pub dest: u32,
    pub what: Offered,
}

pub enum Offered {
    /// In the buffer of a pending send.
    Request(*const Request),
    /// The send is complete; the room it takes may be that in the buffer which this rank has attached.
    Copy(Box<[u8]>, Option<u32>),
}

/// Data under way.
pub(crate) struct Sending {
    pub(crate) request: Option<*const Request>,
    pub(crate) _bytes: Option<Box<[u8]>>,
}

#[derive(Default)]
pub struct Traffic {
    pub(crate) next: AtomicU64,
    pub held: Mutex<ById<OfferedMessage>>,
    pub pulls: Mutex<ById<Pull>>,
    pub(crate) sending: Mutex<ById<Sending>>,
}

// SAFETY: requests are pending as long as they are named here, and completed by whoever takes them out.
unsafe impl Sync for Traffic {}

// SAFETY: as above.
unsafe impl Send for Traffic {}

impl Traffic {
    /// A pending send is known by this name, under which its receiver says that it has received it.
    pub fn hold(&self, r: &Request) -> u64 {
        let id = name(self.next.fetch_add(1, Relaxed) + 1);
        let what = Offered::Request(r);
        lock(&self.held).insert(id, OfferedMessage { dest: r.dest, what });
        id
    }

    pub fn forget(&self, id: u64) {
        lock(&self.held).remove(&id);
    }

    /// The transport has done with a body.
    pub fn sent(&self, world: Option<&World>, token: u64) {
        let Some(s) = lock(&self.sending).remove(&token) else {
            return;
        };
        if let (Some(r), Some(world)) = (s.request, world) {
            // SAFETY: pending until now, and a rank of this process has it.
            unsafe {
                if let Some(owner) = world.local((*r).owner) {
                    owner.complete(r, None, Status::EMPTY);
                }
            }
        }
    }

    /// What is under way, for people.
    pub fn sights(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let (held, pulls, sending) = (
            self.held.try_lock().map(|h| h.len()),
            self.pulls.try_lock().map(|p| p.len()),
            self.sending.try_lock().map(|s| s.len()),
        );
        for (n, what) in [
            (held.ok(), "messages offered"),
            (pulls.ok(), "messages asked for"),
            (sending.ok(), "messages being sent"),
        ] {
            match n {
                Some(0) => {}
                Some(n) => writeln!(out, "  {n} {what}")?,
                None => writeln!(out, "  {what}: in use")?,
            }
        }
        Ok(())
    }

    /// Nothing that was taken is still under way.
    pub fn is_still(&self) -> bool {
        lock(&self.sending).is_empty() && lock(&self.pulls).is_empty()
    }
}

/// A receive here that waits for the data of an offer it has taken.
pub struct Pull {
    pub(crate) request: *const Request,
    pub(crate) key: Key,
    pub(crate) ty: TypeRef,
    pub(crate) count: usize,
}

impl Pull {
    /// Where a body of this length belongs, if it can be received there.
    pub(crate) fn place(&self, len: u64) -> Option<*mut u8> {
        // SAFETY: pending.
        let into = unsafe { (*self.request).buf() };
        let fits = into.ty.contiguous
            && into.ty.is_packed() == self.ty.is_packed()
            && len <= into.len() as u64;
        fits.then(|| into.addr.wrapping_offset(into.ty.layout.at))
    }

    /// The body is in the receive's buffer, as far as that has room.
    pub(crate) fn complete(&self, world: &World, len: usize, copied: Result<()>) -> Option<()> {
        // SAFETY: pending until we complete it.
        let r = unsafe { &*self.request };
        let mut status = Status::of(&self.key, &self.ty, len, r.buf().len());
        if let Err(e) = copied {
            status.error = e.class;
        }
        // SAFETY: as above.
        unsafe { world.local(r.owner)?.complete(self.request, None, status) };
        Some(())
    }
}

impl Traffic {
    /// Where the body of a `Data` frame belongs, if it can be received there.
    pub fn place(&self, head: &Head) -> Option<*mut u8> {
        lock(&self.pulls).get(&head.token)?.place(head.len)
    }

    /// What was asked for is in the buffer of the receive.
    pub fn pulled(&self, world: Option<&World>, token: u64) {
        let pull = lock(&self.pulls).remove(&token);
        if let (Some(pull), Some(world)) = (pull, world) {
            pull.complete(world, pull.ty.size * pull.count, Ok(()));
        }
    }
}
