//! Slabs of a checkpoint: equal slots, of which the occupied ones have a target each.

use std::sync::Arc;

use pc3_typemetric::plan::Plan;
use pc3_typemetric::types::TypeId;

use super::Object;
use pc3_format::meta::SlabMeta;

/// Equal slots: the occupied ones have a target each.
#[derive(Debug)]
pub struct SlabPlace {
    base: u64,
    slot: u64,
    occupied: Vec<u64>,
    /// Occupied slots before each word of the bitmap.
    before: Vec<u32>,
    sizes: Vec<u64>,
    types: Vec<TypeId>,
    plans: Vec<Arc<Plan>>,
    targets: Vec<usize>,
    /// `targets` again, if they are few stretches of equal steps: pointers go everywhere, and this stays in the cache.
    stretches: Option<Stretches>,
}

#[derive(Debug)]
struct Stretches {
    step: usize,
    /// First index and its target.
    starts: Vec<(usize, usize)>,
}

impl Stretches {
    const MOST: usize = 8;

    fn of(targets: &[usize]) -> Option<Stretches> {
        let step = targets.get(1)?.wrapping_sub(targets[0]);
        let mut starts: Vec<(usize, usize)> = Vec::new();
        let mut expected = None;
        for (k, &t) in targets.iter().enumerate() {
            if expected != Some(t) {
                if starts.len() == Self::MOST {
                    return None;
                }
                starts.push((k, t));
            }
            expected = Some(t.wrapping_add(step));
        }
        Some(Stretches { step, starts })
    }

    #[inline]
    fn get(&self, k: usize) -> Option<usize> {
        let (first, target) = self.starts.iter().rev().find(|(first, _)| *first <= k)?;
        Some(target.wrapping_add((k - first).wrapping_mul(self.step)))
    }
}

impl SlabPlace {
    /// `plans` and `targets` are of the occupied slots in order; one plan if all are equal.
    pub fn new(meta: &SlabMeta, plans: Vec<Arc<Plan>>, targets: Vec<usize>) -> SlabPlace {
        let mut sum = 0;
        let before = meta
            .occupied
            .iter()
            .map(|w| {
                let n = sum;
                sum += w.count_ones();
                n
            })
            .collect();
        let (occupied, sizes) = (meta.occupied.clone(), meta.sizes.clone());
        SlabPlace {
            base: meta.base,
            slot: meta.slot,
            occupied,
            before,
            sizes,
            types: meta.types.clone(),
            plans,
            stretches: Stretches::of(&targets),
            targets,
        }
    }

    pub fn targets(&self) -> &[usize] {
        &self.targets
    }

    /// The plan of the `k`-th object.
    pub fn plan(&self, k: usize) -> &Plan {
        &self.plans[if self.plans.len() == 1 { 0 } else { k }]
    }

    /// Its objects: where each began, its size, where it is, its plan.
    pub(super) fn each(&self, f: &mut dyn FnMut(u64, u64, usize, &Plan)) {
        let slots = self.occupied.iter().enumerate().flat_map(|(i, word)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 != 0);
            bits.map(move |bit| i as u64 * 64 + bit)
        });
        for (k, slot) in slots.enumerate() {
            let size = self.sizes[if self.sizes.len() == 1 { 0 } else { k }];
            let plan = self.plan(k);
            f(self.base + slot * self.slot, size, self.targets[k], plan);
        }
    }

    /// From its first address to the last one of an object's.
    pub(super) fn span(&self) -> (u64, u64) {
        let bytes = self.slot * self.occupied.len() as u64 * 64;
        // The bitmap's last word may reach beyond the page: the next range begins earlier then.
        let used = self
            .occupied
            .iter()
            .rposition(|w| *w != 0)
            .map_or(0, |word| {
                (word as u64 * 64 + u64::from(64 - self.occupied[word].leading_zeros())) * self.slot
            });
        (self.base, self.base + used.min(bytes).saturating_sub(1))
    }

    #[inline]
    pub(super) fn find(&self, addr: u64) -> Option<Object<'_>> {
        let from_base = addr - self.base;
        let slot = from_base / self.slot;
        let offset = from_base - slot * self.slot;
        let (word, bit) = ((slot / 64) as usize, slot % 64);
        let bits = *self.occupied.get(word)?;
        if bits >> bit & 1 == 0 {
            return None;
        }
        let k = self.before[word] as usize + (bits & ((1 << bit) - 1)).count_ones() as usize;
        let size = self.sizes[if self.sizes.len() == 1 { 0 } else { k }];
        (offset <= size).then(|| Object {
            target: self
                .stretches
                .as_ref()
                .and_then(|s| s.get(k))
                .unwrap_or_else(|| self.targets[k]),
            plan: self.plan(k),
            size,
            offset,
            ty: self.types[if self.types.len() == 1 { 0 } else { k }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_say_what_the_list_says() {
        let check = |targets: &[usize], known: bool| {
            let s = Stretches::of(targets);
            assert_eq!(s.is_some(), known, "{targets:?}");
            if let Some(s) = s {
                let all: Vec<_> = (0..targets.len()).map(|k| s.get(k)).collect();
                let expected: Vec<_> = targets.iter().map(|t| Some(*t)).collect();
                assert_eq!(all, expected);
            }
        };
        check(&[], false);
        check(&[16], false);
        check(&[16, 48, 80, 112], true);
        check(&[16, 48, 80, 4096, 4128, 8, 40], true);
        check(&[96, 64, 32, 0], true);
        let scattered: Vec<usize> = (0..40).map(|k| k * k * 16).collect();
        check(&scattered, false);
    }
}
