//! What expressions that are pointers to functions may be, where all that is stored in them is in the program's text.
//!
//! A variable, a parameter, a result or a member of a struct holds what the program puts there: of each all stores are
//! known (`places`), unless its memory can be reached in other ways: by its address, as another struct, by a library.
//! Whoever knows less asks the types ([`crate::signatures`]).  What goes where it is not followed (`escapes`) can be
//! anywhere where its type fits.

mod escapes;
mod layout;
mod places;

use crate::program::{Callee, FnId, Program};
use crate::signatures::Signatures;
use crate::untouched;
use crate::walk::{strip_casts, visit, Node};
pub(crate) use layout::is_beginning;
use pc3_syntax::tree::*;
use places::{PointerSlot, PointerSlots};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// What a pointer may mean.
#[derive(Default)]
pub(crate) struct PointsTo {
    pub functions: Vec<FnId>,
    /// It is in memory, so that what has escaped may have got there.
    pub in_memory: bool,
}

/// None: they are not known.
type Found = Option<Rc<PointsTo>>;

pub struct Pointers<'a> {
    p: &'a Program<'a>,
    /// They are called in ways that are not seen.
    called_elsewhere: &'a BTreeSet<FnId>,
    /// What direct calls of each function give it.
    callers: HashMap<FnId, Vec<(usize, &'a [ExprId])>>,
    results: HashMap<FnId, Vec<ExprId>>,
    /// The elements of tables, by unit.
    tables: Vec<HashMap<SymId, Vec<ExprId>>>,
    places: PointerSlots<'a>,
    known: RefCell<HashMap<PointerSlot, Found>>,
    /// Functions that are also where nobody has followed them.
    pub escaped: HashSet<FnId>,
}

/// So many places are looked at for one expression.
const MOST: usize = 1000;

struct Query {
    seen: HashSet<PointerSlot>,
    found: BTreeSet<FnId>,
    in_memory: bool,
}

impl<'a> Pointers<'a> {
    pub fn new(
        p: &'a Program<'a>,
        signatures: &Signatures,
        called_elsewhere: &'a BTreeSet<FnId>,
    ) -> Pointers<'a> {
        let mut callers: HashMap<FnId, Vec<(usize, &[ExprId])>> = HashMap::new();
        let mut results: HashMap<FnId, Vec<ExprId>> = HashMap::new();
        for f in p.ids() {
            let (unit, u) = (p.fns[f.index()].0, p.unit(f));
            visit(u, Node::Stmt(p.func(f).body), &mut |n| {
                match n {
                    Node::Expr(e) => {
                        if let ExprKind::Call { callee, args } = &u.expr(e).kind {
                            if let Some((_, Callee::Defined(t))) = p.direct(unit, *callee) {
                                callers.entry(t).or_default().push((unit, args));
                            }
                        }
                    }
                    Node::Stmt(s) => {
                        if let StmtKind::Return(Some(e)) = u.stmt(s).kind {
                            results.entry(f).or_default().push(e);
                        }
                    }
                }
                true
            });
        }
        let mut all = Pointers {
            p,
            called_elsewhere,
            callers,
            results,
            tables: p.units.iter().map(tables).collect(),
            places: PointerSlots::new(p, signatures),
            known: RefCell::default(),
            escaped: HashSet::new(),
        };
        all.escaped = escapes::find(&all);
        all
    }

    /// The functions that an expression of a unit may be, if they are known.
    pub(crate) fn functions(&self, unit: usize, e: ExprId) -> Found {
        let u = &self.p.units[unit];
        let place = self.places.of(unit, u, strip_casts(u, e));
        if let Some(known) = place.as_ref().and_then(|x| self.known(x)) {
            return known;
        }
        let mut query = Query {
            seen: HashSet::new(),
            found: BTreeSet::new(),
            in_memory: false,
        };
        let all = self.collect(unit, e, &mut query);
        let meant = PointsTo {
            functions: query.found.into_iter().collect(),
            in_memory: query.in_memory,
        };
        let found = all.then(|| Rc::new(meant));
        if let Some(x) = place {
            self.known.borrow_mut().insert(x, found.clone());
        }
        found
    }

    fn known(&self, x: &PointerSlot) -> Option<Found> {
        self.known.borrow().get(x).cloned()
    }

    fn collect(&self, unit: usize, e: ExprId, query: &mut Query) -> bool {
        let u = &self.p.units[unit];
        let e = strip_casts(u, e);
        match &u.expr(e).kind {
            ExprKind::Int(_) => true,
            ExprKind::Ident(s) if u.sym(*s).kind == SymKind::Func => {
                if let Callee::Defined(t) = self.p.resolve(unit, *s) {
                    query.found.insert(t);
                }
                true
            }
            ExprKind::Cond {
                then: Some(a),
                els: b,
                ..
            } => self.collect(unit, *a, query) && self.collect(unit, *b, query),
            ExprKind::Comma(list) => match list.last() {
                Some(last) => self.collect(unit, *last, query),
                None => false,
            },
            ExprKind::Assign { op: None, rhs, .. } => self.collect(unit, *rhs, query),
            ExprKind::AddrOf(x) | ExprKind::Deref(x) if is_function(u, e) || is_function(u, *x) => {
                self.collect(unit, *x, query)
            }
            ExprKind::Call { callee, .. } => match self.p.direct(unit, *callee) {
                Some((_, Callee::Defined(f))) => {
                    let results = self.results.get(&f).into_iter().flatten();
                    let new = query.seen.insert(PointerSlot::Result(f));
                    let home = self.p.fns[f.index()].0;
                    !new || self.all(results.map(|r| (home, *r)), query)
                }
                _ => false,
            },
            ExprKind::Index { base, index } => {
                let table = match u.expr(strip_casts(u, *base)).kind {
                    ExprKind::Ident(s) => self.tables[unit].get(&s),
                    _ => None,
                };
                let Some(list) = table else {
                    return self.place(unit, e, query);
                };
                let one = u.view().eval(*index).and_then(|i| usize::try_from(i).ok());
                match one.and_then(|i| list.get(i)) {
                    Some(x) => self.collect(unit, *x, query),
                    None => list.iter().all(|x| self.collect(unit, *x, query)),
                }
            }
            _ => self.place(unit, e, query),
        }
    }

    fn all(&self, list: impl Iterator<Item = (usize, ExprId)>, query: &mut Query) -> bool {
        let mut list = list;
        query.seen.len() < MOST && list.all(|(unit, e)| self.collect(unit, e, query))
    }

    /// What is stored in the place that an expression is.
    fn place(&self, unit: usize, e: ExprId, query: &mut Query) -> bool {
        let Some(x) = self.places.of(unit, &self.p.units[unit], e) else {
            return false;
        };
        if let Some(known) = self.known(&x) {
            query.found.extend(known.iter().flat_map(|m| &m.functions));
            query.in_memory |= known.as_ref().is_some_and(|m| m.in_memory);
            return known.is_some();
        }
        // Nobody else writes what a unit of ours keeps.
        let own = pc3_libc::is_own(&self.p.units[unit].path);
        query.in_memory |= matches!(x, PointerSlot::Member(_)) && !own;
        if !query.seen.insert(x.clone()) {
            return true;
        }
        let Some(stores) = self.places.stores(&x) else {
            return false;
        };
        self.all(stores.iter().copied(), query) && self.arguments(&x, query)
    }

    /// All that the program puts into a place, as far as that is seen.
    fn stores_to(&self, x: &PointerSlot) -> Vec<(usize, ExprId)> {
        let mut all = self.places.all_stores(x).to_vec();
        match x {
            PointerSlot::Result(f) => {
                let results = self.results.get(f).into_iter().flatten();
                all.extend(results.map(|e| (self.p.fns[f.index()].0, *e)));
            }
            PointerSlot::Variable(unit, s) => {
                let u = &self.p.units[*unit];
                let of = u.sym(*s).func.filter(|_| u.sym(*s).kind == SymKind::Param);
                let params = of.map_or(&[][..], |f| u.func(f).params.as_slice());
                if let (Some(f), Some(i)) = (of, params.iter().position(|x| x == s)) {
                    let callers = self.callers.get(&self.p.id(*unit, f));
                    let args = callers.into_iter().flatten();
                    all.extend(args.filter_map(|(unit, args)| Some((*unit, *args.get(i)?))));
                }
            }
            _ => {}
        }
        all
    }

    /// What a parameter is called with.
    fn arguments(&self, x: &PointerSlot, query: &mut Query) -> bool {
        let PointerSlot::Variable(unit, s) = x else {
            return true;
        };
        let u = &self.p.units[*unit];
        let Some(f) = u.sym(*s).func.filter(|_| u.sym(*s).kind == SymKind::Param) else {
            return true;
        };
        let Some(i) = u.func(f).params.iter().position(|x| x == s) else {
            return false;
        };
        let f = self.p.id(*unit, f);
        if self.called_elsewhere.contains(&f) {
            return false;
        }
        let callers = self.callers.get(&f).map_or(&[][..], Vec::as_slice);
        let given = callers
            .iter()
            .map(|(unit, args)| Some((*unit, *args.get(i)?)));
        let given: Option<Vec<(usize, ExprId)>> = given.collect();
        given.is_some_and(|list| self.all(list.into_iter(), query))
    }
}

fn is_function(u: &Unit, e: ExprId) -> bool {
    matches!(u.ty(u.expr(e).ty.ty), Type::Function { .. })
}

/// Arrays that keep what they are initialised with, element by element in the order of the text.
fn tables(u: &Unit) -> HashMap<SymId, Vec<ExprId>> {
    let untouched = untouched::analyse(u);
    let elements = |init: &Option<Init>| match init {
        Some(Init::List { items, .. }) => {
            let one = |x: &InitItem| match x.value {
                Init::Expr(e) if x.designators.is_empty() => Some(e),
                _ => None,
            };
            items.iter().map(one).collect::<Option<Vec<_>>>()
        }
        _ => None,
    };
    let mut all = HashMap::new();
    let mut add = |d: &DeclGroup| {
        for v in d.vars.iter().filter(|v| untouched.contains(&v.sym)) {
            let pointers = matches!(u.ty(u.sym(v.sym).ty.ty), Type::Array { elem, .. }
                if matches!(u.ty(elem.ty), Type::Pointer(_)));
            if let Some(list) = elements(&v.init).filter(|_| pointers) {
                all.insert(v.sym, list);
            }
        }
    };
    for item in &u.items {
        if let TopItem::Decl(d) = item {
            add(d);
        }
    }
    for s in &u.stmts {
        if let StmtKind::Decl(d) = &s.kind {
            add(d);
        }
    }
    all
}
