//! The standard's format external32 (MPI 3.1 section 13.5.2): big-endian, of fixed widths.

use crate::datatype::basic::{Basic, Repr};
use crate::datatype::moving::Buf;
use crate::datatype::signature::{Item, Signature};
use crate::error::{fail, Class, Result};
use crate::pack;

/// Bytes of one element.
pub fn width(b: Basic) -> usize {
    match b {
        Basic::Long | Basic::ULong => 4,
        Basic::Wchar => 2,
        Basic::CBool | Basic::CxxBool => 1,
        Basic::Aint | Basic::Count | Basic::Offset => 8,
        _ => match b.repr() {
            Repr::LongDouble => 16,
            Repr::LongDoubleComplex => 32,
            _ => b.size(),
        },
    }
}

/// Bytes of `count` times the signature.
pub fn bytes(sig: &Signature, count: usize) -> usize {
    let mut one = 0usize;
    sig.each_run(&mut |b, n| {
        one = one.saturating_add(width(b).saturating_mul(n as usize));
        true
    });
    one.saturating_mul(count)
}

fn elements(sig: &Signature, f: &mut impl FnMut(Basic) -> Result<()>) -> Result<()> {
    for item in sig.items() {
        match item {
            Item::Run(b, n) => (0..*n).try_for_each(|_| f(*b))?,
            Item::Values(_, n) => (0..*n).try_for_each(|_| f(Basic::Byte))?,
            Item::Repeat(n, inner) => (0..*n).try_for_each(|_| elements(inner, f))?,
        }
    }
    Ok(())
}

/// An integer in another width and order; an error if it does not fit.
fn integer(native: &[u8], signed: bool, to: usize) -> Option<Vec<u8>> {
    let mut big = native.to_vec();
    if cfg!(target_endian = "little") {
        big.reverse();
    }
    resized(&big, signed, to)
}

/// Both big-endian.
fn resized(big: &[u8], signed: bool, to: usize) -> Option<Vec<u8>> {
    let negative = signed && big.first().is_some_and(|b| b & 0x80 != 0);
    let fill = if negative { 0xff } else { 0 };
    if to >= big.len() {
        return Some([&vec![fill; to - big.len()], big].concat());
    }
    let (cut, rest) = big.split_at(big.len() - to);
    let sign_kept = !signed || (rest[0] & 0x80 != 0) == negative;
    (cut.iter().all(|b| *b == fill) && sign_kept).then(|| rest.to_vec())
}

fn out(b: Basic, native: &[u8], to: &mut Vec<u8>) -> Result<()> {
    let reversed = |bytes: &[u8], to: &mut Vec<u8>| {
        if cfg!(target_endian = "little") {
            to.extend(bytes.iter().rev());
        } else {
            to.extend_from_slice(bytes);
        }
    };
    match b.repr() {
        Repr::Byte => to.extend_from_slice(native),
        Repr::Float => reversed(native, to),
        Repr::Complex => native
            .chunks(native.len() / 2)
            .for_each(|half| reversed(half, to)),
        Repr::LongDouble | Repr::LongDoubleComplex => {
            // The portable format has binary128 already, little-endian.
            let mut portable = Vec::new();
            pack::to_portable(&Signature::run(b, 1), native, &mut portable)?;
            for part in portable.chunks(16) {
                to.extend(part.iter().rev());
            }
        }
        Repr::Int { .. } | Repr::Logical => {
            let signed = matches!(b.repr(), Repr::Int { signed: true });
            match integer(native, signed, width(b)) {
                Some(v) => to.extend(v),
                None => {
                    return fail(
                        Class::ERR_CONVERSION,
                        format!("a value of {} does not fit external32", b.name()),
                    )
                }
            }
        }
    }
    Ok(())
}

fn into(b: Basic, external: &[u8], to: &mut Vec<u8>) -> Result<()> {
    let native = |bytes: &[u8], to: &mut Vec<u8>| {
        if cfg!(target_endian = "little") {
            to.extend(bytes.iter().rev());
        } else {
            to.extend_from_slice(bytes);
        }
    };
    match b.repr() {
        Repr::Byte => to.extend_from_slice(external),
        Repr::Float => native(external, to),
        Repr::Complex => external
            .chunks(external.len() / 2)
            .for_each(|half| native(half, to)),
        Repr::LongDouble | Repr::LongDoubleComplex => {
            let portable: Vec<u8> = external
                .chunks(16)
                .flat_map(|part| part.iter().rev().copied())
                .collect();
            pack::from_portable(&Signature::run(b, 1), &portable, to)?;
        }
        Repr::Int { .. } | Repr::Logical => {
            let signed = matches!(b.repr(), Repr::Int { signed: true });
            match resized(external, signed, b.size()) {
                Some(v) => native(&v, to),
                None => {
                    return fail(
                        Class::ERR_CONVERSION,
                        format!("a value does not fit {} here", b.name()),
                    )
                }
            }
        }
    }
    Ok(())
}

/// Appends the elements of a buffer.
///
/// # Safety
/// It is readable.
pub unsafe fn pack(buf: Buf, to: &mut Vec<u8>) -> Result<()> {
    // SAFETY: the caller's promise.
    let native = unsafe { buf.ty.pack_vec(buf.ptr, buf.count) };
    let mut rest = native.as_slice();
    for _ in 0..buf.count {
        elements(&buf.ty.signature, &mut |b| {
            let (one, more) = rest.split_at(b.size());
            rest = more;
            out(b, one, to)
        })?;
    }
    Ok(())
}

/// Fills a buffer from as many bytes as [`bytes`] says.
///
/// # Safety
/// It is writable.
pub unsafe fn unpack(from: &[u8], buf: Buf) -> Result<()> {
    if from.len() < bytes(&buf.ty.signature, buf.count) {
        return fail(Class::ERR_TRUNCATE, "the packed data end early");
    }
    // SAFETY: the caller's promise.
    unsafe { unpack_some(from, buf) }
}

/// The same from what there is: whole elements of it.
///
/// # Safety
/// As of [`unpack`].
pub unsafe fn unpack_some(mut from: &[u8], buf: Buf) -> Result<()> {
    let mut native = Vec::with_capacity(buf.bytes());
    let mut over = false;
    for _ in 0..buf.count {
        elements(&buf.ty.signature, &mut |b| {
            over |= from.len() < width(b);
            if over {
                return Ok(());
            }
            let (one, more) = from.split_at(width(b));
            from = more;
            into(b, one, &mut native)
        })?;
        if over {
            break;
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        buf.ty
            .unpack(native.as_ptr(), native.len(), buf.ptr, buf.count)
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_keep_their_values_or_are_refused() {
        let check = |v: i64, to: usize, expect: Option<&[u8]>| {
            let got = integer(&v.to_ne_bytes(), true, to);
            assert_eq!(got.as_deref(), expect, "{v}");
        };
        check(-2, 4, Some(&[0xff, 0xff, 0xff, 0xfe]));
        check(0x1_0203, 4, Some(&[0, 1, 2, 3]));
        check(1 << 31, 4, None);
        check(-(1 << 31), 4, Some(&[0x80, 0, 0, 0]));
        check(-(1 << 31) - 1, 4, None);
    }
}
