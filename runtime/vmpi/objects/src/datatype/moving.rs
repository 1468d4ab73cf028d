//! Packing, unpacking and copying elements in native representation.
//!
//! A packed stream holds the basic elements of a signature one after the other without padding.

use super::layout::transfer;
use super::Datatype;
use std::cell::RefCell;

impl Datatype {
    /// Packs `count` elements at `buf` to `out`; returns the bytes written.
    ///
    /// # Safety
    /// `buf` must hold `count` elements, `out` room for [`Datatype::bytes`] of them.
    #[inline]
    pub unsafe fn pack(&self, buf: *const u8, count: usize, out: *mut u8) -> usize {
        self.run::<true>(buf.cast_mut(), count, out, usize::MAX)
    }

    /// Unpacks `len` stream bytes to at most `count` elements at `buf`; returns the bytes taken.
    ///
    /// # Safety
    /// `data` must hold `len` bytes, `buf` room for the elements that these fill.
    #[inline]
    pub unsafe fn unpack(&self, data: *const u8, len: usize, buf: *mut u8, count: usize) -> usize {
        self.run::<false>(buf, count, data.cast_mut(), len)
    }

    /// Packs into a fresh vector.
    ///
    /// # Safety
    /// As [`Datatype::pack`].
    #[inline]
    pub unsafe fn pack_vec(&self, buf: *const u8, count: usize) -> Vec<u8> {
        let n = self.size * count;
        let mut v = Vec::with_capacity(n);
        self.pack(buf, count, v.as_mut_ptr());
        v.set_len(n);
        v
    }

    unsafe fn run<const PACK: bool>(
        &self,
        buf: *mut u8,
        count: usize,
        stream: *mut u8,
        limit: usize,
    ) -> usize {
        let limit = limit.min(self.size.saturating_mul(count));
        if limit == 0 {
            return 0;
        }
        let mem = buf.wrapping_offset(self.layout.at);
        if self.contiguous {
            if PACK {
                std::ptr::copy_nonoverlapping(mem, stream, limit);
            } else {
                std::ptr::copy_nonoverlapping(stream, mem, limit);
            }
            return limit;
        }
        if count == 1 {
            return transfer::<PACK>(&self.layout.node, mem, stream, limit);
        }
        // One more level of repetition, so that e.g. a column type moved many times is one loop.
        let many = self.layout.repeat(count, self.extent);
        transfer::<PACK>(&many.node, mem, stream, limit)
    }
}

/// A buffer as MPI calls name it: address, count, datatype.
#[derive(Clone, Copy)]
pub struct Buf<'a> {
    pub ptr: *mut u8,
    pub count: usize,
    pub ty: &'a Datatype,
}

impl Buf<'_> {
    #[inline]
    pub fn bytes(&self) -> usize {
        self.ty.size.saturating_mul(self.count)
    }

    /// Address of the first byte if the elements are one block.
    #[inline]
    pub fn block(&self) -> Option<*mut u8> {
        self.ty
            .contiguous
            .then(|| self.ptr.wrapping_offset(self.ty.layout.at))
    }
}

/// Copies elements between two buffers, in one pass if either is one block; returns the bytes
/// moved: all of `src` unless `dst` is smaller.
///
/// A stream of MPI_PACKED is in the portable format, everything else native: where one side is
/// MPI_PACKED and the other is not, `Err` is returned when the elements cannot be represented.
///
/// # Safety
/// Both buffers must be valid for their elements.
pub unsafe fn copy(src: Buf, dst: Buf) -> crate::error::Result<usize> {
    if src.ty.is_packed() != dst.ty.is_packed() {
        return crate::pack::copy_converting(src, dst);
    }
    let n = src.bytes().min(dst.bytes());
    Ok(match (src.block(), dst.block()) {
        (Some(s), Some(d)) => {
            std::ptr::copy(s, d, n);
            n
        }
        (Some(s), None) => dst.ty.unpack(s, n, dst.ptr, dst.count),
        (None, Some(d)) => src.ty.run::<true>(src.ptr, src.count, d, n),
        (None, None) => with_scratch(n, |t| {
            src.ty.run::<true>(src.ptr, src.count, t, n);
            dst.ty.unpack(t, n, dst.ptr, dst.count)
        }),
    })
}

/// Runs `f` on `n` bytes of this thread's scratch memory; `f` must not call back into this.
pub fn with_scratch<R>(n: usize, f: impl FnOnce(*mut u8) -> R) -> R {
    thread_local!(static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
    SCRATCH.with(|s| match s.try_borrow_mut() {
        Ok(mut v) => {
            let len = v.len().max(n);
            v.resize(len, 0);
            let r = f(v.as_mut_ptr());
            // Keep what small messages need, not the largest ever seen.
            if v.len() > (1 << 20) {
                *v = Vec::new();
            }
            r
        }
        Err(_) => f(vec![0u8; n].as_mut_ptr()),
    })
}
