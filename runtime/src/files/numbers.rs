//! Numbers of descriptors. In a job of several ranks no two have the same, so that all that ranks of several processes
//! have open finds room in one: of `n` ranks, rank `r` has the numbers `FIRST + r + k * n`.
//!
//! Left as they are: numbers that the program has chosen (`dup2`, a standard one that was closed before), those that
//! only streams know, and of what no checkpoint holds (sockets, pipes).

use std::os::fd::RawFd;

use super::system;
use crate::limits;

/// Numbers below it are left to those that programs choose.
const FIRST: usize = 16;

/// Here lie descriptors of a native MPI, and the runtime's own: at a restart one for each open file.
const OTHERS: std::ops::Range<usize> = 480..16384;

/// A duplicate at the first free number from `n` on, or -1.
pub(super) fn copy(fd: RawFd, n: RawFd, ends_with_exec: bool) -> RawFd {
    let how = match ends_with_exec {
        true => libc::F_DUPFD_CLOEXEC,
        false => libc::F_DUPFD,
    };
    // SAFETY: a plain system call; the result is a descriptor nobody else has.
    unsafe { libc::fcntl(fd, how, n) }
}

/// The first number of the rank's from `from` on.
fn first(from: usize, rank: usize, ranks: usize) -> usize {
    let next = |from: usize| {
        let own = FIRST + rank;
        own + from.saturating_sub(own).div_ceil(ranks) * ranks
    };
    let number = next(from);
    match OTHERS.contains(&number) {
        true => next(OTHERS.end),
        false => number,
    }
}

/// Moves a new descriptor to a number of the rank's. If none can be had it stays where it is.
pub(super) fn of_rank(fd: RawFd, rank: usize, ranks: usize) -> RawFd {
    if ranks < 2 || fd < 3 || !is_held(fd) || may_be_locked(fd) {
        return fd;
    }
    let ends = system::ends_with_exec(fd);
    let mut at = first(fd as usize, rank, ranks);
    while at != fd as usize {
        let Ok(number) = u32::try_from(at) else {
            return fd;
        };
        limits::room_for(number);
        let new = copy(fd, number as RawFd, ends);
        if new < 0 {
            return fd;
        }
        let is_own = new as usize == at;
        // SAFETY: nobody has been told the number that is closed.
        unsafe { libc::close(if is_own { fd } else { new }) };
        if is_own {
            return new;
        }
        at = first(at + 1, rank, ranks);
    }
    fd
}

/// May a checkpoint hold it?
fn is_held(fd: RawFd) -> bool {
    let kind = system::of(fd).map(|now| now.kind);
    kind.is_some_and(|k| matches!(k, libc::S_IFREG | libc::S_IFDIR | libc::S_IFCHR))
}

/// Does anybody hold a lock of `fcntl`'s on the file?  If this process does, to close any descriptor of it ends that.
fn may_be_locked(fd: RawFd) -> bool {
    // SAFETY: an initialised structure.
    unsafe {
        let mut lock: libc::flock = std::mem::zeroed();
        lock.l_type = libc::F_WRLCK as _;
        lock.l_whence = libc::SEEK_SET as _;
        let known = libc::fcntl(fd, libc::F_OFD_GETLK, &raw mut lock) == 0;
        match known {
            true => lock.l_type != libc::F_UNLCK as libc::c_short,
            // Where a file system has none of these it says so. This is one whose place has no room in the structure.
            false => *libc::__errno_location() == libc::EOVERFLOW,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs::File;
    use std::os::fd::{FromRawFd, IntoRawFd};

    #[test]
    fn no_number_is_of_two_ranks() {
        for ranks in [2, 3, 7, 100, 1000] {
            let mut all = BTreeSet::new();
            for rank in 0..ranks {
                let mut from = 3;
                for _ in 0..20 {
                    let number = first(from, rank, ranks);
                    assert!(number >= from && !OTHERS.contains(&number));
                    assert!(all.insert(number), "{number} of {ranks}");
                    from = number + 1;
                }
            }
        }
        assert_eq!(first(3, 1, 4), 17);
        assert_eq!(first(18, 1, 4), 21);
        assert_eq!(first(17, 1, 4), 17);
    }

    #[test]
    fn descriptors_get_numbers_of_their_rank() {
        let open = || File::open("/dev/null").unwrap().into_raw_fd();
        let (a, b) = (of_rank(open(), 1, 64), of_rank(open(), 1, 64));
        assert!(a > 16 && (a - 17) % 64 == 0, "{a}");
        assert!(b > a && (b - 17) % 64 == 0, "{b}");
        assert_eq!(of_rank(a, 1, 64), a);
        let alone = open();
        assert_eq!(of_rank(alone, 0, 1), alone);
        for fd in [a, b, alone] {
            // SAFETY: descriptors of this test.
            drop(unsafe { File::from_raw_fd(fd) });
        }
    }
}
