//! An arena that is built anew has every object where it was, and goes on as any other.

#![allow(clippy::unwrap_used)]

use pc3_heap::{AddressRange, Arena, Block};

type Objects = Vec<(usize, usize, u32)>;

fn objects(a: &Arena) -> Objects {
    let mut all = Vec::new();
    a.for_each_object(|o| all.push((o.base as usize, o.size, o.ty)));
    all
}

/// What a checkpoint holds of a block.
enum Saved {
    Slab(usize, usize, Vec<u64>, Vec<(usize, u32)>),
    Large(usize, usize, u32),
}

fn saved(a: &Arena) -> Vec<Saved> {
    let block = |b| match b {
        Block::Slab(s) => Saved::Slab(
            s.base() as usize,
            s.slot_size(),
            s.bitmap().collect(),
            s.objects().map(|o| (o.size, o.ty)).collect(),
        ),
        Block::Large(o) => Saved::Large(o.base as usize, o.size, o.ty),
    };
    a.blocks().map(block).collect()
}

fn places(saved: &[Saved]) -> Vec<AddressRange> {
    let place = |s: &Saved| match s {
        Saved::Slab(base, slot, bits, _) => {
            let word = bits.iter().rposition(|w| *w != 0).unwrap();
            let used = word * 64 + 64 - bits[word].leading_zeros() as usize;
            AddressRange {
                base: *base,
                len: used * slot,
                slot: *slot,
            }
        }
        Saved::Large(base, size, _) => AddressRange {
            base: *base,
            len: size + 1,
            slot: 0,
        },
    };
    saved.iter().map(place).collect()
}

fn rebuilt(saved: &[Saved]) -> Arena {
    let mut a = Arena::new(0);
    assert!(a.claim(&places(saved)));
    for s in saved {
        assert!(match s {
            Saved::Slab(base, slot, bits, objects) =>
                a.slab_again(*base, *slot, bits, |k| objects.get(k).copied()),
            Saved::Large(base, size, ty) => a.large_again(*base, *size, *ty),
        });
    }
    a
}

/// A heap of all sizes with holes in it.
fn filled(seed: u64) -> Arena {
    let mut a = Arena::new(0);
    let mut state = seed;
    let mut next = |n: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % n
    };
    let mut live = Vec::new();
    for _ in 0..4000 {
        if next(3) == 0 && !live.is_empty() {
            let p = live.swap_remove(next(live.len() as u64) as usize);
            a.free(p).unwrap();
            continue;
        }
        let size = match next(40) {
            0 => next(60_000),
            1 => next(3 << 20),
            _ => next(400),
        };
        let p = match next(20) {
            0 => a.alloc_aligned(64 << next(4), size as usize, 3),
            _ => a.alloc(size as usize, next(5) as u32),
        };
        assert!(!p.is_null());
        if next(9) == 0 {
            a.set_type(p, 7);
        }
        live.push(p);
    }
    a
}

// One test: addresses given back here must not go to another thread's.
#[test]
fn rebuilding() {
    as_it_was();
    what_overlaps_or_lies_askew_is_not_claimed();
}

fn as_it_was() {
    for seed in 1..6 {
        let first = filled(seed);
        let (before, kept) = (objects(&first), saved(&first));
        assert!(!Arena::new(1).claim(&places(&kept)), "it is in use");
        drop(first);
        let mut a = rebuilt(&kept);
        assert_eq!(objects(&a), before);
        for &(base, size, ty) in &before {
            let o = a.find(base + size).unwrap();
            assert_eq!((o.base as usize, o.size, o.ty), (base, size, ty));
        }
        // It goes on, also after being emptied of half of what there was.
        for &(base, ..) in before.iter().step_by(2) {
            a.free(base as *mut u8).unwrap();
        }
        let news: Vec<*mut u8> = (0..3000).map(|i| a.alloc(i * 7 % 9000, 2)).collect();
        for (i, p) in news.iter().enumerate() {
            // SAFETY: an object of this size.
            unsafe { p.write_bytes(1, i * 7 % 9000) };
        }
        for &(base, size, ty) in before.iter().skip(1).step_by(2) {
            let o = a.find(base).unwrap();
            assert_eq!((o.base as usize, o.size, o.ty), (base, size, ty));
            assert_eq!(
                a.realloc(base as *mut u8, size + 100, 0)
                    .map(|p| p.is_null()),
                Ok(false)
            );
        }
        news.iter().for_each(|p| a.free(*p).unwrap());
    }
}

fn what_overlaps_or_lies_askew_is_not_claimed() {
    let mut a = Arena::new(0);
    let p = a.alloc(100_000, 1) as usize;
    drop(a);
    let mut a = Arena::new(0);
    let place = |base, slot| AddressRange {
        base,
        len: 100_001,
        slot,
    };
    assert!(!a.claim(&[place(p, 0), place(p, 0)]));
    assert!(!a.claim(&[place(p + 16, 0)]));
    assert!(!a.claim(&[place(p, 17)]), "no class has such slots");
    assert!(!a.claim(&[place(usize::MAX - 5000, 0)]));
    assert!(a.claim(&[place(p, 0)]));
}
