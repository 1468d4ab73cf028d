//! Paths from objects that pc3cc did not compile into code that reaches a location: their frames could not be saved.
//!
//! That an object calls a function by name its symbols say.  What it calls through pointers nobody can say; but what the
//! program gives it that holds fitting pointers, and which variables of the program it reads.

use crate::rewrite::globals::Private;
use crate::rewrite::Outside;
use pc3_program::callgraph::CallGraph;
use pc3_program::program::{Callee, FnId, Program};
use pc3_program::walk::strip_casts;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;

pub fn check(
    p: &Program,
    graph: &CallGraph,
    outside: &Outside,
    private: &Private,
    out: &mut Diagnostics,
) {
    called(p, graph, outside, out);
    handed_over(p, graph, outside, out);
    shared(p, graph, outside, out);
    seen_by_all(p, outside, private, out);
}

/// Variables that each rank has for itself, which an object outside knows by name only.
fn seen_by_all(p: &Program, outside: &Outside, private: &Private, out: &mut Diagnostics) {
    for (u, symbols) in p.units.iter().zip(&private.symbols) {
        let mut list: Vec<&SymId> = symbols.iter().collect();
        list.sort();
        for s in list.into_iter().map(|s| u.sym(*s)) {
            let linked = s.is_global && s.storage != Storage::Static && s.defined;
            let Some(object) = outside.uses.get(&s.name).filter(|_| linked) else {
                continue;
            };
            let at = s.decls.last().cloned().unwrap_or(0..0);
            out.push(Diagnostic::advice(
                u,
                &at,
                Code::ForeignObject,
                format!("'{object}', which pc3cc did not compile, uses `{}`: of several ranks in a process it sees the first one's", s.name),
                "compile it with pc3cc, or pass it the variable's address",
            ));
        }
    }
}

/// Functions that an object outside refers to.
fn called(p: &Program, graph: &CallGraph, outside: &Outside, out: &mut Diagnostics) {
    for f in p
        .ids()
        .filter(|f| graph.reaches[f.index()] && !p.is_static(*f))
    {
        let name = p.name(f);
        let Some(object) = outside.uses.get(name).filter(|_| name != "main") else {
            continue;
        };
        let at = p.unit(f).sym(p.func(f).sym).decls.last().cloned();
        out.push(Diagnostic::refusal(
            p.unit(f),
            &at.unwrap_or(0..0),
            Code::Callback,
            format!("`{name}` can reach a checkpoint location but '{object}', which pc3cc did not compile, uses it"),
            format!("a frame of that object cannot be saved: compile it with pc3cc, move the location out of what it calls, or say `#pragma pc3 no checkpoint below {name}`"),
        ));
    }
}

fn warning(u: &Unit, at: &Span, object: &str, f: &str, how: String) -> Diagnostic {
    Diagnostic::advice(
        u,
        at,
        Code::OutsideCall,
        format!("'{object}', which pc3cc did not compile, could call `{f}` {how}, and `{f}` can reach a checkpoint location"),
        "a frame of that object could not be saved: if it does call it, compile it with pc3cc or move the location",
    )
}

/// Arguments of calls to the outside that hold pointers to functions.  Functions themselves are refused with the call graph.
fn handed_over(p: &Program, graph: &CallGraph, outside: &Outside, out: &mut Diagnostics) {
    for (unit, u) in p.units.iter().enumerate() {
        for e in &u.exprs {
            let ExprKind::Call { callee, args } = &e.kind else {
                continue;
            };
            let Some((_, Callee::External(name))) = p.direct(unit, *callee) else {
                continue;
            };
            let Some(object) = outside.defines.get(&name) else {
                continue;
            };
            for a in args {
                let a = strip_casts(u, *a);
                let ty = match u.ty(u.expr(a).ty.ty) {
                    Type::Pointer(to) => to.ty,
                    _ => u.expr(a).ty.ty,
                };
                if let Some(f) = callable(graph, u, ty, 4) {
                    let how = format!("through what `{name}` is given here");
                    out.push(warning(u, &u.expr(a).span, object, p.name(f), how));
                }
            }
        }
    }
}

/// Variables of the program that the outside uses and that hold pointers to functions.
fn shared(p: &Program, graph: &CallGraph, outside: &Outside, out: &mut Diagnostics) {
    for u in p.units {
        for s in &u.symbols {
            let variable = s.kind == SymKind::Var && s.is_global && s.defined;
            if !variable || s.storage == Storage::Static {
                continue;
            }
            let Some(object) = outside.uses.get(&s.name) else {
                continue;
            };
            if let Some(f) = callable(graph, u, s.ty.ty, 4) {
                let at = s.decls.last().cloned().unwrap_or(0..0);
                let how = format!("through `{}`", s.name);
                out.push(warning(u, &at, object, p.name(f), how));
            }
        }
    }
}

/// A function that reaches a location and that a pointer within an object of this type may mean.
fn callable(graph: &CallGraph, u: &Unit, ty: TypeId, depth: u32) -> Option<FnId> {
    match u.ty(ty) {
        Type::Pointer(to) if matches!(u.ty(to.ty), Type::Function { .. }) => {
            graph.reaching_like(u, to.ty)
        }
        Type::Array { elem, .. } => callable(graph, u, elem.ty, depth),
        Type::Record(r) if depth > 0 => {
            let mut fields = u.records[r.index()].fields.iter().flatten();
            fields.find_map(|f| callable(graph, u, f.ty.ty, depth - 1))
        }
        _ => None,
    }
}
