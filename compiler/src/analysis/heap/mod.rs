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
//! the sites.  A function that returns its parameter is looked through.  What stays unknown is a warning.

mod flow;
mod parts;
pub mod report;
mod size;
#[cfg(test)]
mod tests;

use super::callgraph::CallGraph;
use super::program::{Callee, FnId, Program};
use super::walk::{children, visit, Node};
use crate::annotations::{Allocation, Said, Typed};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::tree::*;
pub use flow::one_line;
use flow::{Flow, Follow, Place, Punned, Wish};
use pc3_typemetric::types::Held;
use std::collections::{HashMap, HashSet};

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
}

impl Heap {
    /// Warns of what nothing says the type of.
    pub fn tell(&self, units: &[Unit], out: &mut Diagnostics) {
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
    }
}

/// Library allocators and which of their arguments are sizes.
pub fn allocator(name: &str) -> Option<&'static [usize]> {
    Some(match name {
        "malloc" | "__builtin_malloc" => &[0],
        "calloc" | "__builtin_calloc" => &[0, 1],
        "realloc" | "__builtin_realloc" => &[1],
        "reallocarray" => &[1, 2],
        "aligned_alloc" | "memalign" => &[1],
        "posix_memalign" => &[2],
        "alloca" | "__builtin_alloca" | "valloc" => &[0],
        _ => return None,
    })
}

/// What may be called where, so that wrappers are known through pointers too.
struct Calls<'a> {
    p: &'a Program<'a>,
    /// With the parameters that sizes are made of.
    wrappers: HashMap<FnId, Vec<usize>>,
    /// Calls through pointers and what they may reach.
    indirect: HashMap<(usize, ExprId), &'a [FnId]>,
    said: &'a [Allocation],
}

impl<'a> Calls<'a> {
    fn new(p: &'a Program<'a>, graph: &'a CallGraph) -> Calls<'a> {
        let mut indirect = HashMap::new();
        for f in p.ids() {
            let unit = p.fns[f.index()].0;
            for c in &graph.calls[f.index()] {
                let ExprKind::Call { callee, .. } = p.units[unit].expr(c.expr).kind else {
                    continue;
                };
                if p.direct(unit, callee).is_none() {
                    indirect.insert((unit, c.expr), c.targets.as_slice());
                }
            }
        }
        Calls {
            p,
            wrappers: HashMap::new(),
            indirect,
            said: &[],
        }
    }

    /// The type that an annotation gives.
    fn said(&self, unit: usize, e: ExprId) -> Option<Typed> {
        self.said.iter().find_map(|a| a.of(unit, e))
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

pub fn analyse(p: &Program, graph: &CallGraph, said: &Said) -> Heap {
    let flows: Vec<Flow> = (0..p.units.len()).map(|i| Flow::new(p, i)).collect();
    let mut punned = Punned::new();
    flows.iter().for_each(|f| f.punned(&mut punned));
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
        if found.is_empty() {
            break;
        }
        calls.wrappers.extend(found);
    }
    let mut sites = Vec::new();
    for (unit, u) in p.units.iter().enumerate() {
        let follow = follow(unit);
        let mut list = Vec::new();
        for f in &u.functions {
            let inside = calls.wrappers.contains_key(&p.id(unit, func_of(u, f)));
            let function = p.portable_name(unit, f.sym);
            let mut ordinal = 0;
            visit(u, Node::Stmt(f.body), &mut |n| {
                if let Node::Expr(e) = n {
                    if let Some((sizes, of_wrapper)) = allocation(&calls, unit, e) {
                        let said = calls.said(unit, e);
                        let in_wrapper =
                            said.is_none() && inside && callers(f, e, &sizes, &follow).is_some();
                        let found = match said {
                            Some(t) => Ok((t.elem, as_said(t), Why::Said)),
                            None if in_wrapper => Err(Why::Callers),
                            None => element(e, &sizes, &follow).map_err(Why::Unknown),
                        };
                        let (elem, form, why) = match found {
                            Ok((elem, form, why)) => (Some(elem), form, why),
                            Err(why) => (None, Form::Unknown, why),
                        };
                        ordinal += 1;
                        list.push(Site {
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
                    }
                }
                true
            });
        }
        sites.push(list);
    }
    Heap { sites }
}

fn func_of(u: &Unit, f: &Function) -> FuncId {
    FuncId(
        u.functions
            .iter()
            .position(|x| std::ptr::eq(x, f))
            .unwrap_or(0) as u32,
    )
}

/// The size arguments if `e` allocates, and whether through a wrapper.
fn allocation(calls: &Calls, unit: usize, e: ExprId) -> Option<(Vec<ExprId>, bool)> {
    let u = &calls.p.units[unit];
    let ExprKind::Call { callee, args } = &u.expr(e).kind else {
        return None;
    };
    let of = |f: &FnId| {
        let which = calls.wrappers.get(f)?;
        let sizes = which.iter().map(|i| args.get(*i).copied());
        sizes.collect::<Option<Vec<ExprId>>>()
    };
    let (sizes, of_wrapper): (Vec<ExprId>, bool) = match calls.p.direct(unit, *callee) {
        Some((_, Callee::External(name))) => {
            let which = allocator(&name)?;
            let sizes = which.iter().filter_map(|i| args.get(*i).copied());
            (sizes.collect(), false)
        }
        Some((_, Callee::Defined(f))) => (of(&f)?, true),
        None => {
            let targets = calls.indirect.get(&(unit, e))?;
            let first = of(targets.first()?)?;
            if !targets.iter().all(|t| of(t).as_ref() == Some(&first)) {
                return None;
            }
            (first, true)
        }
    };
    // `resize(p, 0)` frees.
    let nothing = |e: &ExprId| u.view().eval(super::walk::strip_casts(u, *e)) == Some(0);
    (!of_wrapper || !sizes.iter().any(nothing)).then_some((sizes, of_wrapper))
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

fn called_name(u: &Unit, call: ExprId) -> Option<&str> {
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

/// The parameter that `f` returns unchanged, whatever it does besides.
fn passed(p: &Program, f: FnId, flow: &Flow) -> Option<usize> {
    let u = p.unit(f);
    let func = p.func(f);
    let mut which = None;
    let mut only = true;
    visit(u, Node::Stmt(func.body), &mut |n| {
        if let Node::Stmt(s) = n {
            if let StmtKind::Return(Some(e)) = u.stmt(s).kind {
                let e = super::walk::strip_casts(u, e);
                let param = match u.expr(e).kind {
                    ExprKind::Ident(s) => func.params.iter().position(|x| *x == s),
                    ExprKind::Int(0) => return true,
                    _ => None,
                };
                only &= param.is_some() && (which.is_none() || which == param);
                which = which.or(param);
            }
        }
        true
    });
    let i = which.filter(|_| only)?;
    let s = func.params[i];
    let is_pointer = matches!(u.ty(u.sym(s).ty.ty), Type::Pointer(_));
    (is_pointer && flow.is_unchanged(s)).then_some(i)
}

/// If `f` returns memory of a size that its caller chose: the parameters that say the size.
fn wrapped(f: FnId, calls: &Calls, follow: &Follow) -> Option<Vec<usize>> {
    let p = calls.p;
    let u = p.unit(f);
    let func = p.func(f);
    let unit = p.fns[f.index()].0;
    if !matches!(u.ty(func.ret.ty), Type::Pointer(_)) {
        return None;
    }
    let mut which: Option<Vec<usize>> = None;
    visit(u, Node::Stmt(func.body), &mut |n| {
        if let Node::Expr(e) = n {
            let unsaid = calls.said(unit, e).is_none();
            if let Some((sizes, _)) = allocation(calls, unit, e).filter(|_| unsaid) {
                if let Some(more) = callers(func, e, &sizes, follow) {
                    let all = which.get_or_insert_default();
                    all.extend(more);
                    all.sort_unstable();
                    all.dedup();
                }
            }
        }
        true
    });
    which
}

/// If this allocation is returned, with a size and for a use that only the caller knows: by which parameters.
fn callers(func: &Function, call: ExprId, sizes: &[ExprId], follow: &Follow) -> Option<Vec<usize>> {
    let flow = follow.flow;
    let mut names = HashSet::new();
    sizes.iter().for_each(|s| idents(flow.u, *s, &mut names));
    for s in names.clone() {
        flow.values(s).for_each(|e| idents(flow.u, e, &mut names));
    }
    let size = size::size(flow, sizes);
    let returned = match called_name(flow.u, call) {
        Some("posix_memalign") => {
            size::through_address(flow, call).is_some_and(|x| follow.is_place_returned(x))
        }
        _ => follow.is_returned(call),
    };
    let number = |s: &SymId| !matches!(flow.u.ty(flow.u.sym(*s).ty.ty), Type::Pointer(_));
    let params = func.params.iter().enumerate();
    let which: Vec<usize> = params
        .filter(|(_, s)| names.contains(s) && number(s))
        .map(|(i, _)| i)
        .collect();
    let theirs = returned
        && !which.is_empty()
        && size.typed.is_empty()
        && !size.unclear
        && match wish(call, follow) {
            Wish::Nothing | Wish::Chars(..) => true,
            // The head that all of the callers' objects have.
            Wish::Type(q) => matches!(flow.u.ty(q.ty), Type::Record(_)),
            Wish::Unclear => false,
        };
    theirs.then_some(which)
}

fn idents(u: &Unit, e: ExprId, out: &mut HashSet<SymId>) {
    if let ExprKind::Ident(s) = u.expr(e).kind {
        out.insert(s);
    }
    let mut list = Vec::new();
    children(u, Node::Expr(e), &mut |c| list.push(c));
    for c in list {
        if let Node::Expr(x) = c {
            idents(u, x, out);
        }
    }
}
