//! Constants: the values of literals, and of integer constant expressions without `sizeof`.
//!
//! What depends on the target's layouts is left to the target's compiler: the evaluator then
//! says `None`, and [`is_constant`] tells whether that compiler could evaluate it.

use crate::tree::*;
use crate::types::Target;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Int {
        value: i128,
        kind: IntKind,
        imaginary: bool,
    },
    Float {
        kind: FloatKind,
        imaginary: bool,
    },
}

/// A numeric literal; None if it is malformed or of a type that is not known (decimal floats).
pub fn number(text: &str, target: &Target) -> Option<Number> {
    let lower = text.to_ascii_lowercase().replace('\'', "");
    let hex = lower.starts_with("0x");
    let float = if hex {
        lower.contains(['p', '.'])
    } else {
        !lower.starts_with("0b") && lower.contains(['.', 'e'])
    };
    if float {
        return float_number(&lower, hex);
    }
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'b', ..] => (&lower[2..], 2),
        [b'0', _, ..] => (&lower[1..], 8),
        _ => (&lower[..], 10),
    };
    let end = digits
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    // "08" would end at its first digit; "0" and "0u" have none behind the prefix.
    let value = if digits.is_empty() && radix == 8 {
        0
    } else {
        i128::from_str_radix(digits, radix).ok()?
    };
    let imaginary = suffix.contains(['i', 'j']);
    let suffix: String = suffix.chars().filter(|c| !matches!(c, 'i' | 'j')).collect();
    use IntKind::*;
    let kinds: &[IntKind] = match (suffix.as_str(), radix == 10) {
        ("", true) => &[Int, Long, LongLong, Int128],
        ("", false) => &[Int, UInt, Long, ULong, LongLong, ULongLong],
        ("u", _) => &[UInt, ULong, ULongLong],
        ("l", true) => &[Long, LongLong],
        ("l", false) => &[Long, ULong, LongLong, ULongLong],
        ("ul" | "lu", _) => &[ULong, ULongLong],
        ("ll", true) => &[LongLong, Int128],
        ("ll", false) => &[LongLong, ULongLong],
        ("ull" | "llu", _) => &[ULongLong],
        ("wb", _) => &[bits_of(value, true)],
        ("uwb" | "wbu", _) => &[bits_of(value, false)],
        _ => return None,
    };
    let kind = kinds.iter().copied().find(|&k| target.fits(k, value))?;
    Some(Number::Int {
        value,
        kind,
        imaginary,
    })
}

/// The narrowest `_BitInt` for a constant.
fn bits_of(value: i128, signed: bool) -> IntKind {
    let bits = 128 - value.leading_zeros();
    let width = if signed { bits.max(1) + 1 } else { bits.max(1) };
    IntKind::Bits { width, signed }
}

fn float_number(lower: &str, hex: bool) -> Option<Number> {
    let body_end = if hex {
        let p = lower.find('p')?;
        let exp = &lower[p + 1..];
        let digits = exp
            .find(|c: char| !c.is_ascii_digit() && c != '+' && c != '-')
            .unwrap_or(exp.len());
        p + 1 + digits
    } else {
        let mut end = 0;
        let b = lower.as_bytes();
        while end < b.len() {
            let exponent = b[end] == b'e'
                && b.get(end + 1)
                    .is_some_and(|c| c.is_ascii_digit() || matches!(c, b'+' | b'-'));
            let sign = matches!(b[end], b'+' | b'-') && b[end - 1] == b'e';
            if !(b[end].is_ascii_digit() || b[end] == b'.' || exponent || sign) {
                break;
            }
            end += 1;
        }
        end
    };
    let suffix = &lower[body_end..];
    let imaginary = suffix.contains(['i', 'j']);
    let suffix: String = suffix.chars().filter(|c| !matches!(c, 'i' | 'j')).collect();
    let kind = match suffix.as_str() {
        "" | "f64" | "f32x" => FloatKind::Double,
        "f16" => FloatKind::Float16,
        "f" | "f32" => FloatKind::Float,
        "l" | "w" | "f64x" => FloatKind::LongDouble,
        "q" | "f128" => FloatKind::Float128,
        "df" => FloatKind::Decimal32,
        "dd" => FloatKind::Decimal64,
        "dl" => FloatKind::Decimal128,
        _ => return None,
    };
    Some(Number::Float { kind, imaginary })
}

/// Prefix, then the values of the characters of a string or character literal: bytes for plain
/// ones, code points for wide ones.
pub fn literal(text: &str) -> (&str, Vec<u32>) {
    let quote = text.find(['"', '\'']).unwrap_or(0);
    let prefix = &text[..quote];
    if prefix.ends_with('R') {
        let open = text.find('(').map_or(text.len(), |i| i + 1);
        let close = text
            .rfind(')')
            .unwrap_or(text.len())
            .max(open.min(text.len()));
        let body = text.get(open..close).unwrap_or("");
        return (
            prefix.trim_end_matches('R'),
            body.bytes().map(u32::from).collect(),
        );
    }
    let wide = matches!(prefix, "L" | "u" | "U");
    let body = text
        .get(quote + 1..text.len().saturating_sub(1))
        .unwrap_or("");
    let mut out = Vec::with_capacity(body.len());
    let mut chars = body.chars().peekable();
    let push = |out: &mut Vec<u32>, c: char| {
        if wide {
            out.push(c as u32);
        } else {
            out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from));
        }
    };
    while let Some(c) = chars.next() {
        if c != '\\' {
            push(&mut out, c);
            continue;
        }
        let Some(c) = chars.next() else { break };
        let mut digits = |first: u32, radix: u32, max: usize| {
            let mut v = first;
            for _ in 0..max {
                let Some(d) = chars.peek().and_then(|c| c.to_digit(radix)) else {
                    break;
                };
                v = v.wrapping_mul(radix).wrapping_add(d);
                chars.next();
            }
            v
        };
        let unit = |v: u32| if wide { v } else { v & 0xff };
        match c {
            'n' => out.push(10),
            't' => out.push(9),
            'r' => out.push(13),
            'a' => out.push(7),
            'b' => out.push(8),
            'f' => out.push(12),
            'v' => out.push(11),
            'e' | 'E' => out.push(27),
            'x' => out.push(unit(digits(0, 16, 8))),
            '0'..='7' => out.push(unit(digits(c as u32 - '0' as u32, 8, 2))),
            'u' | 'U' => {
                let v = digits(0, 16, if c == 'u' { 4 } else { 8 });
                push(&mut out, char::from_u32(v).unwrap_or('\u{fffd}'));
            }
            other => push(&mut out, other),
        }
    }
    (prefix, out)
}

/// Value and type of a character constant.
pub fn character(text: &str, target: &Target) -> (i128, IntKind) {
    let (prefix, units) = literal(text);
    let last = units.last().copied().unwrap_or(0) as i128;
    match prefix {
        "L" => (target.wrap(target.wchar, last), target.wchar),
        "u" => (last & 0xffff, IntKind::UShort),
        "U" => (last, IntKind::UInt),
        "u8" if target.standard.utf8_unsigned => (last & 0xff, IntKind::UChar),
        _ if units.len() == 1 => (target.wrap(IntKind::Char, last), IntKind::Int),
        _ => {
            let all = units
                .iter()
                .fold(0i128, |v, &u| (v << 8 | u as i128) & 0xffff_ffff);
            (target.wrap(IntKind::Int, all), IntKind::Int)
        }
    }
}

/// What the evaluator needs to see of a tree that may still be under construction.
pub struct View<'a> {
    pub exprs: &'a [Expr],
    pub types: &'a [Type],
    pub symbols: &'a [Symbol],
    pub enums: &'a [EnumDef],
    pub target: &'a Target,
    /// Sizes of numbers and pointers are known as well: for what is decided under this ABI alone.
    pub measured: bool,
}

impl Unit {
    pub fn view(&self) -> View<'_> {
        View {
            exprs: &self.exprs,
            types: &self.types,
            symbols: &self.symbols,
            enums: &self.enums,
            target: &self.target,
            measured: false,
        }
    }
}

impl View<'_> {
    /// The integer kind behind an integer, enum or `_Bool` type.
    pub fn int_kind(&self, ty: TypeId) -> Option<IntKind> {
        match self.types[ty.index()] {
            Type::Int(k) => Some(k),
            Type::Enum(e) => Some(self.enums[e.index()].underlying),
            Type::Bool => Some(IntKind::UChar),
            _ => None,
        }
    }

    pub fn convert(&self, ty: TypeId, v: i128) -> Option<i128> {
        if self.types[ty.index()] == Type::Bool {
            return Some((v != 0) as i128);
        }
        self.int_kind(ty).map(|k| self.target.wrap(k, v))
    }

    /// The value of an integer constant expression, where no layout is asked for.
    pub fn eval(&self, e: ExprId) -> Option<i128> {
        let x = &self.exprs[e.index()];
        let v = match &x.kind {
            ExprKind::Int(v) => *v,
            ExprKind::Ident(s) => self.symbols[s.index()].value?,
            ExprKind::Unary { op, arg } => {
                let a = self.eval(*arg)?;
                match op {
                    UnOp::Plus => a,
                    UnOp::Minus => a.checked_neg()?,
                    UnOp::BitNot => !a,
                    UnOp::Not => (a == 0) as i128,
                    _ => return None,
                }
            }
            ExprKind::Binary { op, lhs, rhs } => self.binary(*op, *lhs, *rhs)?,
            ExprKind::Cond { cond, then, els } => {
                let c = self.eval(*cond)?;
                match (c != 0, then) {
                    (true, Some(t)) => self.eval(*t)?,
                    (true, None) => c,
                    (false, _) => self.eval(*els)?,
                }
            }
            ExprKind::Cast { arg, .. } => self.eval(*arg)?,
            ExprKind::Generic { chosen, .. } => self.eval(*chosen)?,
            ExprKind::SizeofType(q) if matches!(self.int_kind(q.ty), Some(k) if self.target.bits(k) == 8) => {
                1
            }
            ExprKind::SizeofType(q) if self.measured => self.size(q.ty)?,
            ExprKind::SizeofExpr(a) if self.measured => self.size(self.exprs[a.index()].ty.ty)?,
            _ => return None,
        };
        self.convert(x.ty.ty, v)
    }

    /// Of numbers and pointers, in bytes, where all compilers agree on it.
    fn size(&self, ty: TypeId) -> Option<i128> {
        let bits = match self.types[ty.index()] {
            Type::Pointer(_) => self.target.pointer_bits,
            Type::Float(FloatKind::Float) => 32,
            Type::Float(FloatKind::Double) => 64,
            _ => match self.int_kind(ty)? {
                IntKind::Bits { .. } => return None,
                kind => self.target.bits(kind),
            },
        };
        Some(i128::from(bits / 8))
    }

    fn binary(&self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<i128> {
        let a = self.eval(lhs)?;
        match op {
            BinOp::LogAnd if a == 0 => return Some(0),
            BinOp::LogOr if a != 0 => return Some(1),
            _ => {}
        }
        let b = self.eval(rhs)?;
        let kinds = self
            .int_kind(self.exprs[lhs.index()].ty.ty)
            .zip(self.int_kind(self.exprs[rhs.index()].ty.ty));
        let (ka, kb) = kinds?;
        let shift = matches!(op, BinOp::Shl | BinOp::Shr);
        let k = if shift {
            self.target.promote(ka)
        } else {
            self.target.common(ka, kb)
        };
        // Values are kept in 128 bits here.
        if matches!(k, IntKind::Bits { width: 65.., .. }) {
            return None;
        }
        let (a, b) = (
            self.target.wrap(k, a),
            if shift { b } else { self.target.wrap(k, b) },
        );
        if shift && !(0..self.target.bits(k) as i128).contains(&b) {
            return None;
        }
        Some(match op {
            BinOp::Add => a.checked_add(b)?,
            BinOp::Sub => a.checked_sub(b)?,
            BinOp::Mul => a.checked_mul(b)?,
            BinOp::Div => a.checked_div(b)?,
            BinOp::Rem => a.checked_rem(b)?,
            BinOp::Shl => a.checked_mul(1i128.checked_shl(b as u32)?)?,
            BinOp::Shr => a >> b,
            BinOp::And => a & b,
            BinOp::Or => a | b,
            BinOp::Xor => a ^ b,
            BinOp::Lt => (a < b) as i128,
            BinOp::Gt => (a > b) as i128,
            BinOp::Le => (a <= b) as i128,
            BinOp::Ge => (a >= b) as i128,
            BinOp::Eq => (a == b) as i128,
            BinOp::Ne => (a != b) as i128,
            BinOp::LogAnd | BinOp::LogOr => (b != 0) as i128,
        })
    }

    /// Can the target's compiler evaluate it when it compiles?
    pub fn is_constant(&self, e: ExprId) -> bool {
        let x = &self.exprs[e.index()];
        match &x.kind {
            ExprKind::Int(_) | ExprKind::Float | ExprKind::Alignof => true,
            ExprKind::Offsetof { indices, .. } => indices.iter().all(|i| self.is_constant(*i)),
            ExprKind::SizeofType(q) => !self.is_vla(q.ty),
            ExprKind::SizeofExpr(a) => !self.is_vla(self.exprs[a.index()].ty.ty),
            ExprKind::Ident(s) => self.symbols[s.index()].is_constant(),
            ExprKind::Unary { op, arg } => {
                matches!(op, UnOp::Plus | UnOp::Minus | UnOp::BitNot | UnOp::Not)
                    && self.is_constant(*arg)
            }
            ExprKind::Binary { lhs, rhs, .. } => self.is_constant(*lhs) && self.is_constant(*rhs),
            ExprKind::Cond { cond, then, els } => {
                self.is_constant(*cond)
                    && then.is_none_or(|t| self.is_constant(t))
                    && self.is_constant(*els)
            }
            ExprKind::Cast { arg, .. } => self.is_constant(*arg),
            ExprKind::Generic { chosen, .. } => self.is_constant(*chosen),
            // `&((struct s *)0)->m`, an older spelling of offsetof.
            ExprKind::AddrOf(a) => self.is_constant_place(*a),
            ExprKind::Builtin => matches!(self.types[x.ty.ty.index()], Type::Int(_)),
            _ => false,
        }
    }

    fn is_constant_place(&self, e: ExprId) -> bool {
        match &self.exprs[e.index()].kind {
            ExprKind::Member { base, arrow, .. } => {
                if *arrow {
                    self.is_constant(*base)
                } else {
                    self.is_constant_place(*base)
                }
            }
            ExprKind::Index { base, index } => {
                self.is_constant_place(*base) && self.is_constant(*index)
            }
            ExprKind::Deref(a) => self.is_constant(*a),
            _ => false,
        }
    }

    /// Does the size of this type depend on a runtime value?
    pub fn is_vla(&self, ty: TypeId) -> bool {
        match &self.types[ty.index()] {
            Type::Array {
                len: ArrayLen::Vla(_),
                ..
            } => true,
            Type::Array { elem, .. } => self.is_vla(elem.ty),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let lp64 = Target::default();
        let ilp32 = Target {
            long_bits: 32,
            ..Target::default()
        };
        let int = |value, kind| {
            Some(Number::Int {
                value,
                kind,
                imaginary: false,
            })
        };
        use IntKind::*;
        for (text, a, b) in [
            ("0", int(0, Int), int(0, Int)),
            ("017", int(15, Int), int(15, Int)),
            ("0xffffffff", int(0xffff_ffff, UInt), int(0xffff_ffff, UInt)),
            ("4294967296", int(1 << 32, Long), int(1 << 32, LongLong)),
            ("0b101uL", int(5, ULong), int(5, ULong)),
            (
                "18446744073709551615u",
                int(u64::MAX as i128, ULong),
                int(u64::MAX as i128, ULongLong),
            ),
            ("0u", int(0, UInt), int(0, UInt)),
        ] {
            assert_eq!(
                (number(text, &lp64), number(text, &ilp32)),
                (a, b),
                "{text}"
            );
        }
        let float = |kind| {
            Some(Number::Float {
                kind,
                imaginary: false,
            })
        };
        for (text, n) in [
            ("1.5", float(FloatKind::Double)),
            ("1e-3f", float(FloatKind::Float)),
            (".5L", float(FloatKind::LongDouble)),
            ("0x1.8p-3", float(FloatKind::Double)),
            ("1.0Q", float(FloatKind::Float128)),
            ("1.f", float(FloatKind::Float)),
            ("1.0dd", float(FloatKind::Decimal64)),
            ("1.0dx", None),
            (
                "1.0i",
                Some(Number::Float {
                    kind: FloatKind::Double,
                    imaginary: true,
                }),
            ),
        ] {
            assert_eq!(number(text, &lp64), n, "{text}");
        }
    }

    #[test]
    fn literals() {
        assert_eq!(
            literal(r#""a\n\x41\101\0é""#),
            ("", vec![97, 10, 65, 65, 0, 0xc3, 0xa9])
        );
        assert_eq!(literal(r#"L"é\u00e9""#), ("L", vec![0xe9, 0xe9]));
        assert_eq!(literal("R\"x(a\\n)x\"").1, vec![97, 92, 110]);
        let t = Target::default();
        assert_eq!(character("'\\377'", &t), (-1, IntKind::Int));
        assert_eq!(character("'ab'", &t), (0x6162, IntKind::Int));
    }
}
