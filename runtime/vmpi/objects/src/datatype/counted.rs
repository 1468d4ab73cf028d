//! What the numbers of bytes are in a call that has made a datatype, as the program's text says: objects of a type, places in
//! them, numbers that are the same everywhere.  Where a type has another size here, such numbers are others.

use super::Datatype;
use crate::wire::{bad, Read, Reader, Writer};
use pc3_runtime::transfer::{LoadCtx, LoadError};
use pc3_typemetric::abi::Abi;
use pc3_typemetric::descriptor::{
    PC3_COUNTS_APART, PC3_COUNTS_EXTENTS, PC3_COUNTS_FIXED, PC3_COUNTS_PLACES, PC3_COUNTS_PLAIN,
    PC3_COUNTS_VARIES,
};
use pc3_typemetric::plan::Plan;
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counted {
    #[default]
    Unknown,
    /// No size is in it.
    Plain,
    /// Sizes that are the same everywhere.
    Fixed,
    /// So many objects of a type.
    Multiple(TypeId),
    /// Where something lies in an object of a type, or in one of several.
    Place(TypeId),
    /// How far places in an object of a type are apart, or where they are, as MPI_Get_address said.
    Apart(TypeId),
    /// Multiples of what MPI said of a datatype's extent.
    Extents,
    /// Sizes that are not the same everywhere, in another way.
    Varies,
}

/// Of one call.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Numbers of elements of the old type, should it be bytes.
    pub lengths: Counted,
    /// Displacements, strides, extents.
    pub places: Counted,
}

impl Counted {
    /// As generated code says it, and a checkpoint.
    pub fn of(number: u32) -> Counted {
        match number {
            0 => Counted::Unknown,
            PC3_COUNTS_PLAIN => Counted::Plain,
            PC3_COUNTS_FIXED => Counted::Fixed,
            PC3_COUNTS_VARIES => Counted::Varies,
            PC3_COUNTS_EXTENTS => Counted::Extents,
            n if n & PC3_COUNTS_PLACES != 0 => Counted::Place(TypeId(n & !PC3_COUNTS_PLACES)),
            n if n & PC3_COUNTS_APART != 0 => Counted::Apart(TypeId(n & !PC3_COUNTS_APART)),
            n => Counted::Multiple(TypeId(n)),
        }
    }

    pub fn number(self) -> u32 {
        match self {
            Counted::Unknown => 0,
            Counted::Plain => PC3_COUNTS_PLAIN,
            Counted::Fixed => PC3_COUNTS_FIXED,
            Counted::Varies => PC3_COUNTS_VARIES,
            Counted::Extents => PC3_COUNTS_EXTENTS,
            Counted::Multiple(of) => of.0,
            Counted::Place(of) => of.0 | PC3_COUNTS_PLACES,
            Counted::Apart(of) => of.0 | PC3_COUNTS_APART,
        }
    }

    /// Are sizes in it that are not the same everywhere?
    pub fn varies(self) -> bool {
        matches!(
            self,
            Counted::Multiple(_) | Counted::Place(_) | Counted::Varies
        )
    }

    /// Of the program that goes on here.
    fn here(self, ctx: &dyn LoadCtx) -> Read<Counted> {
        Ok(match self {
            Counted::Multiple(of) => Counted::Multiple(ctx.partner(of)?),
            Counted::Place(of) => Counted::Place(ctx.partner(of)?),
            Counted::Apart(of) => Counted::Apart(ctx.partner(of)?),
            other => other,
        })
    }
}

impl Counts {
    pub fn is_known(&self) -> bool {
        *self != Counts::default()
    }

    /// Of the program that goes on here.
    pub fn here(&self, ctx: &dyn LoadCtx) -> Read<Counts> {
        Ok(Counts {
            lengths: self.lengths.here(ctx)?,
            places: self.places.here(ctx)?,
        })
    }

    pub fn save(&self, w: &mut Writer) {
        w.u32(self.lengths.number());
        w.u32(self.places.number());
    }

    pub fn load(r: &mut Reader) -> Read<Counts> {
        Ok(Counts {
            lengths: Counted::of(r.u32()?),
            places: Counted::of(r.u32()?),
        })
    }
}

/// Is an element one byte, so that numbers of elements are numbers of bytes?
pub(crate) fn is_bytes(ty: &Datatype) -> bool {
    ty.extent == 1 && ty.size == 1
}

/// Do both ABIs lay all of the program's types out alike?
pub fn alike(ctx: &dyn LoadCtx) -> bool {
    ctx.types().is_none_or(|(from, to)| {
        let (a, b) = (from.abi(), to.abi());
        let metrics = |a: &Abi| {
            [
                a.pointer,
                a.short,
                a.int,
                a.long,
                a.long_long,
                a.float,
                a.double,
            ]
        };
        metrics(a) == metrics(b)
            && (a.long_double == b.long_double || !from.iter().any(|(_, t)| t.is_long_double()))
    })
}

/// Objects of one type, side by side, there and here.
pub struct Objects<'a> {
    from: &'a TypeTable,
    to: &'a TypeTable,
    of: (TypeId, TypeId),
    size: (i64, i64),
    plan: Plan,
}

impl<'a> Objects<'a> {
    /// Of a type of the saved program.
    pub fn of(of: TypeId, ctx: &'a dyn LoadCtx) -> Read<Objects<'a>> {
        let Some((from, to)) = ctx.types() else {
            return bad("the program's types are not known");
        };
        if !from.contains(of) {
            return bad("what the numbers of a datatype count");
        }
        let here = ctx.partner(of)?;
        let plan = Plan::compile(from, of, to, here).map_err(|why| {
            let why = why.first().map_or(String::new(), ToString::to_string);
            LoadError(format!("places in {}: {why}", from.describe(of)))
        })?;
        let size = (from.size(of) as i64, to.size(here) as i64);
        if size.0 <= 0 {
            return bad("a datatype counts objects without a size");
        }
        Ok(Objects {
            from,
            to,
            of: (of, here),
            size,
            plan,
        })
    }

    /// So many bytes, if they are whole ones.
    pub fn whole(&self, bytes: i64) -> Option<i64> {
        (bytes % self.size.0 == 0).then(|| bytes / self.size.0 * self.size.1)
    }

    /// Where a place lies.
    pub fn place(&self, at: i64) -> Option<i64> {
        let (n, rest) = (at.div_euclid(self.size.0), at.rem_euclid(self.size.0));
        let found = self
            .plan
            .map_offset(self.size.0 as u64, rest as u64, TypeId::UNKNOWN);
        Some(n * self.size.1 + found.ok()? as i64)
    }

    /// Where what ends at `end` ends here: an object, or a scalar of one.
    fn end(&self, end: i64) -> Option<i64> {
        if let Some(whole) = self.whole(end) {
            return Some(whole);
        }
        let rest = end.rem_euclid(self.size.0);
        let start = last_before(self.from, self.of.0, rest as u64)? as i64;
        let here = self.place(end - rest + start)?;
        let (_, ty) = scalar(self.to, self.of.1, here.rem_euclid(self.size.1) as u64)?;
        Some(here + self.to.size(ty) as i64)
    }

    /// The length of a block that begins at a place, if it has whole values of one object, or several of these.
    pub fn block(&self, at: i64, length: usize) -> Option<usize> {
        let length = i64::try_from(length).ok()?;
        let last = at.checked_add(length)?.checked_sub(1)?;
        let one = at.div_euclid(self.size.0) == last.div_euclid(self.size.0);
        if !one {
            return usize::try_from(self.whole(length)?).ok();
        }
        let end = self.end(last + 1)?;
        usize::try_from(end - self.place(at)?).ok()
    }
}

/// The scalar that an offset is in: where it begins, and its type.
pub fn scalar(t: &TypeTable, of: TypeId, at: u64) -> Option<(u64, TypeId)> {
    let ty = t.get(of);
    match ty.kind {
        Kind::Struct | Kind::Union => {
            let mut members = ty.members.iter().filter(|m| m.bits.is_none());
            members.find_map(|m| {
                let inside = m.offset <= at && at < m.offset + t.size(m.ty);
                let found = inside.then(|| scalar(t, m.ty, at - m.offset))??;
                Some((found.0 + m.offset, found.1))
            })
        }
        Kind::Array => match t.size(ty.elem) {
            0 => None,
            size => {
                let found = scalar(t, ty.elem, at % size)?;
                Some((at - at % size + found.0, found.1))
            }
        },
        _ => (at < ty.size).then_some((0, of)),
    }
}

/// Where the scalar begins that ends there.
fn last_before(t: &TypeTable, of: TypeId, end: u64) -> Option<u64> {
    let (start, ty) = scalar(t, of, end.checked_sub(1)?)?;
    (start + t.size(ty) == end).then_some(start)
}

/// A number of bytes in the place of a number of elements; `None`: nobody knows what it is here.
pub fn length(n: usize, counted: Counted, ctx: &dyn LoadCtx) -> Read<Option<usize>> {
    Ok(match counted {
        _ if n == 0 || alike(ctx) => Some(n),
        Counted::Plain | Counted::Fixed => Some(n),
        Counted::Multiple(of) => {
            let objects = Objects::of(of, ctx)?;
            let here = i64::try_from(n).ok().and_then(|n| objects.whole(n));
            here.and_then(|n| usize::try_from(n).ok())
        }
        Counted::Unknown
        | Counted::Extents
        | Counted::Place(_)
        | Counted::Apart(_)
        | Counted::Varies => None,
    })
}

/// The length of a block of bytes that lay at `at`.
pub fn block_length(at: i64, n: usize, counts: Counts, ctx: &dyn LoadCtx) -> Read<Option<usize>> {
    if n == 0 || alike(ctx) {
        return Ok(Some(n));
    }
    let sized = matches!(counts.lengths, Counted::Fixed | Counted::Multiple(_));
    if sized {
        if let Some(found) = length(n, counts.lengths, ctx)? {
            return Ok(Some(found));
        }
    }
    let found = match counts.places {
        Counted::Place(of) => Objects::of(of, ctx)?.block(at, n),
        // Displacements may begin at a member.
        Counted::Multiple(of) if counts.lengths == Counted::Plain => {
            let objects = Objects::of(of, ctx)?;
            let whole = i64::try_from(n).ok().and_then(|n| objects.whole(n));
            whole.and_then(|n| usize::try_from(n).ok())
        }
        _ => None,
    };
    if found.is_some() {
        return Ok(found);
    }
    match sized {
        true => Ok(None),
        false => length(n, counts.lengths, ctx),
    }
}

/// A displacement or a distance in bytes.
pub fn displacement(at: i64, counted: Counted, ctx: &dyn LoadCtx) -> Read<Option<i64>> {
    Ok(match counted {
        _ if at == 0 || alike(ctx) => Some(at),
        Counted::Plain | Counted::Fixed => Some(at),
        Counted::Multiple(of) => Objects::of(of, ctx)?.whole(at),
        Counted::Place(of) => Objects::of(of, ctx)?.place(at),
        Counted::Unknown | Counted::Extents | Counted::Apart(_) | Counted::Varies => None,
    })
}
