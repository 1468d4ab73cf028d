//! What the system says of descriptors: which are open, where they lead, who shares whose position.

use std::fs::File;
use std::os::fd::RawFd;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pc3_os::files::{
    self, read_at, O_ACCMODE, O_APPEND, O_DIRECTORY, O_NONBLOCK, O_RDONLY, O_RDWR, O_SYNC, O_WRONLY,
};
pub use pc3_os::files::{
    cut, ends_with_exec, is_open, of, of_kernel, of_path, open_ones, path_of, path_to, position,
    set_position, Identity,
};
use xxhash_rust::xxh3::xxh3_64;

use pc3_format::library::{
    ACCESS_APPEND, ACCESS_DIRECTORY, ACCESS_NONBLOCK, ACCESS_READ, ACCESS_SYNC, ACCESS_WRITE, TAIL,
};

/// Nobody else opens files to look at others.
pub fn looking() -> MutexGuard<'static, ()> {
    static LOOKING: Mutex<()> = Mutex::new(());
    LOOKING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A hash of what lies in front of a position, up to [`TAIL`] bytes of it, if it can be read.
pub fn tail(fd: RawFd, position: u64) -> Option<u64> {
    let length = position.min(TAIL);
    let mut bytes = vec![0; length as usize];
    let _alone = looking();
    let file = File::open(path_to(fd)).ok()?;
    file.read_exact_at(&mut bytes, position - length).ok()?;
    Some(xxh3_64(&bytes))
}

/// Does a file that can be read hold these bytes there?
pub fn has(fd: RawFd, at: u64, bytes: &[u8]) -> bool {
    let mut there = vec![0; bytes.len()];
    // The descriptor stays open, as others of its file do, whose locks would end.
    read_at(fd, &mut there, at).is_ok_and(|n| n == bytes.len()) && there == bytes
}

/// Length of a regular file.
pub fn length_of(fd: RawFd) -> Option<u64> {
    of(fd).filter(Identity::is_regular).map(|i| i.length)
}

/// Do two descriptors of one file share their position?  Nobody else uses them now.
pub(crate) fn share_position(a: RawFd, b: RawFd) -> bool {
    let (Some(at), Some(other)) = (position(a), position(b)) else {
        return false;
    };
    if at != other || set_position(a, at + 1).is_err() {
        return false;
    }
    let moved = position(b) == Some(at + 1);
    let _ = set_position(a, at);
    moved
}

/// How it may be used, in the checkpoint's bits.
pub fn access(fd: RawFd) -> u64 {
    let flags = files::flags(fd);
    let mut bits = match flags & O_ACCMODE {
        O_RDONLY => ACCESS_READ,
        O_WRONLY => ACCESS_WRITE,
        _ => ACCESS_READ | ACCESS_WRITE,
    };
    // What O_TMPFILE made says that it is a directory.
    for (flag, bit) in FLAGS.into_iter().filter(|f| f.1 != ACCESS_DIRECTORY) {
        if flags & flag == flag {
            bits |= bit;
        }
    }
    bits
}

const FLAGS: [(i32, u64); 4] = [
    (O_APPEND, ACCESS_APPEND),
    (O_NONBLOCK, ACCESS_NONBLOCK),
    (O_SYNC, ACCESS_SYNC),
    (O_DIRECTORY, ACCESS_DIRECTORY),
];

/// The flags of `open` for the checkpoint's bits.
pub fn flags(access: u64) -> i32 {
    let mut flags = match access & (ACCESS_READ | ACCESS_WRITE) {
        ACCESS_READ => O_RDONLY,
        ACCESS_WRITE => O_WRONLY,
        _ => O_RDWR,
    };
    for (flag, bit) in FLAGS {
        if access & bit != 0 {
            flags |= flag;
        }
    }
    flags
}

/// Where the next byte written to an inherited descriptor goes.
pub fn stands_at(fd: RawFd) -> Option<u64> {
    let length = length_of(fd)?;
    // Until something is written, the offset of one opened to append is not the file's end.
    if files::flags(fd) & files::O_APPEND != 0 {
        return Some(length);
    }
    position(fd)
}
