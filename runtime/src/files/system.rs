//! What the system says of descriptors: which are open, where they lead, who shares whose position.

use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;

use xxhash_rust::xxh3::xxh3_64;

use super::scan::looking;
use crate::format::library::{
    ACCESS_APPEND, ACCESS_DIRECTORY, ACCESS_NONBLOCK, ACCESS_READ, ACCESS_SYNC, ACCESS_WRITE, TAIL,
};

/// What a file is known by, besides its names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Identity {
    pub device: u64,
    pub inode: u64,
    pub kind: u32,
    pub links: u64,
    pub length: u64,
    /// Seconds and nanoseconds since 1970.
    pub written: (u64, u64),
}

impl Identity {
    pub fn same(&self, other: &Identity) -> bool {
        (self.device, self.inode, self.kind) == (other.device, other.inode, other.kind)
    }

    /// What a path can lead to again: no socket, pipe, or object of the kernel's.
    pub fn is_of_a_path(&self) -> bool {
        matches!(
            self.kind,
            libc::S_IFREG | libc::S_IFDIR | libc::S_IFCHR | libc::S_IFBLK
        )
    }

    pub fn is_regular(&self) -> bool {
        self.kind == libc::S_IFREG
    }
}

#[allow(clippy::unnecessary_cast, clippy::useless_conversion)] // the fields' types depend on the ABI
fn identity(stat: &libc::stat64) -> Identity {
    Identity {
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        kind: stat.st_mode & libc::S_IFMT,
        links: stat.st_nlink as u64,
        length: stat.st_size as u64,
        written: (stat.st_mtime as u64, stat.st_mtime_nsec as u64),
    }
}

pub(crate) fn of(fd: RawFd) -> Option<Identity> {
    // SAFETY: fstat64 fills the structure.
    unsafe {
        let mut stat: libc::stat64 = std::mem::zeroed();
        (libc::fstat64(fd, &raw mut stat) == 0).then(|| identity(&stat))
    }
}

/// A hash of what lies in front of a position, up to [`TAIL`] bytes of it, if it can be read.
pub(crate) fn tail(fd: RawFd, position: u64) -> Option<u64> {
    let length = position.min(TAIL);
    let mut bytes = vec![0; length as usize];
    let _alone = looking();
    let file = File::open(format!("/proc/self/fd/{fd}")).ok()?;
    file.read_exact_at(&mut bytes, position - length).ok()?;
    Some(xxh3_64(&bytes))
}

/// Does a file that can be read hold these bytes there?
pub(crate) fn has(fd: RawFd, at: u64, bytes: &[u8]) -> bool {
    let mut there = vec![0; bytes.len()];
    // SAFETY: a descriptor that stays open, as others of its file do, whose locks would end; the buffer has that length.
    let read = unsafe { libc::pread64(fd, there.as_mut_ptr().cast(), there.len(), at as i64) };
    usize::try_from(read) == Ok(bytes.len()) && there == bytes
}

pub(crate) fn of_path(path: &[u8]) -> Option<Identity> {
    let path = CString::new(path).ok()?;
    // SAFETY: a terminated string; stat64 fills the structure.
    unsafe {
        let mut stat: libc::stat64 = std::mem::zeroed();
        (libc::stat64(path.as_ptr(), &raw mut stat) == 0).then(|| identity(&stat))
    }
}

/// Length of a regular file.
pub(crate) fn length_of(fd: RawFd) -> Option<u64> {
    of(fd).filter(Identity::is_regular).map(|i| i.length)
}

pub(crate) fn is_open(fd: RawFd) -> bool {
    // SAFETY: a plain system call.
    unsafe { libc::fcntl(fd, libc::F_GETFD) != -1 }
}

/// The kernel's own file systems, whose files say what is true now: which one it is.
pub(crate) fn of_kernel(fd: RawFd) -> Option<&'static str> {
    // SAFETY: fstatfs64 fills the structure.
    let kind = unsafe {
        let mut about: libc::statfs64 = std::mem::zeroed();
        if libc::fstatfs64(fd, &raw mut about) != 0 {
            return None;
        }
        i64::from(about.f_type as i32)
    };
    match kind {
        0x9fa0 => Some("/proc"),
        0x6265_6572 => Some("/sys"),
        _ => None,
    }
}

/// All descriptors of the process.
pub(crate) fn open_ones() -> io::Result<Vec<RawFd>> {
    let mut list: Vec<RawFd> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    // The folder's own is closed by now.
    list.retain(|fd| is_open(*fd));
    list.sort_unstable();
    Ok(list)
}

/// Where a descriptor leads, as the system puts it.
pub(crate) fn path_of(fd: RawFd) -> Vec<u8> {
    std::fs::read_link(format!("/proc/self/fd/{fd}"))
        .map_or(Vec::new(), |p| p.into_os_string().into_vec())
}

pub(crate) fn position(fd: RawFd) -> Option<u64> {
    // SAFETY: a plain system call.
    u64::try_from(unsafe { libc::lseek64(fd, 0, libc::SEEK_CUR) }).ok()
}

pub(crate) fn set_position(fd: RawFd, at: u64) -> io::Result<()> {
    // SAFETY: a plain system call.
    match unsafe { libc::lseek64(fd, at as i64, libc::SEEK_SET) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
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

pub(crate) fn cut(fd: RawFd, length: u64) -> io::Result<()> {
    // SAFETY: a plain system call.
    match unsafe { libc::ftruncate64(fd, length as i64) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Ends it with `exec`?
pub(crate) fn ends_with_exec(fd: RawFd) -> bool {
    // SAFETY: a plain system call.
    unsafe { libc::fcntl(fd, libc::F_GETFD) & libc::FD_CLOEXEC != 0 }
}

/// How it may be used, in the checkpoint's bits.
pub(crate) fn access(fd: RawFd) -> u64 {
    // SAFETY: a plain system call.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    let mut bits = match flags & libc::O_ACCMODE {
        libc::O_RDONLY => ACCESS_READ,
        libc::O_WRONLY => ACCESS_WRITE,
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
    (libc::O_APPEND, ACCESS_APPEND),
    (libc::O_NONBLOCK, ACCESS_NONBLOCK),
    (libc::O_SYNC, ACCESS_SYNC),
    (libc::O_DIRECTORY, ACCESS_DIRECTORY),
];

/// The flags of `open` for the checkpoint's bits.
pub(crate) fn flags(access: u64) -> i32 {
    let mut flags = match access & (ACCESS_READ | ACCESS_WRITE) {
        ACCESS_READ => libc::O_RDONLY,
        ACCESS_WRITE => libc::O_WRONLY,
        _ => libc::O_RDWR,
    };
    for (flag, bit) in FLAGS {
        if access & bit != 0 {
            flags |= flag;
        }
    }
    flags
}
