//! `#[reeval] let x = EXPR;`: a local that is made again, so what EXPR is made of must not change as long as `x` is needed.
//!
//! References to that, taken in front of the `let` and named in EXPR, are needed at every point where `x` is, so the compiler's
//! borrow check shows where it would change. What lies in cells can change all the same.

use std::collections::BTreeSet;

use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};
use proc_macro2::Ident;
use quote::{format_ident, ToTokens};
use syn::spanned::Spanned;
use syn::{parse_quote, Block, Expr, Local, Pat, PatIdent, Signature, Stmt};

use crate::flow::identifiers;
use crate::marks::{self, Arguments};
use crate::reevaluation::is_reeval;

const INPUT: &str = "pc3_r";

/// Is it such a reference?
pub(crate) fn is_input(name: &Ident) -> bool {
    let name = name.to_string();
    name.strip_prefix(INPUT)
        .is_some_and(|n| n.parse::<usize>().is_ok())
}

/// No name of a local is bound twice; `renamed` are parameters' names in the block.
pub fn hold(block: &mut Block, sig: &Signature, renamed: &[Ident]) {
    let mut names = Names(renamed.iter().map(Ident::to_string).collect());
    names.0.insert("self".to_owned());
    names.visit_signature(sig);
    names.visit_block(block);
    let mut hold = Hold {
        names: names.0,
        made: 0,
    };
    hold.visit_block_mut(block);
}

/// All that patterns bind.
struct Names(BTreeSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, p: &'ast PatIdent) {
        // Whether those with `mut` change `moves` knows.
        if p.mutability.is_none() {
            self.0.insert(p.ident.to_string());
        }
        visit::visit_pat_ident(self, p);
    }
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

struct Hold {
    names: BTreeSet<String>,
    made: usize,
}

impl VisitMut for Hold {
    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        let mut all = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            if let Stmt::Local(local) = &mut stmt {
                all.extend(self.referents(local));
            }
            all.push(stmt);
        }
        block.stmts = all;
    }
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

impl Hold {
    /// The references in front of it.
    fn referents(&mut self, local: &mut Local) -> Vec<Stmt> {
        let pat = match &local.pat {
            Pat::Type(t) => &*t.pat,
            pat => pat,
        };
        let (Pat::Ident(_), Some(init)) = (pat, &mut local.init) else {
            return Vec::new();
        };
        if !is_reeval(&local.attrs) {
            return Vec::new();
        }
        let mut inner = Names(BTreeSet::new());
        inner.visit_expr(&init.expr);
        let mut look = Places {
            names: &self.names - &inner.0,
            found: Vec::new(),
        };
        look.visit_expr(&init.expr);
        let mut said = BTreeSet::new();
        let (mut stmts, mut held) = (Vec::new(), Vec::<Ident>::new());
        for place in look.found {
            if said.insert(place.to_token_stream().to_string()) {
                let name = format_ident!("{INPUT}{}", self.made, span = pat.span());
                self.made += 1;
                stmts.push(parse_quote!(let #name = &#place;));
                held.push(name);
            }
        }
        if !held.is_empty() {
            let e = &init.expr;
            *init.expr = parse_quote!({ #(let _ = #held;)* #e });
        }
        stmts
    }
}

/// What an expression is made of: locals, and members of them.
struct Places {
    names: BTreeSet<String>,
    found: Vec<Expr>,
}

impl Places {
    fn is_place(&self, e: &Expr) -> bool {
        match e {
            // Statics have names like constants.
            Expr::Path(p) if is_static(p) => true,
            Expr::Path(p) => {
                let name = p.path.get_ident();
                name.is_some_and(|n| self.names.contains(&n.to_string()))
            }
            Expr::Field(f) => self.is_place(&f.base),
            Expr::Paren(p) => self.is_place(&p.expr),
            _ => false,
        }
    }
}

/// `COUNT`, `counters::ALL`
fn is_static(p: &syn::ExprPath) -> bool {
    let last = p.path.segments.last().map(|s| s.ident.to_string());
    let capitals = |n: String| n.starts_with(char::is_uppercase) && !n.contains(char::is_lowercase);
    last.is_some_and(capitals) && p.qself.is_none()
}

impl<'ast> Visit<'ast> for Places {
    fn visit_expr(&mut self, e: &'ast Expr) {
        if self.is_place(e) {
            self.found.push(e.clone());
            return;
        }
        match e {
            Expr::Call(c) if matches!(*c.func, Expr::Path(_)) => {
                c.args.iter().for_each(|a| self.visit_expr(a));
            }
            // What holds a reference that can change it lets nobody else do so.
            Expr::Reference(r) if r.mutability.is_some() && self.is_place(&r.expr) => {}
            Expr::MethodCall(m)
                if m.method.to_string().ends_with("_mut") && self.is_place(&m.receiver) =>
            {
                m.args.iter().for_each(|a| self.visit_expr(a));
            }
            Expr::Macro(m) => {
                let named = identifiers(&m.mac.tokens);
                for name in self.names.intersection(&named) {
                    let name = Ident::new(name, proc_macro2::Span::call_site());
                    self.found.push(parse_quote!(#name));
                }
                if let Some(Arguments::Listed(list)) = marks::arguments(&m.mac) {
                    let mut statics = Places {
                        names: BTreeSet::new(),
                        found: Vec::new(),
                    };
                    list.iter().for_each(|e| statics.visit_expr(e));
                    self.found.append(&mut statics.found);
                }
            }
            e => visit::visit_expr(self, e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, held: &[&str]) {
        let mut block: Block = match syn::parse_str(&format!("{{ {body} }}")) {
            Ok(b) => b,
            Err(e) => panic!("{e}"),
        };
        let sig = parse_quote!(fn f(&self, list: &mut Vec<u64>, k: usize));
        hold(&mut block, &sig, &[]);
        let text = block.to_token_stream().to_string();
        let found: Vec<&str> = text
            .split("= & ")
            .skip(1)
            .filter_map(|t| t.split(" ;").next())
            .collect();
        assert_eq!(found, held, "{text}");
    }

    #[test]
    fn what_it_is_made_of_is_held() {
        check("#[reeval] let m = self.n * k + self.n;", &["self . n", "k"]);
        check(
            "#[reeval] let m = list.len() + N + f(k);",
            &["list", "N", "k"],
        );
        check(
            "#[reeval] let m = list.iter().map(|k2| k2 + 1).sum();",
            &["list"],
        );
        check("#[reeval] let m = format!(\"{}\", self.n);", &["self"]);
        check("#[reeval] let m = list.rows_mut(k);", &["k"]);
        check("#[reeval] let m = g(&mut list);", &[]);
        check("let m = list.len();", &[]);
    }
}
