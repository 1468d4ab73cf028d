//! The typed tree as text (`--emit=tree`), and a check of its span invariants; for tests.

use crate::tree::*;
use crate::walk::{expr_children, stmt_children};
use std::fmt::Write as _;

/// User declarations and functions, one line per statement, each expression with its types.
pub fn dump(unit: &Unit) -> String {
    let mut d = Dumper {
        unit,
        out: String::new(),
        depth: 0,
    };
    for item in &unit.items {
        let span = match item {
            TopItem::Decl(g) => &g.span,
            TopItem::Function(f) => &unit.func(*f).span,
            TopItem::Other(s) => s,
        };
        if unit.lines.is_system(span.start) {
            continue;
        }
        match item {
            TopItem::Decl(g) => d.group(g),
            TopItem::Function(f) => d.function(*f),
            TopItem::Other(s) => d.line(&format!("other {}", unit.slice(s))),
        }
    }
    d.out
}

struct Dumper<'a> {
    unit: &'a Unit,
    out: String,
    depth: usize,
}

impl Dumper<'_> {
    fn line(&mut self, s: &str) {
        let _ = writeln!(self.out, "{:w$}{s}", "", w = self.depth * 2);
    }

    fn symbol(&self, id: SymId) -> String {
        let s = self.unit.sym(id);
        let mut text = format!("{}: {}", s.name, self.unit.type_name(s.ty));
        let flags = [
            (s.storage == Storage::Static, "static"),
            (s.storage == Storage::Register, "register"),
            (s.thread_local, "thread"),
            (s.is_global, "linked"),
            (
                s.kind == SymKind::Var && s.is_global && !s.defined,
                "undefined",
            ),
            (s.initialised && s.kind != SymKind::Param, "init"),
        ];
        for (_, f) in flags.iter().filter(|(on, _)| *on) {
            let _ = write!(text, " {f}");
        }
        text
    }

    fn record(&mut self, ty: TypeId) {
        if let Type::Record(r) = self.unit.ty(ty) {
            let rec = &self.unit.records[r.index()];
            let name = self.unit.record_name(*r);
            let packed = if rec.packed { " packed" } else { "" };
            let Some(fields) = &rec.fields else {
                return self.line(&format!("{name}{packed} incomplete"));
            };
            self.line(&format!("{name}{packed}"));
            self.depth += 1;
            for f in fields {
                let width = f
                    .bit_width
                    .as_ref()
                    .map_or(String::new(), |w| format!(" : {}", self.unit.slice(w)));
                let name = f.name.as_deref().unwrap_or("-");
                self.line(&format!("{name}: {}{width}", self.unit.type_name(f.ty)));
            }
            self.depth -= 1;
        }
    }

    fn group(&mut self, g: &DeclGroup) {
        if g.defines_type {
            let in_specifiers = |s: &Option<Span>| {
                s.as_ref()
                    .is_some_and(|s| g.span.start <= s.start && s.end <= g.span.end)
            };
            for (i, r) in self.unit.records.iter().enumerate() {
                if in_specifiers(&r.def) {
                    let id = self
                        .unit
                        .types
                        .iter()
                        .position(|t| *t == Type::Record(RecordId(i as u32)));
                    if let Some(id) = id {
                        self.record(TypeId(id as u32));
                    }
                }
            }
            for e in &self.unit.enums {
                if in_specifiers(&e.def) {
                    let list: Vec<String> = e
                        .constants
                        .iter()
                        .map(|c| {
                            let s = self.unit.sym(*c);
                            format!(
                                "{}={}",
                                s.name,
                                s.value.map_or("?".into(), |v| v.to_string())
                            )
                        })
                        .collect();
                    self.line(&format!(
                        "enum {} {:?} {}",
                        e.tag.as_deref().unwrap_or("-"),
                        e.underlying,
                        list.join(" ")
                    ));
                }
            }
        }
        for v in &g.vars {
            let kind = if g.is_typedef { "typedef" } else { "decl" };
            let vla: Vec<String> = v.vla_lens.iter().map(|e| self.expr(*e)).collect();
            let vla = if vla.is_empty() {
                String::new()
            } else {
                format!(" vla[{}]", vla.join(", "))
            };
            let init = v
                .init
                .as_ref()
                .map_or(String::new(), |i| format!(" = {}", self.init(i)));
            self.line(&format!("{kind} {}{vla}{init}", self.symbol(v.sym)));
        }
    }

    fn init(&self, i: &Init) -> String {
        match i {
            Init::Expr(e) => self.expr(*e),
            Init::List { items, .. } => {
                let list: Vec<String> = items
                    .iter()
                    .map(|i| {
                        let d: String = i
                            .designators
                            .iter()
                            .map(|e| format!("[{}]", self.expr(*e)))
                            .collect();
                        format!("{d}{}", self.init(&i.value))
                    })
                    .collect();
                format!("{{{}}}", list.join(", "))
            }
        }
    }

    fn function(&mut self, id: FuncId) {
        let f = self.unit.func(id);
        let params: Vec<String> = f.params.iter().map(|p| self.symbol(*p)).collect();
        let style = if f.kr_style { " kr" } else { "" };
        self.line(&format!(
            "function {}{style} ({})",
            self.symbol(f.sym),
            params.join(", ")
        ));
        self.depth += 1;
        self.stmt(f.body);
        self.depth -= 1;
    }

    fn nested(&mut self, s: StmtId) {
        self.depth += 1;
        self.stmt(s);
        self.depth -= 1;
    }

    fn stmt(&mut self, id: StmtId) {
        let s = self.unit.stmt(id);
        match &s.kind {
            StmtKind::Expr(None) => self.line(";"),
            StmtKind::Expr(Some(e)) => self.line(&self.expr(*e)),
            StmtKind::Decl(g) => self.group(g),
            StmtKind::Block(list) => {
                self.line("{");
                for s in list {
                    self.nested(*s);
                }
                self.line("}");
            }
            StmtKind::If { cond, then, els } => {
                self.line(&format!("if {}", self.expr(*cond)));
                self.nested(*then);
                if let Some(e) = els {
                    self.line("else");
                    self.nested(*e);
                }
            }
            StmtKind::While { cond, body } => {
                self.line(&format!("while {}", self.expr(*cond)));
                self.nested(*body);
            }
            StmtKind::DoWhile { body, cond } => {
                self.line("do");
                self.nested(*body);
                self.line(&format!("while {}", self.expr(*cond)));
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                let part = |e: &Option<ExprId>| e.map_or(String::new(), |e| self.expr(e));
                let head = format!("; {}; {}", part(cond), part(step));
                match init {
                    ForInit::None => self.line(&format!("for {head}")),
                    ForInit::Expr(e) => self.line(&format!("for {}{head}", self.expr(*e))),
                    ForInit::Decl(g) => {
                        self.line(&format!("for decl{head}"));
                        self.depth += 1;
                        self.group(g);
                        self.depth -= 1;
                    }
                }
                self.nested(*body);
            }
            StmtKind::Switch { cond, body } => {
                self.line(&format!("switch {}", self.expr(*cond)));
                self.nested(*body);
            }
            StmtKind::Case { lo, hi, stmt } => {
                let hi = hi.map_or(String::new(), |h| format!(" ... {}", self.expr(h)));
                self.line(&format!("case {}{hi}", self.expr(*lo)));
                self.nested(*stmt);
            }
            StmtKind::Default(s) => {
                self.line("default");
                self.nested(*s);
            }
            StmtKind::Label { label, stmt } => {
                self.line(&format!("label {}", self.unit.labels[label.index()].name));
                self.nested(*stmt);
            }
            StmtKind::Goto(l) => self.line(&format!("goto {}", self.unit.labels[l.index()].name)),
            StmtKind::GotoComputed(e) => self.line(&format!("goto *{}", self.expr(*e))),
            StmtKind::Continue => self.line("continue"),
            StmtKind::Break => self.line("break"),
            StmtKind::Return(e) => self.line(&format!(
                "return {}",
                e.map_or(String::new(), |e| self.expr(e))
            )),
            StmtKind::Asm(ops) => {
                let ops: Vec<String> = ops.iter().map(|e| self.expr(*e)).collect();
                self.line(&format!("asm {}", ops.join(", ")));
            }
            StmtKind::Nested { sym, body } => {
                self.line(&format!("function {}", self.unit.sym(*sym).name));
                self.stmt(*body);
            }
            StmtKind::Checkpoint => self.line("checkpoint"),
            StmtKind::Other { unsupported } => {
                self.line(&format!("other {}", unsupported.as_deref().unwrap_or("")))
            }
        }
    }

    /// `(op operand operand):type`, leaves by their text.
    fn expr(&self, id: ExprId) -> String {
        let e = self.unit.expr(id);
        let ty = self.unit.type_name(e.ty);
        let x = |e: &ExprId| self.expr(*e);
        let list = |l: &[ExprId]| l.iter().map(&x).collect::<Vec<_>>().join(" ");
        let text = || self.unit.slice(&e.span).to_string();
        let body = match &e.kind {
            ExprKind::Ident(s) => return self.unit.sym(*s).name.clone(),
            ExprKind::Int(v) if matches!(self.unit.ty(e.ty.ty), Type::Int(IntKind::Int)) => {
                return v.to_string()
            }
            ExprKind::Int(v) => return format!("{v}:{ty}"),
            ExprKind::Float | ExprKind::Str { .. } | ExprKind::Builtin => {
                return format!("{}:{ty}", text())
            }
            ExprKind::Call { callee, args } => format!("call {} {}", x(callee), list(args))
                .trim_end()
                .to_string(),
            ExprKind::Member { base, arrow, name } => {
                format!("{} {} {name}", if *arrow { "->" } else { "." }, x(base))
            }
            ExprKind::Index { base, index } => format!("index {} {}", x(base), x(index)),
            ExprKind::AddrOf(a) => format!("addr {}", x(a)),
            ExprKind::Deref(a) => format!("deref {}", x(a)),
            ExprKind::Unary { op, arg } => format!("{op:?} {}", x(arg)),
            ExprKind::Binary { op, lhs, rhs } => format!("{op:?} {} {}", x(lhs), x(rhs)),
            ExprKind::Assign { op, lhs, rhs } => {
                format!(
                    "{}= {} {}",
                    op.map_or(String::new(), |o| format!("{o:?}")),
                    x(lhs),
                    x(rhs)
                )
            }
            ExprKind::Cond { cond, then, els } => {
                format!(
                    "? {} {} {}",
                    x(cond),
                    then.map_or("-".into(), |t| x(&t)),
                    x(els)
                )
            }
            ExprKind::Comma(l) => format!(", {}", list(l)),
            ExprKind::Cast { arg, .. } => format!("cast {}", x(arg)),
            ExprKind::SizeofExpr(a) => format!("sizeof {}", x(a)),
            ExprKind::SizeofType(t) => format!("sizeof <{}>", self.unit.type_name(*t)),
            ExprKind::Alignof => "alignof".into(),
            ExprKind::Offsetof { ty, member, .. } => {
                format!("offsetof <{}> {member}", self.unit.type_name(*ty))
            }
            ExprKind::CompoundLit { init, .. } => format!("literal {}", self.init(init)),
            ExprKind::StmtExpr(s) => {
                let mut inner = Dumper {
                    unit: self.unit,
                    out: String::new(),
                    depth: 0,
                };
                inner.stmt(*s);
                format!(
                    "stmts {}",
                    inner.out.split_whitespace().collect::<Vec<_>>().join(" ")
                )
            }
            ExprKind::VaArg { list, .. } => format!("va_arg {}", x(list)),
            ExprKind::Generic { chosen, .. } => format!("generic {}", x(chosen)),
            ExprKind::LabelAddr(l) => format!("label {}", self.unit.labels[l.index()].name),
        };
        format!("({body}):{ty}")
    }
}

/// Violations of the span invariants: inside the text, trimmed, children inside their parents.
pub fn check_spans(unit: &Unit) -> Vec<String> {
    let mut bad = Vec::new();
    let mut outside = |what: &str, child: &Span, parent: &Span| {
        if child.start < parent.start || child.end > parent.end {
            bad.push(format!(
                "{what} {child:?} `{}` outside of {parent:?} `{}`",
                unit.slice(child),
                unit.slice(parent)
            ));
        }
    };
    for e in &unit.exprs {
        for c in expr_children(&e.kind) {
            outside("expression", &unit.expr(c).span, &e.span);
        }
        if let ExprKind::StmtExpr(s) = e.kind {
            outside("statement", &unit.stmt(s).span, &e.span);
        }
    }
    for s in &unit.stmts {
        let (exprs, stmts) = stmt_children(&s.kind);
        for c in exprs {
            outside("expression", &unit.expr(c).span, &s.span);
        }
        for c in stmts {
            outside("statement", &unit.stmt(c).span, &s.span);
        }
    }
    for f in &unit.functions {
        outside("body", &unit.stmt(f.body).span, &f.span);
    }
    for (kind, span) in unit
        .exprs
        .iter()
        .map(|e| ("expression", &e.span))
        .chain(unit.stmts.iter().map(|s| ("statement", &s.span)))
    {
        let text = unit.slice(span);
        if text.is_empty() || text.trim() != text {
            bad.push(format!("{kind} {span:?} is not trimmed: `{text}`"));
        }
    }
    bad
}

/// The text with an assertion in front of each statement of a block about the types of the
/// expressions in it: where we are wrong, the C compiler says so. For tests.
pub fn with_type_assertions(unit: &Unit) -> String {
    let mut inserts: Vec<(u32, String)> = Vec::new();
    for f in &unit.functions {
        if !unit.lines.is_system(f.span.start) {
            assert_in(unit, f.body, &mut inserts);
        }
    }
    inserts.sort_by_key(|(at, _)| *at);
    let inserts: Vec<(u32, &str)> = inserts.iter().map(|(at, s)| (*at, s.as_str())).collect();
    crate::prefilter::insert(unit.text.clone(), &inserts)
}

fn assert_in(unit: &Unit, s: StmtId, out: &mut Vec<(u32, String)>) {
    let stmt = unit.stmt(s);
    if let StmtKind::Block(list) = &stmt.kind {
        for s in list {
            let inner = unit.stmt(*s);
            let (exprs, _) = stmt_children(&inner.kind);
            if !matches!(
                inner.kind,
                StmtKind::Decl(_) | StmtKind::For { .. } | StmtKind::Asm(_)
            ) {
                let mut text = String::new();
                exprs
                    .into_iter()
                    .for_each(|e| assert_type(unit, e, &mut text));
                out.push((inner.span.start, text));
            }
        }
    }
    for s in stmt_children(&stmt.kind).1 {
        assert_in(unit, s, out);
    }
}

fn assert_type(unit: &Unit, e: ExprId, out: &mut String) {
    let x = unit.expr(e);
    let text = unit.slice(&x.span).replace('\n', " ");
    let name = unit.type_name(x.ty);
    // Bit-fields have types of their own to gcc, and what it knows of builtins is not said here.
    let member = |e: &ExprId| matches!(unit.expr(*e).kind, ExprKind::Member { .. });
    let skip = match &x.kind {
        ExprKind::Member { .. } => true,
        ExprKind::Assign { lhs, .. } => member(lhs),
        ExprKind::Unary { op, arg } => {
            matches!(
                op,
                UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec
            ) && member(arg)
        }
        ExprKind::Ident(s) => unit.sym(*s).implicit,
        ExprKind::Comma(l) => l.last().is_some_and(member),
        _ => false,
    } || *unit.ty(x.ty.ty) == Type::VaList;
    let nameable = !name.contains(['<', '#']) && !name.contains("[vla");
    // Expressions with directives or labels in them cannot be repeated.
    if nameable && !skip && !text.contains(['#', '{']) && !text.contains("&&") {
        let _ = write!(
            out,
            " _Static_assert(__builtin_types_compatible_p(__typeof__({text}), {name}), \"{}\");",
            name.replace('"', "")
        );
    }
    for c in expr_children(&x.kind) {
        assert_type(unit, c, out);
    }
}
