//! Time, timers and randomness.

use std::ffi::{c_int, c_void};
use std::io;
use std::mem::zeroed;
use std::ptr::null_mut;
use std::time::Duration;

use super::errors::done;
use super::types::{clockid_t, itimerval, timer_t, timespec, timeval};

pub use libc::{CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_REALTIME, ITIMER_REAL};

fn spec(time: Duration) -> timespec {
    timespec {
        tv_sec: time.as_secs() as _,
        tv_nsec: time.subsec_nanos() as _,
    }
}

type Asks = unsafe extern "C" fn(clockid_t, *mut timespec) -> c_int;

#[inline(always)]
fn monotonic(ask: Asks) -> f64 {
    // SAFETY: all-zero is a valid value of this C struct, which the call fills.
    let mut t: timespec = unsafe { zeroed() };
    // SAFETY: as above.
    unsafe { ask(CLOCK_MONOTONIC, &raw mut t) };
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// Seconds of a clock that nobody sets.
#[inline]
pub fn seconds() -> f64 {
    monotonic(libc::clock_gettime)
}

/// How far two of its values differ at least.
pub fn tick() -> f64 {
    monotonic(libc::clock_getres)
}

/// Safe in a signal handler.
pub fn sleep(time: Duration) {
    let time = spec(time);
    // SAFETY: an initialised structure.
    unsafe { libc::nanosleep(&raw const time, null_mut()) };
}

/// Fills them; a few are never too many.
pub fn random(bytes: &mut [u8]) {
    // SAFETY: that many bytes.
    unsafe { libc::getrandom(bytes.as_mut_ptr().cast::<c_void>(), bytes.len(), 0) };
}

/// Microseconds until a timer rings, and between.
pub type Times = (u64, u64);

/// One of the process's three interval timers; none if the system has no such.
#[allow(clippy::unnecessary_cast)] // the fields' types depend on the ABI
pub fn interval_timer(which: c_int) -> Option<Times> {
    let micros = |t: &timeval| t.tv_sec as u64 * 1_000_000 + t.tv_usec as u64;
    // SAFETY: the structure is filled by the call.
    let value = unsafe {
        let mut value: itimerval = zeroed();
        (super::original::getitimer(which, &raw mut value) == 0).then_some(value)
    }?;
    Some((micros(&value.it_value), micros(&value.it_interval)))
}

pub fn set_interval_timer(which: c_int, times: Times) {
    let value = interval(times);
    // SAFETY: an initialised structure.
    unsafe { super::original::setitimer(which, &raw const value, null_mut()) };
}

/// As C has them.
#[allow(clippy::unnecessary_cast)] // the fields' types depend on the ABI
pub fn interval((left, each): Times) -> itimerval {
    let time = |micros: u64| timeval {
        tv_sec: (micros / 1_000_000) as _,
        tv_usec: (micros % 1_000_000) as _,
    };
    itimerval {
        it_interval: time(each),
        it_value: time(left),
    }
}

/// A timer of the kernel's, for as long as the process lives.
#[derive(Clone, Copy, Debug)]
pub struct Timer(timer_t);

impl Timer {
    /// It raises a signal, which carries an address.
    pub fn new(clock: clockid_t, signal: c_int, carries: *mut c_void) -> Option<Timer> {
        // SAFETY: initialised structures.
        unsafe {
            let mut event: libc::sigevent = zeroed();
            event.sigev_notify = libc::SIGEV_SIGNAL;
            event.sigev_signo = signal;
            event.sigev_value.sival_ptr = carries;
            let mut timer: timer_t = zeroed();
            let made = libc::timer_create(clock, &raw mut event, &raw mut timer);
            (made == 0).then_some(Timer(timer))
        }
    }

    #[allow(clippy::unnecessary_cast)] // the fields' types depend on the ABI
    pub fn left(&self) -> Times {
        // What is left of a running timer is never nothing.
        let micros = |t: &timespec| t.tv_sec as u64 * 1_000_000 + (t.tv_nsec as u64).div_ceil(1000);
        // SAFETY: a timer of this process; the structure is filled by the call.
        unsafe {
            let mut now: libc::itimerspec = zeroed();
            libc::timer_gettime(self.0, &raw mut now);
            (micros(&now.it_value), micros(&now.it_interval))
        }
    }

    pub fn start(&self, (left, each): Times) -> io::Result<()> {
        let new = libc::itimerspec {
            it_value: spec(Duration::from_micros(left)),
            it_interval: spec(Duration::from_micros(each)),
        };
        // SAFETY: a timer of this process; an initialised structure.
        done(unsafe { libc::timer_settime(self.0, 0, &raw const new, null_mut()) })
    }
}
