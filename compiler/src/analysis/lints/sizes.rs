//! Sizes that are kept: a value computed with `sizeof` before a checkpoint is the source's after it.

use super::is_user;
use super::layout::varies;
use crate::analysis::addresses::{Numbers, Place};
use crate::analysis::heap::{one_line, Heap};
use crate::analysis::program::{Callee, Program};
use crate::analysis::walk::{visit, Node};
use crate::annotations::Said;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::tree::*;
use std::collections::HashSet;

pub fn check(
    p: &Program,
    said: &Said,
    heap: &Heap,
    numbers: &Numbers,
    saved: &dyn Fn(usize, FuncId, SymId) -> bool,
    out: &mut Diagnostics,
) {
    let told = told(p, said);
    let systems = systems(p);
    let asked = asked(p, heap);
    let mut reported: HashSet<Place> = HashSet::new();
    let own = |x: &Place| !matches!(x, Place::Member(of, _) if systems.contains(of));
    for s in numbers.wanted() {
        let u = &p.units[s.unit];
        let of = match &u.expr(s.of).kind {
            ExprKind::SizeofType(q) => q.ty,
            ExprKind::SizeofExpr(x) => u.expr(*x).ty.ty,
            _ => continue,
        };
        if !is_user(u, s.of) || !varies(u, of) || asked.contains(&(s.unit, s.of)) {
            continue;
        }
        // Memory is looked through: what is in it is hardly ever known to be the same.
        let through =
            |x: &Place| !matches!(x, Place::Memory(_) | Place::Result(_) | Place::Pointer);
        let kept = |x: &&Place| {
            through(x) && own(x) && !told.contains(*x) && x.kept(p, saved) && x.name(p).is_some()
        };
        let all = numbers.reached(&s.to, &through);
        let all: HashSet<&Place> = all.iter().filter(kept).collect();
        // One source tells of a place that many add to.
        let known = all.iter().any(|x| reported.contains(*x));
        reported.extend(all.iter().map(|x| (*x).clone()));
        if known {
            continue;
        }
        let direct = s.to.iter().find(kept);
        let named = |x: &&&Place| matches!(x, Place::Variable(..));
        let mut names: Vec<(bool, Option<String>)> =
            all.iter().map(|x| (named(&x), x.name(p))).collect();
        names.sort();
        let kept = direct.and_then(|x| x.name(p));
        let kept = kept.or_else(|| names.into_iter().find_map(|n| n.1));
        let Some(first) = kept else { continue };
        // Which member of a struct an initialiser means is not known here.
        let (place, help) = match s.to.first() {
            Some(Place::Member(of, _)) if s.to.len() > 1 && !of.contains(':') => {
                (of.clone(), "compute it anew where it is used".to_string())
            }
            _ => {
                let of = u.type_name(QualType::plain(of));
                let help = format!("compute it anew where it is used, or say what it counts: `#pragma pc3 bytes {first} of {of}`");
                (first, help)
            }
        };
        let text = one_line(u.slice(&u.expr(s.of).span));
        let message = format!("`{text}` is another number on other architectures, and a checkpoint keeps what is computed from it in `{place}`");
        let at = u.expr(s.of).span.clone();
        out.push(Diagnostic::advice(u, &at, Code::SizeKept, message, help));
    }
}

/// What is in the sizes of pieces: these stay where they are in their blocks, and what counts them means the same elsewhere.
fn asked(p: &Program, heap: &Heap) -> HashSet<(usize, ExprId)> {
    let mut all = HashSet::new();
    for (unit, u) in p
        .units
        .iter()
        .enumerate()
        .filter(|_| !heap.pieces.dealers.is_empty())
    {
        for e in &u.exprs {
            let ExprKind::Call { callee, args } = &e.kind else {
                continue;
            };
            let Some((_, Callee::Defined(f))) = p.direct(unit, *callee) else {
                continue;
            };
            let sizes = heap.pieces.dealers.get(&f).into_iter().flatten();
            for a in sizes.filter_map(|i| args.get(*i)) {
                visit(u, Node::Expr(*a), &mut |n| {
                    if let Node::Expr(x) = n {
                        all.insert((unit, x));
                    }
                    true
                });
            }
        }
    }
    all
}

/// Places of which the author says what they count, or that are not saved.
fn told(p: &Program, said: &Said) -> HashSet<Place> {
    let mut all = HashSet::new();
    for (unit, u) in p.units.iter().enumerate() {
        let here = &said.units[unit];
        let variables = here.unsaved.iter().chain(here.bytes.variables.keys());
        all.extend(variables.map(|s| Place::variable(unit, u, *s)));
        for (r, k) in here.bytes.members.keys() {
            let fields = u.records[r.index()].fields.as_deref().unwrap_or_default();
            let name = fields.get(*k).and_then(|f| f.name.as_deref());
            all.extend(name.map(|n| Place::member(unit, u, *r, n)));
        }
    }
    all
}

/// Structs of the system's headers: what they are given is for a call.
fn systems(p: &Program) -> HashSet<String> {
    let all = p
        .units
        .iter()
        .flat_map(|u| u.records.iter().map(move |r| (u, r)));
    let system = all.filter(|(u, r)| r.def.as_ref().is_some_and(|d| u.lines.is_system(d.start)));
    system
        .filter_map(|(_, r)| r.tag.clone().or(r.typedef_name.clone()))
        .collect()
}
