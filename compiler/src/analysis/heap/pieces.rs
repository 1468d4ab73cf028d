//! Functions that hand out pieces of a larger block: arenas and pools.
//!
//! Such a function returns, as a pointer to anything, an address in memory that a place of its own leads to: behind a
//! cursor or an offset that it moves (`p = a->at; a->at += n; return p;`), or the head of a list of free items that it
//! unlinks (`p = pool->free; pool->free = *(void **)p; return p;`). Like a wrapper's, its callers say the type, and the
//! runtime notes it of the piece, with the size that was asked for, if the function is given one.
//!
//! What a program stores through a cast into memory of no type (the links of free items, headers) is noted as well. What
//! lies elsewhere in such a block is not known: a restart elsewhere wants it to be zero.

use super::flow::{element, pointee, Flow, Place, Use};
use super::is_char;
use super::wrappers::allocator;
use crate::analysis::callgraph::CallGraph;
use crate::analysis::program::{is_local, FnId, Program};
use crate::analysis::walk::{children, strip_casts, visit, Node};
use crate::tree::*;
use std::collections::{HashMap, HashSet};

/// A pointer to memory of no type by which something of a known one is stored.
#[derive(Clone, Debug)]
pub struct Link {
    /// The pointer.
    pub of: ExprId,
    pub to: QualType,
    /// It goes to the head of a list of free items.
    pub freed: bool,
}

#[derive(Default)]
pub struct Pieces {
    /// With the parameters that say a piece's size.
    pub dealers: HashMap<FnId, Vec<usize>>,
    /// Such functions that can reach a location: of what they hand out nothing is noted.
    pub late: HashSet<FnId>,
    /// By how much those that are given none move on: a member of what a parameter points to.
    pub steps: HashMap<FnId, ExprId>,
    /// What they return, per unit.
    pub returned: Vec<HashSet<ExprId>>,
    /// Of these, what comes from characters.
    pub texts: Vec<HashSet<ExprId>>,
    /// The places that lead to the blocks.
    pub places: HashSet<Place>,
    pub links: Vec<Vec<Link>>,
    /// Arrays of numbers that are handed out likewise, by numbers that count them: these cannot be followed.
    pub words: HashSet<Place>,
    /// Where pieces are found by how many there are and their size, per unit: those have another size elsewhere.
    pub counted: Vec<Vec<ExprId>>,
    /// What is returned of them, per unit.
    pub from_words: Vec<HashSet<ExprId>>,
}

/// What a function does with places that outlive it.
#[derive(Default)]
struct Deeds {
    returns: Vec<ExprId>,
    /// Left sides and what they get or are changed by.
    changes: Vec<(ExprId, Option<ExprId>, bool)>,
}

impl Pieces {
    pub fn none(p: &Program) -> Pieces {
        Pieces {
            returned: vec![HashSet::new(); p.units.len()],
            from_words: vec![HashSet::new(); p.units.len()],
            counted: vec![Vec::new(); p.units.len()],
            texts: vec![HashSet::new(); p.units.len()],
            links: vec![Vec::new(); p.units.len()],
            ..Pieces::default()
        }
    }
}

pub fn find(p: &Program, graph: &CallGraph, flows: &[Flow]) -> Pieces {
    let mut all = Pieces::none(p);
    let mut heads: HashMap<Place, QualType> = HashMap::new();
    for f in p.ids() {
        let unit = p.fns[f.index()].0;
        let (u, func) = (p.unit(f), p.func(f));
        // A `malloc` of the program's own has no callers that could say anything.
        let own = crate::library::is_own(&u.path) || allocator(p.name(f)).is_some();
        if own || func.variadic || !untyped(u, func.ret) {
            continue;
        }
        let one = Dealer {
            flow: &flows[unit],
            u,
            func,
            deeds: deeds(u, func),
        };
        if graph.reaches[f.index()] {
            all.late.extend(one.deals(&mut HashMap::new()).map(|_| f));
            continue;
        }
        if one.words(&mut all.words) {
            all.from_words[unit].extend(one.deeds.returns.iter().copied());
        }
        if let Some((places, sizes)) = one.deals(&mut heads) {
            all.places.extend(places);
            let by_count = one.deeds.returns.iter().filter(|e| one.is_multiple(**e));
            all.counted[unit].extend(by_count.copied());
            let returns = &one.deeds.returns;
            let texts = returns.iter().filter(|e| one.is_of_text(**e));
            all.texts[unit].extend(texts.copied());
            all.returned[unit].extend(returns.iter().copied());
            if let (true, Some(step)) = (sizes.is_empty(), one.step(&all.places)) {
                all.steps.insert(f, step);
            }
            all.dealers.insert(f, sizes);
        }
    }
    if !all.dealers.is_empty() {
        for (unit, flow) in flows.iter().enumerate() {
            if !crate::library::is_own(&flow.u.path) {
                links(flow, &heads, &mut all.links[unit]);
                let based = |p: &Place| all.places.contains(p) && !heads.contains_key(p);
                let own = all.dealers.keys().filter(|f| p.fns[f.index()].0 == unit);
                let own: Vec<&Span> = own.map(|f| &p.func(*f).span).collect();
                let mut found = Vec::new();
                walks(flow, &based, &mut found);
                let inside = |e: &ExprId| {
                    let start = flow.u.expr(*e).span.start;
                    own.iter().any(|s| s.contains(&start))
                };
                found.retain(|e| !inside(e));
                all.counted[unit].extend(found);
            }
        }
    }
    all
}

fn is_void(u: &Unit, q: QualType) -> bool {
    matches!(u.ty(q.ty), Type::Pointer(t) if matches!(u.ty(t.ty), Type::Void))
}

fn is_text(u: &Unit, q: QualType) -> bool {
    element(u, q).is_some_and(|t| is_char(u, t))
}

fn untyped(u: &Unit, q: QualType) -> bool {
    is_void(u, q) || matches!(u.ty(q.ty), Type::Pointer(_)) && is_text(u, q)
}

/// Is it a pointer to a struct that neither is like another one nor begins like it?
fn is_other(u: &Unit, from: QualType, to: QualType) -> bool {
    match (pointee(u, from).map(|q| u.ty(q.ty)), u.ty(to.ty)) {
        (Some(Type::Record(a)), Type::Record(b)) => !akin(u, *a, *b, 8),
        _ => false,
    }
}

fn akin(u: &Unit, a: RecordId, b: RecordId, depth: u32) -> bool {
    let [one, other] = [a, b].map(|r| &u.records[r.index()]);
    let (Some(x), Some(y)) = (&one.fields, &other.fields) else {
        return true;
    };
    if a == b || depth == 0 || one.is_union || other.is_union {
        return true;
    }
    let inner = |list: &[Field]| match list.first().map(|f| u.ty(f.ty.ty)) {
        Some(Type::Record(r)) => Some(*r),
        _ => None,
    };
    let same = |x: &Field, y: &Field| match (u.ty(x.ty.ty), u.ty(y.ty.ty)) {
        (Type::Pointer(_), Type::Pointer(_)) => true,
        (Type::Record(a), Type::Record(b)) => akin(u, *a, *b, depth - 1),
        _ => x.ty.ty == y.ty.ty,
    };
    inner(x).is_some_and(|r| akin(u, r, b, depth - 1))
        || inner(y).is_some_and(|r| akin(u, a, r, depth - 1))
        || x.iter().zip(y).all(|(x, y)| same(x, y))
}

fn deeds(u: &Unit, func: &Function) -> Deeds {
    let mut d = Deeds::default();
    visit(u, Node::Stmt(func.body), &mut |n| {
        match n {
            Node::Stmt(s) => {
                if let StmtKind::Return(Some(e)) = u.stmt(s).kind {
                    d.returns.push(e);
                }
            }
            Node::Expr(e) => match &u.expr(e).kind {
                ExprKind::Assign { op, lhs, rhs } => {
                    d.changes.push((*lhs, Some(*rhs), op.is_some()));
                }
                ExprKind::Unary {
                    op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                    arg,
                } => d.changes.push((*arg, None, true)),
                _ => {}
            },
        }
        true
    });
    d
}

struct Dealer<'f, 'a> {
    flow: &'f Flow<'a>,
    u: &'a Unit,
    func: &'a Function,
    deeds: Deeds,
}

impl Dealer<'_, '_> {
    /// The places it deals from, and its sizes.
    fn deals(&self, heads: &mut HashMap<Place, QualType>) -> Option<(Vec<Place>, Vec<usize>)> {
        let mut places = Vec::new();
        for e in &self.deeds.returns {
            let mut found = Vec::new();
            self.sources(*e, false, &mut HashSet::new(), &mut found);
            for (from, moved) in found {
                let Some(place) = self.flow.place(from) else {
                    continue;
                };
                let q = self.u.expr(from).ty;
                let bytes = is_void(self.u, q) || is_text(self.u, q);
                if let Some(link) = self.unlinks(&place) {
                    heads.insert(place.clone(), link);
                    places.push(place);
                } else if bytes
                    && (moved && self.is_any() && self.is_counted(*e) || self.is_moved(&place))
                {
                    places.push(place);
                }
            }
        }
        if places.is_empty() {
            return None;
        }
        let sizes = self.sizes()?;
        // Characters of a text are not for sale.
        (self.is_any() || !sizes.is_empty()).then_some((places, sizes))
    }

    /// Does it come from an array of characters, wherever that is declared?
    fn is_of_text(&self, e: ExprId) -> bool {
        let mut found = Vec::new();
        self.sources(e, false, &mut HashSet::new(), &mut found);
        let mut types = found.iter().map(|(from, _)| self.u.expr(*from).ty);
        types.any(|q| is_text(self.u, q))
    }

    /// `return &r->data[r->used];` where these are numbers.
    fn words(&self, out: &mut HashSet<Place>) -> bool {
        let u = self.u;
        let mut any = false;
        for e in self.deeds.returns.iter().filter(|_| self.is_any()) {
            let mut found = Vec::new();
            self.sources(*e, false, &mut HashSet::new(), &mut found);
            for (from, _) in found.iter().filter(|(_, moved)| *moved) {
                let of = element(u, u.expr(*from).ty);
                let number = |q: QualType| matches!(u.ty(q.ty), Type::Int(_) | Type::Float(_));
                if of.is_some_and(|q| number(q) && !is_char(u, q)) && self.is_counted(*e) {
                    out.extend(self.flow.place(*from));
                    any = true;
                }
            }
        }
        any
    }

    fn is_any(&self) -> bool {
        is_void(self.u, self.func.ret)
    }

    /// The places whose values `e` may be made of, and whether they are moved on the way.
    fn sources(
        &self,
        e: ExprId,
        moved: bool,
        seen: &mut HashSet<SymId>,
        out: &mut Vec<(ExprId, bool)>,
    ) {
        let u = self.u;
        let (from, more) = self.flow.origin(e);
        let moved = moved || more;
        match &u.expr(from).kind {
            ExprKind::Ident(s) if is_local(u.sym(*s)) => {
                if !seen.insert(*s) {
                    return;
                }
                let changes = self.flow.values.get(s).into_iter().flatten();
                let moved = moved || changes.clone().any(Option::is_none);
                for v in changes.flatten() {
                    self.sources(*v, moved, seen, out);
                }
            }
            ExprKind::Ident(_) | ExprKind::Member { .. } | ExprKind::Deref(_) => {
                out.push((from, moved));
            }
            ExprKind::Comma(list) => {
                if let Some(l) = list.last() {
                    self.sources(*l, moved, seen, out);
                }
            }
            ExprKind::Cond { cond, then, els } => {
                self.sources(then.unwrap_or(*cond), moved, seen, out);
                self.sources(*els, moved, seen, out);
            }
            ExprKind::Assign { op: None, rhs, .. } => self.sources(*rhs, moved, seen, out),
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg,
            } => self.sources(*arg, true, seen, out),
            _ => {}
        }
    }

    /// Does the expression come from the place, by way of locals?
    fn comes_from(&self, e: ExprId, place: &Place) -> Option<bool> {
        let mut found = Vec::new();
        self.sources(e, false, &mut HashSet::new(), &mut found);
        let same = |(from, _): &&(ExprId, bool)| self.flow.place(*from).as_ref() == Some(place);
        found.iter().find(same).map(|(_, moved)| *moved)
    }

    fn is_kept(&self, lhs: ExprId) -> bool {
        match self.u.expr(lhs).kind {
            ExprKind::Ident(s) => !is_local(self.u.sym(s)),
            ExprKind::Member { .. } | ExprKind::Deref(_) | ExprKind::Index { .. } => true,
            _ => false,
        }
    }

    /// Does the function move the cursor in this place?
    fn is_moved(&self, place: &Place) -> bool {
        self.deeds.changes.iter().any(|(lhs, rhs, by)| {
            self.is_kept(*lhs)
                && self.flow.place(*lhs).as_ref() == Some(place)
                && (*by || rhs.is_some_and(|r| self.comes_from(r, place) == Some(true)))
        })
    }

    /// Does its place come from a product of a count that the function keeps?
    fn is_multiple(&self, e: ExprId) -> bool {
        let (u, flow) = (self.u, self.flow);
        let (mut seen, mut todo, mut found) = (HashSet::new(), vec![e], false);
        while let Some(e) = todo.pop() {
            visit(u, Node::Expr(e), &mut |n| {
                let Node::Expr(x) = n else { return true };
                match &u.expr(x).kind {
                    ExprKind::Ident(s) if is_local(u.sym(*s)) && seen.insert(*s) => {
                        todo.extend(flow.values(*s));
                    }
                    ExprKind::Binary {
                        op: BinOp::Mul,
                        lhs,
                        rhs,
                    } => {
                        let fixed = |e: &ExprId| u.view().eval(strip_casts(u, *e)).is_some();
                        found |= !fixed(lhs) && !fixed(rhs) && self.is_counted(x);
                    }
                    _ => {}
                }
                true
            });
        }
        found
    }

    /// Is what is returned at an offset that the function changes?  Else it finds what is there already, and often.
    fn is_counted(&self, e: ExprId) -> bool {
        let (u, flow) = (self.u, self.flow);
        let kept = self.deeds.changes.iter().filter(|c| self.is_kept(c.0));
        let changed: HashSet<Place> = kept.filter_map(|c| flow.place(c.0)).collect();
        let (mut seen, mut todo, mut found) = (HashSet::new(), vec![e], false);
        while let Some(e) = todo.pop() {
            visit(u, Node::Expr(e), &mut |n| {
                let Node::Expr(x) = n else { return true };
                match u.expr(x).kind {
                    ExprKind::Ident(s) if is_local(u.sym(s)) => {
                        let new = seen.insert(s);
                        if new {
                            todo.extend(flow.values(s));
                        }
                    }
                    ExprKind::Ident(_) | ExprKind::Member { .. } => {
                        let number = matches!(u.ty(u.expr(x).ty.ty), Type::Int(_));
                        found |= number && flow.place(x).is_some_and(|p| changed.contains(&p));
                    }
                    _ => {}
                }
                true
            });
        }
        found
    }

    /// Does it take the first off a list that begins in this place?  What a free item is then.
    fn unlinks(&self, place: &Place) -> Option<QualType> {
        let u = self.u;
        let mut changes = self.deeds.changes.iter();
        changes.find_map(|(lhs, rhs, by)| {
            if *by || self.flow.place(*lhs).as_ref() != Some(place) {
                return None;
            }
            let next = strip_casts(u, (*rhs)?);
            let (through, link) = match &u.expr(next).kind {
                ExprKind::Deref(x) => (*x, u.expr(next).ty),
                ExprKind::Member {
                    base, arrow: true, ..
                } => (*base, pointee(u, u.expr(*base).ty)?),
                _ => return None,
            };
            let link = QualType {
                is_const: false,
                is_volatile: false,
                ..link
            };
            (self.comes_from(through, place) == Some(false) && super::is_complete(u, link))
                .then_some(link)
        })
    }

    /// What its cursor is moved by, if that can be said at its returns as well.
    fn step(&self, places: &HashSet<Place>) -> Option<ExprId> {
        let u = self.u;
        let mut steps = self.deeds.changes.iter().filter_map(|(lhs, rhs, by)| {
            let place = self.flow.place(*lhs)?;
            (*by && self.is_kept(*lhs) && places.contains(&place)).then_some(*rhs)?
        });
        let step = steps.next().filter(|_| steps.next().is_none())?;
        let ExprKind::Member {
            base, arrow: true, ..
        } = u.expr(step).kind
        else {
            return None;
        };
        let ExprKind::Ident(s) = u.expr(base).kind else {
            return None;
        };
        let name = &u.sym(s).name;
        let hidden = |x: &&SymId| **x != s && u.sym(**x).name == *name;
        let plain = self.func.params.contains(&s) && self.flow.is_unchanged(s);
        (plain && !self.func.locals.iter().any(|x| hidden(&x))).then_some(step)
    }

    /// The parameters that what is kept is changed by.
    fn sizes(&self) -> Option<Vec<usize>> {
        let (u, flow) = (self.u, self.flow);
        let mut exprs: Vec<ExprId> = Vec::new();
        for (lhs, rhs, _) in &self.deeds.changes {
            if self.is_kept(*lhs) && !matches!(u.expr(*lhs).kind, ExprKind::Deref(_)) {
                exprs.extend(rhs);
            }
        }
        let mut names = HashSet::new();
        let mut aligns = HashSet::new();
        let mut factors = Vec::new();
        let number = |s: SymId| matches!(u.ty(u.sym(s).ty.ty), Type::Int(_));
        let own = |s: &SymId| self.func.params.contains(s) && number(*s);
        let mut k = 0;
        let direct = exprs.len();
        // What is added as it is given counts, else what that is made of.
        while k < exprs.len()
            && !(k >= direct && names.iter().any(|s| own(s) && !aligns.contains(s)))
        {
            let mut found = HashSet::new();
            self.names(exprs[k], false, &mut found, &mut aligns, &mut factors);
            for s in found {
                if names.insert(s) {
                    exprs.extend(flow.values(s));
                    exprs.extend(flow.changes.get(&s).into_iter().flatten());
                }
            }
            k += 1;
        }
        let params = self.func.params.iter().enumerate();
        let which: Vec<usize> = params
            .filter(|(_, s)| names.contains(s) && number(**s) && !aligns.contains(s))
            .map(|(i, _)| i)
            .collect();
        let together =
            |list: &Vec<SymId>| which.iter().all(|i| list.contains(&self.func.params[*i]));
        (which.len() < 2 || factors.iter().any(together)).then_some(which)
    }

    /// The names in an expression; apart those that something is aligned to, and those of each product.
    fn names(
        &self,
        e: ExprId,
        aligned: bool,
        out: &mut HashSet<SymId>,
        aligns: &mut HashSet<SymId>,
        products: &mut Vec<Vec<SymId>>,
    ) {
        let u = self.u;
        match &u.expr(e).kind {
            ExprKind::Ident(s) => {
                if aligned {
                    aligns.insert(*s);
                } else {
                    out.insert(*s);
                }
                return;
            }
            ExprKind::Unary {
                op: UnOp::BitNot | UnOp::Minus,
                arg,
            } => return self.names(*arg, true, out, aligns, products),
            ExprKind::Binary {
                op: BinOp::Rem,
                lhs,
                rhs,
            } => {
                self.names(*lhs, aligned, out, aligns, products);
                return self.names(*rhs, true, out, aligns, products);
            }
            ExprKind::Binary {
                op: BinOp::Mul,
                lhs,
                rhs,
            } => {
                let mut inner = HashSet::new();
                self.names(*lhs, aligned, &mut inner, aligns, products);
                self.names(*rhs, aligned, &mut inner, aligns, products);
                products.push(inner.iter().copied().collect());
                out.extend(inner);
                return;
            }
            ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_) => return,
            _ => {}
        }
        let mut list = Vec::new();
        children(u, Node::Expr(e), &mut |c| list.push(c));
        for c in list {
            if let Node::Expr(x) = c {
                self.names(x, aligned, out, aligns, products);
            }
        }
    }
}

/// Bytes that are gone through by the size of a struct, and blocks that are taken for arrays of one.
fn walks(flow: &Flow, based: &dyn Fn(&Place) -> bool, out: &mut Vec<ExprId>) {
    let u = flow.u;
    for (i, x) in u.exprs.iter().enumerate() {
        let e = ExprId(i as u32);
        match &x.kind {
            ExprKind::Assign {
                op: Some(BinOp::Add | BinOp::Sub),
                lhs,
                rhs,
            } if untyped(u, u.expr(*lhs).ty) => {
                let record = |q: QualType| matches!(u.ty(q.ty), Type::Record(_));
                let size = match u.expr(strip_casts(u, *rhs)).kind {
                    ExprKind::SizeofExpr(e) => record(u.expr(e).ty),
                    ExprKind::SizeofType(q) => record(q),
                    _ => false,
                };
                let local = matches!(u.expr(*lhs).kind, ExprKind::Ident(s) if is_local(u.sym(s)));
                if size && local {
                    out.push(e);
                }
            }
            ExprKind::Cast { to, arg } => {
                let to = pointee(u, *to).filter(|q| matches!(u.ty(q.ty), Type::Record(_)));
                let arg = strip_casts(u, *arg);
                let place = flow.place(arg).filter(|_| to.is_some());
                if untyped(u, u.expr(arg).ty) && place.is_some_and(|p| based(&p)) {
                    out.push(e);
                }
            }
            _ => {}
        }
    }
}

/// Stores through casts of pointers to anything, and what becomes the head of a list of free items.
fn links(flow: &Flow, heads: &HashMap<Place, QualType>, out: &mut Vec<Link>) {
    let u = flow.u;
    let mut seen = HashSet::new();
    let mut add = |of: ExprId, to: QualType, freed: bool| {
        if seen.insert(of) && super::is_complete(u, to) && !is_char(u, to) {
            let to = QualType {
                is_const: false,
                is_volatile: false,
                is_atomic: false,
                is_restrict: false,
                ..to
            };
            out.push(Link { of, to, freed });
        }
    };
    // A cast of a pointer to anything: the pointer, and to what.
    let cast = |e: ExprId| match u.expr(e).kind {
        ExprKind::Cast { arg, .. } => {
            let to = pointee(u, u.expr(e).ty)?;
            let from = u.expr(strip_casts(u, arg)).ty;
            (untyped(u, from) || is_other(u, from, to)).then_some((arg, to))
        }
        _ => None,
    };
    // Locals through which members are written.
    let mut written = HashSet::new();
    for x in &u.exprs {
        let ExprKind::Assign { op, lhs, rhs } = &x.kind else {
            continue;
        };
        let base = match &u.expr(*lhs).kind {
            ExprKind::Deref(e) => Some(*e),
            ExprKind::Member {
                base, arrow: true, ..
            } => Some(*base),
            _ => None,
        };
        if let Some(ExprKind::Ident(s)) = base.map(|b| &u.expr(b).kind) {
            written.insert(*s);
        }
        if op.is_some() || u.lines.is_system(x.span.start) {
            continue;
        }
        if let Some((of, to)) = base.and_then(cast) {
            add(of, to, false);
        }
        let local = matches!(u.expr(*lhs).kind, ExprKind::Ident(s) if is_local(u.sym(s)));
        let head = flow.place(*lhs).and_then(|p| heads.get(&p));
        let inner = strip_casts(u, *rhs);
        // What was linked behind it is a link already.
        let linked = matches!(
            u.expr(inner).kind,
            ExprKind::Deref(_) | ExprKind::Member { .. }
        );
        let pointer = matches!(u.ty(u.expr(inner).ty.ty), Type::Pointer(_));
        if let (Some(to), false, false, true) = (head, local, linked, pointer) {
            add(*rhs, *to, true);
        }
    }
    // `struct header *h = (struct header *)pointer;` followed by `h->size = n;`
    for (e, used) in &flow.uses {
        let Use::Cast(to, whole) = used else {
            continue;
        };
        let to = pointee(u, *to).filter(|t| matches!(u.ty(t.ty), Type::Record(_)));
        let local = match flow.uses.get(whole) {
            Some(Use::Init(s)) => Some(*s),
            Some(Use::Assign(lhs, _)) => match u.expr(*lhs).kind {
                ExprKind::Ident(s) => Some(s),
                _ => None,
            },
            _ => None,
        };
        let (Some(to), Some(local)) = (to, local) else {
            continue;
        };
        let (from, _) = flow.origin(*e);
        let named = matches!(
            u.expr(from).kind,
            ExprKind::Ident(_) | ExprKind::Member { .. }
        );
        let q = u.expr(from).ty;
        if named && (untyped(u, q) || is_other(u, q, to)) && written.contains(&local) {
            add(*e, to, false);
        }
    }
    out.sort_by_key(|l| l.of);
}
