//! Objects of static storage: which of them the table lists, and which each rank has for itself.

use crate::emit::global::Global;
use crate::rewrite::clones::edits::Edits;
use crate::rewrite::frames::variables::is_const;
use crate::rewrite::text::Edit;
use crate::rewrite::unit::UnitCx;
use pc3_program::program::Program;
use pc3_program::static_objects::{is_static_object, static_initialisers};
use pc3_program::walk::{init_exprs, visit, Node};
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::{PC3_GLOBAL_CONST, PC3_GLOBAL_INIT, PC3_GLOBAL_UNSAVED};
use std::collections::{HashMap, HashSet};

/// Names with linkage that some unit defines: name → first unit.
pub fn defined(p: &Program) -> HashMap<String, usize> {
    let mut map = HashMap::new();
    for (i, u) in p.units.iter().enumerate() {
        for s in &u.symbols {
            if s.kind == SymKind::Var
                && s.is_global
                && s.storage != Storage::Static
                && is_defined(s)
            {
                map.entry(s.name.clone()).or_insert(i);
            }
        }
    }
    map
}

fn is_defined(s: &Symbol) -> bool {
    s.defined || s.initialised
}

/// A number that the C library keeps in a variable which the program uses, here first.  Where ranks share the process they
/// share it.
fn is_librarys(cx: &UnitCx, id: SymId, names: &HashMap<String, usize>) -> bool {
    const KNOWN: &[&str] = &[
        "signgam",
        "error_message_count",
        "error_one_per_line",
        "getdate_err",
        "obstack_exit_failure",
        "argp_err_exit_status",
    ];
    let s = cx.u.sym(id);
    let names_it = |u: &Unit, name: &str| {
        u.exprs.iter().any(|e| match e.kind {
            ExprKind::Ident(x) => {
                let x = u.sym(x);
                x.kind == SymKind::Var && x.is_global && x.name == name
            }
            _ => false,
        })
    };
    KNOWN.contains(&s.name.as_str())
        && s.kind == SymKind::Var
        && s.is_global
        && s.system
        && !cx.mpi
        && !names.contains_key(&s.name)
        && names_it(cx.u, &s.name)
        && !cx.p.units[..cx.unit].iter().any(|u| names_it(u, &s.name))
}

/// Does the unit speak of an object of static storage that may be written?
pub fn any(u: &Unit) -> bool {
    let untouched = pc3_program::untouched::analyse(u);
    u.symbols.iter().enumerate().any(|(i, s)| {
        let id = SymId(i as u32);
        is_static_object(s) && !s.system && !is_const(u, id) && !untouched.contains(&id)
    })
}

/// Which objects each rank has for itself.
#[derive(Default)]
pub struct Private {
    /// Per unit.
    pub symbols: Vec<HashSet<SymId>>,
    /// Those of them that are constant: they differ by the addresses in their initialisers.
    pub constant: Vec<HashSet<SymId>>,
}

/// Everything that is written, and constants that hold addresses of such objects.
pub fn private(p: &Program, names: &HashMap<String, usize>) -> Private {
    let mut r = Private {
        symbols: vec![HashSet::new(); p.units.len()],
        constant: vec![HashSet::new(); p.units.len()],
    };
    let ours = |s: &Symbol| {
        is_static_object(s)
            && (s.storage == Storage::Static || (s.is_global && names.contains_key(&s.name)))
    };
    for (i, u) in p.units.iter().enumerate() {
        let untouched = pc3_program::untouched::analyse(u);
        for (k, s) in u.symbols.iter().enumerate() {
            let fixed = untouched.contains(&SymId(k as u32)) && !has_pointer(u, s.ty.ty);
            if ours(s) && !is_const(u, SymId(k as u32)) && !fixed {
                r.symbols[i].insert(SymId(k as u32));
            }
        }
    }
    let mut linked: HashSet<String> = HashSet::new();
    loop {
        let mut changed = false;
        for (i, u) in p.units.iter().enumerate() {
            for (s, init) in static_initialisers(u) {
                if is_const(u, s)
                    && !r.symbols[i].contains(&s)
                    && ours(u.sym(s))
                    && mentions(u, init, &r.symbols[i])
                {
                    r.symbols[i].insert(s);
                    r.constant[i].insert(s);
                    if u.sym(s).storage != Storage::Static {
                        linked.insert(u.sym(s).name.clone());
                    }
                    changed = true;
                }
            }
            for (k, s) in u.symbols.iter().enumerate() {
                if s.is_global
                    && s.storage != Storage::Static
                    && s.kind == SymKind::Var
                    && linked.contains(&s.name)
                {
                    changed |= r.symbols[i].insert(SymId(k as u32));
                }
            }
        }
        if !changed {
            return r;
        }
    }
}

/// Ranks share threads, so what belongs to a thread in C belongs to the rank: `__thread` goes.
pub(crate) fn drop_thread_storage(cx: &mut UnitCx) {
    let u = cx.u;
    if !cx.mpi || !u.symbols.iter().any(|s| s.thread_local) {
        return;
    }
    let items = u.items.iter().filter_map(|i| match i {
        TopItem::Decl(d) => Some(d),
        _ => None,
    });
    let inner = u.stmts.iter().filter_map(|s| match &s.kind {
        StmtKind::Decl(d) => Some(d),
        _ => None,
    });
    let mut edits = Vec::new();
    for d in items.chain(inner) {
        if !d.vars.iter().any(|v| u.sym(v.sym).thread_local) {
            continue;
        }
        for word in ["__thread", "_Thread_local", "thread_local"] {
            let text = u.slice(&d.specifiers);
            let found = text.match_indices(word).filter(|(at, _)| {
                let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                !text[..*at].ends_with(part) && !text[at + word.len()..].starts_with(part)
            });
            edits.extend(found.map(|(at, _)| {
                let start = d.specifiers.start + at as u32;
                Edit {
                    span: start..start + word.len() as u32,
                    text: String::new(),
                }
            }));
        }
    }
    cx.ambient.extend(edits);
}

/// A constant that ranks have for themselves must lie where their copies are made from.
pub(crate) fn place_constants(cx: &UnitCx, d: &DeclGroup, edits: &mut Edits) {
    for v in &d.vars {
        if let (Some(i), true) = (&v.init, cx.private_constants.contains(&v.sym)) {
            let start = pc3_program::initialiser::init_span(cx.u, i).start;
            let before = cx.u.slice(&(v.span.start..start));
            if let Some(eq) = before.rfind('=') {
                edits.insert(
                    v.span.start + eq as u32,
                    " __attribute__((section(\".data.pc3_const\"))) ",
                );
            }
        }
    }
}

fn mentions(u: &Unit, init: &Init, set: &HashSet<SymId>) -> bool {
    let mut any = false;
    init_exprs(init, &mut |e| {
        visit(u, Node::Expr(e), &mut |n| {
            if let Node::Expr(x) = n {
                any |= matches!(u.expr(x).kind, ExprKind::Ident(s) if set.contains(&s));
            }
            true
        });
    });
    any
}

pub(crate) fn has_pointer(u: &Unit, t: TypeId) -> bool {
    match u.ty(t) {
        Type::Pointer(_) => true,
        Type::Array { elem, .. } => has_pointer(u, elem.ty),
        Type::Record(r) => u.records[r.index()]
            .fields
            .iter()
            .flatten()
            .any(|f| has_pointer(u, f.ty.ty)),
        _ => false,
    }
}

/// The rows of the table of globals.
pub fn rows(cx: &UnitCx, names: &HashMap<String, usize>) -> Vec<Global> {
    let u = cx.u;
    let mut rows = Vec::new();
    let untouched = pc3_program::untouched::analyse(u);
    for (i, s) in u.symbols.iter().enumerate() {
        let id = SymId(i as u32);
        if !is_static_object(s)
            || cx.labels.tables.contains(&id)
            || (untouched.contains(&id) && !cx.private.contains(&id))
        {
            continue;
        }
        let here = match (s.storage, s.is_global) {
            _ if is_librarys(cx, id, names) => true,
            (Storage::Static, true) => is_defined(s) && !s.decls.is_empty(),
            (Storage::Static, false) => true,
            _ => names.get(&s.name) == Some(&cx.unit) && is_defined(s),
        };
        if !here || s.system && !is_defined(s) && !is_librarys(cx, id, names) {
            continue;
        }
        let local = s.func.filter(|_| !s.is_global);
        let c_name = cx
            .statics
            .get(&id)
            .cloned()
            .unwrap_or_else(|| s.name.clone());
        let name = match (local, s.storage) {
            (Some(f), _) => format!("{}:{}.{}", u.name, cx.fname(f), s.name),
            (None, Storage::Static) => format!("{}:{}", u.name, s.name),
            _ => s.name.clone(),
        };
        let mut flags = 0;
        if is_const(u, id) && !cx.private.contains(&id) {
            flags |= PC3_GLOBAL_CONST;
        }
        if s.initialised {
            flags |= PC3_GLOBAL_INIT;
        }
        if cx.said.unsaved.contains(&id) && flags & PC3_GLOBAL_CONST == 0 {
            flags |= PC3_GLOBAL_UNSAVED;
        }
        rows.push(Global {
            name,
            c_name,
            ty: s.ty,
            flags,
            sym: Some(id),
        });
    }
    rows.extend(crate::rewrite::clones::objects::rows(cx));
    // Two statics of one name in nested blocks of a function.
    let mut seen: HashMap<String, u32> = HashMap::new();
    for r in &mut rows {
        let n = seen.entry(r.name.clone()).or_default();
        *n += 1;
        if *n > 1 {
            r.name = format!("{}__{n}", r.name);
        }
    }
    rows
}
