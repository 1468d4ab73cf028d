//! What has become of each local at each point: is it whole, moved, or is that not known; and has something changed that
//! a borrow is made from.
//!
//! Types are not known here.  A name that is used as a value counts as moved (for numbers that makes no difference),
//! a method's receiver as perhaps moved unless the method's name says what it does.

mod carried;
mod closures;
mod live;
mod owners;
mod walk;

pub use closures::effect;
pub(crate) use closures::mutable_in;
pub(crate) use owners::is_owner;
pub use walk::root;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};
use proc_macro2::Span;
use syn::{parse_quote, Attribute, Block, Expr, Ident, Stmt};

use crate::marks;

/// Is a local's value there?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It has not been given one yet.
    Unset,
    Moved,
    Here,
    /// A part of it has been moved out.
    Part,
    /// That depends.
    Unknown,
}

impl Presence {
    /// May something of it be there?
    pub(crate) fn may_exist(self) -> bool {
        matches!(self, Presence::Here | Presence::Part | Presence::Unknown)
    }
}

#[derive(Clone)]
pub struct Local {
    pub whole: Presence,
    /// It may have no value yet: then nothing reads it before it gets one, or the compiler would say so.
    pub unset: bool,
    /// It has surely been moved on some way, unless it is copied: where.
    pub moved: Option<Span>,
    /// A field has surely been moved out on some way, unless it is copied: which.
    pub taken: Option<Expr>,
    /// What it is made from has changed: the name of that, and where.
    pub stale: Option<(String, Span)>,
    /// It has been moved, or has not been given a value, on some way at least.
    gone: bool,
    /// Not known is only whether this point's call took it.
    pub called: Option<usize>,
}

/// All locals at a place of the program; none: it is not reached.
type State = Option<BTreeMap<String, Local>>;

fn join(into: &mut State, other: &State) {
    let Some(other) = other else { return };
    let Some(state) = into else {
        *into = Some(other.clone());
        return;
    };
    for (name, o) in other {
        match state.get_mut(name) {
            None => {
                state.insert(name.clone(), o.clone());
            }
            Some(l) => {
                l.whole = match (l.whole, o.whole) {
                    (a, b) if a == b => a,
                    (Presence::Part, _) | (_, Presence::Part) => Presence::Part,
                    (Presence::Unset, Presence::Moved) | (Presence::Moved, Presence::Unset) => {
                        Presence::Moved
                    }
                    _ => Presence::Unknown,
                };
                l.unset |= o.unset;
                l.moved = l.moved.or(o.moved);
                l.gone |= o.gone;
                l.called = l.called.filter(|c| o.called == Some(*c));
                if l.taken.is_none() {
                    l.taken.clone_from(&o.taken);
                }
                if l.stale.is_none() {
                    l.stale.clone_from(&o.stale);
                }
            }
        }
    }
}

fn same(a: &State, b: &State) -> bool {
    let list = |s: &State| -> Vec<(String, (Presence, bool, bool, bool))> {
        let locals = s.iter().flatten();
        locals
            .map(|(n, l)| (n.clone(), (l.whole, l.unset, l.stale.is_some(), l.gone)))
            .collect()
    };
    a.is_some() == b.is_some() && list(a) == list(b)
}

/// The locals of a function, by point.
#[derive(Clone, Default)]
pub struct Moves {
    points: HashMap<usize, State>,
    /// Locals that may be used behind each.
    live: HashMap<usize, BTreeSet<String>>,
    /// Counted owners that end behind each, if they are there.
    ending: HashMap<usize, BTreeSet<String>>,
    /// Loops around each point, outer ones first, and what its call is made on if that is a local.
    within: HashMap<usize, Vec<usize>>,
    receivers: HashMap<usize, String>,
    /// Where each round of a loop begins, and what may be used from there.
    heads: HashMap<usize, State>,
    live_heads: HashMap<usize, BTreeSet<String>>,
    /// Locals that are gone at some point of a loop, by the loop; is a value needed where a round begins?
    carried: HashMap<usize, BTreeMap<String, bool>>,
    /// Locals that may be there at some point.
    exist: HashSet<String>,
    /// Locals that loops with points go over.
    looped: HashSet<String>,
    /// Locals that others are given a `&mut` of, or that are assigned.
    pub lent: HashSet<String>,
    pub mutable: HashSet<String>,
}

impl Moves {
    /// A local at a point; what is not the user's own is always there.
    pub fn at(&self, point: usize, name: &str) -> Local {
        let state = self.points.get(&point).and_then(Option::as_ref);
        state.and_then(|s| s.get(name)).cloned().unwrap_or(Local {
            whole: Presence::Here,
            unset: false,
            moved: None,
            taken: None,
            stale: None,
            gone: false,
            called: None,
        })
    }

    /// Locals from outside of the loop that are gone at some point of it; is a value needed where a round begins?
    pub fn carried(&self, attrs: &[Attribute]) -> BTreeMap<String, bool> {
        let of = number(attrs).and_then(|n| self.carried.get(&n));
        of.cloned().unwrap_or_default()
    }

    pub(crate) fn is_carried(&self, name: &str) -> bool {
        self.carried.values().any(|names| names.contains_key(name))
    }

    /// May the local's value be used behind the point?
    pub fn used(&self, point: usize, name: &str) -> bool {
        let among = |all: &HashMap<usize, BTreeSet<String>>| {
            all.get(&point).is_some_and(|l| l.contains(name))
        };
        // Methods of what it owns seldom take it itself.
        let there = || {
            let local = self.at(point, name);
            local.whole.may_exist() && local.called.is_none()
        };
        among(&self.live) || (among(&self.ending) && there())
    }

    /// May it be there at a point, and be used behind it, or does a loop with points go over it?
    pub fn crosses(&self, name: &str) -> bool {
        let at_point = |(n, state): (&usize, &State)| {
            let local = state.as_ref().and_then(|s| s.get(name));
            local.is_some_and(|l| l.whole.may_exist()) && self.used(*n, name)
        };
        self.looped.contains(name) || self.points.iter().any(at_point)
    }

    /// Has it been given a value at a point behind which it may be used?
    pub fn needed(&self, name: &str) -> bool {
        let at_point = |(n, state): (&usize, &State)| {
            let local = state.as_ref().and_then(|s| s.get(name));
            local.is_some_and(|l| l.whole != Presence::Unset) && self.used(*n, name)
        };
        self.points.iter().any(at_point)
    }

    pub fn exists(&self, name: &str) -> bool {
        self.exist.contains(name)
    }
}

/// Parameters.
pub struct ParameterKinds<'p> {
    /// Is it `mut`?
    pub parameters: &'p [(Ident, bool)],
    /// Those that may be values, and whose parts change with them.
    pub values: &'p HashSet<String>,
    /// Those that are a `&mut`, if anything.
    pub lent: &'p HashSet<String>,
    /// Those that are counted owners.
    pub owners: BTreeSet<String>,
}

/// Follows a function's body, whose points become numbered.
pub fn follow(block: &mut Block, given: ParameterKinds) -> Moves {
    Number(0).visit_block_mut(block);
    let mut moves = walk::function(block, &given);
    let used = live::follow(block, given.owners);
    (moves.live, moves.live_heads) = (used.points, used.heads);
    moves.ending = used.ending;
    moves.carried = carried::find(&moves);
    let mut looped = Looped(HashSet::new());
    looped.visit_block(block);
    moves.looped = looped.0;
    let mut lent = Lent(HashSet::new());
    lent.visit_block(block);
    moves.lent = lent.0;
    moves
}

struct Lent(HashSet<String>);

impl<'ast> Visit<'ast> for Lent {
    fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
        if !matches!(&*f.expr, Expr::Reference(_)) {
            self.visit_expr(&f.expr);
        }
        self.visit_block(&f.body);
    }
    fn visit_expr_assign(&mut self, a: &'ast syn::ExprAssign) {
        if let Expr::Path(p) = &*a.left {
            self.0.extend(p.path.get_ident().map(ToString::to_string));
        }
        visit::visit_expr_assign(self, a);
    }
    fn visit_expr_reference(&mut self, r: &'ast syn::ExprReference) {
        if let (Some(_), Expr::Path(p)) = (&r.mutability, &*r.expr) {
            self.0.extend(p.path.get_ident().map(ToString::to_string));
        }
        visit::visit_expr_reference(self, r);
    }
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if let (true, Ok(e)) = (marks::is_call(mac), syn::parse2::<Expr>(mac.tokens.clone())) {
            let mut inner = Lent(HashSet::new());
            inner.visit_expr(&e);
            self.0.extend(inner.0);
        }
    }
}

struct Looped(HashSet<String>);

impl<'ast> Visit<'ast> for Looped {
    fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
        if let (Expr::Path(p), true) = (&*f.expr, marks::block_has_points(&f.body)) {
            self.0.extend(p.path.get_ident().map(ToString::to_string));
        }
        visit::visit_expr_for_loop(self, f);
    }
}

/// What a loop over borrowed values is known by.
pub(crate) fn of_loop(attrs: &[Attribute]) -> Option<String> {
    number(attrs).map(|n| format!("for {n}"))
}

/// The number of a point.
pub fn number(attrs: &[Attribute]) -> Option<usize> {
    let mine = attrs.iter().find(|a| a.path().is_ident("pc3_point"))?;
    let lit: syn::LitInt = mine.parse_args().ok()?;
    lit.base10_parse().ok()
}

struct Number(usize);

impl Number {
    fn give(&mut self, attrs: &mut Vec<Attribute>) {
        let n = self.0;
        self.0 += 1;
        attrs.push(parse_quote!(#[pc3_point(#n)]));
    }
}

impl VisitMut for Number {
    fn visit_stmt_mut(&mut self, s: &mut Stmt) {
        match s {
            Stmt::Macro(m) if marks::is_call(&m.mac) || marks::is_location(&m.mac) => {
                self.give(&mut m.attrs);
            }
            Stmt::Item(_) => {}
            s => visit_mut::visit_stmt_mut(self, s),
        }
    }
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Macro(m) if marks::is_call(&m.mac) || marks::is_location(&m.mac) => {
                self.give(&mut m.attrs);
            }
            Expr::ForLoop(syn::ExprForLoop { attrs, body, .. })
            | Expr::Loop(syn::ExprLoop { attrs, body, .. })
            | Expr::While(syn::ExprWhile { attrs, body, .. })
                if marks::block_has_points(body) =>
            {
                self.give(attrs);
                visit_mut::visit_expr_mut(self, e);
            }
            Expr::Closure(_) => {}
            e => visit_mut::visit_expr_mut(self, e),
        }
    }
}
