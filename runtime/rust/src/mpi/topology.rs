//! Ranks in a grid.

use pc3_vmpi::c::topo::{
    MPI_Cart_coords, MPI_Cart_create, MPI_Cart_get, MPI_Cart_rank, MPI_Cart_shift, MPI_Cart_sub,
    MPI_Cartdim_get, MPI_Dims_create,
};
use pc3_vmpi::handle::abi;

pub use super::communicator::{
    AnyProcess, Communicator, CommunicatorRelation, Process, SimpleCommunicator,
};
pub use super::group::{Group, GroupRelation};
use super::point_to_point::int;
use super::request::owned::{End, Owned};
pub use super::Rank;
use super::{fail, ok};
use crate::Checkpointable;

/// rsmpi's names of a communicator and a group that are made otherwise than by the program.
pub type SystemCommunicator = SimpleCommunicator;
pub type SystemGroup = Group;
pub type UserGroup = Group;

/// A communicator of ranks in a grid.  Dropped, it is freed.
#[derive(Debug, Checkpointable)]
pub struct CartesianCommunicator {
    object: Owned,
}

/// A grid, and where in it the calling rank is.
#[derive(Clone, PartialEq, Eq, Debug, Checkpointable)]
pub struct CartesianLayout {
    pub dims: Vec<Rank>,
    pub periods: Vec<bool>,
    pub coords: Vec<Rank>,
}

/// Sets those of the dimensions that are 0 so that a grid of them has `ranks` places and is as square as can be.
pub fn dims_create(ranks: Rank, dims: &mut [Rank]) {
    // SAFETY: so many dimensions.
    ok(unsafe { MPI_Dims_create(ranks, int(dims.len()), dims.as_mut_ptr()) });
}

pub(crate) fn create(
    comm: usize,
    dims: &[Rank],
    periods: &[bool],
    reorder: bool,
) -> Option<CartesianCommunicator> {
    if dims.len() != periods.len() {
        fail(&format!(
            "{} dimensions, and for {} it is said whether they are periodic",
            dims.len(),
            periods.len()
        ));
    }
    let periods: Vec<i32> = periods.iter().map(|p| i32::from(*p)).collect();
    let mut handle = 0;
    // SAFETY: so many dimensions.
    ok(unsafe {
        MPI_Cart_create(
            comm,
            int(dims.len()),
            dims.as_ptr(),
            periods.as_ptr(),
            reorder.into(),
            &raw mut handle,
        )
    });
    (handle != abi::COMM_NULL).then(|| CartesianCommunicator::of(handle))
}

impl CartesianCommunicator {
    fn of(handle: usize) -> CartesianCommunicator {
        let end = End::Communicator;
        CartesianCommunicator {
            object: Owned { handle, end },
        }
    }

    /// The number of its dimensions.
    pub fn num_dimensions(&self) -> usize {
        let mut n = 0;
        // SAFETY: fills the variable, here and below.
        ok(unsafe { MPI_Cartdim_get(self.object.handle, &raw mut n) });
        n as usize
    }

    pub fn get_layout(&self) -> CartesianLayout {
        let n = self.num_dimensions();
        let (mut dims, mut periods, mut coords) = (vec![0; n], vec![0; n], vec![0; n]);
        // SAFETY: room for so many.
        ok(unsafe {
            MPI_Cart_get(
                self.object.handle,
                int(n),
                dims.as_mut_ptr(),
                periods.as_mut_ptr(),
                coords.as_mut_ptr(),
            )
        });
        CartesianLayout {
            dims,
            periods: periods.into_iter().map(|p| p != 0).collect(),
            coords,
        }
    }

    /// Where in the grid a rank is.
    pub fn rank_to_coordinates(&self, rank: Rank) -> Vec<Rank> {
        let mut coords = vec![0; self.num_dimensions()];
        // SAFETY: as above.
        ok(unsafe {
            MPI_Cart_coords(
                self.object.handle,
                rank,
                int(coords.len()),
                coords.as_mut_ptr(),
            )
        });
        coords
    }

    /// Which rank is there; places beyond the edge of a dimension that is not periodic end the job.
    pub fn coordinates_to_rank(&self, coords: &[Rank]) -> Rank {
        if coords.len() != self.num_dimensions() {
            fail(&format!("{} coordinates in a grid", coords.len()));
        }
        let mut rank = 0;
        // SAFETY: as many as there are dimensions.
        ok(unsafe { MPI_Cart_rank(self.object.handle, coords.as_ptr(), &raw mut rank) });
        rank
    }

    /// The ranks so many places before and behind the calling rank along a dimension, if there are any.
    pub fn shift(&self, dimension: Rank, places: Rank) -> (Option<Rank>, Option<Rank>) {
        let (mut before, mut behind) = (0, 0);
        // SAFETY: as above.
        ok(unsafe {
            MPI_Cart_shift(
                self.object.handle,
                dimension,
                places,
                &raw mut before,
                &raw mut behind,
            )
        });
        let some = |r: Rank| (r != abi::PROC_NULL).then_some(r);
        (some(before), some(behind))
    }

    /// Grids of the dimensions that are kept, one for each place in the others.  All ranks call it.
    pub fn subgrid(&self, keep: &[bool]) -> CartesianCommunicator {
        if keep.len() != self.num_dimensions() {
            fail(&format!("{} dimensions of a grid", keep.len()));
        }
        let keep: Vec<i32> = keep.iter().map(|k| i32::from(*k)).collect();
        let mut handle = 0;
        // SAFETY: as above.
        ok(unsafe { MPI_Cart_sub(self.object.handle, keep.as_ptr(), &raw mut handle) });
        CartesianCommunicator::of(handle)
    }
}

impl Communicator for CartesianCommunicator {
    fn handle(&self) -> usize {
        self.object.handle
    }
}
