//! Loops that hold static numbers in locals (`analysis::held`):
//!
//! ```c
//! for (i = 0; i < n; i++) sum += a[i];                // user: static int i; static double sum;
//!
//! { __typeof__(pc3_f_i_1) pc3_held1 = PC3_G(pc3_f_i_1); __typeof__(pc3_f_sum_2) pc3_held2 = PC3_G(pc3_f_sum_2);
//! { for (pc3_held1 = 0; pc3_held1 < n; pc3_held1++) pc3_held2 += a[pc3_held1]; }
//! PC3_G(pc3_f_i_1) = pc3_held1; PC3_G(pc3_f_sum_2) = pc3_held2; }
//! ```

use super::edits::Edits;
use super::print::Printer;
use crate::tree::*;
use std::collections::BTreeMap;

impl Printer<'_, '_> {
    /// `named`: what the loop names, and whether it writes it.
    pub fn holding(&self, s: StmtId, named: &BTreeMap<SymId, bool>, out: &mut Edits) {
        let (mut before, mut behind) = (String::from("{ "), String::new());
        let mut locals = Vec::new();
        for (sym, written) in named {
            let Some(name) = self.cx.statics.get(sym) else {
                continue;
            };
            let (there, here) = (self.cx.global_text(name), format!("pc3_held{}", sym.0));
            before += &format!("__typeof__({name}) {here} = {there}; ");
            if *written {
                behind += &format!(" {there} = {here};");
            }
            locals.push((*sym, here));
        }
        let span = &self.u().stmt(s).span;
        out.insert(span.start, before + "{ ");
        self.held.borrow_mut().extend(locals);
        self.statement(s, out);
        self.held.borrow_mut().clear();
        out.insert(span.end, format!(" }}{behind} }}"));
    }
}
