//! What members of a process give together.

use pc3_vmpi_objects::datatype::moving::{copy, Buf};
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_objects::error::Result;

/// Contributions of members of one process that are combined before others get them: of subtrees of the order, by their first
/// members and how many they have.
#[derive(Default)]
pub struct Contribution(pub(crate) Vec<(usize, usize, Vector)>);

/// A vector of elements in the layout of its datatype.
pub(crate) struct Vector {
    pub(crate) memory: Vec<u128>,
    pub(crate) offset: isize,
}

impl Vector {
    pub(crate) fn new(ty: &TypeRef, count: usize) -> Self {
        let (lo, hi) = ty.span(count);
        let offset = lo.rem_euclid(16) - lo;
        Vector {
            memory: vec![0; (hi + offset).max(0) as usize / 16 + 1],
            offset,
        }
    }

    pub(crate) fn of(ty: &TypeRef, count: usize, from: *const u8) -> Self {
        let mut v = Vector::new(ty, count);
        let _ = v.take(ty, count, from);
        v
    }

    pub(crate) fn take(&mut self, ty: &TypeRef, count: usize, from: *const u8) -> Result<usize> {
        let dst = Buf {
            ptr: self.ptr(),
            count,
            ty,
        };
        // SAFETY: room for `count` elements was made; the caller's buffer holds as many.
        unsafe {
            copy(
                Buf {
                    ptr: from.cast_mut(),
                    count,
                    ty,
                },
                dst,
            )
        }
    }

    /// What a program would pass as the buffer's address.
    pub(crate) fn ptr(&mut self) -> *mut u8 {
        self.memory
            .as_mut_ptr()
            .cast::<u8>()
            .wrapping_offset(self.offset)
    }

    /// The same, to read from.
    pub(crate) fn start(&self) -> *const u8 {
        self.memory
            .as_ptr()
            .cast::<u8>()
            .wrapping_offset(self.offset)
    }
}

impl Contribution {
    /// What a member gives, if that is not its own contribution: for how many members, perhaps none.
    pub fn of(&self, member: usize) -> Option<(*const u8, usize)> {
        let within = |s: &&(usize, usize, Vector)| (s.0..s.0 + s.1).contains(&member);
        let (first, covers, sum) = self.0.iter().find(within)?;
        match member == *first {
            true => Some((sum.start(), *covers)),
            false => Some((std::ptr::null(), 0)),
        }
    }
}
