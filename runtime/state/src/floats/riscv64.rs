//! RISC-V: one register, and no traps.

use std::arch::asm;

use super::{direction, named, numbered, Table, DIVISION, INEXACT, INVALID, OVERFLOW, UNDERFLOW};

pub(super) const FAMILY: u8 = 4;

const EXCEPTIONS: &Table = &[
    (0x10, INVALID),
    (0x08, DIVISION),
    (0x04, OVERFLOW),
    (0x02, UNDERFLOW),
    (0x01, INEXACT),
];
const ALL: u32 = 0x1f;
/// To nearest, to zero, up, down.
const DIRECTIONS: [u32; 4] = [0, 1 << 5, 3 << 5, 2 << 5];
const ROUNDING: u32 = 7 << 5;

pub use self::Riscv as Registers;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Riscv(u32);

impl Riscv {
    #[inline]
    pub fn read() -> Riscv {
        let all: u64;
        // SAFETY: a register is read.
        unsafe {
            asm!("frcsr {0}", out(reg) all, options(nostack, preserves_flags));
        }
        Riscv(all as u32 & (ROUNDING | ALL))
    }

    /// `now`: what the register holds.
    pub fn write(self, now: Riscv) {
        if self != now {
            // SAFETY: a value that was read, or made of such and bits that exist.
            unsafe {
                asm!("fscsr {0}", in(reg) u64::from(self.0), options(nostack));
            }
        }
    }

    /// Direction, flags, traps.
    pub fn names(self) -> (u8, u8, u8) {
        (
            direction(self.0 & ROUNDING, DIRECTIONS),
            named(self.0, EXCEPTIONS),
            0,
        )
    }

    /// What has no name: to nearest, halves away from zero.
    pub fn special(self) -> u64 {
        match self.0 & ROUNDING {
            direction if DIRECTIONS.contains(&direction) => 0,
            direction => direction.into(),
        }
    }

    /// Traps are not there: who asks for them finds none.
    pub fn with(self, rounding: u8, flags: u8, _traps: u8, special: Option<u64>) -> Riscv {
        let odd = special.unwrap_or(self.special()) as u32 & ROUNDING;
        let direction = match odd {
            0 => DIRECTIONS[usize::from(rounding & 3)],
            _ => odd,
        };
        Riscv(direction | numbered(flags, EXCEPTIONS))
    }
}
