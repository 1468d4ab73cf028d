//! Items within a function: each of its forms has them, so what may exist once only cannot be among them.

use std::collections::HashSet;

use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Item, Stmt, Type};

use crate::marks;

/// Implementations for types from outside are left to the plain form; statics are refused.
pub fn once(block: &mut Block) -> Vec<syn::Error> {
    let mut look = Look::default();
    look.visit_block(block);
    Leave(look.types).visit_block_mut(block);
    look.errors
}

#[derive(Default)]
struct Look {
    /// Types that are declared here.
    types: HashSet<String>,
    errors: Vec<syn::Error>,
}

impl Look {
    fn refuse(&mut self, tokens: &dyn quote::ToTokens, what: &str) {
        let text = format!("{what} in a checkpointable function would exist once for each of its forms: declare it outside");
        let tokens = tokens.to_token_stream();
        self.errors.push(syn::Error::new_spanned(tokens, text));
    }
}

impl<'ast> Visit<'ast> for Look {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Static(s) => self.refuse(&s.ident, "a static"),
            Item::Struct(s) => drop(self.types.insert(s.ident.to_string())),
            Item::Enum(e) => drop(self.types.insert(e.ident.to_string())),
            Item::Union(u) => drop(self.types.insert(u.ident.to_string())),
            _ => {}
        }
        visit::visit_item(self, item);
    }
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if marks::name(mac) == "thread_local" {
            self.refuse(&mac.path, "a `thread_local!`");
        }
    }
}

struct Leave(HashSet<String>);

impl VisitMut for Leave {
    fn visit_block_mut(&mut self, b: &mut Block) {
        b.stmts.retain(|s| match s {
            Stmt::Item(Item::Impl(i)) => match &*i.self_ty {
                Type::Path(p) => {
                    let own = |i: &syn::Ident| self.0.contains(&i.to_string());
                    p.path.segments.last().is_some_and(|s| own(&s.ident))
                }
                _ => false,
            },
            _ => true,
        });
        visit_mut::visit_block_mut(self, b);
    }
}
