//! What is stored together: assignments one behind the other, with nothing between them that could be a location, a jump or a
//! place to jump to. Only what they leave behind counts.

use super::places::{depends, hits, names, owner, same_owner, whole, Depends, Owner};
use super::{Facts, Site, Store, TagStore, TagValue, Unions, Written};
use crate::expressions::is_zero;
use pc3_program::walk::{strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::HashSet;

pub struct Runs<'a> {
    pub u: &'a Unit,
    pub unit: usize,
    pub unions: &'a Unions,
    /// Locals whose address is taken.
    pub addressed: &'a HashSet<SymId>,
    /// Structs with such unions.
    pub homes: &'a HashSet<RecordId>,
    pub facts: &'a mut Facts,
    /// Assignments that were looked at.
    pub seen: HashSet<ExprId>,
}

/// An assignment.
#[derive(Clone, Copy)]
struct Step {
    e: ExprId,
    op: Option<BinOp>,
    lhs: ExprId,
    rhs: ExprId,
    /// Its value comes from a call, before it is stored.
    calls: bool,
}

/// What is stored into a union, and where that is.
struct Value {
    step: usize,
    union: String,
    owner: Option<Owner>,
    written: Written,
    /// Of a copy.
    from: Option<Owner>,
    zero: bool,
    stable: bool,
}

struct TagWrite {
    step: usize,
    owner: Owner,
    rhs: ExprId,
    value: TagValue,
}

impl Runs<'_> {
    pub fn function(&mut self, f: FuncId) {
        let mut commas = Vec::new();
        let mut valued = HashSet::new();
        let mut lists: Vec<Vec<StmtId>> = Vec::new();
        let u = self.u;
        visit(u, Node::Stmt(u.func(f).body), &mut |n| {
            match n {
                Node::Stmt(s) => match &u.stmt(s).kind {
                    StmtKind::Block(list) => lists.push(list.clone()),
                    StmtKind::If { then, els, .. } => {
                        lists.push(vec![*then]);
                        lists.extend(els.map(|e| vec![e]));
                    }
                    StmtKind::While { body, .. }
                    | StmtKind::DoWhile { body, .. }
                    | StmtKind::For { body, .. }
                    | StmtKind::Switch { body, .. } => lists.push(vec![*body]),
                    _ => {}
                },
                Node::Expr(e) => match u.expr(e).kind {
                    ExprKind::Comma(_) => commas.push(e),
                    ExprKind::StmtExpr(s) => {
                        if let StmtKind::Block(list) = &u.stmt(s).kind {
                            valued.extend(list.last());
                        }
                    }
                    _ => {}
                },
            }
            true
        });
        let mut taken = HashSet::new();
        for list in lists {
            self.list(&list, &valued, &mut taken);
        }
        for e in commas {
            if !taken.contains(&e) {
                let mut run = Vec::new();
                self.element(e, &mut taken, &mut run);
                self.flush(&mut run, false);
            }
        }
    }

    /// `valued`: statements that give a value.
    fn list(&mut self, list: &[StmtId], valued: &HashSet<StmtId>, taken: &mut HashSet<ExprId>) {
        let mut run = Vec::new();
        let gives = list.last().is_some_and(|s| valued.contains(s));
        for s in list {
            let mut s = *s;
            loop {
                match &self.u.stmt(s).kind {
                    StmtKind::Label { stmt, .. }
                    | StmtKind::Case { stmt, .. }
                    | StmtKind::Default(stmt) => {
                        self.flush(&mut run, true);
                        s = *stmt;
                    }
                    StmtKind::Expr(Some(e)) => {
                        self.statement(*e, taken, &mut run);
                        break;
                    }
                    StmtKind::Expr(None) => break,
                    _ => {
                        self.flush(&mut run, true);
                        break;
                    }
                }
            }
        }
        self.flush(&mut run, !gives);
    }

    fn statement(&mut self, e: ExprId, taken: &mut HashSet<ExprId>, run: &mut Vec<Step>) {
        match &self.u.expr(e).kind {
            ExprKind::Cast { to, arg } if matches!(self.u.ty(to.ty), Type::Void) => {
                self.statement(*arg, taken, run)
            }
            _ => self.element(e, taken, run),
        }
    }

    fn element(&mut self, e: ExprId, taken: &mut HashSet<ExprId>, run: &mut Vec<Step>) {
        let u = self.u;
        match &u.expr(e).kind {
            ExprKind::Comma(list) => {
                taken.insert(e);
                for x in list {
                    self.statement(*x, taken, run);
                }
            }
            ExprKind::Assign { op, lhs, rhs } => {
                let step = Step {
                    e,
                    op: *op,
                    lhs: *lhs,
                    rhs: *rhs,
                    calls: effects(u, *rhs) == Effects::Calls,
                };
                let odd = effects(u, *lhs) != Effects::None || effects(u, *rhs) == Effects::Stores;
                let copies = whole(u, self.unions, u.expr(*lhs).ty.ty).is_none()
                    && matches!(u.ty(u.expr(*lhs).ty.ty), Type::Record(_));
                if odd || copies || step.calls {
                    self.flush(run, true);
                }
                run.push(step);
                if odd || copies {
                    self.flush(run, true);
                }
            }
            _ if effects(u, e) == Effects::None => {}
            _ => self.flush(run, true),
        }
    }

    /// `statements`: nobody uses the values.
    fn flush(&mut self, run: &mut Vec<Step>, statements: bool) {
        let steps = std::mem::take(run);
        let (mut values, mut tags) = (Vec::new(), Vec::new());
        for (i, s) in steps.iter().enumerate() {
            self.seen.insert(s.e);
            self.values(i, s, &steps, &mut values);
            self.tag(i, s, &steps, &mut tags);
        }
        self.untangle(&mut values, &mut tags);
        let mut paired = vec![Vec::new(); tags.len()];
        // The last one of each object.
        for (n, v) in values.iter().enumerate() {
            let later = |w: &&Value| match (&v.owner, &w.owner) {
                (Some(a), Some(b)) => a.field == b.field && same_owner(self.u, a, b),
                _ => false,
            };
            if v.stable
                && values[n + 1..]
                    .iter()
                    .filter(|w| w.stable)
                    .any(|w| later(&w))
            {
                continue;
            }
            let mut beside: Vec<(usize, TagValue)> = Vec::new();
            if let Some(at) = v.owner.as_ref().filter(|_| v.stable) {
                for (k, t) in tags.iter().enumerate() {
                    if same_owner(self.u, at, &t.owner) {
                        beside.retain(|b| b.0 != t.owner.field);
                        beside.push((t.owner.field, self.value_beside(t, v)));
                        paired[k].push(at.field);
                    }
                }
            }
            let behind = v.owner.as_ref().filter(|_| v.stable);
            let behind = behind.map_or(Vec::new(), |at| self.pointers(at, &steps[v.step + 1..]));
            let step = &steps[v.step];
            let pure = !steps[v.step].calls && effects(self.u, step.lhs) == Effects::None;
            let site = v
                .owner
                .as_ref()
                .filter(|o| statements && pure && self.depends(o) < Depends::More);
            self.facts.stores.push(Store {
                union: v.union.clone(),
                home: v.owner.as_ref().map(|o| o.home(self.u)),
                written: v.written,
                zero: v.zero,
                copied: v.from.as_ref().map(|o| o.home(self.u)),
                behind,
                beside,
                site: site.map(|o| Site {
                    unit: self.unit,
                    store: step.e,
                    owner: o.clone(),
                }),
                line: self.line(step.e),
            });
        }
        for (t, with) in tags.into_iter().zip(paired) {
            let (record, field) = t.owner.home(self.u);
            self.facts.tags.push(TagStore {
                record,
                field,
                value: t.value,
                with,
                line: self.line(steps[t.step].e),
            });
        }
    }

    /// Pointers of an object that are stored.
    fn pointers(&self, at: &Owner, steps: &[Step]) -> Vec<usize> {
        let pointers = steps.iter().filter(|s| {
            let ty = self.u.expr(s.lhs).ty.ty;
            s.op.is_none() && matches!(self.u.ty(ty), Type::Pointer(_))
        });
        let owners = pointers.filter_map(|s| owner(self.u, s.lhs));
        let own = owners.filter(|o| same_owner(self.u, o, at));
        own.map(|o| o.field).collect()
    }

    /// Two objects may be one: where they take turns, nothing is known of the order.
    fn untangle(&self, values: &mut [Value], tags: &mut [TagWrite]) {
        let mut places: Vec<(usize, Owner)> = Vec::new();
        let stable = values.iter().filter(|v| v.stable);
        places.extend(stable.filter_map(|v| Some((v.step, v.owner.clone()?))));
        places.extend(tags.iter().map(|t| (t.step, t.owner.clone())));
        places.sort_by_key(|p| p.0);
        let alike = |a: &Owner, b: &Owner| same_owner(self.u, a, b);
        let mut tangled = false;
        for (i, (_, a)) in places.iter().enumerate() {
            let rest = &places[i + 1..];
            let other = rest.iter().position(|(_, b)| !alike(a, b));
            tangled |= other.is_some_and(|n| rest[n..].iter().any(|(_, b)| alike(a, b)));
        }
        if tangled {
            values.iter_mut().for_each(|v| v.stable = false);
            for t in tags {
                t.owner.base = t.rhs;
            }
        }
    }

    pub fn line(&self, e: ExprId) -> String {
        let at = self.u.lines.position(self.u.expr(e).span.start);
        format!("{}:{}", at.file, at.line)
    }

    fn depends(&self, o: &Owner) -> Depends {
        let addressed = |s: SymId| self.addressed.contains(&s);
        depends(self.u, &addressed, o.base, o.arrow)
    }

    /// Does the object stay the same one while all this is stored?
    fn stays(&self, o: &Owner, at: usize, steps: &[Step]) -> bool {
        let u = self.u;
        let on = self.depends(o);
        if on == Depends::More || (on == Depends::Memory && steps[at].calls) {
            return false;
        }
        steps.iter().all(|s| match &u.expr(s.lhs).kind {
            ExprKind::Ident(v) => !names(u, o.base, *v),
            ExprKind::Member { .. } if on == Depends::Memory => {
                let pointer = matches!(u.ty(u.expr(s.lhs).ty.ty), Type::Pointer(_));
                !pointer || !hits(u, self.unions, s.lhs).is_empty()
            }
            ExprKind::Member { base, arrow, .. } => {
                // A local struct that the place is found by.
                let mut root = *base;
                let mut through = *arrow;
                while let ExprKind::Member { base, arrow, .. } = &u.expr(root).kind {
                    through |= *arrow;
                    root = *base;
                }
                let ExprKind::Ident(v) = u.expr(root).kind else {
                    return true;
                };
                let scalar = matches!(u.ty(u.expr(s.lhs).ty.ty), Type::Pointer(_));
                through
                    || !scalar
                    || !hits(u, self.unions, s.lhs).is_empty()
                    || !names(u, o.base, v)
            }
            _ => on == Depends::Locals && !matches!(u.ty(u.expr(s.lhs).ty.ty), Type::Record(_)),
        })
    }

    fn values(&self, i: usize, s: &Step, steps: &[Step], out: &mut Vec<Value>) {
        let u = self.u;
        let zero = s.op.is_none() && is_zero(u, s.rhs);
        let mut push = |union: String, at: Option<Owner>, written, from: Option<Owner>| {
            let stable = at.as_ref().is_some_and(|o| self.stays(o, i, steps));
            out.push(Value {
                step: i,
                union,
                owner: at,
                written,
                from: from.filter(|o| self.stays(o, i, steps)),
                zero,
                stable,
            });
        };
        if let Some(union) = whole(u, self.unions, u.expr(s.lhs).ty.ty) {
            let from = owner(u, s.rhs);
            push(union.clone(), owner(u, s.lhs), Written::Whole, from);
        }
        for h in hits(u, self.unions, s.lhs) {
            push(h.union, h.owner, Written::Member(h.member), None);
        }
    }

    fn tag(&self, i: usize, s: &Step, steps: &[Step], out: &mut Vec<TagWrite>) {
        let u = self.u;
        let t = u.expr(s.lhs).ty.ty;
        if !super::is_integer(u, t) {
            return;
        }
        let Some(o) = owner(u, s.lhs).filter(|o| self.homes.contains(&o.record)) else {
            return;
        };
        let value = match s.op {
            None => values(u, s.rhs, t),
            Some(_) => TagValue::Unknown,
        };
        // Of an object that does not stay the value is one alone.
        let owner = match self.stays(&o, i, steps) {
            true => o,
            false => Owner { base: s.e, ..o },
        };
        out.push(TagWrite {
            step: i,
            owner,
            rhs: s.rhs,
            value,
        });
    }

    /// A tag that was copied with the value.
    fn value_beside(&self, t: &TagWrite, v: &Value) -> TagValue {
        let from = owner(self.u, strip_casts(self.u, t.rhs));
        match (from, &v.from) {
            (Some(a), Some(b)) if t.value == TagValue::Unknown && same_owner(self.u, &a, b) => {
                TagValue::Copied(a.field)
            }
            _ => t.value.clone(),
        }
    }
}

/// The values that an expression can have as an integer of this type.
pub fn values(u: &Unit, e: ExprId, t: TypeId) -> TagValue {
    if let Some(v) = u.view().eval(e).and_then(|v| u.view().convert(t, v)) {
        return TagValue::Numbers(vec![v]);
    }
    match &u.expr(e).kind {
        ExprKind::Cond {
            then: Some(then),
            els,
            ..
        } => match (values(u, *then, t), values(u, *els, t)) {
            (TagValue::Numbers(mut a), TagValue::Numbers(b)) => {
                a.extend(b);
                TagValue::Numbers(a)
            }
            _ => TagValue::Unknown,
        },
        ExprKind::Cast { to, arg } if super::is_integer(u, to.ty) => match values(u, *arg, to.ty) {
            TagValue::Bit(b) if u.view().convert(to.ty, b.into()) == Some(b.into()) => {
                TagValue::Bit(b)
            }
            _ => TagValue::Unknown,
        },
        ExprKind::Binary {
            op: BinOp::Or,
            lhs,
            rhs,
        } => {
            let bits = u.view().eval(*lhs).or_else(|| u.view().eval(*rhs));
            let one = bits.filter(|b| (1..1 << 31).contains(b) && b.count_ones() == 1);
            let kept = one.filter(|b| u.view().convert(t, *b) == Some(*b));
            kept.map_or(TagValue::Unknown, |b| TagValue::Bit(b as u64))
        }
        _ => TagValue::Unknown,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effects {
    None,
    Calls,
    Stores,
}

pub fn effects(u: &Unit, e: ExprId) -> Effects {
    let mut out = Effects::None;
    visit(u, Node::Expr(e), &mut |n| {
        let effect = match n {
            Node::Stmt(_) => Effects::Stores,
            Node::Expr(x) => match &u.expr(x).kind {
                ExprKind::Call { callee, .. } => match &u.expr(*callee).kind {
                    ExprKind::Ident(s) if u.sym(*s).name == "__builtin_expect" => Effects::None,
                    _ => Effects::Calls,
                },
                ExprKind::VaArg { .. } => Effects::Calls,
                ExprKind::Assign { .. }
                | ExprKind::StmtExpr(_)
                | ExprKind::Unary {
                    op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                    ..
                } => Effects::Stores,
                _ => Effects::None,
            },
        };
        out = out.max(effect);
        true
    });
    out
}
