//! Values that are passed, returned and declared.

use super::marks::marks;
use super::plain;
use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::printer::Printer;
use crate::rewrite::collected::Mark;
use pc3_program::linear::{Linear, Root, Subst, TempTy};
use pc3_program::program::{is_local, Callee};
use pc3_program::walk::strip_casts;
use pc3_syntax::tree::*;

impl Printer<'_, '_> {
    /// Operands of calls.
    pub fn arguments(&self, callee: ExprId, args: &[ExprId], lin: Option<&Linear>) -> String {
        let mut notes = String::new();
        if !self.notes() {
            return notes;
        }
        let u = self.u();
        let direct = self.cx.p.direct(self.cx.unit, callee);
        let params: Vec<QualType> = match u.ty(u.expr(callee).ty.ty) {
            Type::Function { params, .. } => params.clone(),
            Type::Pointer(q) => match u.ty(q.ty) {
                Type::Function { params, .. } => params.clone(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        for (i, a) in args.iter().enumerate() {
            let q = u.expr(*a).ty;
            if self.is_record(q.ty) && self.has_union(q.ty) {
                self.give_value(*a);
                continue;
            }
            let reads = params
                .get(i)
                .is_some_and(|q| matches!(u.ty(q.ty), Type::Pointer(to) if to.is_const));
            let inner = strip_casts(u, *a);
            let target = match &u.expr(inner).kind {
                ExprKind::AddrOf(x) => *x,
                _ if self.is_array(inner) => inner,
                _ => inner,
            };
            let pointee = match u.ty(u.expr(inner).ty.ty) {
                Type::Pointer(to) => Some(*to),
                Type::Array { elem, .. } => Some(*elem),
                _ => None,
            };
            let name = match &direct {
                Some((_, Callee::External(n))) => Some(n.as_str()),
                _ => None,
            };
            let prints = |n: &str| n.contains("printf") || matches!(n, "free" | "__builtin_free");
            let takes = |n: &str| i == 0 && (n.contains("snprintf") || n.contains("sprintf"));
            let source = name.is_some_and(|n| copies(n) && i == 1);
            let only_reads = reads || source || name.is_some_and(|n| prints(n) && !takes(n));
            let is_address = target != inner || self.is_array(inner);
            if is_address && !self.hits(target).is_empty() && self.matters(target) {
                if only_reads {
                    self.in_function().held.remove(&target);
                    self.in_function().given.insert(inner);
                    continue;
                }
                if self.lends(&direct, i) && self.place(target, lin) {
                    for h in self.hits(target) {
                        notes += &format!(
                            "pc3_union_lent({}, {}, {}); ",
                            self.place_of(&h, lin),
                            self.row(h.row),
                            h.member
                        );
                    }
                    self.in_function().given.insert(inner);
                    continue;
                }
                self.hold(target);
            }
            let library = name.is_some_and(|n| !copies(n)) && !only_reads;
            if let (true, Some(to)) = (library, pointee) {
                if self.has_union(to.ty) && !to.is_const {
                    self.in_function().stand_in.remove(a);
                    let text = self.text(*a, lin, true);
                    let ty = self.cx.names.pointer_to(to, "");
                    let n = self.cx.names.type_name(plain(to.ty));
                    let text = format!("(({ty})pc3_union_filled({text}, sizeof({n})))");
                    self.in_function().stand_in.insert(*a, text);
                }
            }
        }
        notes
    }

    /// A call that has been printed, with what is to be noted behind it.
    pub(crate) fn behind_call(&self, e: ExprId, notes: &str, inner: Edits, out: &mut Edits) {
        if notes.is_empty() {
            return out.append(inner);
        }
        let span = &self.u().expr(e).span;
        let text = inner.apply(self.cx, span);
        out.replace(span, self.behind(e, "", &text, notes));
    }

    /// The function is done with the pointer when it returns.
    pub(super) fn lends(&self, direct: &Option<(SymId, Callee)>, i: usize) -> bool {
        match direct {
            Some((_, Callee::External(n))) => !self.cx.p.keeps_pointers(n),
            Some((_, Callee::Defined(f))) => {
                let kept = &self.cx.kept[f.index()];
                kept.get(i).is_some_and(|k| !k)
            }
            None => false,
        }
    }

    /// A value that is passed or returned.
    pub(super) fn passed_value(&self, e: ExprId, lin: Option<&Linear>) -> Option<String> {
        let u = self.u();
        if matches!(u.expr(e).kind, ExprKind::AddrOf(_)) || self.is_array(e) {
            // A pointer that is only read, or lent: its members are not held.
            let mut inner = Edits::default();
            match u.expr(e).kind {
                ExprKind::AddrOf(a) => self.expr(a, lin, &mut inner),
                _ => self.children(e, lin, &mut inner),
            }
            return Some(inner.apply(self.cx, &u.expr(e).span));
        }
        if let Some(s) = lin.and_then(|l| l.subst.get(&e)) {
            return match s {
                Subst::Temp(t) => self.given_temporary(*t),
                Subst::Nothing => None,
            };
        }
        self.given_object(e, lin, true)
    }

    /// A temporary with unions: those of objects that were read into it, or of a result.
    pub(in crate::rewrite) fn given_temporary(&self, t: usize) -> Option<String> {
        let q = self.noted_temporary(t)?;
        Some(self.passed(q, &format!("(const void *)&pc3_t{t}")))
    }

    /// Behind what sets it.
    pub(in crate::rewrite) fn taken_temporary(&self, t: usize) -> Option<String> {
        let q = self.noted_temporary(t)?;
        Some(self.arrived(q, &format!("&pc3_t{t}")))
    }

    /// Where it has come back without.
    pub(in crate::rewrite) fn gone_temporary(&self, t: usize) -> Option<String> {
        self.noted_temporary(t)?;
        Some(format!("pc3_union_gone(&pc3_t{t}, sizeof pc3_t{t}); "))
    }

    fn noted_temporary(&self, t: usize) -> Option<QualType> {
        let TempTy::Value(q) = self.plan.temps[t] else {
            return None;
        };
        let has = self.notes() && self.is_record(q.ty) && self.has_union(q.ty);
        has.then_some(q)
    }

    /// `whole`: what stands for it elsewhere stands for it here.
    pub(in crate::rewrite) fn given_object(
        &self,
        e: ExprId,
        lin: Option<&Linear>,
        whole: bool,
    ) -> Option<String> {
        let u = self.u();
        let q = u.expr(e).ty;
        let lvalue = self.is_lvalue(e) && self.matters(e);
        let literal = matches!(u.expr(e).kind, ExprKind::CompoundLit { .. });
        if !lvalue && !literal {
            return None;
        }
        if let ExprKind::CompoundLit { ty, init } = &u.expr(e).kind {
            if !self.plan.literals.contains(&e) {
                let marks = self.marks(*ty, init);
                let mut inner = Edits::default();
                self.children(e, lin, &mut inner);
                let literal = inner.apply(self.cx, &u.expr(e).span);
                if let Some(text) = self.given_literal(q, &literal, &marks) {
                    return Some(text);
                }
            }
        }
        let text = self.text(e, lin, whole);
        Some(self.passed(q, &format!("(const void *)&({text})")))
    }

    /// It is returned, or kept for later.
    pub fn give(&self, e: ExprId) {
        if self.notes() {
            let t = self.u().expr(e).ty.ty;
            if self.is_record(t) && self.has_union(t) {
                self.give_value(e);
            }
        }
    }

    /// Where the value comes from.
    fn give_value(&self, e: ExprId) {
        match &self.u().expr(e).kind {
            ExprKind::Cond { then, els, .. } => {
                then.iter().for_each(|t| self.give_value(*t));
                self.give_value(*els);
            }
            ExprKind::Comma(list) => list.iter().last().iter().for_each(|e| self.give_value(**e)),
            _ => _ = self.in_function().given.insert(e),
        }
    }

    /// An object that is copied, and cannot be named again behind that.
    pub(super) fn give_once(&self, e: ExprId, lin: Option<&Linear>) {
        let several = matches!(
            self.u().expr(e).kind,
            ExprKind::Cond { .. } | ExprKind::Comma(_)
        );
        if several || (self.is_lvalue(e) && !self.place(e, lin)) {
            self.give(e);
        }
    }

    /// Before a declaration is printed.
    pub(crate) fn before_declaring(&self, d: &DeclGroup) {
        if !self.notes() || d.is_typedef {
            return;
        }
        for v in &d.vars {
            if let Some(Init::Expr(e)) = &v.init {
                if is_local(self.u().sym(v.sym)) {
                    self.give_once(*e, None);
                }
            }
        }
    }

    /// Arguments that arrive, as a declaration.
    pub fn arrivals(&self) -> String {
        let u = self.u();
        let mut out = String::new();
        if !self.notes() {
            return out;
        }
        for p in &u.func(self.f).params {
            let q = u.sym(*p).ty;
            if self.is_record(q.ty) && self.has_union(q.ty) && self.matters_of(*p) {
                let name = self.symbol(*p).unwrap_or_else(|| u.sym(*p).name.clone());
                out += &statement(
                    &format!("a{}", p.0),
                    self.arrived(q, &format!("&({name})"))
                        .trim_end_matches("; "),
                );
            }
        }
        out
    }

    /// Behind a declaration: what its initialisers gave.
    pub fn declared(&self, d: &DeclGroup, out: &mut Edits) {
        let u = self.u();
        if !self.notes() || d.is_typedef {
            return;
        }
        let mut text = String::new();
        for v in &d.vars {
            let sym = u.sym(v.sym);
            let Some(init) = &v.init else { continue };
            if !is_local(sym) || !self.has_union(sym.ty.ty) || !self.matters_of(v.sym) {
                continue;
            }
            let name = self.symbol(v.sym).unwrap_or_else(|| sym.name.clone());
            let lin = self.plan.linear.get(&Root::Init(v.sym));
            let place = format!("&({name})");
            let notes = match init {
                Init::Expr(e) => {
                    let literal = match &u.expr(*e).kind {
                        ExprKind::CompoundLit { ty, init } => Some((*ty, init.clone())),
                        _ => None,
                    };
                    let lin = lin.or_else(|| {
                        let root = Root::Expr(*e);
                        self.plan.linear.get(&root)
                    });
                    // Temporaries have ended with the initialiser.
                    match lin.is_some_and(|l| l.subst.contains_key(e)) {
                        true => self.arrived(sym.ty, &place),
                        false => self.arrival(sym.ty, &place, Some(*e), literal, lin),
                    }
                }
                Init::List { .. } => {
                    let marks = self.marks(sym.ty, init);
                    self.made(sym.ty, &place, &marks).unwrap_or_else(|| {
                        let list = self.mark_list(sym.ty.ty, marks);
                        format!("pc3_union_made({place}, sizeof({name}), {list}); ")
                    })
                }
            };
            let notes = notes.trim_end_matches("; ");
            text += &statement(&format!("d{}", v.sym.0), notes);
        }
        if !text.is_empty() {
            let semi = if u.slice(&d.span).ends_with(';') {
                ""
            } else {
                ";"
            };
            out.insert(d.span.end, format!("{semi}{text}"));
        }
    }

    /// What an initialiser gives to which unions.
    pub(super) fn marks(&self, q: QualType, init: &Init) -> Vec<Mark> {
        marks(self.u(), self.cx.noted, q, init)
    }

    pub(super) fn mark_list(&self, t: TypeId, marks: Vec<Mark>) -> String {
        if marks.is_empty() {
            return "(const struct pc3_union_mark *)0".into();
        }
        for m in &marks {
            self.row(m.1);
        }
        let mut notes = self.cx.notes.borrow_mut();
        let n = match notes.marks.iter().position(|m| *m == (t, marks.clone())) {
            Some(n) => n,
            None => {
                notes.marks.push((t, marks));
                notes.marks.len() - 1
            }
        };
        format!("pc3_marks_{n}")
    }
}

/// Library functions that copy, of which more is known.
pub fn copies(name: &str) -> bool {
    matches!(
        name,
        "memcpy"
            | "memmove"
            | "__builtin_memcpy"
            | "__builtin_memmove"
            | "memset"
            | "__builtin_memset"
            | "free"
            | "realloc"
            | "__builtin_free"
            | "__builtin_realloc"
            | "reallocarray"
    )
}

fn statement(name: &str, text: &str) -> String {
    format!(" char pc3_u{name} __attribute__((unused)) = __extension__({{ {text}; (char)0; }});")
}
