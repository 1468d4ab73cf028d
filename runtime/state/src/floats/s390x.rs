//! s390x: one register.

use std::arch::asm;

use super::{direction, named, numbered, Table, DIVISION, INEXACT, INVALID, OVERFLOW, UNDERFLOW};

pub(super) const FAMILY: u8 = 3;

/// Flags; traps lie higher.
const EXCEPTIONS: &Table = &[
    (0x80 << 16, INVALID),
    (0x40 << 16, DIVISION),
    (0x20 << 16, OVERFLOW),
    (0x10 << 16, UNDERFLOW),
    (0x08 << 16, INEXACT),
];
const ALL: u32 = 0xf8 << 16;
const TRAPS: u32 = 8;
/// To nearest, to zero, up, down.
const DIRECTIONS: [u32; 4] = [0, 1, 2, 3];
const ROUNDING: u32 = 7;
/// Why the last trap was.
const REASON: u32 = 0xff00;

pub use self::S390x as Registers;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct S390x(u32);

impl S390x {
    #[inline]
    pub fn read() -> S390x {
        let all: u64;
        // SAFETY: a register is read.
        unsafe {
            asm!("lghi {0}, 0", "efpc {0}", out(reg) all, options(nostack, preserves_flags));
        }
        S390x(all as u32 & !REASON)
    }

    /// `now`: what the register holds.
    pub fn write(self, now: S390x) {
        if self != now {
            // SAFETY: a value that was read, or made of such and bits that exist.
            unsafe {
                asm!("sfpc {0}", in(reg) u64::from(self.0), options(nostack, preserves_flags));
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
        let odd = match self.0 & ROUNDING {
            direction @ 4.. => direction,
            _ => 0,
        };
        (self.0 & !(ROUNDING | ALL | ALL << TRAPS) | odd).into()
    }

    pub fn with(self, rounding: u8, flags: u8, traps: u8, special: Option<u64>) -> S390x {
        let special = special.unwrap_or(self.special()) as u32;
        let direction = DIRECTIONS[usize::from(rounding & 3)];
        S390x(
            special
                | direction
                | numbered(flags, EXCEPTIONS)
                | numbered(traps, EXCEPTIONS) << TRAPS,
        )
    }
}
