//! Compound literals whose address is kept across a point: each is an object of the shadow struct.
//!
//! ```c
//! total(&(struct item){1, n})                                                   // user
//!
//! total(&(*(struct item *)__builtin_memcpy((void *)&pc3_s->pc3_cl0, (const void *)&(struct item){1, n},
//!                                          sizeof pc3_s->pc3_cl0)))             // both clones
//! ```
//! Evaluated again, it is the same object with a new value, as C says.

use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::printer::Printer;
use pc3_program::linear::Linear;
use pc3_syntax::tree::*;

/// Can the literal be a member of a struct?
pub(crate) fn has_place(u: &Unit, e: ExprId) -> bool {
    match u.ty(u.expr(e).ty.ty) {
        Type::Array { len, .. } => !matches!(len, ArrayLen::Unknown),
        Type::Unsupported(_) => false,
        _ => true,
    }
}

/// Its name in the shadow struct, by its number in the function.
pub fn member(n: usize) -> String {
    format!("pc3_cl{n}")
}

impl Printer<'_, '_> {
    /// The literal as an lvalue on the shadow stack; false if it may stay where it is.
    pub fn compound_literal(&self, e: ExprId, lin: Option<&Linear>, out: &mut Edits) -> bool {
        let Some(n) = self.plan.literals.iter().position(|x| *x == e) else {
            return false;
        };
        let x = self.u().expr(e);
        let mut inner = Edits::default();
        self.children(e, lin, &mut inner);
        let text = inner.apply(self.cx, &x.span);
        let place = format!("pc3_s->{}", member(n));
        let to = self.cx.names.pointer_to(x.ty, "");
        out.replace(
            &x.span,
            format!("(*({to})__builtin_memcpy((void *)&{place}, (const void *)&{text}, sizeof {place}))"),
        );
        true
    }
}
