//! One pending operation.
//!
//! A request stays where it is while it is pending: the mailboxes point to it.  Whoever completes
//! it (perhaps on another worker) writes the status, then `done`, and afterwards does not touch it
//! again; until `done` only `done` may be read by the owner.

use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering::*};

use super::buf::Buf;
use super::queue::Key;
use super::{ANY_SOURCE, ANY_TAG};
use pc3_runtime::chaos;

use crate::coll::posted::Posted;
use crate::state::RankState;
use pc3_vmpi_objects::datatype::basic::Basic;
use pc3_vmpi_objects::datatype::{of_basic, Datatype, TypeRef};
use pc3_vmpi_objects::error::Class;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Standard,
    Synchronous,
    Buffered,
    Ready,
}

/// What a completed receive (or probe) tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    pub source: i32,
    pub tag: i32,
    /// Packed length as received.
    pub bytes: usize,
    /// What the message is made of, if it is one kind of element.
    pub basic: Option<Basic>,
    pub cancelled: bool,
    pub error: Class,
}

impl Status {
    /// MPI's empty status: of sends and inactive requests.
    pub const EMPTY: Status = Status {
        source: ANY_SOURCE,
        tag: ANY_TAG,
        bytes: 0,
        basic: None,
        cancelled: false,
        error: Class::SUCCESS,
    };

    /// A receive from `MPI_PROC_NULL`.
    pub const PROC_NULL: Status = Status {
        source: super::PROC_NULL,
        ..Status::EMPTY
    };

    /// A message of `len` bytes of `ty` in a buffer of `room` bytes.
    #[inline]
    pub(crate) fn of(key: &Key, ty: &Datatype, len: usize, room: usize) -> Status {
        Status {
            source: key.src,
            tag: key.tag,
            bytes: len.min(room),
            basic: ty.basic().or_else(|| ty.signature.uniform()),
            cancelled: false,
            error: if len <= room {
                Class::SUCCESS
            } else {
                Class::ERR_TRUNCATE
            },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Send(Mode),
    Recv,
    /// A collective operation.
    Coll,
    /// A generalised request: the program completes it.
    General,
}

/// What requests that are no messages need besides.
pub(crate) enum Extra {
    Coll(Posted),
    General(General),
}

/// The functions of a generalised request (MPI 3.1 section 12.2): addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct General {
    pub query: usize,
    pub free: usize,
    pub cancel: usize,
    pub state: usize,
}

/// What whoever completes it touches comes first and fits into one cache line.
#[repr(C, align(64))]
pub struct Request {
    pub(crate) addr: *mut u8,
    pub(crate) count: usize,
    pub(crate) ty: TypeRef,
    /// Set when it is done.
    pub(crate) status: UnsafeCell<MaybeUninit<Status>>,
    pub(crate) owner: u32,
    pub(crate) done: AtomicBool,
    pub(crate) what: What,
    /// Peer is `MPI_PROC_NULL`: completes by itself.
    pub(crate) null: bool,
    pub(crate) persistent: bool,
    /// Persistent: started and not yet waited for.  Others: always.
    pub(crate) active: Cell<bool>,
    /// Receives: when it was posted, among its owner's.
    pub(crate) turn: Cell<u32>,
    pub(crate) key: Key,
    /// Sends: the world rank they go to.
    pub(crate) dest: u32,
    /// The peer as the program named it.
    pub(crate) peer: i32,
    /// The communicator's handle, for messages and error handlers.
    pub(crate) comm: usize,
    pub(crate) extra: Option<Box<Extra>>,
}

impl Request {
    #[inline]
    pub(crate) fn new(owner: u32, what: What, dest: u32, key: Key, buf: &Buf<'_>) -> Request {
        Request {
            done: AtomicBool::new(false),
            owner,
            what,
            dest,
            key,
            addr: buf.addr,
            count: buf.count,
            ty: buf.ty.clone(),
            null: false,
            persistent: false,
            active: Cell::new(true),
            turn: Cell::new(0),
            peer: key.src,
            comm: 0,
            extra: None,
            status: UnsafeCell::new(MaybeUninit::uninit()),
        }
    }

    /// A send that is complete.
    pub(crate) fn sent(owner: u32) -> Request {
        let key = Key {
            ctx: 0,
            src: super::PROC_NULL,
            tag: ANY_TAG,
        };
        let nothing = of_basic(Basic::Byte);
        let buf = Buf::new(std::ptr::null_mut(), 0, &nothing);
        let r = Request::new(owner, What::Send(Mode::Standard), 0, key, &buf);
        // SAFETY: nobody else has it yet.
        unsafe { r.set_status(Status::EMPTY) };
        r.done.store(true, Relaxed);
        r
    }

    #[inline]
    pub(crate) fn buf(&self) -> Buf<'_> {
        Buf {
            addr: self.addr,
            count: self.count,
            ty: &self.ty,
        }
    }

    /// The call of a collective request.
    pub(crate) fn posted(&self) -> Option<&Posted> {
        match self.extra.as_deref() {
            Some(Extra::Coll(p)) => Some(p),
            _ => None,
        }
    }

    pub(crate) fn general(&self) -> Option<&General> {
        match self.extra.as_deref() {
            Some(Extra::General(g)) => Some(g),
            _ => None,
        }
    }

    /// A receive is posted.
    #[inline]
    pub(crate) fn take_turn(&self, me: &RankState) {
        let turn = me.turns.get().wrapping_add(1);
        me.turns.set(turn);
        self.turn.set(turn);
    }

    /// Greater for receives posted earlier: messages of one sender arrive in that order, and a program that is told of them
    /// in another could take the last for the last.
    pub(crate) fn age(&self, me: &RankState) -> u32 {
        me.turns.get().wrapping_sub(self.turn.get())
    }

    #[inline]
    pub fn is_done(&self) -> bool {
        self.done.load(Acquire)
    }

    /// The status of a completed request.
    #[inline]
    pub(crate) fn status(&self) -> Status {
        debug_assert!(self.is_done());
        // SAFETY: set before `done`, and nobody writes it afterwards.
        unsafe { (*self.status.get()).assume_init() }
    }

    /// What it came to; `done` is yet to be set.
    ///
    /// # Safety
    /// The caller is the one who completes it.
    #[inline]
    pub(crate) unsafe fn set_status(&self, status: Status) {
        // SAFETY: by the caller.
        unsafe { (*self.status.get()).write(status) };
    }

    /// Completes it and wakes its owner if that waits for it.  `from`: the caller's worker.
    ///
    /// # Safety
    /// `this` is alive and pending, and the caller is the one who completes it.
    #[inline(always)]
    pub(crate) unsafe fn complete(
        this: *const Request,
        owner: &RankState,
        from: Option<u32>,
        status: Status,
    ) {
        // SAFETY: by the caller.
        unsafe { Request::finish(this, status) };
        chaos();
        owner.notify(this as usize, from);
    }

    /// Completes it; its owner is to be notified.
    ///
    /// # Safety
    /// As of [`Request::complete`].
    #[inline]
    pub(crate) unsafe fn finish(this: *const Request, status: Status) {
        // SAFETY: alive until `done` is set; not touched afterwards.
        unsafe {
            (*this).set_status(status);
            (*this).done.store(true, Release);
        }
    }
}

/// Ownership of a pending operation outside the C handle table.  Must be waited for (or handed to
/// [`super::free`]): the mailboxes point to it.
#[must_use]
#[derive(Debug)]
pub struct Req(pub(crate) NonNull<Request>);

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?} done={}", self.what, self.key, self.is_done())
    }
}

impl Req {
    #[inline]
    pub fn get(&self) -> &Request {
        // SAFETY: a `Req` owns its request, which lives in the owner's pool.
        unsafe { self.0.as_ref() }
    }

    pub(crate) fn get_mut(&mut self) -> &mut Request {
        // SAFETY: as above; only called while the request is not pending.
        unsafe { self.0.as_mut() }
    }

    pub(crate) fn ptr(&self) -> *const Request {
        self.0.as_ptr()
    }
}
