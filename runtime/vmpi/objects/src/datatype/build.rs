//! Datatype constructors (MPI 3.1 section 4.1).
//!
//! A [`Constructor`] is the call as the program made it: it is what a checkpoint keeps, what
//! MPI_Type_get_contents answers, and [`build`] turns it into a type on any ABI.

use super::basic::Basic;
use super::constructor::Dim;
pub use super::constructor::{ArrayOrder, Constructor, Subdim};
use super::counted::Counts;
use super::layout::Layout;
use super::signature::Signature;
use super::{of_basic, Datatype, TypeRef};
use crate::error::{fail, Class, Result};

/// Bounds, data and signature while a type is put together.
#[derive(Clone)]
struct Draft {
    size: usize,
    /// (lb, ub): `None` while empty.
    bounds: Option<(isize, isize)>,
    tight: Option<(isize, isize)>,
    explicit: bool,
    align: usize,
    layout: Layout,
    signature: Signature,
}

/// Arithmetic on displacements that reports instead of wrapping.
fn add(a: isize, b: isize) -> Result<isize> {
    a.checked_add(b).map_or_else(
        || fail(Class::ERR_ARG, "a displacement of the datatype overflows"),
        Ok,
    )
}

fn mul(a: isize, n: usize) -> Result<isize> {
    isize::try_from(n)
        .ok()
        .and_then(|n| a.checked_mul(n))
        .map_or_else(
            || fail(Class::ERR_ARG, "the extent of the datatype overflows"),
            Ok,
        )
}

fn join(a: Option<(isize, isize)>, b: Option<(isize, isize)>) -> Option<(isize, isize)> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    }
}

fn spread(
    b: Option<(isize, isize)>,
    count: usize,
    stride: isize,
) -> Result<Option<(isize, isize)>> {
    let Some((lo, hi)) = b.filter(|_| count > 0) else {
        return Ok(None);
    };
    let last = mul(stride, count - 1)?;
    Ok(Some((add(lo, last.min(0))?, add(hi, last.max(0))?)))
}

fn moved(b: Option<(isize, isize)>, by: isize) -> Result<Option<(isize, isize)>> {
    b.map(|(lo, hi)| Ok((add(lo, by)?, add(hi, by)?)))
        .transpose()
}

impl Draft {
    fn empty() -> Self {
        Draft {
            size: 0,
            bounds: None,
            tight: None,
            explicit: false,
            align: 1,
            layout: Layout::block(0),
            signature: Signature::default(),
        }
    }

    fn of(t: &Datatype) -> Result<Self> {
        let bounds = (t.size > 0 || t.explicit_bounds).then_some(());
        Ok(Draft {
            size: t.size,
            bounds: bounds
                .map(|()| Ok((t.lb, add(t.lb, t.extent)?)))
                .transpose()?,
            tight: (t.size > 0).then_some((t.true_lb, t.true_lb + t.true_extent)),
            explicit: t.explicit_bounds,
            align: if t.size > 0 { t.align } else { 1 },
            layout: t.layout.clone(),
            signature: t.signature.clone(),
        })
    }

    fn repeat(self, count: usize, stride: isize) -> Result<Self> {
        let size = self
            .size
            .checked_mul(count)
            .filter(|n| *n <= isize::MAX as usize);
        let Some(size) = size else {
            return fail(Class::ERR_ARG, "the size of the datatype overflows");
        };
        Ok(Draft {
            size,
            bounds: spread(self.bounds, count, stride)?,
            tight: spread(self.tight, count, stride)?,
            explicit: self.explicit && count > 0,
            align: if size > 0 { self.align } else { 1 },
            layout: self.layout.repeat(count, stride),
            signature: self.signature.repeat(count as u64),
        })
    }

    fn shift(mut self, by: isize) -> Result<Self> {
        self.bounds = moved(self.bounds, by)?;
        self.tight = moved(self.tight, by)?;
        self.layout = self.layout.shift(by);
        Ok(self)
    }

    fn sequence(parts: Vec<Draft>) -> Result<Self> {
        let mut all = Draft::empty();
        all.explicit = parts.iter().any(|p| p.explicit);
        for p in &parts {
            let Some(size) = all
                .size
                .checked_add(p.size)
                .filter(|n| *n <= isize::MAX as usize)
            else {
                return fail(Class::ERR_ARG, "the size of the datatype overflows");
            };
            all.size = size;
            // Bounds that a program set outrank those that follow from the data.
            if p.explicit || !all.explicit {
                all.bounds = join(all.bounds, p.bounds);
            }
            all.tight = join(all.tight, p.tight);
            all.align = all.align.max(p.align);
        }
        all.signature = Signature::concat(parts.iter().map(|p| p.signature.clone()));
        all.layout = Layout::sequence(parts.into_iter().map(|p| p.layout));
        Ok(all)
    }

    /// Rounds the extent up to the strictest alignment, as C does with structs.
    fn pad(mut self) -> Result<Self> {
        if let (false, Some((lb, ub))) = (self.explicit, self.bounds) {
            let extent = ub - lb;
            let a = self.align as isize;
            self.bounds = Some((lb, add(lb, add(extent, a - 1)? / a * a)?));
        }
        Ok(self)
    }

    fn finish(self, constructor: Constructor) -> Datatype {
        let (lb, ub) = self.bounds.unwrap_or((0, 0));
        let (tlb, tub) = self.tight.unwrap_or((0, 0));
        let extent = ub - lb;
        let contiguous = self.size == 0
            || matches!(self.layout.node, super::layout::Node::Block(n) if n as isize == extent);
        Datatype {
            size: self.size,
            lb,
            extent,
            true_lb: tlb,
            true_extent: tub - tlb,
            explicit_bounds: self.explicit,
            align: self.align,
            contiguous,
            layout: self.layout,
            signature: self.signature,
            constructor,
            predefined: 0,
            of: None,
            created_at: None,
            addresses: Box::new([]),
            wide: false,
            counts: Counts::default(),
        }
    }
}

/// `n` consecutive elements of `old`, `by` bytes away.
fn block(old: &Datatype, n: usize, by: isize) -> Result<Draft> {
    Draft::of(old)?.repeat(n, old.extent)?.shift(by)
}

fn scaled(displ: isize, extent: isize) -> Result<isize> {
    displ.checked_mul(extent).map_or_else(
        || fail(Class::ERR_ARG, "a displacement of the datatype overflows"),
        Ok,
    )
}

fn subarray(dims: &[Subdim], order: ArrayOrder, old: &Datatype) -> Result<Draft> {
    let mut draft = Draft::of(old)?;
    let (mut stride, mut start) = (old.extent, 0isize);
    let fastest_first: Vec<&Subdim> = match order {
        ArrayOrder::C => dims.iter().rev().collect(),
        ArrayOrder::Fortran => dims.iter().collect(),
    };
    for d in fastest_first {
        if d.size == 0 || d.subsize == 0 || d.subsize > d.size || d.start > d.size - d.subsize {
            return fail(
                Class::ERR_ARG,
                format!(
                    "subarray {}+{} does not lie in 0..{}",
                    d.start, d.subsize, d.size
                ),
            );
        }
        draft = draft.repeat(d.subsize, stride)?;
        start = add(start, mul(stride, d.start)?)?;
        stride = mul(stride, d.size)?;
    }
    draft = draft.shift(start)?;
    draft.bounds = Some((old.lb, add(old.lb, stride)?));
    draft.explicit = true;
    Ok(draft)
}

fn darray(dims: &[Dim], order: ArrayOrder, old: &Datatype) -> Result<Draft> {
    let mut draft = Draft::of(old)?;
    let mut stride = old.extent;
    let fastest_first: Vec<&Dim> = match order {
        ArrayOrder::C => dims.iter().rev().collect(),
        ArrayOrder::Fortran => dims.iter().collect(),
    };
    for d in fastest_first {
        let runs = d.runs().into_iter();
        let part = |(at, n)| draft.clone().repeat(n, stride)?.shift(mul(stride, at)?);
        draft = Draft::sequence(runs.map(part).collect::<Result<_>>()?)?;
        stride = mul(stride, d.size)?;
    }
    draft.bounds = Some((old.lb, add(old.lb, stride)?));
    draft.explicit = true;
    Ok(draft)
}

/// Makes the type that the call describes.
pub fn build(c: Constructor, created_at: Option<Box<str>>) -> Result<Datatype> {
    let hindexed = |blocks: &mut dyn Iterator<Item = (usize, isize)>, old: &TypeRef| {
        Draft::sequence(
            blocks
                .map(|(n, at)| block(old, n, at))
                .collect::<Result<_>>()?,
        )
    };
    let draft = match &c {
        Constructor::Named(b) => return Ok(named(*b)),
        Constructor::Pair(v, i) => return Ok(pair(0, *v, *i)),
        Constructor::Dup(old) | Constructor::Parametrised { old, .. } => {
            let mut d = Draft::of(old)?;
            d.bounds = Some((old.lb, add(old.lb, old.extent)?));
            d
        }
        Constructor::Contiguous { count, old } => block(old, *count, 0)?,
        Constructor::Vector {
            count,
            blocklen,
            stride,
            old,
        } => block(old, *blocklen, 0)?.repeat(*count, scaled(*stride, old.extent)?)?,
        Constructor::Hvector {
            count,
            blocklen,
            stride,
            old,
        } => block(old, *blocklen, 0)?.repeat(*count, *stride)?,
        Constructor::Indexed { blocks, old } => {
            let blocks: Vec<_> = blocks
                .iter()
                .map(|(n, d)| Ok((*n, scaled(*d, old.extent)?)))
                .collect::<Result<_>>()?;
            hindexed(&mut blocks.into_iter(), old)?
        }
        Constructor::Hindexed { blocks, old } => hindexed(&mut blocks.iter().copied(), old)?,
        Constructor::IndexedBlock {
            blocklen,
            displs,
            old,
        } => {
            let blocks: Vec<_> = displs
                .iter()
                .map(|d| Ok((*blocklen, scaled(*d, old.extent)?)))
                .collect::<Result<_>>()?;
            hindexed(&mut blocks.into_iter(), old)?
        }
        Constructor::HindexedBlock {
            blocklen,
            displs,
            old,
        } => hindexed(&mut displs.iter().map(|d| (*blocklen, *d)), old)?,
        Constructor::Struct { blocks } => Draft::sequence(
            blocks
                .iter()
                .map(|(n, at, t)| block(t, *n, *at))
                .collect::<Result<_>>()?,
        )?
        .pad()?,
        Constructor::Resized { lb, extent, old } => {
            let mut d = Draft::of(old)?;
            d.bounds = Some((*lb, add(*lb, *extent)?));
            d.explicit = true;
            d
        }
        Constructor::Darray {
            dims, order, old, ..
        } => darray(dims, *order, old)?,
        Constructor::Subarray { dims, order, old } => subarray(dims, *order, old)?,
    };
    let mut ty = draft.finish(c);
    ty.created_at = created_at;
    Ok(ty)
}

/// As [`build`], shared.
pub fn make(c: Constructor, created_at: Option<Box<str>>) -> Result<TypeRef> {
    Ok(build(c, created_at)?.into())
}

/// A predefined type's element, as wide as it is somewhere.
#[derive(Clone, Copy)]
pub(super) struct Element {
    pub basic: Basic,
    pub size: usize,
    pub align: usize,
}

impl Element {
    fn here(basic: Basic) -> Element {
        Element {
            basic,
            size: basic.size(),
            align: basic.align(),
        }
    }

    fn draft(self) -> Draft {
        let whole = Some((0, self.size as isize));
        Draft {
            size: self.size,
            bounds: whole,
            tight: whole,
            explicit: false,
            align: self.align,
            layout: Layout::block(self.size),
            signature: Signature::run(self.basic, 1),
        }
    }
}

pub(super) fn named(b: Basic) -> Datatype {
    Datatype {
        predefined: b as usize,
        ..element(Element::here(b))
    }
}

pub(super) fn pair(handle: usize, value: Basic, index: Basic) -> Datatype {
    pair_of(handle, Element::here(value), Element::here(index))
}

pub(super) fn element(e: Element) -> Datatype {
    e.draft().finish(Constructor::Named(e.basic))
}

pub(super) fn pair_of(handle: usize, value: Element, index: Element) -> Datatype {
    let at = value.size.next_multiple_of(index.align);
    let second = index.draft().shift(at as isize);
    let draft = second.and_then(|second| Draft::sequence(vec![value.draft(), second])?.pad());
    let draft = draft.unwrap_or_else(|_| unreachable!("two small parts do not overflow"));
    Datatype {
        predefined: handle,
        ..draft.finish(Constructor::Pair(value.basic, index.basic))
    }
}

/// A one-element byte type, for callers that move raw bytes.
pub fn bytes() -> TypeRef {
    of_basic(Basic::Byte)
}
