//! The tool information interface (MPI 3.1 section 14.3) of a library without variables of its own: it says that there
//! are none, and refuses what would need one.  There is no state: sessions are all alike.

use crate::arguments::put;
use std::ffi::{c_char, c_int, c_void};

const SUCCESS: c_int = 0;
const ERR_INVALID: c_int = 1006;
const ERR_INVALID_INDEX: c_int = 1007;
const ERR_INVALID_SESSION: c_int = 1009;
const ERR_INVALID_HANDLE: c_int = 1010;
const ERR_INVALID_NAME: c_int = 1011;

/// The only session.
const SESSION: usize = 1;

fn give<T>(to: *mut T, value: T) -> c_int {
    // SAFETY: null or the program's own variable.
    match unsafe { put(to, value) } {
        Ok(()) => SUCCESS,
        Err(_) => ERR_INVALID,
    }
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_T_init_thread(required: c_int, provided: *mut c_int) -> c_int {
    give(provided, crate::job::env::thread_level(required))
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_T_finalize() -> c_int {
    SUCCESS
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_T_pvar_session_create(session: *mut usize) -> c_int {
    give(session, SESSION)
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_T_pvar_session_free(session: *mut usize) -> c_int {
    // SAFETY: null or the program's own variable.
    if unsafe { session.as_ref() } != Some(&SESSION) {
        return ERR_INVALID_SESSION;
    }
    give(session, 0)
}

macro_rules! counts { ($($name:ident)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(number: *mut c_int) -> c_int {
        give(number, 0)
    }
)* } }
counts!(MPI_T_cvar_get_num MPI_T_pvar_get_num MPI_T_category_get_num MPI_T_category_changed MPI_T_event_get_num
    MPI_T_source_get_num);

macro_rules! refused { ($($name:ident($($ty:ty),*) $why:ident;)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name($(_: $ty),*) -> c_int {
        $why
    }
)* } }
refused! {
    MPI_T_enum_get_info(usize, *mut c_int, *mut c_char, *mut c_int) ERR_INVALID_HANDLE;
    MPI_T_enum_get_item(usize, c_int, *mut c_int, *mut c_char, *mut c_int) ERR_INVALID_HANDLE;
    MPI_T_cvar_get_info(c_int, *mut c_char, *mut c_int, *mut c_int, *mut usize, *mut usize, *mut c_char, *mut c_int,
        *mut c_int, *mut c_int) ERR_INVALID_INDEX;
    MPI_T_cvar_handle_alloc(c_int, *mut c_void, *mut usize, *mut c_int) ERR_INVALID_INDEX;
    MPI_T_cvar_handle_free(*mut usize) ERR_INVALID_HANDLE;
    MPI_T_cvar_read(usize, *mut c_void) ERR_INVALID_HANDLE;
    MPI_T_cvar_write(usize, *const c_void) ERR_INVALID_HANDLE;
    MPI_T_pvar_get_info(c_int, *mut c_char, *mut c_int, *mut c_int, *mut c_int, *mut usize, *mut usize, *mut c_char,
        *mut c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int) ERR_INVALID_INDEX;
    MPI_T_pvar_handle_alloc(usize, c_int, *mut c_void, *mut usize, *mut c_int) ERR_INVALID_INDEX;
    MPI_T_pvar_handle_free(usize, *mut usize) ERR_INVALID_HANDLE;
    MPI_T_pvar_start(usize, usize) ERR_INVALID_HANDLE;
    MPI_T_pvar_stop(usize, usize) ERR_INVALID_HANDLE;
    MPI_T_pvar_read(usize, usize, *mut c_void) ERR_INVALID_HANDLE;
    MPI_T_pvar_write(usize, usize, *const c_void) ERR_INVALID_HANDLE;
    MPI_T_pvar_reset(usize, usize) ERR_INVALID_HANDLE;
    MPI_T_pvar_readreset(usize, usize, *mut c_void) ERR_INVALID_HANDLE;
    MPI_T_category_get_info(c_int, *mut c_char, *mut c_int, *mut c_char, *mut c_int, *mut c_int, *mut c_int, *mut c_int)
        ERR_INVALID_INDEX;
    MPI_T_category_get_cvars(c_int, c_int, *mut c_int) ERR_INVALID_INDEX;
    MPI_T_category_get_pvars(c_int, c_int, *mut c_int) ERR_INVALID_INDEX;
    MPI_T_category_get_categories(c_int, c_int, *mut c_int) ERR_INVALID_INDEX;
    MPI_T_cvar_get_index(*const c_char, *mut c_int) ERR_INVALID_NAME;
    MPI_T_pvar_get_index(*const c_char, c_int, *mut c_int) ERR_INVALID_NAME;
    MPI_T_category_get_index(*const c_char, *mut c_int) ERR_INVALID_NAME;
    MPI_T_category_get_num_events(c_int, *mut c_int) ERR_INVALID_INDEX;
    MPI_T_category_get_events(c_int, c_int, *mut c_int) ERR_INVALID_INDEX;
    MPI_T_event_get_info(c_int, *mut c_char, *mut c_int, *mut c_int, *mut usize, *mut isize, *mut c_int, *mut usize,
        *mut usize, *mut c_char, *mut c_int, *mut c_int) ERR_INVALID_INDEX;
    MPI_T_event_get_index(*const c_char, *mut c_int) ERR_INVALID_NAME;
    MPI_T_event_handle_alloc(c_int, *mut c_void, usize, *mut usize) ERR_INVALID_INDEX;
    MPI_T_event_handle_free(usize, *mut c_void, usize) ERR_INVALID_HANDLE;
    MPI_T_event_handle_get_info(usize, *mut usize) ERR_INVALID_HANDLE;
    MPI_T_event_handle_set_info(usize, usize) ERR_INVALID_HANDLE;
    MPI_T_event_register_callback(usize, c_int, usize, *mut c_void, usize) ERR_INVALID_HANDLE;
    MPI_T_event_callback_get_info(usize, c_int, *mut usize) ERR_INVALID_HANDLE;
    MPI_T_event_callback_set_info(usize, c_int, usize) ERR_INVALID_HANDLE;
    MPI_T_event_set_dropped_handler(usize, usize) ERR_INVALID_HANDLE;
    MPI_T_event_read(usize, c_int, *mut c_void) ERR_INVALID_HANDLE;
    MPI_T_event_copy(usize, *mut c_void) ERR_INVALID_HANDLE;
    MPI_T_event_get_timestamp(usize, *mut i64) ERR_INVALID_HANDLE;
    MPI_T_event_get_source(usize, *mut c_int) ERR_INVALID_HANDLE;
    MPI_T_source_get_info(c_int, *mut c_char, *mut c_int, *mut c_char, *mut c_int, *mut c_int, *mut i64, *mut i64,
        *mut usize) ERR_INVALID_INDEX;
    MPI_T_source_get_timestamp(c_int, *mut i64) ERR_INVALID_INDEX;
}
