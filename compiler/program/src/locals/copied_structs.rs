//! Local structs that are copied as a whole before each of their members need have been set.
//!
//! ```c
//! struct grid make(int n) { struct grid g; g.n = n; g.cells = calloc(n, sizeof *g.cells); return g; }
//! ```
//!
//! What is left in the other members travels with the copy into objects that a checkpoint holds, where an old
//! address would be taken for a pointer.  Such locals start as zero, which costs no more than the copy.

use pc3_syntax::tree::*;
use std::collections::HashSet;

pub fn analyse(u: &Unit) -> HashSet<SymId> {
    let mut parts = HashSet::new();
    for e in &u.exprs {
        match e.kind {
            ExprKind::Member {
                base: x,
                arrow: false,
                ..
            }
            | ExprKind::Assign {
                op: None, lhs: x, ..
            }
            | ExprKind::AddrOf(x)
            | ExprKind::SizeofExpr(x) => {
                parts.insert(x);
            }
            _ => {}
        }
    }
    let mut copied = HashSet::new();
    for (i, e) in u.exprs.iter().enumerate() {
        if let ExprKind::Ident(s) = e.kind {
            let record = matches!(u.ty(e.ty.ty), Type::Record(_));
            if record && u.sym(s).kind == SymKind::Var && !parts.contains(&ExprId(i as u32)) {
                copied.insert(s);
            }
        }
    }
    copied
}
