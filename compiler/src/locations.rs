//! Checkpoint locations that the command line asks for, for sources that must stay untouched.
//!
//! An edit of the text on the lines it finds: `pc3_checkpoint();` goes in front of statements
//! (in braces where only one statement may stand) and the pipeline runs again on the result.
//! Functions of system headers and statement expressions are left alone.

use crate::diag::{Code, Diagnostic, Diagnostics};
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
        places: Places::new(unit),
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

/// Errors for locations that no unit contains.
pub fn missing(units: &[&Unit], locations: &Locations, found: &[bool]) -> Diagnostics {
    let mut diags = Diagnostics::default();
    for (l, _) in locations.at.iter().zip(found).filter(|(_, f)| !**f) {
        let d = match l {
            Location::Function(name) => {
                let near = near_functions(units, name);
                let d = Diagnostic::error(
                    Code::NoSuchLocation,
                    format!("--checkpoint-at={name}: no source defines a function `{name}`"),
                );
                if near.is_empty() {
                    d
                } else {
                    d.help(format!("did you mean {}?", near.join(", ")))
                }
            }
            Location::Line { file, line } => {
                let d = Diagnostic::error(
                    Code::NoSuchLocation,
                    format!(
                        "--checkpoint-at={file}:{line}: no statement of a function stands there"
                    ),
                );
                match near_lines(units, file, *line) {
                    Some(help) => d.help(help),
                    None => d.help(format!(
                        "no source or header of that name contains a function; sources: {}",
                        sources(units)
                    )),
                }
            }
        };
        diags.push(d);
    }
    diags
}

/// Where a statement's location goes.
#[derive(Clone, Copy)]
struct Place {
    func: FuncId,
    /// May be preceded by another statement as it stands.
    in_block: bool,
}

/// All statements that can carry a location: no blocks, no labelled statements (what they
/// label stands for them), nothing inside statement expressions.
struct Places {
    list: Vec<(StmtId, Place)>,
}

impl Places {
    fn new(unit: &Unit) -> Places {
        let mut p = Places { list: Vec::new() };
        for (i, f) in unit.functions.iter().enumerate() {
            if !unit.lines.is_system(unit.stmt(f.body).span.start) {
                let place = Place {
                    func: FuncId(i as u32),
                    in_block: false,
                };
                p.collect(unit, f.body, place);
            }
        }
        p
    }

    fn collect(&mut self, unit: &Unit, s: StmtId, place: Place) {
        match &unit.stmt(s).kind {
            StmtKind::Block(list) => {
                for s in list {
                    self.collect(
                        unit,
                        *s,
                        Place {
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
                    Place {
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
                        Place {
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
    places: Places,
    /// By offset; what closes comes before what opens.
    inserts: BTreeMap<(u32, bool), String>,
}

impl Edit<'_> {
    fn before(&mut self, s: StmtId, place: Place) {
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

    /// At the start of a block, behind `__label__` declarations.
    fn enter(&mut self, block: StmtId) {
        let mut at = self.unit.stmt(block).span.start as usize + 1;
        loop {
            let rest = &self.unit.text[at..];
            let word = rest.len() - rest.trim_start().len();
            match rest[word..]
                .starts_with("__label__")
                .then(|| rest.find(';'))
                .flatten()
            {
                Some(semicolon) => at += semicolon + 1,
                None => break,
            }
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
                (p.line >= line && same_file(&p.file, file)).then_some((p.line, start, *s, *place))
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

/// Functions handed to functions of system headers, and all they call directly.
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
fn same_file(full: &str, given: &str) -> bool {
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

fn near_functions(units: &[&Unit], name: &str) -> Vec<String> {
    let mut all: Vec<(usize, &str)> = units
        .iter()
        .flat_map(|u| {
            u.functions
                .iter()
                .filter(|f| !u.lines.is_system(f.span.start))
                .map(|f| u.sym(f.sym).name.as_str())
        })
        .map(|n| (distance(n, name), n))
        .filter(|(d, _)| *d <= name.len() / 2 + 1)
        .collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter()
        .take(3)
        .map(|(_, n)| format!("`{n}`"))
        .collect()
}

fn near_lines(units: &[&Unit], file: &str, line: u32) -> Option<String> {
    let mut lines: Vec<u32> = Vec::new();
    for u in units {
        for (s, _) in Places::new(u).list {
            let p = u.lines.position(u.stmt(s).span.start);
            if same_file(&p.file, file) {
                lines.push(p.line);
            }
        }
    }
    let (first, last) = (*lines.iter().min()?, *lines.iter().max()?);
    let nearest = lines.iter().min_by_key(|l| l.abs_diff(line))?;
    Some(format!(
        "statements of {file} start on lines {first} to {last}; the nearest on line {nearest}"
    ))
}

fn sources(units: &[&Unit]) -> String {
    units
        .iter()
        .map(|u| u.path.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

/// Edit distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, cb) in b.iter().enumerate() {
            let cost = diagonal + (ca != *cb) as usize;
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::build;
    use crate::types::Target;
    use expect_test::{expect, Expect};

    const HEAD: &str =
        "# 1 \"/usr/include/s.h\" 1 3\nint qsort(void *, int (*)(int));\n# 1 \"dir/a.c\" 2\n";

    fn unit(text: &str) -> Unit {
        let (unit, diags) = build("dir/a.c", format!("{HEAD}{text}"), &Target::default());
        assert!(diags.list.is_empty(), "{}", diags.render(false));
        unit
    }

    fn check(at: &[&str], text: &str, expect: Expect) {
        let everywhere = at == ["everywhere"];
        let list = if everywhere {
            vec![]
        } else {
            at.iter().map(|a| Location::parse(a).unwrap()).collect()
        };
        let locations = Locations {
            at: list,
            everywhere,
        };
        let unit = unit(text);
        let applied = apply(&unit, &locations);
        let Some(edited) = applied.text else {
            return expect.assert_eq(&missing(&[&unit], &locations, &applied.found).render(false));
        };
        assert!(applied.found.iter().all(|f| *f));
        let (again, diags) = build("dir/a.c", edited.clone(), &Target::default());
        assert!(diags.list.is_empty(), "{}", diags.render(false));
        assert_eq!(crate::dump::check_spans(&again), Vec::<String>::new());
        assert_eq!(edited.lines().count(), unit.text.lines().count());
        expect.assert_eq(&edited[HEAD.len()..].replace("pc3_checkpoint();", "@"));
    }

    #[test]
    fn at_functions_and_lines() {
        check(
            &["f", "dir/a.c:4"],
            "int f(int x) {\n  int y;\n  if (x)\n    y = 1;\n  else y = 2;\n  return y;\n}\n",
            expect![[r#"
                int f(int x) { @ 
                  int y;
                  if (x)
                    { @ y = 1; }
                  else y = 2;
                  return y;
                }
            "#]],
        );
        check(
            &["a.c:3"],
            "int f(int x) {\n  switch (x) {\n  case 1: case 2:\n    x++;\n    break;\n  }\n  return x;\n}\n",
            expect![[r#"
                int f(int x) {
                  switch (x) {
                  case 1: case 2:
                    { @ x++; }
                    break;
                  }
                  return x;
                }
            "#]],
        );
    }

    #[test]
    fn everywhere() {
        check(
            &["everywhere"],
            "int g(int);\nint f(int x) { while (g(x)) x--; for (;;) { f(1); int y = g(2); if (g(y)) break; else return g(3); } do x++; while (x); l: g(1); return ({ g(2); }); }\nint h(int x) { return g(x); }\nint k(void) { return qsort(0, h); }\n",
            expect![[r#"
                int g(int);
                int f(int x) { @  while (g(x)) { @ x--; } for (;;) { @  f(1); @ int y = g(2); @ if (g(y)) break; else { @ return g(3); } } do { @ x++; } while (x); l: { @ g(1); } @ return ({ g(2); }); }
                int h(int x) { return g(x); }
                int k(void) { @  return qsort(0, h); }
            "#]],
        );
    }

    #[test]
    fn unknown_places_name_near_ones() {
        check(
            &["fob"],
            "int foo(void) { return 1; }\n",
            expect![[r#"
            pc3cc: error[E0203]: --checkpoint-at=fob: no source defines a function `fob`
              = help: did you mean `foo`?
        "#]],
        );
        check(
            &["a.c:40"],
            "int foo(void) { return 1; }\n",
            expect![[r#"
            pc3cc: error[E0203]: --checkpoint-at=a.c:40: no statement of a function stands there
              = help: statements of a.c start on lines 1 to 1; the nearest on line 1
        "#]],
        );
        check(
            &["b.c:1"],
            "int foo(void) { return 1; }\n",
            expect![[r#"
            pc3cc: error[E0203]: --checkpoint-at=b.c:1: no statement of a function stands there
              = help: no source or header of that name contains a function; sources: dir/a.c
        "#]],
        );
    }

    #[test]
    fn syntax_of_locations() {
        assert_eq!(
            Location::parse("f_1"),
            Some(Location::Function("f_1".into()))
        );
        assert_eq!(
            Location::parse("a/b.c:12"),
            Some(Location::Line {
                file: "a/b.c".into(),
                line: 12
            })
        );
        for bad in ["", "a.c:", "a.c:0", ":3", "a b", "a.c"] {
            assert_eq!(Location::parse(bad), None, "{bad}");
        }
    }
}
