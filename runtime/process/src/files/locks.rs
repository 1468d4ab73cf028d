//! Locks on files: `flock`'s and those of `fcntl` and `lockf`, as far as they are about whole files.

use std::io;
use std::os::fd::RawFd;

use pc3_os::files::{self, Hold};

use pc3_format::library::{
    ACCESS_FLOCK, ACCESS_FLOCK_SHARED, ACCESS_LOCK, ACCESS_LOCKS, ACCESS_LOCK_SHARED,
};

/// Those of a descriptor, in the checkpoint's bits; or what cannot be saved.
pub(crate) fn of_descriptor(fd: RawFd) -> Result<u64, &'static str> {
    let Ok(about) = files::locks_of(fd) else {
        return Ok(0);
    };
    let mut bits = 0;
    for line in about.lines().filter_map(|l| l.strip_prefix("lock:")) {
        bits |= of_line(line)?;
    }
    Ok(bits)
}

/// `1: POSIX  ADVISORY  WRITE 4711 00:2a:123 0 EOF`
fn of_line(line: &str) -> Result<u64, &'static str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is = |i: usize, word: &str| words.get(i) == Some(&word);
    let read = is(3, "READ");
    if is(1, "FLOCK") {
        return Ok(if read {
            ACCESS_FLOCK_SHARED
        } else {
            ACCESS_FLOCK
        });
    }
    if !is(1, "POSIX") {
        return Err("a lease, or a lock of its open file description, is held");
    }
    if !is(6, "0") || !is(7, "EOF") {
        return Err("a part of it is locked");
    }
    Ok(if read {
        ACCESS_LOCK_SHARED
    } else {
        ACCESS_LOCK
    })
}

/// Takes the same locks here.
pub fn take(fd: RawFd, access: u64) -> io::Result<()> {
    let hold = |alone: u64, shared: u64| match access {
        a if a & alone != 0 => Some(Hold::Alone),
        a if a & shared != 0 => Some(Hold::Shared),
        _ => None,
    };
    if let Some(hold) = hold(ACCESS_FLOCK, ACCESS_FLOCK_SHARED) {
        files::lock_whole(fd, hold)?;
    }
    if let Some(hold) = hold(ACCESS_LOCK, ACCESS_LOCK_SHARED) {
        files::lock(fd, 0, 0, hold)?;
    }
    Ok(())
}

/// Does a checkpoint hold locks of this file?
pub fn any(access: u64) -> bool {
    access & ACCESS_LOCKS != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_system() {
        let check = |line: &str, expected: Result<u64, ()>| {
            assert_eq!(of_line(line).map_err(drop), expected, "{line}");
        };
        check(
            "\t1: FLOCK  ADVISORY  WRITE 1 00:1:2 0 EOF",
            Ok(ACCESS_FLOCK),
        );
        check(
            "\t1: FLOCK  ADVISORY  READ 1 00:1:2 0 EOF",
            Ok(ACCESS_FLOCK_SHARED),
        );
        check(
            "\t2: POSIX  ADVISORY  WRITE 1 00:1:2 0 EOF",
            Ok(ACCESS_LOCK),
        );
        check(
            "\t2: POSIX  ADVISORY  READ 1 00:1:2 0 EOF",
            Ok(ACCESS_LOCK_SHARED),
        );
        check("\t2: POSIX  ADVISORY  READ 1 00:1:2 0 99", Err(()));
        check("\t2: OFDLCK ADVISORY  READ -1 00:1:2 0 EOF", Err(()));
    }
}
