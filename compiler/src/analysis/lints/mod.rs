//! What is legal C, can be saved and restored, and means something else elsewhere.

mod bytes;
mod layout;
mod order;
mod range;
mod sizes;
mod width;

use super::addresses::{Is, Numbers};
use super::callgraph::CallGraph;
use super::program::Program;
use crate::annotations::Said;
use crate::diag::Diagnostics;
use crate::tree::*;
pub use bytes::Order;
pub use width::Wide;

/// Of which expressions the lints must know where they go.
pub fn wanted(u: &Unit, e: ExprId) -> Option<Is> {
    match u.expr(e).kind {
        ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_) => Some(Is::Size),
        _ if width::candidate(u, e) => Some(Is::Number),
        _ => range::large(u, e).map(|_| Is::Number),
    }
}

/// What restarts on other architectures are to know.
#[derive(Debug, Default)]
pub struct Found {
    pub wide: Vec<Wide>,
    pub orders: Vec<Order>,
}

/// `saved(unit, f, s)`: is the local `s` of function `f` part of a checkpoint?
pub fn check(
    p: &Program,
    graph: &CallGraph,
    said: &Said,
    numbers: &Numbers,
    saved: &dyn Fn(usize, FuncId, SymId) -> bool,
    out: &mut Diagnostics,
) -> Found {
    sizes::check(p, said, numbers, saved, out);
    order::check(p, out);
    range::check(p, numbers, saved, out);
    Found {
        wide: width::check(p, numbers, saved, out),
        orders: bytes::check(p, graph, saved, out),
    }
}

fn is_user(u: &Unit, e: ExprId) -> bool {
    !u.lines.is_system(u.expr(e).span.start) && !crate::library::is_own(&u.path)
}
