//! Descriptors: which are open, where they lead, how they may be used.

use std::ffi::{c_int, c_uint, c_void, CStr, CString};
use std::fs::File;
use std::io;
use std::mem::zeroed;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStringExt;

use super::errors::done;

pub use libc::{
    O_ACCMODE, O_APPEND, O_CREAT, O_DIRECTORY, O_NONBLOCK, O_RDONLY, O_RDWR, O_SYNC, O_WRONLY,
    STDERR_FILENO, STDIN_FILENO, STDOUT_FILENO, S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFREG,
    S_IFSOCK,
};

/// What a file is known by, besides its names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    pub device: u64,
    pub inode: u64,
    /// One of the `S_IF` numbers.
    pub kind: u32,
    pub links: u64,
    pub length: u64,
    /// Seconds and nanoseconds since 1970.
    pub written: (u64, u64),
    /// Of a device: major and minor number.
    pub number: (u32, u32),
}

impl Identity {
    pub fn same(&self, other: &Identity) -> bool {
        (self.device, self.inode, self.kind) == (other.device, other.inode, other.kind)
    }

    /// What a path can lead to again: no socket, pipe, or object of the kernel's.
    pub fn is_of_a_path(&self) -> bool {
        matches!(self.kind, S_IFREG | S_IFDIR | S_IFCHR | S_IFBLK)
    }

    pub fn is_regular(&self) -> bool {
        self.kind == S_IFREG
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
        number: (
            libc::major(stat.st_rdev) as u32,
            libc::minor(stat.st_rdev) as u32,
        ),
    }
}

pub fn of(fd: RawFd) -> Option<Identity> {
    // SAFETY: fstat64 fills the structure.
    unsafe {
        let mut stat: libc::stat64 = zeroed();
        (libc::fstat64(fd, &raw mut stat) == 0).then(|| identity(&stat))
    }
}

pub fn of_path(path: &[u8]) -> Option<Identity> {
    let path = CString::new(path).ok()?;
    // SAFETY: a terminated string; stat64 fills the structure.
    unsafe {
        let mut stat: libc::stat64 = zeroed();
        (libc::stat64(path.as_ptr(), &raw mut stat) == 0).then(|| identity(&stat))
    }
}

/// A device that says something else each time, and has no position.
pub fn is_random(fd: RawFd) -> bool {
    of(fd).is_some_and(|i| i.kind == S_IFCHR && matches!(i.number, (1, 8 | 9)))
}

/// The kernel's own file systems, whose files say what is true now: which one it is.
pub fn of_kernel(fd: RawFd) -> Option<&'static str> {
    // SAFETY: fstatfs64 fills the structure.
    let kind = unsafe {
        let mut about: libc::statfs64 = zeroed();
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

pub fn is_open(fd: RawFd) -> bool {
    // SAFETY: a plain system call.
    unsafe { libc::fcntl(fd, libc::F_GETFD) != -1 }
}

/// Where the system lists descriptors.
pub const LIST: &str = "/proc/self/fd";

/// All descriptors of the process.
pub fn open_ones() -> io::Result<Vec<RawFd>> {
    let mut list: Vec<RawFd> = std::fs::read_dir(LIST)?
        .filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    // The folder's own is closed by now.
    list.retain(|fd| is_open(*fd));
    list.sort_unstable();
    Ok(list)
}

/// A path that leads to the file of a descriptor, which is then opened anew.
pub fn path_to(fd: RawFd) -> String {
    format!("{LIST}/{fd}")
}

/// The same of another process, that of `pid`.
pub fn path_to_others(pid: u32, fd: RawFd) -> String {
    format!("/proc/{pid}/fd/{fd}")
}

/// Where a descriptor leads, as the system puts it.
pub fn path_of(fd: RawFd) -> Vec<u8> {
    std::fs::read_link(path_to(fd)).map_or(Vec::new(), |p| p.into_os_string().into_vec())
}

fn descriptor(fd: c_int) -> io::Result<OwnedFd> {
    match fd {
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: callers have just been given it, and nobody else has.
        _ => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
    }
}

/// `flags`: those of `open`; no program that this one becomes has it.
pub fn open(path: &[u8], flags: c_int) -> io::Result<OwnedFd> {
    let path = CString::new(path)?;
    // SAFETY: a terminated string.
    descriptor(unsafe { libc::open64(path.as_ptr(), flags | libc::O_CLOEXEC, 0o666) })
}

/// For a folder that is only a place to go to.
pub const AS_PLACE: c_int = libc::O_PATH | libc::O_DIRECTORY;

/// A link in place of the file is an error.
pub const NOT_THROUGH_LINKS: c_int = libc::O_NOFOLLOW;
/// The same, and nobody at the other end of a pipe is waited for.
pub const AS_IT_LIES: c_int = NOT_THROUGH_LINKS | libc::O_NONBLOCK;

/// A file without a name, to be read and written.
pub fn nameless(folder: &[u8]) -> io::Result<File> {
    let mut template = [folder, b"/pc3-XXXXXX\0"].concat();
    // SAFETY: a terminated template.
    unsafe {
        let file = descriptor(libc::mkstemp(template.as_mut_ptr().cast()))?;
        libc::unlink(template.as_ptr().cast());
        Ok(file.into())
    }
}

/// A file in memory.
pub fn in_memory(name: &CStr) -> io::Result<File> {
    // SAFETY: a terminated string.
    descriptor(unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) }).map(File::from)
}

/// Safe in a signal handler.
pub fn remove(path: &CStr) -> bool {
    // SAFETY: a terminated string.
    unsafe { libc::unlink(path.as_ptr()) == 0 }
}

/// Writes what it can; safe in a signal handler.
pub fn write(fd: RawFd, bytes: &[u8]) {
    // SAFETY: initialised bytes.
    unsafe { libc::write(fd, bytes.as_ptr().cast::<c_void>(), bytes.len()) };
}

/// Reads at a position; no lock of the process on the file ends by that.
pub fn read_at(fd: RawFd, into: &mut [u8], at: u64) -> io::Result<usize> {
    // SAFETY: a buffer of that length.
    let n = unsafe { libc::pread64(fd, into.as_mut_ptr().cast(), into.len(), at as i64) };
    usize::try_from(n).map_err(|_| io::Error::last_os_error())
}

/// # Safety
/// As `read`: `into` has room for `n` bytes.
pub unsafe fn read(fd: RawFd, into: *mut u8, n: usize) -> io::Result<usize> {
    // SAFETY: by the caller.
    let n = unsafe { libc::read(fd, into.cast(), n) };
    usize::try_from(n).map_err(|_| io::Error::last_os_error())
}

pub fn position(fd: RawFd) -> Option<u64> {
    // SAFETY: a plain system call.
    u64::try_from(unsafe { libc::lseek64(fd, 0, libc::SEEK_CUR) }).ok()
}

pub fn set_position(fd: RawFd, at: u64) -> io::Result<()> {
    // SAFETY: a plain system call.
    match unsafe { libc::lseek64(fd, at as i64, libc::SEEK_SET) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

pub fn cut(fd: RawFd, length: u64) -> io::Result<()> {
    // SAFETY: a plain system call.
    done(unsafe { libc::ftruncate64(fd, length as i64) })
}

/// Ends it with `exec`?
pub fn ends_with_exec(fd: RawFd) -> bool {
    // SAFETY: a plain system call.
    unsafe { libc::fcntl(fd, libc::F_GETFD) & libc::FD_CLOEXEC != 0 }
}

/// From now on it does.
pub fn end_with_exec(fd: RawFd) -> c_int {
    // SAFETY: a plain system call.
    unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) }
}

/// The flags that it was opened with, as far as the system keeps them; -1 if it is closed.
pub fn flags(fd: RawFd) -> c_int {
    // SAFETY: a plain system call.
    unsafe { libc::fcntl(fd, libc::F_GETFL) }
}

/// Who reads it does not wait.
pub fn set_nonblocking(fd: RawFd) {
    // SAFETY: a plain system call.
    unsafe { libc::fcntl(fd, libc::F_SETFL, flags(fd) | libc::O_NONBLOCK) };
}

/// A duplicate, at the first free number from there on.
pub fn duplicate(fd: RawFd, from: RawFd, ends_with_exec: bool) -> io::Result<OwnedFd> {
    let how = match ends_with_exec {
        true => libc::F_DUPFD_CLOEXEC,
        false => libc::F_DUPFD,
    };
    // SAFETY: a plain system call.
    descriptor(unsafe { libc::fcntl(fd, how, from) })
}

/// Makes number `to` a duplicate, whatever it was.
///
/// # Safety
/// Nobody else counts on where that number leads.
pub unsafe fn duplicate_to(fd: RawFd, to: RawFd, ends_with_exec: bool) -> io::Result<()> {
    let flags = if ends_with_exec { libc::O_CLOEXEC } else { 0 };
    // SAFETY: by the caller.
    match unsafe { libc::dup3(fd, to, flags) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// # Safety
/// Nobody uses the number any more.
pub unsafe fn close(fd: RawFd) {
    // SAFETY: by the caller.
    unsafe { libc::close(fd) };
}

/// Gives the calling thread a table of descriptors of its own, with the standard streams alone in it.  False if the system
/// cannot (before Linux 5.9).
pub(crate) fn own_table() -> bool {
    let (from, to) = (3, c_uint::MAX);
    // SAFETY: closes what nobody but this thread sees.
    unsafe { libc::syscall(libc::SYS_close_range, from, to, libc::CLOSE_RANGE_UNSHARE) == 0 }
}

/// What the system says of locks that a descriptor's file has by this process: a line each, `lock:` in front.
pub fn locks_of(fd: RawFd) -> io::Result<String> {
    std::fs::read_to_string(format!("/proc/self/fdinfo/{fd}"))
}

/// How a file, or a byte of it, is locked: with others who only read, or alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    Shared,
    Alone,
}

/// By `flock`; does not wait.
pub fn lock_whole(fd: RawFd, hold: Hold) -> io::Result<()> {
    let kind = match hold {
        Hold::Alone => libc::LOCK_EX,
        Hold::Shared => libc::LOCK_SH,
    };
    // SAFETY: a plain system call.
    done(unsafe { libc::flock(fd, kind | libc::LOCK_NB) })
}

/// Bytes of a file that a process locks by `fcntl`; 0 of them: all that there are and will be.
fn record(start: u64, bytes: u64, hold: Hold) -> libc::flock {
    let kind = match hold {
        Hold::Alone => libc::F_WRLCK,
        Hold::Shared => libc::F_RDLCK,
    };
    // SAFETY: plain data.
    let mut lock: libc::flock = unsafe { zeroed() };
    lock.l_type = kind as _;
    lock.l_whence = libc::SEEK_SET as _;
    lock.l_start = start as _;
    lock.l_len = bytes as _;
    lock
}

/// By `fcntl`: a lock of the process, which ends when any descriptor of the file is closed; does not wait.
pub fn lock(fd: RawFd, start: u64, bytes: u64, hold: Hold) -> io::Result<()> {
    let lock = record(start, bytes, hold);
    // SAFETY: an initialised structure.
    done(unsafe { libc::fcntl(fd, libc::F_SETLK, &raw const lock) })
}

/// The process that keeps this one from such a lock, if one does.
pub fn locked_by(fd: RawFd, start: u64, bytes: u64, hold: Hold) -> io::Result<Option<i32>> {
    let mut lock = record(start, bytes, hold);
    // SAFETY: an initialised structure.
    done(unsafe { libc::fcntl(fd, libc::F_GETLK, &raw mut lock) })?;
    Ok((lock.l_type != libc::F_UNLCK as libc::c_short).then_some(lock.l_pid))
}

/// Does anybody hold a lock of `fcntl`'s on the file?  If this process does, to close any descriptor of it ends that.
pub fn may_be_locked(fd: RawFd) -> bool {
    // SAFETY: an initialised structure.
    let (known, kind) = unsafe {
        let mut lock: libc::flock = std::mem::zeroed();
        lock.l_type = libc::F_WRLCK as _;
        lock.l_whence = libc::SEEK_SET as _;
        let known = libc::fcntl(fd, libc::F_OFD_GETLK, &raw mut lock) == 0;
        (known, lock.l_type)
    };
    match known {
        true => kind != libc::F_UNLCK as libc::c_short,
        // Where a file system has none of these it says so. This is one whose place has no room in the structure.
        false => super::errors::last() == libc::EOVERFLOW,
    }
}

/// Does this say that another process has the lock?
pub fn is_locked(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES))
}

/// From now on this thread's working directory and file mode mask are its own.
pub fn own_place() -> bool {
    // SAFETY: a plain system call.
    unsafe { libc::unshare(libc::CLONE_FS) == 0 }
}

/// Makes a folder the working directory.
pub fn go_to(folder: RawFd) -> io::Result<()> {
    // SAFETY: a plain system call.
    done(unsafe { libc::fchdir(folder) })
}

/// Bits that files made from now on do not get; returns those before.
pub fn set_mask(mask: u32) -> u32 {
    // SAFETY: a plain system call.
    unsafe { libc::umask(mask as libc::mode_t) }
}

/// The same bits, asked for. No other thread makes files now.
pub fn mask() -> u32 {
    let mask = set_mask(0o77);
    set_mask(mask);
    mask
}
