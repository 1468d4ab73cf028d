//! A ring of records in shared memory, from one process to one other.
//!
//! A record is a line: a word, its header, and up to 60 bytes.  Longer ones have their bytes in a ring beside the lines, where they
//! begin with a line, and the rest of their own line is free for what leads them.
//! A small message is one cache line, at which the receiver looks until its header is there.
//!
//! There are two rings beside the lines: a short one, whose lines stay in the fastest cache, and a long one for what is longer than a quarter of it,
//! or comes when it is full.  The header says in which its record is.
//!
//! *Why it is right.* Headers lie at the beginning of lines, and nothing else ever does.  Lines are used in turn, and each header says by one
//! bit whether its lap is an odd one; so the receiver knows a new header from that of the lap before (the first lap is odd, and
//! memory is 0 at first).  Headers are stored with `Release` when their record's bytes have been written, and loaded with `Acquire`.  The sender writes
//! only to what the receiver has given back: that stores how far it has come with `Release` when it has done with the bytes, and
//! the sender loads that with `Acquire`.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::Arc;

use pc3_vmpi_sched::cache_lines;

const LINE: u32 = 64;
/// What of a line is not its header.
pub(crate) const INLINE: usize = 60;
/// In front of the lines: how far the receiver is, and whether the sender waits for room.
const CONTROL: usize = 2 * LINE as usize;
/// For so many bytes there is one line.
const SHARE: u32 = 512;

/// Bytes of the short ring, at most: with those of the other direction and what the program sends they stay in the fastest cache.
const SHORT: u32 = 8 << 10;
/// So many records go to the long ring when the short one was found full: looking takes a line from the receiver.
const ROUND: u32 = 8;

/// So many lines ahead of the one that is written the sender asks for: see `lane`.
const AHEAD: u32 = 16;

const ODD: u32 = 1 << 31;
const KIND: u32 = 28;
/// The record's bytes are in the long ring.
const IN_LONG: u32 = 1 << 27;
const LEN: u32 = IN_LONG - 1;

/// One of the rings beside the lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    Short,
    Long,
}

impl Beside {
    fn of(header: u32) -> Beside {
        match header & IN_LONG {
            0 => Beside::Short,
            _ => Beside::Long,
        }
    }
}

const fn short(size: u32) -> u32 {
    if size / 4 < SHORT {
        size / 4
    } else {
        SHORT
    }
}

/// Where a ring lies, as this process sees it.
#[derive(Clone, Copy)]
pub struct RingLayout {
    base: *mut u8,
    /// Bytes of the long ring and of the short one, and lines: powers of two.
    size: u32,
    short: u32,
    lines: u32,
}

impl RingLayout {
    /// Bytes that a ring takes.
    pub const fn bytes(size: u32) -> usize {
        CONTROL + (size / SHARE * LINE) as usize + (short(size) + size) as usize
    }

    /// # Safety
    /// `bytes(size)` bytes there begin with a line, were 0 at first, and stay; only one sender and one receiver use them.
    pub unsafe fn new(base: *mut u8, size: u32) -> RingLayout {
        debug_assert!(size.is_power_of_two() && size >= 4 * SHARE);
        let lines = size / SHARE;
        RingLayout {
            base,
            size,
            short: short(size),
            lines,
        }
    }

    fn word(&self, at: usize) -> &AtomicU32 {
        // SAFETY: by `new`; aligned.
        unsafe { &*self.base.add(at).cast::<AtomicU32>() }
    }

    fn lines_back(&self) -> &AtomicU32 {
        self.word(0)
    }

    fn bytes_back(&self, ring: Beside) -> &AtomicU32 {
        self.word(match ring {
            Beside::Long => 4,
            Beside::Short => 8,
        })
    }

    fn back(&self) -> Far {
        Far {
            lines: self.lines_back().load(Acquire),
            long: self.bytes_back(Beside::Long).load(Acquire),
            short: self.bytes_back(Beside::Short).load(Acquire),
        }
    }

    fn size(&self, ring: Beside) -> u32 {
        match ring {
            Beside::Short => self.short,
            Beside::Long => self.size,
        }
    }

    fn wants_room(&self) -> &AtomicU32 {
        self.word(LINE as usize)
    }

    fn line(&self, n: u32) -> usize {
        CONTROL + ((n & (self.lines - 1)) * LINE) as usize
    }

    fn header(&self, n: u32) -> &AtomicU32 {
        self.word(self.line(n))
    }

    /// What the header of the n-th line has if it is of its lap.
    fn odd(&self, n: u32) -> u32 {
        if n & self.lines == 0 {
            ODD
        } else {
            0
        }
    }

    fn has(&self, n: u32, header: u32) -> bool {
        header & ODD == self.odd(n)
    }

    fn in_line(&self, n: u32) -> *mut u8 {
        self.base.wrapping_add(self.line(n) + 4)
    }

    fn side_ring(&self, ring: Beside, at: u32) -> *mut u8 {
        let at = at & (self.size(ring) - 1);
        let at = match ring {
            Beside::Short => at,
            Beside::Long => self.short + at,
        };
        self.base
            .wrapping_add(CONTROL + (self.lines * LINE + at) as usize)
    }

    /// Where a record of that length begins that may begin at `at`: not across the end.
    fn begin(&self, ring: Beside, at: u32, len: u32) -> u32 {
        let size = self.size(ring);
        let rest = size - (at & (size - 1));
        if len > rest {
            at.wrapping_add(rest)
        } else {
            at
        }
    }
}

/// How far a side is; counts on and on, as sizes divide what a word holds.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Far {
    lines: u32,
    short: u32,
    long: u32,
}

fn whole_lines(at: u32) -> u32 {
    at.wrapping_add(LINE - 1) & !(LINE - 1)
}

impl Far {
    fn bytes(&self, ring: Beside) -> u32 {
        match ring {
            Beside::Short => self.short,
            Beside::Long => self.long,
        }
    }

    /// A record further, whose bytes beside its line end there if it has any.
    #[inline]
    fn pass(&mut self, beside: Option<(Beside, u32)>) {
        match beside {
            Some((Beside::Short, end)) => self.short = whole_lines(end),
            Some((Beside::Long, end)) => self.long = whole_lines(end),
            None => {}
        }
        self.lines = self.lines.wrapping_add(1);
    }
}

/// The sender's end.
pub struct Sender {
    place: RingLayout,
    at: Far,
    back: Far,
    /// Where the next record's bytes are, if they are not in its line.
    beside: Option<(Beside, u32)>,
    /// So many records more go to the long ring.
    round: u32,
}

impl Sender {
    pub fn new(place: RingLayout) -> Sender {
        Sender {
            place,
            at: Far::default(),
            back: Far::default(),
            beside: None,
            round: 0,
        }
    }

    /// The longest record.
    pub fn most(&self) -> usize {
        (self.place.size / 4) as usize
    }

    /// Room for a record of `len` bytes, which are at most `most()`; `None`: not now.
    #[inline]
    pub fn room(&mut self, len: usize) -> Option<*mut u8> {
        debug_assert!(len <= self.most());
        let p = self.place;
        if len <= INLINE {
            self.beside = None;
            return self.has_line().then(|| p.in_line(self.at.lines));
        }
        if len as u32 <= p.short / 4 {
            if self.round == 0 {
                if let Some(to) = self.side_ring(Beside::Short, len as u32) {
                    return Some(to);
                }
                self.round = ROUND;
            }
            self.round -= 1;
        }
        self.side_ring(Beside::Long, len as u32)
    }

    #[inline]
    fn side_ring(&mut self, ring: Beside, len: u32) -> Option<*mut u8> {
        let p = self.place;
        let begin = p.begin(ring, self.at.bytes(ring), len);
        self.beside = Some((ring, begin));
        let end = whole_lines(begin.wrapping_add(len));
        let free = |s: &Sender| end.wrapping_sub(s.back.bytes(ring)) <= p.size(ring);
        if !free(self) {
            self.back = p.back();
        }
        (self.has_line() && free(self)).then(|| p.side_ring(ring, begin))
    }

    /// Where the line of the record for which `room` was given has room for [`INLINE`] bytes, if it is longer than that.
    #[inline]
    pub fn lead(&self) -> *mut u8 {
        self.place.in_line(self.at.lines)
    }

    /// Room for a record in a line of its own, at most [`INLINE`] bytes; `None`: not now.
    #[inline(always)]
    pub fn line(&mut self) -> Option<*mut u8> {
        self.has_line().then(|| self.place.in_line(self.at.lines))
    }

    #[inline(always)]
    fn has_line(&mut self) -> bool {
        let p = self.place;
        let free = |s: &Sender| s.at.lines.wrapping_sub(s.back.lines) < p.lines;
        if !free(self) {
            self.back = p.back();
        }
        free(self)
    }

    /// The record in what `line` gave is complete: as `publish`.
    #[inline]
    pub(crate) fn publish_line(&mut self, kind: u32, len: usize, ordered: bool) {
        self.put_header(kind, len as u32, ordered);
        self.at.lines = self.at.lines.wrapping_add(1);
    }

    /// The record in what `room` gave is complete, `len` bytes long as was said there; `kind` is below 8.  `ordered`: whoever
    /// goes to sleep sees to it that this is seen.
    #[inline]
    pub fn publish(&mut self, kind: u32, len: usize, ordered: bool) {
        let ring = match self.beside {
            Some((Beside::Long, _)) => IN_LONG,
            _ => 0,
        };
        self.put_header(kind, ring | len as u32, ordered);
        let end = |(ring, begin): (_, u32)| (ring, begin.wrapping_add(len as u32));
        self.at.pass(self.beside.map(end));
    }

    #[inline]
    fn put_header(&mut self, kind: u32, len: u32, ordered: bool) {
        let p = self.place;
        let header = p.odd(self.at.lines) | kind << KIND | len;
        if ordered {
            p.header(self.at.lines).store(header, Release);
        } else {
            p.header(self.at.lines).swap(header, SeqCst);
        }
        cache_lines::ask_for(p.header(self.at.lines.wrapping_add(AHEAD)));
    }

    /// There is no room: the receiver is to say when it has given back more.  Look again after this.
    pub(crate) fn want_room(&self) {
        self.place.wants_room().store(1, SeqCst);
        std::sync::atomic::fence(SeqCst);
    }
}

/// What shows anybody whether the receiver has something to do.
pub struct Mark {
    place: RingLayout,
    /// The line at which the receiver looks.
    at: AtomicU32,
    /// It has done with more than it has given back.
    owes: AtomicBool,
}

// SAFETY: atomic words in memory that stays.
unsafe impl Send for Mark {}
// SAFETY: as above.
unsafe impl Sync for Mark {}

impl Mark {
    #[inline]
    pub fn calls(&self) -> bool {
        let (p, n) = (self.place, self.at.load(Relaxed));
        p.has(n, p.header(n).load(Relaxed))
            || (self.owes.load(Relaxed) && p.wants_room().load(Relaxed) != 0)
    }
}

/// The receiver's end.
pub struct Receiver {
    place: RingLayout,
    at: Far,
    back: Far,
    mark: Arc<Mark>,
}

impl Receiver {
    pub fn new(place: RingLayout) -> Receiver {
        Receiver {
            place,
            at: Far::default(),
            back: Far::default(),
            mark: Arc::new(Mark {
                place,
                at: AtomicU32::new(0),
                owes: AtomicBool::new(false),
            }),
        }
    }

    pub fn mark(&self) -> Arc<Mark> {
        Arc::clone(&self.mark)
    }

    /// The header of the next record.
    #[inline]
    fn header(&self) -> Option<u32> {
        let n = self.at.lines;
        let header = self.place.header(n).load(Acquire);
        self.place.has(n, header).then_some(header)
    }

    /// The next record, which stays until `next`.
    #[inline]
    pub fn first(&self) -> Option<(u32, &[u8])> {
        let header = self.header()?;
        let p = self.place;
        let len = header & LEN;
        debug_assert!(len <= p.size);
        let from = if len as usize <= INLINE {
            p.in_line(self.at.lines)
        } else {
            let ring = Beside::of(header);
            p.side_ring(ring, p.begin(ring, self.at.bytes(ring), len))
        };
        // SAFETY: written before the header was, and not again before it is given back.
        let bytes = unsafe { std::slice::from_raw_parts(from, len as usize) };
        Some((header >> KIND & 7, bytes))
    }

    /// What leads the first record, which is longer than [`INLINE`].
    #[inline]
    pub fn lead(&self) -> &[u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.place.in_line(self.at.lines), INLINE) }
    }

    /// The first record, which had `len` bytes, is done with.
    #[inline]
    pub fn next(&mut self, len: usize) {
        let p = self.place;
        let beside = (len > INLINE).then(|| {
            let ring = Beside::of(p.header(self.at.lines).load(Relaxed));
            let begin = p.begin(ring, self.at.bytes(ring), len as u32);
            (ring, begin.wrapping_add(len as u32))
        });
        self.at.pass(beside);
        self.mark.at.store(self.at.lines, Relaxed);
        self.mark.owes.store(true, Relaxed);
    }

    pub fn is_empty(&self) -> bool {
        self.header().is_none()
    }

    /// Gives back what is done with, if that is much; true if the sender waits for it.
    #[inline]
    pub(crate) fn give_much_back(&mut self) -> bool {
        let p = self.place;
        let (at, back) = (&self.at, &self.back);
        let much = at.lines.wrapping_sub(back.lines) >= p.lines / 4
            || at.short.wrapping_sub(back.short) >= p.short / 4
            || at.long.wrapping_sub(back.long) >= p.size / 4;
        much && self.give_all_back()
    }

    /// The same, or if it is waited for.
    #[inline]
    pub fn give_back(&mut self) -> bool {
        let wanted = self.at != self.back && self.place.wants_room().load(Relaxed) != 0;
        match wanted {
            true => self.give_all_back(),
            false => self.give_much_back(),
        }
    }

    /// As above, however little it is.
    pub(crate) fn give_all_back(&mut self) -> bool {
        let p = self.place;
        if self.at != self.back {
            self.back = self.at;
            self.mark.owes.store(false, Relaxed);
            p.bytes_back(Beside::Long).store(self.at.long, Release);
            p.bytes_back(Beside::Short).store(self.at.short, Release);
            p.lines_back().store(self.at.lines, Release);
        }
        // Who wants room looks once more after saying so: either it sees this, or we see that.
        std::sync::atomic::fence(SeqCst);
        p.wants_room().load(Relaxed) != 0 && p.wants_room().swap(0, SeqCst) != 0
    }
}

#[cfg(test)]
mod tests;
