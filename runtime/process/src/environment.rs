//! The environment as `environ` and main's third parameter show it: an array of addresses, and texts.
//!
//! A process has its own, so a restart has another one.  What a program points to in that of the checkpoint is kept in
//! it, and becomes memory of the program.

use std::ffi::{c_char, CStr};
use std::sync::{Mutex, PoisonError};

use pc3_os::variables;

#[derive(Debug, PartialEq, Eq)]
pub struct TextRange {
    pub addr: usize,
    pub bytes: usize,
    /// Characters, without the last one: the next text may begin behind that.  Else addresses.
    pub text: bool,
}

/// Texts that restarts have put there.  Nobody frees them: a program may point to one that it has taken out since.
static KEPT: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// `text`: the address of a terminated string that lives as long as the process.
pub fn keep(text: usize) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if !kept.contains(&text) {
        kept.push(text);
    }
}

/// What is not the program's memory anyway.  `first`: the environment that the process was started with, or null.
///
/// # Safety
/// Null, or as `main` is given it: addresses of terminated texts that end with null.
pub unsafe fn parts(first: *mut *mut c_char, is_own: &dyn Fn(usize) -> bool) -> Vec<TextRange> {
    let mut found = Ranges {
        is_own,
        parts: Vec::new(),
    };
    // SAFETY: what the library shows, whose variable nobody changes now; what the process was started with; and texts
    // that stay.
    unsafe {
        found.list(variables::environment(), &|_| true);
        // Of one that is no longer in use, what the system put behind it.
        found.list(first, &|text| text > first as usize);
        for text in KEPT.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            found.text(*text);
        }
    }
    found.parts
}

struct Ranges<'a> {
    is_own: &'a dyn Fn(usize) -> bool,
    parts: Vec<TextRange>,
}

impl Ranges<'_> {
    fn add(&mut self, part: TextRange) {
        if !(self.is_own)(part.addr) && !self.parts.iter().any(|p| p.addr == part.addr) {
            self.parts.push(part);
        }
    }

    /// # Safety
    /// The address of a terminated string.
    unsafe fn text(&mut self, addr: usize) {
        // SAFETY: by the caller.
        let bytes = unsafe { CStr::from_ptr(addr as *const c_char) }.count_bytes();
        self.add(TextRange {
            addr,
            bytes,
            text: true,
        });
    }

    /// # Safety
    /// Null, or addresses that end with null; those that are `alive` are of terminated texts.
    unsafe fn list(&mut self, array: *mut *mut c_char, alive: &dyn Fn(usize) -> bool) {
        if array.is_null() {
            return;
        }
        let mut n = 0;
        // SAFETY: by the caller.
        unsafe {
            while !(*array.add(n)).is_null() {
                let text = *array.add(n) as usize;
                if alive(text) {
                    self.text(text);
                }
                n += 1;
            }
        }
        self.add(TextRange {
            addr: array as usize,
            bytes: (n + 1) * size_of::<*mut c_char>(),
            text: false,
        });
    }
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
        let mut found = Ranges {
            is_own: &|at| at == b as usize,
            parts: Vec::new(),
        };
        // SAFETY: it ends with null.
        unsafe { found.list(array.as_mut_ptr(), &|_| true) };
        let part = |addr, bytes, text| TextRange { addr, bytes, text };
        let expected = [
            part(a as usize, 3, true),
            part(array.as_ptr() as usize, size_of_val(&array), false),
        ];
        assert_eq!(found.parts, expected);
    }
}
