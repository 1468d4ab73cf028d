//! `#[transient(AGAIN)] let x = FIRST;`: a local that checkpoints do not keep.  In its process it is moved out of the stack and
//! back; after a restart AGAIN makes it, or FIRST where nothing else is said.

use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{parse_quote, Attribute, Block, Expr, Local, Meta, Pat};

use crate::marks;

pub fn is(a: &Attribute) -> bool {
    let last = a.path().segments.last();
    last.is_some_and(|s| s.ident == "transient")
}

/// Gives each of them the form with an expression.
pub fn prepare(block: &mut Block) -> Result<(), syn::Error> {
    let mut look = Prepare(None);
    look.visit_block_mut(block);
    look.0.map_or(Ok(()), Err)
}

struct Prepare(Option<syn::Error>);

impl VisitMut for Prepare {
    fn visit_local_mut(&mut self, local: &mut Local) {
        visit_mut::visit_local_mut(self, local);
        let found = local.attrs.iter().position(is);
        if let Some(at) = found {
            match maker(local, &local.attrs[at]) {
                Ok(again) => local.attrs[at] = parse_quote!(#[transient(#again)]),
                Err(e) => match &mut self.0 {
                    Some(all) => all.combine(e),
                    None => self.0 = Some(e),
                },
            }
        }
    }
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// What makes it after a restart.
fn maker(local: &Local, attr: &Attribute) -> Result<Expr, syn::Error> {
    let wrong = |span: Span, text: &str| Err(syn::Error::new(span, text));
    let pat = match &local.pat {
        Pat::Type(t) => &*t.pat,
        pat => pat,
    };
    if !matches!(pat, Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none()) {
        return wrong(pat.span(), "#[transient] is for a `let` of one name");
    }
    let Some(init) = &local.init else {
        return wrong(
            pat.span(),
            "#[transient] is for a `let` with a value: it says what to make again",
        );
    };
    if let Some((_, diverge)) = &init.diverge {
        return wrong(diverge.span(), "#[transient] is for a `let` without `else`");
    }
    let again = match &attr.meta {
        Meta::Path(_) => (*init.expr).clone(),
        meta => meta.require_list()?.parse_args::<Expr>()?,
    };
    let mut leaves = Leaves(None);
    leaves.visit_expr(&again);
    match leaves.0 {
        Some(span) => wrong(
            span,
            "what makes a #[transient] local again after a restart cannot leave the function or hold a point: nothing there goes on yet; \
             say what does in the attribute, `#[transient(connect().expect(\"…\"))]`",
        ),
        None => Ok(again),
    }
}

/// Where an expression ends what it is part of.
struct Leaves(Option<Span>);

impl<'ast> Visit<'ast> for Leaves {
    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::Closure(_) | Expr::Async(_) => return,
            Expr::Try(t) => self.0 = Some(t.question_token.span),
            Expr::Return(_) => self.0 = Some(e.span()),
            Expr::Break(b) if b.label.is_some() => self.0 = Some(e.span()),
            Expr::Macro(m) if marks::is_call(&m.mac) || marks::is_location(&m.mac) => {
                self.0 = Some(e.span());
            }
            _ => {}
        }
        visit::visit_expr(self, e);
    }
    fn visit_stmt(&mut self, s: &'ast syn::Stmt) {
        if marks::location(s).is_some() {
            self.0 = Some(s.span());
        }
        visit::visit_stmt(self, s);
    }
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// The expression, once they are prepared.
pub(crate) fn prepared_maker(attrs: &[Attribute]) -> Option<Expr> {
    let attr = attrs.iter().find(|a| is(a))?;
    attr.meta.require_list().ok()?.parse_args().ok()
}

/// Its names become those of the locals that are meant.
pub fn rename(attrs: &mut [Attribute], rename: impl FnOnce(&mut Expr)) {
    if let (Some(mut e), Some(attr)) = (prepared_maker(attrs), attrs.iter_mut().find(|a| is(a))) {
        rename(&mut e);
        *attr = parse_quote!(#[transient(#e)]);
    }
}
