//! Calls from elsewhere and what they refer to.

use std::any::Any;

use super::zero_copy::{Came, RemoteProcess, There};
use crate::topo::neighbors::Neighbors;
use pc3_vmpi_objects::datatype::moving::Buf;
use pc3_vmpi_objects::datatype::saved::written::{read_type, write_signature};
use pc3_vmpi_objects::datatype::{by_handle, TypeRef};
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};
use pc3_vmpi_transport::ProcessMemory;

/// Calls from elsewhere and what they refer to.
pub struct Keep<C> {
    pub calls: Vec<Box<C>>,
    blocks: Vec<Box<[Packed]>>,
    memory: Vec<Vec<u128>>,
    counts: Vec<Box<[isize]>>,
    // Calls point to them: they must stay where they are.
    #[allow(clippy::vec_box)]
    neighbors: Vec<Box<Neighbors>>,
    others: Vec<Box<dyn Any>>,
    /// Of the process whose calls are being read, if it lends.
    pub(crate) lender: Option<ProcessMemory>,
}

impl<C> Default for Keep<C> {
    fn default() -> Self {
        Keep {
            calls: Vec::new(),
            blocks: Vec::new(),
            memory: Vec::new(),
            counts: Vec::new(),
            neighbors: Vec::new(),
            others: Vec::new(),
            lender: None,
        }
    }
}

impl<C> Keep<C> {
    /// The lifetime is that of the calls kept here, which nobody uses afterwards.
    pub fn blocks<'a>(&mut self, list: Vec<Packed>) -> &'a [Packed] {
        self.blocks.push(list.into_boxed_slice());
        let kept: *const [Packed] = &raw const *self.blocks[self.blocks.len() - 1];
        // SAFETY: boxed, and as long-lived as the calls.
        unsafe { &*kept }
    }

    pub fn neighbors<'a>(&mut self, n: Neighbors) -> &'a Neighbors {
        self.neighbors.push(Box::new(n));
        let kept: *const Neighbors = &raw const *self.neighbors[self.neighbors.len() - 1];
        // SAFETY: as above.
        unsafe { &*kept }
    }

    pub fn any<'a, T: 'static>(&mut self, list: Vec<T>) -> &'a [T] {
        let kept: *const [T] = &raw const *list;
        self.others.push(Box::new(list));
        // SAFETY: as above: the elements do not move.
        unsafe { &*kept }
    }

    pub fn counts<'a>(&mut self, list: Vec<isize>) -> &'a [isize] {
        self.counts.push(list.into_boxed_slice());
        let kept: *const [isize] = &raw const *self.counts[self.counts.len() - 1];
        // SAFETY: as above.
        unsafe { &*kept }
    }

    /// Memory for `count` elements; what a program would pass as its address.
    pub fn elements(&mut self, ty: &TypeRef, count: usize) -> *mut u8 {
        let (lo, hi) = ty.span(count);
        let offset = lo.rem_euclid(16) - lo;
        let mut m = vec![0u128; (hi + offset).max(0) as usize / 16 + 1];
        let at = m.as_mut_ptr().cast::<u8>().wrapping_offset(offset);
        self.memory.push(m);
        at
    }
}

/// A block from elsewhere.
pub struct Packed {
    /// Its number at the sender; [`Packed::ANY`].
    pub member: usize,
    pub ty: TypeRef,
    pub body: PackedBody,
}

pub enum PackedBody {
    Own(Box<[u8]>),
    There(There),
}

impl Packed {
    pub const ANY: usize = usize::MAX;

    pub fn find(list: &[Packed], member: usize) -> Option<&Packed> {
        list.iter()
            .find(|p| p.member == member || p.member == Packed::ANY)
    }

    /// # Safety
    /// The buffer is readable.
    pub unsafe fn write(w: &mut Writer, member: usize, buf: &Buf, to: &RemoteProcess, stays: bool) {
        w.u64(if member == Packed::ANY {
            u64::MAX
        } else {
            member as u64
        });
        let ty = buf.ty;
        match (ty.predefined, ty.signature.uniform()) {
            (0, Some(b)) if !ty.is_packed() => w.u32(b as u32),
            (0, _) => {
                w.u32(0);
                write_signature(w, &ty.signature);
            }
            (handle, _) => w.u32(handle as u32),
        }
        // SAFETY: by the caller.
        unsafe { to.write(w, (buf.ptr, buf.count, ty), stays) }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.body {
            PackedBody::Own(bytes) => bytes.len(),
            PackedBody::There(there) => there.len,
        }
    }

    /// A block that is for everybody, if it lies elsewhere.
    pub(crate) fn fetch_for_all(&mut self) -> Read<()> {
        if let (Packed::ANY, PackedBody::There(there)) = (self.member, &self.body) {
            match there.fetch() {
                Ok(bytes) => self.body = PackedBody::Own(bytes),
                Err(e) => return bad(&e.detail),
            }
        }
        Ok(())
    }

    pub fn read(r: &mut Reader, memory: Option<ProcessMemory>) -> Read<Packed> {
        let member = match r.u64()? {
            u64::MAX => Packed::ANY,
            n => n as usize,
        };
        let ty = match r.u32()? {
            0 => read_type(r)?,
            handle => by_handle(handle as usize).map_or_else(|| bad("a datatype"), Ok)?,
        };
        let body = match Came::read(r, memory)? {
            Came::Here(bytes) => PackedBody::Own(bytes.into()),
            Came::There(there) => PackedBody::There(there),
        };
        Ok(Packed { member, ty, body })
    }
}
