//! MPI_Barrier, and other calls in which members only wait for one another.

use super::far::Keep;
use super::meeting::{All, Call, Kind, Plan};
use crate::error::Result;
use crate::wire::{Read, Reader};

pub struct Gate(pub Kind);

impl Call for Gate {
    fn kind(&self) -> Kind {
        self.0
    }
    fn plan(_: &All<Self>, _: usize) -> Result<Plan> {
        Ok(Plan::Last)
    }
    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }
    fn whole(_: &All<Self>, _: usize) {}
    const APART: bool = true;
    fn import(
        _: &mut Reader,
        _: usize,
        _: &[usize],
        like: &Self,
        _: &mut Keep<Self>,
    ) -> Read<Self> {
        Ok(Gate(like.0))
    }
}
