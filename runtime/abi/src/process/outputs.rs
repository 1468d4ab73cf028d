//! What the program calls to print, where it has to be known who prints ([`pc3_process::files::printing`]), and to cut off outputs.

use std::ffi::{c_char, c_int, c_void, CStr};
use std::os::fd::RawFd;
use std::ptr::null_mut;

use pc3_os::original;
use pc3_os::types::{off64_t, off_t, FILE};

use pc3_process::files::printing::{self, is_looked_at, nowhere_opened, printed_to};
use pc3_process::files::standard::{is_inherited_output, standard};
use pc3_state::rank::Rank;

#[cold]
unsafe fn enter(stream: *mut FILE) -> *mut c_void {
    // SAFETY: used by entry points only.
    match unsafe { Rank::current() } {
        Some(rank) => printing::enter(stream, rank),
        None => null_mut(),
    }
}

/// In front of what prints to a stream, or null for standard output: what [`pc3_printed`] is called with behind it.
///
/// # Safety
/// An entry point; an open stream or null.
#[no_mangle]
pub unsafe extern "C" fn pc3_prints_on(to: *mut c_void) -> *mut c_void {
    if !is_looked_at() {
        return null_mut();
    }
    let all = standard();
    let to: *mut FILE = to.cast();
    let to = if to.is_null() { all[1].1 } else { to };
    match to == all[1].1 || to == all[2].1 {
        // SAFETY: a standard stream.
        true => unsafe { enter(to) },
        false => null_mut(),
    }
}

/// The same for a descriptor.
///
/// # Safety
/// An entry point.
#[no_mangle]
pub unsafe extern "C" fn pc3_prints_to(fd: c_int) -> *mut c_void {
    if !is_looked_at() || !(1..=2).contains(&fd) {
        return null_mut();
    }
    // SAFETY: a standard stream.
    unsafe { enter(standard()[fd as usize].1) }
}

/// Where to print instead, if what one of these has returned says that it is there already; else null.
#[no_mangle]
pub extern "C" fn pc3_print_nowhere(begun: *mut c_void) -> *mut c_void {
    match nowhere_opened() == begun.cast() {
        true => begun,
        false => null_mut(),
    }
}

/// # Safety
/// What one of these has returned, by the same thread.
#[no_mangle]
pub unsafe extern "C" fn pc3_printed(to: *mut c_void) {
    if to.is_null() {
        return;
    }
    printed_to(to.cast());
}

/// What the program calls instead of the C library's: those with `...` are in `pc3_rt.h`.
macro_rules! prints {
    ($($name:ident = $own:ident($($arg:ident: $ty:ty),*) to $begin:ident($to:expr) -> $result:ty, or |$nowhere:ident| $instead:expr;)*) => { $(
        /// # Safety
        /// As the C library's.
        #[no_mangle]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $result {
            extern "C" { fn $own($($arg: $ty),*) -> $result; }
            // SAFETY: by the caller.
            unsafe {
                let begun = $begin($to);
                let $nowhere: *mut FILE = match begun.is_null() {
                    true => null_mut(),
                    false => pc3_print_nowhere(begun).cast(),
                };
                let done = match $nowhere.is_null() {
                    true => $own($($arg),*),
                    false => $instead,
                };
                pc3_printed(begun);
                done
            }
        }
    )* };
}

prints! {
    pc3_puts = puts(text: *const c_char) to pc3_prints_on(null_mut()) -> c_int, or |_n| c_int::try_from(CStr::from_ptr(text).count_bytes() + 1).unwrap_or(c_int::MAX);
    pc3_putchar = putchar(c: c_int) to pc3_prints_on(null_mut()) -> c_int, or |n| original::fputc(c, n);
    pc3_putchar_unlocked = putchar_unlocked(c: c_int) to pc3_prints_on(null_mut()) -> c_int, or |n| original::fputc(c, n);
    pc3_fputs = fputs(text: *const c_char, to: *mut c_void) to pc3_prints_on(to) -> c_int, or |n| original::fputs(text, n);
    pc3_fputs_unlocked = fputs_unlocked(text: *const c_char, to: *mut c_void) to pc3_prints_on(to) -> c_int, or |n| original::fputs(text, n);
    pc3_fputc = fputc(c: c_int, to: *mut c_void) to pc3_prints_on(to) -> c_int, or |n| original::fputc(c, n);
    pc3_fputc_unlocked = fputc_unlocked(c: c_int, to: *mut c_void) to pc3_prints_on(to) -> c_int, or |n| original::fputc(c, n);
    pc3_putc = putc(c: c_int, to: *mut c_void) to pc3_prints_on(to) -> c_int, or |n| original::fputc(c, n);
    pc3_putc_unlocked = putc_unlocked(c: c_int, to: *mut c_void) to pc3_prints_on(to) -> c_int, or |n| original::fputc(c, n);
    pc3_fwrite = fwrite(from: *const c_void, each: usize, n: usize, to: *mut c_void) to pc3_prints_on(to) -> usize, or |nowhere| original::fwrite(from, each, n, nowhere);
    pc3_fwrite_unlocked = fwrite_unlocked(from: *const c_void, each: usize, n: usize, to: *mut c_void) to pc3_prints_on(to) -> usize, or |nowhere| original::fwrite(from, each, n, nowhere);
    pc3_write = write(fd: c_int, from: *const c_void, n: usize) to pc3_prints_to(fd) -> isize, or |_nowhere| n as isize;
}

/// # Safety
/// As `perror`.
#[no_mangle]
pub unsafe extern "C" fn pc3_perror(text: *const c_char) {
    // SAFETY: by the caller.
    unsafe {
        let begun = pc3_prints_to(2);
        if begun.is_null() || pc3_print_nowhere(begun).is_null() {
            original::perror(text);
        }
        pc3_printed(begun);
    }
}

/// Is it the job's standard output or error, where ranks all print to one file?
fn is_shared(fd: RawFd) -> bool {
    // SAFETY: an entry point.
    let several = unsafe { Rank::current() }.is_some_and(|r| r.job().several());
    several && is_inherited_output(fd)
}

/// Of an output that ranks share nobody cuts off what is behind its own place (as Fortran's libraries do at a program's end): another may
/// have printed there meanwhile. A launcher's pipe could not be cut, either.
///
/// # Safety
/// As `ftruncate`.
#[no_mangle]
pub unsafe extern "C" fn pc3_ftruncate(fd: c_int, length: off_t) -> c_int {
    match is_shared(fd) {
        true => 0,
        // SAFETY: by the caller.
        false => unsafe { original::ftruncate(fd, length) },
    }
}

/// # Safety
/// As `ftruncate64`.
#[no_mangle]
pub unsafe extern "C" fn pc3_ftruncate64(fd: c_int, length: off64_t) -> c_int {
    match is_shared(fd) {
        true => 0,
        // SAFETY: by the caller.
        false => unsafe { original::ftruncate64(fd, length) },
    }
}
