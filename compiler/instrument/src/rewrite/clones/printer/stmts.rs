//! Statements of the two clones.
//!
//! A resume clone jumps to the point that it goes on from, or, where a full expression cannot be jumped into, to labels in front
//! of its statement, at the end of the body for what a loop does after its body.  While `pc3_k` is set, the way to the point is
//! being retraced and nothing else is evaluated.

use super::full::Entry;
use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::printer::{Mode, Printer};
use crate::rewrite::clones::range::within;
use pc3_program::linear::Root;
use pc3_program::points::Range;
use pc3_program::walk::{stmt_children, Node};
use pc3_syntax::tree::*;
use std::collections::HashSet;

impl Printer<'_, '_> {
    pub fn stmt(&self, s: StmtId, out: &mut Edits) {
        self.begin_holding(s, out);
        self.statement(s, out);
        self.end_holding(s, out);
    }

    fn statement(&self, s: StmtId, out: &mut Edits) {
        use StmtKind::*;
        let u = self.u();
        let st = u.stmt(s);
        let points = self.plan.points.in_stmt(s);
        match &st.kind {
            Decl(d) => {
                self.before_declaring(d);
                self.decl(d, out);
                return self.declared(d, out);
            }
            Return(e) => return self.ret(*e, &st.span, out),
            Checkpoint => return self.location(s, out),
            Asm(_) => return self.children_of(s, out),
            For {
                init,
                cond,
                step,
                body,
            } => return self.for_loop(s, init, *cond, *step, *body, out),
            Other { .. } => return,
            GotoComputed(e) => {
                if let Some((before, behind)) =
                    crate::rewrite::clones::labels::target(self.cx, self.f, *e)
                {
                    out.insert(u.expr(*e).span.start, before);
                    self.condition(*e, st.span.start, out);
                    out.insert(u.expr(*e).span.end, behind);
                } else {
                    self.condition(*e, st.span.start, out);
                }
                return;
            }
            _ if !points => return self.children_of(s, out),
            _ => {}
        }
        match &st.kind {
            Expr(Some(e)) if !self.is_value(s, *e) && self.entered(*e).is_some() => {
                if let Some(lin) = self.entered(*e) {
                    out.replace(&st.span, self.entered_statement(*e, lin));
                }
            }
            Expr(Some(e)) => {
                self.labels_before(self.plan.points.exprs.get(e).copied(), st.span.start, out);
                // The last statement of a statement expression is its value.
                let text = if self.plan.linear.contains_key(&Root::Expr(*e)) && self.is_value(s, *e)
                {
                    format!("{};", self.value(*e))
                } else {
                    self.discarded(*e)
                };
                out.replace(&st.span, text);
            }
            If { cond, then, els } => {
                let end = self.head(*cond, &st.span, out);
                self.stmt(*then, out);
                els.iter().for_each(|x| self.stmt(*x, out));
                out.insert(st.span.end, end);
            }
            Switch { cond, body } => {
                let end = self.head(*cond, &st.span, out);
                self.stmt(*body, out);
                out.insert(st.span.end, end);
            }
            While { cond, body } => {
                self.condition(*cond, st.span.start, out);
                self.stmt(*body, out);
            }
            DoWhile { body, cond } => {
                self.full_in_place(*cond, out);
                self.body(*body, self.range_of(Some(*cond)), out);
            }
            _ => self.children_of(s, out),
        }
    }

    fn is_value(&self, s: StmtId, e: ExprId) -> bool {
        self.values.contains(&s) && !matches!(self.u().ty(self.u().expr(e).ty.ty), Type::Void)
    }

    fn children_of(&self, s: StmtId, out: &mut Edits) {
        let mut list = Vec::new();
        stmt_children(self.u(), s, &mut |c| list.push(c));
        for c in list {
            match c {
                Node::Expr(e) => self.full_in_place(e, out),
                Node::Stmt(x) => self.stmt(x, out),
            }
        }
    }

    /// A full expression where it stands.
    fn full_in_place(&self, e: ExprId, out: &mut Edits) {
        if self.has(e) {
            out.replace(&self.u().expr(e).span, self.value(e));
        } else {
            self.expr(e, None, out);
        }
    }

    /// What is evaluated once at the head of a statement; returns what belongs behind the statement.
    fn head(&self, e: ExprId, span: &Span, out: &mut Edits) -> &'static str {
        let Some(lin) = self.entered(e) else {
            self.condition(e, span.start, out);
            return "";
        };
        out.insert(span.start, format!("{{ {}", self.ops(lin, Entry::Jump)));
        out.replace(&self.u().expr(e).span, self.text(e, Some(lin), true));
        " }"
    }

    fn condition(&self, e: ExprId, start: u32, out: &mut Edits) {
        self.labels_before(self.range_of(Some(e)), start, out);
        self.full_in_place(e, out);
    }

    fn range_of(&self, e: Option<ExprId>) -> Option<Range> {
        e.and_then(|e| self.plan.points.exprs.get(&e).copied())
    }

    pub(crate) fn labels_text(&self, r: Range) -> String {
        (r.0..=r.1)
            .map(|l| format!("{}: ", self.label(l)))
            .collect()
    }

    pub(crate) fn labels_before(&self, r: Option<Range>, at: u32, out: &mut Edits) {
        if let (Some(r), Mode::Resume) = (r, self.mode) {
            out.insert(at, self.labels_text(r));
        }
    }

    /// A loop body that ends in the labels of what follows it.
    fn body(&self, body: StmtId, labels: Option<Range>, out: &mut Edits) {
        let u = self.u();
        let span = &u.stmt(body).span;
        let (Some(r), Mode::Resume) = (labels, self.mode) else {
            return self.stmt(body, out);
        };
        let text = format!(" {}; ", self.labels_text(r));
        if matches!(u.stmt(body).kind, StmtKind::Block(_)) {
            self.stmt(body, out);
            out.insert(span.end - 1, text);
        } else {
            let mut inner = Edits::default();
            self.stmt(body, &mut inner);
            out.replace(span, format!("{{ {}{text}}}", inner.apply(self.cx, span)));
        }
    }

    fn for_loop(
        &self,
        s: StmtId,
        init: &ForInit,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        out: &mut Edits,
    ) {
        let u = self.u();
        let span = &u.stmt(s).span;
        match init {
            ForInit::None => {}
            ForInit::Expr(e) => self.condition(*e, span.start, out),
            ForInit::Decl(d) if self.is_moved(d) => out.replace(&d.span, ";"),
            ForInit::Decl(d) => {
                let points = d
                    .vars
                    .iter()
                    .any(|v| v.init.as_ref().is_some_and(|i| self.plan.points.in_init(i)));
                if points || self.shadows(d) {
                    // `for (int i = f(); ...)` → `{ int i = ...; for (; ...) ... }`
                    let mut inner = Edits::default();
                    self.decl(d, &mut inner);
                    let text = inner.apply(self.cx, &d.span);
                    let semi = if text.trim_end().ends_with(';') {
                        ""
                    } else {
                        ";"
                    };
                    let close = if u.slice(&d.span).ends_with(';') {
                        ";"
                    } else {
                        ""
                    };
                    out.replace(
                        &(span.start..d.span.end),
                        format!("{{ {text}{semi} for ({close}"),
                    );
                    out.insert(span.end, " }");
                } else {
                    self.decl(d, out);
                }
            }
        }
        let (rc, rs) = (self.range_of(cond), self.range_of(step));
        if let Some(c) = cond {
            self.full_in_place(c, out);
        }
        if let Some(e) = step {
            match (rc, self.mode) {
                (Some(r), Mode::Resume) => {
                    let span = &u.expr(e).span;
                    out.replace(
                        span,
                        format!("({} ? (void)0 : (void)({}))", within(r), self.step(e)),
                    );
                }
                _ if rs.is_some() => {
                    out.replace(&u.expr(e).span, format!("(void)({})", self.step(e)))
                }
                _ => self.expr(e, None, out),
            }
        }
        let end = match (rc, rs) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (x, y) => x.or(y),
        };
        self.body(body, end, out);
    }

    /// A loop's step: its value is not used.
    fn step(&self, e: ExprId) -> String {
        if !self.has(e) {
            return self.text(e, None, true);
        }
        let text = self.discarded(e);
        text.trim_end_matches(';').to_string()
    }

    fn ret(&self, e: Option<ExprId>, span: &Span, out: &mut Edits) {
        let u = self.u();
        let Some(e) = e else {
            if self.has_frame() {
                out.replace(span, format!("{{ {}return; }}", self.leave()));
            }
            return;
        };
        self.give(e);
        let direct = self.entered(e).is_some();
        if !direct {
            self.labels_before(self.range_of(Some(e)), span.start, out);
        }
        let void = matches!(u.ty(u.expr(e).ty.ty), Type::Void);
        let lin = self.plan.linear.get(&Root::Expr(e));
        if lin.is_none() && !self.has_frame() {
            return self.expr(e, None, out);
        }
        let entry = if direct { Entry::Jump } else { Entry::Led };
        let ops = lin.map(|l| self.ops(l, entry)).unwrap_or_default();
        let value = self.text(e, lin, true);
        let text = if void {
            format!("{value}; {}return;", self.leave())
        } else if self.has_frame() {
            let ret = self.cx.names.declare_plain(u.func(self.f).ret, "pc3_v");
            // A comma would begin another declarator.
            format!("{{ {ret} = ({value}); {}return pc3_v; }}", self.leave())
        } else {
            format!("return {value};")
        };
        let text = match direct {
            true => format!("{{ {ops}{text} }}"),
            false => format!("__extension__({{ {ops}{text} }});"),
        };
        out.replace(span, text);
    }

    fn location(&self, s: StmtId, out: &mut Edits) {
        let span = &self.u().stmt(s).span;
        let Some((label, _)) = self.plan.points.stmts.get(&s).copied() else {
            return out.replace(span, ";");
        };
        let pass = if self.cx.mpi {
            "pc3_me->passages++; "
        } else {
            ""
        };
        let due = format!(
            "if (__builtin_expect(pc3_flag, 0) && pc3_due(&pc3_P[{}])) {}",
            self.cx.point(self.f, label),
            self.save(label)
        );
        let text = match self.mode {
            Mode::Resume => format!(
                "{{ if (0) {{ {}{{ {} pc3_k = 0; {}pc3_resumed(); }} }} else {{ {pass}{due} }} }}",
                self.labels_text((label, label)),
                self.restore(label),
                self.rearm(label)
            ),
            // C89 has declarations in front of statements.
            _ if self.cx.early.contains(&s) => format!(
                "char pc3_l{label} __attribute__((unused)) = __extension__({{ {pass}{due} (char)0; }});"
            ),
            _ => format!("{{ {pass}{due} }}"),
        };
        out.replace(span, text);
    }
}

/// Locations in front of a block's declarations.
pub(crate) fn before_declarations(u: &Unit) -> HashSet<StmtId> {
    let mut found = HashSet::new();
    for s in &u.stmts {
        let StmtKind::Block(list) = &s.kind else {
            continue;
        };
        let kind = |s: &&StmtId| &u.stmt(**s).kind;
        let is_early = |s: &&StmtId| matches!(kind(s), StmtKind::Checkpoint | StmtKind::Decl(_));
        let early = list.iter().take_while(is_early).count();
        let last = list[..early]
            .iter()
            .rposition(|s| matches!(u.stmt(*s).kind, StmtKind::Decl(_)));
        let before = list[..last.unwrap_or(0)].iter();
        found.extend(before.filter(|s| matches!(u.stmt(**s).kind, StmtKind::Checkpoint)));
    }
    found
}
