//! Handles that are given back when their value is dropped.

use pc3_vmpi::c::comm::MPI_Comm_free;
use pc3_vmpi::c::group::MPI_Group_free;

use crate::mpi::{finalize, is_running, ok};
use crate::point::frames;
use crate::point::questions::loud::Loud;
use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{TypeId, Types};
use crate::value::Checkpointable;

/// What becomes of a handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum End {
    /// It is predefined.
    Stays,
    Communicator,
    Group,
    /// It stands for MPI itself.
    Mpi,
}

/// An object of MPI's.  One that a checkpoint drops, because nothing needs the local any more that it is in, stays until the
/// job ends: what was made of it may still be in use.
#[derive(Debug)]
pub(crate) struct Owned {
    pub handle: usize,
    pub end: End,
}

/// May what is dropped be given back to MPI?
pub(crate) fn may_release() -> bool {
    is_running() && !std::thread::panicking() && !frames::unwinding()
}

impl Drop for Owned {
    fn drop(&mut self) {
        if !may_release() {
            return;
        }
        // SAFETY: a handle of its own.
        unsafe {
            match self.end {
                End::Stays => {}
                End::Communicator => ok(MPI_Comm_free(&raw mut self.handle)),
                End::Group => ok(MPI_Group_free(&raw mut self.handle)),
                End::Mpi => finalize(),
            }
        }
    }
}

// Nobody sees when it ends.
impl Loud for Owned {}

impl Checkpointable for Owned {
    const SIZE: u64 = 16;
    const ALIGN: u64 = 8;

    fn describe(types: &mut Types) -> TypeId {
        types.record::<Self>("pc3::mpi::Handle".to_owned(), |types| {
            vec![
                ("number".to_owned(), usize::describe(types), 0),
                ("end".to_owned(), u32::describe(types), 8),
            ]
        })
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        self.handle.save(out, at);
        out.put(at + 8, &(self.end as u32).to_ne_bytes());
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let members = from.members::<Self>(value, "pc3::mpi::Handle")?;
        let end = match members.load::<u32>("end")? {
            0 => End::Stays,
            1 => End::Communicator,
            2 => End::Group,
            3 => End::Mpi,
            n => {
                return Err(LoadError::new(format!(
                    "ends in a way that has no name: {n}"
                )))
            }
        };
        Ok(Owned {
            handle: members.load("number")?,
            end,
        })
    }
}
