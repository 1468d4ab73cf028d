//! User-defined operations and local reduction (MPI 3.1 sections 5.9.5 and 5.9.7).

use crate::arguments::{buffer, put, wide_count};
use crate::entry::entry;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_objects::error::{fail, Class};
use pc3_vmpi_objects::op::{Op, UserOp};
use std::ffi::{c_int, c_void};

const OP_NULL: usize = 0x20;

macro_rules! create { ($($name:ident $wide:literal;)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(func: usize, commute: c_int, op: *mut usize) -> c_int {
        entry(stringify!($name), 0, |me| {
            if func == 0 {
                return fail(Class::ERR_ARG, "the function is null");
            }
            let made = UserOp { func, commute: commute != 0, wide: $wide };
            put(op, me.objects().ops.insert(made))
        })
    }
)* } }
create! {
    MPI_Op_create false;
    MPI_Op_create_c true;
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Op_free(op: *mut usize) -> c_int {
    entry("MPI_Op_free", 0, |me| {
        if op.is_null() || me.objects().ops.remove(*op).is_none() {
            return fail(Class::ERR_OP, "not an operation made by MPI_Op_create");
        }
        put(op, OP_NULL)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Op_commutative(op: usize, commute: *mut c_int) -> c_int {
    entry("MPI_Op_commutative", 0, |me| {
        put(commute, c_int::from(me.objects().op(op)?.commutes()))
    })
}

macro_rules! local { ($($name:ident $n:ident;)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(
        input: *const c_void,
        inout: *mut c_void,
        n: $n,
        datatype: usize,
        op: usize,
    ) -> c_int {
        entry(stringify!($name), 0, |me| {
            let (n, ty) = (wide_count(n.into())?, me.objects().committed(datatype)?);
            buffer(input.cast(), n * ty.size, ty.predefined != 0)?;
            buffer(inout.cast(), n * ty.size, ty.predefined != 0)?;
            match me.objects().op(op)? {
                // Predefined operations commute, so the order of operands does not matter.
                Op::Predef(p) => p.kernel(&ty)?(inout.cast(), input.cast(), n),
                Op::User(u) => u.apply(
                    input.cast_mut().cast(),
                    inout.cast(),
                    n,
                    (datatype, ty.extent),
                ),
            }
            Ok(())
        })
    }
)* } }
local! {
    MPI_Reduce_local c_int;
    MPI_Reduce_local_c i64;
}
