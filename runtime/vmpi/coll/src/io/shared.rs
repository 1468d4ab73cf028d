//! An open file, as its members share it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicI64;
use std::sync::OnceLock;

use pc3_os::errors;
use pc3_vmpi_objects::error::{fail, Class, MpiError, Result};

pub mod mode {
    pub const APPEND: i32 = 1;
    pub const CREATE: i32 = 2;
    pub const DELETE_ON_CLOSE: i32 = 4;
    pub(crate) const EXCL: i32 = 8;
    pub(crate) const RDONLY: i32 = 16;
    pub(crate) const RDWR: i32 = 32;
    pub const SEQUENTIAL: i32 = 64;
    pub(crate) const WRONLY: i32 = 256;
    pub const ALL: i32 = 511;
}

/// What the members have in common.
pub struct Shared {
    pub path: PathBuf,
    pub amode: i32,
    /// Set when it is open: after a restart not before everything else is in place.
    pub(crate) file: OnceLock<File>,
    /// The shared file pointer, in elements of the view, if all members are here.
    pub(crate) pointer: AtomicI64,
    /// Where all pointers begin: the end, if the file is appended to.
    pub start: i64,
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

    pub(crate) fn open(&self, fresh: bool) -> Result<()> {
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

    pub(crate) fn file(&self) -> Result<&File> {
        self.file
            .get()
            .map_or_else(|| fail(Class::ERR_FILE, "the file is not open"), Ok)
    }

    pub(crate) fn or_failed<T>(&self, done: io::Result<T>) -> Result<T> {
        done.map_err(|e| failed(&self.path, &e))
    }

    pub fn size(&self) -> Result<u64> {
        Ok(self.or_failed(self.file()?.metadata())?.len())
    }

    pub fn set_size(&self, n: u64) -> Result<()> {
        self.or_failed(self.file()?.set_len(n))
    }

    pub fn sync(&self) -> Result<()> {
        if !self.writes() {
            return Ok(());
        }
        self.or_failed(self.file()?.sync_all())
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
        self.or_failed(self.file()?.write_all_at(from, at))
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
