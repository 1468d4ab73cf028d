//! What is being sent: small frames from buffers that are used again, of which MPI is asked many at a time, and all else.

use std::collections::VecDeque;
use std::ffi::{c_int, c_void};
use std::mem::zeroed;

use mpi::ffi::{self, MPI_Comm, MPI_Request, MPI_Status};
use pc3_transport::head_compression::{Last, MOST};
use pc3_transport::{Head, Sink, HEAD};

use crate::state::{done, BODY, FRAME, PIECE, SMALL};

/// Small frames that may be under way in their buffers.
const BUFFERS: usize = 32;
/// So many of them are asked for at once.
const GROUP: usize = 16;
/// Others that are looked at in one go and have not been sent.
const SWEEP: usize = 8;

/// Frames and bodies that MPI reads from where they are.
struct Out {
    peer: u32,
    requests: Vec<MPI_Request>,
    /// What MPI reads from, unless that is the caller's.
    _own: Vec<Box<[u8]>>,
    token: u64,
}

pub struct Outbox {
    comm: MPI_Comm,
    last: Vec<Last>,
    requests: [MPI_Request; BUFFERS],
    buffers: Vec<Box<[u8]>>,
    peers: [u32; BUFFERS],
    /// Small frames sent from buffers, and those known to be gone.
    begun: usize,
    gone: usize,
    others: VecDeque<Out>,
}

fn buffer() -> Box<[u8]> {
    vec![0; SMALL + MOST].into_boxed_slice()
}

impl Outbox {
    pub fn new(comm: MPI_Comm, processes: usize) -> Outbox {
        Outbox {
            comm,
            last: vec![Last::default(); processes],
            // SAFETY: MPI's null.
            requests: [unsafe { ffi::RSMPI_REQUEST_NULL }; BUFFERS],
            buffers: (0..BUFFERS).map(|_| buffer()).collect(),
            peers: [0; BUFFERS],
            begun: 0,
            gone: 0,
            others: VecDeque::new(),
        }
    }

    /// # Safety
    /// As of the interface's `send`.
    pub unsafe fn send(
        &mut self,
        peer: u32,
        head: &Head,
        body: *const u8,
        token: u64,
        sink: Option<&Sink>,
    ) {
        let n = head.len as usize;
        let small = HEAD + n <= SMALL;
        if self.begun - self.gone == BUFFERS && !self.test_group() {
            self.spill();
        }
        let at = self.begun % BUFFERS;
        let frame = &mut self.buffers[at];
        let last = &mut self.last[peer as usize];
        let news = last.news(head);
        let mut len = news.len();
        last.write(news, frame);
        // SAFETY: by the caller; what MPI reads from is kept until the request is complete.
        unsafe {
            if small && n > 0 {
                std::ptr::copy_nonoverlapping(body, frame[len..].as_mut_ptr(), n);
                len += n;
            }
            let from = frame.as_ptr();
            self.requests[at] = self.isend(from, len, peer, FRAME);
            self.peers[at] = peer;
            self.begun += 1;
            if !small {
                self.send_body(peer, BODY, body, n, token);
            } else if let Some(sink) = sink.filter(|_| token != 0) {
                (sink.sent)(sink.context, token);
            }
        }
    }

    /// Sends in pieces, from where it lies if there is a token.
    ///
    /// # Safety
    /// As of the interface's `send`.
    pub unsafe fn send_body(
        &mut self,
        peer: u32,
        tag: c_int,
        body: *const u8,
        n: usize,
        token: u64,
    ) {
        let mut own = Vec::new();
        // SAFETY: by the caller.
        unsafe {
            let from = match token {
                0 => {
                    own.push(std::slice::from_raw_parts(body, n).into());
                    let copy: &Box<[u8]> = &own[0];
                    copy.as_ptr()
                }
                _ => body,
            };
            let piece = |at: usize| self.isend(from.add(at), PIECE.min(n - at), peer, tag);
            let requests = (0..n).step_by(PIECE).map(piece).collect();
            self.others.push_back(Out {
                peer,
                requests,
                _own: own,
                token,
            });
        }
    }

    unsafe fn isend(&self, from: *const u8, n: usize, peer: u32, tag: c_int) -> MPI_Request {
        // SAFETY: by the caller.
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            let (byte, to) = (ffi::RSMPI_UINT8_T, peer as c_int);
            let (from, n) = (from.cast::<c_void>(), n as c_int);
            ffi::MPI_Isend(from, n, byte, to, tag, self.comm, &raw mut request);
            request
        }
    }

    /// Are the oldest small frames gone?
    fn test_group(&mut self) -> bool {
        let first = self.gone % BUFFERS;
        let n = (self.begun - self.gone).min(GROUP).min(BUFFERS - first);
        let mut flag = 0;
        // SAFETY: requests of ours; no statuses are asked for.
        unsafe {
            let list = self.requests[first..].as_mut_ptr();
            let ignored = ffi::RSMPI_STATUS_IGNORE;
            let all = if n == 1 {
                ffi::MPI_Test(list, &raw mut flag, ignored)
            } else {
                let mut statuses: [MPI_Status; GROUP] = zeroed();
                ffi::MPI_Testall(n as c_int, list, &raw mut flag, statuses.as_mut_ptr())
            };
            debug_assert_eq!(all, 0);
        }
        if flag != 0 {
            self.gone += n;
        }
        flag != 0
    }

    /// Moves what is not gone out of the way.
    #[cold]
    fn spill(&mut self) {
        for n in self.gone..self.begun {
            let at = n % BUFFERS;
            let mut request = self.requests[at];
            // SAFETY: a request of ours; a status is plain data.
            if unsafe { done(&mut request, &mut zeroed()) } {
                continue;
            }
            self.others.push_back(Out {
                peer: self.peers[at],
                requests: vec![request],
                _own: vec![std::mem::replace(&mut self.buffers[at], buffer())],
                token: 0,
            });
        }
        self.gone = self.begun;
    }

    pub fn unsent(&self, peer: u32) -> u64 {
        let small = (self.gone..self.begun).filter(|n| self.peers[n % BUFFERS] == peer);
        let others = self.others.iter().filter(|o| o.peer == peer);
        (small.count() + others.count()) as u64
    }

    pub fn is_empty(&self) -> bool {
        self.begun == self.gone && self.others.is_empty()
    }

    pub fn has_bodies(&self) -> bool {
        !self.others.is_empty()
    }

    /// Lets go of small frames that are gone: for when there is nothing else to do.
    pub fn tidy(&mut self) {
        if self.begun > self.gone {
            self.test_group();
        }
    }

    /// Lets go of what else has been sent; true if there was anything.  All that has been is let go of, until so many follow
    /// that have not: what is kept must not grow with what was sent since somebody last looked.
    pub fn sweep(&mut self, sink: Option<&Sink>) -> bool {
        let (mut any, mut kept) = (false, 0);
        for _ in 0..self.others.len() {
            let Some(mut o) = self.others.pop_front() else {
                break;
            };
            // SAFETY: requests of ours; a status is plain data.
            unsafe {
                let mut status: MPI_Status = zeroed();
                o.requests.retain_mut(|r| !done(r, &mut status));
            }
            if !o.requests.is_empty() {
                self.others.push_back(o);
                kept += 1;
                if kept == SWEEP {
                    break;
                }
                continue;
            }
            any = true;
            if let Some(sink) = sink.filter(|_| o.token != 0) {
                // SAFETY: the interface.
                unsafe { (sink.sent)(sink.context, o.token) };
            }
        }
        any
    }
}
