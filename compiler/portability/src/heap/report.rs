//! `--explain=heap`: every place that allocates, its type and why, or why it has none and what to do.

use super::struct_overlay::{Also, Struct};
use super::{called_name, Heap, Site, SizeForm, Why};
use crate::unsaved::own_memory;
use pc3_program::program::{Callee, FnId, Program};
use pc3_syntax::tree::*;
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

/// What library functions make in pc3's heap; None: what `mmap` gives may become anything.
fn made_by(name: &str) -> Option<Option<&'static str>> {
    Some(match name {
        "strdup" | "__strdup" | "strndup" | "__strndup" | "getline" | "getdelim" | "__getdelim"
        | "asprintf" | "vasprintf" | "realpath" | "open_memstream" => Some("char"),
        "wcsdup" => Some("wchar_t"),
        "scandir" | "scandir64" => Some("struct dirent"),
        "mmap" | "mmap64" => None,
        _ => return None,
    })
}

/// Where the address of an allocator is taken: nothing says what those that call it through a pointer want.
pub(super) fn allocators_by_address(p: &Program) -> Vec<(usize, ExprId, String)> {
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
            let ours = pc3_libc::is_own(&u.path) || u.lines.is_system(x.span.start);
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

/// All of it.
#[derive(Default)]
pub struct Report {
    pub lines: Vec<Line>,
    pub dealers: Vec<ReportedArenaFunction>,
    pub both: Vec<Both>,
}

pub fn report(p: &Program, heap: &Heap) -> Report {
    Report {
        lines: lines(p, heap),
        dealers: dealers(p, heap),
        both: both(p, heap),
    }
}

/// A function that hands out pieces of larger blocks.
pub struct ReportedArenaFunction {
    pub file: String,
    pub line: u32,
    pub function: String,
    /// Its callers say how much.
    pub sized: bool,
}

fn dealers(p: &Program, heap: &Heap) -> Vec<ReportedArenaFunction> {
    let one = |(id, sizes): (&FnId, &Vec<usize>)| {
        let (unit, f) = p.fns[id.index()];
        let u = &p.units[unit];
        let f = u.func(f);
        let at = u.lines.position(f.span.start);
        ReportedArenaFunction {
            file: u.lines.seen(&at.file),
            line: at.line,
            function: u.sym(f.sym).name.clone(),
            sized: !sizes.is_empty(),
        }
    };
    let mut all: Vec<ReportedArenaFunction> = heap.pieces.dealers.iter().map(one).collect();
    all.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    all
}

/// In the order of files and lines.
pub fn lines(p: &Program, heap: &Heap) -> Vec<Line> {
    let mut all = Vec::new();
    let users = |u: &Unit| !pc3_libc::is_own(&u.path);
    for (unit, u) in p.units.iter().enumerate().filter(|(_, u)| users(u)) {
        all.extend(heap.sites[unit].iter().map(|s| site(p, s)));
        let private = own_memory(u);
        for (k, x) in u.exprs.iter().enumerate() {
            let ExprKind::Call { callee, .. } = x.kind else {
                continue;
            };
            // Some are pc3's own.
            let name = match p.direct(unit, callee) {
                Some((_, Callee::External(name))) => name,
                Some((s, Callee::Defined(f))) if !users(p.unit(f)) => u.sym(s).name.clone(),
                _ => continue,
            };
            let name = name.trim_start_matches("__builtin_");
            let system = u.lines.is_system(x.span.start);
            let Some(of) = made_by(name).filter(|_| !system) else {
                continue;
            };
            if of.is_none() && !private.contains(&callee) {
                continue;
            }
            let mut l = at(p, unit, ExprId(k as u32), name.to_string());
            l.of = of.map(str::to_owned);
            l.why = match of {
                Some(_) => "that is what the library function makes".into(),
                None => "it is memory for anything".into(),
            };
            l.advice = of.is_none().then(|| "use malloc".to_owned());
            all.push(l);
        }
    }
    for (unit, e, name) in allocators_by_address(p) {
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
            (SizeForm::One, _) => format!("{name} with a longer array at its end"),
            (SizeForm::Mixed, _) => format!(
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

/// A struct whose memory is also written as another one.
pub struct Both {
    pub file: String,
    pub line: u32,
    pub of: String,
    pub other: String,
}

fn both(p: &Program, heap: &Heap) -> Vec<Both> {
    let name = |s: Struct| p.units[s.unit].type_name(QualType::plain(s.ty));
    let one = |a: &Also| {
        let lines = &p.units[a.at.0].lines;
        let at = lines.position(a.at.1);
        Both {
            file: lines.seen(&at.file),
            line: at.line,
            of: name(a.of),
            other: name(a.other),
        }
    };
    let mut all: Vec<Both> = heap.also.iter().map(one).collect();
    all.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    all
}

/// For people.
pub fn text(report: &Report) -> String {
    let lines = &report.lines;
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
    for d in &report.dealers {
        let size = match d.sized {
            true => "of the size that they ask for",
            false => "as large as those types need",
        };
        let _ = writeln!(
            out,
            "{}:{}: {} hands out pieces of memory, each of the type that its caller takes it for and {size}",
            d.file, d.line, d.function
        );
    }
    for b in &report.both {
        let _ = writeln!(
            out,
            "{}:{}: memory of `{}` is also written as `{}`: values that could be either do not change architecture",
            b.file, b.line, b.of, b.other
        );
    }
    out
}

/// For programs: one object a line.
pub fn json(report: &Report) -> String {
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
    let other = |b: &Both| json!({"kind": "also", "file": b.file, "line": b.line, "type": b.of, "other": b.other});
    let dealer = |d: &ReportedArenaFunction| json!({"kind": "pieces", "file": d.file, "line": d.line, "function": d.function, "sized": d.sized});
    let all = report.lines.iter().map(object);
    let all = all.chain(report.dealers.iter().map(dealer));
    all.chain(report.both.iter().map(other))
        .map(|o| format!("{o}\n"))
        .collect()
}
