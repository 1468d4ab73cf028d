//! Files shared by the ranks of a communicator (MPI 3.1 chapter 13), over the system's own files.
//!
//! The members of a communicator that open a file share one descriptor and one shared pointer; each
//! has its view and its individual pointer.  Data goes straight to the system: a call is complete
//! when it returns, non-blocking ones too.  A checkpoint keeps names, views, pointers and sizes; a
//! restart opens the files again and cuts those that were written to the size they had.

pub mod pointer;
pub mod representation;
pub mod view;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, OnceLock};

use crate::coll::meeting::{All, Call, Kind, Plan};
use crate::coll::remote::Keep;
use crate::coll::zero_copy::To;
use crate::comm::Comm;
use crate::p2p::Status;
use crate::state::RankState;
use pc3_vmpi_objects::error::{fail, Class, MpiError, Result};
use pc3_vmpi_objects::info::Info;
use pc3_vmpi_objects::wire::{Read, Reader, Writer};
use pointer::Keeper;
use std::cell::{Cell, RefCell};

use pc3_os::errors;
use view::View;

pub mod mode {
    pub const APPEND: i32 = 1;
    pub const CREATE: i32 = 2;
    pub const DELETE_ON_CLOSE: i32 = 4;
    pub const EXCL: i32 = 8;
    pub const RDONLY: i32 = 16;
    pub const RDWR: i32 = 32;
    pub const SEQUENTIAL: i32 = 64;
    pub const UNIQUE_OPEN: i32 = 128;
    pub const WRONLY: i32 = 256;
    pub const ALL: i32 = 511;
}

/// What the members have in common.
pub struct Shared {
    pub path: PathBuf,
    pub amode: i32,
    /// Set when it is open: after a restart not before everything else is in place.
    file: OnceLock<File>,
    /// The shared file pointer, in elements of the view, if all members are here.
    pointer: AtomicI64,
    /// Where all pointers begin: the end, if the file is appended to.
    pub start: i64,
}

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

/// Checks the combination that the standard allows.
pub fn check_mode(amode: i32) -> Result<()> {
    let ways = [mode::RDONLY, mode::RDWR, mode::WRONLY];
    let one = ways.iter().filter(|w| amode & **w != 0).count() == 1;
    let creates = amode & (mode::CREATE | mode::EXCL) != 0;
    if !one || amode & !mode::ALL != 0 || amode & mode::RDONLY != 0 && creates {
        return fail(Class::ERR_AMODE, format!("the access mode is {amode}"));
    }
    if amode & mode::RDWR != 0 && amode & mode::SEQUENTIAL != 0 {
        return fail(
            Class::ERR_AMODE,
            "a sequential file is for reading or for writing",
        );
    }
    Ok(())
}

/// The class that fits an error of the system.
pub fn failed(path: &Path, e: &io::Error) -> MpiError {
    let class = match e.raw_os_error() {
        Some(errors::ENOENT) => Class::ERR_NO_SUCH_FILE,
        Some(errors::EEXIST) => Class::ERR_FILE_EXISTS,
        Some(errors::EACCES | errors::EPERM) => Class::ERR_ACCESS,
        Some(errors::EROFS) => Class::ERR_READ_ONLY,
        Some(errors::ENOSPC) => Class::ERR_NO_SPACE,
        Some(errors::EDQUOT) => Class::ERR_QUOTA,
        Some(errors::EISDIR | errors::ENOTDIR | errors::ENAMETOOLONG) => Class::ERR_BAD_FILE,
        _ => Class::ERR_IO,
    };
    MpiError::new(class, format!("{}: {e}", path.display()))
}

impl Shared {
    pub fn new(path: PathBuf, amode: i32) -> Shared {
        Shared {
            path,
            amode,
            file: OnceLock::new(),
            pointer: AtomicI64::new(0),
            start: 0,
        }
    }

    pub fn writes(&self) -> bool {
        self.amode & (mode::RDWR | mode::WRONLY) != 0
    }

    pub fn reads(&self) -> bool {
        self.amode & (mode::RDWR | mode::RDONLY) != 0
    }

    fn open(&self, fresh: bool) -> Result<()> {
        let mut o = OpenOptions::new();
        o.read(self.reads()).write(self.writes());
        if fresh && self.amode & mode::CREATE != 0 {
            if self.amode & mode::EXCL != 0 {
                o.create_new(true);
            } else {
                o.create(true).truncate(false);
            }
        }
        let file = o.open(&self.path).map_err(|e| failed(&self.path, &e))?;
        let _ = self.file.set(pc3_os::own::high(file));
        Ok(())
    }

    fn file(&self) -> Result<&File> {
        self.file
            .get()
            .map_or_else(|| fail(Class::ERR_FILE, "the file is not open"), Ok)
    }

    fn told<T>(&self, done: io::Result<T>) -> Result<T> {
        done.map_err(|e| failed(&self.path, &e))
    }

    pub fn size(&self) -> Result<u64> {
        Ok(self.told(self.file()?.metadata())?.len())
    }

    pub fn set_size(&self, n: u64) -> Result<()> {
        self.told(self.file()?.set_len(n))
    }

    pub fn sync(&self) -> Result<()> {
        if !self.writes() {
            return Ok(());
        }
        self.told(self.file()?.sync_all())
    }

    /// Reads until `to` is full or the file ends.
    pub fn read_at(&self, to: &mut [u8], mut at: u64) -> Result<usize> {
        let (file, mut done) = (self.file()?, 0);
        while done < to.len() {
            match file.read_at(&mut to[done..], at) {
                Ok(0) => break,
                Ok(n) => {
                    done += n;
                    at += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(failed(&self.path, &e)),
            }
        }
        Ok(done)
    }

    pub fn write_at(&self, from: &[u8], at: u64) -> Result<()> {
        self.told(self.file()?.write_all_at(from, at))
    }

    /// Opens a file of a checkpoint again, as it was then.
    pub fn restore(&self, size: u64) -> std::result::Result<(), String> {
        if self.file.get().is_some() {
            return Ok(());
        }
        let name = self.path.display();
        self.open(false)
            .map_err(|e| format!("the program's file {name}: {}", e.detail))?;
        let now = self.size().map_err(|e| e.detail.to_string())?;
        if now < size {
            return Err(format!(
                "the program's file {name} has {now} bytes, at the checkpoint it had {size}"
            ));
        }
        if self.writes() && now > size {
            self.set_size(size).map_err(|e| e.detail.to_string())?;
        }
        Ok(())
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(f) = self.file.take() {
            // Its number may be the program's next.
            pc3_os::own::disown(f.as_raw_fd());
        }
    }
}

/// MPI_File_open, with what each member gives.
pub struct Open {
    pub path: PathBuf,
    pub amode: i32,
    /// Of the first member, which has made the file if need be: how long it is.
    pub made: Result<u64>,
    pub shared: RefCell<Option<Arc<Shared>>>,
}

impl Open {
    /// Makes the file, as the first member does.
    pub fn make(path: &Path, amode: i32) -> Result<u64> {
        let shared = Shared::new(path.to_owned(), amode);
        shared.open(true)?;
        shared.size()
    }
}

impl Call for Open {
    fn kind(&self) -> Kind {
        Kind::FileOpen
    }
    fn plan(all: &All<Self>, _: usize) -> Result<Plan> {
        let first = all.get(0);
        if let Some(i) = (0..all.len()).find(|i| all.get(*i).amode != first.amode) {
            return fail(
                Class::ERR_NOT_SAME,
                format!("ranks 0 and {i} open a file with different access modes"),
            );
        }
        first.made.clone().map(|_| Plan::Last)
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

    fn export(&self, _: usize, _: &To, w: &mut Writer) {
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
        Ok(Open {
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
    fn plan(all: &All<Self>, _: usize) -> Result<Plan> {
        Ok(match all.get(0).file.keeper.is_apart() {
            // Its process has the pointer.
            true => Plan::Member(0),
            false => Plan::Last,
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

    fn export(&self, _: usize, _: &To, w: &mut Writer) {
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
