//! Allocation sites and the types of what they allocate.
//!
//! Two things speak: the size (`size`) and where the result goes (`flow`).
//!
//! * `n * sizeof(T)` is an array of T, unless the result becomes a pointer to something that T is only
//!   the measure of (scalars for other scalars, a struct measured in words).
//! * `sizeof(struct s) + ...` is one `struct s` with a longer array at its end, if `s` ends in an array of
//!   what follows; else nobody can say where which type lies.
//! * Without `sizeof`, what the result is cast or assigned to, passed as or returned as, if that is no struct (which
//!   may be but the head of something); a `void *` variable's own uses count.  A pointer to characters means characters, unless the program also looks at that
//!   memory as something else.
//! * `realloc` else keeps what its argument points to.
//!
//! Numbers in memory that the program also keeps as other numbers or bytes are `Form::Mixed`: they go to machines
//! that write them alike.
//!
//! A function that returns what an allocator gave it, with a size it was given, is a wrapper: its callers are
//! the sites; so is one that hands out pieces of a block (`pieces`).  A function that returns its parameter is looked through.  What stays unknown is a warning.

pub mod also;
mod flow;
mod goes;
mod parts;
pub mod pieces;
mod punned;
pub mod report;
mod size;
#[cfg(test)]
mod tests;
mod wrappers;

use super::callgraph::CallGraph;
use super::program::{is_local, FnId, Program};
use super::walk::{visit, Node};
use crate::annotations::{Said, Typed};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::tree::*;
pub use also::Also;
use flow::{Flow, Follow, Place, Punned, Use, Wish};
pub use goes::one_line;
use pc3_typemetric::types::Held;
use pieces::Pieces;
use std::collections::{HashMap, HashSet};
use wrappers::{allocation, callers, passed, wrapped, Calls};

#[derive(Clone, Debug)]
pub struct Site {
    pub unit: usize,
    pub call: ExprId,
    /// The same in every build of the program: `allocation 2 in fill`.
    pub name: String,
    /// None: unknown, or typed by the wrapper's caller.
    pub elem: Option<QualType>,
    pub form: Form,
    /// Inside an allocation wrapper: the caller's site counts.
    pub in_wrapper: bool,
    /// The call is one of a wrapper of the program's own.
    pub of_wrapper: bool,
    /// Memory that begins with one of these, which is all that is known of it.
    pub head: Option<QualType>,
    /// Integers that hold addresses.
    pub held: Option<Held>,
    /// Why it has its type, or none.
    pub why: Why,
}

/// What says the type of memory, or why nothing does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// `sizeof` in the size.
    Size,
    /// The older form of a flexible array, or `sizeof(struct s) + ...`.
    Longer,
    /// Where the result goes, in words.
    Goes(String),
    /// `realloc`: what was there before.
    Before,
    /// An annotation.
    Said,
    /// The callers of the wrapper say it.
    Callers,
    /// It is handed out in pieces: the callers of what does so say it.
    Pieces,
    /// Nothing, because.
    Unknown(String),
}

/// How a size counts structs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    #[default]
    Unknown,
    /// `n * sizeof(struct s)`
    Row,
    /// `sizeof(struct s) + ...`
    One,
    /// Numbers in memory that holds others at other times.
    Mixed,
}

pub struct Heap {
    /// In source order, per unit.
    pub sites: Vec<Vec<Site>>,
    pub pieces: Pieces,
    /// What is handed out of numbers, or of characters where that is not to be noted: per unit.
    pub unnoted: Vec<HashSet<ExprId>>,
    /// Memory that is also written as something else: per unit.
    pub also: Vec<Vec<Also>>,
    /// Functions that take what their callers left for them as they begin.
    pub takes: HashSet<FnId>,
    /// Calls that may reach such a function, or allocate, and say nothing: per unit.
    pub silent: Vec<HashSet<ExprId>>,
    /// Allocators whose address is taken, and that are called through pointers where that can be seen.
    through: HashSet<String>,
}

impl Heap {
    /// Warns of what nothing says the type of.
    pub fn tell(&self, p: &Program, out: &mut Diagnostics) {
        let units = p.units;
        for s in self.sites.iter().flatten() {
            if let Why::Unknown(why) = &s.why {
                let u = &units[s.unit];
                out.push(Diagnostic::advice(
                    u,
                    &u.expr(s.call).span,
                    Code::UntypedAllocation,
                    format!("the type of this allocation is unknown, as {why}: a checkpoint with it cannot change architecture if it holds pointers"),
                    "use sizeof in the size, assign the result to a typed pointer, or say it: `#pragma pc3 type TYPE` above",
                ));
            }
        }
        let taken = report::taken(p).into_iter();
        for (unit, e, name) in taken.filter(|t| !self.through.contains(&t.2)) {
            let u = &units[unit];
            let why = report::TAKEN;
            out.push(Diagnostic::advice(
                u,
                &u.expr(e).span,
                Code::UntypedAllocation,
                format!("the type of what `{name}` makes here is unknown, as {why}: a checkpoint with it cannot change architecture if it holds pointers"),
                "call it by name, or in a function for each type",
            ));
        }
    }
}

fn as_said(t: Typed) -> Form {
    if t.longer {
        Form::One
    } else {
        Form::Row
    }
}

/// Places whose integers hold addresses.
fn addresses(p: &Program, said: &Said) -> HashMap<Place, Held> {
    let mut all = HashMap::new();
    for (unit, u) in p.units.iter().enumerate() {
        let Some(said) = said.units.get(unit) else {
            continue;
        };
        for (s, held) in &said.addresses.variables {
            all.insert(Place::variable(unit, u, *s), *held);
        }
        for ((r, k), held) in &said.addresses.members {
            let fields = u.records[r.index()].fields.as_deref().unwrap_or_default();
            if let Some(name) = fields.get(*k).and_then(|f| f.name.as_deref()) {
                all.insert(Place::member(unit, u, *r, name), *held);
            }
        }
    }
    all
}

/// `pieces`: also of what functions hand out in pieces.
pub fn analyse(p: &Program, graph: &CallGraph, said: &Said, pieces: bool) -> Heap {
    let flows: Vec<Flow> = (0..p.units.len()).map(|i| Flow::new(p, i)).collect();
    let mut punned = Punned::new();
    for f in &flows {
        f.punned(&mut punned);
        f.dealt(&mut punned);
    }
    let found = match pieces {
        true => pieces::find(p, graph, &flows),
        false => Pieces::none(p),
    };
    // What they hand out again is what the next caller takes it for, so what they allocate is nothing by itself.
    let dealers: HashSet<FnId> = found.dealers.keys().chain(&found.late).copied().collect();
    let noted = pieces;
    let mut unnoted = found.from_words.clone();
    let mut pieces = match pieces {
        true => found,
        false => {
            for (list, texts) in unnoted.iter_mut().zip(found.texts) {
                list.extend(texts);
            }
            Pieces {
                words: found.words,
                ..Pieces::none(p)
            }
        }
    };
    punned.extend(pieces.places.iter().cloned());
    let passes = p
        .ids()
        .filter_map(|f| Some((f, passed(p, f, &flows[p.fns[f.index()].0])?)))
        .collect();
    let follow = |unit: usize| Follow {
        flow: &flows[unit],
        punned: &punned,
        passes: &passes,
    };
    let mut calls = Calls::new(p, graph);
    calls.said = &said.allocations;
    // One that is given no size may still allocate what is larger, by a size.
    let (sized, others): (HashMap<_, _>, HashMap<_, _>) = pieces
        .dealers
        .clone()
        .into_iter()
        .partition(|(_, sizes)| !sizes.is_empty());
    calls.wrappers = sized;
    let mut others = Some(others);
    let held = addresses(p, said);
    loop {
        let found: Vec<(FnId, Vec<usize>)> = p
            .ids()
            .filter(|f| !calls.wrappers.contains_key(f))
            .filter_map(|f| {
                let unit = p.fns[f.index()].0;
                Some((f, wrapped(f, &calls, &follow(unit))?))
            })
            .collect();
        if !found.is_empty() {
            calls.wrappers.extend(found);
            continue;
        }
        let Some(others) = others.take() else {
            break;
        };
        for (f, sizes) in others {
            calls.wrappers.entry(f).or_insert(sizes);
        }
    }
    for (f, sizes) in &mut pieces.dealers {
        if let Some(known) = calls.wrappers.get(f) {
            sizes.clone_from(known);
        }
    }
    let mut sites = Vec::new();
    let mut silent = Vec::new();
    let mut made = Vec::new();
    for (unit, u) in p.units.iter().enumerate() {
        let follow = follow(unit);
        let mut list = Vec::new();
        let mut others = HashSet::new();
        let mut contrary = Vec::new();
        for f in &u.functions {
            let id = p.id(unit, func_of(u, f));
            let inside = calls.wrappers.contains_key(&id) || dealers.contains(&id);
            let function = p.portable_name(unit, f.sym);
            let mut ordinal = 0;
            visit(u, Node::Stmt(f.body), &mut |n| {
                if let Node::Expr(e) = n {
                    if let Some((sizes, of_wrapper)) = allocation(&calls, unit, e) {
                        let said = calls.said(unit, e);
                        let returned =
                            said.is_none() && inside && callers(f, e, &sizes, &follow).is_some();
                        let again = returned && dealers.contains(&id);
                        let in_wrapper = returned && !again;
                        let found = match said {
                            Some(t) => Ok((t.elem, as_said(t), Why::Said)),
                            None if again && noted && pieces.dealers.contains_key(&id) => {
                                Err(Why::Pieces)
                            }
                            None if again => Err(Why::Unknown(
                                "the function hands it out again for something else".into(),
                            )),
                            None if in_wrapper => {
                                // For callers that are not known.
                                let size = size::size(follow.flow, &sizes);
                                match size.typed.first().filter(|_| !of_wrapper) {
                                    Some((q, _)) => Ok((*q, Form::Unknown, Why::Callers)),
                                    None => Err(Why::Callers),
                                }
                            }
                            None => element(e, &sizes, &follow).map_err(|why| {
                                match !of_wrapper
                                    && !pieces.places.is_empty()
                                    && is_dealt(&follow, &pieces.places, e)
                                {
                                    true => Why::Pieces,
                                    false => Why::Unknown(why),
                                }
                            }),
                        };
                        let found = match found {
                            Ok(_)
                                if !of_wrapper
                                    && !pieces.words.is_empty()
                                    && is_dealt(&follow, &pieces.words, e) =>
                            {
                                Err(Why::Unknown("it is handed out as something else".into()))
                            }
                            other => other,
                        };
                        // Blocks of which the rest is handed out as something else than it is declared as.
                        let found = match found {
                            Ok((q, Form::One, Why::Longer)) if !of_wrapper => {
                                match tail(unit, u, q) {
                                    Some((place, _)) if pieces.words.contains(&place) => {
                                        Err(Why::Unknown(
                                            "what it ends with is handed out as something else"
                                                .into(),
                                        ))
                                    }
                                    Some((_, of))
                                        if matches!(u.ty(of.ty), Type::Int(_))
                                            && !is_char(u, of)
                                            && is_dealt(&follow, &pieces.places, e) =>
                                    {
                                        Err(Why::Pieces)
                                    }
                                    _ => Ok((q, Form::One, Why::Longer)),
                                }
                            }
                            other => other,
                        };
                        // What the callers of the function around it have said would be lost, or taken for this.
                        let late = of_wrapper && inside && !in_wrapper && {
                            let reaches = |f: FnId| graph.reaches[f.index()];
                            reaches(id) && calls.target(unit, e).is_none_or(reaches)
                        };
                        let found = match late {
                            true => Err(Why::Unknown(
                                "both functions can reach a location, and allocate for their callers".into(),
                            )),
                            false => found,
                        };
                        let (elem, form, why) = match found {
                            Ok((elem, form, why)) => (Some(elem), form, why),
                            Err(why) => (None, Form::Unknown, why),
                        };
                        let head = match why {
                            Why::Unknown(_) | Why::Pieces if !of_wrapper => {
                                size::size(follow.flow, &sizes).head(u)
                            }
                            _ => None,
                        };
                        if let (Some(q), Wish::Type(to)) = (elem, wish(e, &follow)) {
                            contrary.push((base(u, q), base(u, to), e));
                        }
                        ordinal += 1;
                        list.push(Site {
                            head,
                            unit,
                            call: e,
                            name: format!("allocation {ordinal} in {function}"),
                            elem,
                            form,
                            in_wrapper,
                            of_wrapper,
                            held: follow
                                .flow
                                .destinations(e)
                                .iter()
                                .find_map(|x| held.get(x).copied()),
                            why,
                        });
                    } else if calls.may_allocate(unit, e) {
                        others.insert(e);
                    }
                }
                true
            });
        }
        sites.push(list);
        silent.push(others);
        made.push(contrary);
    }
    let also = also::find(p, &flows, &made);
    let through = ["malloc", "calloc", "realloc"]
        .into_iter()
        .filter(|name| (0..p.units.len()).any(|unit| calls.typed_through(unit, name)))
        .map(str::to_owned)
        .collect();
    let wrappers = calls.wrappers.into_keys();
    Heap {
        sites,
        pieces,
        unnoted,
        takes: wrappers.filter(|f| !graph.reaches[f.index()]).collect(),
        silent,
        also,
        through,
    }
}

/// The array that a struct ends with, and its elements.
fn tail(unit: usize, u: &Unit, q: QualType) -> Option<(Place, QualType)> {
    let Type::Record(r) = u.ty(q.ty) else {
        return None;
    };
    let last = u.records[r.index()].fields.as_ref()?.last()?;
    let name = last.name.as_ref()?;
    Some((Place::member(unit, u, *r, name), flow::element(u, last.ty)?))
}

/// Does memory go to a place from which pieces of it are handed out?
fn is_dealt(follow: &Follow, dealt: &HashSet<Place>, call: ExprId) -> bool {
    let (flow, u) = (follow.flow, follow.flow.u);
    let (mut places, mut locals) = (Vec::new(), Vec::new());
    let note = |e: ExprId, places: &mut Vec<Place>, locals: &mut Vec<SymId>| {
        let mut up = Some(e);
        while let Some(e) = up {
            up = match flow.uses.get(&e) {
                Some(Use::Same(x) | Use::Cast(_, x)) => Some(*x),
                Some(Use::Init(s)) => {
                    locals.push(*s);
                    None
                }
                Some(Use::Assign(lhs, whole)) => {
                    match u.expr(*lhs).kind {
                        ExprKind::Ident(s) if is_local(u.sym(s)) => locals.push(s),
                        _ => places.extend(flow.place(*lhs)),
                    }
                    Some(*whole)
                }
                _ => None,
            }
        }
    };
    note(call, &mut places, &mut locals);
    let mut k = 0;
    // Moved or not, from local to local.
    while let Some(s) = locals.get(k).copied().filter(|_| k < 8) {
        for e in flow.uses.keys() {
            if matches!(u.expr(flow.origin(*e).0).kind, ExprKind::Ident(x) if x == s) {
                note(*e, &mut places, &mut locals);
            }
        }
        locals.dedup();
        k += 1;
    }
    places.iter().any(|p| dealt.contains(p))
}

fn func_of(u: &Unit, f: &Function) -> FuncId {
    FuncId(
        u.functions
            .iter()
            .position(|x| std::ptr::eq(x, f))
            .unwrap_or(0) as u32,
    )
}

fn is_complete(u: &Unit, q: QualType) -> bool {
    match u.ty(q.ty) {
        Type::Record(r) => u.records[r.index()].fields.is_some(),
        Type::Void | Type::Function { .. } | Type::Unsupported(_) => false,
        Type::Array {
            len: ArrayLen::Vla(_) | ArrayLen::Unknown,
            ..
        } => false,
        _ => true,
    }
}

fn is_char(u: &Unit, q: QualType) -> bool {
    matches!(
        u.ty(q.ty),
        Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar)
    )
}

/// Without lengths that are not constant, nor those of arrays of such arrays.
fn base(u: &Unit, q: QualType) -> QualType {
    let (mut inner, mut found) = (q, q);
    while let Type::Array { elem, len } = u.ty(inner.ty) {
        inner = *elem;
        if matches!(len, ArrayLen::Vla(_) | ArrayLen::Unknown) {
            found = inner;
        }
    }
    found
}

/// Two scalars that are the same in memory on every ABI, signs apart.
fn same_width(u: &Unit, a: QualType, b: QualType) -> bool {
    use IntKind::*;
    let rank = |q: QualType| match u.ty(q.ty) {
        Type::Int(Short | UShort) => 1,
        Type::Int(Int | UInt) => 2,
        Type::Int(Long | ULong) => 3,
        Type::Int(LongLong | ULongLong) => 4,
        _ => 0,
    };
    a.ty == b.ty || rank(a) != 0 && rank(a) == rank(b)
}

/// The element type of what `call` allocates, or why there is none.
fn element(
    call: ExprId,
    sizes: &[ExprId],
    follow: &Follow,
) -> Result<(QualType, Form, Why), String> {
    let flow = follow.flow;
    let u = flow.u;
    let name = called_name(u, call);
    let mut wish = wish(call, follow);
    let mut before = false;
    if wish == Wish::Nothing && matches!(name, Some("realloc" | "reallocarray")) {
        if let ExprKind::Call { args, .. } = &u.expr(call).kind {
            let old = args.first().map(|a| super::walk::strip_casts(u, *a));
            wish = old.map_or(wish, |old| follow.stored(old));
            before = true;
        }
    }
    let size = size::size(flow, sizes);
    if (size.says_nothing() || size.plain) && flow.is_behind_header(call) {
        return Err("the function returns it behind a header of its own".into());
    }
    let of: Vec<QualType> = size.typed.iter().map(|t| t.0).collect();
    // An item of a pool has the size that the pool knows.
    if let (true, Wish::Type(q)) = (sizes.is_empty(), wish) {
        if is_complete(u, q) {
            let why = flow.goes(call).map_or(Why::Size, Why::Goes);
            return Ok((q, Form::Unknown, why));
        }
    }
    let (q, form) = decide(u, size, wish)?;
    if !is_complete(u, q) {
        return Err(format!("`{}` is not defined here", u.type_name(q)));
    }
    let why = match form {
        Form::One => Why::Longer,
        _ if of.iter().any(|t| t.ty == q.ty) => Why::Size,
        _ if before => Why::Before,
        _ => match flow.goes(call) {
            Some(where_to) => Why::Goes(where_to),
            None => Why::Size,
        },
    };
    Ok((q, form, why))
}

fn wish(call: ExprId, follow: &Follow) -> Wish {
    let flow = follow.flow;
    match called_name(flow.u, call) {
        Some("posix_memalign") => {
            size::through_address(flow, call).map_or(Wish::Nothing, |x| follow.stored(x))
        }
        _ => follow.wish(call),
    }
}

pub fn called_name(u: &Unit, call: ExprId) -> Option<&str> {
    match &u.expr(call).kind {
        ExprKind::Call { callee, .. } => library_name(u, *callee),
        _ => None,
    }
}

fn library_name(u: &Unit, callee: ExprId) -> Option<&str> {
    match u.expr(callee).kind {
        ExprKind::Ident(s) => Some(u.sym(s).name.trim_start_matches("__builtin_")),
        _ => None,
    }
}

fn decide(u: &Unit, size: size::Size, wish: Wish) -> Result<(QualType, Form), String> {
    const SEVERAL: &str = "its memory is looked at as several types";
    let name = |q: QualType| {
        u.type_name(QualType {
            is_const: false,
            ..q
        })
    };
    let wanted = match wish {
        Wish::Type(q) => Some(q),
        _ => None,
    };
    if size.unclear {
        return Err("the size combines several `sizeof`".into());
    }
    let number = |q: QualType| matches!(u.ty(base(u, q).ty), Type::Int(_) | Type::Float(_));
    // `7 + 3 * sizeof(int)` characters.
    if let (Wish::Chars(q, _), true) = (wish, size.plain) {
        if size.typed.iter().all(|t| number(t.0)) {
            return Ok((q, Form::Unknown));
        }
    }
    let Some(&(first, _)) = size.typed.first() else {
        let found = match wish {
            // How much of it, or what behind it, only a `sizeof` could say.
            Wish::Type(q) if matches!(u.ty(base(u, q).ty), Type::Record(_)) => {
                return Err(format!(
                    "it becomes a pointer to `{}`, and the size does not say by `sizeof` how many, or what follows",
                    name(base(u, q))
                ));
            }
            Wish::Type(q) | Wish::Chars(q, _) => Some(q),
            Wish::Nothing => size.chars,
            Wish::Unclear => return Err(SEVERAL.into()),
        };
        return match found {
            Some(q) => Ok((q, Form::Unknown)),
            None => Err("neither the size nor where the result goes names a type".into()),
        };
    };
    let alike = size.typed.iter().all(|(q, _)| q.ty == first.ty);
    let number = number(first);
    if alike && number && wish == Wish::Unclear {
        return Ok((first, Form::Mixed));
    }
    if alike && !size.plain {
        if let Some(w) = wanted.filter(|w| !also::begins(u, first, *w)) {
            return Err(format!(
                "its size is that of `{}`, and it becomes a pointer to `{}`",
                name(first),
                name(w)
            ));
        }
        let found = match wish {
            Wish::Chars(q, true) => q,
            _ => wanted.map_or(first, |w| measured(u, first, w)),
        };
        let row = found.ty == first.ty;
        return Ok((found, if row { Form::Row } else { Form::Unknown }));
    }
    // Some bytes more, to align or to pad.
    if alike && number && wanted.is_some_and(|w| w.ty == first.ty) {
        return Ok((first, Form::Unknown));
    }
    // One struct with more behind it.
    let fits = |head: QualType| {
        let others = size.typed.iter().filter(|(q, _)| q.ty != head.ty);
        let end = trailing(u, head);
        end.is_some_and(|end| others.clone().all(|(q, _)| same_element(u, end, *q)))
    };
    let heads = size.typed.iter().filter(|(_, whole)| *whole).map(|t| t.0);
    let mut all = wanted.into_iter().chain(heads);
    match all.find(|q| fits(*q)) {
        Some(q) => Ok((q, Form::One)),
        None if alike => Err(format!(
            "the size is `sizeof({})` and more, of which it does not say what it is",
            name(first)
        )),
        None => {
            let mut names: Vec<String> = size.typed.iter().map(|t| name(t.0)).collect();
            names.dedup();
            Err(format!(
                "the size adds up `sizeof` of {}, and it is not known what lies where",
                names.join(", ")
            ))
        }
    }
}

/// `n * sizeof(of)` bytes for a pointer to `wanted`.
fn measured(u: &Unit, of: QualType, wanted: QualType) -> QualType {
    let record = |q: QualType| matches!(u.ty(q.ty), Type::Record(_));
    let array = matches!(u.ty(of.ty), Type::Array { .. });
    if record(of) || array {
        of
    } else {
        wanted
    }
}

/// The element of the array (of no or one element) that a struct ends with.
fn trailing(u: &Unit, q: QualType) -> Option<QualType> {
    let Type::Record(r) = u.ty(q.ty) else {
        return None;
    };
    let last = u.records[r.index()].fields.as_ref()?.last()?;
    match u.ty(last.ty.ty) {
        Type::Array {
            elem,
            len: ArrayLen::Unknown | ArrayLen::Const(0 | 1),
        } => Some(*elem),
        Type::Record(_) => trailing(u, last.ty),
        _ => None,
    }
}

fn same_element(u: &Unit, a: QualType, b: QualType) -> bool {
    let pointer = |q: QualType| matches!(u.ty(q.ty), Type::Pointer(_));
    a.ty == b.ty || pointer(a) && pointer(b)
}
