//! Arrays of integers that are known by name: variables, members, parameters that are given them, and blocks of the heap that
//! only such places lead to.  Pointers among them make one class of those between which they go; a class of which a
//! pointer goes anywhere else is not known.

mod kept;
mod uses;

use super::kinds::{is_address, is_number};
use super::named;
use super::place::NumberPlace;
pub use kept::Saved;
use pc3_program::callgraph::CallGraph;
use pc3_program::program::Program;
use pc3_syntax::tree::*;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What leads to the same elements, as far as is known.
#[derive(Default)]
pub struct Class {
    pub holders: Vec<Holder>,
    /// Arrays, and pointers that blocks are allocated for.
    pub owners: Vec<NumberPlace>,
    /// Something is stored through pointers that may lead to any of several owners.
    mixed: bool,
    /// Calls that allocate elements, by units, and for which owners.
    blocks: Vec<(NumberPlace, usize, ExprId)>,
    /// Owners whose elements a library may write.
    written: Vec<NumberPlace>,
    /// Owners, and from where elements are copied to theirs.
    copied: Vec<(NumberPlace, NumberPlace)>,
}

#[derive(Clone)]
pub struct Holder {
    pub place: NumberPlace,
    /// It has the elements, and does not only lead to them.
    array: bool,
    /// It is never written, and not saved.
    constant: bool,
    unit: usize,
    sym: Option<SymId>,
}

#[derive(Default)]
pub struct Arrays {
    by_holder: HashMap<NumberPlace, usize>,
    classes: Vec<Class>,
}

impl Class {
    /// Whose elements are meant where those of this place are.
    fn owner(&self, holder: &NumberPlace) -> Option<&NumberPlace> {
        match self.mixed {
            true => self.owners.first(),
            false => self.owners.iter().find(|x| *x == holder),
        }
    }

    fn elements(&self, holder: &NumberPlace) -> Option<NumberPlace> {
        let owner = self.owner(holder)?.clone();
        Some(NumberPlace::Elements(Box::new(owner)))
    }
}

impl Arrays {
    pub fn new(p: &Program, graph: &CallGraph) -> Arrays {
        uses::find(p, graph)
    }

    /// Of what arrays or blocks an lvalue may be an element.
    pub fn element(&self, unit: usize, u: &Unit, e: ExprId) -> Vec<NumberPlace> {
        let base = based(unit, u, e);
        base.map_or(Vec::new(), |x| self.behind(&x))
    }

    /// Of what arrays or blocks an address may lead to elements.
    pub fn led(&self, unit: usize, u: &Unit, address: ExprId) -> Vec<NumberPlace> {
        holder(unit, u, address).map_or(Vec::new(), |x| self.behind(&x))
    }

    /// The elements to which a variable or a member may lead.
    pub fn behind(&self, holder: &NumberPlace) -> Vec<NumberPlace> {
        let Some(k) = self.by_holder.get(holder) else {
            return Vec::new();
        };
        let class = &self.classes[*k];
        match class.elements(holder) {
            Some(own) => vec![own],
            None => class
                .owners
                .iter()
                .filter_map(|x| class.elements(x))
                .collect(),
        }
    }

    /// Those that an array has.
    pub fn own(&self, array: &NumberPlace) -> Option<NumberPlace> {
        self.classes[*self.by_holder.get(array)?].elements(array)
    }

    pub fn class(&self, elements: &NumberPlace) -> Option<&Class> {
        match elements {
            NumberPlace::Elements(owner) => Some(&self.classes[*self.by_holder.get(owner)?]),
            _ => None,
        }
    }

    /// May it be one of several arrays or blocks?
    pub(crate) fn is_mixed(&self, elements: &NumberPlace) -> bool {
        self.class(elements)
            .is_some_and(|c| c.mixed && c.owners.len() > 1)
    }

    /// Calls that allocate known elements.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, ExprId, NumberPlace)> + '_ {
        self.classes.iter().flat_map(|c| {
            let all = c.blocks.iter();
            all.filter_map(|(owner, unit, e)| Some((*unit, *e, c.elements(owner)?)))
        })
    }

    /// What libraries may write.
    pub fn written(&self) -> impl Iterator<Item = NumberPlace> + '_ {
        let all = self.classes.iter();
        all.flat_map(|c| c.written.iter().filter_map(|owner| c.elements(owner)))
    }

    /// From where to where elements are copied.
    pub fn copies(&self) -> impl Iterator<Item = (Vec<NumberPlace>, NumberPlace)> + '_ {
        self.classes.iter().flat_map(|c| {
            let all = c.copied.iter();
            all.filter_map(|(to, from)| Some((self.behind(from), c.elements(to)?)))
        })
    }
}

/// The variable or member through which an element is reached.
fn based(unit: usize, u: &Unit, e: ExprId) -> Option<NumberPlace> {
    if !is_number(u, u.expr(e).ty.ty) {
        return None;
    }
    match u.expr(e).kind {
        ExprKind::Index { base, index } => holder(unit, u, address(u, base, index)),
        ExprKind::Deref(base) => holder(unit, u, base),
        _ => None,
    }
}

/// The one of two operands that is an address: `a[i]` and `i[a]` alike.
fn address(u: &Unit, a: ExprId, b: ExprId) -> ExprId {
    match is_address(u, u.expr(a).ty.ty) {
        true => a,
        false => b,
    }
}

/// The integers to which an address leads, through arrays of arrays; no characters.
fn elements(u: &Unit, ty: TypeId) -> Option<IntKind> {
    let (mut at, mut pointers) = (ty, 0);
    loop {
        at = match u.ty(at) {
            Type::Array { elem, .. } => elem.ty,
            Type::Pointer(q) if pointers == 0 && at == ty => {
                pointers += 1;
                q.ty
            }
            Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar) => return None,
            Type::Int(k) if at != ty => return Some(*k),
            _ => return None,
        }
    }
}

fn is_array(u: &Unit, ty: TypeId) -> bool {
    matches!(u.ty(ty), Type::Array { .. })
}

/// The variable or member by which an address of integers is reached.
fn holder(unit: usize, u: &Unit, e: ExprId) -> Option<NumberPlace> {
    let ty = u.expr(e).ty.ty;
    match u.expr(e).kind {
        ExprKind::Ident(_) | ExprKind::Member { .. } if elements(u, ty).is_some() => {
            named(unit, u, e)
        }
        ExprKind::Index { base, index } if is_array(u, ty) => {
            holder(unit, u, address(u, base, index))
        }
        ExprKind::Deref(base) if is_array(u, ty) => holder(unit, u, base),
        ExprKind::Binary {
            op: BinOp::Add | BinOp::Sub,
            lhs,
            rhs,
        } if is_address(u, ty) => holder(unit, u, address(u, lhs, rhs)),
        ExprKind::AddrOf(of) => match u.expr(of).kind {
            ExprKind::Index { base, index } => holder(unit, u, address(u, base, index)),
            ExprKind::Deref(base) => holder(unit, u, base),
            _ => None,
        },
        ExprKind::Cast { arg, .. }
            if elements(u, ty).is_some() && elements(u, ty) == elements(u, u.expr(arg).ty.ty) =>
        {
            holder(unit, u, arg)
        }
        ExprKind::Unary {
            op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
            arg,
        } => holder(unit, u, arg),
        ExprKind::Generic { chosen, .. } => holder(unit, u, chosen),
        _ => None,
    }
}

/// Places between which pointers go.
#[derive(Default)]
struct Union {
    index: HashMap<NumberPlace, usize>,
    places: Vec<Option<Holder>>,
    up: Vec<usize>,
    open: Vec<bool>,
    /// Pointers that others are stored in.
    given: HashSet<usize>,
    /// What elements are stored through.
    stored: HashSet<usize>,
    written: HashSet<usize>,
    blocks: Vec<(usize, usize, ExprId)>,
    copied: Vec<(usize, NumberPlace)>,
    /// How often something has been said of a place.
    changes: usize,
}

impl Union {
    fn node(&mut self, place: &NumberPlace) -> usize {
        let next = self.up.len();
        let k = *self.index.entry(place.clone()).or_insert(next);
        if k == next {
            self.up.push(k);
            self.open.push(false);
            self.places.push(None);
        }
        k
    }

    fn root(&mut self, mut k: usize) -> usize {
        while self.up[k] != k {
            self.up[k] = self.up[self.up[k]];
            k = self.up[k];
        }
        k
    }

    fn write(&mut self, k: usize) {
        self.changes += 1;
        self.written.insert(k);
    }

    fn copy(&mut self, k: usize, from: NumberPlace) {
        self.changes += 1;
        self.copied.push((k, from));
    }

    fn give(&mut self, from: &NumberPlace, to: &NumberPlace) {
        self.changes += 1;
        let (a, b) = (self.node(from), self.node(to));
        if a != b {
            self.given.insert(b);
        }
        let (a, b) = (self.root(a), self.root(b));
        self.up[a] = b;
        self.open[b] |= self.open[a];
    }

    fn open(&mut self, place: &NumberPlace) {
        self.changes += 1;
        let k = self.node(place);
        let k = self.root(k);
        self.open[k] = true;
    }

    fn finish(mut self) -> Arrays {
        let roots: Vec<usize> = (0..self.up.len()).map(|k| self.root(k)).collect();
        let mut by_root: BTreeMap<usize, Class> = BTreeMap::new();
        let allocated: HashSet<usize> = self.blocks.iter().map(|b| b.0).collect();
        let copied: HashSet<usize> = self.copied.iter().map(|c| c.0).collect();
        let owns = |k: usize| {
            let array = self.places[k].as_ref().is_some_and(|h| h.array);
            array || allocated.contains(&k) && !self.given.contains(&k)
        };
        for (k, h) in self.places.iter().enumerate() {
            if let (Some(h), false) = (h, self.open[roots[k]]) {
                let class = by_root.entry(roots[k]).or_default();
                class.holders.push(h.clone());
                if owns(k) {
                    class.owners.push(h.place.clone());
                }
                let through = [&self.stored, &self.written, &copied];
                let stored = through.iter().any(|set| set.contains(&k));
                class.mixed |= !owns(k) && (stored || allocated.contains(&k));
            }
        }
        let place = |k: usize| self.places[k].as_ref().map(|h| h.place.clone());
        for k in &self.written {
            if let (Some(class), Some(x)) = (by_root.get_mut(&roots[*k]), place(*k)) {
                class.written.push(x);
            }
        }
        for (k, unit, e) in &self.blocks {
            if let (Some(class), Some(x)) = (by_root.get_mut(&roots[*k]), place(*k)) {
                class.blocks.push((x, *unit, *e));
            }
        }
        for (k, from) in self.copied {
            let of = self.places[k].as_ref().map(|h| h.place.clone());
            if let (Some(class), Some(x)) = (by_root.get_mut(&roots[k]), of) {
                class.copied.push((x, from));
            }
        }
        for class in by_root.values_mut() {
            // All of one.
            if class.owners.len() < 2 {
                class.mixed = true;
            }
            if class.owners.is_empty() && !class.blocks.is_empty() {
                class.owners.push(class.blocks[0].0.clone());
            }
        }
        by_root.retain(|_, class| !class.owners.is_empty());
        let mut all = Arrays::default();
        for (k, class) in by_root.into_values().enumerate() {
            let holders = class.holders.iter().map(|h| (h.place.clone(), k));
            all.by_holder.extend(holders);
            all.classes.push(class);
        }
        // What is copied from elsewhere may be anything.
        for k in 0..all.classes.len() {
            let unknown = |(_, from): &&(NumberPlace, NumberPlace)| all.behind(from).is_empty();
            let copied = all.classes[k].copied.iter().filter(unknown);
            let written: Vec<NumberPlace> = copied.map(|c| c.0.clone()).collect();
            all.classes[k].written.extend(written);
        }
        all
    }
}
