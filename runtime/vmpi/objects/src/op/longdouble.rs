//! Reductions of `long double`, which Rust has no type for.
//!
//! A value is decoded to sign, exponent and a mantissa of up to 113 bits, combined exactly and
//! rounded to nearest even in this ABI's format (x87 extended: 64 bits, IEEE binary128: 113,
//! binary64: 53), as the C compiler's arithmetic does.

use super::{Kernel, Predef};
use crate::datatype::basic::LONG_DOUBLE;
use std::cmp::Ordering;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Num {
    Nan,
    Inf(bool),
    /// (-1)^neg * man * 2^exp; man 0 is a zero.
    Finite {
        neg: bool,
        man: u128,
        exp: i32,
    },
}
use Num::*;

const X87: bool = cfg!(any(target_arch = "x86_64", target_arch = "x86"));
const BYTES: usize = LONG_DOUBLE.0;
/// Bits of the significand.
const PREC: u32 = if X87 {
    64
} else if BYTES == 16 {
    113
} else {
    53
};
/// Exponents of the last bit of the least subnormal and of the first bit of the greatest number.
const LAST: i32 = if BYTES == 8 {
    -1074
} else {
    -16382 - (PREC as i32 - 1)
};
const FIRST: i32 = if BYTES == 8 { 1023 } else { 16383 };
/// Mask of the exponent field.
const EXP_MASK: u32 = if BYTES == 8 { 0x7ff } else { 0x7fff };
/// Bits stored of the significand (x87 stores the leading one).
const STORED: u32 = if X87 { 64 } else { PREC - 1 };

fn load(bytes: &[u8]) -> Num {
    let mut q = [0; 16];
    let used = if X87 { 10 } else { BYTES };
    for (i, b) in bytes[..used].iter().enumerate() {
        q[if cfg!(target_endian = "little") {
            i
        } else {
            used - 1 - i
        }] = *b;
    }
    let bits = u128::from_le_bytes(q);
    let (man, exp) = (
        bits & ((1 << STORED) - 1),
        (bits >> STORED) as u32 & EXP_MASK,
    );
    let neg = (bits >> (used * 8 - 1)) & 1 == 1;
    let fraction = man & ((1 << (PREC - 1)) - 1);
    if exp == EXP_MASK {
        return if fraction == 0 { Inf(neg) } else { Nan };
    }
    let hidden = if X87 || exp == 0 { 0 } else { 1 << (PREC - 1) };
    Finite {
        neg,
        man: man | hidden,
        exp: LAST + exp.max(1) as i32 - 1,
    }
}

fn store(n: Num, out: &mut [u8]) {
    let used = if X87 { 10 } else { BYTES };
    let top = u128::from(EXP_MASK) << STORED;
    let lead: u128 = if X87 { 1 << 63 } else { 0 };
    let (neg, bits) = match n {
        Nan => (false, top | lead | 1 << (PREC - 2)),
        Inf(neg) => (neg, top | lead),
        Finite { neg, man, exp } => {
            let normal = man >> (PREC - 1) != 0;
            let field = if normal { (exp - LAST + 1) as u128 } else { 0 };
            (neg, (field << STORED) | (man & ((1 << STORED) - 1)))
        }
    };
    let bits = bits | u128::from(neg) << (used * 8 - 1);
    for (i, b) in bits.to_le_bytes()[..used].iter().enumerate() {
        out[if cfg!(target_endian = "little") {
            i
        } else {
            used - 1 - i
        }] = *b;
    }
}

/// A non-negative integer of 256 bits: (high, low).
type Wide = (u128, u128);

fn bits(w: Wide) -> u32 {
    if w.0 != 0 {
        256 - w.0.leading_zeros()
    } else {
        128 - w.1.leading_zeros()
    }
}

/// w / 2^n rounded to nearest even.
fn round_shift(w: Wide, n: u32) -> u128 {
    if n == 0 {
        return w.1;
    }
    if n > 255 {
        return 0;
    }
    let down = |n: u32| match n {
        0 => w,
        1..=127 => (w.0 >> n, (w.1 >> n) | (w.0 << (128 - n))),
        _ => (0, if n == 128 { w.0 } else { w.0 >> (n - 128) }),
    };
    let kept = down(n).1;
    let half = down(n - 1).1 & 1 == 1;
    let low = n - 1;
    let sticky = match low {
        0 => false,
        1..=127 => w.1 & ((1 << low) - 1) != 0,
        128 => w.1 != 0,
        _ => w.1 != 0 || w.0 & ((1 << (low - 128)) - 1) != 0,
    };
    kept + u128::from(half && (sticky || kept & 1 == 1))
}

/// The nearest number of the format.
fn rounded(neg: bool, w: Wide, exp: i32) -> Num {
    let len = bits(w) as i32;
    if len == 0 {
        return Finite {
            neg,
            man: 0,
            exp: LAST,
        };
    }
    let drop = (len - PREC as i32).max(LAST - exp).max(0);
    let (mut man, mut e) = (round_shift(w, drop as u32), exp + drop);
    if man >> PREC != 0 {
        man >>= 1;
        e += 1;
    }
    // Shorter than the significand: move up as far as the exponent allows.
    let up = ((PREC + man.leading_zeros()) as i32 - 128)
        .min(e - LAST)
        .max(0);
    let (man, e) = (man << up, e - up);
    if e + PREC as i32 - 1 > FIRST && man >> (PREC - 1) != 0 {
        return Inf(neg);
    }
    Finite { neg, man, exp: e }
}

fn add(a: Num, b: Num) -> Num {
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Inf(x), Inf(y)) => {
            if x == y {
                a
            } else {
                Nan
            }
        }
        (Inf(_), _) => a,
        (_, Inf(_)) => b,
        (
            Finite {
                neg: nx,
                man: mx,
                exp: ex,
            },
            Finite {
                neg: ny,
                man: my,
                exp: ey,
            },
        ) => {
            if mx == 0 && my == 0 {
                return Finite {
                    neg: nx && ny,
                    man: 0,
                    exp: LAST,
                };
            }
            if mx == 0 {
                return b;
            }
            if my == 0 {
                return a;
            }
            let (big, small) = if ex >= ey {
                ((nx, mx, ex), (ny, my, ey))
            } else {
                ((ny, my, ey), (nx, mx, ex))
            };
            // Room for the greater one above; of the lesser, only whether anything is left counts.
            let up = (big.2 - small.2).min(PREC as i32 + 3);
            let base = big.2 - up;
            let b = (if up == 0 { 0 } else { big.1 >> (128 - up) }, big.1 << up);
            let down = (base - small.2) as u32;
            let s = match down {
                0 => small.1,
                1..=127 => (small.1 >> down) | u128::from(small.1 & ((1 << down) - 1) != 0),
                _ => 1,
            };
            // With a sticky bit below, one more bit keeps it apart from a tie.
            let (sum, neg) = if big.0 == small.0 {
                let (low, carry) = b.1.overflowing_add(s);
                ((b.0 + u128::from(carry), low), big.0)
            } else if (b.0, b.1) >= (0, s) {
                let (low, borrow) = b.1.overflowing_sub(s);
                ((b.0 - u128::from(borrow), low), big.0)
            } else {
                ((0, s - b.1), small.0)
            };
            if sum == (0, 0) {
                return Finite {
                    neg: false,
                    man: 0,
                    exp: LAST,
                };
            }
            rounded(neg, sum, base)
        }
    }
}

fn mul(a: Num, b: Num) -> Num {
    let sign = |n: Num| match n {
        Nan => false,
        Inf(neg) | Finite { neg, .. } => neg,
    };
    let neg = sign(a) != sign(b);
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Inf(_), Finite { man: 0, .. }) | (Finite { man: 0, .. }, Inf(_)) => Nan,
        (Inf(_), _) | (_, Inf(_)) => Inf(neg),
        (
            Finite {
                man: x, exp: ex, ..
            },
            Finite {
                man: y, exp: ey, ..
            },
        ) => {
            let low = u128::from(u64::MAX);
            let (xl, xh, yl, yh) = (x & low, x >> 64, y & low, y >> 64);
            let (ll, lh, hl) = (xl * yl, xl * yh, xh * yl);
            let mid = (ll >> 64) + (lh & low) + (hl & low);
            let wide = (
                xh * yh + (lh >> 64) + (hl >> 64) + (mid >> 64),
                (mid << 64) | (ll & low),
            );
            rounded(neg, wide, ex + ey)
        }
    }
}

fn negated(a: Num) -> Num {
    match a {
        Nan => Nan,
        Inf(n) => Inf(!n),
        Finite { neg, man, exp } => Finite {
            neg: !neg,
            man,
            exp,
        },
    }
}

fn compare(a: Num, b: Num) -> Option<Ordering> {
    match add(a, negated(b)) {
        Nan => match (a, b) {
            (Inf(x), Inf(y)) if x == y => Some(Ordering::Equal),
            _ => None,
        },
        Inf(neg) => Some(if neg {
            Ordering::Less
        } else {
            Ordering::Greater
        }),
        Finite { man: 0, .. } => Some(Ordering::Equal),
        Finite { neg, .. } => Some(if neg {
            Ordering::Less
        } else {
            Ordering::Greater
        }),
    }
}

fn pick(a: Num, b: Num, want: Ordering) -> Num {
    if compare(b, a) == Some(want) {
        b
    } else {
        a
    }
}

unsafe fn each(acc: *mut u8, with: *const u8, n: usize, step: usize, f: impl Fn(&mut [u8], &[u8])) {
    for i in 0..n {
        let a = std::slice::from_raw_parts_mut(acc.add(i * step), step);
        f(a, std::slice::from_raw_parts(with.add(i * step), step));
    }
}

macro_rules! kernel {
    ($f:expr) => {{
        unsafe fn k(acc: *mut u8, with: *const u8, n: usize) {
            each(acc, with, n, BYTES, |a, b| {
                let f: fn(Num, Num) -> Num = $f;
                store(f(load(a), load(b)), a)
            })
        }
        Some(k as Kernel)
    }};
}

pub fn real(op: Predef) -> Option<Kernel> {
    match op {
        Predef::Sum => kernel!(add),
        Predef::Prod => kernel!(mul),
        Predef::Min => kernel!(|a, b| pick(a, b, Ordering::Less)),
        Predef::Max => kernel!(|a, b| pick(a, b, Ordering::Greater)),
        _ => None,
    }
}

pub fn complex(op: Predef) -> Option<Kernel> {
    unsafe fn sum(acc: *mut u8, with: *const u8, n: usize) {
        if let Some(k) = real(Predef::Sum) {
            k(acc, with, 2 * n)
        }
    }
    unsafe fn prod(acc: *mut u8, with: *const u8, n: usize) {
        each(acc, with, n, 2 * BYTES, |a, b| {
            let (ar, ai, br, bi) = (load(a), load(&a[BYTES..]), load(b), load(&b[BYTES..]));
            store(add(mul(ar, br), negated(mul(ai, bi))), a);
            store(add(mul(ar, bi), mul(ai, br)), &mut a[BYTES..]);
        })
    }
    match op {
        Predef::Sum => Some(sum),
        Predef::Prod => Some(prod),
        _ => None,
    }
}

/// MINLOC and MAXLOC on struct { long double; int; }.
pub(crate) fn loc(max: bool) -> Option<Kernel> {
    const STEP: usize =
        (BYTES + 4).next_multiple_of(if LONG_DOUBLE.1 > 4 { LONG_DOUBLE.1 } else { 4 });
    fn better(a: &[u8], b: &[u8], want: Ordering) -> bool {
        let index =
            |s: &[u8]| i32::from_ne_bytes([s[BYTES], s[BYTES + 1], s[BYTES + 2], s[BYTES + 3]]);
        match compare(load(b), load(a)) {
            Some(Ordering::Equal) => index(b) < index(a),
            o => o == Some(want),
        }
    }
    unsafe fn run(acc: *mut u8, with: *const u8, n: usize, want: Ordering) {
        each(acc, with, n, STEP, |a, b| {
            if better(a, b, want) {
                a.copy_from_slice(b)
            }
        })
    }
    unsafe fn least(acc: *mut u8, with: *const u8, n: usize) {
        run(acc, with, n, Ordering::Less)
    }
    unsafe fn greatest(acc: *mut u8, with: *const u8, n: usize) {
        run(acc, with, n, Ordering::Greater)
    }
    Some(if max { greatest } else { least })
}

#[cfg(test)]
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::arch::asm;

    fn machine(a: u128, b: u128, product: bool) -> u128 {
        let (x, y, mut z) = (a.to_le_bytes(), b.to_le_bytes(), [0u8; 16]);
        // SAFETY: loads two numbers, stores one.
        unsafe {
            if product {
                asm!("fld tbyte ptr [{x}]", "fld tbyte ptr [{y}]", "fmulp", "fstp tbyte ptr [{z}]",
                    x = in(reg) x.as_ptr(), y = in(reg) y.as_ptr(), z = in(reg) z.as_mut_ptr(),
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _, out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _);
            } else {
                asm!("fld tbyte ptr [{x}]", "fld tbyte ptr [{y}]", "faddp", "fstp tbyte ptr [{z}]",
                    x = in(reg) x.as_ptr(), y = in(reg) y.as_ptr(), z = in(reg) z.as_mut_ptr(),
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _, out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _);
            }
        }
        u128::from_le_bytes(z)
    }

    fn ours(a: u128, b: u128, product: bool) -> u128 {
        let (x, y) = (load(&a.to_le_bytes()), load(&b.to_le_bytes()));
        let mut z = [0; 16];
        store(if product { mul(x, y) } else { add(x, y) }, &mut z);
        u128::from_le_bytes(z)
    }

    prop_compose! {
        /// Near each other and near the ends of the range as often as anywhere.
        fn number()(man: u64, keep in 0u32..64, kind in 0..4, e in 0u128..0x7fff, near in 0u128..140, neg: bool) -> u128 {
            let e = match kind { 0 => e, 1 => 0x3fc0 + near, 2 => near, _ => 0x7ffe - near };
            let man = man >> keep << keep;
            let man = if e == 0 { man >> 1 } else { man | 1 << 63 };
            u128::from(neg) << 79 | e << 64 | u128::from(man)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn arithmetic_equals_the_machine(a in number(), b in number()) {
            for product in [false, true] {
                let (m, o) = (machine(a, b, product), ours(a, b, product));
                let nan = |v: u128| (v >> 64) & 0x7fff == 0x7fff && v & 0x7fff_ffff_ffff_ffff != 0;
                prop_assert!(m == o || nan(m) && nan(o), "{a:x} {b:x} {product}: {m:x} {o:x}");
            }
        }
    }
}
