//! The tables of a unit, as C behind the user's text.

use super::flexible_arrays;
use super::stored;
use super::texts::{self, Literal};
use super::types::{innermost, is_incomplete, row, Field, TypeTable};
use crate::rewrite::attributes;
use crate::rewrite::clones::compound::member;
use crate::rewrite::clones::print::shadow_member;
use crate::rewrite::frames::arguments::{self, Held, Slot};
use crate::rewrite::frames::frame::{members, MemberTy};
use crate::rewrite::frames::savers;
use crate::rewrite::unit::{quote, UnitCx};
use pc3_portability::addresses::{KeptAt, Stays};
use pc3_portability::heap::headed::Head;
use pc3_portability::heap::struct_overlay::Struct;
use pc3_portability::heap::{called_name, Form};
use pc3_portability::lints::{Order, Wide};
use pc3_portability::unsaved;
use pc3_program::annotations::Meaning;
use pc3_program::linear::TempTy;
use pc3_program::points::PointAt;
use pc3_program::program::base_name;
use pc3_program::program::Callee;
use pc3_program::walk::strip_casts;
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::*;
use std::collections::BTreeSet;

/// What goes in front of the user's text and behind it.
pub struct Tables {
    pub front: String,
    pub back: String,
    /// They list nothing.
    pub empty: bool,
    /// What they cannot describe, and where.
    pub refused: Vec<(Span, String)>,
}

/// A global as the table sees it.
pub struct Global {
    pub name: String,
    pub c_name: String,
    pub ty: QualType,
    pub flags: u32,
    /// The variable, if the user named it.
    pub sym: Option<SymId>,
}

impl Global {
    pub fn is_constant(&self) -> bool {
        self.flags & PC3_GLOBAL_CONST != 0
    }
}

pub struct Input<'i> {
    pub literals: &'i [Literal],
    pub globals: &'i [Global],
    /// (portable name, C expression)
    pub fnrefs: &'i [(String, String)],
    /// Where addresses are kept as numbers that become pointers again.
    pub numbers: &'i [&'i KeptAt],
    pub wide: &'i [&'i Wide],
    pub orders: &'i [&'i Order],
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

/// Numbers that the program makes pointers of, to be told from addresses of what is gone.
fn marks(u: &Unit) -> Vec<String> {
    let mut found = BTreeSet::new();
    for e in &u.exprs {
        if let ExprKind::Cast { arg, .. } = e.kind {
            let Type::Pointer(to) = u.ty(e.ty.ty) else {
                continue;
            };
            // Small numbers are all known, but for which ones are in pointers to structs.
            let any = matches!(u.ty(to.ty), Type::Void | Type::Record(_));
            let value = u.view().eval(strip_casts(u, arg));
            let told = |v: &i128| *v != 0 && (any || !(-4096..4096).contains(v));
            if !u.lines.is_system(e.span.start) {
                found.extend(value.filter(told));
            }
        }
    }
    let words = found.iter().filter_map(|v| {
        let word = i64::try_from(*v).map(|v| v as u64);
        word.or(u64::try_from(*v)).ok()
    });
    words.map(|w| format!("{w:#x}ULL")).collect()
}

/// Can the callee of a point have left by a tail call when an inner frame is saved?
fn may_be_gone(cx: &UnitCx, at: PointAt) -> bool {
    let PointAt::Call(e) = at else { return false };
    let ExprKind::Call { callee, .. } = cx.u.expr(e).kind else {
        return false;
    };
    match cx.p.direct(cx.unit, callee) {
        Some((_, Callee::Defined(f))) => cx.plans[f.index()].points.tails,
        _ => false,
    }
}

pub fn emit(cx: &UnitCx, input: &Input) -> Tables {
    let u = cx.u;
    let mut types = TypeTable::new(cx);
    let mut funcs = Vec::new();
    let mut points: Vec<String> = Vec::new();
    let mut front = String::new();
    let mut main_func = "0".to_string();
    let mut has_points = false;
    for k in 0..u.functions.len() {
        let f = FuncId(k as u32);
        let plan = cx.plan(f);
        if plan.points.is_empty() {
            continue;
        }
        has_points = true;
        let name = cx.fname(f);
        let n = plan.points.list.len();
        for p in &plan.points.list {
            let list = members(cx, plan, p.label);
            let live = match savers::record(cx, &list) {
                None => "0".to_string(),
                Some(c) => {
                    let fields = list
                        .iter()
                        .enumerate()
                        .filter_map(|(i, m)| {
                            let held = m.sym.and_then(|s| cx.said.of_variable(s));
                            let ty = match m.ty {
                                MemberTy::Var(q) | MemberTy::Temp(TempTy::Value(q)) => {
                                    types.held(q.ty, held)?
                                }
                                MemberTy::Temp(TempTy::PointerTo(q)) => types.pointer_to(q),
                                MemberTy::Temp(TempTy::Int) => types.int(),
                                MemberTy::Temp(TempTy::Odd) => types.long_long(),
                                MemberTy::Length => types.length(),
                                MemberTy::Jumps(n) => types.numbers(n),
                                MemberTy::List | MemberTy::Arguments => types.address(),
                            };
                            Some(Field {
                                name: m.name.clone(),
                                ty,
                                offset: format!("__builtin_offsetof({c}, {})", savers::field(i)),
                                bits: None,
                                choice: m.sym.and_then(|s| Some(cx.said.chosen.get(&s)?.text())),
                            })
                        })
                        .collect();
                    row(types.live(&c, fields))
                }
            };
            let at = u.lines.position(p.span.start);
            points.push(format!(
                "{{&pc3_F[{}], {}, {}, {}, {}, {live}, {}}}",
                funcs.len(),
                p.label,
                at.line,
                quote(base_name(&at.file)),
                quote(&p.what),
                u32::from(may_be_gone(cx, p.at))
            ));
        }
        let shadow = if !plan.has_frame() {
            "0".to_string()
        } else {
            let c = format!("struct pc3_shadow__{name}");
            let mut fields: Vec<Field> = plan
                .shadow
                .iter()
                .filter_map(|s| {
                    let m = shadow_member(u, *s);
                    let held = cx.said.of_variable(*s);
                    let ty = match u.ty(u.sym(*s).ty.ty) {
                        // Where it stands is saved beside it.
                        Type::VaList => types.nothing(&format!("(({c} *)0)->{m}")),
                        _ => types.held(u.sym(*s).ty.ty, held)?,
                    };
                    let twice = plan
                        .shadow
                        .iter()
                        .filter(|o| u.sym(**o).name == u.sym(*s).name)
                        .count()
                        > 1;
                    let nth = plan
                        .shadow
                        .iter()
                        .filter(|o| u.sym(**o).name == u.sym(*s).name)
                        .position(|o| o == s);
                    let shown = if twice {
                        format!("{}__{}", u.sym(*s).name, nth.unwrap_or(0) + 1)
                    } else {
                        u.sym(*s).name.clone()
                    };
                    Some(Field {
                        name: shown,
                        ty,
                        offset: format!("__builtin_offsetof({c}, {m})"),
                        bits: None,
                        choice: cx.said.chosen.get(s).map(|c| c.text()),
                    })
                })
                .collect();
            for (i, call) in plan.packed_calls.iter().enumerate() {
                for (m, held) in arguments::places(u, i, *call) {
                    let ty = match held {
                        Held::Argument(Slot::Long { signed: true, .. }) => types.long("long"),
                        Held::Argument(Slot::Long { .. }) => types.long("unsigned long"),
                        Held::Argument(Slot::Double) => types.double(),
                        Held::Argument(Slot::Value(q) | Slot::Copy(q)) | Held::Copy(q) => {
                            types.of(q.ty).unwrap_or_else(|| types.address())
                        }
                        Held::Argument(Slot::PointerTo(q)) => types.pointer_to(q),
                        Held::Filled => types.nothing(&format!("(({c} *)0)->{m}")),
                        Held::End => types.byte(),
                    };
                    fields.push(Field {
                        offset: format!("__builtin_offsetof({c}, {m})"),
                        name: m,
                        ty,
                        bits: None,
                        choice: None,
                    });
                }
            }
            for (i, e) in plan.literals.iter().enumerate() {
                if let Some(ty) = types.of(u.expr(*e).ty.ty) {
                    let m = member(i);
                    fields.push(Field {
                        offset: format!("__builtin_offsetof({c}, {m})"),
                        name: m,
                        ty,
                        bits: None,
                        choice: None,
                    });
                }
            }
            if fields.is_empty() {
                fields.push(types.base(&c));
            }
            row(types.generated(&c, fields))
        };
        if name == "main" {
            main_func = format!("&pc3_F[{}]", funcs.len());
        }
        let portable = cx.p.portable_name(cx.unit, u.func(f).sym);
        funcs.push(format!(
            "{{{}, (void (*)(void))pc3_resume__{name}, {shadow}, pc3_P + {}, {n}}}",
            quote(&portable),
            cx.point(f, 1)
        ));
    }

    let tails = flexible_arrays::find(u);
    let mut globals = Vec::new();
    let mut threads = String::new();
    for g in input.globals {
        let held = g.sym.and_then(|s| cx.said.of_variable(s));
        let ty = types.held(g.ty.ty, held).map_or("0".into(), row);
        let tail = g.sym.and_then(|s| tails.get(&s));
        if tail.is_none() {
            let what = format!("`{}`", g.name);
            types.agrees(&g.c_name, g.ty.ty, &what);
        }
        let size = match tail {
            _ if is_incomplete(u, g.ty) => "0".into(),
            Some(tail) => tail.size(&g.c_name),
            None => format!("sizeof({})", g.c_name),
        };
        // The main thread's is known when the program runs.
        let per_thread = !cx.mpi && g.sym.is_some_and(|s| u.sym(s).thread_local);
        if per_thread {
            threads += &format!(
                "pc3_globals[{}].addr = (void *)&{}; ",
                globals.len(),
                g.c_name
            );
        }
        let address = if per_thread {
            "0".into()
        } else {
            format!("(void *)&{}", g.c_name)
        };
        let (tag, choice) = chosen(cx, g, input.globals);
        let at = g.sym.and_then(|s| u.sym(s).decls.last());
        let place = at.map_or("0".into(), |at| {
            let at = u.lines.position(at.start);
            quote(&format!("{}:{}", base_name(&at.file), at.line))
        });
        globals.push(format!(
            "{{{}, {address}, {ty}, {size}, {}, {tag}, {choice}, {place}}}",
            quote(&g.name),
            g.flags
        ));
    }
    if !cx.mpi && unsaved::keeps_errno(cx.p) == Some(cx.unit) {
        threads += &format!(
            "pc3_globals[{}].addr = (void *){}(); ",
            globals.len(),
            unsaved::ERRNO
        );
        let ty = row(types.int());
        globals.push(format!("{{\"errno\", 0, {ty}, sizeof(int), 0, 0, 0}}"));
    }
    texts::rows(cx, input.literals, &mut types, &mut front, &mut globals);
    for (f, labels) in &cx.labels.objects {
        let (n, object) = (cx.fname(*f), crate::rewrite::clones::labels::object(cx, *f));
        front += &format!("static const char {object}[{}]; ", labels.len());
        globals.push(format!(
            "{{{}, (void *){object}, {}, sizeof({object}), {PC3_GLOBAL_CONST}}}",
            quote(&format!("{}:{n}.&&", u.name)),
            types.char_array(&object)
        ));
    }
    let mut sites = String::new();
    let mut untyped = Vec::new();
    for (n, s) in cx.heap.sites[cx.unit].iter().enumerate() {
        let at = u.lines.position(u.expr(s.call).span.start);
        let ty = match s.elem {
            Some(q) => types.memory(
                innermost(u, q),
                &s.name,
                s.form,
                s.held
                    .map(Meaning::Address)
                    .or(cx.said.blocks.get(&s.call).copied()),
            ),
            None => "0".into(),
        };
        let called = called_name(u, s.call).unwrap_or("by a pointer");
        let what = match s.elem {
            None => Some(called).filter(|_| !s.of_wrapper),
            Some(_) => Some(s.name.as_str()).filter(|_| s.form == Form::Mixed),
        };
        let function = || {
            let f = enclosing(u, s.call)?;
            let ty = u.type_name(QualType::plain(innermost(u, s.elem?).ty));
            Some(format!("{ty} in {}", u.sym(u.func(f).sym).name))
        };
        let what = what.map(str::to_string).or_else(function);
        untyped.extend(what.map(|w| quote(&format!("{}:{} ({w})", at.file, at.line))));
        front += &format!("static struct pc3_site pc3_site_{n}; ");
        let head = s.head.filter(|_| !cx.heap.pieces.dealers.is_empty());
        let head = head.map_or("0".into(), |q| {
            types.memory(q, &s.name, Form::Unknown, None)
        });
        sites += &format!(
            "static struct pc3_site pc3_site_{n} = {{{ty}, {}, {}, {head}}};\n",
            quote(base_name(&at.file)),
            at.line
        );
    }
    let heads = heads(cx, &mut types);
    if !heads.is_empty() {
        front += &format!("static const struct pc3_head pc3_heads[{}]; ", heads.len());
        sites += &format!(
            "static const struct pc3_head pc3_heads[{}] = {{{}}};\n",
            heads.len(),
            heads.join(", ")
        );
    }
    for (n, b) in cx.heap.bytes[cx.unit].iter().enumerate() {
        if !cx.bytes.contains_key(&b.argument) {
            continue;
        }
        let ty = b.of.map_or("0".into(), |q| {
            types.memory(innermost(u, q), &b.name, Form::Unknown, None)
        });
        front += &format!("static struct pc3_type *const pc3_bytes_{n}; ");
        sites += &format!("static struct pc3_type *const pc3_bytes_{n} = {ty};\n");
    }
    for (n, d) in cx.datatypes.iter().enumerate() {
        for (of, what) in [(d.lengths, "lengths"), (d.places, "places")] {
            let Some(of) = of.object() else {
                continue;
            };
            let name = format!("{} of {}", what, d.name);
            let ty = types.memory(QualType::plain(of), &name, Form::Unknown, None);
            front += &format!("static struct pc3_type *const pc3_{what}_{n}; ");
            sites += &format!("static struct pc3_type *const pc3_{what}_{n} = {ty};\n");
        }
    }
    let pieces = &cx.heap.pieces;
    let mut handed: Vec<ExprId> = pieces.returned[cx.unit].iter().copied().collect();
    handed.sort_unstable();
    for (list, what) in [(&pieces.counted[cx.unit], COUNTED), (&handed, HANDED)] {
        for e in list {
            let at = u.lines.position(u.expr(*e).span.start);
            untyped.push(quote(&format!("{}:{} {what}", at.file, at.line)));
        }
    }
    let stored = stored::find(u).into_iter().filter(|_| cx.has_points);
    for (e, what) in stored {
        let at = u.lines.position(u.expr(e).span.start);
        untyped.push(quote(&format!("{}:{} {what}", at.file, at.line)));
    }
    let links = cx.heap.pieces.links[cx.unit].iter().enumerate();
    for (n, link) in links.filter(|(_, l)| cx.links.contains_key(&l.of)) {
        let at = u.lines.position(u.expr(link.of).span.start);
        let name = format!("stored {} in {}", n + 1, u.name);
        let ty = types.memory(link.to, &name, Form::Unknown, None);
        front += &format!("static struct pc3_site pc3_link_{n}; ");
        sites += &format!(
            "static struct pc3_site pc3_link_{n} = {{{ty}, {}, {}, 0}};\n",
            quote(base_name(&at.file)),
            at.line
        );
    }
    for (s, elem) in cx.elems.borrow().iter() {
        front += &format!("static struct pc3_type *const pc3_elem_{}; ", s.0);
        sites += &format!(
            "static struct pc3_type *const pc3_elem_{} = {};\n",
            s.0,
            types.block(*elem, *s, &block_name(cx, *s))
        );
    }
    let fnrefs: Vec<String> = input
        .fnrefs
        .iter()
        .map(|(n, c)| format!("{{{}, (void (*)(void)){c}}}", quote(n)))
        .collect();

    if !funcs.is_empty() {
        front += &format!(
            "static struct pc3_func pc3_F[{}]; static const struct pc3_point pc3_P[{}]; ",
            funcs.len(),
            points.len()
        );
    }
    front += TYPES;

    let also = cx.heap.also.iter().filter_map(|a| {
        let mut own = |s: Struct| match s.unit == cx.unit {
            true => types.pointer(QualType::plain(s.ty)),
            false => "0".into(),
        };
        let (of, other) = (own(a.of), own(a.other));
        let lines = &cx.p.units[a.at.0].lines;
        let at = lines.position(a.at.1);
        let place = quote(&format!("{}:{}", base_name(&at.file), at.line));
        ([&of, &other] != ["0", "0"]).then(|| format!("{{{of}, {other}, {place}}}"))
    });
    let also: Vec<String> = also.collect();
    let unions = super::unions::notes(cx, &mut types, input.globals);
    front += &unions.front;
    sites += &unions.back;
    front = front.replace(
        TYPES,
        &format!("static struct pc3_type pc3_types[{}]; ", types.len().max(1)),
    );

    let mut back = types.support.clone();
    if !types.is_empty() {
        back += &types.text();
    }
    if !points.is_empty() {
        back += &format!(
            "static const struct pc3_point pc3_P[{}] = {{\n{}\n}};\n",
            points.len(),
            points.join(",\n")
        );
    }
    let list = |name: &str, ty: &str, rows: &[String]| {
        if rows.is_empty() {
            (String::new(), "0".to_string())
        } else {
            (
                format!("static {ty} {name}[] = {{\n{}\n}};\n", rows.join(",\n")),
                name.to_string(),
            )
        }
    };
    let (text, pf) = if funcs.is_empty() {
        (String::new(), "0".to_string())
    } else {
        (
            format!(
                "static struct pc3_func pc3_F[{}] = {{\n{}\n}};\n",
                funcs.len(),
                funcs.join(",\n")
            ),
            "pc3_F".to_string(),
        )
    };
    back += &text;
    let (text, pg) = list("pc3_globals", "struct pc3_global", &globals);
    back += &text;
    let around: Vec<String> = cx
        .said
        .around
        .iter()
        .map(|(s, events)| format!("{{{}, {events}}}", u.sym(*s).name))
        .collect();
    let (text, pa) = list("pc3_called", "const struct pc3_around", &around);
    back += &text;
    let marks = marks(u);
    let (text, pm) = list("pc3_marks", "const unsigned long long", &marks);
    back += &text;
    let numbers: Vec<String> = input.numbers.iter().map(|n| quote(&n.place)).collect();
    let (text, pn) = list("pc3_numbers", "const char *const", &numbers);
    back += &text;
    let seen = match numbers.len() {
        0 => "0",
        n => {
            // What no code tells of has always happened.
            let (told, marked) = (cx.told.borrow(), cx.marked.borrow());
            let shown = |i: usize| {
                let witness = input.numbers[i].witness;
                told.contains(&i) || witness.is_some_and(|e| marked.contains(&e))
            };
            let all: Vec<String> = (0..n)
                .map(|i| {
                    let stays = if told.contains(&i) {
                        input.numbers[i].stays
                    } else {
                        Stays::No
                    };
                    (stays.bits() | u8::from(!shown(i))).to_string()
                })
                .collect();
            front += &format!("static unsigned char pc3_seen[{n}]; ");
            back += &format!(
                "static unsigned char pc3_seen[{n}] = {{{}}};\n",
                all.join(", ")
            );
            "pc3_seen"
        }
    };
    let wide = input.wide.iter();
    let wide = wide.map(|w| format!("{{{}u, {}, {}}}", w.low, w.signed as u32, quote(&w.what)));
    let wide: Vec<String> = wide.collect();
    let (text, pw) = list("pc3_wides", "const struct pc3_wide", &wide);
    back += &text;
    let orders = input.orders.iter();
    let size = |t: TypeId| types.size(innermost(u, QualType::plain(t)));
    let ran = |i: usize, o: &Order| {
        let marked = cx.marked.borrow();
        match !o.witnesses.is_empty() && o.witnesses.iter().all(|e| marked.contains(e)) {
            true => format!("pc3_ran + {i}"),
            false => "0".into(),
        }
    };
    let orders = orders.enumerate().map(|(i, o)| {
        let by = o.by.text(&size);
        format!("{{{}, {by}, {}}}", quote(&o.place), ran(i, o))
    });
    let orders: Vec<String> = orders.collect();
    if !cx.marked.borrow().is_empty() && !orders.is_empty() {
        front += &format!("static unsigned char pc3_ran[{}]; ", orders.len());
    }
    let (text, po) = list("pc3_orders", "const struct pc3_order", &orders);
    back += &text;
    let (text, pu) = list("pc3_untyped", "const char *const", &untyped);
    back += &text;
    let (text, pl) = list("pc3_also_as", "const struct pc3_also", &also);
    back += &text;
    let (text, pr) = list("pc3_fnrefs", "const struct pc3_fnref", &fnrefs);
    back += &text;
    let (text, ps) = list(
        "pc3_statics",
        "const struct pc3_union_static",
        &unions.statics,
    );
    sites += &text;
    let (text, pk) = list("pc3_kinds", "const struct pc3_union_kind", &unions.kinds);
    sites += &text;
    let hooks = attributes::hooks(cx);
    let (text, ph) = list("pc3_hooks", "const struct pc3_hook", &hooks);
    back += &text;
    back += &sites;

    let (wrapper, main) = main_wrapper(cx);
    back += &wrapper;
    let mut flags = 0;
    if cx.mpi {
        flags |= PC3_UNIT_PRIVATE_GLOBALS | PC3_UNIT_HAS_MPI;
    }
    if has_points {
        flags |= PC3_UNIT_HAS_POINTS;
    }
    if !cx.beside.is_empty() {
        flags |= PC3_UNIT_STRAYS;
    }
    if cx.floats {
        flags |= PC3_UNIT_HAS_FLOATS;
    }
    if cx.environment {
        flags |= PC3_UNIT_HAS_ENVIRONMENT;
    }
    if cx.teams {
        flags |= PC3_UNIT_HAS_TEAMS;
    }
    flags |= match u.target.char_unsigned {
        true => PC3_UNIT_CHAR_UNSIGNED,
        false => PC3_UNIT_CHAR_SIGNED,
    };
    if !cx.heap.pieces.dealers.is_empty() {
        flags |= PC3_UNIT_PIECES;
    }
    let file = quote(cx.file());
    let pq = if heads.is_empty() { "0" } else { "pc3_heads" };
    let pt = if types.is_empty() { "0" } else { "pc3_types" };
    back += &format!(
        "static struct pc3_unit pc3_this_unit = {{{STAMP}, {flags}, {file}, {pt}, {}, {pf}, {}, {pg}, {}, {pr}, {}, {main}, {main_func}, 0, {pm}, {}, {ph}, {}, {pa}, {}, {pn}, {}, {pw}, {}, {po}, {}, {pu}, {}, {ps}, {}, {pk}, {}, {seen}, {pl}, {}, {pq}, {}}};\n\
         __attribute__((constructor(101))) static void pc3_register_this_unit(void) {{ {threads}pc3_register_unit(&pc3_this_unit); }}\n",
        types.len(),
        funcs.len(),
        globals.len(),
        fnrefs.len(),
        marks.len(),
        hooks.len(),
        around.len(),
        numbers.len(),
        wide.len(),
        orders.len(),
        untyped.len(),
        unions.statics.len(),
        unions.kinds.len(),
        also.len(),
        heads.len()
    );
    let listed = [
        funcs.len(),
        globals.len(),
        fnrefs.len(),
        types.len(),
        hooks.len(),
        around.len(),
        numbers.len(),
        wide.len(),
        orders.len(),
        also.len(),
    ];
    let empty = listed.iter().all(|n| *n == 0) && sites.is_empty() && marks.is_empty();
    Tables {
        front,
        back,
        empty,
        refused: types.refused,
    }
}

/// Stands for the declaration of the types, until they are all known.
const TYPES: &str = "/* types */ ";

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

/// The user's main behind one signature.
fn main_wrapper(cx: &UnitCx) -> (String, String) {
    let u = cx.u;
    let Some(f) = cx.p.main_of(cx.unit) else {
        return (String::new(), "0".into());
    };
    let args = ["pc3_argc", "pc3_argv", "pc3_envp"];
    let list: Vec<&str> = args.iter().take(f.params.len()).copied().collect();
    let call = format!("main({})", list.join(", "));
    let body = if matches!(u.ty(f.ret.ty), Type::Void) {
        format!("{call}; return 0;")
    } else {
        format!("return {call};")
    };
    let text = format!(
        "static int pc3_main(int pc3_argc, char **pc3_argv, char **pc3_envp) {{ (void)pc3_argc; (void)pc3_argv; (void)pc3_envp; {body} }}\n"
    );
    (text, "pc3_main".into())
}
