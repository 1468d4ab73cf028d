//! Borrows that are made again: from places, which are still there, and values, which are given a name and kept.
//!
//! ```text
//! &mut grid[i + 1][..n]   →   &mut grid[pc3_k1][..pc3_k2], with pc3_k1 = i + 1, pc3_k2 = n
//! &make()                 →   &pc3_k1, with pc3_k1 = make()
//! text.lines()            →   as it is
//! ```

use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{parse_quote, Attribute, Expr};

mod chains;

use crate::flow::identifiers;
use crate::names::is_binding;
use crate::transient;

pub use chains::{guarded, still, Links};
pub(crate) use chains::{guarded_mut, has_guard, is_guard};

/// `#[reeval]` in front of a `let`.
pub(crate) fn is_reeval(attrs: &[Attribute]) -> bool {
    let word = |a: &Attribute| {
        let last = a.path().segments.last();
        last.is_some_and(|s| s.ident == "reeval")
    };
    attrs.iter().any(word)
}

/// Takes it away, where it means nothing.
pub fn strip(local: &mut syn::Local) {
    let ours = |a: &Attribute| transient::is(a) || is_reeval(std::slice::from_ref(a));
    local.attrs.retain(|a| !ours(a));
}

/// Methods that give an iterator over what their receiver holds.
const ITERATE: &str =
    "iter iter_mut chars char_indices bytes lines split_whitespace split keys values values_mut windows chunks \
    chunks_mut chunks_exact chunks_exact_mut rchunks range range_mut";

/// More of them, in heads of loops.
const ITERATE_LOOPS: &str =
    "difference match_indices rsplit rsplitn split_ascii_whitespace split_inclusive split_terminator splitn \
    symmetric_difference";

/// Methods that give a borrow of, or out of, their receiver.
const BORROW: &str =
    "as_ref as_mut as_deref as_deref_mut as_slice as_mut_slice as_str as_bytes as_path first first_mut get get_mut \
    last last_mut split_first split_last trim unwrap expect";

/// Methods that make one iterator of another, the same each time.
const ADAPT: &str =
    "enumerate rev zip step_by skip take map filter filter_map cloned copied chain flat_map take_while skip_while \
    map_while scan cycle into_iter peekable fuse";

/// Does the method make one iterator of another?
pub(crate) fn is_adaptor(method: &Ident) -> bool {
    is_word(ADAPT, method)
}

/// Does it give one of what it is called on?
pub(crate) fn iterates(method: &Ident) -> bool {
    is_word(ITERATE, method) || is_word(ITERATE_LOOPS, method)
}

/// Is it a method that may be called again where a borrow is made again, and no trait's of the standard library?
pub(crate) fn is_called_again(method: &Ident) -> bool {
    let elsewhere = ["as_ref", "as_mut", "unwrap", "expect"];
    let asks = [
        "capacity", "is_empty", "is_err", "is_none", "is_ok", "is_some", "len",
    ];
    let borrows = is_word(BORROW, method) || is_word(chains::PARTS, method);
    (borrows || is_one_of(&asks, method) || iterates(method) || chains::locks(method))
        && !is_one_of(&elsewhere, method)
}

/// Is it one of `AsRef`, `AsMut`, `Borrow` and `BorrowMut`?
pub(crate) fn views(method: &Ident) -> bool {
    is_one_of(&["as_ref", "as_mut", "borrow", "borrow_mut"], method)
}

/// Does an expression give an iterator, as far as it shows?
pub(crate) fn iterates_itself(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => iterates_itself(&p.expr),
        Expr::Range(_) => true,
        Expr::MethodCall(m) => {
            let more = ["drain", "inspect", "flatten"];
            iterates(&m.method) || is_adaptor(&m.method) || is_one_of(&more, &m.method)
        }
        Expr::Call(c) => is_source(&c.func),
        _ => false,
    }
}

/// Does it give one that goes over a borrow, or over numbers, by the standard library's methods?
pub fn walks(e: &Expr) -> bool {
    match e {
        Expr::MethodCall(m) => iterates(&m.method) || is_adaptor(&m.method) && adapted(&m.receiver),
        Expr::Call(c) => is_source(&c.func),
        _ => false,
    }
}

fn adapted(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => adapted(&p.expr),
        Expr::Range(_) => true,
        e => walks(e),
    }
}

/// Is the name among these, which stand in one text?
pub(crate) fn is_word(list: &str, name: &Ident) -> bool {
    list.split_whitespace().any(|n| name == n)
}

fn is_one_of(list: &[&str], name: &Ident) -> bool {
    list.iter().any(|n| name == n)
}

/// The word of an expression that says what it gives: what is wrong with its type is said there.
pub fn telling(e: &Expr) -> Span {
    match e {
        Expr::MethodCall(m) => m.method.span(),
        Expr::Paren(p) => telling(&p.expr),
        Expr::Group(p) => telling(&p.expr),
        Expr::Try(t) => telling(&t.expr),
        Expr::Block(b) => match b.block.stmts.last() {
            Some(syn::Stmt::Expr(e, None)) => telling(e),
            _ => e.span(),
        },
        e => e.span(),
    }
    .resolved_at(Span::call_site())
}

/// Does the expression give a `BufReader`, as far as it shows?
pub(crate) fn is_reader(e: &Expr, locals: &dyn Locals) -> bool {
    match e {
        Expr::Paren(p) => is_reader(&p.expr, locals),
        Expr::Group(p) => is_reader(&p.expr, locals),
        Expr::Path(p) => p
            .path
            .get_ident()
            .is_some_and(|i| locals.is_reader(&i.to_string())),
        Expr::Reference(r) => r.mutability.is_some(),
        Expr::MethodCall(m) => m.method == "by_ref",
        Expr::Call(c) => match &*c.func {
            Expr::Path(p) => p
                .path
                .segments
                .iter()
                .any(|s| s.ident == "BufReader" || s.ident == "stdin"),
            _ => false,
        },
        _ => false,
    }
}

/// What is known of locals.
pub trait Locals {
    fn is_borrow(&self, name: &str) -> bool;
    fn is_mutable(&self, name: &str) -> bool;
    /// May what it leads to have another value later?
    fn changes(&self, name: &str) -> bool {
        self.is_mutable(name)
    }
    /// Is it one, or does its type say that?
    fn may_be_borrow(&self, name: &str) -> bool {
        self.is_borrow(name)
    }
    /// Is it a function's path?
    fn is_function(&self, path: &syn::ExprPath) -> bool;
    /// A `BufReader`, or a borrow of one.
    fn is_reader(&self, name: &str) -> bool;
    /// An iterator, or a borrow of one.
    fn is_iterator(&self, _: &str) -> bool {
        false
    }
}

/// A value that something is made from.
pub struct Source {
    pub name: Ident,
    pub value: Expr,
    /// Its type says whether it is saved or made again itself.
    pub chain: Option<Links>,
}

/// How names of values begin that are kept.
const KEPT: &str = "pc3_k";

/// Gives expressions a form that can be evaluated again.
pub struct Reevaluation<'b> {
    pub locals: &'b dyn Locals,
    /// For names, and how they begin.
    pub id: usize,
    pub prefix: &'static str,
    /// How that of a value begins that is borrowed itself.
    pub extended: &'static str,
    /// Values to be kept.
    pub from: Vec<Source>,
    /// Also what is surely the same gets a name: it may be gone.
    all: bool,
    receivers: Vec<(Expr, bool)>,
    /// A text counts as a borrow: it can be saved as well as made again.
    texts: bool,
    /// Names of values that the iterator takes.
    pub taken: Vec<Ident>,
}

impl<'b> Reevaluation<'b> {
    pub fn new(locals: &'b dyn Locals, id: usize) -> Reevaluation<'b> {
        Reevaluation {
            locals,
            id,
            prefix: KEPT,
            extended: KEPT,
            from: Vec::new(),
            all: false,
            receivers: Vec::new(),
            texts: true,
            taken: Vec::new(),
        }
    }

    /// What the methods that have been seen are called on.
    pub fn links(&mut self) -> Links {
        Links {
            receivers: std::mem::take(&mut self.receivers),
            ..Links::default()
        }
    }

    /// A value gets a name, unless it is the same each time.
    fn keep(&mut self, e: &mut Expr) {
        match e {
            Expr::Lit(_) | Expr::Closure(_) => {}
            Expr::Path(p) if p.path.get_ident().is_none_or(|i| self.is_kept(i)) => {}
            // What becomes of what it is borrowed from is not followed: it is still borrowed at the points.
            e if self.may_change(e) => self.name_value(e, Some(Links::default())),
            Expr::Path(p)
                if p.path.get_ident().is_some_and(|i| {
                    let name = i.to_string();
                    name.starts_with(char::is_uppercase)
                        || !(self.all && !self.locals.may_be_borrow(&name)
                            || self.locals.is_mutable(&name))
                }) => {}
            Expr::Paren(p) => self.keep(&mut p.expr),
            Expr::Group(p) => self.keep(&mut p.expr),
            Expr::Range(r) => [&mut r.start, &mut r.end]
                .into_iter()
                .flatten()
                .for_each(|e| self.keep(e)),
            Expr::Tuple(t) => t.elems.iter_mut().for_each(|e| self.keep(e)),
            Expr::Array(t) => t.elems.iter_mut().for_each(|e| self.keep(e)),
            // Of a cell.
            Expr::MethodCall(m) if m.method == "get" && m.args.is_empty() => self.name(e),
            // A guard in it ends with the statement.
            e if chains::has_guard(e) => self.name_value(e, None),
            // A value, unless its type says otherwise.
            Expr::MethodCall(_) => self.name(e),
            e => {
                if !self.borrow(e) {
                    self.name(e);
                }
            }
        }
    }

    /// Has it such a name?
    fn is_kept(&self, name: &Ident) -> bool {
        let name = name.to_string();
        name.starts_with(KEPT) && !self.locals.may_be_borrow(&name)
    }

    /// Is it a borrow that may lead to another value later?
    fn may_change(&self, e: &Expr) -> bool {
        match e {
            Expr::Reference(r) => self.is_in_borrow(&r.expr, false),
            Expr::Path(_) => self.is_borrow_path(e) && self.is_in_borrow(e, true),
            _ => false,
        }
    }

    fn is_borrow_path(&self, e: &Expr) -> bool {
        let borrow = |i: &Ident| self.locals.may_be_borrow(&i.to_string());
        matches!(e, Expr::Path(p) if p.path.get_ident().is_some_and(borrow))
    }

    /// Is it in a place that a borrow, or a `mut` local's field, leads to?
    fn is_in_borrow(&self, e: &Expr, within: bool) -> bool {
        match e {
            Expr::Field(f) => self.is_in_borrow(&f.base, true),
            Expr::Index(i) => self.is_in_borrow(&i.expr, true),
            Expr::Unary(u) => self.is_in_borrow(&u.expr, true),
            Expr::Paren(p) => self.is_in_borrow(&p.expr, within),
            Expr::Group(g) => self.is_in_borrow(&g.expr, within),
            Expr::Reference(r) => self.is_in_borrow(&r.expr, within),
            Expr::MethodCall(m) => self.is_in_borrow(&m.receiver, true),
            Expr::Path(p) => {
                let changes = |i: &Ident| self.locals.changes(&i.to_string());
                within && p.path.get_ident().is_some_and(changes)
            }
            _ => false,
        }
    }

    pub fn name(&mut self, e: &mut Expr) {
        let chain = self.chain(e);
        self.name_value(e, chain);
    }

    fn name_value(&mut self, e: &mut Expr, chain: Option<Links>) {
        let name = format_ident!(
            "{}{}_{}",
            self.prefix,
            self.id,
            self.from.len(),
            span = telling(e)
        );
        let value = std::mem::replace(e, parse_quote!(#name));
        self.from.push(Source { name, value, chain });
    }

    /// What a guard, or another borrow, leads to is a place.
    fn base(&mut self, e: &mut Expr) -> bool {
        let is = self.place(e);
        if !is
            && Reevaluation::new(self.locals, 0)
                .chain(&mut e.clone())
                .is_some()
        {
            self.name(e);
            return true;
        }
        is
    }

    /// A place; what it is indexed with is kept.
    pub fn place(&mut self, e: &mut Expr) -> bool {
        match e {
            Expr::Path(_) => true,
            Expr::Field(f) => self.base(&mut f.base),
            Expr::Index(i) => {
                let is = self.base(&mut i.expr);
                if is {
                    self.keep(&mut i.index);
                }
                is
            }
            Expr::Paren(p) => self.place(&mut p.expr),
            Expr::Group(p) => self.place(&mut p.expr),
            Expr::Unary(u) => {
                matches!(u.op, syn::UnOp::Deref(_))
                    && (self.base(&mut u.expr) || self.borrow(&mut u.expr))
            }
            _ => false,
        }
    }

    /// Does the expression give a borrow that can be made again?
    pub fn borrow(&mut self, e: &mut Expr) -> bool {
        match e {
            Expr::Paren(p) => self.borrow(&mut p.expr),
            Expr::Group(p) => self.borrow(&mut p.expr),
            Expr::Path(p) => {
                let borrow = |i: &Ident| self.locals.is_borrow(&i.to_string());
                p.path.get_ident().is_some_and(borrow) || self.locals.is_function(p)
            }
            Expr::Closure(_) => true,
            Expr::Lit(l) => self.texts && matches!(l.lit, syn::Lit::Str(_)),
            Expr::Reference(r) => {
                let inner = &mut *r.expr;
                let again = match r.mutability {
                    // A value that is made here may be changed: it is no constant.
                    Some(_) if is_constant(inner) => false,
                    Some(_) => self.place(inner) || is_closure(inner),
                    None => self.place(inner) || self.borrow(inner) || is_constant(inner),
                };
                if !again {
                    let prefix = std::mem::replace(&mut self.prefix, self.extended);
                    match inner {
                        // A part of a value, which may have no size.
                        Expr::Index(i) => {
                            self.name(&mut i.expr);
                            self.keep(&mut i.index);
                        }
                        inner => self.name(inner),
                    }
                    self.prefix = prefix;
                }
                true
            }
            Expr::MethodCall(m) => {
                let iterates = is_word(ITERATE, &m.method);
                // `Option::take`
                let takes = m.method == "take" && m.args.is_empty();
                let adapts = is_word(ADAPT, &m.method) && !takes;
                if !iterates && !adapts && !is_word(BORROW, &m.method) {
                    return false;
                }
                if m.method == "lines" && is_reader(&m.receiver, self.locals) {
                    return false;
                }
                if adapts || m.method == "unwrap" || m.method == "expect" {
                    if !self.iterator(&mut m.receiver) {
                        return false;
                    }
                } else {
                    if !self.place(&mut m.receiver) && !self.borrow(&mut m.receiver) {
                        // A value that is made here.
                        self.name(&mut m.receiver);
                    }
                    self.receivers.push(((*m.receiver).clone(), false));
                }
                if m.method == "range" || m.method == "range_mut" {
                    m.args.iter_mut().for_each(|a| self.bounds(a));
                    return true;
                }
                m.args.iter_mut().for_each(|a| {
                    let joins = is_one_of(&["zip", "chain"], &m.method);
                    if !joins || !self.iterator(a) {
                        if !adapts || !self.is_borrow_path(a) {
                            self.keep(a);
                        }
                        if let (true, Expr::Path(p)) = (adapts, &*a) {
                            self.taken.extend(p.path.get_ident().cloned());
                        }
                    }
                });
                true
            }
            // `Some(&x)`, `(&x, 3)`, `[&x, &y]`
            Expr::Call(c) if is_constructor(&c.func) => self.parts(c.args.iter_mut().collect()),
            Expr::Tuple(t) => self.parts(t.elems.iter_mut().collect()),
            Expr::Array(t) => self.parts(t.elems.iter_mut().collect()),
            _ => false,
        }
    }

    /// `a..b` of keys, which stay where they are.
    fn bounds(&mut self, e: &mut Expr) {
        self.keep(e);
        let Expr::Range(r) = e else { return };
        let named = |e: &Option<Box<Expr>>| matches!(e.as_deref(), Some(Expr::Path(_)));
        if !named(&r.start) && !named(&r.end) {
            return;
        }
        let closed = matches!(r.limits, syn::RangeLimits::Closed(_));
        let bound = |e: &Option<Box<Expr>>, includes: bool| match (e, includes) {
            (None, _) => quote!(::core::ops::Bound::Unbounded),
            (Some(e), true) => quote!(::core::ops::Bound::Included(&#e)),
            (Some(e), false) => quote!(::core::ops::Bound::Excluded(&#e)),
        };
        let (start, end) = (bound(&r.start, true), bound(&r.end, closed));
        *e = parse_quote!(::pc3::point::Between(#start, #end));
    }

    fn parts(&mut self, parts: Vec<&mut Expr>) -> bool {
        let made = parts.iter().any(|e| is_made(e));
        let is = |s: &Self, e: &Expr| {
            let mut probe = Reevaluation::new(s.locals, 0);
            probe.texts = s.texts && !made;
            probe.borrow(&mut e.clone())
        };
        if !parts.iter().any(|e| is(self, e)) {
            return false;
        }
        for e in parts {
            if !self.borrow(e) {
                self.keep(e);
            }
        }
        true
    }

    /// An iterator that is made again; also one over numbers.
    pub fn iterator(&mut self, e: &mut Expr) -> bool {
        match e {
            Expr::Paren(p) => self.iterator(&mut p.expr),
            Expr::Group(p) => self.iterator(&mut p.expr),
            Expr::Range(_) => {
                self.keep(e);
                true
            }
            Expr::MethodCall(m) if is_word(ITERATE_LOOPS, &m.method) => {
                if !self.place(&mut m.receiver) && !self.borrow(&mut m.receiver) {
                    self.name(&mut m.receiver);
                }
                m.args.iter_mut().for_each(|a| self.keep(a));
                true
            }
            Expr::MethodCall(m) if m.method == "scan" && m.args.len() != 2 => false,
            Expr::Call(c) if is_source(&c.func) => {
                for a in &mut c.args {
                    if !self.iterator(a) {
                        self.keep(a);
                    }
                }
                true
            }
            e => self.borrow(e),
        }
    }
}

pub fn is_place(e: &Expr) -> bool {
    struct None_;
    impl Locals for None_ {
        fn is_borrow(&self, _: &str) -> bool {
            false
        }
        fn is_mutable(&self, _: &str) -> bool {
            false
        }
        fn is_reader(&self, _: &str) -> bool {
            false
        }
        fn is_function(&self, _: &syn::ExprPath) -> bool {
            false
        }
    }
    let mut again = Reevaluation::new(&None_, 0);
    again.place(&mut e.clone()) && again.from.is_empty()
}

/// `3`, `None`, `f64::MAX`
fn is_constant(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_constant(&p.expr),
        Expr::Group(p) => is_constant(&p.expr),
        Expr::Path(p) => match p.path.get_ident() {
            Some(i) => i.to_string().starts_with(char::is_uppercase),
            None => true,
        },
        e => matches!(e, Expr::Lit(_)),
    }
}

/// Is there a value in it that code makes?
fn is_made(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_made(&p.expr),
        Expr::Group(p) => is_made(&p.expr),
        Expr::Tuple(t) => t.elems.iter().any(is_made),
        Expr::Array(t) => t.elems.iter().any(is_made),
        Expr::Call(c) if is_constructor(&c.func) => c.args.iter().any(is_made),
        Expr::Call(_) | Expr::MethodCall(_) | Expr::Macro(_) | Expr::Struct(_) => true,
        _ => false,
    }
}

fn is_closure(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_closure(&p.expr),
        Expr::Group(p) => is_closure(&p.expr),
        e => matches!(e, Expr::Closure(_)),
    }
}

/// `std::iter::repeat`
pub fn is_source(e: &Expr) -> bool {
    const NAMES: &[&str] = &["empty", "once", "repeat", "repeat_n", "successors", "zip"];
    let Expr::Path(p) = e else { return false };
    let mut segments = p.path.segments.iter().rev();
    let last = segments.next().is_some_and(|s| is_one_of(NAMES, &s.ident));
    last && segments.next().is_some_and(|s| s.ident == "iter")
}

/// `Some`, `Type::Variant`
pub(crate) fn is_constructor(e: &Expr) -> bool {
    let Expr::Path(p) = e else { return false };
    let last = p.path.segments.last().filter(|_| p.qself.is_none());
    last.is_some_and(|s| s.ident.to_string().starts_with(char::is_uppercase))
}

/// The locals in whose places a borrow, or an iterator, is.
pub fn bases(e: &Expr) -> Vec<String> {
    let mut list = Vec::new();
    gather(e, &mut list);
    list
}

fn gather(e: &Expr, into: &mut Vec<String>) {
    match e {
        Expr::Path(p) => {
            let local = p.path.get_ident().map(|i| syn::PatIdent {
                attrs: Vec::new(),
                by_ref: None,
                mutability: None,
                ident: i.clone(),
                subpat: None,
            });
            into.extend(local.filter(is_binding).map(|p| p.ident.to_string()));
        }
        Expr::Paren(p) => gather(&p.expr, into),
        Expr::Group(p) => gather(&p.expr, into),
        Expr::Field(f) => gather(&f.base, into),
        Expr::Index(i) => {
            gather(&i.expr, into);
            if let Expr::Reference(_) = &*i.index {
                gather(&i.index, into);
            }
        }
        Expr::Unary(u) => gather(&u.expr, into),
        Expr::Reference(r) => gather(&r.expr, into),
        Expr::Closure(c) => into.extend(identifiers(&{
            let body = &c.body;
            quote!(#body)
        })),
        Expr::MethodCall(m) => {
            gather(&m.receiver, into);
            for a in &m.args {
                if matches!(
                    a,
                    Expr::Reference(_) | Expr::Closure(_) | Expr::MethodCall(_)
                ) || (is_one_of(&["zip", "chain"], &m.method) && matches!(a, Expr::Path(_)))
                {
                    gather(a, into);
                }
            }
        }
        Expr::Call(c) if is_constructor(&c.func) => c.args.iter().for_each(|a| gather(a, into)),
        Expr::Tuple(t) => t.elems.iter().for_each(|a| gather(a, into)),
        Expr::Array(t) => t.elems.iter().for_each(|a| gather(a, into)),
        _ => {}
    }
}
