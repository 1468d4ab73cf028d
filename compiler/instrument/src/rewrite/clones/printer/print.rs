//! Prints expressions: the user's text with the edits that the mode asks for.

use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::printer::{shadow_member, Mode, Printer};
use crate::rewrite::runtime_calls::library;
use pc3_portability::addresses::is_depth;
use pc3_program::linear::{Linear, Subst};
use pc3_program::program::is_local;
use pc3_program::variadic::is_start;
use pc3_program::walk::{expr_children, Node};
use pc3_syntax::tree::*;
use pc3_unions::tags::Check;

impl<'p, 'a> Printer<'p, 'a> {
    pub fn u(&self) -> &'a Unit {
        self.cx.u
    }

    /// The name of a symbol in the printed text, None if it keeps its own.
    pub fn symbol(&self, s: SymId) -> Option<String> {
        let cx = self.cx;
        let sym = self.u().sym(s);
        if let Some(local) = self.held.borrow().local(s) {
            return Some(local.clone());
        }
        if self.plan.shadow_set.contains(&s) {
            return Some(format!("pc3_s->{}", shadow_member(cx.u, s)));
        }
        if let Some(text) = self.vm_use(s) {
            return Some(text);
        }
        if let Some(n) = self.plan.renamed.get(&s) {
            return Some(n.clone());
        }
        let moved = cx.statics.get(&s).or_else(|| cx.hoisted.get(&s)).cloned();
        let moved = moved.or_else(|| cx.library_name(s));
        if cx.private.contains(&s) {
            return Some(cx.global_text(moved.as_deref().unwrap_or(&sym.name)));
        }
        if moved.is_some() {
            return moved;
        }
        self.twin(s)
    }

    /// Text of `e` after the point's substitutions; `whole`: a substitution of `e` itself counts.
    pub fn text(&self, e: ExprId, lin: Option<&Linear>, whole: bool) -> String {
        let mut edits = Edits::default();
        if whole {
            self.expr(e, lin, &mut edits);
        } else {
            self.inside(e, lin, &mut edits);
        }
        edits.apply(self.cx, &self.u().expr(e).span)
    }

    pub fn expr(&self, e: ExprId, lin: Option<&Linear>, out: &mut Edits) {
        if self.replaced(e, lin, out) {
            return;
        }
        let x = self.u().expr(e);
        match lin.and_then(|l| l.subst.get(&e)) {
            Some(Subst::Temp(t)) => return out.replace(&x.span, self.temp_value(*t, e)),
            Some(Subst::Nothing) => return out.replace(&x.span, "(void)0"),
            None => {}
        }
        self.inside(e, lin, out);
    }

    /// A temporary; one that holds a pointer to a variable-length array gets its type back.
    fn temp_value(&self, t: usize, e: ExprId) -> String {
        use pc3_program::linear::TempTy;
        match self.plan.temps[t] {
            TempTy::Value(q) | TempTy::PointerTo(q) if self.cx.names.is_vm(q) => {
                format!("((__typeof__(&*({})))pc3_t{t})", self.text(e, None, false))
            }
            // A bit-field itself has no `__typeof__`.
            TempTy::Odd => format!(
                "((__typeof__(({}) + 0))pc3_t{t})",
                self.text(e, None, false)
            ),
            _ => format!("pc3_t{t}"),
        }
    }

    fn inside(&self, e: ExprId, lin: Option<&Linear>, out: &mut Edits) {
        // Around all else.
        let marks = self.cx.witnesses.get(&e);
        if let Some(marks) = marks {
            self.cx.marked.borrow_mut().insert(e);
            let all: String = marks.iter().map(|m| format!("{m} = 1, ")).collect();
            out.insert(self.u().expr(e).span.start, format!("({all}"));
        }
        let ends = self.cx.ends.get(&e);
        if ends.is_some() {
            self.cx.marked.borrow_mut().insert(e);
            out.insert(self.u().expr(e).span.start, "(");
        }
        let check = self.cx.checks.get(&e);
        if let Some((i, check)) = check {
            self.cx.marked.borrow_mut().insert(e);
            let span = &self.u().expr(e).span;
            out.insert(span.start, "__extension__({ ");
            let text = self.says_otherwise(check, lin);
            out.insert(span.end, format!("; if ({text}) pc3_ran[{i}] = 1; }})"));
        }
        let piece = self.piece_before(e, out);
        let beside = self.cx.beside.get(&e);
        let behind = beside.map(|how| self.moves_from(e, *how, lin, out));
        let number = self.cx.numbers.get(&e).copied();
        let pointer = match self.u().expr(e).kind {
            ExprKind::Cast { arg, .. } => number.map(|n| (n, &self.u().expr(arg).span)),
            _ => None,
        };
        if let Some((n, span)) = pointer {
            self.cx.told.borrow_mut().insert(n.0);
            let (n, how) = (n.0, n.1.call());
            out.insert(span.start, format!("{how}(pc3_seen + {n}, (pc3_diff)("));
        }
        self.own(e, lin, out);
        if let Some((_, span)) = pointer {
            out.insert(span.end, "))");
        }
        for (at, text) in behind.into_iter().flatten() {
            out.insert(at, text);
        }
        if let Some(text) = piece {
            out.insert(self.u().expr(e).span.end, text);
        }
        if let Some(ends) = ends {
            let all: String = ends.iter().map(|m| format!("{m} = 1, ")).collect();
            let text = format!(" || ({all}0))");
            out.insert(self.u().expr(e).span.end, text);
        }
        if marks.is_some() {
            out.insert(self.u().expr(e).span.end, ")");
        }
    }

    /// Does the tag beside a member that was written belong to none or another one?
    fn says_otherwise(&self, check: &Check, lin: Option<&Linear>) -> String {
        let base = self.text(check.base, lin, true);
        let way = if check.arrow { "->" } else { "." };
        let tag = format!("({base}){way}{}", check.tag);
        if let Some((own, leads)) = &check.leads {
            let otherwise = if *leads { "!=" } else { "==" };
            return format!("(const void *){tag} {otherwise} (const void *)&({base}){way}{own}");
        }
        let numbers = check.numbers.iter().map(|n| format!("{tag} != {n}"));
        let bits = (check.bits != 0).then(|| format!("!({tag} & {:#x})", check.bits));
        let all: Vec<String> = numbers.chain(bits).collect();
        all.join(" && ")
    }

    fn own(&self, e: ExprId, lin: Option<&Linear>, out: &mut Edits) {
        if self.noted(e, lin, out) {
            return;
        }
        let x = self.u().expr(e);
        match &x.kind {
            ExprKind::Ident(s) => self.ident(e, *s, out),
            ExprKind::Call { callee, args } => {
                let notes = self.arguments(*callee, args, lin);
                let mut inner = Edits::default();
                self.call(e, *callee, args, lin, &mut inner);
                self.behind_call(e, &notes, inner, out);
            }
            ExprKind::Str { .. } => {
                if let Some(n) = self.cx.literals.get(&e) {
                    out.replace(&x.span, literal_text(self.u(), e, *n));
                }
            }
            ExprKind::Builtin => self.leaf(e, out),
            ExprKind::Cast { arg, .. } if self.is_depth(e, *arg) => {
                let span = &self.u().expr(*arg).span;
                out.insert(span.start, "pc3_depth(");
                self.children(e, lin, out);
                out.insert(span.end, ")");
            }
            ExprKind::LabelAddr(l) => crate::rewrite::clones::labels::address(self.cx, e, *l, out),
            ExprKind::StmtExpr(s) => self.stmt(*s, out),
            ExprKind::SizeofExpr(a) => self.unevaluated(*a, out),
            ExprKind::CompoundLit { .. } if self.compound_literal(e, lin, out) => {}
            ExprKind::Alignof => self.operand_text(e, out),
            ExprKind::Generic { chosen, .. } => {
                self.selection(e, *chosen, out);
                self.children(e, lin, out);
            }
            _ => self.children(e, lin, out),
        }
    }

    /// Is it where the stack is, kept as a number?
    fn is_depth(&self, cast: ExprId, arg: ExprId) -> bool {
        let u = self.u();
        self.cx.has_points && is_depth(u, arg) && matches!(u.ty(u.expr(cast).ty.ty), Type::Int(_))
    }

    /// What `_Generic` has chosen stands alone: its other parts may name what has moved.
    fn selection(&self, e: ExprId, chosen: ExprId, out: &mut Edits) {
        let (whole, part) = (&self.u().expr(e).span, &self.u().expr(chosen).span);
        out.replace(&(whole.start..part.start), "(");
        out.replace(&(part.end..whole.end), ")");
    }

    pub fn children(&self, e: ExprId, lin: Option<&Linear>, out: &mut Edits) {
        let mut list = Vec::new();
        expr_children(self.u(), e, &mut |c| list.push(c));
        for c in list {
            match c {
                Node::Expr(c) => self.expr(c, lin, out),
                Node::Stmt(s) => self.stmt(s, out),
            }
        }
    }

    /// Constant initialisers of static objects: names change, but addresses stay the template's.
    pub fn constant(&self, e: ExprId, out: &mut Edits) {
        pc3_program::walk::visit(self.u(), Node::Expr(e), &mut |n| {
            let Node::Expr(x) = n else { return false };
            let span = &self.u().expr(x).span;
            match &self.u().expr(x).kind {
                ExprKind::Ident(s) => {
                    let library = self
                        .cx
                        .external(*s)
                        .and_then(|n| library::library_reference(self.cx, *s, &n));
                    let moved = self
                        .cx
                        .statics
                        .get(s)
                        .or_else(|| self.cx.hoisted.get(s))
                        .cloned()
                        .or_else(|| self.cx.library_name(*s));
                    if let Some(new) = library.or(moved) {
                        out.replace(span, new);
                    }
                }
                ExprKind::Str { .. } => {
                    if let Some(n) = self.cx.literals.get(&x) {
                        out.replace(span, literal_text(self.u(), x, *n));
                    }
                }
                ExprKind::LabelAddr(l) => {
                    crate::rewrite::clones::labels::address(self.cx, x, *l, out)
                }
                ExprKind::Builtin
                    if crate::rewrite::clones::literals::function_name(self.u().slice(span))
                        .is_some() =>
                {
                    self.leaf(x, out)
                }
                ExprKind::CompoundLit { .. } => {
                    if let Some(name) = self.cx.objects.get(&x) {
                        out.replace(span, name.clone());
                        return false;
                    }
                }
                _ => {}
            }
            true
        });
    }

    /// Names that change must change in `sizeof` too; nothing else does.
    fn unevaluated(&self, e: ExprId, out: &mut Edits) {
        pc3_program::walk::visit(self.u(), Node::Expr(e), &mut |n| {
            if let Node::Expr(x) = n {
                match self.u().expr(x).kind {
                    ExprKind::Ident(s) if !self.cx.private.contains(&s) => {
                        if let Some(new) = self.symbol(s) {
                            out.replace(&self.u().expr(x).span, format!("({new})"));
                        }
                    }
                    ExprKind::Ident(s) => {
                        if let Some(new) = self.cx.statics.get(&s) {
                            out.replace(&self.u().expr(x).span, new.clone());
                        }
                    }
                    ExprKind::SizeofExpr(y) => self.unevaluated(y, out),
                    ExprKind::Alignof => self.operand_text(x, out),
                    ExprKind::Builtin => self.leaf(x, out),
                    ExprKind::Generic { chosen, .. } => self.selection(x, chosen, out),
                    _ => {}
                }
            }
            true
        });
    }

    /// An operand of `_Alignof` or of a builtin that takes types, known as text only.
    fn operand_text(&self, e: ExprId, out: &mut Edits) {
        for n in crate::rewrite::unseen::within(self.u(), &self.u().expr(e).span) {
            let moved = self.cx.statics.get(&n.sym).cloned();
            if let Some(new) = moved.or_else(|| self.symbol(n.sym)) {
                out.replace(&n.span, format!("({new})"));
            }
        }
    }

    fn ident(&self, e: ExprId, s: SymId, out: &mut Edits) {
        let span = &self.u().expr(e).span;
        if let Some(name) = self.cx.external(s) {
            if let Some(new) = library::library_reference(self.cx, s, &name) {
                out.replace(span, new);
                return;
            }
        }
        if let Some(new) = self.symbol(s) {
            let wrap = is_local(self.u().sym(s)) && self.plan.shadow_set.contains(&s);
            out.replace(span, if wrap { format!("({new})") } else { new });
        }
    }

    fn call(
        &self,
        e: ExprId,
        callee: ExprId,
        args: &[ExprId],
        lin: Option<&Linear>,
        out: &mut Edits,
    ) {
        let u = self.u();
        if let Some(text) = self.packed_call(e, callee, args, lin) {
            return out.replace(&u.expr(e).span, text);
        }
        for a in args {
            self.argument(*a, lin, out);
        }
        let span = &u.expr(callee).span;
        if let ExprKind::Ident(s) = u.expr(callee).kind {
            if u.sym(s).kind == SymKind::Func {
                if is_start(&u.sym(s).name) {
                    if let (true, [list, ..]) = (self.plan.packed, args) {
                        let list = self.text(*list, lin, true);
                        let text = crate::rewrite::frames::arguments::begin(&list, "pc3_va");
                        return out.replace(&u.expr(e).span, text);
                    }
                    // No point leads here, so the resume clone never does.
                    if self.mode == Mode::Resume {
                        return out.replace(&u.expr(e).span, "__builtin_trap()");
                    }
                }
                if crate::rewrite::frames::plan::is_alloca(u.sym(s)) && !self.plan.points.is_empty()
                {
                    if let (Some(n), Some(a)) = (self.cx.sites.get(&e), args.first()) {
                        out.replace(span, "pc3_shadow_block");
                        out.insert(u.expr(*a).span.start, "pc3_me->sp, ");
                        out.insert(u.expr(e).span.end - 1, format!(", pc3_site_{n}.type"));
                    }
                    return;
                }
                if let Some(name) = self.cx.external(s) {
                    let c = library::library_call(self.cx, e, s, &name);
                    if let Some(text) = c.callee {
                        out.replace(span, text);
                    }
                    let whole = &u.expr(e).span;
                    if !c.extra.is_empty() {
                        out.insert(whole.end - 1, c.extra);
                    }
                    if let Some(around) = c.around {
                        out.insert(whole.start, around);
                        out.insert(whole.end, ")");
                    }
                } else {
                    let own = self.symbol(s).unwrap_or_else(|| u.sym(s).name.clone());
                    match library::wrapper_call(self.cx, e, &own) {
                        Some(text) => out.replace(span, text),
                        None => self.ident(callee, s, out),
                    }
                }
                return;
            }
        }
        let mut own = Edits::default();
        self.expr(callee, lin, &mut own);
        let Some(site) = library::wrapper_site(self.cx, e) else {
            return out.append(own);
        };
        let whole = &u.expr(e).span;
        // What it calls may know nothing of it.
        let clears = site.contains('&') && !self.plan.points.in_expr(e);
        let got = format!("pc3_got_{}", e.0);
        if clears {
            let text = format!("(__extension__ ({{ __auto_type {got} = ");
            out.insert(whole.start, text);
        }
        out.insert(span.start, format!("({site}, "));
        out.append(own);
        out.insert(span.end, ")");
        if clears {
            out.insert(whole.end, format!("; pc3_me->site = 0; {got}; }}))"));
        }
    }

    fn argument(&self, a: ExprId, lin: Option<&Linear>, out: &mut Edits) {
        let Some(n) = self.cx.bytes.get(&a) else {
            return self.expr(a, lin, out);
        };
        let span = &self.u().expr(a).span;
        let bytes = &self.cx.heap.bytes[self.cx.unit][*n];
        let how = bytes.how;
        if bytes.constant {
            return out.replace(span, format!("pc3_bytes_of(pc3_bytes_{n}, {how})"));
        }
        out.insert(span.start, format!("pc3_bytes_if(pc3_bytes_{n}, {how}, ("));
        self.expr(a, lin, out);
        out.insert(span.end, "))");
    }

    /// `__func__` names the user's function in the resume clone too, and is one object.
    fn leaf(&self, e: ExprId, out: &mut Edits) {
        let span = &self.u().expr(e).span;
        let text = self.u().slice(span);
        let Some(name) = crate::rewrite::clones::literals::function_name(text) else {
            if text.starts_with("__builtin_") {
                self.operand_text(e, out);
            }
            return;
        };
        if self.mode != Mode::Plain || self.again || self.cx.named.contains(&self.f) {
            // clang's are one object, however they are spelt.
            let name = if self.cx.clang { "func" } else { name };
            let object = format!("pc3_{name}_{}", self.cx.fname(self.f));
            let is_call = matches!(self.u().ty(self.u().expr(e).ty.ty), Type::Pointer(_));
            let text = match is_call {
                true => format!("(&{object}[0])"),
                false => object,
            };
            out.replace(span, text);
            let mut names = self.cx.func_names.borrow_mut();
            names.insert((self.f, name.to_string()));
        }
    }
}

/// A named literal in place of a string literal.
pub(crate) fn literal_text(u: &Unit, e: ExprId, n: usize) -> String {
    match u.expr(e).kind {
        ExprKind::Str { wide: false, .. } => {
            let elem = match u.ty(u.expr(e).ty.ty) {
                // `u8` in C23.
                Type::Array { elem, .. } => u.type_name(elem.unqualified()),
                _ => "char".into(),
            };
            // By way of an integer: a cast that drops `const` would be warned of.
            format!("(({elem} *)(pc3_size)pc3_lit_{n})")
        }
        _ => format!(
            "((__typeof__(&*{}))pc3_lit_{n})",
            u.slice(&u.expr(e).span).replace('\n', " ")
        ),
    }
}
