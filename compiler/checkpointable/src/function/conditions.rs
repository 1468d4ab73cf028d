//! `#[cfg(…)]` within a function.  What holds is the compiler's to say, and it says so of whole items: the function
//! becomes two, one as if the first condition held and one as if it did not, of which the compiler keeps one.

use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{quote, ToTokens};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Block, Expr, ItemFn, Macro, Meta, Stmt, Token, TraitItemFn};

use crate::marks;

type Result<T> = std::result::Result<T, syn::Error>;

/// A function's two forms under its first condition; none: it has no conditions.  `attribute` takes each further.
pub fn split(function: &ItemFn, attribute: &TokenStream) -> Result<Option<TokenStream>> {
    let visit = |look: &mut First| {
        look.visit_signature(&function.sig);
        look.visit_block(&function.block);
    };
    let Some(condition) = First::of(visit) else {
        return Ok(None);
    };
    let mut with = function.clone();
    with.sig = syn::parse2(condition.holds(with.sig.to_token_stream()))?;
    *with.block = syn::parse2(condition.holds(with.block.to_token_stream()))?;
    let mut without = function.clone();
    let mut leave = Leave(&condition);
    leave.visit_signature_mut(&mut without.sig);
    leave.visit_block_mut(&mut without.block);
    let left = First::of(|look| {
        look.visit_signature(&without.sig);
        look.visit_block(&without.block);
    });
    condition.gone(left)?;
    Ok(Some(condition.forms(attribute, &with, &without)))
}

/// Likewise of a trait's method without a body.
pub(crate) fn split_declared(
    item: &TraitItemFn,
    attribute: &TokenStream,
) -> Result<Option<TokenStream>> {
    let Some(condition) = First::of(|look| look.visit_signature(&item.sig)) else {
        return Ok(None);
    };
    let mut with = item.clone();
    with.sig = syn::parse2(condition.holds(with.sig.to_token_stream()))?;
    let mut without = item.clone();
    Leave(&condition).visit_signature_mut(&mut without.sig);
    condition.gone(First::of(|look| look.visit_signature(&without.sig)))?;
    Ok(Some(condition.forms(attribute, &with, &without)))
}

/// What stands in the parentheses of `cfg`.
struct Condition(TokenStream);

fn same(a: &TokenStream, b: &TokenStream) -> bool {
    a.to_string() == b.to_string()
}

impl Condition {
    /// That of a `cfg` or `cfg_attr`.
    fn of(attribute: &Attribute) -> Option<Condition> {
        let Meta::List(list) = &attribute.meta else {
            return None;
        };
        if list.path.is_ident("cfg") {
            return Some(Condition(list.tokens.clone()));
        }
        let parts = list.path.is_ident("cfg_attr").then(|| parts(&list.tokens));
        parts.flatten().map(|(condition, _)| Condition(condition))
    }

    fn is(&self, other: &TokenStream) -> bool {
        same(&self.0, other)
    }

    /// Is it `not(…)` of the other?
    fn contradicts(&self, other: &TokenStream) -> bool {
        let negated = |c: &TokenStream| quote!(not(#c));
        self.is(&negated(other)) || same(other, &negated(&self.0))
    }

    /// The code as it is if the condition holds, without the attributes that say so.
    fn holds(&self, code: TokenStream) -> TokenStream {
        let mut code = code.into_iter().peekable();
        let mut out = TokenStream::new();
        while let Some(token) = code.next() {
            if let TokenTree::Punct(p) = &token {
                if p.as_char() == '#' {
                    if let Some(attributes) = code.peek().and_then(|t| self.attributes(t)) {
                        code.next();
                        out.extend(attributes);
                        continue;
                    }
                }
            }
            out.extend([match token {
                TokenTree::Group(g) => {
                    let mut group = Group::new(g.delimiter(), self.holds(g.stream()));
                    group.set_span(g.span());
                    TokenTree::Group(group)
                }
                token => token,
            }]);
        }
        out
    }

    /// What becomes of an attribute that asks for the condition.
    fn attributes(&self, bracketed: &TokenTree) -> Option<TokenStream> {
        let TokenTree::Group(group) = bracketed else {
            return None;
        };
        if group.delimiter() != Delimiter::Bracket {
            return None;
        }
        let Meta::List(list) = syn::parse2(group.stream()).ok()? else {
            return None;
        };
        if list.path.is_ident("cfg") {
            return self.is(&list.tokens).then(TokenStream::new);
        }
        if !list.path.is_ident("cfg_attr") {
            return None;
        }
        let (condition, others) = parts(&list.tokens)?;
        self.is(&condition).then(|| quote!(#(#[#others])*))
    }

    /// An attribute that asks for the condition stands where nothing can be left out.
    fn gone(&self, left: Option<Condition>) -> Result<()> {
        match left {
            Some(other) if self.is(&other.0) => {
                let text = "a `#[cfg(…)]` here is not understood: write it in front of a statement, an arm or an argument";
                Err(syn::Error::new_spanned(other.0, text))
            }
            _ => Ok(()),
        }
    }

    fn forms(
        &self,
        attribute: &TokenStream,
        with: &dyn ToTokens,
        without: &dyn ToTokens,
    ) -> TokenStream {
        let condition = &self.0;
        let (with, without) = (with.to_token_stream(), without.to_token_stream());
        quote! {
            #[cfg(#condition)]
            #[allow(unused_braces)]
            #attribute
            #with
            #[cfg(not(#condition))]
            #attribute
            #without
        }
    }
}

/// Condition and attributes of `cfg_attr(condition, attributes…)`.
fn parts(tokens: &TokenStream) -> Option<(TokenStream, Vec<TokenStream>)> {
    let split = |input: ParseStream| {
        let condition: Meta = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        let others = Punctuated::<Meta, Token![,]>::parse_terminated(input)?;
        let others = others.iter().map(ToTokens::to_token_stream).collect();
        Ok((condition.to_token_stream(), others))
    };
    split.parse2(tokens.clone()).ok()
}

/// The attributes that code begins with.
fn leading(code: &dyn ToTokens) -> Vec<Attribute> {
    let split = |input: ParseStream| {
        let attributes = Attribute::parse_outer(input)?;
        input.parse::<TokenStream>()?;
        Ok(attributes)
    };
    split.parse2(code.to_token_stream()).unwrap_or_default()
}

/// Looks for the first condition; what is within items is the compiler's.
#[derive(Default)]
struct First(Option<Condition>);

impl First {
    fn of(visit: impl FnOnce(&mut First)) -> Option<Condition> {
        let mut look = First::default();
        visit(&mut look);
        look.0
    }
}

impl<'ast> Visit<'ast> for First {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if self.0.is_none() {
            self.0 = Condition::of(attribute);
        }
    }
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let leading = leading(item);
        let own = leading.iter().filter(|a| a.path().is_ident("cfg"));
        for a in own {
            self.0 = self.0.take().or_else(|| Condition::of(a));
        }
    }
    fn visit_macro(&mut self, mac: &'ast Macro) {
        if let (true, Ok(inner)) = (marks::is_call(mac), syn::parse2::<Expr>(mac.tokens.clone())) {
            let mut look = First(self.0.take());
            look.visit_expr(&inner);
            self.0 = look.0;
        }
        visit::visit_macro(self, mac);
    }
}

/// Leaves out what is not there if the condition does not hold.
struct Leave<'c>(&'c Condition);

impl Leave<'_> {
    fn stays(&self, code: &dyn ToTokens) -> bool {
        let out = |a: &Attribute| {
            a.path().is_ident("cfg") && Condition::of(a).is_some_and(|c| self.0.is(&c.0))
        };
        !leading(code).iter().any(out)
    }

    fn list<T: ToTokens, P: Default>(&self, list: &mut Punctuated<T, P>) {
        if list.iter().all(|item| self.stays(item)) {
            return;
        }
        let all = std::mem::take(list);
        *list = all.into_iter().filter(|item| self.stays(item)).collect();
    }
}

impl VisitMut for Leave<'_> {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|a| {
            let Some(condition) = Condition::of(a) else {
                return true;
            };
            match a.path().is_ident("cfg") {
                true => !self.0.contradicts(&condition.0),
                false => !self.0.is(&condition.0),
            }
        });
    }
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
    fn visit_block_mut(&mut self, block: &mut Block) {
        block.stmts.retain(|s: &Stmt| self.stays(s));
        visit_mut::visit_block_mut(self, block);
    }
    fn visit_expr_match_mut(&mut self, m: &mut syn::ExprMatch) {
        m.arms.retain(|a| self.stays(a));
        visit_mut::visit_expr_match_mut(self, m);
    }
    fn visit_expr_struct_mut(&mut self, s: &mut syn::ExprStruct) {
        self.list(&mut s.fields);
        visit_mut::visit_expr_struct_mut(self, s);
    }
    fn visit_pat_struct_mut(&mut self, s: &mut syn::PatStruct) {
        self.list(&mut s.fields);
        visit_mut::visit_pat_struct_mut(self, s);
    }
    fn visit_expr_call_mut(&mut self, c: &mut syn::ExprCall) {
        self.list(&mut c.args);
        visit_mut::visit_expr_call_mut(self, c);
    }
    fn visit_expr_method_call_mut(&mut self, c: &mut syn::ExprMethodCall) {
        self.list(&mut c.args);
        visit_mut::visit_expr_method_call_mut(self, c);
    }
    fn visit_expr_array_mut(&mut self, a: &mut syn::ExprArray) {
        self.list(&mut a.elems);
        visit_mut::visit_expr_array_mut(self, a);
    }
    fn visit_expr_tuple_mut(&mut self, t: &mut syn::ExprTuple) {
        self.list(&mut t.elems);
        visit_mut::visit_expr_tuple_mut(self, t);
    }
    fn visit_signature_mut(&mut self, sig: &mut syn::Signature) {
        self.list(&mut sig.inputs);
        self.list(&mut sig.generics.params);
        visit_mut::visit_signature_mut(self, sig);
    }
    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if marks::is_call(mac) {
            if let Ok(mut inner) = syn::parse2::<Expr>(mac.tokens.clone()) {
                self.visit_expr_mut(&mut inner);
                mac.tokens = inner.to_token_stream();
            }
        }
    }
}
