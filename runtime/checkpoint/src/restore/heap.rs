//! Gives the objects of the heap their places: where they were, if the layout is the same and nothing else is there;
//! else new ones.

use pc3_heap::AddressRange;
use pc3_typemetric::plan::Plan;
use pc3_typemetric::types::TypeId;
use std::sync::Arc;

use super::{Name, Pending, RankBuilder, RestoreError};
use crate::address_map::SlabPlace;
use pc3_format::meta::{RankMeta, SlabMeta};
use pc3_format::read::Checkpoint;
use pc3_state::rank::Rank;

/// So many ranks would have too many mappings for a process, if each made its own where they were.
const MANY: usize = 1024;

/// Makes room for all heaps where they were, if there are many.
pub(super) fn reserve(checkpoint: &Checkpoint, ranks: &[Box<Rank>]) -> Result<(), RestoreError> {
    if ranks.len() > MANY {
        let mut all = Vec::new();
        for rank in ranks {
            all.extend(places(&checkpoint.directory(rank.id() as u64)?));
        }
        pc3_heap::reserve(&all);
    }
    Ok(())
}

/// What a rank's heap occupied.
fn places(meta: &RankMeta) -> Vec<AddressRange> {
    let large = meta.large.iter().map(|l| AddressRange {
        base: l.base as usize,
        len: (l.data.bytes as usize).saturating_add(1),
        slot: 0,
    });
    let slabs = meta.slabs.iter().map(|s| AddressRange {
        base: s.base as usize,
        len: (s.used() as usize).saturating_mul(s.slot as usize),
        slot: s.slot as usize,
    });
    large.chain(slabs).collect()
}

/// The alignment that objects had at such an address, by chance or because the program has asked for it: so they have it again.
fn alignment(at: u64) -> usize {
    1 << at.trailing_zeros().min(MOST_ALIGNED)
}

/// Larger ones only follow from where memory was mapped.
const MOST_ALIGNED: u32 = 22;

impl RankBuilder<'_, '_> {
    pub(super) fn heap(&mut self) -> Result<(), RestoreError> {
        let again = self.claim()?;
        let image = self.image;
        for l in &image.meta.large {
            let name = Name::Heap(l.ty);
            let (to, plan) = self.plans.find(l.ty).map_err(self.types(name))?;
            let bytes = self.size(&plan, l.data.bytes, name)?;
            let target = if again {
                let base = l.base as usize;
                let done = self.rank.heap.large_again(base, bytes, to.0);
                if done {
                    base
                } else {
                    0
                }
            } else {
                self.rank.about_to_allocate(to.0);
                let heap = &mut self.rank.heap;
                let made = heap.alloc_aligned_zeroed(alignment(l.base), bytes, to.0);
                match made.is_null() {
                    true => heap.alloc_zeroed(bytes, to.0) as usize,
                    false => made as usize,
                }
            };
            if target == 0 {
                return Err(self.memory(&format!("a heap object of {bytes} bytes")));
            }
            self.put(name, l.base, target);
            self.directory
                .object(l.base, l.data.bytes, l.ty, target, plan.clone());
            self.pending.push(Pending {
                name,
                start: l.base,
                span: l.data,
                target,
                bytes,
                plan,
                ty: l.ty,
                untyped: l.ty == TypeId::UNKNOWN,
            });
        }
        for s in &image.meta.slabs {
            let mut types = Vec::with_capacity(s.types.len());
            for ty in &s.types {
                types.push(self.plans.find(*ty).map_err(self.types(Name::Heap(*ty)))?);
            }
            let targets = if again {
                self.slab_again(s, &types)?
            } else {
                self.slab_anew(s, &types)?
            };
            if let (Some(i), Some(target)) = (s.slots().next(), targets.first()) {
                let ty = s.types.first().copied().unwrap_or(TypeId::UNKNOWN);
                self.put(Name::Heap(ty), s.base + i * s.slot, *target);
            }
            let plans = types.into_iter().map(|(_, plan)| plan).collect();
            self.directory.slab(SlabPlace::new(s, plans, targets));
        }
        Ok(())
    }

    /// Makes room for all of the heap where it was.
    fn claim(&mut self) -> Result<bool, RestoreError> {
        let meta = &self.image.meta;
        if self.directory.foreign() {
            return Ok(false);
        }
        for l in &meta.large {
            if !self.keeps_size(l.ty, l.data.bytes)? {
                return Ok(false);
            }
        }
        for s in &meta.slabs {
            let n = s.sizes.len().max(s.types.len());
            for (size, ty) in (0..n).filter_map(|k| s.object(k)) {
                if !self.keeps_size(ty, size)? {
                    return Ok(false);
                }
            }
        }
        Ok(self.rank.heap.claim(&places(meta)))
    }

    fn keeps_size(&mut self, ty: TypeId, bytes: u64) -> Result<bool, RestoreError> {
        let name = Name::Heap(ty);
        let (_, plan) = self.plans.find(ty).map_err(self.types(name))?;
        Ok(self.size(&plan, bytes, name)? as u64 == bytes)
    }

    fn slab_again(
        &mut self,
        s: &SlabMeta,
        types: &[(TypeId, Arc<Plan>)],
    ) -> Result<Vec<usize>, RestoreError> {
        let of = |k: usize| {
            let (size, _) = s.object(k)?;
            let (to, _) = types.get(k).or(types.first())?;
            Some((size as usize, to.0))
        };
        let heap = &mut self.rank.heap;
        if !heap.slab_again(s.base as usize, s.slot as usize, &s.occupied, of) {
            return Err(self.memory("the heap"));
        }
        let targets = s.slots().map(|i| (s.base + i * s.slot) as usize);
        Ok(targets.collect())
    }

    fn slab_anew(
        &mut self,
        s: &SlabMeta,
        types: &[(TypeId, Arc<Plan>)],
    ) -> Result<Vec<usize>, RestoreError> {
        let count = s.count() as usize;
        let mut targets = Vec::with_capacity(count);
        let align = alignment(s.base | s.slot);
        // One round for alike objects, else one per object.
        let alike = s.sizes.len() == 1 && s.types.len() == 1;
        let mut k = 0;
        while targets.len() < count {
            let (Some((size, ty)), Some((to, plan))) =
                (s.object(k), types.get(k).or(types.first()))
            else {
                break;
            };
            let bytes = self.size(plan, size, Name::Heap(ty))?;
            let n = if alike { count } else { 1 };
            self.rank.about_to_allocate(to.0);
            let made = self.rank.heap.alloc_many(align, bytes, to.0, n, |p| {
                // SAFETY: a fresh object of this size.
                unsafe { p.write_bytes(0, bytes) };
                targets.push(p as usize);
            });
            if made < n {
                return Err(self.memory("the heap"));
            }
            k += 1;
        }
        Ok(targets)
    }
}
