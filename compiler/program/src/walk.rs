//! Traversal of the typed tree: the children of a node in source order, evaluated ones only.

use pc3_syntax::tree::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    Expr(ExprId),
    Stmt(StmtId),
}

/// Every expression of an initialiser, designators included, in source order.
pub fn init_exprs(init: &Init, f: &mut dyn FnMut(ExprId)) {
    match init {
        Init::Expr(e) => f(*e),
        Init::List { items, .. } => {
            for item in items {
                item.designators.iter().for_each(|d| f(*d));
                init_exprs(&item.value, f);
            }
        }
    }
}

/// The values in an initialiser.
pub fn init_values(init: &Init, f: &mut dyn FnMut(ExprId)) {
    match init {
        Init::Expr(e) => f(*e),
        Init::List { items, .. } => items.iter().for_each(|item| init_values(&item.value, f)),
    }
}

/// What is evaluated directly below an expression: what its type name or designator computes, and its operands.
pub fn expr_children(u: &Unit, e: ExprId, f: &mut dyn FnMut(Node)) {
    for len in written_lengths(u, e) {
        f(Node::Expr(len));
    }
    operands(u, e, f);
}

/// Runtime lengths of arrays in the type name of a cast, a `sizeof`, a `va_arg` or a compound literal (C17 6.7.6.2);
/// indices of an `offsetof`.
pub fn written_lengths(u: &Unit, e: ExprId) -> Vec<ExprId> {
    use ExprKind::*;
    let mut out = Vec::new();
    let x = u.expr(e);
    if let Offsetof { indices, .. } = &x.kind {
        return indices.clone();
    }
    if let SizeofType(q) | Cast { to: q, .. } | VaArg { ty: q, .. } | CompoundLit { ty: q, .. } =
        &x.kind
    {
        runtime_lengths(u, *q, &mut out);
        // Those of a typedef or of `__typeof__` were evaluated where they stand.
        out.retain(|l| {
            let l = &u.expr(*l).span;
            x.span.start <= l.start && l.end <= x.span.end
        });
    }
    out
}

/// Of every array that a type consists of or points to, outermost first.
pub fn runtime_lengths(u: &Unit, q: QualType, out: &mut Vec<ExprId>) {
    match u.ty(q.ty) {
        Type::Pointer(to) => runtime_lengths(u, *to, out),
        Type::Array { elem, len } => {
            if let ArrayLen::Vla(e) = len {
                out.push(*e);
            }
            runtime_lengths(u, *elem, out);
        }
        _ => {}
    }
}

/// The evaluated operands of an expression.
pub fn operands(u: &Unit, e: ExprId, f: &mut dyn FnMut(Node)) {
    use ExprKind::*;
    match &u.expr(e).kind {
        Ident(_)
        | Int(_)
        | Float
        | Str { .. }
        | SizeofType(_)
        | Alignof
        | Offsetof { .. }
        | LabelAddr(_)
        | Builtin => {}
        SizeofExpr(_) => {}
        Call { callee, args } => {
            f(Node::Expr(*callee));
            args.iter().for_each(|a| f(Node::Expr(*a)));
        }
        Member { base, .. } => f(Node::Expr(*base)),
        Index { base, index } => {
            f(Node::Expr(*base));
            f(Node::Expr(*index));
        }
        AddrOf(a) | Deref(a) | Unary { arg: a, .. } | Cast { arg: a, .. } => f(Node::Expr(*a)),
        Binary { lhs, rhs, .. } | Assign { lhs, rhs, .. } => {
            f(Node::Expr(*lhs));
            f(Node::Expr(*rhs));
        }
        Cond { cond, then, els } => {
            f(Node::Expr(*cond));
            then.iter().for_each(|t| f(Node::Expr(*t)));
            f(Node::Expr(*els));
        }
        Comma(list) => list.iter().for_each(|x| f(Node::Expr(*x))),
        CompoundLit { init, .. } => init_exprs(init, &mut |x| f(Node::Expr(x))),
        StmtExpr(s) => f(Node::Stmt(*s)),
        VaArg { list, .. } => f(Node::Expr(*list)),
        Generic { chosen, .. } => f(Node::Expr(*chosen)),
    }
}

pub fn decl_exprs(d: &DeclGroup, f: &mut dyn FnMut(ExprId)) {
    for v in &d.vars {
        v.vla_lens.iter().for_each(|x| f(*x));
        if let Some(i) = &v.init {
            init_exprs(i, f);
        }
    }
}

pub fn stmt_children(u: &Unit, s: StmtId, f: &mut dyn FnMut(Node)) {
    use StmtKind::*;
    match &u.stmt(s).kind {
        Expr(e) | Return(e) => e.iter().for_each(|e| f(Node::Expr(*e))),
        Decl(d) => decl_exprs(d, &mut |e| f(Node::Expr(e))),
        Block(list) => list.iter().for_each(|x| f(Node::Stmt(*x))),
        If { cond, then, els } => {
            f(Node::Expr(*cond));
            f(Node::Stmt(*then));
            els.iter().for_each(|x| f(Node::Stmt(*x)));
        }
        While { cond, body } | Switch { cond, body } => {
            f(Node::Expr(*cond));
            f(Node::Stmt(*body));
        }
        DoWhile { body, cond } => {
            f(Node::Stmt(*body));
            f(Node::Expr(*cond));
        }
        For {
            init,
            cond,
            step,
            body,
        } => {
            match init {
                ForInit::None => {}
                ForInit::Expr(e) => f(Node::Expr(*e)),
                ForInit::Decl(d) => decl_exprs(d, &mut |e| f(Node::Expr(e))),
            }
            cond.iter().for_each(|x| f(Node::Expr(*x)));
            step.iter().for_each(|x| f(Node::Expr(*x)));
            f(Node::Stmt(*body));
        }
        Case { lo: _, hi: _, stmt } | Default(stmt) | Label { stmt, .. } => f(Node::Stmt(*stmt)),
        Nested { body, .. } => f(Node::Stmt(*body)),
        GotoComputed(e) => f(Node::Expr(*e)),
        Asm(list) => list.iter().for_each(|x| f(Node::Expr(*x))),
        Goto(_) | Continue | Break | Checkpoint | Other { .. } => {}
    }
}

pub fn children(u: &Unit, n: Node, f: &mut dyn FnMut(Node)) {
    match n {
        Node::Expr(e) => expr_children(u, e, f),
        Node::Stmt(s) => stmt_children(u, s, f),
    }
}

/// Pre-order visit; `f` returns whether to enter the node.
pub fn visit(u: &Unit, n: Node, f: &mut dyn FnMut(Node) -> bool) {
    // What is still to be visited, the next one last.
    let mut todo = vec![n];
    while let Some(n) = todo.pop() {
        if f(n) {
            let from = todo.len();
            children(u, n, &mut |c| todo.push(c));
            todo[from..].reverse();
        }
    }
}

/// Every declaration group inside a statement (loop headers and statement expressions included).
pub fn visit_decls<'a>(u: &'a Unit, n: Node, f: &mut dyn FnMut(&'a DeclGroup, Option<StmtId>)) {
    visit(u, n, &mut |n| {
        if let Node::Stmt(s) = n {
            match &u.stmt(s).kind {
                StmtKind::Decl(d) => f(d, Some(s)),
                StmtKind::For {
                    init: ForInit::Decl(d),
                    ..
                } => f(d, None),
                _ => {}
            }
        }
        true
    });
}

/// Those of a unit, of functions first.
pub fn all_decls<'a>(u: &'a Unit, f: &mut dyn FnMut(&'a DeclGroup)) {
    for function in &u.functions {
        visit_decls(u, Node::Stmt(function.body), &mut |d, _| f(d));
    }
    for item in &u.items {
        if let TopItem::Decl(d) = item {
            f(d);
        }
    }
}

/// Strips casts: the expression whose value it is.
pub fn strip_casts(u: &Unit, mut e: ExprId) -> ExprId {
    loop {
        match &u.expr(e).kind {
            ExprKind::Cast { arg, .. } => e = *arg,
            ExprKind::Generic { chosen, .. } => e = *chosen,
            _ => return e,
        }
    }
}
