//! Does a function hand out pieces of a block, from which places, and of what sizes?

use super::{is_text, is_void};
use crate::heap::flow::{element, pointee, PointerFlow, PointerPlace};
use crate::heap::types::{is_char, is_complete};
use pc3_program::program::is_local;
use pc3_program::walk::{children, strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// What a function does with places that outlive it.
#[derive(Default)]
pub struct Deeds {
    pub returns: Vec<ExprId>,
    /// Left sides and what they get or are changed by.
    changes: Vec<(ExprId, Option<ExprId>, bool)>,
}

pub(crate) fn deeds(u: &Unit, func: &Function) -> Deeds {
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

/// A function that may hand out pieces.
pub(crate) struct ArenaFunction<'f, 'a> {
    pub flow: &'f PointerFlow<'a>,
    pub u: &'a Unit,
    pub func: &'a Function,
    pub deeds: Deeds,
}

impl ArenaFunction<'_, '_> {
    /// The places it deals from, and its sizes.
    pub fn deals(
        &self,
        heads: &mut HashMap<PointerPlace, QualType>,
    ) -> Option<(Vec<PointerPlace>, Vec<usize>)> {
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
    pub(crate) fn is_of_text(&self, e: ExprId) -> bool {
        let mut found = Vec::new();
        self.sources(e, false, &mut HashSet::new(), &mut found);
        let mut types = found.iter().map(|(from, _)| self.u.expr(*from).ty);
        types.any(|q| is_text(self.u, q))
    }

    /// `return &r->data[r->used];` where these are numbers.
    pub fn words(&self, out: &mut HashSet<PointerPlace>) -> bool {
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
    fn comes_from(&self, e: ExprId, place: &PointerPlace) -> Option<bool> {
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
    fn is_moved(&self, place: &PointerPlace) -> bool {
        self.deeds.changes.iter().any(|(lhs, rhs, by)| {
            self.is_kept(*lhs)
                && self.flow.place(*lhs).as_ref() == Some(place)
                && (*by || rhs.is_some_and(|r| self.comes_from(r, place) == Some(true)))
        })
    }

    /// Does its place come from a product of a count that the function keeps?
    pub(crate) fn is_multiple(&self, e: ExprId) -> bool {
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
        let changed: HashSet<PointerPlace> = kept.filter_map(|c| flow.place(c.0)).collect();
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
    fn unlinks(&self, place: &PointerPlace) -> Option<QualType> {
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
            (self.comes_from(through, place) == Some(false) && is_complete(u, link)).then_some(link)
        })
    }

    /// What its cursor is moved by, if that can be said at its returns as well.
    pub fn step(&self, places: &HashSet<PointerPlace>) -> Option<ExprId> {
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
