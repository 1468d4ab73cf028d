//! Where ways part and meet: closures, conditions, `match`, loops and jumps.

use quote::ToTokens;
use syn::Expr;

use super::super::{join, number, of_loop, same, Presence, State};
use super::{root, Around, MoveWalk};
use crate::build::brief::leaves_nothing_else;
use crate::flow::identifiers;
use crate::reevaluation::bases;

impl MoveWalk {
    /// Branches, and blocks that are left by a label.
    pub(super) fn branch(&mut self, e: &Expr) {
        match e {
            Expr::If(i) => {
                let before = self.condition(&i.cond);
                self.block(&i.then_branch);
                let then = std::mem::replace(&mut self.state, before);
                if let Some((_, other)) = &i.else_branch {
                    self.value(other);
                }
                join(&mut self.state, &then);
            }
            Expr::Let(_) => {
                self.condition(e);
            }
            Expr::Match(m) => self.match_(m),
            Expr::Block(b) => match &b.label {
                Some(l) => self.labelled(Some(l.name.ident.to_string()), |s| s.block(&b.block)),
                None => self.block(&b.block),
            },
            _ => {}
        }
    }

    pub(super) fn looped(&mut self, e: &Expr) {
        match e {
            Expr::Loop(l) => {
                self.repeated(&l.attrs, &l.label, |s| s.block(&l.body));
            }
            Expr::While(w) => {
                self.repeated(&w.attrs, &w.label, |s| {
                    let ended = s.condition(&w.cond);
                    if let Some(a) = s.around.last_mut() {
                        join(&mut a.left, &ended);
                    }
                    s.block(&w.body);
                });
            }
            Expr::ForLoop(f) => {
                let from = bases(&f.expr);
                self.value(&f.expr);
                if let Some(name) = of_loop(&f.attrs) {
                    self.begin(name, from.clone());
                }
                self.repeated(&f.attrs, &f.label, |s| {
                    if let Some(a) = s.around.last_mut() {
                        join(&mut a.left, &s.state);
                    }
                    s.bind(&f.pat, &from);
                    s.block(&f.body);
                });
            }
            _ => {}
        }
    }

    /// What leaves a loop, a block or the function.
    pub(super) fn jump(&mut self, e: &Expr) {
        match e {
            Expr::Return(r) => {
                self.all(r.expr.as_deref());
                self.state = None;
            }
            Expr::Break(b) => {
                self.all(b.expr.as_deref());
                let label = b.label.as_ref().map(|l| l.ident.to_string());
                let state = self.state.take();
                if let Some(a) = self.target(label.as_deref()) {
                    join(&mut a.left, &state);
                }
            }
            Expr::Continue(c) => {
                let label = c.label.as_ref().map(|l| l.ident.to_string());
                let state = self.state.take();
                if let Some(a) = self.target(label.as_deref()) {
                    join(&mut a.again, &state);
                }
            }
            _ => {}
        }
    }

    pub(super) fn closure(&mut self, c: &syn::ExprClosure) {
        if c.capture.is_some() {
            let names = identifiers(&c.body.to_token_stream());
            names
                .into_iter()
                .for_each(|n| self.set(Some(n), Presence::Moved));
            return;
        }
        let before = self.state.clone();
        let around = std::mem::take(&mut self.around);
        c.inputs.iter().for_each(|p| self.bind(p, &[]));
        self.value(&c.body);
        self.around = around;
        if self.state.is_none() {
            self.state = before;
        }
    }

    /// A condition, whose names are bound; gives the state where it does not hold.
    pub(super) fn condition(&mut self, e: &Expr) -> State {
        match e {
            Expr::Let(l) => {
                let place = root(&l.expr).is_some();
                match place {
                    true => self.place(&l.expr),
                    false => self.value(&l.expr),
                }
                let mut before = self.state.clone();
                if place {
                    self.taken_apart(&l.expr, &l.pat);
                    if leaves_nothing_else(&l.pat) {
                        before.clone_from(&self.state);
                    }
                }
                self.bind(&l.pat, &bases(&l.expr));
                before
            }
            e => {
                self.value(e);
                self.state.clone()
            }
        }
    }

    pub(super) fn match_(&mut self, m: &syn::ExprMatch) {
        let place = root(&m.expr).is_some();
        match place {
            true => self.place(&m.expr),
            false => self.value(&m.expr),
        }
        let from = bases(&m.expr);
        let before = self.state.clone();
        let mut after = None;
        for arm in &m.arms {
            self.state.clone_from(&before);
            if place {
                self.taken_apart(&m.expr, &arm.pat);
            }
            self.bind(&arm.pat, &from);
            if let Some((_, guard)) = &arm.guard {
                self.value(guard);
            }
            self.value(&arm.body);
            join(&mut after, &self.state);
        }
        self.state = after;
    }

    // ---- jumps ------------------------------------------------------------------------------

    pub(super) fn target(&mut self, label: Option<&str>) -> Option<&mut Around> {
        self.around.iter_mut().rev().find(|a| match label {
            Some(l) => a.label.as_deref() == Some(l),
            None => !a.block,
        })
    }

    pub(super) fn labelled(&mut self, label: Option<String>, write: impl FnOnce(&mut Self)) {
        self.around.push(Around {
            label,
            block: true,
            left: None,
            again: None,
        });
        write(self);
        if let Some(a) = self.around.pop() {
            join(&mut self.state, &a.left);
        }
    }

    pub(super) fn repeated(
        &mut self,
        attrs: &[syn::Attribute],
        label: &Option<syn::Label>,
        body: impl Fn(&mut Self),
    ) {
        let number = number(attrs);
        self.within.extend(number);
        let head = self.rounds(label, body);
        if let Some(n) = number {
            self.within.pop();
            self.moves.heads.insert(n, head);
        }
    }

    /// Gives what is known where a round begins.
    fn rounds(&mut self, label: &Option<syn::Label>, body: impl Fn(&mut Self)) -> State {
        let mut head = self.state.clone();
        // Each round can only add to what is not known: three values and a change for each local.
        for _ in 0..64 {
            self.around.push(Around {
                label: label.as_ref().map(|l| l.name.ident.to_string()),
                block: false,
                left: None,
                again: None,
            });
            self.state.clone_from(&head);
            body(self);
            let Some(a) = self.around.pop() else { break };
            let mut next = head.clone();
            join(&mut next, &self.state);
            join(&mut next, &a.again);
            self.state = a.left;
            if same(&next, &head) {
                break;
            }
            head = next;
        }
        head
    }
}
