//! Second copies of static functions, for the resume clones to call.
//!
//! Compilers inline a static function that is called once, whatever its size, and specialise it for its
//! caller.  A resume clone repeats the calls of the hot clone, which would make two of one: so it calls
//! a copy, `pc3_again_f`, and the hot clone's world stays the plain program's.
//!
//! ```c
//! static void step(...) { ... }            // called by the hot clone of main only
//! static __typeof__(step) pc3_again_step __attribute__((no_icf));
//! static void pc3_again_step(...) { ... }  // the same text, calling other copies
//! ```

use crate::rewrite::clones::edits::{self, marker, Edits};
use crate::rewrite::clones::hoist;
use crate::rewrite::clones::printer::{Mode, Printer};
use crate::rewrite::unit::UnitCx;
use pc3_program::callgraph::CallGraph;
use pc3_program::program::{Callee, FnId, Program};
use pc3_program::walk::{visit, Node};
use pc3_syntax::tree::*;
use std::collections::HashSet;

/// Statements from which on a function gains nothing from standing in its caller's place, and costs most to compile twice.
const LARGE: usize = 150;

/// Per unit, the functions to copy: called from one place, which will itself exist twice.
pub fn choose(
    p: &Program,
    g: &CallGraph,
    instrumented: impl Fn(FnId) -> bool,
) -> Vec<HashSet<SymId>> {
    let mut callers: Vec<Vec<FnId>> = vec![Vec::new(); p.fns.len()];
    for f in p.ids() {
        let (unit, u) = (p.fns[f.index()].0, p.unit(f));
        visit(u, Node::Stmt(p.func(f).body), &mut |n| {
            if let Node::Expr(e) = n {
                if let ExprKind::Call { callee, .. } = &u.expr(e).kind {
                    if let Some((_, Callee::Defined(t))) = p.direct(unit, *callee) {
                        callers[t.index()].push(f);
                    }
                }
            }
            true
        });
    }
    let once = |f: FnId| match callers[f.index()][..] {
        [c] if c != f && p.is_static(f) && !g.address_taken.contains(&f) && copyable(p, f) => {
            Some(c)
        }
        _ => None,
    };
    let mut sets = vec![HashSet::new(); p.units.len()];
    for f in p.ids() {
        let mut seen = HashSet::from([f]);
        let mut at = once(f);
        while let Some(c) = at {
            if instrumented(c) {
                sets[p.fns[f.index()].0].insert(p.func(f).sym);
                break;
            }
            at = if seen.insert(c) { once(c) } else { None };
        }
    }
    sets
}

/// Can the text of the function stand in the unit twice?
fn copyable(p: &Program, f: FnId) -> bool {
    let (u, func) = (p.unit(f), p.func(f));
    let harmless = |a: &String| {
        matches!(
            a.as_str(),
            "unused" | "noreturn" | "const" | "pure" | "hot" | "nonnull" | "format" | "nothrow"
        )
    };
    let mut statements = 0;
    let mut plain = !u.sym(func.sym).system && u.sym(func.sym).attributes.iter().all(harmless);
    visit(u, Node::Stmt(func.body), &mut |n| {
        statements += usize::from(matches!(n, Node::Stmt(_)));
        plain &= match n {
            Node::Stmt(s) => !matches!(
                u.stmt(s).kind,
                StmtKind::Asm(_)
                    | StmtKind::GotoComputed(_)
                    | StmtKind::Nested { .. }
                    | StmtKind::Other { .. }
            ),
            Node::Expr(e) => !matches!(u.expr(e).kind, ExprKind::LabelAddr(_)),
        };
        true
    });
    plain && statements < LARGE
}

pub fn name(u: &Unit, s: SymId) -> String {
    format!("pc3_again_{}", u.sym(s).name)
}

impl Printer<'_, '_> {
    /// The copy that this text calls instead of `s`.
    pub(crate) fn twin(&self, s: SymId) -> Option<String> {
        if !(self.again || self.mode == Mode::Resume) || !self.cx.twins.contains(&s) {
            return None;
        }
        self.cx.twin_uses.borrow_mut().insert(s);
        Some(name(self.u(), s))
    }
}

/// Declares the copies that text printed since the last call speaks of.
pub fn declarations(cx: &UnitCx) -> String {
    let used = std::mem::take(&mut *cx.twin_uses.borrow_mut());
    // gcc would find the two equal and make one of them again.
    let apart = if cx.clang {
        ""
    } else {
        " __attribute__((no_icf))"
    };
    used.iter()
        .map(|s| {
            let (old, new) = (&cx.u.sym(*s).name, name(cx.u, *s));
            format!("static __typeof__({old}) {new}{apart}; ")
        })
        .collect()
}

/// The copy of function `f`, given the text to put behind its opening brace and before its closing one.
pub fn text(
    cx: &UnitCx,
    f: FuncId,
    printer: &Printer,
    prologue: &str,
    epilogue: &str,
    mut edits: Edits,
) -> String {
    let u = cx.u;
    let func = u.func(f);
    let body = u.stmt(func.body).span.clone();
    cx.twin_uses.borrow_mut().insert(func.sym);
    let head = |d: &&Span| d.start >= func.head.start && d.end <= func.head.end;
    for d in u.sym(func.sym).decls.iter().filter(head) {
        edits.replace(d, name(u, func.sym));
    }
    edits.insert(crate::rewrite::clones::labels::inside(u, &body), prologue);
    printer.stmt(func.body, &mut edits);
    if hoist::has_types(cx, f) {
        crate::rewrite::function::inner_typedefs(cx, f, &mut edits);
    }
    edits.insert(body.end - 1, epilogue);
    let text = edits::quieten(&edits.apply(cx, &func.span));
    marker(u, func.span.start, true) + &text
}
