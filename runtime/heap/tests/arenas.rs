//! Faults, sizes at the edges, order, and several arenas at once.

use pc3_heap::{Arena, Block, Fault};

#[test]
fn impossible_sizes_are_null() {
    let mut a = Arena::new(0);
    for size in [
        usize::MAX,
        usize::MAX - 16,
        isize::MAX as usize,
        isize::MAX as usize - 100_000,
    ] {
        assert!(a.alloc(size, 1).is_null());
        assert!(a.alloc_zeroed(size, 1).is_null());
        assert!(a.alloc_aligned(4096, size, 1).is_null());
        let p = a.alloc(10, 1);
        assert_eq!(a.realloc(p, size, 1), Ok(std::ptr::null_mut()));
        assert_eq!(a.size_of(p), Some(10));
        let big = a.alloc(5 << 20, 1);
        assert_eq!(a.realloc(big, size, 1), Ok(std::ptr::null_mut()));
        assert_eq!(a.size_of(big), Some(5 << 20));
    }
    assert!(a.alloc_aligned(24, 8, 1).is_null(), "not a power of two");
    let half = usize::MAX / 2 + 1;
    assert_eq!(
        a.alloc_aligned(half, 8, 1) as usize % half,
        0,
        "null on 64-bit hosts"
    );
}

#[test]
fn size_zero_is_unique() {
    let mut a = Arena::new(0);
    let (p, q) = (a.alloc(0, 1), a.alloc(0, 1));
    assert!(!p.is_null() && p != q);
    assert_eq!(
        (a.size_of(p), a.find(p as usize).map(|o| o.base)),
        (Some(0), Some(p))
    );
    assert_eq!(a.find(p as usize + 1), None);
}

#[test]
fn faults() {
    let (mut a, mut b) = (Arena::new(1), Arena::new(2));
    let local = 0u64;
    assert_eq!(
        a.free((&raw const local).cast_mut().cast()),
        Err(Fault::Foreign)
    );
    assert_eq!(a.free(std::ptr::null_mut()), Err(Fault::Foreign));
    assert_eq!(a.free(usize::MAX as *mut u8), Err(Fault::Foreign));
    for size in [1, 100, 8000, 20_000, 5 << 20] {
        let p = b.alloc(size, 1);
        assert_eq!(a.free(p), Err(Fault::OtherArena { tag: 2 }), "{size}");
        assert_eq!(a.find(p as usize), None);
        assert_eq!(a.size_of(p), None);
        for inside in [1, 8, 16, size / 2] {
            if (1..size).contains(&inside) {
                assert_eq!(
                    b.free(p.wrapping_add(inside)),
                    Err(Fault::Interior),
                    "{size} + {inside}"
                );
            }
        }
        assert_eq!(b.free(p), Ok(()));
        // What was unmapped may be another test's arena by now.
        let again = b.free(p);
        assert!(
            again.is_err_and(|f| f != Fault::OtherArena { tag: 2 }),
            "{size}: {again:?}"
        );
        assert!(b.realloc(p, 1, 0).is_err());
    }
}

#[test]
fn a_dropped_arena_leaves_nothing() {
    // Tests beside this one map memory too, perhaps where the dropped arena was: what counts is
    // that nothing answers for *its* tag, which no other test has.
    const DROPPED: u32 = 0xd409;
    let mut a = Arena::new(DROPPED);
    let all: Vec<_> = [1, 100, 8000, 20_000, 5 << 20]
        .map(|s| Arena::alloc(&mut a, s, 1))
        .to_vec();
    drop(a);
    let mut b = Arena::new(2);
    for p in all {
        match b.free(p) {
            Err(Fault::Foreign) => {}
            Err(Fault::OtherArena { tag }) => assert_ne!(tag, DROPPED),
            other => panic!("{other:?}"),
        }
    }
}

/// Offsets of objects from their slab's base, in order, and the slabs' properties.
fn shape(a: &Arena) -> Vec<(usize, usize, u32, Vec<usize>)> {
    a.blocks()
        .map(|block| match block {
            Block::Slab(s) => {
                assert_eq!(s.used(), s.objects().count());
                assert_eq!(
                    s.used(),
                    s.bitmap().map(|w| w.count_ones() as usize).sum::<usize>()
                );
                (
                    s.slot_size(),
                    s.size().unwrap_or(0),
                    s.ty().unwrap_or(999),
                    s.occupied().collect(),
                )
            }
            Block::Large(o) => (0, o.size, o.ty, vec![]),
        })
        .collect()
}

#[test]
fn order_depends_on_requests_only() {
    let run = || {
        let mut a = Arena::new(0);
        let mut live = Vec::new();
        let mut seed = 1u32;
        for _ in 0..20_000 {
            seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            let (size, ty) = (
                (seed >> 8) as usize % 300 * if seed >> 28 == 0 { 100 } else { 1 },
                seed >> 30,
            );
            if seed >> 20 & 3 == 0 && !live.is_empty() {
                let p = live.swap_remove(seed as usize % live.len());
                assert_eq!(a.free(p), Ok(()));
            } else {
                live.push(a.alloc(size, ty));
            }
        }
        shape(&a)
    };
    let first = run();
    assert!(first.len() > 50);
    assert_eq!(first, run());
}

#[test]
fn a_slab_of_one_size_and_type_says_so() {
    let mut a = Arena::new(0);
    let mut all = Vec::new();
    assert_eq!(a.alloc_many(1, 40, 7, 100, |p| all.push(p)), 100);
    assert_eq!(shape(&a), [(48, 40, 7, (0..100).collect())]);
    assert!(a.set_type(all[3], 8));
    assert_eq!(a.find(all[3] as usize + 40).map(|o| o.ty), Some(8));
    assert_eq!(a.find(all[4] as usize).map(|o| o.ty), Some(7));
    assert_eq!(shape(&a)[0].2, 999);
    assert_eq!(a.free(all[3]), Ok(()));
    assert_eq!(a.alloc(40, 7), all[3]);
    assert_eq!(
        a.find(all[3] as usize).map(|o| o.ty),
        Some(7),
        "the next owner starts afresh"
    );
    assert_eq!(a.alloc(33, 7) as usize % 16, 0);
    assert_eq!(shape(&a)[0].1, 0, "sizes differ");
}

#[test]
fn freed_memory_serves_other_types() {
    let mut a = Arena::new(0);
    let mut high = 0;
    for ty in 0..50 {
        let mut all = Vec::new();
        assert_eq!(
            a.alloc_many(1, 24 + 16 * (ty as usize % 5), ty, 20_000, |p| all.push(p)),
            20_000
        );
        for p in all {
            assert_eq!(a.free(p), Ok(()));
        }
        high = high.max(a.mapped());
    }
    // One round needs about 2 MiB; regions double.
    assert!(high <= 16 << 20, "{high}");
}

#[test]
fn many_idle_arenas_are_cheap() {
    let arenas: Vec<Arena> = (0..4096).map(Arena::new).collect();
    assert_eq!(arenas.iter().map(Arena::mapped).sum::<usize>(), 0);
    assert!(size_of::<Arena>() < 1024);
}

#[test]
fn arenas_on_threads() {
    let threads: Vec<_> = (0..8u32)
        .map(|tag| {
            std::thread::spawn(move || {
                let mut a = Arena::new(tag);
                let mut live: Vec<(*mut u32, usize)> = Vec::new();
                let mut seed = tag;
                for i in 0..30_000usize {
                    seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
                    if i % 3 == 2 {
                        let (p, _) = live.swap_remove(seed as usize % live.len());
                        assert_eq!(unsafe { *p }, p as usize as u32 ^ tag);
                        assert_eq!(a.free(p.cast()), Ok(()));
                    } else {
                        let size =
                            4 + (seed >> 12) as usize % if i % 50 == 0 { 1_500_000 } else { 400 };
                        let p: *mut u32 = a.alloc(size, 1).cast();
                        unsafe { *p = p as usize as u32 ^ tag };
                        live.push((p, size));
                        if live.len() > 200 {
                            let (p, _) = live.remove(0);
                            assert_eq!(a.free(p.cast()), Ok(()));
                        }
                    }
                }
                for (p, size) in live {
                    assert_eq!(a.size_of(p.cast()), Some(size));
                    assert_eq!(unsafe { *p }, p as usize as u32 ^ tag);
                }
                a
            })
        })
        .collect();
    for thread in threads {
        assert!(thread.join().is_ok());
    }
}

/// Is all of an object zero?
unsafe fn is_clear(p: *const u8, size: usize) -> bool {
    std::slice::from_raw_parts(p, size).iter().all(|b| *b == 0)
}

#[test]
fn large_objects_have_nothing_of_other_types_in_them() {
    let mut a = Arena::new(0);
    for size in [20_000, 300_000, 3 << 20] {
        // SAFETY: each object is used while it is alive, within its size.
        unsafe {
            let first = a.alloc(size, 1);
            first.write_bytes(0xff, size);
            a.free(first).unwrap();
            let same = a.alloc(size, 1);
            assert_eq!((same, *same), (first, 0xff), "{size}: as it was left");
            a.free(same).unwrap();
            let other = a.alloc(size, 2);
            assert_eq!(other, first);
            assert!(is_clear(other, size), "{size}");
            // Grown into what a third type has left behind it.
            let behind = a.alloc(size, 3);
            behind.write_bytes(0xff, size);
            a.free(behind).unwrap();
            let grown = a.realloc(other, size + size / 2, 2).unwrap();
            assert!(is_clear(grown, size + size / 2), "{size}, grown");
            // Made smaller, its rest is of that type; of another type as a whole, nothing is left of it.
            grown.write_bytes(0xff, size + size / 2);
            let less = a.realloc(grown, size / 2, 4).unwrap();
            a.free(less).unwrap();
            let last = a.alloc(size, 4);
            assert!(is_clear(last, size), "{size}, of two types");
            a.free(last).unwrap();
        }
    }
}

#[test]
fn who_frees_an_object_can_see_it_and_a_page_of_one_type_says_so() {
    let mut a = Arena::new(0);
    let (small, large) = (a.alloc(24, 5), a.alloc(1 << 20, 6));
    assert_eq!(a.common_type(small as usize + 3), Some(5));
    assert_eq!(a.common_type(large as usize), None);
    assert_eq!(a.common_type(&raw const a as usize), None);
    let other = a.alloc(24, 5);
    assert!(a.set_type(other, 7));
    assert_eq!(a.common_type(small as usize), None);
    let mut seen = Vec::new();
    for p in [small, large, other] {
        a.free_seen(p, |ty, n| seen.push((ty, n))).unwrap();
        assert!(a.free_seen(p, |_, _| panic!("it is gone")).is_err());
    }
    assert_eq!(seen, [(5, 24), (6, 1 << 20), (7, 24)]);
}
