//! Long blocks that are read where they lie, in another process of this machine, instead of travelling in frames.
//!
//! Who sends such a block says where it is, and does not go on before each process that was told so has said that it has read what
//! it wants.  Only in blocking collectives: there somebody can wait.

use std::cell::Cell;

use super::elsewhere::{Elsewhere, Topic};
use crate::work::process_contribution::Contribution;
use pc3_vmpi_objects::datatype::Datatype;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};
use pc3_vmpi_transport::ProcessMemory;

/// Shorter ones are copied: to read each takes a system call.
const LEAST: usize = 16 << 10;
/// So much goes in a frame before anything is lent, which takes an answer.
const ENOUGH: usize = 48 << 10;

/// Another process, as what it needs of the calls here is written.
pub struct RemoteProcess<'a> {
    /// Its members.
    pub members: &'a [usize],
    /// It can read this process's memory.
    reads: bool,
    lent: Cell<bool>,
    together: Option<&'a Contribution>,
}

impl<'a> RemoteProcess<'a> {
    /// Nobody waits until it has read anything.
    pub fn copy(members: &'a [usize]) -> RemoteProcess<'a> {
        RemoteProcess {
            members,
            reads: false,
            lent: Cell::new(false),
            together: None,
        }
    }

    /// `together`: what members here give together, which stays.
    pub fn lend(
        members: &'a [usize],
        reads: bool,
        together: &'a Contribution,
    ) -> RemoteProcess<'a> {
        RemoteProcess {
            reads,
            together: Some(together),
            ..RemoteProcess::copy(members)
        }
    }

    /// What that member gives instead of its own contribution, and how many members' that is.
    pub fn combined(&self, member: usize) -> Option<(*const u8, usize)> {
        self.together?.of(member)
    }

    /// Was any block left where it lies?
    pub(crate) fn has_lent(&self) -> bool {
        self.lent.get()
    }

    /// Writes elements: their bytes, or where they are.  `stays`: they are not written to while the other process may read.
    ///
    /// # Safety
    /// They are readable.
    pub unsafe fn write(
        &self,
        w: &mut Writer,
        (from, count, ty): (*const u8, usize, &Datatype),
        stays: bool,
    ) {
        let len = count * ty.size;
        let long = len >= LEAST && w.0.len() + len > ENOUGH;
        let there = long && stays && self.reads && ty.contiguous;
        w.u8(there.into());
        w.size(len);
        if there {
            self.lent.set(true);
            w.size(from.wrapping_offset(ty.layout.at) as usize);
            return;
        }
        let at = w.0.len();
        w.0.reserve(len);
        // SAFETY: by the caller; the vector has the room and is then full.
        unsafe {
            ty.pack(from.cast_mut(), count, w.0.as_mut_ptr().add(at));
            w.0.set_len(at + len);
        }
    }
}

/// A block in another process's memory.
#[derive(Clone, Copy)]
pub struct There {
    memory: ProcessMemory,
    at: u64,
    pub len: usize,
}

impl There {
    /// # Safety
    /// There is room for all of it.
    pub unsafe fn read(&self, to: *mut u8) -> Result<()> {
        // SAFETY: by the caller.
        match unsafe { self.memory.read(self.at, to, self.len) } {
            true => Ok(()),
            false => fail(
                Class::ERR_OTHER,
                "the memory of another process cannot be read any more",
            ),
        }
    }

    pub fn fetch(&self) -> Result<Box<[u8]>> {
        let mut bytes = Vec::with_capacity(self.len);
        // SAFETY: room for as many was made, which are then there.
        unsafe {
            self.read(bytes.as_mut_ptr())?;
            bytes.set_len(self.len);
        }
        Ok(bytes.into())
    }
}

/// Elements that another process has written.
pub(crate) enum Came<'a> {
    Here(&'a [u8]),
    There(There),
}

impl Came<'_> {
    /// Elements of `ty` go where they belong.
    ///
    /// # Safety
    /// There is room for `count`, which are as many.
    pub unsafe fn put(&self, ty: &Datatype, to: *mut u8, count: usize) -> Result<()> {
        let fetched;
        let bytes = match self {
            Came::Here(bytes) => *bytes,
            // SAFETY: by the caller.
            Came::There(t) if ty.contiguous => unsafe {
                return t.read(to.wrapping_offset(ty.layout.at));
            },
            Came::There(t) => {
                fetched = t.fetch()?;
                &fetched[..]
            }
        };
        // SAFETY: by the caller.
        unsafe { ty.unpack(bytes.as_ptr(), bytes.len(), to, count) };
        Ok(())
    }

    /// `memory`: of the process that wrote them.
    pub fn read<'a>(r: &mut Reader<'a>, memory: Option<ProcessMemory>) -> Read<Came<'a>> {
        match (r.u8()?, memory) {
            (0, _) => Ok(Came::Here(r.bytes()?)),
            (_, Some(memory)) => Ok(Came::There(There {
                memory,
                len: r.size()?,
                at: r.u64()?,
            })),
            _ => bad("memory that cannot be read"),
        }
    }
}

/// What one collective has lent and borrowed.
#[derive(Default)]
pub(crate) struct Loans {
    /// Processes that read here.
    pub(crate) readers: usize,
    /// Processes that are read from here.
    pub(crate) lenders: Vec<u32>,
}

impl Loans {
    /// All that is to be read has been: says so, and waits until others say it.
    pub fn settle(&mut self, out: &dyn Elsewhere, topic: Topic) {
        for process in self.lenders.drain(..) {
            out.send(process, (topic, None), &[]);
        }
        match std::mem::take(&mut self.readers) {
            0 => {}
            n => drop(out.receive(topic, n)),
        }
    }
}
