//! Moves what is declared inside functions but must be named at file scope: static variables
//! (one object for both clones, and the table of globals), and types.
//!
//! A name that is unique in the unit keeps its spelling, so that the user's text needs no change.

use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::literals::function_name;
use crate::rewrite::text::Edit;
use crate::rewrite::unit::UnitCx;
use pc3_program::walk::{visit, visit_decls, Node};
use pc3_syntax::tree::*;
use std::collections::HashMap;

/// How often each name is declared in the unit: ordinary identifiers and tags apart.
struct Counts<'a> {
    ordinary: HashMap<&'a str, u32>,
    /// Records that are one type count once.
    tags: HashMap<&'a str, u32>,
}

fn count(u: &Unit) -> Counts<'_> {
    let mut c = Counts {
        ordinary: HashMap::new(),
        tags: HashMap::new(),
    };
    for s in &u.symbols {
        *c.ordinary.entry(&s.name).or_default() += 1;
    }
    for t in u
        .records
        .iter()
        .filter(|r| r.like.is_none())
        .filter_map(|r| r.tag.as_deref())
        .chain(u.enums.iter().filter_map(|e| e.tag.as_deref()))
    {
        *c.tags.entry(t).or_default() += 1;
    }
    c
}

/// Decides on names; fills `statics`, `hoisted`, `names` and `ambient`.
pub fn prepare(cx: &mut UnitCx) {
    let u = cx.u;
    let counts = count(u);
    for (i, s) in u.symbols.iter().enumerate() {
        let Some(f) = s.func else { continue };
        let id = SymId(i as u32);
        if s.kind == SymKind::Var
            && s.storage == Storage::Static
            && !s.is_global
            && !cx.labels.tables.contains(&id)
        {
            let name = format!("pc3_{}_{}_{i}", cx.fname(f), s.name);
            if s.is_constant() {
                cx.names.constants.insert(id, name.clone());
            }
            cx.statics.insert(id, name);
        }
    }
    for k in 0..u.functions.len() {
        let f = FuncId(k as u32);
        if needs_types(cx, f) {
            name_types(cx, f, &counts);
        }
    }
    rename_uses(cx);
    spell_sizes(cx);
    // A name that is given to a type without a tag would stand in one of the definitions only.
    let repeated = u.repeated.iter().map(|span| Edit {
        span: span.clone(),
        text: String::new(),
    });
    cx.ambient.extend(repeated);
}

/// Enumerators and `constexpr` objects stand in text that is never printed as an expression, too: `case` labels, lengths, widths, designators.
fn rename_uses(cx: &mut UnitCx) {
    let u = cx.u;
    let uses = u.exprs.iter().filter_map(|x| match x.kind {
        ExprKind::Ident(s) if u.sym(s).is_constant() => Some(Edit {
            span: x.span.clone(),
            text: cx.hoisted.get(&s).or_else(|| cx.statics.get(&s))?.clone(),
        }),
        _ => None,
    });
    let uses: Vec<Edit> = uses.collect();
    cx.ambient.extend(uses);
}

/// `__typeof__(x)` where `x` may move, get another name, or be out of reach of a hoisted type: the type itself.
pub(crate) fn spell_typeofs(cx: &mut UnitCx) {
    let u = cx.u;
    let moved = moved(cx);
    let local = |s: SymId| u.sym(s).func.is_some();
    for e in &u.typeofs {
        let x = u.expr(*e);
        let inside = |f: &FuncId| {
            let body = &u.func(*f).span;
            body.start <= x.span.start && x.span.end <= body.end
        };
        let Some(f) = (0..u.functions.len() as u32).map(FuncId).find(inside) else {
            continue;
        };
        let spelled = !cx.names.is_vm(x.ty) && !matches!(u.ty(x.ty.ty), Type::Unsupported(_));
        let moves = |s: SymId| cx.statics.contains_key(&s) || cx.hoisted.contains_key(&s);
        let leaves = || is_within(&x.span, &moved) && mentions(u, *e, &local);
        if spelled && (!cx.plan(f).points.is_empty() || mentions(u, *e, &moves) || leaves()) {
            let text = cx.names.typeof_operand(x);
            cx.ambient.push(Edit {
                span: x.span.clone(),
                text,
            });
        }
    }
    cx.ambient.sort_by_key(|e| e.span.start);
}

fn mentions(u: &Unit, e: ExprId, which: &dyn Fn(SymId) -> bool) -> bool {
    let mut any = false;
    visit(u, Node::Expr(e), &mut |n| {
        any |=
            matches!(n, Node::Expr(x) if matches!(u.expr(x).kind, ExprKind::Ident(s) if which(s)));
        !any
    });
    any
}

/// `__func__` is longer in the clone of a function, and none outside of it.
fn names_function(u: &Unit, e: ExprId) -> bool {
    let mut any = false;
    visit(u, Node::Expr(e), &mut |n| {
        any |= matches!(n, Node::Expr(x) if function_name(u.slice(&u.expr(x).span)).is_some());
        !any
    });
    any
}

/// What moves out of the functions: definitions of types, objects of static storage.
fn moved(cx: &UnitCx) -> Vec<Span> {
    let u = cx.u;
    let mut moved: Vec<Span> = Vec::new();
    for k in 0..u.functions.len() as u32 {
        let f = FuncId(k);
        if needs_types(cx, f) {
            moved.extend(definitions(cx, f));
        }
        visit_decls(u, Node::Stmt(u.func(f).body), &mut |d, _| {
            let first = d.vars.first().filter(|v| cx.statics.contains_key(&v.sym));
            moved.extend(first.map(|_| d.span.clone()));
        });
    }
    moved
}

fn is_within(span: &Span, all: &[Span]) -> bool {
    (all.iter()).any(|m| m.start <= span.start && span.end <= m.end)
}

/// `sizeof x` where `x` is a local, in what moves out of its function, or where `x` itself has moved (the text may be a
/// `case` label or a length): `sizeof(its type)`.
fn spell_sizes(cx: &mut UnitCx) {
    let u = cx.u;
    let moved = moved(cx);
    let sizes = u.exprs.iter().filter_map(|x| match x.kind {
        ExprKind::SizeofExpr(of) => Some((x, of)),
        _ => None,
    });
    for (x, of) in sizes {
        let q = u.expr(of).ty;
        let has_size = |q: QualType| match u.ty(q.ty) {
            Type::Array { len, .. } => *len != ArrayLen::Unknown,
            Type::Unsupported(_) => false,
            _ => !cx.names.is_vm(q),
        };
        let local = |s: SymId| u.sym(s).func.is_some();
        let elsewhere = |s: SymId| {
            let shadow = |f| cx.plan(f).shadow_set.contains(&s);
            cx.statics.contains_key(&s) || u.sym(s).func.is_some_and(shadow)
        };
        let needed = mentions(u, of, &elsewhere)
            || names_function(u, of)
            || is_within(&x.span, &moved) && mentions(u, of, &local);
        if needed && has_size(q) {
            cx.ambient.push(Edit {
                span: x.span.clone(),
                text: format!("sizeof({})", cx.names.type_name(q)),
            });
        }
    }
    cx.ambient.sort_by_key(|e| e.span.start);
}

/// Defined in the function or in its head, such as the type of its result.
fn is_own(u: &Unit, f: FuncId, scope: Option<FuncId>, def: &Option<Span>) -> bool {
    let head = &u.func(f).head;
    let in_head = |d: &Span| head.start <= d.start && d.end <= head.end;
    scope == Some(f) || scope.is_none() && def.as_ref().is_some_and(in_head)
}

/// Types of a function's locals are needed outside if it saves frames or has statics, or tables name them.
pub(crate) fn needs_types(cx: &UnitCx, f: FuncId) -> bool {
    let u = cx.u;
    let any = (u.records.iter()).any(|r| is_own(u, f, r.scope, &r.def))
        || u.enums.iter().any(|e| is_own(u, f, e.scope, &e.def));
    let typedefs =
        cx.u.func(f)
            .locals
            .iter()
            .any(|s| cx.u.sym(*s).kind == SymKind::Typedef);
    let statics =
        cx.u.func(f)
            .locals
            .iter()
            .any(|s| cx.statics.contains_key(s));
    let sites = cx.heap.sites[cx.unit].iter().any(|s| {
        let span = &cx.u.expr(s.call).span;
        let body = &cx.u.func(f).span;
        span.start >= body.start && span.end <= body.end
    });
    (any || typedefs)
        && (!cx.plan(f).points.is_empty() || statics || sites || cx.outside.contains(&f))
}

fn name_types(cx: &mut UnitCx, f: FuncId, counts: &Counts) {
    let u = cx.u;
    for (i, r) in u
        .records
        .iter()
        .enumerate()
        .filter(|(_, r)| is_own(u, f, r.scope, &r.def))
    {
        let anonymous_member = u.records.iter().any(|o| {
            o.fields.iter().flatten().any(|x| {
                x.name.is_none() && matches!(u.ty(x.ty.ty), Type::Record(k) if k.index() == i)
            })
        });
        if anonymous_member {
            continue;
        }
        let name = match &r.tag {
            Some(t) if r.scope.is_none() || counts.tags[t.as_str()] == 1 => t.clone(),
            Some(t) => format!("pc3_{t}_{}", r.like.map_or(i, RecordId::index)),
            None => format!("pc3_anon_{i}"),
        };
        cx.names.records.insert(RecordId(i as u32), name);
    }
    for (i, e) in u
        .enums
        .iter()
        .enumerate()
        .filter(|(_, e)| is_own(u, f, e.scope, &e.def))
    {
        let name = match &e.tag {
            Some(t) if e.scope.is_none() || counts.tags[t.as_str()] == 1 => Some(t.clone()),
            Some(t) => Some(format!("pc3_{t}_{i}")),
            None => None,
        };
        if let Some(n) = name {
            cx.names.enums.insert(EnumId(i as u32), n);
        }
        if e.scope.is_some() {
            for c in &e.constants {
                rename(cx, *c, counts);
            }
        }
    }
    for s in &u.func(f).locals {
        if u.sym(*s).kind == SymKind::Typedef && !cx.names.is_vm(u.sym(*s).ty) {
            rename(cx, *s, counts);
        }
    }
    for t in &u.type_refs {
        // The span is the name alone.
        let new = match t.to {
            TypeRefTo::Record(r) => cx.names.records.get(&r).cloned(),
            TypeRefTo::Enum(e) => cx.names.enums.get(&e).cloned(),
            TypeRefTo::Typedef(s) => cx.hoisted.get(&s).cloned(),
        };
        let own = u.func(f).span.start <= t.span.start && t.span.end <= u.func(f).span.end;
        if let (Some(new), true) = (new, own) {
            if u.slice(&t.span) != new {
                cx.ambient.push(Edit {
                    span: t.span.clone(),
                    text: new,
                });
            }
        }
    }
    // A definition in place becomes a reference to the hoisted one.
    for (i, r) in u
        .records
        .iter()
        .enumerate()
        .filter(|(_, r)| is_own(u, f, r.scope, &r.def))
    {
        let id = RecordId(i as u32);
        if let (Some(def), true) = (&r.def, cx.names.records.contains_key(&id)) {
            let text = cx.names.record(id);
            cx.ambient.push(Edit {
                span: def.clone(),
                text,
            });
        }
    }
    for (i, e) in u
        .enums
        .iter()
        .enumerate()
        .filter(|(_, e)| is_own(u, f, e.scope, &e.def))
    {
        if let Some(def) = &e.def {
            let text = cx.names.enumeration(EnumId(i as u32));
            cx.ambient.push(Edit {
                span: def.clone(),
                text,
            });
        }
    }
}

fn rename(cx: &mut UnitCx, s: SymId, counts: &Counts) {
    let name = &cx.u.sym(s).name;
    if counts.ordinary[name.as_str()] > 1 {
        let new = format!("pc3_{name}_{}", s.0);
        for d in &cx.u.sym(s).decls {
            cx.ambient.push(Edit {
                span: d.clone(),
                text: new.clone(),
            });
        }
        if cx.u.sym(s).kind == SymKind::EnumConst {
            cx.names.constants.insert(s, new.clone());
        }
        cx.hoisted.insert(s, new);
    }
}

/// Where a function's types are defined that are hoisted, in the user's order.
fn definitions(cx: &UnitCx, f: FuncId) -> Vec<Span> {
    let u = cx.u;
    let mut pieces: Vec<Span> = Vec::new();
    let mut records = false;
    for (i, r) in u
        .records
        .iter()
        .enumerate()
        .filter(|(_, r)| is_own(u, f, r.scope, &r.def))
    {
        if let (Some(def), true) = (&r.def, cx.names.records.contains_key(&RecordId(i as u32))) {
            pieces.push(def.clone());
            records = true;
        }
    }
    for e in u.enums.iter().filter(|e| is_own(u, f, e.scope, &e.def)) {
        if let Some(def) = &e.def {
            if records || is_hoisted_enum(cx, e) {
                pieces.push(def.clone());
            }
        }
    }
    if hoists_typedefs(cx, f) {
        visit_decls(u, Node::Stmt(u.func(f).body), &mut |d, _| {
            if d.is_typedef && d.vars.iter().all(|v| !cx.names.is_vm(u.sym(v.sym).ty)) {
                pieces.push(d.span.clone());
            }
        });
    }
    pieces.sort_by_key(|s| (s.start, u32::MAX - s.end));
    let mut end = 0;
    // Of nested ones the outermost.
    pieces.retain(|s| {
        let first = s.start >= end;
        end = end.max(s.end);
        first
    });
    pieces
}

/// A definition that stands in front of its function, and where it ends in the user's text.
type Moved = (u32, String);

/// What moves in front of a function, in the user's order: an enumerator may be a `constexpr` object, and an object's type be
/// defined before it.
pub(crate) fn moved_text(
    cx: &UnitCx,
    f: FuncId,
    printer: &crate::rewrite::clones::printer::Printer,
) -> String {
    let mut all = types(cx, f);
    all.extend(statics(cx, f, printer));
    all.sort_by_key(|(end, _)| *end);
    all.into_iter().map(|(_, text)| text).collect()
}

/// Does the function define types that move?
pub(crate) fn has_types(cx: &UnitCx, f: FuncId) -> bool {
    !definitions(cx, f).is_empty()
}

/// The hoisted definitions of a function's types, each on one line but for its packing.
fn types(cx: &UnitCx, f: FuncId) -> Vec<Moved> {
    let one = |span: Span| {
        let text = definition(cx, f, &span);
        let text = format!("{}; ", text.trim_end_matches(';'));
        (span.end, cx.packing.keep(cx.u, f, &span, text))
    };
    definitions(cx, f).into_iter().map(one).collect()
}

fn is_hoisted_enum(cx: &UnitCx, e: &EnumDef) -> bool {
    match e.scope {
        Some(f) => needs_types(cx, f),
        // In the head of one.
        None => true,
    }
}

pub(crate) fn hoists_typedefs(cx: &UnitCx, f: FuncId) -> bool {
    needs_types(cx, f)
}

/// Text of a definition at its new place: tags renamed or added, uses inside renamed, on one line.
fn definition(cx: &UnitCx, f: FuncId, span: &Span) -> String {
    let u = cx.u;
    let inside = |s: &Span| s.start >= span.start && s.end <= span.end;
    let mut edits: Vec<Edit> = Vec::new();
    for (i, r) in u
        .records
        .iter()
        .enumerate()
        .filter(|(_, r)| is_own(u, f, r.scope, &r.def))
    {
        if let Some(new) = cx.names.records.get(&RecordId(i as u32)) {
            match (&r.tag_span, r.tag_at) {
                (Some(t), _) if inside(t) => edits.push(Edit {
                    span: t.clone(),
                    text: new.clone(),
                }),
                (None, Some(at)) if inside(&(at..at)) => edits.push(Edit {
                    span: at..at,
                    text: format!(" {new} "),
                }),
                _ => {}
            }
        }
    }
    for (i, e) in u
        .enums
        .iter()
        .enumerate()
        .filter(|(_, e)| is_own(u, f, e.scope, &e.def))
    {
        if let (Some(new), Some(t)) = (cx.names.enums.get(&EnumId(i as u32)), &e.tag_span) {
            if inside(t) {
                edits.push(Edit {
                    span: t.clone(),
                    text: new.clone(),
                });
            }
        }
    }
    let defs: Vec<&Span> = u
        .records
        .iter()
        .filter_map(|r| r.def.as_ref())
        .chain(u.enums.iter().filter_map(|e| e.def.as_ref()))
        .collect();
    let others = cx
        .ambient
        .iter()
        .filter(|e| inside(&e.span) && !defs.contains(&&e.span))
        .cloned();
    edits.extend(others);
    Edits::from_list(edits).on_one_line(u, span)
}

/// File-scope definitions of a function's statics.
fn statics(
    cx: &UnitCx,
    f: FuncId,
    printer: &crate::rewrite::clones::printer::Printer,
) -> Vec<Moved> {
    let u = cx.u;
    let mut all = Vec::new();
    visit_decls(u, Node::Stmt(u.func(f).body), &mut |d, _| {
        let Some(v) = d.vars.first() else { return };
        if d.is_typedef || !cx.statics.contains_key(&v.sym) {
            return;
        }
        let mut edits = Edits::default();
        let mut out = String::new();
        crate::rewrite::globals::place_constants(cx, d, &mut edits);
        for v in &d.vars {
            for span in u
                .sym(v.sym)
                .decls
                .iter()
                .filter(|s| s.start >= v.span.start && s.end <= v.span.end)
            {
                edits.replace(span, cx.statics[&v.sym].clone());
            }
            if let Some(i) = &v.init {
                out += &crate::rewrite::clones::objects::definitions(cx, i, printer);
                pc3_program::walk::init_exprs(i, &mut |e| printer.constant(e, &mut edits));
            }
        }
        let mut text = edits.apply(cx, &d.span);
        crate::rewrite::text::join_lines(&mut text);
        out += &text;
        if !text.trim_end().ends_with(';') {
            out += ";";
        }
        out += " ";
        all.push((d.span.end, out));
    });
    all
}
