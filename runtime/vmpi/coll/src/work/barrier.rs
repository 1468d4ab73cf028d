//! MPI_Barrier, and other calls in which members only wait for one another.

use crate::meeting::all::All;
use crate::meeting::call::Call;
use crate::meeting::kind::{Algorithm, Brief, Kind};
use crate::remote::few::CallSignature;
use crate::remote::inline_collective::gate;
use crate::remote::kept::Keep;
use crate::remote::members::Members;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::Result;
use pc3_vmpi_objects::wire::{Read, Reader, Writer};

pub struct Gate(pub Kind);

impl Call for Gate {
    fn kind(&self) -> Kind {
        self.0
    }
    fn algorithm(_: &All<Self>, _: usize) -> Result<Algorithm> {
        Ok(Algorithm::Last)
    }
    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }
    fn whole(_: &All<Self>, _: usize) {}
    #[inline]
    fn brief(&self) -> Option<Brief> {
        Some(Brief {
            kind: self.0,
            ..Brief::NONE
        })
    }
    fn result(&self, _: usize, _: usize, _: &mut Writer) -> bool {
        // What closing and positioning a file does is not done by waiting, and windows are written to between fences.
        !matches!(
            self.0,
            Kind::FileClose
                | Kind::FileSync
                | Kind::FileSetSize
                | Kind::FileSetView
                | Kind::WinFence
                | Kind::WinFree
        )
    }
    fn put_result(&self, _: usize, _: usize, _: &mut Reader, _: &World) -> Read<()> {
        Ok(())
    }
    const APART: bool = true;
    fn record(all: &All<Self>, here: &[usize], _: &Members) -> Option<CallSignature> {
        gate(all, here)
    }
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
