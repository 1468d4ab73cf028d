//! Marked calls and locations, and the expressions within well-known macros.

use crate::visit::{self, Visit};
use proc_macro2::{TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprMacro, Macro, Stmt, StmtMacro, Token};

/// Macros of the standard library whose arguments are expressions.
const KNOWN: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

pub fn name(mac: &Macro) -> String {
    mac.path
        .segments
        .last()
        .map(|s| s.ident.to_string())
        .unwrap_or_default()
}

pub fn is_location(mac: &Macro) -> bool {
    name(mac) == "checkpoint"
}

pub(crate) fn is_call(mac: &Macro) -> bool {
    name(mac) == "ck"
}

/// The marked call of `ck!(…)`.
pub fn call(expr: &Expr) -> Option<&ExprMacro> {
    match expr {
        Expr::Macro(m) if is_call(&m.mac) => Some(m),
        Expr::Paren(p) => call(&p.expr),
        Expr::Group(g) => call(&g.expr),
        _ => None,
    }
}

/// Is the statement a location?
pub fn location(stmt: &Stmt) -> Option<&Macro> {
    let mac = match stmt {
        Stmt::Macro(StmtMacro { mac, .. }) => mac,
        Stmt::Expr(Expr::Macro(m), _) => &m.mac,
        _ => return None,
    };
    is_location(mac).then_some(mac)
}

/// How arguments of a well-known macro are separated; none: it is another macro.
pub enum Arguments {
    Listed(Punctuated<Expr, Token![,]>),
    /// `vec![x; n]`
    Repeated(Box<Expr>, Box<Expr>),
}

/// The same in their order, however they are separated.
pub(crate) fn each_argument(mac: &Macro) -> Vec<Expr> {
    match arguments(mac) {
        Some(Arguments::Listed(list)) => list.into_iter().collect(),
        Some(Arguments::Repeated(item, n)) => vec![*item, *n],
        None => Vec::new(),
    }
}

pub fn arguments(mac: &Macro) -> Option<Arguments> {
    if !KNOWN.contains(&name(mac).as_str()) {
        return None;
    }
    let listed = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(mac.tokens.clone());
    if let Ok(list) = listed {
        return Some(Arguments::Listed(list));
    }
    let repeated = |input: syn::parse::ParseStream| {
        let item: Expr = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok((item, input.parse::<Expr>()?))
    };
    let (item, n) = repeated.parse2(mac.tokens.clone()).ok()?;
    Some(Arguments::Repeated(Box::new(item), Box::new(n)))
}

/// Does a well-known macro borrow all its arguments?
pub fn borrows(mac: &Macro) -> bool {
    !matches!(
        name(mac).as_str(),
        "vec" | "dbg" | "assert" | "debug_assert"
    )
}

/// Which argument of a well-known macro is a format string.
pub(crate) fn format_string(mac: &Macro) -> Option<usize> {
    match name(mac).as_str() {
        "vec" | "dbg" => None,
        "write" | "writeln" | "assert" | "debug_assert" => Some(1),
        "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => Some(2),
        _ => Some(0),
    }
}

/// The points in a piece of code; those that cannot be reached are errors.
#[derive(Default)]
pub struct Points {
    pub count: usize,
    pub errors: Vec<syn::Error>,
    inside: Option<&'static str>,
}

impl Points {
    fn within<T>(&mut self, what: &'static str, visit: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.inside.replace(what);
        let result = visit(self);
        self.inside = before;
        result
    }

    fn tokens(&mut self, tokens: TokenStream, foreign: &str) {
        let mut last: Option<proc_macro2::Ident> = None;
        for t in tokens {
            match t {
                TokenTree::Ident(i) => last = Some(i),
                TokenTree::Punct(p) if p.as_char() == '!' => {
                    if let Some(i) = last.take().filter(|i| i == "ck" || i == "checkpoint") {
                        self.errors.push(syn::Error::new(
                            i.span(),
                            format!("`{i}!` cannot be within `{foreign}!`: what that macro makes of it is not known here; write it in front, as a statement or with `let`"),
                        ));
                    }
                }
                TokenTree::Group(g) => {
                    last = None;
                    self.tokens(g.stream(), foreign);
                }
                _ => last = None,
            }
        }
    }
}

impl<'ast> Visit<'ast> for Points {
    fn visit_macro(&mut self, mac: &'ast Macro) {
        if is_call(mac) || is_location(mac) {
            if let Some(what) = self.inside {
                let text = format!("`{}!` cannot be within {what}", name(mac));
                self.errors.push(syn::Error::new_spanned(mac, text));
                return;
            }
            self.count += 1;
            if is_call(mac) {
                match syn::parse2::<Expr>(mac.tokens.clone()) {
                    Ok(inner) => {
                        let before = self.count;
                        self.visit_expr(&inner);
                        self.count = before;
                    }
                    Err(e) => self.errors.push(e),
                }
            }
            return;
        }
        if !mentions(&mac.tokens) {
            return;
        }
        match arguments(mac) {
            Some(Arguments::Listed(list)) => list.iter().for_each(|e| self.owned(e)),
            Some(Arguments::Repeated(item, n)) => [item, n].iter().for_each(|e| self.owned(e)),
            None => self.tokens(mac.tokens.clone(), &name(mac)),
        }
    }
    fn visit_expr_closure(&mut self, c: &'ast syn::ExprClosure) {
        self.within(
            "a closure: it is called by code that cannot be continued; write a loop, or a function with #[checkpointable]",
            |s| visit::visit_expr_closure(s, c),
        );
    }
    fn visit_expr_async(&mut self, c: &'ast syn::ExprAsync) {
        self.within("an async block: its state is the compiler's own; write a function with #[checkpointable]", |s| visit::visit_expr_async(s, c));
    }
    fn visit_item(&mut self, item: &'ast syn::Item) {
        self.within("an item of its own: give that #[checkpointable]", |s| {
            visit::visit_item(s, item)
        });
    }
    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.within("a guard: bind its value with `let` in front of the `match`, or write `if` in the arm", |s| s.visit_expr(guard));
        }
        self.visit_expr(&arm.body);
    }
}

impl Points {
    fn owned(&mut self, e: &Expr) {
        let e = e.clone();
        // The visitor borrows for as long as the tree lives; this one lives for the call.
        let mut inner = Points {
            inside: self.inside,
            ..Points::default()
        };
        inner.visit_expr(&e);
        self.count += inner.count;
        self.errors.append(&mut inner.errors);
    }
}

/// Are there marks in these tokens, as far as it shows?
pub(crate) fn mentions(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|t| match t {
        TokenTree::Ident(i) => i == "ck" || i == "checkpoint",
        TokenTree::Group(g) => mentions(&g.stream()),
        _ => false,
    })
}

/// Does the code have points?  This is asked of each expression on all levels, so the first one that is found is the answer.
#[derive(Default)]
struct Has(bool);

impl<'ast> Visit<'ast> for Has {
    fn visit_expr(&mut self, e: &'ast Expr) {
        if !self.0 {
            visit::visit_expr(self, e);
        }
    }
    fn visit_macro(&mut self, mac: &'ast Macro) {
        self.0 |= is_call(mac) || is_location(mac);
        if !self.0 && mentions(&mac.tokens) {
            let mut p = Points::default();
            p.visit_macro(mac);
            self.0 = p.count > 0;
        }
    }
    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.visit_expr(&arm.body);
    }
    // They cannot have any.
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

pub(crate) fn has_points_expr(e: &Expr) -> bool {
    let mut has = Has::default();
    has.visit_expr(e);
    has.0
}

pub fn has_points(stmt: &Stmt) -> bool {
    let mut has = Has::default();
    has.visit_stmt(stmt);
    has.0
}

pub(crate) fn block_has_points(block: &syn::Block) -> bool {
    block.stmts.iter().any(has_points)
}

/// Nothing follows what the macro does.
pub(crate) fn diverges(mac: &Macro) -> bool {
    ["panic", "todo", "unimplemented", "unreachable"]
        .iter()
        .any(|n| mac.path.is_ident(n))
}
