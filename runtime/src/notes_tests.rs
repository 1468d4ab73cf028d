use super::*;
use std::alloc::{alloc_zeroed, Layout};

/// Memory that no other test has had, or will have: notes stay where they were made.
fn own(bytes: usize) -> usize {
    let layout = Layout::from_size_align(bytes, 64).unwrap();
    // SAFETY: not of size zero; never freed.
    unsafe { alloc_zeroed(layout) as usize }
}

const TYPES: &[u32] = &[5, 6, 7];
/// Unions of these types have so many bytes.
fn size(ty: u32) -> Option<usize> {
    match ty {
        5 => Some(8),
        6 => Some(4),
        7 => Some(24),
        _ => None,
    }
}

fn of(number: u32, k: u32) -> u32 {
    NOTES_CODES + (number << 6 | k)
}

fn listed(at: usize, bytes: usize) -> Vec<(usize, u32, u64)> {
    let mut list = Vec::new();
    // SAFETY: memory of a test.
    unsafe {
        each(at, bytes, TYPES, size, |a, ty, m| {
            list.push((a - at, ty, m))
        })
    };
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
            set(
                at + offset,
                size(TYPES[*number as usize]).unwrap(),
                of(*number, i as u32),
            );
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
        // Only what lies in the object as a whole.
        assert_eq!(listed(at + 4, 48), [(4, 6, 2), (8, 6, 4), (12, 5, 8)]);
        write(at + 8, 1);
        write(at + 52, 1);
        assert_eq!(code(at + 8, 4), 0);
        assert_eq!(
            listed(at, 64),
            [(0, 5, 1), (12, 6, 4), (16, 5, 8), (56, 5, 32)]
        );
        write(at + 52, 0);
        assert_eq!(code(at + 32, 24), of(2, 4));
        clear(at + 12, 4);
        clear(at + 16, 8);
        assert_eq!(listed(at, 64), [(0, 5, 1), (32, 7, 16), (56, 5, 32)]);
    }
}

#[test]
fn part_of_a_union_is_not_the_union() {
    for (offset, bytes, left) in [
        (0, 24, true),
        (24, 24, false),
        (46, 1, false),
        (24, 1, false),
        (48, 16, true),
        (20, 8, false),
        (0, 128, true),
    ] {
        let at = own(128);
        // SAFETY: as above.
        unsafe { set(at + 24, 24, of(2, 0)) };
        cut(at + offset, bytes, TYPES, 24, size);
        let inside = (offset, bytes) == (24, 24);
        assert_eq!(
            !listed(at, 128).is_empty(),
            left || inside,
            "{offset} {bytes}"
        );
    }
}

#[test]
fn copies_have_the_notes_of_what_was_copied() {
    let at = own(3 * PIECE);
    let moved = |to: usize, from: usize, n: usize| {
        // SAFETY: as above.
        unsafe { std::ptr::copy(from as *const u8, to as *mut u8, n) };
        copy(to, from, n, TYPES, size);
    };
    // SAFETY: as above.
    unsafe {
        for i in 0..64 {
            write(at + 16 * i, 7 * i as u32);
            set(at + 16 * i, 8, of(0, i as u32));
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
    let a = coded(900, 0b11);
    assert_eq!(coded(900, 0b11), a);
    assert_ne!(coded(901, 0b11), a);
    assert_eq!(decoded(a, TYPES), Some((900, 0b11)));
    assert_eq!(decoded(of(1, 63), TYPES), Some((6, 1 << 63)));
    assert_eq!(decoded(of(3, 0), TYPES), None);
    assert_eq!((coded(900, 0), decoded(0, TYPES)), (0, None));
}

#[test]
fn notes_across_the_end_of_a_stretch() {
    let at = own(4 * STRETCH).next_multiple_of(STRETCH);
    let [here, next] = [1, 2].map(|n| at + n * STRETCH);
    let plain = here + 4096;
    let moved = |to: usize, from: usize| {
        // SAFETY: memory of this test, also below.
        unsafe { std::ptr::copy(from as *const u8, to as *mut u8, 64) };
        copy(to, from, 64, TYPES, size);
    };
    for (number, before) in [(2, 4), (2, 8), (2, 12), (2, 20), (0, 4)] {
        let n = size(TYPES[number]).unwrap();
        let union = here - before;
        // One that touches it in front, and one behind.
        let all = [(union - 8, 0), (union, number), (union + n, 0)];
        for (i, (u, number)) in all.into_iter().enumerate() {
            let bytes = size(TYPES[number]).unwrap();
            for at in (u..u + bytes).step_by(4) {
                write(at, (at as u32).wrapping_add(77));
            }
            // SAFETY: as above.
            unsafe { set(u, bytes, of(number as u32, i as u32)) };
        }
        let expected: Vec<_> = all
            .iter()
            .enumerate()
            .map(|(i, (u, number))| (u + 8 - union, TYPES[*number], 1 << i))
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
        cut(here, 4, TYPES, 24, size);
        assert!(sorted(start).iter().all(|u| u.0 != 8));
        clear(elsewhere, 68);
        write(elsewhere + 4, 1);
        assert_eq!(sorted(elsewhere + 4), []);
        clear(start, 64);
        clear(plain, 64);
    }
}
