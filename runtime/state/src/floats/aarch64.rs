//! AArch64: a control register and one of flags.

use std::arch::asm;

use super::{
    direction, named, numbered, Table, DENORMAL, DIVISION, INEXACT, INVALID, OVERFLOW, UNDERFLOW,
};

pub(super) const FAMILY: u8 = 2;

/// In the register of flags; traps lie as many bits higher in the other.
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

pub use self::Aarch64 as Registers;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Aarch64 {
    control: u32,
    status: u32,
}

impl Aarch64 {
    #[inline]
    pub fn read() -> Aarch64 {
        let (control, status): (u64, u64);
        // SAFETY: two registers are read.
        unsafe {
            asm!("mrs {}, fpcr", "mrs {}, fpsr", out(reg) control, out(reg) status, options(nostack, preserves_flags));
        }
        Aarch64 {
            control: control as u32,
            // The top bits belong to comparisons of another instruction set, one says that vectors have been saturated.
            status: status as u32 & ALL,
        }
    }

    /// `now`: what the registers hold.
    pub fn write(self, now: Aarch64) {
        // SAFETY: values that were read, or made of such and bits that exist.
        unsafe {
            if self.control != now.control {
                asm!("msr fpcr, {}", in(reg) u64::from(self.control), options(nostack, preserves_flags));
            }
            if self.status != now.status {
                let mut all: u64;
                asm!("mrs {}, fpsr", out(reg) all, options(nostack, preserves_flags));
                all = all & !u64::from(ALL) | u64::from(self.status);
                asm!("msr fpsr, {}", in(reg) all, options(nostack, preserves_flags));
            }
        }
    }

    /// Direction, flags, traps.
    pub fn names(self) -> (u8, u8, u8) {
        (
            direction(self.control & ROUNDING, DIRECTIONS),
            named(self.status, EXCEPTIONS),
            named(self.control >> TRAPS & ALL, EXCEPTIONS),
        )
    }

    /// What has no name.
    pub fn special(self) -> u64 {
        (self.control & !(ROUNDING | ALL << TRAPS)).into()
    }

    pub fn with(self, rounding: u8, flags: u8, traps: u8, special: Option<u64>) -> Aarch64 {
        let special = special.unwrap_or(self.special()) as u32;
        Aarch64 {
            control: special
                | DIRECTIONS[usize::from(rounding & 3)]
                | numbered(traps, EXCEPTIONS) << TRAPS,
            status: numbered(flags, EXCEPTIONS),
        }
    }
}
