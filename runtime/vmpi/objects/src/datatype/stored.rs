//! A datatype as it lies where elements have other widths: in a file of another representation (MPI 3.1 section 13.5.1).
//!
//! Displacements in elements are scaled; those in bytes are taken as the program gave them.

use super::basic::Basic;
use super::build::{element, make, pair_of, Constructor, Element};
use super::TypeRef;
use crate::error::Result;

/// `width`: bytes of an element there.
pub fn stored(ty: &TypeRef, width: &dyn Fn(Basic) -> usize) -> Result<TypeRef> {
    let same = ty.signature.each_run(&mut |b, _| width(b) == b.size());
    match same {
        true => Ok(ty.clone()),
        false => rebuilt(ty, width),
    }
}

fn rebuilt(ty: &TypeRef, width: &dyn Fn(Basic) -> usize) -> Result<TypeRef> {
    let one = |b: Basic| Element {
        basic: b,
        size: width(b),
        align: b.align().min(width(b)).max(1),
    };
    let again = |old: &TypeRef| rebuilt(old, width);
    let made = match ty.constructor.clone() {
        Constructor::Named(b) => return Ok(element(one(b)).into()),
        Constructor::Pair(value, index) => return Ok(pair_of(0, one(value), one(index)).into()),
        Constructor::Dup(old) | Constructor::Parametrised { old, .. } => return again(&old),
        Constructor::Contiguous { count, old } => Constructor::Contiguous {
            count,
            old: again(&old)?,
        },
        Constructor::Vector {
            count,
            blocklen,
            stride,
            old,
        } => Constructor::Vector {
            count,
            blocklen,
            stride,
            old: again(&old)?,
        },
        Constructor::Hvector {
            count,
            blocklen,
            stride,
            old,
        } => Constructor::Hvector {
            count,
            blocklen,
            stride,
            old: again(&old)?,
        },
        Constructor::Indexed { blocks, old } => Constructor::Indexed {
            blocks,
            old: again(&old)?,
        },
        Constructor::Hindexed { blocks, old } => Constructor::Hindexed {
            blocks,
            old: again(&old)?,
        },
        Constructor::IndexedBlock {
            blocklen,
            displs,
            old,
        } => Constructor::IndexedBlock {
            blocklen,
            displs,
            old: again(&old)?,
        },
        Constructor::HindexedBlock {
            blocklen,
            displs,
            old,
        } => Constructor::HindexedBlock {
            blocklen,
            displs,
            old: again(&old)?,
        },
        Constructor::Struct { blocks } => {
            let block = |(n, at, old)| Ok((n, at, again(&old)?));
            Constructor::Struct {
                blocks: blocks.into_iter().map(block).collect::<Result<_>>()?,
            }
        }
        Constructor::Resized { lb, extent, old } => Constructor::Resized {
            lb,
            extent,
            old: again(&old)?,
        },
        Constructor::Subarray { dims, order, old } => Constructor::Subarray {
            dims,
            order,
            old: again(&old)?,
        },
        Constructor::Darray {
            size,
            rank,
            dims,
            order,
            old,
        } => Constructor::Darray {
            size,
            rank,
            dims,
            order,
            old: again(&old)?,
        },
    };
    make(made, None)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::datatype::of_basic;

    fn wide(b: Basic) -> usize {
        match b {
            Basic::Int => 12,
            b => b.size(),
        }
    }

    #[test]
    fn elements_scale_and_bytes_do_not() {
        let int = of_basic(Basic::Int);
        let vector = Constructor::Vector {
            count: 3,
            blocklen: 2,
            stride: 4,
            old: int.clone(),
        };
        let v = stored(&make(vector, None).unwrap(), &wide).unwrap();
        assert_eq!((v.size, v.extent), (72, 12 * 10));
        let blocks = vec![(1, 0, of_basic(Basic::Char)), (2, 40, int.clone())];
        let s = make(Constructor::Struct { blocks }, None).unwrap();
        let s = stored(&s, &wide).unwrap();
        assert_eq!((s.size, s.true_extent), (1 + 24, 40 + 24));
        let resized = Constructor::Resized {
            lb: 0,
            extent: 100,
            old: int,
        };
        let r = stored(&make(resized, None).unwrap(), &wide).unwrap();
        assert_eq!((r.size, r.extent), (12, 100));
    }

    #[test]
    fn what_is_as_wide_stays_as_it_is() {
        let double = of_basic(Basic::Double);
        assert!(stored(&double, &wide).unwrap().same(&double));
        let pair = make(
            Constructor::Dup(
                crate::datatype::by_handle(crate::datatype::basic::PAIRS[0].0).unwrap(),
            ),
            None,
        )
        .unwrap();
        assert!(stored(&pair, &|b| b.size()).unwrap().same(&pair));
    }
}
