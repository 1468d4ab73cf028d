//! What methods and macros do with locals.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::Expr;

use super::super::{number, Local, Presence};
use super::{local, root, MoveWalk};
use crate::flow::identifiers;
use crate::marks::{self, Arguments};
use crate::methods;

impl MoveWalk {
    pub(super) fn unknown(&mut self, name: String, span: Span) {
        self.uncertain(name.clone());
        self.changed(Some(name), span);
    }

    pub(super) fn uncertain(&mut self, name: String) {
        if self.copied.contains(&name) {
            return;
        }
        let Some(l) = self.state.as_mut().and_then(|s| s.get_mut(&name)) else {
            return;
        };
        l.called = None;
        if l.whole == Presence::Here {
            l.whole = Presence::Unknown;
        }
    }

    /// A marked call.
    fn call(&mut self, e: &Expr, point: Option<usize>) {
        let receiver = match e {
            Expr::MethodCall(m) => local(&m.receiver),
            _ => None,
        };
        let known = |l: &Local| l.whole == Presence::Here || l.called.is_some();
        let of = receiver.clone().filter(|name| {
            let local = self.state.as_ref().and_then(|s| s.get(name));
            local.is_some_and(known)
        });
        self.value(e);
        let Some((n, name)) = point.zip(receiver) else {
            return;
        };
        let l = self.state.as_mut().and_then(|s| s.get_mut(&name));
        if let (Some(l), true) = (l, of.is_some()) {
            l.called = (l.whole == Presence::Unknown).then_some(n);
        }
        self.moves.receivers.insert(n, name);
    }

    pub(super) fn method(&mut self, m: &syn::ExprMethodCall) {
        let name = m.method.to_string();
        match local(&m.receiver) {
            Some(receiver) if methods::takes(&name) => self.set(Some(receiver), Presence::Moved),
            Some(receiver) if methods::looks(&name) || self.guards.contains(&receiver) => {}
            Some(receiver) if name == "as_deref_mut" && self.lent.contains(&receiver) => {}
            Some(receiver) if methods::changes(&name) => self.changed(Some(receiver), m.span()),
            Some(receiver) if receiver != "self" => self.unknown(receiver, m.span()),
            Some(_) => {}
            None => {
                self.place(&m.receiver);
                if !methods::looks(&name) {
                    self.part_changed(&m.receiver, m.span());
                }
                // Out of a field, whose struct has no `Drop` then.
                if !methods::looks(&name) && !methods::changes(&name) {
                    let root = root(&m.receiver);
                    let here = |l: &Local| l.whole == Presence::Here;
                    let known = root.as_ref().and_then(|r| self.state.as_ref()?.get(r));
                    if known.is_some_and(here) && matches!(&*m.receiver, Expr::Field(_)) {
                        self.set(root, Presence::Part);
                    }
                }
            }
        }
        if name == "range" || name == "range_mut" {
            // Of a map's keys, which a loop's iterator borrows.
            for a in &m.args {
                match a {
                    Expr::Range(r) => [&r.start, &r.end]
                        .into_iter()
                        .flatten()
                        .for_each(|e| self.place(e)),
                    a => self.value(a),
                }
            }
            return;
        }
        self.all(&m.args);
    }

    /// Everything may have happened to what is mentioned.
    pub(super) fn mentioned(&mut self, tokens: &proc_macro2::TokenStream, span: Span) {
        for name in identifiers(tokens) {
            self.unknown(name, span);
        }
    }

    pub(super) fn mac(&mut self, mac: &syn::Macro, attrs: &[syn::Attribute]) {
        if marks::is_location(mac) {
            return self.point(attrs);
        }
        if marks::is_call(mac) {
            if let Ok(e) = syn::parse2::<Expr>(mac.tokens.clone()) {
                self.call(&e, number(attrs));
            }
            return self.point(attrs);
        }
        let name = marks::name(mac);
        let takes = matches!(name.as_str(), "vec" | "dbg" | "assert" | "debug_assert");
        match marks::arguments(mac) {
            Some(Arguments::Listed(list)) => {
                if let (Some(to), "write" | "writeln") = (list.first(), name.as_str()) {
                    self.changed(local(to), to.span());
                    self.part_changed(to, to.span());
                }
                for e in &list {
                    match e {
                        Expr::Assign(a) => self.place(&a.right),
                        e if takes => self.value(e),
                        e => self.place(e),
                    }
                }
            }
            Some(Arguments::Repeated(item, n)) => {
                self.value(&item);
                self.value(&n);
            }
            None => self.mentioned(&mac.tokens, mac.path.span()),
        }
        if matches!(
            name.as_str(),
            "panic" | "todo" | "unimplemented" | "unreachable"
        ) {
            self.state = None;
        }
    }
}
