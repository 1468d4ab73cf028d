//! Closures of a loop's iterator, which become the first statements of its body: they are called once for each item, and
//! what they and the adaptors around them know is in locals.
//!
//! ```text
//! for x in v.iter().filter(f).map(|y| y.n).take(n) { … }
//!
//! {
//!     let mut pc3_left = n;
//!     for pc3_item in v.iter() {
//!         if pc3_left == 0 { break; }
//!         if !passes(&pc3_item, f) { continue; }
//!         let pc3_item = mapped(pc3_item, |y| y.n);
//!         pc3_left -= 1;
//!         let x = pc3_item;
//!         …
//!     }
//! }
//! ```

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Ident, Span, TokenTree};
use quote::{format_ident, ToTokens};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Block, Expr, ExprForLoop, ExprMethodCall, Lifetime, Pat, Stmt};

use crate::again::{is_source, iterates, walks};
use crate::flow::identifiers;
use crate::marks;

/// How names of a loop's items begin that have not come to the user's pattern yet.
const ITEM: &str = "pc3_item";

/// Is it a `let` of an item, or a part of one?
pub fn of_item(local: &syn::Local) -> bool {
    let Some(init) = &local.init else {
        return false;
    };
    let item = |i: &Ident| i.to_string().starts_with(ITEM);
    let from = match &*init.expr {
        Expr::Path(p) => p.path.get_ident(),
        _ => None,
    };
    let to = matches!(&local.pat, Pat::Ident(p) if item(&p.ident));
    let marked = local.attrs.iter().any(|a| a.path().is_ident("pc3_item"));
    from.is_some_and(|from| to || marked || item(from))
}

/// Folds the loops with points of a function.
pub fn loops(block: &mut Block) {
    Loops::default().visit_block_mut(block);
}

#[derive(Default)]
struct Loops {
    names: usize,
}

impl VisitMut for Loops {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        if let Expr::ForLoop(f) = e {
            if marks::block_has_points(&f.body) {
                if let Some(folded) = self.folded(f) {
                    *e = folded;
                }
            }
        }
        visit_mut::visit_expr_mut(self, e);
    }
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}
}

/// An adaptor behind the first one that calls a closure, or such a one.
enum Step {
    Map(Expr),
    Filter(Expr),
    FilterMap(Expr),
    FlatMap(Expr),
    Flatten,
    Inspect(Expr),
    MapWhile(Expr),
    Scan(Expr, Expr),
    SkipWhile(Expr),
    TakeWhile(Expr),
    /// `cloned`, `copied`
    Cloned(Ident),
    Enumerate,
    Skip(Expr),
    StepBy(Expr),
    Take(Expr),
    Rev(Span),
    Nothing,
}

impl Step {
    fn of(m: &ExprMethodCall) -> Option<Step> {
        let mut args = m.args.iter().cloned();
        let (first, second, more) = (args.next(), args.next(), args.next());
        if more.is_some() || m.turbofish.is_some() {
            return None;
        }
        Some(match (m.method.to_string().as_str(), first, second) {
            ("map", Some(f), None) => Step::Map(f),
            ("filter", Some(f), None) => Step::Filter(f),
            ("filter_map", Some(f), None) => Step::FilterMap(f),
            ("flat_map", Some(f), None) => Step::FlatMap(f),
            ("flatten", None, None) => Step::Flatten,
            ("inspect", Some(f), None) => Step::Inspect(f),
            ("map_while", Some(f), None) => Step::MapWhile(f),
            ("scan", Some(state), Some(f)) if is_simple(&state) => Step::Scan(state, f),
            ("skip_while", Some(f), None) => Step::SkipWhile(f),
            ("take_while", Some(f), None) => Step::TakeWhile(f),
            ("cloned" | "copied", None, None) => Step::Cloned(m.method.clone()),
            ("enumerate", None, None) => Step::Enumerate,
            ("skip", Some(n), None) if is_simple(&n) => Step::Skip(n),
            ("step_by", Some(n), None) if is_simple(&n) => Step::StepBy(n),
            ("take", Some(n), None) if is_simple(&n) => Step::Take(n),
            ("rev", None, None) => Step::Rev(m.method.span()),
            ("fuse" | "into_iter" | "peekable", None, None) => Step::Nothing,
            _ => return None,
        })
    }

    /// Does it call code of the program's?
    fn calls(&self) -> bool {
        match self {
            Step::Map(_) | Step::Filter(_) | Step::FilterMap(_) | Step::FlatMap(_) => true,
            Step::Inspect(_) | Step::MapWhile(_) | Step::Scan(..) => true,
            Step::SkipWhile(_) | Step::TakeWhile(_) => true,
            Step::Cloned(method) => method == "cloned",
            Step::Flatten | Step::Enumerate | Step::Skip(_) | Step::StepBy(_) => false,
            Step::Take(_) | Step::Rev(_) | Step::Nothing => false,
        }
    }

    /// Is it the same whether the items come from the front or from behind?
    fn turns(&self) -> bool {
        matches!(
            self,
            Step::Map(_) | Step::Filter(_) | Step::FilterMap(_) | Step::Inspect(_) | Step::Cloned(_)
        )
    }
}

/// It does nothing but give a value.
fn is_simple(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Paren(p) => is_simple(&p.expr),
        Expr::Group(p) => is_simple(&p.expr),
        Expr::Field(f) => is_simple(&f.base),
        Expr::Cast(c) => is_simple(&c.expr),
        Expr::Unary(u) => is_simple(&u.expr),
        Expr::Binary(b) => is_simple(&b.left) && is_simple(&b.right),
        Expr::Tuple(t) => t.elems.iter().all(is_simple),
        Expr::MethodCall(m) => m.method == "len" && m.args.is_empty() && is_simple(&m.receiver),
        _ => false,
    }
}

/// What calls no closure, and the adaptors behind that, the first of which does.
fn taken_apart(e: &Expr) -> Option<(Expr, Vec<Step>)> {
    let mut links: Vec<&ExprMethodCall> = Vec::new();
    let mut at = e;
    loop {
        at = match at {
            Expr::Paren(p) => &p.expr,
            Expr::Group(g) => &g.expr,
            Expr::MethodCall(m) => {
                links.push(m);
                &m.receiver
            }
            _ => break,
        };
    }
    links.reverse();
    let calls = |m: &&ExprMethodCall| Step::of(m).is_some_and(|s| s.calls());
    let first = links.iter().position(calls)?;
    let mut base = (*links[first].receiver).clone();
    while let Expr::Paren(syn::ExprParen { expr, .. }) | Expr::Group(syn::ExprGroup { expr, .. }) = base {
        base = *expr;
    }
    if !is_lazy(&base) || has_closure(&base) {
        return None;
    }
    let steps: Option<Vec<Step>> = links[first..].iter().map(|m| Step::of(m)).collect();
    let mut steps = steps?;
    while let Some(at) = steps.iter().position(|s| matches!(s, Step::Rev(_))) {
        let Step::Rev(span) = steps.remove(at) else {
            return None;
        };
        if !steps[..at].iter().all(Step::turns) {
            return None;
        }
        let rev = Ident::new("rev", span);
        base = match base {
            Expr::Range(_) => parse_quote!((#base).#rev()),
            base => parse_quote!(#base.#rev()),
        };
    }
    // One more item would be taken from what is not made again.
    let limits = |s: &Step| matches!(s, Step::Take(_) | Step::FlatMap(_) | Step::Flatten);
    if steps.iter().any(limits) && !is_walk(&base) {
        return None;
    }
    Some((base, steps))
}

fn has_closure(e: &Expr) -> bool {
    struct Look(bool);
    impl<'ast> Visit<'ast> for Look {
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {
            self.0 = true;
        }
    }
    let mut look = Look(false);
    look.visit_expr(e);
    look.0
}

/// Over a borrow, or over numbers.
fn is_walk(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_walk(&p.expr),
        Expr::Range(_) => true,
        e => walks(e),
    }
}

/// Surely an iterator, whose closures are called when their items are asked for.
fn is_lazy(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_lazy(&p.expr),
        Expr::Group(g) => is_lazy(&g.expr),
        Expr::Range(_) => true,
        Expr::Call(c) => is_source(&c.func),
        Expr::MethodCall(m) => {
            let own = ["drain", "into_iter", "into_keys", "into_values"];
            iterates(&m.method)
                || own.iter().any(|n| m.method == n)
                || Step::of(m).is_some_and(|s| !matches!(s, Step::Nothing)) && is_lazy(&m.receiver)
                || ["copied", "chain", "zip", "fuse"].iter().any(|n| m.method == n)
                    && is_lazy(&m.receiver)
        }
        _ => false,
    }
}

/// Names that a piece of code binds.
fn bound(mut visit: impl FnMut(&mut Bound)) -> BTreeSet<String> {
    let mut look = Bound(BTreeSet::new());
    visit(&mut look);
    look.0
}

struct Bound(BTreeSet<String>);

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.0.insert(p.ident.to_string());
        visit::visit_pat_ident(self, p);
    }
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
}

/// Does it leave the closure, or come from one that takes what it needs?
fn stays_within(c: &syn::ExprClosure) -> bool {
    struct Look(bool);
    impl<'ast> Visit<'ast> for Look {
        fn visit_expr_return(&mut self, _: &'ast syn::ExprReturn) {
            self.0 = false;
        }
        fn visit_expr_try(&mut self, _: &'ast syn::ExprTry) {
            self.0 = false;
        }
        fn visit_macro(&mut self, m: &'ast syn::Macro) {
            self.0 &= marks::arguments(m).is_some() && !m.tokens.to_string().contains("return");
        }
    }
    let mut look = Look(c.capture.is_none() && c.asyncness.is_none());
    look.visit_expr(&c.body);
    look.0
}

/// What an item is at a step.
#[derive(Clone)]
enum Now {
    /// It has this name.
    Named(Ident),
    /// It is a tuple of these.
    Parts(Vec<Ident>),
}

impl Now {
    fn expr(&self) -> Expr {
        match self {
            Now::Named(name) => parse_quote!(#name),
            Now::Parts(names) => parse_quote!((#(#names),*)),
        }
    }
}

/// A loop's body as it is written.
struct Body {
    /// In front of the loop.
    outside: Vec<Stmt>,
    pat: Option<Pat>,
    stmts: Vec<Stmt>,
    /// How the loop is left.
    leave: Stmt,
    now: Now,
    /// Items are borrows, or numbers: their ends are not seen.
    quiet: bool,
}

impl Loops {
    fn name(&mut self, what: &str) -> Ident {
        self.names += 1;
        format_ident!("{}_{}", what, self.names)
    }

    fn folded(&mut self, f: &ExprForLoop) -> Option<Expr> {
        let (base, steps) = taken_apart(&f.expr)?;
        let item = self.name(ITEM);
        let mut body = Body {
            outside: Vec::new(),
            pat: None,
            stmts: Vec::new(),
            leave: parse_quote!(break;),
            now: Now::Named(item.clone()),
            quiet: is_walk(&base),
        };
        let mut f = f.clone();
        f.expr = Box::new(base);
        let limits = steps.iter().filter(|s| matches!(s, Step::Take(_))).count();
        let left: Vec<Ident> = (0..limits).map(|_| self.name("pc3_left")).collect();
        let nests = |s: &Step| matches!(s, Step::FlatMap(_) | Step::Flatten);
        if limits > 0 && steps.iter().any(nests) {
            return None;
        }
        for name in &left {
            body.stmts.push(parse_quote!(if #name == 0 { break; }));
        }
        let mut left = left.into_iter();
        let mut steps = steps.into_iter();
        while let Some(step) = steps.next() {
            let rest: Vec<Step> = match step {
                Step::FlatMap(_) | Step::Flatten => steps.collect(),
                ref step => {
                    self.step(step, &mut body, &mut left, &f, steps.as_slice())?;
                    continue;
                }
            };
            self.nested(step, rest, &mut body, &mut f)?;
            return Some(finish(body, f, item));
        }
        self.arrive(&mut body, f.pat.as_ref());
        body.stmts.append(&mut f.body.stmts);
        f.body.stmts = std::mem::take(&mut body.stmts);
        Some(finish(body, f, item))
    }

    /// The user's pattern, in the place of the last names if these have just been given.
    fn arrive(&mut self, body: &mut Body, pat: &Pat) {
        let (names, pats): (Vec<Ident>, Vec<&Pat>) = match (&body.now, pat) {
            (Now::Named(name), pat) => (vec![name.clone()], vec![pat]),
            (Now::Parts(names), Pat::Tuple(t)) if t.elems.len() == names.len() => {
                (names.clone(), t.elems.iter().collect())
            }
            (now, pat) => {
                let e = now.expr();
                return body.stmts.push(parse_quote!(let #pat = #e;));
            }
        };
        let first = body.stmts.len().saturating_sub(names.len());
        let given = body.stmts[first..].iter().zip(&names);
        let all = given.len() == names.len() && given.clone().all(|(s, n)| gives(s, n));
        if all && apart(&body.stmts[first..], &pats) {
            for (s, pat) in body.stmts[first..].iter_mut().zip(pats) {
                if let Some(place) = place_of(s) {
                    *place = pat.clone();
                }
                if let Stmt::Local(l) = s {
                    l.attrs.push(parse_quote!(#[pc3_item]));
                }
            }
            return;
        }
        let lets = names.iter().zip(pats);
        let lets = lets.map(|(name, pat)| parse_quote!(let #pat = #name;));
        body.stmts.extend(lets);
    }

    /// The item by one name.
    fn named(&mut self, body: &mut Body) -> Ident {
        match &body.now {
            Now::Named(name) => name.clone(),
            now => {
                let (name, e) = (self.name(ITEM), now.expr());
                body.stmts.push(parse_quote!(let #name = #e;));
                body.now = Now::Named(name.clone());
                name
            }
        }
    }

    fn step(
        &mut self,
        step: &Step,
        body: &mut Body,
        left: &mut impl Iterator<Item = Ident>,
        f: &ExprForLoop,
        behind: &[Step],
    ) -> Option<()> {
        let leave = body.leave.clone();
        match step {
            Step::Map(by) => {
                let next = self.name(ITEM);
                let parts = self.parts(by);
                let bind = |e: &Expr| match (e, &parts) {
                    (Expr::Tuple(t), Some(names)) => {
                        let parts = names.iter().zip(&t.elems);
                        parts.map(|(name, e)| parse_quote!(let #name = #e;)).collect()
                    }
                    _ => vec![parse_quote!(let #next = #e;)],
                };
                if self.inline(by, body, f, behind, bind) {
                    if let Some(names) = parts {
                        body.now = Now::Parts(names);
                        return Some(());
                    }
                } else {
                    let now = body.now.expr();
                    body.stmts
                        .push(parse_quote!(let #next = ::pc3::point::mapped(#now, #by);));
                }
                body.now = Now::Named(next);
            }
            Step::FilterMap(by) | Step::MapWhile(by) => {
                let next = self.name(ITEM);
                let other: Stmt = match step {
                    Step::MapWhile(_) => leave,
                    _ => parse_quote!(continue;),
                };
                let bind = |e: &Expr| found(e, &next, &other);
                if !self.inline(by, body, f, behind, bind) {
                    let now = body.now.expr();
                    body.stmts.push(parse_quote! {
                        let ::core::option::Option::Some(#next) = ::pc3::point::mapped(#now, #by) else { #other };
                    });
                }
                body.now = Now::Named(next);
            }
            Step::Filter(by) => {
                let now = self.named(body);
                body.stmts
                    .push(parse_quote!(if !::pc3::point::passes(&#now, #by) { continue; }));
            }
            Step::TakeWhile(by) => {
                let now = self.named(body);
                body.stmts
                    .push(parse_quote!(if !::pc3::point::passes(&#now, #by) { #leave }));
            }
            Step::SkipWhile(by) => {
                let (now, skips) = (self.named(body), self.name("pc3_skips"));
                body.outside.push(parse_quote!(let mut #skips = true;));
                body.stmts.push(parse_quote! {
                    if #skips {
                        if ::pc3::point::passes(&#now, #by) { continue; }
                        #skips = false;
                    }
                });
            }
            Step::Inspect(by) => {
                let now = self.named(body);
                body.stmts
                    .push(parse_quote!(::pc3::point::looked(&#now, #by);));
            }
            Step::Scan(first, by) => {
                let (now, state, next) =
                    (body.now.expr(), self.name("pc3_state"), self.name(ITEM));
                body.outside.push(parse_quote!(let mut #state = #first;));
                body.stmts.push(parse_quote! {
                    let ::core::option::Option::Some(#next) = ::pc3::point::scanned(&mut #state, #now, #by) else { #leave };
                });
                body.now = Now::Named(next);
            }
            Step::Cloned(method) => {
                let (now, next) = (self.named(body), self.name(ITEM));
                let span = method.span().resolved_at(Span::call_site());
                let cloned = format_ident!("pc3_{}", method, span = span);
                body.stmts.push(parse_quote!(let #next = #now.#cloned();));
                (body.now, body.quiet) = (Now::Named(next), false);
            }
            Step::Enumerate => {
                let (now, n, number) = (self.named(body), self.name("pc3_n"), self.name(ITEM));
                body.outside.push(parse_quote!(let mut #n = 0usize;));
                body.stmts.push(parse_quote!(let #number = #n;));
                body.stmts.push(parse_quote!(#n += 1;));
                body.now = Now::Parts(vec![number, now]);
            }
            Step::Skip(by) => {
                let skip = self.name("pc3_skip");
                body.outside.push(parse_quote!(let mut #skip: usize = #by;));
                body.stmts
                    .push(parse_quote!(if #skip > 0 { #skip -= 1; continue; }));
            }
            Step::StepBy(by) => {
                let (step, skip) = (self.name("pc3_step"), self.name("pc3_skip"));
                body.outside.push(parse_quote!(let #step: usize = #by;));
                body.outside
                    .push(parse_quote!(::core::assert!(#step != 0);));
                body.outside.push(parse_quote!(let mut #skip = 0usize;));
                body.stmts
                    .push(parse_quote!(if #skip > 0 { #skip -= 1; continue; }));
                body.stmts.push(parse_quote!(#skip = #step - 1;));
            }
            Step::Take(by) => {
                let name = left.next()?;
                body.outside.push(parse_quote!(let mut #name: usize = #by;));
                body.stmts.push(parse_quote!(#name -= 1;));
            }
            Step::Nothing => {}
            Step::Rev(_) | Step::FlatMap(_) | Step::Flatten => return None,
        }
        Some(())
    }

    /// Names for the parts of what a closure gives, if that is a tuple.
    fn parts(&mut self, by: &Expr) -> Option<Vec<Ident>> {
        let Expr::Closure(c) = by else { return None };
        let mut value = &*c.body;
        while let Expr::Block(b) = value {
            let Some(Stmt::Expr(last, None)) = b.block.stmts.last() else {
                return None;
            };
            value = last;
        }
        match value {
            Expr::Tuple(t) if t.elems.len() > 1 => {
                Some(t.elems.iter().map(|_| self.name(ITEM)).collect())
            }
            _ => None,
        }
    }

    /// A closure whose body stands in the loop's, as long as no names get in its way: what it gives may be a borrow, which
    /// is made again as any other is.
    fn inline(
        &mut self,
        by: &Expr,
        body: &mut Body,
        f: &ExprForLoop,
        behind: &[Step],
        bind: impl Fn(&Expr) -> Vec<Stmt>,
    ) -> bool {
        let Expr::Closure(c) = by else { return false };
        let (Some(pat), 1) = (c.inputs.first(), c.inputs.len()) else {
            return false;
        };
        let gives_borrow = matches!(&*c.body, Expr::Reference(_));
        if !stays_within(c) || !(body.quiet || gives_borrow) {
            return false;
        }
        let names = bound(|look| {
            look.visit_pat(pat);
            look.visit_expr(&c.body);
        });
        let mut seen = identifiers(&f.body.to_token_stream());
        let shadowed = bound(|look| look.visit_pat(&f.pat));
        seen.retain(|n| !shadowed.contains(n));
        seen.extend(behind.iter().flat_map(free));
        if !names.is_disjoint(&seen) {
            return false;
        }
        match (&body.now, body.pat.is_none() && body.stmts.is_empty()) {
            (Now::Named(_), true) => body.pat = Some(pat.clone()),
            (now, _) => {
                let e = now.expr();
                body.stmts.push(parse_quote!(let #pat = #e;));
            }
        }
        let mut value = &*c.body;
        while let Expr::Block(b) = value {
            let Some((Stmt::Expr(last, None), others)) = b.block.stmts.split_last() else {
                break;
            };
            if b.label.is_some() || !b.attrs.is_empty() {
                break;
            }
            body.stmts.extend(others.iter().cloned());
            value = last;
        }
        body.stmts.extend(bind(value));
        body.quiet &= gives_borrow;
        true
    }

    /// `flat_map`, and what is behind it: a loop in the loop.
    fn nested(
        &mut self,
        step: Step,
        rest: Vec<Step>,
        body: &mut Body,
        f: &mut ExprForLoop,
    ) -> Option<()> {
        // What the body's macros leave is not known.
        if leaves_in_macros(&f.body) {
            return None;
        }
        let outer = Lifetime::new(&format!("'{}", self.name("pc3_flat")), Span::call_site());
        let inner = f.label.as_ref().map(|l| {
            let name = Lifetime::new(&format!("'{}", self.name("pc3_in")), Span::call_site());
            (l.name.clone(), name)
        });
        let outer = match &f.label {
            Some(l) => l.name.clone(),
            None => outer,
        };
        let mut over: Expr = body.now.expr();
        if let Step::FlatMap(by) = &step {
            let mut found = None;
            let next = self.name(ITEM);
            let inlined = self.inline(by, body, f, &rest, |e| vec![parse_quote!(let #next = #e;)]);
            if inlined {
                // It stands in the inner loop's head.
                if let Some(Stmt::Local(l)) = body.stmts.pop() {
                    found = l.init.map(|i| *i.expr);
                }
            }
            over = match found {
                Some(e) => e,
                None => parse_quote!(::pc3::point::mapped(#over, #by)),
            };
        }
        let mut block = f.body.clone();
        Leaves {
            outer: outer.clone(),
            inner: inner.clone(),
            depth: 0,
        }
        .visit_block_mut(&mut block);
        let item = self.name(ITEM);
        let mut within = Body {
            outside: Vec::new(),
            pat: None,
            stmts: Vec::new(),
            leave: parse_quote!(break #outer;),
            now: Now::Named(item.clone()),
            quiet: body.quiet,
        };
        let behind = ExprForLoop {
            body: block.clone(),
            ..f.clone()
        };
        let mut rest = rest.into_iter();
        while let Some(step) = rest.next() {
            self.step(&step, &mut within, &mut std::iter::empty(), &behind, rest.as_slice())?;
        }
        let plain = within.stmts.is_empty() && within.pat.is_none();
        let pat: Pat = match (plain, within.pat.take()) {
            (true, _) => (*f.pat).clone(),
            (false, Some(pat)) => pat,
            (false, None) => parse_quote!(#item),
        };
        if !plain {
            self.arrive(&mut within, f.pat.as_ref());
        }
        within.stmts.append(&mut block.stmts);
        let stmts = within.stmts;
        body.outside.append(&mut within.outside);
        let label = inner.map(|(_, name)| syn::Label {
            name,
            colon_token: Default::default(),
        });
        let inner: Expr = parse_quote!(#label for #pat in #over { #(#stmts)* });
        body.stmts.push(Stmt::Expr(inner, None));
        f.label = Some(syn::Label {
            name: outer,
            colon_token: Default::default(),
        });
        f.body.stmts = std::mem::take(&mut body.stmts);
        Some(())
    }
}

/// `let Some(next) = e else { other };`: of what shows as a choice between `Some` and `None`, such that a borrow does, too.
fn found(e: &Expr, next: &Ident, other: &Stmt) -> Vec<Stmt> {
    match e {
        Expr::Paren(p) => return found(&p.expr, next, other),
        Expr::If(i) if !matches!(*i.cond, Expr::Let(_)) => {
            let then = only(&i.then_branch).and_then(some);
            let none = i.else_branch.as_ref().is_some_and(|(_, e)| is_none(e));
            if let (Some(value), true) = (then, none) {
                let cond = &i.cond;
                return vec![
                    parse_quote!(if !(#cond) { #other }),
                    parse_quote!(let #next = #value;),
                ];
            }
        }
        Expr::Match(m) if m.arms.len() == 2 && m.arms.iter().all(|a| a.guard.is_none()) => {
            if let (Some(value), true) = (some(&m.arms[0].body), is_none(&m.arms[1].body)) {
                let (pat, of) = (&m.arms[0].pat, &m.expr);
                return vec![
                    parse_quote!(let #pat = #of else { #other };),
                    parse_quote!(let #next = #value;),
                ];
            }
        }
        Expr::MethodCall(m) if m.method == "then_some" && m.args.len() == 1 => {
            let (cond, value) = (&m.receiver, &m.args[0]);
            if is_simple(value) {
                return vec![
                    parse_quote!(if !(#cond) { #other }),
                    parse_quote!(let #next = #value;),
                ];
            }
        }
        _ => {}
    }
    // A `}` may not stand in front of `else`.
    let ends = e.to_token_stream().into_iter().last();
    let braced = matches!(ends, Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Brace);
    let e = match braced {
        true => parse_quote!((#e)),
        false => e.clone(),
    };
    vec![parse_quote!(let ::core::option::Option::Some(#next) = #e else { #other };)]
}

/// Where a `let` has its one name: `let x = …`, `let Some(x) = … else { … }`.
fn place_of(s: &mut Stmt) -> Option<&mut Pat> {
    let Stmt::Local(l) = s else { return None };
    let tests = l.init.as_ref()?.diverge.is_some();
    match (&mut l.pat, tests) {
        (Pat::TupleStruct(t), true) => t.elems.first_mut(),
        (_, true) => None,
        (p, false) => Some(p),
    }
}

fn gives(s: &Stmt, name: &Ident) -> bool {
    let mut s = s.clone();
    matches!(place_of(&mut s), Some(Pat::Ident(p)) if p.ident == *name)
}

/// Does none of these values mention a name of the patterns in front of it?
fn apart(lets: &[Stmt], pats: &[&Pat]) -> bool {
    let mut names = BTreeSet::new();
    lets.iter().zip(pats).all(|(s, pat)| {
        let words = match s {
            Stmt::Local(l) => identifiers(&l.init.as_ref().map(|i| &i.expr).to_token_stream()),
            _ => BTreeSet::new(),
        };
        let free = words.is_disjoint(&names);
        names.extend(bound(|look| look.visit_pat(pat)));
        free
    })
}

/// What a block gives that does nothing else.
fn only(b: &Block) -> Option<&Expr> {
    match &b.stmts[..] {
        [Stmt::Expr(e, None)] => Some(e),
        _ => None,
    }
}

/// `x` in `Some(x)`
fn some(e: &Expr) -> Option<&Expr> {
    match e {
        Expr::Block(b) if b.label.is_none() => only(&b.block).and_then(some),
        Expr::Call(c) if c.args.len() == 1 => match &*c.func {
            Expr::Path(p) if p.path.is_ident("Some") => c.args.first(),
            _ => None,
        },
        _ => None,
    }
}

fn is_none(e: &Expr) -> bool {
    match e {
        Expr::Block(b) if b.label.is_none() => only(&b.block).is_some_and(is_none),
        Expr::Path(p) => p.path.is_ident("None"),
        _ => false,
    }
}

/// Words of a step that may be locals from outside.
fn free(step: &Step) -> BTreeSet<String> {
    let of = |e: &Expr| {
        let mut words = identifiers(&e.to_token_stream());
        if let Expr::Closure(c) = e {
            let own = bound(|look| c.inputs.iter().for_each(|p| look.visit_pat(p)));
            words.retain(|w| !own.contains(w));
        }
        words
    };
    match step {
        Step::Map(e) | Step::Filter(e) | Step::FilterMap(e) | Step::FlatMap(e) => of(e),
        Step::Inspect(e) | Step::MapWhile(e) | Step::Scan(_, e) => of(e),
        Step::SkipWhile(e) | Step::TakeWhile(e) => of(e),
        _ => BTreeSet::new(),
    }
}

fn finish(body: Body, mut f: ExprForLoop, item: Ident) -> Expr {
    f.pat = Box::new(body.pat.unwrap_or_else(|| parse_quote!(#item)));
    match body.outside.is_empty() {
        true => Expr::ForLoop(f),
        false => {
            let outside = body.outside;
            parse_quote!({ #(#outside)* #f })
        }
    }
}

fn leaves_in_macros(block: &Block) -> bool {
    struct Look(bool);
    impl<'ast> Visit<'ast> for Look {
        fn visit_macro(&mut self, m: &'ast syn::Macro) {
            let words = identifiers(&m.tokens);
            self.0 |= words.contains("break") || words.contains("continue");
        }
    }
    let mut look = Look(false);
    look.visit_block(block);
    look.0
}

/// A body in two loops that were one.
struct Leaves {
    outer: Lifetime,
    /// The user's label, and that of the inner loop.
    inner: Option<(Lifetime, Lifetime)>,
    /// Loops of the body's own around.
    depth: usize,
}

impl VisitMut for Leaves {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Break(b) if b.label.is_none() && self.depth == 0 => {
                b.label = Some(self.outer.clone());
            }
            Expr::Continue(c) => {
                if let (Some((own, inner)), Some(label)) = (&self.inner, &c.label) {
                    if own.ident == label.ident {
                        c.label = Some(inner.clone());
                    }
                }
            }
            Expr::Closure(_) | Expr::Async(_) => return,
            _ => {}
        }
        let loops = matches!(e, Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_));
        self.depth += usize::from(loops);
        visit_mut::visit_expr_mut(self, e);
        self.depth -= usize::from(loops);
    }
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
