//! Can the program hold pointers into the environment's array?  `getenv` gives copies of its own.

use crate::program::Program;
use pc3_syntax::tree::*;

const ARRAY: &[&str] = &["environ", "__environ", "_environ"];

pub fn used(p: &Program) -> bool {
    let names = |u: &Unit| {
        let named = |e: &Expr| match e.kind {
            ExprKind::Ident(s) => {
                let s = u.sym(s);
                s.kind == SymKind::Var && s.is_global && ARRAY.contains(&s.name.as_str())
            }
            _ => false,
        };
        let given = |f: &Function| u.sym(f.sym).name == "main" && f.params.len() > 2;
        u.exprs.iter().any(named) || u.functions.iter().any(given)
    };
    p.units.iter().any(names)
}
