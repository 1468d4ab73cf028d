//! Closures of iterators that are made again: they are called again, so what they do is known to be nothing but giving a value.
//! What shows is judged here; of what operators and methods are called on, the types are asked.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Block, Expr, ExprClosure, Stmt, UnOp};

use crate::again::{is_adaptor, is_constructor, iterates, telling};
use crate::build::places;
use crate::marks::{self, Arguments};
use crate::names::NUMBERS;

const WHY: &str = "would be called again for the items that were taken, as this iterator is made again behind a checkpoint, and what else it does is not known here: do that in the loop, or collect what the iterator gives into a `Vec` first";

/// Sees to it that an iterator's closures are such, or gives what is not known of them; `known` are locals that are.
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
    let mut given = Given {
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

struct Given {
    names: HashSet<String>,
    known: HashSet<String>,
}

impl VisitMut for Given {
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
}

impl VisitMut for Closures<'_> {
    fn visit_expr_closure_mut(&mut self, c: &mut ExprClosure) {
        let mut look = Pure {
            known: self.known,
            asked: places::asked(&c.body, &quote!(::pc3::point::fine)),
            wrong: None,
        };
        look.expr(&c.body);
        if let Some(wrong) = look.wrong {
            return self.wrong(wrong);
        }
        let asked = look.asked;
        visit_mut::visit_expr_mut(self, &mut c.body);
        let body = &c.body;
        if !asked.is_empty() {
            *c.body = parse_quote!({
                if false {
                    loop {}
                    #[allow(unused_imports)]
                    use ::pc3::point::{HoldsItself as _, HoldsOther as _, HoldsPlain as _, HoldsPointer as _};
                    #asked
                }
                #body
            });
        }
    }
    fn visit_expr_method_call_mut(&mut self, m: &mut syn::ExprMethodCall) {
        let values = ["chain", "skip", "step_by", "take", "zip"];
        if is_adaptor(&m.method) && !values.iter().any(|n| m.method == n) {
            let wrong: Vec<_> = m.args.iter().filter_map(|a| named(a, self.known)).collect();
            wrong.into_iter().for_each(|w| self.wrong(w));
        }
        visit_mut::visit_expr_method_call_mut(self, m);
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

/// A function of the standard library's that does nothing but give a value.
fn is_known(p: &syn::ExprPath) -> bool {
    const TYPES: &[&str] = &[
        "String", "str", "Vec", "Option", "Box", "Rc", "Arc", "Some", "Ok",
    ];
    const APART: &[&str] = &[
        "cell", "env", "fs", "io", "net", "process", "sync", "thread", "time",
    ];
    let mut words = p.path.segments.iter().map(|s| s.ident.to_string());
    let first = words.next().unwrap_or_default();
    let standard = ["std", "core", "alloc"].contains(&&*first);
    let of_type = TYPES.contains(&&*first) || NUMBERS.contains(&&*first);
    let more = p.path.segments.len() > 1;
    more && (of_type || standard && !words.any(|w| APART.contains(&&*w)))
}

/// Methods of the standard library that call nothing of what is in what they are called on.
const STRUCTURE: &[&str] = &[
    "as_bytes",
    "as_deref",
    "as_path",
    "as_ref",
    "as_slice",
    "as_str",
    "back",
    "capacity",
    "expect",
    "first",
    "front",
    "get",
    "is_empty",
    "is_err",
    "is_none",
    "is_ok",
    "is_some",
    "last",
    "len",
    "split_at",
    "split_first",
    "split_last",
    "unwrap",
];

/// Methods of iterators beside those.
const OF_ITERATORS: &[&str] = &[
    "all", "any", "count", "find", "fold", "position", "product", "sum",
];

struct Pure<'k> {
    known: &'k HashSet<String>,
    asked: TokenStream,
    wrong: Option<(Span, String)>,
}

impl Pure<'_> {
    fn no(&mut self, at: Span, what: &str) {
        self.wrong.get_or_insert((at, what.to_owned()));
    }

    fn all<'e>(&mut self, list: impl IntoIterator<Item = &'e Expr>) {
        list.into_iter().for_each(|e| self.expr(e));
    }

    fn block(&mut self, b: &Block) {
        for s in &b.stmts {
            match s {
                Stmt::Local(l) => {
                    let init = l.init.iter();
                    for i in init {
                        self.expr(&i.expr);
                        self.all(i.diverge.iter().map(|d| &*d.1));
                    }
                }
                Stmt::Expr(e, _) => self.expr(e),
                Stmt::Macro(m) => self.mac(&m.mac),
                Stmt::Item(_) => {}
            }
        }
    }

    /// Of an operand: its operators are the language's, or the standard library's.
    fn fixed(&mut self, e: &Expr) {
        if !matches!(e, Expr::Lit(_)) {
            let at = telling(e);
            self.asked
                .extend(quote_spanned!(at=> ::pc3::point::called_again(&(#e));));
        }
        self.expr(e);
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Lit(_) | Expr::Path(_) | Expr::Closure(_) => {}
            Expr::Paren(p) => self.expr(&p.expr),
            Expr::Group(g) => self.expr(&g.expr),
            Expr::Field(f) => self.expr(&f.base),
            Expr::Index(i) => self.all([&*i.expr, &*i.index]),
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => self.expr(&u.expr),
            Expr::Unary(u) => self.fixed(&u.expr),
            Expr::Binary(b) if matches!(b.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) => {
                self.all([&*b.left, &*b.right]);
            }
            Expr::Assign(a) => self.all([&*a.left, &*a.right]),
            Expr::Binary(b) => {
                self.fixed(&b.left);
                self.fixed(&b.right);
            }
            Expr::Cast(c) => self.expr(&c.expr),
            Expr::Reference(r) => self.expr(&r.expr),
            Expr::Tuple(t) => self.all(&t.elems),
            Expr::Array(a) => self.all(&a.elems),
            Expr::Repeat(r) => self.expr(&r.expr),
            Expr::Struct(s) => self.all(s.fields.iter().map(|f| &f.expr)),
            Expr::Range(r) => self.all([&r.start, &r.end].into_iter().flatten().map(|e| &**e)),
            Expr::Block(b) => self.block(&b.block),
            Expr::If(i) => {
                self.expr(&i.cond);
                self.block(&i.then_branch);
                self.all(i.else_branch.iter().map(|e| &*e.1));
            }
            Expr::Let(l) => self.expr(&l.expr),
            Expr::Match(m) => {
                self.expr(&m.expr);
                for a in &m.arms {
                    self.all(a.guard.iter().map(|g| &*g.1));
                    self.expr(&a.body);
                }
            }
            Expr::Return(r) => self.all(r.expr.as_deref()),
            Expr::Try(t) => self.expr(&t.expr),
            Expr::Macro(m) => self.mac(&m.mac),
            Expr::Call(c) => {
                match named(&c.func, self.known) {
                    Some((at, what)) => self.no(at, &what),
                    None if matches!(&*c.func, Expr::Path(_)) => {}
                    None => self.no(c.func.span(), "this"),
                }
                let constructs = is_constructor(&c.func);
                for a in &c.args {
                    match constructs {
                        true => self.expr(a),
                        false => self.fixed(a),
                    }
                }
            }
            Expr::MethodCall(m) => self.method(m),
            e => self.no(e.span(), "what this does"),
        }
    }

    fn method(&mut self, m: &syn::ExprMethodCall) {
        let name = m.method.to_string();
        let of_iterator = matches!(&*m.receiver, Expr::MethodCall(r) if iterates(&r.method) || is_adaptor(&r.method));
        let (receiver, at) = (&m.receiver, m.method.span().resolved_at(Span::call_site()));
        if of_iterator && (is_adaptor(&m.method) || OF_ITERATORS.contains(&&*name)) {
            self.expr(receiver);
        } else if STRUCTURE.contains(&&*name) || iterates(&m.method) {
            self.asked
                .extend(quote_spanned!(at=> ::pc3::point::plain(&#receiver);));
            self.expr(receiver);
        } else {
            self.fixed(receiver);
        }
        for a in &m.args {
            if let Some((at, what)) = named(a, self.known).filter(|_| of_iterator) {
                self.no(at, &what);
            }
            self.expr(a);
        }
    }

    fn mac(&mut self, mac: &syn::Macro) {
        match marks::arguments(mac) {
            Some(Arguments::Listed(list)) => {
                let text = marks::format_string(mac);
                for (i, e) in list.iter().enumerate() {
                    match text {
                        Some(t) if i > t => self.fixed(e),
                        _ => self.expr(e),
                    }
                }
            }
            Some(Arguments::Repeated(item, n)) => self.all([&*item, &*n]),
            None if mac.path.is_ident("matches") => match matched(&mac.tokens) {
                Some(e) => self.expr(&e),
                None => self.no(mac.path.span(), "this macro"),
            },
            None => self.no(mac.path.span(), "this macro"),
        }
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
