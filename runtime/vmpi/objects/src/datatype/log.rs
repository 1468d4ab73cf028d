//! Datatypes in a checkpoint: their constructor calls, children first.

use super::build::{Constructor, Order};
use super::portable::Saved;
use super::{Datatype, TypeRef};
use crate::wire::Writer;

/// Beside the kind of constructor: the one with large counts.
pub(super) const WIDE: u8 = 0x80;

/// Likewise: behind it is what its numbers of bytes are.
pub(super) const COUNTED: u8 = 0x40;

/// The kind of MPI_BYTE of values, which is no constructor.
pub(super) const BYTES: u8 = 14;

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
        match &t.constructor {
            // Others that are predefined are never in the list.
            Constructor::Named(_) | Constructor::Pair(..) => {
                w.u8(BYTES);
                w.u32(t.of.unwrap_or_default().0);
            }
            Constructor::Dup(old) => {
                w.u8(1);
                w.u64(self.add(old));
            }
            Constructor::Parametrised {
                class,
                digits,
                range,
                old,
            } => {
                w.u8(13);
                w.u64(self.add(old));
                w.u8(*class as u8);
                w.i32(*digits);
                w.i32(*range);
            }
            Constructor::Contiguous { count, old } => {
                w.u8(2);
                w.u64(self.add(old));
                w.size(*count);
            }
            Constructor::Vector {
                count,
                blocklen,
                stride,
                old,
            } => {
                w.u8(3);
                w.u64(self.add(old));
                w.size(*count);
                w.size(*blocklen);
                w.disp(*stride);
            }
            Constructor::Hvector {
                count,
                blocklen,
                stride,
                old,
            } => {
                w.u8(4);
                w.u64(self.add(old));
                w.size(*count);
                w.size(*blocklen);
                w.disp(*stride);
            }
            Constructor::Indexed { blocks, old } => {
                w.u8(5);
                w.u64(self.add(old));
                w.list(blocks.iter(), |w, b| (w.size(b.0), w.disp(b.1)).0);
            }
            Constructor::Hindexed { blocks, old } => {
                w.u8(6);
                w.u64(self.add(old));
                w.list(blocks.iter(), |w, b| (w.size(b.0), w.disp(b.1)).0);
            }
            Constructor::IndexedBlock {
                blocklen,
                displs,
                old,
            } => {
                w.u8(7);
                w.u64(self.add(old));
                w.size(*blocklen);
                w.list(displs.iter(), |w, d| w.disp(*d));
            }
            Constructor::HindexedBlock {
                blocklen,
                displs,
                old,
            } => {
                w.u8(8);
                w.u64(self.add(old));
                w.size(*blocklen);
                w.list(displs.iter(), |w, d| w.disp(*d));
            }
            Constructor::Struct { blocks } => {
                w.u8(9);
                let numbers: Vec<u64> = blocks.iter().map(|b| self.add(&b.2)).collect();
                w.list(blocks.iter().zip(numbers), |w, (b, n)| {
                    w.size(b.0);
                    w.disp(b.1);
                    w.u64(n);
                });
            }
            Constructor::Resized { lb, extent, old } => {
                w.u8(10);
                w.u64(self.add(old));
                w.disp(*lb);
                w.disp(*extent);
            }
            Constructor::Darray {
                size,
                rank,
                dims,
                order,
                old,
            } => {
                w.u8(12);
                w.u64(self.add(old));
                w.u8((*order == Order::Fortran).into());
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
            Constructor::Subarray { dims, order, old } => {
                w.u8(11);
                w.u64(self.add(old));
                w.u8((*order == Order::Fortran).into());
                w.list(dims.iter(), |w, d| {
                    w.size(d.size);
                    w.size(d.subsize);
                    w.size(d.start);
                });
            }
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
}

/// Numbers of derived types follow the handles of predefined ones.
pub(super) fn number(index: usize) -> u64 {
    crate::handle::FIRST_DYNAMIC as u64 + index as u64
}
