//! `setjmp` and `longjmp` among frames that are left and resumed.
//!
//! The program's `jmp_buf` holds a number, a mark, and the blocked signals if `sigsetjmp` is to keep them.  The number names a call
//! of setjmp in a frame that is alive; where that can be returned to right now (the frame's own buffer on the machine's stack) is
//! listed here, and listed anew by the resume clones.  Copies of a `jmp_buf` are as good as the original.  No number is given twice:
//! a buffer whose frame is gone leads nowhere.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::ptr::null_mut;

use pc3_os::signals::{self, Mask};

use crate::rank::Rank;
use crate::report::{die, EXIT_FATAL};

/// Not what any C library's setjmp leaves in the second eight bytes.
const MARK: u64 = 0x7063_336a_756d_7031;
/// The same of one that keeps the blocked signals.
const MARK_WITH_MASK: u64 = MARK + 1;

unsafe extern "C" {
    fn longjmp(buffer: *mut c_void, value: c_int) -> !;
}

#[derive(Clone, Copy, Debug)]
struct Armed {
    token: u64,
    /// Where the frame's buffers lie: stacks grow downwards, so frames further in lie below.
    base: usize,
    real: usize,
    /// The shadow stack's top in that frame.
    sp: usize,
}

#[derive(Default, Debug)]
pub(crate) struct Jumps {
    /// Outermost first.
    armed: Vec<Armed>,
    /// The latest number: part of the state.
    pub last: u64,
}

impl Jumps {
    pub fn clear(&mut self) {
        self.armed.clear();
    }

    fn arm(&mut self, tokens: &mut [u64], i: usize, base: usize, real: usize, sp: usize) -> u64 {
        // Frames that are gone: below this one, or at its place before it was called.
        let fresh = tokens.iter().all(|t| *t == 0);
        while let Some(last) = self.armed.last() {
            if last.base > base || last.base == base && !fresh {
                break;
            }
            self.armed.pop();
        }
        let token = tokens[i];
        match self.armed.iter_mut().find(|a| a.token == token) {
            Some(known) => known.sp = sp,
            None => {
                self.last += 1;
                tokens[i] = self.last;
                self.push(tokens[i], base, real, sp);
            }
        }
        tokens[i]
    }

    fn push(&mut self, token: u64, base: usize, real: usize, sp: usize) {
        self.armed.push(Armed {
            token,
            base,
            real,
            sp,
        });
    }

    fn find(&self, token: u64) -> Option<Armed> {
        self.armed.iter().rev().find(|a| a.token == token).copied()
    }
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
        rank.handlers.jump_to(armed.base);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_name_frames() {
        let mut j = Jumps::default();
        let (mut outer, mut inner) = ([0; 2], [0; 1]);
        assert_eq!(j.arm(&mut outer, 1, 0x900, 0x910, 1), 1);
        assert_eq!(j.arm(&mut inner, 0, 0x800, 0x800, 2), 2);
        // Again at the same call; then at another of the frame, by which the inner one is gone.
        assert_eq!(j.arm(&mut inner, 0, 0x800, 0x800, 3), 2);
        assert_eq!(j.find(2).unwrap().sp, 3);
        assert_eq!(j.arm(&mut outer, 0, 0x900, 0x900, 4), 3);
        assert!(j.find(2).is_none());
        assert_eq!(j.find(3).unwrap().real, 0x900);
        assert_eq!(j.find(1).unwrap().real, 0x910);
        // Another call of a function at the same place of the stack.
        let mut other = [0; 1];
        assert_eq!(j.arm(&mut other, 0, 0x900, 0x900, 5), 4);
        assert!(j.find(1).is_none() && j.find(3).is_none());
        // As a restart lists them.
        j.clear();
        j.push(3, 0x700, 0x700, 6);
        let mut next = [0; 1];
        assert_eq!(j.arm(&mut next, 0, 0x600, 0x600, 7), 5);
    }
}
