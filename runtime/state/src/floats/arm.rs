//! 32-bit ARM: one register.

use std::arch::asm;

use super::{
    direction, named, numbered, Table, DENORMAL, DIVISION, INEXACT, INVALID, OVERFLOW, UNDERFLOW,
};

pub(super) const FAMILY: u8 = 5;

/// Flags; traps lie higher.
const EXCEPTIONS: &Table = &[
    (1, INVALID),
    (2, DIVISION),
    (4, OVERFLOW),
    (8, UNDERFLOW),
    (16, INEXACT),
    (128, DENORMAL),
];
const ALL: u32 = 0x9f;
const TRAPS: u32 = 8;
/// To nearest, to zero, up, down.
const DIRECTIONS: [u32; 4] = [0, 3 << 22, 1 << 22, 2 << 22];
const ROUNDING: u32 = 3 << 22;
/// Small numbers are flushed to zero; what is no number is always the same.
const MODES: u32 = 3 << 24;

pub use self::Arm as Registers;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arm(u32);

impl Arm {
    #[inline]
    pub fn read() -> Arm {
        let all: u32;
        // SAFETY: a register is read.
        unsafe {
            asm!("vmrs {0}, fpscr", out(reg) all, options(nostack, preserves_flags));
        }
        // The top bits are what the last comparison found.
        Arm(all & (MODES | ROUNDING | ALL | ALL << TRAPS))
    }

    /// `now`: what the register holds.
    pub fn write(self, now: Arm) {
        if self != now {
            // SAFETY: a value that was read, or made of such and bits that exist.
            unsafe {
                asm!("vmsr fpscr, {0}", in(reg) self.0, options(nostack));
            }
        }
    }

    /// Direction, flags, traps.
    pub fn names(self) -> (u8, u8, u8) {
        (
            direction(self.0 & ROUNDING, DIRECTIONS),
            named(self.0, EXCEPTIONS),
            named(self.0 >> TRAPS, EXCEPTIONS),
        )
    }

    /// What has no name.
    pub fn special(self) -> u64 {
        (self.0 & MODES).into()
    }

    pub fn with(self, rounding: u8, flags: u8, traps: u8, special: Option<u64>) -> Arm {
        let special = special.unwrap_or(self.special()) as u32 & MODES;
        let direction = DIRECTIONS[usize::from(rounding & 3)];
        Arm(special
            | direction
            | numbered(flags, EXCEPTIONS)
            | numbered(traps, EXCEPTIONS) << TRAPS)
    }
}
