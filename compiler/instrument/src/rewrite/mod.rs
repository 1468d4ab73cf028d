//! From the typed tree of a whole program to instrumented C, one text per unit.

pub(crate) mod attributes;
pub(crate) mod clones;
pub(crate) mod collected;
mod explain;
pub(crate) mod frames;
pub(crate) mod globals;
mod openmp;
mod prefix;
mod refusals;
pub(crate) mod runtime_calls;
pub(crate) mod text;
pub(crate) mod unit;
pub(crate) mod unseen;

use crate::emit::tables::{self as emit, Input};
use crate::emit::texts::Literal;
use crate::rewrite::clones::printer::{Mode, Printer};
use clones::edits::{marker, Edits};
use frames::plan::Plan;
use pc3_portability::addresses::{KeptAt, Numbers};
use pc3_portability::datatypes;
use pc3_portability::heap;
use pc3_portability::lints::{self, Order, Wide};
use pc3_portability::located;
use pc3_portability::size_derived;
use pc3_portability::tags::{self, Tags};
use pc3_portability::unions::{self as noted_unions, Noted, Without};
use pc3_program::annotations::{self, Annotation, Said};
use pc3_program::callgraph::{self, CallGraph};
use pc3_program::environment;
use pc3_program::escape::Escapes;
use pc3_program::floats;
use pc3_program::linear::value_statements;
use pc3_program::program::{Callee, Program};
use pc3_program::scalar_promotion;
use pc3_program::tables;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::parallel;
use pc3_syntax::tree::*;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use unit::UnitCx;

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

/// The declarations in front of every unit, before preprocessing.
pub fn prelude(main: bool) -> String {
    let define = if main {
        "#define PC3_MAIN_UNIT 1\n"
    } else {
        ""
    };
    format!("{define}{}", pc3_typemetric::descriptor::PRELUDE)
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
    let graph = callgraph::analyse(&p, options.everywhere);
    let mut diagnostics = graph.diagnostics.clone();
    let mut said = annotations::resolve(units, &options.annotations, &mut diagnostics);
    let points = graph.reaches.contains(&true);
    let located = match points {
        true => located::tell(&p, &mut said),
        false => Vec::new(),
    };
    if points {
        let unnamed = tags::unnamed::find(&p, &said);
        for (said, unnamed) in said.units.iter_mut().zip(unnamed) {
            said.unnamed = unnamed;
        }
    }
    let addresses = || points.then(|| Numbers::new(&p, &graph, &said, &lints::wanted));
    let objects = || {
        let heap = heap::analyse(&p, &graph, &said, options.pieces);
        let mut noted = match options.track_unions {
            Track::Yes => noted_unions::analyse(&p, &graph, &said, &heap),
            Track::No => Noted::without(&p, Without::Wished),
        };
        let tags = tags::infer(&p, &noted);
        noted.leave_out(&p, &tags.choices);
        let (plans, escapes) = frames::plan::make(&p, &graph, &noted);
        noted.form(&p, &escapes.kept);
        (heap, noted, tags, plans, escapes)
    };
    let ((heap, noted, tags, plans, escapes), numbers) = parallel::both(objects, addresses);
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
    let whole = Whole {
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
    let (mut texts, mut changed) = (Vec::new(), Vec::new());
    let written = parallel::map(units, |i, _| {
        let mut diagnostics = Diagnostics::default();
        let text = unit_text(&whole, i, &mut diagnostics);
        (text, diagnostics)
    });
    for ((text, differs), d) in written {
        texts.push(text);
        changed.push(differs);
        diagnostics.extend(d);
    }
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

/// The process starts in the runtime's `__wrap_main` (`ld --wrap=main`); a call of the user's from another unit is meant for
/// the user's.
const FOREIGN_MAIN: &str = "#pragma redefine_extname main __real_main\n";

struct Whole<'a> {
    p: &'a Program<'a>,
    graph: &'a CallGraph,
    plans: &'a [Plan],
    escapes: &'a Escapes,
    heap: &'a heap::Heap,
    datatypes: &'a [Vec<datatypes::Call>],
    noted: &'a Noted,
    tags: &'a Tags,
    mpi: bool,
    floats: bool,
    environment: bool,
    /// Static numbers may be held in locals.
    holds: bool,
    names: &'a HashMap<String, usize>,
    private: &'a globals::Private,
    twins: &'a [HashSet<SymId>],
    said: &'a Said,
    known: &'a refusals::program::Known,
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

/// The unit's text, and whether there was anything to do in it.
fn unit_text(w: &Whole, unit: usize, diagnostics: &mut Diagnostics) -> (String, bool) {
    let mut outside = BTreeSet::new();
    loop {
        let mut said = Diagnostics::default();
        let (text, changed, missed) = unit_text_with(w, unit, &outside, &mut said);
        if missed.is_subset(&outside) {
            diagnostics.extend(said);
            return (text, changed);
        }
        outside.extend(missed);
    }
}

/// The same, where the types of some functions are declared outside; and the functions whose types the tables name in vain.
fn unit_text_with(
    w: &Whole,
    unit: usize,
    outside: &BTreeSet<FuncId>,
    diagnostics: &mut Diagnostics,
) -> (String, bool, BTreeSet<FuncId>) {
    let dialect = w.options.dialects.get(unit).cloned().unwrap_or_default();
    let u = &w.p.units[unit];
    let mut cx = UnitCx {
        p: w.p,
        unit,
        u,
        names: clones::ctypes::Names::new(u),
        plans: w.plans,
        heap: w.heap,
        noted: w.noted.of(unit),
        forms: w.noted.forms(unit),
        without: w.noted.without,
        early: clones::stmts::before_declarations(u),
        notes: RefCell::default(),
        savers: RefCell::default(),
        points: number_points(w, unit),
        kept: &w.escapes.kept,
        mpi: w.mpi,
        floats: w.floats,
        environment: w.environment,
        clang: dialect.clang,
        teams: dialect.teams,
        has_points: w.graph.reaches.contains(&true),
        private: w.private.symbols.get(unit).cloned().unwrap_or_default(),
        private_constants: w.private.constant.get(unit).cloned().unwrap_or_default(),
        held: HashMap::new(),
        outside: outside.clone(),
        statics: HashMap::new(),
        hoisted: HashMap::new(),
        ambient: Vec::new(),
        labels: clones::labels::find(
            u,
            |f| !w.plans[w.p.id(unit, f).index()].points.is_empty(),
            w.mpi || w.graph.reaches.contains(&true),
        ),
        literals: HashMap::new(),
        objects: pc3_program::static_objects::unnamed(u),
        func_names: RefCell::default(),
        named: HashSet::new(),
        beside: runtime_calls::out_of_bounds::find(w, unit),
        numbers: w
            .known
            .numbers_of(unit)
            .enumerate()
            .filter_map(|(i, n)| Some((n.cast?, (i, n.stays))))
            .collect(),
        told: RefCell::default(),
        witnesses: clones::witnesses::marks(w, unit),
        checks: clones::witnesses::checks(w, unit),
        marked: RefCell::default(),
        links: w.heap.pieces.links[unit]
            .iter()
            .enumerate()
            .filter(|_| w.graph.reaches.contains(&true))
            .map(|(i, l)| (l.of, i))
            .collect(),
        bytes: w.heap.bytes[unit]
            .iter()
            .enumerate()
            .filter(|_| w.mpi && w.graph.reaches.contains(&true))
            .map(|(i, b)| (b.argument, i))
            .collect(),
        datatypes: &w.datatypes[unit],
        sites: w.heap.sites[unit]
            .iter()
            .enumerate()
            .map(|(i, s)| (s.call, i))
            .collect(),
        said: &w.said.units[unit],
        copied: pc3_program::copied_structs::analyse(u),
        library: pc3_libc::renamed(w.p.units, unit),
        replaced: RefCell::default(),
        plain: RefCell::default(),
        elems: RefCell::default(),
        uses_delta: Cell::new(false),
        twins: match dialect.unoptimised {
            true => HashSet::new(),
            false => w.twins[unit].clone(),
        },
        twin_uses: RefCell::default(),
    };
    // They stay within their functions, where nothing of them is noted, and only jumps use them.
    cx.private.retain(|s| !cx.labels.tables.contains(s));
    if w.holds && !dialect.unoptimised {
        cx.held = scalar_promotion::analyse(w.p, unit, &cx.private);
    }
    let literals = number_literals(w, unit, &mut cx);
    clones::hoist::prepare(&mut cx);
    unseen::prepare(&mut cx);
    openmp::prepare(&mut cx);
    clones::vla::name_lengths(&mut cx);
    clones::hoist::spell_typeofs(&mut cx);
    attributes::prepare(&mut cx, w.graph);
    clones::labels::prepare(&mut cx);
    globals::drop_thread_storage(&mut cx);
    // Other compilers do not know them.
    let pragmas = annotations::pragmas(u).into_iter();
    cx.ambient.extend(pragmas.map(|(span, _)| text::Edit {
        span,
        text: String::new(),
    }));
    cx.ambient.sort_by_key(|e| e.span.start);

    let none = Plan::default();
    let mut edits = Edits::default();
    let mut behind = 0u32;
    for item in &u.items {
        match item {
            TopItem::Function(f) => {
                refusals::functions::check(&cx, *f, diagnostics);
                function(&cx, *f, behind, &mut edits);
                behind = u.func(*f).span.end;
            }
            TopItem::Decl(d) => {
                let printer = printer(&cx, FuncId(0), &none, Mode::Plain, HashSet::new());
                pc3_program::walk::decl_exprs(d, &mut |e| printer.constant(e, &mut edits));
                globals::place_constants(&cx, d, &mut edits);
                let inits = d.vars.iter().filter_map(|v| v.init.as_ref());
                let objects: String = inits
                    .map(|i| clones::objects::definitions(&cx, i, &printer))
                    .collect();
                let declared = declare_replaced(&cx) + &objects;
                if !declared.is_empty() {
                    edits.insert(behind, declared);
                }
                behind = d.span.end;
            }
            TopItem::Other(s) => behind = s.end,
        }
    }
    let globals = globals::rows(&cx, w.names);
    refusals::unions::check(&cx, &globals, diagnostics);
    let fnrefs = function_references(w, &cx);
    let plain = runtime_calls::library::plain_allocators(&cx);
    let numbers: Vec<&KeptAt> = w.known.numbers_of(unit).collect();
    let found = &w.known.found;
    let wide: Vec<&Wide> = found.wide.iter().filter(|x| x.unit == unit).collect();
    let orders: Vec<&Order> = w.known.orders_of(unit).collect();
    cx.names.at_file_scope.set(true);
    let tables = emit::emit(
        &cx,
        &Input {
            literals: &literals,
            globals: &globals,
            fnrefs: &fnrefs,
            numbers: &numbers,
            wide: &wide,
            orders: &orders,
        },
    );
    for (at, message) in tables.refused.iter().filter(|_| cx.has_points) {
        let help = "keep such values out of what a checkpoint saves: convert them where they are read and written";
        let code = Code::Representation;
        diagnostics.push(Diagnostic::refusal(u, at, code, message.clone(), help));
    }
    for (at, tag) in cx.names.tags.borrow().iter() {
        edits.insert(*at, format!(" {tag} "));
    }
    let main = w.p.main_of(unit).is_some();
    let calls_main = u.symbols.iter().any(|s| s.name == "main" && s.is_global);
    let changed = main || calls_main || !edits.is_empty() || !tables.empty || !plain.is_empty();
    let body = edits.apply(&cx, &(0..u.text.len() as u32));
    let prelude = match &dialect.preludes {
        Some((with, without)) => {
            if main {
                with.clone()
            } else {
                without.clone()
            }
        }
        None => prelude(main),
    };
    let text = format!(
        "# 1 \"pc3_rt.h\" 3\n{prelude}\n# 1 \"pc3_tables.h\" 3\n{}{}\n# 1 \"{}\"\n{body}\n# 1 \"pc3_tables.h\" 3\n{}",
        if main { "" } else { FOREIGN_MAIN },
        tables.front + &plain,
        u.path.replace('\\', "\\\\").replace('"', "\\\""),
        tables.back
    );
    (text, changed, cx.names.missed.take())
}

/// The number of each function's first point in the unit.
fn number_points(w: &Whole, unit: usize) -> Vec<u32> {
    let functions = 0..w.p.units[unit].functions.len() as u32;
    let lengths = functions.map(|f| w.plans[w.p.id(unit, FuncId(f)).index()].points.list.len());
    let first = lengths.scan(0, |n, len| {
        let first = *n;
        *n += len as u32;
        Some(first)
    });
    first.collect()
}

fn number_literals(w: &Whole, unit: usize, cx: &mut UnitCx) -> Vec<Literal> {
    let u = cx.u;
    // Equal texts of a unit are one object, as the compiler has it, however they are spelt.
    let mut numbers: HashMap<(String, Vec<u8>), usize> = HashMap::new();
    let mut list = Vec::new();
    let stored = clones::literals::stored(w.p, unit, w.escapes);
    cx.named = stored.named;
    for e in stored.texts {
        let x = u.expr(e);
        let ExprKind::Str { wide, ref bytes } = x.kind else {
            continue;
        };
        let mut text = u.slice(&x.span).to_string();
        text::join_lines(&mut text);
        let elem = match u.ty(x.ty.ty) {
            Type::Array { elem, .. } => *elem,
            _ => x.ty,
        };
        let key = match wide {
            true => (text.clone(), Vec::new()),
            false => (String::new(), bytes.clone()),
        };
        let n = *numbers.entry(key).or_insert_with(|| {
            list.push(Literal { text, wide, elem });
            list.len() - 1
        });
        cx.literals.insert(e, n);
    }
    list
}

fn printer<'p, 'a>(
    cx: &'p UnitCx<'a>,
    f: FuncId,
    plan: &'p Plan,
    mode: Mode,
    values: HashSet<StmtId>,
) -> Printer<'p, 'a> {
    Printer {
        cx,
        f,
        plan,
        mode,
        again: false,
        values,
        depth: Cell::new(0),
        noting: RefCell::default(),
        held: RefCell::default(),
    }
}

/// Declares the runtime's versions of library functions where the user's headers have declared the originals.
fn declare_replaced(cx: &UnitCx) -> String {
    let map = std::mem::take(&mut *cx.replaced.borrow_mut());
    map.iter()
        .filter(|(new, _)| !new.starts_with("pc3_plain_"))
        .map(|(new, s)| {
            let original = cx.u.sym(*s);
            // The program's declaration may stand in an inner block, or there may be none.
            if cx.library.contains_key(s) || original.implicit {
                format!(" extern {};", cx.names.declare_plain(original.ty, new))
            } else {
                format!(" extern __typeof__({}) {new};", original.name)
            }
        })
        .collect()
}

/// Edits of one function definition: hot clone in place, the rest around it.
fn function(cx: &UnitCx, f: FuncId, behind: u32, edits: &mut Edits) {
    let u = cx.u;
    let func = u.func(f);
    let plan = cx.plan(f);
    let body = u.stmt(func.body).span.clone();
    let instrumented = !plan.points.is_empty();
    let values = if instrumented {
        value_statements(u, func)
    } else {
        HashSet::new()
    };

    let mut front = String::new();
    cx.uses_delta.set(false);
    let hot = printer(
        cx,
        f,
        plan,
        if instrumented { Mode::Hot } else { Mode::Plain },
        values.clone(),
    );
    let mut inner = Edits::default();
    hot.stmt(func.body, &mut inner);
    let delta = cx.uses_delta.get() || openmp::uses_delta(cx, f);
    let types = clones::hoist::types_text(cx, f);
    let statics = clones::hoist::statics_text(cx, f, &hot);
    front += &declare_replaced(cx);
    if !types.is_empty() {
        inner_typedefs(cx, f, &mut inner);
    }
    front += &types;
    front += &statics;
    if instrumented {
        front += &hot.front();
        front += &attributes::wrappers(cx, f);
    }
    let is_main = u.sym(func.sym).name == "main";
    let targets = clones::labels::targets(cx, f);
    let mut prologue = hot.hot_prologue() + &targets;
    let load = " const pc3_diff pc3_d = pc3_delta;";
    if delta {
        prologue += load;
    }
    prologue += &runtime_calls::suballocation::prologue(cx, f);
    let mut epilogue = String::new();
    if instrumented {
        epilogue += &hot.leave();
    }
    if is_main && !matches!(u.ty(func.ret.ty), Type::Void) {
        epilogue += "return 0; ";
    }
    rename_parameters(cx, f, edits);
    prologue += &hot.arrivals();
    if !prologue.is_empty() {
        inner.insert(clones::labels::inside(u, &body), prologue.clone());
    }
    if !epilogue.is_empty() {
        inner.insert(body.end - 1, epilogue.clone());
    }
    if instrumented && func.is_inline && u.sym(func.sym).storage != Storage::Static {
        // Compilers complain of static names in inline functions with linkage.
        let text = marker(u, body.start, true) + &clones::edits::quieten(&inner.apply(cx, &body));
        edits.replace_raw(&body, text + &marker(u, body.end, false));
    } else {
        edits.append(inner);
    }
    if !front.is_empty() {
        edits.insert_quiet(u, behind, func.span.start, front);
    }
    let mut copies = String::new();
    if cx.twins.contains(&func.sym) {
        let mut again = printer(cx, f, plan, hot.mode, values.clone());
        again.again = true;
        let mut head = Edits::default();
        rename_parameters(cx, f, &mut head);
        copies += &clones::function_copies::text(cx, f, &again, &prologue, &epilogue, head);
    }
    if instrumented {
        let resume = printer(cx, f, plan, Mode::Resume, values);
        let mut inner = Edits::default();
        resume.stmt(func.body, &mut inner);
        inner_typedefs(cx, f, &mut inner);
        if !targets.is_empty() {
            inner.insert(clones::labels::inside(u, &body), targets);
        }
        if !epilogue.is_empty() {
            inner.insert(body.end - 1, epilogue);
        }
        let block = inner.apply(cx, &body);
        let mut text = marker(u, func.span.start, true);
        text += &cx.savers.borrow_mut().definitions();
        text += &resume.resume_head();
        if delta {
            text += &format!("{load} ");
        }
        text += &resume.dispatch((1, plan.points.list.len() as u32));
        text += &marker(u, body.start, true);
        text += &clones::edits::quieten(&block);
        text += " }";
        copies += &text;
    }
    if !copies.is_empty() {
        let declared = match clones::function_copies::declarations(cx) {
            d if d.is_empty() => d,
            d => marker(u, func.span.start, true) + &d,
        };
        let text = declared + &copies + &marker(u, func.span.end, false);
        edits.insert_raw(func.span.end, text);
    }
}

fn rename_parameters(cx: &UnitCx, f: FuncId, edits: &mut Edits) {
    let (u, func, plan) = (cx.u, cx.u.func(f), cx.plan(f));
    for p in &func.params {
        if let Some(new) = plan.renamed.get(p) {
            u.sym(*p)
                .decls
                .iter()
                .filter(|d| d.start >= func.head.start && d.end <= func.head.end)
                .for_each(|d| edits.replace(d, new.clone()));
        }
    }
}

/// Typedefs that were moved in front of the function.
fn inner_typedefs(cx: &UnitCx, f: FuncId, edits: &mut Edits) {
    if clones::hoist::hoists_typedefs(cx, f) {
        pc3_program::walk::visit_decls(
            cx.u,
            pc3_program::walk::Node::Stmt(cx.u.func(f).body),
            &mut |d, _| {
                if d.is_typedef && d.vars.iter().all(|v| !cx.names.is_vm(cx.u.sym(v.sym).ty)) {
                    edits.replace(&d.span, "");
                }
            },
        );
    }
}

/// Every function of which this unit takes the address.
fn function_references(w: &Whole, cx: &UnitCx) -> Vec<(String, String)> {
    let mut map = BTreeMap::new();
    for f in &w.graph.address_taken {
        if w.p.fns[f.index()].0 == cx.unit {
            let sym = w.p.func(*f).sym;
            let c = cx.u.sym(sym).name.clone();
            map.insert(w.p.portable_name(cx.unit, sym), c);
        }
    }
    for s in &w.graph.external_taken[cx.unit] {
        let name = cx.u.sym(*s).name.clone();
        if !name.starts_with("__builtin_") {
            let c = runtime_calls::library::library_reference(cx, *s, &name)
                .unwrap_or_else(|| name.clone());
            map.insert(name, c);
        }
    }
    map.into_iter().collect()
}
