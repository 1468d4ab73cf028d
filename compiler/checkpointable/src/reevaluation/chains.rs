//! Methods of the standard library, one called on what another gives, that may give a borrow or a guard: its type says.
//!
//! ```text
//! list.get(i + 1)?.name.as_str()   →   as it is, with pc3_k1 = i + 1; again: Still::still(list.get(pc3_k1)).name.as_str()
//! shared.borrow_mut()              →   as it is
//! ```

use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};
use proc_macro2::Ident;
use syn::{parse_quote, Expr};

use super::{is_word, Reevaluation, BORROW};

/// More such methods, where the type of what they give is asked for.
pub(super) const PARTS: &str =
    "back back_mut first_key_value front front_mut get_key_value last_key_value rsplit_once split_at split_at_mut \
    split_first_mut split_last_mut split_once strip_prefix strip_suffix trim_end trim_end_matches trim_matches \
    trim_start trim_start_matches";

/// Copies of a loop's item, which may be a borrow.
const COPIES: &[&str] = &["pc3_cloned", "pc3_copied"];

/// Methods that are called one on what another gives.
#[derive(Default)]
pub struct Links {
    /// What they are called on, and whether that is an iterator.
    pub receivers: Vec<(Expr, bool)>,
    /// It may give a guard.
    pub guard: bool,
    /// A local that its method takes if it is an iterator.
    pub taken: Option<Ident>,
}

impl Reevaluation<'_> {
    /// Methods of the standard library, one called on what another gives, that may give a borrow or a guard.  What they
    /// are called with is kept.
    pub fn chain(&mut self, e: &mut Expr) -> Option<Links> {
        let (all, receivers) = (self.all, std::mem::take(&mut self.receivers));
        let mut made = e.clone();
        let kept = self.from.len();
        self.all = true;
        let is = self.link(&mut made);
        self.all = all;
        let links = Links {
            guard: is_guard(e),
            taken: last_of(e).filter(|t| self.locals.is_iterator(&t.to_string())),
            receivers: std::mem::replace(&mut self.receivers, receivers),
        };
        if !is {
            self.from.truncate(kept);
            return None;
        }
        *e = made;
        Some(links)
    }

    fn link(&mut self, e: &mut Expr) -> bool {
        match e {
            Expr::Paren(p) => self.link(&mut p.expr),
            Expr::Group(p) => self.link(&mut p.expr),
            Expr::Try(t) => match found(&mut t.expr) {
                Expr::MethodCall(l) if is_lock(l) => self.receiver(&mut l.receiver),
                found => self.link(found),
            },
            Expr::MethodCall(m) if is_guard_method(m) => self.receiver(&mut m.receiver),
            Expr::MethodCall(m) => {
                let name = m.method.to_string();
                let is = match name.as_str() {
                    "unwrap" | "expect" => match &mut *m.receiver {
                        Expr::MethodCall(l) if is_lock(l) => self.receiver(&mut l.receiver),
                        receiver => self.link(found(receiver)),
                    },
                    "max" | "min" if m.args.is_empty() => match &mut *m.receiver {
                        Expr::MethodCall(i)
                            if ["iter", "keys", "values"].iter().any(|n| i.method == n) =>
                        {
                            let is = self.receiver(&mut i.receiver);
                            self.receivers.push(((*m.receiver).clone(), true));
                            is
                        }
                        _ => false,
                    },
                    name if COPIES.contains(&name) => self.part(&mut m.receiver),
                    name if is_word(BORROW, &m.method) || is_word(PARTS, &m.method) => {
                        // `Cell::get`
                        let is = name != "get" || !m.args.is_empty();
                        is && self.receiver(&mut m.receiver)
                    }
                    _ => false,
                };
                if is {
                    m.args.iter_mut().for_each(|a| self.keep(a));
                }
                is
            }
            _ => false,
        }
    }

    /// What a method of a chain is called on.
    fn receiver(&mut self, e: &mut Expr) -> bool {
        let is = self.part(e);
        self.receivers.push((e.clone(), false));
        is
    }

    fn part(&mut self, e: &mut Expr) -> bool {
        match e {
            Expr::Field(f) if !self.is_place(&f.base) => self.part(&mut f.base),
            Expr::Lit(_) => true,
            e => self.place(e) || self.borrow_of_place(e) || self.link(e),
        }
    }

    fn is_place(&self, e: &Expr) -> bool {
        Reevaluation::new(self.locals, 0).place(&mut e.clone())
    }

    /// A borrow that is made of no value that ends with the statement.
    fn borrow_of_place(&mut self, e: &mut Expr) -> bool {
        let mut probe = Reevaluation::new(self.locals, 0);
        let is = matches!(e, Expr::Reference(r) if self.is_place(&r.expr))
            || matches!(e, Expr::Path(_)) && probe.borrow(&mut e.clone());
        is && self.borrow(e)
    }
}

/// `x` in `x.last()`
fn last_of(e: &Expr) -> Option<Ident> {
    match e {
        Expr::MethodCall(m) => match &*m.receiver {
            Expr::Path(p) if m.method == "last" => p.path.get_ident().cloned(),
            receiver => last_of(receiver),
        },
        Expr::Field(f) => last_of(&f.base),
        Expr::Try(t) => last_of(&t.expr),
        Expr::Paren(p) => last_of(&p.expr),
        _ => None,
    }
}

/// What is looked for in front of a `?`.
fn found(e: &mut Expr) -> &mut Expr {
    let names = ["ok_or", "ok_or_else", "map_err"];
    let asks = matches!(e, Expr::MethodCall(m) if names.iter().any(|n| m.method == n));
    match e {
        e if !asks => match e {
            Expr::Paren(p) => found(&mut p.expr),
            e => e,
        },
        Expr::MethodCall(m) => found(&mut m.receiver),
        e => e,
    }
}

/// A chain's methods called again: what has been found is there.
pub fn still(e: &Expr) -> Expr {
    struct Answers;
    impl VisitMut for Answers {
        fn visit_expr_mut(&mut self, e: &mut Expr) {
            if let Expr::Try(t) = e {
                let inner = found(&mut t.expr);
                *e = parse_quote!(::pc3::point::Still::still(#inner));
            }
            visit_mut::visit_expr_mut(self, e);
        }
    }
    let mut e = e.clone();
    Answers.visit_expr_mut(&mut e);
    e
}

/// Does the method give a guard?
pub(super) fn locks(method: &Ident) -> bool {
    let names = ["borrow", "borrow_mut", "lock", "read", "write"];
    names.iter().any(|n| method == n)
}

fn is_guard_method(m: &syn::ExprMethodCall) -> bool {
    m.args.is_empty() && (m.method == "borrow" || m.method == "borrow_mut")
}

fn is_lock(m: &syn::ExprMethodCall) -> bool {
    m.args.is_empty() && ["lock", "read", "write"].iter().any(|n| m.method == n)
}

/// `x.borrow_mut()`, `x.lock().unwrap()`
pub(crate) fn is_guard(e: &Expr) -> bool {
    guarded(e).is_some()
}

/// What a guard is of.
pub fn guarded(e: &Expr) -> Option<&Expr> {
    match e {
        Expr::Paren(p) => guarded(&p.expr),
        Expr::Group(p) => guarded(&p.expr),
        Expr::Try(t) => match &*t.expr {
            Expr::MethodCall(l) if is_lock(l) => Some(&l.receiver),
            _ => None,
        },
        Expr::MethodCall(m) if m.method == "unwrap" || m.method == "expect" => match &*m.receiver {
            Expr::MethodCall(l) if is_lock(l) => Some(&l.receiver),
            _ => None,
        },
        Expr::MethodCall(m) if is_guard_method(m) => Some(&m.receiver),
        _ => None,
    }
}

/// That.
pub(crate) fn guarded_mut(e: &mut Expr) -> Option<&mut Expr> {
    fn lock(e: &mut Expr) -> Option<&mut Expr> {
        match e {
            Expr::MethodCall(l) if is_lock(l) => Some(&mut l.receiver),
            _ => None,
        }
    }
    match e {
        Expr::Paren(p) => guarded_mut(&mut p.expr),
        Expr::Group(p) => guarded_mut(&mut p.expr),
        Expr::Try(t) => lock(&mut t.expr),
        Expr::MethodCall(m) => match is_guard_method(m) {
            true => Some(&mut m.receiver),
            false => lock(&mut m.receiver),
        },
        _ => None,
    }
}

/// Is a guard made in it?
pub(crate) fn has_guard(e: &Expr) -> bool {
    struct HasGuard(bool);
    impl<'ast> Visit<'ast> for HasGuard {
        fn visit_expr(&mut self, e: &'ast Expr) {
            self.0 |= is_guard(e);
            visit::visit_expr(self, e);
        }
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    }
    let mut visitor = HasGuard(false);
    visitor.visit_expr(e);
    visitor.0
}
