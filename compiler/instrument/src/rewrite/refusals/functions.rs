//! What instrumented functions cannot contain: one function per refusal.

use crate::rewrite::clones::printer::compound::has_place;
use crate::rewrite::frames::arguments;
use crate::rewrite::frames::jumps;
use crate::rewrite::frames::plan::Plan;
use crate::rewrite::frames::variables::is_cleaned;
use crate::rewrite::unit::UnitCx;
use pc3_program::linear::TempTy;
use pc3_program::points::PointAt;
use pc3_program::tables;
use pc3_program::variadic::{is_list, is_start};
use pc3_program::walk::{visit, visit_decls, written_lengths, Node};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::HashSet;

pub fn check(cx: &UnitCx, f: FuncId, out: &mut Diagnostics) {
    let plan = cx.plan(f);
    crate::rewrite::refusals::inexpressible::check(cx, f, plan, out);
    crate::rewrite::openmp::check(cx, f, out);
    if plan.points.is_empty() {
        return;
    }
    attributes(cx, f, plan, out);
    setjmp(cx, f, plan, out);
    live_values(cx, f, plan, out);
    nameless_temporaries(cx, f, plan, out);
    variable_lengths(cx, f, plan, out);
    openmp(cx, f, plan, out);
    other(cx, f, out);
    jumps_out_of_statement_expressions(cx, f, plan, out);
    compound_literals(cx, f, out);
    variadic(cx, plan, out);
    lists_in_memory(cx, f, out);
}

fn attributes(cx: &UnitCx, f: FuncId, plan: &Plan, out: &mut Diagnostics) {
    let sym = cx.u.sym(cx.u.func(f).sym);
    for a in &sym.attributes {
        if matches!(a.as_str(), "naked" | "constructor" | "destructor" | "ifunc") {
            let at = sym.decls.first().cloned().unwrap_or(0..0);
            out.push(Diagnostic::refusal(
                cx.u,
                &at,
                Code::Attribute,
                format!(
                    "`{}` can reach a checkpoint location but is declared `{a}`",
                    sym.name
                ),
                "call it from main instead",
            ));
        }
    }
    for s in &cx.u.func(f).locals {
        let sym = cx.u.sym(*s);
        let moved = plan.shadow_set.contains(s) || cx.names.is_vm(sym.ty);
        if is_cleaned(sym) && (moved || cx.clang) {
            let at = sym.decls.first().cloned().unwrap_or(0..0);
            let why = match moved {
                true => "and its address is kept, or its size is a runtime value",
                false => "and clang allows no jumps to where it is in scope",
            };
            out.push(Diagnostic::refusal(
                cx.u,
                &at,
                Code::Cleanup,
                format!("`{}` has a cleanup function, {why}", sym.name),
                "call the function explicitly instead",
            ));
        }
    }
}

fn setjmp(cx: &UnitCx, f: FuncId, plan: &Plan, out: &mut Diagnostics) {
    let u = cx.u;
    let mut armed = HashSet::new();
    for l in plan.jumps.iter().filter(|l| !plan.bad_jumps.contains(l)) {
        let PointAt::Jump(call) = plan.points.list[*l as usize - 1].at else {
            continue;
        };
        let Some((callee, buffer, mask)) = jumps::parts(u, call) else {
            continue;
        };
        let literal = mask.is_none_or(|m| matches!(u.expr(m).kind, ExprKind::Int(_)));
        let known = jumps::buffer_type(u, callee, buffer).is_some();
        if literal && known && !in_statement_expression(u, f, call) {
            armed.insert(callee);
        }
    }
    visit(cx.u, Node::Stmt(cx.u.func(f).body), &mut |n| {
        if let Node::Expr(e) = n {
            if let ExprKind::Ident(s) = cx.u.expr(e).kind {
                let setjmp = cx.external(s).is_some_and(|n| tables::is_setjmp(&n));
                if setjmp && !armed.contains(&e) {
                    out.push(Diagnostic::refusal(cx.u,
                        &cx.u.expr(e).span,
                        Code::Setjmp,
                        format!("this use of `{}` in a function that can reach a checkpoint location", cx.u.sym(s).name.trim_start_matches('_')),
                        "write it as a condition or as `x = setjmp(b)`, outside of statement expressions, with the C library's jmp_buf",
                    ));
                }
            }
        }
        true
    });
}

/// Of types that no table describes (`_Float16`).
fn nameless_temporaries(cx: &UnitCx, f: FuncId, plan: &Plan, out: &mut Diagnostics) {
    for t in &plan.temps {
        if let TempTy::Value(q) = t {
            if let Type::Unsupported(unknown) = cx.u.ty(q.ty) {
                let span = match unknown {
                    Unknown::Written(span) => span,
                    Unknown::Named(_) => &cx.u.func(f).head,
                };
                out.push(Diagnostic::refusal(
                    cx.u,
                    span,
                    Code::LiveValue,
                    "an intermediate result of a type that pc3cc does not know is needed across a point of this expression",
                    "assign it to a variable first",
                ));
            }
        }
    }
}

/// Array types of runtime length, where only objects may have them.
fn variable_lengths(cx: &UnitCx, f: FuncId, plan: &Plan, out: &mut Diagnostics) {
    let u = cx.u;
    let body = &u.func(f).span;
    for e in u.typeofs.iter().map(|e| u.expr(*e)) {
        let inside = body.start <= e.span.start && e.span.end <= body.end;
        if inside && cx.names.is_vm(e.ty) {
            out.push(Diagnostic::refusal(
                u,
                &e.span,
                Code::Unsupported,
                "the length of this type is a runtime value, in a function that can reach a checkpoint location",
                "declare the array itself with its length",
            ));
        }
    }
    visit(u, Node::Stmt(u.func(f).body), &mut |n| {
        let Node::Expr(e) = n else { return true };
        // What holds such a pointer across a point writes its type once more.
        let once = !matches!(
            u.expr(e).kind,
            ExprKind::SizeofType(_) | ExprKind::Offsetof { .. }
        );
        for len in written_lengths(u, e).into_iter().filter(|_| once) {
            if plan.points.in_expr(len) {
                out.push(Diagnostic::refusal(
                    u,
                    &u.expr(len).span,
                    Code::Unsupported,
                    "the length in this type name calls a function that can reach a checkpoint location",
                    "assign it to a variable first",
                ));
            }
        }
        true
    });
    let mut refuse = |s: SymId, message: String, help: &str| {
        let at = u.sym(s).decls.first().cloned().unwrap_or(0..0);
        out.push(Diagnostic::refusal(
            u,
            &at,
            Code::Unsupported,
            message,
            help,
        ));
    };
    visit_decls(u, Node::Stmt(u.func(f).body), &mut |d, _| {
        for v in &d.vars {
            let inferred = v.vla_lens.is_empty() && u.slice(&d.span).contains("auto");
            if (d.is_typedef || inferred) && cx.names.is_vm(u.sym(v.sym).ty) {
                let of = if d.is_typedef { "type" } else { "the type of" };
                let message = format!(
                    "the length of {of} `{}` is a runtime value, in a function that can reach a checkpoint location",
                    u.sym(v.sym).name
                );
                refuse(
                    v.sym,
                    message,
                    "declare the arrays themselves with their length",
                );
            }
        }
    });
    for s in plan.shadow.iter().filter(|s| cx.names.is_vm(u.sym(**s).ty)) {
        let message = format!(
            "the address of `{}`, a pointer to an array of runtime length, is kept",
            u.sym(*s).name
        );
        refuse(*s, message, "use a pointer to the elements");
    }
}

fn live_values(cx: &UnitCx, f: FuncId, plan: &Plan, out: &mut Diagnostics) {
    let u = cx.u;
    let mut seen = Vec::new();
    for (point, live) in plan.points.list.iter().zip(&plan.live) {
        for s in live.vars.iter().chain(&plan.shadow) {
            if seen.contains(s) {
                continue;
            }
            if u.sym(u.func(f).sym).name == "main" && u.func(f).params.get(2) == Some(s) {
                seen.push(*s);
                out.push(Diagnostic::refusal(
                    cx.u,
                    &point.span,
                    Code::LiveValue,
                    format!("the environment `{}`, which is assigned to, is needed after this point", u.sym(*s).name),
                    "go through it with a variable of its own: a restart has an environment of its own",
                ));
                continue;
            }
            let what = match u.ty(u.sym(*s).ty.ty) {
                // Some ABIs hand over a pointer to it, and others the list.
                Type::VaList if plan.shadow_set.contains(s) && u.sym(*s).kind == SymKind::Param => {
                    "argument list (a parameter whose address is taken)"
                }
                Type::Unsupported(_) => "value of a type that pc3cc does not know",
                _ => continue,
            };
            seen.push(*s);
            out.push(Diagnostic::refusal(
                cx.u,
                &point.span,
                Code::LiveValue,
                format!("the {what} `{}` is needed after this point", u.sym(*s).name),
                "finish using it before a checkpoint can happen",
            ));
        }
    }
}

fn variadic(cx: &UnitCx, plan: &Plan, out: &mut Diagnostics) {
    let u = cx.u;
    for call in &plan.packed_calls {
        for (a, slot) in arguments::slots(u, *call) {
            if slot.is_none() {
                out.push(Diagnostic::refusal(
                    cx.u,
                    &u.expr(a).span,
                    Code::Arguments,
                    "the called function reads its variable arguments after a point, and this one is of a type that cannot be kept for it",
                    "pass a pointer to it",
                ));
            }
        }
    }
    let mut calls: Vec<&ExprId> = plan.points.calls.keys().collect();
    calls.sort_by_key(|call| u.expr(**call).span.start);
    for call in calls {
        let ExprKind::Call { args, .. } = &u.expr(*call).kind else {
            continue;
        };
        for a in args.iter().filter(|a| is_list(u, **a)) {
            if !matches!(u.expr(*a).kind, ExprKind::Ident(_)) {
                out.push(Diagnostic::refusal(
                    cx.u,
                    &u.expr(*a).span,
                    Code::LiveValue,
                    "an argument list that is no variable is handed to a function that can reach a checkpoint location",
                    "copy it to a variable of its own with va_copy",
                ));
            }
        }
    }
}

/// Checkpoints know where lists that are locals of their own lead; in other memory they would be copied as they are.
fn lists_in_memory(cx: &UnitCx, f: FuncId, out: &mut Diagnostics) {
    let u = cx.u;
    let own = |e: ExprId| matches!(u.expr(e).kind, ExprKind::Ident(s) if matches!(u.sym(s).storage, Storage::Auto | Storage::Register));
    visit(u, Node::Stmt(u.func(f).body), &mut |n| {
        let Node::Expr(e) = n else { return true };
        let ExprKind::Call { callee, args } = &u.expr(e).kind else {
            return true;
        };
        let writes = matches!(u.expr(*callee).kind, ExprKind::Ident(s) if is_start(&u.sym(s).name) || u.sym(s).name == "__builtin_va_copy");
        if let Some(list) = args.first().filter(|a| writes && !own(**a)) {
            out.push(Diagnostic::refusal(
                u,
                &u.expr(*list).span,
                Code::LiveValue,
                "an argument list that is no local variable is set in a function that can reach a checkpoint location",
                "use a local variable of type va_list",
            ));
        }
        true
    });
}

fn in_statement_expression(u: &Unit, f: FuncId, e: ExprId) -> bool {
    let mut any = false;
    visit(u, Node::Stmt(u.func(f).body), &mut |n| {
        if let Node::Expr(x) = n {
            let (outer, inner) = (&u.expr(x).span, &u.expr(e).span);
            any |= matches!(u.expr(x).kind, ExprKind::StmtExpr(_))
                && outer.start <= inner.start
                && inner.end <= outer.end;
        }
        true
    });
    any
}

/// Directives that have no statement.
fn standalone(pragma: &str) -> bool {
    let directive = pragma
        .split_whitespace()
        .find(|w| !matches!(*w, "#" | "#pragma" | "pragma" | "omp"));
    directive.is_some_and(|d| {
        let name = d.split('(').next().unwrap_or(d);
        matches!(
            name,
            "barrier"
                | "flush"
                | "taskwait"
                | "taskyield"
                | "threadprivate"
                | "declare"
                | "cancel"
                | "cancellation"
        )
    })
}

fn openmp(cx: &UnitCx, f: FuncId, plan: &Plan, out: &mut Diagnostics) {
    let span = &cx.u.func(f).span;
    for p in
        cx.u.openmp
            .iter()
            .filter(|p| p.start >= span.start && p.end <= span.end)
    {
        if standalone(cx.u.slice(p)) {
            continue;
        }
        let Some(c) = crate::rewrite::openmp::construct(cx, f, p) else {
            continue;
        };
        if let Some(point) = plan
            .points
            .list
            .iter()
            .find(|q| c.start <= q.span.start && q.span.end <= c.end)
        {
            out.push(Diagnostic::refusal(
                cx.u,
                &point.span,
                Code::OpenMp,
                "a checkpoint location can be reached inside an OpenMP construct",
                "move the location out of the parallel region",
            ));
        }
    }
}

fn other(cx: &UnitCx, f: FuncId, out: &mut Diagnostics) {
    visit(cx.u, Node::Stmt(cx.u.func(f).body), &mut |n| {
        if let Node::Stmt(s) = n {
            if let StmtKind::Other {
                unsupported: Some(what),
            } = &cx.u.stmt(s).kind
            {
                out.push(Diagnostic::refusal(
                    cx.u,
                    &cx.u.stmt(s).span,
                    Code::Unsupported,
                    format!("{what} in a function that can reach a checkpoint location"),
                    "move it to a function of its own",
                ));
            }
        }
        true
    });
}

fn jumps_out_of_statement_expressions(cx: &UnitCx, f: FuncId, plan: &Plan, out: &mut Diagnostics) {
    let u = cx.u;
    visit(u, Node::Stmt(u.func(f).body), &mut |n| {
        if let Node::Expr(e) = n {
            if let (ExprKind::StmtExpr(s), true) = (&u.expr(e).kind, plan.points.in_expr(e)) {
                visit(u, Node::Stmt(*s), &mut |m| {
                    if let Node::Stmt(x) = m {
                        if matches!(u.stmt(x).kind, StmtKind::GotoComputed(_)) {
                            out.push(Diagnostic::refusal(
                                cx.u,
                                &u.stmt(x).span,
                                Code::StatementExpression,
                                "a computed goto inside a statement expression that contains a point",
                                "use a statement or a function instead of the statement expression",
                            ));
                        }
                    }
                    true
                });
            }
        }
        true
    });
}

fn compound_literals(cx: &UnitCx, f: FuncId, out: &mut Diagnostics) {
    let literals = &cx.plan(f).literals;
    for e in literals.iter().filter(|e| !has_place(cx.u, **e)) {
        out.push(Diagnostic::refusal(
            cx.u,
            &cx.u.expr(*e).span,
            Code::CompoundLiteral,
            "the address of this compound literal is kept, and its size is not known here",
            "use a variable, or give the array's length",
        ));
    }
}
