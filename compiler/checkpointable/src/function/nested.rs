//! Items within a function: each of its forms has them, so what may exist once only cannot be among them.

use std::collections::{HashMap, HashSet};

use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Block, Item, ItemUse, Pat, Stmt, Type, UseTree};

use crate::marks;

/// Implementations for types from outside are left to the plain form; statics are refused.
pub fn once(block: &mut Block) -> Vec<syn::Error> {
    let mut visitor = NestedItems::default();
    visitor.visit_block(block);
    Leave(visitor.types).visit_block_mut(block);
    visitor.errors
}

/// What a block with locations declares: all of its region's code comes to lie within the block, so nothing outside may
/// mean something else by the same name.
pub(crate) fn hiding(block: &Block) -> Vec<syn::Error> {
    let mut inner = Inner {
        whole: words(&block.to_token_stream()),
        errors: Vec::new(),
    };
    visit::visit_block(&mut inner, block);
    inner.errors
}

struct Inner {
    whole: HashMap<String, usize>,
    errors: Vec<syn::Error>,
}

/// Must a `use` of this block stand with the declarations of its locals?  Otherwise each piece of the block's code gets it.
pub(crate) fn is_declared(item: &ItemUse, block: &Block) -> bool {
    struct Types(HashMap<String, usize>, bool);
    impl<'ast> Visit<'ast> for Types {
        fn visit_local(&mut self, l: &'ast syn::Local) {
            if let Pat::Type(t) = &l.pat {
                self.0.extend(words(&t.ty.to_token_stream()));
            }
            visit::visit_local(self, l);
        }
        fn visit_item(&mut self, item: &'ast Item) {
            self.1 |= !matches!(item, Item::Use(_) | Item::Macro(_));
        }
    }
    let mut types = Types(HashMap::new(), false);
    types.visit_block(block);
    let mut names = Vec::new();
    brought(&item.tree, None, &mut names);
    let told = |n: &Option<&Ident>| n.is_none_or(|n| types.0.contains_key(&n.to_string()));
    types.1 || (!types.0.is_empty() && names.iter().any(told))
}

/// How often each word occurs, but for fields and methods.
fn words(tokens: &TokenStream) -> HashMap<String, usize> {
    fn count(tokens: TokenStream, into: &mut HashMap<String, usize>) {
        let mut before = [' '; 2];
        for t in tokens {
            let mut this = ' ';
            match t {
                TokenTree::Ident(i) if before[1] != '.' || before[0] == '.' => {
                    *into.entry(i.to_string()).or_default() += 1;
                }
                TokenTree::Group(g) => count(g.stream(), into),
                TokenTree::Punct(p) => this = p.as_char(),
                _ => {}
            }
            before = [before[1], this];
        }
    }
    let mut all = HashMap::new();
    count(tokens.clone(), &mut all);
    all
}

/// Names that a `use` brings; none: it does not say.
fn brought<'u>(tree: &'u UseTree, from: Option<&'u Ident>, into: &mut Vec<Option<&'u Ident>>) {
    match tree {
        UseTree::Path(p) => brought(&p.tree, Some(&p.ident), into),
        UseTree::Name(n) if n.ident == "self" => into.extend(from.map(Some)),
        UseTree::Name(n) => into.push(Some(&n.ident)),
        UseTree::Rename(r) if r.rename == "_" => {}
        UseTree::Rename(r) => into.push(Some(&r.rename)),
        UseTree::Glob(_) => into.push(None),
        UseTree::Group(g) => g.items.iter().for_each(|t| brought(t, from, into)),
    }
}

pub fn declared(item: &Item) -> Vec<Option<&Ident>> {
    match item {
        Item::Const(i) => vec![Some(&i.ident)],
        Item::Enum(i) => vec![Some(&i.ident)],
        Item::Fn(i) => vec![Some(&i.sig.ident)],
        Item::Macro(i) => i.ident.iter().map(Some).collect(),
        Item::Mod(i) => vec![Some(&i.ident)],
        Item::Struct(i) => vec![Some(&i.ident)],
        Item::Trait(i) => vec![Some(&i.ident)],
        Item::Type(i) => vec![Some(&i.ident)],
        Item::Union(i) => vec![Some(&i.ident)],
        Item::Use(i) => {
            let mut names = Vec::new();
            brought(&i.tree, None, &mut names);
            names
        }
        _ => Vec::new(),
    }
}

impl<'ast> Visit<'ast> for Inner {
    fn visit_item(&mut self, _: &'ast Item) {}
    fn visit_block(&mut self, b: &'ast Block) {
        if !marks::block_has_points(b) {
            return;
        }
        let within = words(&b.to_token_stream());
        for s in &b.stmts {
            let Stmt::Item(item) = s else { continue };
            if matches!(item, Item::Use(u) if !is_declared(u, b)) {
                continue;
            }
            let brings = matches!(item, Item::Use(_));
            for name in declared(item) {
                let text = match name {
                    // A trait, of which the methods would be seen.
                    Some(n) if brings && within.get(&n.to_string()) == Some(&1) => format!("what stands in front of this block would see the methods of `{n}`, too, as the block has locations and other items: write this where the function begins"),
                    Some(n) if self.whole.get(&n.to_string()) == within.get(&n.to_string()) => continue,
                    Some(n) => format!("what stands in front of this block would see this `{n}`, too, as the block has locations: give it another name, or declare it where the function begins"),
                    None => "what stands in front of this block would see these names, too, as the block has locations: name what is used, or write this where the function begins".to_owned(),
                };
                self.errors.push(syn::Error::new_spanned(item, text));
            }
        }
        visit::visit_block(self, b);
    }
}

#[derive(Default)]
struct NestedItems {
    /// Types that are declared here.
    types: HashSet<String>,
    errors: Vec<syn::Error>,
}

impl NestedItems {
    fn refuse(&mut self, tokens: &dyn quote::ToTokens, what: &str) {
        let text = format!("{what} in a checkpointable function would exist once for each of its forms: declare it outside");
        let tokens = tokens.to_token_stream();
        self.errors.push(syn::Error::new_spanned(tokens, text));
    }
}

impl<'ast> Visit<'ast> for NestedItems {
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
        if marks::name(mac) == "saved" {
            self.refuse(&mac.path, "a saved static");
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
