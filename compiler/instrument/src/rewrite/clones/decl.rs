//! Declarations inside functions.
//!
//! A group is kept as it stands where possible.  It is split into one declaration per variable where
//! one of them moves to the shadow stack, where an initialiser list has to be taken apart, or
//! where the resume clone must not run a neighbour's initialiser again.

use super::printer::full::Entry;
use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::printer::{shadow_member, Mode, Printer};
use crate::rewrite::frames::variables::{fragile, is_const};
use crate::rewrite::unseen::alignment;
use pc3_program::initialiser::init_span;
use pc3_program::linear::{Linear, Root};
use pc3_program::walk::init_exprs;
use pc3_syntax::tree::*;

impl Printer<'_, '_> {
    pub(crate) fn shadows(&self, d: &DeclGroup) -> bool {
        d.vars
            .iter()
            .any(|v| self.plan.shadow_set.contains(&v.sym) || self.is_vm(v.sym))
    }

    /// Does all of it stand in front of the function now?
    pub(crate) fn is_moved(&self, d: &DeclGroup) -> bool {
        match d.vars.first() {
            None => crate::rewrite::clones::hoist::hoists_typedefs(self.cx, self.f),
            Some(v) => !d.is_typedef && self.cx.statics.contains_key(&v.sym),
        }
    }

    pub(crate) fn decl(&self, d: &DeclGroup, out: &mut Edits) {
        let u = self.u();
        if self.is_moved(d) {
            return out.replace(&d.span, "");
        }
        let Some(first) = d.vars.first() else {
            return;
        };
        if d.is_typedef || u.sym(first.sym).kind == SymKind::Func {
            return;
        }
        match u.sym(first.sym).storage {
            Storage::Static => return d.vars.iter().for_each(|v| self.constants(v, out)),
            Storage::Extern => return,
            _ => {}
        }
        let resume = self.mode == Mode::Resume;
        let points = |v: &VarDecl| {
            v.init.as_ref().is_some_and(|i| self.plan.points.in_init(i))
                || v.vla_lens.iter().any(|e| self.has(*e))
        };
        let taken_apart = d
            .vars
            .iter()
            .any(|v| self.plan.linear.contains_key(&Root::Init(v.sym)));
        let dropped_const = resume
            && d.vars
                .iter()
                .any(|v| self.plan.restored.contains(&v.sym) && is_const(u, v.sym));
        if self.shadows(d)
            || taken_apart
            || dropped_const
            || (resume && d.vars.len() > 1 && d.vars.iter().any(points))
        {
            let text: Vec<String> = d.vars.iter().map(|v| self.separate(d, v)).collect();
            let mut text = text.join(" ");
            if !u.slice(&d.span).ends_with(';') && text.ends_with(';') {
                text.pop();
            }
            return out.replace(&d.span, text);
        }
        for v in &d.vars {
            if let (true, Some(r)) = (resume, self.init_range(v)) {
                let before = match self.entered_init(v) {
                    Some(lin) => self.ops(lin, Entry::Jump),
                    None => format!("{}; ", self.labels_text(r)),
                };
                // Behind a label there must be a statement.
                out.insert(d.span.start, format!("; {before}"));
            }
            self.declarator(v, out);
        }
    }

    /// An initialiser whose points lie in statements in front of the declaration.
    fn entered_init(&self, v: &VarDecl) -> Option<&Linear> {
        if v.vla_lens.iter().any(|e| self.has(*e)) || self.names_itself(v) {
            return None;
        }
        match &v.init {
            Some(Init::Expr(e)) => self.entered(*e),
            Some(Init::List { .. }) => {
                let direct = self.mode == Mode::Resume && self.plan.jumps.is_empty();
                let lin = self.plan.linear.get(&Root::Init(v.sym));
                lin.filter(|_| direct)
            }
            None => None,
        }
    }

    /// `T *p = f(sizeof *p)`: in front of the declaration that would be another `p`, or none.
    fn names_itself(&self, v: &VarDecl) -> bool {
        let u = self.u();
        let Some(init) = &v.init else {
            return false;
        };
        let mut within = self.cx.names.inside(&init_span(u, init));
        within.any(|e| matches!(u.expr(e).kind, ExprKind::Ident(s) if s == v.sym))
    }

    /// What has been done in front of the declaration.
    fn done_before(&self, v: &VarDecl) -> Option<&Linear> {
        let list = self.plan.linear.get(&Root::Init(v.sym));
        list.or_else(|| self.entered_init(v))
    }

    fn constants(&self, v: &VarDecl, out: &mut Edits) {
        if let Some(i) = &v.init {
            init_exprs(i, &mut |e| self.constant(e, out));
        }
    }

    /// Its points.
    pub(crate) fn init_range(&self, v: &VarDecl) -> Option<(u32, u32)> {
        let mut r = None;
        let mut add = |e: ExprId| {
            if let Some((a, b)) = self.plan.points.exprs.get(&e).copied() {
                r = Some(r.map_or((a, b), |(c, d): (u32, u32)| (c.min(a), d.max(b))));
            }
        };
        v.vla_lens.iter().for_each(|e| add(*e));
        if let Some(i) = &v.init {
            init_exprs(i, &mut add);
        }
        r
    }

    /// The declarator in place: new name, initialiser.
    pub(crate) fn declarator(&self, v: &VarDecl, out: &mut Edits) {
        let u = self.u();
        let sym = u.sym(v.sym);
        if let Some(new) = self.plan.renamed.get(&v.sym) {
            for d in sym
                .decls
                .iter()
                .filter(|d| d.start >= v.span.start && d.end <= v.span.end)
            {
                out.replace(d, new.clone());
            }
        }
        v.vla_lens.iter().for_each(|e| self.operand(*e, None, out));
        self.constant_lengths(v, out);
        let lin = self.done_before(v);
        if let Some(i) = &v.init {
            init_exprs(i, &mut |e| self.operand(e, lin, out));
        } else if (self.plan.zeroed.contains(&v.sym) && self.mode != Mode::Plain)
            || (self.cx.copied.contains(&v.sym) && fragile(u, sym.ty.ty))
        {
            if let Some(zero) = zero(u, sym.ty) {
                out.insert(v.span.end, zero);
            }
        }
    }

    /// Names of statics that were moved, in constant lengths.
    fn constant_lengths(&self, v: &VarDecl, out: &mut Edits) {
        let u = self.u();
        let mut t = u.sym(v.sym).ty.ty;
        while let Type::Array { elem, len } = u.ty(t) {
            if let ArrayLen::Target(s) = len {
                if s.start >= v.span.start && s.end <= v.span.end {
                    for e in self.cx.names.inside(s) {
                        if let ExprKind::Ident(x) = u.expr(e).kind {
                            if let Some(new) = self.cx.statics.get(&x) {
                                out.replace(&u.expr(e).span, new.clone());
                            }
                        }
                    }
                }
            }
            t = elem.ty;
        }
    }

    fn operand(&self, e: ExprId, lin: Option<&Linear>, out: &mut Edits) {
        if lin.is_none() && self.has(e) {
            out.replace(&self.u().expr(e).span, self.value(e));
        } else {
            self.expr(e, lin, out);
        }
    }

    /// One variable of a group as a declaration of its own.
    fn separate(&self, d: &DeclGroup, v: &VarDecl) -> String {
        let u = self.u();
        let mut out = String::new();
        let entered = self.entered_init(v).filter(|_| !self.is_vm(v.sym));
        if let (Mode::Resume, Some(r), None) = (self.mode, self.init_range(v), entered) {
            out += &format!("{}; ", self.labels_text(r));
        }
        if self.is_vm(v.sym) {
            return out + &self.vm_decl(d, v);
        }
        match (entered, self.plan.linear.get(&Root::Init(v.sym))) {
            (Some(lin), _) => out += &format!("; {}", self.ops(lin, Entry::Jump)),
            (None, Some(lin)) => out += &self.ops(lin, Entry::Led),
            _ => {}
        }
        if self.plan.shadow_set.contains(&v.sym) {
            return out + &self.shadow_init(d, v);
        }
        if self.mode == Mode::Resume && self.plan.restored.contains(&v.sym) && is_const(u, v.sym) {
            let names = &self.cx.names;
            let text = names.declare_mutable(u.sym(v.sym).ty, self.new_name(v));
            let text = alignment(self.cx, v.sym) + &text;
            return out + &self.initialised(v, text);
        }
        if self.hides_type(d, v) {
            let text = self.cx.names.declare(u.sym(v.sym).ty, self.new_name(v));
            let text = alignment(self.cx, v.sym) + &text;
            return out + &self.initialised(v, text);
        }
        let mut edits = Edits::default();
        self.declarator(v, &mut edits);
        let text = edits.apply(self.cx, &v.span);
        let spec = Edits::default().apply(self.cx, &d.specifiers);
        out += &format!("{spec} {text};");
        out
    }

    fn new_name(&self, v: &VarDecl) -> &str {
        let name = self.plan.renamed.get(&v.sym);
        name.unwrap_or(&self.u().sym(v.sym).name)
    }

    /// An earlier variable of the group has the name of its type: `T T, *end;`.
    fn hides_type(&self, d: &DeclGroup, v: &VarDecl) -> bool {
        let u = self.u();
        let specifiers = u.slice(&d.specifiers);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let earlier = d.vars.iter().take_while(|x| x.sym != v.sym);
        earlier
            .map(|x| &u.sym(x.sym).name)
            .any(|name| specifiers.split(|c| !is_word(c)).any(|word| word == name))
    }

    /// A variable with its initialiser, if it has one, behind a declaration of it.
    fn initialised(&self, v: &VarDecl, mut text: String) -> String {
        let u = self.u();
        let sym = u.sym(v.sym);
        if let Some(init) = &v.init {
            let lin = self.done_before(v);
            let mut edits = Edits::default();
            init_exprs(init, &mut |e| self.operand(e, lin, &mut edits));
            text += &format!(" = {}", edits.apply(self.cx, &init_span(u, init)));
        } else if self.plan.zeroed.contains(&v.sym) {
            text += zero(u, sym.ty).unwrap_or("");
        }
        text + ";"
    }

    /// `pc3_s->x = init`, as a declaration so that it may stand among declarations.
    fn shadow_init(&self, d: &DeclGroup, v: &VarDecl) -> String {
        let u = self.u();
        let sym = u.sym(v.sym);
        let Some(init) = &v.init else {
            return String::new();
        };
        let place = format!("pc3_s->{}", shadow_member(u, v.sym));
        let lin = self.done_before(v);
        let span = init_span(u, init);
        let mut edits = Edits::default();
        init_exprs(init, &mut |e| self.operand(e, lin, &mut edits));
        let text = edits.apply(self.cx, &span);
        let _ = d;
        let aggregate =
            matches!(u.ty(sym.ty.ty), Type::Array { .. }) || matches!(init, Init::List { .. });
        let set = if aggregate {
            let tmp = self.cx.names.declare_plain(sym.ty, "pc3_i");
            format!(
                "{tmp} = {text}; __builtin_memcpy((void *)&{place}, (void *)&pc3_i, sizeof pc3_i);"
            )
        } else {
            format!("{place} = {text};")
        };
        format!(
            "char pc3_i{} __attribute__((unused)) = __extension__({{ {set} (char)0; }});",
            v.sym.0
        )
    }
}

/// An initialiser for a variable whose value would otherwise be arbitrary, where conversion could stumble over that.
fn zero(u: &Unit, q: QualType) -> Option<&'static str> {
    match u.ty(q.ty) {
        Type::Array { .. } => fragile(u, q.ty).then_some(" = {0}"),
        Type::Record(_) => Some(" = {0}"),
        Type::VaList => Some(" = {0}"),
        Type::Vector { .. } => None,
        _ => Some(" = 0"),
    }
}
