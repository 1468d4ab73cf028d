//! The rows of objects of static storage.

use super::Emitter;
use crate::emit::flexible_arrays::{self, Tail};
use crate::emit::global::Global;
use crate::emit::texts;
use crate::emit::types::{is_incomplete, row};
use crate::rewrite::clones::labels;
use crate::rewrite::text::quote;
use crate::rewrite::unit::UnitCx;
use pc3_portability::unsaved;
use pc3_program::program::base_name;
use pc3_typemetric::descriptor::*;

#[derive(Default)]
pub struct Globals {
    pub rows: Vec<String>,
    /// Statements that say where the main thread's are, which is known when the program runs.
    pub threads: String,
}

impl Emitter<'_, '_> {
    pub fn globals(&mut self) -> Globals {
        let (cx, input) = (self.cx, self.input);
        let tails = flexible_arrays::find(self.u);
        let mut out = Globals::default();
        for g in input.globals {
            let tail = g.sym.and_then(|s| tails.get(&s));
            self.global(g, tail, &mut out);
        }
        if !cx.mpi && unsaved::keeps_errno(cx.p) == Some(cx.unit) {
            out.thread(&format!("(void *){}()", unsaved::ERRNO));
            let ty = row(self.types.int());
            out.rows
                .push(format!("{{\"errno\", 0, {ty}, sizeof(int), 0, 0, 0}}"));
        }
        texts::rows(
            cx,
            input.literals,
            &mut self.types,
            &mut self.front,
            &mut out.rows,
        );
        for (f, list) in &cx.labels.objects {
            let (n, object) = (cx.fname(*f), labels::object(cx, *f));
            self.front += &format!("static const char {object}[{}]; ", list.len());
            out.rows.push(format!(
                "{{{}, (void *){object}, {}, sizeof({object}), {PC3_GLOBAL_CONST}}}",
                quote(&format!("{}:{n}.&&", self.u.name)),
                self.types.char_array(&object)
            ));
        }
        out
    }

    fn global(&mut self, g: &Global, tail: Option<&Tail>, out: &mut Globals) {
        let (cx, u) = (self.cx, self.u);
        let held = g.sym.and_then(|s| cx.said.of_variable(s));
        let ty = self
            .types
            .integer_with_meaning(g.ty.ty, held)
            .map_or("0".into(), row);
        if let Some(s) = g.sym.filter(|s| u.sym(*s).has_one_element()) {
            self.types.has_one_element(u.sym(s), &g.c_name);
        }
        if tail.is_none() {
            let what = format!("`{}`", g.name);
            self.types.agrees(&g.c_name, g.ty.ty, &what);
        }
        let size = match tail {
            _ if is_incomplete(u, g.ty) => "0".into(),
            Some(tail) => tail.size(&g.c_name),
            None => format!("sizeof({})", g.c_name),
        };
        let address = match !cx.mpi && g.sym.is_some_and(|s| u.sym(s).thread_local) {
            true => {
                out.thread(&format!("(void *)&{}", g.c_name));
                "0".into()
            }
            false => format!("(void *)&{}", g.c_name),
        };
        let (tag, choice) = chosen(cx, g, self.input.globals);
        let at = g.sym.and_then(|s| u.sym(s).decls.last());
        let place = at.map_or("0".into(), |at| {
            let at = u.lines.position(at.start);
            quote(&format!("{}:{}", base_name(&at.file), at.line))
        });
        out.rows.push(format!(
            "{{{}, {address}, {ty}, {size}, {}, {tag}, {choice}, {place}}}",
            quote(&g.name),
            g.flags
        ));
    }
}

impl Globals {
    /// The next row's address is this when the program runs.
    fn thread(&mut self, address: &str) {
        let n = self.rows.len();
        self.threads += &format!("pc3_globals[{n}].addr = {address}; ");
    }
}

/// Of a union: the name of the global that says which member is in use, and how.
fn chosen(cx: &UnitCx, g: &Global, all: &[Global]) -> (String, String) {
    let none = || ("0".to_string(), "0".to_string());
    let Some((s, choice)) = g.sym.and_then(|s| Some((s, cx.said.chosen.get(&s)?))) else {
        return none();
    };
    let beside = |o: &&Global| {
        o.sym
            .is_some_and(|t| cx.u.sym(t).name == choice.tag && cx.u.sym(t).func == cx.u.sym(s).func)
    };
    match all.iter().find(beside) {
        Some(tag) => (quote(&tag.name), quote(&choice.text())),
        None => none(),
    }
}
