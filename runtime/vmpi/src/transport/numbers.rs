//! A native MPI and its launcher use descriptors of this process. The program is to get the numbers that it would get
//! without them, and what it held at a checkpoint it must get again: so theirs lie above those that programs use.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Variables that tell an MPI the number of a descriptor of its launcher's.
const NAMED: [&str; 1] = ["PMI_FD"];

/// Where theirs begin: in reach of those that call select(2), and below the runtime's own.
fn beginning() -> RawFd {
    (pc3_runtime::files::own::base() / 2).clamp(16, 640)
}

/// What is open, but for the standard streams and what is needed to look.
fn open_ones() -> Vec<RawFd> {
    let Ok(list) = std::fs::read_dir("/proc/self/fd") else {
        return Vec::new();
    };
    let number = |e: std::io::Result<std::fs::DirEntry>| e.ok()?.file_name().to_str()?.parse().ok();
    let found: Vec<RawFd> = list.filter_map(number).filter(|fd| *fd > 2).collect();
    // SAFETY: only asks; the one of the listing is closed by now.
    let is_open = |fd: &RawFd| unsafe { libc::fcntl(*fd, libc::F_GETFD) } >= 0;
    found.into_iter().filter(is_open).collect()
}

/// Moves what the launcher has left open.
fn move_up(from: RawFd) {
    for fd in open_ones().into_iter().filter(|fd| *fd < from) {
        // SAFETY: plain system calls; nobody in this process knows these numbers but from the variables.
        unsafe {
            let how = match libc::fcntl(fd, libc::F_GETFD) & libc::FD_CLOEXEC {
                0 => libc::F_DUPFD,
                _ => libc::F_DUPFD_CLOEXEC,
            };
            let new = libc::fcntl(fd, how, from);
            if new < 0 {
                continue;
            }
            libc::close(fd);
            for name in NAMED {
                if std::env::var(name).is_ok_and(|v| v == fd.to_string()) {
                    std::env::set_var(name, new.to_string());
                }
            }
        }
    }
}

/// While `join` runs, what it opens gets numbers that programs do not use.
pub(super) fn out_of_the_way<T>(join: impl FnOnce() -> T) -> T {
    let from = beginning();
    move_up(from);
    let mut taken: Vec<OwnedFd> = Vec::new();
    if let Ok(null) = File::open("/dev/null") {
        loop {
            // SAFETY: a plain system call; the result is a descriptor nobody else has.
            let fd = unsafe { libc::fcntl(null.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 3) };
            if fd < 0 {
                break;
            }
            // SAFETY: as above.
            let fd = unsafe { OwnedFd::from_raw_fd(fd) };
            if fd.as_raw_fd() >= from {
                break;
            }
            taken.push(fd);
        }
        taken.push(null.into());
    }
    let joined = join();
    drop(taken);
    joined
}
