//! Compound literals in the initialisers of static objects: objects without a name, which something points to.
//!
//! ```c
//! struct list l = { &(struct item) { 1 } };                  // user
//!
//! static struct item pc3_object_1 = { 1 };
//! struct list l = { &pc3_object_1 };
//! ```

use crate::emit::global::Global;
use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::printer::Printer;
use crate::rewrite::unit::UnitCx;
use pc3_program::walk::{init_exprs, visit, Node};
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::{PC3_GLOBAL_CONST, PC3_GLOBAL_INIT};

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
        let mut text = edits.apply(cx, &pc3_program::initialiser::init_span(cx.u, init));
        crate::rewrite::text::join_lines(&mut text);
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
