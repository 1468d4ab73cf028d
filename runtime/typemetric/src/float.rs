//! Exact conversion between floating-point formats.
//!
//! The rule: a value is converted if the target format represents it exactly, and refused
//! otherwise; nothing is rounded.  Widening is therefore always possible.  NaNs keep their sign
//! and payload, aligned at the quiet bit, and are refused if payload bits would be lost.  x87
//! encodings that no arithmetic produces (unnormals, pseudo-NaNs, pseudo-infinities) are refused.

use crate::abi::{Abi, Endian, LongDouble};
use crate::types::Type;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Format {
    Binary32,
    Binary64,
    Binary128,
    X87,
}

/// Bytes of a number in memory: its format and the room it takes (x87: 12 or 16).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stored {
    pub format: Format,
    pub size: u8,
}

impl Stored {
    /// The format of a float type, or of the parts of a complex one; `None` for double-double.
    pub fn of(abi: &Abi, ty: &Type) -> Option<Stored> {
        let size = if ty.kind == crate::types::Kind::Complex {
            ty.size / 2
        } else {
            ty.size
        };
        let format = if ty.is_long_double() {
            match abi.long_double_format {
                LongDouble::X87Ext80 => Format::X87,
                LongDouble::Binary128 => Format::Binary128,
                LongDouble::Binary64 => Format::Binary64,
                LongDouble::DoubleDouble => return None,
            }
        } else if size == 4 {
            Format::Binary32
        } else {
            Format::Binary64
        };
        Some(Stored {
            format,
            size: size as u8,
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatError {
    Inexact,
    Invalid,
}

impl Format {
    /// Bits of the fraction field, without the integer bit.
    fn fraction(self) -> u32 {
        match self {
            Format::Binary32 => 23,
            Format::Binary64 => 52,
            Format::X87 => 63,
            Format::Binary128 => 112,
        }
    }
    fn exponent_bits(self) -> u32 {
        match self {
            Format::Binary32 => 8,
            Format::Binary64 => 11,
            Format::X87 | Format::Binary128 => 15,
        }
    }
    fn bias(self) -> i32 {
        (1 << (self.exponent_bits() - 1)) - 1
    }
    fn bytes(self) -> usize {
        match self {
            Format::Binary32 => 4,
            Format::Binary64 => 8,
            Format::X87 => 10,
            Format::Binary128 => 16,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Value {
    Zero,
    Infinity,
    /// Fraction aligned at bit 127.
    Nan(u128),
    /// `significand` has its top bit set and stands for 1.xxx × 2^exponent.
    Finite {
        significand: u128,
        exponent: i32,
    },
}

/// Converts one number; both slices have their format's size.
pub(crate) fn convert(
    src: &[u8],
    from: Format,
    from_endian: Endian,
    dst: &mut [u8],
    to: Format,
    to_endian: Endian,
) -> Result<(), FloatError> {
    let raw = load(src, from, from_endian);
    let (negative, value) = decode(raw, from)?;
    let raw = encode(negative, value, to)?;
    store(raw, dst, to, to_endian);
    Ok(())
}

fn load(src: &[u8], format: Format, endian: Endian) -> u128 {
    let n = format.bytes();
    let mut le = [0; 16];
    le[..n].copy_from_slice(&src[..n]);
    if endian == Endian::Big {
        le[..n].reverse();
    }
    u128::from_le_bytes(le)
}

fn store(raw: u128, dst: &mut [u8], format: Format, endian: Endian) {
    let n = format.bytes();
    let mut le = raw.to_le_bytes();
    if endian == Endian::Big {
        le[..n].reverse();
    }
    dst[..n].copy_from_slice(&le[..n]);
    dst[n..].fill(0);
}

fn decode(raw: u128, format: Format) -> Result<(bool, Value), FloatError> {
    let explicit = u32::from(format == Format::X87);
    let f = format.fraction();
    let fraction_mask = (1u128 << f) - 1;
    let fraction = raw & fraction_mask;
    let max = (1i32 << format.exponent_bits()) - 1;
    let biased = ((raw >> (f + explicit)) as i32) & max;
    let negative = raw >> (f + explicit + format.exponent_bits()) & 1 == 1;
    let integer_bit = raw >> f & 1 == 1;
    if explicit == 1 && biased != 0 && !integer_bit {
        return Err(FloatError::Invalid);
    }
    let value = if biased == max {
        if fraction == 0 {
            Value::Infinity
        } else {
            Value::Nan(fraction << (128 - f))
        }
    } else {
        let mut significand = fraction;
        if biased != 0 || (explicit == 1 && integer_bit) {
            significand |= 1 << f;
        }
        if significand == 0 {
            Value::Zero
        } else {
            let lead = significand.leading_zeros();
            let exponent = biased.max(1) - format.bias() + (127 - f) as i32 - lead as i32;
            Value::Finite {
                significand: significand << lead,
                exponent,
            }
        }
    };
    Ok((negative, value))
}

fn encode(negative: bool, value: Value, format: Format) -> Result<u128, FloatError> {
    let explicit = u32::from(format == Format::X87);
    let f = format.fraction();
    let max = (1i32 << format.exponent_bits()) - 1;
    // Exponent field and significand including the integer bit.
    let (biased, significand) = match value {
        Value::Zero => (0, 0),
        Value::Infinity => (max, 1 << f),
        Value::Nan(payload) => {
            let kept = payload >> (128 - f);
            if kept << (128 - f) != payload {
                return Err(FloatError::Inexact);
            }
            (max, kept | 1 << f)
        }
        Value::Finite {
            significand,
            exponent,
        } => {
            if exponent > format.bias() {
                return Err(FloatError::Inexact);
            }
            let least = 1 - format.bias();
            let below = least.saturating_sub(exponent).max(0) as u32;
            let shift = 127 - f + below;
            if shift > 127 {
                return Err(FloatError::Inexact);
            }
            let kept = significand >> shift;
            if kept << shift != significand {
                return Err(FloatError::Inexact);
            }
            (
                if below > 0 {
                    0
                } else {
                    exponent + format.bias()
                },
                kept,
            )
        }
    };
    let field = if explicit == 1 {
        significand
    } else {
        significand & ((1 << f) - 1)
    };
    Ok(
        u128::from(negative) << (f + explicit + format.exponent_bits())
            | (biased as u128) << (f + explicit)
            | field,
    )
}

/// The number as a person reads it: decimal as far as binary64 reaches, else in powers of two; in hexadecimal, as C
/// writes it, if it has more digits.
pub fn text(src: &[u8], format: Format, endian: Endian) -> String {
    let Ok((negative, value)) = decode(load(src, format, endian), format) else {
        return "an invalid x87 encoding".into();
    };
    let sign = if negative { "-" } else { "" };
    match value {
        Value::Zero => format!("{sign}0"),
        Value::Infinity => format!("{sign}inf"),
        Value::Nan(payload) => format!("{sign}nan(0x{:x})", payload >> 64),
        Value::Finite {
            significand,
            exponent,
        } => {
            if significand << 53 != 0 {
                let fraction = format!("{:032x}", significand << 1);
                let fraction = fraction.trim_end_matches('0');
                return format!("{sign}0x1.{fraction}p{exponent}");
            }
            let top = (significand >> 64) as u64 as f64 / 9_223_372_036_854_775_808.0;
            if (-1000..=1000).contains(&exponent) {
                format!("{sign}{:e}", top * 2f64.powi(exponent))
            } else {
                format!("{sign}{top}*2^{exponent}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digit_is_shown() {
        let check = |bits: u128, format: Format, expected: &str| {
            let bytes = bits.to_le_bytes();
            assert_eq!(text(&bytes, format, Endian::Little), expected);
        };
        let one = 0x3fff_u128 << 112;
        check(one, Format::Binary128, "1e0");
        check(one | 1 << 111, Format::Binary128, "1.5e0");
        let last = "0x1.0000000000000000000000000001p0";
        check(one | 1, Format::Binary128, last);
        let x87 = 0x3fff_u128 << 64 | 1 << 63;
        check(x87, Format::X87, "1e0");
        check(x87 | 1, Format::X87, "0x1.0000000000000002p0");
        check(1 << 127 | one | 1 << 111, Format::Binary128, "-1.5e0");
    }
}
