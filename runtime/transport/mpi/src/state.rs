//! Requests under way, and what has arrived and waits for its turn.

use std::collections::VecDeque;
use std::ffi::{c_int, c_void};
use std::mem::{size_of, zeroed};

use mpi::ffi::{self, MPI_Comm, MPI_Request, MPI_Status};
use pc3_transport::{Head, Sink, HEAD};

/// Frames up to this length are one message.
const SMALL: usize = 16 << 10;
/// Buffers that wait for them.
const RING: usize = 32;
/// Looks for frames before saying that there is none: half a round of all that is done between two looks passes
/// before a frame that has just come is seen.
const LOOKS: usize = 3;
/// Bytes of a body that one message carries: counts are ints.
const PIECE: usize = 1 << 30;

const FRAME: c_int = 1;
const BODY: c_int = 2;

struct Slot {
    request: MPI_Request,
    buffer: Box<[u8]>,
}

/// A frame that is being sent.
struct Out {
    peer: u32,
    requests: Vec<MPI_Request>,
    /// What MPI reads from, unless that is the caller's.
    own: Vec<Box<[u8]>>,
    token: u64,
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
    out: Vec<Out>,
    /// Buffers of frames of up to [`SMALL`] bytes, for the next ones.
    spare: Vec<Box<[u8]>>,
    queues: Vec<VecDeque<In>>,
    /// Frames in there.
    waiting: usize,
}

fn bytes(head: &Head) -> &[u8] {
    // SAFETY: a struct without padding.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(head).cast(), HEAD) }
}

unsafe fn done(request: &mut MPI_Request, status: &mut MPI_Status) -> bool {
    let mut flag = 0;
    // SAFETY: a request of ours.
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
            out: Vec::new(),
            spare: Vec::new(),
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
                buffer: vec![0; SMALL].into_boxed_slice(),
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
            match HEAD + head.len as usize <= SMALL {
                true => self.send_small(peer, head, body, token),
                false => self.send_long(peer, head, body, token),
            }
        }
        if !self.out.is_empty() {
            self.sweep();
        }
    }

    /// Head and body in one message, copied.
    unsafe fn send_small(&mut self, peer: u32, head: &Head, body: *const u8, token: u64) {
        let n = head.len as usize;
        let spare = self.spare.pop();
        let mut frame = spare.unwrap_or_else(|| vec![0; SMALL].into_boxed_slice());
        frame[..HEAD].copy_from_slice(bytes(head));
        // SAFETY: by the caller; what MPI reads from is kept until the request is complete.
        unsafe {
            if n > 0 {
                std::ptr::copy_nonoverlapping(body, frame[HEAD..].as_mut_ptr(), n);
            }
            if let Some(sink) = self.sink.filter(|_| token != 0) {
                (sink.sent)(sink.context, token);
            }
            let mut request = self.isend(frame.as_ptr(), HEAD + n, peer, FRAME);
            let mut status: MPI_Status = zeroed();
            if done(&mut request, &mut status) {
                return self.spare.push(frame);
            }
            self.out.push(Out {
                peer,
                requests: vec![request],
                own: vec![frame],
                token: 0,
            });
        }
    }

    /// The body behind the head, in pieces.
    unsafe fn send_long(&mut self, peer: u32, head: &Head, body: *const u8, token: u64) {
        let n = head.len as usize;
        let frame: Box<[u8]> = bytes(head).into();
        // SAFETY: as above.
        unsafe {
            let mut requests = vec![self.isend(frame.as_ptr(), HEAD, peer, FRAME)];
            let mut own = vec![frame];
            let from = match token {
                0 => {
                    own.push(std::slice::from_raw_parts(body, n).into());
                    own[1].as_ptr()
                }
                _ => body,
            };
            for at in (0..n).step_by(PIECE) {
                requests.push(self.isend(from.add(at), PIECE.min(n - at), peer, BODY));
            }
            self.out.push(Out {
                peer,
                requests,
                own,
                token,
            });
        }
    }

    unsafe fn isend(&self, from: *const u8, n: usize, peer: u32, tag: c_int) -> MPI_Request {
        // SAFETY: by the caller.
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            let byte = ffi::RSMPI_UINT8_T;
            let from = from.cast::<c_void>();
            ffi::MPI_Isend(
                from,
                n as c_int,
                byte,
                peer as c_int,
                tag,
                self.comm,
                &raw mut request,
            );
            request
        }
    }

    pub fn unsent(&self, peer: u32) -> u64 {
        self.out.iter().filter(|o| o.peer == peer).count() as u64
    }

    /// Lets go of what has been sent; true if there was anything.
    fn sweep(&mut self) -> bool {
        let before = self.out.len();
        let (sink, spare) = (self.sink, &mut self.spare);
        self.out.retain_mut(|o| {
            // SAFETY: requests of ours; a status is plain data.
            unsafe {
                let mut status: MPI_Status = zeroed();
                o.requests.retain_mut(|r| !done(r, &mut status));
                if !o.requests.is_empty() {
                    return true;
                }
                if let Some(sink) = sink.filter(|_| o.token != 0) {
                    (sink.sent)(sink.context, o.token);
                }
                if spare.len() < RING {
                    spare.extend(o.own.pop().filter(|b| b.len() == SMALL));
                }
                false
            }
        });
        self.out.len() < before
    }

    /// # Safety
    /// As of the interface's `progress`.
    pub unsafe fn progress(&mut self) -> bool {
        let Some(sink) = self.sink else { return false };
        let mut any = !self.out.is_empty() && self.sweep();
        self.renew();
        // SAFETY: by the caller.
        unsafe {
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
                let head: Head = std::ptr::read_unaligned(slot.buffer.as_ptr().cast());
                let n = head.len as usize;
                let peer = status.MPI_SOURCE as usize;
                let queue = &mut self.queues[peer];
                if HEAD + n > SMALL {
                    self.waiting += 1;
                    queue.push_back(In::Long(head));
                } else if queue.is_empty() {
                    let body = slot.buffer[HEAD..].as_ptr();
                    (sink.whole)(sink.context, peer as u32, &raw const head, body);
                } else {
                    self.waiting += 1;
                    queue.push_back(In::Whole(head, slot.buffer[HEAD..HEAD + n].into()));
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
        let comm = self.comm;
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
                    let piece = |at: usize| {
                        let mut request = ffi::RSMPI_REQUEST_NULL;
                        let (to, n) = (to.add(at).cast(), PIECE.min(n - at) as c_int);
                        let byte = ffi::RSMPI_UINT8_T;
                        ffi::MPI_Irecv(to, n, byte, peer as c_int, BODY, comm, &raw mut request);
                        request
                    };
                    *first = In::Receiving(head, (0..n).step_by(PIECE).map(piece).collect());
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
            self.sweep();
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
            SMALL as c_int,
            byte,
            any,
            FRAME,
            comm,
            &raw mut slot.request,
        );
    }
}
