//! Where a pointer goes at once, in places and in words.

use super::flow::{pointee, PointerFlow, PointerPlace, Use};
use super::types::{is_char, library_name};
use pc3_program::walk::{visit, Node};
use pc3_syntax::tree::*;

impl PointerFlow<'_> {
    /// The places that an expression's value is put into at once.
    pub fn destinations(&self, e: ExprId) -> Vec<PointerPlace> {
        match self.uses.get(&e) {
            Some(Use::Same(x) | Use::Cast(_, x)) => self.destinations(*x),
            Some(Use::Assign(lhs, whole)) => {
                let mut all = self.destinations(*whole);
                all.extend(self.place(*lhs));
                all
            }
            Some(Use::Init(s)) => vec![PointerPlace::variable(self.unit, self.u, *s)],
            Some(Use::Part(_, place)) => place.iter().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// Where a value goes, in words: `it is assigned to x`.
    pub fn goes(&self, e: ExprId) -> Option<String> {
        let u = self.u;
        let void = |q: QualType| pointee(u, q).is_none();
        let first = |name: &str| format!("the first typed use of `{name}`, which it goes to");
        Some(match self.uses.get(&e)? {
            Use::Same(x) => self.goes(*x)?,
            Use::Cast(q, x) if void(*q) => self.goes(*x)?,
            Use::Cast(q, _) => format!("the cast to `{}`", u.type_name(*q)),
            Use::Assign(lhs, _) => {
                let text = one_line(u.slice(&u.expr(*lhs).span));
                match void(u.expr(*lhs).ty) {
                    true => first(&text),
                    false => format!("`{text}`, which it is assigned to"),
                }
            }
            Use::Init(s) if void(u.sym(*s).ty) => first(&u.sym(*s).name),
            Use::Init(s) => format!("`{}`, which it initialises", u.sym(*s).name),
            Use::Part(q, _) => format!(
                "the member of type `{}` that it initialises",
                u.type_name(*q)
            ),
            Use::Return(q) => format!("the function's result, `{}`", u.type_name(*q)),
            Use::Arg(call, i) => {
                let ExprKind::Call { callee, .. } = u.expr(*call).kind else {
                    return None;
                };
                match self.is_first_of(*call, *i) {
                    true => self.goes(*call)?,
                    false => format!(
                        "the parameter of `{}` that it is given to",
                        one_line(u.slice(&u.expr(callee).span))
                    ),
                }
            }
        })
    }

    /// `memcpy` and the like return it.
    fn is_first_of(&self, call: ExprId, i: usize) -> bool {
        let ExprKind::Call { callee, .. } = self.u.expr(call).kind else {
            return false;
        };
        let name = library_name(self.u, callee).unwrap_or("");
        i == 0 && (name.starts_with("mem") || name.starts_with("str"))
    }

    /// Does the function keep the beginning for itself and return the rest as memory of any type?
    pub(crate) fn is_behind_header(&self, call: ExprId) -> bool {
        let u = self.u;
        let Some(PointerPlace::Local(_, s)) = self.destinations(call).into_iter().next() else {
            return false;
        };
        // Characters of a buffer of characters are what they seem.
        let chars = pointee(u, u.sym(s).ty).is_some_and(|q| is_char(u, q));
        let any = |q: QualType| match u.ty(q.ty) {
            Type::Pointer(t) => matches!(u.ty(t.ty), Type::Void) || is_char(u, *t) && !chars,
            _ => false,
        };
        let Some(f) = u.sym(s).func.map(|f| u.func(f)) else {
            return false;
        };
        any(f.ret) && self.is_moved(f, s)
    }

    /// Does the function return another address than the one that it gets by this call?
    pub(crate) fn is_returned_moved(&self, call: ExprId) -> bool {
        let Some(PointerPlace::Local(_, s)) = self.destinations(call).into_iter().next() else {
            return false;
        };
        let f = self.u.sym(s).func.map(|f| self.u.func(f));
        f.is_some_and(|f| self.is_moved(f, s))
    }

    fn is_moved(&self, f: &Function, s: SymId) -> bool {
        let u = self.u;
        let steps = self.values.get(&s).into_iter().flatten();
        let changes = steps.clone().any(Option::is_none)
            || steps
                .flatten()
                .any(|e| matches!(self.origin(*e), (from, true) if self.is(from, s)));
        let mut found = false;
        visit(u, Node::Stmt(f.body), &mut |n| {
            if let Node::Stmt(r) = n {
                if let StmtKind::Return(Some(e)) = u.stmt(r).kind {
                    let (from, moved) = self.origin(e);
                    found |= self.is(from, s) && (moved || changes);
                }
            }
            true
        });
        found
    }

    fn is(&self, e: ExprId, s: SymId) -> bool {
        matches!(self.u.expr(e).kind, ExprKind::Ident(x) if x == s)
    }
}

/// Text of the user's, as it fits into a sentence.
pub(crate) fn one_line(text: &str) -> String {
    let lines = text.lines().filter(|l| !l.starts_with("# "));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ")
}
