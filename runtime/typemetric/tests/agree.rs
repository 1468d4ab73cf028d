//! Unions of which nothing says what is in use: what their values allow.

#![allow(clippy::unwrap_used)]

#[path = "support/dsl.rs"]
mod dsl;

use dsl::*;
use pc3_typemetric::abi::Abi;
use pc3_typemetric::choice::Choice;
use pc3_typemetric::layout::{lay_out, Arith, Field};
use pc3_typemetric::plan::{Resolver, Unresolved};
use pc3_typemetric::types::{Chosen, Kind, TypeId, TypeTable};
use std::sync::Arc;

const LIVE: u64 = 0x3000_0000_4000;
const LIVE_LOW: u64 = 0x0804_a010;
const HERE: u64 = 0x0102_0304;

/// Two addresses are alive, and move.
#[derive(Default)]
struct Memory {
    lost: u64,
    /// What is noted of all unions.
    noted: Option<u64>,
}

impl Resolver for Memory {
    fn pointer(&mut self, raw: u64, _: TypeId) -> Result<u64, Unresolved> {
        match raw {
            LIVE | LIVE_LOW => Ok(HERE),
            1..4096 => Ok(raw),
            _ => {
                self.lost += 1;
                Ok(0)
            }
        }
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
    fn lost(&self) -> u64 {
        self.lost
    }
    fn forget_lost(&mut self, before: u64) {
        self.lost = before;
    }
    fn is_live(&mut self, raw: u64) -> bool {
        matches!(raw, LIVE | LIVE_LOW)
    }
    fn place(&self, at: u64) -> Option<u64> {
        Some(LIVE - 8 + at)
    }
    fn in_use(&mut self, _: u64, _: TypeId) -> Option<u64> {
        self.noted
    }
}

/// `words`: what the union's first bytes hold.
fn check(from: &Abi, to: &Abi, make: Make, words: &[u64], expected: &str) {
    check_noted(from, to, make, words, None, expected);
}

fn check_noted(
    from: &Abi,
    to: &Abi,
    make: Make,
    words: &[u64],
    noted: Option<u64>,
    expected: &str,
) {
    let plan = plan(from, to, make).unwrap();
    let mut src: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    src.resize(plan.src_size() as usize, 0);
    let mut dst = vec![0; plan.dst_elem_size() as usize];
    let mut memory = Memory { lost: 0, noted };
    let text = match plan.run(&src, &mut dst, 1, &mut memory) {
        Ok(()) => dst
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect::<Vec<_>>()
            .join(" "),
        Err(e) => e.to_string(),
    };
    assert_eq!(
        text, expected,
        "{words:x?} from {} to {}",
        from.name, to.name
    );
    assert_eq!(memory.lost, 0);
}

const NUMBERS: Make = |t| {
    let (i, s, c) = (
        arith(t, Arith::Int),
        arith(t, Arith::Short),
        arith(t, Arith::Char),
    );
    let text = array(t, c, 4);
    union(
        t,
        "union n",
        &[("i", i, None), ("s", s, None), ("text", text, None)],
    )
};
const NODE: Make = |t| {
    let (d, i) = (arith(t, Arith::Double), arith(t, Arith::Int));
    let p = pointer(t, i);
    union(t, "union node", &[("d", d, None), ("p", p, None)])
};
const LONGS: Make = |t| {
    let (d, l) = (arith(t, Arith::Double), arith(t, Arith::Long));
    union(t, "union l", &[("d", d, None), ("l", l, None)])
};
/// A pointer is not all that the first member has.
const PAIR: Make = |t| {
    let (d, i) = (arith(t, Arith::Double), arith(t, Arith::Int));
    let p = pointer(t, i);
    let pair = structure(t, "struct pair", &[("p", p, None), ("n", i, None)]);
    union(t, "union pair", &[("pair", pair, None), ("d", d, None)])
};
const WORD: Make = |t| {
    let l = arith(t, Arith::LongLong);
    let p = pointer(t, l);
    union(t, "union w", &[("l", l, None), ("p", p, None)])
};

#[test]
fn values_that_all_members_convert_alike() {
    let (x86, s390, i686) = (&Abi::X86_64, &Abi::S390X, &Abi::I686);
    check(x86, s390, NUMBERS, &[0], "00 00 00 00");
    check(x86, i686, NUMBERS, &[0x0102_0304], "04 03 02 01");
    check(
        x86,
        s390,
        NUMBERS,
        &[5],
        ".i: which of the members \"i\" and \"s\" of union n is in use is not known, and this value does not convert alike",
    );
    check(x86, s390, NODE, &[0], "00 00 00 00 00 00 00 00");
    check(x86, i686, LONGS, &[7], "07 00 00 00 00 00 00 00");
}

#[test]
fn members_that_cannot_be_in_use() {
    let (x86, s390, i686) = (&Abi::X86_64, &Abi::S390X, &Abi::I686);
    let one = 1.5f64.to_bits();
    check(x86, s390, NODE, &[one], "3f f8 00 00 00 00 00 00");
    check(x86, s390, NODE, &[LIVE], "00 00 00 00 01 02 03 04");
    check(x86, i686, NODE, &[LIVE], "04 03 02 01 00 00 00 00");
    check(x86, i686, WORD, &[1 << 40], "00 00 00 00 00 01 00 00");
}

#[test]
fn notes_count_unless_the_value_says_otherwise() {
    let (x86, s390) = (&Abi::X86_64, &Abi::S390X);
    let noted = |make, word, members, expected: &str| {
        check_noted(x86, s390, make, &[word], Some(members), expected);
    };
    let refused = |at: &str, a: &str, b: &str, what: &str| {
        format!("{at}: which of the members {a:?} and {b:?} of {what} is in use is not known, and this value does not convert alike")
    };
    noted(NUMBERS, 5, 0b001, "00 00 00 05");
    noted(NUMBERS, 5, 0b010, "00 05 00 00");
    noted(WORD, 1 << 40, 0b01, "00 00 01 00 00 00 00 00");
    noted(WORD, LIVE, 0b10, "00 00 00 00 01 02 03 04");
    noted(WORD, LIVE, 0b01, &refused(".l", "l", "p", "union w"));
    let one = 1.5f64.to_bits();
    noted(NODE, one, 0b01, "3f f8 00 00 00 00 00 00");
    noted(NODE, one, 0b10, &refused(".d", "p", "d", "union node"));
}

#[test]
fn what_is_in_doubt_is_refused() {
    let (x86, s390, i686) = (&Abi::X86_64, &Abi::S390X, &Abi::I686);
    let refused = |at: &str, a: &str, b: &str, what: &str| {
        format!("{at}: which of the members {a:?} and {b:?} of {what} is in use is not known, and this value does not convert alike")
    };
    // As a `long` it does not fit.
    let one = 1.5f64.to_bits();
    check(
        x86,
        i686,
        LONGS,
        &[one],
        &refused(".d", "d", "l", "union l"),
    );
    // A number may look like an address.
    check(
        x86,
        s390,
        WORD,
        &[LIVE],
        &refused(".l", "l", "p", "union w"),
    );
    check(
        i686,
        x86,
        WORD,
        &[LIVE_LOW],
        &refused(".l", "l", "p", "union w"),
    );
    // The pointer may be one to memory of the C library.
    check(
        x86,
        s390,
        WORD,
        &[0x7f12_3456_7890],
        &refused(".l", "l", "p", "union w"),
    );
    check(
        i686,
        x86,
        NODE,
        &[0.7f64.to_bits()],
        &refused(".d", "d", "p", "union node"),
    );
    check(x86, s390, WORD, &[5000], "00 00 00 00 00 00 13 88");
    // The pointer may be one that is no longer used, but the number beside it is.
    check(
        x86,
        s390,
        PAIR,
        &[one, 7],
        &refused(".pair.p", "pair", "d", "union pair"),
    );
}

/// Two members, for one of which there are rules.
fn ruled(t: &mut TypeTable, members: [(&str, TypeId); 2], which: usize, rules: &str) -> TypeId {
    let fields = members.map(|(name, ty)| Field {
        name,
        ty,
        size: t.get(ty).size,
        align: t.get(ty).align,
        bits: None,
    });
    let mut s = lay_out(Kind::Struct, "struct ruled", &fields);
    let choice = Choice::parse(rules, &|_| None).unwrap();
    s.members[which].choice = Chosen(Some(Arc::new(choice)));
    t.add(s).unwrap()
}

const TAGGED: Make = |t| {
    let (d, l) = (arith(t, Arith::Double), arith(t, Arith::LongLong));
    let (p, tag) = (pointer(t, l), arith(t, Arith::Int));
    let u = union(
        t,
        "union v",
        &[("i", l, None), ("d", d, None), ("p", p, None)],
    );
    let rules = "tag: p = any 64, i = 1, d = 2, ? = *";
    ruled(t, [("u", u), ("tag", tag)], 0, rules)
};
const CELL: Make = |t| {
    let l = arith(t, Arith::LongLong);
    let p = pointer(t, l);
    let u = union(t, "union c", &[("own", l, None), ("open", p, None)]);
    ruled(t, [("at", p), ("u", u)], 1, "at: own = self, open = *")
};

#[test]
fn tags_that_the_program_keeps_itself() {
    let (x86, s390, i686) = (&Abi::X86_64, &Abi::S390X, &Abi::I686);
    let check = |to, words: [u64; 2], expected| check(x86, to, TAGGED, &words, expected);
    check(
        s390,
        [5, 1],
        "00 00 00 00 00 00 00 05 00 00 00 01 00 00 00 00",
    );
    check(
        s390,
        [LIVE, 1],
        "00 00 30 00 00 00 40 00 00 00 00 01 00 00 00 00",
    );
    check(
        s390,
        [LIVE, 0x44],
        "00 00 00 00 01 02 03 04 00 00 00 44 00 00 00 00",
    );
    check(i686, [LIVE, 0x44], "04 03 02 01 00 00 00 00 44 00 00 00");
    // What is left over: an address, or a number.
    check(
        s390,
        [LIVE, 0],
        "00 00 00 00 01 02 03 04 00 00 00 00 00 00 00 00",
    );
    check(
        s390,
        [LIVE + 2, 0],
        "00 00 30 00 00 00 40 02 00 00 00 00 00 00 00 00",
    );
    check(i686, [LIVE, 0], "04 03 02 01 00 00 00 00 00 00 00 00");
    check(i686, [LIVE + 2, 7], "02 40 00 00 00 30 00 00 07 00 00 00");
}

#[test]
fn pointers_that_say_what_is_in_use() {
    let check =
        |words: [u64; 2], expected| check(&Abi::X86_64, &Abi::S390X, CELL, &words, expected);
    check([LIVE, 5], "00 00 00 00 01 02 03 04 00 00 00 00 00 00 00 05");
    check(
        [LIVE_LOW, LIVE],
        "00 00 00 00 01 02 03 04 00 00 00 00 01 02 03 04",
    );
}
