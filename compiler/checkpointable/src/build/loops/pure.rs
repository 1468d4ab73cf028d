//! Closures of iterators, and of parts of texts, that are made again: they are called again, so what they do is known to be nothing
//! but giving a value.  What shows is judged here; of what operators and methods are called on, the types are asked.

use std::collections::HashSet;

use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{parse_quote, parse_quote_spanned, Block, Expr, ExprClosure, Stmt, UnOp};

use crate::build::places;
use crate::marks::{self, Arguments};
use crate::names::texts::captures;
use standard::{is_known, is_method};

use crate::reevaluation::{is_adaptor, is_constructor, is_source, is_word, iterates, telling};

mod results;
mod standard;

const WHY: &str = "would be called again, as this iterator, or part of a text, is made again behind a checkpoint, and what else it does is not known here: do that in the loop, or keep what this gives as a value (`collect()` into a `Vec`, `to_owned()`)";

/// Sees to it that closures are such that methods are given, or gives what is not known of them; `known` are locals that are.
pub(in crate::build) fn closures(e: &mut Expr, known: &HashSet<String>) -> Vec<syn::Error> {
    let mut look = Closures {
        known,
        errors: Vec::new(),
    };
    look.visit_expr_mut(e);
    look.errors
}

/// The closures in locals that iterators are given, and of which nothing else is known.
pub(in crate::build) fn in_locals(block: &mut Block) -> HashSet<String> {
    let mut locals = Locals::default();
    locals.visit_block(block);
    let mut given = BoundNames {
        names: locals.0,
        known: HashSet::new(),
    };
    given.visit_block_mut(block);
    given.known
}

/// Names that adaptors are given.
#[derive(Default)]
struct Locals(HashSet<String>);

impl<'ast> Visit<'ast> for Locals {
    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        if is_adaptor(&m.method) {
            let names = m.args.iter().filter_map(|a| match a {
                Expr::Path(p) => p.path.get_ident(),
                Expr::Reference(r) => match &*r.expr {
                    Expr::Path(p) => p.path.get_ident(),
                    _ => None,
                },
                _ => None,
            });
            self.0.extend(names.map(ToString::to_string));
        }
        visit::visit_expr_method_call(self, m);
    }
}

struct BoundNames {
    names: HashSet<String>,
    known: HashSet<String>,
}

impl VisitMut for BoundNames {
    fn visit_local_mut(&mut self, l: &mut syn::Local) {
        if let (syn::Pat::Ident(p), Some(init)) = (&l.pat, &mut l.init) {
            let name = p.ident.to_string();
            if matches!(*init.expr, Expr::Closure(_)) && self.names.contains(&name) {
                let mut judged = (*init.expr).clone();
                if closures(&mut judged, &self.known).is_empty() {
                    *init.expr = judged;
                    self.known.insert(name);
                }
            }
        }
        visit_mut::visit_local_mut(self, l);
    }
}

struct Closures<'k> {
    known: &'k HashSet<String>,
    errors: Vec<syn::Error>,
}

impl Closures<'_> {
    fn wrong(&mut self, (at, what): (Span, String)) {
        self.errors
            .push(syn::Error::new(at, format!("{what} {WHY}")));
    }

    /// What parts of a text are found by: a text or a character, unless it is a function.
    fn found_by(&self, e: &mut Expr) {
        let path = match &*e {
            Expr::Reference(r) => &*r.expr,
            e => e,
        };
        if matches!(path, Expr::Path(_)) && named(path, self.known).is_some() {
            let at = telling(e);
            *e = parse_quote_spanned!(at=> { if false { loop {} ::pc3::point::called_again(&#e); } #e });
        }
    }
}

/// Does the method take what parts of a text, or a list, are found by?
fn finds(method: &Ident) -> bool {
    const NAMES: &str =
        "chunk_by match_indices matches rmatches rsplit rsplit_once rsplit_terminator rsplitn split split_inclusive \
        split_once split_terminator splitn strip_prefix strip_suffix trim_end_matches trim_matches \
        trim_start_matches";
    is_word(NAMES, method)
}

impl VisitMut for Closures<'_> {
    fn visit_expr_closure_mut(&mut self, c: &mut ExprClosure) {
        let mut look = Pure {
            known: self.known,
            asked: TokenStream::new(),
            wrong: None,
        };
        look.scope(&mut c.body);
        if let syn::ReturnType::Type(_, ty) = &c.output {
            results::made_into(&mut c.body, ty);
        }
        if let Some(wrong) = look.wrong {
            return self.wrong(wrong);
        }
        visit_mut::visit_expr_mut(self, &mut c.body);
    }
    fn visit_expr_method_call_mut(&mut self, m: &mut syn::ExprMethodCall) {
        let values = ["chain", "skip", "step_by", "take", "zip"];
        if is_adaptor(&m.method) && !values.iter().any(|n| m.method == n) {
            let wrong: Vec<_> = m.args.iter().filter_map(|a| named(a, self.known)).collect();
            wrong.into_iter().for_each(|w| self.wrong(w));
        }
        if m.method == "cloned" && over_borrows(&m.receiver) {
            let (of, at) = (&m.receiver, m.method.span().resolved_at(Span::call_site()));
            *m.receiver = copied(of, at, &quote!(items));
        }
        if finds(&m.method) {
            m.args.iter_mut().for_each(|a| self.found_by(a));
        }
        visit_mut::visit_expr_method_call_mut(self, m);
    }
    fn visit_expr_call_mut(&mut self, c: &mut syn::ExprCall) {
        if is_source(&c.func) {
            let wrong: Vec<_> = c
                .args
                .iter()
                .skip(1)
                .filter_map(|a| named(a, self.known))
                .collect();
            let is = |name: &str| matches!(&*c.func, Expr::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == name));
            wrong
                .into_iter()
                .filter(|_| is("successors"))
                .for_each(|w| self.wrong(w));
            if let (true, Some(value)) = (is("repeat") || is("repeat_n"), c.args.first_mut()) {
                *value = copied(value, telling(value), &quote!(value));
            }
        }
        visit_mut::visit_expr_call_mut(self, c);
    }
}

/// Does it show that this goes over borrowed values?
fn over_borrows(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => over_borrows(&p.expr),
        Expr::Group(g) => over_borrows(&g.expr),
        Expr::MethodCall(m) => {
            iterates(&m.method) || is_adaptor(&m.method) && over_borrows(&m.receiver)
        }
        _ => false,
    }
}

/// An iterator of which the items are copied, each as often as it is made again.
fn copied(iterator: &Expr, at: Span, what: &TokenStream) -> Expr {
    parse_quote_spanned! {at=>
        (match (#iterator) {
            pc3_v => {
                if false {
                    loop {}
                    #[allow(unused_imports)]
                    use ::pc3::point::{CopiesBits as _, CopiesKnown as _, CopiesOther as _, CopiesPlain as _};
                    (&&&&::pc3::point::Copies::#what(&pc3_v)).known();
                }
                pc3_v
            }
        })
    }
}

/// A function by its name, unless it is one of the standard library's or a constructor.
fn named(e: &Expr, known: &HashSet<String>) -> Option<(Span, String)> {
    if let Expr::Reference(r) = e {
        return named(&r.expr, known);
    }
    let Expr::Path(p) = e else { return None };
    let local = p
        .path
        .get_ident()
        .is_some_and(|i| known.contains(&i.to_string()));
    match local || is_constructor(e) || is_known(p) {
        true => None,
        false => {
            let name = p.path.segments.last().map(|s| s.ident.to_string());
            Some((e.span(), format!("`{}`", name.unwrap_or_default())))
        }
    }
}

/// Methods of the standard library that call nothing of what is in what they are called on.
const STRUCTURE: &str =
    "as_bytes as_deref as_path as_ref as_slice as_str back capacity expect first front get is_empty is_err is_none \
    is_ok is_some last len split_at split_first split_last unwrap";

/// Methods of iterators beside those.
const OF_ITERATORS: &[&str] = &[
    "all", "any", "count", "find", "find_map", "fold", "last", "max_by", "min_by", "nth",
    "position", "product", "sum",
];

struct Pure<'k> {
    known: &'k HashSet<String>,
    /// What is asked in the scope that is looked at.
    asked: TokenStream,
    wrong: Option<(Span, String)>,
}

impl Pure<'_> {
    fn no(&mut self, at: Span, what: &str) {
        self.wrong.get_or_insert((at, what.to_owned()));
    }

    fn all<'e>(&mut self, list: impl IntoIterator<Item = &'e mut Expr>) {
        list.into_iter().for_each(|e| self.expr(e));
    }

    /// What is asked where names are bound: it is asked there.
    fn apart(&mut self, look: impl FnOnce(&mut Self)) -> TokenStream {
        let outer = std::mem::take(&mut self.asked);
        look(self);
        places::unreached(&std::mem::replace(&mut self.asked, outer))
    }

    fn scope(&mut self, e: &mut Expr) {
        let asked = self.apart(|s| s.expr(e));
        if !asked.is_empty() {
            *e = parse_quote!({ #asked #e });
        }
    }

    fn block(&mut self, b: &mut Block) {
        let mut all = Vec::new();
        for mut stmt in std::mem::take(&mut b.stmts) {
            let asked = self.apart(|s| s.stmt(&mut stmt));
            if let Stmt::Local(syn::Local {
                pat: syn::Pat::Type(t),
                init: Some(i),
                ..
            }) = &mut stmt
            {
                results::made_into(&mut i.expr, &t.ty);
            }
            if !asked.is_empty() {
                all.push(Stmt::Expr(Expr::Verbatim(asked), None));
            }
            all.push(stmt);
        }
        b.stmts = all;
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Local(l) => {
                if let Some(i) = &mut l.init {
                    self.expr(&mut i.expr);
                    self.all(i.diverge.iter_mut().map(|d| &mut *d.1));
                }
            }
            Stmt::Expr(e, _) => self.expr(e),
            Stmt::Macro(m) => self.mac(&m.mac),
            Stmt::Item(_) => {}
        }
    }

    /// Of an operand: its operators are the language's, or the standard library's.
    fn fixed(&mut self, e: &mut Expr) {
        if !matches!(e, Expr::Lit(_)) {
            let at = telling(e);
            self.asked
                .extend(quote_spanned!(at=> ::pc3::point::called_again(&(#e));));
        }
        self.expr(e);
    }

    fn expr(&mut self, e: &mut Expr) {
        let place = places::asked_of(e, &quote!(::pc3::point::fine));
        self.asked.extend(place);
        match e {
            Expr::Lit(_) | Expr::Closure(_) => {}
            Expr::Path(_) => results::given(e),
            Expr::Paren(p) => self.expr(&mut p.expr),
            Expr::Group(g) => self.expr(&mut g.expr),
            Expr::Field(f) => self.expr(&mut f.base),
            Expr::Index(i) => self.all([&mut *i.expr, &mut *i.index]),
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => self.expr(&mut u.expr),
            Expr::Unary(u) => self.fixed(&mut u.expr),
            Expr::Binary(b) if matches!(b.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) => {
                self.all([&mut *b.left, &mut *b.right]);
            }
            Expr::Assign(a) => self.all([&mut *a.left, &mut *a.right]),
            Expr::Binary(b) => {
                self.fixed(&mut b.left);
                self.fixed(&mut b.right);
            }
            Expr::Cast(c) => self.expr(&mut c.expr),
            // A constant, which lives as long as the program.
            Expr::Reference(r) if matches!(*r.expr, Expr::Path(_)) => {}
            Expr::Reference(r) => self.expr(&mut r.expr),
            Expr::Tuple(t) => self.all(&mut t.elems),
            Expr::Array(a) => self.all(&mut a.elems),
            Expr::Repeat(r) => self.expr(&mut r.expr),
            Expr::Struct(s) => {
                self.all(s.fields.iter_mut().map(|f| &mut f.expr));
                self.all(s.rest.as_deref_mut());
                results::given(e);
            }
            Expr::Range(r) => self.all(
                [&mut r.start, &mut r.end]
                    .into_iter()
                    .flatten()
                    .map(|e| &mut **e),
            ),
            Expr::Block(b) => self.block(&mut b.block),
            Expr::If(i) => self.if_(i),
            Expr::Let(l) => self.expr(&mut l.expr),
            Expr::Match(m) => self.match_(m),
            Expr::Return(r) => self.all(r.expr.as_deref_mut()),
            Expr::Try(t) => self.expr(&mut t.expr),
            Expr::Macro(m) => self.mac(&m.mac),
            Expr::Call(c) => {
                self.call(c);
                results::given(e);
            }
            Expr::MethodCall(m) => {
                self.method(m);
                results::given(e);
            }
            e => self.no(e.span(), "what this does"),
        }
    }

    fn if_(&mut self, i: &mut syn::ExprIf) {
        // What the condition binds is there in the branch.
        match &mut *i.cond {
            Expr::Let(l) => self.expr(&mut l.expr),
            cond => {
                let asked = self.apart(|s| s.expr(cond));
                match binds(cond) {
                    true => i
                        .then_branch
                        .stmts
                        .insert(0, Stmt::Expr(Expr::Verbatim(asked), None)),
                    false => self.asked.extend(asked),
                }
            }
        }
        self.block(&mut i.then_branch);
        self.all(i.else_branch.iter_mut().map(|e| &mut *e.1));
    }

    fn match_(&mut self, m: &mut syn::ExprMatch) {
        self.expr(&mut m.expr);
        for a in &mut m.arms {
            let asked = self.apart(|s| {
                s.all(a.guard.iter_mut().map(|g| &mut *g.1));
                s.expr(&mut a.body);
            });
            if !asked.is_empty() {
                let body = &a.body;
                *a.body = parse_quote!({ #asked #body });
            }
        }
    }

    fn call(&mut self, c: &mut syn::ExprCall) {
        match named(&c.func, self.known) {
            Some((at, what)) => self.no(at, &what),
            None if matches!(&*c.func, Expr::Path(_)) => {
                self.asked.extend(standard::ask_type(&c.func));
            }
            None => self.no(c.func.span(), "this"),
        }
        let constructs = is_constructor(&c.func);
        for a in &mut c.args {
            match constructs {
                true => self.expr(a),
                false => self.fixed(a),
            }
        }
    }

    fn method(&mut self, m: &mut syn::ExprMethodCall) {
        let name = m.method.to_string();
        let of_iterator = matches!(&*m.receiver, Expr::MethodCall(r) if iterates(&r.method) || is_adaptor(&r.method));
        let (receiver, at) = (
            &mut m.receiver,
            m.method.span().resolved_at(Span::call_site()),
        );
        if name == "sum" || name == "product" {
            self.asked
                .extend(quote_spanned!(at=> ::pc3::point::items_again(&#receiver);));
        }
        if of_iterator && (is_adaptor(&m.method) || OF_ITERATORS.contains(&&*name)) {
            self.expr(receiver);
        } else if is_word(STRUCTURE, &m.method) || iterates(&m.method) {
            self.asked
                .extend(quote_spanned!(at=> ::pc3::point::plain(&#receiver);));
            self.expr(receiver);
        } else {
            if !is_method(&name) {
                self.no(at, &format!("`{name}`"));
            }
            self.fixed(receiver);
        }
        for a in &mut m.args {
            match named(a, self.known) {
                Some((at, what)) if of_iterator => self.no(at, &what),
                Some(_) if finds(&m.method) => self.fixed(a),
                _ => self.expr(a),
            }
        }
    }

    /// Values that a text names within itself.
    fn captured(&mut self, text: &syn::ExprLit) {
        let syn::Lit::Str(s) = &text.lit else { return };
        let mut names = Vec::new();
        captures(&s.value(), |name| {
            names.extend(syn::parse_str::<Ident>(name));
            None
        });
        for mut name in names {
            name.set_span(s.span());
            self.fixed(&mut parse_quote!(#name));
        }
    }

    fn mac(&mut self, mac: &syn::Macro) {
        match marks::arguments(mac) {
            Some(Arguments::Listed(list)) => {
                let text = marks::format_string(mac);
                for (i, mut e) in list.into_iter().enumerate() {
                    match (text, &mut e) {
                        (Some(t), e) if i > t => self.fixed(e),
                        (Some(_), Expr::Lit(l)) => self.captured(l),
                        (_, e) => self.expr(e),
                    }
                }
            }
            Some(Arguments::Repeated(mut item, mut n)) => self.all([&mut *item, &mut *n]),
            None if mac.path.is_ident("matches") => match matched(&mac.tokens) {
                Some(mut e) => self.expr(&mut e),
                None => self.no(mac.path.span(), "this macro"),
            },
            None => self.no(mac.path.span(), "this macro"),
        }
    }
}

/// Is there a `let` in the condition?
fn binds(e: &Expr) -> bool {
    match e {
        Expr::Let(_) => true,
        Expr::Binary(b) => binds(&b.left) || binds(&b.right),
        Expr::Paren(p) => binds(&p.expr),
        _ => false,
    }
}

/// What `matches!` looks at, if there is no guard.
fn matched(tokens: &TokenStream) -> Option<Expr> {
    let comma = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ',');
    let mut rest = tokens.clone().into_iter();
    let e: TokenStream = rest.by_ref().take_while(|t| !comma(t)).collect();
    let guarded = rest.any(|t| matches!(t, TokenTree::Ident(i) if i == "if"));
    syn::parse2(e).ok().filter(|_| !guarded)
}
