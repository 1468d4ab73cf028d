//! Buffer arguments of messages.
//!
//! A message travels *packed*: its basic elements one after another in this ABI's representation
//! (`MPI_PACKED`: in the portable format).

use pc3_vmpi_objects::datatype::{moving, Datatype, TypeRef};
use pc3_vmpi_objects::error::Result;
use pc3_vmpi_sched::copy::{copy_block, copy_few};

/// `count` elements of `ty` at `addr`.  Owns nothing: whoever starts an operation guarantees that
/// the memory stays as MPI asks until it completes.
#[derive(Clone, Copy)]
pub struct Buf<'a> {
    pub addr: *mut u8,
    pub count: usize,
    pub ty: &'a TypeRef,
}

impl<'a> Buf<'a> {
    #[inline]
    pub fn new(addr: *mut u8, count: usize, ty: &'a TypeRef) -> Buf<'a> {
        Buf { addr, count, ty }
    }

    /// Packed length.
    #[inline]
    pub fn len(&self) -> usize {
        self.count * self.ty.size
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn plain(&self) -> moving::Buf<'a> {
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

    /// Where it is and goes to, and how much of it, if either is one block.
    #[inline(always)]
    pub(crate) fn blocks(&self, to: &Buf<'_>) -> Option<(*const u8, *mut u8, usize)> {
        let (a, b): (&Datatype, &Datatype) = (self.ty, to.ty);
        (a.contiguous && b.contiguous && a.predefined == b.predefined).then(|| {
            let from = self.addr.wrapping_offset(a.layout.at);
            let into = to.addr.wrapping_offset(b.layout.at);
            let n = (self.count * a.size).min(to.count * b.size);
            (from.cast_const(), into, n)
        })
    }

    /// Moves a message, in one copy if either side is one block (`blocks`); what does not fit is left out.
    ///
    /// # Safety
    /// `self` is readable, `to` writable.
    #[inline(always)]
    pub(crate) unsafe fn move_to(
        &self,
        to: &Buf<'_>,
        blocks: Option<(*const u8, *mut u8, usize)>,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            match blocks {
                Some((from, into, n)) => {
                    move_block(from, into, n);
                    Ok(())
                }
                None => moving::copy(self.plain(), to.plain()).map(drop),
            }
        }
    }
}

/// # Safety
/// As of [`copy_block`], but that a rank may send to itself from overlapping memory.
#[inline]
pub(crate) unsafe fn move_block(from: *const u8, to: *mut u8, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        if matches!(n, 4 | 8) {
            // Read before it is written.
            copy_few(from, to, n);
        } else if (from as usize).abs_diff(to as usize) < n {
            std::ptr::copy(from, to, n);
        } else {
            copy_block(from, to, n);
        }
    }
}
