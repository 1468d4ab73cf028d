//! What the program's memory holds: allocation sites, heads, sizes in bytes, pieces, variable-length arrays.

use super::Emitter;
use crate::emit::stored;
use crate::emit::types::{innermost, TypeTable};
use crate::rewrite::text::quote;
use crate::rewrite::unit::UnitCx;
use pc3_portability::heap::headed::Head;
use pc3_portability::heap::{called_name, Site, SizeForm};
use pc3_program::annotations::Meaning;
use pc3_program::program::base_name;
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::*;

impl Emitter<'_, '_> {
    /// All of it. Says which memory has no type that is known.
    pub fn memory(&mut self) -> (Vec<String>, usize) {
        let mut untyped = Vec::new();
        for (n, s) in self.cx.heap.sites[self.cx.unit].iter().enumerate() {
            self.site(n, s, &mut untyped);
        }
        let heads = self.heads();
        self.numbers_of_bytes();
        self.pieces(&mut untyped);
        self.variable_length_arrays();
        (untyped, heads)
    }

    fn site(&mut self, n: usize, s: &Site, untyped: &mut Vec<String>) {
        let (cx, u) = (self.cx, self.u);
        let at = u.lines.position(u.expr(s.call).span.start);
        let said = || cx.said.blocks.get(&s.call).copied();
        let ty = match s.elem {
            Some(q) => {
                let held = s.held.map(Meaning::Address).or_else(said);
                self.types.memory(innermost(u, q), &s.name, s.form, held)
            }
            None => "0".into(),
        };
        let called = called_name(u, s.call).unwrap_or("by a pointer");
        let what = match s.elem {
            None => Some(called).filter(|_| !s.of_wrapper),
            Some(_) => Some(s.name.as_str()).filter(|_| s.form == SizeForm::Mixed),
        };
        let function = || {
            let f = enclosing(u, s.call)?;
            let ty = u.type_name(QualType::plain(innermost(u, s.elem?).ty));
            Some(format!("{ty} in {}", u.sym(u.func(f).sym).name))
        };
        let what = what.map(str::to_string).or_else(function);
        untyped.extend(what.map(|w| quote(&format!("{}:{} ({w})", at.file, at.line))));
        self.front += &format!("static struct pc3_site pc3_site_{n}; ");
        let head = s.head.filter(|_| !cx.heap.pieces.dealers.is_empty());
        let head = head.map_or("0".into(), |q| {
            self.types.memory(q, &s.name, SizeForm::Unknown, None)
        });
        self.sites += &format!(
            "static struct pc3_site pc3_site_{n} = {{{ty}, {}, {}, {head}}};\n",
            quote(base_name(&at.file)),
            at.line
        );
    }

    /// How many heads there are.
    fn heads(&mut self) -> usize {
        let heads = heads(self.cx, &mut self.types);
        let n = heads.len();
        if n > 0 {
            self.front += &format!("static const struct pc3_head pc3_heads[{n}]; ");
            self.sites += &format!(
                "static const struct pc3_head pc3_heads[{n}] = {{{}}};\n",
                heads.join(", ")
            );
        }
        n
    }

    /// What arguments count that are numbers of bytes: of the C library's functions, and of those that make MPI datatypes.
    fn numbers_of_bytes(&mut self) {
        let (cx, u) = (self.cx, self.u);
        for (n, b) in cx.heap.bytes[cx.unit].iter().enumerate() {
            if !cx.bytes.contains_key(&b.argument) {
                continue;
            }
            let of = b.of.map(|q| innermost(u, q));
            self.counted(&format!("pc3_bytes_{n}"), of, &b.name);
        }
        for (n, d) in cx.datatypes.iter().enumerate() {
            for (of, what) in [(d.lengths, "lengths"), (d.places, "places")] {
                if let Some(of) = of.object() {
                    let name = format!("{} of {}", what, d.name);
                    let of = Some(QualType::plain(of));
                    self.counted(&format!("pc3_{what}_{n}"), of, &name);
                }
            }
        }
    }

    fn counted(&mut self, object: &str, of: Option<QualType>, name: &str) {
        let ty = of.map_or("0".into(), |q| {
            self.types.memory(q, name, SizeForm::Unknown, None)
        });
        self.front += &format!("static struct pc3_type *const {object}; ");
        self.sites += &format!("static struct pc3_type *const {object} = {ty};\n");
    }

    /// Pieces of blocks that are handed out, and what is stored in memory of no type.
    fn pieces(&mut self, untyped: &mut Vec<String>) {
        let (cx, u) = (self.cx, self.u);
        let pieces = &cx.heap.pieces;
        let mut handed: Vec<ExprId> = pieces.returned[cx.unit].iter().copied().collect();
        handed.sort_unstable();
        let mut told = |e: ExprId, what: &str| {
            let at = u.lines.position(u.expr(e).span.start);
            untyped.push(quote(&format!("{}:{} {what}", at.file, at.line)));
        };
        for (list, what) in [(&pieces.counted[cx.unit], COUNTED), (&handed, HANDED)] {
            list.iter().for_each(|e| told(*e, what));
        }
        let stored = stored::find(u).into_iter().filter(|_| cx.has_points);
        stored.for_each(|(e, what)| told(e, what));
        let links = pieces.links[cx.unit].iter().enumerate();
        for (n, link) in links.filter(|(_, l)| cx.links.contains_key(&l.of)) {
            let at = u.lines.position(u.expr(link.of).span.start);
            let name = format!("stored {} in {}", n + 1, u.name);
            let ty = self.types.memory(link.to, &name, SizeForm::Unknown, None);
            self.front += &format!("static struct pc3_site pc3_link_{n}; ");
            self.sites += &format!(
                "static struct pc3_site pc3_link_{n} = {{{ty}, {}, {}, 0}};\n",
                quote(base_name(&at.file)),
                at.line
            );
        }
    }

    fn variable_length_arrays(&mut self) {
        let cx = self.cx;
        for (s, elem) in cx.elems.borrow().iter() {
            self.front += &format!("static struct pc3_type *const pc3_elem_{}; ", s.0);
            self.sites += &format!(
                "static struct pc3_type *const pc3_elem_{} = {};\n",
                s.0,
                self.types.block(*elem, *s, &block_name(cx, *s))
            );
        }
    }
}

/// What the unit's allocations put in front of what their callers want, and what its calls want behind such heads.
fn heads(cx: &UnitCx, types: &mut TypeTable) -> Vec<String> {
    let u = cx.u;
    let own = cx.heap.headed.iter().filter(|h| h.unit == cx.unit);
    let own: Vec<&Head> = own.flat_map(|h| h.heads.iter().flatten()).collect();
    let mut rows = Vec::new();
    for h in own {
        let c = cx.names.type_name(QualType::plain(h.of.ty));
        let offset = match &h.member {
            Some(m) => format!("__builtin_offsetof({c}, {m})"),
            None => format!("sizeof({c})"),
        };
        let counts = quote(&h.counts.join("\n"));
        rows.push(format!(
            "{{{}, 0, {offset}, {counts}}}",
            types.pointer(h.of)
        ));
    }
    for s in &cx.heap.sites[cx.unit] {
        let wants = s.of_wrapper && !s.in_wrapper;
        let Some(q) = s.elem.filter(|_| wants && cx.heap.is_behind_head(cx.p, s)) else {
            continue;
        };
        let ty = types.memory(
            innermost(u, q),
            &s.name,
            s.form,
            s.held.map(Meaning::Address),
        );
        rows.push(format!("{{0, {ty}, 0, 0}}"));
    }
    rows
}

/// What a variable-length array is called in every build: `a in step`, counted where names repeat.
fn block_name(cx: &UnitCx, s: SymId) -> String {
    let u = cx.u;
    let sym = u.sym(s);
    let Some(f) = sym.func else {
        return sym.name.clone();
    };
    let function = cx.p.portable_name(cx.unit, u.func(f).sym);
    let alike = |o: &&SymId| u.sym(**o).name == sym.name;
    let locals = &u.func(f).locals;
    let nth = locals.iter().filter(alike).position(|o| *o == s);
    match nth {
        Some(n) if n > 0 => format!("{} {} in {function}", sym.name, n + 1),
        _ => format!("{} in {function}", sym.name),
    }
}

/// The function that an expression is in.
fn enclosing(u: &Unit, e: ExprId) -> Option<FuncId> {
    let at = u.expr(e).span.start;
    let found = u.functions.iter().position(|f| f.span.contains(&at))?;
    Some(FuncId(found as u32))
}
