//! Numbers of which only the low bits count, to align a pointer with: `(align - ((size_t)p & mask)) & mask`. Objects are
//! moved as a whole, with what was skipped in them, so such a number is no address.

use pc3_program::parents::{parents, Parent, Parents};
use pc3_program::walk::{all_decls, init_exprs, strip_casts};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

pub struct Low<'a> {
    u: &'a Unit,
    parents: Parents,
    /// What variables are given, and where they are read.
    given: HashMap<SymId, Vec<ExprId>>,
    reads: HashMap<SymId, Vec<ExprId>>,
}

/// So far from variable to variable.
const STEPS: u32 = 4;

impl<'a> Low<'a> {
    pub fn new(u: &'a Unit) -> Low<'a> {
        let mut given: HashMap<SymId, Vec<ExprId>> = HashMap::new();
        let mut reads: HashMap<SymId, Vec<ExprId>> = HashMap::new();
        let mut targets = HashSet::new();
        for x in &u.exprs {
            if let ExprKind::Assign { op: None, lhs, rhs } = x.kind {
                if let ExprKind::Ident(s) = u.expr(lhs).kind {
                    given.entry(s).or_default().push(rhs);
                    targets.insert(lhs);
                }
            }
        }
        for (k, x) in u.exprs.iter().enumerate() {
            let e = ExprId(k as u32);
            if let ExprKind::Ident(s) = x.kind {
                if !targets.contains(&e) {
                    reads.entry(s).or_default().push(e);
                }
            }
        }
        let mut declared = |d: &DeclGroup| {
            for v in &d.vars {
                let exprs = v.init.iter();
                exprs.for_each(|i| init_exprs(i, &mut |e| given.entry(v.sym).or_default().push(e)));
            }
        };
        all_decls(u, &mut declared);
        Low {
            u,
            parents: parents(u),
            given,
            reads,
        }
    }

    /// Is the number that an address becomes here for nothing else?
    pub fn aligns(&self, made: ExprId) -> bool {
        let mut reduced = Vec::new();
        self.is_reduced(made, STEPS, &mut reduced) && reduced.iter().any(|e| self.moves(*e, STEPS))
    }

    /// Does nothing see more of it than its low bits? `out`: where it is reduced to these.
    fn is_reduced(&self, e: ExprId, steps: u32, out: &mut Vec<ExprId>) -> bool {
        let u = self.u;
        let mut e = e;
        loop {
            let up = match self.parents.get(&e) {
                Some(Parent::Expr(up)) => *up,
                Some(Parent::Variable(s)) if steps > 0 => {
                    let all = self.reads.get(s).map_or(&[][..], Vec::as_slice);
                    return all.iter().all(|r| self.is_reduced(*r, steps - 1, out));
                }
                _ => return false,
            };
            match &u.expr(up).kind {
                ExprKind::Binary { op, lhs, rhs } => {
                    let other = if *lhs == e { *rhs } else { *lhs };
                    match op {
                        BinOp::And if self.is_mask(other, STEPS) => {
                            out.push(up);
                            return true;
                        }
                        BinOp::Rem if *lhs == e && u.view().eval(other).is_none() => {
                            out.push(up);
                            return true;
                        }
                        BinOp::Add | BinOp::Sub if is_number(u, up) => e = up,
                        _ => return false,
                    }
                }
                ExprKind::Unary {
                    op: UnOp::Minus | UnOp::BitNot,
                    ..
                } => e = up,
                ExprKind::Cast { .. } if is_number(u, up) => e = up,
                _ => return false,
            }
        }
    }

    /// `align - 1`
    fn is_mask(&self, e: ExprId, steps: u32) -> bool {
        let u = self.u;
        let e = strip_casts(u, e);
        match u.expr(e).kind {
            ExprKind::Binary {
                op: BinOp::Sub,
                rhs,
                ..
            } => u.view().eval(rhs) == Some(1),
            ExprKind::Ident(s) if steps > 0 => {
                let given = self.given.get(&s).map_or(&[][..], Vec::as_slice);
                !given.is_empty() && given.iter().all(|g| self.is_mask(*g, steps - 1))
            }
            _ => false,
        }
    }

    /// Does a pointer move by what is made of it?
    fn moves(&self, e: ExprId, steps: u32) -> bool {
        let u = self.u;
        let mut e = e;
        loop {
            let up = match self.parents.get(&e) {
                Some(Parent::Expr(up)) => *up,
                Some(Parent::Variable(s)) => return self.variable(*s, steps),
                Some(Parent::Return(f)) => return steps > 0 && self.result(*f, steps - 1),
                None => return false,
            };
            match &u.expr(up).kind {
                ExprKind::Binary { op, .. } if !is_number(u, up) => {
                    return matches!(op, BinOp::Add | BinOp::Sub)
                }
                ExprKind::Binary { .. } | ExprKind::Cast { .. } | ExprKind::Unary { .. } => e = up,
                ExprKind::Assign { lhs, rhs, .. } if *rhs == e => match u.expr(*lhs).kind {
                    _ if !is_number(u, *lhs) => return true,
                    ExprKind::Ident(s) => return self.variable(s, steps),
                    _ => return false,
                },
                _ => return false,
            }
        }
    }

    /// Where the unit calls a function.
    fn result(&self, f: FuncId, steps: u32) -> bool {
        let u = self.u;
        let own = u.func(f).sym;
        let mut all = (0..u.exprs.len()).map(|k| ExprId(k as u32));
        all.any(|e| match u.expr(e).kind {
            ExprKind::Call { callee, .. } => {
                matches!(u.expr(callee).kind, ExprKind::Ident(s) if s == own)
                    && self.moves(e, steps)
            }
            _ => false,
        })
    }

    fn variable(&self, s: SymId, steps: u32) -> bool {
        let mut all = self.reads.get(&s).into_iter().flatten();
        steps > 0 && all.any(|r| self.moves(*r, steps - 1))
    }
}

fn is_number(u: &Unit, e: ExprId) -> bool {
    matches!(u.ty(u.expr(e).ty.ty), Type::Int(_))
}
