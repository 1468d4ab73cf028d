//! The runtime's own descriptors.  They lie high, so that the program gets the numbers that it gets without
//! us, and a restart finds those it held free.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

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

/// Has a thread do `work` whose descriptors are its own, so that the program gets the numbers meanwhile that it gets
/// without us.  No file but the standard streams is open to it, and none that it opens stays open.
pub fn with_own_table<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let work = Mutex::new(Some(work));
    let todo = || work.lock().ok().and_then(|mut w| w.take());
    let done = thread::scope(|s| {
        let run = || {
            files::own_table();
            todo().map(|work| work())
        };
        let builder = thread::Builder::new().name("pc3-beside".to_owned());
        let started = builder.spawn_scoped(s, run).ok()?;
        started.join().ok()?
    });
    match (done, todo()) {
        (Some(done), _) => done,
        (None, Some(work)) => work(),
        (None, None) => panic!("the thread has panicked"),
    }
}

pub fn is_own(fd: RawFd) -> bool {
    own().contains(&fd)
}

/// It is the program's from now on, or closed.
pub fn disown(fd: RawFd) {
    own().remove(&fd);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_opened_beside_takes_no_number() {
        let open = || File::open("/dev/null").unwrap();
        let first = open().as_raw_fd();
        let (there, here) = with_own_table(|| {
            let file = open();
            (file.as_raw_fd(), files::is_open(file.as_raw_fd()))
        });
        assert!(here);
        assert!(there <= first, "{there}");
        assert_eq!(open().as_raw_fd(), first);
    }
}
