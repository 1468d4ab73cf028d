//! Groups: ranks in an order.

use pc3_vmpi::c::group::{
    MPI_Group_compare, MPI_Group_difference, MPI_Group_excl, MPI_Group_incl,
    MPI_Group_intersection, MPI_Group_rank, MPI_Group_size, MPI_Group_translate_ranks,
    MPI_Group_union,
};
use pc3_vmpi::group::Compare;
use pc3_vmpi::handle::abi;

use super::point_to_point::int;
use super::request::owned::{End, Owned};
use super::{ok, Rank};
use crate::Checkpointable;

/// How two groups compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupRelation {
    /// The same ranks in the same order,
    Identical,
    /// in another order,
    Similar,
    /// or other ranks.
    Unequal,
}

/// Some ranks, in an order.
#[derive(Debug, Checkpointable)]
pub struct Group {
    object: Owned,
}

type Combine = unsafe extern "C" fn(usize, usize, *mut usize) -> i32;
type Select = unsafe extern "C" fn(usize, i32, *const i32, *mut usize) -> i32;

impl Group {
    pub(crate) fn of(handle: usize) -> Group {
        let end = End::Group;
        Group {
            object: Owned { handle, end },
        }
    }

    pub(crate) fn handle(&self) -> usize {
        self.object.handle
    }

    /// How many there are.
    pub fn size(&self) -> Rank {
        let mut n = 0;
        // SAFETY: fills the variable, here and below.
        ok(unsafe { MPI_Group_size(self.object.handle, &raw mut n) });
        n
    }

    /// The calling rank's place, if it is one of them.
    pub fn rank(&self) -> Option<Rank> {
        let mut n = 0;
        // SAFETY: as above.
        ok(unsafe { MPI_Group_rank(self.object.handle, &raw mut n) });
        (n != abi::UNDEFINED).then_some(n)
    }

    fn with(&self, other: &Group, combine: Combine) -> Group {
        let mut new = 0;
        // SAFETY: as above.
        ok(unsafe { combine(self.object.handle, other.object.handle, &raw mut new) });
        Group::of(new)
    }

    fn some(&self, ranks: &[Rank], select: Select) -> Group {
        let mut new = 0;
        // SAFETY: so many ranks.
        ok(unsafe {
            select(
                self.object.handle,
                int(ranks.len()),
                ranks.as_ptr(),
                &raw mut new,
            )
        });
        Group::of(new)
    }

    /// These, and those of the other group that are not among them.
    #[must_use]
    pub fn union(&self, other: &Group) -> Group {
        self.with(other, MPI_Group_union)
    }

    /// Those of these that are in the other group, too.
    #[must_use]
    pub fn intersection(&self, other: &Group) -> Group {
        self.with(other, MPI_Group_intersection)
    }

    /// Those of these that are not in the other group.
    #[must_use]
    pub fn difference(&self, other: &Group) -> Group {
        self.with(other, MPI_Group_difference)
    }

    /// Those at these places, in their order.
    #[must_use]
    pub fn include(&self, ranks: &[Rank]) -> Group {
        self.some(ranks, MPI_Group_incl)
    }

    /// All but those at these places.
    #[must_use]
    pub fn exclude(&self, ranks: &[Rank]) -> Group {
        self.some(ranks, MPI_Group_excl)
    }

    /// The places in another group of those at these places in this one.
    pub fn translate_ranks(&self, ranks: &[Rank], other: &Group) -> Vec<Option<Rank>> {
        let mut there = vec![0; ranks.len()];
        // SAFETY: so many ranks, and room for as many.
        ok(unsafe {
            MPI_Group_translate_ranks(
                self.object.handle,
                int(ranks.len()),
                ranks.as_ptr(),
                other.object.handle,
                there.as_mut_ptr(),
            )
        });
        let found = there.into_iter();
        found.map(|r| (r != abi::UNDEFINED).then_some(r)).collect()
    }

    /// The place in another group of the one at this place in this one.
    pub fn translate_rank(&self, rank: Rank, other: &Group) -> Option<Rank> {
        self.translate_ranks(&[rank], other).pop()?
    }

    pub fn compare(&self, other: &Group) -> GroupRelation {
        let mut result = 0;
        // SAFETY: as above.
        ok(unsafe { MPI_Group_compare(self.object.handle, other.object.handle, &raw mut result) });
        match result {
            r if r == Compare::Ident as i32 => GroupRelation::Identical,
            r if r == Compare::Similar as i32 => GroupRelation::Similar,
            _ => GroupRelation::Unequal,
        }
    }

    /// Has the other group the same ranks in the same order?
    pub fn is_identical(&self, other: &Group) -> bool {
        self.compare(other) == GroupRelation::Identical
    }
}
