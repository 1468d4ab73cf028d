//! What lies directly below a node of the tree, in source order.

use crate::tree::*;

/// Direct operands of an expression, in source order (initialisers included).
pub fn expr_children(kind: &ExprKind) -> Vec<ExprId> {
    match kind {
        ExprKind::Call { callee, args } => std::iter::once(*callee)
            .chain(args.iter().copied())
            .collect(),
        ExprKind::Member { base, .. } => vec![*base],
        ExprKind::Index { base, index } => vec![*base, *index],
        ExprKind::AddrOf(a) | ExprKind::Deref(a) | ExprKind::SizeofExpr(a) => vec![*a],
        ExprKind::Unary { arg, .. } | ExprKind::Cast { arg, .. } => vec![*arg],
        ExprKind::Binary { lhs, rhs, .. } | ExprKind::Assign { lhs, rhs, .. } => vec![*lhs, *rhs],
        ExprKind::Cond { cond, then, els } => [Some(*cond), *then, Some(*els)]
            .into_iter()
            .flatten()
            .collect(),
        ExprKind::Comma(l) => l.clone(),
        ExprKind::CompoundLit { init, .. } => {
            let mut out = Vec::new();
            init_children(init, &mut out);
            out
        }
        ExprKind::VaArg { list, .. } => vec![*list],
        ExprKind::Generic { control, chosen } => vec![*control, *chosen],
        _ => Vec::new(),
    }
}

pub(crate) fn init_children(init: &Init, out: &mut Vec<ExprId>) {
    match init {
        Init::Expr(e) => out.push(*e),
        Init::List { items, .. } => {
            for i in items {
                out.extend(&i.designators);
                init_children(&i.value, out);
            }
        }
    }
}

fn group_children(g: &DeclGroup, out: &mut Vec<ExprId>) {
    for v in &g.vars {
        out.extend(&v.vla_lens);
        if let Some(i) = &v.init {
            init_children(i, out);
        }
    }
}

/// Expressions and statements directly below a statement, in source order.
pub fn stmt_children(kind: &StmtKind) -> (Vec<ExprId>, Vec<StmtId>) {
    let mut exprs = Vec::new();
    let mut stmts = Vec::new();
    match kind {
        StmtKind::Expr(e) | StmtKind::Return(e) => exprs.extend(e),
        StmtKind::Decl(g) => group_children(g, &mut exprs),
        StmtKind::Block(l) => stmts.extend(l),
        StmtKind::If { cond, then, els } => {
            exprs.push(*cond);
            stmts.push(*then);
            stmts.extend(els);
        }
        StmtKind::While { cond, body }
        | StmtKind::DoWhile { cond, body }
        | StmtKind::Switch { cond, body } => {
            exprs.push(*cond);
            stmts.push(*body);
        }
        StmtKind::For {
            init,
            cond,
            step,
            body,
        } => {
            match init {
                ForInit::None => {}
                ForInit::Expr(e) => exprs.push(*e),
                ForInit::Decl(g) => group_children(g, &mut exprs),
            }
            exprs.extend(cond);
            exprs.extend(step);
            stmts.push(*body);
        }
        StmtKind::Case { lo, hi, stmt } => {
            exprs.push(*lo);
            exprs.extend(hi);
            stmts.push(*stmt);
        }
        StmtKind::Default(s) | StmtKind::Label { stmt: s, .. } => stmts.push(*s),
        StmtKind::Nested { body, .. } => stmts.push(*body),
        StmtKind::GotoComputed(e) => exprs.push(*e),
        StmtKind::Asm(l) => exprs.extend(l),
        StmtKind::Goto(_)
        | StmtKind::Continue
        | StmtKind::Break
        | StmtKind::Checkpoint
        | StmtKind::Other { .. } => {}
    }
    (exprs, stmts)
}
