//! Variables of variably modified types in functions with points.
//!
//! ```c
//! double a[n][m];                     // user
//!
//! pc3_size pc3_n7_0 = (n); pc3_size pc3_n7_1 = (m);                                   // both clones
//! void *pc3_vla_7 = pc3_shadow_block((char *)(pc3_s + 1), sizeof(double [pc3_n7_0][pc3_n7_1]), pc3_elem_7);
//! ... (*(double (*)[pc3_n7_0][pc3_n7_1])pc3_vla_7)[i][j] ...
//! ```
//! A point in a later length or in the initialiser saves the lengths before it.
//! So nothing that is declared has such a type, and any scope can be jumped into.  A block begins where
//! the innermost enclosing one ends: leaving a scope needs no code.  Pointers to variable-length
//! arrays keep their declarations in the hot clone and are `void *` in the resume clone.

use super::range::within;
use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::printer::{Mode, Printer};
use crate::rewrite::frames::plan::is_vla;
use crate::rewrite::unit::UnitCx;
use pc3_program::program::is_local;
use pc3_syntax::tree::*;

/// Names the lengths of every such variable of functions with points.
pub(crate) fn name_lengths(cx: &mut UnitCx) {
    for (i, s) in cx.u.symbols.iter().enumerate() {
        let Some(f) = s.func else { continue };
        if is_local(s) && cx.names.is_vm(s.ty) && !cx.plan(f).points.is_empty() {
            for (k, e) in cx.names.runtime_lengths(s.ty).into_iter().enumerate() {
                cx.names.lengths.insert(e, format!("pc3_n{i}_{k}"));
            }
        }
    }
}

/// What a variable-length array consists of.
pub fn element(u: &Unit, mut q: QualType, is_vm: impl Fn(QualType) -> bool) -> QualType {
    while let Type::Array { elem, .. } = u.ty(q.ty) {
        if !is_vm(q) {
            break;
        }
        q = *elem;
    }
    q
}

impl Printer<'_, '_> {
    /// Is the variable's type variably modified, in a function with points?
    pub(crate) fn is_vm(&self, s: SymId) -> bool {
        let sym = self.u().sym(s);
        !self.plan.points.is_empty()
            && is_local(sym)
            && sym.func == Some(self.f)
            && self.cx.names.is_vm(sym.ty)
    }

    /// What a use of such a variable becomes.
    pub(crate) fn vm_use(&self, s: SymId) -> Option<String> {
        let sym = self.u().sym(s);
        if !self.is_vm(s) {
            return None;
        }
        if is_vla(self.u(), s) {
            return Some(format!(
                "(*({})pc3_vla_{})",
                self.cx.names.declare(sym.ty, "(*)"),
                s.0
            ));
        }
        (self.mode == Mode::Resume).then(|| {
            let name = self.plan.renamed.get(&s).unwrap_or(&sym.name);
            format!("(*({})(void *)&{name})", self.cx.names.declare(sym.ty, "*"))
        })
    }

    /// `pc3_size pc3_n7_0 = (n);` for each length.
    pub fn lengths(&self, s: SymId) -> String {
        self.lengths_unless(s, false)
    }

    /// `entered`: a resume clone may go on in one of them or behind, where those before are restored.
    fn lengths_unless(&self, s: SymId, entered: bool) -> String {
        let n = &self.cx.names;
        n.runtime_lengths(self.u().sym(s).ty)
            .iter()
            .map(|e| {
                let skip = match self.plan.points.exprs.get(e) {
                    _ if !entered => String::new(),
                    None => "pc3_k ? 0 : ".to_string(),
                    Some(r) => format!("pc3_k && !({}) ? 0 : ", within(*r)),
                };
                format!(
                    "pc3_size {} __attribute__((unused)) = {skip}({}); ",
                    n.lengths[e],
                    self.value(*e)
                )
            })
            .collect()
    }

    /// The declaration of such a variable.
    pub(crate) fn vm_decl(&self, d: &DeclGroup, v: &VarDecl) -> String {
        let (u, n) = (self.u(), &self.cx.names);
        let sym = u.sym(v.sym);
        let entered = self.mode == Mode::Resume && self.init_range(v).is_some();
        let mut out = self.lengths_unless(v.sym, entered);
        if is_vla(u, v.sym) {
            let elem = element(u, sym.ty, |q| n.is_vm(q));
            self.cx.elems.borrow_mut().insert(v.sym, elem);
            let from = if self.plan.uses_alloca {
                "pc3_me->sp".to_string()
            } else {
                self.block_start(v)
            };
            out += &format!(
                "void *pc3_vla_{0} = pc3_shadow_block({from}, sizeof({1}), pc3_elem_{0});",
                v.sym.0,
                n.declare_plain(sym.ty, "")
            );
            if v.init.is_some() {
                // `= {}`, all that there is.
                out += &format!(
                    " __builtin_memset(pc3_vla_{}, 0, sizeof({}));",
                    v.sym.0,
                    n.declare_plain(sym.ty, "")
                );
            }
            return out;
        }
        let mut edits = Edits::default();
        self.declarator(v, &mut edits);
        for e in n.runtime_lengths(sym.ty) {
            let span = &u.expr(e).span;
            if span.start >= v.span.start && span.end <= v.span.end {
                edits.replace(span, n.lengths[&e].clone());
            }
        }
        if self.mode == Mode::Resume {
            let name = self.plan.renamed.get(&v.sym).unwrap_or(&sym.name);
            out += &match &v.init {
                Some(Init::Expr(e)) => format!("void *{name} = (void *)({});", self.value(*e)),
                _ => format!("void *{name} = 0;"),
            };
        } else {
            let spec = Edits::default().apply(self.cx, &d.specifiers);
            out += &format!("{spec} {};", edits.apply(self.cx, &v.span));
        }
        out
    }

    /// Where the innermost block ends that is alive where `v` is declared.
    fn block_start(&self, v: &VarDecl) -> String {
        let u = self.u();
        let scopes = pc3_program::scope::analyse(u, u.func(self.f));
        let before = u
            .func(self.f)
            .locals
            .iter()
            .filter(|s| is_vla(u, **s) && **s != v.sym && scopes.visible(**s, v.span.start));
        match before.max_by_key(|s| scopes.of(**s).map_or(0, |r| r.start)) {
            Some(s) => {
                format!(
                    "(char *)pc3_vla_{} + sizeof({}) + 1",
                    s.0,
                    self.cx.names.declare_plain(u.sym(*s).ty, "")
                )
            }
            None => "(char *)(pc3_s + 1)".into(),
        }
    }
}
