//! Takes a full expression with points apart: one rule per kind of expression.
//!
//! The order of evaluation is the compiler's, as far as it is a rule and not a fold: see [`crate::linear`].

use crate::initialiser::in_order;
use crate::linear::{is_void, Ctx, Op, Subst, TempTy};
use crate::walk::written_lengths;
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

pub(super) struct Builder<'c, 'a> {
    pub c: &'c mut Ctx<'a>,
    pub modified: HashSet<SymId>,
    /// Operators whose right operand gcc evaluates first.
    pub commuted: HashSet<ExprId>,
    pub subst: HashMap<ExprId, Subst>,
}

impl Builder<'_, '_> {
    fn has(&self, e: ExprId) -> bool {
        self.c.points.in_expr(e)
    }
    fn kind(&self, e: ExprId) -> ExprKind {
        self.c.u.expr(e).kind.clone()
    }

    /// For the value, or the truth, of `of`.
    fn temp(&mut self, ty: TempTy, of: ExprId) -> usize {
        self.c.temps.push(ty);
        self.c.origins.push(of);
        self.c.temps.len() - 1
    }

    /// The type of a temporary that holds `e`'s value.
    fn value_type(&self, e: ExprId) -> TempTy {
        let u = self.c.u;
        let q = u.expr(e).ty;
        match u.ty(q.ty) {
            Type::Array { elem, .. } => return TempTy::PointerTo(*elem),
            Type::Function { .. } => return TempTy::PointerTo(q),
            Type::Unsupported(_) if u.odd_integers.contains(&q.ty) => return TempTy::Odd,
            _ => {}
        }
        if let ExprKind::Member { base, arrow, name } = &u.expr(e).kind {
            let mut t = u.expr(*base).ty.ty;
            if let (true, Type::Pointer(q)) = (*arrow, u.ty(t)) {
                t = q.ty;
            }
            let exact = matches!(u.ty(q.ty), Type::Int(IntKind::Bits { .. }));
            if let Some(w) = field_width(u, t, name).filter(|_| !exact) {
                // A narrow bit-field promotes to int.
                if w < u.target.int_bits
                    || (w == u.target.int_bits
                        && matches!(u.ty(q.ty), Type::Int(k) if u.target.signed(*k)))
                {
                    return TempTy::Int;
                }
                if matches!(u.ty(q.ty), Type::Int(k) if w > u.target.int_bits && w < u.target.bits(*k))
                {
                    return TempTy::Odd;
                }
            }
        }
        TempTy::Value(q)
    }

    /// Puts the value of `e` into a temporary now.
    fn spill(&mut self, e: ExprId, ops: &mut Vec<Op>) {
        if self.subst.contains_key(&e) || is_void(self.c.u, e) {
            return;
        }
        let temp = self.temp(self.value_type(e), e);
        ops.push(Op::Eval { temp, expr: e });
        self.subst.insert(e, Subst::Temp(temp));
    }

    /// Operands in the order they are evaluated.
    pub fn sequence(&mut self, list: &[ExprId], ops: &mut Vec<Op>) {
        let Some(last) = list.iter().rposition(|e| self.has(*e)) else {
            return;
        };
        for (i, e) in list[..=last].iter().enumerate() {
            if self.has(*e) {
                self.expr(*e, true, ops);
            }
            if i < last && !self.stable(*e) {
                self.spill(*e, ops);
            }
        }
    }

    /// After this, evaluating `e` with the substitutions applied passes no point. `used`: its value is wanted.
    pub fn expr(&mut self, e: ExprId, used: bool, ops: &mut Vec<Op>) {
        use ExprKind::*;
        if !self.has(e) {
            return;
        }
        match self.kind(e) {
            Call { callee, args } => self.call(e, callee, &args, used, ops),
            Binary {
                op: op @ (BinOp::LogAnd | BinOp::LogOr),
                lhs,
                rhs,
            } => self.logical(e, op, lhs, rhs, ops),
            Binary { op, lhs, rhs } => {
                if !self.c.left_to_right {
                    self.fronts(e, ops);
                }
                let later = || !self.c.left_to_right || self.untouched_by(rhs, lhs);
                if self.swapped(op, lhs, rhs, e) && later() {
                    self.sequence(&[rhs, lhs], ops);
                } else {
                    self.sequence(&[lhs, rhs], ops);
                }
            }
            Cond { cond, then, els } => self.conditional(e, cond, then, els, used, ops),
            Comma(list) => self.comma(&list, used, ops),
            Assign { op, lhs, rhs } => self.assign(op, lhs, rhs, ops),
            Index { base, index } if self.is_part(base) => {
                self.expr(base, true, ops);
                if self.has(index) {
                    self.fix_place(base, ops);
                    self.expr(index, true, ops);
                }
            }
            Index { base, index } => match self.is_address(index) && !self.c.left_to_right {
                true => self.sequence(&[index, base], ops),
                false => self.sequence(&[base, index], ops),
            },
            Member { base: a, .. }
            | AddrOf(a)
            | Deref(a)
            | Unary { arg: a, .. }
            | Cast { arg: a, .. } => self.expr(a, true, ops),
            Generic { chosen, .. } => self.expr(chosen, used, ops),
            VaArg { list, .. } => self.expr(list, true, ops),
            CompoundLit { init, ty } => {
                let list = in_order(self.c.u, ty, &init);
                self.sequence(&list, ops);
            }
            StmtExpr(stmt) => {
                let temp =
                    (used && !is_void(self.c.u, e)).then(|| self.temp(self.value_type(e), e));
                ops.push(Op::Block { stmt, temp });
                self.subst
                    .insert(e, temp.map_or(Subst::Nothing, Subst::Temp));
            }
            SizeofType(_) | Offsetof { .. } => self.sequence(&written_lengths(self.c.u, e), ops),
            Ident(_)
            | Int(_)
            | Float
            | Str { .. }
            | SizeofExpr(_)
            | Alignof
            | LabelAddr(_)
            | Builtin => {}
        }
    }

    fn call(&mut self, e: ExprId, callee: ExprId, args: &[ExprId], used: bool, ops: &mut Vec<Op>) {
        self.arguments(callee, args, false, ops);
        self.called(e, used, ops);
    }

    /// The call itself: its arguments have been evaluated.
    fn called(&mut self, e: ExprId, used: bool, ops: &mut Vec<Op>) {
        let Some(label) = self.c.points.calls.get(&e).copied() else {
            return;
        };
        let temp = (used && !is_void(self.c.u, e)).then(|| self.temp(self.value_type(e), e));
        ops.push(Op::Point {
            label,
            call: e,
            temp,
        });
        let value = temp.map_or(Subst::Nothing, Subst::Temp);
        self.subst.insert(e, value);
    }

    /// `all`: something is evaluated between the last of them and the call.
    fn arguments(&mut self, callee: ExprId, args: &[ExprId], all: bool, ops: &mut Vec<Op>) {
        let mut order = vec![callee];
        match self.c.left_to_right {
            true => order.extend(args),
            false => order.extend(args.iter().rev()),
        }
        let last = order.iter().rposition(|e| self.has(*e));
        let (end, fixed) = match (all, last) {
            (true, _) => (order.len(), order.len()),
            (false, Some(last)) => (last + 1, last),
            (false, None) => return,
        };
        for (i, e) in order[..end].iter().enumerate() {
            self.expr(*e, true, ops);
            if i < fixed && !self.stable(*e) {
                // A struct that lies somewhere is copied by the call itself.
                match self.is_record(*e) && self.is_lvalue(*e) {
                    true => self.fix_place(*e, ops),
                    false => self.spill(*e, ops),
                }
            }
        }
    }

    fn is_record(&self, e: ExprId) -> bool {
        matches!(self.c.u.ty(self.c.u.expr(e).ty.ty), Type::Record(_))
    }

    /// `&&` and `||`.
    fn logical(&mut self, e: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId, ops: &mut Vec<Op>) {
        self.expr(lhs, true, ops);
        if !self.has(rhs) {
            return;
        }
        let temp = self.temp(TempTy::Int, e);
        ops.push(Op::Truth { temp, expr: lhs });
        let mut then = Vec::new();
        self.expr(rhs, true, &mut then);
        then.push(Op::Truth { temp, expr: rhs });
        let cond = match op {
            BinOp::LogAnd => crate::linear::Cond::Temp(temp),
            _ => crate::linear::Cond::NotTemp(temp),
        };
        ops.push(Op::If {
            cond,
            then,
            els: Vec::new(),
        });
        self.subst.insert(e, Subst::Temp(temp));
    }

    /// gcc takes what stands before the comma of an operand out of the operator.
    fn fronts(&mut self, e: ExprId, ops: &mut Vec<Op>) {
        match self.kind(e) {
            ExprKind::Comma(list) => {
                let Some((last, front)) = list.split_last() else {
                    return;
                };
                for x in front {
                    self.discard(*x, ops);
                }
                self.fronts(*last, ops);
            }
            ExprKind::Binary { op, lhs, rhs } if !matches!(op, BinOp::LogAnd | BinOp::LogOr) => {
                self.fronts(lhs, ops);
                self.fronts(rhs, ops);
            }
            ExprKind::Cast { arg, .. }
            | ExprKind::Unary {
                op: UnOp::Plus | UnOp::Minus | UnOp::BitNot | UnOp::Not,
                arg,
            } => self.fronts(arg, ops),
            _ => {}
        }
    }

    /// Evaluates `x` for its effects, unless that has happened.
    fn discard(&mut self, x: ExprId, ops: &mut Vec<Op>) {
        match self.subst.get(&x) {
            Some(Subst::Nothing) => return,
            Some(Subst::Temp(_)) => {}
            None => {
                self.expr(x, false, ops);
                if !self.subst.contains_key(&x) {
                    ops.push(Op::Do(x));
                }
            }
        }
        self.subst.insert(x, Subst::Nothing);
    }

    fn comma(&mut self, list: &[ExprId], used: bool, ops: &mut Vec<Op>) {
        let last = list.iter().rposition(|x| self.has(*x)).unwrap_or(0);
        for (i, x) in list[..=last].iter().enumerate() {
            let wanted = used && i + 1 == list.len();
            if !self.subst.contains_key(x) {
                self.expr(*x, wanted, ops);
            }
            if i < last || !wanted {
                if !self.subst.contains_key(x) {
                    ops.push(Op::Do(*x));
                    self.subst.insert(*x, Subst::Nothing);
                } else if i + 1 < list.len() {
                    self.subst.insert(*x, Subst::Nothing);
                }
            }
        }
    }

    fn assign(&mut self, op: Option<BinOp>, lhs: ExprId, rhs: ExprId, ops: &mut Vec<Op>) {
        match op {
            None if self.place_first(lhs, rhs) => match self.kind(rhs) {
                // gcc: the place comes between the arguments and the call.
                ExprKind::Call { callee, args } if !self.c.left_to_right => {
                    self.arguments(callee, &args, self.has(lhs), ops);
                    self.expr(lhs, true, ops);
                    if self.c.points.calls.contains_key(&rhs) {
                        self.fix_place(lhs, ops);
                        self.called(rhs, true, ops);
                    }
                }
                _ => {
                    self.expr(lhs, true, ops);
                    if self.has(rhs) {
                        self.fix_place(lhs, ops);
                        self.expr(rhs, true, ops);
                    }
                }
            },
            _ => {
                self.expr(rhs, true, ops);
                if self.has(lhs) {
                    if !self.stable(rhs) {
                        self.spill(rhs, ops);
                    }
                    self.expr(lhs, true, ops);
                }
            }
        }
    }

    fn conditional(
        &mut self,
        e: ExprId,
        cond: ExprId,
        then: Option<ExprId>,
        els: ExprId,
        used: bool,
        ops: &mut Vec<Op>,
    ) {
        self.expr(cond, true, ops);
        if !then.is_some_and(|t| self.has(t)) && !self.has(els) {
            return;
        }
        let result = (used && !is_void(self.c.u, e)).then(|| self.temp(self.value_type(e), e));
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let test = match then {
            Some(t) => {
                self.arm(t, result, &mut a);
                crate::linear::Cond::Expr(cond)
            }
            None => {
                // `c ?: e`: the condition's value is the result.
                self.spill(cond, ops);
                match (self.subst.get(&cond), result) {
                    (Some(Subst::Temp(c)), Some(r)) => {
                        a.push(Op::Copy { temp: r, from: *c });
                        crate::linear::Cond::Temp(*c)
                    }
                    (Some(Subst::Temp(c)), None) => crate::linear::Cond::Temp(*c),
                    _ => crate::linear::Cond::Expr(cond),
                }
            }
        };
        self.arm(els, result, &mut b);
        ops.push(Op::If {
            cond: test,
            then: a,
            els: b,
        });
        self.subst
            .insert(e, result.map_or(Subst::Nothing, Subst::Temp));
    }

    fn arm(&mut self, e: ExprId, result: Option<usize>, ops: &mut Vec<Op>) {
        self.expr(e, result.is_some(), ops);
        match result {
            Some(temp) => ops.push(Op::Eval { temp, expr: e }),
            None if self.subst.contains_key(&e) => {}
            None => ops.push(Op::Do(e)),
        }
    }

    fn is_address(&self, e: ExprId) -> bool {
        self.is_array(e) || matches!(self.c.u.ty(self.c.u.expr(e).ty.ty), Type::Pointer(_))
    }

    fn is_array(&self, e: ExprId) -> bool {
        matches!(self.c.u.ty(self.c.u.expr(e).ty.ty), Type::Array { .. })
    }

    /// Is it a vector that lies somewhere, so that an element of it is a place?
    fn is_part(&self, e: ExprId) -> bool {
        crate::escape::is_vector(self.c.u, e) && self.is_lvalue(e)
    }

    fn is_lvalue(&self, e: ExprId) -> bool {
        use ExprKind::*;
        match &self.c.u.expr(e).kind {
            Ident(_) | Deref(_) | Index { .. } | CompoundLit { .. } => true,
            Member { arrow: true, .. } => true,
            Member { base, .. } => self.is_lvalue(*base),
            Generic { chosen, .. } => self.is_lvalue(*chosen),
            _ => false,
        }
    }

    /// Is the address computed before the value?  clang does so for structs, gcc for a call that is stored as it is.
    fn place_first(&self, lhs: ExprId, rhs: ExprId) -> bool {
        let u = self.c.u;
        if self.c.left_to_right {
            return self.is_record(lhs);
        }
        matches!(
            u.expr(rhs).kind,
            ExprKind::Call { .. } | ExprKind::StmtExpr(_)
        ) && u.expr(lhs).ty.ty == u.expr(rhs).ty.ty
    }

    /// Does gcc evaluate the right operand first?  Of numbers [`super::commuted`] knows; of others a plain variable.
    fn swapped(&self, op: BinOp, lhs: ExprId, rhs: ExprId, e: ExprId) -> bool {
        let u = self.c.u;
        let variable =
            |x| matches!(u.expr(x).kind, ExprKind::Ident(s) if u.sym(s).kind != SymKind::Func);
        let complex = |x| {
            matches!(
                u.ty(u.expr(x).ty.ty),
                Type::Complex(_) | Type::ComplexInt(_)
            )
        };
        // An offset comes behind the address.
        let offset = op == BinOp::Add && self.is_address(rhs);
        if offset || self.commuted.contains(&e) {
            return true;
        }
        let whole = |x| complex(x) || crate::escape::is_vector(u, x);
        // Beside a real number a complex one is taken apart first.
        let apart = complex(lhs) && !complex(rhs);
        if !(whole(lhs) || whole(rhs)) || !variable(lhs) || variable(rhs) || apart {
            return false;
        }
        // A converted variable is no plain variable any more.
        let l = u.expr(lhs).ty.ty;
        let part = match (u.ty(u.expr(e).ty.ty), u.ty(l)) {
            (Type::Complex(k), Type::Float(l)) => op == BinOp::Add && k == l,
            _ => false,
        };
        let commutes = super::commuted::commutes(op);
        part || (commutes && (l == u.expr(e).ty.ty || l == u.expr(rhs).ty.ty))
    }

    /// A local variable that evaluating `e` cannot change: it may as well be read behind it, as gcc does.
    fn untouched_by(&self, e: ExprId, variable: ExprId) -> bool {
        let u = self.c.u;
        let x = u.expr(variable);
        let ExprKind::Ident(s) = x.kind else {
            return false;
        };
        crate::program::is_local(u.sym(s))
            && !x.ty.is_volatile
            && !x.ty.is_atomic
            && !self.c.escaping.contains(&s)
            && !crate::linear::modified(u, &[e]).contains(&s)
    }

    /// Makes the address of an assignment's left side independent of what happens until the store.
    fn fix_place(&mut self, lv: ExprId, ops: &mut Vec<Op>) {
        if self.stable_place(lv) {
            return;
        }
        match self.kind(lv) {
            ExprKind::Index { base, index } => {
                if self.is_array(base) || self.is_part(base) {
                    self.fix_place(base, ops);
                } else if !self.stable(base) {
                    self.spill(base, ops);
                }
                if !self.stable(index) {
                    self.spill(index, ops);
                }
            }
            ExprKind::Member {
                base, arrow: true, ..
            }
            | ExprKind::Deref(base)
                if !self.stable(base) =>
            {
                self.spill(base, ops);
            }
            ExprKind::Member {
                base, arrow: false, ..
            } => self.fix_place(base, ops),
            ExprKind::Unary { arg, .. } => self.fix_place(arg, ops),
            ExprKind::Generic { chosen, .. } => self.fix_place(chosen, ops),
            _ => {}
        }
    }

    /// Does `e` have the same value whenever it is evaluated in this full expression?
    fn stable(&self, e: ExprId) -> bool {
        use ExprKind::*;
        let u = self.c.u;
        if let Some(s) = self.subst.get(&e) {
            return matches!(s, Subst::Temp(_));
        }
        let x = u.expr(e);
        match &x.kind {
            Int(_) | Float | Str { .. } | SizeofExpr(_) | Alignof | LabelAddr(_) | Builtin => true,
            SizeofType(_) | Offsetof { .. } => {
                written_lengths(u, e).into_iter().all(|l| self.stable(l))
            }
            Ident(s) => {
                let sym = u.sym(*s);
                if matches!(sym.kind, SymKind::Func | SymKind::EnumConst)
                    || matches!(u.ty(x.ty.ty), Type::Array { .. })
                {
                    return true;
                }
                if x.ty.is_volatile || x.ty.is_atomic {
                    return false;
                }
                crate::program::is_local(sym)
                    && !self.modified.contains(s)
                    && !self.c.escaping.contains(s)
            }
            Unary {
                op: UnOp::Plus | UnOp::Minus | UnOp::BitNot | UnOp::Not | UnOp::Real | UnOp::Imag,
                arg,
            }
            | Cast { arg, .. } => self.stable(*arg),
            Binary { lhs, rhs, .. } => self.stable(*lhs) && self.stable(*rhs),
            Cond { cond, then, els } => {
                self.stable(*cond) && then.is_none_or(|t| self.stable(t)) && self.stable(*els)
            }
            AddrOf(a) => self.stable_place(*a),
            Member {
                base, arrow: false, ..
            } if !matches!(u.ty(x.ty.ty), Type::Array { .. }) => self.stable(*base),
            Member { .. } | Index { .. } | Deref(_)
                if matches!(u.ty(x.ty.ty), Type::Array { .. }) =>
            {
                self.stable_place(e)
            }
            Generic { chosen, .. } => self.stable(*chosen),
            _ => false,
        }
    }

    fn stable_place(&self, e: ExprId) -> bool {
        use ExprKind::*;
        let u = self.c.u;
        if let Some(s) = self.subst.get(&e) {
            return matches!(s, Subst::Temp(_));
        }
        match &u.expr(e).kind {
            Ident(_) | Str { .. } => true,
            Member {
                base, arrow: false, ..
            } => self.stable_place(*base),
            Member {
                base, arrow: true, ..
            }
            | Deref(base) => self.stable(*base),
            Index { base, index } => {
                let b = match self.is_array(*base) || self.is_part(*base) {
                    true => self.stable_place(*base),
                    false => self.stable(*base),
                };
                b && self.stable(*index)
            }
            Unary {
                op: UnOp::Real | UnOp::Imag,
                arg,
            } => self.stable_place(*arg),
            _ => false,
        }
    }
}

/// Width of a bit-field, found through anonymous members.
pub(crate) fn field_width(u: &Unit, t: TypeId, name: &str) -> Option<u32> {
    let Type::Record(r) = u.ty(t) else {
        return None;
    };
    for f in u.records[r.index()].fields.iter().flatten() {
        match &f.name {
            Some(n) if n == name => return f.bit_width.as_ref().and(f.width.or(Some(0))),
            None => {
                if let Some(w) = field_width(u, f.ty.ty, name) {
                    return Some(w);
                }
            }
            _ => {}
        }
    }
    None
}
