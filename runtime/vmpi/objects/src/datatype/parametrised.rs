//! Types by the numbers that they have to hold: Fortran's parametrised types (MPI 3.1 section 17.1.9).

use super::basic::Basic;
use super::constructor::{Class90, Constructor};
use super::of_basic;
use crate::error::{fail, Class, Result};
use crate::handle::abi::UNDEFINED;

/// Decimal digits and exponents that a C `long double` has here.
const LONG_DOUBLE: (i32, i32) = if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
    (18, 4931)
} else if cfg!(any(
    target_arch = "aarch64",
    target_arch = "riscv64",
    target_arch = "s390x"
)) {
    (33, 4931)
} else {
    (15, 307)
};

/// The smallest type with `digits` decimal digits and numbers up to ten to the power of `range`; either may be
/// MPI_UNDEFINED, that of an integer's digits is.
pub fn parametrised(class: Class90, digits: i32, range: i32) -> Result<Constructor> {
    let at_least = |n: i32| match n {
        UNDEFINED => Some(0),
        n => (n >= 0).then_some(n),
    };
    let wanted = match (at_least(digits), at_least(range)) {
        (Some(d), Some(r)) if (digits, range) != (UNDEFINED, UNDEFINED) => (d, r),
        _ => return fail(Class::ERR_ARG, "the precision or the range is none"),
    };
    let choices: &[((i32, i32), Basic)] = match class {
        Class90::Real => &[
            ((6, 37), Basic::Real4),
            ((15, 307), Basic::Real8),
            (LONG_DOUBLE, Basic::LongDouble),
        ],
        Class90::Complex => &[
            ((6, 37), Basic::Complex8),
            ((15, 307), Basic::Complex16),
            (LONG_DOUBLE, Basic::LongDoubleComplex),
        ],
        Class90::Integer => &[
            ((0, 2), Basic::Integer1),
            ((0, 4), Basic::Integer2),
            ((0, 9), Basic::Integer4),
            ((0, 18), Basic::Integer8),
        ],
    };
    let holds = |c: &&((i32, i32), Basic)| wanted.0 <= c.0 .0 && wanted.1 <= c.0 .1;
    match choices.iter().find(holds) {
        Some((_, basic)) => Ok(Constructor::Parametrised {
            class,
            digits,
            range,
            old: of_basic(*basic),
        }),
        None => fail(
            Class::ERR_ARG,
            format!(
                "there is no type with {} decimal digits and exponents up to {}",
                wanted.0, wanted.1
            ),
        ),
    }
}
