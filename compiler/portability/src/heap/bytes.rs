//! What those bytes are that MPI calls are given as `MPI_BYTE`: values of what the buffer points to, or of what `sizeof` in their
//! number names.
//!
//! A message of such bytes that is under way at a checkpoint is converted like memory of that type, and so is the number of
//! bytes of a request. Bytes of characters are bytes; those behind a `void *` of which nothing more is known cannot go where
//! numbers are written in another way.

use super::flow::{element, PointerFlow};
use super::size::{innermost, size};
use super::types::{base, is_char, is_complete, trailing};
use pc3_program::callgraph::CallGraph;
use pc3_program::groups::GroupId;
use pc3_program::program::{Callee, Program};
use pc3_program::tables;
use pc3_program::walk::{strip_casts, visit, Node};
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::{PC3_BYTES_ASK, PC3_BYTES_CHARS, PC3_BYTES_TEXT};
use std::collections::HashSet;

/// An argument that is `MPI_BYTE`, or may be.
#[derive(Clone, Debug)]
pub struct Bytes {
    /// The datatype.
    pub argument: ExprId,
    /// It is the constant, rather than a value of which that is seen as the program runs.
    pub constant: bool,
    /// None: of memory of unknown type.
    pub of: Option<QualType>,
    /// What the memory may know better (`PC3_BYTES_*`).
    pub how: u32,
    /// The same in every build of the program: `bytes 2 in exchange`.
    pub name: String,
}

/// The value of `MPI_BYTE`.
const BYTE: i128 = 0x247;

/// How many steps back it is looked where a pointer comes from.
const STEPS: u32 = 4;

/// What memory holds.
enum Holds {
    Values(QualType),
    /// Or more, which begins with them.
    AtLeast(QualType),
    Characters,
    /// Characters, as far as the text says.
    Text,
    Unknown,
    /// It is none: `MPI_IN_PLACE`.
    Nothing,
}

/// Parameters that calls give the address of what is not characters, though they point to characters, by unit.
pub(super) type Given = HashSet<(usize, SymId)>;

/// Of all functions, as far as calls pass them on to each other.
pub(super) fn byte_arguments(p: &Program, graph: &CallGraph, flows: &[PointerFlow]) -> Given {
    let mut all = Given::new();
    let groups = &graph.groups;
    let mut open: Vec<(GroupId, Vec<usize>)> =
        groups.ids().map(|g| (g, texts(p, graph, g))).collect();
    loop {
        let before = all.len();
        for (group, left) in &mut open {
            left.retain(|i| {
                let given = groups.sites(*group).iter().any(|(unit, call)| {
                    let ExprKind::Call { args, .. } = &p.units[*unit].expr(*call).kind else {
                        return false;
                    };
                    let arg = args.get(*i);
                    arg.is_some_and(|a| values_behind(&flows[*unit], *a, &all, STEPS))
                });
                if given {
                    all.extend(params(p, graph, *group, *i));
                }
                !given
            });
        }
        if all.len() == before {
            return all;
        }
    }
}

/// Which parameters point to characters in some functions of a group.
fn texts(p: &Program, graph: &CallGraph, group: GroupId) -> Vec<usize> {
    let functions = graph.groups.functions(group).iter();
    let most = functions.map(|f| p.func(*f).params.len()).max();
    let some = |i: &usize| params(p, graph, group, *i).next().is_some();
    (0..most.unwrap_or(0)).filter(some).collect()
}

/// The `i`th parameters of a group's functions, where they point to characters.
fn params<'a>(
    p: &'a Program,
    graph: &'a CallGraph,
    group: GroupId,
    i: usize,
) -> impl Iterator<Item = (usize, SymId)> + 'a {
    graph.groups.functions(group).iter().filter_map(move |f| {
        let (unit, u) = (p.fns[f.index()].0, p.unit(*f));
        let s = *p.func(*f).params.get(i)?;
        let to = element(u, u.sym(s).ty)?;
        is_char(u, to).then_some((unit, s))
    })
}

/// Is it made from a pointer to something else than characters?
fn values_behind(flow: &PointerFlow, e: ExprId, given: &Given, steps: u32) -> bool {
    let u = flow.u;
    let (start, _) = flow.origin(e);
    let Some(to) = element(u, u.expr(start).ty) else {
        return false;
    };
    let inner = innermost(u, base(u, to));
    if !is_char(u, inner) && is_complete(u, inner) && !matches!(u.ty(inner.ty), Type::Void) {
        return true;
    }
    let ExprKind::Ident(s) = u.expr(start).kind else {
        return false;
    };
    let assigned = |v| values_behind(flow, v, given, steps - 1);
    given.contains(&(flow.unit, s)) || steps > 0 && flow.values(s).any(assigned)
}

pub(super) fn find(p: &Program, flow: &PointerFlow, given: &Given) -> Vec<Bytes> {
    let u = flow.u;
    let mut all = Vec::new();
    for f in &u.functions {
        let function = p.portable_name(flow.unit, f.sym);
        let mut ordinal = 0;
        visit(u, Node::Stmt(f.body), &mut |n| {
            let Node::Expr(e) = n else {
                return true;
            };
            for (buffer, number, argument) in described(p, flow, e) {
                ordinal += 1;
                let constant = match constant(u, argument) {
                    Some(BYTE) => true,
                    Some(_) => continue,
                    None => false,
                };
                let (of, how) = match contents(flow, buffer, number) {
                    Holds::Values(q) => (Some(q), 0),
                    Holds::AtLeast(q) => (Some(q), PC3_BYTES_ASK),
                    Holds::Characters if constant => (None, PC3_BYTES_CHARS),
                    Holds::Text
                        if !buffer.is_some_and(|b| values_behind(flow, b, given, STEPS)) =>
                    {
                        (None, PC3_BYTES_TEXT)
                    }
                    Holds::Text | Holds::Unknown => (None, 0),
                    Holds::Characters | Holds::Nothing => continue,
                };
                all.push(Bytes {
                    argument,
                    constant,
                    of,
                    how,
                    name: format!("bytes {ordinal} in {function}"),
                });
            }
            true
        });
    }
    all
}

/// Buffers of an MPI call: where one is, how many elements it has, and of which type; of what makes datatypes, without the first.
fn described(
    p: &Program,
    flow: &PointerFlow,
    call: ExprId,
) -> Vec<(Option<ExprId>, ExprId, ExprId)> {
    let u = flow.u;
    let ExprKind::Call { callee, args } = &u.expr(call).kind else {
        return Vec::new();
    };
    let ExprKind::Ident(s) = u.expr(*callee).kind else {
        return Vec::new();
    };
    let sym = u.sym(s);
    if sym.kind != SymKind::Func || !tables::is_mpi(&sym.name) || !p.is_librarys(&sym.name) {
        return Vec::new();
    }
    // One of the program's own sees what it is given.
    if !matches!(p.resolve(flow.unit, s), Callee::External(_)) {
        return Vec::new();
    }
    let Type::Function { params, .. } = u.ty(sym.ty.ty) else {
        return Vec::new();
    };
    let name = sym.name.trim_start_matches('P').trim_end_matches("_c");
    match name {
        "MPI_Type_contiguous" | "MPI_Type_vector" | "MPI_Type_create_hvector" => {
            // Of the last argument that says how many.
            let number = usize::from(name != "MPI_Type_contiguous");
            let of = args.len().checked_sub(2).map(|last| args[last]);
            let made = args.get(number).copied().zip(of);
            return made.map(|(n, of)| (None, n, of)).into_iter().collect();
        }
        _ if keeps_bytes(name) => return Vec::new(),
        _ => {}
    }
    let is =
        |i: usize, what: fn(&Unit, QualType) -> bool| params.get(i).is_some_and(|q| what(u, *q));
    // What is reduced has no MPI_BYTE but for operations on bits.
    if (0..params.len()).any(|i| is(i, is_operation)) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for i in 0..params.len().min(args.len()) {
        if !is(i, is_memory) {
            continue;
        }
        let after = match (
            is(i + 1, is_number),
            is(i + 1, is_numbers),
            is(i + 2, is_numbers),
        ) {
            (true, ..) => i + 2,
            (_, true, true) => i + 3,
            _ => continue,
        };
        if let (true, Some(ty)) = (is(after, is_datatype), args.get(after)) {
            all.push((Some(args[i]), args[i + 1], *ty));
        }
    }
    all
}

/// Files hold bytes in the representation that the program has chosen, and what was packed is one sequence of bytes.
fn keeps_bytes(name: &str) -> bool {
    ["MPI_File_", "MPI_Pack", "MPI_Unpack"]
        .iter()
        .any(|start| name.starts_with(start))
}

fn is_memory(u: &Unit, q: QualType) -> bool {
    matches!(u.ty(q.ty), Type::Pointer(to) if matches!(u.ty(to.ty), Type::Void))
}

fn is_number(u: &Unit, q: QualType) -> bool {
    matches!(u.ty(q.ty), Type::Int(_))
}

fn is_numbers(u: &Unit, q: QualType) -> bool {
    match u.ty(q.ty) {
        Type::Pointer(to) => is_number(u, *to),
        Type::Array { elem, .. } => is_number(u, *elem),
        _ => false,
    }
}

fn is_handle(u: &Unit, q: QualType, tag: &str) -> bool {
    let Type::Pointer(to) = u.ty(q.ty) else {
        return false;
    };
    matches!(u.ty(to.ty), Type::Record(r) if u.records[r.index()].tag.as_deref() == Some(tag))
}

fn is_datatype(u: &Unit, q: QualType) -> bool {
    is_handle(u, q, "MPI_ABI_Datatype")
}

fn is_operation(u: &Unit, q: QualType) -> bool {
    is_handle(u, q, "MPI_ABI_Op")
}

fn constant(u: &Unit, e: ExprId) -> Option<i128> {
    match u.expr(strip_casts(u, e)).kind {
        ExprKind::Int(n) => Some(n),
        _ => None,
    }
}

fn contents(flow: &PointerFlow, buffer: Option<ExprId>, number: ExprId) -> Holds {
    let u = flow.u;
    let said = size(flow, &[number]);
    let mut types = said.typed.iter().map(|(q, _)| *q);
    // `n * sizeof(T)`, rather than a sum of several things.
    let one = types
        .next()
        .filter(|q| types.all(|other| other.ty == q.ty) && !said.plain && !said.unclear)
        .filter(|q| is_complete(u, *q));
    let record = |q: QualType| matches!(u.ty(q.ty), Type::Record(_));
    let Some(buffer) = buffer else {
        return one.map_or(Holds::Nothing, Holds::Values);
    };
    match pointed(flow, buffer, STEPS) {
        // Of the struct that it is the first member of.
        Holds::Values(t) => match one {
            Some(q) if record(innermost(u, q)) && innermost(u, q).ty != t.ty => {
                Holds::Values(innermost(u, q))
            }
            None if trailing(u, t).is_some() => Holds::Values(t),
            None if said.typed.is_empty() => Holds::AtLeast(t),
            None => Holds::Unknown,
            _ => Holds::Values(t),
        },
        Holds::Characters => {
            let number = |q: QualType| matches!(u.ty(q.ty), Type::Float(_) | Type::Complex(_));
            match one.filter(|q| record(*q) || number(*q)) {
                _ if is_array(u, buffer) => Holds::Characters,
                Some(q) => Holds::Values(q),
                None => Holds::Text,
            }
        }
        Holds::Unknown => one.map_or(Holds::Unknown, Holds::Values),
        found => found,
    }
}

/// Is it in an array that is declared as one of characters?
fn is_array(u: &Unit, e: ExprId) -> bool {
    let e = u.expr(strip_casts(u, e));
    match e.kind {
        _ if matches!(u.ty(e.ty.ty), Type::Array { .. }) => is_char(u, innermost(u, base(u, e.ty))),
        ExprKind::AddrOf(x) => match u.expr(x).kind {
            ExprKind::Index { base, .. } => is_array(u, base),
            _ => false,
        },
        ExprKind::Binary { lhs, .. } => is_array(u, lhs),
        _ => false,
    }
}

/// What a pointer leads to.
fn pointed(flow: &PointerFlow, e: ExprId, steps: u32) -> Holds {
    let u = flow.u;
    let e = strip_casts(u, e);
    let of = match u.ty(u.expr(e).ty.ty) {
        Type::Pointer(q) | Type::Array { elem: q, .. } => *q,
        _ if constant(u, e).is_some() => return Holds::Nothing,
        _ => return Holds::Unknown,
    };
    let inner = innermost(u, base(u, of));
    match u.ty(inner.ty) {
        _ if is_char(u, inner) => Holds::Characters,
        Type::Void => match u.expr(e).kind {
            ExprKind::Ident(s) if steps > 0 => match flow.only_value(s) {
                Some(value) => pointed(flow, value, steps - 1),
                None => Holds::Unknown,
            },
            _ => Holds::Unknown,
        },
        Type::Function { .. } => Holds::Unknown,
        _ if is_complete(u, inner) => Holds::Values(inner),
        _ => Holds::Unknown,
    }
}
