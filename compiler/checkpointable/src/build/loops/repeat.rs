//! Loops with points: regions of their own, which frames lead into.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned, ToTokens};
use syn::spanned::Spanned;
use syn::{parse_quote, Block, Expr, Lifetime, Pat};

use super::ask_parts;
use crate::build::borrows::{makes_values, unchanged};
use crate::build::brief::leaves;
use crate::build::conditions::Bodies;
use crate::build::patterns::inner_names;
use crate::build::{label, Builder, Destination, Point, Restoration, Result};
use crate::fold;
use crate::loops::{is_constant, over, owned, unchanging, Over};
use crate::moves;
use crate::reevaluation::{telling, Reevaluation, Source};

impl Builder {
    pub(in crate::build) fn loop_(
        &mut self,
        name: &Option<syn::Label>,
        body: &Block,
        head: Head,
        whole: &Expr,
    ) -> Result<TokenStream> {
        let at = match name {
            Some(l) => l.name.clone(),
            None => label(&self.name("l").to_string()),
        };
        let depth = self.visible.len();
        let outside = self.outside();
        self.after
            .enter_loop(&whole.to_token_stream(), outside.into_iter());
        let carried = self.carry(attrs(whole));
        self.loops.push(at.clone());
        self.open();
        self.begin_carried(&carried, &at);
        let done = self.loop_body(body, head, &at);
        let on = carried.on();
        let (code, points) = self.close(&quote!(#on continue #at;));
        self.end_carried(&carried, &at);
        self.loops.pop();
        self.after.leave();
        self.visible.truncate(depth);
        done?;
        let before = label(&self.name("u").to_string());
        self.loop_unit(points, &before);
        Ok(quote!(#at: loop { #code }))
    }

    /// Locals and parameters that exist.
    pub(in crate::build) fn outside(&self) -> Vec<String> {
        let visible = self.visible.iter().map(|v| v.name.to_string());
        visible.chain(self.borrowed.keys().cloned()).collect()
    }

    pub(in crate::build) fn loop_body(
        &mut self,
        body: &Block,
        head: Head,
        at: &Lifetime,
    ) -> Result<()> {
        match head {
            Head::Loop => {}
            Head::While(cond) => {
                let begin = label(&self.name("b").to_string());
                let bodies = Bodies {
                    what: "the `while`",
                    then: true,
                    other: false,
                };
                let bound = self.condition(cond, &begin, &bodies)?;
                self.visible.extend(bound);
                self.put(quote!(break #at;));
                self.target(&begin);
            }
            Head::Next {
                iterator,
                pat,
                count,
                item,
                values,
                folded,
            } => {
                let next = quote_spanned! {iterator.span()=>
                    ::core::iter::Iterator::next(&mut #iterator)
                };
                let mut take = quote! {
                    match #next {
                        ::core::option::Option::Some(pc3_v) => { #count pc3_v }
                        ::core::option::Option::None => break #at,
                    }
                };
                if leaves(pat) {
                    take = self.brief_item(take, pat);
                }
                let (inner, names) = inner_names(pat);
                let way = match &item {
                    Some(item) => self.of_item(item, &inner, folded),
                    None => Restoration::Kept,
                };
                self.bind(pat, take, None, &way);
                if item.is_some() {
                    self.put(self.in_one_form(unchanged(&names, values, true)));
                }
            }
        }
        self.block(body, &Destination::Nowhere)
    }

    /// A loop begins here; frames may lead into it.
    pub(in crate::build) fn loop_unit(&mut self, points: Vec<Point>, at: &Lifetime) {
        let id = self.region().id;
        let mut arms = TokenStream::new();
        let mut labels = Vec::new();
        for p in &points {
            let take = self.restore(&p.vars, id);
            let n = p.label;
            arms.extend(quote!(#n => { #take }));
            labels.push(n);
        }
        self.unit(
            quote!(match pc3_at { #arms _ => ::pc3::point::lost(&mut pc3_frame) }),
            &labels,
            at,
        );
        self.region().points.extend(points);
    }

    /// An iterator that is saved, or made again where its local is.
    fn owned_iterator(&mut self, mut expr: Expr, iterator: &Ident, walked: Option<Restoration>) {
        if let Some(way) = walked {
            self.leaf(&mut expr);
            self.local(iterator, true, None, way);
            self.put(quote!(#iterator = #expr;));
            return;
        }
        let span = expr.span();
        self.name_guard(&mut expr);
        self.brief(&mut expr, THE_LOOP);
        let mut expr = owned(&expr);
        self.leaf(&mut expr);
        self.local(iterator, true, None, Restoration::Kept);
        let over = quote_spanned!(span=> ::core::iter::IntoIterator::into_iter(#expr));
        self.put(quote!(#iterator = #over;));
    }

    /// An iterator that is made again, and advanced to where it was.
    fn iterator_again<'f>(
        &mut self,
        f: &'f syn::ExprForLoop,
        (id, iterator): (usize, &Ident),
        mut made: Expr,
        mut from: Vec<Source>,
        taken: Vec<Ident>,
    ) -> Entered<'f> {
        let expr = &f.expr;
        for Source { value, chain, .. } in &mut from {
            if chain.is_none() {
                self.brief(value, THE_LOOP);
            }
            self.leaf(value);
        }
        self.leaf(&mut made);
        self.sources(from);
        let (count, item) = (format_ident!("pc3_n{}", id), format_ident!("pc3_x{}", id));
        self.local(&count, true, Some(&parse_quote!(u64)), Restoration::Kept);
        self.declare(iterator, true, None);
        self.declare(&item, true, None);
        self.put(quote!(#count = 0u64;));
        let taken = self.ask_taken(taken);
        let (reads, order) = (self.ask_closures(&made), self.ask_order(iterator, expr));
        let known = self.in_one_form(ask_parts(&made));
        self.judge_closures(&mut made);
        unchanging(&mut made);
        let borrows = (!is_constant(expr)).then(|| {
            quote! {{
                #[allow(unused_imports)]
                use ::pc3::point::{IsBorrow as _, IsText as _, IsValue as _};
                (&&&::pc3::point::Made(&#iterator)).made();
            }}
        });
        let again = quote! {
            #known
            #taken
            #reads
            #iterator = ::core::iter::IntoIterator::into_iter(#made);
            #borrows
            #order
            #item = ::pc3::point::advance(&mut #iterator, #count);
        };
        let head = Head::Next {
            iterator: iterator.clone(),
            pat: &f.pat,
            count: quote!(#count += 1;),
            item: Some(item),
            values: makes_values(expr),
            folded: fold::is_marked(&f.attrs),
        };
        Entered {
            again,
            sources: quote!(#made),
            head,
        }
    }

    pub(in crate::build) fn for_(&mut self, f: &syn::ExprForLoop) -> Result<()> {
        self.names += 1;
        let id = self.names;
        let expr = &f.expr;
        let once = self.once_name(expr);
        let iterator = match &once {
            Some(name) => name.clone(),
            None => format_ident!("pc3_i{}", id, span = telling(&f.expr)),
        };
        let depth = self.visible.len();
        let walked = self.walked_name(expr);
        let Entered {
            again,
            mut sources,
            head,
        } = match over(expr, Reevaluation::new(self, id), &self.moves.mutable)? {
            // It is gone over as it is: there is nothing to be made again of it.
            _ if once.is_some() => Entered::as_it_is(&iterator, &f.pat, quote!(#iterator)),
            Over::Owned(expr) => {
                self.owned_iterator(expr, &iterator, walked.as_ref().map(|w| w.1.clone()));
                Entered::as_it_is(&iterator, &f.pat, TokenStream::new())
            }
            Over::Lent(mut lent) => {
                self.leaf(&mut lent);
                self.declare(&iterator, true, None);
                let entered = Entered::as_it_is(&iterator, &f.pat, quote!(#lent));
                Entered {
                    again: quote!(#iterator = #lent;),
                    ..entered
                }
            }
            Over::Again { made, from, taken } => {
                self.iterator_again(f, (id, &iterator), made, from, taken)
            }
        };
        let at = match &f.label {
            Some(l) => l.name.clone(),
            None => label(&self.name("l").to_string()),
        };
        let outside = self.outside();
        // What it goes over is evaluated once.
        for v in &self.visible[depth..] {
            let name = &v.name;
            sources.extend(quote!(; #name));
        }
        let mut uses = f.body.to_token_stream();
        uses.extend(quote!(; #sources));
        // Whichever way the loop is entered.
        self.after.enter_use(&sources);
        self.after.enter_loop(&uses, outside.into_iter());
        let carried = self.carry(&f.attrs);
        self.loops.push(at.clone());
        self.open();
        self.begin_carried(&carried, &at);
        let made = again_name(&head, &f.attrs);
        let loops = self.made_loops.len();
        self.made_loops.extend(made);
        self.made_loops.extend(walked.map(|w| w.0));
        self.made_loops.extend(once.map(|name| name.to_string()));
        let within = self.made_iterators.len();
        if let Head::Next { item: Some(_), .. } = &head {
            self.made_iterators
                .push((iterator.clone(), f.for_token.span));
        }
        let done = self.loop_body(&f.body, head, &at);
        self.made_loops.truncate(loops);
        self.made_iterators.truncate(within);
        let on = carried.on();
        let (code, points) = self.close(&quote!(#on continue #at;));
        self.end_carried(&carried, &at);
        self.loops.pop();
        self.after.leave();
        self.after.leave();
        self.visible.truncate(depth);
        done?;
        let before = label(&self.name("u").to_string());
        self.loop_unit(points, &before);
        self.put(again);
        self.put(quote!(#at: loop { #code }));
        Ok(())
    }
}

/// What the user is told that a value is used in.
const THE_LOOP: &str = "the loop";

/// How a `for` loop is entered.
struct Entered<'a> {
    /// Code in front of the loop whichever way it is entered.
    again: TokenStream,
    /// What that is made from.
    sources: TokenStream,
    head: Head<'a>,
}

impl<'a> Entered<'a> {
    /// The iterator is there already.
    fn as_it_is(iterator: &Ident, pat: &'a Pat, sources: TokenStream) -> Entered<'a> {
        let head = Head::Next {
            iterator: iterator.clone(),
            pat,
            count: quote!(),
            item: None,
            values: false,
            folded: false,
        };
        Entered {
            again: TokenStream::new(),
            sources,
            head,
        }
    }
}

fn attrs(e: &Expr) -> &[syn::Attribute] {
    match e {
        Expr::Loop(l) => &l.attrs,
        Expr::While(w) => &w.attrs,
        _ => &[],
    }
}

/// What the analysis of moves calls an iterator that is made again.
fn again_name(head: &Head, attrs: &[syn::Attribute]) -> Option<String> {
    match head {
        Head::Next { item: Some(_), .. } => moves::of_loop(attrs),
        _ => None,
    }
}

/// How a loop goes on.
pub(in crate::build) enum Head<'a> {
    Loop,
    While(&'a Expr),
    Next {
        iterator: Ident,
        pat: &'a Pat,
        count: TokenStream,
        /// The item in hand after going back in, of an iterator that was made again.
        item: Option<Ident>,
        /// It may be a value of its own.
        values: bool,
        /// Closures of its iterator have become part of the body.
        folded: bool,
    },
}
