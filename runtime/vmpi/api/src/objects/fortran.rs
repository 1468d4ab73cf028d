//! Handles as integers: as Fortran has them (MPI 3.1 section 17.2.4), and as C's `int` (MPI 5.0 chapter 20). Tokens of ours
//! fit both.

use std::ffi::c_int;

use crate::messages::status::CStatus;
use pc3_vmpi_objects::error::Class;

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
    MPI_Win_c2f MPI_Win_f2c
    MPI_Comm_toint MPI_Comm_fromint
    MPI_Type_toint MPI_Type_fromint
    MPI_Group_toint MPI_Group_fromint
    MPI_Op_toint MPI_Op_fromint
    MPI_Request_toint MPI_Request_fromint
    MPI_Message_toint MPI_Message_fromint
    MPI_Errhandler_toint MPI_Errhandler_fromint
    MPI_Info_toint MPI_Info_fromint
    MPI_File_toint MPI_File_fromint
    MPI_Win_toint MPI_Win_fromint
    MPI_Session_toint MPI_Session_fromint
}

/// A Fortran status is an array of as many integers as ours has, or a type with them.
const WORDS: usize = std::mem::size_of::<CStatus>() / 4;

macro_rules! statuses { ($($name:ident)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(from: *const c_int, to: *mut c_int) -> c_int {
        if from.is_null() || to.is_null() {
            return Class::ERR_ARG.0;
        }
        // SAFETY: the program's variables; all three kinds are the same integers.
        unsafe { std::ptr::copy(from, to, WORDS) };
        Class::SUCCESS.0
    }
)* } }
statuses! {
    MPI_Status_c2f MPI_Status_f2c
    MPI_Status_c2f08 MPI_Status_f082c
    MPI_Status_f2f08 MPI_Status_f082f
}
