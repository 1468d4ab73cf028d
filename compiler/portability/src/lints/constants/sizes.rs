//! Sizes that are kept: a value computed with `sizeof` before a checkpoint is the source's after it.

use crate::addresses::NumberPlace;
use crate::heap::one_line;
use crate::lints::is_user;
use crate::lints::reaches_checkpoint::{Cx, Dependence, OrderDependence};
use crate::size_derived::{self, SizeDerived, SizeFlow, SizeSource};
use pc3_program::program::Program;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub fn check(
    cx: &Cx,
    measured: &SizeDerived,
    saved: &dyn Fn(usize, FuncId, SymId) -> bool,
    list: &mut Vec<OrderDependence>,
    out: &mut Diagnostics,
) {
    let mut reported: HashSet<&NumberPlace> = HashSet::new();
    let held = |x: &NumberPlace| matches!(x, NumberPlace::Elements(_)) || x.kept(cx.p, saved);
    let kept = |x: &&NumberPlace| measured.refused(x) && held(x) && x.name(cx.p).is_some();
    // Many sources share what they get to.
    let mut known_sets: HashMap<*const HashSet<NumberPlace>, HashSet<&NumberPlace>> =
        HashMap::new();
    for (i, s) in measured.sources.iter().enumerate() {
        let u = &cx.p.units[s.unit];
        if measured.decides(i) {
            list.push(OrderDependence {
                unit: s.unit,
                place: s.name.clone(),
                by: Dependence::Size(s.ty),
                witnesses: Vec::new(),
                when: None,
            });
        }
        let all = known_sets
            .entry(Arc::as_ptr(&s.reached))
            .or_insert_with(|| s.reached.iter().filter(kept).collect());
        // One source tells of a place that many add to.
        let known = all.iter().any(|x| reported.contains(x));
        reported.extend(all.iter());
        if !known && !all.is_empty() {
            out.push(advice(cx.p, measured, s, all));
        } else if let Some(into) = bare(cx, s) {
            list.push(OrderDependence::of(s.unit, u, s.of, Dependence::Layout));
            let text = one_line(u.slice(&u.expr(s.of).span));
            out.push(Diagnostic::advice(
                u,
                &u.expr(s.of).span,
                Code::SizeKept,
                format!("`{text}` is another number on other architectures, and a checkpoint keeps what is computed from it in `{into}`: a restart where members lie elsewhere is refused"),
                "compute it anew where it is used, or keep it in a variable or a member of its own",
            ));
        }
    }
}

/// Sizes in floating-point numbers that are kept, and in what waits for the rest of an expression at a point: the tables say
/// nothing of those.
pub fn elsewhere(
    cx: &Cx,
    measured: &SizeDerived,
    waiting: &[(usize, ExprId)],
    list: &mut Vec<OrderDependence>,
    out: &mut Diagnostics,
) {
    cx.truth_ends.set(true);
    for (unit, u) in cx.p.units.iter().enumerate() {
        for e in (0..u.exprs.len()).map(|k| ExprId(k as u32)) {
            let sized = measured.sized(unit, e) && is_user(u, e);
            if sized && cx.becomes_float(unit, e) && cx.goes(unit, e, &mut HashSet::new()) {
                tell(
                    (u, measured),
                    unit,
                    e,
                    "in a floating-point number",
                    list,
                    out,
                );
            }
        }
    }
    for (unit, e) in waiting {
        let u = &cx.p.units[*unit];
        if measured.sized(*unit, *e) && is_user(u, *e) {
            tell(
                (u, measured),
                *unit,
                *e,
                "while it waits for a call in its expression",
                list,
                out,
            );
        }
    }
}

fn tell(
    (u, measured): (&Unit, &SizeDerived),
    unit: usize,
    e: ExprId,
    how: &str,
    list: &mut Vec<OrderDependence>,
    out: &mut Diagnostics,
) {
    let order = OrderDependence::of(unit, u, e, Dependence::Layout);
    match measured.nodes(unit, e) {
        Some(nodes) => list.extend(nodes.into_iter().map(|n| OrderDependence {
            when: Some(n),
            ..order.clone()
        })),
        None => list.push(order),
    }
    let text = one_line(u.slice(&u.expr(e).span));
    let of = measured
        .size_in(u, unit, e)
        .filter(|_| !text.contains("sizeof"));
    let made = of.map_or(String::new(), |of| format!("made of {of}, "));
    out.push(Diagnostic::advice(
        u,
        &u.expr(e).span,
        Code::SizeKept,
        format!("`{text}` is {made}another number on other architectures, and a checkpoint keeps it {how}: a restart where members lie elsewhere is refused"),
        "compute it anew where it is used, or keep it in an integer of its own",
    ));
}

/// What else a size is put into and a checkpoint holds: an element of an array, a member of a union or of bits.
fn bare(cx: &Cx, s: &SizeSource) -> Option<String> {
    let u = &cx.p.units[s.unit];
    let lhs = cx.assigned(s.unit, s.of)?;
    let element = match u.expr(lhs).kind {
        ExprKind::Index { base, .. } => {
            let array = matches!(u.ty(u.expr(base).ty.ty), Type::Array { .. });
            let known = |x: &NumberPlace| matches!(x, NumberPlace::Elements(_));
            array
                && !s.to.iter().any(known)
                && s.to.iter().any(|x| matches!(x, NumberPlace::Memory(_)))
        }
        ExprKind::Member { .. } => s.to.iter().any(|x| size_derived::is_part(cx.p, x)),
        _ => false,
    };
    let text = one_line(u.slice(&u.expr(lhs).span));
    (element && cx.holds(s.unit, lhs)).then_some(text)
}

fn advice(
    p: &Program,
    measured: &SizeDerived,
    s: &SizeSource,
    all: &HashSet<&NumberPlace>,
) -> Diagnostic {
    let u = &p.units[s.unit];
    let direct = s.to.iter().find(|x| all.contains(x));
    let named = |x: &NumberPlace| matches!(x, NumberPlace::Variable(..));
    let first = all.iter().min_by_key(|x| (named(x), x.name(p)));
    let kept = direct.or(first.copied());
    let place = kept.and_then(|x| x.name(p)).unwrap_or_default();
    let of = u.type_name(QualType::plain(s.ty));
    let help = match kept.is_none_or(|x| measured.of_one_type(p, x)) {
        true => format!("compute it anew where it is used, or say what it counts: `#pragma pc3 bytes {place} of {of}`"),
        false => format!("sizes of several types are in it: compute it anew where it is used, or, if it is only reported, `#pragma pc3 bytes {place} of anything`"),
    };
    let at = &u.expr(s.of).span;
    let text = one_line(u.slice(at));
    Diagnostic::advice(
        u,
        at,
        Code::SizeKept,
        format!("`{text}` is another number on other architectures, and a checkpoint keeps what is computed from it in `{place}`: a restart where it is another number is refused while that has such a value"),
        help,
    )
}

/// The ways that sizes take to what is kept, by the code that has run if they have been taken.
pub fn ways(measured: &SizeDerived, list: &mut Vec<OrderDependence>) {
    let nodes: Vec<String> = list.iter().filter_map(|o| o.when.clone()).collect();
    let ways = measured.ways(nodes.into_iter());
    let order = |w: &SizeFlow| {
        let (unit, witnesses) = match w.by {
            Some((unit, e)) => (unit, vec![e]),
            None => (0, Vec::new()),
        };
        OrderDependence {
            unit,
            place: w.to.clone(),
            by: Dependence::Way,
            witnesses,
            when: w.from.clone(),
        }
    };
    list.extend(ways.into_iter().map(order));
}
