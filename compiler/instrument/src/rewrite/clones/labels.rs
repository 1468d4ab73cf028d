//! Labels whose address is taken, and labels of blocks.
//!
//! The address of a label means nothing in the other clone, let alone in another run. So it becomes the address of an
//! element of a constant object, which can be kept anywhere, and jumping to it looks up the clone's own label:
//!
//! ```c
//! p = &&again; ... goto *p;                                                       // user
//!
//! static const char pc3_labels__f[2];                                             // in front of both clones
//! static void *const pc3_to[] = { &&done, &&again };                              // in each
//! p = ((void *)(pc3_size)&pc3_labels__f[1]); ... goto *pc3_to[(const char *)(p) - pc3_labels__f];
//! ```
//!
//! Static tables that are only used as `goto *table[i]` stay as they are, one in each clone.
//!
//! `__label__`: such labels are renamed in functions with points, so that declarations can come first in each block.

use crate::rewrite::clones::edits::Edits;
use crate::rewrite::collected::Labels;
use crate::rewrite::text::Edit;
use crate::rewrite::unit::UnitCx;
use pc3_program::walk::{expr_children, init_exprs, visit, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// `points`: has the function points; `any`: has any of the program, or has it ranks, each of which has what it writes for itself.
pub fn find(u: &Unit, points: impl Fn(FuncId) -> bool, any: bool) -> Labels {
    let mut found = Labels::default();
    if !u
        .exprs
        .iter()
        .any(|e| matches!(e.kind, ExprKind::LabelAddr(_)))
    {
        return found;
    }
    let candidates = static_tables(u);
    let mut fine = HashSet::new();
    let mut jumps: HashMap<ExprId, SymId> = HashMap::new();
    for s in &u.stmts {
        let StmtKind::GotoComputed(e) = s.kind else {
            continue;
        };
        let ExprKind::Index { base, .. } = u.expr(e).kind else {
            continue;
        };
        if let ExprKind::Ident(s) = u.expr(base).kind {
            fine.insert(base);
            jumps.insert(e, s);
        }
    }
    for e in &u.exprs {
        if let ExprKind::SizeofExpr(x) = e.kind {
            below(u, x, &mut fine);
        }
    }
    let mut other = HashSet::new();
    for (i, e) in u.exprs.iter().enumerate() {
        if let ExprKind::Ident(s) = e.kind {
            if !fine.contains(&ExprId(i as u32)) {
                other.insert(s);
            }
        }
    }
    for (tables, labels) in candidates {
        if !any || !tables.iter().any(|t| other.contains(t)) {
            found.inside.extend(labels);
            found.tables.extend(tables);
        }
    }
    if !any {
        return found;
    }
    found.direct = jumps
        .into_iter()
        .filter(|(_, s)| found.tables.contains(s))
        .map(|(e, _)| e)
        .collect();
    for (i, func) in u.functions.iter().enumerate() {
        let f = FuncId(i as u32);
        let mut list = Vec::new();
        visit(u, Node::Stmt(func.body), &mut |n| {
            if let Node::Expr(e) = n {
                if let ExprKind::LabelAddr(l) = u.expr(e).kind {
                    if !found.inside.contains(&e) && !list.contains(&l) {
                        list.push(l);
                    }
                }
            }
            true
        });
        // The target's own labels cannot be seen from everywhere in functions that stay as they are.
        let seen = points(f) || !list.iter().any(|l| u.labels[l.index()].local);
        if !list.is_empty() && seen {
            found.objects.insert(f, list);
        }
    }
    found
}

/// Declarations of static variables with addresses of labels in their initialisers.
fn static_tables(u: &Unit) -> Vec<(Vec<SymId>, Vec<ExprId>)> {
    let mut list = Vec::new();
    for s in &u.stmts {
        let StmtKind::Decl(d) = &s.kind else { continue };
        let mut labels = Vec::new();
        let fixed = |v: &&VarDecl| u.sym(v.sym).storage == Storage::Static;
        for i in d.vars.iter().filter(fixed).filter_map(|v| v.init.as_ref()) {
            init_exprs(i, &mut |e| {
                visit(u, Node::Expr(e), &mut |n| {
                    if let Node::Expr(x) = n {
                        if matches!(u.expr(x).kind, ExprKind::LabelAddr(_)) {
                            labels.push(x);
                        }
                    }
                    true
                });
            });
        }
        if !labels.is_empty() {
            list.push((d.vars.iter().map(|v| v.sym).collect(), labels));
        }
    }
    list
}

fn below(u: &Unit, e: ExprId, out: &mut HashSet<ExprId>) {
    out.insert(e);
    let mut list = Vec::new();
    expr_children(u, e, &mut |c| list.push(c));
    for c in list {
        if let Node::Expr(c) = c {
            below(u, c, out);
        }
    }
}

/// The object whose elements stand for the function's labels.
pub fn object(cx: &UnitCx, f: FuncId) -> String {
    format!("pc3_labels__{}", cx.fname(f))
}

/// In place of `&&label`.
pub fn address(cx: &UnitCx, e: ExprId, label: LabelId, out: &mut Edits) {
    let f = cx.u.labels[label.index()].func;
    let list = cx
        .labels
        .objects
        .get(&f)
        .filter(|_| !cx.labels.inside.contains(&e));
    if let Some(k) = list.and_then(|l| l.iter().position(|x| *x == label)) {
        let text = format!("((void *)(pc3_size)&{}[{k}])", object(cx, f));
        out.replace(&cx.u.expr(e).span, text);
    }
}

/// What goes around the operand of a computed goto.
pub fn target(cx: &UnitCx, f: FuncId, e: ExprId) -> Option<(String, String)> {
    let translated = cx.labels.objects.contains_key(&f) && !cx.labels.direct.contains(&e);
    translated.then(|| {
        (
            "pc3_to[(const char *)(".to_string(),
            format!(") - {}]", object(cx, f)),
        )
    })
}

/// The labels of the clone itself.
pub fn targets(cx: &UnitCx, f: FuncId) -> String {
    let u = cx.u;
    let Some(list) = cx.labels.objects.get(&f) else {
        return String::new();
    };
    let mut jumps = false;
    visit(u, Node::Stmt(u.func(f).body), &mut |n| {
        if let Node::Stmt(s) = n {
            jumps |= matches!(u.stmt(s).kind, StmtKind::GotoComputed(e) if !cx.labels.direct.contains(&e));
        }
        true
    });
    if !jumps {
        return String::new();
    }
    let names: Vec<String> = list
        .iter()
        .map(|l| match u.labels[l.index()].local {
            true => format!("&&{}", local_name(u, *l)),
            false => format!("&&{}", u.labels[l.index()].name),
        })
        .collect();
    format!(" static void *const pc3_to[] = {{ {} }};", names.join(", "))
}

/// Where declarations can stand in the block at `span`: behind `__label__`.
pub fn inside(u: &Unit, span: &Span) -> u32 {
    let mut at = span.start + 1;
    for d in &u.label_decls {
        if d.start >= at && u.text[at as usize..d.start as usize].trim().is_empty() {
            at = d.end;
        }
    }
    at
}

pub fn prepare(cx: &mut UnitCx) {
    let u = cx.u;
    if u.label_decls.is_empty() {
        return;
    }
    for (i, func) in u.functions.iter().enumerate() {
        if cx.plan(FuncId(i as u32)).points.is_empty() {
            continue;
        }
        let within = |s: &Span| func.span.start <= s.start && s.end <= func.span.end;
        let mut edits: Vec<Edit> = Vec::new();
        edits.extend(u.label_decls.iter().filter(|d| within(d)).map(|d| Edit {
            span: d.clone(),
            text: String::new(),
        }));
        visit(u, Node::Stmt(func.body), &mut |n| {
            let found = match n {
                Node::Stmt(s) => match u.stmt(s).kind {
                    StmtKind::Label { label, .. } => Some((label, u.stmt(s).span.start)),
                    StmtKind::Goto(label) => Some((label, u.stmt(s).span.start + 4)),
                    _ => None,
                },
                Node::Expr(e) => match u.expr(e).kind {
                    ExprKind::LabelAddr(label) => Some((label, u.expr(e).span.start + 2)),
                    _ => None,
                },
            };
            if let Some((label, from)) = found {
                edits.extend(renamed(u, label, from));
            }
            true
        });
        cx.ambient.extend(edits);
    }
}

/// The label's name at or behind `from`.
fn renamed(u: &Unit, label: LabelId, from: u32) -> Option<Edit> {
    let l = &u.labels[label.index()];
    let start = from + u.text[from as usize..].find(l.name.as_str())? as u32;
    let span = start..start + l.name.len() as u32;
    l.local.then(|| Edit {
        span,
        text: local_name(u, label),
    })
}

fn local_name(u: &Unit, label: LabelId) -> String {
    format!("pc3_l{}_{}", label.0, u.labels[label.index()].name)
}
