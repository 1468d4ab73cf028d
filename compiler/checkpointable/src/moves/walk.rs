//! Goes through a function's body in the order in which it runs.

mod branches;
mod copied;
mod uses;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::visit::{self, Visit};
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Block, Expr, Pat, Stmt};

use super::{join, number, Local, Moves, ParameterKinds, Presence, State};
use crate::build::brief::leaves;
use crate::flow::identifiers;
use crate::names::is_binding;
use crate::operands::is_assignment;
use crate::reevaluation::bases;
use copied::copied;

struct Around {
    label: Option<String>,
    /// A block; otherwise a loop.
    block: bool,
    left: State,
    again: State,
}

struct MoveWalk {
    state: State,
    /// Loops around, by their numbers.
    within: Vec<usize>,
    around: Vec<Around>,
    /// Locals, and what those that are borrows are made from.
    bases: HashMap<String, Vec<String>>,
    /// What is done with these is done to what they guard.
    guards: HashSet<String>,
    /// Locals that may be values, and whose parts change with them.
    values: HashSet<String>,
    /// `Option`s of `&mut`, which are reborrowed from.
    lent: HashSet<String>,
    /// Numbers and their like, by what is written: they are copied, never moved.
    copied: HashSet<String>,
    moves: Moves,
}

pub fn function(block: &Block, given: &ParameterKinds) -> Moves {
    let mut w = MoveWalk {
        state: Some(BTreeMap::new()),
        within: Vec::new(),
        around: Vec::new(),
        bases: HashMap::new(),
        guards: HashSet::new(),
        values: given.values.clone(),
        lent: given.lent.clone(),
        copied: HashSet::new(),
        moves: Moves::default(),
    };
    for (p, mutable) in given.parameters {
        let name = p.to_string();
        if *mutable {
            w.moves.mutable.insert(name.clone());
        }
        w.begin(name, Vec::new());
    }
    w.block(block);
    w.moves
}

/// The local that a place is in.
pub fn root(e: &Expr) -> Option<String> {
    match e {
        Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
        Expr::Field(f) => root(&f.base),
        Expr::Index(i) => root(&i.expr),
        Expr::Paren(p) => root(&p.expr),
        Expr::Group(p) => root(&p.expr),
        Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => root(&u.expr),
        _ => None,
    }
}

/// The local that a place is in, unless that is behind a `*`.
fn holder(e: &Expr) -> Option<String> {
    match e {
        Expr::Field(f) => holder(&f.base),
        Expr::Index(i) => holder(&i.expr),
        Expr::Paren(p) => holder(&p.expr),
        e => local(e),
    }
}

/// `a.b.c`, of a local's own.
fn is_field(e: &Expr) -> bool {
    match e {
        Expr::Field(f) => is_field(&f.base),
        Expr::Path(p) => p.path.get_ident().is_some(),
        _ => false,
    }
}

fn local(e: &Expr) -> Option<String> {
    match e {
        Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
        Expr::Paren(p) => local(&p.expr),
        Expr::Group(p) => local(&p.expr),
        _ => None,
    }
}

/// Names of a pattern, with whether they are `mut`, and whether each takes its value out of what is matched.
pub(super) fn bound(pat: &Pat) -> (Vec<(String, bool)>, bool) {
    struct Bindings(Vec<(String, bool)>, bool);
    impl<'ast> Visit<'ast> for Bindings {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            if is_binding(p) {
                let mutable = p.mutability.is_some() && p.by_ref.is_none();
                self.0.push((p.ident.to_string(), mutable));
                self.1 |= p.by_ref.is_none();
            }
            visit::visit_pat_ident(self, p);
        }
        fn visit_expr(&mut self, _: &'ast Expr) {}
    }
    let mut visitor = Bindings(Vec::new(), false);
    visitor.visit_pat(pat);
    (visitor.0, visitor.1)
}

/// Does it borrow a part by `ref mut`?
fn changes(pat: &Pat) -> bool {
    struct BorrowsMutably(bool);
    impl<'ast> Visit<'ast> for BorrowsMutably {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.0 |= p.by_ref.is_some() && p.mutability.is_some();
            visit::visit_pat_ident(self, p);
        }
        fn visit_expr(&mut self, _: &'ast Expr) {}
    }
    let mut visitor = BorrowsMutably(false);
    visitor.visit_pat(pat);
    visitor.0
}

impl MoveWalk {
    fn begin(&mut self, name: String, mut bases: Vec<String>) {
        if self.moves.mutable.contains(&name) {
            bases.push(name.clone());
        }
        self.bases.insert(name.clone(), bases);
        let here = Local {
            whole: Presence::Here,
            unset: false,
            moved: None,
            taken: None,
            stale: None,
            gone: false,
            called: None,
        };
        if let Some(s) = &mut self.state {
            s.insert(name, here);
        }
    }

    fn bind(&mut self, pat: &Pat, bases: &[String]) {
        for (name, mutable) in bound(pat).0 {
            if mutable {
                self.moves.mutable.insert(name.clone());
            }
            self.begin(name, bases.to_vec());
        }
    }

    fn set(&mut self, name: Option<String>, whole: Presence) {
        let Some(name) = name else { return };
        if whole == Presence::Moved && self.copied.contains(&name) {
            return;
        }
        if let Some(l) = self.state.as_mut().and_then(|s| s.get_mut(&name)) {
            // What is gone cannot be gone again.
            if l.whole != Presence::Moved || whole == Presence::Here {
                l.whole = whole;
                l.unset = whole == Presence::Unset;
                l.moved = None;
                l.called = None;
                match whole {
                    Presence::Here => l.gone = false,
                    Presence::Unset | Presence::Moved => l.gone = true,
                    Presence::Part | Presence::Unknown => {}
                }
                if whole == Presence::Here {
                    l.taken = None;
                }
            }
        }
    }

    fn moved(&mut self, name: Option<String>, span: Span) {
        let Some(name) = name.filter(|n| !self.copied.contains(n)) else {
            return;
        };
        if let Some(l) = self.state.as_mut().and_then(|s| s.get_mut(&name)) {
            l.whole = Presence::Moved;
            l.gone = true;
            l.moved = l.moved.or(Some(span));
        }
    }

    /// A field of a local is used by value.
    fn field_moved(&mut self, e: &Expr) {
        let (Some(name), true) = (root(e), is_field(e)) else {
            return;
        };
        if let Some(l) = self.state.as_mut().and_then(|s| s.get_mut(&name)) {
            l.taken.get_or_insert_with(|| e.clone());
        }
    }

    /// A local has another value.
    fn changed(&mut self, name: Option<String>, span: Span) {
        let Some(name) = name.filter(|n| self.moves.mutable.contains(n)) else {
            return;
        };
        for (made, l) in self.state.iter_mut().flatten() {
            let known = l.stale.as_ref();
            if known.is_none_or(|(of, _)| of == made && name != *made)
                && self.bases.get(made).is_some_and(|b| b.contains(&name))
            {
                l.stale = Some((name.clone(), span));
            }
        }
    }

    /// It is not what it was made as any more.
    fn rebound(&mut self, name: Option<String>, span: Span) {
        let Some(name) = name else { return };
        if let Some(l) = self.state.as_mut().and_then(|s| s.get_mut(&name)) {
            l.stale.get_or_insert((name, span));
        }
    }

    /// Something in a place changes.
    fn part_changed(&mut self, place: &Expr, span: Span) {
        let name = holder(place).filter(|n| self.values.contains(n));
        self.rebound(name, span);
    }

    fn point(&mut self, attrs: &[syn::Attribute]) {
        let Some(n) = number(attrs) else { return };
        let exist = self.state.iter().flatten();
        let exist = exist.filter(|(_, l)| l.whole.may_exist());
        self.moves.exist.extend(exist.map(|(n, _)| n.clone()));
        self.moves.points.insert(n, self.state.clone());
        self.moves.within.insert(n, self.within.clone());
    }

    // ---- statements -------------------------------------------------------------------------

    fn block(&mut self, b: &Block) {
        b.stmts.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Local(l) => {
                let Some(init) = &l.init else {
                    self.bind(&l.pat, &[]);
                    self.copied.extend(copied(&l.pat, None));
                    for (name, _) in bound(&l.pat).0 {
                        self.set(Some(name), Presence::Unset);
                    }
                    return;
                };
                let mut from = self.made_from(&init.expr);
                if crate::reevaluation::is_reeval(&l.attrs) {
                    from = identifiers(&init.expr.to_token_stream())
                        .into_iter()
                        .collect();
                }
                self.matched(&init.expr, &l.pat);
                if let Some((_, diverge)) = &init.diverge {
                    let before = self.state.clone();
                    self.value(diverge);
                    self.state = before;
                }
                self.bind(&l.pat, &from);
                self.copied.extend(copied(&l.pat, Some(&init.expr)));
                let whole = matches!(&*init.expr, Expr::Tuple(_) | Expr::Array(_));
                if whole || crate::reevaluation::is_reeval(&l.attrs) {
                    let mutable = bound(&l.pat).0.into_iter().filter(|n| n.1);
                    self.values.extend(mutable.map(|n| n.0));
                }
                if crate::reevaluation::is_guard(&init.expr) {
                    for (name, _) in bound(&l.pat).0 {
                        self.guards.insert(name.clone());
                        self.bases.insert(name, from.clone());
                    }
                }
            }
            Stmt::Expr(e, _) => self.value(e),
            Stmt::Macro(m) => self.mac(&m.mac, &m.attrs),
            Stmt::Item(_) => {}
        }
    }

    /// The locals that a `let`'s value is made from; a copy of an iterator, those that this is made from.
    fn made_from(&self, e: &Expr) -> Vec<String> {
        let copied = match e {
            Expr::MethodCall(m) if m.method == "clone" => local(&m.receiver),
            _ => None,
        };
        match copied.and_then(|name| Some((self.bases.get(&name)?, name))) {
            Some((from, name)) => from.iter().filter(|b| **b != name).cloned().collect(),
            None => bases(e),
        }
    }

    /// What a pattern takes apart.
    fn matched(&mut self, e: &Expr, pat: &Pat) {
        match (root(e), pat) {
            (Some(_), Pat::Ident(p)) if p.by_ref.is_none() && p.subpat.is_none() => self.value(e),
            (Some(_), Pat::Type(t)) => self.matched(e, &t.pat),
            (Some(_), pat) => {
                self.place(e);
                self.taken_apart(e, pat);
            }
            (None, _) => self.value(e),
        }
    }

    /// The pattern matches what is in a place.
    fn taken_apart(&mut self, e: &Expr, pat: &Pat) {
        if changes(pat) {
            self.part_changed(e, pat.span());
        }
        let all = local(e).is_some() && !leaves(pat);
        match bound(pat) {
            (_, true) if !all => self.set(root(e), Presence::Part),
            (_, true) => self.set(root(e), Presence::Moved),
            // A variant that holds nothing.
            (names, false) if all && names.is_empty() => self.set(root(e), Presence::Moved),
            _ => {}
        }
    }

    // ---- expressions ------------------------------------------------------------------------

    fn all<'e>(&mut self, list: impl IntoIterator<Item = &'e Expr>) {
        list.into_iter().for_each(|e| self.value(e));
    }

    /// An expression that is not moved from.
    fn place(&mut self, e: &Expr) {
        match e {
            Expr::Path(_) => {}
            Expr::Field(f) => self.place(&f.base),
            Expr::Index(i) => {
                self.place(&i.expr);
                self.value(&i.index);
            }
            Expr::Paren(p) => self.place(&p.expr),
            Expr::Group(p) => self.place(&p.expr),
            Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => self.place(&u.expr),
            e => self.value(e),
        }
    }

    fn value(&mut self, e: &Expr) {
        if let Some(guarded) = crate::reevaluation::guarded(e) {
            return self.place(guarded);
        }
        match e {
            Expr::Path(_) => self.moved(local(e), e.span()),
            Expr::Field(_) => {
                self.place(e);
                self.set(root(e), Presence::Part);
                self.field_moved(e);
            }
            Expr::Index(_) => self.place(e),
            Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => {
                self.place(e);
                self.set(root(e), Presence::Part);
            }
            Expr::Unary(u) => self.value(&u.expr),
            Expr::Reference(r) => {
                self.place(&r.expr);
                if r.mutability.is_some() {
                    self.changed(local(&r.expr), r.span());
                    self.part_changed(&r.expr, r.span());
                }
            }
            Expr::Assign(a) => {
                self.value(&a.right);
                self.assigned(&a.left);
            }
            Expr::Binary(b) => self.binary(b),
            Expr::MethodCall(m) => self.method(m),
            Expr::Call(c) => {
                match local(&c.func) {
                    // A closure, perhaps one that is used up; what it changes is not its own.
                    Some(f) => self.uncertain(f),
                    None => self.place(&c.func),
                }
                self.all(&c.args);
            }
            Expr::Macro(m) => self.mac(&m.mac, &m.attrs),
            Expr::Closure(c) => self.closure(c),
            Expr::Async(a) => self.mentioned(&a.to_token_stream(), a.span()),
            Expr::If(_) | Expr::Let(_) | Expr::Match(_) | Expr::Block(_) => self.branch(e),
            Expr::Unsafe(u) => self.block(&u.block),
            Expr::Const(c) => self.block(&c.block),
            Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => self.looped(e),
            Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => self.jump(e),
            Expr::Struct(s) => {
                s.fields.iter().for_each(|f| self.value(&f.expr));
                if let Some(rest) = &s.rest {
                    self.place(rest);
                    self.set(root(rest), Presence::Part);
                }
            }
            Expr::Paren(p) => self.value(&p.expr),
            Expr::Group(p) => self.value(&p.expr),
            Expr::Try(t) => self.value(&t.expr),
            Expr::Cast(c) => self.value(&c.expr),
            Expr::Tuple(t) => self.all(&t.elems),
            Expr::Array(t) => self.all(&t.elems),
            Expr::Repeat(r) => self.value(&r.expr),
            Expr::Range(r) => {
                self.all(r.start.as_deref());
                self.all(r.end.as_deref());
            }
            Expr::Lit(_) | Expr::Infer(_) => {}
            other => self.mentioned(&other.to_token_stream(), other.span()),
        }
    }

    fn binary(&mut self, b: &syn::ExprBinary) {
        match b.op {
            _ if is_assignment(&b.op) => {
                self.value(&b.right);
                self.place(&b.left);
                self.changed(local(&b.left), b.span());
                self.part_changed(&b.left, b.span());
            }
            syn::BinOp::And(_) | syn::BinOp::Or(_) => {
                self.value(&b.left);
                let before = self.state.clone();
                self.value(&b.right);
                join(&mut self.state, &before);
            }
            _ => {
                use syn::BinOp as B;
                let compares = matches!(
                    b.op,
                    B::Eq(_) | B::Ne(_) | B::Lt(_) | B::Le(_) | B::Gt(_) | B::Ge(_)
                );
                for side in [&b.left, &b.right] {
                    match compares {
                        true => self.place(side),
                        false => self.value(side),
                    }
                }
            }
        }
    }

    /// The left side of `=`.
    fn assigned(&mut self, left: &Expr) {
        match left {
            Expr::Tuple(t) => t.elems.iter().for_each(|e| self.assigned(e)),
            Expr::Array(t) => t.elems.iter().for_each(|e| self.assigned(e)),
            Expr::Call(c) => c.args.iter().for_each(|e| self.assigned(e)),
            Expr::Struct(s) => s.fields.iter().for_each(|f| self.assigned(&f.expr)),
            Expr::Paren(p) => self.assigned(&p.expr),
            left => {
                self.place(left);
                if let (Expr::Field(_), Some(name)) = (left, root(left)) {
                    // It may be whole again.
                    if let Some(l) = self.state.as_mut().and_then(|s| s.get_mut(&name)) {
                        l.taken = None;
                    }
                }
                self.set(local(left), Presence::Here);
                self.changed(local(left), left.span());
                self.rebound(local(left), left.span());
                self.part_changed(left, left.span());
            }
        }
    }
}
