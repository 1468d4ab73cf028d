//! Locals that a loop is gone around with and that are gone at one of its points, as `state` in `state = ck!(step(state))`:
//! a frame that was left there has no value that the loop could be entered with.  So they are there within the rounds only.

use std::collections::{BTreeMap, HashMap};

use super::{Moves, Presence};

/// By the loop; is a value needed where a round begins?
pub fn find(moves: &Moves) -> HashMap<usize, BTreeMap<String, bool>> {
    let mut found: HashMap<usize, BTreeMap<String, bool>> = HashMap::new();
    for (point, state) in &moves.points {
        let receiver = moves.receivers.get(point);
        for (name, local) in state.iter().flatten() {
            let called = local.called.is_some() || receiver == Some(name);
            let gone = local.whole == Presence::Moved || called;
            if !gone || moves.used(*point, name) {
                continue;
            }
            let around = moves.within.get(point).into_iter().flatten();
            let heads = around.filter_map(|n| {
                let head = moves.heads.get(n)?.as_ref()?.get(name)?;
                let needed = moves.live_heads.get(n).is_some_and(|l| l.contains(name));
                Some((*n, needed, needed && head.gone))
            });
            let heads: Vec<(usize, bool, bool)> = heads.collect();
            // It may be a number that is used up over and over.
            if heads.iter().any(|h| h.2) {
                continue;
            }
            for (n, needed, _) in heads {
                found.entry(n).or_default().insert(name.clone(), needed);
            }
        }
    }
    found
}
