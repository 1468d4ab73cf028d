//! Integers made of sizes that the ABIs have otherwise.

#![allow(clippy::unwrap_used)]

#[path = "support/dsl.rs"]
mod dsl;

use dsl::*;
use expect_test::{expect, Expect};
use pc3_typemetric::abi::Abi;
use pc3_typemetric::plan::{NoReferences, Resolver, Unresolved};
use pc3_typemetric::types::{Kind, Type, TypeId, TypeTable, FITS, SIGNED, SUM};

/// An `unsigned long` with the sizes of two structs in it: one of pointers, one that is the same everywhere.
fn made(t: &mut TypeTable, flags: u8) -> TypeId {
    let word = u64::from(t.abi().pointer.size);
    t.set_measured([
        ("`sizeof(struct node)` (t.c:9)".to_owned(), 3 * word),
        ("`sizeof *all` (t.c:12)".to_owned(), 16),
    ]);
    let name = "`sizeof *all` (t.c:12)\n`sizeof(struct node)` (t.c:9)";
    let long = u64::from(t.abi().long.size);
    t.add(Type::scalar(Kind::Bytes, name, long, long as u16, flags))
        .unwrap()
}

const SUMS: Make = |t| made(t, SUM);
const OTHERS: Make = |t| made(t, 0);
const PIECES: Make = |t| made(t, SUM | FITS);
const PLAIN: Make = |t| {
    let long = u64::from(t.abi().long.size);
    t.add(Type::scalar(
        Kind::UInt,
        "unsigned long",
        long,
        long as u16,
        0,
    ))
    .unwrap()
};

fn check(from: &Abi, to: &Abi, [ours, theirs]: [Make; 2], value: u64, expect: Expect) {
    let plan = between(from, ours, to, theirs).unwrap();
    let bytes = match from.long.size {
        8 => value.to_le_bytes().to_vec(),
        _ => (value as u32).to_le_bytes().to_vec(),
    };
    let mut dst = vec![0; usize::from(to.long.size)];
    expect.assert_eq(
        &match plan.run_object(&bytes, &mut dst, &mut NoReferences) {
            Ok(()) => format!("{dst:02x?}"),
            Err(e) => e.to_string(),
        },
    );
}

#[test]
fn one_of_them_differs() {
    let (wide, narrow) = (Abi::X86_64, Abi::I686);
    let refused = expect!["40 is made of `sizeof(struct node)` (t.c:9), which is 24 there and 12 here (compute it anew where it is used, or say what it counts: `#pragma pc3 bytes NAME of TYPE`, `of anything` if nothing goes wrong where it stays as it is)"];
    check(&wide, &narrow, [SUMS, SUMS], 40, refused);
    check(&wide, &narrow, [SUMS, SUMS], 0, expect!["[00, 00, 00, 00]"]);
    let refused = expect!["0 is made of `sizeof(struct node)` (t.c:9), which is 24 there and 12 here (compute it anew where it is used, or say what it counts: `#pragma pc3 bytes NAME of TYPE`, `of anything` if nothing goes wrong where it stays as it is)"];
    check(&wide, &narrow, [OTHERS, OTHERS], 0, refused);
    // One of the builds does not know of it.
    let refused = expect!["40 is made of `sizeof *all` (t.c:12), which may be another number here (compute it anew where it is used, or say what it counts: `#pragma pc3 bytes NAME of TYPE`, `of anything` if nothing goes wrong where it stays as it is)"];
    check(&narrow, &wide, [SUMS, PLAIN], 40, refused);
}

#[test]
fn of_128_bits() {
    const WIDE: Make = |t| {
        t.set_measured([("`sizeof(struct node)` (t.c:9)".to_owned(), 16)]);
        let name = "`sizeof(struct node)` (t.c:9)";
        t.add(Type::scalar(Kind::Bytes, name, 16, 16, 0)).unwrap()
    };
    const OF_WORDS: Make = |t| {
        let word = u64::from(t.abi().pointer.size);
        let pointer = t
            .add(Type::scalar(Kind::Handle, "h", word, word as u16, 0))
            .unwrap();
        let of = Type {
            elem: pointer,
            ..Type::scalar(Kind::Bytes, "", 16, 16, 0)
        };
        t.add(of).unwrap()
    };
    let value: u128 = (5 << 64) + 0x28;
    let moved = |to: &Abi, make: Make| {
        let plan = between(&Abi::X86_64, make, to, make).unwrap();
        let mut dst = vec![0; 16];
        let done = plan.run_object(&value.to_le_bytes(), &mut dst, &mut NoReferences);
        done.unwrap();
        dst
    };
    assert_eq!(moved(&Abi::S390X, WIDE), value.to_be_bytes());
    assert_eq!(moved(&Abi::AARCH64, WIDE), value.to_le_bytes());
    assert_eq!(moved(&Abi::S390X, OF_WORDS), value.to_be_bytes());
    assert_eq!(moved(&Abi::I686, OF_WORDS), (value / 2).to_le_bytes());
}

#[test]
fn none_of_them_differs() {
    check(
        &Abi::X86_64,
        &Abi::S390X,
        [OTHERS, OTHERS],
        40,
        expect!["[00, 00, 00, 00, 00, 00, 00, 28]"],
    );
    check(
        &Abi::I686,
        &Abi::I686,
        [SUMS, SUMS],
        28,
        expect!["[1c, 00, 00, 00]"],
    );
}

#[test]
fn pieces_have_room() {
    let (wide, narrow) = (Abi::X86_64, Abi::I686);
    let pieces = [PIECES, PIECES];
    check(&wide, &narrow, pieces, 40, expect!["[28, 00, 00, 00]"]);
    check(
        &narrow,
        &wide,
        pieces,
        24,
        expect!["[18, 00, 00, 00, 00, 00, 00, 00]"],
    );
    let refused = expect!["12 is made of `sizeof(struct node)` (t.c:9), which is 12 there and 24 here (compute it anew where it is used, or say what it counts: `#pragma pc3 bytes NAME of TYPE`, `of anything` if nothing goes wrong where it stays as it is)"];
    check(&narrow, &wide, pieces, 12, refused);
}

/// Knows how much is allocated, there and here.
struct Allocated(u64, u64);

impl Resolver for Allocated {
    fn pointer(&mut self, _: u64, _: TypeId) -> Result<u64, Unresolved> {
        NoReferences.function(0)
    }
    fn function(&mut self, raw: u64) -> Result<u64, Unresolved> {
        NoReferences.function(raw)
    }
    fn handle(&mut self, raw: u64, ty: TypeId) -> Result<u64, Unresolved> {
        NoReferences.handle(raw, ty)
    }
    fn file(&mut self, raw: u64) -> Result<u64, Unresolved> {
        NoReferences.file(raw)
    }
    fn allocated(&self) -> Option<(u64, u64)> {
        Some((self.0, self.1))
    }
}

fn share(t: &mut TypeTable, line: &str) -> TypeId {
    let word = u64::from(t.abi().pointer.size);
    let size = "`sizeof(struct node)` (t.c:9)";
    t.set_measured([(size.to_owned(), 3 * word)]);
    let name = format!("{size}\n{line}\n#world.part");
    let flags = SUM | SIGNED;
    t.add(Type::scalar(Kind::Bytes, &name, word, word as u16, flags))
        .unwrap()
}

/// Three numbers: a total, and another one in two members.
const TOTALS: Make = |t| {
    let (all, rest, part) = (share(t, "="), share(t, "=part"), share(t, "+rest"));
    let members = [
        ("all", all, None),
        ("rest", rest, None),
        ("part", part, None),
    ];
    structure(t, "world", &members)
};

fn totals(numbers: [i64; 3], allocated: Allocated) -> String {
    let (wide, narrow) = (Abi::X86_64, Abi::I686);
    let mut allocated = allocated;
    let plan = between(&wide, TOTALS, &narrow, TOTALS).unwrap();
    // Two of them: the second one is converted as the first one is.
    let one: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let mut dst = vec![0; 24];
    match plan.run_object(&[&one[..], &one[..]].concat(), &mut dst, &mut allocated) {
        Ok(()) => {
            assert_eq!(dst[..12], dst[12..]);
            let words = dst[..12].chunks_exact(4);
            let words = words.map(|w| i32::from_le_bytes(w.try_into().unwrap()));
            format!("{:?}", words.collect::<Vec<i32>>())
        }
        Err(e) => e.to_string(),
    }
}

#[test]
fn all_that_is_allocated() {
    assert_eq!(
        totals([400, 430, -30], Allocated(400, 250)),
        "[250, 280, -30]"
    );
    assert_eq!(totals([0, 0, 0], Allocated(400, 250)), "[0, 0, 0]");
    expect!["[0].all: 408 is made of `sizeof(struct node)` (t.c:9), which is 24 there and 12 here, and is not all that is allocated, which would be converted (compute it anew where it is used, or say what it counts: `#pragma pc3 bytes world.part of TYPE`, `of anything` if nothing goes wrong where it stays as it is)"].assert_eq(&totals([408, 430, -30], Allocated(400, 250)));
    let other = totals([400, 431, -30], Allocated(400, 250));
    assert!(other.starts_with("[0].rest: 431 is made of"), "{other}");
    let other = totals([400, 0, -30], Allocated(400, 250));
    assert!(other.starts_with("[0].part: -30 is made of"), "{other}");
}
