//! The C library's functions in whose place a program calls ours (`pc3_` and the name): what those call below. They do
//! what C and POSIX say, for arguments that only the program knows; who else wants such a thing uses the interface of
//! its concern.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::types::{clock_t, itimerval, pid_t, FILE};

// Memory.
pub use libc::{
    aligned_alloc, calloc, free, malloc, malloc_usable_size, mmap64, mprotect, mremap, munmap,
    realloc, sbrk, shmdt,
};
// Files and streams.
pub use libc::{
    chdir, close, creat64, fchdir, fclose, fdopen, fileno, fmemopen, fopen64, fputc, fputs,
    freopen64, ftruncate, ftruncate64, fwrite, open_memstream, openat64, perror, pipe, pipe2,
    popen, read, setbuf, setvbuf, socketpair, tmpfile64, umask,
};
// Signals, timers and clocks.
pub use libc::{
    clock_gettime, getrandom, getrusage, gettimeofday, sigaction, time, timer_create, timer_delete,
    times,
};
// Texts.
pub use libc::strnlen;
// Locales and ends.
pub use libc::{_exit, exit, setlocale, uselocale};

pub type WithStatus = unsafe extern "C" fn(c_int, *mut c_void);

extern "C" {
    pub fn setlinebuf(stream: *mut FILE);
    pub fn setbuffer(stream: *mut FILE, buffer: *mut c_char, n: usize);
    pub fn getline(line: *mut *mut c_char, n: *mut usize, stream: *mut FILE) -> isize;
    pub fn getdelim(line: *mut *mut c_char, n: *mut usize, end: c_int, stream: *mut FILE) -> isize;
    pub fn signal(number: c_int, handler: usize) -> usize;
    /// musl has it by this name alone, for programs compiled with another library's headers.
    #[cfg_attr(target_env = "musl", link_name = "__sysv_signal")]
    pub fn sysv_signal(number: c_int, handler: usize) -> usize;
    #[cfg(not(target_env = "musl"))]
    pub fn on_exit(function: WithStatus, argument: *mut c_void) -> c_int;
    pub fn sigset(number: c_int, handler: usize) -> usize;
    pub fn siginterrupt(signal: c_int, interrupts: c_int) -> c_int;
    pub fn alarm(seconds: c_uint) -> c_uint;
    pub fn getitimer(which: c_int, value: *mut itimerval) -> c_int;
    pub fn setitimer(which: c_int, new: *const itimerval, old: *mut itimerval) -> c_int;
    pub fn clock() -> clock_t;
    pub fn posix_spawn(
        pid: *mut pid_t,
        path: *const c_char,
        actions: *const c_void,
        attributes: *const c_void,
        arguments: *const *mut c_char,
        environment: *const *mut c_char,
    ) -> c_int;
    pub fn posix_spawnp(
        pid: *mut pid_t,
        path: *const c_char,
        actions: *const c_void,
        attributes: *const c_void,
        arguments: *const *mut c_char,
        environment: *const *mut c_char,
    ) -> c_int;
}

/// musl knows no status at the end: there no program of its own asks for one.
///
/// # Safety
/// As GNU's `on_exit`.
#[cfg(target_env = "musl")]
pub unsafe fn on_exit(function: WithStatus, argument: *mut c_void) -> c_int {
    extern "C" {
        fn __cxa_atexit(
            f: unsafe extern "C" fn(*mut c_void),
            of: *mut c_void,
            by: *mut c_void,
        ) -> c_int;
    }
    type Kept = (WithStatus, *mut c_void);
    unsafe extern "C" fn call(kept: *mut c_void) {
        // SAFETY: what is registered below, called once.
        let (function, argument) = unsafe { *Box::from_raw(kept.cast::<Kept>()) };
        // SAFETY: by who registered it.
        unsafe { function(0, argument) };
    }
    let kept: Box<Kept> = Box::new((function, argument));
    // SAFETY: as above.
    unsafe { __cxa_atexit(call, Box::into_raw(kept).cast(), std::ptr::null_mut()) }
}
