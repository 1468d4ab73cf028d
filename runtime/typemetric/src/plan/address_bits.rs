//! Integers that hold addresses: translated like pointers, with tags in their low bits left as they are.

use crate::plan::resolve::{Reason, Resolver, Unresolved};
use crate::types::{AddressBits, TypeId};

/// What a step knows of such an integer on both sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Address {
    pub held: AddressBits,
    pub signed: bool,
    /// Bits of the source's and the target's integer, and of their pointers.
    pub bits: (u32, u32),
    pub pointers: (u32, u32),
}

fn low(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

impl Address {
    /// The target's value.
    pub fn translate(self, raw: u64, ctx: &mut dyn Resolver) -> Result<u64, Reason> {
        let tag = raw & u64::from(self.held.tags);
        if !self.held.is_address(raw) {
            return self.number(raw);
        }
        let pointer = (raw & !tag) & low(self.pointers.0);
        if pointer == 0 {
            return Ok(tag);
        }
        if self.held.alive && !ctx.is_live(pointer) {
            return self.number(raw);
        }
        let here = ctx
            .pointer(pointer, TypeId::UNKNOWN)
            .map_err(Reason::Unresolved)?;
        // Where 64 bits have everyday numbers, too.
        let everyday = self.pointers.0 == 64 && pointer >> 32 == 0;
        if self.held.alive && everyday && here != pointer {
            let why = "may be an address or a number: it is one of both at times, and something lies there";
            return Err(Reason::Unresolved(Unresolved(why.to_owned())));
        }
        if here > low(self.pointers.1) {
            return Err(Reason::Address(here));
        }
        if here & u64::from(self.held.tags) != 0 {
            let why = format!("its object lies at {here:#x} here, where its tag has no room");
            return Err(Reason::Unresolved(Unresolved(why)));
        }
        let above = self.bits.1 > self.pointers.1 && here >> (self.pointers.1 - 1) != 0;
        Ok(if above && self.extends(raw) {
            (here | tag | !low(self.pointers.1)) & low(self.bits.1)
        } else {
            here | tag
        })
    }

    /// Is an address of fewer bits continued by its highest bit?  Compilers do that, casts by way of `uintptr_t` do not.
    fn extends(self, raw: u64) -> bool {
        let told = self.bits.0 > self.pointers.0 && raw >> (self.pointers.0 - 1) & 1 != 0;
        if told {
            raw & !low(self.pointers.0) != 0
        } else {
            self.signed
        }
    }

    fn number(self, raw: u64) -> Result<u64, Reason> {
        let (from, to) = self.bits;
        let value = if self.signed {
            i128::from((raw << (64 - from)) as i64 >> (64 - from))
        } else {
            i128::from(raw)
        };
        let (least, most) = match self.signed {
            true => (-1i128 << (to - 1), (1i128 << (to - 1)) - 1),
            false => (0, (1i128 << to) - 1),
        };
        if (least..=most).contains(&value) {
            return Ok(value as u64 & low(to));
        }
        Err(Reason::Range {
            bits: to,
            signed: self.signed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Objects are a page higher here.
    struct Page(u64);
    impl Resolver for Page {
        fn pointer(&mut self, raw: u64, _: TypeId) -> Result<u64, Unresolved> {
            Ok(raw + self.0)
        }
        fn function(&mut self, raw: u64) -> Result<u64, Unresolved> {
            Ok(raw)
        }
        fn handle(&mut self, raw: u64, _: TypeId) -> Result<u64, Unresolved> {
            Ok(raw)
        }
        fn file(&mut self, raw: u64) -> Result<u64, Unresolved> {
            Ok(raw)
        }
    }

    #[test]
    fn addresses_and_numbers() {
        let check = |held: (u8, u16), signed, bits, pointers, raw, expected: Option<u64>| {
            let address = Address {
                held: AddressBits::new(held.0, held.1),
                signed,
                bits,
                pointers,
            };
            let got = address.translate(raw, &mut Page(0x1000));
            assert_eq!(got.as_ref().ok(), expected.as_ref(), "{raw:#x}: {got:?}");
        };
        let same = (64, 64);
        check((0, 1), false, same, same, 0x5000, Some(0x6000));
        check((0, 1), false, same, same, 0, Some(0));
        // Tags stay; a null with a tag is one.
        check((3, 0xf), false, same, same, 0x5003, Some(0x6003));
        check((3, 0xf), false, same, same, 2, Some(2));
        // With the tag 1 it is a number.
        check((1, 1), true, same, same, 0x5001, Some(0x5001));
        check((1, 1), true, same, (64, 32), 0x5000, Some(0x6000));
        check(
            (1, 1),
            true,
            (64, 32),
            (64, 32),
            u64::MAX,
            Some(0xffff_ffff),
        );
        check((1, 1), true, (64, 32), (64, 32), 0x1_0000_0001, None);
        check(
            (1, 1),
            true,
            (32, 64),
            (32, 64),
            0xffff_ffff,
            Some(u64::MAX),
        );
        // Wider than a pointer: as it was continued.
        let narrow = (32, 32);
        check(
            (0, 1),
            false,
            same,
            narrow,
            0xffff_ffff_f700_0000,
            Some(0xffff_ffff_f700_1000),
        );
        check((0, 1), true, same, narrow, 0xf700_0000, Some(0xf700_1000));
        check(
            (0, 1),
            true,
            same,
            (64, 32),
            0xf700_0000,
            Some(0xffff_ffff_f700_1000),
        );
        check(
            (0, 1),
            false,
            same,
            (64, 32),
            0xf700_0000,
            Some(0xf700_1000),
        );
        check((0, 1), false, (64, 32), (64, 32), 0x1_0000_0000, None);
    }

    #[test]
    fn tags_need_room() {
        let address = Address {
            held: AddressBits::new(7, 0xff),
            signed: false,
            bits: (64, 64),
            pointers: (64, 64),
        };
        assert!(address.translate(0x5001, &mut Page(4)).is_err());
    }
}
