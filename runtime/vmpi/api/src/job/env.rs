//! Starting, ending and asking about the environment (MPI 4.1 chapters 9 and 11).

use pc3_vmpi_coll::handles::HasObjects;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null;

use pc3_os::clocks;

use crate::arguments::{put, put_text};
use crate::entry::entry;
use crate::objects::info::known;
use crate::raise::end_job;
use pc3_vmpi_core::p2p;
use pc3_vmpi_core::rank::{Call, Phase, RankState};
use pc3_vmpi_nonblocking::operations::outcomes;
use pc3_vmpi_objects::error::{fail, Class, MpiError};
use pc3_vmpi_objects::handle::abi;
use pc3_vmpi_objects::info::Info;

extern "C" {
    fn pc3_malloc(n: usize, site: *const c_void) -> *mut c_void;
    fn pc3_free(p: *mut c_void);
}

const THREAD_SINGLE: c_int = 0;
const THREAD_FUNNELED: c_int = 1024;

/// A rank is one thread: others have no rank to call for.
pub fn thread_level(required: c_int) -> c_int {
    required.clamp(THREAD_SINGLE, THREAD_FUNNELED)
}

unsafe fn init(name: &'static str, required: c_int) -> c_int {
    let me = RankState::current();
    me.call.set(Call::new(name));
    if me.phase.get() != Phase::Before {
        let e = MpiError::new(Class::ERR_OTHER, "MPI was initialized before");
        return crate::raise::raise(me, name, abi::COMM_WORLD, e);
    }
    me.phase.set(Phase::Initialized);
    me.thread_level.set(thread_level(required));
    Class::SUCCESS.0
}

/// MPI 4.1 section 11.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) -> c_int {
    init("MPI_Init", THREAD_SINGLE)
}

/// MPI 4.1 section 11.6.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Init_thread(
    _argc: *mut c_int,
    _argv: *mut *mut *mut c_char,
    required: c_int,
    provided: *mut c_int,
) -> c_int {
    let code = init("MPI_Init_thread", required);
    if !provided.is_null() {
        *provided = RankState::current().thread_level.get();
    }
    code
}

/// MPI 4.1 section 11.2: may be called at any time.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Initialized(flag: *mut c_int) -> c_int {
    let is = RankState::try_current().is_some_and(|me| me.phase.get() != Phase::Before);
    put(flag, c_int::from(is)).map_or_else(|e| e.class.0, |()| 0)
}

/// MPI 4.1 section 11.2: may be called at any time.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Finalized(flag: *mut c_int) -> c_int {
    let is = RankState::try_current().is_some_and(|me| me.phase.get() == Phase::Finalized);
    put(flag, c_int::from(is)).map_or_else(|e| e.class.0, |()| 0)
}

/// MPI 4.1 section 11.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Finalize() -> c_int {
    entry("MPI_Finalize", 0, |me| {
        crate::objects::attr::finalize(me)?;
        // Sends whose requests were freed complete here; their buffers may be on our stack.
        p2p::settle(me);
        me.phase.set(Phase::Finalized);
        Ok(())
    })
}

/// MPI 4.1 section 11.6.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Query_thread(provided: *mut c_int) -> c_int {
    entry("MPI_Query_thread", 0, |me| {
        put(provided, me.thread_level.get())
    })
}

/// MPI 4.1 section 11.6.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Is_thread_main(flag: *mut c_int) -> c_int {
    entry("MPI_Is_thread_main", 0, |_| put(flag, 1))
}

/// MPI 4.1 section 9.5: ends the whole job.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Abort(_comm: usize, code: c_int) -> c_int {
    let who = RankState::try_current().map_or(String::new(), |me| format!(" by rank {}", me.rank));
    pc3_os::streams::flush_all();
    // What a process can end with, and not as if all were well.
    let status = match code & 0xff {
        0 => 1,
        n => n,
    };
    let asked = match status == code {
        true => String::new(),
        false => format!(" with {code}"),
    };
    let message = format!("MPI_Abort called{who}{asked}: the job ends with status {status}");
    end_job(status, &message)
}

/// MPI 4.1 section 9.1.1.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Get_version(version: *mut c_int, subversion: *mut c_int) -> c_int {
    if version.is_null() || subversion.is_null() {
        return Class::ERR_ARG.0;
    }
    *version = 3;
    *subversion = 1;
    Class::SUCCESS.0
}

/// MPI 5.0 section 20.2: the version of the ABI that handles and constants follow.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Abi_get_version(major: *mut c_int, minor: *mut c_int) -> c_int {
    if major.is_null() || minor.is_null() {
        return Class::ERR_ARG.0;
    }
    *major = 1;
    *minor = 0;
    Class::SUCCESS.0
}

/// MPI 5.0 section 20.2: sizes of the types that the ABI leaves open.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Abi_get_info(info: *mut usize) -> c_int {
    crate::entry::entry_at_any_time("MPI_Abi_get_info", |me| {
        let mut said = Info::default();
        said.set("mpi_aint_size", &size_of::<isize>().to_string())?;
        said.set("mpi_count_size", &size_of::<i64>().to_string())?;
        said.set("mpi_offset_size", &size_of::<i64>().to_string())?;
        put(info, me.objects().infos.insert(said))
    })
}

/// MPI 5.0 section 20.2: there is no Fortran.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Abi_get_fortran_info(info: *mut usize) -> c_int {
    crate::entry::entry_at_any_time("MPI_Abi_get_fortran_info", |_| put(info, abi::INFO_NULL))
}

/// MPI 5.0 section 20.2: there is no Fortran.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Abi_get_fortran_booleans(
    _size: c_int,
    _true: *mut c_void,
    _false: *mut c_void,
    is_set: *mut c_int,
) -> c_int {
    crate::entry::entry_at_any_time("MPI_Abi_get_fortran_booleans", |_| put(is_set, 0))
}

fn no_fortran(name: &'static str) -> c_int {
    crate::entry::entry_at_any_time(name, |_| {
        fail(Class::ERR_UNSUPPORTED_OPERATION, "there is no Fortran")
    })
}

/// MPI 5.0 section 20.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Abi_set_fortran_info(_info: usize) -> c_int {
    no_fortran("MPI_Abi_set_fortran_info")
}

/// MPI 5.0 section 20.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Abi_set_fortran_booleans(
    _size: c_int,
    _true: *mut c_void,
    _false: *mut c_void,
) -> c_int {
    no_fortran("MPI_Abi_set_fortran_booleans")
}

/// MPI 4.1 section 9.1.1.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Get_library_version(version: *mut c_char, len: *mut c_int) -> c_int {
    let text = concat!("pc3 ", env!("CARGO_PKG_VERSION"));
    match put_text(version, 8192, text).and_then(|n| put(len, n as c_int)) {
        Ok(()) => Class::SUCCESS.0,
        Err(e) => e.class.0,
    }
}

/// MPI 4.1 section 9.1.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Get_processor_name(name: *mut c_char, len: *mut c_int) -> c_int {
    entry("MPI_Get_processor_name", 0, |_| {
        let host = pc3_os::processes::host_name();
        let n = host.iter().position(|b| *b == 0).unwrap_or(0);
        put(
            len,
            put_text(name, 256, &String::from_utf8_lossy(&host[..n]))? as c_int,
        )
    })
}

/// MPI 4.1 section 9.6.
#[pc3_vmpi_entry::entry]
pub extern "C" fn MPI_Wtime() -> f64 {
    outcomes::clock(clocks::seconds)
}

/// MPI 4.1 section 9.6.
#[pc3_vmpi_entry::entry]
pub extern "C" fn MPI_Wtick() -> f64 {
    clocks::tick()
}

/// MPI 4.1 section 9.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Alloc_mem(size: isize, info: usize, base: *mut c_void) -> c_int {
    pc3_alloc_mem(size, info, base, null())
}

/// What generated code calls: it knows the type of the contents.
#[no_mangle]
pub(crate) unsafe extern "C" fn pc3_alloc_mem(
    size: isize,
    info: usize,
    base: *mut c_void,
    site: *const c_void,
) -> c_int {
    entry("MPI_Alloc_mem", abi::COMM_WORLD, |me| {
        known(me, info)?;
        let Ok(size) = usize::try_from(size) else {
            return fail(Class::ERR_SIZE, format!("the size is {size}"));
        };
        // SAFETY: the rank's own heap.
        let p = pc3_malloc(size.max(1), site);
        if p.is_null() {
            return fail(Class::ERR_NO_MEM, format!("no memory for {size} bytes"));
        }
        put(base.cast::<*mut c_void>(), p)
    })
}

/// MPI 4.1 section 9.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Free_mem(base: *mut c_void) -> c_int {
    entry("MPI_Free_mem", abi::COMM_WORLD, |_| {
        pc3_free(base);
        Ok(())
    })
}

/// MPI 4.1 section 15.2.4: there is no profiling to control.
#[pc3_vmpi_entry::entry]
pub extern "C" fn MPI_Pcontrol(_level: c_int) -> c_int {
    Class::SUCCESS.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_threads_are_promised_nothing() {
        let levels = [THREAD_SINGLE, THREAD_FUNNELED, 2048, 4096].map(thread_level);
        assert_eq!(
            levels,
            [
                THREAD_SINGLE,
                THREAD_FUNNELED,
                THREAD_FUNNELED,
                THREAD_FUNNELED
            ]
        );
    }
}
