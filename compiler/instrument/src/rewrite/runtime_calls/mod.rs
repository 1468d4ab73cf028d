//! Calls of the runtime that are put into the program.

mod cleared;
pub(crate) mod library;
pub(crate) mod out_of_bounds;
pub(crate) mod suballocation;
pub(crate) mod union_tracking;

use crate::rewrite::unit::UnitCx;
use pc3_syntax::tree::FuncId;

/// At the start of a function below which locations are passed by; the compiler puts back what was before, however it ends.
pub(crate) fn below(cx: &UnitCx, f: FuncId) -> String {
    if !cx.passing.contains(&cx.id(f)) {
        return String::new();
    }
    " pc3_size pc3_before __attribute__((cleanup(pc3_above))) = pc3_below(&pc3_before);".into()
}
