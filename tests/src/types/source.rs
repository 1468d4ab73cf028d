//! A program of such types: it fills objects of all of them with random values, comes to locations, and shows them.

use std::fmt::Write;

use super::generate::{Member, Record, Scalar, Shape, Value, What, PRELUDE};

/// Locations that the program comes to before it shows anything.
pub const STOPS: u32 = 6;

/// The declarations alone, with an object of each type.
pub fn declarations(types: &[Record]) -> String {
    let mut out = String::from(PRELUDE);
    for (k, r) in types.iter().enumerate() {
        if r.pack > 0 {
            out += &format!("#pragma pack(push, {})\n", r.pack);
        }
        out += &format!("typedef {} T{k}_;\n", record(r, &format!("T{k}")));
        if r.pack > 0 {
            out += "#pragma pack(pop)\n";
        }
    }
    out
}

/// What debugging information is made of.
pub fn objects(types: &[Record]) -> String {
    let mut out = declarations(types);
    for (k, r) in types.iter().enumerate() {
        out += &format!("{} T{k} v{k};\n", key(r));
    }
    out
}

fn key(r: &Record) -> &'static str {
    match r.is_union {
        true => "union",
        false => "struct",
    }
}

fn record(r: &Record, tag: &str) -> String {
    let mut out = format!("{} {tag} {{\n", key(r));
    for m in &r.members {
        out += "    ";
        out += &member(m).replace('\n', "\n    ");
        out += ";\n";
    }
    out + "} " + &r.attributes
}

fn member(m: &Member) -> String {
    let base = match &m.what {
        What::Scalar(s) => s.c.to_owned(),
        What::Record(r) => record(r, ""),
        What::Known(k) => format!("T{k}_"),
    };
    let name = m.name.as_deref().unwrap_or("");
    let mut out = format!("{} {base} {name}", m.before).trim().to_owned();
    if let Some(w) = m.width {
        out += &format!(" : {w}");
    }
    for d in &m.dimensions {
        out += &format!("[{d}]");
    }
    if m.open {
        out += "[]";
    }
    format!("{out} {}", m.behind).trim().to_owned()
}

/// Elements of a flexible array.
const MORE: u32 = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Fill,
    Show,
}

/// Statements for every value in a record.
fn values(types: &[Record], r: &Record, at: &str, mode: Mode, depth: usize, out: &mut String) {
    // Of a union the first is in use: the largest.
    let used = if r.is_union { 1 } else { r.members.len() };
    for m in &r.members[..used] {
        let place = match &m.name {
            Some(n) => format!("{at}.{n}"),
            None if m.width.is_some() => continue,
            None => at.to_owned(),
        };
        let (mut place, mut depth) = (place, depth);
        let open = m.open.then_some(&MORE);
        for n in m.dimensions.iter().chain(open) {
            let _ = write!(out, "for (int i{depth} = 0; i{depth} < {n}; i{depth}++) ");
            place += &format!("[i{depth}]");
            depth += 1;
        }
        out.push_str("{ ");
        match &m.what {
            What::Record(inner) => values(types, inner, &place, mode, depth, out),
            What::Known(k) => values(types, &types[*k], &place, mode, depth, out),
            What::Scalar(s) => scalar(s, m.width, &place, mode, out),
        }
        out.push_str("}\n");
    }
}

fn scalar(s: &Scalar, width: Option<u32>, place: &str, mode: Mode, out: &mut String) {
    let one = |place: &str| match mode {
        Mode::Fill => format!("{place} = {};", made(s.value, width)),
        Mode::Show => format!("{}({place});", shown(s.value)),
    };
    let text = match s.shape {
        Shape::One => one(place),
        // As a whole: gcc 12 takes its parts to be aligned also where a struct is packed.
        Shape::Complex => {
            let parts = one("__real__ z") + " " + &one("__imag__ z");
            match mode {
                Mode::Fill => format!("{{ {} z; {parts} {place} = z; }}", s.c),
                Mode::Show => format!("{{ {} z = {place}; {parts} }}", s.c),
            }
        }
        Shape::Vector(n) => format!(
            "for (int v = 0; v < {n}; v++) {{ {} }}",
            one(&format!("{place}[v]"))
        ),
    };
    out.push_str(&text);
    out.push(' ');
}

fn made(v: Value, width: Option<u32>) -> String {
    match v {
        Value::Bool => "next() & 1".into(),
        // As numbers of other signs too.
        Value::Char => format!("next() & {}", (1u32 << (width.unwrap_or(8) - 1)) - 1),
        Value::Signed(n) if width.unwrap_or(n) > 64 => {
            format!("wide_signed({})", width.unwrap_or(n))
        }
        Value::Unsigned(n) if width.unwrap_or(n) > 64 => format!("wide({})", width.unwrap_or(n)),
        Value::Signed(n) => format!("some_signed({})", width.unwrap_or(n)),
        Value::Unsigned(n) => format!("some({})", width.unwrap_or(n)),
        Value::Range(from, to) => format!("{from} + (int)(next() % {})", to - from + 1),
        Value::Float => "number()".into(),
        Value::Pointer => "&pool[next() % 64]".into(),
    }
}

fn shown(v: Value) -> &'static str {
    match v {
        Value::Float => "show_float",
        Value::Pointer => "show_pointer",
        Value::Unsigned(65..) | Value::Signed(65..) => "show_wide",
        _ => "show",
    }
}

const HELPERS: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int pool[64];
static unsigned long long state = SEED;
static unsigned long long sum;
static int talks;
static unsigned long long next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> 3;
}
static unsigned long long some(int bits)
{
    unsigned long long v = next() * 0x9e3779b97f4a7c15ull;
    return bits == 64 ? v : v >> (64 - bits);
}
static long long some_signed(int bits)
{
    long long v = (long long)(next() * 0x9e3779b97f4a7c15ull);
    return v >> (64 - bits);
}
static double number(void) { return (double)((int)(next() % 801) - 400) / 4; }
static void add(unsigned long long v)
{
    if (talks) printf(" %llx", v);
    sum = (sum ^ v) * 0x100000001b3ull;
    sum ^= sum >> 29;
}
static void show(long long v) { add((unsigned long long)v); }
static void show_float(double v)
{
    unsigned long long bits;
    memcpy(&bits, &v, sizeof bits);
    add(bits);
}
static void show_pointer(int *p) { add((unsigned long long)(p - pool)); }
#ifdef __SIZEOF_INT128__
static unsigned __int128 wide(int bits)
{
    unsigned __int128 v = ((unsigned __int128)some(64) << 64) | some(64);
    return v >> (128 - bits);
}
static __int128 wide_signed(int bits)
{
    __int128 v = (__int128)(((unsigned __int128)some(64) << 64) | some(64));
    return v >> (128 - bits);
}
static void show_wide(unsigned __int128 v)
{
    add((unsigned long long)(v >> 64));
    add((unsigned long long)v);
}
#endif
static void *room(size_t bytes, size_t align);
"#;

/// The whole program.
pub fn program(types: &[Record], seed: u64) -> String {
    let mut out = HELPERS.replace("SEED", &format!("{}ull", seed.wrapping_mul(2) | 1));
    out = out.replace("static void *room(size_t bytes, size_t align);\n", "");
    out += &declarations(types);
    for (k, r) in types.iter().enumerate() {
        let t = format!("{} T{k}", key(r));
        for (mode, name) in [(Mode::Fill, "fill"), (Mode::Show, "tell")] {
            let _ = writeln!(out, "static void {name}{k}({t} *p)\n{{");
            values(types, r, "(*p)", mode, 0, &mut out);
            out += "}\n";
        }
        let _ = writeln!(
            out,
            "static void look{k}({t} *p, const char *where)\n{{\n\
             sum = 0;\nif (talks) printf(\"%s {k}:\", where);\ntell{k}(p);\n\
             printf(\"%s {k} %llx %d\\n\", where, sum, (int)((uintptr_t)p % _Alignof({t})));\n}}"
        );
        match k % 3 {
            0 if !r.is_open() => {
                let _ = writeln!(out, "static {t} all{k}[2];");
            }
            1 if !r.is_open() => {
                let _ = writeln!(
                    out,
                    "static void value{k}({t} v) {{ look{k}(&v, \"value\"); }}"
                );
            }
            _ => {}
        }
    }
    out += "int main(int argc, char **argv)\n{\ntalks = argc > 1;\n(void)argv;\n";
    let mut after = String::new();
    for (k, r) in types.iter().enumerate() {
        let t = format!("{} T{k}", key(r));
        match k % 3 {
            0 if !r.is_open() => {
                let _ = writeln!(out, "fill{k}(&all{k}[0]); fill{k}(&all{k}[1]);");
                let _ = writeln!(
                    after,
                    "look{k}(&all{k}[0], \"static\"); look{k}(&all{k}[1], \"static\");"
                );
            }
            1 if !r.is_open() => {
                let _ = writeln!(
                    out,
                    "{t} kept{k}, copy{k};\nfill{k}(&kept{k});\ncopy{k} = kept{k};"
                );
                let _ = writeln!(after, "look{k}(&kept{k}, \"local\"); value{k}(copy{k});");
            }
            _ => {
                let n = if r.is_open() { 1 } else { 2 };
                let more = match r.members.last() {
                    Some(m) if m.open => format!(
                        " + {MORE} * sizeof(heap{k}->{}[0])",
                        m.name.as_deref().unwrap_or("")
                    ),
                    _ => String::new(),
                };
                let _ = writeln!(
                    out,
                    "{t} *heap{k} = _Alignof({t}) > 16 ? aligned_alloc(_Alignof({t}), {n} * sizeof({t}){more}) : malloc({n} * sizeof({t}){more});"
                );
                for i in 0..n {
                    let _ = writeln!(out, "fill{k}(&heap{k}[{i}]);");
                    let _ = writeln!(after, "look{k}(&heap{k}[{i}], \"heap\");");
                }
            }
        }
    }
    let _ = writeln!(
        out,
        "for (int stop = 0; stop < {STOPS}; stop++) {{\n#pragma pc3 checkpoint\n(void)0;\n}}"
    );
    out + &after + "return 0;\n}\n"
}
