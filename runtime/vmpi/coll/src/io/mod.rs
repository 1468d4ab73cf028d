//! Files shared by the ranks of a communicator (MPI 3.1 chapter 13), over the system's own files.
//!
//! The members of a communicator that open a file share one descriptor and one shared pointer; each
//! has its view and its individual pointer.  Data goes straight to the system: a call is complete
//! when it returns, non-blocking ones too.  A checkpoint keeps names, views, pointers and sizes; a
//! restart opens the files again and cuts those that were written to the size they had.

pub mod pointer;
pub mod representation;
pub mod shared;
pub mod view;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicI64;
use std::sync::Arc;

use crate::comm::Comm;
use crate::meeting::all::All;
use crate::meeting::call::Call;
use crate::meeting::kind::{Algorithm, Kind};
use crate::remote::few::Addressed;
use crate::remote::kept::Keep;
use crate::remote::zero_copy::RemoteProcess;
use pc3_vmpi_core::p2p::Status;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::info::Info;
use pc3_vmpi_objects::wire::{Read, Reader, Writer};
pub use shared::{check_mode, failed, mode, Shared};

use pointer::Keeper;
use std::cell::{Cell, RefCell};

use view::View;

/// One rank's open file.
pub struct MpiFile {
    /// A duplicate of the communicator it was opened on.
    pub comm: Box<Comm>,
    pub shared: Arc<Shared>,
    pub keeper: Keeper,
    pub view: View,
    /// The individual file pointer, in elements of the view.
    pub position: i64,
    pub errhandler: usize,
    pub atomic: bool,
    pub info: Info,
    /// What a split collective that has begun came to.
    pub begun: Option<Status>,
    /// Of a file from a checkpoint: its size there, to which it is cut.
    pub size: Option<u64>,
}

/// MPI_File_open, with what each member gives.
pub struct OpenCall {
    pub path: PathBuf,
    pub amode: i32,
    /// Of the first member, which has made the file if need be: how long it is.
    pub made: Result<u64>,
    pub shared: RefCell<Option<Arc<Shared>>>,
}

impl OpenCall {
    /// Makes the file, as the first member does.
    pub fn make(path: &Path, amode: i32) -> Result<u64> {
        let shared = Shared::new(path.to_owned(), amode);
        shared.open(true)?;
        shared.size()
    }
}

impl Call for OpenCall {
    fn kind(&self) -> Kind {
        Kind::FileOpen
    }
    fn algorithm(all: &All<Self>, _: usize) -> Result<Algorithm> {
        let first = all.get(0);
        if let Some(i) = (0..all.len()).find(|i| all.get(*i).amode != first.amode) {
            return fail(
                Class::ERR_NOT_SAME,
                format!("ranks 0 and {i} open a file with different access modes"),
            );
        }
        first.made.clone().map(|_| Algorithm::Last)
    }
    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }
    fn whole(all: &All<Self>, _: usize) {
        let first = all.get(0);
        let mut shared = Shared::new(first.path.clone(), first.amode);
        let opened = shared.open(false);
        if let (true, Ok(size)) = (first.amode & mode::APPEND != 0, &first.made) {
            shared.start = *size as i64;
            shared.pointer = AtomicI64::new(shared.start);
        }
        match opened {
            Ok(()) => {
                let shared = Arc::new(shared);
                for c in all.iter() {
                    *c.shared.borrow_mut() = Some(Arc::clone(&shared));
                }
            }
            Err(e) => (0..all.len()).for_each(|i| all.fail(i, e.clone())),
        }
    }

    const APART: bool = true;

    fn addressed(_: &All<Self>, _: &[usize]) -> Option<Addressed> {
        Some(Addressed::Nobody)
    }

    fn export(&self, _: usize, _: &RemoteProcess, w: &mut Writer) {
        w.i32(self.amode);
        w.outcome(&self.made, |w, size| w.u64(*size));
    }

    fn import(
        r: &mut Reader,
        _: usize,
        _: &[usize],
        like: &Self,
        _: &mut Keep<Self>,
    ) -> Read<Self> {
        let amode = r.i32()?;
        let made = r.outcome(Reader::u64)?;
        Ok(OpenCall {
            path: like.path.clone(),
            amode,
            made,
            shared: RefCell::new(None),
        })
    }
}

impl MpiFile {
    /// Moves the shared pointer on; where it was.
    pub fn advance(&self, me: &RankState, by: i64) -> i64 {
        self.keeper.advance(me, &self.shared.pointer, by)
    }

    /// Sets the shared pointer; by the first member alone.
    pub fn set_pointer(&self, me: &RankState, at: i64) {
        if self.comm.rank == 0 {
            self.keeper.set(me, &self.shared.pointer, at);
        }
    }
}

/// Access in rank order through the shared pointer: each learns where its part begins.
pub struct Ordered<'a> {
    /// Of the member here; nobody moves the pointer for one elsewhere.
    pub file: &'a MpiFile,
    pub me: &'a RankState,
    /// In elements.
    pub amount: i64,
    pub start: Cell<i64>,
}

impl Call for Ordered<'_> {
    fn kind(&self) -> Kind {
        Kind::FileOrdered
    }
    fn algorithm(all: &All<Self>, _: usize) -> Result<Algorithm> {
        Ok(match all.get(0).file.keeper.is_apart() {
            // Its process has the pointer.
            true => Algorithm::Member(0),
            false => Algorithm::Last,
        })
    }
    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }
    fn whole(all: &All<Self>, _: usize) {
        let total = all.iter().map(|c| c.amount).sum();
        let first = all.get(0);
        let mut at = first.file.advance(first.me, total);
        for c in all.iter() {
            c.start.set(at);
            at += c.amount;
        }
    }

    const APART: bool = true;

    fn addressed(_: &All<Self>, _: &[usize]) -> Option<Addressed> {
        Some(Addressed::Nobody)
    }

    fn export(&self, _: usize, _: &RemoteProcess, w: &mut Writer) {
        w.u64(self.amount as u64);
    }

    fn import(
        r: &mut Reader,
        _: usize,
        _: &[usize],
        like: &Self,
        _: &mut Keep<Self>,
    ) -> Read<Self> {
        Ok(Ordered {
            amount: r.disp()?,
            start: Cell::new(0),
            ..*like
        })
    }

    fn gives(&self) -> bool {
        true
    }

    fn results(all: &All<Self>, to: &[usize]) -> Option<Vec<u8>> {
        let mut w = Writer::default();
        to.iter()
            .for_each(|&i| w.u64(all.get(i).start.get() as u64));
        Some(w.0)
    }

    fn accept(all: &All<Self>, here: &[usize], r: &mut Reader) -> Read<()> {
        here.iter().try_for_each(|&i| {
            all.get(i).start.set(r.disp()?);
            Ok(())
        })
    }
}
