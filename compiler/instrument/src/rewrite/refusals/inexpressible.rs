//! Refusals of what generated code could not say, or what would see that it is generated code.

use crate::rewrite::frames::plan::Plan;
use crate::rewrite::unit::UnitCx;
use pc3_program::linear::TempTy;
use pc3_program::walk::{visit, Node};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;

pub fn check(cx: &UnitCx, f: FuncId, plan: &Plan, out: &mut Diagnostics) {
    variable_types(cx, f, out);
    if !plan.points.is_empty() {
        own_frame(cx, f, out);
        asm_points(cx, f, plan, out);
        unknown_types(cx, f, plan, out);
        unknown_choices(cx, f, plan, out);
    }
}

fn refuse(cx: &UnitCx, at: &Span, what: &str, help: &str, out: &mut Diagnostics) {
    let message = format!("{what} in a function that can reach a checkpoint location");
    out.push(Diagnostic::refusal(
        cx.u,
        at,
        Code::Unsupported,
        message,
        help,
    ));
}

const MOVE: &str = "move it to a function of its own";

/// Structs with members of variable length, which cannot be moved out of the function.
fn variable_types(cx: &UnitCx, f: FuncId, out: &mut Diagnostics) {
    let u = cx.u;
    if crate::rewrite::clones::hoist::needs_types(cx, f) {
        for r in u.records.iter().filter(|r| r.scope == Some(f)) {
            let fields = r.fields.iter().flatten();
            if let Some(field) = fields.into_iter().find(|x| cx.names.is_vm(x.ty)) {
                refuse(cx, &field.span, "a member of variable length", MOVE, out);
            }
        }
    }
}

/// What looks at the machine's stack finds other frames there after a checkpoint.
fn own_frame(cx: &UnitCx, f: FuncId, out: &mut Diagnostics) {
    const NAMES: [&str; 8] = [
        "__builtin_va_arg_pack",
        "__builtin_va_arg_pack_len",
        "__builtin_frame_address",
        "__builtin_return_address",
        "__builtin_apply",
        "__builtin_apply_args",
        "__builtin_return",
        "__builtin_eh_return",
    ];
    visit(cx.u, Node::Stmt(cx.u.func(f).body), &mut |n| {
        if let Node::Expr(e) = n {
            if let ExprKind::Ident(s) = cx.u.expr(e).kind {
                let name = cx.u.sym(s).name.as_str();
                if NAMES.contains(&name) {
                    refuse(cx, &cx.u.expr(e).span, &format!("`{name}`"), MOVE, out);
                }
            }
        }
        true
    });
}

/// Operands must stay lvalues where they stand.
fn asm_points(cx: &UnitCx, f: FuncId, plan: &Plan, out: &mut Diagnostics) {
    visit(cx.u, Node::Stmt(cx.u.func(f).body), &mut |n| {
        if let Node::Stmt(s) = n {
            if let StmtKind::Asm(list) = &cx.u.stmt(s).kind {
                for e in list.iter().filter(|e| plan.points.in_expr(**e)) {
                    out.push(Diagnostic::refusal(
                        cx.u,
                        &cx.u.expr(*e).span,
                        Code::Unsupported,
                        "a call that can reach a checkpoint location in an operand of asm",
                        "make the call before the asm statement",
                    ));
                }
            }
        }
        true
    });
}

/// What `__builtin_choose_expr` does not choose is not evaluated; where only the compiler knows which that is, neither may do
/// anything that decides how the function goes on.
fn unknown_choices(cx: &UnitCx, f: FuncId, plan: &Plan, out: &mut Diagnostics) {
    let u = cx.u;
    visit(u, Node::Stmt(u.func(f).body), &mut |n| {
        let Node::Expr(e) = n else { return true };
        let ExprKind::Call { callee, args } = &u.expr(e).kind else {
            return true;
        };
        let chooses = matches!(&u.expr(*callee).kind, ExprKind::Ident(s) if u.sym(*s).name == "__builtin_choose_expr");
        let acts = |e: ExprId| plan.points.in_expr(e) || assigns(u, e);
        if chooses && args.iter().skip(1).any(|a| acts(*a)) {
            let what = "a call or an assignment in what `__builtin_choose_expr` may choose, by a condition that pc3cc cannot compute,";
            let help = "use `_Generic`, or move it to a function of its own";
            refuse(cx, &u.expr(e).span, what, help, out);
        }
        true
    });
}

fn assigns(u: &Unit, e: ExprId) -> bool {
    let mut found = false;
    visit(u, Node::Expr(e), &mut |n| {
        if let Node::Expr(e) = n {
            found |= match u.expr(e).kind {
                ExprKind::Assign { .. } => true,
                ExprKind::Unary { op, .. } => matches!(
                    op,
                    UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec
                ),
                _ => false,
            };
        }
        true
    });
    found
}

/// Types whose spelling is not known cannot be declared again.
fn unknown_types(cx: &UnitCx, f: FuncId, plan: &Plan, out: &mut Diagnostics) {
    let u = cx.u;
    let unknown = |q: QualType| matches!(u.ty(q.ty), Type::Unsupported(_));
    let held = |t: &TempTy| matches!(t, TempTy::Value(q) | TempTy::PointerTo(q) if unknown(*q));
    if plan.temps.iter().any(held) || unknown(u.func(f).ret) {
        let at = u.sym(u.func(f).sym).decls.first().cloned().unwrap_or(0..0);
        let help = "keep such values within functions that reach no location";
        refuse(
            cx,
            &at,
            "a value of a type that pc3cc does not know",
            help,
            out,
        );
    }
}
