//! The runtime's own descriptors.  They lie high, so that the program gets the numbers that it gets without
//! us, and a restart finds those it held free.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{files, limits};

static OWN: Mutex<BTreeSet<RawFd>> = Mutex::new(BTreeSet::new());

fn own() -> MutexGuard<'static, BTreeSet<RawFd>> {
    OWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where ours begin: not so high that the system's table of descriptors grows for them.
pub fn base() -> RawFd {
    RawFd::try_from(limits::files())
        .unwrap_or(RawFd::MAX)
        .min(4096)
        - 64
}

/// A duplicate in the runtime's range, known as ours.  The caller keeps `fd`.
pub fn duplicate(fd: RawFd) -> io::Result<OwnedFd> {
    let above = |from| files::duplicate(fd, from, true);
    let new = above(base().max(3)).or_else(|_| above(3))?;
    own().insert(new.as_raw_fd());
    Ok(new)
}

/// Moves a file of the runtime out of the program's way.
pub fn high(file: File) -> File {
    // Where it is, it only takes a number.
    duplicate(file.as_raw_fd()).map_or(file, File::from)
}

pub fn is_own(fd: RawFd) -> bool {
    own().contains(&fd)
}

/// It is the program's from now on, or closed.
pub fn disown(fd: RawFd) {
    own().remove(&fd);
}
