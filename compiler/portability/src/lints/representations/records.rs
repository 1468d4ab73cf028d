//! Numbers that go to files and back as the bytes they have in memory: `fwrite(&record, sizeof record, 1, f)`.  A checkpoint
//! keeps files as they are.

use crate::heap::one_line;
use crate::lints::bytes::called;
use crate::lints::is_user;
use crate::lints::reaches_checkpoint::{Cx, Dependence, OrderDependence};
use pc3_program::walk::strip_casts;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::HashSet;

pub fn check(cx: &Cx, list: &mut Vec<OrderDependence>, out: &mut Diagnostics) {
    for (unit, u) in cx.p.units.iter().enumerate() {
        for k in 0..u.exprs.len() {
            let e = ExprId(k as u32);
            let Some((what, reads)) = moved(u, e).filter(|_| is_user(u, e)) else {
                continue;
            };
            let numbers = cx.no_characters(unit, what, &mut HashSet::new()).is_some();
            if !numbers || is_null(u, what) {
                continue;
            }
            let text = one_line(u.slice(&u.expr(what).span));
            let message = match reads {
                true => {
                    list.push(OrderDependence::of(unit, u, e, Dependence::Files));
                    format!("`{text}` is read from a file as bytes whose order and layout differ between architectures: a restart where they are others is refused while a file that can be read is open")
                }
                false => format!("`{text}` is written to a file as bytes whose order and layout differ between architectures: behind a restart where they are others, the file holds both"),
            };
            let help = match reads {
                true => "read numbers as text, or as bytes in an order of the file's own (shifts); PC3_BYTE_ORDER=ignore if no such file is read behind a location",
                false => "write numbers as text, or as bytes in an order of the file's own (shifts)",
            };
            let span = &u.expr(e).span;
            out.push(Diagnostic::advice(u, span, Code::ByteOrder, message, help));
        }
    }
}

/// What a call writes to a file, or where it puts what it reads (true).
fn moved(u: &Unit, e: ExprId) -> Option<(ExprId, bool)> {
    let name = called(u, e)?;
    let ExprKind::Call { args, .. } = &u.expr(e).kind else {
        return None;
    };
    let (at, reads) = match name {
        "fwrite" | "fwrite_unlocked" => (0, false),
        "fread" | "fread_unlocked" => (0, true),
        "write" | "pwrite" | "pwrite64" => (1, false),
        "read" | "pread" | "pread64" => (1, true),
        _ => return None,
    };
    Some((strip_casts(u, *args.get(at)?), reads))
}

fn is_null(u: &Unit, e: ExprId) -> bool {
    matches!(u.expr(e).kind, ExprKind::Int(0))
}
