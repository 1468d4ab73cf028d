//! Fortran's parametrised types (MPI 3.1 section 17.1.9): committed from the start, never freed, and the same handle
//! each time.

use crate::arguments::put;
use crate::entry::entry;
use crate::objects::datatype::give;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::datatype::build::{make, Constructor};
use pc3_vmpi_objects::datatype::constructor::Class90;
use pc3_vmpi_objects::datatype::parametrised::parametrised;
use pc3_vmpi_objects::error::Result;
use pc3_vmpi_objects::handle::abi::UNDEFINED;
use std::ffi::c_int;

fn handle(me: &RankState, class: Class90, digits: c_int, range: c_int) -> Result<usize> {
    let made = parametrised(class, digits, range)?;
    let key = |c: &Constructor| match c {
        Constructor::Parametrised {
            class,
            digits,
            range,
            ..
        } => Some((*class, *digits, *range)),
        _ => None,
    };
    let types = &me.objects().types;
    let known = types
        .iter()
        .find(|(_, t)| key(&t.ty.constructor) == key(&made));
    if let Some((handle, _)) = known {
        return Ok(handle);
    }
    Ok(give(me, make(made, None)?, true))
}

macro_rules! real { ($($c:ident $class:ident;)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $c(p: c_int, r: c_int, new: *mut usize) -> c_int {
        entry(stringify!($c), 0, |me| put(new, handle(me, Class90::$class, p, r)?))
    }
)* } }
real! {
    MPI_Type_create_f90_real Real;
    MPI_Type_create_f90_complex Complex;
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Type_create_f90_integer(r: c_int, new: *mut usize) -> c_int {
    entry("MPI_Type_create_f90_integer", 0, |me| {
        put(new, handle(me, Class90::Integer, UNDEFINED, r)?)
    })
}
