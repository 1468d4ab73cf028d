//! A native MPI and its launcher use descriptors of this process. The program is to get the numbers that it would get
//! without them, and what it held at a checkpoint it must get again: so theirs lie above those that programs use.

use std::fs::File;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};

use pc3_os::files;

/// Variables that tell an MPI the number of a descriptor of its launcher's.
const NAMED: [&str; 1] = ["PMI_FD"];

/// Where theirs begin: in reach of those that call select(2), and below the runtime's own.
fn beginning() -> RawFd {
    (pc3_os::own::base() / 2).clamp(16, 640)
}

/// What is open, but for the standard streams and what is needed to look.
fn open_ones() -> Vec<RawFd> {
    let all = files::open_ones().unwrap_or_default();
    all.into_iter().filter(|fd| *fd > 2).collect()
}

/// Moves what the launcher has left open.
fn move_up(from: RawFd) {
    for fd in open_ones().into_iter().filter(|fd| *fd < from) {
        let Ok(new) = files::duplicate(fd, from, files::ends_with_exec(fd)) else {
            continue;
        };
        let new = new.into_raw_fd();
        // SAFETY: nobody in this process knows these numbers but from the variables.
        unsafe { files::close(fd) };
        for name in NAMED {
            if std::env::var(name).is_ok_and(|v| v == fd.to_string()) {
                std::env::set_var(name, new.to_string());
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
        while let Ok(fd) = files::duplicate(null.as_raw_fd(), 3, true) {
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
