//! The types of operators.

use crate::lower::Lower;
use crate::tree::*;

/// An arithmetic type after promotion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arith {
    Int(IntKind),
    Float(FloatKind),
    Complex(FloatKind),
    ComplexInt(IntKind),
}

impl Lower {
    pub fn ty(&self, e: ExprId) -> QualType {
        self.unit.expr(e).ty
    }

    /// The type of an operand as a value: decayed, unqualified.
    pub(crate) fn value_ty(&mut self, e: ExprId) -> QualType {
        let ty = self.ty(e);
        self.types.decay(ty)
    }

    /// The promoted arithmetic type of an operand.
    pub fn arith(&self, e: ExprId) -> Option<Arith> {
        let ty = self.ty(e).ty;
        let t = &self.unit.target;
        Some(match self.types.get(ty) {
            Type::Float(k) => Arith::Float(*k),
            Type::Complex(k) => Arith::Complex(*k),
            Type::ComplexInt(k) => Arith::ComplexInt(*k),
            Type::Bool => Arith::Int(IntKind::Int),
            Type::Int(_) | Type::Enum(_) => {
                let kind = self.view().int_kind(ty)?;
                // Of `_BitInt` they are not promoted.
                let exact = matches!(kind, IntKind::Bits { .. });
                match self.bitfields.get(&e).filter(|_| !exact) {
                    Some(&w) if w < t.int_bits || w == t.int_bits && t.signed(kind) => {
                        Arith::Int(IntKind::Int)
                    }
                    Some(&w) if w == t.int_bits => Arith::Int(IntKind::UInt),
                    _ => Arith::Int(t.promote(kind)),
                }
            }
            _ => return None,
        })
    }

    pub(crate) fn arith_ty(&mut self, a: Arith) -> QualType {
        self.types.plain(match a {
            Arith::Int(k) => Type::Int(k),
            Arith::Float(k) => Type::Float(k),
            Arith::Complex(k) => Type::Complex(k),
            Arith::ComplexInt(k) => Type::ComplexInt(k),
        })
    }

    fn common(&self, a: Arith, b: Arith) -> Arith {
        use Arith::*;
        let t = &self.unit.target;
        match (a, b) {
            (Int(a), Int(b)) => Int(t.common(a, b)),
            // Parts of complex numbers are not promoted.
            (ComplexInt(a), ComplexInt(b) | Int(b)) | (Int(a), ComplexInt(b)) => {
                ComplexInt(t.common_of(a, b))
            }
            (ComplexInt(_), Float(k) | Complex(k)) | (Float(k) | Complex(k), ComplexInt(_)) => {
                Complex(k)
            }
            (Int(_), x) | (x, Int(_)) => x,
            (Float(a), Float(b)) => Float(wider(a, b)),
            (Complex(a) | Float(a), Complex(b) | Float(b)) => Complex(wider(a, b)),
        }
    }

    pub(crate) fn is_unsupported(&self, ty: QualType) -> bool {
        matches!(self.types.get(ty.ty), Type::Unsupported(_))
    }

    /// Of a type that is neither known nor an integer all the same.
    pub fn is_unknown(&self, ty: QualType) -> bool {
        self.is_unsupported(ty) && !self.unit.odd_integers.contains(&ty.ty)
    }

    pub(crate) fn is_vector(&self, ty: QualType) -> bool {
        matches!(self.types.get(ty.ty), Type::Vector { .. })
    }

    /// gcc computes with bit-fields wider than `int` in exactly their width; no type we could
    /// name has it.
    pub(crate) fn odd_width(&self, e: ExprId) -> bool {
        let t = &self.unit.target;
        match (self.bitfields.get(&e), self.view().int_kind(self.ty(e).ty)) {
            (Some(_), Some(IntKind::Bits { .. })) => false,
            (Some(&w), Some(kind)) => w > t.int_bits && w < t.bits(kind),
            _ => false,
        }
    }

    /// The type of arithmetic with bit-field `e`.
    pub(crate) fn odd_integer(&mut self, e: ExprId) -> QualType {
        let q = self.unsupported(self.unit.expr(e).span.clone());
        self.unit.odd_integers.insert(q.ty);
        q
    }

    /// The type of an operation if one operand's type is not known, or has no name.
    fn unknown_or_odd(&self, l: QualType, r: QualType) -> Option<QualType> {
        let bad = [l, r].into_iter().find(|t| self.is_unsupported(*t))?;
        let odd = |t: QualType| self.unit.odd_integers.contains(&t.ty);
        let float =
            |t: &QualType| matches!(self.types.get(t.ty), Type::Float(_) | Type::Complex(_));
        match [l, r].into_iter().find(float) {
            Some(f) if odd(bad) => Some(f),
            _ => Some(
                [l, r]
                    .into_iter()
                    .find(|t| self.is_unsupported(*t) && !odd(*t))
                    .unwrap_or(bad),
            ),
        }
    }

    /// None: these operands have no such operation.
    pub(crate) fn binary_ty(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<QualType> {
        use BinOp::*;
        let (l, r) = (self.value_ty(lhs), self.value_ty(rhs));
        let compares = matches!(op, Lt | Gt | Le | Ge | Eq | Ne);
        if let Some(bad) = self.unknown_or_odd(l, r) {
            let int = compares || matches!(op, LogAnd | LogOr);
            let odd = self.unit.odd_integers.contains(&bad.ty);
            return Some(if int && odd {
                self.types.int(IntKind::Int)
            } else {
                bad
            });
        }
        if let Some(v) = [l, r].into_iter().find(|t| self.is_vector(*t)) {
            return Some(if compares {
                self.comparison_vector(v)
            } else {
                v
            });
        }
        if compares || matches!(op, LogAnd | LogOr) {
            return Some(self.types.int(IntKind::Int));
        }
        let (pl, pr) = (
            self.types.pointee(l).is_some(),
            self.types.pointee(r).is_some(),
        );
        match (op, pl, pr) {
            (Add, true, false) | (Sub, true, false) => return Some(l),
            (Add, false, true) => return Some(r),
            (Sub, true, true) => {
                let k = self.unit.target.ptrdiff;
                return Some(self.types.int(k));
            }
            _ => {}
        }
        let (a, b) = (self.arith(lhs)?, self.arith(rhs)?);
        if let (Arith::Int(_), Arith::Int(_)) = (a, b) {
            if let Some(e) = [lhs, rhs].into_iter().find(|e| self.odd_width(*e)) {
                return Some(self.odd_integer(e));
            }
        }
        let result = if matches!(op, Shl | Shr) {
            a
        } else {
            self.common(a, b)
        };
        Some(self.arith_ty(result))
    }

    /// Comparing vectors gives integers of the elements' width.
    fn comparison_vector(&mut self, v: QualType) -> QualType {
        let Type::Vector { elem, bytes } = *self.types.get(v.ty) else {
            return v;
        };
        use IntKind::*;
        let t = &self.unit.target;
        let kind = match self.types.get(elem.ty) {
            Type::Float(FloatKind::Float) => Some(Int),
            Type::Float(FloatKind::Double) => Some(if t.long_bits == 64 { Long } else { LongLong }),
            Type::Int(k) => [SChar, Short, Int, Long, LongLong]
                .into_iter()
                .find(|s| t.bits(*s) == t.bits(*k)),
            _ => None,
        };
        let Some(kind) = kind else { return v };
        let elem = self.types.int(kind);
        self.types.plain(Type::Vector { elem, bytes })
    }

    pub(crate) fn conditional_ty(&mut self, then: ExprId, els: ExprId) -> Option<QualType> {
        let (a, b) = (self.value_ty(then), self.value_ty(els));
        if a.ty == b.ty && self.arith(then).is_none() {
            return Some(a);
        }
        if let Some(bad) = self.unknown_or_odd(a, b) {
            return Some(bad);
        }
        if let (Some(x), Some(y)) = (self.arith(then), self.arith(els)) {
            if let (Arith::Int(_), Arith::Int(_)) = (x, y) {
                if let Some(e) = [then, els].into_iter().find(|e| self.odd_width(*e)) {
                    return Some(self.odd_integer(e));
                }
            }
            let c = self.common(x, y);
            return Some(self.arith_ty(c));
        }
        let void = self.types.void();
        if a.ty == void.ty || b.ty == void.ty {
            return Some(void);
        }
        match (self.types.pointee(a), self.types.pointee(b)) {
            (Some(pa), Some(pb)) => {
                let none = |q: QualType| self.types.is_null_type(q.ty);
                if self.is_null(els) || none(b) {
                    return Some(a);
                }
                if self.is_null(then) || none(a) {
                    return Some(b);
                }
                let to = if pb.ty == void.ty { pb } else { pa };
                let to = to
                    .with(QualType { ty: to.ty, ..pa })
                    .with(QualType { ty: to.ty, ..pb });
                Some(self.types.pointer(to))
            }
            (Some(_), None) => Some(a),
            (None, Some(_)) => Some(b),
            (None, None) if self.is_vector(a) => Some(a),
            (None, None) => None,
        }
    }

    /// A null pointer constant.
    fn is_null(&self, e: ExprId) -> bool {
        // As the target has it: musl's `<tgmath.h>` compares sizes.
        let mut view = self.view();
        view.measured = true;
        match &self.unit.expr(e).kind {
            ExprKind::Cast { to, arg } => {
                let plain = |p: &QualType| {
                    p.with(QualType {
                        is_restrict: true,
                        ..*p
                    }) == QualType {
                        is_restrict: true,
                        ..QualType::plain(p.ty)
                    }
                };
                let void = matches!(self.types.get(to.ty), Type::Pointer(p) if plain(p) && *self.types.get(p.ty) == Type::Void);
                void && view.eval(*arg) == Some(0)
            }
            _ => view.eval(e) == Some(0),
        }
    }

    /// Same type as far as `_Generic` is concerned.
    pub fn compatible(&self, a: QualType, b: QualType) -> bool {
        if (a.is_const, a.is_volatile, a.is_atomic) != (b.is_const, b.is_volatile, b.is_atomic) {
            return false;
        }
        let void = |q: QualType| *self.types.get(q.ty) == Type::Void;
        if void(a) && a.is_restrict != b.is_restrict {
            // One is of `nullptr_t`.
            return false;
        }
        if a.ty == b.ty {
            return true;
        }
        match (self.types.get(a.ty), self.types.get(b.ty)) {
            (Type::Pointer(x), Type::Pointer(y)) => self.compatible(*x, *y),
            (Type::Record(x), Type::Record(y)) => self.alike(*x, *y),
            (Type::Enum(e), Type::Int(k)) | (Type::Int(k), Type::Enum(e)) => {
                self.unit.enums[e.index()].underlying == *k
            }
            (Type::Array { elem: x, len: l }, Type::Array { elem: y, len: m }) => {
                self.compatible(*x, *y)
                    && (l == m || *l == ArrayLen::Unknown || *m == ArrayLen::Unknown)
            }
            (
                Type::Function {
                    ret: r,
                    params: p,
                    variadic: v,
                    prototype,
                },
                Type::Function {
                    ret: s,
                    params: q,
                    variadic: w,
                    prototype: other,
                },
            ) => {
                self.compatible(*r, *s)
                    && (!prototype
                        || !other
                        || v == w
                            && p.len() == q.len()
                            && p.iter()
                                .zip(q)
                                .all(|(x, y)| self.compatible(x.unqualified(), y.unqualified())))
            }
            _ => false,
        }
    }
}

pub fn wider(a: FloatKind, b: FloatKind) -> FloatKind {
    let rank = |k| match k {
        FloatKind::Float16 => -1,
        FloatKind::Float => 0,
        FloatKind::Double => 1,
        FloatKind::LongDouble => 2,
        FloatKind::Float128 => 3,
        FloatKind::Decimal32 => 4,
        FloatKind::Decimal64 => 5,
        FloatKind::Decimal128 => 6,
    };
    if rank(a) >= rank(b) {
        a
    } else {
        b
    }
}
