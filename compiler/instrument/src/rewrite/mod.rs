//! From the typed tree of a whole program to instrumented C, one text per unit.
//!
//! * `frames`: what each point saves, and how; `clones`: the two clones of a function; `runtime_calls`: calls in them and elsewhere.
//! * `function`, `unit_text`: the text of a function and of a unit; `globals`: objects of static storage.
//! * `refusals`: what is refused, with its text; `explain`: what `--explain` says.
//! * `unit`, `collected`: what is known of a unit, and what is found while it is printed, for the tables.
//! * `attributes`, `openmp`, `prefix`, `unseen`, `text`: attributes, directives, names and texts that need care.

pub(crate) mod attributes;
pub(crate) mod clones;
pub(crate) mod collected;
mod explain;
pub(crate) mod frames;
mod function;
pub(crate) mod globals;
mod openmp;
mod prefix;
mod refusals;
pub(crate) mod runtime_calls;
pub(crate) mod text;
pub(crate) mod unit;
mod unit_text;
pub(crate) mod unseen;

use frames::plan::Plan;
use pc3_portability::addresses::Numbers;
use pc3_portability::datatypes;
use pc3_portability::heap;
use pc3_portability::lints;
use pc3_portability::located;
use pc3_portability::size_derived;
use pc3_program::annotations::{self, Annotation, Annotations};
use pc3_program::callgraph::{self, CallGraph};
use pc3_program::environment;
use pc3_program::escape::Escapes;
use pc3_program::floats;
use pc3_program::program::{Callee, Program};
use pc3_program::scalar_promotion;
use pc3_program::tables;
use pc3_syntax::diag::Diagnostics;
use pc3_syntax::parallel;
use pc3_syntax::tree::*;
use pc3_unions::tags::{self, Tags};
use pc3_unions::tracking::{self, TrackedUnions, Without};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
pub use unit_text::prelude;

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Locations come from `--checkpoint-everywhere`: those under library callbacks are dropped.
    pub everywhere: bool,
    /// Per unit; units without one are for a compiler like gcc, and take the header as it is.
    pub dialects: Vec<Arc<Dialect>>,
    pub outside: Outside,
    pub track_unions: Track,
    /// Is it noted what is handed out in pieces?
    pub pieces: bool,
    /// Of `--annotations`.
    pub annotations: Vec<Annotation>,
}

/// Is it noted which member of a union was written last?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Track {
    #[default]
    Yes,
    No,
}

/// What is linked with the units without being one: by symbol, the object's name.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    pub defines: HashMap<String, String>,
    /// What the user's own objects among them define, whatever the C library has by these names.
    pub own: HashSet<String>,
    pub uses: HashMap<String, String>,
}

/// For what compiler, and under which options of its, a unit is written.
#[derive(Clone, Debug, Default)]
pub struct Dialect {
    pub clang: bool,
    /// Nothing is inlined.
    pub unoptimised: bool,
    /// A library of OpenMP is linked.
    pub teams: bool,
    /// What the target's preprocessor (`-E -P`) makes of [`prelude`], for the unit with main and for the
    /// others: then the output is preprocessed text.  Empty: the header as it is, to be preprocessed with it.
    pub preludes: Option<(String, String)>,
}

pub struct Output {
    /// Instrumented C per unit.
    pub texts: Vec<String>,
    /// Does it differ from the user's?
    pub changed: Vec<bool>,
    /// Does it have to do with variables of static storage, for which code at a fixed address is better?
    pub statics: Vec<bool>,
    pub diagnostics: Diagnostics,
    pub explain: String,
    /// What allocates, and of what type.
    pub heap: heap::report::Report,
    /// Does the program have a checkpoint location at all?
    pub has_locations: bool,
    pub has_mpi: bool,
    /// Does it look at the floating-point environment?
    pub has_floats: bool,
}

pub fn instrument(units: &[Unit], options: &Options) -> Output {
    let foreign = options.outside.defines.keys().map(String::as_str);
    let own = options.outside.own.iter().map(String::as_str);
    let used = options.outside.uses.keys().map(String::as_str);
    let p = Program::new(units).with_foreign(foreign, own, used);
    let mut wrong = Diagnostics::default();
    let mut said = annotations::resolve(units, &options.annotations, &mut wrong);
    let p = p.passing(&said.passing);
    let graph = callgraph::analyse(&p, options.everywhere);
    let mut diagnostics = graph.diagnostics.clone();
    diagnostics.extend(wrong);
    let points = graph.reaches.contains(&true);
    let located = match points {
        true => concluded(&p, &mut said),
        false => Vec::new(),
    };
    let addresses = || points.then(|| Numbers::new(&p, &graph, &said, &lints::wanted));
    let objects = || Objects::analyse(&p, &graph, &said, options);
    let (objects, numbers) = parallel::both(objects, addresses);
    let Objects {
        heap,
        noted,
        tags,
        plans,
        escapes,
    } = objects;
    for (said, choices) in said.units.iter_mut().zip(&tags.choices) {
        for (at, choice) in choices {
            said.choices.entry(*at).or_insert_with(|| choice.clone());
        }
    }
    let allocates = |unit: usize, e: ExprId| heap.sites[unit].iter().any(|s| s.call == e);
    said.check(&p, &graph, &allocates, &mut diagnostics);
    let mpi = calls_mpi(&p);
    let floats = floats::used(&p);
    let names = globals::defined(&p);
    let private = if mpi {
        globals::private(&p, &names)
    } else {
        globals::Private::default()
    };
    let twins =
        clones::function_copies::choose(&p, &graph, |f| !plans[f.index()].points.is_empty());
    heap.tell(&p, &mut diagnostics);
    let numbers = numbers.map(|numbers| {
        let saved = frames::plan::saved(&p, &plans);
        // Ranks of several processes would have to tell each other what has run.
        let with = (&saved as &_, !mpi);
        let measured = size_derived::find(&p, &graph, &said, &heap, &numbers, with);
        size_derived::tell(&p, &measured, &numbers.arrays, &mut said);
        (numbers, measured)
    });
    located::tell_rest(&mut said, &located);
    let numbers = numbers.as_ref().map(|(n, m)| (n, m));
    let datatypes = match numbers.filter(|_| mpi) {
        Some((numbers, _)) => datatypes::find(&p, &graph, numbers),
        None => vec![Vec::new(); units.len()],
    };
    let mut known =
        refusals::program::check(&p, &graph, &plans, &heap, numbers, mpi, &mut diagnostics);
    known.found.orders.extend(tags.orders(&p));
    refusals::outside_paths::check(&p, &graph, &options.outside, &private, &mut diagnostics);
    let whole = ProgramFacts {
        p: &p,
        graph: &graph,
        plans: &plans,
        escapes: &escapes,
        heap: &heap,
        datatypes: &datatypes,
        noted: &noted,
        tags: &tags,
        mpi,
        floats,
        environment: environment::used(&p),
        holds: mpi && !scalar_promotion::makes_threads(&p),
        names: &names,
        private: &private,
        twins: &twins,
        said: &said,
        known: &known,
        options,
    };
    let (texts, changed) = texts(&whole, &mut diagnostics);
    refusals::unions::once(&mut diagnostics);
    said.accept(&mut diagnostics);
    Output {
        texts,
        changed,
        statics: units.iter().map(globals::any).collect(),
        diagnostics,
        explain: explain::explain(&whole),
        heap: heap::report::report(&p, &heap),
        has_locations: points,
        has_mpi: mpi,
        has_floats: floats,
    }
}

/// What the program's text says as annotations could: numbers that are addresses, members that nothing names.
fn concluded(p: &Program, said: &mut Annotations) -> Vec<Vec<SymId>> {
    let located = located::tell(p, said);
    let unnamed = tags::unnamed::find(p, said);
    for (said, unnamed) in said.units.iter_mut().zip(unnamed) {
        said.unnamed = unnamed;
    }
    located
}

/// What is known of memory, of unions, and of what functions save.
struct Objects {
    heap: heap::Heap,
    noted: TrackedUnions,
    tags: Tags,
    plans: Vec<Plan>,
    escapes: Escapes,
}

impl Objects {
    fn analyse(p: &Program, graph: &CallGraph, said: &Annotations, options: &Options) -> Objects {
        let heap = heap::analyse(p, graph, said, options.pieces);
        let mut noted = match options.track_unions {
            Track::Yes => tracking::analyse(p, graph, said, &heap),
            Track::No => TrackedUnions::without(p, Without::Wished),
        };
        let tags = tags::infer(p, &noted);
        noted.leave_out(p, &tags.choices);
        let (plans, escapes) = frames::plan::make(p, graph, &noted);
        noted.form(p, &escapes.kept);
        Objects {
            heap,
            noted,
            tags,
            plans,
            escapes,
        }
    }
}

/// The units' texts, and whether they differ from the user's.
fn texts(whole: &ProgramFacts, diagnostics: &mut Diagnostics) -> (Vec<String>, Vec<bool>) {
    let written = parallel::map(whole.p.units, |i, _| {
        let mut diagnostics = Diagnostics::default();
        let text = unit_text::write(whole, i, &mut diagnostics);
        (text, diagnostics)
    });
    let mut all = (Vec::new(), Vec::new());
    for ((text, differs), d) in written {
        all.0.push(text);
        all.1.push(differs);
        diagnostics.extend(d);
    }
    all
}

/// What is known of the whole program.
struct ProgramFacts<'a> {
    p: &'a Program<'a>,
    graph: &'a CallGraph,
    plans: &'a [Plan],
    escapes: &'a Escapes,
    heap: &'a heap::Heap,
    datatypes: &'a [Vec<datatypes::Call>],
    noted: &'a TrackedUnions,
    tags: &'a Tags,
    mpi: bool,
    floats: bool,
    environment: bool,
    /// Static numbers may be held in locals.
    holds: bool,
    names: &'a HashMap<String, usize>,
    private: &'a globals::Private,
    twins: &'a [HashSet<SymId>],
    said: &'a Annotations,
    known: &'a refusals::program::RuntimeFacts,
    options: &'a Options,
}

fn calls_mpi(p: &Program) -> bool {
    p.units.iter().enumerate().any(|(i, u)| {
        u.exprs.iter().any(|e| match e.kind {
            ExprKind::Ident(s) => {
                u.sym(s).kind == SymKind::Func
                    && tables::is_mpi(&u.sym(s).name)
                    && matches!(p.resolve(i, s), Callee::External(_))
            }
            _ => false,
        })
    })
}
