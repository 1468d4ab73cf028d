//! Static numbers that a loop may hold in locals.
//!
//! Compilers keep `static int i;` in a register where nothing else can reach it, which they know of a variable whose address
//! is never taken. A rank's copy is reached by its address. So what they would find is found here: in a loop that calls nothing, a number of
//! the function's own is that loop's alone, and what it has before and behind the loop is all that anybody can see.

use super::program::{Callee, Program};
use super::untouched::root;
use super::walk::{stmt_children, visit, Node};
use crate::tree::*;
use std::collections::{BTreeMap, HashMap, HashSet};

/// By outermost loop that suits: which it names, and whether it writes them.
pub type Held = HashMap<StmtId, BTreeMap<SymId, bool>>;

/// `private`: what each rank has for itself. Not for programs that make threads.
pub fn analyse(p: &Program, unit: usize, private: &HashSet<SymId>) -> Held {
    let u = &p.units[unit];
    let numbers = numbers(u, private);
    let mut found = Held::new();
    if numbers.is_empty() || !u.openmp.is_empty() {
        return found;
    }
    let mut todo: Vec<StmtId> = u.functions.iter().map(|f| f.body).collect();
    while let Some(s) = todo.pop() {
        use StmtKind::{DoWhile, For, While};
        let is_loop = matches!(u.stmt(s).kind, For { .. } | While { .. } | DoWhile { .. });
        if is_loop && !follows_pragma(u, s) && is_alone(p, unit, s) {
            let named = named(u, s, &numbers);
            if !named.is_empty() {
                found.insert(s, named);
            }
            continue;
        }
        if matches!(u.stmt(s).kind, StmtKind::Nested { .. }) {
            continue;
        }
        stmt_children(u, s, &mut |c| {
            if let Node::Stmt(x) = c {
                todo.push(x);
            }
        });
    }
    found
}

/// What is written here although the program would not have may be another thread's.
pub fn makes_threads(p: &Program) -> bool {
    let makes = |s: &Symbol| {
        s.kind == SymKind::Func && matches!(s.name.as_str(), "pthread_create" | "thrd_create")
    };
    p.units.iter().any(|u| u.symbols.iter().any(makes))
}

/// Functions' own static numbers that have no address.
fn numbers(u: &Unit, private: &HashSet<SymId>) -> HashSet<SymId> {
    let suits = |s: &Symbol| {
        let plain = !s.ty.is_const && !s.ty.is_volatile && !s.ty.is_atomic && !s.thread_local;
        let number = matches!(
            u.ty(s.ty.ty),
            Type::Bool | Type::Int(_) | Type::Float(_) | Type::Enum(_)
        );
        plain && number && s.storage == Storage::Static && !s.is_global && s.attributes.is_empty()
    };
    let mut set: HashSet<SymId> = private
        .iter()
        .copied()
        .filter(|s| suits(u.sym(*s)))
        .collect();
    for x in &u.exprs {
        if let ExprKind::AddrOf(e) = x.kind {
            root(u, e).map(|s| set.remove(&s));
        }
    }
    for s in &u.stmts {
        if let StmtKind::Asm(list) = &s.kind {
            for s in list.iter().filter_map(|e| root(u, *e)) {
                set.remove(&s);
            }
        }
    }
    for n in &u.text_names {
        set.remove(&n.sym);
    }
    set
}

/// A pragma that speaks of the loop has to stand in front of it.
fn follows_pragma(u: &Unit, s: StmtId) -> bool {
    let before = &u.text[..u.stmt(s).span.start as usize];
    let lines = before.lines().rev().map(str::trim);
    let mut lines = lines.skip_while(|l| l.is_empty() || l.starts_with("# "));
    lines.next().is_some_and(|l| l.starts_with("#pragma"))
}

/// Nothing but the loop's own code runs from its beginning to its end, it is entered there and left there.
fn is_alone(p: &Program, unit: usize, s: StmtId) -> bool {
    let u = &p.units[unit];
    let mut alone = true;
    let mut switches: Vec<&Span> = Vec::new();
    visit(u, Node::Stmt(s), &mut |n| {
        alone &= match n {
            Node::Expr(e) => {
                let x = u.expr(e);
                let seen = x.ty.is_volatile || x.ty.is_atomic;
                !seen
                    && match x.kind {
                        ExprKind::Call { callee, .. } => computes(p, unit, callee),
                        ExprKind::StmtExpr(_) | ExprKind::LabelAddr(_) => false,
                        _ => true,
                    }
            }
            Node::Stmt(s) => {
                use StmtKind::*;
                let st = u.stmt(s);
                match &st.kind {
                    Switch { .. } => {
                        switches.push(&st.span);
                        true
                    }
                    Case { .. } | Default(_) => switches.iter().any(|w| w.end >= st.span.end),
                    Decl(d)
                    | For {
                        init: ForInit::Decl(d),
                        ..
                    } => {
                        // `cleanup` is a call.
                        d.vars.iter().all(|v| u.sym(v.sym).attributes.is_empty())
                    }
                    Label { .. } | Goto(_) | GotoComputed(_) | Return(_) => false,
                    Asm(_) | Nested { .. } | Checkpoint | Other { .. } => false,
                    _ => true,
                }
            }
        };
        alone
    });
    alone
}

/// A function of the mathematical library, which calls nobody back.
fn computes(p: &Program, unit: usize, callee: ExprId) -> bool {
    const KNOWN: &[&str] = &[
        "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "cosh", "exp", "exp2", "fabs",
        "floor", "fmax", "fmin", "fmod", "hypot", "log", "log10", "log2", "pow", "rint", "round",
        "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
    ];
    let Some((_, Callee::External(name))) = p.direct(unit, callee) else {
        return false;
    };
    KNOWN.contains(&name.as_str()) || name.strip_suffix('f').is_some_and(|n| KNOWN.contains(&n))
}

fn named(u: &Unit, s: StmtId, numbers: &HashSet<SymId>) -> BTreeMap<SymId, bool> {
    let mut named = BTreeMap::new();
    visit(u, Node::Stmt(s), &mut |n| {
        let Node::Expr(e) = n else { return true };
        match &u.expr(e).kind {
            ExprKind::Ident(s) if numbers.contains(s) => {
                named.entry(*s).or_insert(false);
            }
            ExprKind::Assign { lhs: x, .. }
            | ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg: x,
            } => {
                if let Some(s) = root(u, *x).filter(|s| numbers.contains(s)) {
                    named.insert(s, true);
                }
            }
            _ => {}
        }
        true
    });
    named
}
