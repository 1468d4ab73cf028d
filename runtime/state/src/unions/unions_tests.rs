use super::*;
use pc3_typemetric::abi::Abi;
use pc3_typemetric::types::{Chosen, Kind, Member, Type};

const TY: u32 = 9;

fn noted(u: &Unions, place: &[u64; 2]) -> u64 {
    // SAFETY: a local.
    unsafe { u.members(place.as_ptr() as usize, TY) }
}

/// Two words, the union is the first; at an address that no other test has.
fn value(word: u64) -> &'static mut [u64; 2] {
    Box::leak(Box::new([word, 0]))
}

/// With notes in the table, and beside the memory.
fn both() -> [Unions; 2] {
    let far = Shapes::far(TY, &[8; 4]);
    let near = Shapes::of(&[(TY, 0, &[8; 4])]);
    [Unions::new(Arc::new(far)), Unions::new(Arc::new(near))]
}

#[test]
fn the_last_write_counts_while_its_bytes_are_there() {
    both().into_iter().for_each(last_write);
}

fn last_write(mut u: Unions) {
    let v = value(1);
    let at = v.as_ptr() as usize;
    // SAFETY: locals, here and below.
    unsafe {
        u.set(at, TY, 0);
        assert_eq!(noted(&u, v), 0b001);
        v[0] = 2;
        assert_eq!(noted(&u, v), 0);
        u.set(at, TY, 2);
        assert_eq!(noted(&u, v), 0b100);
        // Who had a pointer to another member may have written the same.
        u.lent(at, TY, 1);
        assert_eq!(noted(&u, v), 0b110);
        v[0] = 3;
        u.lent(at, TY, 1);
        assert_eq!(noted(&u, v), 0b010);
        // A pointer that is kept can write at any time.
        u.member_held(at, TY, 3, 0);
        assert_eq!(noted(&u, v), 0b1010);
        v[0] = 4;
        assert_eq!(noted(&u, v), 0b1000);
        // The same address as another union.
        assert_eq!(u.members(at, TY + 1), 0);
        u.gone(at, 8, &(0..0));
        assert_eq!(noted(&u, v), 0);
    }
}

#[test]
fn bytes_take_their_notes_along() {
    both().into_iter().for_each(take_along);
}

fn take_along(mut u: Unions) {
    let (from, to) = (value(7), value(8));
    let (a, b) = (from.as_ptr() as usize, to.as_ptr() as usize);
    // SAFETY: as above.
    unsafe {
        u.set(a, TY, 1);
        u.set(b, TY, 0);
        let mut copy = |u: &mut Unions, n: usize, word| {
            let notes = u.picked(a, n);
            to[0] = word;
            u.put(b, a, n, notes, &(0..0));
            noted(u, to)
        };
        assert_eq!(copy(&mut u, 16, 7), 0b10);
        // Half a union is none.
        assert_eq!(copy(&mut u, 4, 7), 0);
    }
}

#[test]
fn values_that_are_passed() {
    let mut types = TypeTable::new(Abi::X86_64);
    let long = types
        .add(Type::scalar(Kind::SInt, "long", 8, 8, 0))
        .unwrap();
    let member = |name: &str, at| Member {
        name: name.into(),
        ty: long,
        offset: at,
        bits: None,
        choice: Chosen::default(),
    };
    let mut union = Type::scalar(Kind::Union, "union u", 8, 8, 0);
    union.members = vec![member("a", 0), member("b", 0)];
    union.count = 2;
    let union = types.add(union).unwrap();
    let mut outer = Type::scalar(Kind::Struct, "struct s", 16, 8, 0);
    outer.members = vec![Member {
        ty: union,
        ..member("u", 8)
    }];
    outer.count = 1;
    let outer = types.add(outer).unwrap().0;
    let mut u = Unions::new(Arc::new(Shapes::far(union.0, &[8, 8])));
    let check = |u: &mut Unions, passed: &[(u64, Option<u32>)], arrives: u64, expected: u64| {
        for (word, k) in passed {
            let place = Box::new([0, *word]);
            let at = place.as_ptr() as usize;
            // SAFETY: as above.
            unsafe {
                if let Some(k) = k {
                    u.set(at + 8, union.0, *k);
                }
                u.pass(at, &types, outer);
                u.gone(at, 16, &(0..0));
            }
        }
        let place = Box::new([0, arrives]);
        let at = place.as_ptr() as usize;
        // SAFETY: as above.
        let got = unsafe {
            u.take(at, &types, outer);
            u.members(at + 8, union.0)
        };
        u.gone(at, 16, &(0..0));
        assert_eq!(got, expected, "{passed:?} {arrives}");
    };
    check(&mut u, &[(5, Some(1)), (6, Some(0))], 5, 0b10);
    check(&mut u, &[], 77, 0);
    // Alike, and not the same.
    check(&mut u, &[(8, Some(1)), (8, Some(0))], 8, 0b11);
    check(&mut u, &[(9, Some(1)), (9, None)], 9, 0);
}

#[test]
fn what_is_not_alive_is_left_out() {
    for mut u in both() {
        let v = value(1);
        let at = v.as_ptr() as usize;
        // SAFETY: the second address is never read.
        unsafe {
            u.set(at, TY, 0);
            u.member_held(at, TY, 2, 0);
            u.member_held(1 << 20, TY, 1, 0);
            let list = u.list(|a, n| a == at && n == 8, |each| each(at, 16));
            assert_eq!(list.len(), 1);
            assert_eq!(
                (list[0].addr, list[0].last, list[0].held),
                (at as u64, 1, 4)
            );
            assert_eq!(u.list(|_, _| false, |_| ()).len(), 0);
            assert_eq!(u.list(|_, _| true, |_| ()).len(), 0);
        }
    }
}

#[test]
fn generated_code_sees_which_pointers_are_kept_until_their_objects_end() {
    let [mut u, _] = both();
    let at = value(1).as_ptr() as usize;
    u.member_held(at, TY, 1, 66);
    // Of a union in it, which has a number of its own.
    u.member_held(at, TY + 1, 0, 130);
    u.member_held(at, TY, 2, 1 << 16);
    assert!(seen::is_kept(at, 66) && seen::is_kept(at, 130) && seen::is_tabled(at));
    // What ends in a block is looked for by the block where it begins.
    assert!(seen::is_tabled(at - 256));
    assert!(!seen::is_kept(at, 1 << 16) && !seen::is_kept(at + 16, 66));
    u.over(at, 16);
    assert!(!seen::is_kept(at, 66) && !seen::is_kept(at, 130));
}

#[test]
fn nothing_lies_across_the_ends_of_an_object() {
    let [_, mut u] = both();
    let at = value(1).as_ptr() as usize;
    // SAFETY: a value of two words, here and below.
    unsafe { u.set(at, TY, 0) };
    u.gone(at + 4, 4, &(at + 4..at + 8));
    assert_ne!(unsafe { u.members(at, TY) }, 0);
    u.gone(at + 4, 4, &(at..at + 8));
    assert_eq!(unsafe { u.members(at, TY) }, 0);
}

#[test]
fn what_is_in_the_table_is_forgotten_at_any_address() {
    let [mut u, _] = both();
    let at = Box::leak(Box::new([1u64; 8])).as_ptr() as usize;
    let known = |u: &Unions, offsets: &[usize]| -> Vec<u64> {
        let place = offsets.iter().map(|offset| at + offset);
        // SAFETY: in the eight words, here and below.
        place.map(|at| unsafe { u.members(at, TY) }).collect()
    };
    for offsets in [&[16][..], &[16, 40], &[16, 40, 4, 50]] {
        for offset in offsets {
            unsafe { u.set(at + offset, TY, 1) };
        }
        assert_eq!(known(&u, offsets), vec![2; offsets.len()]);
        u.gone(at + 1, 63, &(0..0));
        assert_eq!(known(&u, offsets), vec![0; offsets.len()]);
    }
}

#[test]
fn types_with_unions_that_are_noted() {
    let mut types = TypeTable::new(Abi::X86_64);
    let long = types
        .add(Type::scalar(Kind::SInt, "long", 8, 8, 0))
        .unwrap();
    let member = |ty| Member {
        name: "m".into(),
        ty,
        offset: 0,
        bits: None,
        choice: Chosen::default(),
    };
    let mut of = |kind, name: &str, ty| {
        let mut t = Type::scalar(kind, name, 8, 8, 0);
        t.members = vec![member(ty)];
        t.count = 1;
        types.add(t).unwrap()
    };
    let [noted, other] = ["union a", "union b"].map(|n| of(Kind::Union, n, long));
    let [with, without] = [noted, other].map(|t| of(Kind::Struct, "struct s", t));
    let around = of(Kind::Union, "union c", with);
    let shapes = Shapes::new(&types, &[(3, noted.0)]);
    let has = [long, noted, other, with, without, around].map(|t| shapes.has(t.0));
    assert_eq!(has, [false, true, false, true, false, true]);
    assert!(shapes.has(0));
}
