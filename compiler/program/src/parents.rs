//! What each expression is part of.

use crate::walk::{all_decls, init_exprs, operands, visit, Node};
use pc3_syntax::tree::*;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy)]
pub enum Parent {
    Expr(ExprId),
    Variable(SymId),
    Return(FuncId),
}

pub type Parents = FxHashMap<ExprId, Parent>;

/// What each expression is an operand of, initialises or is returned from.
pub fn parents(u: &Unit) -> Parents {
    let mut map = FxHashMap::default();
    for k in 0..u.exprs.len() {
        let e = ExprId(k as u32);
        operands(u, e, &mut |n| match n {
            Node::Expr(c) => {
                map.insert(c, Parent::Expr(e));
            }
            // The value of the last statement is the whole's.
            Node::Stmt(s) => {
                if let StmtKind::Block(list) = &u.stmt(s).kind {
                    if let Some(StmtKind::Expr(Some(x))) = list.last().map(|l| &u.stmt(*l).kind) {
                        map.insert(*x, Parent::Expr(e));
                    }
                }
            }
        });
    }
    let mut declared = |d: &DeclGroup| {
        for v in &d.vars {
            if let Some(init) = &v.init {
                init_exprs(init, &mut |e| {
                    map.insert(e, Parent::Variable(v.sym));
                });
            }
        }
    };
    all_decls(u, &mut declared);
    for (k, f) in u.functions.iter().enumerate() {
        visit(u, Node::Stmt(f.body), &mut |n| {
            if let Node::Stmt(s) = n {
                if let StmtKind::Return(Some(e)) = &u.stmt(s).kind {
                    map.insert(*e, Parent::Return(FuncId(k as u32)));
                }
            }
            true
        });
    }
    map
}
