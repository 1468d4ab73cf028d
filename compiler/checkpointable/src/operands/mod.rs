//! Marked calls in the midst of expressions: they become `let` statements in front, where that changes nothing.
//!
//! ```text
//! ck!(fib(n - 1)) + ck!(fib(n - 2))    →    let pc3_t1 = ck!(fib(n - 1)); let pc3_t2 = ck!(fib(n - 2)); pc3_t1 + pc3_t2
//! ```
//!
//! What is evaluated in front of a marked call must not depend on it: other marked calls, literals, and locals that
//! the call does not mention.  Locals that it does, and operators, which may be the program's own, get names likewise.
//! Anything else is an error.

pub(crate) mod temporaries;

use std::collections::BTreeSet;

mod lent;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned, ToTokens};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{parse_quote, parse_quote_spanned, Block, Expr, Pat, Stmt};

use crate::build::brief::ends_for_else;
use crate::build::patterns::has_ref;
use crate::flow::identifiers;
use crate::marks::{self, block_has_points, has_points, has_points_expr, Arguments};
use crate::methods;
use crate::reevaluation::is_constructor;

mod before;

pub use lent::ends;

use before::{is_mentioned, is_named, note, only_calls, only_looks, place, value, Before, Used};

/// How names of values begin that a head has.
pub const HEAD: &str = "pc3_head";

/// And those of other values of marked calls.
pub const TEMPORARY: &str = "pc3_t";

pub struct Operands {
    pub errors: Vec<syn::Error>,
    count: usize,
    /// Values that have been given names since marked calls borrow them.
    lent: usize,
    otherwise: Otherwise,
    /// Those that end in front of an `else`.
    ending: Vec<Ident>,
}

/// Is it the head of an `if let` with an `else`, in front of which such values end or not, as the edition says?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Otherwise {
    No,
    /// It ends them, if the edition says so.
    Ends,
    /// It has points.
    Left,
}

/// Takes the expressions of a function apart.
pub(crate) fn take_apart(block: &mut Block) -> Vec<syn::Error> {
    let mut operands = Operands {
        errors: Vec::new(),
        count: 0,
        lent: 0,
        otherwise: Otherwise::No,
        ending: Vec::new(),
    };
    operands.block(block);
    operands.errors
}

/// `ck!(…)` or `ck!(…)?`.
pub(crate) fn is_marked(e: &Expr) -> bool {
    match e {
        Expr::Try(t) => marks::call(&t.expr).is_some(),
        e => marks::call(e).is_some(),
    }
}

/// An expression that holds statements.
pub(crate) fn is_structure(e: &Expr) -> bool {
    matches!(
        e,
        Expr::If(_)
            | Expr::Match(_)
            | Expr::Block(_)
            | Expr::Unsafe(_)
            | Expr::Loop(_)
            | Expr::While(_)
            | Expr::ForLoop(_)
    )
}

impl Operands {
    fn block(&mut self, block: &mut Block) {
        if !block_has_points(block) {
            return;
        }
        let mut all = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            let mut out = Vec::new();
            if has_points(&stmt) && marks::location(&stmt).is_none() {
                self.stmt(&mut stmt, &mut out);
            }
            if !out.is_empty() {
                enclose(&mut stmt, &mut out);
            }
            all.append(&mut out);
            all.push(stmt);
        }
        block.stmts = all;
    }

    fn stmt(&mut self, stmt: &mut Stmt, out: &mut Vec<Stmt>) {
        match stmt {
            Stmt::Local(local) => {
                if let Some(init) = &mut local.init {
                    self.value(&mut init.expr, out);
                    if let Some((_, diverge)) = &mut init.diverge {
                        if has_points_expr(diverge) {
                            self.errors.push(syn::Error::new_spanned(
                                diverge,
                                "a point cannot be in the `else` of a `let`: write `match` instead",
                            ));
                        }
                    }
                }
            }
            Stmt::Expr(e, _) => match e {
                Expr::Assign(a) if has_points_expr(&a.left) => {
                    // What is assigned is evaluated first.
                    self.value(&mut a.right, out);
                    if !matches!(&*a.right, Expr::Lit(_)) {
                        *a.right = self.hoist_whole(&a.right, out);
                    }
                    self.operand(&mut a.left, out, &mut Before::default());
                }
                Expr::Binary(b) if is_assignment(&b.op) && has_points_expr(&b.left) => {
                    // Of some types what is assigned is evaluated first, of others the place.
                    let mut right = Before::default();
                    if has_points_expr(&b.right) {
                        right.impure = Some(b.right.span());
                    }
                    note(&b.right, &mut right);
                    self.operand(&mut b.left, out, &mut right);
                }
                Expr::Assign(a) => self.value(&mut a.right, out),
                Expr::Binary(b) if is_assignment(&b.op) => {
                    let later = has_points_expr(&b.right);
                    let mut left = Before::default();
                    place(&b.left, &identifiers(&b.right.to_token_stream()), &mut left);
                    self.value(&mut b.right, out);
                    // Of numbers what is assigned is evaluated first, of other types the place.
                    if let (Some(at), true) = (left.impure, later) {
                        let (at, left) = (at.resolved_at(Span::call_site()), &b.left);
                        *b.left = parse_quote_spanned!(at=> *::pc3::point::second(&mut #left));
                    }
                }
                Expr::Return(r) => {
                    if let Some(e) = &mut r.expr {
                        self.value(e, out);
                    }
                }
                Expr::Break(b) => {
                    if let Some(e) = &mut b.expr {
                        self.value(e, out);
                        if has_points_expr(e) {
                            let t = self.hoist_whole(e, out);
                            b.expr = Some(Box::new(t));
                        }
                    }
                }
                e => self.value(e, out),
            },
            Stmt::Macro(m) => {
                let mut e = Expr::Macro(syn::ExprMacro {
                    attrs: Vec::new(),
                    mac: m.mac.clone(),
                });
                self.value(&mut e, out);
                if let Expr::Macro(e) = e {
                    m.mac = e.mac;
                }
            }
            Stmt::Item(_) => {}
        }
    }

    /// An expression whose value a statement uses as a whole.
    fn value(&mut self, e: &mut Expr, out: &mut Vec<Stmt>) {
        if !has_points_expr(e) {
            return;
        }
        if let Expr::Paren(p) = e {
            *e = (*p.expr).clone();
        }
        if is_marked(e) {
            self.call(e, out, &mut Before::default());
        } else if is_structure(e) {
            self.structure(e, out);
        } else {
            self.operand(e, out, &mut Before::default());
        }
    }

    fn structure(&mut self, e: &mut Expr, out: &mut Vec<Stmt>) {
        match e {
            Expr::If(i) => {
                if i.else_branch.is_none() && has_points_expr(&i.cond) {
                    nest(i);
                }
                match &mut *i.cond {
                    Expr::Let(l) if has_points_expr(&l.expr) => {
                        let otherwise = match &i.else_branch {
                            Some((_, e)) if has_points_expr(e) => Otherwise::Left,
                            Some((_, e)) if !is_break(e) => Otherwise::Ends,
                            _ => self.otherwise,
                        };
                        let before = std::mem::replace(&mut self.otherwise, otherwise);
                        let ending = std::mem::take(&mut self.ending);
                        *l.expr = self.hoist_head(&mut l.expr, out, has_ref(&l.pat));
                        let ending = std::mem::replace(&mut self.ending, ending);
                        self.otherwise = before;
                        if let (Some((_, other)), false) = (&mut i.else_branch, ending.is_empty()) {
                            let ends = ends_for_else(&ending, i.if_token.span);
                            **other = parse_quote!({ #ends #other });
                        }
                    }
                    Expr::Let(_) => {}
                    cond if is_chain(cond) && has_points_expr(cond) => {
                        self.errors.push(syn::Error::new_spanned(
                            &*cond,
                            "a marked call cannot be in a chain of conditions with `let` and an `else`: bind its value with `let` before, or write one `if` within the other",
                        ));
                    }
                    cond => {
                        let (lent, mut front) = (self.lent, Vec::new());
                        self.operand(cond, &mut front, &mut Before::default());
                        // What it borrows ends before the branches begin.
                        if self.lent > lent {
                            let whole = parse_quote!({ #(#front)* #cond });
                            *cond = self.hoist_whole(&whole, out);
                        } else {
                            out.append(&mut front);
                        }
                    }
                }
                self.block(&mut i.then_branch);
                if let Some((_, other)) = &mut i.else_branch {
                    if has_points_expr(other) {
                        // `else if` becomes a block, which has room for what its condition needs.
                        if let Expr::If(_) = &**other {
                            let inner = (**other).clone();
                            **other = parse_quote!({ #inner });
                        }
                        if let Expr::Block(b) = &mut **other {
                            self.block(&mut b.block);
                        }
                    }
                }
            }
            Expr::Match(m) => {
                if has_points_expr(&m.expr) {
                    let borrows = m.arms.iter().any(|a| has_ref(&a.pat));
                    *m.expr = self.hoist_head(&mut m.expr, out, borrows);
                }
                for arm in &mut m.arms {
                    if has_points_expr(&arm.body) {
                        if !matches!(&*arm.body, Expr::Block(b) if b.label.is_none()) {
                            let inner = (*arm.body).clone();
                            *arm.body = parse_quote!({ #inner });
                        }
                        if let Expr::Block(b) = &mut *arm.body {
                            self.block(&mut b.block);
                        }
                    }
                }
            }
            Expr::Block(b) => self.block(&mut b.block),
            Expr::Unsafe(u) => self.block(&mut u.block),
            Expr::Loop(l) => self.block(&mut l.body),
            Expr::ForLoop(f) => {
                if has_points_expr(&f.expr) {
                    *f.expr = self.hoist_value(&mut f.expr, out);
                }
                self.block(&mut f.body);
            }
            Expr::While(w) => {
                if has_points_expr(&w.cond) {
                    let (label, cond, body) = (&w.label, &w.cond, &w.body);
                    *e = parse_quote!(#label loop { if #cond #body else { break; } });
                    if let Expr::Loop(l) = e {
                        self.block(&mut l.body);
                    }
                } else {
                    self.block(&mut w.body);
                }
            }
            _ => {}
        }
    }

    fn temporary(&mut self, span: Span) -> Ident {
        self.count += 1;
        let mut name = format_ident!("{}{}", TEMPORARY, self.count);
        name.set_span(span.resolved_at(Span::call_site()));
        name
    }

    /// `let t = e;` in front; gives `t`.
    fn hoist_whole(&mut self, e: &Expr, out: &mut Vec<Stmt>) -> Expr {
        let mut e = e.clone();
        self.lend(&mut e, out);
        let t = self.temporary(e.span());
        out.push(parse_quote!(let #t = #e;));
        parse_quote!(#t)
    }

    /// The value that a pattern is compared with, or borrows from.
    fn hoist_head(&mut self, e: &mut Expr, out: &mut Vec<Stmt>, borrows: bool) -> Expr {
        if borrows {
            return self.hoist_value(e, out);
        }
        self.value(e, out);
        if !has_points_expr(e) {
            return e.clone();
        }
        self.lend(e, out);
        self.count += 1;
        let mut name = format_ident!("{}{}", HEAD, self.count);
        name.set_span(e.span().resolved_at(Span::call_site()));
        out.push(parse_quote!(let #name = #e;));
        parse_quote!(#name)
    }

    fn hoist_value(&mut self, e: &mut Expr, out: &mut Vec<Stmt>) -> Expr {
        self.value(e, out);
        if has_points_expr(e) {
            self.hoist_whole(e, out)
        } else {
            e.clone()
        }
    }

    /// The arguments of a marked call.
    fn call(&mut self, e: &mut Expr, out: &mut Vec<Stmt>, before: &mut Before) {
        match e {
            Expr::Try(t) => self.call(&mut t.expr, out, before),
            Expr::Paren(p) => self.call(&mut p.expr, out, before),
            Expr::Group(g) => self.call(&mut g.expr, out, before),
            Expr::Macro(m) => {
                let Ok(mut inner) = syn::parse2::<Expr>(m.mac.tokens.clone()) else {
                    return;
                };
                match &mut inner {
                    Expr::Call(c) => self.operands(c.args.iter_mut().map(value), out, before),
                    Expr::MethodCall(c) => {
                        let receiver = std::iter::once((&mut *c.receiver, Used::Place));
                        let parts = receiver.chain(c.args.iter_mut().map(value));
                        self.operands(parts, out, before);
                    }
                    other => self.errors.push(syn::Error::new_spanned(
                        other,
                        "`ck!` marks one call: `ck!(f(x))` or `ck!(value.method(x))`",
                    )),
                }
                m.mac.tokens = inner.to_token_stream();
            }
            _ => {}
        }
    }

    /// Parts of an expression, which are evaluated one after the other; those used by value that a later one mentions
    /// get names.
    fn operands<'e>(
        &mut self,
        parts: impl Iterator<Item = (&'e mut Expr, Used)>,
        out: &mut Vec<Stmt>,
        before: &mut Before,
    ) {
        let mut parts: Vec<(&mut Expr, Used)> = parts.collect();
        let found = parts.iter().rposition(|(e, _)| has_points_expr(e));
        let last = found.unwrap_or(0);
        for i in 0..parts.len() {
            if i < last && !has_points_expr(parts[i].0) {
                self.operators(parts[i].0, out);
                let later = parts[i + 1..].iter().map(|(e, _)| &**e);
                let later = later.filter(|e| has_points_expr(e));
                let words = identifiers(&later.map(ToTokens::to_token_stream).collect());
                if parts[i].1 == Used::Value {
                    self.mentioned(parts[i].0, &words, out);
                }
                let first = before.is_nothing() && parts[i].1 != Used::Place;
                if only_looks(parts[i].0, parts[i].1) || first && only_calls(parts[i].0) {
                    *parts[i].0 = self.hoist_whole(parts[i].0, out);
                }
                if parts[i].1 == Used::Borrowed && is_named(parts[i].0) {
                    continue;
                }
            }
            self.operand(parts[i].0, out, before);
        }
    }

    /// Locals and fields, used by value, of which others speak get names.
    fn mentioned(&mut self, e: &mut Expr, words: &BTreeSet<String>, out: &mut Vec<Stmt>) {
        let mut all = |list: &mut Punctuated<Expr, syn::Token![,]>| {
            list.iter_mut().for_each(|x| self.mentioned(x, words, out));
        };
        match e {
            Expr::Tuple(t) => all(&mut t.elems),
            Expr::Array(a) => all(&mut a.elems),
            Expr::Call(c) if is_constructor(&c.func) => all(&mut c.args),
            e if is_mentioned(e, words) => *e = self.hoist_whole(e, out),
            _ => {}
        }
    }

    /// What operators in an expression without points give gets names.
    fn operators(&mut self, e: &mut Expr, out: &mut Vec<Stmt>) {
        match e {
            Expr::Paren(p) => self.operators(&mut p.expr, out),
            Expr::Group(p) => self.operators(&mut p.expr, out),
            Expr::Cast(c) => self.operators(&mut c.expr, out),
            Expr::Reference(r) if r.mutability.is_none() => self.operators(&mut r.expr, out),
            Expr::Tuple(t) => t.elems.iter_mut().for_each(|x| self.operators(x, out)),
            Expr::Array(a) => a.elems.iter_mut().for_each(|x| self.operators(x, out)),
            Expr::Call(c) if is_constructor(&c.func) => {
                c.args.iter_mut().for_each(|x| self.operators(x, out));
            }
            Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => {}
            Expr::Unary(u) if matches!(&*u.expr, Expr::Lit(_)) => {}
            Expr::Binary(_) | Expr::Unary(_) => {
                let mut inside = Before::default();
                note(e, &mut inside);
                if inside.impure.is_none() {
                    *e = self.hoist_whole(e, out);
                }
            }
            _ => {}
        }
    }

    /// An expression that is part of a larger one.
    fn operand(&mut self, e: &mut Expr, out: &mut Vec<Stmt>, before: &mut Before) {
        if !has_points_expr(e) {
            note(e, before);
            return;
        }
        if is_marked(e) || is_structure(e) {
            let names = identifiers(&e.to_token_stream());
            let clash = before.names.iter().any(|n| names.contains(n));
            if before.impure.is_some() || clash {
                self.errors.push(syn::Error::new_spanned(
                    &*e,
                    "what stands in front of this call is evaluated first, and would have to be kept: bind the call's value with `let` before",
                ));
            }
            if is_marked(e) {
                self.call(e, out, &mut Before::default());
            } else {
                self.structure(e, out);
            }
            *e = self.hoist_whole(e, out);
            return;
        }
        match e {
            Expr::Paren(p) => self.operand(&mut p.expr, out, before),
            Expr::Group(g) => self.operand(&mut g.expr, out, before),
            Expr::Unary(u) => self.operand(&mut u.expr, out, before),
            Expr::Cast(c) => self.operand(&mut c.expr, out, before),
            Expr::Field(f) => self.operand(&mut f.base, out, before),
            Expr::Reference(r) => {
                self.operand(&mut r.expr, out, before);
                if r.mutability.is_some() {
                    changed(&r.expr, out);
                }
            }
            Expr::Try(t) => self.operand(&mut t.expr, out, before),
            Expr::Index(i) => {
                let parts = [(&mut *i.expr, Used::Place), (&mut *i.index, Used::Value)];
                self.operands(parts.into_iter(), out, before);
            }
            Expr::Binary(b) if matches!(b.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) => {
                let (left, right) = (&b.left, &b.right);
                let mut whole: Expr = match b.op {
                    syn::BinOp::And(_) => parse_quote!(if #left { #right } else { false }),
                    _ => parse_quote!(if #left { true } else { #right }),
                };
                self.operand(&mut whole, out, before);
                *e = whole;
            }
            Expr::Binary(b) => {
                use syn::BinOp as B;
                let used = match b.op {
                    B::Eq(_) | B::Ne(_) | B::Lt(_) | B::Le(_) | B::Gt(_) | B::Ge(_) => {
                        Used::Compared
                    }
                    _ => Used::Value,
                };
                let parts = [(&mut *b.left, used), (&mut *b.right, used)];
                self.operands(parts.into_iter(), out, before);
            }
            Expr::Tuple(t) => self.operands(t.elems.iter_mut().map(value), out, before),
            Expr::Array(t) => self.operands(t.elems.iter_mut().map(value), out, before),
            Expr::Struct(s) => {
                let fields = s.fields.iter_mut().map(|f| value(&mut f.expr));
                let rest = s.rest.as_deref_mut().map(|e| (e, Used::Place));
                self.operands(fields.chain(rest), out, before);
            }
            Expr::Call(c) => {
                note(&c.func, before);
                self.operands(c.args.iter_mut().map(value), out, before);
                before.impure.get_or_insert(c.func.span());
            }
            Expr::MethodCall(c) => {
                let receiver = std::iter::once((&mut *c.receiver, Used::Place));
                let parts = receiver.chain(c.args.iter_mut().map(value));
                self.operands(parts, out, before);
                if !methods::looks(&c.method.to_string()) {
                    changed(&c.receiver, out);
                }
                before.impure.get_or_insert(c.method.span());
            }
            Expr::Range(r) => {
                let parts = [&mut r.start, &mut r.end].into_iter().flatten();
                self.operands(parts.map(|e| value(e)), out, before);
            }
            Expr::Macro(m) => self.macro_operands(m, out, before),
            other => self.errors.push(syn::Error::new_spanned(
                other,
                "a marked call cannot be part of this expression: bind its value with `let` before",
            )),
        }
    }

    fn macro_operands(&mut self, m: &mut syn::ExprMacro, out: &mut Vec<Stmt>, before: &mut Before) {
        let span = m.mac.path.span();
        let tokens: TokenStream = match marks::arguments(&m.mac) {
            Some(Arguments::Listed(mut list)) => {
                let used = match marks::borrows(&m.mac) {
                    true => Used::Borrowed,
                    false => Used::Place,
                };
                let parts = list.iter_mut().map(|e| match e {
                    // `name = value`
                    Expr::Assign(a) => (&mut *a.right, used),
                    e => (e, used),
                });
                self.operands(parts, out, before);
                quote!(#list)
            }
            Some(Arguments::Repeated(mut item, n)) => {
                self.operand(&mut item, out, before);
                quote_spanned!(span=> #item; #n)
            }
            None => return,
        };
        m.mac.tokens = tokens;
        before.impure.get_or_insert(span);
    }
}

/// The value of a marked call may change: what it is named by, if that has just been declared, becomes `mut`.
fn changed(place: &Expr, declared: &mut [Stmt]) {
    match place {
        Expr::Paren(p) => changed(&p.expr, declared),
        Expr::Group(p) => changed(&p.expr, declared),
        Expr::Field(f) => changed(&f.base, declared),
        Expr::Index(i) => changed(&i.expr, declared),
        Expr::Path(p) => {
            for stmt in declared {
                if let Stmt::Local(l) = stmt {
                    if let Pat::Ident(name) = &mut l.pat {
                        if p.path.is_ident(&name.ident) {
                            name.mutability = Some(Default::default());
                        }
                    }
                }
            }
        }
        _ => {}
    }
}

/// `else { break; }`
fn is_break(e: &Expr) -> bool {
    let Expr::Block(b) = e else { return false };
    matches!(&b.block.stmts[..], [Stmt::Expr(Expr::Break(b), _)] if b.expr.is_none())
}

/// `if let PAT = a && b { … }` as `if let PAT = a { if b { … } }`.
fn nest(i: &mut syn::ExprIf) {
    while is_chain(&i.cond) {
        let Expr::Binary(b) = &*i.cond else { return };
        let (first, last, body) = (b.left.clone(), &b.right, &i.then_branch);
        i.then_branch = parse_quote!({ if #last #body });
        i.cond = first;
    }
}

/// `let PAT = a && b`
pub(crate) fn is_chain(e: &Expr) -> bool {
    match e {
        Expr::Binary(b) if matches!(b.op, syn::BinOp::And(_)) => [&b.left, &b.right]
            .into_iter()
            .any(|e| matches!(&**e, Expr::Let(_)) || is_chain(e)),
        _ => false,
    }
}

/// What has been put in front of a statement ends with it.
fn enclose(stmt: &mut Stmt, front: &mut Vec<Stmt>) {
    match stmt {
        // What a `let` borrows lives as long as its names.
        Stmt::Local(l) => {
            if let Some(init) = l.init.as_mut().filter(|i| !borrows(&i.expr)) {
                let e = &init.expr;
                *init.expr = parse_quote!({ #(#front)* #e });
                front.clear();
            }
        }
        Stmt::Expr(e, semi) => {
            *e = parse_quote!({ #(#front)* #e #semi });
            *semi = None;
            front.clear();
        }
        Stmt::Macro(m) => {
            let (mac, semi) = (&m.mac, &m.semi_token);
            *stmt = Stmt::Expr(parse_quote!({ #(#front)* #mac #semi }), None);
            front.clear();
        }
        Stmt::Item(_) => {}
    }
}

fn borrows(e: &Expr) -> bool {
    match e {
        Expr::Reference(_) => true,
        Expr::Paren(p) => borrows(&p.expr),
        Expr::Group(p) => borrows(&p.expr),
        Expr::Tuple(t) => t.elems.iter().any(borrows),
        Expr::Struct(s) => s.fields.iter().any(|f| borrows(&f.expr)),
        _ => false,
    }
}

/// Compound assignments.
pub(crate) fn is_assignment(op: &syn::BinOp) -> bool {
    use syn::BinOp as B;
    matches!(
        op,
        B::AddAssign(_)
            | B::SubAssign(_)
            | B::MulAssign(_)
            | B::DivAssign(_)
            | B::RemAssign(_)
            | B::BitXorAssign(_)
            | B::BitAndAssign(_)
            | B::BitOrAssign(_)
            | B::ShlAssign(_)
            | B::ShrAssign(_)
    )
}
