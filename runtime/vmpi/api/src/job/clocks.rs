//! The system's clocks and sources of random numbers, which programs that call MPI ask through these functions: while ranks take
//! their local checkpoints one by one what they say is logged, and said again behind a recovery (`nonblocking/outcomes`).
//!
//! As long as no checkpoint is under way that costs a look at whether one is.

// Numbers of C are wider on some machines than on others.
#![allow(clippy::unnecessary_cast)]

use std::ffi::{c_int, c_long, c_uint, c_void};
use std::iter::once;

use pc3_os::clocks::CLOCK_REALTIME;
use pc3_os::types::{clock_t, clockid_t, rusage, time_t, timespec, timeval, tms};
use pc3_os::{errors, original};

use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_nonblocking::operations::outcomes::{logging, system};
use pc3_vmpi_nonblocking::state::outcome::{Question, ORDER};

/// Numbers that the system says, as logged: of 64 bits, the result first. If that is -1, `errno` follows from the log.
fn numbers<const N: usize>(
    me: &RankState,
    question: Question,
    live: impl FnOnce() -> [i64; N],
) -> [i64; N] {
    let before = errors::last();
    let said = system(
        me,
        || {
            let numbers = live();
            let all = numbers.into_iter().chain(once(errors::last().into()));
            let bytes = all.flat_map(i64::to_le_bytes);
            once(question as u8).chain(bytes).collect()
        },
        |said| said.len() == 1 + 8 * (N + 1) && said[0] == question as u8,
    );
    let number = |i: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&said[1 + 8 * i..9 + 8 * i]);
        i64::from_le_bytes(bytes)
    };
    errors::set(if number(0) == -1 {
        number(N) as c_int
    } else {
        before
    });
    std::array::from_fn(number)
}

/// Bytes that the system says, as logged, at most so many.
fn bytes(
    me: &RankState,
    question: Question,
    most: usize,
    live: impl FnOnce() -> Vec<u8>,
) -> Vec<u8> {
    let before = errors::last();
    let mut said = system(
        me,
        || [question as u8, ORDER].into_iter().chain(live()).collect(),
        |said| said.first() == Some(&(question as u8)) && said.len() - 2 <= most,
    );
    errors::set(before);
    said.split_off(2)
}

/// What a random device says.
pub fn device(live: &mut dyn FnMut() -> Vec<u8>) -> Vec<u8> {
    match logging() {
        None => live(),
        Some(me) => bytes(me, Question::Device, usize::MAX, live),
    }
}

/// # Safety
/// As `time`.
#[no_mangle]
pub(crate) unsafe extern "C" fn pc3_time(to: *mut time_t) -> time_t {
    let Some(me) = logging() else {
        // SAFETY: by the caller.
        return unsafe { original::time(to) };
    };
    // SAFETY: null is allowed.
    let [now] = numbers(me, Question::Time, || {
        [unsafe { original::time(std::ptr::null_mut()) } as i64]
    });
    // SAFETY: by the caller.
    if let Some(to) = unsafe { to.as_mut() } {
        *to = now as time_t;
    }
    now as time_t
}

/// # Safety
/// As `gettimeofday`.
#[no_mangle]
pub(crate) unsafe extern "C" fn pc3_gettimeofday(to: *mut timeval, zone: *mut c_void) -> c_int {
    let Some(me) = logging() else {
        // SAFETY: by the caller.
        return unsafe { original::gettimeofday(to, zone.cast()) };
    };
    // SAFETY: by the caller.
    unsafe {
        let [done, seconds, rest] = numbers(me, Question::TimeOfDay, || {
            let done = original::gettimeofday(to, std::ptr::null_mut());
            [done.into(), (*to).tv_sec as i64, (*to).tv_usec as i64]
        });
        (*to).tv_sec = seconds as _;
        (*to).tv_usec = rest as _;
        if !zone.is_null() {
            // What the C library says of time zones here.
            zone.cast::<[c_int; 2]>().write_unaligned([0; 2]);
        }
        done as c_int
    }
}

/// # Safety
/// As `clock_gettime`.
#[no_mangle]
pub(crate) unsafe extern "C" fn pc3_clock_gettime(clock: clockid_t, to: *mut timespec) -> c_int {
    let Some(me) = logging() else {
        // SAFETY: by the caller.
        return unsafe { original::clock_gettime(clock, to) };
    };
    // SAFETY: by the caller.
    unsafe {
        let [done, seconds, rest] =
            numbers(me, Question::Clock, || {
                match original::clock_gettime(clock, to) {
                    0 => [0, (*to).tv_sec as i64, (*to).tv_nsec as i64],
                    failed => [failed.into(), 0, 0],
                }
            });
        if done == 0 {
            (*to).tv_sec = seconds as _;
            (*to).tv_nsec = rest as _;
        }
        done as c_int
    }
}

/// # Safety
/// As `timespec_get`.
#[no_mangle]
pub(crate) unsafe extern "C" fn pc3_timespec_get(to: *mut timespec, base: c_int) -> c_int {
    const TIME_UTC: c_int = 1;
    // SAFETY: by the caller.
    let known = base == TIME_UTC && unsafe { pc3_clock_gettime(CLOCK_REALTIME, to) } == 0;
    if known {
        base
    } else {
        0
    }
}

/// As `clock`.
#[no_mangle]
pub(crate) extern "C" fn pc3_clock() -> clock_t {
    // SAFETY: no preconditions.
    let live = || unsafe { original::clock() };
    match logging() {
        None => live(),
        Some(me) => numbers(me, Question::Processor, || [live() as i64])[0] as clock_t,
    }
}

/// # Safety
/// As `times`.
#[no_mangle]
pub(crate) unsafe extern "C" fn pc3_times(to: *mut tms) -> clock_t {
    let Some(me) = logging() else {
        // SAFETY: by the caller.
        return unsafe { original::times(to) };
    };
    // SAFETY: the C struct may be all zeros; by the caller, null or room for one.
    unsafe {
        let [now, user, system, users, systems] = numbers(me, Question::Times, || {
            let mut t: tms = std::mem::zeroed();
            let now = original::times(&raw mut t);
            [now, t.tms_utime, t.tms_stime, t.tms_cutime, t.tms_cstime].map(|n| n as i64)
        });
        if let Some(to) = to.as_mut() {
            to.tms_utime = user as _;
            to.tms_stime = system as _;
            to.tms_cutime = users as _;
            to.tms_cstime = systems as _;
        }
        now as clock_t
    }
}

/// The numbers of `rusage` that are no times.
const COUNTS: usize = 14;

/// # Safety
/// As `getrusage`.
#[no_mangle]
pub(crate) unsafe extern "C" fn pc3_getrusage(who: c_int, to: *mut rusage) -> c_int {
    let Some(me) = logging() else {
        // SAFETY: by the caller.
        return unsafe { original::getrusage(who as _, to) };
    };
    // SAFETY: by the caller; the counts lie one behind the other in this C struct.
    unsafe {
        let counts = (&raw mut (*to).ru_maxrss).cast::<c_long>();
        let said = numbers(me, Question::Usage, || {
            let mut all = [0i64; 1 + 4 + COUNTS];
            all[0] = original::getrusage(who as _, to).into();
            if all[0] == 0 {
                let (user, system) = ((*to).ru_utime, (*to).ru_stime);
                all[1] = user.tv_sec as i64;
                all[2] = user.tv_usec as i64;
                all[3] = system.tv_sec as i64;
                all[4] = system.tv_usec as i64;
                for (i, n) in all[5..].iter_mut().enumerate() {
                    *n = *counts.add(i) as i64;
                }
            }
            all
        });
        if said[0] == 0 {
            (*to).ru_utime.tv_sec = said[1] as _;
            (*to).ru_utime.tv_usec = said[2] as _;
            (*to).ru_stime.tv_sec = said[3] as _;
            (*to).ru_stime.tv_usec = said[4] as _;
            for (i, n) in said[5..].iter().enumerate() {
                *counts.add(i) = *n as c_long;
            }
        }
        said[0] as c_int
    }
}

/// # Safety
/// As `getrandom`.
#[no_mangle]
pub(crate) unsafe extern "C" fn pc3_getrandom(to: *mut c_void, len: usize, flags: c_uint) -> isize {
    let Some(me) = logging() else {
        // SAFETY: by the caller.
        return unsafe { original::getrandom(to, len, flags) };
    };
    let said = bytes(me, Question::Random, len.saturating_add(1), || {
        // SAFETY: by the caller.
        let done = unsafe { original::getrandom(to, len, flags) };
        match usize::try_from(done) {
            // SAFETY: so many bytes have been written there.
            Ok(n) => once(0)
                .chain(
                    unsafe { std::slice::from_raw_parts(to.cast::<u8>(), n) }
                        .iter()
                        .copied(),
                )
                .collect(),
            Err(_) => vec![errors::last() as u8],
        }
    });
    if let Some((0, random)) = said.split_first() {
        // SAFETY: no more than there is room for.
        unsafe { std::ptr::copy(random.as_ptr(), to.cast(), random.len()) };
        return random.len() as isize;
    }
    errors::set(said.first().map_or(errors::EIO, |e| (*e).into()));
    -1
}

/// # Safety
/// As `getentropy`.
#[no_mangle]
pub(crate) unsafe extern "C" fn pc3_getentropy(to: *mut c_void, len: usize) -> c_int {
    const MOST: usize = 256;
    if len > MOST {
        errors::set(errors::EIO);
        return -1;
    }
    // SAFETY: by the caller.
    unsafe { fill(to, len, pc3_getrandom) };
    0
}

/// # Safety
/// So many bytes are writable; `by` is `getrandom`, or does the same.
unsafe fn fill(to: *mut c_void, len: usize, by: GetRandom) {
    let mut at = 0;
    while at < len {
        // SAFETY: by the caller.
        let done = unsafe { by(to.byte_add(at), len - at, 0) };
        at += usize::try_from(done).unwrap_or(0);
    }
}

type GetRandom = unsafe extern "C" fn(*mut c_void, usize, c_uint) -> isize;

/// As `arc4random`.
#[no_mangle]
pub(crate) extern "C" fn pc3_arc4random() -> u32 {
    let live = || {
        let mut number = 0u32;
        // SAFETY: the number's own bytes.
        unsafe {
            fill(
                (&raw mut number).cast(),
                size_of::<u32>(),
                original::getrandom,
            )
        };
        number
    };
    match logging() {
        None => live(),
        Some(me) => numbers(me, Question::Number, || [live().into()])[0] as u32,
    }
}

/// # Safety
/// As `arc4random_buf`.
#[no_mangle]
pub(crate) unsafe extern "C" fn pc3_arc4random_buf(to: *mut c_void, len: usize) {
    // SAFETY: by the caller.
    unsafe { fill(to, len, pc3_getrandom) };
}

/// As `arc4random_uniform`: each number below the bound is as likely as any.
#[no_mangle]
pub(crate) extern "C" fn pc3_arc4random_uniform(bound: u32) -> u32 {
    if bound < 2 {
        return 0;
    }
    // Of all numbers, those that make the rest a multiple of the bound are left out.
    let least = bound.wrapping_neg() % bound;
    loop {
        let number = pc3_arc4random();
        if number >= least {
            return number % bound;
        }
    }
}
