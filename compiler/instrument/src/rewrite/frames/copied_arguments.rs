//! Variable arguments that are no scalars of a word: structs, complex numbers, `long double`, `__int128`.
//!
//! ABIs differ in where such an argument lies: on the stack, aligned, or somewhere else with its address there. So its value
//! is kept in a typed copy, and the place on the stack (a member without contents of its own) is filled from that: before
//! the call, and when its caller has been restored.

use crate::rewrite::unit::UnitCx;
use pc3_syntax::tree::*;

/// The copy of the `i`-th argument of the `n`-th packed call.
pub fn member(n: usize, i: usize) -> String {
    format!("pc3_args{n}_c{i}")
}

/// Does pc3cc know how ABIs pass it?
pub fn is_known(u: &Unit, q: QualType) -> bool {
    match u.ty(q.ty) {
        Type::Complex(_) => true,
        Type::Int(IntKind::Int128 | IntKind::UInt128) => true,
        Type::Float(_) | Type::Record(_) => shape(u, q.ty).is_some(),
        _ => false,
    }
}

/// What decides how aarch64 passes it: members of one floating type, so many of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RegisterShape {
    Empty,
    Floats(FloatKind, u64),
    Other,
}

impl RegisterShape {
    fn and(self, other: RegisterShape) -> RegisterShape {
        match (self, other) {
            (RegisterShape::Empty, x) | (x, RegisterShape::Empty) => x,
            (RegisterShape::Floats(a, n), RegisterShape::Floats(b, m)) if a == b => {
                RegisterShape::Floats(a, n + m)
            }
            _ => RegisterShape::Other,
        }
    }
}

/// None for what has an alignment of its own, or parts that are passed in yet other ways, or cannot be assigned.
fn shape(u: &Unit, t: TypeId) -> Option<RegisterShape> {
    Some(match u.ty(t) {
        // Decimal ones take registers of their own.
        Type::Float(FloatKind::Decimal32 | FloatKind::Decimal64 | FloatKind::Decimal128) => {
            return None
        }
        Type::Float(k) => RegisterShape::Floats(*k, 1),
        Type::Complex(k) => RegisterShape::Floats(*k, 2),
        Type::Bool | Type::Int(_) | Type::Enum(_) | Type::Pointer(_) => RegisterShape::Other,
        Type::Array {
            elem,
            len: ArrayLen::Const(n),
        } if !elem.is_const => match shape(u, elem.ty)? {
            _ if *n == 0 => RegisterShape::Empty,
            RegisterShape::Floats(k, m) => RegisterShape::Floats(k, m.saturating_mul(*n)),
            other => other,
        },
        Type::Record(r) => {
            let d = &u.records[r.index()];
            let own = |s: &Symbol| {
                s.kind == SymKind::Typedef
                    && s.ty.ty == t
                    && s.attributes.iter().any(|a| a.contains("aligned"))
            };
            if d.says_alignment(u) || u.symbols.iter().any(own) {
                return None;
            }
            let mut all = RegisterShape::Empty;
            for f in d.fields.as_ref()? {
                let one = shape(u, f.ty.ty).filter(|_| !f.ty.is_const)?;
                all = match (all, one) {
                    _ if f.bit_width.is_some() => RegisterShape::Other,
                    (RegisterShape::Floats(a, n), RegisterShape::Floats(b, m))
                        if d.is_union && a == b =>
                    {
                        RegisterShape::Floats(a, n.max(m))
                    }
                    (all, one) => all.and(one),
                };
            }
            all
        }
        _ => return None,
    })
}

/// Is its address passed?  An expression for the target's compiler (`pc3_rt.h` has the constants).
fn by_reference(u: &Unit, c: &str, q: QualType) -> String {
    let record = matches!(u.ty(q.ty), Type::Record(_));
    let floats = matches!(shape(u, q.ty), Some(RegisterShape::Floats(_, 1..=4)));
    let all_but_words = match record {
        true => format!(
            "(sizeof({c}) != 1 && sizeof({c}) != 2 && sizeof({c}) != 4 && sizeof({c}) != 8)"
        ),
        false => "1".into(),
    };
    // Of few floating numbers each has a register of its own there.
    let large = match floats {
        true => "pc3_args_by == 3",
        false => "pc3_args_by >= 2",
    };
    format!("(pc3_args_by == 1 ? {all_but_words} : {large} && sizeof({c}) > 16)")
}

/// Its place among the arguments.
pub fn slot(u: &Unit, c: &str, q: QualType, name: &str) -> String {
    let reference = by_reference(u, c, q);
    // An empty struct takes no place.
    let words = format!("((sizeof({c}) + sizeof(long) - 1) / sizeof(long) * sizeof(long))");
    format!(
        "struct {{ char pc3_b[{reference} ? sizeof(void *) : {words}]; }} {name} \
         __attribute__((aligned(!{reference} && __alignof__({c}) >= pc3_args_wide ? pc3_args_wide : sizeof(long))))"
    )
}

/// An expression that puts there what a call would.
pub fn fill(cx: &UnitCx, q: QualType, slot: &str, copy: &str) -> String {
    let c = cx.names.type_name(QualType::plain(q.ty));
    let reference = by_reference(cx.u, &c, q);
    format!(
        "__extension__({{ char *pc3_to = (char *)&{slot}; void *pc3_at = (void *)&{copy}; \
         if ({reference}) __builtin_memcpy(pc3_to, &pc3_at, sizeof pc3_at); \
         else __builtin_memcpy(pc3_to + (pc3_args_right && sizeof({c}) < sizeof(long) ? sizeof(long) - sizeof({c}) : 0), pc3_at, sizeof({c})); }})"
    )
}
