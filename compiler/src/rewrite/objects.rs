//! Compound literals in the initialisers of static objects: objects without a name, which something points to.
//!
//! ```c
//! struct list l = { &(struct item) { 1 } };                  // user
//!
//! static struct item pc3_object_1 = { 1 };
//! struct list l = { &pc3_object_1 };
//! ```

use super::edits::Edits;
use super::globals::static_initialisers;
use super::print::Printer;
use super::unit::UnitCx;
use crate::analysis::walk::{init_exprs, visit, Node};
use crate::emit::tables::Global;
use crate::tree::*;
use pc3_typemetric::descriptor::{PC3_GLOBAL_CONST, PC3_GLOBAL_INIT};
use std::collections::HashMap;

/// Those whose address is meant: under `&`, or arrays.
pub fn find(u: &Unit) -> HashMap<ExprId, String> {
    let mut list: Vec<ExprId> = Vec::new();
    for (s, init) in static_initialisers(u) {
        init_exprs(init, &mut |e| {
            visit(u, Node::Expr(e), &mut |n| {
                if let Node::Expr(x) = n {
                    list.extend(place(u, x));
                    let decays = matches!(u.ty(u.expr(x).ty.ty), Type::Array { .. });
                    let own = matches!(init, Init::Expr(e) if *e == x)
                        && matches!(u.ty(u.sym(s).ty.ty), Type::Array { .. });
                    if decays && !own && is_literal(u, x) {
                        list.push(x);
                    }
                }
                true
            });
        });
    }
    list.sort();
    list.dedup();
    list.into_iter()
        .enumerate()
        .map(|(i, e)| (e, format!("pc3_object_{}", i + 1)))
        .collect()
}

fn is_literal(u: &Unit, e: ExprId) -> bool {
    matches!(u.expr(e).kind, ExprKind::CompoundLit { .. })
}

/// The literal that `&literal`, `&literal.m`, `&literal[1]` are about.
fn place(u: &Unit, e: ExprId) -> Option<ExprId> {
    let ExprKind::AddrOf(mut x) = u.expr(e).kind else {
        return None;
    };
    loop {
        x = match &u.expr(x).kind {
            ExprKind::CompoundLit { .. } => return Some(x),
            ExprKind::Member {
                base, arrow: false, ..
            }
            | ExprKind::Index { base, .. } => *base,
            _ => return None,
        };
    }
}

/// Definitions of the objects in an initialiser, inner ones first.
pub fn definitions(cx: &UnitCx, init: &Init, printer: &Printer) -> String {
    let mut out = String::new();
    init_exprs(init, &mut |e| define(cx, e, printer, &mut out));
    out
}

fn define(cx: &UnitCx, e: ExprId, printer: &Printer, out: &mut String) {
    visit(cx.u, Node::Expr(e), &mut |n| {
        let Node::Expr(x) = n else { return false };
        let (Some(name), ExprKind::CompoundLit { ty, init }) =
            (cx.objects.get(&x), &cx.u.expr(x).kind)
        else {
            return true;
        };
        out.push_str(&definitions(cx, init, printer));
        let mut edits = Edits::default();
        init_exprs(init, &mut |e| printer.constant(e, &mut edits));
        let mut text = edits.apply(cx, &super::decl::init_span(cx.u, init));
        super::edits::join_lines(&mut text);
        out.push_str(&format!(
            "static {} = {text}; ",
            cx.names.declare(*ty, name)
        ));
        false
    });
}

/// Their rows in the table of globals.
pub fn rows(cx: &UnitCx) -> Vec<Global> {
    let mut list: Vec<(&ExprId, &String)> = cx.objects.iter().collect();
    list.sort();
    let row = |(e, name): (&ExprId, &String)| {
        let ty = match &cx.u.expr(*e).kind {
            ExprKind::CompoundLit { ty, .. } => *ty,
            _ => cx.u.expr(*e).ty,
        };
        let mut elem = ty;
        while let Type::Array { elem: inner, .. } = cx.u.ty(elem.ty) {
            elem = *inner;
        }
        let constant = (ty.is_const || elem.is_const) && !elem.is_volatile;
        Global {
            name: format!("{}:{}", cx.file(), name.replacen("pc3_", "unnamed ", 1)),
            c_name: name.clone(),
            ty,
            flags: PC3_GLOBAL_INIT | if constant { PC3_GLOBAL_CONST } else { 0 },
            sym: None,
        }
    };
    list.into_iter().map(row).collect()
}
