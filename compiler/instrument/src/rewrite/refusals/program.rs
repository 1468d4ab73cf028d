//! What a program with checkpoint locations cannot contain anywhere.

use crate::rewrite::frames::plan::{self, Plan};
use crate::rewrite::prefix;
use pc3_portability::addresses::{self, KeptAt, Numbers};
use pc3_portability::heap::Heap;
use pc3_portability::lints;
use pc3_portability::size_derived::SizeDerived;
use pc3_portability::unsaved;
use pc3_program::callgraph::CallGraph;
use pc3_program::linear::Op;
use pc3_program::program::{alias, Callee, FnId, Program};
use pc3_program::walk::{visit, Node};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::prefilter::openmp_words;
use pc3_syntax::tree::*;
use std::collections::HashSet;

/// What the runtime is to know.
#[derive(Debug, Default)]
pub struct RuntimeFacts {
    pub numbers: addresses::Kept,
    pub found: lints::Findings,
}

impl RuntimeFacts {
    pub(crate) fn numbers_of(&self, unit: usize) -> impl Iterator<Item = &addresses::KeptAt> {
        self.numbers.iter().filter(move |n| n.unit == unit)
    }

    pub(crate) fn orders_of(&self, unit: usize) -> impl Iterator<Item = &lints::OrderDependence> {
        self.found.orders.iter().filter(move |o| o.unit == unit)
    }
}

/// `numbers`: where numbers go, if there are locations.
pub fn check(
    p: &Program,
    graph: &CallGraph,
    plans: &[Plan],
    heap: &Heap,
    numbers: Option<(&Numbers, &SizeDerived)>,
    mpi: bool,
    out: &mut Diagnostics,
) -> RuntimeFacts {
    let points = graph.reaches.contains(&true);
    if points || mpi {
        mains(p, out);
        thread_locals(p, mpi, out);
    }
    let Some((flow, measured)) = numbers else {
        return RuntimeFacts::default();
    };
    prefix::check(p, out);
    aliases(p, out);
    variants(p, graph, out);
    nested(p, graph, out);
    cleanups(p, graph, out);
    let saved = plan::saved(p, plans);
    let mut numbers = addresses::check(p, flow, &saved);
    let waiting = waiting(p, plans);
    let mut found = lints::check(p, graph, heap, (flow, measured), &saved, &waiting, out);
    for chosen in std::mem::take(&mut found.chosen) {
        let same =
            |n: &&mut KeptAt| n.cast.is_some() && (n.unit, n.cast) == (chosen.unit, chosen.cast);
        match numbers.iter_mut().find(same) {
            Some(known) => {
                known.hashed = chosen.hashed;
                known.address = chosen.address;
            }
            None => numbers.push(chosen),
        }
    }
    lints::stay(p, graph, flow, &saved, &mut numbers, out);
    for (unit, u) in p.units.iter().enumerate() {
        let mut all = numbers
            .iter_mut()
            .filter(|n| n.unit == unit && n.cast.is_none())
            .peekable();
        if all.peek().is_some() {
            let witness = lints::witness::Witness::new(u);
            all.for_each(|n| n.witness = witness.of(n.made));
        }
    }
    unsaved::library_state(p, mpi, out);
    RuntimeFacts { numbers, found }
}

/// Expressions whose values points save, as they wait for the rest of a larger one.
fn waiting(p: &Program, plans: &[Plan]) -> Vec<(usize, ExprId)> {
    let mut all = Vec::new();
    for (f, plan) in p.ids().zip(plans) {
        let live: HashSet<usize> = plan.live.iter().flat_map(|l| &l.temps).copied().collect();
        let lists = plan.linear.values().map(|l| l.ops.as_slice());
        lists.for_each(|ops| values(ops, &live, p.fns[f.index()].0, &mut all));
    }
    all.sort();
    all
}

fn values(ops: &[Op], live: &HashSet<usize>, unit: usize, all: &mut Vec<(usize, ExprId)>) {
    for op in ops {
        match op {
            Op::Eval { temp, expr: of }
            | Op::Point {
                temp: Some(temp),
                call: of,
                ..
            } if live.contains(temp) => all.push((unit, *of)),
            Op::If { then, els, .. } => {
                values(then, live, unit, all);
                values(els, live, unit, all);
            }
            _ => {}
        }
    }
}

fn declared(u: &Unit, s: SymId) -> Span {
    u.sym(s).decls.last().cloned().unwrap_or(0..0)
}

/// The runtime starts the program's main, so there has to be one, and a compiled one.
fn mains(p: &Program, out: &mut Diagnostics) {
    let is = |f: &FnId| p.name(*f) == "main" && !p.is_replaced(*f);
    let mains: Vec<FnId> = p.ids().filter(is).collect();
    if mains.is_empty() {
        out.push(
            Diagnostic::error(Code::Main, "nothing that pc3cc compiled defines main")
                .help("compile the source with main with pc3cc, too, and link its object"),
        );
    }
    for f in mains.iter().skip(1) {
        let (u, first) = (p.unit(*f), p.unit(mains[0]));
        out.push(Diagnostic::refusal(
            u,
            &declared(u, p.func(*f).sym),
            Code::Main,
            format!("main is defined twice: {} defines it, too", first.path),
            "a program has one main: build the programs with one command each",
        ));
    }
}

/// What a name means that is only known to the linker.
fn aliases(p: &Program, out: &mut Diagnostics) {
    for u in p.units {
        for s in &u.symbols {
            let attribute = s
                .attributes
                .iter()
                .any(|a| matches!(a.as_str(), "alias" | "weakref"));
            if s.kind == SymKind::Func && attribute && !s.system && alias(u, s).is_none() {
                out.push(Diagnostic::refusal(
                    u,
                    &s.decls.first().cloned().unwrap_or(0..0),
                    Code::Attribute,
                    format!(
                        "`{}` is an alias of what this unit does not define: pc3cc cannot follow calls through it",
                        s.name
                    ),
                    "write a function that calls the other",
                ));
            }
        }
    }
}

/// The main thread's are saved; other threads' live on where OpenMP keeps its threads, and among ranks there are none.
fn thread_locals(p: &Program, mpi: bool, out: &mut Diagnostics) {
    let openmp = p.units.iter().any(|u| !u.openmp.is_empty());
    let called = |u: &Unit| {
        u.symbols.iter().any(|s| {
            s.kind == SymKind::Func
                && matches!(s.name.as_str(), "pthread_create" | "thrd_create")
                && (s.implicit || !s.decls.is_empty() && uses(u, s))
        })
    };
    let why = if openmp {
        "OpenMP's threads have copies that cannot be saved"
    } else if mpi && p.units.iter().any(called) {
        "the program makes threads, and has ranks besides"
    } else {
        return;
    };
    for u in p.units {
        let own = |s: &&Symbol| s.thread_local && (s.defined || s.initialised) && !s.system;
        for s in u.symbols.iter().filter(own) {
            out.push(Diagnostic::refusal(
                u,
                &s.decls.last().cloned().unwrap_or(0..0),
                Code::ThreadLocal,
                format!("thread-local variable `{}`: {why}", s.name),
                "make it an ordinary global, or an array with an element for each thread",
            ));
        }
    }
}

fn uses(u: &Unit, s: &Symbol) -> bool {
    let mut names = u.exprs.iter();
    names.any(|e| matches!(e.kind, ExprKind::Ident(x) if std::ptr::eq(u.sym(x), s)))
}

/// `#pragma omp declare variant(NAME)`: calls of the function below may be calls of NAME.
fn variants(p: &Program, graph: &CallGraph, out: &mut Diagnostics) {
    for (unit, u) in p.units.iter().enumerate() {
        for pragma in &u.openmp {
            let words = openmp_words(u.slice(pragma));
            let ["declare", "variant", name, ..] = words[..] else {
                continue;
            };
            let function = |s: &Symbol| s.kind == SymKind::Func && s.is_global && s.name == name;
            let Some(at) = u.symbols.iter().position(function) else {
                continue;
            };
            let meant = p.resolve(unit, SymId(at as u32));
            if matches!(meant, Callee::Defined(f) if graph.reaches[f.index()]) {
                out.push(Diagnostic::refusal(
                    u,
                    pragma,
                    Code::Variant,
                    format!("`{name}` can reach a checkpoint location, and is called under another name"),
                    "move the location out of it, or call it by its name",
                ));
            }
        }
    }
}

/// They share their function's frame.
fn nested(p: &Program, graph: &CallGraph, out: &mut Diagnostics) {
    for f in p.ids().filter(|f| graph.reaches[f.index()]) {
        let u = p.unit(f);
        visit(u, Node::Stmt(p.func(f).body), &mut |n| {
            if let Node::Stmt(s) = n {
                if let StmtKind::Nested { sym, .. } = u.stmt(s).kind {
                    out.push(Diagnostic::refusal(
                        u,
                        &declared(u, sym),
                        Code::NestedFunction,
                        format!(
                            "`{}` is a function within a function that can reach a checkpoint location",
                            u.sym(sym).name
                        ),
                        "move it to file scope, and hand it what it uses of the other's variables",
                    ));
                }
            }
            true
        });
    }
}

/// A cleanup function is called where no call stands.
fn cleanups(p: &Program, graph: &CallGraph, out: &mut Diagnostics) {
    for f in p.ids() {
        let u = p.unit(f);
        for s in &p.func(f).locals {
            let names = u.sym(*s).attributes.iter();
            for name in names.filter_map(|a| a.strip_prefix("cleanup=")) {
                let reaches = u.symbols.iter().enumerate().any(|(i, t)| {
                    t.kind == SymKind::Func
                        && t.name == name
                        && match p.resolve(p.fns[f.index()].0, SymId(i as u32)) {
                            Callee::Defined(g) => graph.reaches[g.index()],
                            Callee::External(_) => false,
                        }
                });
                if reaches {
                    out.push(Diagnostic::refusal(
                        u,
                        &declared(u, *s),
                        Code::Cleanup,
                        format!("the cleanup function `{name}` can reach a checkpoint location"),
                        "call the function explicitly instead",
                    ));
                }
            }
        }
    }
}
