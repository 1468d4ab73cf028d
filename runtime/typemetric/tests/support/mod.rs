//! Random C types and values, built and read back by code that shares nothing with the plans.

#![allow(dead_code)]

use pc3_typemetric::abi::{Abi, Endian, LongDouble};
use pc3_typemetric::layout::Arith;
use pc3_typemetric::plan::{Resolver, Unresolved};
use pc3_typemetric::types::{Kind, Type, TypeId, TypeTable};
use proptest::prelude::*;

/// A C type as the program text has it: the same under every ABI.
#[derive(Clone, Debug)]
pub enum Spec {
    Arith(Arith),
    Enum,
    Pointer,
    Function,
    Array(Box<Spec>, u64),
    Struct(Vec<Spec>),
    /// Bit-fields of this type, with these widths.
    Bits(Arith, Vec<u32>),
}

pub fn spec() -> impl Strategy<Value = Spec> {
    let arith = prop::sample::select(Arith::ALL).prop_map(Spec::Arith);
    let unit = prop::sample::select(
        &[
            Arith::Bool,
            Arith::Char,
            Arith::Short,
            Arith::UShort,
            Arith::Int,
            Arith::UInt,
            Arith::LongLong,
        ][..],
    );
    let bits = (unit, prop::collection::vec(1u32..=40, 1..5)).prop_map(|(unit, widths)| {
        let most = (8 * unit.ty(&Abi::I686).size) as u32;
        let most = if unit == Arith::Bool { 1 } else { most };
        Spec::Bits(unit, widths.into_iter().map(|w| w.min(most)).collect())
    });
    let leaf = prop_oneof![6 => arith, 1 => Just(Spec::Enum), 2 => Just(Spec::Pointer), 1 => Just(Spec::Function), 2 => bits];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            2 => prop::collection::vec(inner.clone(), 1..6).prop_map(Spec::Struct),
            1 => (inner, 1u64..5).prop_map(|(s, n)| Spec::Array(Box::new(s), n)),
        ]
    })
}

/// Builds the type under the table's ABI.
pub fn build(table: &mut TypeTable, spec: &Spec) -> TypeId {
    match spec {
        Spec::Arith(a) => table.arith(*a).unwrap(),
        Spec::Enum => table
            .add(Type::scalar(Kind::Enum, "enum color", 4, 4, 0))
            .unwrap(),
        Spec::Pointer => table.pointer_to(TypeId::UNKNOWN).unwrap(),
        Spec::Function => {
            let f = table
                .add(Type::scalar(Kind::Function, "", 0, 1, 0))
                .unwrap();
            table.pointer_to(f).unwrap()
        }
        Spec::Array(elem, n) => {
            let elem = build(table, elem);
            table.array_of(elem, *n).unwrap()
        }
        Spec::Struct(parts) => {
            let ids: Vec<TypeId> = parts.iter().map(|p| build(table, p)).collect();
            let names: Vec<String> = (0..ids.len()).map(|i| format!("m{i}")).collect();
            let members: Vec<_> = names
                .iter()
                .zip(ids)
                .map(|(n, id)| (n.as_str(), id, None))
                .collect();
            table.record(Kind::Struct, "", &members).unwrap()
        }
        Spec::Bits(unit, widths) => {
            let id = table.arith(*unit).unwrap();
            let names: Vec<String> = (0..widths.len()).map(|i| format!("b{i}")).collect();
            let members: Vec<_> = names
                .iter()
                .zip(widths)
                .map(|(n, w)| (n.as_str(), id, Some(*w)))
                .collect();
            table.record(Kind::Struct, "", &members).unwrap()
        }
    }
}

/// One scalar of an object: where it is and what it is.
#[derive(Clone, Debug)]
pub struct Leaf {
    pub path: String,
    /// Byte offset; for a bit-field bit offset and width in memory order.
    pub offset: u64,
    pub bits: Option<(u64, u32)>,
    pub ty: TypeId,
    pub size: u64,
}

pub fn leaves(table: &TypeTable, id: TypeId, at: u64, path: &str, out: &mut Vec<Leaf>) {
    let t = table.get(id);
    match t.kind {
        Kind::Array => {
            for i in 0..t.count {
                leaves(
                    table,
                    t.elem,
                    at + i * table.size(t.elem),
                    &format!("{path}[{i}]"),
                    out,
                );
            }
        }
        Kind::Struct => {
            for m in &t.members {
                let path = format!("{path}.{}", m.name);
                match m.bits {
                    None => leaves(table, m.ty, at + m.offset, &path, out),
                    Some(b) => {
                        let bits = Some((at * 8 + b.offset, b.width));
                        out.push(Leaf {
                            path,
                            offset: at + m.offset,
                            bits,
                            ty: m.ty,
                            size: 0,
                        });
                    }
                }
            }
        }
        Kind::Complex => {
            for i in 0..2 {
                let size = t.size / 2;
                out.push(Leaf {
                    path: format!("{path}[{i}]"),
                    offset: at + i * size,
                    bits: None,
                    ty: id,
                    size,
                });
            }
        }
        _ => out.push(Leaf {
            path: path.into(),
            offset: at,
            bits: None,
            ty: id,
            size: t.size,
        }),
    }
}

/// A value that every ABI can hold in a scalar, made from random bits.
pub fn value_for(table: &TypeTable, leaf: &Leaf, seed: u64) -> Value {
    let t = table.get(leaf.ty);
    match t.kind {
        Kind::Float | Kind::Complex => {
            let wide = t.is_long_double() || leaf.size > 4;
            Value::Float(if wide {
                f64::from_bits(seed)
            } else {
                f64::from(f32::from_bits(seed as u32))
            })
        }
        Kind::Pointer => Value::Int(i128::from(seed as u32 >> 1)),
        Kind::Bool => Value::Int(i128::from(seed & 1)),
        Kind::Char => Value::Int(
            i128::from(seed & 0x7f) & ((1 << leaf.bits.map_or(7, |b| b.1.min(8) - 1)) - 1),
        ),
        _ => {
            // `long` is narrowest with 32 bits, `long long` and the others are equal everywhere.
            let narrowest = if t.name.ends_with("long long") {
                64
            } else {
                (8 * leaf.size).min(32) as u32
            };
            let bits = leaf.bits.map_or(narrowest, |b| b.1);
            let mask = (1u128 << bits) - 1;
            let raw = (u128::from(seed) & mask) as i128;
            let signed = t.kind == Kind::SInt && raw >> (bits - 1) & 1 == 1;
            Value::Int(if signed { raw - (1i128 << bits) } else { raw })
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Value {
    Int(i128),
    Float(f64),
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

/// Writes a scalar bit by bit, straight from the definition of the formats.
pub fn write(table: &TypeTable, leaf: &Leaf, value: Value, bytes: &mut [u8]) {
    let abi = table.abi();
    let (raw, bits) = match value {
        Value::Int(v) => (v as u128, leaf.bits.map_or(leaf.size * 8, |b| b.1.into())),
        Value::Float(v) => float_bits(abi, table.get(leaf.ty), leaf.size, v),
    };
    for k in 0..bits {
        let set = raw >> k & 1 == 1;
        let (byte, mask) = place(abi, leaf, bits, k);
        bytes[byte] = bytes[byte] & !mask | if set { mask } else { 0 };
    }
}

pub fn read(table: &TypeTable, leaf: &Leaf, bytes: &[u8]) -> Value {
    let abi = table.abi();
    let t = table.get(leaf.ty);
    let float = matches!(t.kind, Kind::Float | Kind::Complex);
    let bits = match leaf.bits {
        Some(b) => b.1.into(),
        None if float => float_bits(abi, t, leaf.size, 0.0).1,
        None => leaf.size * 8,
    };
    let mut raw = 0u128;
    for k in 0..bits {
        let (byte, mask) = place(abi, leaf, bits, k);
        raw |= u128::from(bytes[byte] & mask != 0) << k;
    }
    if float {
        return Value::Float(float_value(abi, t, leaf.size, raw));
    }
    let signed = t.kind == Kind::SInt || t.kind == Kind::Char && abi.char_signed;
    let negative = signed && raw >> (bits - 1) & 1 == 1;
    Value::Int(raw as i128 - if negative { 1i128 << bits } else { 0 })
}

/// Byte and mask of the bit of weight 2^k.
fn place(abi: &Abi, leaf: &Leaf, bits: u64, k: u64) -> (usize, u8) {
    let first = leaf.bits.map_or(leaf.offset * 8, |b| b.0);
    match abi.endian {
        Endian::Little => (((first + k) / 8) as usize, 1 << ((first + k) % 8)),
        Endian::Big => {
            let at = first + bits - 1 - k;
            ((at / 8) as usize, 0x80 >> (at % 8))
        }
    }
}

fn format(abi: &Abi, t: &Type, size: u64) -> LongDouble {
    if t.is_long_double() {
        abi.long_double_format
    } else {
        assert!(size <= 8);
        LongDouble::Binary64
    }
}

/// Raw bits and their number.
fn float_bits(abi: &Abi, t: &Type, size: u64, v: f64) -> (u128, u64) {
    if !t.is_long_double() && size == 4 {
        // Not by conversion, which would quiet signalling NaNs.
        let b = v.to_bits();
        let f = if v.is_nan() {
            ((b >> 32) as u32 & 0x8000_0000) | 0x7f80_0000 | (b >> 29) as u32 & 0x7f_ffff
        } else {
            (v as f32).to_bits()
        };
        return (f.into(), 32);
    }
    let b = v.to_bits();
    let (sign, e, mut m) = (
        u128::from(b >> 63),
        (b >> 52 & 0x7ff) as i64,
        u128::from(b & ((1 << 52) - 1)),
    );
    let (mut e15, mut integer) = match e {
        0 => (0, 0),
        0x7ff => (0x7fff, 1),
        e => (e - 1023 + 16383, 1),
    };
    if e == 0 && m != 0 {
        // A denormal of binary64 is normal in the wider formats.
        let up = 52 - (127 - i64::from(m.leading_zeros()));
        m = m << up & ((1 << 52) - 1);
        (e15, integer) = (1 - 1023 + 16383 - up, 1);
    }
    match format(abi, t, size) {
        LongDouble::Binary64 => (b.into(), 64),
        LongDouble::X87Ext80 => (
            sign << 79 | (e15 as u128) << 64 | integer << 63 | m << 11,
            80,
        ),
        LongDouble::Binary128 => (sign << 127 | (e15 as u128) << 112 | m << 60, 128),
        LongDouble::DoubleDouble => unreachable!(),
    }
}

fn float_value(abi: &Abi, t: &Type, size: u64, raw: u128) -> f64 {
    if !t.is_long_double() && size == 4 {
        let f = raw as u32;
        if f32::from_bits(f).is_nan() {
            return f64::from_bits(
                u64::from(f >> 31) << 63 | 0x7ff << 52 | u64::from(f & 0x7f_ffff) << 29,
            );
        }
        return f32::from_bits(f).into();
    }
    let (sign, e15, m) = match format(abi, t, size) {
        LongDouble::Binary64 => return f64::from_bits(raw as u64),
        LongDouble::X87Ext80 => (raw >> 79, raw >> 64 & 0x7fff, raw << 65 >> 65 << 49),
        _ => (raw >> 127, raw >> 112 & 0x7fff, raw & ((1 << 112) - 1)),
    };
    assert_eq!(m % (1 << 60), 0, "precision nobody put in");
    let m52 = (m >> 60) as u64;
    let magnitude = match e15 as i64 {
        0 => 0,
        0x7fff => 0x7ff << 52 | m52,
        e if e - 16383 >= -1022 => ((e - 16383 + 1023) as u64) << 52 | m52,
        e => (1 << 52 | m52) >> (-1022 - (e - 16383)),
    };
    f64::from_bits((sign as u64) << 63 | magnitude)
}

/// Moves every reference by a distance.
pub struct Shift(pub i64);

impl Shift {
    fn moved(&self, raw: u64) -> Result<u64, Unresolved> {
        Ok(raw.wrapping_add_signed(self.0))
    }
}

impl Resolver for Shift {
    fn pointer(&mut self, raw: u64, _: TypeId) -> Result<u64, Unresolved> {
        self.moved(raw)
    }
    fn function(&mut self, raw: u64) -> Result<u64, Unresolved> {
        self.moved(raw)
    }
    fn handle(&mut self, raw: u64, _: TypeId) -> Result<u64, Unresolved> {
        self.moved(raw)
    }
    fn file(&mut self, raw: u64) -> Result<u64, Unresolved> {
        self.moved(raw)
    }
}
