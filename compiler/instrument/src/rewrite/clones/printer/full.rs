//! Full expressions with points, printed from their linear form.
//!
//! ```c
//! y = a[i] + f(x);                         // user
//!
//! __extension__({ double pc3_t0 = (a[i]);  // hot
//!     double pc3_t1 = f(x); if (__builtin_expect(pc3_state, 0)) return pc3_save_1(a, y, pc3_t0, 3);
//!     y = pc3_t0 + pc3_t1; });
//!
//! { double pc3_t0 = 0; double pc3_t1 = 0;  // resume
//!     pc3_t0 = (a[i]);
//!     if (0) { pc3_L1: { ...restore...; pc3_t1 = pc3_next_1(); } } else pc3_t1 = f(x);
//!     if (__builtin_expect(pc3_state, 0)) return pc3_save_1(a, y, pc3_t0, 3);
//!     y = pc3_t0 + pc3_t1; }
//! ```
//! So one edge leads to each point, and compilers need not find out which tests are for nothing. Where a statement cannot take
//! the place of the expression (heads of loops), its points are numbered, labels stand in front of it, and `pc3_k` leads the way:
//!
//! ```c
//! __extension__({ double pc3_t0 = 0; double pc3_t1 = 0;
//!     if (!pc3_k) { pc3_t0 = (a[i]); }
//!     if (pc3_k == 1) { ...restore...; pc3_k = 0; pc3_t1 = pc3_next_1(); } else if (!pc3_k) pc3_t1 = f(x);
//!     ...; pc3_t0 + pc3_t1; })
//! ```

use crate::rewrite::clones::printer::{Mode, Printer};
use crate::rewrite::clones::range::within;
use crate::rewrite::frames::savers;
use pc3_program::linear::{Cond, Linear, Op, Root, Subst, TempTy};
use pc3_program::points::Range;
use pc3_syntax::tree::*;

/// How a resume clone comes to the points of a full expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// By jumps to labels in it.
    Jump,
    /// From in front of it, led by `pc3_k`.
    Led,
}

impl Printer<'_, '_> {
    /// The linear form of an expression for which statements can stand that are jumped into.
    pub fn entered(&self, e: ExprId) -> Option<&Linear> {
        let direct = self.mode == Mode::Resume && self.plan.jumps.is_empty();
        self.plan.linear.get(&Root::Expr(e)).filter(|_| direct)
    }

    pub fn has(&self, e: ExprId) -> bool {
        self.plan.points.in_expr(e)
    }

    /// `e` as a full expression whose value is used in place.
    pub fn value(&self, e: ExprId) -> String {
        let Some(lin) = self.plan.linear.get(&Root::Expr(e)) else {
            return self.text(e, None, true);
        };
        format!(
            "__extension__({{ {}{} }})",
            self.ops(lin, Entry::Led),
            self.residual(e, lin)
        )
    }

    fn residual(&self, e: ExprId, lin: &Linear) -> String {
        match lin.subst.get(&e) {
            Some(Subst::Nothing) => String::new(),
            _ => format!("{};", self.text(e, Some(lin), true)),
        }
    }

    /// `e;` as statements that are jumped into.
    pub(crate) fn entered_statement(&self, e: ExprId, lin: &Linear) -> String {
        let last = match lin.subst.get(&e) {
            Some(_) => String::new(),
            None => format!("{};", self.text(e, Some(lin), true)),
        };
        format!("{{ {}{last} }}", self.ops(lin, Entry::Jump))
    }

    /// `e;` as a statement.
    pub fn discarded(&self, e: ExprId) -> String {
        let Some(lin) = self.plan.linear.get(&Root::Expr(e)) else {
            return format!("{};", self.text(e, None, true));
        };
        // Not the statement expression's value: the compiler shall say so if it has no effect.
        let last = match lin.subst.get(&e) {
            Some(_) => String::new(),
            None => format!("{}; (void)0;", self.text(e, Some(lin), true)),
        };
        format!("__extension__({{ {}{last} }});", self.ops(lin, Entry::Led))
    }

    /// Everything before the value, temporaries declared.
    pub fn ops(&self, lin: &Linear, entry: Entry) -> String {
        let mut out = String::new();
        let mut nested = Vec::new();
        let all = self.mode == Mode::Resume;
        collect_temps(&lin.ops, all, &mut nested);
        if !all {
            // C89 wants declarations first; a record stays where its value is made.
            let mut every = Vec::new();
            collect_temps(&lin.ops, true, &mut every);
            every.dedup();
            let plain = |t: &usize| !matches!(self.plan.temps[*t], TempTy::Value(q) if matches!(self.u().ty(q.ty), Type::Record(_)));
            if every.len() > 1 {
                nested.extend(every.into_iter().filter(plain));
            }
        }
        nested.sort_unstable();
        nested.dedup();
        for t in &nested {
            // A value, so that compilers do not wonder where a resume clone gets one.
            let start = match self.plan.temps[*t] {
                _ if !all => "",
                TempTy::Value(q) => match self.u().ty(q.ty) {
                    Type::Record(_) | Type::Vector { .. } | Type::VaList => "",
                    Type::Unsupported(_) => "",
                    _ => " = 0",
                },
                _ => " = 0",
            };
            out += &format!(
                "{}{start}; ",
                self.cx
                    .names
                    .declare_temp(self.plan.temps[*t], &format!("pc3_t{t}"))
            );
        }
        let mut declared = nested;
        self.list(&lin.ops, (lin, entry), &mut declared, &mut out);
        out
    }

    /// `t = text;`, a declaration the first time.
    fn set(&self, t: usize, text: &str, declared: &mut Vec<usize>) -> String {
        let name = format!("pc3_t{t}");
        let (n, ty) = (&self.cx.names, self.plan.temps[t]);
        let notes = self.taken_temporary(t);
        if !declared.contains(&t) {
            declared.push(t);
            let notes = notes.unwrap_or_default();
            return format!("{} = {text}; {notes}", n.declare_temp(ty, &name));
        }
        if let Some(notes) = notes {
            return format!("{{ {}{notes}}} ", self.set_plainly(t, text));
        }
        self.set_plainly(t, text)
    }

    fn set_plainly(&self, t: usize, text: &str) -> String {
        let name = format!("pc3_t{t}");
        let n = &self.cx.names;
        match self.plan.temps[t] {
            TempTy::Value(q) if has_const_member(self.u(), q.ty) => format!(
                "{{ {} = {text}; __builtin_memcpy((void *)&{name}, (const void *)&pc3_c, sizeof {name}); }} ",
                n.declare_plain(q, "pc3_c")
            ),
            _ => format!("{name} = {text}; "),
        }
    }

    /// The same, or `text;` without a temporary.
    fn set_or_do(&self, t: Option<usize>, text: &str, declared: &mut Vec<usize>) -> String {
        match t {
            Some(t) => self.set(t, text, declared),
            None => format!("{text}; "),
        }
    }

    fn list(&self, ops: &[Op], lin: (&Linear, Entry), declared: &mut Vec<usize>, out: &mut String) {
        let resume = self.mode == Mode::Resume && lin.1 == Entry::Led;
        let mut open = false;
        for op in ops {
            let range = self.range(op);
            // Work before the point that is resumed has been done.
            if resume && range.is_none() != open {
                *out += if open { "} " } else { "if (!pc3_k) { " };
                open = !open;
            }
            self.op(op, range, lin, declared, out);
        }
        if open {
            *out += "} ";
        }
    }

    fn op(
        &self,
        op: &Op,
        range: Option<Range>,
        (lin, entry): (&Linear, Entry),
        declared: &mut Vec<usize>,
        out: &mut String,
    ) {
        let resume = self.mode == Mode::Resume;
        let led = resume && entry == Entry::Led;
        match op {
            Op::Eval { temp, expr } => {
                let own = lin.subst.get(expr) == Some(&Subst::Temp(*temp));
                let place = matches!(self.plan.temps[*temp], TempTy::PointerTo(_));
                if !place {
                    self.give(*expr);
                }
                let given = if own && !place && self.taken_temporary(*temp).is_some() {
                    self.given_object(*expr, Some(lin), false)
                } else {
                    None
                };
                let text = given.unwrap_or_else(|| self.text(*expr, Some(lin), !own));
                *out += &self.set(*temp, &format!("({text})"), declared);
            }
            Op::Truth { temp, expr } => {
                let text = format!("!!({})", self.text(*expr, Some(lin), true));
                *out += &self.set(*temp, &text, declared);
            }
            Op::Copy { temp, from } => {
                let given = self.given_temporary(*from);
                let text = given.unwrap_or_else(|| format!("pc3_t{from}"));
                *out += &self.set(*temp, &text, declared);
            }
            Op::Do(e) => {
                let text = self.text(*e, Some(lin), false);
                *out += &format!("(void)({text}); ");
            }
            Op::Point { label, call, temp } if self.plan.jumps.contains(label) => {
                let text = self.jump_target(*label, *call, lin);
                if !resume {
                    *out += &self.set_or_do(*temp, &text, declared);
                } else {
                    *out += &format!(
                        "if (pc3_k == {label}) {{ pc3_k = 0; {}}} else if (!pc3_k) {}",
                        self.set_or_do(*temp, temp.map_or("(void)0", |_| "pc3_jv"), declared),
                        self.set_or_do(*temp, &text, declared)
                    );
                }
            }
            Op::Point { label, call, temp } => {
                let text = self.text(*call, Some(lin), false);
                if !resume {
                    *out += &self.set_or_do(*temp, &text, declared);
                } else {
                    let again = format!("{}()", savers::next(self.cx, self.u().expr(*call).ty));
                    let (to, end, not) = match led {
                        true => (format!("if (pc3_k == {label}) {{ "), "}", "if (!pc3_k) "),
                        false => (format!("if (0) {{ {}: {{ ", self.label(*label)), "} }", ""),
                    };
                    *out += &format!(
                        "{to}{} pc3_k = 0; {}{}{end} else {not}{}",
                        self.restore(*label),
                        self.refill(*call) + &self.rearm(*label),
                        self.set_or_do(*temp, &again, declared),
                        self.set_or_do(*temp, &text, declared)
                    );
                }
                *out += &format!("if (__builtin_expect(pc3_state, 0)) {} ", self.save(*label));
                if pc3_program::tables::is_declared_noreturn(self.u(), *call) {
                    *out += "__builtin_unreachable(); ";
                }
            }
            Op::If { cond, then, els } => self.branch(cond, then, els, (lin, entry), declared, out),
            Op::Block { stmt, temp } => {
                let guard = match (led, range) {
                    (true, Some(r)) => format!("if (!pc3_k || {}) ", within(r)),
                    (false, Some(r)) if resume => self.labels_text(r),
                    _ => String::new(),
                };
                let text = format!("({})", self.block_value(*stmt, range));
                *out += &format!("{guard}{}", self.set_or_do(*temp, &text, declared));
            }
        }
    }

    fn branch(
        &self,
        cond: &Cond,
        then: &[Op],
        els: &[Op],
        lin: (&Linear, Entry),
        declared: &mut Vec<usize>,
        out: &mut String,
    ) {
        let test = match cond {
            Cond::Expr(e) => format!("({})", self.text(*e, Some(lin.0), true)),
            Cond::Temp(t) => format!("pc3_t{t}"),
            Cond::NotTemp(t) => format!("!pc3_t{t}"),
        };
        let (a, b) = (self.ops_range(then), self.ops_range(els));
        let resume = self.mode == Mode::Resume && lin.1 == Entry::Led;
        if resume {
            let first = a.map(|r| format!("{} || ", within(r))).unwrap_or_default();
            let none = if a.is_some() || b.is_some() {
                "!pc3_k && "
            } else {
                ""
            };
            *out += &format!("if ({first}({none}{test})) {{ ");
        } else {
            *out += &format!("if ({test}) {{ ");
        }
        self.list(then, lin, declared, out);
        *out += "} ";
        if !els.is_empty() {
            let guard = match (resume, b) {
                (true, Some(r)) => format!("if (!pc3_k || {}) ", within(r)),
                (true, None) if a.is_some() => "if (!pc3_k) ".into(),
                _ => String::new(),
            };
            *out += &format!("else {guard}{{ ");
            self.list(els, lin, declared, out);
            *out += "} ";
        }
    }

    fn range(&self, op: &Op) -> Option<Range> {
        match op {
            Op::Point { label, .. } => Some((*label, *label)),
            Op::If { then, els, .. } => join(self.ops_range(then), self.ops_range(els)),
            Op::Block { stmt, .. } => self.plan.points.stmts.get(stmt).copied(),
            _ => None,
        }
    }

    fn ops_range(&self, ops: &[Op]) -> Option<Range> {
        ops.iter().fold(None, |a, op| join(a, self.range(op)))
    }

    /// A user's statement expression; in the resume clone entered through its own dispatch.
    fn block_value(&self, s: StmtId, range: Option<Range>) -> String {
        let mut edits = crate::rewrite::clones::edits::Edits::default();
        let span = self.u().stmt(s).span.clone();
        self.depth.set(self.depth.get() + 1);
        if let (Mode::Resume, Some(r)) = (self.mode, range) {
            edits.insert(
                crate::rewrite::clones::labels::inside(self.u(), &span),
                self.dispatch(r),
            );
        }
        self.stmt(s, &mut edits);
        self.depth.set(self.depth.get() - 1);
        format!("__extension__({})", edits.apply(self.cx, &span))
    }

    /// `switch (pc3_k) { case 1: goto pc3_L1; ... }` for the labels at the current depth.
    pub(crate) fn dispatch(&self, r: Range) -> String {
        let mut out = String::from(" switch (pc3_k) { ");
        for l in r.0..=r.1 {
            out += &format!("case {l}: goto {}; ", self.label(l));
        }
        // What leads to no point need not be compiled once more.
        if self.depth.get() == 0 {
            out += "default: __builtin_unreachable(); ";
        }
        out + "} "
    }

    pub fn label(&self, l: u32) -> String {
        match self.depth.get() {
            0 => format!("pc3_L{l}"),
            d => format!("pc3_L{l}_{d}"),
        }
    }
}

fn join(a: Option<Range>, b: Option<Range>) -> Option<Range> {
    match (a, b) {
        (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
        (x, y) => x.or(y),
    }
}

/// Temporaries assigned inside branches (`all`: anywhere).
fn collect_temps(ops: &[Op], all: bool, out: &mut Vec<usize>) {
    for op in ops {
        match op {
            Op::If { then, els, .. } => {
                collect_temps(then, true, out);
                collect_temps(els, true, out);
            }
            Op::Eval { temp, .. } | Op::Truth { temp, .. } | Op::Copy { temp, .. } if all => {
                out.push(*temp)
            }
            Op::Point { temp: Some(t), .. } | Op::Block { temp: Some(t), .. } if all => {
                out.push(*t)
            }
            _ => {}
        }
    }
}

/// Such records cannot be assigned.
fn has_const_member(u: &Unit, t: TypeId) -> bool {
    match u.ty(t) {
        Type::Array { elem, .. } => elem.is_const || has_const_member(u, elem.ty),
        Type::Record(r) => u.records[r.index()]
            .fields
            .iter()
            .flatten()
            .any(|f| f.ty.is_const || has_const_member(u, f.ty.ty)),
        _ => false,
    }
}
