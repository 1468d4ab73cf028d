//! Where a rank that waits in a blocking receive takes a message from another worker's rank.
//!
//! What passes between two cores does so by cache line, at tens of nanoseconds each.  A receive that nothing
//! has arrived for is therefore not queued but shown in one line: a sender that finds there what it has
//! claims the receive with one atomic operation and puts a small message into the same line.  What is too
//! long for that is delivered to the receive's request as to any other, once it is claimed.
//!
//! What is still in a [`lane`](super::lane) was sent before, so nobody comes here past it.
//!
//! A receive is shown only while its rank has no other posted, and under the mailbox's lock, as is queueing a
//! message: whoever is about to queue one looks here too, so neither misses the other.

use std::cell::{Cell, UnsafeCell};
use std::ptr::null;
use std::sync::atomic::{AtomicU64, Ordering::*};

use super::buf::Buf;
use super::mailbox::{Data, Message};
use super::queue::Key;
use super::request::Request;
use super::{ANY_SOURCE, ANY_TAG};
use pc3_vmpi_objects::datatype::{Datatype, TypeRef};

/// Bytes that fit beside the rest.
pub(crate) const ROOM: usize = 30;

/// Low bits of the word; the key is in the others while the receive can be claimed.
const STATE: u64 = 7;
const CLOSED: u64 = 0;
/// Shown; its rank looks again and again.
const OPEN: u64 = 1;
/// Shown; its rank has to be woken.
const ASLEEP: u64 = 2;
/// Claimed; the message will be in the line in a moment.
const FILLING: u64 = 3;
const FULL: u64 = 4;
/// Claimed; the request is complete, or will be.
const HANDED: u64 = 5;

#[repr(align(128))]
pub struct Landing {
    word: AtomicU64,
    place: UnsafeCell<LandingSlot>,
}

/// Written by the owner while closed, by the claimant while filling, read by the owner when full.
struct LandingSlot {
    request: *const Request,
    ty: Option<&'static Datatype>,
    src: i32,
    tag: i32,
    count: u16,
    data: [u8; ROOM],
}

// SAFETY: `place` has one user at a time, as said there, and the word hands it over.
unsafe impl Sync for Landing {}
// SAFETY: as above.
unsafe impl Send for Landing {}

/// Twenty bits each: context, source, tag; all ones is any.
const FIELD: u64 = (1 << 20) - 1;

fn field(v: i64, any: i32) -> Option<u64> {
    match u64::try_from(v) {
        Ok(v) if v < FIELD => Some(v),
        _ if v == i64::from(any) => Some(FIELD),
        _ => None,
    }
}

/// `None`: a key with larger numbers.
fn encode(k: &Key) -> Option<u64> {
    let ctx = u64::from(k.ctx);
    let src = field(i64::from(k.src), ANY_SOURCE)?;
    let tag = field(i64::from(k.tag), ANY_TAG)?;
    (ctx < FIELD).then_some(ctx << 44 | src << 24 | tag << 4)
}

fn decode(word: u64) -> Key {
    let part = |shift: u32, any: i32| match word >> shift & FIELD {
        FIELD => any,
        v => v as i32,
    };
    Key {
        ctx: (word >> 44) as u32,
        src: part(24, ANY_SOURCE),
        tag: part(4, ANY_TAG),
    }
}

impl Landing {
    pub(crate) fn new() -> Landing {
        Landing {
            word: AtomicU64::new(CLOSED),
            place: UnsafeCell::new(LandingSlot {
                request: null(),
                ty: None,
                src: 0,
                tag: 0,
                count: 0,
                data: [0; ROOM],
            }),
        }
    }

    /// The owner shows a receive; false if the key cannot be shown.
    #[inline]
    pub fn open(&self, r: &Request) -> bool {
        let Some(key) = encode(&r.key) else {
            return false;
        };
        // SAFETY: closed, so ours.
        unsafe { (*self.place.get()).request = r };
        self.word.store(key | OPEN, Release);
        true
    }

    /// Claims the receive if it accepts `key`; then tells whether its rank sleeps.  `guess`: there will be one for just
    /// this message, which saves reading the line before writing it; where there is none that takes the line away from
    /// all others who look.
    #[inline]
    fn claim(&self, key: &Key, claimed: u64, guess: bool) -> Option<bool> {
        let mut word = match encode(key).filter(|_| guess) {
            Some(k) => k | OPEN,
            None => self.word.load(Acquire),
        };
        loop {
            let shown = matches!(word & STATE, OPEN | ASLEEP);
            if !shown || !decode(word).accepts(key) {
                return None;
            }
            match self.word.compare_exchange(word, claimed, AcqRel, Acquire) {
                Ok(_) => return Some(word & STATE == ASLEEP),
                Err(now) => word = now,
            }
        }
    }

    /// Would the receive accept `key`?  Then tells whether its rank sleeps.
    #[inline]
    fn accepts(&self, key: &Key) -> Option<bool> {
        let word = self.word.load(Acquire);
        // Mostly it is for just this message.
        if encode(key) == Some(word ^ OPEN) {
            return Some(false);
        }
        let shown = matches!(word & STATE, OPEN | ASLEEP) && decode(word).accepts(key);
        shown.then_some(word & STATE == ASLEEP)
    }

    /// Claims the receive of `to` for a message that is delivered to the request.
    #[inline]
    pub fn hand(&self, key: &Key) -> Option<*const Request> {
        self.claim(key, HANDED, false)?;
        // SAFETY: claimed; written before it was shown.
        Some(unsafe { (*self.place.get()).request })
    }

    /// The message's type, if it can be put into the line.
    #[inline]
    pub fn fits(buf: &Buf<'_>) -> Option<&'static Datatype> {
        let fits = |ty: &&Datatype| buf.count <= ROOM && buf.count * ty.size <= ROOM;
        buf.ty.as_static().filter(fits)
    }

    /// Puts a message that [`Landing::fits`] into the receive that is shown; none: that is not for it, else whether its rank sleeps.
    /// `guesses`: of the sender.
    ///
    /// # Safety
    /// The buffer is readable.
    #[inline]
    pub unsafe fn fill(
        &self,
        guesses: &Cell<bool>,
        key: &Key,
        buf: &Buf<'_>,
        ty: &'static Datatype,
    ) -> Option<bool> {
        let claimed = self.claim(key, FILLING, guesses.get());
        // What was so will be so.
        guesses.set(claimed.is_some());
        let asleep = claimed?;
        // SAFETY: claimed; the caller's promise, and it fits.
        unsafe {
            let place = &mut *self.place.get();
            (place.ty, place.count) = (Some(ty), buf.count as u16);
            (place.src, place.tag) = (key.src, key.tag);
            buf.pack(place.data.as_mut_ptr());
        }
        self.word.store(FULL, Release);
        Some(asleep)
    }

    /// Claims the receive that is shown, for a message with which `put` completes it at once; none: it is not for it, else
    /// whether its rank sleeps.  `alone`: nobody else can claim it, nor does its rank run.
    #[inline]
    pub fn complete(
        &self,
        key: &Key,
        alone: bool,
        put: impl FnOnce(*const Request),
    ) -> Option<bool> {
        let asleep = match alone {
            true => self.accepts(key),
            false => self.claim(key, FILLING, false),
        }?;
        // SAFETY: claimed; written before it was shown.
        put(unsafe { (*self.place.get()).request });
        self.word.store(HANDED, Release);
        Some(asleep)
    }

    #[inline]
    pub(crate) fn is_claimed(&self) -> bool {
        !matches!(self.word.load(Acquire) & STATE, OPEN | ASLEEP)
    }

    /// What has become of the receive that the owner has shown.
    pub fn stage(&self) -> Stage {
        match self.word.load(Acquire) & STATE {
            OPEN => Stage::Open,
            FILLING => Stage::Filling,
            FULL => Stage::Full,
            _ => Stage::Handed,
        }
    }

    /// The owner sleeps, by `block`, until it is claimed.
    pub fn sleep(&self, block: impl Fn()) {
        let word = self.word.load(Acquire);
        if word & STATE != OPEN {
            return;
        }
        let sleep = word ^ OPEN ^ ASLEEP;
        let shown = self.word.compare_exchange(word, sleep, AcqRel, Acquire);
        while shown.is_ok() && self.word.load(Acquire) == sleep {
            block();
        }
    }

    /// The owner takes what is in the line: it is full.
    #[inline]
    pub fn take(&self) -> Option<(Key, Message)> {
        // SAFETY: full, so ours.
        let arrived = unsafe { (*self.place.get()).message() };
        self.close();
        arrived
    }

    /// The owner shows nothing any more.
    #[inline]
    pub fn close(&self) {
        self.word.store(CLOSED, Relaxed);
    }
}

/// Of a receive that is shown.
pub enum Stage {
    Open,
    /// Claimed; the message will be in the line in a moment.
    Filling,
    Full,
    /// Claimed; the request is complete, or will be.
    Handed,
}

impl LandingSlot {
    fn message(&self) -> Option<(Key, Message)> {
        let ty = self.ty?;
        let count = usize::from(self.count);
        let len = count * ty.size;
        let key = Key {
            ctx: 0,
            src: self.src,
            tag: self.tag,
        };
        let m = Message {
            data: Data::copy(&self.data[..len]),
            ty: TypeRef::of(ty),
            count,
            buffered_by: None,
            mark: None,
        };
        Some((key, m))
    }
}
