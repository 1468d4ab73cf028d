//! A program of such types: it makes objects of all of them with random values, comes to locations, and shows them.
//!
//! Objects are static, on the heap, locals, and parameters of functions that call each other; there are pointers to
//! members of them.

use std::fmt::Write;

use fastrand::Rng;

use super::generate::{Member, Record, What};
use super::kinds::{prelude, Flavour};
use super::values::{Values, MORE};

/// Locations that the program comes to before it shows anything.
pub const STOPS: u32 = 6;

/// The declarations alone.
fn declarations(types: &[Record], flavour: Flavour) -> String {
    let mut out = prelude(flavour);
    for (k, r) in types.iter().enumerate() {
        if r.pack > 0 {
            let _ = writeln!(out, "#pragma pack(push, {})", r.pack);
        }
        let _ = writeln!(out, "typedef {} T{k}_;", record(r, &format!("T{k}")));
        if r.pack > 0 {
            out += "#pragma pack(pop)\n";
        }
        for align in [1, 4, 32] {
            let is_used = types[k + 1..].iter().any(|r| uses(r, k, align));
            if is_used {
                let _ = writeln!(
                    out,
                    "typedef T{k}_ T{k}_{align} __attribute__((aligned({align})));"
                );
            }
        }
        for (tag, union) in &r.tags {
            let what = &r.members.iter().find(|m| m.name.as_ref() == Some(union));
            if let Some(What::Record(u)) = what.map(|m| &m.what) {
                let names = u.members.iter().filter_map(|m| m.name.as_ref());
                let cases: Vec<String> = names
                    .enumerate()
                    .map(|(n, m)| format!("{m} = {n}"))
                    .collect();
                let cases = cases.join(", ");
                let _ = writeln!(out, "#pragma pc3 union T{k}.{union} by {tag}: {cases}");
            }
        }
    }
    out
}

fn uses(r: &Record, which: usize, with: u32) -> bool {
    r.members.iter().any(|m| match &m.what {
        What::Known(k, align) => (*k, *align) == (which, with),
        What::Record(r) => uses(r, which, with),
        What::Scalar(_) => false,
    })
}

/// What debugging information is made of: an object of each type.
pub fn objects(types: &[Record], flavour: Flavour) -> String {
    let mut out = declarations(types, flavour);
    for (k, r) in types.iter().enumerate() {
        let _ = writeln!(out, "{} T{k} v{k};", key(r));
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
        What::Known(k, 0) => format!("T{k}_"),
        What::Known(k, align) => format!("T{k}_{align}"),
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

const HELPERS: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int pool[64];
static unsigned long long sum;
static int talks, stop;
static void add(unsigned long long v)
{
    if (talks) printf(" %llx", v);
    sum = (sum ^ v) * 0x100000001b3ull;
    sum ^= sum >> 29;
}
static void I(long long v) { add((unsigned long long)v); }
static void F(double v)
{
    unsigned long long bits;
    memcpy(&bits, &v, sizeof bits);
    add(bits);
}
static void P(int *p) { add((unsigned long long)(p - pool)); }
#define W(v) (add((unsigned long long)((v) >> 64)), add((unsigned long long)(v)))
static void look(const char *where, int k, const void *p, int align, void (*tell)(const void *))
{
    sum = 0;
    if (talks) printf("%s %d:", where, k);
    tell(p);
    printf("%s %d %llx %d\n", where, k, sum, (int)((uintptr_t)p % align));
}
#define ROOM(bytes, align) ((align) > 16 ? aligned_alloc(align, bytes) : malloc(bytes))
"#;

/// Where the object of a type is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    Static,
    Local,
    Heap,
    Parameter,
}

fn home(k: usize, r: &Record) -> Home {
    match k % 4 {
        _ if r.open().is_some() => Home::Heap,
        0 => Home::Static,
        1 => Home::Local,
        2 => Home::Heap,
        _ => Home::Parameter,
    }
}

/// Of the function that holds the `n`-th local and parameter.
const CHAIN: usize = 4;

/// The whole program.
pub fn program(types: &[Record], seed: u64, flavour: Flavour) -> String {
    let rng = Rng::with_seed(seed);
    let mut v = Values {
        types,
        flavour,
        rng,
    };
    let mut out = HELPERS.to_owned() + &declarations(types, flavour);
    for (k, r) in types.iter().enumerate() {
        object(&mut v, k, r, &mut out);
    }
    chain(types, &mut out);
    main(&mut v, &mut out);
    out
}

/// The value of a type, how it is shown, and what holds it if that is static.
fn object(v: &mut Values, k: usize, r: &Record, out: &mut String) {
    let t = format!("{} T{k}", key(r));
    let value = v.initial(r);
    let _ = writeln!(out, "static const {t} value{k} = {{ {value} }};");
    if let Some((_, s)) = r.open() {
        let all: Vec<String> = (0..MORE).map(|_| v.scalar(&s, None)).collect();
        let _ = writeln!(
            out,
            "static {} const more{k}[] = {{ {} }};",
            s.c,
            all.join(", ")
        );
    }
    let _ = writeln!(
        out,
        "static void tell{k}(const void *o)\n{{\nconst {t} *p = o;"
    );
    v.show(r, "(*p)", 0, out);
    out.push_str("}\n");
    match home(k, r) {
        Home::Static => {
            let _ = writeln!(out, "static {t} object{k};\n#define object{k}_ object{k}");
        }
        Home::Heap => {
            let _ = writeln!(out, "#define object{k}_ (*object{k})");
        }
        Home::Local | Home::Parameter => {}
    }
}

fn look(k: usize, r: &Record, place: &str, where_: &str) -> String {
    let t = format!("{} T{k}", key(r));
    format!("look(\"{where_}\", {k}, {place}, _Alignof({t}), tell{k});\n")
}

/// Functions that call each other, down to the locations.
fn chain(types: &[Record], out: &mut String) {
    let count = types.len().div_ceil(CHAIN);
    let _ = writeln!(
        out,
        "static void chain{count}(void)\n{{\nfor (; stop < {STOPS}; stop++) {{\n#pragma pc3 checkpoint\n(void)0;\n}}\n}}"
    );
    for n in (0..count).rev() {
        let of = |home_: Home, n: usize| {
            let all = types.iter().enumerate().skip(n * CHAIN).take(CHAIN);
            all.filter(move |(k, r)| home(*k, r) == home_)
        };
        let head = |n: usize| {
            let all = of(Home::Parameter, n).map(|(k, r)| format!("{} T{k} object{k}", key(r)));
            match all.collect::<Vec<_>>().join(", ") {
                none if none.is_empty() => "void".to_owned(),
                some => some,
            }
        };
        let next: Vec<String> = of(Home::Parameter, n + 1)
            .map(|(k, _)| format!("value{k}"))
            .collect();
        let _ = writeln!(out, "static void chain{n}({})\n{{", head(n));
        for (k, r) in of(Home::Local, n) {
            let _ = writeln!(out, "{} T{k} object{k} = value{k};", key(r));
        }
        let _ = writeln!(out, "chain{}({});", n + 1, next.join(", "));
        for (k, r) in of(Home::Local, n) {
            *out += &look(k, r, &format!("&object{k}"), "local");
        }
        for (k, r) in of(Home::Parameter, n) {
            *out += &look(k, r, &format!("&object{k}"), "parameter");
        }
        out.push_str("}\n");
    }
}

fn main(v: &mut Values, out: &mut String) {
    let (mut before, mut after) = (String::new(), String::new());
    let mut places = 0;
    for (k, r) in v.types.iter().enumerate() {
        let t = format!("{} T{k}", key(r));
        let home = home(k, r);
        match home {
            Home::Static => {
                let _ = writeln!(before, "object{k} = value{k};");
            }
            Home::Heap => {
                let more = match r.open() {
                    Some((path, _)) => format!(" + {MORE} * sizeof((*object{k}){path}[0])"),
                    None => String::new(),
                };
                let _ = writeln!(
                    before,
                    "{t} *object{k} = ROOM(sizeof({t}){more}, _Alignof({t}));\n*object{k} = value{k};"
                );
                if let Some((path, _)) = r.open() {
                    let _ = writeln!(
                        before,
                        "for (int i = 0; i < {MORE}; i++) (*object{k}){path}[i] = more{k}[i];"
                    );
                }
            }
            Home::Local | Home::Parameter => continue,
        }
        let name = if home == Home::Static {
            "static"
        } else {
            "heap"
        };
        after += &look(k, r, &format!("&object{k}_"), name);
        if let Some(path) = v.place(r) {
            let _ = writeln!(before, "places[{places}] = &object{k}_{path};");
            let _ = writeln!(
                after,
                "printf(\"member %d\\n\", places[{places}] == &object{k}_{path});"
            );
            places += 1;
        }
    }
    let first: Vec<String> = v
        .types
        .iter()
        .enumerate()
        .take(CHAIN)
        .filter(|(k, r)| home(*k, r) == Home::Parameter)
        .map(|(k, _)| format!("value{k}"))
        .collect();
    let _ = writeln!(
        out,
        "static const void *places[{}];\nint main(int argc, char **argv)\n{{\ntalks = argc > 1;\n(void)argv;\n{before}chain0({});\n{after}return 0;\n}}",
        places.max(1),
        first.join(", ")
    );
}
