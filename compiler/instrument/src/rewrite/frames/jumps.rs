//! Calls of `setjmp` in functions that can be left and resumed.
//!
//! The user's `jmp_buf` only holds a number, good on every ABI, that says which frame and call is meant, and the blocked
//! signals where these are asked for; the real buffer belongs to the clone that runs and never holds any.  A resume clone arms again what was armed, on its way down:
//!
//! ```c
//! if (setjmp(b) == 0)                                       // user
//!
//! unsigned long long pc3_jt[1] = {0}; struct __jmp_buf_tag pc3_jb[1]; // both clones
//! if (__extension__({ int pc3_t0 = (pc3_jump_arm(b, pc3_jt, 1, 0, pc3_jb, &pc3_jb[0], 0), _setjmp(&pc3_jb[0])); pc3_t0 == 0; }))
//!
//! if (pc3_jt[0]) {                                          // resume clone, behind restoring
//!     pc3_jump_rearm(pc3_jt[0], pc3_jb, &pc3_jb[0]);
//!     pc3_jv = _setjmp(&pc3_jb[0]);
//!     if (pc3_jv) { pc3_k = 1; goto pc3_L1; }
//! }
//! ```

use crate::rewrite::clones::printer::{Mode, Printer};
use pc3_program::linear::Linear;
use pc3_program::tables;
use pc3_syntax::tree::*;

/// Callee, buffer and further argument of a call of `setjmp`.
pub fn parts(u: &Unit, call: ExprId) -> Option<(ExprId, ExprId, Option<ExprId>)> {
    match &u.expr(call).kind {
        ExprKind::Call { callee, args } => match args[..] {
            [buffer] => Some((*callee, buffer, None)),
            [buffer, mask] => Some((*callee, buffer, Some(mask))),
            _ => None,
        },
        _ => None,
    }
}

/// The type of the buffer, if it is one that pc3 knows; what is a `void *` becomes what the callee takes.
pub(crate) fn buffer_type(u: &Unit, callee: ExprId, buffer: ExprId) -> Option<QualType> {
    let pointee = |t: TypeId| match u.ty(t) {
        Type::Array { elem, .. } => Some(*elem),
        Type::Pointer(q) => Some(*q),
        _ => None,
    };
    let mut q = pointee(u.expr(buffer).ty.ty)?;
    if matches!(u.ty(q.ty), Type::Void) {
        let f = u.expr(callee).ty.ty;
        let f = pointee(f).map_or(f, |q| q.ty);
        if let Type::Function { params, .. } = u.ty(f) {
            q = params.first().and_then(|p| pointee(p.ty))?;
        }
    }
    match u.ty(q.ty) {
        Type::Record(r) if u.records[r.index()].tag.as_deref() == Some(tables::JUMP_BUFFER) => {
            Some(QualType {
                is_const: false,
                is_volatile: false,
                ..q
            })
        }
        _ => None,
    }
}

impl Printer<'_, '_> {
    fn jump_call(&self, label: u32) -> Option<(ExprId, ExprId, Option<ExprId>)> {
        use pc3_program::points::PointAt;
        match self.plan.points.list[label as usize - 1].at {
            PointAt::Jump(e) => parts(self.u(), e),
            _ => None,
        }
    }

    /// Declared at the start of both clones.
    pub(crate) fn jump_variables(&self) -> String {
        let first = self.plan.jumps.first().and_then(|l| self.jump_call(*l));
        let ty = first.and_then(|(callee, buffer, _)| buffer_type(self.u(), callee, buffer));
        let Some(ty) = ty else {
            return String::new();
        };
        let n = self.plan.jumps.len();
        let real = self.cx.names.declare_plain(ty, &format!("pc3_jb[{n}]"));
        let value = match self.mode {
            Mode::Resume => " int pc3_jv = 0;",
            _ => "",
        };
        format!(" unsigned long long pc3_jt[{n}] = {{0}}; {real};{value} ")
    }

    /// `_setjmp(&pc3_jb[0])` as the user spelled it.
    fn real_call(&self, index: usize, callee: ExprId, mask: Option<ExprId>) -> String {
        let u = self.u();
        let mask = if mask.is_some() { ", 0" } else { "" };
        format!("{}(&pc3_jb[{index}]{mask})", u.slice(&u.expr(callee).span))
    }

    pub(crate) fn jump_target(&self, label: u32, call: ExprId, lin: &Linear) -> String {
        let Some((callee, buffer, mask)) = parts(self.u(), call) else {
            return String::new();
        };
        let n = self.plan.jumps.len();
        let i = self
            .plan
            .jumps
            .iter()
            .position(|l| *l == label)
            .unwrap_or(0);
        let kept = mask.map_or("0".into(), |m| self.text(m, Some(lin), true));
        format!(
            "(pc3_jump_arm((void *)({}), pc3_jt, {n}, {i}, (void *)pc3_jb, (void *)&pc3_jb[{i}], {kept}), {})",
            self.text(buffer, Some(lin), true),
            self.real_call(i, callee, mask)
        )
    }

    /// Behind restoring: what was armed is armed again.
    pub(crate) fn rearm(&self, point: u32) -> String {
        let mut out = String::new();
        for (i, l) in self.plan.jumps.iter().enumerate() {
            if self.plan.ended.contains(&(point, *l)) {
                continue;
            }
            if let Some((callee, _, mask)) = self.jump_call(*l) {
                out += &format!(
                    "if (pc3_jt[{i}]) {{ pc3_jump_rearm(pc3_jt[{i}], (void *)pc3_jb, (void *)&pc3_jb[{i}]); \
                     pc3_jv = {}; if (pc3_jv) {{ pc3_k = {l}; goto pc3_L{l}; }} }} ",
                    self.real_call(i, callee, mask)
                );
            }
        }
        out
    }
}
