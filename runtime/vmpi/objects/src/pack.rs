//! The portable packed format: what MPI_Pack writes and what a checkpoint keeps of messages.
//!
//! Basic elements follow one another without padding, little-endian, each in the widest size any
//! ABI gives it (`long`, `unsigned long`, MPI_AINT: 8 bytes; `long double`: IEEE binary128).  On
//! most 64-bit machines that is the native representation, so packing is copying.  A buffer that
//! was packed before a restart can therefore be unpacked on another ABI.

use crate::datatype::basic::{Basic, Repr, LONG_DOUBLE};
use crate::datatype::moving::{with_scratch, Buf};
use crate::datatype::signature::Signature;
use crate::error::{fail, Class, Result};

/// Converts `native` bytes, a stream of `sig` repeated, to the portable format.
pub fn to_portable(sig: &Signature, native: &[u8], out: &mut Vec<u8>) -> Result<()> {
    if sig.is_portable_as_is() {
        out.extend_from_slice(native);
        return Ok(());
    }
    stream(
        sig,
        native,
        &mut |b, bytes| {
            element_out(b, bytes, out);
            Ok(())
        },
        Basic::size,
    )
}

/// The reverse of [`to_portable`]; fails where a value does not fit this ABI's type.
pub fn from_portable(sig: &Signature, portable: &[u8], out: &mut Vec<u8>) -> Result<()> {
    if sig.is_portable_as_is() {
        out.extend_from_slice(portable);
        return Ok(());
    }
    stream(
        sig,
        portable,
        &mut |b, bytes| element_in(b, bytes, out),
        Basic::portable_size,
    )
}

fn stream(
    sig: &Signature,
    mut data: &[u8],
    f: &mut dyn FnMut(Basic, &[u8]) -> Result<()>,
    width: fn(Basic) -> usize,
) -> Result<()> {
    let mut status = Ok(());
    while !data.is_empty() && status.is_ok() {
        let before = data.len();
        sig.each_run(&mut |b, n| {
            let w = width(b);
            for _ in 0..n {
                if data.len() < w || status.is_err() {
                    return false;
                }
                let (head, tail) = data.split_at(w);
                data = tail;
                status = f(b, head);
            }
            true
        });
        if data.len() == before {
            return fail(Class::ERR_TRUNCATE, "packed data ends inside an element");
        }
    }
    status
}

fn element_out(b: Basic, native: &[u8], out: &mut Vec<u8>) {
    let width = b.portable_size();
    match b.repr() {
        Repr::LongDouble => out.extend_from_slice(&longdouble::widen(native).to_le_bytes()),
        Repr::LongDoubleComplex => {
            for half in native.chunks_exact(LONG_DOUBLE.0) {
                out.extend_from_slice(&longdouble::widen(half).to_le_bytes());
            }
        }
        Repr::Complex => native
            .chunks_exact(native.len() / 2)
            .for_each(|h| reordered(h, out)),
        repr => {
            let start = out.len();
            reordered(native, out);
            let negative =
                matches!(repr, Repr::Int { signed: true }) && out[out.len() - 1] & 0x80 != 0;
            out.resize(start + width, if negative { 0xff } else { 0 });
        }
    }
}

fn element_in(b: Basic, portable: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let native = b.size();
    match b.repr() {
        Repr::LongDouble | Repr::LongDoubleComplex => {
            for half in portable.chunks_exact(16) {
                let mut q = [0; 16];
                q.copy_from_slice(half);
                match longdouble::narrow(u128::from_le_bytes(q)) {
                    Some(bytes) => out.extend_from_slice(&bytes),
                    None => {
                        return fail(
                            Class::ERR_VALUE_TOO_LARGE,
                            "a packed long double has no exact value here",
                        )
                    }
                }
            }
        }
        Repr::Complex => portable
            .chunks_exact(portable.len() / 2)
            .for_each(|h| reordered(h, out)),
        repr => {
            let (low, high) = portable.split_at(native);
            let negative = matches!(repr, Repr::Int { signed: true })
                && low.last().is_some_and(|b| b & 0x80 != 0);
            if high.iter().any(|&h| h != if negative { 0xff } else { 0 }) {
                let mut v = [if portable[portable.len() - 1] & 0x80 != 0 {
                    0xff
                } else {
                    0
                }; 8];
                v[..portable.len()].copy_from_slice(portable);
                let v = i64::from_le_bytes(v);
                return fail(
                    Class::ERR_VALUE_TOO_LARGE,
                    format!("packed {} {v} does not fit {native} bytes", b.name()),
                );
            }
            reordered(low, out);
        }
    }
    Ok(())
}

/// Appends a scalar with its bytes turned between native and little-endian order.
fn reordered(bytes: &[u8], out: &mut Vec<u8>) {
    if cfg!(target_endian = "little") {
        out.extend_from_slice(bytes);
    } else {
        out.extend(bytes.iter().rev());
    }
}

/// Packs elements in the portable format.
///
/// # Safety
/// `buf` must hold `buf.count` elements.
pub unsafe fn pack_portable(buf: Buf, out: &mut Vec<u8>) -> Result<()> {
    let n = buf.bytes();
    let (start, room) = (out.len(), n);
    if buf.ty.signature.is_portable_as_is() {
        out.reserve(room);
        buf.ty.pack(buf.ptr, buf.count, out.as_mut_ptr().add(start));
        out.set_len(start + n);
        return Ok(());
    }
    with_scratch(n, |t| {
        buf.ty.pack(buf.ptr, buf.count, t);
        to_portable(&buf.ty.signature, std::slice::from_raw_parts(t, n), out)
    })
}

/// Bytes that `count` elements take in the portable format.
pub fn portable_bytes(sig: &Signature, count: usize) -> Option<usize> {
    usize::try_from(sig.portable_size())
        .ok()?
        .checked_mul(count)
}

/// Unpacks `buf.count` elements from portable data; returns the bytes taken.
///
/// # Safety
/// `buf` must have room for its elements.
pub unsafe fn unpack_portable(data: &[u8], buf: Buf) -> Result<usize> {
    let Some(n) = portable_bytes(&buf.ty.signature, buf.count).filter(|n| *n <= data.len()) else {
        return fail(
            Class::ERR_TRUNCATE,
            "the packed data ends before the last element",
        );
    };
    if buf.ty.signature.is_portable_as_is() {
        buf.ty.unpack(data.as_ptr(), n, buf.ptr, buf.count);
    } else {
        let mut native = Vec::with_capacity(buf.bytes());
        from_portable(&buf.ty.signature, &data[..n], &mut native)?;
        buf.ty
            .unpack(native.as_ptr(), native.len(), buf.ptr, buf.count);
    }
    Ok(n)
}

/// Copies where exactly one side is MPI_PACKED.
///
/// # Safety
/// Both buffers must be valid for their elements.
pub(crate) unsafe fn copy_converting(src: Buf, dst: Buf) -> Result<usize> {
    if src.ty.is_packed() {
        let data = std::slice::from_raw_parts(src.ptr, src.count);
        let mut native = Vec::new();
        from_portable(&dst.ty.signature, data, &mut native)?;
        return Ok(dst
            .ty
            .unpack(native.as_ptr(), native.len(), dst.ptr, dst.count));
    }
    let mut portable = Vec::new();
    pack_portable(src, &mut portable)?;
    let n = portable.len().min(dst.count);
    std::ptr::copy_nonoverlapping(portable.as_ptr(), dst.ptr, n);
    Ok(n)
}

/// `long double` between this ABI's format and IEEE binary128.
mod longdouble {
    use super::LONG_DOUBLE;

    /// sign, unbiased exponent field of binary128, 112-bit fraction
    fn assemble(sign: u128, exp: u128, frac: u128) -> u128 {
        (sign << 127) | (exp << 112) | frac
    }

    fn native_order(bytes: &[u8]) -> u128 {
        let mut q = [0; 16];
        for (i, b) in bytes.iter().enumerate() {
            q[if cfg!(target_endian = "little") {
                i
            } else {
                bytes.len() - 1 - i
            }] = *b;
        }
        u128::from_le_bytes(q)
    }

    fn to_native(v: u128, len: usize) -> Vec<u8> {
        let mut b = v.to_le_bytes()[..len].to_vec();
        if cfg!(target_endian = "big") {
            b.reverse();
        }
        b
    }

    pub(crate) fn widen(native: &[u8]) -> u128 {
        if cfg!(any(target_arch = "x86_64", target_arch = "x86")) {
            from_x87(native_order(&native[..10]))
        } else if LONG_DOUBLE.0 == 8 {
            from_f64(native_order(native) as u64)
        } else {
            native_order(native)
        }
    }

    pub fn narrow(q: u128) -> Option<Vec<u8>> {
        if cfg!(any(target_arch = "x86_64", target_arch = "x86")) {
            let mut b = to_native(to_x87(q)?, 10);
            b.resize(LONG_DOUBLE.0, 0);
            Some(b)
        } else if LONG_DOUBLE.0 == 8 {
            Some(to_native(to_f64(q)? as u128, 8))
        } else {
            Some(to_native(q, 16))
        }
    }

    pub(crate) fn from_x87(x: u128) -> u128 {
        let (sign, exp, man) = ((x >> 79) & 1, (x >> 64) & 0x7fff, x & u128::from(u64::MAX));
        if exp == 0 && man != 0 && man >> 63 == 0 {
            // Both formats share the exponent range: a subnormal stays one, one bit lower.
            return assemble(sign, 0, man << 49);
        }
        let exp = if exp == 0 && man >> 63 == 1 { 1 } else { exp };
        assemble(sign, exp, (man & (u128::from(u64::MAX) >> 1)) << 49)
    }

    pub(crate) fn to_x87(q: u128) -> Option<u128> {
        let (sign, exp, frac) = (q >> 127, (q >> 112) & 0x7fff, q & ((1 << 112) - 1));
        let lost = frac & ((1 << 49) - 1);
        if lost != 0 && exp != 0x7fff {
            return None;
        }
        let quiet = if exp == 0x7fff && frac != 0 {
            1u128 << 62
        } else {
            0
        };
        let integer = u128::from(exp != 0) << 63;
        Some((sign << 79) | (exp << 64) | integer | (frac >> 49) | quiet)
    }

    pub fn from_f64(d: u64) -> u128 {
        let (sign, exp, frac) = (u128::from(d >> 63), (d >> 52) & 0x7ff, d & ((1 << 52) - 1));
        match (exp, frac) {
            (0, 0) => assemble(sign, 0, 0),
            (0x7ff, f) => assemble(sign, 0x7fff, u128::from(f) << 60),
            (0, f) => {
                let up = f.leading_zeros() - 11;
                let f = (f << up) & ((1 << 52) - 1);
                assemble(sign, u128::from(15361 - up), u128::from(f) << 60)
            }
            (e, f) => assemble(sign, u128::from(e) + 15360, u128::from(f) << 60),
        }
    }

    pub(crate) fn to_f64(q: u128) -> Option<u64> {
        let (sign, exp, frac) = (
            ((q >> 127) as u64) << 63,
            (q >> 112) & 0x7fff,
            q & ((1 << 112) - 1),
        );
        let exact = frac & ((1 << 60) - 1) == 0;
        match exp {
            0x7fff => {
                Some(sign | (0x7ff << 52) | (frac >> 60) as u64 | (u64::from(frac != 0) << 51))
            }
            0 if frac == 0 => Some(sign),
            15361..=17406 if exact => {
                Some(sign | (((exp - 15360) as u64) << 52) | (frac >> 60) as u64)
            }
            15309..=15360 => {
                let man = (1u128 << 112) | frac;
                let down = 60 + (15361 - exp) as u32;
                (man & ((1 << down) - 1) == 0).then(|| sign | (man >> down) as u64)
            }
            _ => None,
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        #[test]
        fn doubles_survive_the_way_through_binary128() {
            for d in [
                0.0,
                -0.0,
                1.0,
                -1.5,
                f64::MIN_POSITIVE,
                5e-324,
                3e-320,
                f64::MAX,
                f64::INFINITY,
                0.1,
            ] {
                assert_eq!(to_f64(from_f64(d.to_bits())), Some(d.to_bits()), "{d}");
                let q = from_f64(d.to_bits());
                assert_eq!(to_x87(q).map(from_x87), Some(q), "{d}");
            }
            assert_eq!(
                to_x87(from_f64(1.0f64.to_bits())),
                Some(0x3fff_8000_0000_0000_0000)
            );
            assert_eq!(to_x87(1), None);
            assert_eq!(to_f64(from_f64(1.0f64.to_bits()) | 1), None);
        }
    }
}
