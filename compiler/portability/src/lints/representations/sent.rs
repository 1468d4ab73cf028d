//! Numbers that go into messages as characters, or into packed ones as bytes: they stay as they are where they are received.

use crate::heap::one_line;
use crate::lints::bytes::called;
use crate::lints::is_user;
use crate::lints::reaches_checkpoint::Cx;
use pc3_program::walk::strip_casts;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::HashSet;

pub fn check(cx: &Cx, out: &mut Diagnostics) {
    for (unit, u) in cx.p.units.iter().enumerate() {
        for k in 0..u.exprs.len() {
            let e = ExprId(k as u32);
            let Some((what, datatype, packed)) = sent_by(u, e).filter(|_| is_user(u, e)) else {
                continue;
            };
            if cx.no_characters(unit, what, &mut HashSet::new()).is_none() {
                continue;
            }
            let text = one_line(u.slice(&u.expr(what).span));
            let message = format!("`{text}` is sent as {datatype}: received behind a restart where numbers have another order of bytes or size, it means something else");
            let help = match packed {
                true => {
                    "pack it as what it is, member by member or by a type of MPI_Type_create_struct"
                }
                false => "send it as MPI_BYTE, of which pc3 knows what it is, or as what it is",
            };
            let span = &u.expr(e).span;
            out.push(Diagnostic::advice(u, span, Code::ByteOrder, message, help));
        }
    }
}

/// What a call sends or packs, the datatype's name, and whether it packs.
fn sent_by(u: &Unit, e: ExprId) -> Option<(ExprId, &'static str, bool)> {
    let name = called(u, e)?.strip_prefix("MPI_")?;
    let packed = name == "Pack";
    let takes = ["Recv", "Irecv", "Mrecv", "Imrecv", "Unpack", "File_"];
    if takes.iter().any(|n| name.starts_with(n)) {
        return None;
    }
    let ExprKind::Call { args, .. } = &u.expr(e).kind else {
        return None;
    };
    let constant = |at: usize| match u.expr(strip_casts(u, *args.get(at)?)).kind {
        ExprKind::Int(n) => Some(n),
        _ => None,
    };
    let handle = |q: QualType| matches!(u.ty(q.ty), Type::Pointer(_));
    if !handle(u.expr(*args.get(2)?).ty) || constant(0).is_some() {
        return None;
    }
    let datatype = match constant(2)? {
        0x243 => "MPI_CHAR",
        0x244 => "MPI_SIGNED_CHAR",
        0x245 => "MPI_UNSIGNED_CHAR",
        0x247 if packed => "MPI_BYTE by MPI_Pack",
        _ => return None,
    };
    Some((strip_casts(u, args[0]), datatype, packed))
}
