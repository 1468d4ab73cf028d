//! Marks that the program sets as it runs: that code has run on which restarts depend, and that a tag said otherwise.

use crate::rewrite::ProgramFacts;
use pc3_portability::lints::Dependence;
use pc3_syntax::tree::*;
use pc3_unions::tags::Check;
use std::collections::HashMap;

/// Marks by the expressions that set them.
pub(in crate::rewrite) type Marks = HashMap<ExprId, Vec<String>>;

/// What shows that code has run on which restarts depend. A loop that ends by counting up to a size is shown by its
/// comparison, where that is false: those are the second.
pub(in crate::rewrite) fn marks(w: &ProgramFacts, unit: usize) -> (Marks, Marks) {
    let (mut all, mut ends) = (Marks::new(), Marks::new());
    let u = &w.p.units[unit];
    let compares =
        |e: ExprId| matches!(u.expr(e).kind, ExprKind::Binary { op, .. } if op.compares());
    for (i, n) in w.known.numbers_of(unit).enumerate() {
        if let Some(e) = n.witness {
            all.entry(e).or_default().push(format!("pc3_seen[{i}]"));
        }
    }
    let orders = w.known.orders_of(unit).enumerate();
    for (i, o) in orders.filter(|(_, o)| o.by != Dependence::Tags) {
        for e in &o.witnesses {
            let to = match o.by == Dependence::Way && compares(*e) {
                true => &mut ends,
                false => &mut all,
            };
            to.entry(*e).or_default().push(format!("pc3_ran[{i}]"));
        }
    }
    (all, ends)
}

/// Stores behind which a tag is looked at, and the marks that say that it says otherwise.
pub(in crate::rewrite) fn checks<'a>(
    w: &ProgramFacts<'a>,
    unit: usize,
) -> HashMap<ExprId, (usize, &'a Check)> {
    let all = &w.tags.checks[unit];
    let orders = w.known.orders_of(unit).enumerate();
    let own = orders.filter(|(_, o)| o.by == Dependence::Tags);
    own.flat_map(|(i, o)| o.witnesses.iter().map(move |e| (*e, i)))
        .filter_map(|(e, i)| Some((e, (i, all.get(&e)?))))
        .collect()
}
