//! Which string literals need a name: those whose address may be stored or compared.

use pc3_program::escape::Escapes;
use pc3_program::initialiser::leaves;
use pc3_program::program::{Callee, Program};
use pc3_program::walk::{expr_children, stmt_children, visit, Node};
use pc3_syntax::tree::*;
use std::collections::HashSet;

pub struct Stored {
    pub texts: Vec<ExprId>,
    /// Functions with a `__func__` like that.
    pub named: HashSet<FuncId>,
}

pub fn stored(p: &Program, unit: usize, escapes: &Escapes) -> Stored {
    let u = &p.units[unit];
    let mut w = Walker {
        p,
        unit,
        u,
        escapes,
        found: HashSet::new(),
        function: None,
        named: HashSet::new(),
    };
    for item in &u.items {
        match item {
            TopItem::Decl(d) => w.decl(d),
            TopItem::Function(f) => {
                w.function = Some(*f);
                w.stmt(u.func(*f).body);
                w.function = None;
            }
            TopItem::Other(_) => {}
        }
    }
    let mut texts: Vec<ExprId> = w.found.into_iter().collect();
    texts.sort();
    Stored {
        texts,
        named: w.named,
    }
}

struct Walker<'a> {
    p: &'a Program<'a>,
    unit: usize,
    u: &'a Unit,
    escapes: &'a Escapes,
    found: HashSet<ExprId>,
    function: Option<FuncId>,
    named: HashSet<FuncId>,
}

impl Walker<'_> {
    fn decl(&mut self, d: &DeclGroup) {
        for v in &d.vars {
            v.vla_lens.iter().for_each(|e| self.expr(*e, false));
            if let Some(i) = &v.init {
                self.init(self.u.sym(v.sym).ty, i);
            }
        }
    }

    fn stmt(&mut self, s: StmtId) {
        match &self.u.stmt(s).kind {
            StmtKind::Decl(d) => self.decl(d),
            StmtKind::For {
                init: ForInit::Decl(d),
                cond,
                step,
                body,
            } => {
                self.decl(d);
                cond.iter().chain(step).for_each(|e| self.expr(*e, false));
                self.stmt(*body);
            }
            StmtKind::Return(Some(e)) => self.expr(*e, true),
            _ => {
                let mut list = Vec::new();
                stmt_children(self.u, s, &mut |c| list.push(c));
                for c in list {
                    match c {
                        Node::Expr(e) => self.expr(e, false),
                        Node::Stmt(s) => self.stmt(s),
                    }
                }
            }
        }
    }

    /// `kept`: the value goes somewhere that outlives the expression.
    fn expr(&mut self, e: ExprId, kept: bool) {
        let u = self.u;
        match &u.expr(e).kind {
            ExprKind::Str { .. } => {
                if kept {
                    self.found.insert(e);
                }
            }
            ExprKind::Builtin => {
                if kept && function_name(u.slice(&u.expr(e).span)).is_some() {
                    self.named.extend(self.function);
                }
            }
            ExprKind::Call { callee, args } => {
                let direct = self.p.direct(self.unit, *callee);
                self.expr(*callee, false);
                let pointer = matches!(u.ty(u.expr(e).ty.ty), Type::Pointer(_));
                let calls: Vec<bool> = args.iter().map(|a| self.calls(*a)).collect();
                for (i, a) in args.iter().enumerate() {
                    // What has been chosen may wait for what another argument calls.
                    let waits = || calls.iter().enumerate().any(|(k, c)| *c && k != i);
                    let chosen = !matches!(u.expr(*a).kind, ExprKind::Str { .. }) && waits();
                    let keeps = chosen
                        || match &direct {
                            Some((_, Callee::External(n))) => {
                                self.p.keeps_pointers(n) || (pointer && !copies(n))
                            }
                            Some((_, Callee::Defined(f))) => {
                                let of = |list: &[Vec<bool>]| list[f.index()].get(i).copied();
                                of(&self.escapes.kept).unwrap_or(true)
                                    || of(&self.escapes.compared).unwrap_or(true)
                            }
                            None => true,
                        };
                    self.expr(*a, keeps);
                }
            }
            ExprKind::Assign { lhs, rhs, .. } => {
                self.expr(*lhs, false);
                self.expr(*rhs, true);
            }
            ExprKind::Cast { arg, .. } => self.expr(*arg, kept),
            ExprKind::Cond { cond, then, els } => {
                self.expr(*cond, kept && then.is_none());
                then.iter().for_each(|t| self.expr(*t, kept));
                self.expr(*els, kept);
            }
            ExprKind::Comma(list) => {
                for (i, x) in list.iter().enumerate() {
                    self.expr(*x, kept && i + 1 == list.len());
                }
            }
            ExprKind::Binary {
                op: BinOp::Add | BinOp::Sub,
                lhs,
                rhs,
            } => {
                self.expr(*lhs, kept);
                self.expr(*rhs, kept);
            }
            // Which text it is may be told by its address.
            ExprKind::Binary { op, lhs, rhs } if op.compares() => {
                for x in [*lhs, *rhs] {
                    let of = u.ty(u.expr(x).ty.ty);
                    self.expr(x, matches!(of, Type::Pointer(_) | Type::Array { .. }));
                }
            }
            ExprKind::AddrOf(a) => self.expr(*a, kept),
            ExprKind::Index { base, index } => {
                self.expr(*base, kept);
                self.expr(*index, false);
            }
            ExprKind::Generic { chosen, .. } => self.expr(*chosen, kept),
            ExprKind::CompoundLit { ty, init } => self.init(*ty, init),
            ExprKind::StmtExpr(s) => self.stmt_expr(*s, kept),
            _ => {
                let mut list = Vec::new();
                expr_children(u, e, &mut |c| list.push(c));
                for c in list {
                    match c {
                        Node::Expr(x) => self.expr(x, false),
                        Node::Stmt(s) => self.stmt(s),
                    }
                }
            }
        }
    }

    fn calls(&self, e: ExprId) -> bool {
        let mut any = false;
        visit(self.u, Node::Expr(e), &mut |n| {
            any |=
                matches!(n, Node::Expr(x) if matches!(self.u.expr(x).kind, ExprKind::Call { .. }));
            !any
        });
        any
    }

    fn stmt_expr(&mut self, s: StmtId, kept: bool) {
        if let StmtKind::Block(list) = &self.u.stmt(s).kind {
            for (i, x) in list.iter().enumerate() {
                match &self.u.stmt(*x).kind {
                    StmtKind::Expr(Some(e)) if i + 1 == list.len() => self.expr(*e, kept),
                    _ => self.stmt(*x),
                }
            }
        }
    }

    fn is_char_array(&self, q: QualType) -> bool {
        matches!(self.u.ty(q.ty), Type::Array { elem, .. } if matches!(self.u.ty(elem.ty), Type::Int(_)))
    }

    fn init(&mut self, q: QualType, i: &Init) {
        for leaf in leaves(self.u, q, i) {
            if !(self.is_char_array(leaf.ty)
                && matches!(self.u.expr(leaf.expr).kind, ExprKind::Str { .. }))
            {
                self.expr(leaf.expr, true);
            }
        }
    }
}

/// Which spelling of `__func__` it is, without the underscores around it.
pub(crate) fn function_name(text: &str) -> Option<&'static str> {
    match text {
        "__func__" => Some("func"),
        "__FUNCTION__" => Some("FUNCTION"),
        "__PRETTY_FUNCTION__" => Some("PRETTY_FUNCTION"),
        _ if text.starts_with(FUNCTION_CALL) => Some(FUNCTION_CALL.trim_start_matches('_')),
        _ => None,
    }
}

/// Library functions whose result does not point into their arguments.
fn copies(name: &str) -> bool {
    matches!(
        name,
        "strdup"
            | "strndup"
            | "fopen"
            | "fdopen"
            | "freopen"
            | "popen"
            | "getenv"
            | "setlocale"
            | "strcpy"
            | "strcat"
            | "strncpy"
            | "strncat"
            | "memcpy"
            | "memmove"
            | "bsearch"
            | "tmpfile"
            | "opendir"
            | "dlopen"
            | "gettext"
    )
}
