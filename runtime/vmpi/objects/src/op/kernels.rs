//! The predefined reductions, one loop per operation and C type.
//!
//! Buffers need not be aligned.  Integers wrap; MIN and MAX of floats keep the first operand
//! unless the second compares below (above) it.

use super::{Kernel, Predef};
use crate::datatype::basic::{Basic, Repr};

#[inline(always)]
unsafe fn each<T: Copy>(acc: *mut u8, with: *const u8, n: usize, f: impl Fn(T, T) -> T) {
    let (acc, with) = (acc.cast::<T>(), with.cast::<T>());
    for i in 0..n {
        acc.add(i)
            .write_unaligned(f(acc.add(i).read_unaligned(), with.add(i).read_unaligned()));
    }
}

macro_rules! kernel {
    ($t:ty, $f:expr) => {{
        unsafe fn k(acc: *mut u8, with: *const u8, n: usize) {
            each::<$t>(acc, with, n, $f)
        }
        /// The same operations on each element, more elements at a time.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        unsafe fn wide(acc: *mut u8, with: *const u8, n: usize) {
            each::<$t>(acc, with, n, $f)
        }
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Some(wide as Kernel);
        }
        Some(k as Kernel)
    }};
}

macro_rules! integer {
    ($op:expr, $t:ty) => {
        match $op {
            Predef::Sum => kernel!($t, |a, b| a.wrapping_add(b)),
            Predef::Prod => kernel!($t, |a, b| a.wrapping_mul(b)),
            Predef::Min => kernel!($t, |a, b| if b < a { b } else { a }),
            Predef::Max => kernel!($t, |a, b| if b > a { b } else { a }),
            Predef::Band => kernel!($t, |a, b| a & b),
            Predef::Bor => kernel!($t, |a, b| a | b),
            Predef::Bxor => kernel!($t, |a, b| a ^ b),
            Predef::Land => kernel!($t, |a, b| (a != 0 && b != 0) as $t),
            Predef::Lor => kernel!($t, |a, b| (a != 0 || b != 0) as $t),
            Predef::Lxor => kernel!($t, |a, b| ((a != 0) != (b != 0)) as $t),
            Predef::Minloc | Predef::Maxloc => None,
        }
    };
}

macro_rules! float {
    ($op:expr, $t:ty) => {
        match $op {
            Predef::Sum => kernel!($t, |a, b| a + b),
            Predef::Prod => kernel!($t, |a, b| a * b),
            Predef::Min => kernel!($t, |a, b| if b < a { b } else { a }),
            Predef::Max => kernel!($t, |a, b| if b > a { b } else { a }),
            _ => None,
        }
    };
}

macro_rules! complex {
    ($op:expr, $t:ty) => {
        match $op {
            Predef::Sum => kernel!([$t; 2], |a, b| [a[0] + b[0], a[1] + b[1]]),
            Predef::Prod => kernel!([$t; 2], |a, b| [
                a[0] * b[0] - a[1] * b[1],
                a[0] * b[1] + a[1] * b[0]
            ]),
            _ => None,
        }
    };
}

pub fn scalar(op: Predef, repr: Repr, size: usize) -> Option<Kernel> {
    match (repr, size) {
        (Repr::Int { signed: true }, 1) => integer!(op, i8),
        (Repr::Int { signed: true }, 2) => integer!(op, i16),
        (Repr::Int { signed: true }, 4) => integer!(op, i32),
        (Repr::Int { signed: true }, 8) => integer!(op, i64),
        (Repr::Int { .. } | Repr::Logical | Repr::Byte, 1) => integer!(op, u8),
        (Repr::Int { .. } | Repr::Logical, 2) => integer!(op, u16),
        (Repr::Int { .. } | Repr::Logical, 4) => integer!(op, u32),
        (Repr::Int { .. } | Repr::Logical, 8) => integer!(op, u64),
        (Repr::Float, 4) => float!(op, f32),
        (Repr::Float, 8) => float!(op, f64),
        (Repr::Complex, 8) => complex!(op, f32),
        (Repr::Complex, 16) => complex!(op, f64),
        _ => None,
    }
}

/// A value and its index as C lays them out.
#[derive(Clone, Copy)]
#[repr(C)]
struct Pair<V, I> {
    value: V,
    index: I,
}

macro_rules! loc { ($max:expr, $v:ty, $i:ty) => {
    if $max {
        kernel!(Pair<$v, $i>, |a, b| if b.value > a.value || (b.value == a.value && b.index < a.index) { b } else { a })
    } else {
        kernel!(Pair<$v, $i>, |a, b| if b.value < a.value || (b.value == a.value && b.index < a.index) { b } else { a })
    }
} }

/// MINLOC and MAXLOC: the extreme value with its index, the lowest index among equals.
pub(crate) fn loc(max: bool, value: Basic, index: Basic) -> Option<Kernel> {
    match (value.repr(), value.size(), index.repr()) {
        (Repr::Float, 4, Repr::Int { .. }) => loc!(max, f32, i32),
        (Repr::Float, 8, Repr::Int { .. }) => loc!(max, f64, i32),
        (Repr::Float, 4, Repr::Float) => loc!(max, f32, f32),
        (Repr::Float, 8, Repr::Float) => loc!(max, f64, f64),
        (Repr::Int { .. }, 2, _) => loc!(max, i16, i32),
        (Repr::Int { .. }, 4, _) => loc!(max, i32, i32),
        (Repr::Int { .. }, 8, _) => loc!(max, i64, i32),
        (Repr::LongDouble, ..) => super::longdouble::loc(max),
        _ => None,
    }
}
