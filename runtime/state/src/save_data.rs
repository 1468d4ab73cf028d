//! The data section of a rank that is being written: objects' bytes, one after the other.

use std::io;

use pc3_format::file::Writer;
use pc3_format::meta::Span;

/// Objects start at multiples of this in the data section.
const ALIGN: u64 = 16;

/// The open data section.
pub struct Data<'a, 'f> {
    pub out: &'a mut Writer<'f>,
    pub at: u64,
}

impl Data<'_, '_> {
    pub fn align(&mut self) -> io::Result<u64> {
        let pad = self.at.next_multiple_of(ALIGN) - self.at;
        self.out.put(&[0; ALIGN as usize][..pad as usize])?;
        self.at += pad;
        Ok(self.at)
    }

    /// # Safety
    /// `bytes` bytes at `addr` are readable and nobody writes them now.
    pub unsafe fn raw(&mut self, addr: usize, bytes: usize) -> io::Result<()> {
        if bytes > 0 {
            // SAFETY: by the caller.
            self.out
                .put(unsafe { std::slice::from_raw_parts(addr as *const u8, bytes) })?;
            self.at += bytes as u64;
        }
        Ok(())
    }

    /// # Safety
    /// As `raw`.
    pub unsafe fn object(&mut self, addr: usize, bytes: usize) -> io::Result<Span> {
        let offset = self.align()?;
        self.out.object(addr as u64, bytes)?;
        // SAFETY: by the caller.
        unsafe { self.raw(addr, bytes)? };
        Ok(Span {
            offset,
            bytes: bytes as u64,
        })
    }
}
