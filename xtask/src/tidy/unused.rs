//! What is `pub` and named by no other crate: functions and constants, and types that nothing public speaks of either.
//!
//! A crate's tests, examples and programs are other crates. Names are compared as they are written, wherever they stand.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};

use super::rust::{find, is_test, Package};
use crate::env;

/// Crates whose users are programs.
const FOR_PROGRAMS: &[&str] = &["pc3", "pc3-macros"];

/// Code that uses the workspace's crates from outside of it.
const OUTSIDE: &str = "runtime/transport/mpi/src";

/// The words of a package's library, and of what is beside that.
struct Words {
    package: String,
    library: BTreeSet<String>,
    others: BTreeSet<String>,
}

/// The unused public names of each library.
pub fn measure(packages: &[Package]) -> Result<Vec<(String, Vec<String>)>> {
    let mut words: Vec<Words> = packages.iter().map(words).collect::<Result<_>>()?;
    let mut outside = Words {
        package: OUTSIDE.into(),
        library: BTreeSet::new(),
        others: BTreeSet::new(),
    };
    for file in files(&env::root().join(OUTSIDE))? {
        add(&fs::read_to_string(&file)?, &mut outside.others);
    }
    words.push(outside);
    let libraries = packages
        .iter()
        .filter(|p| p.folder.join("lib.rs").exists() && !FOR_PROGRAMS.contains(&p.name.as_str()));
    libraries
        .map(|p| {
            let is_named = |name: &str| {
                words.iter().any(|w| {
                    w.others.contains(name) || w.package != p.name && w.library.contains(name)
                })
            };
            Ok((p.name.clone(), unused(p, &is_named)?))
        })
        .collect()
}

fn words(package: &Package) -> Result<Words> {
    let mut of = Words {
        package: package.name.clone(),
        library: BTreeSet::new(),
        others: BTreeSet::new(),
    };
    let is_program = |f: &Path| f.ends_with("main.rs") || f.starts_with(package.folder.join("bin"));
    for file in files(&package.folder)? {
        let list = match is_program(&file) {
            true => &mut of.others,
            false => &mut of.library,
        };
        add(&fs::read_to_string(&file)?, list);
    }
    let package_folder = package.folder.parent().context("no folder")?;
    for beside in ["tests", "suites", "examples", "benches"] {
        for file in files(&package_folder.join(beside))? {
            add(&fs::read_to_string(&file)?, &mut of.others);
        }
    }
    Ok(of)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    if folder.exists() {
        find(folder, &mut all)?;
    }
    Ok(all)
}

fn add(text: &str, words: &mut BTreeSet<String>) {
    let all = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.extend(all.filter(|w| !w.is_empty()).map(str::to_owned));
}

fn unused(package: &Package, is_named: &dyn Fn(&str) -> bool) -> Result<Vec<String>> {
    let mut look = Public::default();
    for file in files(&package.folder)? {
        let text = fs::read_to_string(&file)?;
        look.visit_file(&syn::parse_file(&text).with_context(|| file.display().to_string())?);
    }
    let spoken_of = |name: &str| {
        look.spoken
            .get(name)
            .is_some_and(|by| by.iter().any(|b| b != name))
    };
    let values = look.values.iter().filter(|name| !is_named(name));
    let types = look
        .types
        .iter()
        .filter(|name| !is_named(name) && !spoken_of(name));
    Ok(values.chain(types).cloned().collect())
}

/// What a library makes public.
#[derive(Default)]
struct Public {
    values: BTreeSet<String>,
    types: BTreeSet<String>,
    /// The names in signatures and fields that are public, and what these belong to.
    spoken: BTreeMap<String, BTreeSet<String>>,
}

impl Public {
    fn speaks(&mut self, of: &str, tokens: TokenStream) {
        for t in tokens {
            match t {
                TokenTree::Ident(i) => {
                    let by = self.spoken.entry(i.to_string()).or_default();
                    by.insert(of.to_owned());
                }
                TokenTree::Group(g) => self.speaks(of, g.stream()),
                _ => {}
            }
        }
    }

    fn function(&mut self, vis: &syn::Visibility, attrs: &[syn::Attribute], sig: &syn::Signature) {
        if is_pub(vis) {
            self.speaks(&sig.ident.to_string(), sig.to_token_stream());
            let exported =
                sig.abi.is_some() || attrs.iter().any(|a| a.path().is_ident("no_mangle"));
            if !exported {
                self.values.insert(sig.ident.to_string());
            }
        }
    }

    fn ty(&mut self, vis: &syn::Visibility, name: &syn::Ident) {
        if is_pub(vis) {
            self.types.insert(name.to_string());
        }
    }
}

fn is_pub(vis: &syn::Visibility) -> bool {
    matches!(vis, syn::Visibility::Public(_))
}

impl<'ast> Visit<'ast> for Public {
    fn visit_item_mod(&mut self, m: &'ast syn::ItemMod) {
        if !is_test(&m.attrs) {
            visit::visit_item_mod(self, m);
        }
    }

    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        self.function(&f.vis, &f.attrs, &f.sig);
    }

    fn visit_item_impl(&mut self, i: &'ast syn::ItemImpl) {
        // What a trait or a public type is implemented with is theirs to say.
        let name = i.self_ty.to_token_stream().to_string();
        self.speaks(&name, i.generics.to_token_stream());
        if let Some((_, path, _)) = &i.trait_ {
            self.speaks(&name, path.to_token_stream());
            for item in &i.items {
                if let syn::ImplItem::Type(t) = item {
                    self.speaks(&name, t.ty.to_token_stream());
                }
            }
        }
        visit::visit_item_impl(self, i);
    }

    fn visit_impl_item_fn(&mut self, f: &'ast syn::ImplItemFn) {
        self.function(&f.vis, &f.attrs, &f.sig);
    }

    fn visit_item_const(&mut self, c: &'ast syn::ItemConst) {
        if is_pub(&c.vis) {
            self.values.insert(c.ident.to_string());
            self.speaks(&c.ident.to_string(), c.ty.to_token_stream());
        }
    }

    fn visit_item_static(&mut self, s: &'ast syn::ItemStatic) {
        if is_pub(&s.vis) {
            self.speaks(&s.ident.to_string(), s.ty.to_token_stream());
            if !s.attrs.iter().any(|a| a.path().is_ident("no_mangle")) {
                self.values.insert(s.ident.to_string());
            }
        }
    }

    fn visit_item_struct(&mut self, s: &'ast syn::ItemStruct) {
        self.ty(&s.vis, &s.ident);
        let name = s.ident.to_string();
        self.speaks(&name, s.generics.to_token_stream());
        for f in s.fields.iter().filter(|f| is_pub(&f.vis)) {
            self.speaks(&name, f.ty.to_token_stream());
        }
    }

    fn visit_item_enum(&mut self, e: &'ast syn::ItemEnum) {
        self.ty(&e.vis, &e.ident);
        self.speaks(&e.ident.to_string(), e.variants.to_token_stream());
    }

    fn visit_item_type(&mut self, t: &'ast syn::ItemType) {
        self.ty(&t.vis, &t.ident);
        // A signature may name it by another name.
        self.speaks(&t.ident.to_string(), t.ty.to_token_stream());
    }

    fn visit_item_trait(&mut self, t: &'ast syn::ItemTrait) {
        self.ty(&t.vis, &t.ident);
        self.speaks(&t.ident.to_string(), t.to_token_stream());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_names_is_found() {
        let text = "pub fn used() -> Spoken { helper() } pub fn unused() {} pub(crate) fn own() {}
            pub struct Spoken; pub struct Alone { pub next: Option<Box<Alone>> }
            #[no_mangle] pub extern \"C\" fn entry() {}
            #[cfg(test)] mod tests { pub fn test() {} }";
        let mut look = Public::default();
        look.visit_file(&syn::parse_file(text).unwrap());
        let values: Vec<&str> = look.values.iter().map(String::as_str).collect();
        assert_eq!(values, ["unused", "used"]);
        let by = |name: &str| look.spoken[name].iter().any(|b| b != name);
        assert!(by("Spoken") && !by("Alone"));
    }
}
