//! Which locals are needed after each full expression, and which may be without a value there.

use crate::bits::Bits;
use crate::cfg::Cfg;
use pc3_syntax::tree::*;
use std::collections::HashMap;

pub struct Liveness {
    /// After the node that evaluates the expression.
    pub after: HashMap<ExprId, Bits>,
    pub after_location: HashMap<StmtId, Bits>,
    /// Variables without a sure value before the node.
    pub unset: HashMap<ExprId, Bits>,
    pub unset_location: HashMap<StmtId, Bits>,
    /// Assigned last by the node, `x = e;`, and not needed before that.
    pub assigns: HashMap<ExprId, SymId>,
}

pub fn analyse(cfg: &Cfg) -> Liveness {
    let n = cfg.nodes.len();
    let mut live_in = vec![Bits::default(); n];
    let mut live_out = vec![Bits::default(); n];
    let order = postorder(cfg);
    loop {
        let mut changed = false;
        for &i in &order {
            for s in &cfg.nodes[i].succ {
                let (a, b) = (&mut live_out[i], &live_in[*s]);
                changed |= a.union(b);
            }
            let mut x = live_out[i].clone();
            x.subtract(&cfg.nodes[i].kills);
            x.union(&cfg.nodes[i].uses);
            for s in &cfg.nodes[i].again {
                let again = live_in[*s].clone();
                x.union(&again);
                changed |= live_out[i].union(&again);
            }
            changed |= live_in[i].union(&x);
        }
        if !changed {
            break;
        }
    }
    let set = surely_set(cfg, &order);
    let everything = Bits::all(cfg.vars.len());
    let mut r = Liveness {
        after: HashMap::new(),
        after_location: HashMap::new(),
        unset: HashMap::new(),
        unset_location: HashMap::new(),
        assigns: HashMap::new(),
    };
    for (i, node) in cfg.nodes.iter().enumerate() {
        let mut unset = everything.clone();
        unset.subtract(&set[i]);
        // Its former value is needed if the assignment does not come about.
        let kept = |s: &SymId| {
            let bit = cfg.index.get(s);
            bit.is_some_and(|b| node.again.iter().any(|n| live_in[*n].contains(*b)))
        };
        for e in &node.exprs {
            r.after.insert(*e, live_out[i].clone());
            r.unset.insert(*e, unset.clone());
            if let Some(s) = node.assigns.filter(|s| !kept(s)) {
                r.assigns.insert(*e, s);
            }
        }
        if let Some(s) = node.location {
            r.after_location.insert(s, live_out[i].clone());
            r.unset_location.insert(s, unset);
        }
    }
    r
}

/// Each node after those that it leads to, but for the way back in loops: what flows against the
/// control flow then reaches all of a function without loops in one pass.
fn postorder(cfg: &Cfg) -> Vec<usize> {
    let n = cfg.nodes.len();
    let mut order = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    for root in std::iter::once(cfg.entry).chain(0..n) {
        let mut path = vec![(root, 0)];
        while let Some((i, taken)) = path.pop() {
            if taken == 0 && std::mem::replace(&mut seen[i], true) {
                continue;
            }
            let node = &cfg.nodes[i];
            match node.succ.iter().chain(&node.again).nth(taken) {
                Some(next) => path.extend([(i, taken + 1), (*next, 0)]),
                None => order.push(i),
            }
        }
    }
    order
}

/// Variables that have a value on every way to the node.
fn surely_set(cfg: &Cfg, postorder: &[usize]) -> Vec<Bits> {
    let n = cfg.nodes.len();
    let mut pred = vec![Vec::new(); n];
    let mut midst = vec![Vec::new(); n];
    for (i, node) in cfg.nodes.iter().enumerate() {
        node.succ.iter().for_each(|s| pred[*s].push(i));
        node.again.iter().for_each(|s| midst[*s].push(i));
    }
    let all = Bits::all(cfg.vars.len());
    let mut before = vec![all.clone(); n];
    let mut after = vec![all; n];
    before[cfg.entry] = Bits::default();
    loop {
        let mut changed = false;
        for &i in postorder.iter().rev() {
            if i != cfg.entry {
                for p in &pred[i] {
                    before[i].intersect(&after[*p]);
                }
                for p in &midst[i] {
                    let there = before[*p].clone();
                    before[i].intersect(&there);
                }
            }
            let mut x = before[i].clone();
            x.union(&cfg.nodes[i].kills);
            x.subtract(&cfg.nodes[i].undefined);
            if x != after[i] {
                after[i] = x;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    before
}
