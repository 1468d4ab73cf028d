//! Bytes of a checkpoint as typed values, under the ABI that wrote them.

use pc3_typemetric::abi::{Abi, Endian};
use pc3_typemetric::float::{self, Format, Stored};
use pc3_typemetric::types::{AddressBits, Bits, Kind, Member, Type, TypeId};

use super::image::{Image, Target};

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Bool(bool),
    Int(i128),
    Char(u8),
    Float(f64),
    Single(f32),
    /// A number beyond binary64.
    Number(String),
    Complex(Box<(Value, Value)>),
    Pointer(Target),
    /// An MPI handle or a stream.
    Token(u64),
    /// A char array's contents, the terminating zeros left out.
    Text(Vec<u8>),
    Bytes(Vec<u8>),
    Record(Vec<(String, Value)>),
    /// Every member's view of the same bytes.
    Union(Vec<(String, Value)>),
    /// A value of a Rust enum: the variant's name and members.
    Variant(String, Vec<(String, Value)>),
    /// The first elements, and how many more there are.
    List(Vec<Value>, u64),
}

pub(super) struct Reader<'a> {
    pub image: &'a Image<'a>,
    /// Elements of an array that are looked at.
    pub limit: usize,
}

impl Reader<'_> {
    fn abi(&self) -> &Abi {
        self.image.types().abi()
    }

    /// An object that consists of values of one type: one, an array, or one with a flexible end.
    pub fn object(&self, ty: TypeId, bytes: &[u8]) -> Value {
        let types = self.image.types();
        let size = types.size(ty) as usize;
        if ty == TypeId::UNKNOWN || size == 0 {
            return self.raw(bytes);
        }
        if bytes.len() == size || (types.trailing_array(ty).is_some() && bytes.len() > size) {
            return self.value(ty, bytes);
        }
        self.list(ty, bytes)
    }

    /// `bytes` may be longer than the type if it ends with a flexible array.
    pub fn value(&self, ty: TypeId, bytes: &[u8]) -> Value {
        let t = self.image.types().get(ty);
        if bytes.len() < t.size as usize {
            return self.raw(bytes);
        }
        match t.kind {
            Kind::Struct => match self.variant(t, bytes) {
                Some(variant) => variant,
                None => Value::Record(self.members(t, bytes)),
            },
            Kind::Union => Value::Union(self.members(t, bytes)),
            Kind::Array => self.list(
                t.elem,
                if t.count > 0 {
                    &bytes[..t.size as usize]
                } else {
                    bytes
                },
            ),
            _ => self.scalar(t, &bytes[..t.size as usize]),
        }
    }

    /// Of what the crate describes enums as: a number, and a union of structs that are named after enum and variant.
    fn variant(&self, t: &Type, bytes: &[u8]) -> Option<Value> {
        let (variant, inside) = self.chosen(t, bytes)?;
        let members = self.members(self.image.types().get(variant.ty), inside);
        Some(Value::Variant(variant.name.clone(), members))
    }

    /// The variant that a value of a Rust enum is, and its bytes.
    pub fn chosen<'b>(&self, t: &Type, bytes: &'b [u8]) -> Option<(&Member, &'b [u8])> {
        let types = self.image.types();
        let [tag, value] = t.members.as_slice() else {
            return None;
        };
        let union = types.get(value.ty);
        let named = |m: &Member| types.get(m.ty).name == format!("{}::{}", t.name, m.name);
        let is_enum = tag.name == "variant"
            && value.name == "value"
            && union.kind == Kind::Union
            && union.members.iter().all(named);
        if !is_enum {
            return None;
        }
        let at = |m: &Member| m.offset as usize..(m.offset + types.size(m.ty)) as usize;
        let tag = number(bytes.get(at(tag))?, self.abi().endian);
        let variant = union.members.get(usize::try_from(tag).ok()?)?;
        Some((variant, bytes.get(at(value))?.get(at(variant))?))
    }

    fn raw(&self, bytes: &[u8]) -> Value {
        let shown = bytes.len().min(self.limit.saturating_mul(8));
        if shown == bytes.len() {
            return Value::Bytes(bytes.to_vec());
        }
        Value::List(
            vec![Value::Bytes(bytes[..shown].to_vec())],
            (bytes.len() - shown) as u64,
        )
    }

    fn list(&self, elem: TypeId, bytes: &[u8]) -> Value {
        let types = self.image.types();
        let size = types.size(elem) as usize;
        if size == 0 {
            return self.raw(bytes);
        }
        if types.get(elem).kind == Kind::Char {
            let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |i| i + 1);
            let shown = end.min(self.limit.saturating_mul(16));
            if shown == end {
                return Value::Text(bytes[..end].to_vec());
            }
            return Value::List(
                vec![Value::Text(bytes[..shown].to_vec())],
                (end - shown) as u64,
            );
        }
        let count = bytes.len() / size;
        let items: Vec<Value> = bytes
            .chunks_exact(size)
            .take(self.limit)
            .map(|b| self.value(elem, b))
            .collect();
        let more = (count - items.len()) as u64;
        Value::List(items, more)
    }

    fn members(&self, t: &Type, bytes: &[u8]) -> Vec<(String, Value)> {
        let mut out = Vec::new();
        for (i, m) in t.members.iter().enumerate() {
            let last = i + 1 == t.members.len();
            match self.member(m, bytes, last) {
                // Members of an anonymous struct or union are named like the outer ones.
                Value::Record(inner) | Value::Union(inner) if m.name.is_empty() => {
                    out.extend(inner)
                }
                value => out.push((m.name.clone(), value)),
            }
        }
        out
    }

    pub fn member(&self, m: &Member, bytes: &[u8], last: bool) -> Value {
        let ty = self.image.types().get(m.ty);
        if let Some(bits) = m.bits {
            let value = bit_field(bits, bytes, self.abi().endian);
            return if ty.kind == Kind::Bool {
                Value::Bool(value != 0)
            } else {
                Value::Int(extend(value, bits.width, ty.is_signed(self.abi())))
            };
        }
        let start = m.offset as usize;
        let end = if last {
            bytes.len()
        } else {
            start + ty.size as usize
        };
        let flexible = last && self.image.types().trailing_array(m.ty).is_some();
        if last && ty.kind == Kind::Array && ty.count <= 1 {
            return self.list(ty.elem, &bytes[start..end]);
        }
        self.value(
            m.ty,
            &bytes[start..if flexible {
                end
            } else {
                start + ty.size as usize
            }],
        )
    }

    fn scalar(&self, t: &Type, bytes: &[u8]) -> Value {
        let endian = self.abi().endian;
        let unsigned = || number(bytes, endian);
        match t.kind {
            _ if bytes.is_empty() => Value::Bytes(Vec::new()),
            Kind::Bool => Value::Bool(unsigned() != 0),
            Kind::Char if bytes.len() == 1 => Value::Char(bytes[0]),
            Kind::Char | Kind::SInt | Kind::UInt | Kind::Enum | Kind::Bytes => Value::Int(extend(
                unsigned(),
                bytes.len() as u32 * 8,
                t.is_signed(self.abi()),
            )),
            Kind::Float => self.float(t, bytes),
            Kind::Complex => {
                let (re, im) = bytes.split_at(bytes.len() / 2);
                Value::Complex(Box::new((self.float(t, re), self.float(t, im))))
            }
            Kind::Pointer | Kind::Address => match self.address(t, bytes) {
                Some(addr) => Value::Pointer(self.image.target(addr, t.elem)),
                None => Value::Int(extend(
                    unsigned(),
                    bytes.len() as u32 * 8,
                    t.is_signed(self.abi()),
                )),
            },
            Kind::Handle | Kind::File => Value::Token(unsigned() as u64),
            _ => Value::Bytes(bytes.to_vec()),
        }
    }

    /// What a pointer, or a number that is one, points to.
    pub fn address(&self, t: &Type, bytes: &[u8]) -> Option<u64> {
        let raw = number(bytes, self.abi().endian) as u64;
        match t.kind {
            Kind::Pointer => Some(raw),
            Kind::Address if AddressBits::of(t).is_address(raw) => {
                Some(raw & !u64::from(AddressBits::of(t).tags))
            }
            _ => None,
        }
    }

    fn float(&self, t: &Type, bytes: &[u8]) -> Value {
        let endian = self.abi().endian;
        match Stored::of(self.abi(), t).map(|s| s.format) {
            Some(Format::Binary32) => Value::Single(f32::from_bits(number(bytes, endian) as u32)),
            Some(Format::Binary64) => Value::Float(f64::from_bits(number(bytes, endian) as u64)),
            Some(format) => Value::Number(float::text(bytes, format, endian)),
            None => Value::Bytes(bytes.to_vec()),
        }
    }
}

/// Up to 16 bytes as an unsigned number.
fn number(bytes: &[u8], endian: Endian) -> u128 {
    let fold = |n: u128, b: &u8| n << 8 | u128::from(*b);
    match endian {
        Endian::Big => bytes.iter().fold(0, fold),
        Endian::Little => bytes.iter().rev().fold(0, fold),
    }
}

fn extend(value: u128, bits: u32, signed: bool) -> i128 {
    let value = value as i128;
    if signed && bits > 0 && bits < 128 && value >> (bits - 1) & 1 != 0 {
        value - (1 << bits)
    } else {
        value
    }
}

fn bit_field(bits: Bits, bytes: &[u8], endian: Endian) -> u128 {
    let range = bits.bytes();
    let touched = &bytes[range.start as usize..range.end as usize];
    let skip = (bits.offset % 8) as u32;
    let shift = match endian {
        Endian::Little => skip,
        Endian::Big => touched.len() as u32 * 8 - skip - bits.width,
    };
    number(touched, endian) >> shift & ((1 << bits.width) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_fields_in_both_orders() {
        // Three fields of 3, 7 and 6 bits holding 5, 70 and 33.
        let check = |bytes: [u8; 2], endian| {
            let field = |offset, width| bit_field(Bits { offset, width }, &bytes, endian);
            assert_eq!((field(0, 3), field(3, 7), field(10, 6)), (5, 70, 33));
        };
        let packed = 5u16 | 70 << 3 | 33 << 10;
        check(packed.to_le_bytes(), Endian::Little);
        let packed = 5u16 << 13 | 70 << 6 | 33;
        check(packed.to_be_bytes(), Endian::Big);
    }

    #[test]
    fn signs() {
        assert_eq!(extend(5, 3, true), -3);
        assert_eq!(extend(5, 3, false), 5);
        assert_eq!(extend(u128::from(u64::MAX), 64, true), -1);
        assert_eq!(
            extend(u128::from(u64::MAX), 64, false),
            i128::from(u64::MAX)
        );
    }
}
