//! Statements.

use crate::lower::scopes::Scope;
use crate::lower::Lower;
use crate::prefilter::Mark;
use crate::tree::*;
use lang_c::ast;
use lang_c::span::Node;

impl Lower {
    pub(crate) fn add_stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.unit.stmts.push(Stmt { kind, span });
        StmtId(self.unit.stmts.len() as u32 - 1)
    }

    pub fn statement(&mut self, n: &Node<ast::Statement>) -> StmtId {
        let span = self.span(n.span);
        let kind = match &n.node {
            ast::Statement::Compound(items) => {
                self.scopes.push(Scope::default());
                let own = self.enter_block_labels(self.raw(n.span).start);
                let list = self.block_items(items);
                self.unseen_names(span.end);
                if own {
                    self.leave_labels();
                }
                self.scopes.pop();
                StmtKind::Block(list)
            }
            ast::Statement::Expression(None) => match self.mark_at(n.span) {
                Some(Mark::Asm(start)) => {
                    return self.add_stmt(StmtKind::Asm(Vec::new()), start..span.end)
                }
                Some(Mark::AsmGoto(start)) => {
                    let kind = StmtKind::Other {
                        unsupported: Some("asm goto".into()),
                    };
                    return self.add_stmt(kind, start..span.end);
                }
                _ => StmtKind::Expr(None),
            },
            ast::Statement::Expression(Some(e)) if self.is_location(e) => StmtKind::Checkpoint,
            ast::Statement::Expression(Some(e)) => StmtKind::Expr(Some(self.expr(e))),
            ast::Statement::If(s) => StmtKind::If {
                cond: self.expr(&s.node.condition),
                then: self.statement(&s.node.then_statement),
                els: s.node.else_statement.as_ref().map(|e| self.statement(e)),
            },
            ast::Statement::Switch(s) => StmtKind::Switch {
                cond: self.expr(&s.node.expression),
                body: self.statement(&s.node.statement),
            },
            ast::Statement::While(s) => StmtKind::While {
                cond: self.expr(&s.node.expression),
                body: self.statement(&s.node.statement),
            },
            ast::Statement::DoWhile(s) => StmtKind::DoWhile {
                body: self.statement(&s.node.statement),
                cond: self.expr(&s.node.expression),
            },
            ast::Statement::For(s) => {
                self.scopes.push(Scope::default());
                let kind = self.for_statement(&s.node);
                self.scopes.pop();
                kind
            }
            ast::Statement::Labeled(l) => self.labelled(&l.node),
            ast::Statement::Goto(n) => {
                let (name, at) = self.identifier(n);
                StmtKind::Goto(self.label(&name, at, false))
            }
            ast::Statement::Continue => StmtKind::Continue,
            ast::Statement::Break => StmtKind::Break,
            ast::Statement::Return(e) => StmtKind::Return(e.as_ref().map(|e| self.expr(e))),
            ast::Statement::Asm(a) => {
                let mut operands = Vec::new();
                if let ast::AsmStatement::GnuExtended(x) = &a.node {
                    for o in x.outputs.iter().chain(&x.inputs) {
                        operands.push(self.expr(&o.node.variable_name));
                    }
                }
                StmtKind::Asm(operands)
            }
        };
        if let (StmtKind::Expr(Some(e)), Some(Mark::ComputedGoto(start))) =
            (&kind, self.mark_at(n.span))
        {
            // Masked: the parser saw `*p;`.
            let arg = match self.unit.expr(*e).kind {
                ExprKind::Deref(arg) => arg,
                _ => *e,
            };
            return self.add_stmt(StmtKind::GotoComputed(arg), start..span.end);
        }
        if let StmtKind::Expr(Some(_)) = kind {
            let start = self.over_extension(span.start);
            return self.add_stmt(kind, start..span.end);
        }
        self.add_stmt(kind, span)
    }

    /// `__extension__` in front of an expression belongs to its statement.
    fn over_extension(&self, start: u32) -> u32 {
        let mut i = self.p.tokens.at_or_after(start);
        while i > 0 && self.p.token_text(i - 1) == "__extension__" {
            i -= 1;
        }
        let token = self.p.tokens.list.get(i);
        token.map_or(start, |t| t.start.min(start))
    }

    fn block_items(&mut self, items: &[Node<ast::BlockItem>]) -> Vec<StmtId> {
        let mut list = Vec::new();
        let mut items = items.iter().peekable();
        while let Some(i) = items.next() {
            self.unseen_names(self.raw(i.span).start);
            if let (ast::BlockItem::Declaration(d), Some(next)) = (&i.node, items.peek()) {
                if let ast::BlockItem::Statement(body) = &next.node {
                    if self.mark_at(body.span) == Some(Mark::NestedBody) {
                        list.extend(self.nested(d, body));
                        items.next();
                        continue;
                    }
                }
            }
            list.extend(self.block_item(i));
        }
        list
    }

    fn block_item(&mut self, i: &Node<ast::BlockItem>) -> Option<StmtId> {
        match &i.node {
            ast::BlockItem::Statement(s) => Some(self.statement(s)),
            ast::BlockItem::Declaration(d) => {
                let group = self.declaration(d);
                let span = group.span.clone();
                Some(self.add_stmt(StmtKind::Decl(group), span))
            }
            ast::BlockItem::StaticAssert(_) => None,
        }
    }

    fn for_statement(&mut self, s: &ast::ForStatement) -> StmtKind {
        let init = match &s.initializer.node {
            ast::ForInitializer::Empty | ast::ForInitializer::StaticAssert(_) => ForInit::None,
            ast::ForInitializer::Expression(e) => ForInit::Expr(self.expr(e)),
            ast::ForInitializer::Declaration(d) => ForInit::Decl(self.declaration(d)),
        };
        StmtKind::For {
            init,
            cond: s.condition.as_ref().map(|e| self.expr(e)),
            step: s.step.as_ref().map(|e| self.expr(e)),
            body: self.statement(&s.statement),
        }
    }

    fn labelled(&mut self, l: &ast::LabeledStatement) -> StmtKind {
        match &l.label.node {
            ast::Label::Identifier(n) => {
                let (name, at) = self.identifier(n);
                let label = self.label(&name, at, true);
                StmtKind::Label {
                    label,
                    stmt: self.statement(&l.statement),
                }
            }
            ast::Label::Case(e) => StmtKind::Case {
                lo: self.expr(e),
                hi: None,
                stmt: self.statement(&l.statement),
            },
            ast::Label::CaseRange(r) => StmtKind::Case {
                lo: self.expr(&r.node.low),
                hi: Some(self.expr(&r.node.high)),
                stmt: self.statement(&l.statement),
            },
            ast::Label::Default => StmtKind::Default(self.statement(&l.statement)),
        }
    }

    /// `pc3_checkpoint()` as a whole statement.
    fn is_location(&self, e: &Node<ast::Expression>) -> bool {
        let ast::Expression::Call(c) = &e.node else {
            return false;
        };
        let ast::Expression::Identifier(n) = &c.node.callee.node else {
            return false;
        };
        c.node.arguments.is_empty() && n.node.name == "pc3_checkpoint"
    }
}
