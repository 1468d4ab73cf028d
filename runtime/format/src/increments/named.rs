//! What is lost of a rank's data, by the names of its objects.

use pc3_typemetric::path::path_text;
use pc3_typemetric::types::TypeId;

use super::load::Lost;
use crate::meta::{RankMeta, Span};
use crate::read::Checkpoint;

/// So many objects are named.
const MOST: usize = 4;

/// `rank 0: a[8192] to a[16383]: pack-000001-0.pc3p is damaged`.
pub(crate) fn told(checkpoint: &Checkpoint, rank: u64, lost: &Lost) -> String {
    let found = match checkpoint.directory(rank) {
        Ok(meta) => names(checkpoint, &meta, lost),
        Err(_) => Vec::new(),
    };
    let more = match found.len().saturating_sub(MOST) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let names = found[..found.len().min(MOST)].join(", ");
    let Lost { from, to, why } = lost;
    match names.is_empty() {
        true => format!("rank {rank}: bytes {from} to {to} of its data: {why}"),
        false => format!("rank {rank}: {names}{more}: {why}"),
    }
}

fn names(checkpoint: &Checkpoint, meta: &RankMeta, lost: &Lost) -> Vec<String> {
    let (types, program) = (&checkpoint.types, &checkpoint.program);
    let mut found = Vec::new();
    let mut one = |name: &dyn Fn() -> String, ty: Option<TypeId>, span: Span| {
        let (from, to) = (
            lost.from.max(span.offset),
            lost.to.min(span.offset + span.bytes),
        );
        if from >= to {
            return;
        }
        let name = name();
        let Some(ty) = ty.filter(|_| to - from < span.bytes) else {
            found.push(name);
            return;
        };
        let [first, last] = [from, to - 1].map(|at| path_text(types, ty, at - span.offset));
        found.push(match first == last {
            true => format!("{name}{first}"),
            false => format!("{name}{first} to {name}{last}"),
        });
    };
    let variables = program.globals.iter().filter(|g| !g.constant);
    for (g, span) in variables.zip(&meta.globals) {
        one(&|| g.name.clone(), Some(g.ty), *span);
    }
    for f in &meta.frames {
        one(&|| locals(checkpoint, f.func), None, f.live);
    }
    for s in &meta.shadow {
        let frame = s.frame.and_then(|f| meta.frames.get(f as usize));
        match frame {
            Some(f) => one(&|| locals(checkpoint, f.func), None, s.data),
            None => one(&|| heap(checkpoint, s.ty, s.addr), Some(s.ty), s.data),
        }
    }
    for s in &meta.slabs {
        let ty = s.types.first().copied().unwrap_or(TypeId::UNKNOWN);
        one(&|| heap(checkpoint, ty, s.base), None, s.data);
    }
    for l in &meta.large {
        one(&|| heap(checkpoint, l.ty, l.base), Some(l.ty), l.data);
    }
    found
}

fn locals(checkpoint: &Checkpoint, func: u64) -> String {
    let func = checkpoint.program.funcs.get(func as usize);
    format!("locals of {}", func.map_or("", |f| &f.name))
}

fn heap(checkpoint: &Checkpoint, ty: TypeId, at: u64) -> String {
    let ty = match ty {
        TypeId::UNKNOWN => "bytes".to_owned(),
        ty => checkpoint.types.describe(ty),
    };
    format!("({ty} at {at:#x})")
}
