//! Processes of one machine, connected pairwise by Unix sockets that their launcher has made: no MPI needed, and it
//! works under emulators and in static programs.

pub(crate) mod ends;

use std::collections::VecDeque;
use std::ffi::{c_char, c_void, CString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering::*};

use pc3_os::files;
use pc3_os::sockets::{self, Wait};
use pc3_runtime::own_file;
use pc3_transport::{Head, Joined, Sink, Transport, HEAD, VERSION};

pub(super) static TABLE: Transport = Transport {
    version: VERSION,
    name: c"socket".as_ptr(),
    join,
    attach,
    send,
    pull: None,
    push: None,
    progress,
    unsent,
    wait,
    wake,
    finish,
    abort,
};

/// Bytes read at once; longer bodies are read to where they belong.
const STAGE: usize = 64 << 10;
/// So many peers are read without asking first which of them have sent anything.
const FEW: usize = 4;

struct Socket {
    peers: Vec<Peer>,
    bell: OwnedFd,
    sink: Option<Sink>,
    /// By peer: whether it has sent anything.
    asked: Vec<Wait>,
}

struct Peer {
    fd: Option<OwnedFd>,
    alive: AtomicBool,
    /// Something waits in `out`.
    blocked: AtomicBool,
    out: VecDeque<Chunk>,
    stage: Vec<u8>,
    /// What of `stage` has not been looked at.
    unread: (usize, usize),
    body: Option<IncomingFrame>,
}

/// Bytes on their way.
struct Chunk {
    bytes: *const u8,
    len: usize,
    at: usize,
    _own: Option<Box<[u8]>>,
    /// Given back when this chunk is gone.
    token: u64,
}

/// A frame whose body is being read.
struct IncomingFrame {
    head: Head,
    to: *mut u8,
    got: usize,
}

fn open() -> Result<(u32, Socket), String> {
    let (index, ends) = ends::take()?;
    let peer = |fd: Option<OwnedFd>| Peer {
        alive: AtomicBool::new(fd.is_some()),
        fd,
        blocked: AtomicBool::new(false),
        out: VecDeque::new(),
        stage: Vec::new(),
        unread: (0, 0),
        body: None,
    };
    let peers: Vec<Peer> = ends.into_iter().map(peer).collect();
    let bell = sockets::bell().map_err(|e| format!("no eventfd: {e}"))?;
    let bell = own_file(bell).into();
    let socket = Socket {
        peers,
        bell,
        sink: None,
        asked: Vec::new(),
    };
    Ok((index, socket))
}

unsafe extern "C" fn join(into: *mut Joined, error: *mut c_char, room: usize) -> i32 {
    match open() {
        Ok((index, socket)) => {
            let count = socket.peers.len() as u32;
            let handle = Box::into_raw(Box::new(socket)).cast();
            // SAFETY: by the caller.
            unsafe {
                *into = Joined {
                    handle,
                    index,
                    count,
                }
            };
            0
        }
        Err(why) => {
            let n = why.len().min(room.saturating_sub(1));
            // SAFETY: by the caller.
            unsafe {
                std::ptr::copy_nonoverlapping(why.as_ptr(), error.cast(), n);
                *error.add(n) = 0;
            }
            1
        }
    }
}

unsafe extern "C" fn attach(handle: *mut c_void, sink: *const Sink) {
    // SAFETY: the interface: nothing else runs yet.
    unsafe { (*handle.cast::<Socket>()).sink = Some(*sink) };
}

unsafe extern "C" fn send(
    handle: *mut c_void,
    peer: u32,
    head: *const Head,
    body: *const u8,
    token: u64,
) {
    // SAFETY: the interface: `send` and `progress` exclude each other; the others touch atomics only.
    unsafe {
        let socket = handle.cast::<Socket>();
        let sink = (*socket).sink;
        let p = &mut (&mut (*socket).peers)[peer as usize];
        let n = (*head).len as usize;
        let mut done = 0;
        if p.alive.load(Relaxed) && p.out.is_empty() {
            done = p.write(&[(head.cast(), HEAD), (body, n)]);
        }
        if !p.alive.load(Relaxed) || done == HEAD + n {
            if let Some(sink) = sink.filter(|_| token != 0) {
                (sink.sent)(sink.context, token);
            }
            return;
        }
        let copied = |from: *const u8, len: usize, at: usize, token: u64| {
            let own: Box<[u8]> = std::slice::from_raw_parts(from.add(at), len - at).into();
            Chunk {
                bytes: own.as_ptr(),
                len: own.len(),
                at: 0,
                _own: Some(own),
                token,
            }
        };
        if done < HEAD {
            p.out.push_back(copied(head.cast(), HEAD, done, 0));
        }
        let at = done.saturating_sub(HEAD);
        if n > 0 || token != 0 {
            p.out.push_back(match token {
                0 => copied(body, n, at, 0),
                _ => Chunk {
                    bytes: body,
                    len: n,
                    at,
                    _own: None,
                    token,
                },
            });
        }
        p.blocked.store(true, SeqCst);
        wake(handle);
    }
}

impl Peer {
    fn raw(&self) -> RawFd {
        self.fd.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    /// Writes what it can of the parts; bytes written.  Errors show when reading, or in `finish`.
    unsafe fn write(&self, parts: &[(*const u8, usize)]) -> usize {
        // SAFETY: by the caller.
        unsafe { sockets::send(self.raw(), parts) }
    }

    /// Writes what waits; true if anything went.
    unsafe fn flush(&mut self, sink: &Sink) -> bool {
        let mut any = false;
        while let Some(c) = self.out.front_mut() {
            let (at, rest) = (c.bytes.wrapping_add(c.at), c.len - c.at);
            // SAFETY: the chunk's own bytes, or by the interface.
            let n = match rest {
                0 => 0,
                _ => unsafe { self.write(&[(at, rest)]) },
            };
            any |= n > 0;
            let Some(c) = self.out.front_mut() else { break };
            c.at += n;
            if c.at < c.len {
                break;
            }
            let token = c.token;
            self.out.pop_front();
            if token != 0 {
                // SAFETY: the interface.
                unsafe { (sink.sent)(sink.context, token) };
            }
        }
        self.blocked.store(!self.out.is_empty(), SeqCst);
        any
    }

    /// Reads up to `len` bytes; `None`: nothing now.  0: the end.
    fn read(&self, to: *mut u8, len: usize) -> io::Result<Option<usize>> {
        loop {
            // SAFETY: the caller's memory.
            let e = match unsafe { files::read(self.raw(), to, len) } {
                Ok(n) => return Ok(Some(n)),
                Err(e) => e,
            };
            match e.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock => return Ok(None),
                _ => return Err(e),
            }
        }
    }

    /// Takes frames out of what has been read.
    unsafe fn take(&mut self, index: u32, sink: &Sink) {
        // SAFETY: the interface.
        unsafe {
            loop {
                let (from, to) = self.unread;
                if let Some(b) = &mut self.body {
                    let want = b.head.len as usize - b.got;
                    let n = want.min(to - from);
                    std::ptr::copy_nonoverlapping(
                        self.stage.as_ptr().add(from),
                        b.to.add(b.got),
                        n,
                    );
                    b.got += n;
                    self.unread.0 += n;
                    if n < want {
                        return;
                    }
                    let head = b.head;
                    self.body = None;
                    (sink.arrived)(sink.context, index, &raw const head);
                    continue;
                }
                if to - from < HEAD {
                    self.stage.copy_within(from..to, 0);
                    self.unread = (0, to - from);
                    return;
                }
                let head: Head = std::ptr::read_unaligned(self.stage.as_ptr().add(from).cast());
                self.unread.0 += HEAD;
                if head.len <= (to - self.unread.0) as u64 {
                    let body = self.stage.as_ptr().add(self.unread.0);
                    self.unread.0 += head.len as usize;
                    (sink.whole)(sink.context, index, &raw const head, body);
                } else {
                    let to = (sink.room)(sink.context, index, &raw const head);
                    self.body = Some(IncomingFrame { head, to, got: 0 });
                }
            }
        }
    }

    /// Reads what is there; true if that was anything.
    unsafe fn receive(&mut self, index: u32, sink: &Sink) -> io::Result<bool> {
        if self.stage.is_empty() {
            self.stage = vec![0; STAGE];
        }
        let mut any = false;
        // So many times, so that one peer does not keep the others waiting.
        for _ in 0..16 {
            let direct = match &self.body {
                Some(b) if self.unread.0 == self.unread.1 => {
                    Some((b.to.wrapping_add(b.got), b.head.len as usize - b.got))
                }
                _ => None,
            };
            let short;
            if let Some((to, rest)) = direct.filter(|d| d.1 >= STAGE) {
                match self.read(to, rest)? {
                    None => return Ok(any),
                    Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Some(n) => {
                        short = n < rest;
                        if let Some(b) = &mut self.body {
                            b.got += n;
                        }
                    }
                }
            } else {
                let at = if self.unread.0 == self.unread.1 {
                    self.unread = (0, 0);
                    0
                } else {
                    self.unread.1
                };
                let free = self.stage.len() - at;
                let to = self.stage[at..].as_mut_ptr();
                match self.read(to, free)? {
                    None => return Ok(any),
                    Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Some(n) => {
                        short = n < free;
                        self.unread.1 = at + n;
                    }
                }
            }
            any = true;
            // SAFETY: the interface.
            unsafe { self.take(index, sink) };
            if short {
                break;
            }
        }
        Ok(any)
    }
}

/// Who has sent anything, or is gone?
fn ask(peers: &[Peer], asked: &mut Vec<Wait>) {
    let end = |p: &Peer| match p.alive.load(Relaxed) {
        true => p.raw(),
        false => -1,
    };
    asked.clear();
    asked.extend(peers.iter().map(|p| Wait::new(end(p), true, false)));
    sockets::wait(asked, 0);
}

unsafe extern "C" fn progress(handle: *mut c_void) -> i32 {
    // SAFETY: as in `send`.
    unsafe {
        let socket = handle.cast::<Socket>();
        let Some(sink) = (*socket).sink else { return 0 };
        let mut any = false;
        let (peers, asked) = (&mut (*socket).peers, &mut (*socket).asked);
        if peers.len() > FEW {
            ask(peers, asked);
        }
        for (i, p) in peers.iter_mut().enumerate() {
            if !p.alive.load(Relaxed) {
                continue;
            }
            if !p.out.is_empty() {
                any |= p.flush(&sink);
            }
            if asked.get(i).is_some_and(|a| !a.is_over()) {
                continue;
            }
            match p.receive(i as u32, &sink) {
                Ok(some) => any |= some,
                Err(e) => {
                    any = true;
                    p.alive.store(false, SeqCst);
                    p.blocked.store(false, SeqCst);
                    let why = CString::new(e.to_string()).unwrap_or_default();
                    (sink.lost)(sink.context, i as u32, why.as_ptr());
                }
            }
        }
        i32::from(any)
    }
}

unsafe extern "C" fn unsent(handle: *mut c_void, peer: u32) -> u64 {
    // SAFETY: as in `send`.
    unsafe {
        let peers = &(*handle.cast::<Socket>()).peers;
        peers[peer as usize].out.len() as u64
    }
}

unsafe extern "C" fn wait(handle: *mut c_void, microseconds: u64) {
    // SAFETY: descriptors and atomics, which do not move.
    unsafe {
        let socket = handle.cast::<Socket>();
        let peers = std::ptr::slice_from_raw_parts((*socket).peers.as_ptr(), (*socket).peers.len());
        let bell = (*socket).bell.as_raw_fd();
        let mut list: Vec<Wait> = Vec::with_capacity(peers.len() + 1);
        list.push(Wait::new(bell, true, false));
        for i in 0..peers.len() {
            let p = peers.cast::<Peer>().add(i);
            let end: &Option<_> = &(*p).fd;
            let fd = end.as_ref().map_or(-1, AsRawFd::as_raw_fd);
            let fd = if (*p).alive.load(SeqCst) { fd } else { -1 };
            list.push(Wait::new(fd, true, (*p).blocked.load(SeqCst)));
        }
        let ms = microseconds.div_ceil(1000).min(60_000) as i32;
        sockets::wait(&mut list, ms);
        if list[0].is_over() {
            sockets::quiet(bell);
        }
    }
}

unsafe extern "C" fn wake(handle: *mut c_void) {
    // SAFETY: as above.
    sockets::ring(unsafe { (*handle.cast::<Socket>()).bell.as_raw_fd() });
}

unsafe extern "C" fn finish(handle: *mut c_void) {
    // SAFETY: as in `send`; blocking is over.
    unsafe {
        let socket = handle.cast::<Socket>();
        let Some(sink) = (*socket).sink else { return };
        for p in &mut (*socket).peers {
            // The peer reads until it has all; or it is gone.
            while p.alive.load(Relaxed) {
                p.flush(&sink);
                if p.out.is_empty() {
                    break;
                }
                let mut full = [Wait::new(p.raw(), false, true)];
                sockets::wait(&mut full, 1000);
                if full[0].is_lost() {
                    break;
                }
            }
            if let Some(fd) = &p.fd {
                sockets::end_sending(fd.as_raw_fd());
            }
        }
    }
}

/// The others see the connection end.
unsafe extern "C" fn abort(_handle: *mut c_void, _status: i32) {}
