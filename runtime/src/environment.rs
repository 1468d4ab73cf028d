//! The environment as `environ` and main's third parameter show it: an array of addresses, and texts.
//!
//! A process has its own, so a restart has another one.  What a program points to in that of the checkpoint is kept in
//! it, and becomes memory of the program.

use std::ffi::{c_char, CStr};

use crate::life::pc3_environment;
use crate::process::environ;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub addr: usize,
    pub bytes: usize,
    /// Characters, without the last one: the next text may begin behind that.  Else addresses.
    pub text: bool,
}

/// What is not the program's memory anyway.
pub(crate) fn parts(is_own: &dyn Fn(usize) -> bool) -> Vec<Part> {
    let first = pc3_environment();
    // SAFETY: the library's variable; nobody changes it now.
    let now = unsafe { environ };
    let mut found = Vec::new();
    // SAFETY: what the library shows, and what the process was started with.
    unsafe {
        list(now, &|_| true, is_own, &mut found);
        // Of one that is no longer in use, what the system put behind it.
        list(first, &|text| text > first as usize, is_own, &mut found);
    }
    found
}

/// # Safety
/// Null, or addresses that end with null; those that are `alive` are of terminated texts.
unsafe fn list(
    array: *mut *mut c_char,
    alive: &dyn Fn(usize) -> bool,
    is_own: &dyn Fn(usize) -> bool,
    found: &mut Vec<Part>,
) {
    let mut add = |part: Part| {
        if !is_own(part.addr) && !found.iter().any(|p| p.addr == part.addr) {
            found.push(part);
        }
    };
    if array.is_null() {
        return;
    }
    let mut n = 0;
    // SAFETY: by the caller.
    unsafe {
        while !(*array.add(n)).is_null() {
            let text = *array.add(n);
            if alive(text as usize) {
                add(Part {
                    addr: text as usize,
                    bytes: CStr::from_ptr(text).to_bytes().len(),
                    text: true,
                });
            }
            n += 1;
        }
    }
    add(Part {
        addr: array as usize,
        bytes: (n + 1) * size_of::<*mut c_char>(),
        text: false,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_once() {
        let mut texts = [*b"A=1\0", *b"B=2\0"];
        let [a, b] = texts.each_mut().map(|t| t.as_mut_ptr().cast::<c_char>());
        let null = std::ptr::null_mut();
        let mut array = [a, b, a, null];
        let mut found = Vec::new();
        // SAFETY: it ends with null.
        unsafe {
            list(
                array.as_mut_ptr(),
                &|_| true,
                &|at| at == b as usize,
                &mut found,
            )
        };
        let part = |addr, bytes, text| Part { addr, bytes, text };
        let expected = [
            part(a as usize, 3, true),
            part(array.as_ptr() as usize, size_of_val(&array), false),
        ];
        assert_eq!(found, expected);
    }
}
