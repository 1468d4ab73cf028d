//! A rank's shadow stack: escaping locals, VLAs and `alloca` at stable addresses.
//!
//! Generated code pushes a function's struct by moving `sp` and pops by setting it back; such
//! structs are found through their frames.  Blocks of run-time size have a header whose last word
//! is the `sp` to go back to, and are listed here.  Since popping is inline, the list may hold
//! blocks that are gone; whatever overlaps something younger is.

use std::ffi::{c_char, c_void};
use std::io;

use pc3_heap::address_space::{self, Purpose};
use pc3_heap::guard;
use pc3_os::memory::{self, page_size, Backing};
use pc3_typemetric::descriptor::pc3_type;

/// Header before a block's bytes.
pub const HEADER: usize = 16;
const ALIGN: usize = 16;

/// What the elements of a block need.
fn alignment(elem: *const pc3_type) -> usize {
    // SAFETY: null or one of the program's descriptors.
    let align = unsafe { elem.as_ref() }.map_or(1, |t| usize::from(t.align));
    align.max(ALIGN)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackBlock {
    /// The bytes, behind the header.
    pub base: usize,
    pub bytes: usize,
    /// Element type; null if unknown.
    pub elem: *mut pc3_type,
    from: usize,
}

#[derive(Debug)]
pub struct Shadow {
    base: *mut c_void,
    mapped: usize,
    /// First byte that generated code may not use.
    end: usize,
    blocks: Vec<StackBlock>,
    /// Top when the stack began to unwind.
    pub top: usize,
}

/// Zeroed memory for as long as the process lives, if it can be at the same address in every run.
pub fn standing(bytes: usize) -> io::Result<*mut c_void> {
    let own = address_space::map(Purpose::Standing, bytes, page_size());
    if !own.is_null() {
        return Ok(own.cast());
    }
    memory::map(bytes, Backing::AsTouched).map(<*mut u8>::cast)
}

impl Shadow {
    /// Reserves `size` bytes and a page behind, which is guarded if asked for: even a guard takes memory.
    pub fn new(size: usize, guarded: bool) -> io::Result<Shadow> {
        let size = size.next_multiple_of(page_size());
        let mapped = size + page_size();
        let base = standing(mapped)?;
        // Generated code asks for room, so this only stops what writes past its own.
        if guarded {
            guard::install(base.cast::<u8>().wrapping_add(size), page_size());
        }
        Ok(Shadow {
            base,
            mapped,
            end: base as usize + size,
            blocks: Vec::new(),
            top: base as usize,
        })
    }

    #[inline]
    pub fn start(&self) -> *mut c_char {
        self.base.cast()
    }

    /// First byte generated code may not use.
    #[inline]
    pub fn end(&self) -> *mut c_char {
        self.end as *mut c_char
    }

    /// Pushes a block behind `from`; returns its bytes and the new top, or nothing if full.
    #[inline]
    pub fn block(
        &mut self,
        from: usize,
        bytes: usize,
        elem: *mut pc3_type,
    ) -> Option<(usize, usize)> {
        let base = (from + HEADER).checked_next_multiple_of(alignment(elem))?;
        // A pointer one past the end must not be the next object's.
        let top = base
            .checked_add(bytes)?
            .checked_add(1)?
            .checked_next_multiple_of(ALIGN)?;
        if top > self.end() as usize {
            return None;
        }
        while self
            .blocks
            .last()
            .is_some_and(|b| b.base + b.bytes >= base - HEADER)
        {
            self.blocks.pop();
        }
        self.blocks.push(StackBlock {
            base,
            bytes,
            elem,
            from,
        });
        // SAFETY: the header lies inside the mapping, below `base`.
        unsafe { (base as *mut usize).sub(1).write(from) };
        Some((base, top))
    }

    /// The blocks alive below `top`, given the functions' structs (address, bytes).
    pub fn live_blocks(&self, structs: &[(usize, usize)]) -> Vec<StackBlock> {
        let mut taken: Vec<(usize, usize)> = structs.iter().map(|&(at, n)| (at, at + n)).collect();
        taken.sort_unstable();
        let clear = |b: &StackBlock| {
            let (start, end) = (b.base - HEADER, b.base + b.bytes);
            let after = taken.partition_point(|t| t.1 <= start);
            end < self.top && taken.get(after).is_none_or(|t| t.0 >= end)
        };
        self.blocks.iter().filter(|b| clear(b)).copied().collect()
    }

    /// Empties the stack before a restart fills it.
    pub fn reset(&mut self) {
        self.blocks.clear();
        self.top = self.base as usize;
    }

    /// Room for a function's struct behind the current top, as generated code would make it.
    pub fn push_struct(&mut self, bytes: usize, align: usize) -> Option<usize> {
        let at = self.top.checked_next_multiple_of(align.max(ALIGN))?;
        let top = at
            .checked_add(bytes)?
            .checked_add(1)?
            .checked_next_multiple_of(ALIGN)?;
        if top > self.end() as usize {
            return None;
        }
        self.top = top;
        Some(at)
    }

    /// Room for a block behind the current top.
    pub fn push_block(&mut self, bytes: usize, elem: *mut pc3_type) -> Option<usize> {
        let (base, top) = self.block(self.top, bytes, elem)?;
        self.top = top;
        Some(base)
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        // SAFETY: exactly what `new` mapped.
        unsafe { memory::unmap(self.base.cast(), self.mapped) };
        address_space::unmapped(self.base as usize, self.mapped);
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use super::*;

    #[test]
    fn blocks_that_are_gone_are_not_listed() {
        let mut s = Shadow::new(1 << 20, true).unwrap();
        let start = s.start() as usize;
        let (a, top) = s.block(start, 100, null_mut()).unwrap();
        let (b, top_b) = s.block(top, 50, null_mut()).unwrap();
        s.top = top_b;
        let bases = |s: &Shadow, structs: &[_]| {
            s.live_blocks(structs)
                .iter()
                .map(|b| b.base)
                .collect::<Vec<_>>()
        };
        assert_eq!(bases(&s, &[]), [a, b]);
        // b is popped, a struct covers it, then another block.
        let (c, top_c) = s.block(top + 64, 8, null_mut()).unwrap();
        s.top = top_c;
        assert_eq!(bases(&s, &[(top, 64)]), [a, c]);
        s.top = top;
        assert_eq!(bases(&s, &[]), [a]);
        // SAFETY: written by `block`.
        assert_eq!(unsafe { *(c as *const usize).sub(1) }, top + 64);
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let mut s = Shadow::new(1 << 16, true).unwrap();
        let start = s.start() as usize;
        assert!(s.block(start, 1 << 16, null_mut()).is_none());
        assert!(s.block(start, usize::MAX - 8, null_mut()).is_none());
        assert!(s.block(start, (1 << 16) - 64, null_mut()).is_some());
    }
}
