//! This process, its children, and others of its machine.

use std::collections::BTreeSet;
use std::ffi::{c_char, c_int, c_long, c_void, CStr};
use std::fs;
use std::io;
use std::mem::zeroed;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::errors;
use super::types::{pid_t, siginfo_t};

extern "C" {
    static tzname: [*mut c_char; 2];
    fn tzset();
    fn pthread_atfork(
        before: Option<extern "C" fn()>,
        in_parent: Option<extern "C" fn()>,
        in_child: Option<extern "C" fn()>,
    ) -> c_int;
}

pub fn id() -> pid_t {
    // SAFETY: a plain system call.
    unsafe { libc::getpid() }
}

/// Ends the process at once: nothing that is to run at an end does.
pub fn end_now(status: c_int) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(status) }
}

/// Ends the process as the program would.
pub fn end(status: c_int) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::exit(status) }
}

/// To be called when the program ends.
pub fn at_end(f: extern "C" fn()) {
    // SAFETY: a function that stays.
    unsafe { libc::atexit(f) };
}

/// To be called before the program forks.
pub fn before_fork(f: extern "C" fn()) {
    // SAFETY: a function that stays.
    unsafe { pthread_atfork(Some(f), None, None) };
}

/// Takes a variable out of the environment. Nobody else looks at it now.
pub fn unset_variable(name: &CStr) {
    // SAFETY: a terminated string.
    unsafe { libc::unsetenv(name.as_ptr()) };
}

/// Makes a text `NAME=VALUE` a part of the environment. Nobody else looks at it now.
///
/// # Safety
/// A terminated string that stays as long as it is there.
pub unsafe fn put_variable(text: *mut c_char) {
    // SAFETY: by the caller.
    unsafe { libc::putenv(text) };
}

/// Has the C library taken a time zone? GNU's begins with one of its own, musl with none.
pub fn has_zone() -> bool {
    // SAFETY: the C library's variable, null or a terminated string, which nobody changes now.
    unsafe { !tzname[0].is_null() && CStr::from_ptr(tzname[0]) != c"GMT" }
}

/// Takes the time zone from the environment.
pub fn take_zone() {
    // SAFETY: the program does not run yet.
    unsafe { tzset() };
}

/// Has this process children, whether they run or have ended?
fn any_child() -> bool {
    // SAFETY: the structure is filled by the call, which changes nothing.
    unsafe {
        let mut info: siginfo_t = zeroed();
        let how = libc::WEXITED | libc::WSTOPPED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
        libc::waitid(libc::P_ALL, 0, &raw mut info, how) == 0
    }
}

/// Those that it has not waited for; none if the system does not list them.
pub fn children() -> Option<BTreeSet<i32>> {
    if !any_child() {
        return Some(BTreeSet::new());
    }
    let mut all = BTreeSet::new();
    for thread in fs::read_dir("/proc/self/task").ok()?.flatten() {
        let list = fs::read_to_string(thread.path().join("children")).ok()?;
        let numbers = list
            .split_whitespace()
            .filter_map(|n| n.parse::<i32>().ok());
        all.extend(numbers);
    }
    Some(all)
}

pub fn lives(pid: i32) -> bool {
    // SAFETY: asks only.
    unsafe { libc::kill(pid, 0) == 0 }
}

/// The program that this process executes.
pub const PROGRAM: &str = "/proc/self/exe";

/// Since it was started, a machine is known by this.
pub fn boot() -> Option<String> {
    kernel("random/boot_id")
}

pub fn machine_name() -> Option<String> {
    kernel("hostname")
}

fn kernel(name: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/sys/kernel/{name}")).ok()?;
    Some(text.trim().to_owned())
}

/// The machine's name as far as it fits; what is not used is 0.
pub fn host_name() -> [u8; 256] {
    let mut host = [0u8; 256];
    // SAFETY: room for so many bytes, and one more.
    unsafe { libc::gethostname(host.as_mut_ptr().cast(), host.len() - 1) };
    host
}

/// Which of the system's spaces of that kind the process is in.
pub fn space(kind: &str) -> Option<String> {
    let link = fs::read_link(format!("/proc/self/ns/{kind}")).ok()?;
    Some(link.to_string_lossy().into_owned())
}

pub fn parent(pid: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("PPid:"))?;
    line.trim().parse().ok().filter(|p| *p != 0)
}

/// The variables with which a process was started, 0 behind each.
pub fn first_variables(pid: u32) -> io::Result<Vec<u8>> {
    fs::read(format!("/proc/{pid}/environ"))
}

/// What another process has open, with its position, if the system lets this one have it.
pub fn others_file(pid: pid_t, fd: RawFd) -> Option<OwnedFd> {
    // SAFETY: system calls that make descriptors, which are nobody else's.
    let own = |new: c_long| (new >= 0).then(|| unsafe { OwnedFd::from_raw_fd(new as RawFd) });
    let process = own(unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) })?;
    let (of, flags) = (process.as_raw_fd(), 0);
    // SAFETY: as above.
    own(unsafe { libc::syscall(libc::SYS_pidfd_getfd, of, fd, flags) })
}

/// Lets processes of the same user read this one's memory where the system asks for that (Yama's lowest degree).
pub fn let_read() {
    if kernel("yama/ptrace_scope").is_some_and(|r| r == "1") {
        // SAFETY: a plain system call.
        unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY, 0, 0, 0) };
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CopyDirection {
    Read,
    Write,
}

/// Copies memory of another process to this one's, or the other way; all of it, or what the system says (0: nothing).
/// Leaves the thread's error number as it was.
///
/// # Safety
/// `ours` may be written, or is readable, for `len` bytes.
pub unsafe fn copy_memory(
    way: CopyDirection,
    pid: u32,
    theirs: u64,
    ours: *mut u8,
    len: usize,
) -> Result<(), c_int> {
    let call = match way {
        CopyDirection::Read => libc::process_vm_readv,
        CopyDirection::Write => libc::process_vm_writev,
    };
    errors::keep(|| {
        let mut done = 0;
        while done < len {
            let at = usize::try_from(theirs + done as u64).map_err(|_| libc::EFAULT)?;
            let there = libc::iovec {
                iov_base: at as *mut c_void,
                iov_len: len - done,
            };
            let here = libc::iovec {
                iov_base: ours.wrapping_add(done).cast(),
                iov_len: len - done,
            };
            // SAFETY: by the caller; the kernel checks the other address.
            let n = unsafe { call(pid as pid_t, &raw const here, 1, &raw const there, 1, 0) };
            match n {
                0 => return Err(0),
                ..0 => return Err(errors::last()),
                n => done += n as usize,
            }
        }
        Ok(())
    })
}
