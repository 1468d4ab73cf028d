//! What could write unions or tags without naming them: kept addresses, pointers to the struct that become pointers to
//! something else, functions that fill memory.

use super::own::AddressTaken;
use super::places::{hits, owner, whole};
use super::{homes, places_in, Facts, Unions};
use crate::alike::begins_alike;
use crate::expressions::is_array;
use pc3_program::program::{Callee, FnId, Program};

use pc3_program::walk::{all_decls, strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::HashSet;

pub fn find(p: &Program, unions: &[Unions], facts: &mut Facts) {
    let fills = fills(p);
    for (i, u) in p.units.iter().enumerate() {
        if unions[i].is_empty() {
            continue;
        }
        let mut x = Exposed {
            p,
            unit: i,
            u,
            unions: &unions[i],
            fills: &fills,
            facts,
        };
        x.types();
        x.addresses();
        x.conversions();
    }
}

struct Exposed<'a> {
    p: &'a Program<'a>,
    unit: usize,
    u: &'a Unit,
    unions: &'a Unions,
    /// Parameters through which functions write memory of no type.
    fills: &'a HashSet<(FnId, usize)>,
    facts: &'a mut Facts,
}

impl Exposed<'_> {
    /// Unions that are in no struct.
    fn types(&mut self) {
        let u = self.u;
        let element = |t: TypeId| {
            let mut t = t;
            while let Type::Array { elem, .. } = u.ty(t) {
                t = elem.ty;
            }
            whole(u, self.unions, t).cloned()
        };
        for s in &u.symbols {
            let var = matches!(s.kind, SymKind::Var | SymKind::Param);
            if let Some(k) = element(s.ty.ty).filter(|_| var) {
                let why = format!("the variable `{}` is one without a struct", s.name);
                self.facts.refuse(&k, why);
            }
        }
        for d in &u.records {
            for f in d.fields.iter().flatten() {
                let array = matches!(u.ty(f.ty.ty), Type::Array { .. });
                if let Some(k) = element(f.ty.ty).filter(|_| array || d.is_union) {
                    self.facts.refuse(&k, "it is in an array or a union".into());
                }
            }
        }
        for x in &u.exprs {
            let call = matches!(x.kind, ExprKind::Call { .. } | ExprKind::CompoundLit { .. });
            let made = matches!(x.kind, ExprKind::CompoundLit { .. });
            if let Some(k) = whole(u, self.unions, x.ty.ty).filter(|_| call && !made) {
                self.facts.refuse(k, "a function returns it".into());
            }
        }
    }

    fn addresses(&mut self) {
        let u = self.u;
        let mut reading = HashSet::new();
        let mut parts = HashSet::new();
        for x in &u.exprs {
            match &x.kind {
                ExprKind::Call { callee, args } => {
                    for (i, a) in args.iter().enumerate() {
                        if self.reads(*callee, i) {
                            reading.insert(strip_casts(u, *a));
                        }
                    }
                }
                ExprKind::Index { base, .. }
                | ExprKind::AddrOf(base)
                | ExprKind::SizeofExpr(base) => {
                    parts.insert(*base);
                }
                ExprKind::Binary { op, lhs, rhs } if op.compares() => {
                    reading.extend([strip_casts(u, *lhs), strip_casts(u, *rhs)]);
                }
                _ => {}
            }
        }
        all_decls(u, &mut |d| {
            for v in &d.vars {
                let constant = matches!(u.ty(u.sym(v.sym).ty.ty), Type::Pointer(to) if to.is_const);
                if let (Some(Init::Expr(e)), true) = (&v.init, constant) {
                    reading.insert(strip_casts(u, *e));
                }
            }
        });
        let homes = homes(u, self.unions);
        for i in 0..u.exprs.len() {
            let e = ExprId(i as u32);
            let place = match &u.expr(e).kind {
                _ if reading.contains(&e) => continue,
                ExprKind::AddrOf(a) => *a,
                ExprKind::Member { .. } | ExprKind::Index { .. }
                    if is_array(u, e) && !parts.contains(&e) =>
                {
                    e
                }
                _ => continue,
            };
            let why = format!("its address is taken at {}", self.line(e));
            if let Some(k) = whole(u, self.unions, u.expr(place).ty.ty) {
                self.facts.refuse(k, why.clone());
            }
            let itself = owner(u, place).map(|o| o.record);
            for (i, h) in hits(u, self.unions, place).into_iter().enumerate() {
                let taken = AddressTaken {
                    unit: self.unit,
                    e,
                    owner: h.owner,
                    member: h.member,
                    whole: i == 0 && itself.is_some_and(|r| self.unions.contains_key(&r)),
                    why: why.clone(),
                };
                self.facts.taken.entry(h.union).or_default().push(taken);
            }
            if let Some(o) = owner(u, place).filter(|o| homes.contains(&o.record)) {
                self.facts.addressed.insert(o.home(u));
            }
        }
    }

    fn line(&self, e: ExprId) -> String {
        let at = self.u.lines.position(self.u.expr(e).span.start);
        format!("{}:{}", at.file, at.line)
    }

    /// The function only reads what the argument leads to.
    fn reads(&self, callee: ExprId, i: usize) -> bool {
        let to = parameter(self.u, callee, i);
        to.is_some_and(|q| matches!(self.u.ty(q.ty), Type::Pointer(to) if to.is_const))
    }

    fn conversions(&mut self) {
        let u = self.u;
        for i in 0..u.exprs.len() {
            let e = ExprId(i as u32);
            match &u.expr(e).kind {
                ExprKind::Cast { to, arg } => self.cast(e, *to, *arg),
                ExprKind::Assign { lhs, rhs, .. } => self.kept(*rhs, u.expr(*lhs).ty),
                ExprKind::Call { callee, args } => self.call(e, *callee, args),
                _ => {}
            }
        }
        for f in &u.functions {
            visit(u, Node::Stmt(f.body), &mut |n| {
                if let Node::Stmt(s) = n {
                    if let StmtKind::Return(Some(e)) = u.stmt(s).kind {
                        self.kept(e, f.ret);
                    }
                }
                true
            });
        }
        let mut all = Vec::new();
        all_decls(u, &mut |d| {
            for v in &d.vars {
                if let Some(init) = &v.init {
                    all.extend(pc3_program::initialiser::leaves(u, u.sym(v.sym).ty, init));
                }
            }
        });
        for l in all {
            self.kept(l.expr, l.ty);
        }
    }

    /// What a pointer leads to that has such unions, through casts.
    fn leads_to(&self, e: ExprId) -> Option<TypeId> {
        let t = match self.u.ty(self.u.expr(strip_casts(self.u, e)).ty.ty) {
            Type::Pointer(to) if !to.is_const => to.ty,
            Type::Array { elem, .. } if !elem.is_const => elem.ty,
            _ => return None,
        };
        places_in(self.u, self.unions, t).then_some(t)
    }

    fn refuse(&mut self, t: TypeId, why: &str, e: ExprId) {
        let why = format!("{why} at {}", self.line(e));
        for k in all_in(self.u, self.unions, t) {
            self.facts.refuse(&k, why.clone());
        }
    }

    fn cast(&mut self, e: ExprId, to: QualType, arg: ExprId) {
        let u = self.u;
        let Type::Pointer(to) = u.ty(to.ty) else {
            return;
        };
        if is_untyped(u, to.ty) || to.is_const {
            return;
        }
        self.used_as(arg, to.ty);
        // `(double *)((char *)p + 8)`, too.
        let mut from = strip_casts(u, arg);
        let mut moved = false;
        while let ExprKind::Binary {
            op: BinOp::Add | BinOp::Sub,
            lhs,
            rhs,
        } = &u.expr(from).kind
        {
            let pointer =
                |e: ExprId| matches!(u.ty(u.expr(e).ty.ty), Type::Pointer(_) | Type::Array { .. });
            from = strip_casts(u, if pointer(*lhs) { *lhs } else { *rhs });
            moved = true;
        }
        let Some(of) = self.leads_to(from) else {
            return self.taken_for(e, to.ty, u.expr(from).ty.ty);
        };
        let alike = of == to.ty
            || at_start(u, of, to.ty)
            || at_start(u, to.ty, of)
            || (moved && contains(u, to.ty, of))
            || begins_alike(u, of, to.ty);
        if !alike {
            self.refuse(of, "a pointer to its struct becomes another", e);
        }
    }

    /// A pointer to something without such unions becomes one to a struct with some.
    fn taken_for(&mut self, e: ExprId, to: TypeId, from: TypeId) {
        let u = self.u;
        let Type::Pointer(of) = u.ty(from) else {
            return;
        };
        let known = matches!(u.ty(of.ty), Type::Record(r) if u.records[r.index()].fields.is_some());
        let of = of.ty;
        let alike = || at_start(u, of, to) || contains(u, to, of) || begins_alike(u, of, to);
        if known && places_in(u, self.unions, to) && !alike() {
            self.refuse(
                to,
                "a pointer to something else becomes one to its struct",
                e,
            );
        }
    }

    /// Assigned, returned or initialised with.
    fn kept(&mut self, e: ExprId, to: QualType) {
        let Type::Pointer(to) = self.u.ty(to.ty) else {
            return;
        };
        if to.is_const {
            return;
        }
        if !is_untyped(self.u, to.ty) {
            return self.used_as(e, to.ty);
        }
        if let Some(of) = self.leads_to(e) {
            let why = format!(
                "a pointer to its struct is kept without its type at {}",
                self.line(e)
            );
            for k in all_in(self.u, self.unions, of) {
                self.facts.kept.entry(k).or_insert_with(|| why.clone());
            }
        }
    }

    /// A pointer without a type becomes one to a number or a pointer; not if it is that of new memory.
    fn used_as(&mut self, e: ExprId, to: TypeId) {
        let u = self.u;
        let from = strip_casts(u, e);
        let untyped = match u.ty(u.expr(from).ty.ty) {
            Type::Pointer(of) => is_untyped(u, of.ty),
            Type::Array { elem, .. } => is_untyped(u, elem.ty),
            _ => false,
        };
        let made = match &u.expr(from).kind {
            ExprKind::Call { callee, .. } => {
                let direct = self.p.direct(self.unit, *callee);
                matches!(direct, Some((_, Callee::External(_))))
            }
            _ => false,
        };
        if untyped && !made && !matches!(u.ty(to), Type::Record(_)) {
            self.facts.untyped.insert(u.type_name(QualType::plain(to)));
        }
    }

    fn call(&mut self, e: ExprId, callee: ExprId, args: &[ExprId]) {
        let u = self.u;
        let direct = self.p.direct(self.unit, callee);
        for (i, a) in args.iter().enumerate() {
            let Some(of) = self.leads_to(*a).filter(|_| !self.reads(callee, i)) else {
                continue;
            };
            let bad = match &direct {
                Some((_, Callee::External(n))) => !harmless(u, n, i, args, of),
                Some((_, Callee::Defined(f))) => self.fills.contains(&(*f, i)),
                None => {
                    let to = parameter(u, callee, i);
                    let untyped = to.is_none_or(|q| match u.ty(q.ty) {
                        Type::Pointer(to) => is_untyped(u, to.ty),
                        _ => false,
                    });
                    let alike =
                        |f: &(FnId, usize)| f.1 == i && self.p.func(f.0).params.len() == args.len();
                    untyped && self.fills.iter().any(alike)
                }
            };
            if bad {
                self.refuse(of, "a function can fill it", e);
            }
        }
    }
}

fn parameter(u: &Unit, callee: ExprId, i: usize) -> Option<QualType> {
    let function = match u.ty(u.expr(callee).ty.ty) {
        Type::Pointer(q) => u.ty(q.ty),
        t => t,
    };
    match function {
        Type::Function { params, .. } => params.get(i).copied(),
        _ => None,
    }
}

/// `void`, or characters.
fn is_untyped(u: &Unit, t: TypeId) -> bool {
    use IntKind::{Char, SChar, UChar};
    matches!(u.ty(t), Type::Void | Type::Int(Char | SChar | UChar))
}

/// Is `inner` what `outer` begins with?
fn at_start(u: &Unit, outer: TypeId, inner: TypeId) -> bool {
    if outer == inner {
        return true;
    }
    let Type::Record(r) = u.ty(outer) else {
        return false;
    };
    let d = &u.records[r.index()];
    let most = if d.is_union { usize::MAX } else { 1 };
    let mut first = d.fields.iter().flatten().take(most);
    first.any(|f| at_start(u, f.ty.ty, inner))
}

/// Does it have a member of that type?
fn contains(u: &Unit, outer: TypeId, inner: TypeId) -> bool {
    outer == inner
        || match u.ty(outer) {
            Type::Array { elem, .. } => contains(u, elem.ty, inner),
            Type::Record(r) => {
                let mut fields = u.records[r.index()].fields.iter().flatten();
                fields.any(|f| contains(u, f.ty.ty, inner))
            }
            _ => false,
        }
}

fn all_in(u: &Unit, unions: &Unions, t: TypeId) -> HashSet<String> {
    let mut out = HashSet::new();
    let mut todo = vec![t];
    while let Some(t) = todo.pop() {
        match u.ty(t) {
            Type::Array { elem, .. } => todo.push(elem.ty),
            Type::Record(r) => {
                out.extend(unions.get(r).cloned());
                let fields = u.records[r.index()].fields.iter().flatten();
                todo.extend(fields.map(|f| f.ty.ty));
            }
            _ => {}
        }
    }
    out
}

/// A library function leaves values and tags together.
fn harmless(u: &Unit, name: &str, i: usize, args: &[ExprId], of: TypeId) -> bool {
    match name.strip_prefix("__builtin_").unwrap_or(name) {
        "free" | "realloc" | "reallocarray" | "qsort" => true,
        // Compilers' own functions have no parameters here that would say so.
        "memcpy" | "memmove" if i == 1 => true,
        "memcmp" => true,
        "memcpy" | "memmove" if i == 0 => {
            let from = args.get(1).map(|a| u.expr(strip_casts(u, *a)).ty.ty);
            from.is_some_and(|t| match u.ty(t) {
                Type::Pointer(q) | Type::Array { elem: q, .. } => q.ty == of,
                _ => false,
            })
        }
        "memset" => {
            let whole = |n: &ExprId| {
                let mut found = false;
                visit(u, Node::Expr(*n), &mut |n| {
                    if let Node::Expr(x) = n {
                        let kind = &u.expr(x).kind;
                        found |= matches!(kind, ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_));
                    }
                    true
                });
                found
            };
            args.get(1).is_some_and(|v| u.view().eval(*v) == Some(0))
                && args.get(2).is_some_and(whole)
        }
        _ => false,
    }
}

/// Parameters without a type through which functions write other things than whole structs.
fn fills(p: &Program) -> HashSet<(FnId, usize)> {
    let mut found = HashSet::new();
    loop {
        let before = found.len();
        for f in p.ids() {
            let (u, function) = (p.unit(f), p.func(f));
            for (i, s) in function.params.iter().enumerate() {
                let untyped = match u.ty(u.sym(*s).ty.ty) {
                    Type::Pointer(to) => is_untyped(u, to.ty) && !to.is_const,
                    _ => false,
                };
                if untyped && !found.contains(&(f, i)) && is_filled(p, f, *s, &found) {
                    found.insert((f, i));
                }
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn is_filled(p: &Program, f: FnId, param: SymId, known: &HashSet<(FnId, usize)>) -> bool {
    let (u, function) = (p.unit(f), p.func(f));
    let unit = p.fns[f.index()].0;
    let mut names = HashSet::from([param]);
    let named = |names: &HashSet<SymId>, e: ExprId| match u.expr(strip_casts(u, e)).kind {
        ExprKind::Ident(s) => names.contains(&s),
        _ => false,
    };
    let writes = |t: TypeId| match u.ty(t) {
        Type::Pointer(to) => {
            !to.is_const && !is_untyped(u, to.ty) && !matches!(u.ty(to.ty), Type::Record(_))
        }
        _ => false,
    };
    let mut filled = false;
    // Twice: copies of the pointer may be made behind their use.
    for _ in 0..2 {
        let mut copies = Vec::new();
        visit(u, Node::Stmt(function.body), &mut |n| {
            let e = match n {
                Node::Expr(e) => e,
                Node::Stmt(s) => {
                    if let StmtKind::Decl(d) = &u.stmt(s).kind {
                        for v in &d.vars {
                            if let Some(Init::Expr(e)) = &v.init {
                                if named(&names, *e) {
                                    filled |= writes(u.sym(v.sym).ty.ty);
                                    copies.push(v.sym);
                                }
                            }
                        }
                    }
                    return true;
                }
            };
            match &u.expr(e).kind {
                ExprKind::Cast { to, arg } => filled |= named(&names, *arg) && writes(to.ty),
                ExprKind::Assign { lhs, rhs, .. } => {
                    if named(&names, *rhs) {
                        filled |= writes(u.expr(*lhs).ty.ty);
                        if let ExprKind::Ident(s) = u.expr(*lhs).kind {
                            copies.push(s);
                        }
                    }
                    filled |= match &u.expr(*lhs).kind {
                        ExprKind::Deref(a) => named(&names, *a),
                        ExprKind::Index { base, .. } => named(&names, *base),
                        _ => false,
                    };
                }
                ExprKind::Call { callee, args } => {
                    let direct = p.direct(unit, *callee);
                    for (i, a) in args.iter().enumerate().filter(|(_, a)| named(&names, **a)) {
                        let to = parameter(u, *callee, i);
                        let reads = to.is_some_and(
                            |q| matches!(u.ty(q.ty), Type::Pointer(to) if to.is_const),
                        );
                        let _ = a;
                        filled |= !reads
                            && match &direct {
                                Some((_, Callee::Defined(g))) => known.contains(&(*g, i)),
                                Some((_, Callee::External(n))) => {
                                    let n = n.strip_prefix("__builtin_").unwrap_or(n);
                                    !matches!(n, "free" | "realloc" | "reallocarray" | "qsort")
                                }
                                None => false,
                            };
                    }
                }
                _ => {}
            }
            true
        });
        names.extend(copies);
    }
    filled
}
