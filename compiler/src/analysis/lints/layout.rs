//! Does a type have the same size on every ABI?

use crate::tree::*;

/// Sizes and alignments that tell ABIs apart: of pointers and `long`, of `long double`, the alignment of
/// eight-byte scalars.
struct Model {
    word: u64,
    long_double: (u64, u64),
    eight: u64,
}

const MODELS: &[Model] = &[
    Model {
        word: 8,
        long_double: (16, 16),
        eight: 8,
    },
    Model {
        word: 4,
        long_double: (12, 4),
        eight: 4,
    },
    Model {
        word: 4,
        long_double: (8, 8),
        eight: 8,
    },
];

/// Certainly not.
pub fn varies(u: &Unit, t: TypeId) -> bool {
    let sizes: Vec<Option<u64>> = MODELS.iter().map(|m| Some(size(u, t, m)?.0)).collect();
    sizes
        .windows(2)
        .any(|w| w[0].is_some() && w[1].is_some() && w[0] != w[1])
}

fn size(u: &Unit, t: TypeId, m: &Model) -> Option<(u64, u64)> {
    let same = |n: u64| Some((n, n));
    match u.ty(t) {
        Type::Bool => same(1),
        Type::Int(k) => match k {
            IntKind::Char | IntKind::SChar | IntKind::UChar => same(1),
            IntKind::Short | IntKind::UShort => same(2),
            IntKind::Int | IntKind::UInt => same(4),
            IntKind::Long | IntKind::ULong => same(m.word),
            IntKind::LongLong | IntKind::ULongLong => Some((8, m.eight)),
            IntKind::Int128 | IntKind::UInt128 => None,
        },
        Type::Float(FloatKind::Float) | Type::Enum(_) => same(4),
        Type::Float(FloatKind::Double) => Some((8, m.eight)),
        Type::Float(FloatKind::LongDouble) => Some(m.long_double),
        Type::Complex(FloatKind::Float) => Some((8, 4)),
        Type::Complex(FloatKind::Double) => Some((16, m.eight)),
        Type::Pointer(_) => same(m.word),
        Type::Array {
            elem,
            len: ArrayLen::Const(n),
        } => {
            let (one, align) = size(u, elem.ty, m)?;
            Some((one.checked_mul(*n)?, align))
        }
        Type::Array {
            elem,
            len: ArrayLen::Unknown,
        } => Some((0, size(u, elem.ty, m)?.1)),
        Type::Record(r) => record(u, &u.records[r.index()], m),
        _ => None,
    }
}

fn record(u: &Unit, d: &Record, m: &Model) -> Option<(u64, u64)> {
    let (mut end, mut align, mut bits) = (0u64, 1, 0u64);
    for f in d.fields.as_ref()? {
        let (n, a) = size(u, f.ty.ty, m)?;
        let a = if d.packed { 1 } else { a };
        if f.bit_width.is_some() {
            let width = u64::from(f.width?);
            // Bits go on where they fit into one unit of the type.
            let at = end * 8 - (if bits > 0 { 8 - bits } else { 0 });
            let fits = bits > 0 && at / (8 * n) == (at + width.max(1) - 1) / (8 * n) && width > 0;
            let start = if fits {
                at
            } else {
                (end * 8).next_multiple_of(if width == 0 { 8 * n } else { 8 })
            };
            let stop = start + width;
            end = stop.div_ceil(8);
            bits = stop % 8;
        } else if d.is_union {
            end = end.max(n);
        } else {
            end = end.next_multiple_of(a) + n;
            bits = 0;
        }
        align = align.max(a);
    }
    Some((end.next_multiple_of(align), align))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Target;

    #[test]
    fn sizes_that_agree() {
        let check = |ty: &str, expected: bool| {
            let text = format!("# 1 \"t.c\"\ntypedef {ty} wanted;\n");
            let (u, _) = crate::lower::build("t.c", text, &Target::default());
            let s = u
                .symbols
                .iter()
                .find(|s| s.name == "wanted")
                .expect("declared");
            assert_eq!(varies(&u, s.ty.ty), expected, "{ty}");
        };
        check("int", false);
        check("struct { int n; char text[12]; double d[2]; }", false);
        check("struct { int n; double d; }", true);
        check("struct { double d; int n; }", true);
        check("struct { unsigned a : 3, b : 29; short s; }", false);
        check("long", true);
        check("struct s *", true);
        check("struct { char *text; }", true);
        check("union { long long l; float f[2]; }", false);
        check("struct { short s[3]; float f; }", false);
    }
}
