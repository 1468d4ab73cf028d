//! Closures of iterators that are made again: they are called again, so what they do is known to be nothing but giving a value.
//! What shows is judged here; of what operators and methods are called on, the types are asked.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Block, Expr, ExprClosure, Stmt, UnOp};

use super::places;
use crate::again::{is_adaptor, is_constructor, iterates, telling};
use crate::marks::{self, Arguments};
use crate::names::NUMBERS;

/// Sees to it that an iterator's closures are such, or gives what is not known of them.
pub(super) fn closures(e: &mut Expr) -> Vec<syn::Error> {
    let mut look = Closures(Vec::new());
    look.visit_expr_mut(e);
    look.0
}

struct Closures(Vec<syn::Error>);

impl VisitMut for Closures {
    fn visit_expr_closure_mut(&mut self, c: &mut ExprClosure) {
        let mut look = Pure {
            asked: places::asked(&c.body, &quote!(::pc3::point::fine)),
            wrong: None,
        };
        look.expr(&c.body);
        if let Some((at, what)) = look.wrong {
            self.0.push(syn::Error::new(at, format!("{what} would be called again for the items that were taken, as this iterator is made again behind a checkpoint, and what else it does is not known here: do that in the loop, or collect what the iterator gives into a `Vec` first")));
            return;
        }
        visit_mut::visit_expr_mut(self, &mut c.body);
        let (asked, body) = (look.asked, &c.body);
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
        if is_adaptor(&m.method) && !["zip", "chain"].iter().any(|n| m.method == n) {
            for a in m.args.iter().filter(|a| matches!(a, Expr::Path(_))) {
                if let Some((at, what)) = named(a).filter(|_| takes_function(m)) {
                    self.0.push(syn::Error::new(at, format!("{what} would be called again for the items that were taken, as this iterator is made again behind a checkpoint, and what else it does is not known here: do that in the loop, or collect what the iterator gives into a `Vec` first")));
                }
            }
        }
        visit_mut::visit_expr_method_call_mut(self, m);
    }
}

fn takes_function(m: &syn::ExprMethodCall) -> bool {
    !["take", "skip", "step_by"].iter().any(|n| m.method == n)
}

/// A function by its name, unless it is one of the standard library's or a constructor.
fn named(e: &Expr) -> Option<(Span, String)> {
    let Expr::Path(p) = e else { return None };
    match is_constructor(e) || is_known(p) {
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

struct Pure {
    asked: TokenStream,
    wrong: Option<(Span, String)>,
}

impl Pure {
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
                .extend(quote_spanned!(at=> ::pc3::point::called_again(&#e);));
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
                match named(&c.func) {
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
            if let Some((at, what)) = named(a).filter(|_| of_iterator) {
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
            None if mac.path.is_ident("matches") => {}
            None => self.no(mac.path.span(), "this macro"),
        }
    }
}
