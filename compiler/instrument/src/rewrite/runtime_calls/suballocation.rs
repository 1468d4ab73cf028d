//! Tells the runtime of pieces of blocks: what is handed out, and what is stored in memory of no type.

use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::printer::Printer;
use crate::rewrite::unit::UnitCx;
use pc3_syntax::tree::*;

const UNUSED: &str = "__attribute__((unused))";

/// At the start of a function that allocates, or hands out pieces, for its callers: for what, and how much.
pub(crate) fn prologue(cx: &UnitCx, f: FuncId) -> String {
    let id = cx.id(f);
    if !cx.heap.takes.contains(&id) {
        return String::new();
    }
    // Taken at once: what this function calls may leave something of its own.
    let take =
        format!(" struct pc3_site *const pc3_for {UNUSED} = pc3_take_site((struct pc3_site *)0);");
    let Some(sizes) = cx.heap.pieces.dealers.get(&id) else {
        return take;
    };
    let params = &cx.u.func(f).params;
    let size: Vec<String> = sizes
        .iter()
        .map(|i| format!("(pc3_size){}", cx.u.sym(params[*i]).name))
        .collect();
    let size = match size.is_empty() {
        true => "0".to_string(),
        false => size.join(" * "),
    };
    format!("{take} const pc3_size pc3_much {UNUSED} = {size};")
}

impl Printer<'_, '_> {
    /// What belongs in front of such an expression; returns what belongs behind it.
    pub(crate) fn piece_before(&self, e: ExprId, out: &mut Edits) -> Option<String> {
        let cx = self.cx;
        let start = cx.u.expr(e).span.start;
        if cx.heap.pieces.returned[cx.unit].contains(&e) {
            out.insert(start, "pc3_piece((void *)(");
            let step = cx.heap.pieces.steps.get(&cx.id(self.f));
            let step = step.map_or("0".into(), |s| {
                format!("(pc3_size)({})", cx.u.slice(&cx.u.expr(*s).span))
            });
            return Some(format!("), pc3_much, {step}, pc3_for)"));
        }
        let n = cx.links.get(&e)?;
        let freed = cx.heap.pieces.links[cx.unit][*n].freed;
        let name = if freed { "pc3_freed" } else { "pc3_stored" };
        out.insert(start, format!("{name}((void *)("));
        Some(format!("), &pc3_link_{n})"))
    }
}
