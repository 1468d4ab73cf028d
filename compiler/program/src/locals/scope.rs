//! Where in the text each local name is visible.

use crate::walk::{visit, Node};
use pc3_syntax::tree::*;
use std::collections::HashMap;

pub struct Scopes {
    map: HashMap<SymId, Span>,
    /// Where each declarator ends.
    ends: HashMap<SymId, u32>,
}

pub fn analyse(u: &Unit, f: &Function) -> Scopes {
    let mut map = HashMap::new();
    let mut ends = HashMap::new();
    for p in &f.params {
        map.insert(*p, f.span.clone());
    }
    visit(u, Node::Stmt(f.body), &mut |n| {
        if let Node::Stmt(s) = n {
            let st = u.stmt(s);
            match &st.kind {
                StmtKind::Block(list) => {
                    for x in list {
                        let mut inner = *x;
                        // A declaration may follow labels.
                        while let StmtKind::Label { stmt, .. }
                        | StmtKind::Case { stmt, .. }
                        | StmtKind::Default(stmt) = &u.stmt(inner).kind
                        {
                            inner = *stmt;
                        }
                        if let StmtKind::Decl(d) = &u.stmt(inner).kind {
                            for v in &d.vars {
                                map.insert(v.sym, v.span.start..st.span.end);
                                ends.insert(v.sym, v.span.end);
                            }
                        }
                    }
                }
                StmtKind::For {
                    init: ForInit::Decl(d),
                    ..
                } => {
                    for v in &d.vars {
                        map.insert(v.sym, v.span.start..st.span.end);
                        ends.insert(v.sym, v.span.end);
                    }
                }
                _ => {}
            }
        }
        true
    });
    Scopes { map, ends }
}

impl Scopes {
    pub fn of(&self, s: SymId) -> Option<&Span> {
        self.map.get(&s)
    }
    pub fn visible(&self, s: SymId, at: u32) -> bool {
        self.map
            .get(&s)
            .is_some_and(|r| r.start <= at && at < r.end)
    }
    /// Visible, and not in its own declarator.
    pub fn declared(&self, s: SymId, at: u32) -> bool {
        self.visible(s, at) && self.ends.get(&s).is_none_or(|e| *e <= at)
    }
    /// Is the visible `s` hidden at `at` by another declaration of its name?
    pub fn hidden(&self, u: &Unit, s: SymId, at: u32) -> bool {
        let own = &self.map[&s];
        let name = &u.sym(s).name;
        self.map.iter().any(|(o, r)| {
            *o != s
                && u.sym(*o).name == *name
                && r.start <= at
                && at < r.end
                && r.end <= own.end
                && (r.start > own.start || r.end < own.end)
        })
    }
}
