//! Error handlers and codes (MPI 3.1 sections 8.3 to 8.5).

use crate::arguments::{put, put_text, text, MAX_ERROR};
use crate::entry::{entry, entry_at_any_time};
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_objects::error::{Class, MpiError};
use pc3_vmpi_objects::handle::abi;
use std::ffi::{c_char, c_int};

pub use crate::raise::{end_job, raise};

/// MPI 3.1 section 8.3.1.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_create_errhandler(func: usize, handler: *mut usize) -> c_int {
    entry("MPI_Comm_create_errhandler", 0, |me| {
        put(handler, me.objects().errhandlers.create(func)?)
    })
}

/// MPI 3.1 section 8.3.1.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_set_errhandler(comm: usize, handler: usize) -> c_int {
    entry("MPI_Comm_set_errhandler", comm, |me| {
        let o = me.objects();
        let old = o.comm(comm)?.errhandler;
        let new = o.errhandlers.acquire(handler)?;
        o.comm_mut(comm)?.errhandler = new;
        o.errhandlers.release(old)
    })
}

/// MPI 3.1 section 8.3.1.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_get_errhandler(comm: usize, handler: *mut usize) -> c_int {
    entry("MPI_Comm_get_errhandler", comm, |me| {
        let o = me.objects();
        let h = o.comm(comm)?.errhandler;
        put(handler, o.errhandlers.acquire(h)?)
    })
}

/// MPI 3.1 section 8.3.4.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Errhandler_free(handler: *mut usize) -> c_int {
    entry("MPI_Errhandler_free", 0, |me| {
        if handler.is_null() {
            return put(handler, 0);
        }
        me.objects().errhandlers.release(*handler)?;
        put(handler, abi::ERRHANDLER_NULL)
    })
}

/// MPI 3.1 section 8.5.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_call_errhandler(comm: usize, code: c_int) -> c_int {
    entry("MPI_Comm_call_errhandler", comm, |me| {
        me.objects().comm(comm)?;
        let said = me.objects().codes.text(code)?;
        raise(
            me,
            "MPI_Comm_call_errhandler",
            comm,
            MpiError::new(Class(code), said),
        );
        Ok(())
    })
}

/// MPI 3.1 section 8.4.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Error_class(code: c_int, class: *mut c_int) -> c_int {
    entry_at_any_time("MPI_Error_class", |me| {
        put(class, me.objects().codes.class_of(code)?)
    })
}

/// MPI 3.1 section 8.3.4.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Error_string(
    code: c_int,
    string: *mut c_char,
    len: *mut c_int,
) -> c_int {
    entry_at_any_time("MPI_Error_string", |me| {
        let said = me.objects().codes.text(code)?;
        put(len, put_text(string, MAX_ERROR, &said)? as c_int)
    })
}

/// MPI 3.1 section 8.5.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Add_error_class(class: *mut c_int) -> c_int {
    entry("MPI_Add_error_class", 0, |me| {
        put(class, me.objects().codes.add_class())
    })
}

/// MPI 3.1 section 8.5.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Add_error_code(class: c_int, code: *mut c_int) -> c_int {
    entry("MPI_Add_error_code", 0, |me| {
        put(code, me.objects().codes.add_code(class)?)
    })
}

/// MPI 3.1 section 8.5.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Add_error_string(code: c_int, string: *const c_char) -> c_int {
    entry("MPI_Add_error_string", 0, |me| {
        me.objects().codes.set_text(code, text(string)?)
    })
}

/// MPI 4.1 section 9.5.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Remove_error_class(class: c_int) -> c_int {
    entry("MPI_Remove_error_class", 0, |me| {
        me.objects().codes.remove_class(class)
    })
}

/// MPI 4.1 section 9.5.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Remove_error_code(code: c_int) -> c_int {
    entry("MPI_Remove_error_code", 0, |me| {
        me.objects().codes.remove_code(code)
    })
}

/// MPI 4.1 section 9.5.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Remove_error_string(code: c_int) -> c_int {
    entry("MPI_Remove_error_string", 0, |me| {
        me.objects().codes.set_text(code, String::new())
    })
}

/// MPI-1 name of [`MPI_Comm_create_errhandler`].
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Errhandler_create(func: usize, handler: *mut usize) -> c_int {
    MPI_Comm_create_errhandler(func, handler)
}

/// MPI-1 name of [`MPI_Comm_set_errhandler`].
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Errhandler_set(comm: usize, handler: usize) -> c_int {
    MPI_Comm_set_errhandler(comm, handler)
}

/// MPI-1 name of [`MPI_Comm_get_errhandler`].
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Errhandler_get(comm: usize, handler: *mut usize) -> c_int {
    MPI_Comm_get_errhandler(comm, handler)
}
