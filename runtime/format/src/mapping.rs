//! Part of a file as memory.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::unix::fs::FileExt;

use pc3_os::memory;

/// Shorter parts are read: a process may have some ten thousand mappings, and a checkpoint as many ranks.
const SHORT: usize = 64 << 10;

/// A part of a file, not to be written to.
#[derive(Debug)]
pub enum Mapping {
    Read(Box<[u8]>),
    Mapped(Mapped),
}

#[derive(Debug)]
pub struct Mapped {
    base: *mut u8,
    mapped: usize,
    skip: usize,
    length: usize,
}

// SAFETY: the memory is read-only and owned.
unsafe impl Send for Mapped {}
unsafe impl Sync for Mapped {}

fn too_large() -> io::Error {
    let why = "section larger than this host's memory";
    io::Error::new(io::ErrorKind::OutOfMemory, why)
}

impl Mapping {
    pub(super) fn new(file: &File, offset: u64, length: u64) -> io::Result<Mapping> {
        let length = usize::try_from(length).map_err(|_| too_large())?;
        if length >= SHORT {
            return Mapped::new(file, offset, length).map(Mapping::Mapped);
        }
        let mut bytes = vec![0; length].into_boxed_slice();
        file.read_exact_at(&mut bytes, offset)?;
        Ok(Mapping::Read(bytes))
    }
}

impl Mapped {
    fn new(file: &File, offset: u64, length: usize) -> io::Result<Mapped> {
        let page = memory::page_size().max(1) as u64;
        let skip = (offset % page) as usize;
        let mapped = length.checked_add(skip).ok_or_else(too_large)?;
        let base = memory::map_file(file, offset - skip as u64, mapped)?;
        Ok(Mapped {
            base,
            mapped,
            skip,
            length,
        })
    }
}

impl Deref for Mapping {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Mapping::Read(bytes) => bytes,
            // SAFETY: the mapping covers skip + length bytes and lives as long as self.
            Mapping::Mapped(m) => unsafe {
                std::slice::from_raw_parts(m.base.add(m.skip), m.length)
            },
        }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: exactly what `new` mapped.
        unsafe { memory::unmap(self.base, self.mapped) };
    }
}
