//! Where sizes get to: through variables, members and results.  What a function makes of an argument comes back to the
//! call that has it, and to no other.

use super::beyond::Beyond;
use super::made::holds_size;
use crate::analysis::addresses::{Numbers, Place};
use crate::analysis::program::{Callee, FnId, Program};
use crate::analysis::walk::{visit, Node};
use crate::tree::*;
use std::collections::{HashMap, HashSet};

/// The places that a number in `from` gets to.
pub fn from(
    p: &Program,
    (numbers, but): (&Numbers, &HashSet<Place>),
    beyond: &Beyond,
    from: &[Place],
) -> HashSet<Place> {
    let mut todo: Vec<(Place, bool)> = from.iter().map(|x| (x.clone(), is_param(p, x))).collect();
    let mut seen: HashSet<(Place, bool)> = todo.iter().cloned().collect();
    while let Some((x, argument)) = todo.pop() {
        // In memory it is hardly ever known to be the same.
        if matches!(x, Place::Memory(_) | Place::Pointer) || but.contains(&x) {
            continue;
        }
        let further = beyond.places.get(&x).into_iter().flatten();
        for next in numbers.next(&x).chain(further) {
            let argument = match next {
                Place::Result(_) if argument => continue,
                Place::Variable(..) => argument || is_param(p, next),
                Place::Handed(..) => true,
                _ => false,
            };
            if seen.insert((next.clone(), argument)) {
                todo.push((next.clone(), argument));
            }
        }
    }
    let all = seen.into_iter().map(|x| x.0);
    all.filter(|x| !x.is_between()).collect()
}

fn is_param(p: &Program, x: &Place) -> bool {
    matches!(x, Place::Variable(unit, s) if p.units[*unit].sym(*s).kind == SymKind::Param)
}

/// Does a function return what it makes of its `i`th argument?
fn flows_back(p: &Program, numbers: &Numbers, f: FnId, i: usize) -> bool {
    let unit = p.fns[f.index()].0;
    let Some(s) = p.func(f).params.get(i) else {
        return false;
    };
    let own = |x: &Place| match x {
        Place::Variable(v, s) => *v == unit && p.units[*v].sym(*s).func == Some(p.fns[f.index()].1),
        _ => false,
    };
    let all = numbers.reached(&[Place::Variable(unit, *s)], &own);
    all.contains(&Place::Result(f))
}

/// Calls that return what they make of a size in an argument.
#[derive(Default)]
pub struct Calls {
    /// Where that goes, by those sizes.
    pub to: HashMap<(usize, ExprId), Vec<Place>>,
    pub of: HashMap<(usize, ExprId), FnId>,
}

pub fn calls(p: &Program, numbers: &Numbers) -> Calls {
    let mut all = Calls::default();
    for w in numbers.wanted() {
        let u = &p.units[w.unit];
        let ExprKind::Call { callee, args } = &u.expr(w.of).kind else {
            continue;
        };
        let Some((_, Callee::Defined(f))) = p.direct(w.unit, *callee) else {
            continue;
        };
        for (i, a) in args.iter().enumerate() {
            if !holds_size(u, *a) || !flows_back(p, numbers, f, i) {
                continue;
            }
            all.of.insert((w.unit, w.of), f);
            visit(u, Node::Expr(*a), &mut |n| {
                if let Node::Expr(e) = n {
                    if is_size(u, e) {
                        all.to.entry((w.unit, e)).or_default().extend(w.to.clone());
                    }
                }
                true
            });
        }
    }
    all
}

fn is_size(u: &Unit, e: ExprId) -> bool {
    matches!(
        u.expr(e).kind,
        ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_)
    )
}
