//! One pending operation.
//!
//! A request stays where it is while it is pending: the mailboxes point to it.  Whoever completes
//! it (perhaps on another worker) writes the status, then `done`, and afterwards does not touch it
//! again; until `done` only `done` may be read by the owner.

use std::any::Any;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering::*};

use super::buf::Buf;
use super::queue::Key;
use super::{ANY_SOURCE, ANY_TAG};

use pc3_vmpi_objects::datatype::basic::Basic;
use pc3_vmpi_objects::datatype::{of_basic, Datatype, TypeRef};
use pc3_vmpi_objects::error::{Class, MpiError, Result};

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
    pub fn of(key: &Key, ty: &Datatype, len: usize, room: usize) -> Status {
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
pub enum RequestKind {
    Send(Mode),
    Recv,
    /// A collective operation.
    Coll,
    /// A generalised request: the program completes it.
    General,
}

/// What requests that are no messages need besides.
pub enum Extra {
    Coll(Box<dyn Collective>),
    General(General),
    Parts(Parts),
}

/// Of a partitioned message: which of its parts are ready to be sent.
pub struct Parts {
    pub ready: RefCell<Box<[bool]>>,
}

impl Parts {
    pub fn new(parts: usize) -> Parts {
        let ready = RefCell::new(vec![false; parts].into());
        Parts { ready }
    }
}

/// The call of a collective request, which is known above.
pub trait Collective: Any {
    /// What the program called.
    fn name(&self) -> &'static str;
    fn any(&self) -> &dyn Any;
    fn any_mut(&mut self) -> &mut dyn Any;
}

/// The functions of a generalised request (MPI 3.1 section 12.2): addresses.
#[derive(Clone, Copy, Debug)]
pub struct General {
    pub query: usize,
    pub free: usize,
    pub cancel: usize,
    pub state: usize,
}

/// What whoever completes it touches comes first and fits into one cache line.
#[repr(C, align(64))]
pub struct Request {
    pub addr: *mut u8,
    pub count: usize,
    pub ty: TypeRef,
    /// Set when it is done.
    pub status: UnsafeCell<MaybeUninit<Status>>,
    pub owner: u32,
    pub done: AtomicBool,
    pub what: RequestKind,
    /// Peer is `MPI_PROC_NULL`: completes by itself.
    pub null: bool,
    pub persistent: bool,
    /// Persistent: started and not yet waited for.  Others: always.
    pub active: Cell<bool>,
    /// Receives: when it was posted, among its owner's.
    pub turn: Cell<u32>,
    pub key: Key,
    /// Sends: the world rank they go to.
    pub dest: u32,
    /// The peer as the program named it.
    pub peer: i32,
    /// The communicator's handle, for messages and error handlers.
    pub comm: usize,
    pub extra: Option<Box<Extra>>,
}

impl Request {
    #[inline]
    pub fn new(owner: u32, what: RequestKind, dest: u32, key: Key, buf: &Buf<'_>) -> Request {
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
    pub fn sent(owner: u32) -> Request {
        let key = Key {
            ctx: 0,
            src: super::PROC_NULL,
            tag: ANY_TAG,
        };
        let nothing = of_basic(Basic::Byte);
        let buf = Buf::new(std::ptr::null_mut(), 0, &nothing);
        let r = Request::new(owner, RequestKind::Send(Mode::Standard), 0, key, &buf);
        // SAFETY: nobody else has it yet.
        unsafe { r.set_status(Status::EMPTY) };
        r.done.store(true, Relaxed);
        r
    }

    #[inline]
    pub fn buf(&self) -> Buf<'_> {
        Buf {
            addr: self.addr,
            count: self.count,
            ty: &self.ty,
        }
    }

    /// The call of a collective request.
    #[inline]
    pub fn collective(&self) -> Option<&dyn Collective> {
        match self.extra.as_deref() {
            Some(Extra::Coll(c)) => Some(&**c),
            _ => None,
        }
    }

    #[inline]
    pub fn general(&self) -> Option<&General> {
        match self.extra.as_deref() {
            Some(Extra::General(g)) => Some(g),
            _ => None,
        }
    }

    #[inline]
    pub fn parts(&self) -> Option<&Parts> {
        match self.extra.as_deref() {
            Some(Extra::Parts(p)) => Some(p),
            _ => None,
        }
    }

    #[inline]
    pub fn is_done(&self) -> bool {
        self.done.load(Acquire)
    }

    /// The status of a completed request.
    #[inline]
    pub fn status(&self) -> Status {
        debug_assert!(self.is_done());
        // SAFETY: set before `done`, and nobody writes it afterwards.
        unsafe { (*self.status.get()).assume_init() }
    }

    /// What it came to; `done` is yet to be set.
    ///
    /// # Safety
    /// The caller is the one who completes it.
    #[inline]
    pub unsafe fn set_status(&self, status: Status) {
        // SAFETY: by the caller.
        unsafe { (*self.status.get()).write(status) };
    }

    /// Completes it; its owner is to be notified.
    ///
    /// # Safety
    /// `this` is alive and pending, and the caller is the one who completes it.
    #[inline]
    pub unsafe fn finish(this: *const Request, status: Status) {
        // SAFETY: alive until `done` is set; not touched afterwards.
        unsafe {
            (*this).set_status(status);
            (*this).done.store(true, Release);
        }
    }
}

/// Ownership of a pending operation outside the C handle table.  Must be waited for (or handed to
/// [`free`](crate::p2p::free)): the mailboxes point to it.
#[must_use]
#[derive(Debug)]
pub struct Req(pub NonNull<Request>);

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

    #[inline]
    pub fn get_mut(&mut self) -> &mut Request {
        // SAFETY: as above; only called while the request is not pending.
        unsafe { self.0.as_mut() }
    }

    #[inline]
    pub fn ptr(&self) -> *const Request {
        self.0.as_ptr()
    }
}

/// An error if the message was longer than the buffer.
#[inline]
pub fn check(s: Status) -> Result<Status> {
    if s.error != Class::SUCCESS {
        return Err(failure(&s));
    }
    Ok(s)
}

/// What a person reads of a receive that failed.
#[cold]
pub fn failure(s: &Status) -> MpiError {
    let from = format!("the message from {} with tag {}", s.source, s.tag);
    let what = match s.error {
        Class::ERR_TRUNCATE => format!(
            "{from} is longer than the receive buffer ({} bytes)",
            s.bytes
        ),
        _ => format!("{from} cannot be converted"),
    };
    MpiError::new(s.error, what)
}
