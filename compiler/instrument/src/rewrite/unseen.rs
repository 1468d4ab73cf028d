//! Names in text that is never printed as an expression: static assertions and alignments.
//!
//! ```c
//! static char buf[A];                               // user
//! _Static_assert(sizeof buf == A, "");
//! _Static_assert(sizeof (*(char (*)[8])0) == pc3_A_3, "");   // both clones, and what is hoisted
//! ```

use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::hoist::needs_types;
use crate::rewrite::clones::printer::shadow_member;
use crate::rewrite::text::Edit;
use crate::rewrite::unit::UnitCx;
use pc3_syntax::tree::*;

/// The uses of locals in a piece of such text.
pub fn within<'u>(u: &'u Unit, span: &Span) -> &'u [TextName] {
    let first = u.text_names.partition_point(|n| n.span.start < span.start);
    let end = u.text_names.partition_point(|n| n.span.start < span.end);
    &u.text_names[first..end]
}

/// Such text cannot say what has moved by its name: a constant by its new one, a variable by its type.
pub fn prepare(cx: &mut UnitCx) {
    let edits: Vec<Edit> = (cx.u.text_names.iter())
        .filter_map(|n| {
            let text = instead(cx, n)?;
            let span = n.span.clone();
            Some(Edit { span, text })
        })
        .collect();
    cx.ambient.extend(edits);
    cx.ambient.sort_by_key(|e| e.span.start);
}

/// What gives a variable an alignment of its own, to stand in front of its declaration.
pub fn alignment(cx: &UnitCx, s: SymId) -> String {
    let list = cx.u.sym(s).alignments.iter();
    list.map(|span| {
        let text = Edits::default().apply(cx, span);
        match text.starts_with("_Alignas") {
            true => text + " ",
            false => format!("__attribute__(({text})) "),
        }
    })
    .collect()
}

fn instead(cx: &UnitCx, n: &TextName) -> Option<String> {
    let (u, sym) = (cx.u, cx.u.sym(n.sym));
    if let Some(new) = cx.statics.get(&n.sym).filter(|_| sym.is_constant()) {
        return Some(new.clone());
    }
    if sym.kind == SymKind::EnumConst {
        return cx.hoisted.get(&n.sym).cloned();
    }
    let moved = cx.statics.get(&n.sym).cloned();
    let plan = cx.plan(sym.func?);
    let stays = plan.points.is_empty() && !needs_types(cx, sym.func?);
    if stays && moved.is_none() {
        return None;
    }
    if asks_alignment(u, n) {
        let shadow = plan.shadow_set.contains(&n.sym);
        return moved.or_else(|| shadow.then(|| format!("pc3_s->{}", shadow_member(u, n.sym))));
    }
    let spelled = match u.ty(sym.ty.ty) {
        Type::Array { len, .. } => *len != ArrayLen::Unknown,
        Type::Unsupported(_) => false,
        _ => true,
    };
    spelled.then(|| cx.names.null_of(sym.ty))
}

/// The object's alignment may not be its type's.
fn asks_alignment(u: &Unit, n: &TextName) -> bool {
    let before = u.text[..n.span.start as usize].trim_end();
    let word = before.strip_suffix('(').unwrap_or(before).trim_end();
    ["_Alignof", "__alignof__", "__alignof"]
        .iter()
        .any(|w| word.ends_with(w))
}
