//! Gives each local a name of its own, so that all can be declared in one place; format strings follow.

pub(crate) mod shown;
pub(crate) mod texts;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};

use crate::visit_mut::{self, VisitMut};
use proc_macro2::{Group, Ident, Literal, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::{Block, Expr, Macro, Pat, Stmt};

use crate::marks::{self, Arguments};
use crate::names::texts::{captures, is_text, Text, WORDS};
use crate::transient;

/// Types of numbers and their like.
pub const NUMBERS: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32",
    "u64", "u128", "usize",
];

/// Renames the locals of a function; `parameters` come first, under their own names.
pub fn unique(block: &mut Block, parameters: &[Ident], small: Vec<(String, String)>) -> Names {
    let mut all = HashSet::new();
    identifiers(&quote::quote!(#block), &mut all);
    // `let x = x();`: where locals are declared they must not hide what is no local.
    let first = rename(&mut block.clone(), parameters, &small, &all, HashSet::new());
    let items = first.others.into_inner();
    let mut renamer = rename(block, parameters, &small, &all, items);
    renamer.renamed.extend(small);
    Names {
        shown: match renamer.told.get() {
            true => shown::stringify(&renamer.renamed),
            false => TokenStream::new(),
        },
        own: renamer.renamed,
        in_macros: renamer.in_macros.into_inner(),
        errors: renamer.errors.into_inner(),
    }
}

/// Parameters whose names begin with a capital get others; gives each with the user's.
pub fn small(sig: &mut syn::Signature, block: &Block) -> Vec<(String, String)> {
    struct Small(HashSet<String>, Vec<(String, String)>);
    impl VisitMut for Small {
        fn visit_pat_ident_mut(&mut self, p: &mut syn::PatIdent) {
            let own = p.ident.to_string();
            if own.starts_with(char::is_uppercase) {
                let mut name = format!("_{own}");
                while !self.0.insert(name.clone()) {
                    name.push('_');
                }
                p.ident = ident(&name, p.ident.span());
                self.1.push((name, own));
            }
        }
        fn visit_field_pat_mut(&mut self, f: &mut syn::FieldPat) {
            f.colon_token.get_or_insert_default();
            self.visit_pat_mut(&mut f.pat);
        }
        fn visit_type_mut(&mut self, _: &mut syn::Type) {}
    }
    let mut words = HashSet::new();
    identifiers(&quote::quote!(#sig #block), &mut words);
    let mut small = Small(words, Vec::new());
    small.visit_signature_mut(sig);
    small.1
}

/// What has become of locals' names.
pub struct Names {
    /// Names that the user has for those that have others now.
    pub own: HashMap<String, String>,
    /// Locals that macros which are declared in the function mention.
    pub in_macros: HashSet<String>,
    /// Declares what shows the user's names where macros make texts of them.
    pub shown: TokenStream,
    pub errors: Vec<syn::Error>,
}

fn rename(
    block: &mut Block,
    parameters: &[Ident],
    small: &[(String, String)],
    all: &HashSet<String>,
    items: HashSet<String>,
) -> Renamer {
    let mut renamer = Renamer {
        scopes: vec![HashMap::new()],
        taken: HashSet::new(),
        renamed: HashMap::new(),
        all: all.clone(),
        others: RefCell::default(),
        in_macros: RefCell::default(),
        told: Cell::default(),
        errors: RefCell::default(),
    };
    for p in parameters {
        let name = p.to_string();
        renamer.taken.insert(name.clone());
        if let Some(scope) = renamer.scopes.last_mut() {
            let own = small.iter().find(|(n, _)| *n == name);
            scope.insert(own.map_or(name.clone(), |o| o.1.clone()), name);
        }
    }
    renamer.taken.extend(items);
    renamer.visit_block_mut(block);
    renamer
}

fn identifiers(tokens: &TokenStream, into: &mut HashSet<String>) {
    for t in tokens.clone() {
        match t {
            TokenTree::Ident(i) => {
                into.insert(i.to_string());
            }
            TokenTree::Group(g) => identifiers(&g.stream(), into),
            _ => {}
        }
    }
}

struct Renamer {
    /// Names of the source and what they are called now; inner scopes last.
    scopes: Vec<HashMap<String, String>>,
    /// Names that a local has.
    taken: HashSet<String>,
    /// New names, and the user's.
    renamed: HashMap<String, String>,
    /// Words of the function.
    all: HashSet<String>,
    /// Words that stand for no local.
    others: RefCell<HashSet<String>>,
    in_macros: RefCell<HashSet<String>>,
    /// Do macros that are not known get such names?
    told: Cell<bool>,
    errors: RefCell<Vec<syn::Error>>,
}

pub fn ident(name: &str, span: proc_macro2::Span) -> Ident {
    match name.strip_prefix("r#") {
        Some(raw) => Ident::new_raw(raw, span),
        None => Ident::new(name, span),
    }
}

impl Renamer {
    fn bind(&mut self, from: &Ident) -> Ident {
        let old = from.to_string();
        // What begins with a capital would be taken for a constant.
        let mut new = match old.starts_with(char::is_uppercase) {
            true => format!("_{old}"),
            false => old.clone(),
        };
        let base = new.trim_start_matches("r#").to_owned();
        let mut n = 1;
        while self.taken.contains(&new) || (new != old && self.all.contains(&new)) {
            n += 1;
            new = format!("{base}_{n}");
        }
        self.taken.insert(new.clone());
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(old.clone(), new.clone());
        }
        if new == old {
            from.clone()
        } else {
            self.renamed.insert(new.clone(), old);
            ident(&new, from.span())
        }
    }

    fn find(&self, name: &str) -> Option<&str> {
        self.scopes
            .iter()
            .rev()
            .find_map(|s| s.get(name))
            .map(String::as_str)
    }

    fn scoped<T>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(HashMap::new());
        let result = visit(self);
        self.scopes.pop();
        result
    }

    /// Binds the names of a pattern (all alternatives of `|` bind the same ones); `sure`: it always matches, so each
    /// word is a name.
    fn pattern(&mut self, pat: &mut Pat, sure: bool) {
        struct Bind<'a>(&'a mut Renamer, HashMap<String, Ident>, bool);
        impl VisitMut for Bind<'_> {
            fn visit_pat_ident_mut(&mut self, p: &mut syn::PatIdent) {
                if self.2 || is_binding(p) {
                    let old = p.ident.to_string();
                    let new = match self.1.get(&old) {
                        Some(new) => ident(&new.to_string(), p.ident.span()),
                        None => self.0.bind(&p.ident),
                    };
                    self.1.insert(old, new.clone());
                    p.ident = new;
                }
                if let Some((_, sub)) = &mut p.subpat {
                    self.visit_pat_mut(sub);
                }
            }
            fn visit_field_pat_mut(&mut self, f: &mut syn::FieldPat) {
                // `S { x }` becomes `S { x: x_2 }`.
                if f.colon_token.is_none() {
                    f.colon_token = Some(Default::default());
                }
                self.visit_pat_mut(&mut f.pat);
            }
            fn visit_expr_mut(&mut self, _: &mut Expr) {}
        }
        Bind(self, HashMap::new(), sure).visit_pat_mut(pat);
    }

    fn tokens(&self, tokens: TokenStream, text: Text) -> TokenStream {
        let mut before = [' '; 2];
        let mut format = text == Text::Format;
        let mut rest = tokens.into_iter().peekable();
        std::iter::from_fn(|| {
            let t = rest.next()?;
            Some((t, matches!(rest.peek(), Some(TokenTree::Group(_)))))
        })
        .map(|(t, called)| {
            // A field or method, or part of a path; what a macro that is declared here takes.
            let field =
                (before[1] == '.' && before[0] != '.') || before == [':', ':'] || before[1] == '$';
            let this = match &t {
                TokenTree::Punct(p) => p.as_char(),
                _ => ' ',
            };
            before = [before[1], this];
            match t {
                TokenTree::Ident(i) if !field => match self.find(&i.to_string()) {
                    Some(new) => {
                        self.told.set(self.told.get() || i != new);
                        TokenTree::Ident(ident(new, i.span()))
                    }
                    None => {
                        if called {
                            self.others.borrow_mut().insert(i.to_string());
                        }
                        TokenTree::Ident(i)
                    }
                },
                TokenTree::Group(g) => {
                    let inner = self.tokens(g.stream(), text);
                    if inner.to_string() == g.stream().to_string() {
                        // With its spaces, which some macros show.
                        return TokenTree::Group(g);
                    }
                    let mut new = Group::new(g.delimiter(), inner);
                    new.set_span(g.span());
                    TokenTree::Group(new)
                }
                TokenTree::Literal(l) => {
                    let new = self.literal(l.clone());
                    if new.to_string() == l.to_string() {
                        return TokenTree::Literal(l);
                    }
                    if std::mem::take(&mut format) {
                        return TokenTree::Literal(new);
                    }
                    if text == Text::Unknown {
                        self.refuse_text(&l);
                    }
                    TokenTree::Literal(l)
                }
                t => t,
            }
        })
        .collect()
    }

    /// A local has another name than in this text, of which it is not known whether it is a format string.
    fn refuse_text(&self, text: &Literal) {
        let why = "this text mentions a local whose name an earlier one has, too (or that begins with a capital), and what the macro makes of it is not known here: give the local another name, or hand the text over as the value of a `let`";
        self.errors
            .borrow_mut()
            .push(syn::Error::new(text.span(), why));
    }

    /// A macro that is declared in the function.
    fn macro_rules(&mut self, mac: &mut Macro) {
        let mut words = HashSet::new();
        identifiers(&mac.tokens, &mut words);
        let locals = words.iter().filter_map(|w| self.find(w));
        let locals: HashSet<String> = locals.map(str::to_owned).collect();
        self.in_macros.get_mut().extend(locals);
        mac.tokens = self.tokens(mac.tokens.clone(), Text::Unknown);
    }

    /// Names captured in a format string.
    fn literal(&self, literal: Literal) -> Literal {
        let text = literal.to_string();
        if !is_text(&text) || !text.contains('{') {
            return literal;
        }
        let Ok(lit) = syn::parse_str::<syn::LitStr>(&text) else {
            return literal;
        };
        let value = lit.value();
        let mut changed = false;
        let new = captures(&value, |name| {
            let new = self.find(name)?;
            changed |= new != name;
            Some(new.to_owned())
        });
        if !changed {
            return literal;
        }
        let mut literal_new = Literal::string(&new);
        literal_new.set_span(literal.span());
        literal_new
    }
}

/// `None`, `MAX`: a pattern that is a word with a capital is a constant.
pub(crate) fn is_binding(p: &syn::PatIdent) -> bool {
    let first = p.ident.to_string().chars().next();
    p.by_ref.is_some()
        || p.mutability.is_some()
        || p.subpat.is_some()
        || !first.is_some_and(char::is_uppercase)
}

impl VisitMut for Renamer {
    fn visit_block_mut(&mut self, b: &mut Block) {
        self.scoped(|s| visit_mut::visit_block_mut(s, b));
    }
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Local(local) => {
                transient::rename(&mut local.attrs, |e| self.visit_expr_mut(e));
                if let Some(init) = &mut local.init {
                    self.visit_expr_mut(&mut init.expr);
                    if let Some((_, diverge)) = &mut init.diverge {
                        self.visit_expr_mut(diverge);
                    }
                }
                let sure = local.init.as_ref().is_none_or(|i| i.diverge.is_none());
                self.pattern(&mut local.pat, sure);
            }
            Stmt::Item(syn::Item::Macro(m)) => self.macro_rules(&mut m.mac),
            // No local is known there; words of other locals are not to be taken for uses of these.
            Stmt::Item(item) => {
                let scopes = std::mem::replace(&mut self.scopes, vec![HashMap::new()]);
                self.visit_item_mut(item);
                self.scopes = scopes;
            }
            _ => visit_mut::visit_stmt_mut(self, stmt),
        }
    }
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Path(p) if p.qself.is_none() => {
                if let Some(ident) = p.path.get_ident() {
                    match self.find(&ident.to_string()) {
                        Some(new) => {
                            p.path = self::ident(new, ident.span()).into();
                        }
                        None => {
                            self.others.get_mut().insert(ident.to_string());
                        }
                    }
                }
            }
            Expr::If(i) => {
                // Names of `if let` live in the branch that is taken.
                self.scoped(|s| {
                    s.visit_expr_mut(&mut i.cond);
                    s.visit_block_mut(&mut i.then_branch);
                });
                if let Some((_, other)) = &mut i.else_branch {
                    self.visit_expr_mut(other);
                }
            }
            Expr::While(w) => self.scoped(|s| {
                s.visit_expr_mut(&mut w.cond);
                s.visit_block_mut(&mut w.body);
            }),
            Expr::Let(l) => {
                self.visit_expr_mut(&mut l.expr);
                self.pattern(&mut l.pat, false);
            }
            Expr::ForLoop(f) => {
                self.visit_expr_mut(&mut f.expr);
                self.scoped(|s| {
                    s.pattern(&mut f.pat, true);
                    s.visit_block_mut(&mut f.body);
                });
            }
            Expr::Match(m) => {
                self.visit_expr_mut(&mut m.expr);
                for arm in &mut m.arms {
                    self.scoped(|s| {
                        s.pattern(&mut arm.pat, false);
                        if let Some((_, guard)) = &mut arm.guard {
                            s.visit_expr_mut(guard);
                        }
                        s.visit_expr_mut(&mut arm.body);
                    });
                }
            }
            Expr::Closure(c) => self.scoped(|s| {
                for p in &mut c.inputs {
                    s.pattern(p, true);
                }
                s.visit_expr_mut(&mut c.body);
            }),
            Expr::Struct(s) => {
                for f in &mut s.fields {
                    // `S { x }` becomes `S { x: x_2 }`.
                    if f.colon_token.is_none() {
                        f.colon_token = Some(Default::default());
                    }
                    self.visit_expr_mut(&mut f.expr);
                }
                if let Some(rest) = &mut s.rest {
                    self.visit_expr_mut(rest);
                }
            }
            _ => visit_mut::visit_expr_mut(self, e),
        }
    }
    fn visit_item_fn_mut(&mut self, f: &mut syn::ItemFn) {
        self.function(&mut f.sig, Some(&mut f.block));
    }
    fn visit_impl_item_fn_mut(&mut self, f: &mut syn::ImplItemFn) {
        self.function(&mut f.sig, Some(&mut f.block));
    }
    fn visit_trait_item_fn_mut(&mut self, f: &mut syn::TraitItemFn) {
        self.function(&mut f.sig, f.default.as_mut());
    }
    fn visit_item_macro_mut(&mut self, _: &mut syn::ItemMacro) {}
    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        if marks::is_call(mac) {
            if let Ok(mut e) = syn::parse2::<Expr>(mac.tokens.clone()) {
                self.visit_expr_mut(&mut e);
                mac.tokens = quote::quote!(#e);
            }
            return;
        }
        mac.tokens = match marks::arguments(mac) {
            Some(Arguments::Listed(mut list)) => {
                let (format, were) = (marks::format_string(mac), list.clone());
                for (i, e) in list.iter_mut().enumerate() {
                    self.argument(e, format == Some(i));
                }
                shown::arguments(mac, &list, &were)
            }
            Some(Arguments::Repeated(mut item, mut n)) => {
                self.visit_expr_mut(&mut item);
                self.visit_expr_mut(&mut n);
                quote::quote!(#item; #n)
            }
            None if WORDS.contains(&marks::name(mac).as_str()) => return,
            None => {
                let text = Text::of(mac);
                let matches = self.matches(mac);
                matches.unwrap_or_else(|| self.tokens(mac.tokens.clone(), text))
            }
        };
    }
}

impl Renamer {
    /// A function in the function.
    fn function(&mut self, sig: &mut syn::Signature, block: Option<&mut Block>) {
        let scopes = std::mem::replace(&mut self.scopes, vec![HashMap::new()]);
        for input in &mut sig.inputs {
            if let syn::FnArg::Typed(t) = input {
                self.pattern(&mut t.pat, true);
            }
        }
        if let Some(block) = block {
            self.visit_block_mut(block);
        }
        self.scopes = scopes;
    }

    /// An argument of a well-known macro; `format`: it is its format string.
    fn argument(&mut self, e: &mut Expr, format: bool) {
        match e {
            // `name = value`
            Expr::Assign(a) => self.visit_expr_mut(&mut a.right),
            Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) if format => {
                if let Ok(new) = syn::parse2(self.literal(text.token()).into_token_stream()) {
                    *text = new;
                }
            }
            e => self.visit_expr_mut(e),
        }
    }

    /// `matches!(value, pattern)`, `matches!(value, pattern if guard)`
    fn matches(&mut self, mac: &Macro) -> Option<TokenStream> {
        if marks::name(mac) != "matches" {
            return None;
        }
        let parts = |input: syn::parse::ParseStream| {
            let value: Expr = input.parse()?;
            input.parse::<syn::Token![,]>()?;
            let pat = Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.peek(syn::Token![if]) {
                true => {
                    input.parse::<syn::Token![if]>()?;
                    Some(input.parse::<Expr>()?)
                }
                false => None,
            };
            input.parse::<Option<syn::Token![,]>>()?;
            Ok((value, pat, guard))
        };
        let (mut value, mut pat, mut guard) = parts.parse2(mac.tokens.clone()).ok()?;
        self.visit_expr_mut(&mut value);
        self.scoped(|s| {
            s.pattern(&mut pat, false);
            if let Some(guard) = &mut guard {
                s.visit_expr_mut(guard);
            }
        });
        let guard = guard.map(|g| quote::quote!(if #g));
        Some(quote::quote!(#value, #pat #guard))
    }
}
