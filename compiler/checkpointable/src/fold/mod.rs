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

mod lets;
mod steps;
mod words;

use crate::visit_mut::{self, VisitMut};
use proc_macro2::{Ident, Span};
use quote::{format_ident, quote_spanned};
use syn::{parse_quote, Block, Expr, ExprForLoop, Lifetime, Pat, Stmt};

use crate::marks;
use lets::{found, gives, place_of};
use steps::{is_quiet, taken_apart, Step};
use words::{apart, by_parts, has_literal, leaves_in_macros, stays_within, Leaves, Locals};

/// How names of a loop's items begin that have not come to the user's pattern yet.
const ITEM: &str = "pc3_item";

/// Is it a `let` of an item, or a part of one?
pub(crate) fn of_item(local: &syn::Local) -> bool {
    let Some(init) = &local.init else {
        return false;
    };
    let item = |i: &Ident| i.to_string().starts_with(ITEM);
    let from = match &*init.expr {
        Expr::Path(p) => p.path.get_ident(),
        _ => None,
    };
    let to = matches!(&local.pat, Pat::Ident(p) if item(&p.ident));
    let marked = is_marked(&local.attrs);
    from.is_some_and(|from| to || marked || item(from))
}

/// Does it belong to a loop that was folded?
pub(crate) fn is_marked(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|a| a.path().is_ident("pc3_item"))
}

/// Folds the loops with points of a function.
pub fn loops(block: &mut Block, sig: &syn::Signature) {
    let locals = Locals::of(block, sig);
    Loops { names: 0, locals }.visit_block_mut(block);
}

struct Loops {
    names: usize,
    locals: Locals,
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
struct LoopBody {
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
        let (base, mut steps) = taken_apart(&f.expr)?;
        let mut taken = Vec::new();
        for step in &mut steps {
            taken.extend(self.locals.lend(step.function())?);
        }
        let item = self.name(ITEM);
        let mut body = LoopBody {
            outside: Vec::new(),
            pat: None,
            stmts: Vec::new(),
            leave: parse_quote!(break;),
            now: Now::Named(item.clone()),
            quiet: is_quiet(&base),
        };
        for name in taken {
            let at = name.span().resolved_at(Span::call_site());
            let asked = quote_spanned!(at=> ::pc3::point::copied_into(&#name));
            body.outside.push(parse_quote!(if false { #asked; }));
        }
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
                    self.step(step, &mut body, &mut left)?;
                    continue;
                }
            };
            self.nested(step, rest, &mut body, &mut f)?;
            return Some(finish(body, f, item));
        }
        if !self.fields(&mut body, &mut f) {
            self.arrive(&mut body, f.pat.as_ref());
        }
        body.stmts.append(&mut f.body.stmts);
        f.body.stmts = std::mem::take(&mut body.stmts);
        Some(finish(body, f, item))
    }

    /// A name for a tuple of which the body mentions nothing but fields: these have names of their own.
    fn fields(&mut self, body: &mut LoopBody, f: &mut ExprForLoop) -> bool {
        let (Now::Parts(names), Pat::Ident(p)) = (&body.now, &*f.pat) else {
            return false;
        };
        let plain = p.by_ref.is_none() && p.mutability.is_none() && p.subpat.is_none();
        let names = names.clone();
        let own: Vec<Ident> = names.iter().map(|_| self.name(ITEM)).collect();
        if !plain || !by_parts(&mut f.body, &p.ident, &own) {
            return false;
        }
        // They end as a tuple's parts do.
        let lets = own.iter().zip(&names).rev();
        let lets = lets.map(|(own, name)| parse_quote!(let #own = #name;));
        body.stmts.extend(lets);
        true
    }

    /// The user's pattern, in the place of the last names if these have just been given.
    fn arrive(&mut self, body: &mut LoopBody, pat: &Pat) {
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
        if all {
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
    fn named(&mut self, body: &mut LoopBody) -> Ident {
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
        body: &mut LoopBody,
        left: &mut impl Iterator<Item = Ident>,
    ) -> Option<()> {
        let leave = body.leave.clone();
        match step {
            Step::Map(by) => self.map(by, body),
            Step::FilterMap(by) => self.filter_map(by, &parse_quote!(continue;), body),
            Step::MapWhile(by) => self.filter_map(by, &leave, body),
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
                let (now, state, next) = (body.now.expr(), self.name("pc3_state"), self.name(ITEM));
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
            Step::Enumerate | Step::Skip(_) | Step::Every(_) => self.counted(step, body),
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

    fn map(&mut self, by: &Expr, body: &mut LoopBody) {
        let next = self.name(ITEM);
        let parts = self.parts(by);
        let bind = |e: &Expr| match (e, &parts) {
            (Expr::Tuple(t), Some(names)) => {
                let parts = names.iter().zip(&t.elems);
                parts
                    .map(|(name, e)| parse_quote!(let #name = #e;))
                    .collect()
            }
            _ => vec![parse_quote!(let #next = #e;)],
        };
        if self.inline(by, body, bind) {
            if let Some(names) = parts {
                body.now = Now::Parts(names);
                return;
            }
        } else {
            let now = body.now.expr();
            body.stmts
                .push(parse_quote!(let #next = ::pc3::point::mapped(#now, #by);));
        }
        body.now = Now::Named(next);
    }

    /// `other`: what is done where there is no item.
    fn filter_map(&mut self, by: &Expr, other: &Stmt, body: &mut LoopBody) {
        let next = self.name(ITEM);
        let bind = |e: &Expr| found(e, &next, other);
        if !self.inline(by, body, bind) {
            let now = body.now.expr();
            body.stmts.push(parse_quote! {
                let ::core::option::Option::Some(#next) = ::pc3::point::mapped(#now, #by) else { #other };
            });
        }
        body.now = Now::Named(next);
    }

    /// Steps that count items.
    fn counted(&mut self, step: &Step, body: &mut LoopBody) {
        match step {
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
            Step::Every(by) => {
                let (step, skip) = (self.name("pc3_step"), self.name("pc3_skip"));
                body.outside.push(parse_quote!(let #step: usize = #by;));
                body.outside
                    .push(parse_quote!(::core::assert!(#step != 0);));
                body.outside.push(parse_quote!(let mut #skip = 0usize;));
                body.stmts
                    .push(parse_quote!(if #skip > 0 { #skip -= 1; continue; }));
                body.stmts.push(parse_quote!(#skip = #step - 1;));
            }
            _ => {}
        }
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

    /// A closure whose body stands in the loop's: what it gives may be a borrow, which is made again as any other is.  Each name
    /// is that of one local.
    fn inline(
        &mut self,
        by: &Expr,
        body: &mut LoopBody,
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
            if others.iter().all(|s| matches!(s, Stmt::Expr(..))) {
                body.stmts.extend(others.iter().cloned());
            } else if apart(others, last) {
                // What is declared in it ends with it.
                body.stmts.push(parse_quote!({ #(#others)* }));
            } else {
                break;
            }
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
        body: &mut LoopBody,
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
            let inlined = self.inline(by, body, |e| vec![parse_quote!(let #next = #e;)]);
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
        let mut within = LoopBody {
            outside: Vec::new(),
            pat: None,
            stmts: Vec::new(),
            leave: parse_quote!(break #outer;),
            now: Now::Named(item.clone()),
            quiet: is_quiet(&over),
        };
        for step in rest {
            self.step(&step, &mut within, &mut std::iter::empty())?;
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
        let over: Expr = match has_literal(&over) {
            true => parse_quote!((#over)),
            false => over,
        };
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

fn finish(body: LoopBody, mut f: ExprForLoop, item: Ident) -> Expr {
    f.attrs.push(parse_quote!(#[pc3_item]));
    f.pat = Box::new(body.pat.unwrap_or_else(|| parse_quote!(#item)));
    match body.outside.is_empty() {
        true => Expr::ForLoop(f),
        false => {
            let outside = body.outside;
            parse_quote!({ #(#outside)* #f })
        }
    }
}
