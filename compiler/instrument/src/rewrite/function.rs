//! The text of a function: its hot clone in place, its resume clone and the functions beside them around it.

use super::clones::edits::{marker, Edits};
use super::clones::printer::{Mode, Printer};
use super::frames::plan::Plan;
use super::unit::UnitCx;
use super::{attributes, clones, openmp, runtime_calls};
use pc3_program::linear::value_statements;
use pc3_syntax::tree::*;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;

const LOAD_DELTA: &str = " const pc3_diff pc3_d = pc3_delta;";

/// Edits of one function definition: hot clone in place, the rest around it.
pub(super) fn write(cx: &UnitCx, f: FuncId, behind: u32, edits: &mut Edits) {
    let u = cx.u;
    let func = u.func(f);
    let plan = cx.plan(f);
    let body = u.stmt(func.body).span.clone();
    let instrumented = !plan.points.is_empty();
    let values = if instrumented {
        value_statements(u, func)
    } else {
        HashSet::new()
    };

    let mut front = String::new();
    cx.uses_delta.set(false);
    let hot = printer(
        cx,
        f,
        plan,
        if instrumented { Mode::Hot } else { Mode::Plain },
        values.clone(),
    );
    let mut inner = Edits::default();
    hot.stmt(func.body, &mut inner);
    let delta = cx.uses_delta.get() || openmp::uses_delta(cx, f);
    let moved = clones::hoist::moved_text(cx, f, &hot);
    front += &declare_replaced(cx);
    if clones::hoist::has_types(cx, f) {
        inner_typedefs(cx, f, &mut inner);
    }
    front += &moved;
    let types_end = front.len();
    if instrumented {
        front += &hot.front();
        front += &attributes::wrappers(cx, f);
    }
    let is_main = u.sym(func.sym).name == "main";
    let targets = clones::labels::targets(cx, f);
    let mut prologue = runtime_calls::below(cx, f) + &hot.hot_prologue() + &targets;
    if delta {
        prologue += LOAD_DELTA;
    }
    prologue += &runtime_calls::suballocation::prologue(cx, f);
    let mut epilogue = String::new();
    if instrumented {
        epilogue += &hot.leave();
    }
    if is_main && !matches!(u.ty(func.ret.ty), Type::Void) {
        epilogue += "return 0; ";
    }
    rename_parameters(cx, f, edits);
    prologue += &hot.arrivals();
    if !prologue.is_empty() {
        inner.insert(clones::labels::inside(u, &body), prologue.clone());
    }
    if !epilogue.is_empty() {
        inner.insert(body.end - 1, epilogue.clone());
    }
    if instrumented && func.is_inline && u.sym(func.sym).storage != Storage::Static {
        // Compilers complain of static names in inline functions with linkage.
        let text = marker(u, body.start, true) + &clones::edits::quieten(&inner.apply(cx, &body));
        edits.replace_raw(&body, text + &marker(u, body.end, false));
    } else {
        edits.append(inner);
    }
    let mut copies = String::new();
    if cx.twins.contains(&func.sym) {
        let mut again = printer(cx, f, plan, hot.mode, values.clone());
        again.again = true;
        let mut head = Edits::default();
        rename_parameters(cx, f, &mut head);
        copies += &clones::function_copies::text(cx, f, &again, &prologue, &epilogue, head);
    }
    if instrumented {
        copies += &resume_clone(cx, f, values, (delta, &targets, &epilogue));
    }
    if !copies.is_empty() {
        let declared = match clones::function_copies::declarations(cx) {
            d if d.is_empty() => d,
            d => marker(u, func.span.start, true) + &d,
        };
        let text = declared + &copies + &marker(u, func.span.end, false);
        edits.insert_raw(func.span.end, text);
    }
    front.insert_str(types_end, &cx.names.typedefs());
    if !front.is_empty() {
        edits.insert_quiet(u, behind, func.span.start, front);
    }
}

/// What goes on behind a point: it calls down to where the program stood, and runs on from there.
fn resume_clone(
    cx: &UnitCx,
    f: FuncId,
    values: HashSet<StmtId>,
    (delta, targets, epilogue): (bool, &str, &str),
) -> String {
    let (u, func, plan) = (cx.u, cx.u.func(f), cx.plan(f));
    let body = u.stmt(func.body).span.clone();
    let resume = printer(cx, f, plan, Mode::Resume, values);
    let mut inner = Edits::default();
    resume.stmt(func.body, &mut inner);
    inner_typedefs(cx, f, &mut inner);
    if !targets.is_empty() {
        inner.insert(clones::labels::inside(u, &body), targets);
    }
    if !epilogue.is_empty() {
        inner.insert(body.end - 1, epilogue);
    }
    let block = inner.apply(cx, &body);
    let mut text = marker(u, func.span.start, true);
    text += &cx.savers.borrow_mut().definitions();
    text += &resume.resume_head();
    if delta {
        text += &format!("{LOAD_DELTA} ");
    }
    text += &resume.dispatch((1, plan.points.list.len() as u32));
    text += &marker(u, body.start, true);
    text += &clones::edits::quieten(&block);
    text + " }"
}

fn rename_parameters(cx: &UnitCx, f: FuncId, edits: &mut Edits) {
    let (u, func, plan) = (cx.u, cx.u.func(f), cx.plan(f));
    for p in &func.params {
        if let Some(new) = plan.renamed.get(p) {
            u.sym(*p)
                .decls
                .iter()
                .filter(|d| d.start >= func.head.start && d.end <= func.head.end)
                .for_each(|d| edits.replace(d, new.clone()));
        }
    }
}

/// Typedefs that were moved in front of the function.
pub(super) fn inner_typedefs(cx: &UnitCx, f: FuncId, edits: &mut Edits) {
    if clones::hoist::hoists_typedefs(cx, f) {
        pc3_program::walk::visit_decls(
            cx.u,
            pc3_program::walk::Node::Stmt(cx.u.func(f).body),
            &mut |d, statement| {
                if d.is_typedef && d.vars.iter().all(|v| !cx.names.is_vm(cx.u.sym(v.sym).ty)) {
                    // In a loop's head its semicolon stays.
                    edits.replace(&d.span, statement.map_or(";", |_| ""));
                }
            },
        );
    }
}

pub(super) fn printer<'p, 'a>(
    cx: &'p UnitCx<'a>,
    f: FuncId,
    plan: &'p Plan,
    mode: Mode,
    values: HashSet<StmtId>,
) -> Printer<'p, 'a> {
    Printer {
        cx,
        f,
        plan,
        mode,
        again: false,
        values,
        depth: Cell::new(0),
        noting: RefCell::default(),
        held: RefCell::default(),
    }
}

/// Declares the runtime's versions of library functions where the user's headers have declared the originals.
pub(super) fn declare_replaced(cx: &UnitCx) -> String {
    let map = std::mem::take(&mut *cx.replaced.borrow_mut());
    map.iter()
        .filter(|(new, _)| !new.starts_with("pc3_plain_"))
        .map(|(new, s)| {
            let original = cx.u.sym(*s);
            let of_several = cx.u.plain_function(*s);
            // The program's declaration may stand in an inner block, or there may be none, or several.
            if cx.library.contains_key(s) || original.implicit || of_several.is_some() {
                let ty = cx.u.sym(of_several.unwrap_or(*s)).ty;
                format!(" extern {};", cx.names.declare_plain(ty, new))
            } else {
                format!(" extern __typeof__({}) {new};", original.name)
            }
        })
        .collect()
}
