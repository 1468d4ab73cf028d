//! Where a function's points are among its statements, so that a checkpoint of a program in which one of them has been moved
//! is refused: some statement would be done twice, or never.
//!
//! A position is the statements next to a point, the function's text without locations, and how far into it the point is.

use crate::visit::{self, Visit};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Block, Expr, Macro, Stmt};

use crate::marks;

/// Those of the points of a function, in the order of the source.
pub fn of(block: &Block) -> Vec<String> {
    let mut look = Positions {
        beside: [hash("{"), hash("}")],
        all: Vec::new(),
    };
    look.visit_block(block);
    let text = text(&block.to_token_stream());
    let ways: Vec<usize> = text.match_indices(POINT).map(|(at, _)| at).collect();
    let whole = hash(&text.replace(LOCATION, ""));
    let mut all = look.all.into_iter().enumerate();
    let position = |(i, [before, after]): (usize, [u32; 2])| {
        let at = ways
            .get(i)
            .map_or(0, |at| text[..*at].replace(LOCATION, "").len());
        format!("{before:x}.{after:x}.{whole:x}.{at:x}")
    };
    std::iter::from_fn(|| all.next().map(position)).collect()
}

/// Stand in a text for a point, and for a location.
const POINT: &str = "\u{1}";
const LOCATION: &str = "\u{1}\u{2}";

/// Words and signs, whatever is between them.
fn text(tokens: &TokenStream) -> String {
    let mut out = String::new();
    let mut rest = tokens.clone().into_iter().peekable();
    while let Some(t) = rest.next() {
        let called = matches!(rest.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '!');
        match t {
            TokenTree::Ident(i) if called && i == "checkpoint" => {
                out.push_str(LOCATION);
                // `!`, what is in the parentheses, and `;`
                rest.next();
                rest.next();
                rest.next_if(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ';'));
            }
            TokenTree::Ident(i) if called && i == "ck" => out.push_str(POINT),
            TokenTree::Group(g) => {
                out.push_str(&format!("{:?}(", g.delimiter()));
                out.push_str(&text(&g.stream()));
                out.push(')');
            }
            t => {
                out.push_str(&t.to_string());
                out.push(' ');
            }
        }
    }
    out
}

/// FNV-1a: the same in each build.
fn hash(text: &str) -> u32 {
    let step = |h: u32, b: u8| (h ^ u32::from(b)).wrapping_mul(0x0100_0193);
    text.bytes().fold(0x811c_9dc5, step)
}

struct Positions {
    /// What stands in front of and behind the statement.
    beside: [u32; 2],
    all: Vec<[u32; 2]>,
}

impl<'ast> Visit<'ast> for Positions {
    fn visit_block(&mut self, b: &'ast Block) {
        let outside = self.beside;
        let of = |s: Option<&Stmt>, none: &str| match s {
            Some(s) => hash(&text(&s.to_token_stream())),
            None => hash(none),
        };
        for (i, s) in b.stmts.iter().enumerate() {
            let before = i.checked_sub(1).and_then(|i| b.stmts.get(i));
            self.beside = [of(before, "{"), of(b.stmts.get(i + 1), "}")];
            self.visit_stmt(s);
        }
        self.beside = outside;
    }
    fn visit_macro(&mut self, mac: &'ast Macro) {
        if marks::is_location(mac) || marks::is_call(mac) {
            self.all.push(self.beside);
        }
        if marks::is_call(mac) {
            if let Ok(inner) = syn::parse2::<Expr>(mac.tokens.clone()) {
                self.owned(&inner);
            }
            return;
        }
        for e in marks::each_argument(mac) {
            self.owned(&e);
        }
    }
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

impl Positions {
    fn owned(&mut self, e: &Expr) {
        let mut inner = Positions {
            beside: self.beside,
            all: Vec::new(),
        };
        visit::visit_expr(&mut inner, &e.clone());
        self.all.append(&mut inner.all);
    }
}
