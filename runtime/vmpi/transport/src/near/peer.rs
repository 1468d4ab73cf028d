//! Frames to and from one process of this machine, through rings.  What fits into one record is one; a longer body follows its
//! head in pieces.  What finds no room waits here.

use std::collections::VecDeque;
use std::sync::Arc;

use pc3_transport::head_compression::{Last, News, MOST, SAME};
use pc3_transport::{Head, Sink};

use super::ring::{Mark, Receiver, Sender, INLINE};
use super::segment::Bell;
use pc3_vmpi_sched::cache_lines;
use pc3_vmpi_sched::copy::copy_few;

const WHOLE: u32 = 1;
/// A head; pieces of the body follow.
const LONG: u32 = 2;
const PIECE: u32 = 3;
/// A body whose head leads it.
const LED: u32 = 4;

/// Bytes of a piece: while one is read the next is written.
const PIECE_BYTES: usize = 16 << 10;
/// Records taken in one go, so that one process does not keep the others waiting.
const TURN: usize = 64;

pub struct Peer {
    index: u32,
    sender: Sender,
    receiver: Receiver,
    bell: Bell,
    last_sent: Last,
    last_received: Last,
    queue: VecDeque<Waiting>,
    body: Option<IncomingFrame>,
    /// Whoever sleeps there orders our memory.
    ordered: bool,
    /// It has ended; nobody reads what is sent.
    gone: bool,
}

/// A frame that has not been written, or not whole.
struct Waiting {
    head: Head,
    from: *const u8,
    /// How far its body is.
    at: usize,
    begun: bool,
    own: Option<Box<[u8]>>,
    token: u64,
}

/// A frame whose body is being read.
struct IncomingFrame {
    head: Head,
    to: *mut u8,
    got: usize,
}

impl Peer {
    pub fn new(index: u32, sender: Sender, receiver: Receiver, bell: Bell) -> Peer {
        Peer {
            index,
            sender,
            receiver,
            bell,
            last_sent: Last::default(),
            last_received: Last::default(),
            queue: VecDeque::new(),
            body: None,
            ordered: false,
            gone: false,
        }
    }

    /// Does whoever sleeps there order our memory?  Once so, it stays so.
    #[inline(always)]
    fn is_ordered(&mut self) -> bool {
        if !self.ordered {
            self.ordered = self.bell.orders() && cache_lines::ALL.exist();
        }
        self.ordered
    }

    /// By which others see that something has come.
    pub fn mark(&self) -> Arc<Mark> {
        self.receiver.mark()
    }

    pub fn unsent(&self) -> usize {
        self.queue.len()
    }

    /// Nothing to read, and what was read is given back.
    pub fn is_idle(&mut self) -> bool {
        if self.receiver.give_all_back() {
            self.bell.ring();
        }
        self.receiver.is_empty()
    }

    /// # Safety
    /// As of the interface's `send`.
    #[inline]
    pub unsafe fn send(&mut self, head: &Head, body: *const u8, token: u64, sink: Option<&Sink>) {
        // SAFETY: by the caller.
        unsafe {
            if self.queue.is_empty() && self.put(head, body) {
                self.bell.ring_if_asleep();
                give_back(token, sink);
            } else {
                self.send_later(head, body, token, sink);
            }
        }
    }

    /// Sends a frame that is one line; false if that cannot be now.  `count` is called before anybody can see it.
    ///
    /// # Safety
    /// As of the interface's `send`.
    #[inline(always)]
    pub(crate) unsafe fn send_line(
        &mut self,
        head: &Head,
        body: *const u8,
        count: impl FnOnce(),
    ) -> bool {
        if !self.queue.is_empty() {
            return false;
        }
        let n = head.len as usize;
        let news = match self.last_sent.is(head) {
            true => None,
            false => Some(self.last_sent.news(head)),
        };
        let at = news.as_ref().map_or(1, News::len);
        if at + n > INLINE {
            return false;
        }
        let ordered = self.is_ordered();
        let Some(to) = self.sender.line() else {
            return false;
        };
        count();
        // SAFETY: that much room; the body by the caller.
        unsafe {
            match news {
                None => *to = SAME,
                Some(news) => {
                    let room = std::slice::from_raw_parts_mut(to, at);
                    self.last_sent.write(news, room);
                }
            }
            copy_few(body, to.add(at), n);
        }
        self.sender.publish_line(WHOLE, at + n, ordered);
        self.bell.ring_if_asleep();
        true
    }

    /// Puts a whole frame into the ring; false if it is too long, or there is no room.
    #[inline]
    unsafe fn put(&mut self, head: &Head, body: *const u8) -> bool {
        let n = head.len as usize;
        let ordered = self.is_ordered();
        if n > self.sender.most() - MOST {
            return false;
        }
        let news = self.last_sent.news(head);
        let at = news.len();
        let led = n > INLINE && at <= INLINE;
        let (kind, len) = if led { (LED, n) } else { (WHOLE, at + n) };
        let Some(to) = self.sender.room(len) else {
            return false;
        };
        // SAFETY: that much room; the body by the caller.
        unsafe {
            let (lead, to) = if led {
                (self.sender.lead(), to)
            } else {
                (to, to.add(at))
            };
            self.last_sent
                .write(news, std::slice::from_raw_parts_mut(lead, at));
            if n > 0 {
                std::ptr::copy_nonoverlapping(body, to, n);
            }
        }
        self.sender.publish(kind, len, ordered);
        true
    }

    #[cold]
    unsafe fn send_later(&mut self, head: &Head, body: *const u8, token: u64, sink: Option<&Sink>) {
        self.queue.push_back(Waiting {
            head: *head,
            from: body,
            at: 0,
            begun: false,
            own: None,
            token,
        });
        // SAFETY: by the caller.
        unsafe { self.flush(sink) };
        let n = head.len as usize;
        // The last one, if any is left.
        if let Some(w) = self.queue.back_mut().filter(|_| token == 0 && n > 0) {
            // SAFETY: as above.
            let rest = unsafe { std::slice::from_raw_parts(body.add(w.at), n - w.at) };
            let own: Box<[u8]> = rest.into();
            w.from = own.as_ptr().wrapping_sub(w.at);
            w.own = Some(own);
        }
    }

    /// Writes what waits, as far as there is room; true if that was anything.
    ///
    /// # Safety
    /// The bodies of what waits are still there.
    pub unsafe fn flush(&mut self, sink: Option<&Sink>) -> bool {
        let mut any = false;
        // SAFETY: by the caller.
        unsafe {
            loop {
                while self.step(sink) {
                    any = true;
                }
                if self.queue.is_empty() {
                    break;
                }
                self.sender.want_room();
                if !self.step(sink) {
                    break;
                }
                any = true;
            }
        }
        if any {
            self.bell.ring_if_asleep();
        }
        any
    }

    /// Writes one more record of what waits.
    unsafe fn step(&mut self, sink: Option<&Sink>) -> bool {
        let (most, ordered) = (self.sender.most(), self.is_ordered());
        let Some(w) = self.queue.front() else {
            return false;
        };
        let (head, from, at) = (w.head, w.from, w.at);
        let n = head.len as usize;
        // SAFETY: by the caller.
        unsafe {
            let left = if self.gone {
                0
            } else if n <= most - MOST {
                if !self.put(&head, from) {
                    return false;
                }
                0
            } else if !w.begun {
                let news = self.last_sent.news(&head);
                let len = news.len();
                let Some(to) = self.sender.room(len) else {
                    return false;
                };
                self.last_sent
                    .write(news, std::slice::from_raw_parts_mut(to, len));
                self.sender.publish(LONG, len, ordered);
                n
            } else {
                let len = (n - at).min(PIECE_BYTES).min(most);
                let Some(to) = self.sender.room(len) else {
                    return false;
                };
                std::ptr::copy_nonoverlapping(from.add(at), to, len);
                self.sender.publish(PIECE, len, ordered);
                n - at - len
            };
            if left > 0 {
                if let Some(w) = self.queue.front_mut() {
                    (w.begun, w.at) = (true, n - left);
                }
            } else if let Some(w) = self.queue.pop_front() {
                give_back(w.token, sink);
            }
        }
        true
    }

    /// Takes what has come, or (`one`) the first of it; `whole` gets frames that are there with their bodies.  One: the line behind it belongs to who is about to write it, unless records follow
    /// each other closely.  True if that was anything.
    ///
    /// # Safety
    /// As of the interface's `progress`.
    #[inline]
    pub unsafe fn receive(
        &mut self,
        sink: &Sink,
        whole: &mut impl FnMut(u32, &Head, *const u8),
        one: bool,
    ) -> bool {
        let (index, mut any) = (self.index, false);
        for _ in 0..if one { 1 } else { TURN } {
            let Some((kind, bytes)) = self.receiver.first() else {
                break;
            };
            any = true;
            let len = bytes.len();
            // SAFETY: the interface.
            unsafe {
                if kind == WHOLE {
                    let (head, at) = self.last_received.read(bytes);
                    whole(index, head, bytes.as_ptr().add(at));
                } else if kind == LED {
                    let (head, _) = self.last_received.read(self.receiver.lead());
                    whole(index, head, bytes.as_ptr());
                } else {
                    let (last, open) = (&mut self.last_received, &mut self.body);
                    piece(last, open, (index, kind, bytes), sink);
                }
            }
            self.receiver.next(len);
            if !matches!(kind, WHOLE | LED) && self.receiver.give_back() {
                self.bell.ring();
            }
        }
        // Whoever waits for room is seen by the mark.
        let waits = match any {
            true => self.receiver.give_much_back(),
            false => self.receiver.give_back(),
        };
        if waits {
            self.bell.ring();
        }
        any
    }

    /// The process has ended: what waits is given up.
    pub(crate) fn is_gone(&mut self) {
        self.gone = true;
    }
}

/// A part of what is longer than a record.
///
/// # Safety
/// The interface; memory of `room` stays until `arrived`.
#[inline(never)]
unsafe fn piece(
    last: &mut Last,
    open: &mut Option<IncomingFrame>,
    (peer, kind, bytes): (u32, u32, &[u8]),
    sink: &Sink,
) {
    // SAFETY: by the caller.
    unsafe {
        if kind == LONG {
            let (&head, _) = last.read(bytes);
            let to = (sink.room)(sink.context, peer, &raw const head);
            *open = Some(IncomingFrame { head, to, got: 0 });
        } else if let Some(b) = open {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), b.to.add(b.got), bytes.len());
            b.got += bytes.len();
            if b.got == b.head.len as usize {
                let head = b.head;
                *open = None;
                (sink.arrived)(sink.context, peer, &raw const head);
            }
        }
    }
}

unsafe fn give_back(token: u64, sink: Option<&Sink>) {
    if let Some(sink) = sink.filter(|_| token != 0) {
        // SAFETY: the interface.
        unsafe { (sink.sent)(sink.context, token) }
    }
}
