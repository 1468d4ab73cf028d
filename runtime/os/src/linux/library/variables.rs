//! Variables of the C library to which programs may assign.

use std::ffi::c_char;

use super::types::FILE;

extern "C" {
    static mut stdin: *mut FILE;
    static mut stdout: *mut FILE;
    static mut stderr: *mut FILE;
    static mut environ: *mut *mut c_char;
    static mut program_invocation_name: *mut c_char;
    static mut program_invocation_short_name: *mut c_char;
}

/// Where a variable of GNU's own is. musl has none, and a static program only those of what it calls: a reference of the runtime's
/// would bring the code around it, whose functions a program may have itself. They keep their places among the others.
macro_rules! of_gnu {
    ($place:ident, $name:literal, $address:ident) => {
        std::arch::global_asm!(
            concat!(".weak ", $name),
            concat!(".section .data.", stringify!($address), ", \"aw\""),
            ".balign 8",
            concat!(".globl ", stringify!($address)),
            concat!(stringify!($address), ":"),
            concat!(".dc.a ", $name),
            ".text",
        );
        extern "C" {
            static $address: *mut usize;
        }
        fn $place() -> *mut usize {
            static mut NONE: usize = 0;
            // SAFETY: an address that the linker has put there, 0 if there is none.
            match unsafe { $address } {
                place if place.is_null() => &raw mut NONE,
                place => place,
            }
        }
    };
}
of_gnu!(printer, "error_print_progname", pc3_error_print_progname);
of_gnu!(
    handler,
    "obstack_alloc_failed_handler",
    pc3_obstack_alloc_failed_handler
);

/// Where they are: standard streams, the environment, what GNU's `error` and obstacks call, the program's names.
pub fn places() -> [*mut usize; 8] {
    [
        (&raw mut stdin).cast(),
        (&raw mut stdout).cast(),
        (&raw mut stderr).cast(),
        (&raw mut environ).cast(),
        printer(),
        handler(),
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
