//! Element paths: what maps, what is refused, and how places are written.

#![allow(clippy::unwrap_used)]

#[path = "support/dsl.rs"]
mod dsl;

use dsl::{arith, array, plan, pointer, structure, table, union, Make};
use expect_test::{expect, Expect};
use pc3_typemetric::abi::Abi;
use pc3_typemetric::layout::Arith;
use pc3_typemetric::path::{map_offset, path_text};
use pc3_typemetric::types::{Kind, Type, TypeId};

/// Every offset of an object and where it goes, equal refusals joined.
fn check(from: &Abi, to: &Abi, make: Make, size: u64, expect: Expect) {
    let plan = plan(from, to, make).unwrap();
    let mut out = String::new();
    for offset in 0..=size + 1 {
        let line = match plan.map_offset(size, offset, TypeId::UNKNOWN) {
            Ok(to) => to.to_string(),
            Err(e) => e.to_string(),
        };
        out += &format!("{offset}: {line}\n");
    }
    expect.assert_eq(&out);
}

/// `int n; double x; char text[3]; short s;`: padding before x on x86-64 only.
const RECORD: Make = |t| {
    let (i, d, c) = (
        arith(t, Arith::Int),
        arith(t, Arith::Double),
        arith(t, Arith::Char),
    );
    let (s, text) = (arith(t, Arith::Short), array(t, c, 3));
    structure(
        t,
        "struct r",
        &[
            ("n", i, None),
            ("x", d, None),
            ("text", text, None),
            ("s", s, None),
        ],
    )
};

#[test]
fn offsets_of_a_struct() {
    check(
        &Abi::X86_64,
        &Abi::S390X,
        RECORD,
        24,
        expect![[r#"
            0: 0
            1: offset 1 lies inside .n, whose bytes differ in the target
            2: offset 2 lies inside .n, whose bytes differ in the target
            3: offset 3 lies inside .n, whose bytes differ in the target
            4: 4
            5: offset 5 lies in padding
            6: offset 6 lies in padding
            7: offset 7 lies in padding
            8: 8
            9: offset 9 lies inside .x, whose bytes differ in the target
            10: offset 10 lies inside .x, whose bytes differ in the target
            11: offset 11 lies inside .x, whose bytes differ in the target
            12: offset 12 lies inside .x, whose bytes differ in the target
            13: offset 13 lies inside .x, whose bytes differ in the target
            14: offset 14 lies inside .x, whose bytes differ in the target
            15: offset 15 lies inside .x, whose bytes differ in the target
            16: 16
            17: 17
            18: 18
            19: 19
            20: 20
            21: offset 21 lies inside .s, whose bytes differ in the target
            22: 22
            23: offset 23 lies in padding
            24: 24
            25: offset 25 lies outside the object's 24 bytes
        "#]],
    );
}

#[test]
fn offsets_in_an_array_of_structs() {
    let (a, s) = table(&Abi::X86_64, RECORD);
    let (b, d) = table(&Abi::I686, RECORD);
    let map = |offset| map_offset(&a, s, &b, d, 72, offset).unwrap();
    assert_eq!(
        [0, 24, 32, 40, 48 + 8, 72].map(map),
        [0, 20, 24, 32, 44, 60]
    );
}

#[test]
fn flexible_arrays_and_their_ends() {
    let flexible: Make = |t| {
        let (c, l) = (arith(t, Arith::Int), arith(t, Arith::Long));
        let tail = array(t, l, 0);
        structure(t, "struct f", &[("n", c, None), ("tail", tail, None)])
    };
    let plan = plan(&Abi::X86_64, &Abi::I686, flexible).unwrap();
    let map = |offset| plan.map_offset(32, offset, TypeId::UNKNOWN).unwrap();
    assert_eq!([0, 8, 16, 24, 32].map(map), [0, 4, 8, 12, 16]);
    assert!(plan.map_offset(32, 12, TypeId::UNKNOWN).is_err());
}

#[test]
fn the_pointee_decides_between_an_end_and_a_start() {
    // On i686 x begins where n ends; on s390x there is padding in between.
    let make: Make = |t| {
        let (i, d) = (arith(t, Arith::Int), arith(t, Arith::Double));
        let n = array(t, i, 3);
        structure(t, "struct g", &[("n", n, None), ("x", d, None)])
    };
    let (mut a, s) = table(&Abi::I686, make);
    let (b, d) = table(&Abi::S390X, make);
    let (int, double) = (arith(&mut a, Arith::Int), arith(&mut a, Arith::Double));
    let plan = pc3_typemetric::plan::Plan::compile(&a, s, &b, d).unwrap();
    assert_eq!(plan.map_offset(20, 12, int), Ok(12));
    assert_eq!(plan.map_offset(20, 12, double), Ok(16));
    assert_eq!(plan.map_offset(20, 12, TypeId::UNKNOWN), Ok(16));
}

#[test]
fn pointers_to_integers_are_such_to_what_sizes_are_in() {
    // On i686 `at` begins where n ends; elsewhere there is padding in between.
    let make: Make = |t| {
        let (i, of) = (arith(t, Arith::Int), arith(t, Arith::Double));
        let long = u64::from(t.abi().long.size);
        let mut bytes = Type::scalar(Kind::Bytes, "", long, long as u16, 0);
        bytes.elem = of;
        let bytes = t.add(bytes).unwrap();
        let at = array(t, bytes, 3);
        structure(t, "struct plan", &[("n", i, None), ("at", at, None)])
    };
    let (mut a, s) = table(&Abi::I686, make);
    let (b, d) = table(&Abi::X86_64, make);
    let (int, double) = (arith(&mut a, Arith::Int), arith(&mut a, Arith::Double));
    let plan = pc3_typemetric::plan::Plan::compile(&a, s, &b, d).unwrap();
    assert_eq!(plan.map_offset(16, 4, int), Ok(8));
    assert_eq!(plan.map_offset(16, 4, double), Ok(8));
    assert_eq!(plan.map_offset(16, 8, int), Ok(16));
}

#[test]
fn bytes_of_a_number_only_where_they_stay() {
    let numbers: Make = |t| {
        let l = arith(t, Arith::LongLong);
        array(t, l, 2)
    };
    let error = |to: &Abi| {
        plan(&Abi::X86_64, to, numbers)
            .unwrap()
            .map_offset(16, 11, TypeId::UNKNOWN)
    };
    assert_eq!(error(&Abi::ARMHF), Ok(11));
    expect!["offset 11 lies inside [1], whose bytes differ in the target"]
        .assert_eq(&error(&Abi::S390X).unwrap_err().to_string());
}

#[test]
fn places_in_words() {
    let make: Make = |t| {
        let (i, c) = (arith(t, Arith::Int), arith(t, Arith::Char));
        let p = pointer(t, i);
        let line = array(t, c, 8);
        let lines = array(t, line, 2);
        let either = union(t, "", &[("lines", lines, None), ("i", i, None)]);
        let inner = structure(t, "struct in", &[("p", p, None), ("", either, None)]);
        let all = array(t, inner, 3);
        structure(t, "struct out", &[("first", i, None), ("in", all, None)])
    };
    let (t, id) = table(&Abi::X86_64, make);
    let texts: Vec<String> = [0, 8, 16 + 24 + 9, 80, 80 + 16 + 24]
        .map(|at| path_text(&t, id, at))
        .into();
    expect![".first .in[0].p .in[1].lines[1][1] [1].first [1].in[1].lines[0][0]"]
        .assert_eq(&texts.join(" "));
}
