//! Numbers of descriptors. In a job of several ranks no two have the same, so that all that ranks of several processes
//! have open finds room in one: of `n` ranks, rank `r` has the numbers `FIRST + r + k * n`.
//!
//! Left as they are: numbers that the program has chosen (`dup2`, a standard one that was closed before), those that
//! only streams know, and of what no checkpoint holds (sockets, pipes).

use std::os::fd::{AsRawFd, IntoRawFd, RawFd};

use pc3_os::files::{self, Identity};

use crate::limits;

/// Numbers below it are left to those that programs choose.
const FIRST: usize = 16;

/// Here lie descriptors of a native MPI, and the runtime's own: at a restart one for each open file.
const OTHERS: std::ops::Range<usize> = 480..16384;

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
pub fn of_rank(fd: RawFd, rank: usize, ranks: usize) -> RawFd {
    if ranks < 2 || fd < 3 || !is_held(fd) || files::may_be_locked(fd) {
        return fd;
    }
    let ends = files::ends_with_exec(fd);
    let mut at = first(fd as usize, rank, ranks);
    while at != fd as usize {
        let Ok(number) = u32::try_from(at) else {
            return fd;
        };
        limits::room_for(number);
        let Ok(new) = files::duplicate(fd, number as RawFd, ends) else {
            return fd;
        };
        if new.as_raw_fd() as usize == at {
            // SAFETY: nobody has been told the number that is closed.
            unsafe { files::close(fd) };
            return new.into_raw_fd();
        }
        at = first(at + 1, rank, ranks);
    }
    fd
}

/// May a checkpoint hold it?
fn is_held(fd: RawFd) -> bool {
    files::of(fd).is_some_and(|now: Identity| now.is_of_a_path())
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
