//! What is legal C, can be saved and restored, and means something else elsewhere.

mod constants;
mod representations;
use constants::{floats, range, sizes, width, words};
use representations::{
    byte_pointers, bytes, copies, in_unions, network, pointer_bytes, records, sent, stored,
};
pub use representations::{layout, offsets};

mod order;
mod reaches_checkpoint;
mod scratch;
mod stable;
pub mod witness;

use crate::addresses::holds_size;
use crate::addresses::{Is, Kept, Numbers, Stays};
use crate::heap::Heap;
use crate::size_derived::SizeDerived;
use pc3_program::callgraph::CallGraph;
use pc3_program::program::Program;
use pc3_syntax::diag::Diagnostics;
use pc3_syntax::parallel;
use pc3_syntax::tree::*;
use reaches_checkpoint::Cx;
pub use reaches_checkpoint::{Dependence, OrderDependence};
pub use width::Wide;
use witness::Witness;

/// Of which expressions the lints must know where they go.
pub fn wanted(u: &Unit, e: ExprId) -> Option<Is> {
    match u.expr(e).kind {
        ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_) => Some(Is::Size),
        // What is made of a size may come back.
        ExprKind::Call { ref args, .. } if args.iter().any(|a| holds_size(u, *a)) => Some(Is::Size),
        _ if offsets::moving(u, e) => Some(Is::Number),
        _ if width::candidate(u, e) => Some(Is::Number),
        _ => range::large(u, e).map(|_| Is::Number),
    }
}

/// What restarts on other architectures are to know.
#[derive(Debug, Default)]
pub struct Findings {
    pub wide: Vec<Wide>,
    pub orders: Vec<OrderDependence>,
    /// Where addresses decide about what is kept.
    pub chosen: Kept,
}

/// `saved(unit, f, s)`: is the local `s` of function `f` part of a checkpoint?  `waiting`: what expressions are that wait for others
/// at points.
pub fn check(
    p: &Program,
    graph: &CallGraph,
    heap: &Heap,
    (numbers, measured): (&Numbers, &SizeDerived),
    saved: &(dyn Fn(usize, FuncId, SymId) -> bool + Sync),
    waiting: &[(usize, ExprId)],
    out: &mut Diagnostics,
) -> Findings {
    let by_number = || {
        let mut out = Diagnostics::default();
        range::check(p, numbers, saved, &mut out);
        let wide = width::check(p, numbers, saved, &mut out);
        let chosen = order::check(&Cx::new(p, graph, saved), numbers, &mut out);
        (wide, chosen, out)
    };
    let by_kind = || {
        let (cx, mut orders) = (Cx::new(p, graph, saved), Vec::new());
        let mut out = Diagnostics::default();
        sizes::check(&cx, measured, saved, &mut orders, &mut out);
        sizes::elsewhere(&cx, measured, waiting, &mut orders, &mut out);
        bytes::check(&cx, &mut orders, &mut out);
        byte_pointers::check(&cx, &mut orders, &mut out);
        copies::check(&cx, &mut orders, &mut out);
        floats::check(&cx, &mut orders, &mut out);
        stored::check(&cx, heap, &mut orders, &mut out);
        network::check(&cx, &mut orders, &mut out);
        words::check(&cx, &mut orders, &mut out);
        records::check(&cx, &mut orders, &mut out);
        sent::check(&cx, &mut out);
        offsets::check((p, graph), numbers, saved, &mut orders, &mut out);
        (orders, out)
    };
    let ((wide, chosen, first), (mut orders, second)) = parallel::both(by_number, by_kind);
    out.extend(first);
    out.extend(second);
    sizes::ways(measured, &mut orders);
    // One entry for a place and what decides there.
    let key = |o: &OrderDependence| (o.unit, o.place.clone(), o.by, o.when.clone());
    orders.sort_by_key(key);
    let apart = |o: &OrderDependence| (o.by > Dependence::Long).then_some(o.by);
    orders.dedup_by(|b, a| {
        let same = (a.unit, &a.place, apart(a), &a.when) == (b.unit, &b.place, apart(b), &b.when);
        if same {
            a.by = a.by.max(b.by);
            match a.witnesses.is_empty() || b.witnesses.is_empty() {
                true => a.witnesses.clear(),
                false => a.witnesses.append(&mut b.witnesses),
            }
        }
        same
    });
    witnessed(p, &mut orders);
    Findings {
        wide,
        orders,
        chosen,
    }
}

/// What shows that their code has run is what generated code can mark.
fn witnessed(p: &Program, orders: &mut [OrderDependence]) {
    for (unit, u) in p.units.iter().enumerate() {
        let here = || {
            orders
                .iter()
                .any(|o| o.unit == unit && !o.witnesses.is_empty())
        };
        if !here() {
            continue;
        }
        let witness = Witness::new(u);
        for o in orders.iter_mut().filter(|o| o.unit == unit) {
            let of = |e: &ExprId| match o.by {
                Dependence::Way => witness.around(*e),
                _ => witness.of(*e),
            };
            let all: Option<Vec<ExprId>> = o.witnesses.iter().map(of).collect();
            // What is read from files may be read behind the restart.
            let known = o.by != Dependence::Files;
            o.witnesses = all.filter(|_| known).unwrap_or_default();
        }
    }
}

/// Which of the numbers that are made of addresses may stay what they are; warns of the others.
pub fn stay(
    p: &Program,
    graph: &CallGraph,
    numbers: &Numbers,
    saved: reaches_checkpoint::Saved,
    kept: &mut Kept,
    out: &mut Diagnostics,
) {
    stable::classify(&Cx::new(p, graph, saved), numbers, kept);
    for k in kept.iter_mut() {
        let told = k.told.take();
        if let Some(told) = told.filter(|_| k.stays == Stays::No) {
            out.push(told);
        }
    }
    order::tell(p, kept, out);
}

fn is_user(u: &Unit, e: ExprId) -> bool {
    !u.lines.is_system(u.expr(e).span.start) && !pc3_libc::is_own(&u.path)
}

/// As `is_user`; also of what a macro of the system made there.
fn in_users_file(u: &Unit, e: ExprId) -> bool {
    u.lines.is_users_file(u.expr(e).span.start) && !pc3_libc::is_own(&u.path)
}
