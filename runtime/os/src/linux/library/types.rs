//! Structures that programs hand over to the functions of ours that they call in place of the C library's. Their layout
//! is the system's; types only, no function.

pub use libc::{
    clock_t, clockid_t, intptr_t, itimerval, locale_t, mode_t, off64_t, off_t, pid_t, rusage,
    sigaction, sigevent, siginfo_t, sigset_t, timer_t, timespec, timeval, tms, wchar_t, FILE,
};

#[cfg(not(target_env = "musl"))]
pub use libc::time_t;
/// The crate's is to become this.
#[cfg(target_env = "musl")]
#[allow(non_camel_case_types)]
pub type time_t = i64;
