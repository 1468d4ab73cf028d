//! Unions in saved state: a checkpoint does not know which member is in use, so some keep it on its ABI.

use crate::emit::global::Global;
use crate::rewrite::unit::UnitCx;
use pc3_program::program::base_name;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use pc3_unions::tracking::{self, Without};
use std::collections::HashSet;

/// Warns once of each union that blocks a change of ABI, where it is first saved.
pub fn check(cx: &UnitCx, globals: &[Global], out: &mut Diagnostics) {
    if !cx.has_points {
        return;
    }
    let u = cx.u;
    let mut seen = HashSet::new();
    let mut look = |ty: TypeId, at: &Span, what: &str| {
        if let Some(r) = blocking(cx, ty).filter(|r| seen.insert(*r)) {
            out.push(warning(cx, r, at, what));
        }
    };
    let unsaid = |s: &SymId| !cx.said.chosen.contains_key(s) && !cx.said.unsaved.contains(s);
    for g in globals.iter().filter(|g| !g.is_constant()) {
        if let Some(s) = g.sym.filter(unsaid) {
            let at = u.sym(s).decls.first().cloned().unwrap_or(0..0);
            look(g.ty.ty, &at, &format!("global `{}`", u.sym(s).name));
        }
    }
    for f in 0..u.functions.len() as u32 {
        let plan = cx.plan(FuncId(f));
        for e in &plan.literals {
            let x = u.expr(*e);
            look(x.ty.ty, &x.span, "this compound literal");
        }
        let live = plan.live.iter().flat_map(|l| &l.vars);
        for s in live.chain(&plan.shadow).filter(|s| unsaid(s)) {
            let at = u.sym(*s).decls.first().cloned().unwrap_or(0..0);
            look(u.sym(*s).ty.ty, &at, &format!("`{}`", u.sym(*s).name));
        }
    }
    for site in &cx.heap.sites[cx.unit] {
        if let Some(q) = site.elem {
            look(q.ty, &u.expr(site.call).span, "the object allocated here");
        }
    }
}

/// Of units that share a header, the first that tells of a union is enough.
pub fn once(out: &mut Diagnostics) {
    let mut seen = HashSet::new();
    out.list.retain(|d| {
        // `x` holds `union u` (file:line), and ...
        let union = d.message.split_once(" holds ").map(|(_, u)| u.to_string());
        d.code != Code::UnionBlocks || union.is_none_or(|u| seen.insert(u))
    });
}

fn warning(cx: &UnitCx, r: RecordId, at: &Span, what: &str) -> Diagnostic {
    let u = cx.u;
    let d = &u.records[r.index()];
    let name = match d.c_name() {
        Some(name) => format!("`{name}`"),
        None => "a union".into(),
    };
    let place = d.def.as_ref().map_or(String::new(), |def| {
        let p = u.lines.position(def.start);
        format!(" ({}:{})", base_name(&p.file), p.line)
    });
    let (why, also) = match cx.without {
        Some(Without::Wished) => ("it is not noted", ", or leave out -fno-pc3-track-unions"),
        Some(Without::Threads) => ("other threads could write it while that is noted", ""),
        None => (
            "the program looks at one member through another, or it has more than 64, or none that notes can name",
            "",
        ),
    };
    Diagnostic::advice(
        u,
        at,
        Code::UnionBlocks,
        format!("{what} holds {name}{place}, and a checkpoint does not know which member is in use ({why}): where its value depends on that it cannot change architecture"),
        format!("say which: `#pragma pc3 union STRUCT.MEMBER by TAG: MEMBER = VALUE, ...`{also}"),
    )
}

/// The first union in a type that only converts if it is known which member is in use, and of which no notes are made.
pub fn blocking(cx: &UnitCx, t: TypeId) -> Option<RecordId> {
    let mut first = None;
    tracking::blocking(cx.u, cx.said, t, &mut |r| {
        if !cx.noted.contains(&r) && !cx.unwritten.contains(&r) {
            first.get_or_insert(r);
        }
    });
    first
}
