//! Values that closures make which are called again: how they are made, and how they end, may be the program's.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{parse_quote, parse_quote_spanned, Expr, Stmt, Type};

use super::places;
use crate::reevaluation::{is_constructor, telling};

/// Methods of which the wanted type says what they call.
const BY_RESULT: &[&str] = &["into", "parse", "product", "sum", "try_into"];

/// As these, of what holds other values.
const FILL: &[&str] = &["collect", "partition", "unzip"];

/// Asks about the value of a constructor, or of a function or method that its type decides about.
pub(super) fn given(e: &mut Expr) {
    let at = telling(e);
    let ends = quote_spanned!(at=> (&&::pc3::point::Ending::of(&pc3_q)).known(););
    let again = quote_spanned!(at=> ::pc3::point::made_again(&pc3_q););
    match &mut *e {
        Expr::Path(p) if is_constructor(&Expr::Path(p.clone())) => {
            let name = p.path.segments.last().map(|s| s.ident.to_string());
            // A constant, or one of the standard library's, ends without a word.
            let name = name.unwrap_or_default();
            if name != "None" && name.contains(|c: char| c.is_lowercase()) {
                asked(e, at, &ends, places::Arguments::default());
            }
        }
        Expr::Struct(s) => {
            let parts = tied(s.fields.iter_mut().map(|f| &mut f.expr));
            asked(e, at, &ends, parts);
        }
        Expr::Call(c) if is_constructor(&c.func) => {
            let parts = tied(c.args.iter_mut());
            asked(e, at, &ends, parts);
        }
        Expr::Call(_) => asked(e, at, &again, places::Arguments::default()),
        Expr::MethodCall(m) if BY_RESULT.iter().any(|n| m.method == n) => {
            asked(e, at, &again, places::Arguments::default());
        }
        Expr::MethodCall(m) if FILL.iter().any(|n| m.method == n) => {
            let filled = quote_spanned!(at=> ::pc3::point::filled_again(&pc3_q););
            asked(e, at, &filled, places::Arguments::default());
        }
        _ => {}
    }
}

/// Ties parts of a value to the types that they are made into.
fn tied<'e>(parts: impl Iterator<Item = &'e mut Expr>) -> places::Arguments {
    let mut tied = places::Arguments::default();
    for (n, part) in parts.enumerate() {
        let mut count = 0usize;
        let mut name = || {
            count += 1;
            format_ident!("pc3_p{}_{}", n, count)
        };
        let made = tied.tied(part, quote!(#part), &mut name);
        *part = Expr::Verbatim(made);
    }
    tied
}

/// `ask`: of `pc3_q`, which has the value's type.
fn asked(e: &mut Expr, at: Span, ask: &TokenStream, parts: places::Arguments) {
    let (types, of_parts) = (&parts.types, parts.asked());
    *e = parse_quote_spanned! {at=> ({
        let pc3_q = ::core::marker::PhantomData;
        #(let #types = ::core::marker::PhantomData;)*
        ::pc3::point::first(::pc3::point::same(pc3_q, #e), {
            #of_parts
            if false {
                loop {}
                #[allow(unused_imports)]
                use ::pc3::point::{EndsAloud as _, EndsQuietly as _};
                #ask
            }
        })
    })};
}

/// Asks how a borrow with a type of its own is found through what is borrowed.
pub(super) fn made_into(e: &mut Expr, ty: &Type) {
    match e {
        Expr::Paren(p) => made_into(&mut p.expr, ty),
        Expr::Group(p) => made_into(&mut p.expr, ty),
        Expr::Block(b) => last(&mut b.block, ty),
        Expr::If(i) => {
            last(&mut i.then_branch, ty);
            i.else_branch
                .iter_mut()
                .for_each(|b| made_into(&mut b.1, ty));
        }
        Expr::Match(m) => m.arms.iter_mut().for_each(|a| made_into(&mut a.body, ty)),
        e if places::is_made_into(e) => {
            let asked = places::asked_of_type(e, &quote!(::core::marker::PhantomData::<#ty>));
            *e = parse_quote!(({ #asked #e }));
        }
        _ => {}
    }
}

fn last(block: &mut syn::Block, ty: &Type) {
    if let Some(Stmt::Expr(e, None)) = block.stmts.last_mut() {
        made_into(e, ty);
    }
}
