//! Checkpoint locations that the command line asks for, for sources that must stay untouched.
//!
//! An edit of the text on the lines it finds: `pc3_checkpoint();` goes in front of statements
//! (in braces where only one statement may stand) and the pipeline runs again on the result.
//! Functions of system headers and statement expressions are left alone.

mod maybe;
mod missing;
pub use maybe::{defines, early, Defines};
pub use missing::missing;

use crate::prefilter::insert;
use crate::tree::*;
use crate::walk::{expr_children, stmt_children};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Location {
    /// At each entry of a function.
    Function(String),
    /// Before the first statement that starts at or behind a line.
    Line { file: String, line: u32 },
}

impl Location {
    /// `FUNCTION` or `FILE:LINE`; None for neither.
    pub fn parse(text: &str) -> Option<Location> {
        if let Some((file, line)) = text.rsplit_once(':') {
            let line = line.parse().ok().filter(|&l| l > 0)?;
            return (!file.is_empty()).then(|| Location::Line {
                file: file.into(),
                line,
            });
        }
        let name = text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 0x80);
        (name && !text.is_empty()).then(|| Location::Function(text.into()))
    }
}

#[derive(Clone, Debug, Default)]
pub struct Locations {
    pub at: Vec<Location>,
    /// At every function entry, loop iteration and statement with a call. Functions that are
    /// handed to library functions, and what they call, are left out: no checkpoint can be
    /// taken below a library's frames.
    pub everywhere: bool,
}

/// The edited text of a unit, and which of the locations it contains.
pub struct Applied {
    /// None: nothing to insert.
    pub text: Option<String>,
    pub found: Vec<bool>,
}

const CALL: &str = "pc3_checkpoint(); ";

pub fn apply(unit: &Unit, locations: &Locations) -> Applied {
    let mut edit = Edit {
        unit,
        places: Insertions::new(unit),
        inserts: BTreeMap::new(),
    };
    let mut found = Vec::new();
    for l in &locations.at {
        found.push(match l {
            Location::Function(name) => edit.at_function(name),
            Location::Line { file, line } => edit.at_line(file, *line),
        });
    }
    if locations.everywhere {
        edit.everywhere();
    }
    let inserts: Vec<(u32, &str)> = edit
        .inserts
        .iter()
        .map(|((at, _), s)| (*at, s.as_str()))
        .collect();
    let text = (!inserts.is_empty()).then(|| insert(unit.text.clone(), &inserts));
    Applied { text, found }
}

/// Where a statement's location goes.
#[derive(Clone, Copy)]
struct Insertion {
    func: FuncId,
    /// May be preceded by another statement as it stands.
    in_block: bool,
}

/// All statements that can carry a location: no blocks, no labelled statements (what they
/// label stands for them), nothing inside statement expressions.
struct Insertions {
    list: Vec<(StmtId, Insertion)>,
}

impl Insertions {
    fn new(unit: &Unit) -> Insertions {
        let mut p = Insertions { list: Vec::new() };
        for (i, f) in unit.functions.iter().enumerate() {
            if !unit.lines.is_system(unit.stmt(f.body).span.start) {
                let place = Insertion {
                    func: FuncId(i as u32),
                    in_block: false,
                };
                p.collect(unit, f.body, place);
            }
        }
        p
    }

    fn collect(&mut self, unit: &Unit, s: StmtId, place: Insertion) {
        match &unit.stmt(s).kind {
            StmtKind::Block(list) => {
                for s in list {
                    self.collect(
                        unit,
                        *s,
                        Insertion {
                            in_block: true,
                            ..place
                        },
                    );
                }
            }
            StmtKind::Case { stmt, .. }
            | StmtKind::Default(stmt)
            | StmtKind::Label { stmt, .. } => {
                self.collect(
                    unit,
                    *stmt,
                    Insertion {
                        in_block: false,
                        ..place
                    },
                );
            }
            kind => {
                self.list.push((s, place));
                for s in stmt_children(kind).1 {
                    self.collect(
                        unit,
                        s,
                        Insertion {
                            in_block: false,
                            ..place
                        },
                    );
                }
            }
        }
    }
}

struct Edit<'a> {
    unit: &'a Unit,
    places: Insertions,
    /// By offset; what closes comes before what opens.
    inserts: BTreeMap<(u32, bool), String>,
}

impl Edit<'_> {
    fn before(&mut self, s: StmtId, place: Insertion) {
        let span = &self.unit.stmt(s).span;
        if place.in_block {
            self.inserts
                .entry((span.start, true))
                .or_insert_with(|| CALL.into());
        } else if let Entry::Vacant(open) = self.inserts.entry((span.start, true)) {
            open.insert(format!("{{ {CALL}"));
            let close = self.inserts.entry((span.end, false)).or_default();
            close.push_str(" }");
        }
    }

    /// At the start of a block, behind what has to stand there: `__label__` declarations, `#pragma STDC`, `#pragma clang fp`.
    fn enter(&mut self, block: StmtId) {
        let text = &self.unit.text;
        let mut at = self.unit.stmt(block).span.start as usize + 1;
        let (mut next, mut in_front) = (at, None);
        loop {
            let rest = text[next..].trim_start();
            let marker = rest.starts_with("# ");
            let pragma = ["#pragma STDC ", "#pragma clang fp "];
            let pragma = pragma.iter().any(|p| rest.starts_with(p));
            let end = match rest.starts_with("__label__") {
                true => rest.find(';'),
                false if pragma || marker => rest.find('\n'),
                false => None,
            };
            let Some(end) = end else { break };
            next = text.len() - rest.len() + end + 1;
            if pragma {
                in_front.get_or_insert(at);
            }
            if !marker || in_front.is_some() {
                at = next;
            }
        }
        // Nothing can stand on the line of another directive.
        if text[at..].trim_start().starts_with('#') {
            at = in_front.unwrap_or(at);
        }
        self.inserts
            .entry((at as u32, true))
            .or_insert_with(|| format!(" {CALL}"));
    }

    fn at_function(&mut self, name: &str) -> bool {
        let unit = self.unit;
        let mut found = false;
        for f in &unit.functions {
            if unit.sym(f.sym).name == name && !unit.lines.is_system(unit.stmt(f.body).span.start) {
                self.enter(f.body);
                found = true;
            }
        }
        found
    }

    fn at_line(&mut self, file: &str, line: u32) -> bool {
        let unit = self.unit;
        let best = self
            .places
            .list
            .iter()
            .filter_map(|(s, place)| {
                let start = unit.stmt(*s).span.start;
                let p = unit.lines.position(start);
                (p.line >= line && same_file(&unit.lines.seen(&p.file), file))
                    .then_some((p.line, start, *s, *place))
            })
            .min_by_key(|(line, start, ..)| (*line, *start));
        let Some((_, _, s, place)) = best else {
            return false;
        };
        // The line must lie in that statement's function.
        if unit.lines.position(unit.func(place.func).span.start).line > line {
            return false;
        }
        self.before(s, place);
        true
    }

    fn everywhere(&mut self) {
        let unit = self.unit;
        let callbacks = callbacks(unit);
        // Statements that directly follow an inserted location.
        let mut covered: HashSet<StmtId> = HashSet::new();
        for (i, f) in unit.functions.iter().enumerate() {
            if unit.lines.is_system(unit.stmt(f.body).span.start)
                || callbacks.contains(&FuncId(i as u32))
            {
                continue;
            }
            self.enter(f.body);
            covered.extend(first_of(unit, f.body));
        }
        let list = std::mem::take(&mut self.places.list);
        let mut loop_bodies: HashSet<StmtId> = HashSet::new();
        for (s, place) in list.iter().filter(|(_, p)| !callbacks.contains(&p.func)) {
            let kind = &unit.stmt(*s).kind;
            if let StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. } = kind
            {
                if matches!(unit.stmt(*body).kind, StmtKind::Block(_)) {
                    self.enter(*body);
                    covered.extend(first_of(unit, *body));
                } else {
                    loop_bodies.insert(*body);
                }
            }
            let calls = stmt_children(kind).0.iter().any(|e| has_call(unit, *e));
            if loop_bodies.contains(s) || calls && !covered.contains(s) {
                self.before(*s, *place);
            }
        }
        self.places.list = list;
    }
}

fn first_of(unit: &Unit, block: StmtId) -> Option<StmtId> {
    match &unit.stmt(block).kind {
        StmtKind::Block(list) => list.first().copied(),
        _ => None,
    }
}

fn has_call(unit: &Unit, e: ExprId) -> bool {
    let kind = &unit.expr(e).kind;
    let here = match kind {
        ExprKind::Call { callee, .. } => match unit.expr(*callee).kind {
            ExprKind::Ident(s) => !unit.sym(s).name.starts_with("__builtin_"),
            _ => true,
        },
        ExprKind::StmtExpr(_) => true,
        _ => false,
    };
    here || expr_children(kind).into_iter().any(|c| has_call(unit, c))
}

/// Functions handed to functions of system headers, or run by the compiler or a signal, and all they call directly.
fn callbacks(unit: &Unit) -> HashSet<FuncId> {
    let by_sym: HashMap<SymId, FuncId> = unit
        .functions
        .iter()
        .enumerate()
        .map(|(i, f)| (f.sym, FuncId(i as u32)))
        .collect();
    let mut work = Vec::new();
    for e in &unit.exprs {
        let ExprKind::Call { callee, args } = &e.kind else {
            continue;
        };
        let ExprKind::Ident(f) = unit.expr(*callee).kind else {
            continue;
        };
        if unit.sym(f).system {
            work.extend(
                args.iter()
                    .filter_map(|a| named_function(unit, *a))
                    .filter_map(|s| by_sym.get(&s)),
            );
        }
    }
    for s in &unit.symbols {
        let cleanup = |a: &str| a.strip_prefix("cleanup=").map(str::to_string);
        let cleaning: Vec<String> = s.attributes.iter().filter_map(|a| cleanup(a)).collect();
        let by_name = |(s, _): &(&SymId, _)| cleaning.contains(&unit.sym(**s).name);
        if !cleaning.is_empty() {
            work.extend(by_sym.iter().filter(by_name).map(|(_, f)| f));
        }
    }
    for (s, f) in &by_sym {
        let run = |a: &String| matches!(a.as_str(), "constructor" | "destructor");
        if unit.sym(*s).attributes.iter().any(run) {
            work.push(*f);
        }
    }
    for e in &unit.exprs {
        if let ExprKind::Assign { lhs, rhs, .. } = &e.kind {
            if matches!(&unit.expr(*lhs).kind, ExprKind::Member { name, .. } if name.starts_with("sa_"))
            {
                work.extend(named_function(unit, *rhs).and_then(|s| by_sym.get(&s)));
            }
        }
    }
    let mut out = HashSet::new();
    while let Some(f) = work.pop() {
        if out.insert(f) {
            let span = &unit.func(f).span;
            for e in unit
                .exprs
                .iter()
                .filter(|e| span.start <= e.span.start && e.span.end <= span.end)
            {
                if let ExprKind::Call { callee, .. } = &e.kind {
                    work.extend(named_function(unit, *callee).and_then(|s| by_sym.get(&s)));
                }
            }
        }
    }
    out
}

fn named_function(unit: &Unit, e: ExprId) -> Option<SymId> {
    match unit.expr(e).kind {
        ExprKind::Ident(s) => (unit.sym(s).kind == SymKind::Func).then_some(s),
        ExprKind::AddrOf(a) | ExprKind::Cast { arg: a, .. } => named_function(unit, a),
        _ => None,
    }
}

/// `src/a.c` is named by `a.c`, `src/a.c` and `./src/a.c`.
pub fn same_file(full: &str, given: &str) -> bool {
    let parts = |s: &str| {
        s.split('/')
            .filter(|p| !p.is_empty() && *p != ".")
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    let (full, given) = (parts(full), parts(given));
    let n = full.len().min(given.len());
    n > 0 && full[full.len() - n..] == given[given.len() - n..]
}

#[cfg(test)]
mod tests;
