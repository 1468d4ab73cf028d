//! Statements that hold static numbers in locals (crate `program`, `scalar_promotion`):
//!
//! ```c
//! for (i = 0; i < n; i++) sum += a[i];                // user: static int i; static double sum;
//!
//! { __typeof__(pc3_f_i_1) pc3_held1 = PC3_G(pc3_f_i_1); __typeof__(pc3_f_sum_2) pc3_held2 = PC3_G(pc3_f_sum_2);
//! { for (pc3_held1 = 0; pc3_held1 < n; pc3_held1++) pc3_held2 += a[pc3_held1]; }
//! PC3_G(pc3_f_i_1) = pc3_held1; PC3_G(pc3_f_sum_2) = pc3_held2; }
//! ```
//!
//! Small arrays are copied by `__builtin_memcpy`. Of others (`Access::Apart`) the compiler is told that what is reached by this name is reached by
//! no other, as it knows of the plain program's:
//!
//! ```c
//! { __typeof__(pc3_f_u_3) *pc3_held3 = (__typeof__(pc3_f_u_3) *)pc3_apart(&PC3_G(pc3_f_u_3));
//! { for (...) (*pc3_held3)[j] += v[j]; }
//! __asm__ volatile("" : : "r"(pc3_held3) : "memory"); }
//! ```
//!
//! `pc3_apart` gives back its argument. No access of memory moves across the two.

use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::printer::{Holding, Printer};
use pc3_program::scalar_promotion::{Access, Run};
use pc3_syntax::tree::*;

impl Printer<'_, '_> {
    /// In front of a statement, which may be the first of a run.
    pub(crate) fn begin_holding(&self, s: StmtId, out: &mut Edits) {
        let Some(Run { last, named }) = self.cx.held.get(&s) else {
            return;
        };
        let (mut before, mut copied) = (String::from("{ "), String::new());
        let mut now = Holding {
            last: Some(*last),
            ..Holding::default()
        };
        for (sym, how) in named {
            let Some(name) = self.cx.statics.get(sym) else {
                continue;
            };
            let (there, here) = (self.cx.global_text(name), format!("pc3_held{}", sym.0));
            let ty = format!("__typeof__({name})");
            let is_array = matches!(self.u().ty(self.u().sym(*sym).ty.ty), Type::Array { .. });
            match how {
                Access::Apart => {
                    before += &format!("{ty} *{here} = ({ty} *)pc3_apart(&{there}); ");
                    now.behind +=
                        &format!(" __asm__ volatile(\"\" : : \"r\"({here}) : \"memory\");");
                    now.locals.insert(*sym, format!("(*{here})"));
                    continue;
                }
                Access::Copied { written } if is_array => {
                    let copy =
                        |to, from| format!("__builtin_memcpy(&{to}, &{from}, sizeof({here})); ");
                    before += &format!("{ty} {here}; ");
                    copied += &copy(&here, &there);
                    if *written {
                        now.behind += &format!(" {}", copy(&there, &here));
                    }
                }
                Access::Copied { written } => {
                    before += &format!("{ty} {here} = {there}; ");
                    if *written {
                        now.behind += &format!(" {there} = {here};");
                    }
                }
            }
            now.locals.insert(*sym, here);
        }
        out.insert(self.u().stmt(s).span.start, before + &copied + "{ ");
        self.held.replace(now);
    }

    /// Behind a statement, which may be the last of a run.
    pub(crate) fn end_holding(&self, s: StmtId, out: &mut Edits) {
        if self.held.borrow().last == Some(s) {
            let run = self.held.take();
            out.insert(self.u().stmt(s).span.end, format!(" }}{} }}", run.behind));
        }
    }
}
