//! Error handlers and codes (MPI 3.1 sections 8.3 to 8.5).

use super::{entry, entry_at_any_time, put, put_text, source_line, text, MAX_ERROR};
use crate::link;
use crate::state::RankState;
use pc3_runtime::report::{leave, say};
use pc3_vmpi_objects::below::Below;
use pc3_vmpi_objects::error::{Class, MpiError};
use pc3_vmpi_objects::handle::abi;
use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

type Handler = unsafe extern "C" fn(*mut usize, *mut c_int, ...);

/// Hands an error to the handler of `comm` (MPI_COMM_WORLD's if that names none) and returns the
/// code for the program.
#[cold]
pub fn raise(me: &RankState, name: &str, comm: usize, e: MpiError) -> c_int {
    let objects = me.objects();
    let (handler, comm) = match objects.comm(comm) {
        Ok(c) => (c.errhandler, comm),
        Err(_) => (objects.world.errhandler, abi::COMM_WORLD),
    };
    hand_over(me, name, handler, comm, &e)
}

/// The same for a file, or for MPI_FILE_NULL.
#[cold]
pub fn raise_file(me: &RankState, name: &str, file: usize, e: MpiError) -> c_int {
    let objects = me.objects();
    let handler = objects
        .file(file)
        .map_or(objects.file_errhandler, |f| f.errhandler);
    hand_over(me, name, handler, file, &e)
}

fn hand_over(me: &RankState, name: &str, handler: usize, mut object: usize, e: &MpiError) -> c_int {
    let mut code = e.class.0;
    match handler {
        abi::ERRORS_RETURN => {}
        abi::ERRORS_ARE_FATAL | abi::ERRORS_ABORT => fatal(me, name, e),
        _ => match me.objects().errhandlers.0.get(handler).map(|h| h.func) {
            Some(func) if func != 0 => {
                let _below = Below::begin();
                // SAFETY: the program said that this is its handler.
                unsafe { std::mem::transmute::<usize, Handler>(func)(&mut object, &mut code) }
            }
            _ => fatal(me, name, e),
        },
    }
    code
}

/// Ends the job for one reason: what other ranks find wrong meanwhile, here or in other processes, is the same or a consequence.
pub fn end_job(status: c_int, message: &str) -> ! {
    static ENDING: AtomicBool = AtomicBool::new(false);
    while ENDING.swap(true, Relaxed) {
        std::thread::park();
    }
    link::hear_others();
    say(message);
    leave(status)
}

/// The end of the job, as MPI_ERRORS_ARE_FATAL asks.
pub fn fatal(me: &RankState, name: &str, e: &MpiError) -> ! {
    let line = source_line(me)
        .map(|l| format!(" ({l})"))
        .unwrap_or_default();
    end_job(1, &format!("rank {}: {name}{line}: {e}", me.rank))
}

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
