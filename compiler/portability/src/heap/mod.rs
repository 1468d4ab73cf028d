//! Allocation sites and the types of what they allocate.
//!
//! Two things speak: the size (`size`) and where the result goes (`flow`).
//!
//! * `n * sizeof(T)` is an array of T, unless the result becomes a pointer to something that T is only
//!   the measure of (scalars for other scalars, a struct measured in words).
//! * `sizeof(struct s) + ...` is one `struct s` with a longer array at its end, if `s` ends in an array of
//!   what follows (of any length in `sizeof(struct s) - 1 + ...`); else nobody can say where which type lies.
//! * A size is what it is rounded up from, and what it is if there is no way out: `n ? n * sizeof(T) : 1`.
//! * Without `sizeof`, what the result is cast or assigned to, passed as or returned as, if that is no struct (which
//!   may be but the head of something); a `void *` variable's own uses count.  A pointer to characters means characters, unless the program also looks at that
//!   memory as something else.
//! * `realloc` else keeps what its argument points to.
//!
//! Numbers in memory that the program also keeps as other numbers or bytes are `SizeForm::Mixed`: they go to machines
//! that write them alike.
//!
//! A function that returns what an allocator gave it, with a size it was given, is a wrapper: its callers are
//! the sites; so is one that hands out pieces of a block (`suballocation`).  A function that returns its parameter is looked through.  What stays unknown is a warning.

mod bytes;
mod element;
mod flow;
mod goes;
pub mod headed;
mod parts;
mod punned;
pub mod report;
mod sites;
mod size;
pub mod struct_overlay;
pub mod suballocation;
mod types;
mod wrappers;

pub use bytes::Bytes;
use flow::{Follow, PointerFlow, PointerPlace, Punned};
pub(crate) use goes::one_line;
use pc3_program::annotations::Annotations;
use pc3_program::callgraph::CallGraph;
use pc3_program::program::{Callee, FnId, Program};
use pc3_program::walk::{visit, Node};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use pc3_typemetric::types::AddressBits;
use sites::{InUnit, Sites};
pub use size::innermost;
use std::collections::{HashMap, HashSet};
pub use struct_overlay::Also;
use suballocation::Pieces;
pub use types::mpis_place;
pub use types::{called_name, trailing};
pub use wrappers::allocator;
use wrappers::{allocation, passed, wrapped, Calls};

#[derive(Clone, Debug)]
pub struct Site {
    pub unit: usize,
    pub call: ExprId,
    /// The same in every build of the program: `allocation 2 in fill`.
    pub name: String,
    /// None: unknown, or typed by the wrapper's caller.
    pub elem: Option<QualType>,
    pub form: SizeForm,
    /// Inside an allocation wrapper: the caller's site counts.
    pub in_wrapper: bool,
    /// The call is one of a wrapper of the program's own.
    pub of_wrapper: bool,
    /// Memory that begins with one of these, which is all that is known of it.
    pub head: Option<QualType>,
    /// Integers that hold addresses.
    pub held: Option<AddressBits>,
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
pub enum SizeForm {
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
    /// Memory that is also written as something else.
    pub also: Vec<Also>,
    /// What is sent and received as bytes: per unit.
    pub bytes: Vec<Vec<Bytes>>,
    /// Functions that allocate as much as their callers say, and the parameters that say it.
    pub wrappers: HashMap<FnId, Vec<usize>>,
    /// Those of them that take what their callers left for them as they begin.
    pub takes: HashSet<FnId>,
    /// Allocations with a head in front of what callers ask for, and the functions that make such memory.
    pub headed: Vec<headed::Headed>,
    pub heads: headed::Functions,
    /// Calls that may reach such a function, or allocate, and say nothing: per unit.
    pub silent: Vec<HashSet<ExprId>>,
    /// Allocators whose address is taken, and that are called through pointers where that can be seen.
    through: HashSet<String>,
}

impl Heap {
    /// Does a call ask for what lies behind a head?
    pub fn is_behind_head(&self, p: &Program, s: &Site) -> bool {
        let ExprKind::Call { callee, .. } = p.units[s.unit].expr(s.call).kind else {
            return false;
        };
        match p.direct(s.unit, callee) {
            Some((_, Callee::Defined(f))) => self.heads.contains(&f),
            _ => false,
        }
    }

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
        let taken = report::allocators_by_address(p).into_iter();
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

/// Places whose integers hold addresses.
fn addresses(p: &Program, said: &Annotations) -> HashMap<PointerPlace, AddressBits> {
    let mut all = HashMap::new();
    for (unit, u) in p.units.iter().enumerate() {
        let Some(said) = said.units.get(unit) else {
            continue;
        };
        for (s, held) in &said.addresses.variables {
            all.insert(PointerPlace::variable(unit, u, *s), *held);
        }
        for ((r, k), held) in &said.addresses.members {
            let fields = u.records[r.index()].fields.as_deref().unwrap_or_default();
            if let Some(name) = fields.get(*k).and_then(|f| f.name.as_deref()) {
                all.insert(PointerPlace::member(unit, u, *r, name), *held);
            }
        }
    }
    all
}

/// Does a function that allocates for its callers put a head in front, and does it return that?
fn makes_heads(f: FnId, calls: &Calls, follow: &Follow) -> (bool, bool) {
    let (p, flow) = (calls.p, follow.flow);
    let (u, func) = (flow.u, p.func(f));
    let (mut headed, mut head) = (false, false);
    visit(u, Node::Stmt(func.body), &mut |n| {
        if let Node::Expr(e) = n {
            if let Some((sizes, _)) = allocation(calls, flow.unit, e) {
                let known = calls.target(flow.unit, e);
                let before = known.is_some_and(|f| calls.headed.contains(&f));
                let returns = known.is_some_and(|f| calls.heads.contains(&f));
                let own = headed::heads(flow, func, e, &sizes).is_some();
                headed |= before || own;
                head |= (returns || own) && !flow.is_behind_header(e);
            }
        }
        true
    });
    (headed, head)
}

/// What callers keep behind heads: units and types.
fn behind_heads(p: &Program, calls: &Calls, sites: &[Vec<Site>]) -> Vec<(usize, TypeId)> {
    let all = sites.iter().flatten().filter(|s| !s.in_wrapper);
    let behind = all.filter(|s| {
        let known = calls.target(s.unit, s.call);
        known.is_some_and(|f| calls.headed.contains(&f))
    });
    let types = behind.filter_map(|s| Some((s.unit, innermost(&p.units[s.unit], s.elem?).ty)));
    types.collect()
}

/// What functions hand out in pieces, and of what is handed out nothing is noted; `noted`: are such pieces at all?
fn pieces(p: &Program, found: Pieces, noted: bool) -> (Pieces, Vec<HashSet<ExprId>>) {
    let mut unnoted = found.from_words.clone();
    if noted {
        return (found, unnoted);
    }
    for (list, texts) in unnoted.iter_mut().zip(found.texts) {
        list.extend(texts);
    }
    let pieces = Pieces {
        words: found.words,
        ..Pieces::none(p)
    };
    (pieces, unnoted)
}

/// Finds the functions that allocate for their callers, and those of their callers that do.
fn find_wrappers<'f, 'a>(
    calls: &mut Calls,
    dealers: &mut HashMap<FnId, Vec<usize>>,
    follow: &dyn Fn(FnId) -> Follow<'f, 'a>,
) where
    'a: 'f,
{
    let p = calls.p;
    // One that is given no size may still allocate what is larger, by a size.
    let (sized, others): (HashMap<_, _>, HashMap<_, _>) = dealers
        .clone()
        .into_iter()
        .partition(|(_, sizes)| !sizes.is_empty());
    calls.wrappers = sized;
    let mut others = Some(others);
    loop {
        let unknown = p.ids().filter(|f| !calls.wrappers.contains_key(f));
        let found: Vec<(FnId, Vec<usize>)> = unknown
            .filter_map(|f| Some((f, wrapped(f, calls, &follow(f))?)))
            .collect();
        if !found.is_empty() {
            for (f, _) in &found {
                let (headed, head) = makes_heads(*f, calls, &follow(*f));
                calls.headed.extend(headed.then_some(*f));
                calls.heads.extend(head.then_some(*f));
            }
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
    for (f, sizes) in dealers {
        if let Some(known) = calls.wrappers.get(f) {
            sizes.clone_from(known);
        }
    }
}

/// `noted`: also of what functions hand out in pieces.
pub fn analyse(p: &Program, graph: &CallGraph, said: &Annotations, noted: bool) -> Heap {
    let flows: Vec<PointerFlow> = (0..p.units.len()).map(|i| PointerFlow::new(p, i)).collect();
    let mut punned = Punned::new();
    for f in &flows {
        f.punned(&mut punned);
        f.dealt(&mut punned);
    }
    let found = match noted {
        true => suballocation::find(p, graph, &flows),
        false => Pieces::none(p),
    };
    // What they hand out again is what the next caller takes it for, so what they allocate is nothing by itself.
    let dealers: HashSet<FnId> = found.dealers.keys().chain(&found.late).copied().collect();
    let (mut pieces, unnoted) = pieces(p, found, noted);
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
    let in_unit = |f: FnId| follow(p.fns[f.index()].0);
    find_wrappers(&mut calls, &mut pieces.dealers, &in_unit);
    let sites = Sites {
        calls: &calls,
        graph,
        pieces: &pieces,
        dealers: &dealers,
        noted,
        held: addresses(p, said),
    };
    let found: Vec<InUnit> = (0..p.units.len()).map(|i| sites.of(&follow(i))).collect();
    let (mut sites, mut silent, mut made) = (Vec::new(), Vec::new(), Vec::new());
    let mut headed = Vec::new();
    for unit in found {
        headed.extend(unit.headed);
        sites.push(unit.sites);
        silent.push(unit.silent);
        made.push(unit.contrary);
    }
    let fresh: HashSet<FnId> = calls.wrappers.keys().copied().collect();
    let behind = behind_heads(p, &calls, &sites);
    let travels = struct_overlay::VoidPointerFlow::new(p, graph, &flows, &fresh, behind);
    let also = struct_overlay::find(p, &flows, travels, &made);
    let through = ["malloc", "calloc", "realloc"]
        .into_iter()
        .filter(|name| (0..p.units.len()).any(|unit| calls.typed_through(unit, name)))
        .map(str::to_owned)
        .collect();
    let given = bytes::byte_arguments(p, graph, &flows);
    let heads = calls.headed;
    let wrappers = calls.wrappers;
    let takes = wrappers.keys().filter(|f| !graph.reaches[f.index()]);
    Heap {
        sites,
        pieces,
        unnoted,
        takes: takes.copied().collect(),
        wrappers,
        headed,
        heads,
        silent,
        also,
        bytes: flows.iter().map(|f| bytes::find(p, f, &given)).collect(),
        through,
    }
}
