//! A checkpoint's objects as named, typed values: what `pc3 show` prints.

use pc3_typemetric::abi::{Abi, Endian};
use pc3_typemetric::types::{Bits, Kind, TypeId, TypeTable};

use super::meta::Span;
use super::read::{Checkpoint, RankImage};

/// Where an object lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Area {
    Global,
    /// Live locals of a frame; its index, innermost first.
    Frame(usize),
    /// Locals of a frame whose address escapes.
    Escaping(usize),
    /// A variable-length array or `alloca` on the stack.
    Block,
    Heap,
}

/// A saved object.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    pub area: Area,
    /// Of a global or a frame's function; empty for blocks and heap objects.
    pub name: &'a str,
    /// 0 if it had none (live locals).
    pub addr: u64,
    /// Of the object, or of its elements: see `count`.
    pub ty: TypeId,
    pub bytes: &'a [u8],
}

#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Int(i128),
    Char(u8),
    Float(f64),
    /// Real and imaginary part.
    Complex(f64, f64),
    /// 0: null.
    Pointer(u64),
    /// Opaque tokens.
    Handle(u64),
    Struct(Vec<(String, Value)>),
    Union(Vec<(String, Value)>),
    Array(Vec<Value>),
    /// What has no better form: untyped or opaque bytes, long doubles.
    Bytes(Vec<u8>),
}

impl RankImage {
    /// All objects: globals, frames from the innermost out, the shadow stack, the heap.
    pub fn objects<'a>(&'a self, checkpoint: &'a Checkpoint) -> Vec<Object<'a>> {
        let program = &checkpoint.program;
        let mut all = Vec::new();
        for (g, span) in program
            .globals
            .iter()
            .filter(|g| !g.constant)
            .zip(&self.meta.globals)
        {
            let addr = g.addr.wrapping_add(self.meta.delta);
            all.push(self.object(Area::Global, &g.name, addr, g.ty, *span));
        }
        let func = |frame: usize| &program.funcs[self.meta.frames[frame].func as usize];
        for (i, f) in self.meta.frames.iter().enumerate() {
            if let Some(ty) = func(i).points[f.point as usize].live {
                all.push(self.object(Area::Frame(i), &func(i).name, 0, ty, f.live));
            }
        }
        for s in &self.meta.shadow {
            let frame = s.frame.map(|f| f as usize);
            let area = frame.map_or(Area::Block, Area::Escaping);
            let name = frame.map_or("", |f| &func(f).name);
            all.push(self.object(area, name, s.addr, s.ty, s.data));
        }
        for s in &self.meta.slabs {
            for (k, slot) in s.slots().enumerate() {
                let Some((size, ty)) = s.object(k) else { break };
                let span = Span {
                    offset: s.data.offset + k as u64 * s.slot,
                    bytes: size,
                };
                all.push(self.object(Area::Heap, "", s.base + slot * s.slot, ty, span));
            }
        }
        for l in &self.meta.large {
            all.push(self.object(Area::Heap, "", l.base, l.ty, l.data));
        }
        all
    }

    fn object<'a>(
        &'a self,
        area: Area,
        name: &'a str,
        addr: u64,
        ty: TypeId,
        span: Span,
    ) -> Object<'a> {
        Object {
            area,
            name,
            addr,
            ty,
            bytes: self.bytes(span),
        }
    }
}

impl Object<'_> {
    /// Its value; an array if it consists of several elements of its type.
    pub fn value(&self, types: &TypeTable) -> Value {
        let each = types.size(self.ty) as usize;
        if self.ty == TypeId::UNKNOWN || each == 0 {
            return Value::Bytes(self.bytes.to_vec());
        }
        let mut values: Vec<Value> = self
            .bytes
            .chunks_exact(each)
            .map(|b| value(types, self.ty, b))
            .collect();
        match values.len() {
            1 => values.remove(0),
            0 => Value::Bytes(self.bytes.to_vec()),
            _ => Value::Array(values),
        }
    }
}

fn unsigned(bytes: &[u8], endian: Endian) -> u128 {
    let fold = |sum: u128, byte: &u8| sum << 8 | u128::from(*byte);
    match endian {
        Endian::Big => bytes.iter().take(16).fold(0, fold),
        Endian::Little => bytes.iter().take(16).rev().fold(0, fold),
    }
}

fn signed(value: u128, bits: u32, is_signed: bool) -> i128 {
    let shift = 128 - bits.clamp(1, 128);
    if is_signed {
        (value << shift) as i128 >> shift
    } else {
        value as i128
    }
}

fn float(bytes: &[u8], endian: Endian) -> Option<f64> {
    let bits = unsigned(bytes, endian);
    match bytes.len() {
        4 => Some(f32::from_bits(bits as u32).into()),
        8 => Some(f64::from_bits(bits as u64)),
        _ => None,
    }
}

fn bit_field(bytes: &[u8], bits: Bits, is_signed: bool, endian: Endian) -> Value {
    let range = bits.bytes();
    let Some(part) = bytes.get(range.start as usize..range.end as usize) else {
        return Value::Bytes(Vec::new());
    };
    let lead = (bits.offset % 8) as u32;
    let shift = match endian {
        Endian::Little => lead,
        Endian::Big => part.len() as u32 * 8 - lead - bits.width,
    };
    let mask = (1_u128 << bits.width) - 1;
    Value::Int(signed(
        unsigned(part, endian) >> shift & mask,
        bits.width,
        is_signed,
    ))
}

/// The value of `bytes`, which have the size of `ty`, in the table's ABI.
pub fn value(types: &TypeTable, ty: TypeId, bytes: &[u8]) -> Value {
    let t = types.get(ty);
    let abi: &Abi = types.abi();
    let raw = || Value::Bytes(bytes.to_vec());
    match t.kind {
        Kind::Char => bytes.first().map_or_else(raw, |b| Value::Char(*b)),
        Kind::Bool | Kind::SInt | Kind::UInt | Kind::Enum => Value::Int(signed(
            unsigned(bytes, abi.endian),
            bytes.len() as u32 * 8,
            t.is_signed(abi),
        )),
        Kind::Float => float(bytes, abi.endian)
            .filter(|_| !t.is_long_double())
            .map_or_else(raw, Value::Float),
        Kind::Complex => {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            match (float(re, abi.endian), float(im, abi.endian)) {
                (Some(re), Some(im)) => Value::Complex(re, im),
                _ => raw(),
            }
        }
        Kind::Pointer => Value::Pointer(unsigned(bytes, abi.endian) as u64),
        Kind::Handle | Kind::File => Value::Handle(unsigned(bytes, abi.endian) as u64),
        Kind::Array => match types.size(t.elem) as usize {
            0 => raw(),
            each => Value::Array(
                bytes
                    .chunks_exact(each)
                    .map(|b| value(types, t.elem, b))
                    .collect(),
            ),
        },
        Kind::Struct | Kind::Union => {
            let members = t.members.iter().map(|m| {
                let v = match m.bits {
                    Some(bits) => {
                        bit_field(bytes, bits, types.get(m.ty).is_signed(abi), abi.endian)
                    }
                    None => {
                        let start = m.offset as usize;
                        let part = bytes.get(start..start + types.size(m.ty) as usize);
                        part.map_or(Value::Bytes(Vec::new()), |b| value(types, m.ty, b))
                    }
                };
                (m.name.clone(), v)
            });
            match t.kind {
                Kind::Struct => Value::Struct(members.collect()),
                _ => Value::Union(members.collect()),
            }
        }
        Kind::Void | Kind::Function | Kind::Opaque => raw(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pc3_typemetric::types::{Member, Type};

    #[test]
    fn values_of_both_byte_orders() {
        for (abi, bytes) in [
            (Abi::X86_64, [0xfe, 0xff, 0xff, 0xff, 0xe5, 0x01, 0, 0]),
            (Abi::S390X, [0xff, 0xff, 0xff, 0xfe, 0x2f, 0x00, 0, 0]),
        ] {
            let mut types = TypeTable::new(abi);
            let int = types.add(Type::scalar(Kind::SInt, "int", 4, 4, 0)).unwrap();
            let uint = types
                .add(Type::scalar(Kind::UInt, "unsigned int", 4, 4, 0))
                .unwrap();
            let member = |name: &str, ty, offset, bits| Member {
                name: name.into(),
                ty,
                offset,
                bits,
            };
            let s = Type {
                count: 3,
                members: vec![
                    member("x", int, 0, None),
                    member(
                        "low",
                        uint,
                        4,
                        Some(Bits {
                            offset: 32,
                            width: 3,
                        }),
                    ),
                    member(
                        "next",
                        int,
                        4,
                        Some(Bits {
                            offset: 35,
                            width: 5,
                        }),
                    ),
                ],
                ..Type::scalar(Kind::Struct, "struct s", 8, 4, 0)
            };
            let s = types.add(s).unwrap();
            let (low, next) = if types.abi().endian == Endian::Little {
                (5, -4)
            } else {
                (1, 15)
            };
            let expect = vec![
                ("x".to_owned(), Value::Int(-2)),
                ("low".to_owned(), Value::Int(low)),
                ("next".to_owned(), Value::Int(next)),
            ];
            assert_eq!(value(&types, s, &bytes), Value::Struct(expect));
        }
    }
}
