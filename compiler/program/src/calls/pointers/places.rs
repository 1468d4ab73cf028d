//! Variables and members that are pointers to functions: what is stored in them, and which can be written in other ways.

use super::layout::parts;
use crate::initialiser;
use crate::program::{is_local, Callee, FnId, Program};
use crate::signatures::{function, pointee, record_key, Signatures};
use crate::walk::{init_values, strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PointerSlot {
    /// Of one unit: automatic, static, or a parameter.
    Variable(usize, SymId),
    Global(String),
    /// The same member of all structs that begin alike.
    Member(usize),
    Result(FnId),
}

pub struct PointerSlots<'a> {
    p: &'a Program<'a>,
    /// By a struct's name and the member's.
    members: HashMap<(String, String), usize>,
    /// Those that structs which begin alike share, by number.
    up: Vec<usize>,
    stores: HashMap<PointerSlot, Vec<(usize, ExprId)>>,
    open: HashSet<PointerSlot>,
    /// Parts of initialisers that are stored in places.
    stored: HashSet<(usize, ExprId)>,
}

impl<'a> PointerSlots<'a> {
    pub fn new(p: &'a Program<'a>, signatures: &Signatures) -> PointerSlots<'a> {
        let mut all = PointerSlots {
            p,
            members: HashMap::new(),
            up: Vec::new(),
            stores: HashMap::new(),
            open: HashSet::new(),
            stored: HashSet::new(),
        };
        all.number();
        for (unit, r) in &signatures.looked_at {
            all.open_record(*unit, *r);
        }
        for (unit, u) in p.units.iter().enumerate() {
            all.records(unit, u);
            all.variables(unit, u);
            all.exprs(unit, u);
            for s in &u.stmts {
                if let StmtKind::Asm(list) = &s.kind {
                    list.iter().for_each(|e| all.open_within(unit, u, *e));
                }
            }
            for (s, ty, init) in initialiser::all(u) {
                all.initialised(unit, u, s, ty, init);
            }
        }
        all
    }

    /// What is stored in a place; None: it can be written in other ways.
    pub fn stores(&self, x: &PointerSlot) -> Option<&[(usize, ExprId)]> {
        let stores = self.stores.get(x).map_or(&[][..], Vec::as_slice);
        (!self.open.contains(x)).then_some(stores)
    }

    /// Those that can be written, and looked at, in other ways.
    pub fn open(&self) -> impl Iterator<Item = &PointerSlot> {
        self.open.iter()
    }

    pub(crate) fn all_stores(&self, x: &PointerSlot) -> &[(usize, ExprId)] {
        self.stores.get(x).map_or(&[], Vec::as_slice)
    }

    /// Is this part of an initialiser stored in a place?
    pub fn is_stored(&self, unit: usize, e: ExprId) -> bool {
        self.stored.contains(&(unit, e))
    }

    /// The place that an expression reads or writes, of elements their array.
    pub fn of(&self, unit: usize, u: &Unit, e: ExprId) -> Option<PointerSlot> {
        match &u.expr(e).kind {
            ExprKind::Ident(s) if matches!(u.sym(*s).kind, SymKind::Var | SymKind::Param) => {
                let sym = u.sym(*s);
                let any = is_local(sym) && is_any(u, sym.ty.ty);
                (any || holds(u, sym.ty.ty)).then(|| self.variable(unit, u, *s))
            }
            ExprKind::Member { base, arrow, name } => {
                let of = u.expr(*base).ty.ty;
                let of = if *arrow { pointee(u, of)? } else { of };
                let Type::Record(r) = u.ty(of) else {
                    return None;
                };
                self.member(unit, u, *r, name)
            }
            ExprKind::Index { base, index } => match (is_array(u, *base), is_array(u, *index)) {
                (true, _) => self.of(unit, u, *base),
                (_, true) => self.of(unit, u, *index),
                _ => None,
            },
            ExprKind::Deref(x) if is_array(u, *x) => self.of(unit, u, *x),
            _ => None,
        }
    }

    fn variable(&self, unit: usize, u: &Unit, s: SymId) -> PointerSlot {
        let sym = u.sym(s);
        match is_local(sym) || sym.storage == Storage::Static || !sym.is_global {
            true => PointerSlot::Variable(unit, s),
            false => PointerSlot::Global(sym.name.clone()),
        }
    }

    fn member(&self, unit: usize, u: &Unit, r: RecordId, name: &str) -> Option<PointerSlot> {
        let key = (record_key(unit, u, r), name.to_owned());
        self.members
            .get(&key)
            .map(|k| PointerSlot::Member(self.root(*k)))
    }

    fn root(&self, mut k: usize) -> usize {
        while self.up[k] != k {
            k = self.up[k];
        }
        k
    }

    /// Finds the members, and which of them lie alike.
    fn number(&mut self) {
        let mut alike: HashMap<String, usize> = HashMap::new();
        for (unit, u) in self.p.units.iter().enumerate() {
            for k in 0..u.records.len() {
                let r = RecordId(k as u32);
                if u.records[k].is_union {
                    continue;
                }
                parts(u, r, &mut String::new(), &mut |marks, of, f| {
                    let (Some(name), Some(t)) = (&f.name, element(u, f.ty.ty)) else {
                        return;
                    };
                    let key = (record_key(unit, u, of), name.clone());
                    let next = self.up.len();
                    let own = *self.members.entry(key).or_insert(next);
                    if own == next {
                        self.up.push(own);
                    }
                    let shape = crate::callgraph::rough(u, t);
                    let first = *alike.entry(format!("{marks}{shape}")).or_insert(own);
                    let (a, b) = (self.root(first), self.root(own));
                    self.up[b.max(a)] = b.min(a);
                });
            }
        }
    }

    fn open_record(&mut self, unit: usize, r: RecordId) {
        let u = &self.p.units[unit];
        for f in u.records[r.index()].fields.iter().flatten() {
            let place = f.name.as_ref().and_then(|n| self.member(unit, u, r, n));
            self.open.extend(place);
        }
    }

    /// Members that are reached otherwise than by their names.
    fn records(&mut self, unit: usize, u: &'a Unit) {
        for (k, d) in u.records.iter().enumerate() {
            let r = RecordId(k as u32);
            let system = d.def.as_ref().is_some_and(|s| u.lines.is_system(s.start));
            let mut nameless = false;
            for f in d.fields.iter().flatten() {
                let inner = match u.ty(f.ty.ty) {
                    Type::Record(inner) => Some(*inner),
                    _ => None,
                };
                // By the name of the outer struct, too.
                if let Some(inner) = inner.filter(|_| f.name.is_none()) {
                    self.open_record(unit, inner);
                    nameless = true;
                }
            }
            if system || nameless {
                self.open_record(unit, r);
            }
        }
    }

    fn variables(&mut self, unit: usize, u: &Unit) {
        for (k, s) in u.symbols.iter().enumerate() {
            if s.kind != SymKind::Var || !holds(u, s.ty.ty) {
                continue;
            }
            let place = self.variable(unit, u, SymId(k as u32));
            let elsewhere = match &place {
                PointerSlot::Global(name) => {
                    let mut all = self.p.globals(name).map(|(_, s)| s);
                    self.p.is_used_outside(name) || !all.any(|s| s.defined || s.initialised)
                }
                _ => false,
            };
            let alias = s.attributes.iter().any(|a| a.starts_with("alias"));
            if elsewhere || s.system || alias {
                self.open.insert(place);
            }
        }
    }

    fn open_within(&mut self, unit: usize, u: &Unit, e: ExprId) {
        visit(u, Node::Expr(e), &mut |n| {
            if let Node::Expr(x) = n {
                self.open.extend(self.of(unit, u, x));
            }
            true
        });
    }

    fn exprs(&mut self, unit: usize, u: &Unit) {
        // Arrays that are looked into, or measured.
        let mut whole: HashSet<ExprId> = HashSet::new();
        for x in &u.exprs {
            match &x.kind {
                ExprKind::Index { base, index } => whole.extend([*base, *index]),
                ExprKind::Deref(x) | ExprKind::SizeofExpr(x) => _ = whole.insert(*x),
                _ => {}
            }
        }
        for (k, x) in u.exprs.iter().enumerate() {
            let e = ExprId(k as u32);
            match &x.kind {
                ExprKind::AddrOf(of) => self.open.extend(self.of(unit, u, *of)),
                ExprKind::Assign { lhs, rhs, .. } => {
                    if let Some(place) = self.of(unit, u, *lhs) {
                        self.stores.entry(place).or_default().push((unit, *rhs));
                    }
                }
                ExprKind::Call { callee, args } => {
                    if let Some((_, Callee::External(name))) = self.p.direct(unit, *callee) {
                        if self.p.is_foreign(&name) {
                            let mut seen = HashSet::new();
                            let types = args.iter().map(|a| u.expr(strip_casts(u, *a)).ty.ty);
                            types.for_each(|t| self.hand_over(unit, u, t, &mut seen));
                        }
                    }
                }
                _ if is_array(u, e) && !whole.contains(&e) => {
                    self.open.extend(self.of(unit, u, e));
                }
                _ => {}
            }
        }
    }

    /// Code that is not seen gets a value of this type.
    fn hand_over(&mut self, unit: usize, u: &Unit, ty: TypeId, seen: &mut HashSet<TypeId>) {
        if !seen.insert(ty) {
            return;
        }
        match u.ty(ty) {
            Type::Pointer(q) | Type::Array { elem: q, .. } => self.hand_over(unit, u, q.ty, seen),
            Type::Record(r) => {
                self.open_record(unit, *r);
                for f in u.records[r.index()].fields.iter().flatten() {
                    self.hand_over(unit, u, f.ty.ty, seen);
                }
            }
            _ => {}
        }
    }

    fn initialised(&mut self, unit: usize, u: &Unit, s: Option<SymId>, ty: QualType, init: &Init) {
        let any = |s: &SymId| is_local(u.sym(*s)) && is_any(u, ty.ty);
        let own = s.filter(|s| holds(u, ty.ty) || any(s));
        if let Some(place) = own.map(|s| self.variable(unit, u, s)) {
            init_values(init, &mut |e| {
                self.stored.insert((unit, e));
                let list = self.stores.entry(place.clone()).or_default();
                list.push((unit, e));
            });
            return;
        }
        if matches!(init, Init::Expr(_)) {
            return;
        }
        for leaf in initialiser::leaves(u, ty, init) {
            if let Some((r, name)) = holder(u, ty, &leaf.path) {
                if let Some(place) = self.member(unit, u, r, &name) {
                    self.stored.insert((unit, leaf.expr));
                    let list = self.stores.entry(place).or_default();
                    list.push((unit, leaf.expr));
                }
            }
        }
    }
}

/// The struct and the member that a part of an object lies in.
fn holder(u: &Unit, ty: QualType, path: &[u64]) -> Option<(RecordId, String)> {
    let (mut at, mut found) = (ty.ty, None);
    for step in path {
        match u.ty(at) {
            Type::Array { elem, .. } => at = elem.ty,
            Type::Record(r) => {
                let d = &u.records[r.index()];
                let f = initialiser::parts(d).nth(*step as usize)?;
                found = f.name.as_ref().map(|n| (*r, n.clone()));
                at = f.ty.ty;
            }
            _ => return None,
        }
    }
    found
}

/// The functions to which a pointer, or an array of some, leads.
fn element(u: &Unit, ty: TypeId) -> Option<TypeId> {
    match u.ty(ty) {
        Type::Array { elem, .. } => element(u, elem.ty),
        Type::Pointer(_) => function(u, ty),
        _ => None,
    }
}

/// A pointer to anything.
fn is_any(u: &Unit, ty: TypeId) -> bool {
    matches!(u.ty(ty), Type::Pointer(q) if matches!(u.ty(q.ty), Type::Void))
}

fn holds(u: &Unit, ty: TypeId) -> bool {
    element(u, ty).is_some()
}

fn is_array(u: &Unit, e: ExprId) -> bool {
    let ty = u.expr(e).ty.ty;
    matches!(u.ty(ty), Type::Array { .. }) && holds(u, ty)
}
