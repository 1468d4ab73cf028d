//! Other processors: what the C library says, without what only some have.

use std::ffi::c_int;

use super::{direction, named, numbered, Table, DIVISION, INEXACT, INVALID, OVERFLOW, UNDERFLOW};

pub(super) const FAMILY: u8 = 0;

extern "C" {
    fn fegetround() -> c_int;
    fn fesetround(direction: c_int) -> c_int;
    fn fetestexcept(of: c_int) -> c_int;
    fn feclearexcept(of: c_int) -> c_int;
    fn feraiseexcept(of: c_int) -> c_int;
    fn fegetexcept() -> c_int;
    fn feenableexcept(of: c_int) -> c_int;
    fn fedisableexcept(of: c_int) -> c_int;
}

// As on 32-bit ARM.
const EXCEPTIONS: &Table = &[
    (1, INVALID),
    (2, DIVISION),
    (4, OVERFLOW),
    (8, UNDERFLOW),
    (16, INEXACT),
];
const ALL: c_int = 31;
const DIRECTIONS: [u32; 4] = [0, 0xc0_0000, 0x40_0000, 0x80_0000];

pub use self::Other as Registers;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Other {
    rounding: c_int,
    flags: c_int,
    traps: c_int,
}

impl Other {
    pub fn read() -> Other {
        // SAFETY: plain calls.
        unsafe {
            Other {
                rounding: fegetround(),
                flags: fetestexcept(ALL),
                traps: fegetexcept(),
            }
        }
    }

    /// `now`: what the registers hold.
    pub fn write(self, _now: Other) {
        // SAFETY: plain calls.
        unsafe {
            fedisableexcept(ALL);
            feclearexcept(ALL);
            feraiseexcept(self.flags);
            fesetround(self.rounding);
            feenableexcept(self.traps);
        }
    }

    /// Direction, flags, traps.
    pub fn names(self) -> (u8, u8, u8) {
        (
            direction(self.rounding as u32, DIRECTIONS),
            named(self.flags as u32, EXCEPTIONS),
            named(self.traps as u32, EXCEPTIONS),
        )
    }

    /// What has no name.
    pub fn special(self) -> u64 {
        0
    }

    pub fn with(self, rounding: u8, flags: u8, traps: u8, _: Option<u64>) -> Other {
        Other {
            rounding: DIRECTIONS[usize::from(rounding & 3)] as c_int,
            flags: numbered(flags, EXCEPTIONS) as c_int,
            traps: numbered(traps, EXCEPTIONS) as c_int,
        }
    }
}
