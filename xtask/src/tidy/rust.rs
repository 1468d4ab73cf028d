//! What the rules look at in Rust sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::env;

/// More is too long for a function.
const LONG: usize = 100;

pub struct Package {
    pub name: String,
    pub folder: PathBuf,
}

/// A file below a package's `src`.
pub struct Source {
    /// From the repository.
    pub path: PathBuf,
    /// Its module, from the crate.
    pub module: Vec<String>,
    pub lines: usize,
    /// Functions that are too long.
    pub long: Vec<String>,
    /// Types that are `pub`.
    pub public: Vec<String>,
    /// What paths name, from the crate.
    pub names: BTreeSet<Vec<String>>,
    /// How often it looks at the system: a name of the C library, a file of `/proc`.
    pub system: usize,
    /// Names that it brings in, which modules below it may use too, and what they stand for.
    pub exports: BTreeMap<String, Vec<String>>,
}

/// The packages of the workspace.
pub fn packages() -> Result<Vec<Package>> {
    let mut cargo: Command = env::cargo();
    cargo.args(["metadata", "--no-deps", "--format-version", "1"]);
    let said = cargo.output().context("cargo metadata")?;
    let said: serde_json::Value = serde_json::from_slice(&said.stdout)?;
    let all = said["packages"].as_array().context("no packages")?;
    let one = |p: &serde_json::Value| {
        let name = p["name"].as_str()?.to_owned();
        let folder = Path::new(p["manifest_path"].as_str()?)
            .parent()?
            .join("src");
        folder.exists().then_some(Package { name, folder })
    };
    Ok(all.iter().filter_map(one).collect())
}

pub fn read(package: &Package) -> Result<Vec<Source>> {
    let mut files = Vec::new();
    find(&package.folder, &mut files)?;
    files.sort();
    files.iter().map(|f| source(&package.folder, f)).collect()
}

pub(super) fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn source(src: &Path, path: &Path) -> Result<Source> {
    let text = fs::read_to_string(path)?;
    let file = syn::parse_file(&text).with_context(|| path.display().to_string())?;
    let inner = path.strip_prefix(src)?.with_extension("");
    let mut module: Vec<String> = inner
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    let last = module.last().map(String::as_str);
    if matches!(last, Some("mod")) || (module.len() == 1 && matches!(last, Some("lib" | "main"))) {
        module.pop();
    }
    let mut look = Look {
        file: module.clone(),
        at: module.clone(),
        long: Vec::new(),
        public: Vec::new(),
        names: BTreeSet::new(),
        exports: BTreeMap::new(),
    };
    look.visit_file(&file);
    Ok(Source {
        path: path.strip_prefix(env::root()).unwrap_or(path).to_owned(),
        module,
        lines: text.lines().count(),
        system: text.lines().map(looks).sum(),
        long: look.long,
        public: look.public,
        names: look.names,
        exports: look.exports,
    })
}

/// How often a line does, but for what it says of it.
fn looks(line: &str) -> usize {
    let code = line.split_once("//").map_or(line, |(code, _)| code);
    code.matches("libc::").count() + code.matches("\"/proc/").count()
}

/// Names of public types that several files of a crate give.
pub fn given_twice(sources: &[Source]) -> Vec<&str> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for name in sources.iter().flat_map(|s| &s.public) {
        *times.entry(name).or_insert(0) += 1;
    }
    let twice = times.into_iter().filter(|(_, n)| *n > 1);
    twice.map(|(name, _)| name).collect()
}

struct Look {
    /// The file's module, and the one that is looked at.
    file: Vec<String>,
    at: Vec<String>,
    long: Vec<String>,
    public: Vec<String>,
    names: BTreeSet<Vec<String>>,
    exports: BTreeMap<String, Vec<String>>,
}

impl Look {
    fn function(&mut self, name: &syn::Ident, whole: proc_macro2::Span) {
        let lines = whole.end().line - whole.start().line + 1;
        if lines > LONG {
            self.long.push(name.to_string());
        }
    }

    fn named(&mut self, public: &syn::Visibility, name: &syn::Ident) {
        if matches!(public, syn::Visibility::Public(_)) {
            self.public.push(name.to_string());
        }
    }

    /// Where a path leads that begins with `crate`, `self` or `super`.
    fn full(&self, words: &[String]) -> Option<Vec<String>> {
        let mut from = match words.first().map(String::as_str) {
            Some("crate") => Vec::new(),
            Some("self" | "super") => self.at.clone(),
            _ => return None,
        };
        let is_way = |w: &&String| matches!(w.as_str(), "crate" | "self" | "super");
        let way = words.iter().take_while(is_way);
        let ups = way.clone().filter(|w| *w == "super").count();
        from.truncate(from.len().saturating_sub(ups));
        from.extend_from_slice(&words[way.count()..]);
        Some(from)
    }

    fn path(&mut self, words: &[String]) {
        self.names.extend(self.full(words));
    }

    /// A name that a `use` brings, and what it stands for.
    fn used(&mut self, name: &syn::Ident, words: &[String]) {
        self.path(words);
        let inner = || [&self.at, words].concat();
        let full = self.full(words).unwrap_or_else(inner);
        // Those of a module within the file are not the file's.
        if self.at == self.file {
            self.exports.insert(name.to_string(), full);
        }
    }

    fn tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(p) => self.tree(&with(&p.ident), &p.tree),
            syn::UseTree::Name(n) => self.used(&n.ident, &with(&n.ident)),
            syn::UseTree::Rename(r) => self.used(&r.rename, &with(&r.ident)),
            syn::UseTree::Glob(_) => self.path(before),
            syn::UseTree::Group(g) => g.items.iter().for_each(|t| self.tree(before, t)),
        }
    }
}

pub(super) fn is_test(attributes: &[syn::Attribute]) -> bool {
    let of_cfg = |a: &syn::Attribute| match &a.meta {
        syn::Meta::List(l) if l.path.is_ident("cfg") => l.tokens.to_string() == "test",
        _ => false,
    };
    attributes.iter().any(of_cfg)
}

impl<'ast> Visit<'ast> for Look {
    fn visit_item_mod(&mut self, m: &'ast syn::ItemMod) {
        if m.content.is_some() && !is_test(&m.attrs) {
            self.at.push(m.ident.to_string());
            visit::visit_item_mod(self, m);
            self.at.pop();
        }
    }

    // Who may use something is none of what it uses.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_item_use(&mut self, u: &'ast syn::ItemUse) {
        self.tree(&[], &u.tree);
    }

    fn visit_path(&mut self, p: &'ast syn::Path) {
        let words: Vec<String> = p.segments.iter().map(|s| s.ident.to_string()).collect();
        self.path(&words);
        visit::visit_path(self, p);
    }

    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        self.function(&f.sig.ident, f.span());
        visit::visit_item_fn(self, f);
    }

    fn visit_impl_item_fn(&mut self, f: &'ast syn::ImplItemFn) {
        self.function(&f.sig.ident, f.span());
        visit::visit_impl_item_fn(self, f);
    }

    fn visit_item_struct(&mut self, s: &'ast syn::ItemStruct) {
        self.named(&s.vis, &s.ident);
        visit::visit_item_struct(self, s);
    }

    fn visit_item_enum(&mut self, e: &'ast syn::ItemEnum) {
        self.named(&e.vis, &e.ident);
        visit::visit_item_enum(self, e);
    }
}

#[cfg(test)]
mod tests {
    use super::looks;

    #[test]
    fn looks_at_the_system_are_counted() {
        assert_eq!(
            looks("    let n = unsafe { libc::read(fd, to, libc::BUFSIZ) };"),
            2
        );
        assert_eq!(looks("    fs::read_to_string(\"/proc/self/maps\")"), 1);
        assert_eq!(looks("    // As libc::read, or \"/proc/self/fd\"."), 0);
        assert_eq!(looks("    let libc = mylib::read(fd);"), 0);
    }
}
