//! `let`s of what a closure gives.

use proc_macro2::{Delimiter, Ident, TokenTree};
use quote::ToTokens;
use syn::{parse_quote, Block, Expr, Pat, Stmt};

/// `let Some(next) = e else { other };`: of what shows as a choice between `Some` and `None`, such that a borrow does, too.
pub(super) fn found(e: &Expr, next: &Ident, other: &Stmt) -> Vec<Stmt> {
    match e {
        Expr::Paren(p) => return found(&p.expr, next, other),
        Expr::If(i) if !has_let(&i.cond) => {
            let then = only(&i.then_branch).and_then(some);
            let none = i.else_branch.as_ref().is_some_and(|(_, e)| is_none(e));
            if let (Some(value), true) = (then, none) {
                let cond = &i.cond;
                return vec![
                    parse_quote!(if !(#cond) { #other }),
                    parse_quote!(let #next = #value;),
                ];
            }
        }
        Expr::Match(m) if m.arms.len() == 2 && m.arms.iter().all(|a| a.guard.is_none()) => {
            if let (Some(value), true) = (some(&m.arms[0].body), is_none(&m.arms[1].body)) {
                let (pat, of) = (&m.arms[0].pat, &m.expr);
                return vec![
                    parse_quote!(let #pat = #of else { #other };),
                    parse_quote!(let #next = #value;),
                ];
            }
        }
        Expr::MethodCall(m) if m.method == "then_some" && m.args.len() == 1 => {
            let (cond, value) = (&m.receiver, &m.args[0]);
            if matches!(value, Expr::Path(_) | Expr::Lit(_)) {
                return vec![
                    parse_quote!(if !(#cond) { #other }),
                    parse_quote!(let #next = #value;),
                ];
            }
        }
        _ => {}
    }
    // A `}` may not stand in front of `else`.
    let ends = e.to_token_stream().into_iter().last();
    let braced = matches!(ends, Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Brace);
    let e = match braced {
        true => parse_quote!((#e)),
        false => e.clone(),
    };
    vec![parse_quote!(let ::core::option::Option::Some(#next) = #e else { #other };)]
}

/// Where a `let` has its one name: `let x = …`, `let Some(x) = … else { … }`.
pub(super) fn place_of(s: &mut Stmt) -> Option<&mut Pat> {
    let Stmt::Local(l) = s else { return None };
    let tests = l.init.as_ref()?.diverge.is_some();
    match (&mut l.pat, tests) {
        (Pat::TupleStruct(t), true) => t.elems.first_mut(),
        (_, true) => None,
        (p, false) => Some(p),
    }
}

pub(super) fn gives(s: &Stmt, name: &Ident) -> bool {
    let mut s = s.clone();
    matches!(place_of(&mut s), Some(Pat::Ident(p)) if p.ident == *name)
}

/// What a block gives that does nothing else.
pub(super) fn only(b: &Block) -> Option<&Expr> {
    match &b.stmts[..] {
        [Stmt::Expr(e, None)] => Some(e),
        _ => None,
    }
}

/// `x` in `Some(x)`
pub(super) fn some(e: &Expr) -> Option<&Expr> {
    match e {
        Expr::Block(b) if b.label.is_none() => only(&b.block).and_then(some),
        Expr::Call(c) if c.args.len() == 1 => match &*c.func {
            Expr::Path(p) if p.path.is_ident("Some") => c.args.first(),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn is_none(e: &Expr) -> bool {
    match e {
        Expr::Block(b) if b.label.is_none() => only(&b.block).is_some_and(is_none),
        Expr::Path(p) => p.path.is_ident("None"),
        _ => false,
    }
}

fn has_let(e: &Expr) -> bool {
    match e {
        Expr::Let(_) => true,
        Expr::Paren(p) => has_let(&p.expr),
        Expr::Binary(b) => has_let(&b.left) || has_let(&b.right),
        _ => false,
    }
}
