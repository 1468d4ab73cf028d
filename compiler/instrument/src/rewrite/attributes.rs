//! Attributes that would not hold for instrumented functions, and what is done about them.
//!
//! `noreturn`, `pure` and `const` are dropped from functions that can reach a location: at a checkpoint they return, and
//! have effects.  Constructors and destructors become rows of the unit's table: the runtime runs them, for each rank.  Cleanup functions are called through a wrapper that does nothing while the stack is taken down:
//!
//! ```c
//! static void pc3_cleanup__f_done(int *pc3_p) { if (!pc3_state) done(pc3_p); }
//! ```

use crate::rewrite::frames::variables::is_cleaned;
use crate::rewrite::text::Edit;
use crate::rewrite::unit::UnitCx;
use pc3_program::callgraph::CallGraph;
use pc3_program::program::Callee;
use pc3_program::walk::{visit_decls, Node};
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::PC3_HOOK_LAST;
use std::collections::BTreeMap;

/// Dropped where they do not hold.
const DROPPED: [&str; 3] = ["noreturn", "pure", "const"];
const HOOKS: [&str; 2] = ["constructor", "destructor"];

/// Finds what has to change in the unit's text wherever it is printed.
pub fn prepare(cx: &mut UnitCx, graph: &CallGraph) {
    let u = cx.u;
    let mut edits = Vec::new();
    for (i, s) in u.symbols.iter().enumerate() {
        let has = |names: &[&str]| s.attributes.iter().any(|a| names.contains(&a.as_str()));
        if s.kind != SymKind::Func || !(has(&DROPPED) || has(&HOOKS)) {
            continue;
        }
        if let Callee::Defined(f) = cx.p.resolve(cx.unit, SymId(i as u32)) {
            let mut names = HOOKS.to_vec();
            if graph.reaches[f.index()] {
                names.extend(DROPPED);
            }
            s.decls.iter().for_each(|d| drop(u, d, &names, &mut edits));
        }
    }
    for k in 0..u.functions.len() {
        let f = FuncId(k as u32);
        if cx.plan(f).points.is_empty() {
            continue;
        }
        registers(u, f, &mut edits);
        if !has_cleanup(u, f) {
            continue;
        }
        visit_decls(u, Node::Stmt(u.func(f).body), &mut |d, _| {
            for (span, function) in cleanup_words(u, &d.span) {
                let text = wrapper(cx, f, &function);
                edits.push(Edit { span, text });
            }
        });
    }
    promises_of_pointers(cx, graph, &mut edits);
    edits.sort_by_key(|e| e.span.start);
    edits.dedup_by(|a, b| a.span == b.span);
    cx.ambient.extend(edits);
    cx.ambient.sort_by_key(|e| e.span.start);
}

/// Savers take structs by their address, which `register` forbids to ask for.
fn registers(u: &Unit, f: FuncId, edits: &mut Vec<Edit>) {
    let func = u.func(f);
    for s in func.params.iter().chain(&func.locals) {
        let sym = u.sym(*s);
        let copied = matches!(u.ty(sym.ty.ty), Type::Record(_));
        if sym.storage != Storage::Register || !copied {
            continue;
        }
        for d in &sym.decls {
            let before = func.span.start..d.start;
            edits.extend(last_word(u.slice(&before), "register").map(|at| Edit {
                span: before.start + at..before.start + at + 8,
                text: String::new(),
            }));
        }
    }
}

/// Where the word stands last.
fn last_word(text: &str, word: &str) -> Option<u32> {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut found = text.rmatch_indices(word);
    found.find_map(|(at, _)| {
        let whole =
            !part(text[..at].chars().next_back()) && !part(text[at + word.len()..].chars().next());
        whole.then_some(at as u32)
    })
}

/// What types of pointers promise of the functions they point to.
fn promises_of_pointers(cx: &UnitCx, graph: &CallGraph, edits: &mut Vec<Edit>) {
    let u = cx.u;
    let mut pointed = graph.address_taken.iter();
    if u.promises.is_empty() || !pointed.any(|f| graph.reaches[f.index()]) {
        return;
    }
    let mut groups: Vec<&DeclGroup> = Vec::new();
    for item in &u.items {
        if let TopItem::Decl(d) = item {
            groups.push(d);
        }
    }
    for f in &u.functions {
        visit_decls(u, Node::Stmt(f.body), &mut |d, _| groups.push(d));
    }
    let holds = |a: &Span, b: &Span| a.start <= b.start && b.end <= a.end;
    for p in &u.promises {
        let around = groups.iter().filter(|d| holds(&d.span, p));
        let innermost = around.min_by_key(|d| d.span.end - d.span.start);
        let of_function = match innermost {
            Some(d) => d.vars.iter().any(|v| u.sym(v.sym).kind == SymKind::Func),
            None => u.functions.iter().any(|f| holds(&f.head, p)),
        };
        if !of_function {
            edits.push(Edit {
                span: p.clone(),
                text: String::new(),
            });
        }
    }
}

/// Rows for the unit's constructors and destructors.
pub fn hooks(cx: &UnitCx) -> Vec<String> {
    let mut rows = Vec::new();
    for f in &cx.u.functions {
        let s = cx.u.sym(f.sym);
        for (destructor, kind) in HOOKS.iter().enumerate() {
            if s.attributes.iter().any(|a| a == kind) {
                let given = |a: &String| Some(a.strip_prefix(kind)?.strip_prefix('=')?.to_string());
                let priority = s.attributes.iter().find_map(given);
                let priority = priority.filter(|p| !p.is_empty());
                rows.push(format!(
                    "{{{destructor}, {}, (void (*)(void)){}}}",
                    priority.unwrap_or_else(|| PC3_HOOK_LAST.to_string()),
                    s.name
                ));
            }
        }
    }
    rows
}

pub(crate) fn has_cleanup(u: &Unit, f: FuncId) -> bool {
    u.func(f).locals.iter().any(|s| is_cleaned(u.sym(*s)))
}

fn wrapper(cx: &UnitCx, f: FuncId, function: &str) -> String {
    format!("pc3_cleanup__{}_{function}", cx.fname(f))
}

/// The wrappers of a function's cleanup functions, in front of it.
pub fn wrappers(cx: &UnitCx, f: FuncId) -> String {
    let u = cx.u;
    let mut all = BTreeMap::new();
    for s in &u.func(f).locals {
        let names = u.sym(*s).attributes.iter();
        for name in names.filter_map(|a| a.strip_prefix("cleanup=")) {
            let same = |t: &&Symbol| t.kind == SymKind::Func && t.name == name;
            let ty = u.symbols.iter().find(same).map(|t| t.ty.ty);
            if let Some(Type::Function { params, .. }) = ty.map(|t| u.ty(t)) {
                if let [p] = params[..] {
                    all.insert(name, p);
                }
            }
        }
    }
    all.iter()
        .map(|(name, p)| {
            format!(
                "static __attribute__((unused)) void {}({}) {{ if (!pc3_state) {name}(pc3_p); }} ",
                wrapper(cx, f, name),
                cx.names.declare_plain(*p, "pc3_p")
            )
        })
        .collect()
}

/// Words of `span` with their place; text of line markers and strings is none.
fn words(u: &Unit, span: &Span) -> Vec<(Span, String)> {
    let text = u.slice(span).as_bytes();
    let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let (mut out, mut i) = (Vec::new(), 0);
    while i < text.len() {
        let start = i;
        if text[i] == b'#' && (i == 0 || text[i - 1] == b'\n') {
            while i < text.len() && text[i] != b'\n' {
                i += 1;
            }
        } else if text[i] == b'"' {
            i += 1;
            while i < text.len() && text[i] != b'"' {
                i += 1 + usize::from(text[i] == b'\\');
            }
            i += 1;
        } else if word(text[i]) {
            while i < text.len() && word(text[i]) {
                i += 1;
            }
            let place = span.start + start as u32..span.start + i as u32;
            out.push((place.clone(), u.slice(&place).to_string()));
        } else {
            if matches!(text[i], b'(' | b')') {
                let place = span.start + i as u32..span.start + i as u32 + 1;
                out.push((place.clone(), u.slice(&place).to_string()));
            }
            i += 1;
        }
    }
    out
}

/// The attributes on the declaration around a declarator.
fn drop(u: &Unit, declarator: &Span, names: &[&str], out: &mut Vec<Edit>) {
    let (before, behind) = (
        &u.text[..declarator.start as usize],
        &u.text[declarator.end as usize..],
    );
    let start = before.rfind([';', '{', '}']).map_or(0, |i| i + 1) as u32;
    let end = declarator.end + behind.find([';', '{']).unwrap_or(behind.len()) as u32;
    // Within `__attribute__((...))`: how many parentheses are open.
    let (mut inside, mut depth) = (false, 0);
    // The arguments of what is dropped begin there.
    let (mut dropped, mut arguments) = (false, None);
    for (span, word) in words(u, &(start..end)) {
        let bare = word.trim_matches('_');
        let was = std::mem::take(&mut dropped);
        let blank = |span: Span| Edit {
            span,
            text: String::new(),
        };
        match word.as_str() {
            "(" => {
                if was && depth == 2 {
                    arguments = Some(span.start);
                }
                depth += i32::from(inside);
            }
            ")" => {
                depth -= i32::from(inside);
                inside &= depth > 0;
                if depth == 2 {
                    out.extend(arguments.take().map(|from| blank(from..span.end)));
                }
            }
            "_Noreturn" if names.contains(&"noreturn") => out.push(blank(span)),
            _ if bare == "attribute" => (inside, depth) = (true, 0),
            _ if inside && depth == 2 && names.contains(&bare) => {
                dropped = true;
                out.push(Edit {
                    span,
                    text: "unused".into(),
                });
            }
            _ => {}
        }
    }
}

/// The arguments of `cleanup` attributes in a declaration.
fn cleanup_words(u: &Unit, span: &Span) -> Vec<(Span, String)> {
    let list = words(u, span);
    let named = list
        .windows(3)
        .filter(|w| w[0].1.trim_matches('_') == "cleanup" && w[1].1 == "(");
    named.map(|w| w[2].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_dropped_where_they_stand() {
        let check = |text: &str, expected: &str| {
            let u = Unit {
                text: text.into(),
                ..Unit::default()
            };
            let at = text.find("fn").unwrap() as u32;
            let mut edits = Vec::new();
            let names = [&HOOKS[..], &DROPPED].concat();
            drop(&u, &(at..at + 2), &names, &mut edits);
            let mut out = text.to_string();
            for e in edits.iter().rev() {
                out.replace_range(e.span.start as usize..e.span.end as usize, &e.text);
            }
            assert_eq!(out, expected);
        };
        check(
            "int x; _Noreturn static void fn(const char *p) {",
            "int x;  static void fn(const char *p) {",
        );
        check(
            "} __attribute__((__const__, cold)) const int *fn(int) __attribute__((pure)); const int y;",
            "} __attribute__((unused, cold)) const int *fn(int) __attribute__((unused)); const int y;",
        );
        check(
            "__attribute__((section(\"const\"), format(pure, 1, 2))) int fn(void);",
            "__attribute__((section(\"const\"), format(pure, 1, 2))) int fn(void);",
        );
        check(
            "static void fn(void) __attribute__((constructor (100 + (1)), used, destructor));",
            "static void fn(void) __attribute__((unused , used, unused));",
        );
    }
}
