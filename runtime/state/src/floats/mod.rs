//! The floating-point environment of each rank: rounding, traps and the flags of what has happened.
//!
//! A checkpoint has it by names, since every architecture numbers it differently.  Between locations it lies in the
//! processor's registers; they are exchanged with a rank's stack only in programs that name a function of `fenv.h`.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::OnceLock;

use pc3_format::meta::FloatsMeta;

// An architecture without a file here cannot be built for.
#[cfg_attr(any(target_arch = "x86_64", target_arch = "x86"), path = "x86.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(target_arch = "s390x", path = "s390x.rs")]
#[cfg_attr(target_arch = "riscv64", path = "riscv64.rs")]
#[cfg_attr(target_arch = "arm", path = "arm.rs")]
mod registers;

pub use registers::Registers;

/// Bits of flags and traps.
pub(crate) const INVALID: u8 = 1;
pub(crate) const DIVISION: u8 = 2;
pub const OVERFLOW: u8 = 4;
pub(crate) const UNDERFLOW: u8 = 8;
pub(crate) const INEXACT: u8 = 16;
/// Some processors': an operand was no normal number.
#[allow(dead_code)] // not every processor's
pub(crate) const DENORMAL: u8 = 32;

/// A processor's bits and those of a checkpoint.
type Table = [(u32, u8)];

fn named(bits: u32, table: &Table) -> u8 {
    let set = table.iter().filter(|(b, _)| bits & b != 0);
    set.fold(0, |names, (_, n)| names | n)
}

fn numbered(names: u8, table: &Table) -> u32 {
    let set = table.iter().filter(|(_, n)| names & n != 0);
    set.fold(0, |bits, (b, _)| bits | b)
}

/// As a processor has the four directions: to nearest, to zero, up, down.
fn direction(bits: u32, all: [u32; 4]) -> u8 {
    all.iter().position(|b| *b == bits).unwrap_or(0) as u8
}

static FIRST: OnceLock<Registers> = OnceLock::new();

/// Ranks of this process may differ.
static APART: AtomicBool = AtomicBool::new(false);

/// To be called before the program runs.
pub fn note() {
    let _ = FIRST.set(Registers::read());
}

/// With which the program was started.
pub fn first() -> Registers {
    *FIRST.get_or_init(Registers::read)
}

/// Each of several ranks has its own from now on.
pub fn keep_apart() {
    APART.store(true, Relaxed);
}

/// What the caller had; the runtime's work neither sees nor changes it.
#[inline]
pub fn set_aside() -> Registers {
    let (first, now) = (first(), Registers::read());
    if now != first {
        first.write(now);
    }
    now
}

/// The caller's again.
#[inline]
pub fn put_back(kept: Registers) {
    let now = Registers::read();
    if now != kept {
        kept.write(now);
    }
}

/// A rank's, while its worker runs others.
#[derive(Clone, Copy, Debug)]
pub struct Floats(Option<Registers>);

impl Floats {
    /// The calling rank is about to wait, or to do what is not its own.
    #[inline]
    #[must_use]
    pub fn leave() -> Floats {
        Floats(APART.load(Relaxed).then(set_aside))
    }

    /// It goes on.
    #[inline]
    pub fn enter(self) {
        if let Some(kept) = self.0 {
            put_back(kept);
        }
    }
}

/// By names.
pub fn describe(of: Registers) -> FloatsMeta {
    let (rounding, flags, traps) = of.names();
    let special = of.special();
    FloatsMeta {
        rounding,
        flags,
        traps,
        special: (special != first().special()).then_some((registers::FAMILY, special)),
    }
}

/// In this processor's registers, or why not.
pub fn here(saved: &FloatsMeta) -> Result<Registers, String> {
    let special = match saved.special {
        None => None,
        Some((family, bits)) if family == registers::FAMILY => Some(bits),
        Some(_) => {
            return Err("the program has set the processor to flush small numbers to zero, or to another precision, as this architecture does not".to_owned())
        }
    };
    let here = first().with(saved.rounding, saved.flags, saved.traps, special);
    let before = Registers::read();
    here.write(before);
    let taken = Registers::read();
    before.write(taken);
    let lost = saved.traps & !taken.names().2;
    if lost != 0 {
        return Err("the program has exceptions of floating-point arithmetic trapped (feenableexcept), which this processor does not do".to_owned());
    }
    Ok(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_environment_comes_back() {
        let before = Registers::read();
        let all = INVALID | DIVISION | OVERFLOW | UNDERFLOW | INEXACT;
        for rounding in 0..4 {
            for flags in [0, INVALID, DIVISION | INEXACT, all] {
                let saved = FloatsMeta {
                    rounding,
                    flags,
                    ..FloatsMeta::default()
                };
                let made = here(&saved).unwrap();
                put_back(made);
                let got = set_aside();
                let clean = set_aside();
                assert_eq!(describe(got), saved);
                assert_eq!(clean, first());
            }
        }
        put_back(before);
    }

    #[test]
    fn another_architecture_s_bits_are_refused() {
        let saved = FloatsMeta {
            special: Some((registers::FAMILY + 1, 1)),
            ..FloatsMeta::default()
        };
        here(&saved).unwrap_err();
    }
}
