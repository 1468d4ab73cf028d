//! One test per conversion rule, and every refusal with the words a user reads.

#![allow(clippy::unwrap_used)]

#[path = "support/dsl.rs"]
mod dsl;
#[path = "support/rule.rs"]
mod rule;

use dsl::*;
use expect_test::expect;
use pc3_typemetric::abi::Abi;
use pc3_typemetric::layout::Arith;
use pc3_typemetric::plan::{NoReferences, Resolver, Unresolved};
use pc3_typemetric::types::{Kind, Type, TypeId, LONG_DOUBLE, NUMBER, UNKNOWN};
use rule::*;

const LONG: Make = |t| arith(t, Arith::Long);
const ULONG: Make = |t| arith(t, Arith::ULong);
const LONG_DOUBLE_TYPE: Make = |t| arith(t, Arith::LongDouble);

#[test]
fn long_narrows_by_value() {
    check(
        &Abi::X86_64,
        &Abi::I686,
        LONG,
        &(-2i64).to_le_bytes(),
        expect!["fe ff ff ff"],
    );
    check(
        &Abi::S390X,
        &Abi::ARMHF,
        LONG,
        &(-2i64).to_be_bytes(),
        expect!["fe ff ff ff"],
    );
    check(
        &Abi::X86_64,
        &Abi::I686,
        LONG,
        &5_000_000_000i64.to_le_bytes(),
        expect!["5000000000 does not fit the target's 32-bit signed integer"],
    );
    check(
        &Abi::S390X,
        &Abi::I686,
        ULONG,
        &u64::MAX.to_be_bytes(),
        expect!["18446744073709551615 does not fit the target's 32-bit unsigned integer"],
    );
}

#[test]
fn long_widens_with_its_sign() {
    check(
        &Abi::I686,
        &Abi::S390X,
        LONG,
        &(-2i32).to_le_bytes(),
        expect!["ff ff ff ff ff ff ff fe"],
    );
    check(
        &Abi::I686,
        &Abi::S390X,
        ULONG,
        &(-2i32).to_le_bytes(),
        expect!["00 00 00 00 ff ff ff fe"],
    );
}

#[test]
fn integers_convert_whatever_their_spelling() {
    let plan = between(&Abi::X86_64, ULONG, &Abi::I686, |t| arith(t, Arith::UInt)).unwrap();
    assert_eq!(converted(&plan, &7u64.to_le_bytes()), "07 00 00 00");
    let color: Make = |t| {
        t.add(Type::scalar(Kind::Enum, "enum color", 4, 4, 0))
            .unwrap()
    };
    let plan = between(&Abi::X86_64, color, &Abi::S390X, |t| arith(t, Arith::Int)).unwrap();
    assert_eq!(converted(&plan, &7u32.to_le_bytes()), "00 00 00 07");
    assert_eq!(
        converted(&plan, &u32::MAX.to_le_bytes()),
        "4294967295 does not fit the target's 32-bit signed integer"
    );
}

#[test]
fn plain_char_keeps_its_bits() {
    let text: Make = |t| {
        let c = arith(t, Arith::Char);
        array(t, c, 3)
    };
    check(
        &Abi::X86_64,
        &Abi::ARMHF,
        text,
        &[0xc3, 0xa4, 0],
        expect!["c3 a4 00"],
    );
    let plan = between(
        &Abi::X86_64,
        |t| arith(t, Arith::Char),
        &Abi::X86_64,
        |t| arith(t, Arith::UChar),
    )
    .unwrap();
    assert_eq!(
        converted(&plan, &[0xff]),
        "-1 does not fit the target's 8-bit unsigned integer"
    );
}

/// A number, unless it is among others.
#[test]
fn plain_char_by_itself_keeps_its_value() {
    let pair: Make = |t| {
        let c = arith(t, Arith::Char);
        let text = array(t, c, 2);
        structure(t, "struct step", &[("dx", c, None), ("name", text, None)])
    };
    check(
        &Abi::X86_64,
        &Abi::AARCH64,
        pair,
        &[5, 0xc3, 0xa4],
        expect!["05 c3 a4"],
    );
    check(
        &Abi::X86_64,
        &Abi::S390X,
        pair,
        &[0xff, 0xc3, 0xa4],
        expect![
            ".dx: -1 is a `char`, which is unsigned here: build it with -fsigned-char for both"
        ],
    );
    check(
        &Abi::AARCH64,
        &Abi::I686,
        pair,
        &[200, 0, 0],
        expect![
            ".dx: 200 is a `char`, which is signed here: build it with -funsigned-char for both"
        ],
    );
    check(
        &Abi::AARCH64,
        &Abi::S390X,
        pair,
        &[200, 0, 0],
        expect!["c8 00 00"],
    );
}

#[test]
fn bool_is_only_a_bool() {
    refused(
        &Abi::X86_64,
        |t| arith(t, Arith::UChar),
        &Abi::X86_64,
        |t| arith(t, Arith::Bool),
        expect![[r#"
            unsigned char in the checkpoint, _Bool here
        "#]],
    );
}

#[test]
fn long_double_is_exact_or_refused() {
    // 1 + 2^-63 and 2^-16445, the least x87 number.
    let one = [1, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f, 0, 0, 0, 0, 0, 0];
    let least = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    check(
        &Abi::X86_64,
        &Abi::I686,
        LONG_DOUBLE_TYPE,
        &one,
        expect!["01 00 00 00 00 00 00 80 ff 3f 00 00"],
    );
    check(
        &Abi::X86_64,
        &Abi::S390X,
        LONG_DOUBLE_TYPE,
        &one,
        expect!["3f ff 00 00 00 00 00 00 00 02 00 00 00 00 00 00"],
    );
    check(
        &Abi::X86_64,
        &Abi::S390X,
        LONG_DOUBLE_TYPE,
        &least,
        expect!["00 00 00 00 00 00 00 00 00 02 00 00 00 00 00 00"],
    );
    check(
        &Abi::X86_64,
        &Abi::ARMHF,
        LONG_DOUBLE_TYPE,
        &one,
        expect!["0x1.0000000000000002p0 has no exact representation in the target's floating-point format"],
    );
    check(
        &Abi::X86_64,
        &Abi::ARMHF,
        LONG_DOUBLE_TYPE,
        &least,
        expect!["1*2^-16445 has no exact representation in the target's floating-point format"],
    );
    let unnormal = [1, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x3f, 0, 0, 0, 0, 0, 0];
    check(
        &Abi::X86_64,
        &Abi::S390X,
        LONG_DOUBLE_TYPE,
        &unnormal,
        expect!["an invalid x87 encoding is not a number that arithmetic produces"],
    );
}

#[test]
fn double_double_never_converts() {
    let abi = Abi {
        long_double_format: pc3_typemetric::abi::LongDouble::DoubleDouble,
        name: "powerpc64".into(),
        ..Abi::X86_64
    };
    refused(
        &abi,
        LONG_DOUBLE_TYPE,
        &Abi::X86_64,
        LONG_DOUBLE_TYPE,
        expect![[r#"
            a pair-of-doubles long double cannot change its format
        "#]],
    );
    assert!(plan(&abi, &abi, LONG_DOUBLE_TYPE).unwrap().is_copy());
}

#[test]
fn bit_fields_by_value() {
    let flags: Make = |t| {
        let (i, u) = (arith(t, Arith::Int), arith(t, Arith::UInt));
        structure(
            t,
            "struct flags",
            &[("a", u, Some(3)), ("b", i, Some(7)), ("c", u, Some(22))],
        )
    };
    let (mut word, c) = (5u32, 0x2a_aaaau32);
    word |= (-3i32 as u32 & 0x7f) << 3 | c << 10;
    let big = 5u32 << 29 | (-3i32 as u32 & 0x7f) << 22 | c;
    let text: Vec<String> = big
        .to_be_bytes()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    let plan = plan(&Abi::X86_64, &Abi::S390X, flags).unwrap();
    assert_eq!(converted(&plan, &word.to_le_bytes()), text.join(" "));
    let narrower: Make = |t| {
        let (i, u) = (arith(t, Arith::Int), arith(t, Arith::UInt));
        structure(
            t,
            "struct flags",
            &[("a", u, Some(2)), ("b", i, Some(7)), ("c", u, Some(23))],
        )
    };
    let plan = between(&Abi::X86_64, flags, &Abi::X86_64, narrower).unwrap();
    assert_eq!(
        converted(&plan, &word.to_le_bytes()),
        ".a: 5 does not fit the target's 2-bit unsigned integer"
    );
}

#[test]
fn structs_say_what_differs() {
    let ours: Make = |t| {
        let (i, d, c) = (
            arith(t, Arith::Int),
            arith(t, Arith::Double),
            arith(t, Arith::Char),
        );
        let list = array(t, d, 10);
        structure(
            t,
            "struct s",
            &[
                ("a", i, None),
                ("gone", i, None),
                ("list", list, None),
                ("f", c, None),
            ],
        )
    };
    let theirs: Make = |t| {
        let (i, d) = (arith(t, Arith::Int), arith(t, Arith::Double));
        let list = array(t, d, 12);
        structure(
            t,
            "struct s",
            &[
                ("a", i, None),
                ("new", i, None),
                ("list", list, None),
                ("f", d, None),
            ],
        )
    };
    let members = expect![[r#"
        struct s has no member "gone" here
        struct s has no member "new" in the checkpoint
    "#]];
    refused(&Abi::X86_64, ours, &Abi::I686, theirs, members);
    let ours: Make = |t| {
        let (d, c) = (arith(t, Arith::Double), arith(t, Arith::Char));
        let list = array(t, d, 10);
        structure(t, "struct s", &[("list", list, None), ("f", c, None)])
    };
    let theirs: Make = |t| {
        let d = arith(t, Arith::Double);
        let list = array(t, d, 12);
        structure(t, "struct s", &[("list", list, None), ("f", d, None)])
    };
    let text = lines(&between(&Abi::X86_64, ours, &Abi::I686, theirs).unwrap_err());
    expect![[r#"
        .list: an array of 10 elements in the checkpoint, of 12 here
        .f: char in the checkpoint, double here
    "#]]
    .assert_eq(&text);
    let swapped: Make = |t| {
        let (d, c) = (arith(t, Arith::Double), arith(t, Arith::Char));
        let list = array(t, d, 10);
        structure(t, "struct s", &[("f", c, None), ("list", list, None)])
    };
    refused(
        &Abi::X86_64,
        ours,
        &Abi::I686,
        swapped,
        expect![[r#"
            the members of struct s stand in another order here
        "#]],
    );
}

#[test]
fn opaque_and_untyped_bytes_stay_on_their_abi() {
    let opaque: Make = |t| {
        t.add(Type::scalar(Kind::Opaque, "va_list", 24, 8, 0))
            .unwrap()
    };
    refused(
        &Abi::X86_64,
        opaque,
        &Abi::AARCH64,
        opaque,
        expect![[r#"
            va_list cannot move from x86_64 to aarch64
        "#]],
    );
    refused(
        &Abi::X86_64,
        |_| TypeId::UNKNOWN,
        &Abi::I686,
        |_| TypeId::UNKNOWN,
        expect![[r#"
            bytes of unknown type cannot move from x86_64 to i686 (pc3cc --explain=heap lists what allocates them)
        "#]],
    );
    let same = plan(&Abi::I686, &Abi::I686, |_| TypeId::UNKNOWN).unwrap();
    assert!(same.is_copy() && same.has_untyped());
    let flagged: Make = |t| {
        t.add(Type::scalar(Kind::Opaque, "heap", 1, 1, UNKNOWN))
            .unwrap()
    };
    assert!(plan(&Abi::I686, &Abi::I686, flagged).unwrap().has_untyped());
}

/// `__int128`, and a bit-field of 70 bits of it behind one of 3.
#[test]
fn numbers_of_128_bits_change_their_order_of_bytes_alone() {
    let wide: Make = |t| {
        t.add(Type::scalar(Kind::Opaque, "__int128", 16, 16, NUMBER))
            .unwrap()
    };
    let bytes: Vec<u8> = (1..=16).collect();
    check(
        &Abi::X86_64,
        &Abi::S390X,
        wide,
        &bytes,
        expect!["10 0f 0e 0d 0c 0b 0a 09 08 07 06 05 04 03 02 01"],
    );
    let fields: Make = |t| {
        let w = t
            .add(Type::scalar(Kind::Opaque, "__int128", 16, 16, NUMBER))
            .unwrap();
        structure(t, "struct s", &[("low", w, Some(3)), ("high", w, Some(70))])
    };
    let value: u128 = 5 | ((0x2bu128 << 64) | 9) << 3;
    check(
        &Abi::X86_64,
        &Abi::S390X,
        fields,
        &value.to_le_bytes(),
        expect!["b5 80 00 00 00 00 00 00 04 80 00 00 00 00 00 00"],
    );
}

#[test]
fn bit_fields_of_any_width_move_in_pieces() {
    let exact: Make = |t| {
        let name = "_BitInt(200)";
        let part = Type::scalar(Kind::Opaque, name, 32, 8, NUMBER);
        let part = t.add(part).unwrap();
        structure(t, name, &[("value", part, Some(200))])
    };
    let mut bytes: Vec<u8> = (1..=25).collect();
    bytes.resize(32, 0);
    check(
        &Abi::X86_64,
        &Abi::S390X,
        exact,
        &bytes,
        expect![[
            r#"19 18 17 16 15 14 13 12 11 10 0f 0e 0d 0c 0b 0a 09 08 07 06 05 04 03 02 01 00 00 00 00 00 00 00"#
        ]],
    );
}

const FLEXIBLE: Make = |t| {
    let (i, l) = (arith(t, Arith::Int), arith(t, Arith::Long));
    let tail = array(t, l, 0);
    structure(
        t,
        "struct flexible",
        &[("n", i, None), ("tail", tail, None)],
    )
};

#[test]
fn flexible_arrays_convert_all_that_is_there() {
    let mut src = 2u64.to_le_bytes().to_vec();
    src.extend(7i64.to_le_bytes());
    src.extend((-1i64).to_le_bytes());
    check(
        &Abi::X86_64,
        &Abi::I686,
        FLEXIBLE,
        &src,
        expect!["02 00 00 00 07 00 00 00 ff ff ff ff"],
    );
    src[23] = 0x10;
    check(
        &Abi::X86_64,
        &Abi::I686,
        FLEXIBLE,
        &src,
        expect![".tail[1]: 1224979098644774911 does not fit the target's 32-bit signed integer"],
    );
    // Only the head, or less.
    check(
        &Abi::X86_64,
        &Abi::I686,
        FLEXIBLE,
        &src[..8],
        expect!["02 00 00 00"],
    );
    check(
        &Abi::X86_64,
        &Abi::I686,
        FLEXIBLE,
        &src[..4],
        expect!["02 00 00 00"],
    );
    check(
        &Abi::X86_64,
        &Abi::I686,
        FLEXIBLE,
        &src[..2],
        expect![".n: the object ends inside this value and its bytes are not zero"],
    );
}

#[test]
fn the_older_idiom_of_a_one_element_array() {
    let hack: Make = |t| {
        let (i, c) = (arith(t, Arith::Int), arith(t, Arith::Char));
        let tail = array(t, c, 1);
        structure(t, "struct name", &[("n", i, None), ("text", tail, None)])
    };
    let src = [5, 0, 0, 0, b'h', b'e', b'l', b'l', b'o', 0];
    check(
        &Abi::X86_64,
        &Abi::S390X,
        hack,
        &src,
        expect!["00 00 00 05 68 65 6c 6c 6f 00"],
    );
    check(
        &Abi::X86_64,
        &Abi::S390X,
        hack,
        &[0; 16],
        expect!["16 bytes may be several elements or one with a longer array at its end"],
    );
}

#[test]
fn errors_name_the_element() {
    let nested: Make = |t| {
        let (l, c) = (arith(t, Arith::Long), arith(t, Arith::Char));
        let list = array(t, l, 2);
        let inner = structure(t, "", &[("tag", c, None), ("list", list, None)]);
        let pair = array(t, inner, 2);
        structure(t, "struct outer", &[("c", c, None), ("pair", pair, None)])
    };
    let plan = plan(&Abi::X86_64, &Abi::I686, nested).unwrap();
    let size = plan.src_size() as usize;
    let mut src = vec![0; 3 * size];
    let at = 2 * size + 8 + 24 + 16;
    src[at + 7] = 0x80;
    let text = converted(&plan, &src);
    assert_eq!(
        text,
        "[2].pair[1].list[1]: -9223372036854775808 does not fit the target's 32-bit signed integer"
    );
}

struct Refuse;
impl Resolver for Refuse {
    fn pointer(&mut self, _: u64, pointee: TypeId) -> Result<u64, Unresolved> {
        match pointee {
            TypeId::UNKNOWN => Ok(1 << 32),
            _ => Err(Unresolved("points to nothing that pc3 knows".into())),
        }
    }
    fn function(&mut self, raw: u64) -> Result<u64, Unresolved> {
        Ok(raw + 1)
    }
    fn handle(&mut self, raw: u64, _: TypeId) -> Result<u64, Unresolved> {
        Ok(raw + 2)
    }
    fn file(&mut self, raw: u64) -> Result<u64, Unresolved> {
        Ok(raw + 3)
    }
}

fn resolved(make: Make, src: u64) -> String {
    let plan = plan(&Abi::S390X, &Abi::I686, make).unwrap();
    let mut dst = [0; 4];
    match plan.run(&src.to_be_bytes(), &mut dst, 1, &mut Refuse) {
        Ok(()) => u32::from_le_bytes(dst).to_string(),
        Err(e) => e.to_string(),
    }
}

#[test]
fn references_ask_the_resolver() {
    let function: Make = |t| {
        let f = t.add(Type::scalar(Kind::Function, "", 0, 1, 0)).unwrap();
        pointer(t, f)
    };
    assert_eq!(resolved(function, 10), "11");
    assert_eq!(resolved(function, 0), "0");
    let handle: Make = |t| {
        let p = t.abi().pointer;
        t.add(Type::scalar(
            Kind::Handle,
            "MPI_Comm",
            p.size.into(),
            p.align.into(),
            0,
        ))
        .unwrap()
    };
    assert_eq!(resolved(handle, 10), "12");
    let file: Make = |t| {
        let p = t.abi().pointer;
        t.add(Type::scalar(
            Kind::File,
            "FILE *",
            p.size.into(),
            p.align.into(),
            0,
        ))
        .unwrap()
    };
    assert_eq!(resolved(file, 10), "13");
    let int: Make = |t| {
        let i = arith(t, Arith::Int);
        pointer(t, i)
    };
    assert_eq!(resolved(int, 16), "0x10 points to nothing that pc3 knows");
    assert_eq!(
        resolved(|t| pointer(t, TypeId::UNKNOWN), 16),
        "0x10 the target's address 0x100000000 does not fit its pointer"
    );
}

#[test]
fn same_layout_is_one_copy() {
    let mixed: Make = |t| {
        let (d, c, i) = (
            arith(t, Arith::Double),
            arith(t, Arith::Char),
            arith(t, Arith::Int),
        );
        structure(
            t,
            "struct mixed",
            &[
                ("c", c, None),
                ("d", d, None),
                ("bits", i, Some(3)),
                ("i", i, None),
            ],
        )
    };
    let signed = Abi {
        char_signed: true,
        ..Abi::AARCH64
    };
    assert!(plan(&Abi::X86_64, &signed, mixed).unwrap().is_copy());
    assert!(!plan(&Abi::X86_64, &Abi::AARCH64, mixed).unwrap().is_copy());
    assert!(!plan(&Abi::X86_64, &Abi::I686, mixed).unwrap().is_copy());
    assert!(!plan(&Abi::X86_64, &Abi::S390X, mixed).unwrap().is_copy());
    let long_double = Type::scalar(Kind::Float, "long double", 16, 16, LONG_DOUBLE);
    assert_eq!(Arith::LongDouble.ty(&Abi::X86_64), long_double);
}

/// `struct stat` of two ABIs: padding differs, and so does the order.
#[test]
fn system_structs_pair_by_name() {
    let ours: Make = |t| {
        let (l, i) = (arith(t, Arith::Long), arith(t, Arith::Int));
        let pad = array(t, l, 3);
        structure(
            t,
            "struct stat",
            &[
                ("nlink", l, None),
                ("mode", i, None),
                ("__pad0", i, None),
                ("size", l, None),
                ("__glibc_reserved", pad, None),
            ],
        )
    };
    let theirs: Make = |t| {
        let (l, i, h) = (
            arith(t, Arith::Long),
            arith(t, Arith::Int),
            arith(t, Arith::Short),
        );
        structure(
            t,
            "struct stat",
            &[
                ("mode", i, None),
                ("__size", h, None),
                ("nlink", i, None),
                ("size", l, None),
            ],
        )
    };
    let plan = between(&Abi::X86_64, ours, &Abi::S390X, theirs).unwrap();
    let mut from = [0u8; 48];
    for (at, value) in [(0, 7), (8, 9), (12, 1), (16, 300u16), (24, 5)] {
        from[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
    let mut to = [0xee; 24];
    plan.run(&from, &mut to, 1, &mut NoReferences).unwrap();
    assert_eq!(to[..4], [0, 0, 0, 9]);
    assert_eq!(to[8..12], [0, 0, 0, 7]);
    assert_eq!(to[16..], [0, 0, 0, 0, 0, 0, 1, 44]);
}
