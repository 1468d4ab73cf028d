//! Which locals may be used behind each point: the function's body, followed backwards.  What the statement itself that a
//! point is in uses is not told.

use std::collections::{BTreeSet, HashMap};

use crate::visit::{self, Visit};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Block, Expr, Label, Lifetime, Pat, Stmt};

use super::walk::bound;
use super::{number, owners};
use crate::flow::identifiers;
use crate::marks;

type Names = BTreeSet<String>;

struct Around {
    label: Option<String>,
    block: bool,
    /// Used behind it, and from its start.
    left: Names,
    again: Names,
}

#[derive(Default)]
struct Live {
    points: HashMap<usize, Names>,
    /// What may be used where a round of a loop begins.
    heads: HashMap<usize, Names>,
    around: Vec<Around>,
    /// What ends with a block around, and is seen to.
    owners: Names,
    /// Likewise, by point.
    ending: HashMap<usize, Names>,
}

/// What is used.
pub struct Used {
    pub points: HashMap<usize, Names>,
    /// Owners that are used by their end if they are there.
    pub ending: HashMap<usize, Names>,
    pub heads: HashMap<usize, Names>,
}

pub fn follow(block: &Block, owners: Names) -> Used {
    let mut live = Live {
        owners,
        ..Live::default()
    };
    live.block(block, Names::new());
    Used {
        points: live.points,
        ending: live.ending,
        heads: live.heads,
    }
}

fn with(mut names: Names, tokens: &dyn ToTokens) -> Names {
    names.extend(identifiers(&tokens.to_token_stream()));
    names
}

/// In front of a pattern its names are not there.
fn begun(mut names: Names, pat: &Pat) -> Names {
    for (name, _) in bound(pat).0 {
        names.remove(&name);
    }
    names
}

/// In front of an assignment what gets its value there is not needed.
fn assigned(left: &Expr, mut names: Names) -> Names {
    match left {
        Expr::Path(p) => {
            let name = p.path.get_ident().map(ToString::to_string);
            names.remove(&name.unwrap_or_default());
            names
        }
        Expr::Tuple(t) => t.elems.iter().fold(names, |n, e| assigned(e, n)),
        Expr::Array(t) => t.elems.iter().fold(names, |n, e| assigned(e, n)),
        Expr::Call(c) => c.args.iter().fold(names, |n, e| assigned(e, n)),
        Expr::Struct(s) => s.fields.iter().fold(names, |n, f| assigned(&f.expr, n)),
        Expr::Paren(p) => assigned(&p.expr, names),
        left => with(names, left),
    }
}

fn name(label: &Option<Label>) -> Option<String> {
    label.as_ref().map(|l| l.name.ident.to_string())
}

impl Live {
    fn point(&mut self, attrs: &[syn::Attribute], behind: &Names) {
        self.points_at(number(attrs), behind);
    }

    fn points_at(&mut self, numbers: impl IntoIterator<Item = usize>, behind: &Names) {
        for n in numbers {
            let at = self.points.entry(n).or_default();
            at.extend(behind.iter().cloned());
            self.ending.insert(n, self.owners.clone());
        }
    }

    fn block(&mut self, b: &Block, behind: Names) -> Names {
        // Owners are there behind their `let`s.
        let outside = self.owners.clone();
        let mut around = Vec::new();
        for s in &b.stmts {
            around.push(self.owners.clone());
            let name = owners::of_let(s, &self.owners);
            self.owners.extend(name.map(ToString::to_string));
        }
        let mut behind = behind;
        for (s, owners) in b.stmts.iter().zip(around).rev() {
            self.owners = owners;
            behind = self.stmt(s, behind);
        }
        self.owners = outside;
        behind
    }

    fn stmt(&mut self, stmt: &Stmt, mut behind: Names) -> Names {
        match stmt {
            Stmt::Local(l) => {
                behind = begun(behind, &l.pat);
                let attrs = l.attrs.iter().map(ToTokens::to_token_stream);
                behind = with(behind, &attrs.collect::<TokenStream>());
                let Some(init) = &l.init else { return behind };
                if let Some((_, diverge)) = &init.diverge {
                    behind.extend(self.expr(diverge, Names::new()));
                }
                self.expr(&init.expr, behind)
            }
            Stmt::Expr(e, _) => self.expr(e, behind),
            Stmt::Macro(m) => {
                self.point(&m.attrs, &behind);
                with(behind, &m.mac.tokens)
            }
            Stmt::Item(_) => behind,
        }
    }

    fn expr(&mut self, e: &Expr, mut behind: Names) -> Names {
        match e {
            Expr::Paren(p) => self.expr(&p.expr, behind),
            Expr::Group(p) => self.expr(&p.expr, behind),
            Expr::Let(l) => self.expr(&l.expr, begun(behind, &l.pat)),
            Expr::Try(t) if marks::call(&t.expr).is_some() => self.expr(&t.expr, behind),
            Expr::Macro(m) if marks::is_call(&m.mac) || marks::is_location(&m.mac) => {
                self.point(&m.attrs, &behind);
                with(behind, &m.mac.tokens)
            }
            Expr::Assign(a) => {
                behind = assigned(&a.left, behind);
                self.expr(&a.right, behind)
            }
            Expr::If(i) => {
                let mut all = match &i.else_branch {
                    Some((_, other)) => self.expr(other, behind.clone()),
                    None => behind.clone(),
                };
                all.extend(self.block(&i.then_branch, behind));
                self.expr(&i.cond, all)
            }
            Expr::Match(m) => {
                let mut all = Names::new();
                for arm in &m.arms {
                    let mut one = self.expr(&arm.body, behind.clone());
                    if let Some((_, guard)) = &arm.guard {
                        one = self.leaf(guard, one);
                    }
                    all.extend(begun(one, &arm.pat));
                }
                self.expr(&m.expr, all)
            }
            Expr::Block(b) if b.label.is_some() => {
                self.around.push(Around {
                    label: name(&b.label),
                    block: true,
                    left: behind.clone(),
                    again: Names::new(),
                });
                let names = self.block(&b.block, behind);
                self.around.pop();
                names
            }
            Expr::Block(b) => self.block(&b.block, behind),
            Expr::Unsafe(u) => self.block(&u.block, behind),
            Expr::Loop(l) => self.repeated(&l.attrs, &l.label, behind, |s, _, head| {
                s.block(&l.body, head)
            }),
            Expr::While(w) => self.repeated(&w.attrs, &w.label, behind, |s, left, head| {
                let mut all = s.block(&w.body, head);
                all.extend(left);
                s.expr(&w.cond, all)
            }),
            Expr::ForLoop(f) => {
                let head = self.repeated(&f.attrs, &f.label, behind, |s, left, head| {
                    let mut all = begun(s.block(&f.body, head), &f.pat);
                    all.extend(left);
                    all
                });
                self.expr(&f.expr, head)
            }
            Expr::Return(r) => match &r.expr {
                Some(e) => self.expr(e, Names::new()),
                None => Names::new(),
            },
            Expr::Break(b) => {
                let left = self.target(&b.label).map(|a| a.left.clone());
                let left = left.unwrap_or_default();
                match &b.expr {
                    Some(e) => self.expr(e, left),
                    None => left,
                }
            }
            Expr::Continue(c) => {
                let again = self.target(&c.label).map(|a| a.again.clone());
                again.unwrap_or_default()
            }
            e => self.leaf(e, behind),
        }
    }

    /// Its parts in any order, and all ways out of it.
    fn leaf(&mut self, e: &Expr, mut behind: Names) -> Names {
        let mut visitor = PointsAndJumps::default();
        visitor.visit_expr(e);
        if visitor.jumps {
            for a in &self.around {
                behind.extend(a.left.iter().chain(&a.again).cloned());
            }
        }
        self.points_at(visitor.points, &behind);
        with(behind, e)
    }

    fn target(&self, label: &Option<Lifetime>) -> Option<&Around> {
        let label = label.as_ref().map(|l| l.ident.to_string());
        self.around.iter().rev().find(|a| match &label {
            Some(l) => a.label.as_ref() == Some(l),
            None => !a.block,
        })
    }

    /// A loop; `body` gives what is used from its start, of what is used behind it and by the next round.
    fn repeated(
        &mut self,
        attrs: &[syn::Attribute],
        label: &Option<Label>,
        left: Names,
        body: impl Fn(&mut Self, Names, Names) -> Names,
    ) -> Names {
        let mut head = Names::new();
        loop {
            self.around.push(Around {
                label: name(label),
                block: false,
                left: left.clone(),
                again: head.clone(),
            });
            let mut next = body(self, left.clone(), head.clone());
            self.around.pop();
            next.extend(head.iter().cloned());
            if next.len() == head.len() {
                let all: Names = head.union(&self.owners).cloned().collect();
                self.heads.extend(number(attrs).map(|n| (n, all)));
                return head;
            }
            head = next;
        }
    }
}

/// What is in an expression that is not taken apart here.
#[derive(Default)]
struct PointsAndJumps {
    points: Vec<usize>,
    jumps: bool,
}

impl<'ast> Visit<'ast> for PointsAndJumps {
    fn visit_attribute(&mut self, a: &'ast syn::Attribute) {
        self.points.extend(number(std::slice::from_ref(a)));
    }
    fn visit_expr(&mut self, e: &'ast Expr) {
        self.jumps |= matches!(e, Expr::Break(_) | Expr::Continue(_));
        visit::visit_expr(self, e);
    }
    fn visit_macro(&mut self, m: &'ast syn::Macro) {
        let words = identifiers(&m.tokens);
        self.jumps |= words.contains("break") || words.contains("continue");
    }
}
