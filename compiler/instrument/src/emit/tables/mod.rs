//! The tables of a unit, as C behind the user's text.

mod functions;
mod globals;
mod memory;

use super::texts::Literal;
use super::types::{innermost, TypeTable};
use crate::emit::global::Global;
use crate::emit::unions;
use crate::rewrite::attributes;
use crate::rewrite::text::quote;
use crate::rewrite::unit::UnitCx;
use functions::Functions;
use pc3_portability::addresses::{KeptAt, Stays};
use pc3_portability::heap::struct_overlay::Struct;
use pc3_portability::lints::{OrderDependence, Wide};
use pc3_program::program::base_name;
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

pub struct Input<'i> {
    pub literals: &'i [Literal],
    pub globals: &'i [Global],
    /// (portable name, C expression)
    pub fnrefs: &'i [(String, String)],
    /// Where addresses are kept as numbers that become pointers again.
    pub numbers: &'i [&'i KeptAt],
    pub wide: &'i [&'i Wide],
    pub orders: &'i [&'i OrderDependence],
}

/// A table that has been written: its name, or 0, and how many rows it has.
struct Listed {
    name: String,
    rows: usize,
}

impl std::fmt::Display for Listed {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}, {}", self.name, self.rows)
    }
}

/// Writes the tables: names in front of the user's text, rows behind it.
struct Emitter<'c, 'a> {
    cx: &'c UnitCx<'a>,
    u: &'a Unit,
    input: &'c Input<'c>,
    types: TypeTable<'c, 'a>,
    front: String,
    back: String,
    /// Behind the other tables.
    sites: String,
}

pub fn emit(cx: &UnitCx, input: &Input) -> Tables {
    let mut e = Emitter {
        cx,
        u: cx.u,
        input,
        types: TypeTable::new(cx),
        front: String::new(),
        back: String::new(),
        sites: String::new(),
    };
    let functions = e.functions();
    let globals = e.globals();
    let (untyped, heads) = e.memory();
    e.declare(&functions);
    let overlays = e.overlays();
    let unions = unions::notes(cx, &mut e.types, input.globals);
    e.front += &unions.front;
    e.sites += &unions.back;
    // All types are known now.
    let n = e.types.len();
    let declared = format!("static struct pc3_type pc3_types[{}]; ", n.max(1));
    e.front = e.front.replace(TYPES, &declared);

    let f = e.types_and_functions(&functions);
    let g = e.list("pc3_globals", "struct pc3_global", &globals.rows);
    let around = cx.said.around.iter();
    let around = around.map(|(s, events)| format!("{{{}, {events}}}", e.u.sym(*s).name));
    let around: Vec<String> = around.collect();
    let a = e.list("pc3_called", "const struct pc3_around", &around);
    let m = e.list("pc3_marks", "const unsigned long long", &marks(e.u));
    let (n, seen) = e.numbers();
    let w = e.wide();
    let o = e.orders();
    let u = e.list("pc3_untyped", "const char *const", &untyped);
    let l = e.list("pc3_also_as", "const struct pc3_also", &overlays);
    let fnrefs = input.fnrefs.iter();
    let fnrefs = fnrefs.map(|(n, c)| format!("{{{}, (void (*)(void)){c}}}", quote(n)));
    let fnrefs: Vec<String> = fnrefs.collect();
    let r = e.list("pc3_fnrefs", "const struct pc3_fnref", &fnrefs);
    let s = e.list_behind(
        "pc3_statics",
        "const struct pc3_union_static",
        &unions.statics,
    );
    let k = e.list_behind("pc3_kinds", "const struct pc3_union_kind", &unions.kinds);
    let h = e.list("pc3_hooks", "const struct pc3_hook", &attributes::hooks(cx));
    let sites = std::mem::take(&mut e.sites);
    e.back += &sites;

    let (wrapper, main) = main_wrapper(cx);
    e.back += &wrapper;
    let flags = flags(cx, !functions.rows.is_empty());
    let file = quote(cx.file());
    let main_func = functions.main.as_deref().unwrap_or("0");
    let types = e.types.len();
    let t = if types == 0 { "0" } else { "pc3_types" };
    let q = if heads == 0 { "0" } else { "pc3_heads" };
    let threads = &globals.threads;
    e.back += &format!(
        "static struct pc3_unit pc3_this_unit = {{{STAMP}, {flags}, {file}, {t}, {types}, {f}, {g}, {r}, {main}, {main_func}, 0, {m}, {h}, {a}, {n}, {w}, {o}, {u}, {s}, {k}, {seen}, {l}, {q}, {heads}}};\n\
         __attribute__((constructor(101))) static void pc3_register_this_unit(void) {{ {threads}pc3_register_unit(&pc3_this_unit); }}\n"
    );
    let listed = [&f, &g, &r, &h, &a, &n, &w, &o, &l, &m];
    let empty = listed.iter().all(|l| l.rows == 0) && types == 0 && sites.is_empty();
    Tables {
        front: e.front,
        back: e.back,
        empty,
        refused: e.types.refused,
    }
}

impl Emitter<'_, '_> {
    /// Writes a table, unless it is empty.
    fn list(&mut self, name: &str, ty: &str, rows: &[String]) -> Listed {
        let (text, listed) = list(name, ty, rows);
        self.back += &text;
        listed
    }

    /// The same behind the other tables.
    fn list_behind(&mut self, name: &str, ty: &str, rows: &[String]) -> Listed {
        let (text, listed) = list(name, ty, rows);
        self.sites += &text;
        listed
    }

    /// Names that the rows and the program's functions use.
    fn declare(&mut self, functions: &Functions) {
        if !functions.rows.is_empty() {
            self.front += &format!(
                "static struct pc3_func pc3_F[{}]; static const struct pc3_point pc3_P[{}]; ",
                functions.rows.len(),
                functions.points.len()
            );
        }
        self.front += TYPES;
    }

    /// Their names are declared in front, with their lengths.
    fn types_and_functions(&mut self, functions: &Functions) -> Listed {
        self.back += &self.types.support;
        if !self.types.is_empty() {
            self.back += &self.types.text();
        }
        let points = &functions.points;
        if !points.is_empty() {
            self.back += &format!(
                "static const struct pc3_point pc3_P[{}] = {{\n{}\n}};\n",
                points.len(),
                points.join(",\n")
            );
        }
        let rows = &functions.rows;
        let name = format!("pc3_F[{}]", rows.len());
        if !rows.is_empty() {
            self.back += &format!(
                "static struct pc3_func {name} = {{\n{}\n}};\n",
                rows.join(",\n")
            );
        }
        Listed {
            name: if rows.is_empty() { "0" } else { "pc3_F" }.into(),
            rows: rows.len(),
        }
    }

    /// Structs whose memory the program also writes as another one.
    fn overlays(&mut self) -> Vec<String> {
        let (cx, types) = (self.cx, &mut self.types);
        let rows = cx.heap.also.iter().filter_map(|a| {
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
        rows.collect()
    }

    /// Places where addresses become numbers, and the bytes that say which of that code has run.
    fn numbers(&mut self) -> (Listed, &'static str) {
        let (cx, all) = (self.cx, self.input.numbers);
        let places: Vec<String> = all.iter().map(|n| quote(&n.place)).collect();
        let listed = self.list("pc3_numbers", "const char *const", &places);
        if all.is_empty() {
            return (listed, "0");
        }
        // What no code tells of has always happened.
        let (told, marked) = (cx.told.borrow(), cx.marked.borrow());
        let byte = |(i, n): (usize, &&KeptAt)| {
            let told = told.contains(&i);
            let shown = told || n.witness.is_some_and(|e| marked.contains(&e));
            let stays = if told { n.stays } else { Stays::No };
            (stays.bits() | u8::from(!shown)).to_string()
        };
        let bytes: Vec<String> = all.iter().enumerate().map(byte).collect();
        let n = bytes.len();
        self.front += &format!("static unsigned char pc3_seen[{n}]; ");
        self.back += &format!(
            "static unsigned char pc3_seen[{n}] = {{{}}};\n",
            bytes.join(", ")
        );
        (listed, "pc3_seen")
    }

    /// Values that a `long` of 32 bits does not hold.
    fn wide(&mut self) -> Listed {
        let rows = self.input.wide.iter();
        let rows = rows.map(|w| format!("{{{}u, {}, {}}}", w.low, w.signed as u32, quote(&w.what)));
        let rows: Vec<String> = rows.collect();
        self.list("pc3_wides", "const struct pc3_wide", &rows)
    }

    /// What the order of bytes or the size of a type gave, and which of that code has run.
    fn orders(&mut self) -> Listed {
        let (cx, u, types) = (self.cx, self.u, &self.types);
        let marked = cx.marked.borrow();
        let size = |t: TypeId| types.size(innermost(u, QualType::plain(t)));
        let ran = |i: usize, o: &OrderDependence| {
            let all = o.witnesses.iter().all(|e| marked.contains(e));
            match !o.witnesses.is_empty() && all {
                true => format!("pc3_ran + {i}"),
                false => "0".into(),
            }
        };
        let rows = self.input.orders.iter().enumerate().map(|(i, o)| {
            let by = o.by.text(&size);
            let when = o.when.as_deref().map_or("0".into(), quote);
            format!("{{{}, {by}, {}, {when}}}", quote(&o.place), ran(i, o))
        });
        let rows: Vec<String> = rows.collect();
        if !marked.is_empty() && !rows.is_empty() {
            self.front += &format!("static unsigned char pc3_ran[{}]; ", rows.len());
        }
        self.list("pc3_orders", "const struct pc3_order", &rows)
    }
}

fn list(name: &str, ty: &str, rows: &[String]) -> (String, Listed) {
    let (text, name) = match rows.is_empty() {
        true => (String::new(), "0"),
        false => {
            let rows = rows.join(",\n");
            (format!("static {ty} {name}[] = {{\n{rows}\n}};\n"), name)
        }
    };
    let listed = Listed {
        name: name.into(),
        rows: rows.len(),
    };
    (text, listed)
}

/// What is so of the unit or of the whole program.
fn flags(cx: &UnitCx, has_points: bool) -> u32 {
    let pieces = !cx.heap.pieces.dealers.is_empty();
    let said = [
        (cx.mpi, PC3_UNIT_PRIVATE_GLOBALS | PC3_UNIT_HAS_MPI),
        (has_points, PC3_UNIT_HAS_POINTS),
        (!cx.beside.is_empty(), PC3_UNIT_STRAYS),
        (cx.floats, PC3_UNIT_HAS_FLOATS),
        (cx.environment, PC3_UNIT_HAS_ENVIRONMENT),
        (cx.teams, PC3_UNIT_HAS_TEAMS),
        (cx.u.target.char_unsigned, PC3_UNIT_CHAR_UNSIGNED),
        (!cx.u.target.char_unsigned, PC3_UNIT_CHAR_SIGNED),
        (pieces, PC3_UNIT_PIECES),
    ];
    let all = said.iter().filter(|(so, _)| *so);
    all.fold(0, |flags, (_, flag)| flags | flag)
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

/// Stands for the declaration of the types, until they are all known.
const TYPES: &str = "/* types */ ";

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
