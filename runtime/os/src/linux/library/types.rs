//! Structures that programs hand over to the functions of ours that they call in place of the C library's. Their layout
//! is the system's; types only, no function.

pub use libc::{
    clock_t, clockid_t, intptr_t, itimerval, locale_t, mode_t, off64_t, off_t, pid_t, rusage,
    sigaction, sigevent, siginfo_t, sigset_t, time_t, timer_t, timespec, timeval, tms, wchar_t,
    FILE,
};
