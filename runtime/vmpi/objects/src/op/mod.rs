//! Reduction operations (MPI 3.1 sections 5.9.2 to 5.9.5).

pub mod kernels;
pub(crate) mod longdouble;

use crate::below::{running, Below};
use crate::datatype::basic::{Basic, Repr};
use crate::datatype::build::Constructor;
use crate::datatype::{Datatype, BASE, SPAN};
use crate::error::{fail, Class, Result};
use crate::handle::Table;
use pc3_runtime::rank::Rank;
use std::ptr::{null_mut, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Predef {
    Sum = 0x21,
    Min = 0x22,
    Max = 0x23,
    Prod = 0x24,
    Band = 0x28,
    Bor = 0x29,
    Bxor = 0x2a,
    Land = 0x30,
    Lor = 0x31,
    Lxor = 0x32,
    Minloc = 0x38,
    Maxloc = 0x39,
}
use Predef::*;

/// Made by MPI_Op_create or MPI_Op_create_c.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UserOp {
    /// The address of an `MPI_User_function` or `MPI_User_function_c`.
    pub func: usize,
    pub commute: bool,
    /// It takes a large count.
    pub wide: bool,
}

/// In a checkpoint and between processes: what is said of a function.
impl UserOp {
    #[inline]
    pub fn traits(self) -> u8 {
        u8::from(self.commute) | u8::from(self.wide) << 1
    }

    #[inline]
    pub fn with_traits(func: usize, traits: u8) -> UserOp {
        UserOp {
            func,
            commute: traits & 1 != 0,
            wide: traits & 2 != 0,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Predef(Predef),
    User(UserOp),
}

/// Kernels of predefined types, by operation and type, once they have been asked for.
static FOUND: [[AtomicPtr<()>; SPAN]; HANDLES] =
    [const { [const { AtomicPtr::new(null_mut()) }; SPAN] }; HANDLES];
/// From the first operation's handle to the last one's.
const HANDLES: usize = Maxloc as usize - FIRST + 1;
const FIRST: usize = Sum as usize;

/// `acc[i] = acc[i] op with[i]` for `n` elements; `acc` belongs to the lower ranks.
pub type Kernel = unsafe fn(acc: *mut u8, with: *const u8, n: usize);

impl Predef {
    #[inline]
    pub fn from_handle(handle: usize) -> Option<Predef> {
        /// By handles.
        const KNOWN: [Option<Predef>; HANDLES] = {
            const ALL: [Predef; 12] = [
                Sum, Min, Max, Prod, Band, Bor, Bxor, Land, Lor, Lxor, Minloc, Maxloc,
            ];
            let (mut known, mut i) = ([None; HANDLES], 0);
            while i < ALL.len() {
                known[ALL[i] as usize - FIRST] = Some(ALL[i]);
                i += 1;
            }
            known
        };
        KNOWN.get(handle.wrapping_sub(FIRST)).copied().flatten()
    }

    pub fn name(self) -> &'static str {
        match self {
            Sum => "MPI_SUM",
            Min => "MPI_MIN",
            Max => "MPI_MAX",
            Prod => "MPI_PROD",
            Band => "MPI_BAND",
            Bor => "MPI_BOR",
            Bxor => "MPI_BXOR",
            Land => "MPI_LAND",
            Lor => "MPI_LOR",
            Lxor => "MPI_LXOR",
            Minloc => "MPI_MINLOC",
            Maxloc => "MPI_MAXLOC",
        }
    }

    /// The kernel for a datatype, if the standard defines the combination.
    #[inline]
    pub fn kernel(self, ty: &Datatype) -> Result<Kernel> {
        let noted = FOUND[self as usize - FIRST].get(ty.predefined.wrapping_sub(BASE));
        let Some(noted) = noted else {
            return self.find_kernel(ty);
        };
        let known = noted.load(Relaxed);
        if !known.is_null() {
            // SAFETY: only kernels are noted.
            return Ok(unsafe { std::mem::transmute::<*mut (), Kernel>(known) });
        }
        let kernel = self.find_kernel(ty)?;
        noted.store(kernel as *mut (), Relaxed);
        Ok(kernel)
    }

    fn find_kernel(self, ty: &Datatype) -> Result<Kernel> {
        let found = match &ty.constructor {
            Constructor::Named(b) => self.for_basic(*b),
            Constructor::Pair(v, i) if matches!(self, Minloc | Maxloc) => {
                kernels::loc(self == Maxloc, *v, *i)
            }
            Constructor::Dup(old) | Constructor::Parametrised { old, .. } => {
                return self.find_kernel(old)
            }
            _ => None,
        };
        match found {
            Some(k) => Ok(k),
            None => {
                let name = match &ty.constructor {
                    Constructor::Named(b) => b.name(),
                    Constructor::Pair(..) => "a pair type",
                    _ => "a derived datatype",
                };
                fail(
                    Class::ERR_OP,
                    format!("{} is not defined on {name}", self.name()),
                )
            }
        }
    }

    fn for_basic(self, b: Basic) -> Option<Kernel> {
        let (float, complex) = (
            matches!(b.repr(), Repr::Float | Repr::LongDouble),
            matches!(b.repr(), Repr::Complex | Repr::LongDoubleComplex),
        );
        let integer =
            matches!(b.repr(), Repr::Int { .. }) && b != Basic::Character && b != Basic::Wchar;
        let legal = match self {
            Sum | Prod => integer || float || complex,
            Min | Max => integer || float,
            Land | Lor | Lxor => integer || b.repr() == Repr::Logical,
            Band | Bor | Bxor => integer || b == Basic::Byte,
            Minloc | Maxloc => false,
        };
        if !legal {
            return None;
        }
        match b.repr() {
            Repr::LongDouble => longdouble::real(self),
            Repr::LongDoubleComplex => longdouble::complex(self),
            repr => kernels::scalar(self, repr, b.size()),
        }
    }
}

impl Op {
    /// The operation of a handle.
    #[inline]
    pub fn from_handle(handle: usize, user: &Table<UserOp>) -> Result<Op> {
        match Predef::from_handle(handle) {
            Some(p) => Ok(Op::Predef(p)),
            None => Op::from_table(handle, user),
        }
    }

    fn from_table(handle: usize, user: &Table<UserOp>) -> Result<Op> {
        match user.get(handle) {
            Some(u) => Ok(Op::User(*u)),
            None if handle == 0x20 => fail(Class::ERR_OP, "the operation is MPI_OP_NULL"),
            None if handle == 0x3c || handle == 0x3d => fail(
                Class::ERR_OP,
                "MPI_REPLACE and MPI_NO_OP are for one-sided communication only",
            ),
            None => fail(Class::ERR_OP, "not a reduction operation (freed already?)"),
        }
    }

    #[inline]
    pub fn commutes(&self) -> bool {
        match self {
            Op::Predef(_) => true,
            Op::User(u) => u.commute,
        }
    }
}

type UserFn = unsafe extern "C" fn(*mut u8, *mut u8, *mut i32, *mut usize);
type WideFn = unsafe extern "C" fn(*mut u8, *mut u8, *mut i64, *mut usize);

/// While it is there, what runs is no step of the rank's course that runs it: another member's may do it next time.
struct Aside(Option<NonNull<Rank>>);

impl Aside {
    fn begin() -> Aside {
        let me = running();
        if let Some(mut rank) = me {
            // SAFETY: ranks live as long as the process, and no other reference is alive.
            unsafe { rank.as_mut() }.aside += 1;
        }
        Aside(me)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        if let Some(mut rank) = self.0 {
            // SAFETY: as above.
            unsafe { rank.as_mut() }.aside -= 1;
        }
    }
}

impl UserOp {
    /// `inout[i] = in[i] op inout[i]`, by the program's function; `extent`: of the datatype.
    ///
    /// # Safety
    /// The buffers must hold `n` elements of the datatype, and the running rank must own the handle.
    pub unsafe fn apply(
        &self,
        input: *mut u8,
        inout: *mut u8,
        n: usize,
        (datatype, extent): (usize, isize),
    ) {
        let mut handle = datatype;
        let (_aside, _below) = (Aside::begin(), Below::begin());
        if self.wide {
            // SAFETY: the program said that it is one; the caller's promise.
            unsafe {
                let f = std::mem::transmute::<usize, WideFn>(self.func);
                f(input, inout, &mut (n as i64), &mut handle);
            }
            return;
        }
        // SAFETY: as above.
        let f = unsafe { std::mem::transmute::<usize, UserFn>(self.func) };
        let most = i32::MAX as usize;
        for at in (0..n.max(1)).step_by(most) {
            let by = extent * at as isize;
            let mut len = (n - at).min(most) as i32;
            // SAFETY: as above.
            unsafe {
                f(
                    input.wrapping_offset(by),
                    inout.wrapping_offset(by),
                    &mut len,
                    &mut handle,
                );
            }
        }
    }
}
