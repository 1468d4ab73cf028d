//! What a number is made of, as far as the function that has it says; beyond it goes what is known of sizes.

use super::{Counts, Known};
use crate::analysis::addresses::{named, Parent};
use crate::analysis::heap::{allocator, innermost, trailing};
use crate::analysis::lints::{layout, offsets};
use crate::analysis::measured::Made;
use crate::analysis::program::Callee;
use crate::analysis::walk::{init_values, strip_casts};
use crate::tree::*;

/// How many steps back it is looked where a number comes from.
const STEPS: u32 = 4;

impl Known<'_> {
    /// Of a number, or of each in an array.
    pub(super) fn argument(&self, e: ExprId) -> Vec<Counts> {
        let u = self.flow.u;
        match u.ty(u.expr(e).ty.ty) {
            Type::Pointer(_) | Type::Array { .. } => self.elements(e, STEPS),
            _ => vec![self.counts(e, STEPS)],
        }
    }

    fn counts(&self, e: ExprId, steps: u32) -> Counts {
        let u = self.flow.u;
        match &u.expr(e).kind {
            ExprKind::Int(0) => Counts::Nothing,
            ExprKind::Int(_) => Counts::Plain,
            ExprKind::SizeofType(q) => self.size(e, *q),
            ExprKind::SizeofExpr(x) => self.size(e, u.expr(*x).ty),
            ExprKind::Offsetof { ty, .. } => self.place_in(ty.ty),
            ExprKind::Cast { .. } | ExprKind::Binary { op: BinOp::Sub, .. }
                if offsets::offset_in(u, e).is_some() =>
            {
                offsets::offset_in(u, e).map_or(Counts::Unknown, |ty| self.place_in(ty))
            }
            ExprKind::Cast { arg, .. } => match u.ty(u.expr(*arg).ty.ty) {
                Type::Int(_) | Type::Enum(_) | Type::Bool => self.counts(*arg, steps),
                _ => Counts::Unknown,
            },
            ExprKind::Binary { op, lhs, rhs } => {
                binary(*op, self.counts(*lhs, steps), self.counts(*rhs, steps))
            }
            ExprKind::Unary {
                op: UnOp::Plus | UnOp::Minus,
                arg,
            } => match self.counts(*arg, steps) {
                Counts::Place(_) => Counts::Unknown,
                other => other,
            },
            ExprKind::Cond { cond, then, els } => {
                let first = self.counts(then.unwrap_or(*cond), steps);
                first.or(self.counts(*els, steps))
            }
            ExprKind::Comma(list) => list
                .last()
                .map_or(Counts::Unknown, |l| self.counts(*l, steps)),
            ExprKind::Generic { chosen, .. } => self.counts(*chosen, steps),
            ExprKind::Assign { op: None, rhs, .. } => self.counts(*rhs, steps),
            ExprKind::Ident(s) => self.variable(e, *s, steps),
            ExprKind::Member { .. } => self.place(e),
            ExprKind::Index { base, .. } | ExprKind::Deref(base) if steps > 0 => {
                let list = self.elements(*base, steps - 1).into_iter();
                list.fold(Counts::Nothing, Counts::or)
            }
            ExprKind::Call { callee, .. } => match self.called(*callee) {
                Some(name) if measures(&name) => Counts::Unknown,
                _ => self.elsewhere(e),
            },
            _ => Counts::Unknown,
        }
    }

    fn size(&self, e: ExprId, of: QualType) -> Counts {
        let u = self.flow.u;
        match layout::size_may_vary(u, e) {
            false => Counts::Fixed,
            true => Counts::Multiple(innermost(u, of).ty),
        }
    }

    /// Behind a struct that ends in an array of any length there is not another one.
    fn place_in(&self, ty: TypeId) -> Counts {
        match trailing(self.flow.u, QualType::plain(ty)) {
            Some(_) => Counts::Unknown,
            None => Counts::Place(ty),
        }
    }

    fn variable(&self, e: ExprId, s: SymId, steps: u32) -> Counts {
        let sym = self.flow.u.sym(s);
        match sym.kind {
            SymKind::EnumConst => Counts::Plain,
            // All that it is ever given is here.
            SymKind::Var if sym.func.is_some() && steps > 0 && self.is_assigned(s) => {
                let values = self.flow.values(s).map(|v| self.counts(v, steps - 1));
                values.fold(Counts::Nothing, Counts::or)
            }
            SymKind::Var if self.is_measured(s) => Counts::Unknown,
            SymKind::Var | SymKind::Param => self.place(e),
            _ => Counts::Unknown,
        }
    }

    /// Does a variable have values by assignments alone?
    fn is_assigned(&self, s: SymId) -> bool {
        let uses = self.flow.idents.get(&s).into_iter().flatten();
        let lends = |e: &ExprId| match self.parent(*e).map(|up| (up, &self.flow.u.expr(up).kind)) {
            Some((up, ExprKind::AddrOf(_))) => !self.is_only_read(up),
            Some((
                _,
                ExprKind::Assign {
                    op: Some(_), lhs, ..
                },
            )) => lhs == e,
            Some((_, kind)) => changes(kind),
            None => false,
        };
        self.flow.values.contains_key(&s) && !uses.clone().any(lends)
    }

    /// Is an address an argument of a function that only reads what is there?
    fn is_only_read(&self, address: ExprId) -> bool {
        let Some(up) = self.parent(address) else {
            return false;
        };
        let ExprKind::Call { callee, args } = &self.flow.u.expr(up).kind else {
            return false;
        };
        self.called(*callee).is_some_and(|name| {
            let at = args.iter().position(|a| *a == address);
            name == "free" || at.is_some_and(|i| self.is_constant(*callee, i))
        })
    }

    /// Has it been given to a function that puts a size there?
    fn is_measured(&self, s: SymId) -> bool {
        let uses = self.flow.idents.get(&s).into_iter().flatten();
        uses.copied()
            .any(|e| match self.parent(e).map(|up| (up, self.parent(up))) {
                Some((up, Some(call))) if self.is(up, |k| matches!(k, ExprKind::AddrOf(_))) => {
                    match &self.flow.u.expr(call).kind {
                        ExprKind::Call { callee, .. } => {
                            self.called(*callee).is_none_or(|n| measures(&n))
                        }
                        _ => true,
                    }
                }
                _ => false,
            })
    }

    /// Of a variable or member that others may give values.
    fn place(&self, e: ExprId) -> Counts {
        let made = named(self.flow.unit, self.flow.u, e).and_then(|x| self.measured.made(&x));
        match made {
            Some(Made::Of(unit, ty)) if unit == self.flow.unit => {
                Counts::Multiple(innermost(self.flow.u, QualType::plain(ty)).ty)
            }
            Some(Made::Of(..) | Made::Sum | Made::Other) => Counts::Unknown,
            Some(Made::Plain | Made::Nothing) | None => self.elsewhere(e),
        }
    }

    fn elsewhere(&self, e: ExprId) -> Counts {
        match self.measured.sized(self.flow.unit, e) {
            true => Counts::Unknown,
            false => Counts::Plain,
        }
    }

    /// Of the numbers in an array.
    fn elements(&self, e: ExprId, steps: u32) -> Vec<Counts> {
        let u = self.flow.u;
        let e = strip_casts(u, e);
        match &u.expr(e).kind {
            ExprKind::CompoundLit { init, .. } => {
                let mut list = Vec::new();
                init_values(init, &mut |x| list.push(self.counts(x, steps)));
                list
            }
            ExprKind::AddrOf(x) => match u.expr(*x).kind {
                ExprKind::Index { base, .. } => self.elements(base, steps),
                _ => vec![self.counts(*x, steps)],
            },
            ExprKind::Index { base, .. } => self.elements(*base, steps),
            ExprKind::Ident(s) if steps > 0 => self.array(*s, steps - 1),
            _ => vec![Counts::Unknown],
        }
    }

    /// Of all that is put into a variable's array, or where its pointer leads.
    fn array(&self, s: SymId, steps: u32) -> Vec<Counts> {
        let u = self.flow.u;
        let sym = u.sym(s);
        if sym.kind != SymKind::Var || sym.func.is_none() && sym.storage != Storage::Static {
            return vec![Counts::Unknown];
        }
        let is_array = matches!(u.ty(sym.ty.ty), Type::Array { .. });
        let mut list = Vec::new();
        for x in self.initial.get(&s).into_iter().flatten() {
            match is_array {
                true => list.push(self.counts(*x, steps)),
                false => list.extend(self.pointer(*x)),
            }
        }
        let uses = self.flow.idents.get(&s).into_iter().flatten();
        uses.for_each(|e| self.put(*e, steps, &mut list));
        list
    }

    /// What a pointer to numbers is given: new memory has none yet.
    fn pointer(&self, e: ExprId) -> Option<Counts> {
        let u = self.flow.u;
        match &u.expr(strip_casts(u, e)).kind {
            ExprKind::Int(0) => None,
            ExprKind::Call { callee, .. } => match self.called(*callee) {
                Some(name) if allocator(&name).is_some() => None,
                _ => Some(Counts::Unknown),
            },
            _ => Some(Counts::Unknown),
        }
    }

    /// What is put into an array where its name stands.
    fn put(&self, e: ExprId, steps: u32, list: &mut Vec<Counts>) {
        let u = self.flow.u;
        let mut e = e;
        while let Some(up) = self.parent(e) {
            match &u.expr(up).kind {
                ExprKind::Index { base, .. } if *base == e => e = up,
                ExprKind::Deref(_) | ExprKind::Cast { .. } => e = up,
                ExprKind::Index { .. } | ExprKind::SizeofExpr(_) => return,
                ExprKind::Assign { op, lhs, rhs } if *lhs == e => {
                    let number = matches!(u.ty(u.expr(e).ty.ty), Type::Int(_));
                    return match op {
                        None if number => list.push(self.counts(*rhs, steps)),
                        None => list.extend(self.pointer(*rhs)),
                        Some(BinOp::Add | BinOp::Sub) if number => {
                            list.push(self.counts(*rhs, steps));
                        }
                        Some(_) => list.push(Counts::Unknown),
                    };
                }
                _ if matches!(u.ty(u.expr(e).ty.ty), Type::Int(_)) && !self.is(up, changes) => {
                    // It is read.
                    return;
                }
                ExprKind::Call { args, .. } if args.contains(&e) => {
                    if !self.is_only_read(e) {
                        list.push(Counts::Unknown);
                    }
                    return;
                }
                ExprKind::AddrOf(_) => e = up,
                _ => return list.push(Counts::Unknown),
            }
        }
        // It initialises something else.
        let number = matches!(u.ty(u.expr(e).ty.ty), Type::Int(_));
        if !number && self.parents.contains_key(&e) {
            list.push(Counts::Unknown);
        }
    }

    fn parent(&self, e: ExprId) -> Option<ExprId> {
        match self.parents.get(&e) {
            Some(Parent::Expr(up)) => Some(*up),
            _ => None,
        }
    }

    fn is(&self, e: ExprId, what: impl Fn(&ExprKind) -> bool) -> bool {
        what(&self.flow.u.expr(e).kind)
    }

    /// The name of a function that is not the program's.
    fn called(&self, callee: ExprId) -> Option<String> {
        match self.p.direct(self.flow.unit, callee)?.1 {
            Callee::External(name) => Some(name),
            _ => None,
        }
    }

    /// Does a function only read what this argument points to?
    fn is_constant(&self, callee: ExprId, argument: usize) -> bool {
        let u = self.flow.u;
        let mut t = u.expr(callee).ty.ty;
        if let Type::Pointer(q) = u.ty(t) {
            t = q.ty;
        }
        let Type::Function { params, .. } = u.ty(t) else {
            return false;
        };
        params.get(argument).is_some_and(|q| match u.ty(q.ty) {
            Type::Pointer(to) | Type::Array { elem: to, .. } => to.is_const,
            _ => false,
        })
    }
}

/// Is its operand changed, or its address taken?
fn changes(k: &ExprKind) -> bool {
    let steps = [UnOp::PreInc, UnOp::PreDec, UnOp::PostInc, UnOp::PostDec];
    match k {
        ExprKind::Unary { op, .. } => steps.contains(op),
        k => matches!(k, ExprKind::AddrOf(_)),
    }
}

/// MPI functions whose answers are sizes or places.
fn measures(name: &str) -> bool {
    let name = name.trim_start_matches('P').trim_end_matches("_c");
    let name = name.trim_end_matches("_x");
    let ends = ["_size", "_extent", "_lb", "_ub"];
    name.starts_with("MPI_Type_") && ends.iter().any(|e| name.ends_with(e))
        || matches!(
            name,
            "MPI_Pack_size"
                | "MPI_Pack_external_size"
                | "MPI_Get_address"
                | "MPI_Address"
                | "MPI_Get_count"
                | "MPI_Get_elements"
                | "MPI_Aint_add"
                | "MPI_Aint_diff"
        )
}

fn binary(op: BinOp, a: Counts, b: Counts) -> Counts {
    use Counts::*;
    match (op, a, b) {
        (BinOp::Add, Nothing, x) | (BinOp::Add | BinOp::Sub, x, Nothing) => x,
        (BinOp::Add | BinOp::Sub, Plain, Plain) => Plain,
        (BinOp::Add | BinOp::Sub, Fixed, Fixed) => Fixed,
        (BinOp::Add | BinOp::Sub, Fixed, Plain) | (BinOp::Add | BinOp::Sub, Plain, Fixed) => Plain,
        (BinOp::Add | BinOp::Sub, Multiple(s), Multiple(t)) if s == t => Multiple(s),
        // Members that are arrays have places in them.
        (BinOp::Add, Place(s), Multiple(_) | Fixed)
        | (BinOp::Add, Multiple(_) | Fixed, Place(s)) => Place(s),
        (BinOp::Mul, Nothing, _) | (BinOp::Mul, _, Nothing) => Nothing,
        (BinOp::Mul, m @ Multiple(_), Plain | Unknown)
        | (BinOp::Mul, Plain | Unknown, m @ Multiple(_)) => m,
        (BinOp::Mul, Fixed, Fixed | Plain | Unknown) | (BinOp::Mul, Plain | Unknown, Fixed) => {
            Fixed
        }
        (BinOp::Shl, x @ (Multiple(_) | Fixed | Plain), Plain | Nothing) => x,
        (_, Plain | Nothing, Plain | Nothing) => Plain,
        _ => Unknown,
    }
}
