//! Which binary operators gcc evaluates from right to left.
//!
//! gcc's front-end puts a plain variable behind the other operand of a commutative operator or a comparison
//! (`tree_swap_operands_p`), where "plain" looks through conversions that keep the width.  Which conversions an
//! operand has depends on more than the text: comparisons and bitwise operators are computed in the narrower type that
//! both operands come from (`shorten_compare`, `shorten_binary_op`), and a conversion to a narrower type is made
//! of the operands and not of the result (`convert_to_integer`).  So the expression is built as the front-end
//! builds it, folded, and the operators whose operands changed places are noted.

use crate::walk::{operands, Node};
use pc3_syntax::tree::*;
use std::collections::HashSet;
use std::rc::Rc;

/// What a fold knows about a type.  Pointers are unsigned integers, `_Bool` is one of one bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Number {
    Int { bits: u32, unsigned: bool },
    Float(FloatKind),
}

use Number::{Float, Int};

const BOOL: Number = Int {
    bits: 1,
    unsigned: true,
};

struct Tree {
    ty: Number,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Variable,
    Constant,
    Other,
    Converted(Rc<Tree>),
    /// `x != 0`
    Truth(Rc<Tree>),
    Negated(Rc<Tree>),
    Inverted(Rc<Tree>),
    Binary {
        op: BinOp,
        of: ExprId,
        operands: [Rc<Tree>; 2],
    },
}

fn comparison(op: BinOp) -> bool {
    use BinOp::*;
    matches!(op, Lt | Gt | Le | Ge | Eq | Ne)
}

fn bitwise(op: BinOp) -> bool {
    matches!(op, BinOp::And | BinOp::Or | BinOp::Xor)
}

/// Operators whose low bits depend on low bits only.
fn distributes(op: BinOp) -> bool {
    matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) || bitwise(op)
}

pub(super) fn commutes(op: BinOp) -> bool {
    matches!(op, BinOp::Add | BinOp::Mul) || bitwise(op) || comparison(op)
}

/// What the value of a full expression is converted to.
#[derive(Clone, Copy)]
pub(super) enum Target {
    None,
    /// It is a condition.
    Truth,
    Type(TypeId),
}

/// The operators below `root` whose right operand is evaluated first.
pub(super) fn commuted(u: &Unit, root: ExprId, target: Target) -> HashSet<ExprId> {
    let mut folds = Folds {
        u,
        commuted: HashSet::new(),
    };
    let target = match target {
        Target::None => None,
        Target::Truth => Some(BOOL),
        Target::Type(t) => folds.number(t),
    };
    folds.full(root, target.as_slice());
    folds.commuted
}

struct Folds<'a> {
    u: &'a Unit,
    commuted: HashSet<ExprId>,
}

impl Folds<'_> {
    fn number(&self, ty: TypeId) -> Option<Number> {
        let t = &self.u.target;
        match self.u.ty(ty) {
            Type::Bool => Some(BOOL),
            Type::Float(k) => Some(Float(*k)),
            Type::Pointer(_) | Type::Array { .. } | Type::Function { .. } => Some(Int {
                bits: t.pointer_bits,
                unsigned: true,
            }),
            _ => self.u.view().int_kind(ty).map(|k| Int {
                bits: t.bits(k),
                unsigned: !t.signed(k),
            }),
        }
    }

    fn number_of(&self, e: ExprId) -> Option<Number> {
        self.number(self.u.expr(e).ty.ty)
    }

    /// An expression whose folded value is converted to each of `targets` in turn.
    fn full(&mut self, e: ExprId, targets: &[Number]) {
        let mut leaves = Vec::new();
        if let Some(mut tree) = self.tree(e, &mut leaves) {
            for to in targets {
                let folded = self.folded(&tree);
                tree = self.convert(*to, &folded);
            }
            self.folded(&tree);
        }
        for leaf in leaves {
            self.below(leaf, if leaf == e { targets } else { &[] });
        }
    }

    /// The operands of what is no arithmetic, each an expression of its own.
    fn below(&mut self, e: ExprId, targets: &[Number]) {
        let u = self.u;
        match &u.expr(e).kind {
            ExprKind::Assign { lhs, rhs, op } => {
                self.full(*lhs, &[]);
                let to = self.number_of(*lhs).filter(|_| op.is_none());
                self.full(*rhs, to.as_slice());
            }
            ExprKind::Cond { cond, then, els } => {
                self.full(*cond, &[BOOL]);
                let both: Vec<Number> = self.number_of(e).iter().chain(targets).copied().collect();
                then.iter().chain([els]).for_each(|x| self.full(*x, &both));
            }
            ExprKind::Comma(list) => {
                let last = list.len().saturating_sub(1);
                for (i, x) in list.iter().enumerate() {
                    self.full(*x, if i == last { targets } else { &[] });
                }
            }
            ExprKind::Generic { chosen, .. } => self.full(*chosen, targets),
            ExprKind::Unary { op: UnOp::Not, arg } => self.full(*arg, &[BOOL]),
            ExprKind::Binary {
                op: BinOp::LogAnd | BinOp::LogOr,
                lhs,
                rhs,
            } => [lhs, rhs].into_iter().for_each(|x| self.full(*x, &[BOOL])),
            ExprKind::Call { callee, args } => {
                self.full(*callee, &[]);
                let mut ty = u.expr(*callee).ty.ty;
                if let Type::Pointer(to) = u.ty(ty) {
                    ty = to.ty;
                }
                let params: &[QualType] = match u.ty(ty) {
                    Type::Function {
                        params,
                        prototype: true,
                        ..
                    } => params,
                    _ => &[],
                };
                for (i, a) in args.iter().enumerate() {
                    let to = params.get(i).and_then(|p| self.number(p.ty));
                    self.full(*a, to.as_slice());
                }
            }
            _ => {
                let mut list = Vec::new();
                operands(u, e, &mut |n| list.push(n));
                for n in list {
                    if let Node::Expr(x) = n {
                        self.full(x, &[]);
                    }
                }
            }
        }
    }

    /// As the parser builds it; `leaves`: what is no operator or cast of numbers.
    fn tree(&mut self, e: ExprId, leaves: &mut Vec<ExprId>) -> Option<Rc<Tree>> {
        let u = self.u;
        let ty = self.number_of(e);
        match &u.expr(e).kind {
            ExprKind::Binary { op, lhs, rhs } if self.is_arithmetic(*op, e, *lhs, *rhs) => {
                let lhs = self.tree(*lhs, leaves)?;
                let rhs = self.tree(*rhs, leaves)?;
                return Some(self.binary(*op, e, ty?, [lhs, rhs]));
            }
            ExprKind::Cast { arg, .. } if ty.is_some() && self.number_of(*arg).is_some() => {
                let arg = self.tree(*arg, leaves)?;
                return Some(self.convert(ty?, &arg));
            }
            // What stands before it is evaluated before the operator that it is an operand of.
            ExprKind::Comma(list) => {
                let (last, front) = list.split_last()?;
                leaves.extend(front);
                return self.tree(*last, leaves);
            }
            ExprKind::Unary {
                op: op @ (UnOp::Minus | UnOp::BitNot),
                arg,
            } if ty.is_some() => {
                let arg = self.tree(*arg, leaves)?;
                let arg = self.convert(ty?, &arg);
                // Unlike binary ones, unary operators are folded at once.
                return Some(match op {
                    UnOp::Minus => self.fold(&tree(ty?, Kind::Negated(arg))),
                    _ => tree(ty?, Kind::Inverted(arg)),
                });
            }
            _ => leaves.push(e),
        }
        let kind = match u.expr(e).kind {
            ExprKind::Ident(s) if names_variable(u, s) => Kind::Variable,
            _ if u.view().eval(e).is_some() => Kind::Constant,
            _ => Kind::Other,
        };
        Some(tree(ty?, kind))
    }

    /// An operator on numbers that gcc keeps as it is: pointers are compared only.
    fn is_arithmetic(&self, op: BinOp, e: ExprId, lhs: ExprId, rhs: ExprId) -> bool {
        let pointer = |x| {
            let ty = self.u.ty(self.u.expr(x).ty.ty);
            matches!(
                ty,
                Type::Pointer(_) | Type::Array { .. } | Type::Function { .. }
            )
        };
        !matches!(op, BinOp::LogAnd | BinOp::LogOr)
            && [e, lhs, rhs]
                .iter()
                .all(|x| self.number_of(*x).is_some() && (comparison(op) || !pointer(*x)))
    }

    /// `build_binary_op`
    fn binary(&mut self, op: BinOp, of: ExprId, ty: Number, [l, r]: [Rc<Tree>; 2]) -> Rc<Tree> {
        let joined = |ty, operands| tree(ty, Kind::Binary { op, of, operands });
        if matches!(op, BinOp::Shl | BinOp::Shr) {
            return joined(ty, [l, r]);
        }
        let (l, r) = match (l.ty, r.ty) {
            (Int { .. }, Int { .. }) => (self.promoted(&l), self.promoted(&r)),
            _ => (l, r),
        };
        let common = match comparison(op) {
            true => common(l.ty, r.ty),
            false => ty,
        };
        let whole = [self.convert(common, &l), self.convert(common, &r)];
        let Int { bits, unsigned } = common else {
            return joined(ty, whole);
        };
        if comparison(op) {
            let (l, r) = (narrowest(&l), narrowest(&r));
            if l.unsigned == r.unsigned && l.bits() < bits && r.bits() < bits {
                let narrow = Int {
                    bits: l.bits().max(r.bits()),
                    unsigned: l.unsigned || unsigned,
                };
                let operands = [l, r].map(|x| self.convert(narrow, &x.tree));
                return joined(ty, operands);
            }
        }
        if bitwise(op) {
            let [l, r] = [narrowest(&whole[0]), narrowest(&whole[1])];
            let same = l.unsigned == r.unsigned && l.bits() == r.bits();
            if same && 1 < l.bits() && l.bits() < bits {
                let narrow = Int {
                    bits: l.bits(),
                    unsigned: l.unsigned,
                };
                let operands = [l, r].map(|x| self.convert(narrow, &x.tree));
                return self.convert(common, &joined(narrow, operands));
            }
        }
        joined(ty, whole)
    }

    fn promoted(&mut self, t: &Rc<Tree>) -> Rc<Tree> {
        let int = Int {
            bits: self.u.target.int_bits,
            unsigned: false,
        };
        match bits(t.ty) < bits(int) {
            true => self.convert(int, t),
            false => t.clone(),
        }
    }

    /// `convert`: a narrower integer is computed from narrower operands.
    fn convert(&mut self, to: Number, t: &Rc<Tree>) -> Rc<Tree> {
        if t.ty == to {
            return t.clone();
        }
        if to == BOOL {
            return tree(BOOL, Kind::Truth(t.clone()));
        }
        let (Int { bits: out, .. }, Int { bits, unsigned }) = (to, t.ty) else {
            return converted(to, t);
        };
        if out >= bits {
            return converted(to, t);
        }
        match &t.kind {
            Kind::Converted(inner) if matches!(inner.ty, Int { .. }) => {
                self.convert(to, &unwidened(inner, out))
            }
            Kind::Negated(inner) | Kind::Inverted(inner) => {
                let narrow = Int {
                    bits: out,
                    unsigned: true,
                };
                let inner = self.convert(narrow, &unwidened(inner, out));
                let result = match t.kind {
                    Kind::Negated(_) => self.fold(&tree(narrow, Kind::Negated(inner))),
                    _ => tree(narrow, Kind::Inverted(inner)),
                };
                converted(to, &result)
            }
            Kind::Binary { op, of, operands } if distributes(*op) => {
                let inner = operands.each_ref().map(|x| unwidened(x, out));
                let extended =
                    |x: &Tree| matches!(x.ty, Int { bits: b, unsigned: false } if b < bits);
                let kept = !self.u.target.narrow_products && *op == BinOp::Mul;
                if kept && unsigned && extended(&inner[0]) {
                    return converted(to, t);
                }
                let narrow = Int {
                    bits: out,
                    unsigned: true,
                };
                let kind = Kind::Binary {
                    op: *op,
                    of: *of,
                    operands: inner.map(|x| self.convert(narrow, &x)),
                };
                let result = self.fold(&tree(narrow, kind));
                converted(to, &result)
            }
            _ => converted(to, t),
        }
    }

    /// `c_fully_fold`
    fn folded(&mut self, t: &Rc<Tree>) -> Rc<Tree> {
        match &t.kind {
            Kind::Converted(inner) => converted(t.ty, &self.folded(inner)),
            Kind::Negated(inner) => {
                let inner = self.folded(inner);
                self.fold(&tree(t.ty, Kind::Negated(inner)))
            }
            Kind::Inverted(inner) => tree(t.ty, Kind::Inverted(self.folded(inner))),
            Kind::Truth(inner) => {
                let inner = self.folded(inner);
                self.fold(&tree(t.ty, Kind::Truth(inner)))
            }
            Kind::Binary { op, of, operands } => {
                let kind = Kind::Binary {
                    op: *op,
                    of: *of,
                    operands: operands.each_ref().map(|x| self.folded(x)),
                };
                self.fold(&tree(t.ty, kind))
            }
            Kind::Variable | Kind::Constant | Kind::Other => t.clone(),
        }
    }

    /// An operator's operands change places, perhaps once more.
    fn exchange(&mut self, of: ExprId) {
        if !self.commuted.insert(of) {
            self.commuted.remove(&of);
        }
    }

    /// `negate_expr`, of what [`is_negatable`]: the operands of a difference change places.
    fn negate(&mut self, t: &Rc<Tree>) -> Rc<Tree> {
        match &t.kind {
            Kind::Constant => t.clone(),
            Kind::Negated(inner) => inner.clone(),
            Kind::Binary {
                op,
                of,
                operands: [l, r],
            } if is_negatable(t) || is_difference(t) => {
                let (op, operands) = match op {
                    BinOp::Sub => {
                        self.exchange(*of);
                        (BinOp::Sub, [r.clone(), l.clone()])
                    }
                    BinOp::Add if is_negatable(r) => {
                        self.exchange(*of);
                        (BinOp::Sub, [self.negate(r), l.clone()])
                    }
                    BinOp::Add => (BinOp::Sub, [self.negate(l), r.clone()]),
                    op if is_negatable(r) => (*op, [l.clone(), self.negate(r)]),
                    op => (*op, [self.negate(l), r.clone()]),
                };
                tree(
                    t.ty,
                    Kind::Binary {
                        op,
                        of: *of,
                        operands,
                    },
                )
            }
            _ => tree(t.ty, Kind::Negated(t.clone())),
        }
    }

    /// `fold_unary`, `fold_binary`
    fn fold(&mut self, t: &Rc<Tree>) -> Rc<Tree> {
        let (op, of, [l, r]) = match &t.kind {
            Kind::Binary { op, of, operands } => (*op, *of, operands),
            // `-(x - y)` is `y - x`.
            Kind::Negated(inner) if is_difference(inner) || is_negatable(inner) => {
                return self.negate(inner);
            }
            // `(x - y) != 0` is `x != y`.
            Kind::Truth(inner) => match &inner.kind {
                Kind::Binary {
                    op: BinOp::Sub | BinOp::Xor,
                    of,
                    operands,
                } if !is_extended(self.u, &operands[1]) => (BinOp::Ne, *of, operands),
                _ => return t.clone(),
            },
            _ => return t.clone(),
        };
        let joined = |ty, operands| tree(ty, Kind::Binary { op, of, operands });
        match (op, &l.kind, &r.kind) {
            (BinOp::Add, Kind::Negated(_), Kind::Negated(_)) => {}
            // `-x + y` is `y - x`.
            (BinOp::Add, Kind::Negated(x), _) => {
                self.exchange(of);
                let operands = [r.clone(), x.clone()];
                let op = BinOp::Sub;
                return tree(t.ty, Kind::Binary { op, of, operands });
            }
            (BinOp::Xor, Kind::Inverted(_), Kind::Inverted(_)) => {}
            (BinOp::Xor, _, Kind::Inverted(_)) => {
                self.exchange(of);
                return joined(t.ty, [r.clone(), l.clone()]);
            }
            _ => {}
        }
        if op == BinOp::Sub && matches!(t.ty, Int { .. }) && is_negatable(r) && !is_constant(r) {
            let kind = Kind::Binary {
                op: BinOp::Add,
                of,
                operands: [l.clone(), self.negate(r)],
            };
            return self.fold(&tree(t.ty, kind));
        }
        if let (Kind::Converted(a), Kind::Converted(b)) = (&l.kind, &r.kind) {
            if comparison(op) && compared_narrower(op, l.ty, a.ty, b.ty) {
                return self.fold(&joined(t.ty, [a.clone(), converted(a.ty, b)]));
            }
            let integer = matches!(a.ty, Int { .. });
            let hoisted = matches!(op, BinOp::Or | BinOp::Xor) && a.ty == b.ty && integer;
            if hoisted && bits(a.ty) < bits(t.ty) {
                let narrow = self.fold(&joined(a.ty, [a.clone(), b.clone()]));
                return converted(t.ty, &narrow);
            }
        }
        let behind = is_variable(l) || (unsigned(t.ty) && is_offset_variable(op, l));
        if commutes(op) && behind && !is_variable(r) && !is_constant(r) {
            self.exchange(of);
            return joined(t.ty, [r.clone(), l.clone()]);
        }
        joined(t.ty, [l.clone(), r.clone()])
    }
}

/// A variable that lies somewhere.
fn names_variable(u: &Unit, s: SymId) -> bool {
    let sym = u.sym(s);
    !matches!(sym.kind, SymKind::Func | SymKind::EnumConst)
        && !matches!(u.ty(sym.ty.ty), Type::Array { .. })
}

/// Is it extended from a type shorter than `int`, or computed in a shorter one?
fn is_extended(u: &Unit, t: &Tree) -> bool {
    match &t.kind {
        Kind::Converted(inner) => {
            bits(inner.ty) < u.target.int_bits || matches!(inner.kind, Kind::Binary { .. })
        }
        _ => bits(t.ty) < u.target.int_bits,
    }
}

fn tree(ty: Number, kind: Kind) -> Rc<Tree> {
    Rc::new(Tree { ty, kind })
}

/// Bits of an integer; a real number counts as wider than any.
fn bits(ty: Number) -> u32 {
    match ty {
        Int { bits, .. } => bits,
        Float(_) => u32::MAX,
    }
}

fn unsigned(ty: Number) -> bool {
    matches!(ty, Int { unsigned: true, .. })
}

/// `STRIP_NOPS`
fn stripped(t: &Tree) -> &Tree {
    match (&t.kind, t.ty) {
        (Kind::Converted(inner), Int { bits, .. }) => match inner.ty {
            Int { bits: b, .. } if b == bits => stripped(inner),
            _ => t,
        },
        _ => t,
    }
}

fn is_variable(t: &Tree) -> bool {
    matches!(stripped(t).kind, Kind::Variable)
}

fn is_constant(t: &Tree) -> bool {
    match &t.kind {
        Kind::Converted(inner) => is_constant(inner),
        kind => matches!(kind, Kind::Constant),
    }
}

/// A variable `op` a constant: where overflow wraps, what follows by the same operator comes in between (`associate`).
fn is_offset_variable(op: BinOp, t: &Tree) -> bool {
    let sums = |op| matches!(op, BinOp::Add | BinOp::Sub);
    match &stripped(t).kind {
        Kind::Binary {
            op: inner,
            operands: [l, r],
            ..
        } => {
            let same = *inner == op || (op == BinOp::Add && sums(*inner));
            same && is_variable(l) && is_constant(r)
        }
        _ => false,
    }
}

/// An integer's `x - y`.
fn is_difference(t: &Tree) -> bool {
    matches!(t.ty, Int { .. }) && matches!(t.kind, Kind::Binary { op: BinOp::Sub, .. })
}

/// `negate_expr_p`, of integers
fn is_negatable(t: &Tree) -> bool {
    if !matches!(t.ty, Int { .. }) {
        return false;
    }
    match &t.kind {
        Kind::Constant | Kind::Negated(_) => true,
        Kind::Binary {
            op,
            operands: [l, r],
            ..
        } => match op {
            BinOp::Sub => unsigned(t.ty),
            BinOp::Add => unsigned(t.ty) && (is_negatable(r) || is_negatable(l)),
            BinOp::Mul => !unsigned(t.ty) && (is_negatable(r) || is_negatable(l)),
            _ => false,
        },
        _ => false,
    }
}

/// The usual arithmetic conversions of promoted operands.
fn common(a: Number, b: Number) -> Number {
    match (a, b) {
        (Float(x), Float(y)) => Float(if x as u32 > y as u32 { x } else { y }),
        (Float(x), _) | (_, Float(x)) => Float(x),
        _ => Int {
            bits: bits(a).max(bits(b)),
            unsigned: unsigned(a) && bits(a) >= bits(b) || unsigned(b) && bits(b) >= bits(a),
        },
    }
}

/// A conversion, without those below it that it makes superfluous (gcc's `match.pd`, "two conversions in a row").
fn converted(to: Number, t: &Rc<Tree>) -> Rc<Tree> {
    if t.ty == to {
        return t.clone();
    }
    let superfluous = |inner: &Tree| match (to, t.ty, inner.ty) {
        (Int { .. }, Int { .. }, Int { .. }) => {
            let (last, mid, first) = (bits(to), bits(t.ty), bits(inner.ty));
            let same = first == last && unsigned(inner.ty) == unsigned(to) && mid >= last;
            let same_sign = unsigned(t.ty) == unsigned(inner.ty);
            let kept = (mid >= last || mid >= first && same_sign)
                && (unsigned(t.ty) && mid > first) == (unsigned(to) && last > mid);
            let zero_extended =
                1 < first && first < mid && mid < last && unsigned(inner.ty) && !unsigned(t.ty);
            same || kept || zero_extended || last == mid
        }
        (Float(_), Int { .. }, Int { .. }) => {
            bits(t.ty) > bits(inner.ty) && (unsigned(inner.ty) || !unsigned(t.ty))
        }
        (Float(a), Float(b), Float(c)) => a == c && b as u32 >= a as u32,
        _ => false,
    };
    match &t.kind {
        Kind::Converted(inner) if superfluous(inner) => converted(to, inner),
        Kind::Truth(_) if to != BOOL && matches!(to, Int { .. }) => tree(to, t.kind.clone()),
        _ => tree(to, Kind::Converted(t.clone())),
    }
}

/// `get_unwidened`: without extensions whose bits a conversion to `width` bits drops.
fn unwidened(t: &Rc<Tree>, width: u32) -> Rc<Tree> {
    let mut zero_extended = width > bits(t.ty) && unsigned(t.ty);
    let (mut at, mut found) = (t, t);
    while let Kind::Converted(inner) = &at.kind {
        let (outside, inside) = (bits(at.ty), bits(inner.ty));
        if inside == u32::MAX || outside == u32::MAX || (outside < inside && width > outside) {
            break;
        }
        at = inner;
        if outside > inside {
            if !zero_extended || width <= inside {
                found = at;
            }
            if (zero_extended || matches!(at.kind, Kind::Converted(_))) && unsigned(at.ty) {
                zero_extended = true;
                found = at;
            }
        }
    }
    found.clone()
}

/// An operand without its extensions, and whether they were extensions by zeros.
struct Narrowest {
    tree: Rc<Tree>,
    unsigned: bool,
}

impl Narrowest {
    fn bits(&self) -> u32 {
        bits(self.tree.ty)
    }
}

/// `get_narrower`
fn narrowest(t: &Rc<Tree>) -> Narrowest {
    let mut by_zeros = unsigned(t.ty);
    let (mut at, mut first) = (t, true);
    while let Kind::Converted(inner) = &at.kind {
        let (outside, inside) = (bits(at.ty), bits(inner.ty));
        if inside == u32::MAX || outside < inside {
            break;
        }
        let zeros = unsigned(if outside > inside { inner.ty } else { at.ty });
        if first {
            by_zeros = zeros;
        } else if outside > inside && by_zeros != zeros {
            break;
        }
        first = false;
        at = inner;
    }
    Narrowest {
        tree: at.clone(),
        unsigned: by_zeros,
    }
}

/// Are two integers of `a` and `b`, converted to `wide`, compared in `a`?
fn compared_narrower(op: BinOp, wide: Number, a: Number, b: Number) -> bool {
    let integers = [wide, a, b].iter().all(|t| matches!(t, Int { .. }));
    let order_kept =
        matches!(op, BinOp::Eq | BinOp::Ne) || unsigned(wide) == unsigned(a) || unsigned(a);
    let holds = a == b || (bits(a) >= bits(b) && unsigned(a) == unsigned(b));
    integers && bits(wide) > bits(a) && order_kept && holds
}

#[cfg(test)]
mod tests;
