//! A rank's two queues behind a lock that one worker alone does not need.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering::*};

use super::buf::Buf;
use super::mark::Mark;
use super::queue::{Key, Queue};
use super::request::{Request, Status};
use super::room::MessageRoom;
use super::{BACKLOG_BYTES, BACKLOG_MESSAGES};
use pc3_vmpi_objects::datatype::{moving, Datatype, TypeRef};
use pc3_vmpi_objects::error::Result;
use pc3_vmpi_objects::pack;
use pc3_vmpi_sched::copy::copy_few;

/// The data of an inbound message.
pub enum Data {
    Short(Short),
    Long(Box<[u8]>),
    /// Still in the sender's buffer.
    Held(*const Request),
    /// While a checkpoint is loaded: held by the request that `owner` saved at `index`.
    Awaited {
        owner: u32,
        index: u64,
    },
    /// With its sender in another process, who offers it as `id`.  At a checkpoint, it is of the request that `owner`
    /// saves at `index`.
    Remote {
        process: u32,
        id: u64,
        owner: u32,
        index: u64,
        /// Where it lies, if it can be read; else 0.
        at: u64,
    },
}

/// Few bytes.
pub struct Short {
    len: u8,
    /// So many of them are there.
    bytes: [MaybeUninit<u8>; Data::SHORT],
}

impl Short {
    /// To be filled: nothing is written twice, as what is written in parts and then read as a whole has to wait for the parts.
    #[inline(always)]
    const fn empty() -> Short {
        Short {
            len: 0,
            bytes: [MaybeUninit::uninit(); Data::SHORT],
        }
    }

    /// Packs `len` bytes, not more than [`Data::SHORT`].
    ///
    /// # Safety
    /// The buffer, of so many bytes, is readable.
    #[inline(always)]
    unsafe fn fill(&mut self, buf: &Buf<'_>, len: usize) {
        let to = self.bytes.as_mut_ptr().cast();
        // SAFETY: the caller's promise; it fits.
        unsafe {
            match buf.plain().block() {
                Some(from) => copy_few(from, to, len),
                None => buf.pack(to),
            }
        }
        self.len = len as u8;
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        // SAFETY: so many are there.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().cast(), self.len.into()) }
    }
}

impl Data {
    pub const SHORT: usize = 62;

    /// Packed bytes.
    #[inline]
    pub fn of(packed: Vec<u8>) -> Data {
        if packed.len() > Data::SHORT {
            return Data::Long(packed.into_boxed_slice());
        }
        Data::copy(&packed)
    }

    /// The same, copied.
    pub fn copy(packed: &[u8]) -> Data {
        if packed.len() > Data::SHORT {
            return Data::Long(packed.into());
        }
        let mut short = Short::empty();
        for (to, from) in short.bytes.iter_mut().zip(packed) {
            to.write(*from);
        }
        short.len = packed.len() as u8;
        Data::Short(short)
    }
}

pub struct Message {
    pub data: Data,
    pub ty: TypeRef,
    pub count: usize,
    /// Whose limited room it takes until it is received.
    pub buffered_by: Option<MessageRoom>,
    /// While a checkpoint is under way.
    pub mark: Option<Box<Mark>>,
}

impl Message {
    /// Copies the message.
    ///
    /// # Safety
    /// The buffer is readable.
    #[inline]
    pub unsafe fn packed(buf: &Buf<'_>) -> Message {
        let len = buf.len();
        let data = if len <= Data::SHORT {
            let mut short = Short::empty();
            // SAFETY: the caller's promise; it fits.
            unsafe { short.fill(buf, len) };
            Data::Short(short)
        } else {
            let mut v = Vec::with_capacity(len);
            // SAFETY: the caller's promise; the vector has the room and is then full.
            unsafe {
                buf.pack(v.as_mut_ptr());
                v.set_len(len);
            }
            Data::Long(v.into_boxed_slice())
        };
        Message {
            data,
            ty: buf.ty.clone(),
            count: buf.count,
            buffered_by: None,
            mark: None,
        }
    }

    /// The same where the message will be.  It is short.
    ///
    /// # Safety
    /// The buffer is readable.
    #[inline(always)]
    pub(crate) unsafe fn pack_into(q: &mut Queue<Message>, key: Key, buf: &Buf<'_>) {
        let m = q.add(
            key,
            Message {
                data: Data::Short(Short::empty()),
                ty: buf.ty.clone(),
                count: buf.count,
                buffered_by: None,
                mark: None,
            },
        );
        if let Data::Short(short) = &mut m.data {
            // SAFETY: the caller's promise.
            unsafe { short.fill(buf, buf.len()) };
        }
    }

    /// Copies it into a receive buffer if nothing else is to be done: it is short, one block goes to one, and nobody waits to
    /// hear of it.
    ///
    /// # Safety
    /// The buffer is writable.
    #[inline(always)]
    pub unsafe fn land(&self, key: &Key, into: &Buf<'_>) -> Option<Status> {
        let Data::Short(short) = &self.data else {
            return None;
        };
        let to = into.plain().block()?;
        if self.buffered_by.is_some() || self.ty.is_packed() != into.ty.is_packed() {
            return None;
        }
        let len = usize::from(short.len);
        let status = Status::of(key, &self.ty, len, into.len());
        // SAFETY: the caller's promise; so many are there.
        unsafe { copy_few(short.bytes.as_ptr().cast(), to, len.min(into.len())) };
        Some(status)
    }

    pub fn offered(r: *const Request, buf: &Buf<'_>) -> Message {
        Message {
            data: Data::Held(r),
            ty: buf.ty.clone(),
            count: buf.count,
            buffered_by: None,
            mark: None,
        }
    }

    #[allow(clippy::len_without_is_empty)]
    #[inline]
    pub fn len(&self) -> usize {
        self.count * self.ty.size
    }

    /// The packed bytes, unless the message is held.
    #[inline]
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.data {
            Data::Short(short) => Some(short.bytes()),
            Data::Long(b) => Some(b),
            Data::Held(_) | Data::Awaited { .. } | Data::Remote { .. } => None,
        }
    }

    /// Copies a message that is not held into a receive buffer.
    ///
    /// # Safety
    /// The buffer is writable.
    #[inline]
    pub unsafe fn unpack(&self, into: &Buf<'_>) -> Result<()> {
        let Some(bytes) = self.bytes() else {
            return Ok(());
        };
        // SAFETY: the caller's promise.
        unsafe { unpack(&self.ty, bytes, into.plain()) }
    }

    /// Bytes it keeps in library memory.
    #[inline]
    pub fn weight(&self) -> usize {
        match &self.data {
            Data::Long(b) => b.len(),
            _ => 0,
        }
    }
}

/// Copies packed elements of `ty` into a receive buffer.
///
/// # Safety
/// The buffer is writable.
#[inline]
pub unsafe fn unpack(ty: &Datatype, bytes: &[u8], into: moving::Buf<'_>) -> Result<()> {
    let n = bytes.len().min(into.bytes());
    if ty.is_packed() == into.ty.is_packed() {
        // SAFETY: the caller's promise; a block has room for what is in it.
        unsafe {
            match into.block() {
                Some(to) => std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, n),
                None => drop(into.ty.unpack(bytes.as_ptr(), n, into.ptr, into.count)),
            }
        }
        return Ok(());
    }
    let mut converted = Vec::new();
    if ty.is_packed() {
        pack::from_portable(&into.ty.signature, &bytes[..n], &mut converted)?;
    } else {
        pack::to_portable(&ty.signature, bytes, &mut converted)?;
    }
    // SAFETY: as above.
    unsafe {
        into.ty
            .unpack(converted.as_ptr(), converted.len(), into.ptr, into.count)
    };
    Ok(())
}

#[derive(Default)]
pub struct Queues {
    pub posted: Queue<*const Request>,
    pub inbound: Queue<Message>,
    /// Of buffered inbound messages.
    pub bytes: usize,
    /// The owner waits in a probe: wake it when something arrives.
    pub probing: bool,
    /// How often senders had to be freed because nothing else could go on: the program relies on buffering.
    pub(crate) relied: u32,
}

impl Queues {
    #[inline]
    pub fn insert(&mut self, key: Key, m: Message) {
        self.bytes += m.weight();
        self.inbound.push(key, m);
    }

    /// Is it better to hold a message than to buffer one more?  The bound doubles each time holding only
    /// stopped the program, so that it stops rarely.
    pub fn is_full(&self) -> bool {
        if self.inbound.len() < BACKLOG_MESSAGES && self.bytes < BACKLOG_BYTES {
            return false;
        }
        let grown = |n: usize| n.checked_shl(self.relied).filter(|m| m >> self.relied == n);
        grown(BACKLOG_MESSAGES).is_some_and(|most| self.inbound.len() >= most)
            || grown(BACKLOG_BYTES).is_some_and(|most| self.bytes >= most)
    }
}

pub struct Mailbox {
    single: bool,
    locked: AtomicBool,
    queues: UnsafeCell<Queues>,
}

// SAFETY: `queues` is reached only through `with`; the requests it points to follow their own rule.
unsafe impl Sync for Mailbox {}
// SAFETY: as above.
unsafe impl Send for Mailbox {}

impl Mailbox {
    #[inline]
    pub fn new(single: bool) -> Mailbox {
        Mailbox {
            single,
            locked: AtomicBool::new(false),
            queues: UnsafeCell::default(),
        }
    }

    /// The same if nobody else does.
    pub fn try_with<R>(&self, f: impl FnOnce(&mut Queues) -> R) -> Option<R> {
        if !self.single
            && self
                .locked
                .compare_exchange(false, true, Acquire, Relaxed)
                .is_err()
        {
            return None;
        }
        // SAFETY: the lock is ours; with one worker nobody runs beside the caller.
        let r = f(unsafe { &mut *self.queues.get() });
        if !self.single {
            self.locked.store(false, Release);
        }
        Some(r)
    }

    /// Runs `f` on the queues, alone.  `f` neither blocks nor calls `with`.
    #[inline(always)]
    pub fn with<R>(&self, f: impl FnOnce(&mut Queues) -> R) -> R {
        if self.single {
            debug_assert!(!self.locked.swap(true, Relaxed), "`with` within `with`");
        } else if self
            .locked
            .compare_exchange(false, true, Acquire, Relaxed)
            .is_err()
        {
            self.wait();
        }
        // SAFETY: the lock is ours, or one worker executes one rank at a time, and `f` does not switch.
        let r = f(unsafe { &mut *self.queues.get() });
        self.locked.store(false, Release);
        r
    }

    #[cold]
    fn wait(&self) {
        let mut tries = 0u32;
        while self
            .locked
            .compare_exchange_weak(false, true, Acquire, Relaxed)
            .is_err()
        {
            tries += 1;
            if tries % 128 == 0 {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}
