//! Buffer arguments of messages.
//!
//! A message travels *packed*: its basic elements one after another in this ABI's representation
//! (`MPI_PACKED`: in the portable format).

use crate::datatype::{moving, TypeRef};
use crate::error::Result;

/// `count` elements of `ty` at `addr`.  Owns nothing: whoever starts an operation guarantees that
/// the memory stays as MPI asks until it completes.
#[derive(Clone, Copy)]
pub struct Buf<'a> {
    pub addr: *mut u8,
    pub count: usize,
    pub ty: &'a TypeRef,
}

impl<'a> Buf<'a> {
    pub fn new(addr: *mut u8, count: usize, ty: &'a TypeRef) -> Buf<'a> {
        Buf { addr, count, ty }
    }

    /// Packed length.
    #[inline]
    pub fn len(&self) -> usize {
        self.count * self.ty.size
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(crate) fn plain(&self) -> moving::Buf<'a> {
        moving::Buf {
            ptr: self.addr,
            count: self.count,
            ty: self.ty,
        }
    }

    /// Packs into `out`, which has room for [`Buf::len`] bytes.
    ///
    /// # Safety
    /// The buffer is readable, `out` writable.
    #[inline]
    pub unsafe fn pack(&self, out: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { self.ty.pack(self.addr, self.count, out) };
    }

    /// Moves a message, in one copy if either side is one block; what does not fit is left out.
    ///
    /// # Safety
    /// `self` is readable, `to` writable.
    #[inline]
    pub unsafe fn copy_to(&self, to: &Buf<'_>) -> Result<()> {
        if self.ty.contiguous && to.ty.contiguous && self.ty.predefined == to.ty.predefined {
            let n = self.len().min(to.len());
            let (from, into) = (
                self.addr.wrapping_offset(self.ty.layout.at),
                to.addr.wrapping_offset(to.ty.layout.at),
            );
            // SAFETY: the caller's promise.  A rank may send to itself from overlapping memory.
            unsafe { std::ptr::copy(from, into, n) };
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { moving::copy(self.plain(), to.plain()) }.map(drop)
    }
}
