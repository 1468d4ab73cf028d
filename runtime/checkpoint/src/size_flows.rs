//! The ways that sizes have taken in the program, by the code that has run (`PC3_ORDER_WAY`): which nodes they have got to.
//! A value of a node that they have not got to is none that an architecture gave.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pc3_typemetric::descriptor::{PC3_ORDER_SIZE, PC3_ORDER_WAY};

use pc3_state::program::registry::OrderDependence;

/// Nodes that sizes had got to in the run that this one goes on from.
static BEFORE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

fn before() -> MutexGuard<'static, BTreeSet<String>> {
    BEFORE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the rows of a checkpoint call a node.
fn row(node: &str) -> String {
    format!("@{node}")
}

/// Takes over what a checkpoint says.
pub(crate) fn go_on_from(rows: &[(String, u32)]) {
    let reached = rows.iter().filter(|r| r.1 == PC3_ORDER_SIZE + 1);
    before().extend(reached.filter_map(|r| Some(r.0.strip_prefix('@')?.to_owned())));
}

fn ways(orders: &[OrderDependence]) -> impl Iterator<Item = &OrderDependence> {
    orders.iter().filter(|o| o.by == PC3_ORDER_WAY)
}

/// The nodes that sizes have got to.
pub fn reached(orders: &[OrderDependence]) -> BTreeSet<String> {
    let mut all = before().clone();
    let mut taken: Vec<&OrderDependence> = ways(orders).filter(|o| o.has_run()).collect();
    loop {
        let count = all.len();
        taken.retain(|o| match &o.when {
            Some(from) if !all.contains(from) => true,
            _ => {
                all.insert(o.place.clone());
                false
            }
        });
        if all.len() == count {
            return all;
        }
    }
}

/// Whether sizes have got there, of each node, for a checkpoint.
pub fn rows(orders: &[OrderDependence]) -> Vec<(String, u32)> {
    let reached = reached(orders);
    let mut nodes: BTreeSet<&String> = ways(orders).map(|o| &o.place).collect();
    nodes.extend(&reached);
    let by = |node: &String| PC3_ORDER_SIZE + u32::from(reached.contains(node));
    nodes.into_iter().map(|n| (row(n), by(n))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_run_leads_further() {
        let ran = [0u8, 1];
        let way = |from: Option<&str>, to: &str, by: Option<usize>| OrderDependence {
            place: to.into(),
            by: PC3_ORDER_WAY,
            ran: by.map_or(0, |i| &raw const ran[i] as usize),
            when: from.map(str::to_owned),
        };
        let orders = [
            way(Some("c"), "d", Some(1)),
            way(Some("b"), "c", Some(0)),
            way(Some("a"), "b", Some(1)),
            way(None, "a", None),
        ];
        let all: Vec<String> = reached(&orders).into_iter().collect();
        assert_eq!(all, ["a", "b"]);
        let expected = [("@a", 1), ("@b", 1), ("@c", 0), ("@d", 0)];
        let expected = expected.map(|(n, yes)| (n.to_owned(), PC3_ORDER_SIZE + yes));
        assert_eq!(rows(&orders), expected);
    }
}
