//! What the program's author says that C's types cannot, as pragmas or in a file for sources that stay untouched:
//!
//! ```text
//! #pragma pc3 union value.as by kind: number = 0, text = 1 | 2, none = *
//! #pragma pc3 union reply by reply_kind: ...     a variable, by another one beside it
//! #pragma pc3 pointer cell.word tags 3 = 0 | 2   an integer holds an address; with these tags
//! #pragma pc3 bytes pool.item of struct node     an integer counts bytes of such objects
//! #pragma pc3 bytes stats.total of anything      it counts bytes for people: it may stay what it is
//! #pragma pc3 type struct node                   what the next statement allocates
//! #pragma pc3 type grow: struct node             what a function allocates, or the line FILE:LINE
//! #pragma pc3 unsaved table by fill_table        computed at a restart by a function
//! #pragma pc3 call reopen at restart             a function called around checkpoints
//! #pragma pc3 accept size-kept                   a warning of the next statement has been looked at
//! #pragma pc3 no checkpoint below compare        locations that a function comes to are passed by
//! ```
//! In a file (`--annotations=FILE`) the same from the first word on, one per line; `#` begins a comment.  Structs are named
//! by tag or typedef, variables by name, those of a function as `FUNCTION.NAME`, static ones also as `FILE:NAME`.  What
//! is said of a struct holds in every unit.

mod accepted;
mod allocations;
mod names;
mod types;
mod unions;

use accepted::Accepted;
pub use allocations::{Allocation, Typed};
pub use types::prepare;

use crate::callgraph::CallGraph;
use crate::program::Program;
use memchr::memmem;
use names::{Named, Thing};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics, SourceText};
use pc3_syntax::names::{annotations, is_annotation, ANNOTATIONS};
use pc3_syntax::preprocess::Position;
use pc3_syntax::tree::*;
use pc3_typemetric::choice::Choice;
use pc3_typemetric::descriptor::{
    PC3_EVENT_BEFORE, PC3_EVENT_CONTINUE, PC3_EVENT_RECOMPUTE, PC3_EVENT_RESTART,
};
use pc3_typemetric::types::AddressBits;
use std::collections::{BTreeMap, HashMap, HashSet};

/// One annotation and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    pub text: String,
    pub from: AnnotationSource,
    /// What it is about must exist; else it may be meant for another program of the build.
    pub strict: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnotationSource {
    /// Unit and place in its text.
    Pragma(usize, Span),
    /// `file:line`
    File(String),
}

/// What is said of one unit's types, variables and functions.
#[derive(Clone, Debug, Default)]
pub struct InUnit {
    /// Record and number of a field that is a union: which member is in use.
    pub choices: HashMap<(RecordId, usize), Choice>,
    /// Members of unions that the program never names (crate `unions`, `tags`).
    pub unnamed: HashSet<(RecordId, usize)>,
    /// The same of variables, by variables.
    pub chosen: HashMap<SymId, Choice>,
    pub addresses: Meanings<AddressBits>,
    pub bytes: Meanings<QualType>,
    /// Numbers of bytes that are only reported.
    pub reported: Meanings<()>,
    /// Not said, but found: integers made of sizes; indices into `made`.
    pub sizes: Meanings<usize>,
    pub made: Vec<Sizes>,
    /// The integers in what calls allocate, likewise found.
    pub blocks: HashMap<ExprId, Meaning>,
    /// Variables that are computed anew.
    pub unsaved: HashSet<SymId>,
    /// Functions and at which events (`PC3_EVENT_*`) they are called.
    pub around: BTreeMap<SymId, u32>,
}

/// What integers stand for, those in arrays and behind pointers included.
#[derive(Clone, Debug)]
pub struct Meanings<T> {
    pub variables: HashMap<SymId, T>,
    pub members: HashMap<(RecordId, usize), T>,
}

impl<T> Default for Meanings<T> {
    fn default() -> Meanings<T> {
        Meanings {
            variables: HashMap::new(),
            members: HashMap::new(),
        }
    }
}

impl<T> Meanings<T> {
    fn insert(&mut self, what: Named, meaning: T) {
        match what {
            Named::Variable(s) => _ = self.variables.insert(s, meaning),
            Named::Member(r, k) => _ = self.members.insert((r, k), meaning),
        }
    }
}

/// What an integer is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Meaning {
    Address(AddressBits),
    /// A number of bytes of objects of this type.
    Bytes(QualType),
    /// Made of sizes: an index into `made`.
    Sizes(usize),
}

/// Sizes that a number is made of.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// Of the places in the sources that have them, as in the table of those.
    pub places: String,
    /// `PC3_TYPE_*`
    pub flags: u8,
}

impl InUnit {
    pub fn of_variable(&self, s: SymId) -> Option<Meaning> {
        let address = self.addresses.variables.get(&s).copied();
        let bytes = || self.bytes.variables.get(&s).copied().map(Meaning::Bytes);
        let sizes = || self.sizes.variables.get(&s).copied().map(Meaning::Sizes);
        address.map(Meaning::Address).or_else(bytes).or_else(sizes)
    }
    pub fn of_member(&self, r: RecordId, k: usize) -> Option<Meaning> {
        let address = self.addresses.members.get(&(r, k)).copied();
        let bytes = || self.bytes.members.get(&(r, k)).copied().map(Meaning::Bytes);
        let sizes = || self.sizes.members.get(&(r, k)).copied().map(Meaning::Sizes);
        address.map(Meaning::Address).or_else(bytes).or_else(sizes)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Annotations {
    pub units: Vec<InUnit>,
    pub allocations: Vec<Allocation>,
    /// Functions that are called around checkpoints, and who says so.
    pub called: Vec<(usize, FuncId, Annotation)>,
    accepted: Vec<Accepted>,
    /// Functions below which no checkpoint is taken.
    pub passing: Vec<(usize, FuncId)>,
}

/// Why an annotation cannot be followed.
pub(crate) enum Problem {
    Wrong(String),
    /// What it is about does not exist.
    Absent(String),
}

pub(crate) fn wrong<T>(why: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Wrong(why.into()))
}

pub fn in_file(name: &str, contents: &str) -> Vec<Annotation> {
    let lines = contents.lines().enumerate();
    let said = lines.map(|(i, l)| (i, l.split('#').next().unwrap_or("").trim()));
    said.filter(|(_, l)| !l.is_empty())
        .map(|(i, l)| Annotation {
            text: l.to_string(),
            from: AnnotationSource::File(format!("{name}:{}", i + 1)),
            strict: true,
        })
        .collect()
}

/// `FILE:LINE`, a tab, and what stands there.
pub fn lines(said: &[Annotation]) -> Vec<String> {
    let line = |a: &Annotation| match &a.from {
        AnnotationSource::File(place) => Some(format!("{place}\t{}", a.text)),
        AnnotationSource::Pragma(..) => None,
    };
    said.iter().filter_map(line).collect()
}

/// Those of a unit's pragmas, with the place of the whole line.
pub fn pragmas(u: &Unit) -> Vec<(Span, String)> {
    let mut out: Vec<(Span, String)> = Vec::new();
    for at in memmem::find_iter(u.text.as_bytes(), "pragma") {
        let start = u.text[..at].rfind('\n').map_or(0, |n| n + 1);
        let line = u.text[start..].lines().next().unwrap_or_default();
        let span = start as u32..(start + line.trim_end().len()) as u32;
        // The word may be there twice.
        if out.last().is_none_or(|(last, _)| *last != span) {
            out.extend(pragma(line).map(|text| (span, text)));
        }
    }
    out
}

fn pragma(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("pragma")?.trim_start();
    let rest = rest.strip_prefix("pc3").or(rest.strip_prefix("ccc"))?;
    let rest = rest.trim();
    is_annotation(rest.split_whitespace().next()?).then(|| rest.to_string())
}

/// Pragmas and what the files say, each text once.
fn all(units: &[Unit], file: &[Annotation]) -> Vec<Annotation> {
    let mut all: Vec<Annotation> = Vec::new();
    for a in file {
        if !all.iter().any(|o| o.text == a.text) {
            all.push(a.clone());
        }
    }
    for (i, u) in units.iter().enumerate() {
        all.extend(pragmas(u).into_iter().map(|(span, text)| Annotation {
            text,
            from: AnnotationSource::Pragma(i, span),
            strict: true,
        }));
    }
    all
}

/// Only one member of `mbstate_t` is ever used.
const LIBRARY: &[&str] = &["union __mbstate_t.__value by __count: __wch = *"];

/// What all of them say; each must be about something that exists.
pub fn resolve(units: &[Unit], file: &[Annotation], out: &mut Diagnostics) -> Annotations {
    let mut said = Annotations {
        units: vec![InUnit::default(); units.len()],
        ..Annotations::default()
    };
    // What is known of the C library's own.
    for text in LIBRARY {
        let from = AnnotationSource::File(String::new());
        let strict = false;
        // Programs without it have nothing to be told.
        let _ = one(
            units,
            &Annotation {
                text: (*text).into(),
                from,
                strict,
            },
            &mut said,
        );
    }
    for a in &all(units, file) {
        if let Err(problem) = one(units, a, &mut said) {
            out.push(refusal(units, a, problem));
        }
    }
    said
}

fn refusal(units: &[Unit], a: &Annotation, problem: Problem) -> Diagnostic {
    let elsewhere = !a.strict && matches!(problem, Problem::Absent(_));
    let (Problem::Wrong(why) | Problem::Absent(why)) = problem;
    if elsewhere {
        return at(
            units,
            a,
            Diagnostic::warning(
                Code::AnnotationElsewhere,
                format!("this annotation is about nothing in this program: {why}"),
            ),
        )
        .help("it may be meant for another program of the same build");
    }
    let word = a.text.split_whitespace().next().unwrap_or("");
    let form = ANNOTATIONS.iter().find(|(w, _)| *w == word);
    let form = form.map_or_else(annotations, |(_, f)| (*f).into());
    let message = format!("this annotation cannot be followed: {why}");
    at(units, a, Diagnostic::error(Code::Annotation, message))
        .help(format!("`{form}`: see docs/guide.md"))
}

/// The diagnostic, at the place of the annotation.
fn at(units: &[Unit], a: &Annotation, mut d: Diagnostic) -> Diagnostic {
    match &a.from {
        AnnotationSource::Pragma(unit, span) => d.at(&units[*unit], span),
        AnnotationSource::File(place) => {
            let (file, line) = place.rsplit_once(':').unwrap_or((place, "1"));
            d.at = Some(SourceText {
                position: Position {
                    file: file.into(),
                    line: line.parse().unwrap_or(1),
                    column: 1,
                    system: false,
                },
                text: a.text.clone(),
            });
            d
        }
    }
}

impl Annotations {
    /// Leaves out the warnings that the author has accepted where they stand.
    pub fn accept(&self, out: &mut Diagnostics) {
        let accepted = |d: &Diagnostic| self.accepted.iter().any(|a| a.covers(d));
        out.list.retain(|d| !accepted(d));
    }

    /// What only the whole program shows: allocations that are none (`allocates`: is this call of a unit one?), functions that must not reach a location.
    pub fn check(
        &self,
        p: &Program,
        graph: &CallGraph,
        allocates: &dyn Fn(usize, ExprId) -> bool,
        out: &mut Diagnostics,
    ) {
        for a in &self.allocations {
            if let Some((absent, why)) = a.problem(p.units, allocates) {
                let problem = if absent {
                    Problem::Absent(why)
                } else {
                    Problem::Wrong(why)
                };
                out.push(refusal(p.units, &a.annotation, problem));
            }
        }
        for (unit, f, a) in &self.called {
            if graph.reaches[p.id(*unit, *f).index()] {
                let name = p.name(p.id(*unit, *f));
                let d = Diagnostic::error(
                    Code::Annotation,
                    format!("`{name}` is called around checkpoints and can reach a checkpoint location itself"),
                );
                out.push(at(p.units, a, d).help("move the location out of what it calls"));
            }
        }
    }
}

fn one(units: &[Unit], a: &Annotation, said: &mut Annotations) -> Result<(), Problem> {
    let (word, rest) = a
        .text
        .split_once(char::is_whitespace)
        .unwrap_or((&a.text, ""));
    let rest = rest.trim();
    match word {
        "union" => unions::read(units, &a.from, rest, said),
        "pointer" => pointer(units, &a.from, rest, said),
        "bytes" => bytes(units, &a.from, rest, said),
        "type" => {
            let found = allocations::read(units, a, rest)?;
            said.allocations.push(found);
            Ok(())
        }
        "unsaved" => unsaved(units, a, rest, said),
        "call" => call(units, a, rest, said),
        "accept" => {
            said.accepted.push(accepted::read(units, &a.from, rest)?);
            Ok(())
        }
        "no" => no_checkpoint(units, a, rest, said),
        _ => wrong(format!("`{word}` is none of {}", annotations())),
    }
}

/// `cell.word tags 3 = 0 | 2`
fn pointer(
    units: &[Unit],
    from: &AnnotationSource,
    rest: &str,
    said: &mut Annotations,
) -> Result<(), Problem> {
    let (what, tags) = match rest.split_once(" tags ") {
        Some((what, tags)) => (what.trim(), Some(tags)),
        None => (rest, None),
    };
    let held = tags.map_or(Ok(AddressBits::new(0, 1)), tagged)?;
    for Thing { unit, what } in names::find(units, from, what)? {
        let u = &units[unit];
        let (kind, named) = integer(u, what)?;
        if u.target.bits(kind) < u.target.pointer_bits {
            return wrong(format!("`{named}` has fewer bits than a pointer"));
        }
        said.units[unit].addresses.insert(what, held);
    }
    Ok(())
}

/// What is counted where it does not matter.
const ANYTHING: &str = "anything";

/// `pool.item of struct node`, `stats.total of anything`
fn bytes(
    units: &[Unit],
    from: &AnnotationSource,
    rest: &str,
    said: &mut Annotations,
) -> Result<(), Problem> {
    let Some((what, of)) = rest.split_once(" of ") else {
        return wrong("`of` is missing, with the type whose bytes are counted");
    };
    if of.trim() == ANYTHING {
        for Thing { unit, what } in names::find(units, from, what.trim())? {
            integer(&units[unit], what)?;
            said.units[unit].reported.insert(what, ());
        }
        return Ok(());
    }
    let written = types::parse(of)?;
    for Thing { unit, what } in names::find(units, from, what.trim())? {
        let u = &units[unit];
        integer(u, what)?;
        match written.find(u) {
            Some(q) if !matches!(u.ty(q.ty), Type::Void) => said.units[unit].bytes.insert(what, q),
            _ => {
                let of = of.trim();
                let path = &u.path;
                return wrong(format!(
                    "{path} does not know the type `{of}`: declare it there"
                ));
            }
        }
    }
    Ok(())
}

/// The kind of integer that a thing is made of, and its name.
fn integer(u: &Unit, what: Named) -> Result<(IntKind, String), Problem> {
    let (ty, named) = match what {
        Named::Variable(s) => (u.sym(s).ty, u.sym(s).name.clone()),
        Named::Member(r, k) => {
            let fields = u.records[r.index()].fields.as_deref().unwrap_or_default();
            let f = &fields[k];
            let name = f.name.clone().unwrap_or_default();
            if f.bit_width.is_some() {
                return wrong(format!("`{name}` is a bit-field"));
            }
            (f.ty, name)
        }
    };
    match u.ty(integers(u, ty.ty)) {
        Type::Int(kind) => Ok((*kind, named)),
        _ => wrong(format!(
            "`{named}` is no integer, nor an array of or a pointer to some"
        )),
    }
}

/// What arrays and pointers lead to.
pub fn integers(u: &Unit, ty: TypeId) -> TypeId {
    match u.ty(ty) {
        Type::Array { elem: q, .. } | Type::Pointer(q) => integers(u, q.ty),
        _ => ty,
    }
}

/// `3`, `3 = 0 | 2`: the bits, and with which values of them it is an address.
fn tagged(text: &str) -> Result<AddressBits, Problem> {
    let number = |t: &str| {
        pc3_typemetric::choice::integer(t.trim())
            .ok_or(Problem::Wrong(format!("`{t}` is no number")))
    };
    let (mask, values) = match text.split_once('=') {
        Some((mask, values)) => (mask, Some(values)),
        None => (text, None),
    };
    let mask = number(mask)?;
    let low = (1..=i128::from(AddressBits::MOST)).contains(&mask) && (mask + 1) & mask == 0;
    if !low {
        return wrong(format!(
            "tags are the lowest bits, as 1, 3, 7 or {}",
            AddressBits::MOST
        ));
    }
    let mut addresses = if values.is_none() { u16::MAX } else { 0 };
    for v in values.iter().flat_map(|v| v.split('|')) {
        match number(v)? {
            v if (0..=mask).contains(&v) => addresses |= 1 << v,
            v => return wrong(format!("no tag is {v}")),
        }
    }
    Ok(AddressBits::new(mask as u8, addresses))
}

/// `table by fill_table`
fn unsaved(
    units: &[Unit],
    a: &Annotation,
    rest: &str,
    said: &mut Annotations,
) -> Result<(), Problem> {
    let Some((what, function)) = rest.split_once(" by ") else {
        return wrong("`by` is missing, with the function that computes the variable anew");
    };
    for Thing { unit, what } in names::find(units, &a.from, what.trim())? {
        let Named::Variable(s) = what else {
            return wrong("members of structs are saved with them: only variables can be left out");
        };
        let sym = units[unit].sym(s);
        if !(sym.is_global || sym.storage == Storage::Static) {
            return wrong(format!("`{}` is on the stack: make it static", sym.name));
        }
        if sym.ty.is_const {
            return wrong(format!("`{}` is constant and not saved", sym.name));
        }
        said.units[unit].unsaved.insert(s);
    }
    hook(units, a, function.trim(), PC3_EVENT_RECOMPUTE, said)
}

/// `reopen at restart`
fn call(units: &[Unit], a: &Annotation, rest: &str, said: &mut Annotations) -> Result<(), Problem> {
    let Some((function, events)) = rest.split_once(" at ") else {
        return wrong("`at` is missing, with before, continue or restart");
    };
    let mut wanted = 0;
    for event in events.split('|') {
        wanted |= match event.trim() {
            "before" => PC3_EVENT_BEFORE,
            "continue" => PC3_EVENT_CONTINUE,
            "restart" => PC3_EVENT_RESTART,
            other => return wrong(format!("`{other}` is none of before, continue, restart")),
        };
    }
    hook(units, a, function.trim(), wanted, said)
}

/// `checkpoint below compare`
fn no_checkpoint(
    units: &[Unit],
    a: &Annotation,
    rest: &str,
    said: &mut Annotations,
) -> Result<(), Problem> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let ["checkpoint", "below", name] = words[..] else {
        return wrong("it names one function, behind `no checkpoint below`");
    };
    if name == "main" {
        return wrong("all of the program is below `main`");
    }
    let found = names::function(units, &a.from, name)?;
    said.passing.push(found);
    Ok(())
}

fn hook(
    units: &[Unit],
    a: &Annotation,
    name: &str,
    events: u32,
    said: &mut Annotations,
) -> Result<(), Problem> {
    let (unit, f) = names::function(units, &a.from, name)?;
    let (u, func) = (&units[unit], units[unit].func(f));
    if !func.params.is_empty() || func.variadic || !matches!(u.ty(func.ret.ty), Type::Void) {
        return wrong(format!("`{name}` is not of the form void {name}(void)"));
    }
    *said.units[unit].around.entry(func.sym).or_default() |= events;
    said.called.push((unit, f, a.clone()));
    Ok(())
}
