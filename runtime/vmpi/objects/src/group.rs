//! Groups: ordered sets of processes (MPI 3.1 section 6.3).

use crate::error::{fail, Class, Result};
use crate::handle::abi;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Members as ranks in MPI_COMM_WORLD.
#[derive(Debug)]
pub struct Group {
    ranks: Box<[u32]>,
    /// Member i is world rank i.
    identity: bool,
    /// World rank → rank, made when first asked for.
    inverse: OnceLock<HashMap<u32, u32>>,
}

pub type GroupRef = Arc<Group>;

impl PartialEq for Group {
    fn eq(&self, other: &Self) -> bool {
        self.ranks == other.ranks
    }
}

/// Result of a comparison, with the standard's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Compare {
    Ident = 201,
    Congruent = 202,
    Similar = 203,
    Unequal = 204,
}

impl Group {
    pub fn new(ranks: Vec<u32>) -> GroupRef {
        let identity = ranks.iter().enumerate().all(|(i, &r)| i == r as usize);
        Arc::new(Group {
            ranks: ranks.into(),
            identity,
            inverse: OnceLock::new(),
        })
    }

    #[inline]
    pub fn world(n: usize) -> GroupRef {
        Self::new((0..n as u32).collect())
    }

    #[inline]
    pub fn size(&self) -> usize {
        self.ranks.len()
    }

    #[inline]
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// World rank of member `rank`.
    #[inline]
    pub fn world_rank(&self, rank: usize) -> Option<u32> {
        self.ranks.get(rank).copied()
    }

    /// Rank in this group of a world rank.
    pub fn rank_of(&self, world: u32) -> Option<u32> {
        if self.identity {
            return ((world as usize) < self.ranks.len()).then_some(world);
        }
        if self.ranks.len() <= 8 {
            return self
                .ranks
                .iter()
                .position(|&r| r == world)
                .map(|i| i as u32);
        }
        let map = self.inverse.get_or_init(|| {
            self.ranks
                .iter()
                .enumerate()
                .map(|(i, &r)| (r, i as u32))
                .collect()
        });
        map.get(&world).copied()
    }

    /// MPI_Group_compare.
    pub fn compare(&self, other: &Group) -> Compare {
        if self == other {
            Compare::Ident
        } else if self.size() == other.size()
            && self.ranks.iter().all(|&r| other.rank_of(r).is_some())
        {
            Compare::Similar
        } else {
            Compare::Unequal
        }
    }

    /// MPI_Group_translate_ranks for one rank.
    #[inline]
    pub fn translate(&self, rank: i32, to: &Group) -> Result<i32> {
        if rank == abi::PROC_NULL {
            return Ok(abi::PROC_NULL);
        }
        let world = self.member(rank)?;
        Ok(to.rank_of(world).map_or(abi::UNDEFINED, |r| r as i32))
    }

    fn member(&self, rank: i32) -> Result<u32> {
        match usize::try_from(rank).ok().and_then(|r| self.world_rank(r)) {
            Some(w) => Ok(w),
            None => fail(
                Class::ERR_RANK,
                format!("rank {rank} is not in a group of {}", self.size()),
            ),
        }
    }

    fn distinct(&self, ranks: &[i32]) -> Result<Vec<bool>> {
        let mut seen = vec![false; self.size()];
        for &r in ranks {
            self.member(r)?;
            if std::mem::replace(&mut seen[r as usize], true) {
                return fail(Class::ERR_RANK, format!("rank {r} is named twice"));
            }
        }
        Ok(seen)
    }

    #[inline]
    pub fn incl(&self, ranks: &[i32]) -> Result<GroupRef> {
        self.distinct(ranks)?;
        Ok(Group::new(
            ranks.iter().map(|&r| self.ranks[r as usize]).collect(),
        ))
    }

    pub fn excl(&self, ranks: &[i32]) -> Result<GroupRef> {
        let out = self.distinct(ranks)?;
        Ok(Group::new(
            self.ranks
                .iter()
                .zip(out)
                .filter(|(_, out)| !out)
                .map(|(r, _)| *r)
                .collect(),
        ))
    }

    #[inline]
    pub fn range_incl(&self, ranges: &[[i32; 3]]) -> Result<GroupRef> {
        self.incl(&self.expand(ranges)?)
    }

    #[inline]
    pub fn range_excl(&self, ranges: &[[i32; 3]]) -> Result<GroupRef> {
        self.excl(&self.expand(ranges)?)
    }

    fn expand(&self, ranges: &[[i32; 3]]) -> Result<Vec<i32>> {
        let mut out = Vec::new();
        for &[first, last, stride] in ranges {
            if stride == 0 {
                return fail(Class::ERR_ARG, "the stride of a range is 0");
            }
            self.member(first)?;
            let n = (i64::from(last) - i64::from(first)) / i64::from(stride);
            if (i64::from(last) - i64::from(first)) * i64::from(stride) < 0 {
                return fail(
                    Class::ERR_ARG,
                    format!("the range {first}..{last} by {stride} is empty"),
                );
            }
            for i in 0..=n {
                let r = (i64::from(first) + i * i64::from(stride)) as i32;
                self.member(r)?;
                out.push(r);
            }
        }
        Ok(out)
    }

    /// Members of `self`, then those of `other` that are not in `self`.
    #[inline]
    pub fn union(&self, other: &Group) -> GroupRef {
        let more = other.ranks.iter().filter(|r| self.rank_of(**r).is_none());
        Group::new(self.ranks.iter().chain(more).copied().collect())
    }

    pub fn intersection(&self, other: &Group) -> GroupRef {
        Group::new(
            self.ranks
                .iter()
                .filter(|r| other.rank_of(**r).is_some())
                .copied()
                .collect(),
        )
    }

    pub fn difference(&self, other: &Group) -> GroupRef {
        Group::new(
            self.ranks
                .iter()
                .filter(|r| other.rank_of(**r).is_none())
                .copied()
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn g(r: &[u32]) -> GroupRef {
        Group::new(r.to_vec())
    }

    #[test]
    fn algebra() {
        let (a, b) = (g(&[4, 1, 7, 2]), g(&[2, 9, 4]));
        assert_eq!(a.union(&b).ranks(), [4, 1, 7, 2, 9]);
        assert_eq!(a.intersection(&b).ranks(), [4, 2]);
        assert_eq!(a.difference(&b).ranks(), [1, 7]);
        assert_eq!(a.incl(&[3, 0]).unwrap().ranks(), [2, 4]);
        assert_eq!(a.excl(&[3, 0]).unwrap().ranks(), [1, 7]);
        assert_eq!(
            a.range_incl(&[[3, 1, -1], [0, 0, 5]]).unwrap().ranks(),
            [2, 7, 1, 4]
        );
        assert_eq!(a.range_excl(&[[0, 3, 2]]).unwrap().ranks(), [1, 2]);
        assert_eq!(a.translate(0, &b).unwrap(), 2);
        assert_eq!(a.translate(1, &b).unwrap(), abi::UNDEFINED);
        assert_eq!(a.translate(abi::PROC_NULL, &b).unwrap(), abi::PROC_NULL);
        assert_eq!(a.compare(&g(&[1, 2, 4, 7])), Compare::Similar);
        assert_eq!(a.compare(&b), Compare::Unequal);
        for bad in [
            a.incl(&[4]),
            a.incl(&[1, 1]),
            a.incl(&[-1]),
            a.range_incl(&[[0, 1, 0]]),
            a.range_incl(&[[2, 1, 1]]),
        ] {
            assert!(bad.is_err());
        }
    }
}
