//! Values without a name in the head of a branch, a loop or a marked call: in the user's code they live until its end, here
//! until its code is jumped to.  Their types decide whether that can be seen, and is refused (`pc3::point::Brief`).

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned, ToTokens};
use syn::spanned::Spanned;
use syn::{parse_quote, parse_quote_spanned, BinOp, Expr, Pat, Stmt, UnOp};

use super::{BodyForm, Builder, HELD};
use crate::methods;
use crate::names::is_binding;
use crate::reevaluation::{guarded_mut, is_guard, is_place, telling};

/// Such a value's type, with what is said of it.
pub(super) struct Brief {
    span: Span,
    text: String,
}

impl Builder {
    /// Judges what an expression borrows from while its value is made; `what`: it lives until the end of this.
    pub(super) fn brief(&mut self, e: &mut Expr, what: &str) {
        self.brief_value(e, what);
    }

    /// A guard in a head that is taken before all else gets a name, as if by a `let` in front: it is taken again behind a
    /// checkpoint.
    pub(super) fn name_guard(&mut self, e: &mut Expr) -> Vec<Ident> {
        let depth = self.visible.len();
        self.name_first(e, false);
        let named = self.visible[depth..].iter();
        named.map(|v| v.name.clone()).collect()
    }

    pub(super) fn end_for_else(&mut self, names: Vec<Ident>, at: Span) {
        if names.is_empty() {
            return;
        }
        self.put(ends_for_else(&names, at));
    }

    fn name_first(&mut self, e: &mut Expr, within: bool) {
        let Some(guard) = first_guard(e, within) else {
            return;
        };
        if let Some(of) = guarded_mut(guard) {
            self.name_first(of, true);
        }
        self.names += 1;
        let mut again = self.probe();
        again.prefix = HELD;
        let mut named = guard.clone();
        again.name(&mut named);
        let from = again.from;
        if from.last().is_some_and(|s| s.chain.is_some()) {
            *guard = named;
            self.sources(from);
        }
    }

    /// That of a marked call's arguments.
    pub(super) fn name_guard_of_call(&mut self, call: &mut Expr) {
        let first = match call {
            Expr::Call(c) => c.args.first_mut(),
            Expr::MethodCall(m) if is_place(&m.receiver) => m.args.first_mut(),
            _ => None,
        };
        if let Some(first) = first {
            self.name_guard(first);
        }
    }

    /// Judges what a marked call's operands are made from; values that it borrows are kept, unless it `ends` them.
    pub(super) fn brief_operands(&mut self, call: &mut Expr, ends: bool) {
        if ends {
            let what = "the `if let`";
            return match call {
                Expr::Call(c) => c.args.iter_mut().for_each(|a| self.brief_value(a, what)),
                Expr::MethodCall(m) => {
                    self.brief_place(&mut m.receiver, what);
                    m.args.iter_mut().for_each(|a| self.brief_value(a, what));
                }
                _ => {}
            };
        }
        let what = "the call";
        match call {
            Expr::Call(c) => c.args.iter_mut().for_each(|a| self.brief_operand(a, what)),
            Expr::MethodCall(m) => {
                self.naming(true, |s| s.brief_value(&mut m.receiver, what));
                m.args.iter_mut().for_each(|a| self.brief_operand(a, what));
            }
            _ => {}
        }
    }

    fn naming(&mut self, named: bool, judge: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.guards_named, named);
        judge(self);
        self.guards_named = before;
    }

    fn brief_operand(&mut self, e: &mut Expr, what: &str) {
        match e {
            Expr::Paren(p) => self.brief_operand(&mut p.expr, what),
            Expr::Group(g) => self.brief_operand(&mut g.expr, what),
            Expr::Reference(r) => self.naming(true, |s| s.brief_value(&mut r.expr, what)),
            e if self.is_again(e) => match e {
                Expr::MethodCall(m) => {
                    self.naming(true, |s| s.brief_value(&mut m.receiver, what));
                    m.args.iter_mut().for_each(|a| self.brief_value(a, what));
                }
                Expr::Call(c) => c.args.iter_mut().for_each(|a| self.brief_operand(a, what)),
                Expr::Tuple(t) => t.elems.iter_mut().for_each(|a| self.brief_operand(a, what)),
                Expr::Array(t) => t.elems.iter_mut().for_each(|a| self.brief_operand(a, what)),
                _ => {}
            },
            e => self.brief_value(e, what),
        }
    }

    /// Does the expression borrow from values that are made in it?
    pub(super) fn has_briefs(&mut self, e: &Expr) -> bool {
        let before = self.briefs.len();
        self.brief_value(&mut e.clone(), "");
        let has = self.briefs.len() > before;
        self.briefs.truncate(before);
        has
    }

    /// Judges what a pattern leaves of the expression's value.
    pub(super) fn brief_rest(&mut self, e: &mut Expr, what: &str) {
        let text = format!("what the patterns leave of this value lives until the end of {what}, and a checkpoint within would end it: bind all of it, or bind the value by `let` in front and match a borrow of that (`&x`)");
        self.judge(e, text);
    }

    pub(super) fn brief_parameter(&mut self, e: &mut Expr) {
        self.judge(e, "what this parameter's pattern leaves of its value lives until the end of the function, and a checkpoint within would end it: give all parts names".to_owned());
    }

    /// Of the items of a loop.
    pub(super) fn brief_item(&mut self, item: TokenStream, pat: &Pat) -> TokenStream {
        let mut item = Expr::Verbatim(item);
        let text = "what this pattern leaves of an item lives until the end of the loop's body, and a checkpoint within would end it: give all parts names";
        self.judge_at(&mut item, pat.span(), text.to_owned());
        item.to_token_stream()
    }

    fn judge(&mut self, e: &mut Expr, text: String) {
        self.judge_at(e, e.span(), text);
    }

    fn judge_at(&mut self, e: &mut Expr, span: Span, text: String) {
        let of = of(self.briefs.len());
        let at = telling(e);
        self.briefs.push(Brief { span, text });
        if self.form == BodyForm::Hot {
            return;
        }
        *e = parse_quote_spanned! {at=>
            (match (#e) { pc3_v => { if false { loop {} ::pc3::point::of(&pc3_v, &#of); } pc3_v } })
        };
    }

    /// An expression whose value is moved to where it is used.
    fn brief_value(&mut self, e: &mut Expr, what: &str) {
        match e {
            Expr::Paren(p) => self.brief_value(&mut p.expr, what),
            Expr::Group(g) => self.brief_value(&mut g.expr, what),
            Expr::Call(c) => self.naming(false, |s| {
                c.args.iter_mut().for_each(|a| s.brief_value(a, what));
            }),
            Expr::MethodCall(m) => {
                match methods::consumes(&m.method.to_string(), m.args.len()) {
                    true => self.brief_value(&mut m.receiver, what),
                    false => self.brief_place(&mut m.receiver, what),
                }
                self.naming(false, |s| {
                    m.args.iter_mut().for_each(|a| s.brief_value(a, what));
                });
            }
            Expr::Field(_) | Expr::Index(_) => self.brief_place(e, what),
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => self.brief_place(e, what),
            Expr::Unary(u) => self.brief_value(&mut u.expr, what),
            Expr::Reference(r) => self.brief_place(&mut r.expr, what),
            Expr::Cast(c) => self.brief_value(&mut c.expr, what),
            Expr::Try(t) => self.brief_value(&mut t.expr, what),
            Expr::Binary(b) => {
                use BinOp as B;
                let compares = matches!(
                    b.op,
                    B::Eq(_) | B::Ne(_) | B::Lt(_) | B::Le(_) | B::Gt(_) | B::Ge(_)
                );
                for side in [&mut b.left, &mut b.right] {
                    match compares {
                        true => self.brief_place(side, what),
                        false => self.brief_value(side, what),
                    }
                }
            }
            Expr::Tuple(t) => t.elems.iter_mut().for_each(|e| self.brief_value(e, what)),
            Expr::Array(t) => t.elems.iter_mut().for_each(|e| self.brief_value(e, what)),
            Expr::Struct(s) => s
                .fields
                .iter_mut()
                .for_each(|f| self.brief_value(&mut f.expr, what)),
            Expr::Range(r) => [&mut r.start, &mut r.end]
                .into_iter()
                .flatten()
                .for_each(|e| self.brief_value(e, what)),
            // What these look at lives as long as the statement that they are in.
            Expr::Match(m) => self.brief_place(&mut m.expr, what),
            Expr::If(i) => {
                if let Expr::Let(l) = &mut *i.cond {
                    self.brief_place(&mut l.expr, what);
                }
            }
            Expr::Block(syn::ExprBlock { block, .. })
            | Expr::Unsafe(syn::ExprUnsafe { block, .. }) => {
                if let Some(Stmt::Expr(e, None)) = block.stmts.last_mut() {
                    self.brief_value(e, what);
                }
            }
            _ => {}
        }
    }

    /// An expression that is borrowed from, so a value that is made there has a place of its own.
    fn brief_place(&mut self, e: &mut Expr, what: &str) {
        // It gets a name there, and is made again.
        if self.guards_named && self.probe().chain(&mut e.clone()).is_some() {
            return;
        }
        match e {
            Expr::Paren(p) => self.brief_place(&mut p.expr, what),
            Expr::Group(g) => self.brief_place(&mut g.expr, what),
            Expr::Path(_) | Expr::Lit(_) | Expr::Closure(_) => {}
            Expr::Field(f) => self.brief_place(&mut f.base, what),
            Expr::Index(i) => {
                self.brief_place(&mut i.expr, what);
                self.brief_value(&mut i.index, what);
            }
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => self.brief_place(&mut u.expr, what),
            Expr::Reference(r) => self.brief_place(&mut r.expr, what),
            Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Try(_)
            | Expr::Struct(_)
            | Expr::Macro(_) => {
                self.brief_value(e, what);
                self.judge(e, format!("what is made here lives until the end of {what}, as a lock or the guard of a `RefCell` does, and a checkpoint within would end it: bind what is needed of it by `let` in front"));
            }
            e => self.brief_value(e, what),
        }
    }
}

/// They end in front of the `else`, since edition 2024.
pub(crate) fn ends_for_else(names: &[Ident], at: Span) -> TokenStream {
    let names = names.iter().rev();
    // `_` is an expression since then.
    let later = quote_spanned! {at=> {
        macro_rules! pc3_edition { ($e:expr) => { true }; (_) => { false }; }
        pc3_edition!(_)
    }};
    quote!(if #later { #(::core::mem::drop(#names);)* })
}

/// The guard that an expression takes before it evaluates anything else, if it is no more than a part of it.
fn first_guard(e: &mut Expr, within: bool) -> Option<&mut Expr> {
    if within && is_guard(e) {
        return Some(e);
    }
    match e {
        Expr::Paren(p) => first_guard(&mut p.expr, within),
        Expr::Group(g) => first_guard(&mut g.expr, within),
        Expr::Field(f) => first_guard(&mut f.base, true),
        Expr::Index(i) => first_guard(&mut i.expr, true),
        Expr::MethodCall(m) => first_guard(&mut m.receiver, true),
        Expr::Unary(u) => first_guard(&mut u.expr, true),
        Expr::Reference(r) => first_guard(&mut r.expr, true),
        Expr::Cast(c) => first_guard(&mut c.expr, true),
        Expr::Try(t) => first_guard(&mut t.expr, true),
        Expr::Binary(b) if !matches!(b.op, BinOp::And(_) | BinOp::Or(_)) => {
            match matches!(*b.left, Expr::Lit(_)) {
                true => first_guard(&mut b.right, true),
                false => first_guard(&mut b.left, true),
            }
        }
        Expr::Range(r) => match (&mut r.start, &mut r.end) {
            (Some(e), _) if !matches!(**e, Expr::Lit(_)) => first_guard(e, true),
            (_, Some(e)) => first_guard(e, true),
            _ => None,
        },
        _ => None,
    }
}

fn of(number: usize) -> Ident {
    format_ident!("pc3_brief{}", number)
}

impl Brief {
    /// The question, and where it is asked.
    pub(super) fn question(&self, number: usize, b: &Builder) -> (TokenStream, TokenStream) {
        let mode = b.judged();
        let (of, ty) = (of(number), format_ident!("Pc3Head{}", number));
        let judged = format_ident!("pc3_judged_head{}", number);
        let text = format!(": {}", self.text);
        let line = quote_spanned!(self.span=> ::core::line!());
        let question = quote_spanned! {self.span.resolved_at(Span::call_site())=>
            struct #ty;
            impl ::pc3::point::Local for #ty {
                const ENDS: bool = true;
                const TEXT: &'static str = ::core::concat!(::core::file!(), ":", #line, #text);
            }
            let #of = ::core::marker::PhantomData;
            let #judged = const { ::pc3::point::judge::<#ty, _, #mode>() };
        };
        (
            question,
            quote!(::pc3::point::Brief::of(&#of).ends(#judged);),
        )
    }
}

/// Does a place hold the value, which has a name?
pub(super) fn is_named(e: &Expr) -> bool {
    match e {
        Expr::Path(_) => true,
        Expr::Field(f) => is_named(&f.base),
        Expr::Index(_) => true,
        Expr::Unary(u) => matches!(u.op, UnOp::Deref(_)),
        Expr::Paren(p) => is_named(&p.expr),
        Expr::Group(g) => is_named(&g.expr),
        _ => false,
    }
}

/// Does the pattern leave a part of what it matches where that is?
pub(crate) fn leaves(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(p) if !is_binding(p) => false,
        Pat::Ident(p) => p.by_ref.is_some(),
        Pat::Or(o) => o.cases.iter().any(leaves),
        Pat::Paren(p) => leaves(&p.pat),
        Pat::Slice(s) => s.elems.iter().any(leaves),
        Pat::Struct(s) => s.rest.is_some() || s.fields.iter().any(|f| leaves(&f.pat)),
        Pat::Tuple(t) => t.elems.iter().any(leaves),
        Pat::TupleStruct(t) => t.elems.iter().any(leaves),
        Pat::Type(t) => leaves(&t.pat),
        Pat::Wild(_) | Pat::Rest(_) | Pat::Macro(_) | Pat::Verbatim(_) => true,
        _ => false,
    }
}

/// Is nothing left where the pattern does not match?
pub(crate) fn leaves_nothing_else(pat: &Pat) -> bool {
    match pat {
        Pat::TupleStruct(t) => {
            let is_some = t.path.segments.last().is_some_and(|s| s.ident == "Some");
            is_some
                && t.elems
                    .iter()
                    .all(|p| matches!(p, Pat::Ident(_) | Pat::Wild(_)))
        }
        Pat::Paren(p) => leaves_nothing_else(&p.pat),
        Pat::Ident(p) => is_binding(p) && p.subpat.is_none(),
        Pat::Wild(_) => true,
        _ => false,
    }
}

/// A value that has a name because a marked call is within.
pub(super) fn whole_value(e: &Expr) -> Option<Expr> {
    let Expr::Path(p) = e else { return None };
    let name = p.path.get_ident()?;
    name.to_string()
        .starts_with(crate::operands::HEAD)
        .then(|| parse_quote!({ #name }))
}
