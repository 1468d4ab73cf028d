//! Directives of OpenMP name variables, and what they name may have moved: into the function's frame, to file scope, or to where
//! the running rank has its copy.
//!
//! ```c
//! #pragma omp parallel for default(none) shared(sum, a) num_threads(n)    // user: the address of sum is kept
//! #pragma omp parallel for  shared(a) num_threads((pc3_s->n_7))
//! ```
//!
//! A thread's own copy can only be made of a variable that is where it was.

use crate::rewrite::clones::printer::shadow_member;
use crate::rewrite::text::Edit;
use crate::rewrite::unit::UnitCx;
use pc3_program::walk::{visit, Node};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::prefilter::openmp_words;
use pc3_syntax::prefilter::tokens::{tokenize, TokenKind};
use pc3_syntax::tree::*;

/// Clauses that make copies of what they name.
const COPIES: [&str; 8] = [
    "private",
    "firstprivate",
    "lastprivate",
    "reduction",
    "in_reduction",
    "task_reduction",
    "linear",
    "copyprivate",
];
/// Clauses of expressions.
const VALUES: [&str; 12] = [
    "if",
    "final",
    "num_threads",
    "num_teams",
    "thread_limit",
    "num_tasks",
    "grainsize",
    "priority",
    "schedule",
    "dist_schedule",
    "device",
    "filter",
];
/// What stands in parentheses behind them are no variables.
const OTHERS: [&str; 3] = ["critical", "ordered", "collapse"];

const KEPT: &str = "its address is kept where a checkpoint can happen";

struct Clause<'u> {
    word: &'u str,
    span: Span,
    names: Vec<Name<'u>>,
}

struct Name<'u> {
    text: &'u str,
    span: Span,
    /// Part of an index or a length.
    inside: bool,
}

fn clauses<'u>(u: &'u Unit, pragma: &Span) -> Vec<Clause<'u>> {
    let start = pragma.start + 1;
    let line = u.slice(&(start..pragma.end));
    let tokens = tokenize(line).list;
    let word = |i: usize| -> &'u str {
        (tokens.get(i)).map_or("", |t| &line[t.start as usize..t.end as usize])
    };
    let mut list: Vec<Clause> = Vec::new();
    let (mut depth, mut indexed) = (0, 0);
    for (i, t) in tokens.iter().enumerate() {
        let span = start + t.start..start + t.end;
        let before = i.checked_sub(1).map_or("", word);
        match word(i) {
            "(" => depth += 1,
            ")" => depth -= 1,
            "[" => indexed += 1,
            "]" => indexed -= 1,
            text if t.kind == TokenKind::Ident && depth == 0 && word(i + 1) == "(" => {
                let (word, names) = (text, Vec::new());
                list.push(Clause { word, span, names });
                continue;
            }
            text if t.kind == TokenKind::Ident && depth > 0 && !matches!(before, "." | "->") => {
                let inside = indexed > 0;
                if let Some(c) = list.last_mut() {
                    c.names.push(Name { text, span, inside });
                }
                continue;
            }
            _ => {}
        }
        if depth == 0 && word(i) == ")" {
            if let Some(c) = list.last_mut() {
                c.span.end = span.end;
            }
        }
    }
    list.retain(|c| !OTHERS.contains(&c.word));
    list
}

enum MovedVariable {
    Kept(SymId),
    /// New name of a function's static.
    Static(SymId, String),
    Global(SymId),
}

/// What a name in a directive of a function means, if that is not where it was.
fn moved(cx: &UnitCx, f: FuncId, name: &str) -> Option<MovedVariable> {
    let (func, plan) = (cx.u.func(f), cx.plan(f));
    let named = |s: &&SymId| cx.u.sym(**s).name == name && !cx.u.sym(**s).is_global;
    let locals: Vec<SymId> = (func.params.iter().chain(&func.locals))
        .filter(named)
        .copied()
        .collect();
    let place = |s: SymId| match cx.statics.get(&s) {
        Some(new) => Some(MovedVariable::Static(s, new.clone())),
        None => plan
            .shadow_set
            .contains(&s)
            .then_some(MovedVariable::Kept(s)),
    };
    if locals.is_empty() {
        let mut globals = cx.private.iter();
        let found = globals.find(|s| cx.u.sym(**s).name == name && cx.u.sym(**s).func.is_none());
        return found.map(|s| MovedVariable::Global(*s));
    }
    // Which of several of one name is meant is not asked.
    let places: Option<Vec<MovedVariable>> = locals.into_iter().map(place).collect();
    places?.pop()
}

fn pragmas<'a>(cx: &UnitCx<'a>, f: FuncId) -> impl Iterator<Item = &'a Span> {
    let (u, span) = (cx.u, cx.u.func(f).span.clone());
    let within = move |p: &&Span| p.start >= span.start && p.end <= span.end;
    u.openmp.iter().filter(within)
}

/// What is said of where a variable is now; the second: does that need `pc3_d`?
fn spelled(cx: &UnitCx, m: &MovedVariable) -> (String, bool) {
    match m {
        MovedVariable::Kept(s) => (format!("(pc3_s->{})", shadow_member(cx.u, *s)), false),
        MovedVariable::Static(s, name) if cx.private.contains(s) => (cx.global_text(name), true),
        MovedVariable::Static(_, name) => (name.clone(), false),
        MovedVariable::Global(s) => (cx.global_text(&cx.u.sym(*s).name), true),
    }
}

fn is_value(c: &Clause, n: &Name) -> bool {
    VALUES.contains(&c.word) || n.inside && COPIES.contains(&c.word)
}

/// It has another name, and is a variable like any other.
fn is_renamed(cx: &UnitCx, m: &MovedVariable) -> bool {
    matches!(m, MovedVariable::Static(s, _) if !cx.private.contains(s))
}

/// Does a directive of the function look for the rank's copy of a variable?
pub(crate) fn uses_delta(cx: &UnitCx, f: FuncId) -> bool {
    pragmas(cx, f).any(|p| {
        clauses(cx.u, p).iter().any(|c| {
            let mut values = c.names.iter().filter(|n| is_value(c, n));
            values.any(|n| moved(cx, f, n.text).is_some_and(|m| spelled(cx, &m).1))
        })
    })
}

/// Directives say where what they name is; what they demand of all variables, those of generated code cannot follow.
pub fn prepare(cx: &mut UnitCx) {
    let mut edits = Vec::new();
    for k in 0..cx.u.functions.len() {
        let f = FuncId(k as u32);
        for p in pragmas(cx, f) {
            for c in clauses(cx.u, p) {
                let (span, text) = (c.span.clone(), String::new());
                match c.word {
                    "default" if c.names.iter().any(|n| n.text == "none") => {
                        edits.push(Edit { span, text });
                    }
                    "shared" => {
                        edits.extend(still_shared(cx, f, &c).map(|text| Edit { span, text }))
                    }
                    _ => {
                        for n in &c.names {
                            let place = moved(cx, f, n.text)
                                .filter(|m| is_value(&c, n) || is_renamed(cx, m))
                                .map(|m| spelled(cx, &m).0);
                            let span = n.span.clone();
                            edits.extend(place.map(|text| Edit { span, text }));
                        }
                    }
                }
            }
        }
    }
    cx.ambient.extend(edits);
    cx.ambient.sort_by_key(|e| e.span.start);
}

/// The clause without what has moved, if something has.
fn still_shared(cx: &UnitCx, f: FuncId, c: &Clause) -> Option<String> {
    let stays = |n: &&Name| {
        !matches!(
            moved(cx, f, n.text),
            Some(MovedVariable::Kept(_) | MovedVariable::Static(..))
        )
    };
    let left: Vec<&str> = c.names.iter().filter(stays).map(|n| n.text).collect();
    match left.len() {
        n if n == c.names.len() => None,
        0 => Some(String::new()),
        _ => Some(format!("shared({})", left.join(", "))),
    }
}

pub fn check(cx: &UnitCx, f: FuncId, out: &mut Diagnostics) {
    for p in pragmas(cx, f) {
        let list = clauses(cx.u, p);
        for c in list.iter().filter(|c| c.word != "shared") {
            for n in c.names.iter().filter(|n| !is_value(c, n)) {
                let why = match moved(cx, f, n.text) {
                    Some(MovedVariable::Kept(_)) => KEPT,
                    Some(MovedVariable::Global(_)) if COPIES.contains(&c.word) => {
                        "each rank has its own"
                    }
                    Some(m @ MovedVariable::Static(..)) if !is_renamed(cx, &m) => {
                        "each rank has its own"
                    }
                    _ => continue,
                };
                refuse(cx, &n.span, n.text, why, out);
            }
        }
        targets(cx, f, p, &list, out);
        counters(cx, f, p, out);
    }
}

/// The counter of a loop that threads share is each thread's own.
fn counters(cx: &UnitCx, f: FuncId, p: &Span, out: &mut Diagnostics) {
    let loops = ["for", "simd", "distribute", "taskloop", "loop"];
    let words = openmp_words(cx.u.slice(p));
    let words = words
        .iter()
        .take_while(|w| !w.contains("private") && **w != "if");
    if !words.into_iter().any(|w| loops.contains(w)) {
        return;
    }
    let Some(around) = construct(cx, f, p) else {
        return;
    };
    let mut first: Option<ExprId> = None;
    visit(cx.u, Node::Stmt(cx.u.func(f).body), &mut |n| {
        if let Node::Stmt(s) = n {
            let s = cx.u.stmt(s);
            if let (
                StmtKind::For {
                    init: ForInit::Expr(e),
                    ..
                },
                true,
            ) = (&s.kind, s.span == around)
            {
                first = Some(*e);
            }
        }
        true
    });
    let Some(ExprKind::Assign { lhs, .. }) = first.map(|e| &cx.u.expr(e).kind) else {
        return;
    };
    let x = cx.u.expr(*lhs);
    if let ExprKind::Ident(s) = x.kind {
        let why = match () {
            () if cx.private.contains(&s) => "each rank has its own",
            () if cx.plan(f).shadow_set.contains(&s) => KEPT,
            () => return,
        };
        refuse(cx, &x.span, &cx.u.sym(s).name, why, out);
    }
}

/// Regions for devices have copies of numbers and pointers that no clause names.
fn targets(cx: &UnitCx, f: FuncId, p: &Span, list: &[Clause], out: &mut Diagnostics) {
    let words = openmp_words(cx.u.slice(p));
    let data = matches!(words.get(1), Some(&("data" | "enter" | "exit" | "update")));
    if words.first() != Some(&"target") || data {
        return;
    }
    let Some(around) = construct(cx, f, p) else {
        return;
    };
    let mut told: Vec<SymId> = Vec::new();
    visit(cx.u, Node::Stmt(cx.u.func(f).body), &mut |n| {
        let Node::Expr(e) = n else {
            return true;
        };
        let x = cx.u.expr(e);
        let within = around.start <= x.span.start && x.span.end <= around.end;
        if let (ExprKind::Ident(s), true) = (&x.kind, within) {
            let name = cx.u.sym(*s).name.as_str();
            let whole = matches!(
                cx.u.ty(cx.u.sym(*s).ty.ty),
                Type::Array { .. } | Type::Record(_)
            );
            let named = list.iter().any(|c| c.names.iter().any(|n| n.text == name));
            if cx.private.contains(s) && !whole && !named && !told.contains(s) {
                told.push(*s);
                refuse(cx, &x.span, name, "each rank has its own", out);
            }
        }
        true
    });
}

fn refuse(cx: &UnitCx, at: &Span, name: &str, why: &str, out: &mut Diagnostics) {
    out.push(Diagnostic::refusal(
        cx.u,
        at,
        Code::Clause,
        format!("OpenMP's threads would have copies of `{name}`, which pc3cc has moved: {why}"),
        "name a local variable in its place, copied from it in front of the construct and back behind it",
    ));
}

/// The statement behind the directive.
pub fn construct(cx: &UnitCx, f: FuncId, p: &Span) -> Option<Span> {
    let mut construct: Option<Span> = None;
    visit(cx.u, Node::Stmt(cx.u.func(f).body), &mut |n| {
        if let Node::Stmt(s) = n {
            let sp = &cx.u.stmt(s).span;
            if sp.start >= p.end && construct.as_ref().is_none_or(|c| sp.start < c.start) {
                construct = Some(sp.clone());
            }
        }
        true
    });
    construct
}
