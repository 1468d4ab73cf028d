//! Moving and combining data (MPI 4.1 sections 12.3 and 12.6.1).
//!
//! Accumulates to one member exclude each other, so each is atomic, whatever its types.

use pc3_vmpi_objects::datatype::basic::Repr;
use pc3_vmpi_objects::datatype::build::Constructor;
use pc3_vmpi_objects::datatype::moving::{copy, Buf};
use pc3_vmpi_objects::datatype::Datatype;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::op::{Kernel, Predef};

use crate::shared::Member;

/// What becomes of the target's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combine {
    Replace,
    Nothing,
    By(Predef),
}

/// Handles of MPI_REPLACE and MPI_NO_OP.
const REPLACE: usize = 0x3c;
const NO_OP: usize = 0x3d;

impl Combine {
    pub fn of(handle: usize) -> Result<Combine> {
        match handle {
            REPLACE => Ok(Combine::Replace),
            NO_OP => Ok(Combine::Nothing),
            _ => match Predef::from_handle(handle) {
                Some(op) => Ok(Combine::By(op)),
                None => fail(
                    Class::ERR_OP,
                    "only predefined operations accumulate in windows",
                ),
            },
        }
    }

    pub(crate) fn handle(self) -> usize {
        match self {
            Combine::Replace => REPLACE,
            Combine::Nothing => NO_OP,
            Combine::By(op) => op as usize,
        }
    }
}

/// Is there room for so many bytes?
#[inline]
pub(crate) fn fits(bytes: usize, room: usize, what: &str) -> Result<()> {
    if bytes > room {
        return fail(
            Class::ERR_TRUNCATE,
            format!("{bytes} bytes are {what} {room}"),
        );
    }
    Ok(())
}

/// Copies elements; there must be room for all.
///
/// # Safety
/// Both buffers are valid for their elements.
#[inline]
pub unsafe fn transfer(from: Buf, to: Buf) -> Result<()> {
    fits(from.bytes(), to.bytes(), "moved to")?;
    // SAFETY: by the caller.
    unsafe { copy(from, to) }.map(|_| ())
}

/// Would [`transfer`] change anything?
///
/// # Safety
/// As of [`transfer`].
#[cold]
pub unsafe fn differ(from: Buf, to: Buf) -> bool {
    // SAFETY: by the caller.
    let (new, old) = unsafe {
        (
            from.ty.pack_vec(from.ptr, from.count),
            to.ty.pack_vec(to.ptr, to.count),
        )
    };
    !old.starts_with(&new)
}

/// Combines the origin's values into the target's, which `result` gets as they were.
///
/// # Safety
/// As of [`transfer`]; the target is in the member's part.
pub unsafe fn accumulate(
    member: &Member,
    (origin, op): (Buf, Combine),
    target: Buf,
    result: Option<Buf>,
) -> Result<()> {
    let _alone = member.alone();
    // SAFETY: by the caller.
    unsafe {
        if let Some(result) = result {
            transfer(target, result)?;
        }
        match op {
            Combine::Nothing => Ok(()),
            Combine::Replace => transfer(origin, target),
            // Types without any elements are of no type.
            Combine::By(_) if origin.bytes() == 0 && target.bytes() == 0 => Ok(()),
            Combine::By(op) => combine(op, origin, target),
        }
    }
}

/// Has it values that [`compare_and_swap`] is for?
pub(crate) fn swappable(ty: &Datatype) -> Result<()> {
    let fits = ty
        .basic()
        .is_some_and(|b| matches!(b.repr(), Repr::Byte | Repr::Int { .. } | Repr::Logical));
    match fits {
        true => Ok(()),
        false => fail(
            Class::ERR_TYPE,
            "MPI_Compare_and_swap is for integers, logicals and bytes",
        ),
    }
}

/// Stores the origin's value if the target's is as expected; `result` gets that as it was.
///
/// # Safety
/// As of [`accumulate`], for one element each.
pub unsafe fn compare_and_swap(
    member: &Member,
    (origin, compare, result): (*const u8, *const u8, *mut u8),
    target: *mut u8,
    ty: &Datatype,
) -> Result<bool> {
    swappable(ty)?;
    let _alone = member.alone();
    // SAFETY: by the caller.
    unsafe {
        let was = std::slice::from_raw_parts(target, ty.size);
        let same = was == std::slice::from_raw_parts(compare, ty.size);
        std::ptr::copy(target, result, ty.size);
        if same {
            std::ptr::copy(origin, target, ty.size);
        }
        Ok(same)
    }
}

/// The predefined type that all of it is made of.
pub(crate) fn unit(ty: &Datatype) -> Option<&Datatype> {
    match &ty.constructor {
        Constructor::Named(_) | Constructor::Pair(..) => Some(ty),
        made => {
            let mut units = made.children().into_iter().map(|t| unit(t));
            let first = units.next()??;
            units
                .all(|u| u.is_some_and(|u| alike(u, first)))
                .then_some(first)
        }
    }
}

/// Are these predefined types of the same elements?
fn alike(a: &Datatype, b: &Datatype) -> bool {
    match (&a.constructor, &b.constructor) {
        (Constructor::Named(a), Constructor::Named(b)) => a == b,
        (Constructor::Pair(a, b), Constructor::Pair(c, d)) => (a, b) == (c, d),
        _ => false,
    }
}

/// What the elements are that an operation combines, and how.
pub(crate) fn units<'a, 'b>(
    op: Predef,
    origin: Buf<'a>,
    (count, target): (usize, &'b Datatype),
) -> Result<(&'a Datatype, &'b Datatype, Kernel)> {
    let (Some(from), Some(to)) = (unit(origin.ty), unit(target)) else {
        return fail(
            Class::ERR_TYPE,
            "what is accumulated is not all of one predefined datatype",
        );
    };
    if !alike(from, to) {
        return fail(
            Class::ERR_TYPE,
            "what is accumulated is of another datatype than the target",
        );
    }
    let (bytes, room) = (origin.bytes(), target.size.saturating_mul(count));
    if bytes != room {
        return fail(
            Class::ERR_TRUNCATE,
            format!("{bytes} bytes are accumulated in {room}"),
        );
    }
    Ok((from, to, op.kernel(to)?))
}

/// # Safety
/// As of [`accumulate`].
unsafe fn combine(op: Predef, origin: Buf, target: Buf) -> Result<()> {
    let (from, to, kernel) = units(op, origin, (target.count, target.ty))?;
    let plain = std::ptr::eq(from, origin.ty) && std::ptr::eq(to, target.ty);
    // SAFETY: by the caller; as many elements, as C has them.
    unsafe {
        if plain {
            kernel(target.ptr, origin.ptr, origin.count);
            return Ok(());
        }
        let n = origin.bytes() / to.size.max(1);
        let mut values = elements(target, to, n);
        let with = elements(origin, to, n);
        kernel(values.as_mut_ptr(), with.as_ptr(), n);
        let mut packed = vec![0; target.bytes()];
        to.pack(values.as_ptr(), n, packed.as_mut_ptr());
        let (ptr, count) = (target.ptr, target.count);
        target.ty.unpack(packed.as_ptr(), packed.len(), ptr, count);
    }
    Ok(())
}

/// The predefined elements of a buffer, one after the other as C has them.
///
/// # Safety
/// The buffer has so many.
unsafe fn elements(from: Buf, unit: &Datatype, n: usize) -> Vec<u8> {
    // SAFETY: by the caller.
    unsafe {
        let packed = from.ty.pack_vec(from.ptr, from.count);
        let mut values = vec![0; n * unit.extent as usize];
        unit.unpack(packed.as_ptr(), packed.len(), values.as_mut_ptr(), n);
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pc3_vmpi_objects::datatype::basic::{Basic, PAIRS};
    use pc3_vmpi_objects::datatype::build::make;
    use pc3_vmpi_objects::datatype::{by_handle, of_basic};

    fn buf<'a, T>(values: &mut [T], count: usize, ty: &'a Datatype) -> Buf<'a> {
        Buf {
            ptr: values.as_mut_ptr().cast(),
            count,
            ty,
        }
    }

    #[test]
    fn strided_values_are_accumulated_in_place() {
        let int = of_basic(Basic::Int);
        let every_other = Constructor::Vector {
            count: 3,
            blocklen: 1,
            stride: 2,
            old: int.clone(),
        };
        let every_other = make(every_other, None).unwrap();
        let (mut from, mut to, mut was) = ([1, 2, 3], [10, 20, 30, 40, 50, 60], [0; 3]);
        let m = Member::default();
        let op = Combine::By(Predef::Sum);
        // SAFETY: arrays of these types.
        unsafe {
            let target = buf(&mut to, 1, &every_other);
            let result = Some(buf(&mut was, 3, &int));
            accumulate(&m, (buf(&mut from, 3, &int), op), target, result).unwrap();
        }
        assert_eq!((to, was), ([11, 20, 32, 40, 53, 60], [10, 30, 50]));
    }

    #[test]
    fn pairs_keep_their_padding_out() {
        #[repr(C)]
        #[derive(Clone, Copy, PartialEq, Debug)]
        struct Pair(f64, i32);
        let pair = PAIRS.iter().find(|p| p.1 == "MPI_DOUBLE_INT").unwrap();
        let pair = by_handle(pair.0).unwrap();
        let two = make(
            Constructor::Contiguous {
                count: 2,
                old: pair.clone(),
            },
            None,
        )
        .unwrap();
        let mut from = [Pair(5.0, 1), Pair(0.0, 2)];
        let mut to = [Pair(4.0, 7), Pair(1.0, 8)];
        let op = Combine::By(Predef::Maxloc);
        // SAFETY: arrays of these types.
        unsafe {
            let (from, to) = (buf(&mut from, 2, &pair), buf(&mut to, 1, &two));
            accumulate(&Member::default(), (from, op), to, None).unwrap();
        }
        assert_eq!(to, [Pair(5.0, 1), Pair(1.0, 8)]);
    }

    #[test]
    fn other_types_are_errors() {
        let (int, float) = (of_basic(Basic::Int), of_basic(Basic::Float));
        let (mut a, mut b) = ([1], [1.0f32]);
        let op = Combine::By(Predef::Sum);
        // SAFETY: nothing is touched.
        let done = unsafe {
            let (from, to) = (buf(&mut a, 1, &int), buf(&mut b, 1, &float));
            accumulate(&Member::default(), (from, op), to, None)
        };
        assert_eq!(done.unwrap_err().class, Class::ERR_TYPE);
        // SAFETY: nothing is touched.
        let nothing = unsafe {
            let (from, to) = (buf(&mut a, 0, &int), buf(&mut b, 0, &float));
            accumulate(&Member::default(), (from, op), to, None)
        };
        assert!(nothing.is_ok());
        assert!(Combine::of(0x21).is_ok() && Combine::of(0x20).is_err());
    }
}
