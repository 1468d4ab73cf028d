//! Patterns that are matched again after a restart: what they tested may have been changed by then, so they are matched
//! without tests, as the alternative that was taken.
//!
//! ```text
//! (n @ 1, m) | (m, n)   →   0: (n, m), 1: (m, n)
//! Some((n @ 1, m))      →   Some((n, m))
//! ```

use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{parse_quote, Pat};

use super::patterns::inner_name;
use super::{Builder, Restoration};
use crate::names::is_binding;

/// More of them would make the code large.
const MOST: usize = 64;

/// A pattern's alternatives, and the local that keeps which one was taken, if there are several.
#[derive(Clone)]
pub(super) struct ChosenCase {
    cases: Vec<Pat>,
    which: Option<Ident>,
}

impl Builder {
    /// Of a pattern that is matched in a head; its names are the inner ones.
    pub(super) fn chosen_case(&mut self, inner: &Pat) -> ChosenCase {
        let mut cases = alternatives(inner);
        if cases.len() > MOST {
            self.errors.push(syn::Error::new_spanned(
                inner,
                "this pattern has too many alternatives to be matched again after a restart: write arms of their own for some of them",
            ));
            cases.truncate(1);
        }
        self.names += 1;
        let which = (cases.len() > 1).then(|| format_ident!("pc3_k{}_taken", self.names));
        ChosenCase { cases, which }
    }

    /// Of a pattern of which it is not known what was taken.
    pub(super) fn structure(&mut self, inner: &Pat) -> Pat {
        if !tells(inner) {
            self.errors.push(syn::Error::new_spanned(
                inner,
                "this pattern is matched again after a restart, and what it tells its alternatives by may have changed then: write a `match` with it",
            ));
        }
        structure(inner)
    }

    /// Declares what keeps the number; in front of the names that are made with it.
    pub(super) fn declare_taken(&mut self, taken: &ChosenCase) {
        if let Some(which) = &taken.which {
            self.local(which, true, Some(&parse_quote!(usize)), Restoration::Kept);
        }
    }
}

impl ChosenCase {
    /// The arms of a match: each notes its number first.
    pub(super) fn arms(&self, guard: &Option<TokenStream>, body: &TokenStream) -> TokenStream {
        let arm = |(n, case): (usize, &Pat)| {
            let note = self.which.as_ref().map(|which| quote!(#which = #n;));
            quote!(#case #guard => { #note #body })
        };
        self.cases.iter().enumerate().map(arm).collect()
    }

    /// One that has no others.
    pub(super) fn only(pat: Pat) -> ChosenCase {
        ChosenCase {
            cases: vec![pat],
            which: None,
        }
    }

    pub(super) fn which(&self) -> Option<&Ident> {
        self.which.as_ref()
    }

    /// Matches again, for what is bound by these names: the rest may be gone.
    pub(super) fn match_again(
        &self,
        scrutinee: &TokenStream,
        assign: &TokenStream,
        names: &[&Ident],
    ) -> TokenStream {
        let inner: Vec<Ident> = names.iter().map(|n| inner_name(n)).collect();
        let one = |case: &Pat| {
            let case = structure(&without(case, &inner));
            quote! {
                match #scrutinee { #case => { #assign } #[allow(unreachable_patterns)] _ => ::pc3::point::changed() }
            }
        };
        match &self.which {
            None => self.cases.iter().map(one).collect(),
            Some(which) => {
                let arms = self.cases.iter().enumerate().map(|(n, case)| {
                    let one = one(case);
                    quote!(#n => { #one })
                });
                quote!(match #which { #(#arms)* _ => ::pc3::point::changed() })
            }
        }
    }
}

/// The pattern with nothing in the places of other names.
fn without(pat: &Pat, names: &[Ident]) -> Pat {
    struct Others<'n>(&'n [Ident]);
    impl VisitMut for Others<'_> {
        fn visit_pat_mut(&mut self, pat: &mut Pat) {
            visit_mut::visit_pat_mut(self, pat);
            let Pat::Ident(p) = pat else { return };
            if !is_binding(p) || self.0.contains(&p.ident) {
                return;
            }
            *pat = match p.subpat.take() {
                Some((_, sub)) => *sub,
                None => parse_quote!(_),
            };
        }
        fn visit_expr_mut(&mut self, _: &mut syn::Expr) {}
    }
    let mut pat = pat.clone();
    Others(names).visit_pat_mut(&mut pat);
    pat
}

/// What binds the same names as one of its alternatives, written out; those first that are tried first.
fn alternatives(pat: &Pat) -> Vec<Pat> {
    let mut first = Choose { case: None, of: 0 };
    first.visit_pat_mut(&mut pat.clone());
    let mut all = Vec::new();
    if first.of == 0 {
        return vec![pat.clone()];
    }
    for n in 0..first.of {
        let mut case = pat.clone();
        let mut choose = Choose {
            case: Some(n),
            of: 0,
        };
        choose.visit_pat_mut(&mut case);
        all.extend(alternatives(&case));
        if all.len() > MOST {
            break;
        }
    }
    all
}

/// Puts a case into the place of the first pattern with several ones that bind names.
struct Choose {
    case: Option<usize>,
    of: usize,
}

impl VisitMut for Choose {
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        match pat {
            _ if self.of > 0 => {}
            Pat::Or(o) if o.cases.iter().any(binds_any) => {
                self.of = o.cases.len();
                if let Some(n) = self.case {
                    *pat = o.cases[n].clone();
                }
            }
            pat => visit_mut::visit_pat_mut(self, pat),
        }
    }
    fn visit_expr_mut(&mut self, _: &mut syn::Expr) {}
}

fn binds_any(pat: &Pat) -> bool {
    struct BindsAny(bool);
    impl<'ast> Visit<'ast> for BindsAny {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.0 |= is_binding(p);
            visit::visit_pat_ident(self, p);
        }
        fn visit_expr(&mut self, _: &'ast syn::Expr) {}
    }
    let mut visitor = BindsAny(false);
    visitor.visit_pat(pat);
    visitor.0
}

/// The pattern without what binds nothing.
pub(super) fn structure(pat: &Pat) -> Pat {
    struct Untested;
    impl VisitMut for Untested {
        fn visit_pat_mut(&mut self, pat: &mut Pat) {
            match pat {
                Pat::Rest(_) => {}
                Pat::Ident(p) if is_binding(p) => match &mut p.subpat {
                    Some((_, sub)) if binds_any(sub) || matches!(**sub, Pat::Rest(_)) => {
                        self.visit_pat_mut(sub);
                    }
                    sub => *sub = None,
                },
                pat if !binds_any(pat) => *pat = parse_quote!(_),
                pat => visit_mut::visit_pat_mut(self, pat),
            }
        }
        fn visit_expr_mut(&mut self, _: &mut syn::Expr) {}
    }
    let mut pat = pat.clone();
    Untested.visit_pat_mut(&mut pat);
    pat
}

/// Are alternatives that bind names told by the variants that hold what they bind?
fn tells(pat: &Pat) -> bool {
    struct VariantsTell(bool);
    impl<'ast> Visit<'ast> for VariantsTell {
        fn visit_pat_or(&mut self, o: &'ast syn::PatOr) {
            if !o.cases.iter().any(binds_any) {
                return;
            }
            let variants: Vec<_> = o.cases.iter().filter_map(variant).collect();
            let twice = |(n, v): (usize, &String)| variants[..n].contains(v);
            self.0 &= variants.len() == o.cases.len() && !variants.iter().enumerate().any(twice);
            visit::visit_pat_or(self, o);
        }
        fn visit_expr(&mut self, _: &'ast syn::Expr) {}
    }
    let mut visitor = VariantsTell(true);
    visitor.visit_pat(pat);
    visitor.0
}

fn variant(pat: &Pat) -> Option<String> {
    let path = match pat {
        Pat::Paren(p) => return variant(&p.pat),
        Pat::Reference(r) => return variant(&r.pat),
        Pat::TupleStruct(t) => &t.path,
        Pat::Struct(s) => &s.path,
        _ => return None,
    };
    path.segments.last().map(|s| s.ident.to_string())
}
