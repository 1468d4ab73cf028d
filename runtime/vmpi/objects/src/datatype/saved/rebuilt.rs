//! The datatypes of a checkpoint, made again from their constructor calls: see [`super::log`].

use super::log::{number, BYTES, COUNTED, WIDE};
use crate::datatype::basic::Basic;
use crate::datatype::build::{build, ArrayOrder, Constructor, Subdim};
use crate::datatype::constructor::{Class90, Dim};
use crate::datatype::counted::{self, Counted, Counts};
use crate::datatype::darray::{BLOCK, CYCLIC, DEFAULT, NONE};
use crate::datatype::portable::{displacements, refuse, Block, Question, Saved};
use crate::datatype::{by_handle, bytes, Datatype, TypeRef};
use crate::wire::{bad, Read, Reader};
use pc3_runtime::transfer::{LoadCtx, LoadError, Target};
use pc3_typemetric::types::TypeId;
use std::collections::HashMap;

/// A type of a checkpoint as it is here.
#[derive(Clone)]
pub struct RebuiltType {
    pub ty: TypeRef,
    /// MPI_BYTE of values of this type of the saved program.
    of: Option<TypeId>,
}

impl RebuiltType {
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

/// What a type is made of.
struct Old {
    again: RebuiltType,
    saved: Saved,
}

impl Old {
    fn ty(&self) -> TypeRef {
        self.again.ty.clone()
    }

    /// Are numbers of elements numbers of bytes, of which the text has to say what they are?
    fn is_bytes(&self) -> bool {
        self.again.of.is_none() && counted::is_bytes(&self.again.ty)
    }
}

/// A block as it was: number of elements and displacement.
type Pair = (usize, i64);

impl Rebuilt {
    pub fn get(&self, number: u64) -> Read<TypeRef> {
        Ok(self.find(number)?.0)
    }

    pub fn rebuilt(&self, number: u64) -> Read<RebuiltType> {
        Ok(self.old(number)?.again)
    }

    fn old(&self, number: u64) -> Read<Old> {
        let (ty, saved) = self.find(number)?;
        let of = self.values.get(&number).copied();
        let again = RebuiltType { ty, of };
        Ok(Old { again, saved })
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
        let kind = r.u8()?;
        let wide = kind & WIDE != 0;
        let counts = match kind & COUNTED {
            0 => Counts::default(),
            _ => Counts::load(r)?,
        };
        let kind = kind & !(WIDE | COUNTED);
        if kind == BYTES {
            let of = TypeId(r.u32()?);
            self.values.insert(number(self.list.len()), of);
            return match bytes::of(ctx.partner(of)?) {
                Some(ty) => Ok((ty, saved)),
                None => bad("what bytes are values of"),
            };
        }
        let call = Call {
            all: self,
            addresses: &addresses,
            created_at: created_at.as_deref(),
            counts,
            ctx,
        };
        let constructor = call.constructor(kind, r)?;
        let translated = addresses.iter().map(|a| match ctx.pointer(*a) {
            Target::At(p) => p as usize,
            _ => 0,
        });
        let addresses = translated.collect();
        let ty = build(constructor, created_at).map_err(|e| LoadError(e.to_string()))?;
        let ty = Datatype {
            addresses,
            wide,
            counts: counts.here(ctx)?,
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

fn parametrised(r: &mut Reader, old: &Old) -> Read<Constructor> {
    let class = match r.u8()? {
        0 => Class90::Real,
        1 => Class90::Complex,
        2 => Class90::Integer,
        _ => return bad("an unknown class of datatypes"),
    };
    let (digits, range) = (r.i32()?, r.i32()?);
    // The saved one, so that what was packed and sent by it is read as that.
    Ok(Constructor::Parametrised {
        class,
        digits,
        range,
        old: old.ty(),
    })
}

/// One constructor call of the saved program, while it is made again.
struct Call<'a> {
    all: &'a Rebuilt,
    addresses: &'a [u64],
    created_at: Option<&'a str>,
    counts: Counts,
    ctx: &'a dyn LoadCtx,
}

impl Call<'_> {
    fn constructor(&self, kind: u8, r: &mut Reader) -> Read<Constructor> {
        if kind == 9 {
            return self.structure(r);
        }
        let old = self.all.old(r.u64()?)?;
        Ok(match kind {
            1 => Constructor::Dup(old.ty()),
            2 => Constructor::Contiguous {
                count: self.many(r.size()?, &old)?,
                old: old.ty(),
            },
            3 => {
                let (count, blocklen, stride) = (r.size()?, self.many(r.size()?, &old)?, r.disp()?);
                Constructor::Vector {
                    count,
                    blocklen,
                    stride: self.distance(stride, &old)?,
                    old: old.ty(),
                }
            }
            4 => {
                let (count, blocklen, stride) = (r.size()?, r.size()?, r.disp()?);
                let stride = match count > 1 {
                    true => self.solve(&[(blocklen, 0, &old)], Some(stride), true)?[1],
                    false => 0,
                };
                Constructor::Hvector {
                    count,
                    blocklen: self.many(blocklen, &old)?,
                    stride,
                    old: old.ty(),
                }
            }
            5 => Constructor::Indexed {
                blocks: self.blocks(&pairs(r)?, &old)?,
                old: old.ty(),
            },
            6 => self.hindexed(r, &old)?,
            7 => {
                let (blocklen, list) = (r.size()?, r.list(Reader::disp)?);
                let list: Vec<_> = list.into_iter().map(|d| (blocklen, d)).collect();
                let blocks = self.blocks(&list, &old)?;
                Constructor::IndexedBlock {
                    blocklen: self.equal(blocks.iter().map(|b| b.0), blocklen, &old)?,
                    displs: blocks.into_iter().map(|b| b.1).collect(),
                    old: old.ty(),
                }
            }
            8 => self.hindexed_block(r, &old)?,
            10 => {
                let (lb, extent) = (r.disp()?, r.disp()?);
                let found = self.solve(&[(1, lb, &old)], Some(extent), true)?;
                Constructor::Resized {
                    lb: found[0],
                    extent: found[1],
                    old: old.ty(),
                }
            }
            11 => self.subarray(r, &old)?,
            12 => self.darray(r, &old)?,
            13 => parametrised(r, &old)?,
            _ => return bad("an unknown kind of datatype"),
        })
    }

    fn hindexed(&self, r: &mut Reader, old: &Old) -> Read<Constructor> {
        let list = pairs(r)?;
        let ask: Vec<_> = list.iter().map(|(n, d)| (*n, *d, old)).collect();
        let displs = self.solve(&ask, None, true)?;
        let lengths = list.iter().map(|b| self.length(*b, old));
        let lengths = lengths.collect::<Read<Vec<_>>>()?;
        Ok(Constructor::Hindexed {
            blocks: lengths.into_iter().zip(displs).collect(),
            old: old.ty(),
        })
    }

    fn hindexed_block(&self, r: &mut Reader, old: &Old) -> Read<Constructor> {
        let (blocklen, list) = (r.size()?, r.list(Reader::disp)?);
        let ask: Vec<_> = list.iter().map(|d| (blocklen, *d, old)).collect();
        let displs = self.solve(&ask, None, true)?;
        let lengths = list.iter().map(|d| self.length((blocklen, *d), old));
        let lengths = lengths.collect::<Read<Vec<_>>>()?;
        Ok(Constructor::HindexedBlock {
            blocklen: self.equal(lengths.into_iter(), blocklen, old)?,
            displs,
            old: old.ty(),
        })
    }

    fn subarray(&self, r: &mut Reader, old: &Old) -> Read<Constructor> {
        let order = order(r)?;
        let mut dims = r.list(|r| {
            Ok(Subdim {
                size: r.size()?,
                subsize: r.size()?,
                start: r.size()?,
            })
        })?;
        if !old.is_bytes() {
            self.without_sizes(self.counts.lengths, old)?;
        } else if let Some(d) = fastest(&mut dims, order) {
            for n in [&mut d.size, &mut d.subsize, &mut d.start] {
                *n = self.many(*n, old)?;
            }
        }
        Ok(Constructor::Subarray {
            dims,
            order,
            old: old.ty(),
        })
    }

    fn structure(&self, r: &mut Reader) -> Read<Constructor> {
        let list = r.list(|r| Ok((r.size()?, r.disp()?, self.all.old(r.u64()?)?)))?;
        let ask: Vec<_> = list.iter().map(|(n, d, old)| (*n, *d, old)).collect();
        let displs = self.solve(&ask, None, false)?;
        let block = |((n, then, old), at): ((usize, i64, Old), isize)| {
            Ok((self.length((n, then), &old)?, at, old.ty()))
        };
        let blocks = list.into_iter().zip(displs).map(block);
        Ok(Constructor::Struct {
            blocks: blocks.collect::<Read<_>>()?,
        })
    }

    fn darray(&self, r: &mut Reader, old: &Old) -> Read<Constructor> {
        let order = order(r)?;
        let (size, rank) = (r.i32()?, r.i32()?);
        let mut dims = r.list(|r| {
            let d = Dim {
                size: r.size()?,
                distrib: r.i32()?,
                arg: r.i32()?,
                procs: r.size()?,
                place: r.size()?,
            };
            if d.arg <= 0 && (BLOCK..=CYCLIC).contains(&d.distrib)
                || d.procs == 0
                || d.place >= d.procs
            {
                return bad("a part of a spread array");
            }
            Ok(d)
        })?;
        if !old.is_bytes() {
            self.without_sizes(self.counts.lengths, old)?;
        } else if let Some(d) = fastest(&mut dims, order) {
            *d = self.part(*d, old)?;
        }
        Ok(Constructor::Darray {
            size,
            rank,
            dims,
            order,
            old: old.ty(),
        })
    }

    /// A dimension in bytes.
    fn part(&self, then: Dim, old: &Old) -> Read<Dim> {
        let mut here = then;
        here.size = self.many(then.size, old)?;
        if then.arg != DEFAULT && then.distrib != NONE {
            let arg = i32::try_from(self.many(then.arg as usize, old)?);
            here.arg = arg.or_else(|_| bad("a part of a spread array"))?;
        }
        let many = |(at, n)| Ok((self.many(at, old)?, self.many(n, old)?));
        let runs = then.runs().into_iter().map(many);
        match runs.collect::<Read<Vec<_>>>()? == here.runs() {
            true => Ok(here),
            false => refuse(self.created_at, "its parts are no whole values"),
        }
    }

    /// So many elements of the old type, wherever they lie.
    fn many(&self, n: usize, old: &Old) -> Read<usize> {
        if !old.is_bytes() {
            // One element is one everywhere.
            if n > 1 {
                self.without_sizes(self.counts.lengths, old)?;
            }
            return old.again.count(n, false, self.ctx);
        }
        self.known(n, counted::length(n, self.counts.lengths, self.ctx)?)
    }

    /// So many elements of the old type, which lay there.
    fn length(&self, (n, at): Pair, old: &Old) -> Read<usize> {
        if !old.is_bytes() {
            // One element is one everywhere.
            if n > 1 {
                self.without_sizes(self.counts.lengths, old)?;
            }
            return old.again.count(n, false, self.ctx);
        }
        self.known(n, counted::block_length(at, n, self.counts, self.ctx)?)
    }

    /// Numbers of elements that are no bytes are the same everywhere, if no sizes are in them that are not.
    fn without_sizes(&self, counted: Counted, old: &Old) -> Read<()> {
        let sized = counted.varies() && old.again.of.is_none();
        match sized && !counted::alike(self.ctx) {
            false => Ok(()),
            true => refuse(
                self.created_at,
                "the program computes its numbers of elements with sizes that are others here",
            ),
        }
    }

    fn known(&self, n: usize, found: Option<usize>) -> Read<usize> {
        let why = || format!("it is not known what its {n} bytes are");
        found.map_or_else(|| refuse(self.created_at, &why()), Ok)
    }

    /// A displacement or stride in elements.
    fn distance(&self, at: i64, old: &Old) -> Read<isize> {
        if let Some(of) = old
            .again
            .of
            .filter(|_| self.counts.places == Counted::Unknown)
        {
            let here = self.ctx.room(of, at.unsigned_abs(), false)?;
            return fit(here as i64 * at.signum());
        }
        if old.again.of.is_none() && !old.is_bytes() {
            self.without_sizes(self.counts.places, old)?;
            return fit(at);
        }
        match counted::displacement(at, self.counts.places, self.ctx)? {
            Some(here) => fit(here),
            None => refuse(
                self.created_at,
                &format!("it is not known where {at} bytes lead"),
            ),
        }
    }

    /// Blocks whose displacements are in elements.
    fn blocks(&self, list: &[Pair], old: &Old) -> Read<Vec<(usize, isize)>> {
        let one = |(n, at): &Pair| {
            let here = self.distance(*at, old)?;
            Ok((self.length((*n, *at), old)?, here))
        };
        list.iter().map(one).collect()
    }

    /// The one length that all blocks have.
    fn equal(
        &self,
        mut lengths: impl Iterator<Item = usize>,
        then: usize,
        old: &Old,
    ) -> Read<usize> {
        let Some(first) = lengths.next() else {
            return self.many(then, old);
        };
        match lengths.all(|n| n == first) {
            true => Ok(first),
            false => refuse(self.created_at, "its blocks have several lengths here"),
        }
    }

    /// The displacements of blocks, then the stride.
    fn solve(
        &self,
        blocks: &[(usize, i64, &Old)],
        stride: Option<i64>,
        array: bool,
    ) -> Read<Vec<isize>> {
        let types: Vec<TypeRef> = blocks.iter().map(|b| b.2.ty()).collect();
        let each = blocks.iter().zip(&types).map(|((n, at, old), ty)| Block {
            at: *at,
            count: *n,
            saved: self.all.source(ty, old.saved, self.ctx),
            ty,
        });
        let q = Question {
            blocks: each.collect(),
            stride,
            array,
            counted: self.counts.places,
            addresses: self.addresses,
            created_at: self.created_at,
        };
        displacements(&q, self.ctx)?.into_iter().map(fit).collect()
    }
}

fn order(r: &mut Reader) -> Read<ArrayOrder> {
    Ok(match r.u8()? {
        0 => ArrayOrder::C,
        _ => ArrayOrder::Fortran,
    })
}

fn pairs(r: &mut Reader) -> Read<Vec<Pair>> {
    r.list(|r| Ok((r.size()?, r.disp()?)))
}

/// The dimension whose elements lie side by side.
fn fastest<T>(dims: &mut [T], order: ArrayOrder) -> Option<&mut T> {
    match order {
        ArrayOrder::C => dims.last_mut(),
        ArrayOrder::Fortran => dims.first_mut(),
    }
}

fn fit(d: i64) -> Read<isize> {
    isize::try_from(d).or_else(|_| bad("a displacement does not fit this machine"))
}
