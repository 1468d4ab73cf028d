//! Numbers in the bytes of either side: integers of any width and order, and bit-fields.

use crate::abi::Endian;
use crate::plan::ops::Int;
use crate::plan::resolve::Reason;
use crate::types::Bits;

/// A fixed-width integer in host order.
pub(super) trait Raw: Copy {
    const SIZE: usize;
    fn get(bytes: &[u8]) -> Self;
    fn put(self, bytes: &mut [u8]);
    fn swapped(self) -> Self;
}

macro_rules! raw {
    ($($t:ty)*) => {$(impl Raw for $t {
        const SIZE: usize = size_of::<$t>();
        #[inline(always)]
        fn get(bytes: &[u8]) -> Self {
            let mut b = [0; size_of::<$t>()];
            b.copy_from_slice(bytes);
            <$t>::from_ne_bytes(b)
        }
        #[inline(always)]
        fn put(self, bytes: &mut [u8]) {
            bytes.copy_from_slice(&self.to_ne_bytes());
        }
        #[inline(always)]
        fn swapped(self) -> Self {
            self.swap_bytes()
        }
    })*};
}
raw!(u32 u64);

/// An integer of up to eight bytes.
pub(super) fn load(bytes: &[u8], endian: Endian) -> u64 {
    let mut value = [0; 8];
    let n = bytes.len();
    match endian {
        Endian::Little => {
            value[..n].copy_from_slice(bytes);
            u64::from_le_bytes(value)
        }
        Endian::Big => {
            value[8 - n..].copy_from_slice(bytes);
            u64::from_be_bytes(value)
        }
    }
}

pub(super) fn store(value: u64, bytes: &mut [u8], endian: Endian) {
    let n = bytes.len();
    match endian {
        Endian::Little => bytes.copy_from_slice(&value.to_le_bytes()[..n]),
        Endian::Big => bytes.copy_from_slice(&value.to_be_bytes()[8 - n..]),
    }
}

pub(super) fn widen(raw: u64, bits: u32, signed: bool) -> i128 {
    let unused = 64 - bits;
    if signed {
        ((raw << unused) as i64 >> unused).into()
    } else {
        (raw << unused >> unused).into()
    }
}

pub(super) fn narrow(
    value: i128,
    bits: u32,
    signed: bool,
) -> Result<u64, (Option<String>, Reason)> {
    let (least, most) = match signed {
        true => (-1i128 << (bits - 1), (1i128 << (bits - 1)) - 1),
        false => (0, (1i128 << bits) - 1),
    };
    if (least..=most).contains(&value) {
        return Ok(value as u64);
    }
    Err((Some(value.to_string()), Reason::Range { bits, signed }))
}

/// A number of sizes, which may have 128 bits.
pub(super) fn whole(bytes: &[u8], int: Int, endian: Endian) -> i128 {
    match (<[u8; 16]>::try_from(bytes), endian) {
        (Ok(all), Endian::Little) => i128::from_le_bytes(all),
        (Ok(all), Endian::Big) => i128::from_be_bytes(all),
        _ => widen(load(bytes, endian), u32::from(int.size) * 8, int.signed),
    }
}

pub(super) fn put_whole(
    value: i128,
    bytes: &mut [u8],
    int: Int,
    endian: Endian,
) -> Result<(), (Option<String>, Reason)> {
    match (bytes.len(), endian) {
        (16, Endian::Little) => bytes.copy_from_slice(&value.to_le_bytes()),
        (16, Endian::Big) => bytes.copy_from_slice(&value.to_be_bytes()),
        _ => store(
            narrow(value, u32::from(int.size) * 8, int.signed)?,
            bytes,
            endian,
        ),
    }
    Ok(())
}

/// The bits of a field, right-aligned.
pub(super) fn get_bits(element: &[u8], bits: Bits, endian: Endian) -> u64 {
    let bytes = bits.bytes();
    let first = (bits.offset % 8) as u32;
    let slice = &element[bytes.start as usize..bytes.end as usize];
    let all = match endian {
        Endian::Little => {
            slice
                .iter()
                .rev()
                .fold(0u128, |v, &b| v << 8 | u128::from(b))
                >> first
        }
        Endian::Big => {
            let used = slice.len() as u32 * 8;
            slice.iter().fold(0u128, |v, &b| v << 8 | u128::from(b)) >> (used - first - bits.width)
        }
    };
    (all & ((1u128 << bits.width) - 1)) as u64
}

/// Sets a field and leaves its neighbours as they are.
pub(super) fn put_bits(element: &mut [u8], bits: Bits, endian: Endian, value: u64) {
    let bytes = bits.bytes();
    let slice = &mut element[bytes.start as usize..bytes.end as usize];
    let used = slice.len() as u32 * 8;
    let first = (bits.offset % 8) as u32;
    let shift = match endian {
        Endian::Little => first,
        Endian::Big => used - first - bits.width,
    };
    let mask = ((1u128 << bits.width) - 1) << shift;
    let new = u128::from(value) << shift & mask;
    let n = slice.len();
    for (i, byte) in slice.iter_mut().enumerate() {
        let at = match endian {
            Endian::Little => i,
            Endian::Big => n - 1 - i,
        };
        *byte = *byte & !((mask >> (8 * at)) as u8) | (new >> (8 * at)) as u8;
    }
}
