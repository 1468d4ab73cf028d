//! Calls by which a number takes the order of bytes that a network or a file wants (`htonl`, `htobe32`, `inet_pton`), or is
//! brought back from it.
//!
//! The headers replace most of them: by a swap of bytes here, by nothing on a machine of the other order (a call with glibc, a
//! cast with musl), and then under one name for both directions.  So the line that the user wrote decides which it was.

use crate::lints::bytes::called;
use crate::lints::in_users_file;
use crate::lints::reaches_checkpoint::{Cx, Dependence, OrderDependence, SWAPS};
use pc3_program::program::is_local;
use pc3_program::walk::strip_casts;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

pub fn check(cx: &Cx, list: &mut Vec<OrderDependence>, out: &mut Diagnostics) {
    cx.truth_ends.set(true);
    (0..cx.p.units.len()).for_each(|u| unit(cx, u, list, out));
}

fn unit(cx: &Cx, unit: usize, list: &mut Vec<OrderDependence>, out: &mut Diagnostics) {
    let u = &cx.p.units[unit];
    let mut sources = Sources::default();
    for k in 0..u.exprs.len() {
        let e = ExprId(k as u32);
        let Some((way, name)) = way(u, e, &mut sources).filter(|_| in_users_file(u, e)) else {
            continue;
        };
        let args = arguments(u, e);
        let kept = match way {
            Conversion::Out => cx.goes(unit, e, &mut HashSet::new()),
            Conversion::Back => {
                brought_back(u, e).is_some_and(|s| !is_local(u.sym(s)) && cx.is_saved(unit, s))
            }
            Conversion::Into(i) => args.get(i).is_some_and(|to| cx.holds(unit, *to)),
        };
        if !kept {
            continue;
        }
        list.push(OrderDependence::of(unit, u, e, Dependence::Bytes));
        let what = match way {
            Conversion::Out => "gives",
            Conversion::Back => "is given",
            Conversion::Into(_) => "writes",
        };
        out.push(Diagnostic::advice(
            u,
            &u.expr(e).span,
            Code::ByteOrder,
            format!("what `{name}` {what} is another number where the order of bytes is another, and is kept across a checkpoint: a restart there is refused"),
            "keep the number itself, and bring it into that order where it is used; PC3_BYTE_ORDER=ignore if nothing depends on it",
        ));
    }
}

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Conversion {
    /// Its result is in that order.
    Out,
    /// What it was given was.
    Back,
    /// It puts some where this argument leads.
    Into(usize),
}

const OUT: &[&str] = &[
    "htonl", "htons", "htobe16", "htobe32", "htobe64", "htole16", "htole32", "htole64",
];
const BACK: &[&str] = &[
    "ntohl", "ntohs", "be16toh", "be32toh", "be64toh", "le16toh", "le32toh", "le64toh",
];
/// These mean the same everywhere.
const SWAP: &[&str] = &["bswap_16", "bswap_32", "bswap_64"];
/// The lines of the sources that a unit was read from.
#[derive(Default)]
pub(in crate::lints) struct Sources(HashMap<String, Option<Vec<String>>>);

impl Sources {
    pub(in crate::lints) fn line(&mut self, u: &Unit, file: &str, line: u32) -> &str {
        let all = self.0.entry(file.to_owned()).or_insert_with(|| {
            let bytes = std::fs::read(u.lines.seen(file)).ok()?;
            let text = String::from_utf8_lossy(&bytes);
            Some(text.lines().map(str::to_owned).collect())
        });
        let at = (line as usize).saturating_sub(1);
        all.as_ref().and_then(|l| l.get(at)).map_or("", |l| l)
    }
}

/// What a call does, and what the user calls it.
fn way(u: &Unit, e: ExprId, sources: &mut Sources) -> Option<(Conversion, String)> {
    if let ExprKind::Cast { .. } = u.expr(e).kind {
        return nothing_to_swap(u, e, sources);
    }
    let name = called(u, e)?;
    let known = |way| Some((way, name.to_owned()));
    match name {
        "htonl" | "htons" | "inet_addr" => return known(Conversion::Out),
        "ntohl" | "ntohs" => return known(Conversion::Back),
        "inet_aton" => return known(Conversion::Into(1)),
        "inet_pton" => return known(Conversion::Into(2)),
        _ if SWAPS.contains(&name) => {}
        _ => return None,
    }
    let line = line_of(u, e, sources);
    let here = |list: &[&'static str]| named(line, list);
    match (here(OUT), here(BACK), here(SWAP)) {
        (Some(name), ..) => Some((Conversion::Out, name.to_owned())),
        (None, Some(name), _) => Some((Conversion::Back, name.to_owned())),
        (None, None, Some(_)) => None,
        // In a macro of the user's.
        (None, None, None) => known(Conversion::Out),
    }
}

/// The same of a cast: musl's header makes `(uint64_t)(x)` of what swaps nothing here.
fn nothing_to_swap(u: &Unit, e: ExprId, sources: &mut Sources) -> Option<(Conversion, String)> {
    let text = u.slice(&u.expr(e).span).strip_prefix("(uint")?;
    let (bits, _) = text.split_once("_t)(")?;
    // Where the library has functions for it, a cast is the user's.
    if !matches!(bits, "16" | "32" | "64") || u.text.contains("__uint64_identity") {
        return None;
    }
    let line = line_of(u, e, sources);
    let here = |list: &[&'static str]| named(line, list).filter(|name| name.contains(bits));
    let out = here(OUT).map(|name| (Conversion::Out, name.to_owned()));
    out.or_else(|| Some((Conversion::Back, here(BACK)?.to_owned())))
}

/// As the user wrote it.
fn line_of<'s>(u: &Unit, e: ExprId, sources: &'s mut Sources) -> &'s str {
    let at = u.lines.position(u.expr(e).span.start);
    sources.line(u, &at.file, at.line)
}

/// The first word of a line that is in the list.
fn named(line: &str, list: &[&'static str]) -> Option<&'static str> {
    let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.find_map(|w| list.iter().copied().find(|x| *x == w))
}

/// Of a call, or what a cast converts.
fn arguments(u: &Unit, e: ExprId) -> &[ExprId] {
    match &u.expr(e).kind {
        ExprKind::Call { args, .. } => args,
        ExprKind::Cast { arg, .. } => std::slice::from_ref(arg),
        _ => &[],
    }
}

/// The argument that a call brings back, if it is a global variable or a part of one.
fn brought_back(u: &Unit, e: ExprId) -> Option<SymId> {
    let mut e = strip_casts(u, *arguments(u, e).first()?);
    loop {
        e = match u.expr(e).kind {
            ExprKind::Member {
                base, arrow: false, ..
            } => base,
            ExprKind::Index { base, .. }
                if matches!(u.ty(u.expr(base).ty.ty), Type::Array { .. }) =>
            {
                base
            }
            ExprKind::Ident(s) if u.sym(s).kind == SymKind::Var => return Some(s),
            _ => return None,
        };
    }
}
