//! Labels: a function's own, and those of blocks (`__label__`) and of nested functions.

use crate::diag::Code;
use crate::lower::Lower;
use crate::prefilter::tokens::TokenKind;
use crate::tree::*;
use std::collections::HashMap;

#[derive(Default)]
pub struct Labels {
    names: HashMap<String, KnownLabel>,
    /// Of a block: only those that it declares.
    block: bool,
}

#[derive(Clone)]
struct KnownLabel {
    label: LabelId,
    at: Span,
    defined: bool,
}

impl Lower {
    /// Labels are known in the whole function, before and behind their statement.
    pub fn label(&mut self, name: &str, at: Span, defines: bool) -> LabelId {
        let new = LabelId(self.unit.labels.len() as u32);
        let Some(f) = &mut self.func else {
            let message = format!("label `{name}` outside of a function");
            self.error(Code::BadLabel, &at, message);
            return new;
        };
        let id = f.id;
        let mut scopes = f.labels.iter_mut().rev();
        let Some(scope) = scopes.find(|s| !s.block || s.names.contains_key(name)) else {
            return new;
        };
        let known = scope.names.entry(name.to_string()).or_insert(KnownLabel {
            label: new,
            at: at.clone(),
            defined: false,
        });
        let (label, twice) = (known.label, defines && known.defined);
        known.defined |= defines;
        if label == new {
            self.unit.labels.push(Label {
                name: name.to_string(),
                func: id,
                local: false,
            });
        }
        if twice {
            let message = format!("label `{name}` is defined twice in this function");
            self.error(Code::BadLabel, &at, message);
        }
        label
    }

    /// `__label__ a, b;` of the block whose `{` is at `start`; false if it has none.
    pub(crate) fn enter_block_labels(&mut self, start: u32) -> bool {
        let Some(spans) = self.p.marks.local_labels.get(&start).cloned() else {
            return false;
        };
        let Some(id) = self.func_id() else {
            return false;
        };
        let mut names = HashMap::new();
        for span in spans {
            let tokens =
                self.p.tokens.at_or_after(span.start) + 1..self.p.tokens.at_or_after(span.end);
            for i in tokens.filter(|i| self.p.tokens.list[*i].kind == TokenKind::Ident) {
                let (t, name) = (self.p.tokens.list[i], self.p.token_text(i).to_string());
                let known = KnownLabel {
                    label: LabelId(self.unit.labels.len() as u32),
                    at: t.start..t.end,
                    defined: false,
                };
                self.unit.labels.push(Label {
                    name: name.clone(),
                    func: id,
                    local: true,
                });
                names.insert(name, known);
            }
            self.unit.label_decls.push(span);
        }
        if let Some(f) = &mut self.func {
            f.labels.push(Labels { names, block: true });
        }
        true
    }

    pub(crate) fn enter_nested_labels(&mut self) {
        if let Some(f) = &mut self.func {
            f.labels.push(Labels::default());
        }
    }

    /// What a nested function does not define is a label of a function around it.
    pub(crate) fn leave_labels(&mut self) {
        let Some(f) = &mut self.func else { return };
        let Some(scope) = f.labels.pop() else { return };
        let around = !f.labels.is_empty();
        let mut missing: Vec<_> = scope
            .names
            .into_iter()
            .filter(|(_, k)| !k.defined)
            .collect();
        missing.sort_unstable_by_key(|(_, k)| k.at.start);
        for (name, known) in missing {
            if around && !scope.block {
                self.label(&name, known.at, false);
            } else if !scope.block || self.is_used(known.label) {
                let message = format!("label `{name}` is not defined in this function");
                self.error(Code::BadLabel, &known.at, message);
            }
        }
    }

    fn is_used(&self, label: LabelId) -> bool {
        let stmt = |s: &Stmt| matches!(s.kind, StmtKind::Goto(l) if l == label);
        let expr = |e: &Expr| matches!(e.kind, ExprKind::LabelAddr(l) if l == label);
        self.unit.stmts.iter().any(stmt) || self.unit.exprs.iter().any(expr)
    }
}
