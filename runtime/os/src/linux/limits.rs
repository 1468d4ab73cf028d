//! Limits, priority and users of the process.

use std::io;
use std::mem::zeroed;
use std::ptr::{null, null_mut};

use super::errors::done;

/// The system's numbers, which are the same on every architecture that we know.
const RESOURCES: u64 = 16;

/// The stack's.
pub const STACK: u64 = libc::RLIMIT_STACK as u64;
/// That of descriptors.
pub const FILES: u64 = libc::RLIMIT_NOFILE as u64;

/// Which it is, what holds now, and what may be asked for.
pub type Limit = (u64, u64, u64);

pub fn get(resource: u64) -> Option<Limit> {
    // SAFETY: the structure is filled by the call.
    unsafe {
        let mut now: libc::rlimit64 = zeroed();
        let got = libc::prlimit64(0, resource as _, null(), &raw mut now);
        (got == 0).then_some((resource, now.rlim_cur, now.rlim_max))
    }
}

pub fn set((resource, now, most): Limit) -> io::Result<()> {
    let new = libc::rlimit64 {
        rlim_cur: now,
        rlim_max: most,
    };
    // SAFETY: an initialised structure.
    done(unsafe { libc::prlimit64(0, resource as _, &raw const new, null_mut()) })
}

pub fn all() -> Vec<Limit> {
    (0..RESOURCES).filter_map(get).collect()
}

/// So many bytes a stack may have; none: without a limit, or unknown.
pub fn stack() -> Option<u64> {
    get(STACK)
        .map(|l| l.1)
        .filter(|n| *n != libc::RLIM64_INFINITY)
}

/// So many descriptors may be open now.
pub fn files() -> u64 {
    get(FILES).map_or(u64::MAX, |l| l.1)
}

/// What others have before this process the more the higher it is.
pub fn nice() -> i32 {
    // SAFETY: a plain system call.
    unsafe { libc::getpriority(libc::PRIO_PROCESS as _, 0) }
}

pub fn set_nice(nice: i32) -> io::Result<()> {
    // SAFETY: a plain system call.
    done(unsafe { libc::setpriority(libc::PRIO_PROCESS as _, 0, nice) })
}

/// Users and groups: real, effective, saved.
pub fn users() -> [u32; 6] {
    let mut all = [0; 6];
    let [a, b, c, d, e, f] = &mut all;
    // SAFETY: the variables are filled by the calls.
    unsafe {
        libc::getresuid(a, b, c);
        libc::getresgid(d, e, f);
    }
    all
}
