//! Where a pointer goes, and what that says about the memory behind it.

use super::parts::stored;
use super::types::{base, is_char, is_complete};
use pc3_program::program::{is_local, Callee, FnId, Program};
use pc3_program::walk::{strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// What becomes of an expression's value.
#[derive(Clone, Debug)]
pub enum Use {
    Cast(QualType, ExprId),
    /// Left side; the assignment's own value.
    Assign(ExprId, ExprId),
    Init(SymId),
    /// A part of an object that is initialised.
    Part(QualType, Option<PointerPlace>),
    Return(QualType),
    /// The call, and which argument.
    Arg(ExprId, usize),
    Same(ExprId),
}

/// What the uses of a pointer say it points to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Wish {
    Nothing,
    /// Characters; certain if it is stored in a pointer to characters that is never another's.
    Chars(QualType, bool),
    Type(QualType),
    /// Several things.
    Unclear,
}

impl Wish {
    fn and(self, other: Wish) -> Wish {
        match (self, other) {
            (Wish::Nothing, w) | (w, Wish::Nothing) => w,
            (Wish::Unclear, _) | (_, Wish::Unclear) => Wish::Unclear,
            (Wish::Type(a), Wish::Type(b)) if a.ty != b.ty => Wish::Unclear,
            (w @ Wish::Type(_), _) | (_, w @ Wish::Type(_)) => w,
            (Wish::Chars(q, a), Wish::Chars(_, b)) => Wish::Chars(q, a || b),
        }
    }
}

/// A variable or member, known by name in all units if others can see it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PointerPlace {
    Local(usize, SymId),
    Named(String),
}

impl PointerPlace {
    /// The struct that it is a member of, as `addresses::Place` has it.
    pub fn holder(&self) -> Option<String> {
        match self {
            PointerPlace::Named(name) => Some(name.rsplit_once('.')?.0.replace('#', ":")),
            PointerPlace::Local(..) => None,
        }
    }

    pub fn member(unit: usize, u: &Unit, r: RecordId, name: &str) -> PointerPlace {
        let d = &u.records[r.index()];
        match d.tag.as_ref().or(d.typedef_name.as_ref()) {
            Some(n) => PointerPlace::Named(format!("{n}.{name}")),
            None => PointerPlace::Named(format!("{unit}#{}.{name}", r.0)),
        }
    }

    pub fn variable(unit: usize, u: &Unit, s: SymId) -> PointerPlace {
        let sym = u.sym(s);
        if is_local(sym) || sym.storage == Storage::Static {
            PointerPlace::Local(unit, s)
        } else {
            PointerPlace::Named(sym.name.clone())
        }
    }
}

/// Places whose memory is also looked at as something else than their type says.
pub type Punned = HashSet<PointerPlace>;

pub struct PointerFlow<'a> {
    pub p: &'a Program<'a>,
    pub unit: usize,
    pub u: &'a Unit,
    pub uses: HashMap<ExprId, Use>,
    pub idents: HashMap<SymId, Vec<ExprId>>,
    /// What is assigned to a variable; None: it also changes in other ways.
    pub values: HashMap<SymId, Vec<Option<ExprId>>>,
    /// What `+=` and the like change it by.
    pub changes: HashMap<SymId, Vec<ExprId>>,
}

pub fn pointee(u: &Unit, q: QualType) -> Option<QualType> {
    match u.ty(q.ty) {
        Type::Pointer(t) if !matches!(u.ty(t.ty), Type::Void | Type::Function { .. }) => Some(*t),
        _ => None,
    }
}

impl<'a> PointerFlow<'a> {
    pub fn new(p: &'a Program<'a>, unit: usize) -> PointerFlow<'a> {
        let u = &p.units[unit];
        let mut f = PointerFlow {
            p,
            unit,
            u,
            uses: HashMap::new(),
            idents: HashMap::new(),
            values: HashMap::new(),
            changes: HashMap::new(),
        };
        for i in 0..u.exprs.len() {
            f.expr(ExprId(i as u32));
        }
        for s in &u.stmts {
            if let StmtKind::Decl(d)
            | StmtKind::For {
                init: ForInit::Decl(d),
                ..
            } = &s.kind
            {
                for v in &d.vars {
                    match &v.init {
                        Some(Init::Expr(e)) => {
                            f.uses.insert(*e, Use::Init(v.sym));
                            f.values.entry(v.sym).or_default().push(Some(*e));
                        }
                        Some(list) => {
                            let place = PointerPlace::variable(unit, u, v.sym);
                            f.parts(u.sym(v.sym).ty, Some(&place), list);
                        }
                        None => {}
                    }
                }
            }
        }
        for func in &u.functions {
            visit(u, Node::Stmt(func.body), &mut |n| {
                if let Node::Stmt(s) = n {
                    if let StmtKind::Return(Some(e)) = u.stmt(s).kind {
                        f.uses.insert(e, Use::Return(func.ret));
                    }
                }
                true
            });
        }
        f
    }

    fn parts(&mut self, q: QualType, place: Option<&PointerPlace>, init: &Init) {
        for p in stored(self.unit, self.u, q, place, init) {
            self.uses.insert(p.expr, Use::Part(p.ty, p.place));
        }
    }

    fn changes(&mut self, e: ExprId) {
        if let ExprKind::Ident(s) = self.u.expr(e).kind {
            self.values.entry(s).or_default().push(None);
        }
    }

    fn expr(&mut self, e: ExprId) {
        let u = self.u;
        match &u.expr(e).kind {
            ExprKind::Ident(s) => self.idents.entry(*s).or_default().push(e),
            ExprKind::Cast { to, arg } => _ = self.uses.insert(*arg, Use::Cast(*to, e)),
            ExprKind::Assign { op: None, lhs, rhs } => {
                self.uses.insert(*rhs, Use::Assign(*lhs, e));
                if let ExprKind::Ident(s) = u.expr(*lhs).kind {
                    self.values.entry(s).or_default().push(Some(*rhs));
                }
            }
            ExprKind::Assign { lhs, rhs, .. } => {
                self.changes(*lhs);
                if let ExprKind::Ident(s) = u.expr(*lhs).kind {
                    self.changes.entry(s).or_default().push(*rhs);
                }
            }
            ExprKind::AddrOf(x) => {
                self.changes(*x);
                // The address of a union's member is the union's.
                if let ExprKind::Member {
                    base, arrow: true, ..
                } = &u.expr(*x).kind
                {
                    let of = pointee(u, u.expr(*base).ty).map(|q| u.ty(q.ty));
                    if matches!(of, Some(Type::Record(r)) if u.records[r.index()].is_union) {
                        self.uses.insert(*base, Use::Same(e));
                    }
                }
            }
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg,
            } => self.changes(*arg),
            ExprKind::Cond { cond, then, els } => {
                self.uses.insert(then.unwrap_or(*cond), Use::Same(e));
                self.uses.insert(*els, Use::Same(e));
            }
            ExprKind::Comma(list) => {
                if let Some(l) = list.last() {
                    self.uses.insert(*l, Use::Same(e));
                }
            }
            ExprKind::Generic { chosen, .. } => _ = self.uses.insert(*chosen, Use::Same(e)),
            ExprKind::CompoundLit { ty, init } => self.parts(*ty, None, init),
            ExprKind::StmtExpr(s) => {
                if let StmtKind::Block(list) = &u.stmt(*s).kind {
                    if let Some(StmtKind::Expr(Some(x))) = list.last().map(|s| &u.stmt(*s).kind) {
                        self.uses.insert(*x, Use::Same(e));
                    }
                }
            }
            ExprKind::Call { args, .. } => {
                for (i, a) in args.iter().enumerate() {
                    self.uses.insert(*a, Use::Arg(e, i));
                }
            }
            _ => {}
        }
    }

    /// The value of a local variable that gets one only once.
    pub(crate) fn only_value(&self, s: SymId) -> Option<ExprId> {
        let sym = self.u.sym(s);
        match self.values.get(&s).map(Vec::as_slice) {
            Some([Some(e)]) if is_local(sym) && sym.kind == SymKind::Var => Some(*e),
            _ => None,
        }
    }

    /// Everything that is assigned to a variable.
    pub fn values(&self, s: SymId) -> impl Iterator<Item = ExprId> + '_ {
        self.values.get(&s).into_iter().flatten().flatten().copied()
    }

    /// Is every value of a parameter the caller's?
    pub fn is_unchanged(&self, s: SymId) -> bool {
        !self.values.contains_key(&s)
    }

    pub fn place(&self, e: ExprId) -> Option<PointerPlace> {
        let u = self.u;
        match &u.expr(strip_casts(u, e)).kind {
            ExprKind::Ident(s) => Some(PointerPlace::variable(self.unit, u, *s)),
            ExprKind::Member { base, arrow, name } => {
                let mut t = u.expr(*base).ty;
                if *arrow {
                    t = element(u, t)?;
                }
                let Type::Record(r) = u.ty(t.ty) else {
                    return None;
                };
                Some(PointerPlace::member(self.unit, u, *r, name))
            }
            ExprKind::Index { base, .. } | ExprKind::Deref(base) => self.place(*base),
            _ => None,
        }
    }

    /// The pointer that pointer arithmetic starts from, and whether there is any.
    pub fn origin(&self, mut e: ExprId) -> (ExprId, bool) {
        let u = self.u;
        let mut moved = false;
        loop {
            match &u.expr(e).kind {
                ExprKind::Cast { arg, .. } => e = *arg,
                ExprKind::Binary {
                    op: BinOp::Add | BinOp::Sub,
                    lhs,
                    rhs,
                } => {
                    moved = true;
                    e = if element(u, u.expr(*lhs).ty).is_some() {
                        *lhs
                    } else {
                        *rhs
                    };
                }
                ExprKind::AddrOf(x) => match &u.expr(*x).kind {
                    ExprKind::Index { base, .. } => {
                        moved = true;
                        e = *base;
                    }
                    _ => return (e, moved),
                },
                _ => return (e, moved),
            }
        }
    }
}

pub fn element(u: &Unit, q: QualType) -> Option<QualType> {
    match u.ty(q.ty) {
        Type::Pointer(t) | Type::Array { elem: t, .. } => Some(*t),
        _ => None,
    }
}

/// Library functions that return their first argument; `__builtin___memcpy_chk` is `memcpy` with `_FORTIFY_SOURCE`.
pub(crate) fn returns_first(name: &str) -> bool {
    let name = name.trim_start_matches("__builtin_");
    let fortified = name.strip_prefix("__").and_then(|n| n.strip_suffix("_chk"));
    let first = [
        "memcpy", "memmove", "memset", "strcpy", "strncpy", "strcat", "strncat",
    ];
    first.contains(&fortified.unwrap_or(name))
}

/// Follows values with what is known of the whole program.
pub struct Follow<'f, 'a> {
    pub flow: &'f PointerFlow<'a>,
    pub punned: &'f Punned,
    /// Functions that return this parameter.
    pub passes: &'f HashMap<FnId, usize>,
}

impl Follow<'_, '_> {
    /// What the value of `e` points to, by where it goes, or else by its own type.
    pub fn wish(&self, e: ExprId) -> Wish {
        match self.used(e, &mut HashSet::new()) {
            Wish::Nothing => self.typed(self.flow.u.expr(e).ty).unwrap_or(Wish::Nothing),
            found => found,
        }
    }

    /// What is stored in `e` points to.
    pub fn stored(&self, e: ExprId) -> Wish {
        self.into(e, &mut HashSet::new())
    }

    /// By a pointer's own type.
    fn typed(&self, q: QualType) -> Option<Wish> {
        let u = self.flow.u;
        let to = pointee(u, q)?;
        if is_char(u, to) {
            return Some(Wish::Chars(to, false));
        }
        Some(if is_complete(u, base(u, to)) {
            Wish::Type(base(u, to))
        } else {
            Wish::Nothing
        })
    }

    fn used(&self, e: ExprId, seen: &mut HashSet<SymId>) -> Wish {
        let u = self.flow.u;
        match self.flow.uses.get(&e) {
            None => Wish::Nothing,
            Some(Use::Same(x)) => self.used(*x, seen),
            Some(Use::Cast(to, whole)) => match self.typed(*to) {
                Some(w @ Wish::Type(_)) => w,
                Some(w) => w.and(self.used(*whole, seen)),
                None if matches!(u.ty(to.ty), Type::Pointer(_)) => self.used(*whole, seen),
                None => Wish::Nothing,
            },
            Some(Use::Assign(lhs, whole)) => match self.into(*lhs, seen) {
                Wish::Nothing => self.used(*whole, seen),
                w => w,
            },
            Some(Use::Init(s)) => self.variable(*s, seen),
            Some(Use::Part(q, place)) => self.at(place.clone(), *q),
            Some(Use::Return(ret)) => self.typed(*ret).unwrap_or(Wish::Nothing),
            Some(Use::Arg(call, i)) => self.argument(*call, *i, seen),
        }
    }

    fn into(&self, lhs: ExprId, seen: &mut HashSet<SymId>) -> Wish {
        let u = self.flow.u;
        match u.expr(lhs).kind {
            ExprKind::Ident(s) => self.variable(s, seen),
            _ => self.at(self.flow.place(lhs), u.expr(lhs).ty),
        }
    }

    fn at(&self, place: Option<PointerPlace>, q: QualType) -> Wish {
        let punned = place.is_some_and(|p| self.punned.contains(&p));
        match self.typed(q) {
            Some(Wish::Chars(..) | Wish::Type(_)) | None if punned => Wish::Unclear,
            Some(Wish::Chars(q, _)) => Wish::Chars(q, true),
            Some(w) => w,
            None => Wish::Nothing,
        }
    }

    fn variable(&self, s: SymId, seen: &mut HashSet<SymId>) -> Wish {
        let u = self.flow.u;
        let sym = u.sym(s);
        let place = PointerPlace::variable(self.flow.unit, u, s);
        let own = self.at(Some(place), sym.ty);
        let is_pointer = matches!(u.ty(sym.ty.ty), Type::Pointer(_));
        if own != Wish::Nothing || !is_pointer || !is_local(sym) || !seen.insert(s) {
            return own;
        }
        let uses = self.flow.idents.get(&s).map_or(&[][..], Vec::as_slice);
        uses.iter().fold(own, |w, e| w.and(self.used(*e, seen)))
    }

    /// Does the call return this argument?
    fn is_passed_on(&self, call: ExprId, i: usize) -> bool {
        let ExprKind::Call { callee, .. } = &self.flow.u.expr(call).kind else {
            return false;
        };
        match self.flow.p.direct(self.flow.unit, *callee) {
            Some((_, Callee::Defined(f))) => self.passes.get(&f) == Some(&i),
            Some((_, Callee::External(name))) => i == 0 && returns_first(&name),
            None => false,
        }
    }

    fn argument(&self, call: ExprId, i: usize, seen: &mut HashSet<SymId>) -> Wish {
        let u = self.flow.u;
        let ExprKind::Call { callee, .. } = &u.expr(call).kind else {
            return Wish::Nothing;
        };
        if self.is_passed_on(call, i) {
            return self.used(call, seen);
        }
        let target = self.flow.p.direct(self.flow.unit, *callee);
        let mut t = u.expr(*callee).ty.ty;
        if let Type::Pointer(q) = u.ty(t) {
            t = q.ty;
        }
        let param = match u.ty(t) {
            Type::Function { params, .. } => params.get(i).and_then(|q| self.typed(*q)),
            _ => None,
        };
        match (param, target) {
            (Some(w), _) => w,
            (None, Some((_, Callee::Defined(f))))
                if self.flow.p.fns[f.index()].0 == self.flow.unit =>
            {
                match self.flow.p.func(f).params.get(i) {
                    Some(s) => self.variable(*s, seen),
                    None => Wish::Nothing,
                }
            }
            _ => Wish::Nothing,
        }
    }

    /// Is the value of `e` what its function returns?
    pub(crate) fn is_returned(&self, e: ExprId) -> bool {
        self.returned(e, &mut HashSet::new())
    }

    /// Does the function return what this place holds?
    pub(crate) fn is_place_returned(&self, place: ExprId) -> bool {
        match self.flow.u.expr(place).kind {
            ExprKind::Ident(s) => self.holder_returned(s, &mut HashSet::new()),
            _ => false,
        }
    }

    fn returned(&self, e: ExprId, seen: &mut HashSet<SymId>) -> bool {
        match self.flow.uses.get(&e) {
            Some(Use::Return(_)) => true,
            Some(Use::Same(x) | Use::Cast(_, x)) => self.returned(*x, seen),
            Some(Use::Init(s)) => self.holder_returned(*s, seen),
            Some(Use::Assign(lhs, whole)) => {
                let held = match self.flow.u.expr(*lhs).kind {
                    ExprKind::Ident(s) => self.holder_returned(s, seen),
                    _ => false,
                };
                held || self.returned(*whole, seen)
            }
            Some(Use::Arg(call, i)) => self.is_passed_on(*call, *i) && self.returned(*call, seen),
            Some(Use::Part(..)) | None => false,
        }
    }

    fn holder_returned(&self, s: SymId, seen: &mut HashSet<SymId>) -> bool {
        let uses = || self.flow.idents.get(&s).into_iter().flatten();
        is_local(self.flow.u.sym(s)) && seen.insert(s) && uses().any(|e| self.returned(*e, seen))
    }
}
