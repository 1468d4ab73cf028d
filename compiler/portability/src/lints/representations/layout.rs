//! Does a type have the same size on every ABI?

use pc3_syntax::tree::*;

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

/// Its sizes on the ABIs, if these are known.
pub fn sizes(u: &Unit, t: TypeId) -> Option<Vec<u64>> {
    MODELS.iter().map(|m| Some(size(u, t, m)?.0)).collect()
}

/// Perhaps; of arrays of unknown length, their elements.
pub(crate) fn may_vary(u: &Unit, t: TypeId) -> bool {
    match u.ty(t) {
        Type::Array {
            elem,
            len: ArrayLen::Vla(_) | ArrayLen::Unknown,
        } => may_vary(u, elem.ty),
        Type::Array {
            len: ArrayLen::Target(_),
            ..
        } => true,
        Type::Array { elem, .. } => may_vary(u, elem.ty),
        Type::Void | Type::Function { .. } | Type::Vector { .. } => false,
        Type::Int(IntKind::Int128 | IntKind::UInt128) => false,
        _ => sizes(u, t).is_none_or(|all| all.windows(2).any(|w| w[0] != w[1])),
    }
}

/// May a `sizeof` give another number?
pub(crate) fn size_may_vary(u: &Unit, e: ExprId) -> bool {
    match u.expr(e).kind {
        ExprKind::SizeofType(ref q) => may_vary(u, q.ty) && !is_of_fixed_width(u, e),
        ExprKind::SizeofExpr(x) => may_vary(u, u.expr(x).ty.ty),
        _ => false,
    }
}

/// Of a type of `stdint.h`'s, which is a `long` here and a `long long` there.
fn is_of_fixed_width(u: &Unit, e: ExprId) -> bool {
    let text = u.slice(&u.expr(e).span);
    let inside = (text.split_once('(')).and_then(|(_, rest)| rest.rsplit_once(')'));
    let name = inside.map_or("", |(name, _)| name.trim());
    matches!(
        name.strip_prefix('u').unwrap_or(name),
        "int64_t" | "int_least64_t" | "intmax_t"
    )
}

/// Of a type, where pointers and `long` have `word` bytes, if that is sure.
pub fn size_of(u: &Unit, t: TypeId, word: u32) -> Option<i128> {
    let mut fitting = MODELS.iter().filter(|m| m.word == u64::from(word));
    let first = size(u, t, fitting.next()?)?.0;
    let agree = fitting.all(|m| size(u, t, m).is_some_and(|s| s.0 == first));
    agree.then_some(i128::from(first))
}

/// Does a member lie elsewhere in some?  `path` as in `offsetof`: `a.b[2]`.
pub fn moves(u: &Unit, t: TypeId, path: &str) -> bool {
    moves_from(u, t, path, "")
}

/// Does it lie elsewhere as seen from another member?
pub fn moves_from(u: &Unit, t: TypeId, path: &str, from: &str) -> bool {
    let between = |m: &Model| {
        let (a, b) = (offset(u, t, path, m)?, offset(u, t, from, m)?);
        Some(a.wrapping_sub(b))
    };
    let offsets: Vec<Option<u64>> = MODELS.iter().map(between).collect();
    offsets
        .windows(2)
        .any(|w| w[0].is_some() && w[1].is_some() && w[0] != w[1])
}

fn offset(u: &Unit, t: TypeId, path: &str, m: &Model) -> Option<u64> {
    let path = path.trim();
    let end = path.find(['.', '[']).unwrap_or(path.len());
    let (name, rest) = path.split_at(end);
    match u.ty(t) {
        _ if path.is_empty() => Some(0),
        Type::Record(r) if !name.is_empty() => {
            let d = &u.records[r.index()];
            let (at, of) = member(u, d, name.trim(), m)?;
            Some(at + offset(u, of, rest, m)?)
        }
        Type::Record(_) => offset(u, t, rest.strip_prefix('.')?, m),
        Type::Array { elem, .. } => {
            let (index, rest) = rest.strip_prefix('[')?.split_once(']')?;
            let one = size(u, elem.ty, m)?.0;
            // Of an index that is computed it is enough that it counts.
            let index = index.trim().parse().unwrap_or(1);
            Some(one.checked_mul(index)? + offset(u, elem.ty, rest, m)?)
        }
        _ => None,
    }
}

/// Where it lies, and its type; also in a struct without a name.
fn member(u: &Unit, d: &Record, name: &str, m: &Model) -> Option<(u64, TypeId)> {
    let fields = d.fields.as_ref()?;
    for (i, f) in fields.iter().enumerate() {
        let at = || match d.is_union {
            true => Some(0),
            false => {
                let before = Record {
                    fields: Some(fields[..i].to_vec()),
                    ..d.clone()
                };
                let (_, align) = size(u, f.ty.ty, m)?;
                let end = members(u, &before, m)?.0;
                Some(end.next_multiple_of(if d.packed { 1 } else { align }))
            }
        };
        match (&f.name, u.ty(f.ty.ty)) {
            (Some(n), _) if n == name => return Some((at()?, f.ty.ty)),
            (None, Type::Record(inner)) => {
                if let Some((here, ty)) = member(u, &u.records[inner.index()], name, m) {
                    return Some((at()? + here, ty));
                }
            }
            _ => {}
        }
    }
    None
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
            IntKind::Bits { width: ..=8, .. } => same(1),
            IntKind::Bits { width: ..=16, .. } => same(2),
            IntKind::Bits { width: ..=32, .. } => same(4),
            IntKind::Bits { width: ..=64, .. } => Some((8, m.eight)),
            IntKind::Int128 | IntKind::UInt128 | IntKind::Bits { .. } => None,
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
    let (end, align) = members(u, d, m)?;
    Some((end.next_multiple_of(align), align))
}

/// Where they end, and their alignment.
fn members(u: &Unit, d: &Record, m: &Model) -> Option<(u64, u64)> {
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
    Some((end, align))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pc3_syntax::types::Target;

    #[test]
    fn sizes_that_agree() {
        let check = |ty: &str, expected: bool| {
            let text = format!("# 1 \"t.c\"\ntypedef {ty} wanted;\n");
            let (u, _) = pc3_syntax::lower::build("t.c", text, &Target::default());
            let s = u
                .symbols
                .iter()
                .find(|s| s.name == "wanted")
                .expect("declared");
            assert_eq!(may_vary(&u, s.ty.ty), expected, "{ty}");
        };
        check("int", false);
        check("struct { int n; char text[12]; double d[2]; }", false);
        check("struct { int n; double d; }", true);
        check("struct { double d; int n; }", true);
        check("struct { unsigned a : 3, b : 29; short s; }", false);
        let moved = |path: &str, expected: bool| {
            let ty = "struct { int n; struct { int a; long b; }; char text[12]; struct { char *p; int k; } list[2]; }";
            let text = format!("# 1 \"t.c\"\ntypedef {ty} wanted;\n");
            let (u, _) = pc3_syntax::lower::build("t.c", text, &Target::default());
            let s = u.symbols.iter().find(|s| s.name == "wanted");
            assert_eq!(
                moves(&u, s.expect("declared").ty.ty, path),
                expected,
                "{path}"
            );
        };
        moved("n", false);
        moved("a", true);
        moved("text", true);
        moved("list[0].p", true);
        check("long", true);
        check("struct s *", true);
        check("struct { char *text; }", true);
        check("union { long long l; float f[2]; }", false);
        check("struct { short s[3]; float f; }", false);
    }

    #[test]
    fn names_of_fixed_width() {
        let text = "typedef long int64_t; typedef unsigned long uintmax_t;\n\
                    int a[] = { sizeof(int64_t), sizeof ( uintmax_t ), sizeof(long), sizeof a[0] };\n";
        let (u, _) = pc3_syntax::lower::build("t.c", text.into(), &Target::default());
        let sizes = (0..u.exprs.len()).map(|k| ExprId(k as u32));
        let sizes = sizes.filter(|e| {
            let kind = &u.expr(*e).kind;
            matches!(kind, ExprKind::SizeofType(_) | ExprKind::SizeofExpr(_))
        });
        let vary: Vec<bool> = sizes.map(|e| size_may_vary(&u, e)).collect();
        assert_eq!(vary, [false, false, true, false]);
    }
}
