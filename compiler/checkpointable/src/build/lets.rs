//! `let`, and what its names are made of.

use std::rc::Rc;

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Pat, PatIdent, Type};

use super::borrows::is_borrowing;
use super::loops::{of, Question};
use super::patterns::{assignments, binds, checked, has_ref, inner_names, Binds};
use super::rematch::ChosenCase;
use super::{places, whole, Builder, Destination, Restoration, Result};
use crate::fold;
use crate::loops::is_constant;
use crate::marks::has_points_expr;
use crate::names::is_binding;
use crate::reevaluation::{is_reader, is_reeval, iterates_itself, telling, Links, Locals};
use crate::transient;

impl Builder {
    /// Assigns the parts of a value to locals that are declared for them.
    pub(super) fn bind(
        &mut self,
        pat: &Pat,
        value: TokenStream,
        diverge: Option<TokenStream>,
        way: &Restoration,
    ) {
        match pat {
            Pat::Type(t) => {
                if let Pat::Ident(p) = &*t.pat {
                    if p.by_ref.is_none() && p.subpat.is_none() && is_binding(p) {
                        let (name, ty) = (&p.ident, &t.ty);
                        self.local(name, p.mutability.is_some(), Some(ty), way.clone());
                        // Wrong values are said to be so in the words of the user's `let`.
                        self.put(quote!(#name = { let pc3_v: #ty = #value; pc3_v };));
                        return;
                    }
                }
                let ty = &t.ty;
                self.bind(
                    &t.pat,
                    quote!({ let pc3_v: #ty = #value; pc3_v }),
                    diverge,
                    way,
                );
            }
            Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() && is_binding(p) => {
                self.local(&p.ident, p.mutability.is_some(), None, way.clone());
                let name = &p.ident;
                self.put(quote!(#name = #value;));
            }
            Pat::Wild(_) => self.put(quote!(let _ = #value;)),
            _ => {
                let (inner, names) = inner_names(pat);
                for (name, mutable) in &names {
                    self.local(name, *mutable, None, way.clone());
                }
                let assign = assignments(&names);
                match diverge {
                    Some(diverge) => self.put(quote!(let #inner = #value else #diverge; #assign)),
                    None => self.put(quote!(let #inner = #value; #assign)),
                }
            }
        }
    }

    pub(super) fn let_(&mut self, local: &syn::Local) -> Result<()> {
        let Some(init) = &local.init else {
            let (pat, ty) = match &local.pat {
                Pat::Type(t) => (&*t.pat, Some(&*t.ty)),
                pat => (pat, None),
            };
            return match declared(pat, ty) {
                Some(all) => {
                    for (p, ty) in all {
                        self.local(&p.ident, p.mutability.is_some(), ty, Restoration::Kept);
                    }
                    Ok(())
                }
                None => Err(syn::Error::new_spanned(
                    &local.pat,
                    "a `let` without a value declares names, or tuples of them, here",
                )),
            };
        };
        if let Some(lets) = self.several(local) {
            return lets.iter().try_for_each(|l| self.let_(l));
        }
        let iterates = iterates_itself(&init.expr) || self.copies_iterator(&init.expr);
        if let (Pat::Ident(p), true) = (&local.pat, iterates) {
            self.iterators.insert(p.ident.to_string());
        }
        let mut way =
            transient::prepared_maker(&local.attrs).map_or(Restoration::Kept, |mut again| {
                self.leaf(&mut again);
                Restoration::Transient(quote!(#again))
            });
        let mut made = TokenStream::new();
        let value = if has_points_expr(&init.expr) {
            let mut name = self.name("v");
            name.set_span(init.expr.span());
            self.declare(&name, false, None);
            self.value(&init.expr, &Destination::Local(name.clone()))?;
            match has_ref(&local.pat) {
                true => quote!(#name),
                false => whole(&name),
            }
        } else if let Some((again, known, value)) = self.walked(local)? {
            (way, made) = (again, known);
            value
        } else {
            let mut e = (*init.expr).clone();
            if matches!(e, Expr::Call(_)) && is_reader(&e, self) {
                let names = inner_names(&local.pat).1;
                self.readers
                    .extend(names.iter().map(|(n, _)| n.to_string()));
            }
            if let (Pat::Ident(p), Expr::Closure(_)) = (&local.pat, &e) {
                self.closures.insert(p.ident.to_string());
            }
            if let Some((again, known)) = self.way(local, &mut e) {
                (way, made) = (again, known);
            }
            let cut = cuts(local) || self.is_cursor(local) || self.gathers(local);
            if let (Restoration::Kept, true) = (&way, cut) {
                if let Some(name) = name_of(&local.pat) {
                    (way, made) = self.parted(name, Question::Cuts);
                }
            }
            quote!(#e)
        };
        let diverge = match &init.diverge {
            Some((_, d)) => {
                let mut d = (**d).clone();
                self.leaf(&mut d);
                Some(quote!(#d))
            }
            None => None,
        };
        self.bind(&local.pat, value, diverge, &way);
        self.put(made);
        Ok(())
    }

    /// `let mut rest = text;` of a borrow, or a part of a text.
    fn is_cursor(&self, local: &syn::Local) -> bool {
        let init = local.init.as_ref().map(|i| &*i.expr);
        match (&local.pat, init) {
            (Pat::Ident(to), Some(e @ Expr::Path(p))) => {
                let borrow = |from: &Ident| self.is_borrow(&from.to_string());
                self.is_parted(e)
                    || to.mutability.is_some() && p.path.get_ident().is_some_and(borrow)
            }
            _ => false,
        }
    }

    /// `let mut words = Vec::new();`, `let mut longest = "";` in a function that takes texts apart, and says nothing else.
    fn gathers(&self, local: &syn::Local) -> bool {
        let (name, written) = match &local.pat {
            Pat::Type(t) => (name_of(&t.pat), Some(&*t.ty)),
            pat => (name_of(pat), None),
        };
        let (Some(name), Some(init)) = (name, &local.init) else {
            return false;
        };
        let borrows = written.is_none_or(|t| holds_borrows(t) && !is_static(t));
        let nothing = match &*init.expr {
            Expr::Lit(l) => matches!(l.lit, syn::Lit::Str(_)),
            Expr::Path(p) => p.path.is_ident("None"),
            e => is_empty(e),
        };
        self.cuts_texts
            && borrows
            && nothing
            && self.moves.mutable.contains(&name.to_string())
            && !is_static(&self.output)
    }

    /// A name of a head that is not made again: in a function that takes texts apart its type says whether it is one.
    pub(super) fn value_way(&mut self, name: &Ident) -> (Restoration, TokenStream) {
        match self.cuts_texts {
            true => self.parted(name, Question::Cuts),
            false => (Restoration::Kept, TokenStream::new()),
        }
    }

    /// A local whose type says whether it is a borrow of a text.
    pub(super) fn parted(
        &mut self,
        name: &Ident,
        asked: impl Fn(Ident) -> Question,
    ) -> (Restoration, TokenStream) {
        let (kind, of) = (self.name("h"), of(self.again.len()));
        let known = quote!(if false { loop {} ::pc3::point::of(&#name, &#of); });
        self.again.push(asked(kind.clone()));
        self.cuts = true;
        (Restoration::Parted(kind), known)
    }

    /// `let (a, b) = (x, y);` of borrows is several `let`s.
    fn several(&self, local: &syn::Local) -> Option<Vec<syn::Local>> {
        let init = local.init.as_ref().filter(|i| i.diverge.is_none())?;
        let (Pat::Tuple(pats), Expr::Tuple(values)) = (&local.pat, &*init.expr) else {
            return None;
        };
        let mut chains = 0;
        let mut plain = |e: &Expr| {
            let chain = self.probe().chain(&mut e.clone()).is_some();
            chains += usize::from(chain);
            chain || is_borrowing(e) || matches!(e, Expr::Path(_) | Expr::Lit(_))
        };
        let names =
            |p: &Pat| matches!(p, Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none());
        let same = pats.elems.len() == values.elems.len() && pats.elems.iter().all(names);
        if !same || !local.attrs.is_empty() || !values.elems.iter().all(&mut plain) || chains == 0 {
            return None;
        }
        let one = |(pat, value): (&Pat, &Expr)| {
            let mut one = local.clone();
            one.pat = pat.clone();
            one.init = Some(syn::LocalInit {
                expr: Box::new(value.clone()),
                ..init.clone()
            });
            one
        };
        Some(pats.elems.iter().zip(&values.elems).map(one).collect())
    }

    /// How the locals of a `let` come back that are made again, or may be; with code that asks whether they may.
    fn way(&mut self, local: &syn::Local, e: &mut Expr) -> Option<(Restoration, TokenStream)> {
        if local.attrs.iter().any(transient::is) {
            self.leaf(e);
            return None;
        }
        let reeval = is_reeval(&local.attrs);
        if !reeval {
            if let Some((way, mut known)) = self.chained(e, &local.pat) {
                known.extend(self.in_one_form(places::ask_typed(e, &local.pat)));
                self.leaf(e);
                return Some((way, known));
            }
        }
        let (pat, ty) = match &local.pat {
            Pat::Type(t) => (&*t.pat, Some(&t.ty)),
            pat => (pat, None),
        };
        if let (Expr::Path(p), true) = (&*e, fold::of_item(local)) {
            let borrow = |i: &proc_macro2::Ident| self.may_be_borrow(&i.to_string());
            if p.path.get_ident().is_some_and(borrow) {
                let (inner, names) = inner_names(pat);
                let taken = ChosenCase::only(self.structure(&inner));
                let (mut way, known) = self.matched(e, taken, &Links::default(), &names);
                if let Restoration::Asked(chain) = &mut way {
                    Rc::get_mut(chain).into_iter().for_each(|c| c.folded = true);
                }
                return Some((way, known));
            }
        }
        if let Pat::Ident(syn::PatIdent {
            ident: name,
            by_ref: None,
            ..
        }) = pat
        {
            self.reevals.extend(reeval.then(|| name.to_string()));
            let again = reeval || (is_borrowing(e) && self.reevaluated(e));
            self.leaf(e);
            let way = Restoration::Made(match ty {
                None if reeval && has_closure(e) => {
                    let at = telling(e);
                    quote_spanned!(at=> #name = { let pc3_v = #e; ::pc3::point::Anew(pc3_v).value() };)
                }
                Some(ty) => quote!(#name = { let pc3_v: #ty = #e; pc3_v };),
                None => quote!(#name = #e;),
            });
            let checks = match reeval {
                true => quote_spanned! {name.span()=> if false {
                    loop {}
                    #[allow(unused_imports)]
                    use ::pc3::point::{RemadeBorrow as _, RemadeOther as _, RemadeSteady as _};
                    (&&&::pc3::point::Remade::of(&#name)).whole();
                }},
                false => {
                    let mut checks = checked(e, &[(name.clone(), false)]);
                    checks.extend(places::ask_typed(e, &local.pat));
                    self.in_one_form(checks)
                }
            };
            return again.then_some((way, checks));
        }
        if let (false, Binds::Mixed) = (reeval, binds(pat)) {
            if self.again_by(e, |a, e| a.place(e)) {
                self.leaf(e);
                let (inner, names) = inner_names(pat);
                let taken = ChosenCase::only(self.structure(&inner));
                return Some(self.matched(e, taken, &Links::default(), &names));
            }
        }
        if let (Expr::Path(p), Binds::Either) = (&*e, binds(pat)) {
            let borrow = |i: &proc_macro2::Ident| self.may_be_borrow(&i.to_string());
            if !reeval && p.path.get_ident().is_some_and(borrow) {
                let (inner, names) = inner_names(pat);
                let taken = ChosenCase::only(self.structure(&inner));
                return Some(self.matched(e, taken, &Links::default(), &names));
            }
        }
        let borrows = is_borrowing(e) || matches!(binds(pat), Binds::Borrows);
        let again = borrows
            && match binds(pat) {
                Binds::Values => false,
                Binds::Borrows => self.again_by(e, |a, e| a.place(e)) || self.reevaluated(e),
                Binds::Either | Binds::Mixed => self.reevaluated(e),
            };
        self.leaf(e);
        let (inner, names) = inner_names(pat);
        let assign = assignments(&names);
        again.then(|| {
            let inner = self.structure(&inner);
            let way = Restoration::Made(quote! {
                match #e { #inner => { #assign } #[allow(unreachable_patterns)] _ => ::pc3::point::changed() }
            });
            let mut checks = checked(e, &names);
            checks.extend(places::ask_typed(e, &local.pat));
            (way, self.in_one_form(checks))
        })
    }
}

/// `x`, `(x, mut y)`, without a value yet.
fn declared<'p>(
    pat: &'p Pat,
    ty: Option<&'p Type>,
) -> Option<Vec<(&'p PatIdent, Option<&'p Type>)>> {
    match (pat, ty) {
        (Pat::Ident(p), _) => Some(vec![(p, ty)]),
        (Pat::Paren(p), _) => declared(&p.pat, ty),
        (Pat::Tuple(t), Some(Type::Tuple(ty))) if t.elems.len() == ty.elems.len() => {
            let all = t.elems.iter().zip(&ty.elems);
            let all = all.map(|(p, ty)| declared(p, Some(ty)));
            Some(all.collect::<Option<Vec<_>>>()?.concat())
        }
        (Pat::Tuple(t), None) => {
            let all = t.elems.iter().map(|p| declared(p, None));
            Some(all.collect::<Option<Vec<_>>>()?.concat())
        }
        _ => None,
    }
}

/// `x`, `mut x`, `x: T`
fn name_of(pat: &Pat) -> Option<&Ident> {
    match pat {
        Pat::Type(t) => name_of(&t.pat),
        Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() && is_binding(p) => {
            Some(&p.ident)
        }
        _ => None,
    }
}

/// Methods that give parts of texts.
const CUT: &[&str] = &[
    "lines",
    "rsplit",
    "rsplitn",
    "split",
    "split_inclusive",
    "split_terminator",
    "split_whitespace",
    "splitn",
    "strip_prefix",
    "strip_suffix",
    "trim",
    "trim_end",
    "trim_end_matches",
    "trim_matches",
    "trim_start",
    "trim_start_matches",
];

/// A text that is written in the program, or a part of one.
fn is_written(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) => true,
        Expr::MethodCall(m) => is_written(&m.receiver),
        Expr::Index(i) => is_written(&i.expr),
        Expr::Reference(r) => is_written(&r.expr),
        Expr::Paren(p) => is_written(&p.expr),
        e => is_constant(e),
    }
}

/// `Vec::new()`, `vec![]`: one of the standard library's groups, with nothing in it.
fn is_empty(e: &Expr) -> bool {
    match e {
        Expr::Macro(m) => m.mac.path.is_ident("vec") && m.mac.tokens.is_empty(),
        Expr::Call(c) => match &*c.func {
            Expr::Path(p) => {
                let mut words = p.path.segments.iter().rev().map(|s| s.ident.to_string());
                let made = words.next().unwrap_or_default();
                let of = words.next().unwrap_or_default();
                matches!(&*made, "new" | "with_capacity" | "default") && GROUPS.contains(&&*of)
            }
            _ => false,
        },
        _ => false,
    }
}

const GROUPS: &[&str] = &[
    "BTreeMap", "BTreeSet", "HashMap", "HashSet", "Vec", "VecDeque",
];

fn holds_borrows(ty: &Type) -> bool {
    struct HoldsBorrows(bool);
    impl<'ast> crate::visit::Visit<'ast> for HoldsBorrows {
        fn visit_type_reference(&mut self, _: &'ast syn::TypeReference) {
            self.0 = true;
        }
        // `Vec<_>`
        fn visit_type_infer(&mut self, _: &'ast syn::TypeInfer) {
            self.0 = true;
        }
    }
    let mut visitor = HoldsBorrows(false);
    crate::visit::Visit::visit_type(&mut visitor, ty);
    visitor.0
}

fn is_static(ty: &Type) -> bool {
    struct IsStatic(bool);
    impl<'ast> crate::visit::Visit<'ast> for IsStatic {
        fn visit_lifetime(&mut self, l: &'ast syn::Lifetime) {
            self.0 |= l.ident == "static";
        }
    }
    let mut visitor = IsStatic(false);
    crate::visit::Visit::visit_type(&mut visitor, ty);
    visitor.0
}

/// Does the code take texts apart?
pub(super) fn cuts_texts(block: &syn::Block) -> bool {
    struct CutsTexts(bool);
    impl<'ast> crate::visit::Visit<'ast> for CutsTexts {
        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            self.0 |= CUT.iter().any(|n| m.method == n);
            crate::visit::visit_expr_method_call(self, m);
        }
    }
    let mut visitor = CutsTexts(false);
    crate::visit::Visit::visit_block(&mut visitor, block);
    visitor.0
}

/// Might the local be a part of a text, or a list of such, as far as it shows?
fn cuts(local: &syn::Local) -> bool {
    struct Cuts(bool);
    impl<'ast> crate::visit::Visit<'ast> for Cuts {
        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            self.0 |= CUT.iter().any(|n| m.method == n) && !is_written(&m.receiver);
            crate::visit::visit_expr_method_call(self, m);
        }
        fn visit_expr_index(&mut self, i: &'ast syn::ExprIndex) {
            self.0 |= matches!(&*i.index, Expr::Range(_));
            crate::visit::visit_expr_index(self, i);
        }
        fn visit_lifetime(&mut self, l: &'ast syn::Lifetime) {
            self.0 &= l.ident != "static";
        }
    }
    let mut visitor = Cuts(false);
    let init = local
        .init
        .as_ref()
        .filter(|_| name_of(&local.pat).is_some());
    init.iter()
        .for_each(|i| crate::visit::Visit::visit_expr(&mut visitor, &i.expr));
    if let Pat::Type(t) = &local.pat {
        crate::visit::Visit::visit_type(&mut visitor, &t.ty);
    }
    visitor.0
}

pub(super) fn has_closure(e: &Expr) -> bool {
    struct HasClosure(bool);
    impl<'ast> crate::visit::Visit<'ast> for HasClosure {
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {
            self.0 = true;
        }
    }
    let mut visitor = HasClosure(false);
    crate::visit::Visit::visit_expr(&mut visitor, e);
    visitor.0
}
