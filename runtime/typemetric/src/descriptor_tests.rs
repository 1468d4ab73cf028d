//! The mirror against the header itself: constants by reading it, layouts by compiling it.

#![allow(clippy::unwrap_used)]

use super::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::mem::{offset_of, size_of};
use std::process::Command;

fn header_constants() -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    for line in PRELUDE.lines() {
        let mut words = line.split_whitespace();
        if words.next() != Some("#define") {
            continue;
        }
        if let (Some(name), Some(value)) = (words.next(), words.next()) {
            if let Ok(value) = value.parse() {
                found.insert(name.to_string(), value);
            }
        }
    }
    found
}

#[test]
fn constants_agree_with_the_header() {
    let mirror: BTreeMap<String, u32> =
        CONSTANTS.iter().map(|&(n, v)| (n.to_string(), v)).collect();
    assert_eq!(header_constants(), mirror);
}

macro_rules! layout {
    ($out:ident, $($t:ident { $($c:literal = $f:ident),* })*) => {$(
        writeln!($out, "_Static_assert(sizeof(struct {0}) == {1}, \"size of {0}\");", stringify!($t), size_of::<$t>()).unwrap();
        $(writeln!($out, "_Static_assert(__builtin_offsetof(struct {0}, {1}) == {2}, \"{0}.{1}\");",
            stringify!($t), $c, offset_of!($t, $f)).unwrap();)*
    )*};
}

#[test]
fn layouts_agree_with_the_header() {
    let mut c = String::from(PRELUDE);
    layout!(c,
        pc3_type { "id" = id, "kind" = kind, "flags" = flags, "align" = align, "size" = size, "count" = count,
            "elem" = elem, "members" = members, "name" = name }
        pc3_member { "name" = name, "type" = ty, "offset" = offset, "bits" = bits }
        pc3_union_mark { "type" = ty, "offset" = offset, "member" = member }
        pc3_union_static { "addr" = addr, "marks" = marks }
        pc3_union_kind { "number" = number, "type" = ty }
        pc3_point { "func" = func, "label" = label, "line" = line, "file" = file, "what" = what, "live" = live, "flags" = flags }
        pc3_func { "name" = name, "resume" = resume, "shadow" = shadow, "points" = points, "npoints" = npoints }
        pc3_frame { "point" = point, "live" = live, "shadow" = shadow }
        pc3_global { "name" = name, "addr" = addr, "type" = ty, "size" = size, "flags" = flags, "tag" = tag, "choice" = choice, "place" = place }
        pc3_fnref { "name" = name, "addr" = addr }
        pc3_site { "type" = ty, "file" = file, "line" = line, "head" = head }
        pc3_unit { "version" = version, "flags" = flags, "file" = file, "types" = types, "ntypes" = ntypes,
            "funcs" = funcs, "nfuncs" = nfuncs, "globals" = globals, "nglobals" = nglobals, "fnrefs" = fnrefs,
            "nfnrefs" = nfnrefs, "main" = main, "main_func" = main_func, "next" = next, "marks" = marks, "nmarks" = nmarks,
            "hooks" = hooks, "nhooks" = nhooks, "around" = around, "naround" = naround,
            "numbers" = numbers, "nnumbers" = nnumbers, "wides" = wides, "nwides" = nwides, "orders" = orders, "norders" = norders,
            "untyped" = untyped, "nuntyped" = nuntyped,
            "unions" = unions, "nunions" = nunions, "kinds" = kinds, "nkinds" = nkinds, "seen" = seen,
            "also" = also, "nalso" = nalso, "heads" = heads, "nheads" = nheads }
        pc3_head { "type" = ty, "wanted" = wanted, "offset" = offset, "counts" = counts }
        pc3_also { "type" = ty, "other" = other, "place" = place }
        pc3_wide { "low" = low, "is_signed" = is_signed, "what" = what }
        pc3_order { "place" = place, "is_long" = is_long, "ran" = ran, "when" = when }
        pc3_hook { "destructor" = destructor, "priority" = priority, "function" = function }
        pc3_around { "function" = function, "events" = events }
        pc3_rank { "sp" = sp, "sp_end" = sp_end, "passages" = passages, "at" = at, "site" = site,
            "args" = args, "stack" = stack, "crowded" = crowded, "apart" = apart, "values" = values,
            "told" = told, "told_bytes" = told_bytes, "from" = from, "from_bytes" = from_bytes,
            "within" = within, "within_bytes" = within_bytes, "within_elem" = within_elem }
        pc3_value { "held" = held, "code" = code, "count" = count }
        pc3_tls { "set" = set, "me" = me, "state" = state }
    );
    writeln!(
        c,
        "_Static_assert(pc3_notes_shift == {NOTES_SHIFT} && pc3_notes_level == {NOTES_LEVEL} && pc3_notes_most == {NOTES_MOST}, \"notes\");"
    )
    .unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("layout.c");
    std::fs::write(&file, c).unwrap();
    let mut cc = Command::new("cc");
    if cfg!(target_arch = "x86") {
        cc.arg("-m32");
    }
    let out = cc
        .arg("-fsyntax-only")
        .arg(&file)
        .output()
        .expect("a C compiler named cc");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
}
