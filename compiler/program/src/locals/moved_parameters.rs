//! Parameters that a function moves away from their object before it uses them, as f2c does to count from one, and
//! locals that begin so:
//!
//! ```c
//! a_offset = 1 + a_dim1;
//! a -= a_offset;
//! --x;
//! double *y = room - 1;
//! ```
//!
//! From there on such a pointer may lie outside of what it was given, in the middle of something else.  So a
//! checkpoint keeps where it was before, and a restart moves it again.  Only a move that happens exactly once
//! counts: a statement of the function's own block that no jump can reach again, by a constant or by a local
//! that does not change afterwards, and the only assignment (of a local: the only one at all).

use crate::program::is_local;
use crate::walk::{strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MovedBy {
    Elements(i128),
    Local(SymId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    pub by: MovedBy,
    /// Where the statement ends.
    pub from: u32,
}

/// `taken`: locals whose address is taken.
pub fn analyse(u: &Unit, f: &Function, taken: &HashSet<SymId>) -> HashMap<SymId, Move> {
    let mut moves = HashMap::new();
    let StmtKind::Block(list) = &u.stmt(f.body).kind else {
        return moves;
    };
    let writes = writes(u, f);
    let count = |s: SymId| writes.get(&s).map_or(0, |w| w.count);
    for s in list {
        if has_label(u, *s) {
            break;
        }
        let found = match &u.stmt(*s).kind {
            StmtKind::Expr(Some(e)) => vec![moves_back(u, *e).or_else(|| begins(u, *e))],
            StmtKind::Decl(d) => d.vars.iter().map(|v| declared(u, v)).collect(),
            _ => continue,
        };
        for (p, by) in found.into_iter().flatten() {
            let sym = u.sym(p);
            let pointer = matches!(u.ty(sym.ty.ty), Type::Pointer(_));
            if !is_local(sym) || !pointer || taken.contains(&p) || count(p) != 1 {
                continue;
            }
            if let MovedBy::Local(v) = by {
                let before = writes.get(&v).is_none_or(|w| w.at < u.stmt(*s).span.start);
                let integer = matches!(u.ty(u.sym(v).ty.ty), Type::Int(_));
                let once = count(v) <= 1 && (count(v) == 1 || u.sym(v).kind == SymKind::Param);
                if !is_local(u.sym(v)) || taken.contains(&v) || !integer || !before || !once {
                    continue;
                }
            }
            let from = u.stmt(*s).span.end;
            moves.insert(p, Move { by, from });
        }
    }
    moves
}

/// `T *p = e - n`
fn declared(u: &Unit, v: &VarDecl) -> Option<(SymId, MovedBy)> {
    match v.init {
        Some(Init::Expr(e)) if u.sym(v.sym).kind == SymKind::Var => {
            Some((v.sym, behind(u, v.sym, e)?))
        }
        _ => None,
    }
}

/// `p = e - n` of a local that has had no value.
fn begins(u: &Unit, e: ExprId) -> Option<(SymId, MovedBy)> {
    match &u.expr(e).kind {
        ExprKind::Assign { op: None, lhs, rhs } => match u.expr(*lhs).kind {
            ExprKind::Ident(s) if u.sym(s).kind == SymKind::Var => Some((s, behind(u, s, *rhs)?)),
            _ => None,
        },
        _ => None,
    }
}

/// By how much `e` lies before another address of the pointer's own type.
fn behind(u: &Unit, p: SymId, e: ExprId) -> Option<MovedBy> {
    match &u.expr(e).kind {
        ExprKind::Binary {
            op: BinOp::Sub,
            lhs,
            rhs,
        } if u.expr(e).ty.ty == u.sym(p).ty.ty && is_address(u, *lhs) => steps(u, *rhs),
        _ => None,
    }
}

fn is_address(u: &Unit, e: ExprId) -> bool {
    matches!(u.ty(u.expr(e).ty.ty), Type::Pointer(_) | Type::Array { .. })
}

fn steps(u: &Unit, e: ExprId) -> Option<MovedBy> {
    match u.expr(e).kind {
        ExprKind::Int(n) => Some(MovedBy::Elements(n)),
        ExprKind::Ident(v) => Some(MovedBy::Local(v)),
        _ => None,
    }
}

/// `--p`, `p--`, `p -= n`
fn moves_back(u: &Unit, e: ExprId) -> Option<(SymId, MovedBy)> {
    let of_parameter = |s: SymId| (u.sym(s).kind == SymKind::Param).then_some(s);
    let ident = |e: ExprId| match u.expr(strip_casts(u, e)).kind {
        ExprKind::Ident(s) => Some(s),
        _ => None,
    };
    match &u.expr(e).kind {
        ExprKind::Unary {
            op: UnOp::PreDec | UnOp::PostDec,
            arg,
        } => Some((of_parameter(ident(*arg)?)?, MovedBy::Elements(1))),
        ExprKind::Assign {
            op: Some(BinOp::Sub),
            lhs,
            rhs,
        } => Some((of_parameter(ident(*lhs)?)?, steps(u, *rhs)?)),
        _ => None,
    }
}

struct Writes {
    count: usize,
    /// The last one.
    at: u32,
}

fn writes(u: &Unit, f: &Function) -> HashMap<SymId, Writes> {
    let mut map: HashMap<SymId, Writes> = HashMap::new();
    let mut wrote = |s: SymId, at: u32, times: usize| {
        let w = map.entry(s).or_insert(Writes { count: 0, at: 0 });
        w.count += times;
        w.at = w.at.max(at);
    };
    let ident = |e: ExprId| match u.expr(strip_casts(u, e)).kind {
        ExprKind::Ident(s) => Some(s),
        _ => None,
    };
    visit(u, Node::Stmt(f.body), &mut |n| {
        match n {
            Node::Expr(e) => match &u.expr(e).kind {
                ExprKind::Assign { lhs: x, .. }
                | ExprKind::Unary {
                    op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                    arg: x,
                } => {
                    if let Some(s) = ident(*x) {
                        wrote(s, u.expr(e).span.start, 1);
                    }
                }
                _ => {}
            },
            Node::Stmt(s) => match &u.stmt(s).kind {
                // What it does to its operands is not known.
                StmtKind::Asm(list) => list.iter().filter_map(|e| ident(*e)).for_each(|s| {
                    wrote(s, u32::MAX, 2);
                }),
                StmtKind::Decl(d) => {
                    for v in d.vars.iter().filter(|v| v.init.is_some()) {
                        wrote(v.sym, v.span.start, 1);
                    }
                }
                _ => {}
            },
        }
        true
    });
    map
}

fn has_label(u: &Unit, s: StmtId) -> bool {
    let mut any = false;
    visit(u, Node::Stmt(s), &mut |n| {
        if let Node::Stmt(s) = n {
            any |= matches!(u.stmt(s).kind, StmtKind::Label { .. });
        }
        !any
    });
    any
}
