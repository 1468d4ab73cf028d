//! The system's memory that the program points to, as it was: the environment.

use pc3_typemetric::types::{Kind, TypeTable};

use super::{Name, Pending, RankBuilder, RestoreError};
use crate::address_map::address_scan::number;
use pc3_format::lent::LentMeta;
use pc3_format::read::RankImage;

impl RankBuilder<'_, '_> {
    /// The environment that it points into, if it does, becomes memory of the program.
    pub(super) fn lent(&mut self, strings: &[(u64, u64, usize)]) -> Result<(), RestoreError> {
        let image = self.image;
        if !leads_into(self.plans.source, image) {
            return Ok(());
        }
        let known = |l: &&LentMeta| strings.iter().any(|s| s.0 == l.addr);
        for l in image.lent.iter().filter(|l| !known(l)) {
            let name = Name::Environment;
            let (to, plan) = self.plans.find(l.ty).map_err(self.types(name))?;
            let bytes = self.size(&plan, l.data.bytes, name)?;
            let end = usize::from(self.plans.source.get(l.ty).kind == Kind::Char);
            self.rank.about_to_allocate(to.0);
            let target = self.rank.heap.alloc_zeroed(bytes + end, to.0) as usize;
            if target == 0 {
                return Err(self.memory("the environment"));
            }
            self.directory
                .object(l.addr, l.data.bytes, l.ty, target, plan.clone());
            self.pending.push(Pending {
                name,
                start: l.addr,
                span: l.data,
                target,
                bytes,
                plan,
                ty: l.ty,
                untyped: false,
            });
        }
        Ok(())
    }
}

/// Has the program's memory a word that leads to what the system has lent it?
fn leads_into(types: &TypeTable, image: &RankImage) -> bool {
    let range = |l: &LentMeta| (l.addr, l.addr + l.data.bytes);
    let mut ranges: Vec<(u64, u64)> = image.lent.iter().map(range).collect();
    ranges.sort_unstable();
    let (Some(low), Some(high)) = (ranges.first(), ranges.iter().map(|r| r.1).max()) else {
        return false;
    };
    let (low, abi) = (low.0, types.abi());
    let inside = |word: u64| {
        let after = ranges.partition_point(|r| r.0 <= word);
        (low..=high).contains(&word) && ranges[..after].iter().rev().take(2).any(|r| word <= r.1)
    };
    let words = image.own_bytes().chunks_exact(abi.pointer.size.into());
    words.map(|w| number(abi.endian, w)).any(inside)
}
