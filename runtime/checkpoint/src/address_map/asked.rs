//! What else is asked of addresses in a checkpoint than where they lead.

use std::collections::HashMap;

use pc3_typemetric::plan::Plan;
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

use pc3_state::first_numbers::MovedObject;

use super::rules::stands;
use super::{Directory, Mapped};

impl Directory {
    /// Start and size of the object that an address is in.
    pub fn extent(&self, addr: u64) -> Option<(u64, u64)> {
        let after = self.ranges.partition_point(|r| r.start <= addr);
        let range = after.checked_sub(1).map(|i| &self.ranges[i])?;
        match &range.what {
            _ if addr > range.last => None,
            Mapped::Object { size, .. } => Some((range.start, *size)),
            Mapped::Slab(i) => {
                let object = self.slabs[*i].find(addr)?;
                Some((addr - object.offset, object.size))
            }
            Mapped::Function(_) => None,
        }
    }

    /// Could a pointer to a `wanted` be into the object that lies at an address?  Where types do not tell, it could.
    pub(crate) fn could_hold(&self, types: &TypeTable, addr: u64, wanted: TypeId) -> bool {
        let after = self.ranges.partition_point(|r| r.start <= addr);
        let Some(range) = after.checked_sub(1).map(|i| &self.ranges[i]) else {
            return false;
        };
        let (ty, size, offset) = match &range.what {
            Mapped::Object { ty, size, .. } => (*ty, *size, addr - range.start),
            Mapped::Slab(i) => match self.slabs[*i].find(addr) {
                Some(o) => (o.ty, o.size, o.offset),
                None => return false,
            },
            Mapped::Function(_) => return true,
        };
        let (one, width) = (types.size(ty), types.size(wanted));
        if width == 0 || one == 0 || types.get(wanted).kind == Kind::Char {
            return true;
        }
        let alone = matches!(range.what, Mapped::Object { .. })
            && one == size
            && !matches!(types.get(ty).kind, Kind::Array | Kind::Struct | Kind::Union);
        // Nobody points behind a variable that is no array.
        let behind = offset >= width && !alone && stands(types, ty, (offset - width) % one, wanted);
        behind || (offset < size && stands(types, ty, offset % one, wanted))
    }

    /// Does an object begin less than `reach` behind it?  What lies behind all objects may be the C library's.
    pub(crate) fn is_in_front(&self, addr: u64, reach: u64) -> bool {
        let after = self.ranges.partition_point(|r| r.start <= addr);
        let next = self.ranges.get(after);
        next.is_some_and(|r| r.start - addr < reach)
    }

    /// From the first to the last address of what began at `from` or above and is elsewhere now; literals and
    /// functions apart.
    pub fn moved(&self, from: u64) -> Option<(u64, u64)> {
        let high = self.ranges.iter().filter(|r| r.start >= from);
        let moved = high.filter(|r| match &r.what {
            Mapped::Object {
                target, literal, ..
            } => !literal && *target as u64 != r.start,
            Mapped::Slab(i) => self.slabs[*i].targets().first() != Some(&(r.start as usize)),
            Mapped::Function(_) => false,
        });
        moved.fold(None, |all, r| match all {
            None => Some((r.start, r.last)),
            Some((low, high)) => Some((low.min(r.start), high.max(r.last))),
        })
    }

    /// All that has an address.
    pub fn each(&self, f: &mut dyn FnMut(MovedObject)) {
        let mut f = |start, size, target, alike| {
            f(MovedObject {
                start,
                size,
                target,
                alike,
            });
        };
        let mut known: HashMap<(*const Plan, u64), bool> = HashMap::new();
        let mut alike = |plan: &Plan, size: u64| {
            let kept = || keeps_places(plan, size);
            !self.foreign || *known.entry((plan, size)).or_insert_with(kept)
        };
        for r in &self.ranges {
            match &r.what {
                Mapped::Object {
                    target, size, plan, ..
                } => f(r.start, *size, *target, alike(plan, *size)),
                Mapped::Slab(i) => self.slabs[*i].each(&mut |start, size, target, plan| {
                    f(start, size, target, alike(plan, size));
                }),
                Mapped::Function(target) => f(r.start, 1, *target, true),
            }
        }
    }

    /// Is `addr` one of the first `tags` addresses of an object that is elsewhere now?
    pub(crate) fn leads_away(&self, addr: u64, tags: u64) -> bool {
        let after = self.ranges.partition_point(|r| r.start <= addr);
        let Some(range) = after.checked_sub(1).map(|i| &self.ranges[i]) else {
            return false;
        };
        let object = match &range.what {
            _ if addr > range.last => None,
            Mapped::Object {
                target,
                literal: false,
                ..
            } => Some((*target, addr - range.start)),
            Mapped::Slab(i) => self.slabs[*i].find(addr).map(|o| (o.target, o.offset)),
            _ => None,
        };
        object.is_some_and(|(target, offset)| offset < tags && target as u64 + offset != addr)
    }
}

/// So many bytes of an object are looked at; what repeats does so earlier.
const LOOKED_AT: u64 = 4096;

/// Lies everything in an object of so many bytes where it did?
fn keeps_places(plan: &Plan, size: u64) -> bool {
    let same = |at: u64| match plan.map_offset(size, at, TypeId::UNKNOWN) {
        Ok(here) => here == at,
        // Nothing that a pointer could lead to.
        Err(_) => true,
    };
    plan.dst_size(size).is_ok_and(|here| here == size) && (0..size.min(LOOKED_AT)).all(same)
}
