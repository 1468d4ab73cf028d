//! Datatypes in a checkpoint: their constructor calls, children first.

use super::basic::Basic;
use super::build::{build, Constructor, Order, Subdim};
use super::darray::Dim;
use super::parametrised::Class90;
use super::portable::{displacements, Block, Question, Saved};
use super::{by_handle, bytes, Datatype, TypeRef};
use crate::wire::{bad, Read, Reader, Writer};
use pc3_runtime::transfer::{LoadCtx, LoadError};
use pc3_typemetric::types::TypeId;
use std::collections::HashMap;

/// Beside the kind of constructor: the one with large counts.
const WIDE: u8 = 0x80;

/// The kind of MPI_BYTE of values, which is no constructor.
const BYTES: u8 = 14;

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
    }
}

/// Numbers of derived types follow the handles of predefined ones.
fn number(index: usize) -> u64 {
    crate::handle::FIRST_DYNAMIC as u64 + index as u64
}

/// A type of a checkpoint as it is here.
#[derive(Clone)]
pub struct Again {
    pub ty: TypeRef,
    /// MPI_BYTE of values of this type of the saved program.
    of: Option<TypeId>,
}

impl Again {
    /// How many elements here are so many of the saved program's; `limit`: no fewer have to be there.
    pub fn count(&self, n: usize, limit: bool, ctx: &dyn LoadCtx) -> Read<usize> {
        let Some(of) = self.of else {
            return Ok(n);
        };
        let bytes = ctx.room(of, n as u64, limit)?;
        usize::try_from(bytes).or_else(|_| bad("a count does not fit this machine"))
    }
}

/// The types of a checkpoint, rebuilt.
#[derive(Default)]
pub struct Rebuilt {
    list: Vec<(TypeRef, Saved)>,
    /// Those that are MPI_BYTE of values: of which type of the saved program.
    values: HashMap<u64, TypeId>,
}

impl Rebuilt {
    pub fn get(&self, number: u64) -> Read<TypeRef> {
        Ok(self.find(number)?.0)
    }

    pub fn again(&self, number: u64) -> Read<Again> {
        Ok(Again {
            ty: self.get(number)?,
            of: self.values.get(&number).copied(),
        })
    }

    fn find(&self, number: u64) -> Read<(TypeRef, Saved)> {
        let found = match usize::try_from(number)
            .ok()
            .map(|n| n.checked_sub(crate::handle::FIRST_DYNAMIC))
        {
            Some(Some(i)) => self.list.get(i).cloned(),
            Some(None) => None,
            None => None,
        };
        // A predefined type is not in the list: its extent in the saved ABI is the caller's matter.
        match found.or_else(|| by_handle(number as usize).map(|t| (t.clone(), Saved::of(&t)))) {
            Some(t) => Ok(t),
            None => bad("an unknown datatype"),
        }
    }

    pub fn load(r: &mut Reader, ctx: &dyn LoadCtx) -> Read<Rebuilt> {
        let n = r.size()?;
        let mut all = Rebuilt::default();
        for _ in 0..n {
            let t = all.load_one(r, ctx)?;
            all.list.push(t);
        }
        Ok(all)
    }

    fn load_one(&mut self, r: &mut Reader, ctx: &dyn LoadCtx) -> Read<(TypeRef, Saved)> {
        let extent = r.disp()?;
        let first = Basic::from_handle(r.u32()? as usize);
        let saved = Saved {
            extent,
            first,
            first_at: r.disp()?,
        };
        let created_at = r.option_str()?;
        let addresses = r.list(Reader::u64)?;
        let line = created_at.as_deref();
        let block = |b: &(usize, i64, (TypeRef, Saved))| (b.0, b.1, b.2.clone());
        let solve = |blocks: &[(usize, i64, (TypeRef, Saved))],
                     stride: Option<i64>,
                     array: bool|
         -> Read<Vec<isize>> {
            let blocks = blocks.iter().map(block).collect::<Vec<_>>();
            let q = Question {
                blocks: blocks
                    .iter()
                    .map(|(n, at, (t, s))| Block {
                        at: *at,
                        count: *n,
                        saved: self.source(t, *s, ctx),
                        ty: t,
                    })
                    .collect(),
                stride,
                array,
                addresses: &addresses,
                created_at: line,
            };
            displacements(&q, ctx)?.into_iter().map(fit).collect()
        };
        let kind = r.u8()?;
        let (kind, wide) = (kind & !WIDE, kind & WIDE != 0);
        if kind == BYTES {
            let of = TypeId(r.u32()?);
            self.values.insert(number(self.list.len()), of);
            return match bytes::of(ctx.partner(of)?) {
                Some(ty) => Ok((ty, saved)),
                None => bad("what bytes are values of"),
            };
        }
        let old = match kind {
            9 => None,
            _ => Some(r.u64()?),
        };
        // So many elements of the old type, in bytes of values.
        let values = old.and_then(|n| self.values.get(&n));
        let many = |n: usize| match values {
            Some(of) => ctx.room(*of, n as u64, false).map(|n| n as usize),
            None => Ok(n),
        };
        let (old, of) = match old.map(|n| self.find(n)).transpose()? {
            Some(o) => (o.0.clone(), o),
            None => (super::build::bytes(), (super::build::bytes(), saved)),
        };
        let pairs = |r: &mut Reader| r.list(|r| Ok((r.size()?, r.disp()?)));
        let c = match kind {
            1 => Constructor::Dup(old),
            2 => Constructor::Contiguous {
                count: many(r.size()?)?,
                old,
            },
            3 => {
                let (count, blocklen, stride) = (r.size()?, many(r.size()?)?, fit(r.disp()?)?);
                let distance = many(stride.unsigned_abs())? as isize;
                Constructor::Vector {
                    count,
                    blocklen,
                    stride: distance * stride.signum(),
                    old,
                }
            }
            4 => {
                let (count, blocklen, stride) = (r.size()?, many(r.size()?)?, r.disp()?);
                let stride = if count > 1 {
                    solve(&[(blocklen, 0, of)], Some(stride), true)?[1]
                } else {
                    0
                };
                Constructor::Hvector {
                    count,
                    blocklen,
                    stride,
                    old,
                }
            }
            5 => {
                let blocks = pairs(r)?
                    .into_iter()
                    .map(|(n, d)| Ok((n, fit(d)?)))
                    .collect::<Read<_>>()?;
                Constructor::Indexed { blocks, old }
            }
            6 => {
                let list = pairs(r)?;
                let ask: Vec<_> = list.iter().map(|(n, d)| (*n, *d, of.clone())).collect();
                let displs = solve(&ask, None, true)?;
                Constructor::Hindexed {
                    blocks: list.iter().map(|b| b.0).zip(displs).collect(),
                    old,
                }
            }
            7 => {
                let (blocklen, list) = (r.size()?, r.list(Reader::disp)?);
                Constructor::IndexedBlock {
                    blocklen,
                    displs: list.into_iter().map(fit).collect::<Read<_>>()?,
                    old,
                }
            }
            8 => {
                let (blocklen, list) = (r.size()?, r.list(Reader::disp)?);
                let ask: Vec<_> = list.iter().map(|d| (blocklen, *d, of.clone())).collect();
                Constructor::HindexedBlock {
                    blocklen,
                    displs: solve(&ask, None, true)?,
                    old,
                }
            }
            9 => {
                let ask = r.list(|r| Ok((r.size()?, r.disp()?, self.find(r.u64()?)?)))?;
                let displs = solve(&ask, None, false)?;
                let blocks = ask
                    .into_iter()
                    .zip(displs)
                    .map(|((n, _, (t, _)), d)| (n, d, t))
                    .collect();
                Constructor::Struct { blocks }
            }
            10 => {
                let (lb, extent) = (r.disp()?, r.disp()?);
                let found = solve(&[(1, lb, of)], Some(extent), true)?;
                Constructor::Resized {
                    lb: found[0],
                    extent: found[1],
                    old,
                }
            }
            11 => {
                let order = if r.u8()? != 0 {
                    Order::Fortran
                } else {
                    Order::C
                };
                let dims = r.list(|r| {
                    Ok(Subdim {
                        size: r.size()?,
                        subsize: r.size()?,
                        start: r.size()?,
                    })
                })?;
                Constructor::Subarray { dims, order, old }
            }
            12 => {
                let order = if r.u8()? != 0 {
                    Order::Fortran
                } else {
                    Order::C
                };
                let (size, rank) = (r.i32()?, r.i32()?);
                let dims = r.list(|r| {
                    let d = Dim {
                        size: r.size()?,
                        distrib: r.i32()?,
                        arg: r.i32()?,
                        procs: r.size()?,
                        place: r.size()?,
                    };
                    if d.arg <= 0 && (17..=18).contains(&d.distrib)
                        || d.procs == 0
                        || d.place >= d.procs
                    {
                        return bad("a part of a spread array");
                    }
                    Ok(d)
                })?;
                Constructor::Darray {
                    size,
                    rank,
                    dims,
                    order,
                    old,
                }
            }
            13 => {
                let class = match r.u8()? {
                    0 => Class90::Real,
                    1 => Class90::Complex,
                    2 => Class90::Integer,
                    _ => return bad("an unknown class of datatypes"),
                };
                let (digits, range) = (r.i32()?, r.i32()?);
                // The saved one, so that what was packed and sent by it is read as that.
                Constructor::Parametrised {
                    class,
                    digits,
                    range,
                    old,
                }
            }
            _ => return bad("an unknown kind of datatype"),
        };
        let translated = addresses.iter().map(|a| match ctx.pointer(*a) {
            pc3_runtime::transfer::Target::At(p) => p as usize,
            _ => 0,
        });
        let addresses = translated.collect();
        let ty = build(c, created_at).map_err(|e| LoadError(e.to_string()))?;
        let ty = Datatype {
            addresses,
            wide,
            ..ty
        };
        Ok((ty.into(), saved))
    }

    /// Measures of a type in the saved ABI; predefined types have no record of their own.
    fn source(&self, t: &TypeRef, saved: Saved, ctx: &dyn LoadCtx) -> Saved {
        if t.predefined == 0 {
            return saved;
        }
        let extent = match (&t.constructor, ctx.types()) {
            (Constructor::Named(b), Some((from, _))) => b.size_in(from.abi()),
            (Constructor::Pair(value, index), Some((from, _))) => {
                let (abi, i) = (from.abi(), index.size());
                let align = value.align_in(abi).max(i.min(value.align_in(abi)).max(4));
                (value.size_in(abi).next_multiple_of(i.min(4)) + i).next_multiple_of(align)
            }
            _ => return saved,
        } as i64;
        Saved { extent, ..saved }
    }
}

fn fit(d: i64) -> Read<isize> {
    isize::try_from(d).or_else(|_| bad("a displacement does not fit this machine"))
}
