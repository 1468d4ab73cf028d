//! Type tables: interning, import of C descriptors, binary and text forms.

#![allow(clippy::unwrap_used)]

#[path = "support/dsl.rs"]
mod dsl;
mod support;

use dsl::{arith, array, pointer, structure, union};
use expect_test::expect;
use pc3_typemetric::abi::Abi;
use pc3_typemetric::descriptor::*;
use pc3_typemetric::import::{import_unit, ImportError};
use pc3_typemetric::layout::{lay_out, Arith, Field};
use pc3_typemetric::plan::{NoReferences, Plan};
use pc3_typemetric::types::{Kind, Type, TypeId, TypeTable};
use pc3_typemetric::Batch;
use proptest::prelude::*;
use std::ffi::CStr;
use std::ptr::{null, null_mut};

/// `struct node { int value; struct node *next, *prev; }`, unrolled `n` times.
fn list(table: &mut TypeTable, name: &str, n: usize) -> Vec<TypeId> {
    let abi = table.abi().clone();
    let int = arith(table, Arith::Int);
    let mut batch = Batch::new();
    let ids: Vec<_> = (0..n).map(|_| (batch.declare(), batch.declare())).collect();
    let p = u64::from(abi.pointer.size);
    for (i, &(node, ptr)) in ids.iter().enumerate() {
        let (_, next) = ids[(i + 1) % n];
        let field = |name, ty, size, align| Field {
            name,
            ty,
            size,
            align,
            bits: None,
        };
        let fields = [
            field("value", int, 4, 4),
            field("next", next, p, p as u16),
            field("prev", ptr, p, p as u16),
        ];
        batch.define(node, lay_out(Kind::Struct, name, &fields));
        batch.define(ptr, Type::pointer(&abi, node));
    }
    table.commit(batch).unwrap()
}

#[test]
fn recursive_types_get_one_id() {
    let mut t = TypeTable::new(Abi::X86_64);
    let first = list(&mut t, "struct node", 1);
    let n = t.len();
    // The same again, and unrolled: no walk can tell them apart.
    assert_eq!(list(&mut t, "struct node", 1), first);
    let unrolled = list(&mut t, "struct node", 3);
    assert!(unrolled.chunks(2).all(|pair| pair == first));
    assert_eq!(t.len(), n);
    assert_ne!(list(&mut t, "struct other", 1), first);
    assert_eq!(t.len(), n + 2);
    // Duplicates within one batch.
    let mut fresh = TypeTable::new(Abi::X86_64);
    let ids = list(&mut fresh, "struct node", 4);
    assert!(ids.chunks(2).all(|pair| pair == &ids[..2]));
    assert_eq!(fresh.to_string().lines().count(), 4);
}

#[test]
fn mutually_recursive_types_differ_only_deep_down() {
    // Chains that are told apart only at their end, deeper than hashes look.
    let mut t = TypeTable::new(Abi::X86_64);
    let mut ends = Vec::new();
    for leaf in [Arith::Int, Arith::UInt, Arith::Int] {
        let mut id = arith(&mut t, leaf);
        for _ in 0..12 {
            id = pointer(&mut t, id);
        }
        ends.push(id);
    }
    assert_ne!(ends[0], ends[1]);
    assert_eq!(ends[0], ends[2]);
}

#[test]
fn what_contains_itself_is_refused() {
    let mut t = TypeTable::new(Abi::X86_64);
    let mut batch = Batch::new();
    let (a, b) = (batch.declare(), batch.declare());
    let part = |ty| {
        lay_out(
            Kind::Struct,
            "struct s",
            &[Field {
                name: "m",
                ty,
                size: 8,
                align: 8,
                bits: None,
            }],
        )
    };
    batch.define(a, part(b));
    batch.define(b, part(a));
    expect![[r#"type "struct s": types contain each other, or nest too deeply"#]]
        .assert_eq(&t.commit(batch).unwrap_err().to_string());
    assert!(t.is_empty());
}

const fn name(text: &'static CStr) -> *const std::ffi::c_char {
    text.as_ptr()
}

fn descriptor(kind: u8, text: &'static CStr, size: usize, align: u16) -> pc3_type {
    let (elem, members) = (null_mut(), null());
    pc3_type {
        id: 0,
        kind,
        flags: 0,
        align,
        size,
        count: 0,
        elem,
        members,
        name: name(text),
    }
}

#[test]
fn import_of_a_unit() {
    #[repr(C)]
    struct Node {
        value: i32,
        flags: u8,
        next: *mut Node,
    }
    let mut image = [0u8; size_of::<Node>()];
    // A three-bit field above one bit of the flags byte, in memory order.
    image[4] = if cfg!(target_endian = "big") {
        0b0111_0000
    } else {
        0b0000_1110
    };
    let p = size_of::<*const u8>();
    let mut table = TypeTable::new(Abi::host());
    let mut ids = Vec::new();
    for _ in 0..2 {
        let mut types = [
            descriptor(PC3_KIND_SINT, c"int", 4, 4),
            descriptor(
                PC3_KIND_STRUCT,
                c"struct node",
                size_of::<Node>(),
                align_of::<Node>() as u16,
            ),
            descriptor(PC3_KIND_POINTER, c"struct node *", p, p as u16),
        ];
        let at: *mut pc3_type = types.as_mut_ptr();
        let (int, node, ptr) = (at, at.wrapping_add(1), at.wrapping_add(2));
        let members = [
            pc3_member {
                name: name(c"value"),
                ty: int,
                offset: 0,
                bits: null(),
                choice: std::ptr::null(),
            },
            pc3_member {
                name: name(c"kind"),
                ty: int,
                offset: 0,
                bits: image.as_ptr(),
                choice: std::ptr::null(),
            },
            pc3_member {
                name: name(c"next"),
                ty: ptr,
                offset: std::mem::offset_of!(Node, next),
                bits: null(),
                choice: std::ptr::null(),
            },
        ];
        types[1].members = members.as_ptr();
        types[1].count = 3;
        types[2].elem = node;
        // SAFETY: the descriptors refer to each other and to what is alive here.
        unsafe { import_unit(&mut table, at, 3) }.unwrap();
        ids.push(types.each_ref().map(|t| t.id));
    }
    assert_eq!(ids[0], [1, 2, 3]);
    assert_eq!(ids[0], ids[1]);
    let node = table.get(TypeId(2));
    let bits = node.members[1].bits.unwrap();
    assert_eq!(
        (bits.offset, bits.width, node.members[1].offset),
        (33, 3, 4)
    );
}

/// `struct { int a; struct { short b; struct { char c; }; unsigned d : 3; }; }`, its unnamed members measured from its start.
#[test]
fn unnamed_members_have_the_extent_of_their_own() {
    let mut image = [0u8; 12];
    image[8] = if cfg!(target_endian = "big") {
        0b1110_0000
    } else {
        0b0000_0111
    };
    let mut types = [
        descriptor(PC3_KIND_SINT, c"int", 4, 4),
        descriptor(PC3_KIND_SINT, c"short", 2, 2),
        descriptor(PC3_KIND_CHAR, c"char", 1, 1),
        descriptor(PC3_KIND_STRUCT, c"", 12, 1),
        descriptor(PC3_KIND_STRUCT, c"", 12, 1),
        descriptor(PC3_KIND_STRUCT, c"struct s", 12, 4),
    ];
    let at: *mut pc3_type = types.as_mut_ptr();
    let member = |text, ty: usize, offset| pc3_member {
        name: name(text),
        ty: at.wrapping_add(ty),
        offset,
        bits: null(),
        choice: null(),
    };
    let whole = [member(c"a", 0, 0), member(c"", 3, 0)];
    let bits = image.as_ptr();
    let field = pc3_member {
        bits,
        ..member(c"d", 0, 0)
    };
    let outer = [member(c"b", 1, 4), member(c"", 4, 0), field];
    let inner = [member(c"c", 2, 6)];
    for (k, list) in [(3, &outer[..]), (4, &inner), (5, &whole)] {
        (types[k].members, types[k].count) = (list.as_ptr(), list.len());
    }
    (types[3].flags, types[4].flags) = (PC3_TYPE_PART, PC3_TYPE_PART);
    let mut table = TypeTable::new(Abi::host());
    // SAFETY: the descriptors refer to each other and to what is alive here.
    unsafe { import_unit(&mut table, types.as_mut_ptr(), types.len()) }.unwrap();
    let get = |k: usize| table.get(TypeId(types[k].id));
    let places = |k: usize| -> Vec<u64> { get(k).members.iter().map(|m| m.offset).collect() };
    assert_eq!((places(5), get(5).size), (vec![0, 4], 12));
    assert_eq!((places(3), get(3).size), (vec![0, 2, 4], 5));
    assert_eq!((places(4), get(4).size), (vec![0], 1));
    assert_eq!(get(3).members[2].bits.unwrap().offset, 32);
}

#[test]
fn import_refuses_what_generated_code_never_says() {
    let mut table = TypeTable::new(Abi::host());
    let mut import = |t: pc3_type| {
        let mut types = [t];
        // SAFETY: one descriptor without members.
        unsafe { import_unit(&mut table, types.as_mut_ptr(), 1) }
    };
    let bad = import(descriptor(99, c"what", 4, 4));
    assert!(
        matches!(bad, Err(ImportError::Kind { kind: 99, .. })),
        "{bad:?}"
    );
    let mut far = descriptor(PC3_KIND_POINTER, c"p", size_of::<*const u8>(), 4);
    let mut elsewhere = descriptor(PC3_KIND_SINT, c"int", 4, 4);
    far.elem = &raw mut elsewhere;
    assert!(matches!(import(far), Err(ImportError::Foreign { .. })));
    let bad = import(descriptor(PC3_KIND_SINT, c"int", 3, 4));
    assert!(matches!(bad, Err(ImportError::Type(_))), "{bad:?}");
}

fn sample() -> TypeTable {
    let mut t = TypeTable::new(Abi::I686);
    list(&mut t, "struct node", 1);
    let (c, d, u) = (
        arith(&mut t, Arith::Char),
        arith(&mut t, Arith::Double),
        arith(&mut t, Arith::UInt),
    );
    let text = array(&mut t, c, 8);
    let pun = union(&mut t, "", &[("d", d, None), ("text", text, None)]);
    let list = array(&mut t, d, 0);
    structure(
        &mut t,
        "struct s",
        &[
            ("a", u, Some(3)),
            ("b", u, Some(30)),
            ("", pun, None),
            ("list", list, None),
        ],
    );
    arith(&mut t, Arith::LongDoubleComplex);
    t
}

#[test]
fn text_form() {
    expect![[r#"
        i686: little-endian, signed char, pointer 4/4, short 2/2, int 4/4, long 4/4, long long 8/4, float 4/4, double 8/4, long double x87 12/4
        1 sint "int" 4/4
        2 struct "struct node" 12/4 { value 1 @0, next 3 @4, prev 3 @8 }
        3 pointer 4/4 to 2
        4 char "char" 1/1
        5 float "double" 8/4
        6 uint "unsigned int" 4/4
        7 array 8/1 of 8 x 4
        8 union 8/4 { d 5 @0, text 7 @0 }
        9 array 0/4 of 0 x 5
        10 struct "struct s" 16/4 { a 6 @0 bits 0+3, b 6 @4 bits 32+30, - 8 @8, list 9 @16 }
        11 complex "long double _Complex" 24/4 long-double
    "#]].assert_eq(&sample().to_string());
}

#[test]
fn binary_form_round_trips_and_refuses_every_truncation() {
    let table = sample();
    let mut bytes = Vec::new();
    table.encode(&mut bytes);
    let (mut back, rest) = TypeTable::decode(&bytes).unwrap();
    assert!(rest.is_empty());
    assert_eq!(back.to_string(), table.to_string());
    // A decoded table still knows its types.
    let n = back.len();
    list(&mut back, "struct node", 2);
    assert_eq!(back.len(), n);
    for n in 0..bytes.len() {
        assert!(TypeTable::decode(&bytes[..n]).is_err(), "{n} bytes");
    }
}

/// Whatever the decoder accepts must be safe to use.
fn exercise(bytes: &[u8]) {
    let Ok((table, _)) = TypeTable::decode(bytes) else {
        return;
    };
    let _ = table.to_string();
    let good = sample();
    for (id, t) in table.iter() {
        let _ = table.describe(id);
        for other in [&table, &good] {
            for (d, _) in other.iter() {
                let Ok(plan) = Plan::compile(&table, id, other, d) else {
                    continue;
                };
                if t.size > 4096 {
                    continue;
                }
                let src = vec![0x41; t.size as usize + 5];
                for n in [0, src.len() - 5, src.len()] {
                    if let Some(size) = plan.dst_size(n as u64).ok().filter(|&s| s < 1 << 20) {
                        let _ = plan.run_object(
                            &src[..n],
                            &mut vec![0; size as usize],
                            &mut NoReferences,
                        );
                    }
                    for offset in 0..n as u64 {
                        let _ = plan.map_offset(n as u64, offset, TypeId(1));
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Abi::decode(&bytes);
        exercise(&bytes);
    }

    #[test]
    fn damaged_tables_never_panic(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = Vec::new();
        sample().encode(&mut bytes);
        for (at, value) in edits {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        exercise(&bytes);
    }

    #[test]
    fn any_table_round_trips(spec in support::spec()) {
        for abi in Abi::PRESETS {
            let mut table = TypeTable::new(abi);
            let id = support::build(&mut table, &spec);
            let mut bytes = Vec::new();
            table.encode(&mut bytes);
            let (back, _) = TypeTable::decode(&bytes).unwrap();
            prop_assert_eq!(back.to_string(), table.to_string());
            prop_assert_eq!(support::build(&mut table, &spec), id);
        }
    }
}

/// What so many bytes at a place in memory of a type are.
#[test]
fn values_at_a_place() {
    let mut t = TypeTable::new(Abi::X86_64);
    let (int, double) = (
        t.arith(Arith::Int).unwrap(),
        t.arith(Arith::Double).unwrap(),
    );
    let ten = t.array_of(double, 10).unwrap();
    let (open, one) = (
        t.array_of(double, 0).unwrap(),
        t.array_of(double, 1).unwrap(),
    );
    let inner = [("d", ten, None), ("n", int, None)];
    let inner = t.record(Kind::Struct, "struct inner", &inner).unwrap();
    let three = t.array_of(inner, 3).unwrap();
    let outer = [("n", int, None), ("all", three, None)];
    let outer = t.record(Kind::Struct, "struct outer", &outer).unwrap();
    let long = [("n", int, None), ("d", open, None)];
    let long = t.record(Kind::Struct, "struct long", &long).unwrap();
    let old = [("n", int, None), ("d", one, None)];
    let old = t.record(Kind::Struct, "struct old", &old).unwrap();
    let size = t.size(inner);
    for (ty, at, bytes, found) in [
        (inner, 0, 2 * size, Some(inner)),
        (inner, size, size, Some(inner)),
        (inner, 0, 80, Some(double)),
        (inner, 5 * size + 16, 24, Some(double)),
        (inner, 80, 4, Some(int)),
        (inner, 80, 8, None),
        (inner, 4, 8, None),
        (outer, 8, 3 * size, Some(inner)),
        (outer, 8 + size, 80, Some(double)),
        (outer, 0, 4, Some(int)),
        (outer, 0, 12, Some(outer)),
        (ten, 40, 8, Some(double)),
        (int, 2, 2, None),
        (long, 0, 88, Some(long)),
        (long, 40, 16, Some(double)),
        (old, 0, 16, Some(old)),
        (old, 24, 8, None),
    ] {
        assert_eq!(
            t.values_at(ty, at, bytes),
            found,
            "{bytes} bytes at {at} of {}",
            t.describe(ty)
        );
    }
}
