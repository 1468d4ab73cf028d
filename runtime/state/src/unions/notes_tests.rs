use super::*;
use std::alloc::{alloc_zeroed, Layout};

/// Memory that no other test has had, or will have: notes stay where they were made.
fn own(bytes: usize) -> usize {
    let layout = Layout::from_size_align(bytes, 64).unwrap();
    // SAFETY: not of size zero; never freed.
    unsafe { alloc_zeroed(layout) as usize }
}

/// Unions of these types have so many bytes, and each member as many; the last one's second member is shorter.
fn shapes() -> Shapes {
    Shapes::of(&[
        (5, 0, &[8; 64]),
        (6, 0, &[4; 64]),
        (7, 0, &[24, 8, 24, 24, 24]),
        (8, 1, &[16; 64]),
    ])
}

fn size(number: usize) -> usize {
    [8, 4, 24, 16][number]
}

fn of(number: u32, k: u32) -> u32 {
    NOTES_CODES + (number << 6 | k)
}

unsafe fn note(at: usize, number: u32, k: u32) {
    let (ty, members) = (5 + number, 1 << k);
    let place = shapes().place(ty, members).unwrap();
    // SAFETY: memory of a test.
    unsafe { set(at, place, of(number, k)) };
}

fn listed(at: usize, bytes: usize) -> Vec<(usize, u32, u64)> {
    let mut list = Vec::new();
    // SAFETY: memory of a test.
    unsafe { each(at, bytes, &shapes(), |a, ty, m| list.push((a - at, ty, m))) };
    list
}

fn write(at: usize, word: u32) {
    // SAFETY: as above.
    unsafe { (at as *mut u32).write(word) };
}

#[test]
fn notes_hold_as_long_as_the_bytes_are_there() {
    let at = own(128);
    // SAFETY: as above, also below.
    unsafe {
        // Unions side by side, of all sizes, one among them without.
        for (i, (number, offset)) in [(0, 0), (1, 8), (1, 12), (0, 16), (2, 32), (0, 56)]
            .iter()
            .enumerate()
        {
            write(at + offset, 1000 + i as u32);
            note(at + offset, *number, i as u32);
        }
        assert_eq!(
            listed(at, 128),
            [
                (0, 5, 1),
                (8, 6, 2),
                (12, 6, 4),
                (16, 5, 8),
                (32, 7, 16),
                (56, 5, 32)
            ]
        );
        // Only members that lie in the object as a whole.
        assert_eq!(listed(at + 4, 48), [(4, 6, 2), (8, 6, 4), (12, 5, 8)]);
        write(at + 8, 1);
        write(at + 52, 1);
        assert_eq!(
            listed(at, 64),
            [(0, 5, 1), (12, 6, 4), (16, 5, 8), (56, 5, 32)]
        );
        write(at + 52, 0);
        assert_eq!(code(at + 32, 0), of(2, 4));
        clear(at + 12, 4);
        clear(at + 16, 8);
        assert_eq!(listed(at, 64), [(0, 5, 1), (32, 7, 16), (56, 5, 32)]);
    }
}

/// An object may be allocated only as long as the member that is in it.
#[test]
fn what_lies_behind_the_member_is_not_its() {
    let at = own(64);
    // SAFETY: as above.
    unsafe {
        note(at, 2, 1);
        write(at + 8, 7);
        assert_eq!(listed(at, 8), [(0, 7, 2)]);
        assert_eq!(listed(at, 4), []);
        note(at, 2, 0);
        assert_eq!(listed(at, 8), []);
        write(at + 20, 7);
        assert_eq!(listed(at, 24), []);
    }
}

#[test]
fn a_union_and_one_at_its_start_have_notes_of_their_own() {
    begin(true, true);
    let at = own(256);
    // SAFETY: as above.
    unsafe {
        write(at, 3);
        note(at, 0, 2);
        note(at, 3, 1);
        assert_eq!(listed(at, 16), [(0, 5, 4), (0, 8, 2)]);
        write(at + 8, 1);
        assert_eq!(listed(at, 16), [(0, 5, 4)]);
        note(at, 3, 4);
        std::ptr::copy(at as *const u8, (at + 128) as *mut u8, 16);
        copy(at + 128, at, 16, &shapes());
        assert_eq!(listed(at + 128, 16), [(0, 5, 4), (0, 8, 16)]);
        clear(at, 16);
        assert_eq!(listed(at, 16), []);
    }
}

#[test]
fn part_of_a_union_is_not_the_union() {
    for (offset, bytes, left) in [
        (0, 24, true),
        (24, 24, true),
        (46, 1, false),
        (24, 1, false),
        (48, 16, true),
        (20, 8, false),
        (0, 128, true),
    ] {
        let at = own(128);
        // SAFETY: as above.
        unsafe { note(at + 24, 2, 0) };
        cut(at + offset, 0, &shapes());
        cut(at + offset + bytes, at + offset, &shapes());
        assert_eq!(!listed(at, 128).is_empty(), left, "{offset} {bytes}");
    }
}

#[test]
fn copies_have_the_notes_of_what_was_copied() {
    let at = own(3 * PIECE);
    let moved = |to: usize, from: usize, n: usize| {
        // SAFETY: as above.
        unsafe { std::ptr::copy(from as *const u8, to as *mut u8, n) };
        copy(to, from, n, &shapes());
    };
    // SAFETY: as above.
    unsafe {
        for i in 0..64 {
            write(at + 16 * i, 7 * i as u32);
            note(at + 16 * i, 0, i as u32);
        }
        let expected = |n: usize| (0..n).map(|i| (16 * i, 5, 1u64 << i)).collect::<Vec<_>>();
        assert_eq!(listed(at, 1024), expected(64));
        // Far, and over itself in both directions.
        moved(at + 2 * PIECE, at, 1024);
        assert_eq!(listed(at + 2 * PIECE, 1024), expected(64));
        moved(at + 48, at, 1024);
        assert_eq!(listed(at + 48, 1024), expected(64));
        moved(at + 16, at + 48, 1024);
        assert_eq!(listed(at + 16, 1024), expected(64));
        // From where nothing is noted.
        moved(at + 2 * PIECE, at + PIECE + 2048, 512);
        assert_eq!(listed(at + 2 * PIECE, 512), []);
        // Not in step with places of unions.
        moved(at + 2 * PIECE + 512, at + 17, 500);
        assert_eq!(listed(at + 2 * PIECE + 512, 496), []);
    }
}

#[test]
fn codes_of_several_members() {
    let (shapes, a) = (shapes(), coded(900, 0b11));
    let types = shapes.types();
    assert_eq!(coded(900, 0b11), a);
    assert_ne!(coded(901, 0b11), a);
    assert_eq!(decoded(a, types), Some((900, 0b11)));
    assert_eq!(decoded(of(1, 63), types), Some((6, 1 << 63)));
    assert_eq!(decoded(of(4, 0), types), None);
    assert_eq!((coded(900, 0), decoded(0, types)), (0, None));
}

#[test]
fn notes_across_the_end_of_a_stretch() {
    let at = own(4 * STRETCH).next_multiple_of(STRETCH);
    let [here, next] = [1, 2].map(|n| at + n * STRETCH);
    let plain = here + 4096;
    let moved = |to: usize, from: usize| {
        // SAFETY: memory of this test, also below.
        unsafe { std::ptr::copy(from as *const u8, to as *mut u8, 64) };
        copy(to, from, 64, &shapes());
    };
    for (number, before) in [(2, 4), (2, 8), (2, 12), (2, 20), (0, 4)] {
        let n = size(number);
        let union = here - before;
        // One that touches it in front, and one behind.
        let all = [(union - 8, 0), (union, number), (union + n, 0)];
        for (i, (u, number)) in all.into_iter().enumerate() {
            for at in (u..u + size(number)).step_by(4) {
                write(at, (at as u32).wrapping_add(77));
            }
            // SAFETY: as above.
            unsafe { note(u, number as u32, 2 * i as u32) };
        }
        let expected: Vec<_> = all
            .iter()
            .enumerate()
            .map(|(i, (u, number))| (u + 8 - union, 5 + *number as u32, 1 << (2 * i)))
            .collect();
        let sorted = |at: usize| {
            let mut list = listed(at, 64);
            list.sort_unstable();
            list
        };
        let start = union - 8;
        assert_eq!(sorted(start), expected);
        // To where no end is, to another end, and over themselves.
        moved(plain, start);
        assert_eq!(sorted(plain), expected);
        let elsewhere = next - before - 12;
        moved(elsewhere, plain);
        assert_eq!(sorted(elsewhere), expected);
        moved(elsewhere + 4, elsewhere);
        assert_eq!(sorted(elsewhere + 4), expected);
        // Written in part with the bytes that were there; freed.
        cut(here, 0, &shapes());
        cut(here + 4, here, &shapes());
        assert!(sorted(start).iter().all(|u| u.0 != 8));
        clear(elsewhere, 68);
        write(elsewhere + 4, 1);
        assert_eq!(sorted(elsewhere + 4), []);
        clear(start, 64);
        clear(plain, 64);
    }
}

#[test]
fn where_nothing_is_noted() {
    let at = own(1024);
    assert!(nothing(at, 100));
    write(at + 96, 1);
    // SAFETY: memory of a test.
    unsafe { note(at + 96, 0, 1) };
    assert!(nothing(at, 96) && nothing(at + 112, 50));
    // Each length, and each end of what is read at once.
    for n in 98..120 {
        assert!(!nothing(at, n), "{n}");
    }
    for from in 0..10 {
        assert!(!nothing(at + 92 + from.min(4), 6 + from), "{from}");
    }
    // Of many bytes it is not looked at.
    assert!(!nothing(at + 128, SMALL + 1));
    clear(at + 96, 8);
    assert!(nothing(at, 120));
}
