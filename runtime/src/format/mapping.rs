//! Part of a file as memory.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::os::fd::AsRawFd;

/// A read-only mapping of part of a file.
#[derive(Debug)]
pub struct Mapping {
    base: *mut libc::c_void,
    mapped: usize,
    skip: usize,
    length: usize,
}

// SAFETY: the memory is read-only and owned.
unsafe impl Send for Mapping {}
unsafe impl Sync for Mapping {}

impl Mapping {
    pub(super) fn new(file: &File, offset: u64, length: u64) -> io::Result<Mapping> {
        let too_large = || {
            io::Error::new(
                io::ErrorKind::OutOfMemory,
                "section larger than this host's memory",
            )
        };
        let length = usize::try_from(length).map_err(|_| too_large())?;
        // SAFETY: a plain query.
        let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) })
            .unwrap_or(4096)
            .max(1);
        let skip = (offset % page) as usize;
        let mapped = length.checked_add(skip).ok_or_else(too_large)?;
        if length == 0 {
            return Ok(Mapping {
                base: std::ptr::null_mut(),
                mapped: 0,
                skip: 0,
                length: 0,
            });
        }
        let start = libc::off64_t::try_from(offset - skip as u64).map_err(|_| too_large())?;
        // SAFETY: a fresh mapping at an address of the kernel's choice.
        let base = unsafe {
            let base = libc::mmap64(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_POPULATE,
                file.as_raw_fd(),
                start,
            );
            if base == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            base
        };
        Ok(Mapping {
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
        if self.length == 0 {
            return &[];
        }
        // SAFETY: the mapping covers skip + length bytes and lives as long as self.
        unsafe { std::slice::from_raw_parts(self.base.cast::<u8>().add(self.skip), self.length) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.mapped > 0 {
            // SAFETY: exactly what `new` mapped.
            unsafe { libc::munmap(self.base, self.mapped) };
        }
    }
}
