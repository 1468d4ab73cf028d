//! `setjmp` and `longjmp` of functions with locations: see [`pc3_state::stack::jumps`].

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::ptr::null_mut;

use pc3_os::signals::{self, Mask};

use pc3_control::report::{die, EXIT_FATAL};
use pc3_state::rank::Rank;

/// Not what any C library's setjmp leaves in the second eight bytes.
const MARK: u64 = 0x7063_336a_756d_7031;
/// The same of one that keeps the blocked signals.
const MARK_WITH_MASK: u64 = MARK + 1;

unsafe extern "C" {
    fn longjmp(buffer: *mut c_void, value: c_int) -> !;
}

fn no_rank() -> ! {
    die(
        EXIT_FATAL,
        "a thread that is no rank called setjmp in a function with a checkpoint location in it",
    )
}

/// # Safety
/// Called by generated code in front of `setjmp(real)`; `user` is the program's buffer, `mask` what `sigsetjmp` was given.
#[no_mangle]
pub unsafe extern "C" fn pc3_jump_arm(
    user: *mut c_void,
    tokens: *mut c_ulonglong,
    n: c_uint,
    i: c_uint,
    base: *mut c_void,
    real: *mut c_void,
    mask: c_int,
) {
    // SAFETY: an entry point.
    let Some(rank) = (unsafe { Rank::current() }) else {
        no_rank();
    };
    // SAFETY: by the caller.
    let tokens = unsafe { std::slice::from_raw_parts_mut(tokens, n as usize) };
    let sp = rank.abi.sp as usize;
    let token = rank
        .jumps
        .arm(tokens, i as usize, base as usize, real as usize, sp);
    // SAFETY: a jmp_buf is larger on every ABI.
    unsafe {
        let words = user.cast::<u64>();
        words.write_unaligned(token);
        if mask == 0 {
            words.add(1).write_unaligned(MARK);
        } else {
            words.add(1).write_unaligned(MARK_WITH_MASK);
            words.add(2).write_unaligned(signals::blocked().bits());
        }
    }
}

/// # Safety
/// Called by resume clones.
#[no_mangle]
pub unsafe extern "C" fn pc3_jump_rearm(token: c_ulonglong, base: *mut c_void, real: *mut c_void) {
    // SAFETY: an entry point.
    let Some(rank) = (unsafe { Rank::current() }) else {
        no_rank();
    };
    let sp = rank.frames.inner_shadow().unwrap_or(rank.abi.sp.cast());
    rank.jumps
        .push(token, base as usize, real as usize, sp as usize);
}

/// What the program's `longjmp` becomes.
///
/// # Safety
/// As of `longjmp`.
#[no_mangle]
pub unsafe extern "C" fn pc3_longjmp(user: *mut c_void, value: c_int) -> ! {
    let mut to = user;
    // SAFETY: a jmp_buf is larger on every ABI.
    let [token, mark, mask] = unsafe { user.cast::<[u64; 3]>().read_unaligned() };
    if matches!(mark, MARK | MARK_WITH_MASK) {
        // SAFETY: an entry point.
        let Some(rank) = (unsafe { Rank::current() }) else {
            no_rank();
        };
        let Some(armed) = rank.jumps.find(token) else {
            die(
                EXIT_FATAL,
                "longjmp: the function that called setjmp has returned, or the block of the call had ended when a checkpoint was taken",
            );
        };
        rank.jump_to(armed.base);
        rank.abi.sp = armed.sp as *mut _;
        rank.abi.site = null_mut();
        to = armed.real as *mut c_void;
        if mark == MARK_WITH_MASK {
            signals::block_only(&Mask::of(mask));
        }
    // SAFETY: an entry point.
    } else if let Some(rank) = unsafe { Rank::current() } {
        if let Some(sp) = rank.handlers.jump_somewhere() {
            rank.abi.sp = sp as *mut _;
        }
    }
    // SAFETY: by the caller; no frame of ours in between has anything to drop.
    unsafe { longjmp(to, value) }
}
