//! Labels of blocks (`__label__`): renamed in functions with points, so that declarations can come first in each block.

use super::edits::Edit;
use super::unit::UnitCx;
use crate::analysis::walk::{visit, Node};
use crate::tree::*;

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
