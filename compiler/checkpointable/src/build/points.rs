//! Points: locations, and marked calls with how they are made and gone back into.

use std::collections::BTreeSet;
use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::Expr;

use super::calls::called;
use super::leaf::question;
use super::loops::walks;
use super::loops::Question;
use super::{label, BodyForm, Builder, Chain, Point, Restoration, Result, Var, HELD};
use crate::flow::identifiers;
use crate::marks;
use crate::moves::{self, root, Presence};
use crate::operands::ends;
use crate::reeval::is_input;

impl Builder {
    /// The locals that the frame keeps here, and the point's static.
    pub(super) fn point(
        &mut self,
        what: TokenStream,
        span: Span,
        number: Option<usize>,
    ) -> (u32, Vec<Var>, Ident) {
        self.labels += 1;
        let n = self.labels;
        let visible = self.visible.iter().map(|v| self.way_at(v, number));
        let visible: Vec<Var> = visible.collect();
        let needed = visible.iter().filter(|v| self.needed(v, number));
        let mut vars = with_sources(needed.cloned().collect(), &visible);
        self.cut_stale(&mut vars, number);
        self.refuse_stale(&vars, number);
        self.refuse_closures(&vars);
        let kept: Vec<&Ident> = vars
            .iter()
            .filter(|v| v.way.is_kept())
            .map(|v| &v.name)
            .collect();
        let asked: Vec<&Ident> = vars
            .iter()
            .filter(|v| matches!(v.way, Restoration::Asked(_)))
            .map(|v| &v.name)
            .collect();
        let text = |n: &&Ident| n.to_string();
        let names: Vec<String> = kept.iter().map(text).collect();
        let asked_names: Vec<String> = asked.iter().map(text).collect();
        self.end_others(&vars, span, number);
        let point = format_ident!("PC3_POINT_{}", n);
        let function = &self.function;
        let line = quote_spanned!(span=> ::core::line!());
        let position = self.positions.get(n as usize - 1).map_or("", |p| p);
        self.statics.extend(quote! {
            static #point: ::pc3::point::Point = ::pc3::point::Point {
                function: &#function,
                label: #n,
                file: ::core::file!(),
                line: #line,
                what: #what,
                position: #position,
                live: &[#(#names,)* #(#asked_names),*],
            };
        });
        (n, vars, point)
    }

    /// Leaves the function with these locals.
    fn park(&self, vars: &[Var], point: &Ident, number: Option<usize>) -> TokenStream {
        let named = |wanted: &dyn Fn(&Restoration) -> bool| -> Vec<&Ident> {
            let vars = vars.iter().filter(|v| wanted(&v.way));
            vars.map(|v| &v.name).collect()
        };
        let text = |n: &&Ident| n.to_string();
        let kept = named(&Restoration::is_kept);
        let names: Vec<String> = kept.iter().map(text).collect();
        let asked = named(&|way| matches!(way, Restoration::Asked(_)));
        let asked_names: Vec<String> = asked.iter().map(text).collect();
        let held = named(&|way| matches!(way, Restoration::Transient(_)));
        let held_names: Vec<String> = held.iter().map(text).collect();
        let once = |name: &&&Ident| self.once_name(&syn::parse_quote!(#name)).is_none();
        let moved = kept.iter().filter(once).filter_map(|name| {
            let local = self.moves.at(number?, &name.to_string());
            // In such a region more is kept than what is needed.
            let gone = local.whole == Presence::Moved && self.regions.iter().any(|r| r.part);
            let span = local.moved.or(gone.then(|| name.span()))?;
            Some(quote_spanned!(span=> (&&::pc3::point::Gone(&#name)).gone();))
        });
        let taken = kept.iter().filter_map(|name| {
            let place = self.moves.at(number?, &name.to_string()).taken?;
            Some(quote_spanned!(place.span()=> (&&::pc3::point::Part(&#place)).taken();))
        });
        let in_order = self.loops_in_order();
        let inputs = vars.iter().map(|v| &v.name).filter(|n| is_input(n));
        let steady =
            inputs.map(|n| quote_spanned!(n.span()=> (&&&::pc3::point::Input(#n)).steady();));
        // Those that are declared last end first.
        let parked = vars.iter().rev().filter_map(|v| match &v.way {
            Restoration::Asked(chain) => Some(chain.park(&v.name)),
            Restoration::Walked(_) | Restoration::Once(_) => Some(walks::pause(&v.name)),
            Restoration::Compared(made) => Some(walks::compare(&v.name, made)),
            Restoration::Perhaps(way) => {
                let name = &v.name;
                Some(quote! {
                    let #name = if #way.is_moved() {
                        #way.moved();
                        ::core::option::Option::None
                    } else {
                        #way.lent();
                        ::core::option::Option::Some(#name)
                    };
                })
            }
            Restoration::Handed | Restoration::Piece => {
                let (name, text) = (&v.name, v.name.to_string());
                Some(quote!(let #name = #name.entry(#text);))
            }
            Restoration::Cut => {
                let (name, text) = (&v.name, v.name.to_string());
                Some(quote_spanned!(name.span()=> let #name = ::pc3::point::cut(#text, #name);))
            }
            Restoration::Parted(kind) => {
                let (name, text) = (&v.name, v.name.to_string());
                Some(
                    quote_spanned!(name.span()=> let #name = ::pc3::point::part(&#kind, #text, #name);),
                )
            }
            Restoration::Kept | Restoration::Made(_) | Restoration::Item(_) | Restoration::Transient(_) | Restoration::Closure(_) => None,
        });
        let keeps = kept.iter().zip(&names).map(|(name, text)| {
            let entry = |v: &Var| {
                v.way.is_kept() && !matches!(v.way, Restoration::Kept | Restoration::Perhaps(_))
            };
            match vars.iter().any(|v| v.name == **name && entry(v)) {
                true => quote!(#name,),
                false => quote_spanned!(name.span()=> ::pc3::point::keep(#text, #name),),
            }
        });
        quote! {
            {
                #[allow(unused_imports)]
                use ::pc3::point::{IsCopied as _, IsInput as _, IsMoved as _, IsPart as _, IsShared as _, IsSteady as _, IsWhole as _};
                #(#steady)*
                #(#moved)*
                if false { loop {} #(#taken)* }
            }
            #in_order
            #(#parked)*
            return ::core::result::Result::Err(::pc3::point::leave(&#point, move || ::std::vec![
                #(#keeps)*
                #(::pc3::point::Parked::entry(#asked, #asked_names),)*
                #(::pc3::point::hold(#held_names, #held),)*
            ]))
        }
    }

    fn needed(&self, v: &Var, number: Option<usize>) -> bool {
        let name = v.name.to_string();
        let held = matches!(&v.way, Restoration::Asked(c) if c.guard);
        let used = self.after.needs(&name) || name.starts_with(HELD);
        let Some(n) = number else { return used };
        if self.is_gone(v, n) {
            return false;
        }
        let local = self.moves.at(n, &name);
        match local.whole {
            Presence::Unset => false,
            // The next round of a loop gives it a value first.
            _ if local.unset && !self.moves.used(n, &name) => false,
            Presence::Here if held => true,
            Presence::Here | Presence::Unknown if self.in_macros.contains(&name) => true,
            _ => used || self.moves.used(n, &name),
        }
    }

    /// It has been moved, and nothing uses what it had: it gets another value first, if it has none.
    fn is_gone(&self, v: &Var, number: usize) -> bool {
        let name = v.name.to_string();
        matches!(v.way, Restoration::Kept | Restoration::Parted(_))
            && v.region == self.region_now()
            && !name.starts_with(HELD)
            && !self.after.uses(&name)
            && self.moved_in(&name, number)
    }

    /// What is made again if it is a borrow is saved where what it would be made from may be gone: it is none then.
    fn way_at(&self, v: &Var, number: Option<usize>) -> Var {
        let mut v = v.clone();
        if let (Some(n), true) = (number, matches!(v.way, Restoration::Kept)) {
            let name = v.name.to_string();
            let unused = v.region == self.region_now()
                && !self.moves.used(n, &name)
                && !self.after.uses(&name);
            let called = self.moves.at(n, &name).called;
            let called = called.filter(|_| unused || name.starts_with(HELD));
            if let Some(way) = called.and_then(|n| self.ways.get(&n)) {
                v.way = Restoration::Perhaps(way.clone());
                return v;
            }
        }
        let (Restoration::Asked(chain), Some(n)) = (v.way.clone(), number) else {
            return v;
        };
        if chain.head {
            return self.head_at(v, &chain, n);
        }
        let words = identifiers(&chain.made);
        let gone = self.visible.iter().any(|s| {
            let name = s.name.to_string();
            let used = self.after.needs(&name) || self.moves.used(n, &name);
            // A borrow is made again itself.
            let made = matches!(s.way, Restoration::Made(_)) || s.way.is_item();
            words.contains(&name)
                && match self.moves.at(n, &name).whole {
                    Presence::Here | Presence::Moved | Presence::Unknown if made => false,
                    Presence::Here => !used && chain.taken.as_ref().is_some_and(|t| *t == name),
                    Presence::Moved | Presence::Part | Presence::Unset => true,
                    Presence::Unknown => !used && matches!(s.way, Restoration::Kept),
                }
        });
        if gone {
            v.way = Restoration::Kept;
        }
        v
    }

    /// What it is made from is still there; if it has been moved into an argument there is nothing to save of it.
    fn head_at(&self, mut v: Var, chain: &Rc<Chain>, number: usize) -> Var {
        let name = v.name.to_string();
        if chain.item {
            // Of what has been taken apart the rest is as it was.
            let part = self.moves.at(number, &name).whole == Presence::Part;
            if self.moved_in(&name, number) || (part && !self.moves.mutable.contains(&name)) {
                v.way = Restoration::Item(chain.clone());
            }
        } else if self.moved_in(&v.name.to_string(), number) {
            v.way = Restoration::Made(chain.remade(&v.name));
        }
        v
    }

    /// Has the local been moved, and is not used behind?
    pub(super) fn moved_in(&self, name: &str, number: usize) -> bool {
        self.moves.at(number, name).whole == Presence::Moved && !self.moves.used(number, name)
    }

    /// Locals that may still exist though nothing needs them end here.
    fn end_others(&mut self, needed: &[Var], span: Span, number: Option<usize>) {
        let Some(number) = number else { return };
        for v in &self.visible {
            let name = v.name.to_string();
            let local = self.moves.at(number, &name);
            if local.whole.may_exist() && !needed.iter().any(|n| n.name == v.name) {
                let Some(asked) = self.asked.get_mut(&name) else {
                    continue;
                };
                match local.called.and_then(|n| self.ways.get(&n)) {
                    Some(way) => asked.called.push((way.clone(), false)),
                    None => asked.ends = true,
                }
                asked.part |= local.whole == Presence::Part;
                asked.ended_at(span);
            }
        }
    }

    /// If a field is moved into the call, what is left of its struct ends where that is not needed any more.
    fn end_rest(&mut self, call: &Expr, vars: &[Var], rest: &[Var], way: &Ident) {
        let Expr::MethodCall(m) = call else { return };
        let within = !matches!(&*m.receiver, Expr::Path(_));
        for v in vars.iter().filter(|_| within) {
            let asked = self.asked.get_mut(&v.name.to_string());
            if let (Some(asked), false) = (asked, rest.iter().any(|r| r.name == v.name)) {
                asked.called.push((way.clone(), true));
                asked.part = true;
                asked.ended_at(m.method.span());
            }
        }
    }

    fn refuse_closures(&mut self, needed: &[Var]) {
        for v in needed.iter().filter(|v| matches!(v.way, Restoration::Kept)) {
            let name = v.name.to_string();
            if !self.closures.remove(&name) {
                continue;
            }
            let text = format!("`{}` is a closure, which cannot be saved, and is needed behind a location or marked call: leave out `move`, write it where it is used, or as a function", self.said(&name));
            self.errors.push(syn::Error::new(v.name.span(), text));
        }
    }

    /// What is made again must be the same then.
    fn refuse_stale(&mut self, needed: &[Var], number: Option<usize>) {
        let Some(number) = number else { return };
        let mut stale = Vec::new();
        for v in needed
            .iter()
            .filter(|v| matches!(v.way, Restoration::Made(_)))
        {
            stale.push((v.name.span(), v.name.to_string()));
        }
        let sources: BTreeSet<String> = needed
            .iter()
            .filter_map(|v| match &v.way {
                Restoration::Made(code) => Some(identifiers(code)),
                _ => None,
            })
            .flatten()
            .collect();
        for name in self.borrowed.keys() {
            if self.after.needs(name) || sources.contains(name) {
                stale.push((Span::call_site(), name.clone()));
            }
        }
        for name in &self.made_loops {
            stale.push((Span::call_site(), name.clone()));
        }
        let walked: Vec<String> = needed
            .iter()
            .filter(|v| v.way.is_walked())
            .map(|v| v.name.to_string())
            .collect();
        stale.extend(walked.iter().map(|name| (Span::call_site(), name.clone())));
        for (span, name) in stale {
            let Some((what, at)) = self.moves.at(number, &name).stale else {
                continue;
            };
            let walks = walked.contains(&name) || self.made_loops.contains(&name);
            if what == name && walks {
                continue;
            }
            let (name, what) = (&name[..], &what[..]);
            let (said, source) = (self.said(name), self.said(what));
            let (span, text) = match () {
                () if walks => (
                    at,
                    format!("`{source}`, which a loop or an iterator goes over, changes here; after a restart the iterator is made again: go over a copy, or keep an index"),
                ),
                () if what == name && self.borrowed.contains_key(name) => (
                    at,
                    format!("`{said}` comes from the caller, who makes it again after a restart: what it becomes here would be lost; keep an index, or bind it with another `let`"),
                ),
                () if what == name && self.reevals.contains(name) => (
                    at,
                    format!("`{said}` is made again after a restart: what it becomes here would be lost; leave `#[reeval]` out, or change a copy"),
                ),
                () if what == name => (
                    at,
                    format!("`{said}` is a borrow that is made again after a restart: what it becomes here would be lost; keep an index instead"),
                ),
                () => (
                    span,
                    format!("`{said}` is made again after a restart, and `{source}`, which it is made from, may have another value then: copy that to a `let` without `mut`, or bind a value instead of a borrow"),
                ),
            };
            if !self.errors.iter().any(|e| e.to_string() == text) {
                self.errors.push(syn::Error::new(span, text));
            }
        }
    }

    pub(super) fn location(&mut self, span: Span, number: Option<usize>) {
        let (n, vars, point) = self.point(quote!("checkpoint"), span, number);
        let park = self.park(&vars, &point, number);
        let id = self.region().id;
        self.put(quote!(if ::pc3::point::due() { #park; }));
        let take = self.restore(&vars, id);
        let at = label(&self.name("u").to_string());
        let arms = quote!(::pc3::point::check(&mut pc3_frame, &#point); #take pc3_at = 0; ::pc3::point::back(&mut pc3_frame); ::pc3::point::resumed(););
        self.unit(arms, &[n], &at);
        self.region().points.push(Point { label: n, vars });
    }

    /// A marked call: gives its value.
    pub(super) fn call(&mut self, e: &Expr) -> Result<TokenStream> {
        if let Expr::Try(t) = e {
            let value = self.call(&t.expr)?;
            return Ok(question(value, &self.output, t.question_token.span));
        }
        let mac = marks::call(e)
            .ok_or_else(|| syn::Error::new_spanned(e, "a marked call is expected here"))?;
        let span = mac.mac.path.span();
        let number = moves::number(&mac.attrs);
        let mut inner: Expr = syn::parse2(mac.mac.tokens.clone())?;
        let what = called(&inner);
        let ends = ends(&mac.attrs);
        if !ends {
            self.name_guard_of_call(&mut inner);
        }
        self.brief_operands(&mut inner, ends);
        self.name_operands(&mut inner);
        let written = inner.clone();
        self.leaf(&mut inner);
        self.hand(&written, number);
        // To go back in, borrows are made again.
        self.after.enter_use(&self.borrows_of(&written, number));
        let (n, vars, point) = self.point(quote!(#what), span, number);
        self.after.leave();
        let result = self.name("r");
        self.declare(&result, false, None);
        let call = self.marked(&inner, &written, number)?;
        // Other points know nothing of them.
        let known = self.visible.len() - std::mem::take(&mut self.handed).len();
        self.visible.truncate(known);
        let types = call.types.iter().chain(&call.borrows.types);
        self.head()
            .extend(quote!(#(let #types = ::core::marker::PhantomData;)*));
        let (asked, hot, resume) = (&call.asked, &call.hot, &call.resume);
        self.put(quote!(#asked #result = #hot;));
        let lent = self.taken_back(&vars, &quote!(#result = #resume;));
        let park = self.park(&vars, &point, number);
        let (back, park) = match &call.receiver {
            None => (lent, park),
            Some(r) => {
                let (way, form, again) = (&r.way, &r.form, &r.moved);
                // Also asked at the function's end.
                self.statics.extend(quote! {
                    let #way = ::pc3::point::Way::new();
                    let #form = ::pc3::point::Form::new();
                });
                self.ways.extend(number.map(|n| (n, way.clone())));
                let rest = self.without_receiver(&inner, &vars, number);
                let taken = part_taken(&inner, &rest);
                self.end_rest(&inner, &vars, &rest, way);
                let moved = self.taken_back(&rest, &quote!(#taken #result = #again;));
                let both = |moved: &TokenStream, lent: &TokenStream| {
                    quote! {
                        if #way.is_moved() { #way.moved(); #moved } else { #way.lent(); #lent }
                    }
                };
                let park = match rest.len() == vars.len() {
                    true => park,
                    false => both(&self.park(&rest, &point, number), &park),
                };
                (both(&moved, &lent), park)
            }
        };
        let at = label(&self.name("u").to_string());
        let arms = quote!(::pc3::point::check(&mut pc3_frame, &#point); #back);
        self.unit(arms, &[n], &at);
        self.put(self.in_one_form(call.borrows.asked()));
        self.region().points.push(Point { label: n, vars });
        let mut value = self.name("c");
        value.set_span(inner.span());
        self.declare(&value, false, None);
        self.put(quote! {
            match #result {
                ::core::result::Result::Ok(pc3_v) => #value = pc3_v,
                ::core::result::Result::Err(_) => { #park; }
            }
        });
        Ok(quote!(#value))
    }

    fn taken_back(&self, vars: &[Var], then: &TokenStream) -> TokenStream {
        let take = self.restore(vars, self.region_now());
        quote!(#take pc3_at = 0; ::pc3::point::back(&mut pc3_frame); #then)
    }

    /// What a frame keeps if the call has moved its receiver: not that, unless it is copied and used behind.
    fn without_receiver(&self, call: &Expr, vars: &[Var], number: Option<usize>) -> Vec<Var> {
        let mut rest = vars.to_vec();
        let (Expr::MethodCall(m), Some(n)) = (call, number) else {
            return rest;
        };
        let Some(name) = root(&m.receiver) else {
            return rest;
        };
        let made = |v: &Var| {
            v.way
                .made()
                .is_some_and(|code| identifiers(&code).contains(&name))
        };
        let used = self.moves.used(n, &name)
            || self.after.uses(&name)
            || vars.iter().any(|v| v.name != name && made(v));
        rest.retain(|v| used || v.name != name || v.region != self.region_now());
        rest
    }

    /// Takes back the locals of a region.
    pub(super) fn restore(&self, vars: &[Var], region: usize) -> TokenStream {
        let mut out = TokenStream::new();
        if self.form == BodyForm::Hot {
            return out;
        }
        let mut done = BTreeSet::new();
        for v in vars.iter().filter(|v| v.region == region) {
            let (name, text) = (&v.name, v.name.to_string());
            match &v.way {
                Restoration::Walked(made) => out.extend(walks::back(name, &text, made)),
                Restoration::Compared(made) => out.extend(walks::compared(name, &text, made)),
                // In front of its region.
                Restoration::Once(_) | Restoration::Closure(_) => {}
                Restoration::Kept => out.extend(quote_spanned! {name.span()=>
                    #name = ::pc3::point::take(&mut pc3_frame, #text);
                }),
                Restoration::Handed => out.extend(quote! {
                    #name = ::pc3::point::Handed::back(&mut pc3_frame, #text);
                }),
                Restoration::Piece => out.extend(quote! {
                    #name = ::pc3::point::Handed::lent(&pc3_texts, &mut pc3_frame, #text);
                }),
                Restoration::Cut => out.extend(quote_spanned! {name.span()=>
                    #name = pc3_texts.lend(::pc3::point::take(&mut pc3_frame, #text));
                }),
                Restoration::Parted(kind) => out.extend(quote_spanned! {name.span()=>
                    #name = ::pc3::point::parted(&#kind, &pc3_texts, &mut pc3_frame, #text);
                }),
                Restoration::Perhaps(way) => out.extend(quote! {
                    match ::pc3::point::take(&mut pc3_frame, #text) {
                        ::core::option::Option::Some(pc3_v) => #name = pc3_v,
                        ::core::option::Option::None => { #way.moved(); }
                    }
                }),
                Restoration::Transient(again) => out.extend(quote_spanned! {name.span()=>
                    #name = match ::pc3::point::held(&mut pc3_frame, #text) {
                        ::core::option::Option::Some(pc3_v) => pc3_v,
                        ::core::option::Option::None => #again,
                    };
                }),
                Restoration::Made(code) => {
                    if done.insert(code.to_string()) {
                        out.extend(code.clone());
                    }
                }
                Restoration::Asked(chain) | Restoration::Item(chain) if chain.item => {
                    if done.insert(format!("chain {}", chain.id)) {
                        let of = |made: bool| -> Vec<&Ident> {
                            let same = vars.iter().filter(|o| match &o.way {
                                Restoration::Asked(c) => !made && c.id == chain.id,
                                Restoration::Item(c) => made && c.id == chain.id,
                                _ => false,
                            });
                            same.map(|v| &v.name).collect()
                        };
                        out.extend(chain.item_back(&of(false), &of(true)));
                    }
                }
                Restoration::Item(_) => {}
                Restoration::Asked(chain) => {
                    if done.insert(format!("chain {}", chain.id)) {
                        let same =
                            |o: &&Var| matches!(&o.way, Restoration::Asked(c) if c.id == chain.id);
                        let names: Vec<&Ident> =
                            vars.iter().filter(same).map(|v| &v.name).collect();
                        out.extend(chain.back(&names));
                    }
                }
            }
        }
        out
    }

    /// Borrows that are others than those that would be made again: their types say whether what they lead to can be saved.
    fn cut_stale(&mut self, vars: &mut [Var], number: Option<usize>) {
        let Some(number) = number else { return };
        let mut cut = BTreeSet::new();
        for v in vars.iter_mut() {
            let name = v.name.to_string();
            let Some((_, at)) = self.moves.at(number, &name).stale else {
                continue;
            };
            match &v.way {
                Restoration::Made(code) if !self.reevals.contains(&name) => {
                    cut.insert(code.to_string());
                }
                Restoration::Asked(_) => {
                    let (way, known) = self.parted(&v.name, |kind| Question::Stale(kind, at));
                    self.put(known);
                    v.way = way;
                }
                _ => {}
            }
        }
        // What makes others of the same pattern again would make it, too.
        for v in vars {
            let is = matches!(&v.way, Restoration::Made(code) if cut.contains(&code.to_string()));
            if is {
                v.way = Restoration::Cut;
                self.cuts = true;
            }
        }
    }
}

/// The rest of what a field is moved out of cannot be saved.
fn part_taken(call: &Expr, rest: &[Var]) -> TokenStream {
    let Expr::MethodCall(m) = call else {
        return TokenStream::new();
    };
    let place = &m.receiver;
    let of = root(place).filter(|_| matches!(&**place, Expr::Field(_)));
    let kept = of.is_some_and(|of| {
        rest.iter()
            .any(|v| v.name == of && matches!(v.way, Restoration::Kept))
    });
    if !kept {
        return TokenStream::new();
    }
    let taken = quote_spanned!(place.span()=> (&&::pc3::point::Part(&#place)).taken(););
    quote! {
        if false {
            loop {}
            #[allow(unused_imports)]
            use ::pc3::point::{IsPart as _, IsWhole as _};
            #taken
        }
    }
}

/// With the locals that those to be made again are made from.
pub(super) fn with_sources(vars: Vec<Var>, visible: &[Var]) -> Vec<Var> {
    let mut names: BTreeSet<String> = vars.iter().map(|v| v.name.to_string()).collect();
    loop {
        let before = names.len();
        for v in visible
            .iter()
            .filter(|v| names.contains(&v.name.to_string()))
            .collect::<Vec<_>>()
        {
            if let Some(code) = v.way.made() {
                let sources = identifiers(&code);
                names.extend(
                    visible
                        .iter()
                        .map(|v| v.name.to_string())
                        .filter(|n| sources.contains(n)),
                );
            }
        }
        if names.len() == before {
            break;
        }
    }
    visible
        .iter()
        .filter(|v| names.contains(&v.name.to_string()))
        .cloned()
        .collect()
}
