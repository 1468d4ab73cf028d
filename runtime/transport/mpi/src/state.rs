//! What has arrived and waits for its turn, and bodies that were asked for.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::mem::{size_of, zeroed};

use mpi::ffi::{self, MPI_Comm, MPI_Request, MPI_Status};
use pc3_transport::head_compression::{Last, MOST};
use pc3_transport::{Head, Sink, HEAD};

use crate::outbox::Outbox;

/// Frames up to this length are one message.
pub const SMALL: usize = 16 << 10;
/// Buffers that wait for them.
const RING: usize = 32;
/// Looks for frames before saying that there is none: half a round of all that is done between two looks passes
/// before a frame that has just come is seen.
const LOOKS: usize = 3;
/// Bytes of a body that one message carries: counts are ints.
pub const PIECE: usize = 1 << 30;

pub const FRAME: c_int = 1;
pub const BODY: c_int = 2;
/// The first tag of bodies that were asked for, and how many there are at a time: MPI has at least 32767 tags.
const PULLS: u32 = 16;
const MOST_PULLS: u32 = 8192;

struct Slot {
    request: MPI_Request,
    buffer: Box<[u8]>,
}

/// A body that was asked for.
struct Pull {
    peer: u32,
    tag: u32,
    id: u64,
    requests: Vec<MPI_Request>,
}

/// A frame that has begun to arrive.
enum In {
    Whole(Head, Box<[u8]>),
    /// Its body has not been asked for yet.
    Long(Head),
    Receiving(Head, Vec<MPI_Request>),
}

pub struct State {
    comm: MPI_Comm,
    sink: Option<Sink>,
    ring: Vec<Slot>,
    /// The slot that will be filled next: MPI fills them in the order in which they were posted.
    next: usize,
    /// So many before it have been emptied and do not wait for anything yet: that is for when nobody waits for us.
    stale: usize,
    out: Outbox,
    /// Of each process.
    last: Vec<Last>,
    pulls: Vec<Pull>,
    /// Tags that were used and are not any more; those from `tags` on never were.
    free: Vec<u32>,
    tags: u32,
    queues: Vec<VecDeque<In>>,
    /// Frames in there.
    waiting: usize,
}

/// # Safety
/// A request of ours.
pub unsafe fn done(request: &mut MPI_Request, status: &mut MPI_Status) -> bool {
    let mut flag = 0;
    // SAFETY: by the caller.
    unsafe { ffi::MPI_Test(request, &raw mut flag, status) };
    flag != 0
}

impl State {
    pub fn new(comm: MPI_Comm, processes: usize) -> State {
        State {
            comm,
            sink: None,
            ring: Vec::new(),
            next: 0,
            stale: 0,
            out: Outbox::new(comm, processes),
            last: vec![Last::default(); processes],
            pulls: Vec::new(),
            free: Vec::new(),
            tags: 0,
            queues: (0..processes).map(|_| VecDeque::new()).collect(),
            waiting: 0,
        }
    }

    pub fn comm(&self) -> MPI_Comm {
        self.comm
    }

    pub unsafe fn attach(&mut self, sink: Sink) {
        self.sink = Some(sink);
        for _ in 0..RING {
            let mut slot = Slot {
                // SAFETY: MPI's null.
                request: unsafe { ffi::RSMPI_REQUEST_NULL },
                buffer: vec![0; SMALL + MOST].into_boxed_slice(),
            };
            // SAFETY: the buffer does not move.
            unsafe { post(self.comm, &mut slot) };
            self.ring.push(slot);
        }
    }

    /// # Safety
    /// As of the interface's `send`.
    pub unsafe fn send(&mut self, peer: u32, head: &Head, body: *const u8, token: u64) {
        // SAFETY: by the caller.
        unsafe {
            self.out.send(peer, head, body, token, self.sink.as_ref());
        }
    }

    /// # Safety
    /// As of the interface's `push`.
    pub unsafe fn push(&mut self, peer: u32, name: u32, from: *const u8, len: usize, token: u64) {
        // SAFETY: by the caller.
        unsafe { self.out.send_body(peer, name as c_int, from, len, token) }
    }

    /// # Safety
    /// As of the interface's `pull`.
    pub unsafe fn pull(&mut self, peer: u32, to: *mut u8, len: usize, id: u64) -> u32 {
        let tag = match self.free.pop() {
            Some(tag) => tag,
            None if self.tags == MOST_PULLS => return 0,
            None => {
                self.tags += 1;
                PULLS + self.tags - 1
            }
        };
        // SAFETY: by the caller.
        let requests = unsafe { self.receive(peer, tag as c_int, to, len) };
        self.pulls.push(Pull {
            peer,
            tag,
            id,
            requests,
        });
        tag
    }

    /// Waits for a body in pieces.
    unsafe fn receive(&self, peer: u32, tag: c_int, to: *mut u8, len: usize) -> Vec<MPI_Request> {
        let piece = |at: usize| {
            let n = PIECE.min(len - at) as c_int;
            // SAFETY: by the caller.
            unsafe {
                let mut request = ffi::RSMPI_REQUEST_NULL;
                let (byte, to) = (ffi::RSMPI_UINT8_T, to.add(at).cast());
                ffi::MPI_Irecv(to, n, byte, peer as c_int, tag, self.comm, &raw mut request);
                request
            }
        };
        (0..len).step_by(PIECE).map(piece).collect()
    }

    /// Tells of bodies that have come; true if there was one.
    unsafe fn sweep_pulls(&mut self, sink: &Sink) -> bool {
        let (mut at, mut any) = (0, false);
        while let Some(p) = self.pulls.get_mut(at) {
            // SAFETY: requests of ours; a status is plain data.
            unsafe {
                let mut status: MPI_Status = zeroed();
                p.requests.retain_mut(|r| !done(r, &mut status));
            }
            if !p.requests.is_empty() {
                at += 1;
                continue;
            }
            any = true;
            let p = self.pulls.swap_remove(at);
            self.free.push(p.tag);
            // SAFETY: the interface.
            unsafe { (sink.pulled)(sink.context, p.peer, p.id) };
        }
        any
    }

    pub fn unsent(&self, peer: u32) -> u64 {
        self.out.unsent(peer)
    }

    /// # Safety
    /// As of the interface's `progress`.
    pub unsafe fn progress(&mut self) -> bool {
        let Some(sink) = self.sink else { return false };
        let mut any = self.out.has_bodies() && self.out.sweep(Some(&sink));
        self.renew();
        // SAFETY: by the caller.
        unsafe {
            any |= !self.pulls.is_empty() && self.sweep_pulls(&sink);
            for _ in 0..if self.waiting > 0 { 1 } else { LOOKS } {
                if self.take(&sink) {
                    any = true;
                    break;
                }
            }
            if self.waiting > 0 {
                for peer in 0..self.queues.len() {
                    while self.deliver(peer, &sink) {
                        any = true;
                    }
                }
            }
        }
        if !any {
            self.out.tidy();
        }
        any
    }

    /// Lets all slots wait for messages.
    fn renew(&mut self) {
        for back in (1..=self.stale).rev() {
            let slot = &mut self.ring[(self.next + RING - back) % RING];
            // SAFETY: emptied.
            unsafe { post(self.comm, slot) };
        }
        self.stale = 0;
    }

    /// Takes what the ring has received.
    unsafe fn take(&mut self, sink: &Sink) -> bool {
        let mut any = false;
        // SAFETY: requests of ours.
        unsafe {
            // So many, so that what waits is delivered in between.
            for _ in 0..RING {
                let slot = &mut self.ring[self.next];
                let mut status: MPI_Status = zeroed();
                if !done(&mut slot.request, &mut status) {
                    break;
                }
                any = true;
                let peer = status.MPI_SOURCE as usize;
                let (&head, at) = self.last[peer].read(&slot.buffer);
                let n = head.len as usize;
                let queue = &mut self.queues[peer];
                if HEAD + n > SMALL {
                    self.waiting += 1;
                    queue.push_back(In::Long(head));
                } else if queue.is_empty() {
                    let body = slot.buffer[at..].as_ptr();
                    (sink.whole)(sink.context, peer as u32, &raw const head, body);
                } else {
                    self.waiting += 1;
                    queue.push_back(In::Whole(head, slot.buffer[at..at + n].into()));
                }
                self.next = (self.next + 1) % RING;
                self.stale += 1;
                if self.stale == RING / 2 {
                    self.renew();
                }
            }
        }
        any
    }

    /// Brings the peer's first frame a step further; true if it is delivered.
    unsafe fn deliver(&mut self, peer: usize, sink: &Sink) -> bool {
        let Some(first) = self.queues[peer].front_mut() else {
            return false;
        };
        // SAFETY: the interface; memory of `room` stays until `arrived`.
        let head = unsafe {
            match first {
                In::Whole(head, body) => {
                    (sink.whole)(sink.context, peer as u32, head, body.as_ptr());
                    self.queues[peer].pop_front();
                    self.waiting -= 1;
                    return true;
                }
                In::Long(head) => {
                    let (head, n) = (*head, head.len as usize);
                    let to = (sink.room)(sink.context, peer as u32, &raw const head);
                    let requests = self.receive(peer as u32, BODY, to, n);
                    if let Some(first) = self.queues[peer].front_mut() {
                        *first = In::Receiving(head, requests);
                    }
                    return false;
                }
                In::Receiving(head, requests) => {
                    let mut status: MPI_Status = zeroed();
                    requests.retain_mut(|r| !done(r, &mut status));
                    if !requests.is_empty() {
                        return false;
                    }
                    *head
                }
            }
        };
        self.queues[peer].pop_front();
        self.waiting -= 1;
        // SAFETY: the interface.
        unsafe { (sink.arrived)(sink.context, peer as u32, &raw const head) };
        true
    }

    /// # Safety
    /// As of the interface's `finish`.
    pub unsafe fn finish(&mut self) {
        while !self.out.is_empty() {
            self.out.sweep(self.sink.as_ref());
            self.out.tidy();
        }
        self.renew();
        for slot in &mut self.ring {
            // SAFETY: a request of ours.
            unsafe {
                ffi::MPI_Cancel(&raw mut slot.request);
                ffi::MPI_Wait(&raw mut slot.request, ffi::RSMPI_STATUS_IGNORE);
            }
        }
        // SAFETY: a communicator of ours.
        unsafe { ffi::MPI_Comm_free(&raw mut self.comm) };
    }
}

/// # Safety
/// The slot's request is complete; its buffer stays.
unsafe fn post(comm: MPI_Comm, slot: &mut Slot) {
    const _: () = assert!(SMALL > HEAD && size_of::<Head>() == 64);
    // SAFETY: by the caller.
    unsafe {
        let to = slot.buffer.as_mut_ptr().cast();
        let (byte, any) = (ffi::RSMPI_UINT8_T, ffi::RSMPI_ANY_SOURCE);
        ffi::MPI_Irecv(
            to,
            (SMALL + MOST) as c_int,
            byte,
            any,
            FRAME,
            comm,
            &raw mut slot.request,
        );
    }
}
