//! Questions about variables and compound literals that decide where they are kept.

use pc3_program::points::Points;
use pc3_program::walk::{visit, visit_decls, Node};
use pc3_syntax::tree::*;
use std::collections::HashSet;

/// Variables whose initialiser lists have points and name them: the parts of such a list are computed in front of the declaration.
pub(crate) fn named_in_own_list(u: &Unit, f: &Function, points: &Points) -> Vec<SymId> {
    let mut found = Vec::new();
    visit_decls(u, Node::Stmt(f.body), &mut |d, _| {
        for v in &d.vars {
            let Some(Init::List { span, .. }) = &v.init else {
                continue;
            };
            let named = |e: &Expr| {
                matches!(e.kind, ExprKind::Ident(s) if s == v.sym)
                    && e.span.start >= span.start
                    && e.span.end <= span.end
            };
            if v.init.as_ref().is_some_and(|i| points.in_init(i)) && u.exprs.iter().any(named) {
                found.push(v.sym);
            }
        }
    });
    found
}

/// If one variable of a loop header moves to the shadow stack, all do.
pub(crate) fn close_headers(u: &Unit, f: &Function, shadow: &mut Vec<SymId>) {
    visit(u, Node::Stmt(f.body), &mut |n| {
        if let Node::Stmt(s) = n {
            if let StmtKind::For {
                init: ForInit::Decl(d),
                ..
            } = &u.stmt(s).kind
            {
                if d.vars.iter().any(|v| shadow.contains(&v.sym)) {
                    for v in &d.vars {
                        if !shadow.contains(&v.sym) {
                            shadow.push(v.sym);
                        }
                    }
                }
            }
        }
        true
    });
}

/// Compound literals that a point can see: they live as long as the block around them.
pub(crate) fn kept_literals(
    u: &Unit,
    f: &Function,
    escaping: &HashSet<ExprId>,
    points: &Points,
) -> Vec<ExprId> {
    let mut blocks = Vec::new();
    if !escaping.is_empty() {
        visit(u, Node::Stmt(f.body), &mut |n| {
            if let Node::Stmt(s) = n {
                if matches!(u.stmt(s).kind, StmtKind::Block(_)) {
                    blocks.push(u.stmt(s).span.clone());
                }
            }
            true
        });
    }
    let inside = |a: &Span, b: &Span| b.start <= a.start && a.end <= b.end;
    let mut list: Vec<ExprId> = escaping
        .iter()
        .copied()
        .filter(|e| {
            let span = &u.expr(*e).span;
            let around = blocks.iter().filter(|b| inside(span, b));
            let block = around.min_by_key(|b| b.end - b.start);
            block.is_none_or(|b| points.list.iter().any(|p| inside(&p.span, b)))
        })
        .collect();
    list.sort_by_key(|e| (u.expr(*e).span.start, *e));
    list
}

/// Is a function called where it ends?
pub(crate) fn is_cleaned(s: &Symbol) -> bool {
    s.attributes.iter().any(|a| a == "cleanup")
}

/// Is it, or are its elements, `const`?
pub fn is_const(u: &Unit, s: SymId) -> bool {
    let mut q = u.sym(s).ty;
    loop {
        if q.is_const {
            return true;
        }
        match u.ty(q.ty) {
            Type::Array { elem, .. } => q = *elem,
            _ => return false,
        }
    }
}

/// Can an arbitrary bit pattern of the type be inconvertible?
pub(crate) fn fragile(u: &Unit, t: TypeId) -> bool {
    match u.ty(t) {
        Type::Array { elem, .. } => fragile(u, elem.ty),
        Type::Record(r) => u.records[r.index()]
            .fields
            .iter()
            .flatten()
            .any(|f| fragile(u, f.ty.ty)),
        Type::Pointer(_) | Type::Bool => true,
        Type::Int(k) => matches!(k, IntKind::Long | IntKind::ULong),
        Type::Float(FloatKind::LongDouble) => true,
        _ => false,
    }
}
