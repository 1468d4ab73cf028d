//! What reductions do with the values of the ranks.

use std::ffi::{c_int, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};

use pc3_vmpi::c::datatype::{MPI_Type_commit, MPI_Type_contiguous, MPI_Type_free};
use pc3_vmpi::c::op::{MPI_Op_create, MPI_Op_free};
use pc3_vmpi::op::Predef;

use super::buffer::values;
use super::equivalence::{message, wire, wire_size, Equivalence};
use super::point_to_point::int;
use super::{fail, ok};
use crate::point::frames;

/// Values that MPI itself can add up and compare.
#[diagnostic::on_unimplemented(
    message = "MPI's own operations do not know `{Self}`",
    label = "these are for numbers and arrays of numbers",
    note = "say how two values become one: `UserOperation::commutative(|a, b| …)`"
)]
pub trait Number: Equivalence {}

macro_rules! numbers {
    ($($t:ident)*) => {$( impl Number for $t {} )*};
}
numbers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 }
impl<T: Number, const N: usize> Number for [T; N] {}

/// How MPI is told of an operation on values of a type.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Told {
    pub op: usize,
    pub datatype: usize,
    /// Elements of the datatype in a value.
    pub units: usize,
}

/// An operation that makes one value of two.
pub trait Operation<T: Equivalence> {
    #[doc(hidden)]
    fn tell(&self, call: &mut dyn FnMut(Told));
}

impl<T: Equivalence, O: Operation<T>> Operation<T> for &O {
    fn tell(&self, call: &mut dyn FnMut(Told)) {
        (**self).tell(call);
    }
}

/// An operation of MPI's own, on numbers and arrays of them:
///
/// ```compile_fail,E0277
/// # use pc3::mpi::{traits::*, SystemOperation};
/// fn any(world: &impl Communicator, here: bool) -> bool {
///     let mut somewhere = false;
///     world.all_reduce_into(&here, &mut somewhere, SystemOperation::logical_or());
///     somewhere
/// }
/// ```
///
/// For other values there is [`UserOperation`]: `UserOperation::commutative(|a: &bool, b: &bool| *a || *b)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SystemOperation(Predef);

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident $op:ident;)*) => {
        impl SystemOperation {
            $(
                $(#[$doc])*
                pub fn $name() -> SystemOperation {
                    SystemOperation(Predef::$op)
                }
            )*
        }
    };
}

operations! {
    sum Sum;
    product Prod;
    min Min;
    max Max;
    /// Of numbers: zero or not.
    logical_and Land;
    logical_or Lor;
    logical_xor Lxor;
    /// Of integers.
    bitwise_and Band;
    bitwise_or Bor;
    bitwise_xor Bxor;
}

impl SystemOperation {
    pub(super) fn handle(self) -> usize {
        self.0 as usize
    }
}

impl<T: Number> Operation<T> for SystemOperation {
    fn tell(&self, call: &mut dyn FnMut(Told)) {
        let wire = wire::<T>();
        call(Told {
            op: self.0 as usize,
            datatype: wire.basic,
            units: wire.units,
        });
    }
}

/// An operation of the program's: `f(a, b)` of values of which `a` is that of lower ranks.
pub struct UserOperation<F> {
    f: F,
    commute: bool,
}

impl UserOperation<()> {
    /// The order of the values does not matter, except for rounding.
    pub fn commutative<T, F: Fn(&T, &T) -> T>(f: F) -> UserOperation<F> {
        UserOperation { f, commute: true }
    }

    /// The values are taken in the order of the ranks.
    pub fn associative<T, F: Fn(&T, &T) -> T>(f: F) -> UserOperation<F> {
        UserOperation { f, commute: false }
    }
}

impl<T: Equivalence, F: Fn(&T, &T) -> T> Operation<T> for UserOperation<F> {
    fn tell(&self, call: &mut dyn FnMut(Told)) {
        let (wire, size) = (wire::<T>(), wire_size::<T>());
        let combine = |first: &[u8], second: &mut [u8]| {
            let (a, b) = (values::<T>(first), values::<T>(second));
            let both: Vec<T> = a.iter().zip(&b).map(|(a, b)| (self.f)(a, b)).collect();
            second.copy_from_slice(message(&both, &mut Vec::new()));
        };
        let (mut datatype, mut op) = (0, 0);
        // SAFETY: fills the variables; the function does what MPI asks of one.
        unsafe {
            ok(MPI_Type_contiguous(
                int(wire.units),
                wire.basic,
                &raw mut datatype,
            ));
            ok(MPI_Type_commit(&raw mut datatype));
            ok(MPI_Op_create(
                reduce as *const () as usize,
                c_int::from(self.commute),
                &raw mut op,
            ));
        }
        let user = frames::Combine {
            size,
            combine: &combine,
        };
        frames::with_operation(&user, || {
            call(Told {
                op,
                datatype,
                units: 1,
            });
        });
        // SAFETY: handles made above.
        unsafe {
            ok(MPI_Op_free(&raw mut op));
            ok(MPI_Type_free(&raw mut datatype));
        }
    }
}

/// The function that MPI calls on a member's stack, with the operation that this member has named.
unsafe extern "C" fn reduce(
    first: *const c_void,
    second: *mut c_void,
    n: *const c_int,
    _datatype: *const usize,
) {
    let done = catch_unwind(AssertUnwindSafe(|| {
        frames::operation(|user| {
            // SAFETY: MPI gives so many values of each.
            let (first, second) = unsafe {
                let bytes = usize::try_from(*n).unwrap_or(0) * user.size;
                (
                    std::slice::from_raw_parts(first.cast(), bytes),
                    std::slice::from_raw_parts_mut(second.cast(), bytes),
                )
            };
            (user.combine)(first, second);
        });
    }));
    if done.is_err() {
        fail("the operation of a reduction panicked");
    }
}
