//! Random sequences of requests against a model that keeps every object in a map.

#![allow(clippy::unwrap_used)]

use pc3_heap::{Arena, Fault};
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
enum Op {
    Alloc(usize, u32),
    Zeroed(usize, u32),
    Aligned(u32, usize, u32),
    Many(usize, u32, usize),
    Realloc(usize, usize, u32),
    Free(usize),
    /// Frees every second object from here on.
    FreeHalf(usize),
    SetType(usize, u32),
    BadFree(usize, usize),
}

fn size() -> impl Strategy<Value = usize> {
    prop_oneof![
        6 => 0usize..200,
        2 => Just(24usize),
        2 => 200usize..9000,
        2 => 8_180usize..70_000,
        1 => 200_000usize..3_000_000,
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let ty = 0u32..6;
    let pick = 0usize..1_000_000;
    prop_oneof![
        8 => (size(), ty.clone()).prop_map(|(s, t)| Op::Alloc(s, t)),
        2 => (size(), ty.clone()).prop_map(|(s, t)| Op::Zeroed(s, t)),
        1 => (0u32..18, size(), ty.clone()).prop_map(|(a, s, t)| Op::Aligned(a, s, t)),
        1 => (0usize..300, ty.clone(), 0usize..2000).prop_map(|(s, t, n)| Op::Many(s, t, n)),
        4 => (pick.clone(), size(), ty.clone()).prop_map(|(i, s, t)| Op::Realloc(i, s, t)),
        6 => pick.clone().prop_map(Op::Free),
        1 => pick.clone().prop_map(Op::FreeHalf),
        1 => (pick.clone(), ty).prop_map(|(i, t)| Op::SetType(i, t)),
        1 => (pick, 1usize..5000).prop_map(|(i, d)| Op::BadFree(i, d)),
    ]
}

struct Model {
    arena: Arena,
    /// Address → size, type, first byte of the pattern in it.
    objects: BTreeMap<usize, (usize, u32, u8)>,
    stamp: u8,
}

/// Where patterns are written and looked for: everywhere, in large objects at both ends and here and there.
fn places(size: usize) -> impl Iterator<Item = usize> {
    (0..size.min(2048))
        .chain((2048..size.saturating_sub(2048)).step_by(997))
        .chain(size.saturating_sub(2048).max(2048)..size)
}

fn pattern(seed: u8, i: usize) -> u8 {
    seed.wrapping_add((i / 7) as u8)
}

impl Model {
    fn add(&mut self, p: *mut u8, size: usize, ty: u32) {
        assert!(!p.is_null());
        assert_eq!(p as usize % 16, 0);
        self.stamp = self.stamp.wrapping_add(29);
        for i in places(size) {
            unsafe { p.add(i).write(pattern(self.stamp, i)) };
        }
        assert!(self
            .objects
            .insert(p as usize, (size, ty, self.stamp))
            .is_none());
        let before = self.objects.range(..p as usize).next_back();
        assert!(
            before.is_none_or(|(b, (s, ..))| b + s < p as usize),
            "objects touch"
        );
        let after = self.objects.range(p as usize + 1..).next();
        assert!(
            after.is_none_or(|(b, _)| p as usize + size < *b),
            "objects touch"
        );
    }

    fn pick(&self, i: usize) -> Option<usize> {
        let n = self.objects.len();
        self.objects
            .keys()
            .nth(if n == 0 { 0 } else { i % n })
            .copied()
    }

    fn intact(p: usize, size: usize, len: usize, seed: u8) {
        for i in places(size).take_while(|&i| i < len) {
            assert_eq!(
                unsafe { *(p as *const u8).add(i) },
                pattern(seed, i),
                "byte {i} of {size}"
            );
        }
    }

    fn free(&mut self, p: usize) {
        let (size, _, seed) = self.objects.remove(&p).unwrap();
        Self::intact(p, size, size, seed);
        assert_eq!(self.arena.free(p as *mut u8), Ok(()));
        let again = self.arena.free(p as *mut u8);
        // Unmapped memory is nobody's any more.
        assert!(
            matches!(again, Err(Fault::Freed | Fault::Foreign)),
            "{again:?}"
        );
    }

    fn step(&mut self, op: &Op) {
        match *op {
            Op::Alloc(size, ty) => {
                let p = self.arena.alloc(size, ty);
                self.add(p, size, ty);
            }
            Op::Zeroed(size, ty) => {
                let p = self.arena.alloc_zeroed(size, ty);
                // The memory may have been used before: every byte counts.
                let bytes = unsafe { std::slice::from_raw_parts(p, size) };
                assert!(
                    bytes.chunks(4096).all(|c| c == &[0; 4096][..c.len()]),
                    "{size} bytes"
                );
                self.add(p, size, ty);
            }
            Op::Aligned(align, size, ty) => {
                let p = self.arena.alloc_aligned(1 << align, size, ty);
                assert_eq!(p as usize % (1 << align), 0);
                self.add(p, size, ty);
            }
            Op::Many(size, ty, n) => {
                let mut got = Vec::new();
                assert_eq!(self.arena.alloc_many(1, size, ty, n, |p| got.push(p)), n);
                got.into_iter().for_each(|p| self.add(p, size, ty));
            }
            Op::Realloc(i, size, ty) => {
                let Some(p) = self.pick(i) else { return };
                let (old, old_ty, seed) = self.objects.remove(&p).unwrap();
                let new = self.arena.realloc(p as *mut u8, size, ty).unwrap();
                Self::intact(new as usize, old, size, seed);
                self.add(new, size, if ty == 0 { old_ty } else { ty });
            }
            Op::Free(i) => {
                if let Some(p) = self.pick(i) {
                    self.free(p);
                }
            }
            Op::FreeHalf(i) => {
                let doomed: Vec<usize> = self
                    .objects
                    .keys()
                    .copied()
                    .skip(i % 7)
                    .step_by(2)
                    .collect();
                doomed.into_iter().for_each(|p| self.free(p));
            }
            Op::SetType(i, ty) => {
                if let Some(p) = self.pick(i) {
                    assert!(self.arena.set_type(p as *mut u8, ty));
                    self.objects.get_mut(&p).unwrap().1 = ty;
                }
            }
            Op::BadFree(i, distance) => {
                let Some(p) = self.pick(i) else { return };
                let bad = p + distance;
                if !self.objects.contains_key(&bad) {
                    assert!(self.arena.free(bad as *mut u8).is_err());
                    assert!(self.arena.realloc(bad as *mut u8, 1, 0).is_err());
                    assert!(!self.arena.set_type(bad as *mut u8, 1));
                }
            }
        }
    }

    fn compare(&self) {
        let mut seen = BTreeMap::new();
        self.arena.for_each_object(|o| {
            assert!(seen.insert(o.base as usize, (o.size, o.ty)).is_none());
        });
        let expected: BTreeMap<_, _> = self
            .objects
            .iter()
            .map(|(&p, &(s, t, _))| (p, (s, t)))
            .collect();
        assert_eq!(seen, expected);
        for (&p, &(size, ty, seed)) in &self.objects {
            Self::intact(p, size, size, seed);
            assert_eq!(self.arena.size_of(p as *const u8), Some(size));
            for at in [0, 1, size / 2, size.saturating_sub(1), size] {
                if at <= size {
                    let found = self.arena.find(p + at).unwrap();
                    assert_eq!(
                        (found.base as usize, found.size, found.ty),
                        (p, size, ty),
                        "offset {at}"
                    );
                }
            }
            for at in [size + 1, size + 15, size + 40_000] {
                let owner = self.objects.range(..=p + at).next_back().unwrap();
                let inside = p + at <= owner.0 + owner.1 .0;
                assert_eq!(
                    self.arena.find(p + at).map(|o| o.base as usize),
                    inside.then_some(*owner.0)
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn behaves_like_a_map(ops in prop::collection::vec(op(), 1..150)) {
        let mut model = Model { arena: Arena::new(0), objects: BTreeMap::new(), stamp: 0 };
        for op in &ops {
            model.step(op);
        }
        model.compare();
        while let Some(p) = model.pick(0) {
            model.free(p);
        }
        prop_assert_eq!(model.arena.blocks().count(), 0);
    }
}
