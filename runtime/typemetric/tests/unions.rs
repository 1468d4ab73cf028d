//! What becomes of unions that nothing describes.

#![allow(clippy::unwrap_used)]

#[path = "support/dsl.rs"]
mod dsl;
#[path = "support/rule.rs"]
mod rule;

use dsl::*;
use expect_test::expect;
use pc3_typemetric::abi::Abi;
use pc3_typemetric::layout::Arith;
use pc3_typemetric::plan::{Resolver, Unresolved};
use pc3_typemetric::types::TypeId;

const VECTOR: Make = |t| {
    let d = arith(t, Arith::Double);
    let xyz = structure(
        t,
        "struct xyz",
        &[("x", d, None), ("y", d, None), ("z", d, None)],
    );
    let v = array(t, d, 3);
    union(t, "union vec", &[("p", xyz, None), ("v", v, None)])
};

const PUN: Make = |t| {
    let (d, c) = (arith(t, Arith::Double), arith(t, Arith::Char));
    let bytes = array(t, c, 8);
    union(t, "union pun", &[("d", d, None), ("bytes", bytes, None)])
};

const VALUE: Make = |t| {
    let i = arith(t, Arith::Int);
    let p = pointer(t, i);
    let u = union(t, "union value", &[("i", i, None), ("p", p, None)]);
    structure(t, "struct cell", &[("tag", i, None), ("u", u, None)])
};
use rule::*;

#[test]
fn unions_convert_if_their_members_agree() {
    let src: Vec<u8> = [1.0f64, 2.0, 3.0]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    check(
        &Abi::X86_64,
        &Abi::S390X,
        VECTOR,
        &src,
        expect!["3f f0 00 00 00 00 00 00 40 00 00 00 00 00 00 00 40 08 00 00 00 00 00 00"],
    );
    assert!(plan(&Abi::X86_64, &Abi::AARCH64, PUN).unwrap().is_copy());
}

#[test]
fn unions_with_pointers_on_their_abi() {
    // What is an address of something is translated, the rest is as it was.
    struct Near {
        noted: Option<u64>,
    }
    impl Resolver for Near {
        fn pointer(&mut self, _: u64, _: TypeId) -> Result<u64, Unresolved> {
            Err(Unresolved("not a pointer for sure".into()))
        }
        fn function(&mut self, raw: u64) -> Result<u64, Unresolved> {
            self.pointer(raw, TypeId::UNKNOWN)
        }
        fn handle(&mut self, raw: u64, _: TypeId) -> Result<u64, Unresolved> {
            self.pointer(raw, TypeId::UNKNOWN)
        }
        fn file(&mut self, raw: u64) -> Result<u64, Unresolved> {
            self.pointer(raw, TypeId::UNKNOWN)
        }
        fn word(&mut self, raw: u64) -> u64 {
            if raw == 0x1000 {
                0x2000
            } else {
                raw
            }
        }
        fn in_use(&mut self, _: u64, _: TypeId) -> Option<u64> {
            self.noted
        }
    }
    let plan = plan(&Abi::X86_64, &Abi::X86_64, VALUE).unwrap();
    let words: Vec<u8> = [7u64, 0x1000, 7, 0x1001]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let mut out = vec![0; 32];
    // Half of a word that a shorter number is in is left over from the pointer.
    for (noted, second) in [(None, 0x2000), (Some(0b10), 0x2000), (Some(0b01), 0x1000)] {
        plan.run(&words, &mut out, 2, &mut Near { noted }).unwrap();
        let out: Vec<u64> = out
            .chunks(8)
            .map(|w| u64::from_le_bytes(w.try_into().unwrap()))
            .collect();
        assert_eq!(out, [7, second, 7, 0x1001], "{noted:?}");
    }
    // So in a union around it.
    let around: Make = |t| {
        let cell = VALUE(t);
        let d = arith(t, Arith::Double);
        union(t, "union node", &[("cell", cell, None), ("d", d, None)])
    };
    let plan = self::plan(&Abi::X86_64, &Abi::X86_64, around).unwrap();
    let words: Vec<u8> = [7u64, 0x1000]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let mut out = vec![0; 16];
    plan.run(&words, &mut out, 1, &mut Near { noted: None })
        .unwrap();
    assert_eq!(out[8..], 0x2000u64.to_le_bytes());
    // Whichever pointer is in use, it is a pointer.
    let links: Make = |t| {
        let (i, d) = (arith(t, Arith::Int), arith(t, Arith::Double));
        let (p, q) = (pointer(t, i), pointer(t, d));
        union(
            t,
            "union link",
            &[("left", p, None), ("first", p, None), ("other", q, None)],
        )
    };
    for to in Abi::PRESETS {
        assert!(self::plan(&Abi::X86_64, &to, links).unwrap().has_pointers());
    }
}
