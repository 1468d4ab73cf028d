//! Tells the runtime of pointers that may leave their objects: `pc3_from` and `pc3_to` around what moves them.

use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::printer::Printer;
use crate::rewrite::ProgramFacts;
use pc3_program::linear::Linear;
use pc3_program::moved_parameters;
use pc3_program::out_of_bounds_pointers::{self, How};
use pc3_syntax::tree::*;
use std::collections::HashMap;

/// Those of a unit, if its program has locations.
pub(in crate::rewrite) fn find(w: &ProgramFacts, unit: usize) -> HashMap<ExprId, How> {
    let mut all = HashMap::new();
    if !w.graph.reaches.contains(&true) {
        return all;
    }
    let u = &w.p.units[unit];
    for (i, f) in u.functions.iter().enumerate() {
        let id = w.p.id(unit, FuncId(i as u32));
        let moves = moved_parameters::analyse(u, f, &w.escapes.taken[id.index()]);
        let points = !w.plans[id.index()].points.is_empty();
        all.extend(out_of_bounds_pointers::find(u, f, &moves, points));
    }
    all
}

impl Printer<'_, '_> {
    /// Puts in what belongs in front of such an expression; returns what belongs behind its parts.
    pub fn moves_from(
        &self,
        e: ExprId,
        how: How,
        lin: Option<&Linear>,
        out: &mut Edits,
    ) -> Vec<(u32, String)> {
        let (cx, u) = (self.cx, self.u());
        let x = u.expr(e);
        let of = match how {
            How::Change { of, .. } => u.expr(of).ty,
            How::Sum { .. } | How::Element { .. } => x.ty,
        };
        let name = cx.names.declare_plain(of, "");
        let place = cx.place(x.span.start);
        let bytes = |array: bool, text: &str| match array {
            true => format!("sizeof({text})"),
            false => "0".into(),
        };
        let to = match how {
            How::Change { used: false, .. } => "(void)".to_string(),
            _ => format!("({name})"),
        };
        let mut behind = Vec::new();
        let mut now = String::new();
        match how {
            How::Sum { root, array, .. } => {
                let r = &u.expr(root).span;
                let text = self.text(root, lin, true);
                out.insert(x.span.start, format!("({to}pc3_to(("));
                out.insert(r.start, format!("(({name})pc3_from(("));
                behind.push((r.end, format!("), {}))", bytes(array, &text))));
            }
            How::Change { of, .. } => {
                let text = self.text(of, lin, true);
                out.insert(
                    x.span.start,
                    format!("((void)pc3_from(({text}), 0), {to}pc3_to(("),
                );
                // The value of `p--` is where it was.
                if matches!(u.expr(e).kind, ExprKind::Unary { .. }) {
                    now = format!(", ({text})");
                }
            }
            How::Element { of, array } => {
                let text = self.text(of, lin, true);
                let bytes = bytes(array, &text);
                out.insert(
                    x.span.start,
                    format!("((void)pc3_from(({text}), {bytes}), {to}pc3_to(("),
                );
            }
        }
        let elem = match how {
            How::Sum { around: true, .. } => "0".to_string(),
            _ => format!("sizeof *({name})0"),
        };
        behind.push((x.span.end, format!("{now}), {elem}, {place}))")));
        behind
    }
}
