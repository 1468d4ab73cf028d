//! `--explain=heap`: every place that allocates, its type and why, or why it has none and what to do.

use super::{called_name, Form, Heap, Site, Why};
use crate::analysis::program::{Callee, Program};
use crate::tree::*;
use serde_json::{json, Value};
use std::collections::HashSet;
use std::fmt::Write as _;

/// One line of the report.
pub struct Line {
    pub file: String,
    pub line: u32,
    pub function: String,
    /// What is called.
    pub allocator: String,
    /// None: unknown, or its callers'.
    pub of: Option<String>,
    pub why: String,
    /// What to do about an unknown type.
    pub advice: Option<String>,
}

/// Library functions whose results are characters that pc3's heap holds.
const CHARACTERS: &[&str] = &[
    "strdup",
    "__strdup",
    "strndup",
    "__strndup",
    "getline",
    "getdelim",
    "__getdelim",
    "asprintf",
    "vasprintf",
];

/// Where the address of an allocator is taken: nothing says what those that call it through a pointer want.
pub(super) fn taken(p: &Program) -> Vec<(usize, ExprId, String)> {
    let mut out = Vec::new();
    for (unit, u) in p.units.iter().enumerate() {
        let calls = u.exprs.iter().filter_map(|x| match x.kind {
            ExprKind::Call { callee, .. } => Some(callee),
            _ => None,
        });
        let mut called: HashSet<ExprId> = HashSet::new();
        for mut e in calls {
            while let ExprKind::Deref(a) | ExprKind::AddrOf(a) = u.expr(e).kind {
                e = a;
            }
            called.insert(e);
        }
        for (k, x) in u.exprs.iter().enumerate() {
            let (e, ExprKind::Ident(s)) = (ExprId(k as u32), &x.kind) else {
                continue;
            };
            let ours = crate::library::is_own(&u.path) || u.lines.is_system(x.span.start);
            if called.contains(&e) || ours || u.sym(*s).kind != SymKind::Func {
                continue;
            }
            match p.resolve(unit, *s) {
                Callee::External(name) if ["malloc", "calloc", "realloc"].contains(&&*name) => {
                    out.push((unit, e, name.to_string()));
                }
                _ => {}
            }
        }
    }
    out
}

pub(super) const TAKEN: &str = "it is called through a pointer";

/// In the order of files and lines.
pub fn lines(p: &Program, heap: &Heap) -> Vec<Line> {
    let mut all = Vec::new();
    let users = |u: &Unit| !crate::library::is_own(&u.path);
    for (unit, u) in p.units.iter().enumerate().filter(|(_, u)| users(u)) {
        all.extend(heap.sites[unit].iter().map(|s| site(p, s)));
        for (k, x) in u.exprs.iter().enumerate() {
            let ExprKind::Call { callee, .. } = x.kind else {
                continue;
            };
            let Some((_, Callee::External(name))) = p.direct(unit, callee) else {
                continue;
            };
            let name = name.trim_start_matches("__builtin_");
            let system = u.lines.is_system(x.span.start);
            if CHARACTERS.contains(&name) && !system {
                let mut l = at(p, unit, ExprId(k as u32), name.to_string());
                l.of = Some("char".into());
                l.why = "that is what the library function makes".into();
                all.push(l);
            }
        }
    }
    for (unit, e, name) in taken(p) {
        let known = heap.through.contains(&name);
        let mut l = at(p, unit, e, name);
        if known {
            l.why = "as the calls through pointers say".into();
        } else {
            l.why = TAKEN.into();
            l.advice = Some("call it by name, or in a function for each type".into());
        }
        all.push(l);
    }
    all.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    all
}

fn at(p: &Program, unit: usize, call: ExprId, allocator: String) -> Line {
    let u = &p.units[unit];
    let start = u.expr(call).span.start;
    let position = u.lines.position(start);
    let inside = |f: &&Function| f.span.contains(&start);
    let function = u.functions.iter().find(inside);
    Line {
        file: u.lines.seen(&position.file),
        line: position.line,
        function: function.map_or(String::new(), |f| u.sym(f.sym).name.clone()),
        allocator,
        of: None,
        why: String::new(),
        advice: None,
    }
}

fn site(p: &Program, s: &Site) -> Line {
    let u = &p.units[s.unit];
    let name = match (called_name(u, s.call), &u.expr(s.call).kind) {
        (Some(name), _) => name.to_string(),
        (None, ExprKind::Call { callee, .. }) => super::one_line(u.slice(&u.expr(*callee).span)),
        _ => String::new(),
    };
    let mut l = at(p, s.unit, s.call, name);
    l.of = s.elem.map(|q| {
        let name = u.type_name(QualType {
            is_const: false,
            is_volatile: false,
            ..q
        });
        match (s.form, s.held) {
            (_, Some(_)) => format!("{name}, holding addresses"),
            (Form::One, _) => format!("{name} with a longer array at its end"),
            (Form::Mixed, _) => format!(
                "{name}, also kept as other numbers: it goes to machines that write them alike"
            ),
            _ => name,
        }
    });
    l.why = match &s.why {
        Why::Size => "by the `sizeof` in its size".into(),
        Why::Longer => "by the `sizeof` in its size, which adds the array's".into(),
        Why::Goes(to) => format!("by {to}"),
        Why::Before => "by what its first argument points to".into(),
        Why::Said => "by an annotation".into(),
        Why::Pieces => "handed out in pieces: as the callers of what does so say".into(),
        Why::Callers => format!("as the callers of `{}` say", l.function),
        Why::Unknown(why) => why.clone(),
    };
    let file = l.file.rsplit('/').next().unwrap_or(&l.file);
    if let Why::Unknown(_) = s.why {
        l.advice = Some(format!(
            "write the size with sizeof, assign the result to a typed pointer, or say it: `#pragma pc3 type TYPE` above, \
             or `type {}:{}: TYPE` in a file for --annotations",
            file, l.line
        ));
    }
    l
}

/// For people.
pub fn text(lines: &[Line]) -> String {
    let mut out = String::new();
    for l in lines {
        let of = l.of.as_deref().unwrap_or(match l.advice {
            Some(_) => "unknown",
            None => "any type",
        });
        let because = if l.advice.is_some() { "as " } else { "" };
        let _ = writeln!(
            out,
            "{}:{}: {} in {}: {of}, {because}{}",
            l.file, l.line, l.allocator, l.function, l.why
        );
    }
    let mut unknown = lines.iter().filter(|l| l.advice.is_some());
    let n = unknown.clone().count();
    let _ = writeln!(
        out,
        "{} places that allocate, {n} of unknown type",
        lines.len()
    );
    if let Some(advice) = unknown.next().and_then(|l| l.advice.as_ref()) {
        let _ = writeln!(
            out,
            "What is of unknown type can only go back to its own architecture. To change that {advice}."
        );
    }
    out
}

/// For programs: one object a line.
pub fn json(lines: &[Line]) -> String {
    let object = |l: &Line| -> Value {
        json!({
            "kind": "allocation",
            "file": l.file,
            "line": l.line,
            "function": l.function,
            "allocator": l.allocator,
            "type": l.of,
            "known": l.advice.is_none(),
            "why": l.why,
            "help": l.advice,
        })
    };
    lines.iter().map(|l| format!("{}\n", object(l))).collect()
}
