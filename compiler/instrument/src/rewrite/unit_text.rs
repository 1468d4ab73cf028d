//! The text of a unit: its functions and declarations as they are printed anew, between the runtime's declarations and the
//! tables.

use super::clones::edits::Edits;
use super::clones::printer::Mode;
use super::frames::plan::Plan;
use super::unit::UnitCx;
use super::{attributes, clones, function, globals, openmp, refusals, runtime_calls, text, unseen};
use super::{Dialect, ProgramFacts};
use crate::emit::global::Global;
use crate::emit::tables::{self as emit, Input, Tables};
use crate::emit::texts::Literal;
use pc3_portability::addresses::KeptAt;
use pc3_portability::lints::{OrderDependence, Wide};
use pc3_program::annotations;
use pc3_program::scalar_promotion;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The declarations in front of every unit, before preprocessing.
pub fn prelude(main: bool) -> String {
    let define = if main {
        "#define PC3_MAIN_UNIT 1\n"
    } else {
        ""
    };
    format!("{define}{}", pc3_typemetric::descriptor::PRELUDE)
}

/// The process starts in the runtime's `__wrap_main` (`ld --wrap=main`); a call of the user's from another unit is meant for
/// the user's.
const FOREIGN_MAIN: &str = "#pragma redefine_extname main __real_main\n";

/// The unit's text, and whether there was anything to do in it.
pub(super) fn write(
    w: &ProgramFacts,
    unit: usize,
    diagnostics: &mut Diagnostics,
) -> (String, bool) {
    let mut outside = BTreeSet::new();
    loop {
        let mut said = Diagnostics::default();
        let (text, changed, missed) = text_with(w, unit, &outside, &mut said);
        if missed.is_subset(&outside) {
            diagnostics.extend(said);
            return (text, changed);
        }
        outside.extend(missed);
    }
}

/// The same, where the types of some functions are declared outside; and the functions whose types the tables name in vain.
fn text_with(
    w: &ProgramFacts,
    unit: usize,
    outside: &BTreeSet<FuncId>,
    diagnostics: &mut Diagnostics,
) -> (String, bool, BTreeSet<FuncId>) {
    let dialect = w.options.dialects.get(unit).cloned().unwrap_or_default();
    let u = &w.p.units[unit];
    let mut cx = context(w, unit, outside, &dialect);
    let literals = prepare(w, &dialect, &mut cx);
    let mut edits = Edits::default();
    items(&cx, &mut edits, diagnostics);
    let globals = globals::rows(&cx, w.names);
    refusals::unions::check(&cx, &globals, diagnostics);
    let plain = runtime_calls::library::plain_allocators(&cx);
    let tables = tables(w, &cx, (&literals, &globals), diagnostics);
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

/// What is known of the unit.
fn context<'a>(
    w: &ProgramFacts<'a>,
    unit: usize,
    outside: &BTreeSet<FuncId>,
    dialect: &Dialect,
) -> UnitCx<'a> {
    let u = &w.p.units[unit];
    let (witnesses, ends) = clones::witnesses::marks(w, unit);
    UnitCx {
        p: w.p,
        unit,
        u,
        names: clones::ctypes::Names::new(u),
        plans: w.plans,
        passing: &w.graph.passing,
        heap: w.heap,
        noted: w.noted.of(unit),
        unwritten: w.noted.unwritten(unit),
        forms: w.noted.forms(unit),
        without: w.noted.without,
        early: clones::printer::stmts::before_declarations(u),
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
        packing: clones::packing::Packing::of(&u.text),
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
        witnesses,
        ends,
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
    }
}

/// Gives numbers and names to what the printed functions need, and edits what stands outside of them.
fn prepare(w: &ProgramFacts, dialect: &Dialect, cx: &mut UnitCx) -> Vec<Literal> {
    // They stay within their functions, where nothing of them is noted, and only jumps use them.
    cx.private.retain(|s| !cx.labels.tables.contains(s));
    if w.holds && !dialect.unoptimised {
        cx.held = scalar_promotion::analyse(w.p, cx.unit, &cx.private);
    }
    let literals = number_literals(w, cx.unit, cx);
    clones::hoist::prepare(cx);
    unseen::prepare(cx);
    openmp::prepare(cx);
    clones::vla::name_lengths(cx);
    clones::hoist::spell_typeofs(cx);
    attributes::prepare(cx, w.graph);
    clones::labels::prepare(cx);
    globals::drop_thread_storage(cx);
    // Other compilers do not know them.
    let pragmas = annotations::pragmas(cx.u).into_iter();
    cx.ambient.extend(pragmas.map(|(span, _)| text::Edit {
        span,
        text: String::new(),
    }));
    cx.ambient.sort_by_key(|e| e.span.start);
    literals
}

/// The unit's functions and declarations.
fn items(cx: &UnitCx, edits: &mut Edits, diagnostics: &mut Diagnostics) {
    let none = Plan::default();
    let mut behind = 0u32;
    for item in &cx.u.items {
        match item {
            TopItem::Function(f) => {
                refusals::functions::check(cx, *f, diagnostics);
                function::write(cx, *f, behind, edits);
                behind = cx.u.func(*f).span.end;
            }
            TopItem::Decl(d) => {
                let printer = function::printer(cx, FuncId(0), &none, Mode::Plain, HashSet::new());
                pc3_program::walk::decl_exprs(d, &mut |e| printer.constant(e, edits));
                globals::place_constants(cx, d, edits);
                let inits = d.vars.iter().filter_map(|v| v.init.as_ref());
                let objects: String = inits
                    .map(|i| clones::objects::definitions(cx, i, &printer))
                    .collect();
                let declared = function::declare_replaced(cx) + &cx.names.typedefs() + &objects;
                if !declared.is_empty() {
                    // In front of all, what follows is a line marker.
                    let end = if behind == 0 { "\n" } else { "" };
                    edits.insert(behind, declared + end);
                }
                behind = d.span.end;
            }
            TopItem::Other(s) => behind = s.end,
        }
    }
}

/// The unit's tables; refuses what they cannot say.
fn tables(
    w: &ProgramFacts,
    cx: &UnitCx,
    (literals, globals): (&[Literal], &[Global]),
    diagnostics: &mut Diagnostics,
) -> Tables {
    let fnrefs = function_references(w, cx);
    let numbers: Vec<&KeptAt> = w.known.numbers_of(cx.unit).collect();
    let found = &w.known.found;
    let wide: Vec<&Wide> = found.wide.iter().filter(|x| x.unit == cx.unit).collect();
    let orders: Vec<&OrderDependence> = w.known.orders_of(cx.unit).collect();
    cx.names.at_file_scope.set(true);
    let tables = emit::emit(
        cx,
        &Input {
            literals,
            globals,
            fnrefs: &fnrefs,
            numbers: &numbers,
            wide: &wide,
            orders: &orders,
        },
    );
    for (at, message) in tables.refused.iter().filter(|_| cx.has_points) {
        let help = "keep such values out of what a checkpoint saves: convert them where they are read and written";
        let code = Code::Representation;
        diagnostics.push(Diagnostic::refusal(cx.u, at, code, message.clone(), help));
    }
    tables
}

/// The number of each function's first point in the unit.
fn number_points(w: &ProgramFacts, unit: usize) -> Vec<u32> {
    let functions = 0..w.p.units[unit].functions.len() as u32;
    let lengths = functions.map(|f| w.plans[w.p.id(unit, FuncId(f)).index()].points.list.len());
    let first = lengths.scan(0, |n, len| {
        let first = *n;
        *n += len as u32;
        Some(first)
    });
    first.collect()
}

fn number_literals(w: &ProgramFacts, unit: usize, cx: &mut UnitCx) -> Vec<Literal> {
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

/// Every function of which this unit takes the address.
fn function_references(w: &ProgramFacts, cx: &UnitCx) -> Vec<(String, String)> {
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
