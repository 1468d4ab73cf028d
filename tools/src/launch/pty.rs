//! A pseudo-terminal between the program and the terminal, so that a progress line and the program's output do
//! not overwrite each other, while the program still sees a terminal.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::null_mut;

pub(super) struct Pty {
    pub ours: File,
    pub program: OwnedFd,
    size: libc::winsize,
}

fn size_of(terminal: i32) -> libc::winsize {
    // SAFETY: fills the structure, or leaves the zeros.
    unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        libc::ioctl(terminal, libc::TIOCGWINSZ, &raw mut size);
        size
    }
}

impl Pty {
    /// As large as the terminal on stderr; bytes pass through it unchanged.
    pub fn new() -> io::Result<Pty> {
        let size = size_of(libc::STDERR_FILENO);
        let (mut ours, mut program) = (-1, -1);
        // SAFETY: the structures are valid; both descriptors are fresh and become owned.
        unsafe {
            let mut mode: libc::termios = std::mem::zeroed();
            if libc::tcgetattr(libc::STDERR_FILENO, &raw mut mode) != 0 {
                return Err(io::Error::last_os_error());
            }
            libc::cfmakeraw(&raw mut mode);
            let mut wanted = size;
            if libc::openpty(
                &raw mut ours,
                &raw mut program,
                null_mut(),
                &raw mut mode,
                &raw mut wanted,
            ) != 0
            {
                return Err(io::Error::last_os_error());
            }
            libc::fcntl(ours, libc::F_SETFD, libc::FD_CLOEXEC);
            libc::fcntl(program, libc::F_SETFD, libc::FD_CLOEXEC);
            Ok(Pty {
                ours: File::from_raw_fd(ours),
                program: OwnedFd::from_raw_fd(program),
                size,
            })
        }
    }
}

/// Tells the program's terminal when the real one changes its size.
pub(super) struct Size(libc::winsize);

impl Size {
    pub fn of(pty: &Pty) -> Size {
        Size(pty.size)
    }

    pub fn follow(&mut self, ours: &File) {
        let now = size_of(libc::STDERR_FILENO);
        if (now.ws_row, now.ws_col) != (self.0.ws_row, self.0.ws_col) {
            // SAFETY: sets the size of our pseudo-terminal.
            unsafe { libc::ioctl(ours.as_raw_fd(), libc::TIOCSWINSZ, &raw const now) };
            self.0 = now;
        }
    }
}

/// Is there something to read (or the end), within the time?
pub(super) fn readable(fd: BorrowedFd, milliseconds: i32) -> bool {
    let mut poll = libc::pollfd {
        fd: fd.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one valid entry.
    unsafe { libc::poll(&raw mut poll, 1, milliseconds) > 0 }
}
