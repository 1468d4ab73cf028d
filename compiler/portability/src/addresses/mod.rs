//! Addresses kept as numbers: a restart translates pointers, not integers.
//!
//! `flow` says where numbers go, through variables, arguments, results, members and memory; here follows where those go
//! that were made of addresses: into something that a checkpoint holds, and back into a pointer?

mod arrays;
mod flow;
mod graph;
mod kinds;
mod low;
mod lvalues;
mod offset;
mod place;
mod punned;

pub use arrays::{Arrays, Saved};
use flow::{AddressSource, NumberFlow, NumberFlows};
pub use flow::{Is, Wanted};
pub use graph::{Graph, PlaceId};
use kinds::is_number;
pub(crate) use kinds::{has_size, has_sizeof, holds_addresses, holds_size, reads_only};
pub use kinds::{is_depth, pointee};
pub use offset::is_constant;
use pc3_program::annotations::Annotations;
use pc3_program::callgraph::CallGraph;
pub use pc3_program::parents::{parents, Parent, Parents};
use pc3_program::program::Program;
use pc3_syntax::diag::{Code, Diagnostic};
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::{PC3_SEEN_ALIKE, PC3_SEEN_EVERYWHERE, PC3_SEEN_ONCE};
pub use place::{named, part, NumberPlace};
pub use punned::Punned;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// Where an address becomes a number that is kept, or decides about what is.
#[derive(Clone, Debug)]
pub struct KeptAt {
    pub unit: usize,
    /// `file:line`
    pub place: String,
    /// What makes it one.
    pub made: ExprId,
    /// That, if it is a cast.
    pub cast: Option<ExprId>,
    /// Else what shows that it has been made.
    pub witness: Option<ExprId>,
    /// An element is chosen by it: surely, or perhaps it is for an alignment.
    pub hashed: Option<bool>,
    /// What is told of it if it has to stay an address; the address by which something is chosen.
    pub told: Option<Diagnostic>,
    pub address: Option<ExprId>,
    pub stays: Stays,
}

/// May the number stay what it is where objects move?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stays {
    No,
    /// Where addresses are as wide.
    Alike,
    Everywhere,
    /// Elsewhere, too, as long as it is not made of the same object again.
    Once,
}

impl Stays {
    /// As the table of marks has it.
    pub fn bits(self) -> u8 {
        match self {
            Stays::No => 0,
            Stays::Alike => PC3_SEEN_ALIKE,
            Stays::Everywhere => PC3_SEEN_EVERYWHERE,
            Stays::Once => PC3_SEEN_ONCE,
        }
    }

    /// What generated code calls.
    pub fn call(self) -> &'static str {
        match self {
            Stays::No => "pc3_number",
            _ => "pc3_stable",
        }
    }
}

pub type Kept = Vec<KeptAt>;

impl KeptAt {
    pub fn of(unit: usize, u: &Unit, e: ExprId) -> KeptAt {
        let x = u.expr(e);
        let at = u.lines.position(x.span.start);
        let is_cast = matches!(x.kind, ExprKind::Cast { .. }) && is_number(u, x.ty.ty);
        KeptAt {
            unit,
            place: format!("{}:{}", at.file, at.line),
            made: e,
            cast: is_cast.then_some(e),
            witness: None,
            hashed: None,
            told: None,
            address: None,
            stays: Stays::No,
        }
    }
}

/// Where the program's numbers go.
pub struct Numbers {
    found: NumberFlows,
    /// Which source an expression of a unit is.
    sources: HashMap<(usize, ExprId), usize>,
    known: HashSet<NumberPlace>,
    pub arrays: Arrays,
}

impl Numbers {
    /// `wanted`: expressions of which it is also asked where they go.
    pub fn new(
        p: &Program,
        graph: &CallGraph,
        said: &Annotations,
        wanted: &dyn Fn(&Unit, ExprId) -> Option<Is>,
    ) -> Numbers {
        let known = annotated(p, said);
        let arrays = Arrays::new(p, graph);
        // What is an address at all decides what a difference of two is, so that comes first.
        let first =
            NumberFlow::new(p, graph, (&known, &arrays), HashSet::new(), &|_, _| None).follow();
        let sources = first.sources.iter().flat_map(|s| &s.to);
        let addresses = first.graph.reached(sources, &|_| true);
        let addresses = addresses.into_iter().cloned().collect();
        let found = NumberFlow::new(p, graph, (&known, &arrays), addresses, wanted).follow();
        let mut sources = HashMap::new();
        for (k, s) in found.sources.iter().enumerate() {
            sources.entry((s.unit, s.of)).or_insert(k);
        }
        Numbers {
            found,
            sources,
            known,
            arrays,
        }
    }

    /// Expressions that were asked for, and what their values are put into.
    pub fn wanted(&self) -> &[Wanted] {
        &self.found.wanted
    }

    /// Do addresses become numbers in other ways than by casts?
    pub(crate) fn seen_otherwise(&self, p: &Program) -> bool {
        self.found.sources.iter().any(|s| {
            let u = &p.units[s.unit];
            let x = u.expr(s.of);
            !(matches!(x.kind, ExprKind::Cast { .. }) && is_number(u, x.ty.ty))
        })
    }

    /// Does the author say of numbers that they hold addresses?
    pub(crate) fn are_said(&self) -> bool {
        !self.known.is_empty()
    }

    /// What the number is put into that an address becomes here.
    pub fn made(&self, unit: usize, of: ExprId) -> &[NumberPlace] {
        let found = self.sources.get(&(unit, of));
        found.map_or(&[], |k| &self.found.sources[*k].to)
    }

    /// Does it go where the author says that addresses are?
    pub fn is_said(&self, unit: usize, of: ExprId) -> bool {
        let mut made = self.made(unit, of).iter().flat_map(|x| self.ends(x));
        made.any(|x| self.known.contains(x))
    }

    /// A place, or the parameters of all functions that it is on the way to.
    pub fn ends<'s>(&'s self, x: &'s NumberPlace) -> impl Iterator<Item = &'s NumberPlace> {
        let ends = match x {
            NumberPlace::Handed(group, i) => self.found.ends.get(&(*group, *i)),
            _ => None,
        };
        let itself = (!x.is_between()).then_some(x);
        itself.into_iter().chain(ends.into_iter().flatten())
    }

    /// A variable, a member, or the elements of known arrays.
    pub fn lvalue(&self, unit: usize, u: &Unit, e: ExprId) -> Vec<NumberPlace> {
        match named(unit, u, e) {
            Some(place) => vec![place],
            None => self.arrays.element(unit, u, e),
        }
    }

    /// The elements of known arrays to which an address leads.
    pub fn elements(&self, unit: usize, u: &Unit, address: ExprId) -> Vec<NumberPlace> {
        self.arrays.led(unit, u, address)
    }

    /// What the places' values are put into.
    pub fn graph(&self) -> &Graph {
        &self.found.graph
    }

    /// What the values in `from` are put into, on and on through those that `through` allows.
    pub fn reached<'s>(
        &'s self,
        from: &'s [NumberPlace],
        through: &dyn Fn(&NumberPlace) -> bool,
    ) -> Vec<&'s NumberPlace> {
        self.found.graph.reached(from.iter(), through)
    }
}

/// `saved(f, s)`: is the local `s` of function `f` part of a checkpoint?
pub fn check(p: &Program, numbers: &Numbers, saved: &dyn Fn(usize, FuncId, SymId) -> bool) -> Kept {
    let mut kept = Kept::new();
    let known = &numbers.known;
    let low: Vec<OnceCell<low::Low>> = p.units.iter().map(|_| OnceCell::new()).collect();
    let graph = &numbers.found.graph;
    let matters = |x: &NumberPlace| !known.contains(x) && x.kept(p, saved);
    let is_kept = graph.leading(&matters);
    let is_pointer = graph.leading(&|x| *x == NumberPlace::Pointer);
    for AddressSource { unit, of, to, mark } in &numbers.found.sources {
        let u = &p.units[*unit];
        let span = &u.expr(*of).span;
        let leads = |all: &[bool], x: &NumberPlace| graph.id(x).map(|id| all[id as usize]);
        let kept_in = |x: &NumberPlace| leads(&is_kept, x).unwrap_or_else(|| matters(x));
        if !to.iter().any(kept_in) {
            continue;
        }
        if low[*unit].get_or_init(|| low::Low::new(u)).aligns(*of) {
            continue;
        }
        let back = |x: &NumberPlace| leads(&is_pointer, x).unwrap_or(*x == NumberPlace::Pointer);
        let help = "keep it in a pointer, or say which integer holds it: `#pragma pc3 pointer STRUCT.MEMBER`, or of a variable";
        let told = if *mark {
            None
        } else {
            Some(if to.iter().any(back) {
                Diagnostic::advice(u, span, Code::PointerAsNumber, "an address is kept in an integer and could become a pointer again: a restart that cannot have everything where it was is refused", help)
            } else {
                Diagnostic::advice(u, span, Code::AddressAsNumber, "an address is kept as a number: a restart that cannot have everything where it was is refused", help)
            })
        };
        kept.push(KeptAt {
            told,
            ..KeptAt::of(*unit, u, *of)
        });
    }
    kept
}

/// Integers of which it is said that they hold addresses.
fn annotated(p: &Program, said: &Annotations) -> HashSet<NumberPlace> {
    let mut all = HashSet::new();
    for (unit, u) in p.units.iter().enumerate() {
        let addresses = &said.units[unit].addresses;
        let variables = addresses.variables.keys();
        all.extend(variables.map(|s| NumberPlace::variable(unit, u, *s)));
        for (r, k) in addresses.members.keys() {
            let fields = u.records[r.index()].fields.as_deref().unwrap_or_default();
            let name = fields.get(*k).and_then(|f| f.name.as_deref());
            all.extend(name.map(|n| NumberPlace::member(unit, u, *r, n)));
        }
    }
    all
}
