//! Arrays of integers that are known by name: variables, members, parameters that are given them, and blocks of the heap that
//! only such places lead to.  Pointers among them make one class of those between which they go; a class of which a
//! pointer goes anywhere else is not known.

mod kept;
mod uses;

use super::flow::named;
use super::kinds::{is_address, is_number};
use super::place::Place;
use crate::analysis::callgraph::CallGraph;
use crate::analysis::program::Program;
use crate::tree::*;
pub use kept::Saved;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What leads to the same elements, as far as is known.
#[derive(Default)]
pub struct Class {
    /// Arrays first.
    pub holders: Vec<Holder>,
    /// Calls that allocate them, by units.
    pub blocks: Vec<(usize, ExprId)>,
    /// A library may write them.
    pub written: bool,
    /// Copied whole from other places' elements.
    pub copied: Vec<Place>,
}

#[derive(Clone)]
pub struct Holder {
    pub place: Place,
    /// It has the elements, and does not only lead to them.
    pub array: bool,
    /// It is never written, and not saved.
    constant: bool,
    unit: usize,
    sym: Option<SymId>,
}

#[derive(Default)]
pub struct Arrays {
    by_holder: HashMap<Place, usize>,
    classes: Vec<Class>,
}

impl Arrays {
    pub fn new(p: &Program, graph: &CallGraph) -> Arrays {
        uses::find(p, graph)
    }

    /// Of what array or block an lvalue is an element.
    pub fn element(&self, unit: usize, u: &Unit, e: ExprId) -> Option<Place> {
        if !is_number(u, u.expr(e).ty.ty) {
            return None;
        }
        let base = match u.expr(e).kind {
            ExprKind::Index { base, index } => address(u, base, index),
            ExprKind::Deref(base) => base,
            _ => return None,
        };
        self.behind(&holder(unit, u, base)?)
    }

    /// The elements to which a variable or a member leads.
    pub fn behind(&self, holder: &Place) -> Option<Place> {
        let class = &self.classes[*self.by_holder.get(holder)?];
        let first = class.holders.first()?;
        Some(Place::Elements(Box::new(first.place.clone())))
    }

    /// All that leads to some elements.
    pub fn class(&self, elements: &Place) -> Option<&Class> {
        match elements {
            Place::Elements(first) => Some(&self.classes[*self.by_holder.get(first)?]),
            _ => None,
        }
    }

    /// What an expression leads to.
    pub fn led(&self, unit: usize, u: &Unit, e: ExprId) -> Option<Place> {
        self.behind(&holder(unit, u, e)?)
    }

    /// Calls that allocate known elements.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, ExprId, Place)> + '_ {
        let all = self.classes.iter().filter_map(|c| {
            let of = self.behind(&c.holders.first()?.place)?;
            Some(
                c.blocks
                    .iter()
                    .map(move |(unit, e)| (*unit, *e, of.clone())),
            )
        });
        all.flatten()
    }

    /// What libraries may write.
    pub fn written(&self) -> impl Iterator<Item = Place> + '_ {
        let written = self.classes.iter().filter(|c| c.written);
        written.filter_map(|c| self.behind(&c.holders.first()?.place))
    }

    /// From where to where elements are copied.
    pub fn copies(&self) -> impl Iterator<Item = (Place, Place)> + '_ {
        let all = self.classes.iter().filter_map(|c| {
            let to = self.behind(&c.holders.first()?.place)?;
            Some(c.copied.iter().map(move |from| (from.clone(), to.clone())))
        });
        all.flatten()
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
fn holder(unit: usize, u: &Unit, e: ExprId) -> Option<Place> {
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
    index: HashMap<Place, usize>,
    places: Vec<Option<Holder>>,
    up: Vec<usize>,
    open: Vec<bool>,
    written: HashSet<usize>,
    blocks: Vec<(usize, (usize, ExprId))>,
    copied: Vec<(Place, usize)>,
}

impl Union {
    fn node(&mut self, place: &Place) -> usize {
        let next = self.up.len();
        let k = *self.index.entry(place.clone()).or_insert(next);
        if k == next {
            self.up.push(k);
            self.open.push(false);
            self.places.push(None);
        }
        k
    }

    fn root(&self, mut k: usize) -> usize {
        while self.up[k] != k {
            k = self.up[k];
        }
        k
    }

    fn join(&mut self, a: &Place, b: &Place) {
        let (a, b) = (self.node(a), self.node(b));
        let (a, b) = (self.root(a), self.root(b));
        self.up[a] = b;
        self.open[b] |= self.open[a];
    }

    fn open(&mut self, place: &Place) {
        let k = self.node(place);
        let k = self.root(k);
        self.open[k] = true;
    }

    fn finish(self) -> Arrays {
        let mut by_root: BTreeMap<usize, Class> = BTreeMap::new();
        for (k, h) in self.places.iter().enumerate() {
            let root = self.root(k);
            if let (Some(h), false) = (h, self.open[root]) {
                by_root.entry(root).or_default().holders.push(h.clone());
            }
        }
        for k in &self.written {
            if let Some(c) = by_root.get_mut(&self.root(*k)) {
                c.written = true;
            }
        }
        for (k, block) in &self.blocks {
            if let Some(c) = by_root.get_mut(&self.root(*k)) {
                c.blocks.push(*block);
            }
        }
        let mut all = Arrays::default();
        let mut number = HashMap::new();
        for (root, mut class) in by_root {
            class.holders.sort_by_key(|h| !h.array);
            let k = all.classes.len();
            number.insert(root, k);
            let holders = class.holders.iter().map(|h| (h.place.clone(), k));
            all.by_holder.extend(holders);
            all.classes.push(class);
        }
        for (from, to) in &self.copied {
            match (all.behind(from), number.get(&self.root(*to))) {
                (Some(from), Some(to)) => all.classes[*to].copied.push(from),
                (None, Some(to)) => all.classes[*to].written = true,
                _ => {}
            }
        }
        all
    }
}
