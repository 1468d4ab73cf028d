//! libpc3rt.a: what an instrumented C program links.  The process's entry, and everything that
//! generated code may call: the `pc3_*` entry points of the runtime and the virtual MPI's `MPI_*`.

#[cfg(not(test))]
use std::ffi::{c_char, c_int};

// Named so that the linker keeps their exported functions.
pub use pc3_runtime as runtime;
pub use pc3_vmpi as vmpi;

/// The process's `main`: programs are linked with `--wrap=main`, so that the user's keeps its name for linkers and debuggers.
///
/// # Safety
/// Called by the C start-up code, once.
#[cfg(not(test))]
#[no_mangle]
pub unsafe extern "C" fn __wrap_main(
    argc: c_int,
    argv: *mut *mut c_char,
    env: *mut *mut c_char,
) -> c_int {
    pc3_vmpi::engine::register();
    // SAFETY: the process's own arguments.
    unsafe { pc3_runtime::start(argc, argv, env) }
}
