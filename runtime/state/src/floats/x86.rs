//! x86: those of SSE, and the older unit's, which has `long double`.

use std::arch::asm;

use super::{
    direction, named, numbered, Table, DENORMAL, DIVISION, INEXACT, INVALID, OVERFLOW, UNDERFLOW,
};

pub(super) const FAMILY: u8 = 1;

/// The status's flags, and, each a mask that keeps one from trapping, the control word's; those of SSE lie side by side.
const EXCEPTIONS: &Table = &[
    (1, INVALID),
    (2, DENORMAL),
    (4, DIVISION),
    (8, OVERFLOW),
    (16, UNDERFLOW),
    (32, INEXACT),
];
const ALL: u32 = 63;
/// Where the masks begin in the register of SSE.
const MASKS: u32 = 7;
/// To nearest, to zero, up, down, in the control word; the register of SSE has them further up.
const DIRECTIONS: [u32; 4] = [0, 0xc00, 0x800, 0x400];
const HIGHER: u32 = 3;
/// Small results, and small operands, are zero.
const FLUSH: u32 = 0x8040;
/// Of the control word.
const PRECISION: u32 = 0x300;

pub use self::X86 as Registers;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct X86 {
    sse: u32,
    control: u16,
    /// The older unit's flags.
    status: u16,
}

impl X86 {
    #[inline]
    pub fn read() -> X86 {
        let (mut sse, mut control, mut status) = (0_u32, 0_u16, 0_u16);
        // SAFETY: three registers are stored to variables of their sizes.
        unsafe {
            asm!(
                "stmxcsr [{sse}]",
                "fnstcw [{control}]",
                "fnstsw [{status}]",
                sse = in(reg) &raw mut sse,
                control = in(reg) &raw mut control,
                status = in(reg) &raw mut status,
                options(nostack, preserves_flags),
            );
        }
        X86 {
            sse,
            control,
            status: status & ALL as u16,
        }
    }

    /// `now`: what the registers hold.
    pub fn write(self, now: X86) {
        // SAFETY: registers are loaded from variables of their sizes, with values that were read, or made of such and
        // bits that exist; the register stack of the older unit is as it was.
        unsafe {
            if self.sse != now.sse {
                asm!("ldmxcsr [{}]", in(reg) &raw const self.sse, options(nostack, preserves_flags, readonly));
            }
            if self.status != now.status {
                let mut all = [0_u32; 7];
                asm!("fnstenv [{}]", in(reg) &raw mut all, options(nostack, preserves_flags));
                all[0] = all[0] & !0xffff | u32::from(self.control);
                all[1] = all[1] & !(ALL | 0x80) | u32::from(self.status);
                asm!("fldenv [{}]", in(reg) &raw const all, options(nostack, preserves_flags, readonly));
            } else if self.control != now.control {
                asm!("fldcw [{}]", in(reg) &raw const self.control, options(nostack, preserves_flags, readonly));
            }
        }
    }

    /// Direction, flags, traps.
    pub fn names(self) -> (u8, u8, u8) {
        let rounding = direction(self.sse >> HIGHER & 0xc00, DIRECTIONS);
        let flags = named(self.sse | u32::from(self.status), EXCEPTIONS);
        (rounding, flags, named(!self.sse >> MASKS & ALL, EXCEPTIONS))
    }

    /// What has no name; where the units differ in direction or traps, also what the older one has.
    pub fn special(self) -> u64 {
        let control = u32::from(self.control);
        let same = self.sse >> HIGHER & 0xc00 == control & 0xc00
            && self.sse >> MASKS & ALL == control & ALL;
        let older = match same {
            true => control & PRECISION,
            false => control | 1 << 16,
        };
        u64::from(self.sse & FLUSH) | u64::from(older) << 32
    }

    pub fn with(self, rounding: u8, flags: u8, traps: u8, special: Option<u64>) -> X86 {
        let special = special.unwrap_or(self.special());
        let direction = DIRECTIONS[usize::from(rounding & 3)];
        let masks = ALL & !numbered(traps, EXCEPTIONS);
        let older = (special >> 32) as u32;
        let control = match older >> 16 {
            0 => u32::from(self.control) & !(PRECISION | 0xc00 | ALL) | older | direction | masks,
            _ => older,
        };
        X86 {
            sse: special as u32 & FLUSH
                | direction << HIGHER
                | masks << MASKS
                | numbered(flags, EXCEPTIONS),
            control: control as u16,
            // Here a flag would trap at once.
            status: 0,
        }
    }
}
