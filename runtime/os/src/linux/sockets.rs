//! Messages between processes, and waiting for them.

use std::fs::File;
use std::io;
use std::mem::{zeroed, ManuallyDrop};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{FromRawFd, RawFd};
use std::time::Duration;

/// A descriptor that one thread waits at and others ring.
pub fn bell() -> io::Result<File> {
    // SAFETY: makes a descriptor, which is nobody else's.
    unsafe {
        match libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(File::from_raw_fd(fd)),
        }
    }
}

pub fn ring(bell: RawFd) {
    super::files::write(bell, &1u64.to_ne_bytes());
}

/// It has been heard.
pub fn quiet(bell: RawFd) {
    let mut n = [0u8; 8];
    // SAFETY: room for so many bytes.
    let _ = unsafe { super::files::read(bell, n.as_mut_ptr(), n.len()) };
}

/// Sends parts behind each other without waiting: as many bytes of them as the connection takes now, 0 if it is gone.
///
/// # Safety
/// Each part has so many readable bytes.
pub unsafe fn send(fd: RawFd, parts: &[(*const u8, usize)]) -> usize {
    let mut iov: Vec<libc::iovec> = parts
        .iter()
        .map(|&(p, n)| libc::iovec {
            iov_base: p.cast_mut().cast(),
            iov_len: n,
        })
        .collect();
    // SAFETY: by the caller.
    unsafe {
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = iov.as_mut_ptr();
        message.msg_iovlen = iov.len() as _;
        let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
        loop {
            let n = libc::sendmsg(fd, &raw const message, flags);
            if n >= 0 {
                return n as usize;
            }
            if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return 0;
            }
        }
    }
}

/// The addresses of a socket of the internet: its own, and that of whom it is connected to.
pub fn ends(socket: RawFd) -> Option<(SocketAddr, Option<SocketAddr>)> {
    // SAFETY: it is only asked, and stays open.
    let socket = ManuallyDrop::new(unsafe { TcpStream::from_raw_fd(socket) });
    Some((socket.local_addr().ok()?, socket.peer_addr().ok()))
}

/// The other side reads to the end.
pub fn end_sending(fd: RawFd) {
    // SAFETY: a plain system call.
    unsafe { libc::shutdown(fd, libc::SHUT_WR) };
}

/// What is waited for at a descriptor; -1: nothing. Laid out as the system has it.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Wait(libc::pollfd);

impl Wait {
    pub fn new(fd: RawFd, to_read: bool, to_write: bool) -> Wait {
        let bit = |on: bool, bit| if on { bit } else { 0 };
        Wait(libc::pollfd {
            fd,
            events: bit(to_read, libc::POLLIN) | bit(to_write, libc::POLLOUT),
            revents: 0,
        })
    }

    /// Something has come of it.
    pub fn is_over(&self) -> bool {
        self.0.revents != 0
    }

    /// The other side is gone.
    pub fn is_lost(&self) -> bool {
        self.0.revents & (libc::POLLERR | libc::POLLHUP) != 0
    }
}

/// Until there is something at one of them, or so many milliseconds are over.
pub fn wait(list: &mut [Wait], milliseconds: i32) {
    // SAFETY: the list's own structures.
    unsafe { libc::poll(list.as_mut_ptr().cast(), list.len() as _, milliseconds) };
}

/// The same of one, for a shorter time; true if there is something. For the transport over MPI, which is no crate of the workspace.
pub fn wait_briefly(one: &mut Wait, time: Duration) -> bool {
    let time = libc::timespec {
        tv_sec: time.as_secs() as _,
        tv_nsec: time.subsec_nanos() as _,
    };
    // SAFETY: initialised structures.
    unsafe { libc::ppoll(&raw mut one.0, 1, &raw const time, std::ptr::null()) > 0 }
}
