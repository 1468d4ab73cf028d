//! Objects with internal linkage that no code writes or takes the address of.  Their values are the
//! program's own after a restart, nothing can point to them, and compilers fold them: best left out of every table.

use pc3_syntax::tree::*;
use std::collections::HashSet;

pub fn analyse(u: &Unit) -> HashSet<SymId> {
    let mut touched = HashSet::new();
    let mut indexed = HashSet::new();
    let array = |e: ExprId| matches!(u.ty(u.expr(e).ty.ty), Type::Array { .. });
    for x in &u.exprs {
        match &x.kind {
            ExprKind::Index { base, .. } => {
                indexed.insert(*base);
            }
            ExprKind::Member {
                base, arrow: false, ..
            } => {
                indexed.insert(*base);
            }
            ExprKind::SizeofExpr(e) => {
                indexed.insert(*e);
            }
            _ => {}
        }
    }
    for (i, x) in u.exprs.iter().enumerate() {
        match &x.kind {
            ExprKind::Assign { lhs: e, .. }
            | ExprKind::AddrOf(e)
            | ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg: e,
            } => {
                touched.extend(root(u, *e));
            }
            // An array that decays gives its address away.
            ExprKind::Ident(_) | ExprKind::Index { .. } | ExprKind::Member { .. } => {
                let e = ExprId(i as u32);
                if array(e) && !indexed.contains(&e) {
                    touched.extend(root(u, e));
                }
            }
            _ => {}
        }
    }
    for s in &u.stmts {
        if let StmtKind::Asm(list) = &s.kind {
            list.iter().for_each(|e| touched.extend(root(u, *e)));
        }
    }
    let mut set = HashSet::new();
    for (i, s) in u.symbols.iter().enumerate() {
        let id = SymId(i as u32);
        let internal = s.kind == SymKind::Var && s.storage == Storage::Static && !s.thread_local;
        if internal && !touched.contains(&id) && !s.ty.is_volatile && s.attributes.is_empty() {
            set.insert(id);
        }
    }
    set
}

/// The object that an lvalue is part of.
pub fn root(u: &Unit, mut e: ExprId) -> Option<SymId> {
    loop {
        match &u.expr(e).kind {
            ExprKind::Ident(s) => return Some(*s),
            ExprKind::Member {
                base, arrow: false, ..
            }
            | ExprKind::Index { base, .. } => e = *base,
            ExprKind::Unary {
                op: UnOp::Real | UnOp::Imag,
                arg,
            }
            | ExprKind::Generic { chosen: arg, .. } => e = *arg,
            _ => return None,
        }
    }
}
