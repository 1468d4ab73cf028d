//! `va_list`s that read arguments from memory where they lie as the ABI's stack would have them: they say that all
//! registers have been read.

use std::ffi::c_void;

use pc3_control::report::{die, EXIT_FATAL};

#[cfg(target_arch = "x86_64")]
#[repr(C)]
struct VaList {
    integers: u32,
    floats: u32,
    stack: *mut c_void,
    registers: *mut c_void,
}

#[cfg(target_arch = "x86_64")]
impl VaList {
    fn at(stack: *mut c_void) -> VaList {
        VaList {
            integers: 48,
            floats: 176,
            stack,
            registers: std::ptr::null_mut(),
        }
    }
    fn all_read(&self) -> bool {
        (self.integers, self.floats) == (48, 176)
    }
}

#[cfg(target_arch = "s390x")]
#[repr(C)]
struct VaList {
    integers: i64,
    floats: i64,
    stack: *mut c_void,
    registers: *mut c_void,
}

#[cfg(target_arch = "s390x")]
impl VaList {
    fn at(stack: *mut c_void) -> VaList {
        VaList {
            integers: 5,
            floats: 4,
            stack,
            registers: std::ptr::null_mut(),
        }
    }
    fn all_read(&self) -> bool {
        // They are counted on, although nothing is read from them any more.
        self.integers >= 5 && self.floats >= 4
    }
}

#[cfg(target_arch = "aarch64")]
#[repr(C)]
struct VaList {
    stack: *mut c_void,
    integers_end: *mut c_void,
    floats_end: *mut c_void,
    integers: i32,
    floats: i32,
}

#[cfg(target_arch = "aarch64")]
impl VaList {
    fn at(stack: *mut c_void) -> VaList {
        VaList {
            stack,
            integers_end: std::ptr::null_mut(),
            floats_end: std::ptr::null_mut(),
            integers: 0,
            floats: 0,
        }
    }
    fn all_read(&self) -> bool {
        self.integers >= 0 && self.floats >= 0
    }
}

/// Where it is nothing but an address on the stack.
#[cfg(not(any(target_arch = "x86_64", target_arch = "s390x", target_arch = "aarch64")))]
#[repr(C)]
struct VaList {
    stack: *mut c_void,
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "s390x", target_arch = "aarch64")))]
impl VaList {
    fn at(stack: *mut c_void) -> VaList {
        VaList { stack }
    }
    fn all_read(&self) -> bool {
        true
    }
}

/// # Safety
/// `list` is a `va_list` to be made.
#[no_mangle]
pub unsafe extern "C" fn pc3_va_make(list: *mut c_void, at: *mut c_void) {
    let made = if at.is_null() {
        // Not begun: as it was declared.
        // SAFETY: all zeros are a value of it.
        unsafe { std::mem::zeroed() }
    } else {
        VaList::at(at)
    };
    // SAFETY: by the caller.
    unsafe { list.cast::<VaList>().write_unaligned(made) };
}

/// # Safety
/// `list` is a `va_list` that [`pc3_va_make`] has made, or all zeros.
#[no_mangle]
pub unsafe extern "C" fn pc3_va_at(list: *const c_void) -> *mut c_void {
    // SAFETY: by the caller.
    let list: VaList = unsafe { list.cast::<VaList>().read_unaligned() };
    if !list.stack.is_null() && !list.all_read() {
        die(
            EXIT_FATAL,
            "a checkpoint while arguments are read from a va_list that no function of this program has begun",
        );
    }
    list.stack
}
