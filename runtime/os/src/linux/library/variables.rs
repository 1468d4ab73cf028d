//! Variables of the C library to which programs may assign.

use std::ffi::c_char;

use super::types::FILE;

extern "C" {
    static mut stdin: *mut FILE;
    static mut stdout: *mut FILE;
    static mut stderr: *mut FILE;
    static mut environ: *mut *mut c_char;
    #[cfg(not(target_env = "musl"))]
    static mut error_print_progname: usize;
    #[cfg(not(target_env = "musl"))]
    static mut obstack_alloc_failed_handler: usize;
    static mut program_invocation_name: *mut c_char;
    static mut program_invocation_short_name: *mut c_char;
}

/// GNU's own, which musl has not: they keep their places among them.
#[cfg(target_env = "musl")]
static mut NO_PRINTER: usize = 0;
#[cfg(target_env = "musl")]
static mut NO_HANDLER: usize = 0;

/// Where they are: standard streams, the environment, what GNU's `error` and obstacks call, the program's names.
pub fn places() -> [*mut usize; 8] {
    [
        (&raw mut stdin).cast(),
        (&raw mut stdout).cast(),
        (&raw mut stderr).cast(),
        (&raw mut environ).cast(),
        #[cfg(not(target_env = "musl"))]
        &raw mut error_print_progname,
        #[cfg(not(target_env = "musl"))]
        &raw mut obstack_alloc_failed_handler,
        #[cfg(target_env = "musl")]
        &raw mut NO_PRINTER,
        #[cfg(target_env = "musl")]
        &raw mut NO_HANDLER,
        (&raw mut program_invocation_name).cast(),
        (&raw mut program_invocation_short_name).cast(),
    ]
}

/// What `stdin`, `stdout` and `stderr` hold now.
pub fn streams() -> [*mut FILE; 3] {
    // SAFETY: initialised before anything runs.
    unsafe { [stdin, stdout, stderr] }
}

/// What `environ` holds now: null, or addresses of terminated texts, then null.
pub fn environment() -> *mut *mut c_char {
    // SAFETY: as above.
    unsafe { environ }
}
