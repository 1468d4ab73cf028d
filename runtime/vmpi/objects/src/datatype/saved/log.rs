//! Datatypes in a checkpoint: their constructor calls, children first.

use crate::datatype::build::{ArrayOrder, Constructor};
use crate::datatype::portable::Saved;
use crate::datatype::{Datatype, TypeRef};
use crate::wire::Writer;

/// Beside the kind of constructor: the one with large counts.
pub(crate) const WIDE: u8 = 0x80;

/// Likewise: behind it is what its numbers of bytes are.
pub(crate) const COUNTED: u8 = 0x40;

/// The kind of MPI_BYTE of values, which is no constructor.
pub(crate) const BYTES: u8 = 14;

/// Derived types, and MPI_BYTE of values, in the order in which they can be rebuilt.
#[derive(Default)]
pub struct Log {
    list: Vec<TypeRef>,
}

impl Log {
    /// Adds a type and what it is made of; returns its number (a handle for a predefined type).
    pub fn add(&mut self, t: &TypeRef) -> u64 {
        if t.predefined != 0 && t.of.is_none() {
            return t.predefined as u64;
        }
        if let Some(i) = self.list.iter().position(|o| o.same(t)) {
            return number(i);
        }
        for child in t.constructor.children() {
            self.add(child);
        }
        self.list.push(t.clone());
        number(self.list.len() - 1)
    }

    pub fn save(&mut self, w: &mut Writer) {
        w.size(self.list.len());
        for t in std::mem::take(&mut self.list) {
            self.save_one(&t, w);
            self.list.push(t);
        }
    }

    fn save_one(&mut self, t: &Datatype, w: &mut Writer) {
        let saved = Saved::of(t);
        w.disp(t.extent);
        w.u32(saved.first.map_or(0, |b| b as u32));
        w.u64(saved.first_at as u64);
        w.option_str(t.created_at.as_deref());
        w.list(t.addresses.iter(), |w, a| w.size(*a));
        let kind = w.0.len();
        w.u8(code(&t.constructor));
        match old_of(&t.constructor) {
            Some(old) => {
                w.u64(self.add(old));
                arguments(&t.constructor, w);
            }
            None => match &t.constructor {
                Constructor::Struct { blocks } => self.structure(blocks, w),
                // Others that are predefined are never in the list.
                _ => w.u32(t.of.unwrap_or_default().0),
            },
        }
        if t.wide {
            w.0[kind] |= WIDE;
        }
        if t.counts.is_known() {
            w.0[kind] |= COUNTED;
            let mut counts = Writer::default();
            t.counts.save(&mut counts);
            w.0.splice(kind + 1..kind + 1, counts.0);
        }
    }

    fn structure(&mut self, blocks: &[(usize, isize, TypeRef)], w: &mut Writer) {
        let numbers: Vec<u64> = blocks.iter().map(|b| self.add(&b.2)).collect();
        w.list(blocks.iter().zip(numbers), |w, (b, n)| {
            w.size(b.0);
            w.disp(b.1);
            w.u64(n);
        });
    }
}

/// By which a constructor is known in a checkpoint.
fn code(c: &Constructor) -> u8 {
    match c {
        Constructor::Named(_) | Constructor::Pair(..) => BYTES,
        Constructor::Dup(_) => 1,
        Constructor::Contiguous { .. } => 2,
        Constructor::Vector { .. } => 3,
        Constructor::Hvector { .. } => 4,
        Constructor::Indexed { .. } => 5,
        Constructor::Hindexed { .. } => 6,
        Constructor::IndexedBlock { .. } => 7,
        Constructor::HindexedBlock { .. } => 8,
        Constructor::Struct { .. } => 9,
        Constructor::Resized { .. } => 10,
        Constructor::Subarray { .. } => 11,
        Constructor::Darray { .. } => 12,
        Constructor::Parametrised { .. } => 13,
    }
}

/// The one type that it is made of.
fn old_of(c: &Constructor) -> Option<&TypeRef> {
    match c.children()[..] {
        [old] if !matches!(c, Constructor::Struct { .. }) => Some(old),
        _ => None,
    }
}

/// What follows that.
fn arguments(c: &Constructor, w: &mut Writer) {
    match c {
        Constructor::Named(_) | Constructor::Pair(..) | Constructor::Struct { .. } => {}
        Constructor::Dup(_) => {}
        Constructor::Parametrised {
            class,
            digits,
            range,
            ..
        } => {
            w.u8(*class as u8);
            w.i32(*digits);
            w.i32(*range);
        }
        Constructor::Contiguous { count, .. } => w.size(*count),
        Constructor::Vector {
            count,
            blocklen,
            stride,
            ..
        }
        | Constructor::Hvector {
            count,
            blocklen,
            stride,
            ..
        } => {
            w.size(*count);
            w.size(*blocklen);
            w.disp(*stride);
        }
        Constructor::Indexed { blocks, .. } | Constructor::Hindexed { blocks, .. } => {
            w.list(blocks.iter(), |w, b| (w.size(b.0), w.disp(b.1)).0);
        }
        Constructor::IndexedBlock {
            blocklen, displs, ..
        }
        | Constructor::HindexedBlock {
            blocklen, displs, ..
        } => {
            w.size(*blocklen);
            w.list(displs.iter(), |w, d| w.disp(*d));
        }
        Constructor::Resized { lb, extent, .. } => {
            w.disp(*lb);
            w.disp(*extent);
        }
        Constructor::Darray {
            size,
            rank,
            dims,
            order,
            ..
        } => {
            w.u8((*order == ArrayOrder::Fortran).into());
            w.i32(*size);
            w.i32(*rank);
            w.list(dims.iter(), |w, d| {
                w.size(d.size);
                w.i32(d.distrib);
                w.i32(d.arg);
                w.size(d.procs);
                w.size(d.place);
            });
        }
        Constructor::Subarray { dims, order, .. } => {
            w.u8((*order == ArrayOrder::Fortran).into());
            w.list(dims.iter(), |w, d| {
                w.size(d.size);
                w.size(d.subsize);
                w.size(d.start);
            });
        }
    }
}

/// Numbers of derived types follow the handles of predefined ones.
pub(crate) fn number(index: usize) -> u64 {
    crate::handle::FIRST_DYNAMIC as u64 + index as u64
}
