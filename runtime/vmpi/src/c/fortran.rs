//! Handles as Fortran has them (MPI 3.1 section 17.2.4): tokens of ours fit a Fortran integer.

use std::ffi::c_int;

use super::status::CStatus;
use crate::error::Class;

macro_rules! handles { ($($c2f:ident $f2c:ident)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub extern "C" fn $c2f(handle: usize) -> c_int {
        handle as c_int
    }
    #[pc3_vmpi_entry::entry]
    pub extern "C" fn $f2c(handle: c_int) -> usize {
        handle as u32 as usize
    }
)* } }
handles! {
    MPI_Comm_c2f MPI_Comm_f2c
    MPI_Type_c2f MPI_Type_f2c
    MPI_Group_c2f MPI_Group_f2c
    MPI_Op_c2f MPI_Op_f2c
    MPI_Request_c2f MPI_Request_f2c
    MPI_Message_c2f MPI_Message_f2c
    MPI_Errhandler_c2f MPI_Errhandler_f2c
    MPI_Info_c2f MPI_Info_f2c
    MPI_File_c2f MPI_File_f2c
}

/// A Fortran status is an array of as many integers as ours has.
const WORDS: usize = std::mem::size_of::<CStatus>() / 4;

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Status_c2f(from: *const CStatus, to: *mut c_int) -> c_int {
    if from.is_null() || to.is_null() {
        return Class::ERR_ARG.0;
    }
    std::ptr::copy(from.cast::<c_int>(), to, WORDS);
    Class::SUCCESS.0
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Status_f2c(from: *const c_int, to: *mut CStatus) -> c_int {
    MPI_Status_c2f(from.cast(), to.cast())
}
