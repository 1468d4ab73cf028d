//! Arguments of MPI functions, checked.

use std::ffi::{c_char, c_int, CStr};

use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::abi;

/// A count argument.
#[inline]
pub fn count(n: c_int) -> Result<usize> {
    usize::try_from(n).or_else(|_| fail(Class::ERR_COUNT, format!("the count is {n}")))
}

/// A count argument of a large-count function.
#[inline]
pub(crate) fn wide_count(n: i64) -> Result<usize> {
    usize::try_from(n).or_else(|_| fail(Class::ERR_COUNT, format!("the count is {n}")))
}

/// Stores a result.
///
/// # Safety
/// `to` must be null or valid.
#[inline]
pub unsafe fn put<T>(to: *mut T, value: T) -> Result<()> {
    if to.is_null() {
        return fail(Class::ERR_ARG, "a result pointer is null");
    }
    to.write(value);
    Ok(())
}

/// An array argument.
///
/// # Safety
/// `p` must be null or lead to `n` values.
pub unsafe fn slice<'a, T>(p: *const T, n: usize) -> Result<&'a [T]> {
    if n == 0 {
        return Ok(&[]);
    }
    if p.is_null() {
        return fail(Class::ERR_ARG, "an array argument is null");
    }
    Ok(std::slice::from_raw_parts(p, n))
}

/// An array result.
///
/// # Safety
/// As [`slice`].
pub unsafe fn slice_mut<'a, T>(p: *mut T, n: usize) -> Result<&'a mut [T]> {
    if n == 0 {
        return Ok(&mut []);
    }
    if p.is_null() {
        return fail(Class::ERR_ARG, "a result array is null");
    }
    Ok(std::slice::from_raw_parts_mut(p, n))
}

/// A string argument.
///
/// # Safety
/// `p` must be null or a C string.
pub unsafe fn text(p: *const c_char) -> Result<String> {
    if p.is_null() {
        return fail(Class::ERR_ARG, "a string argument is null");
    }
    Ok(CStr::from_ptr(p).to_string_lossy().into_owned())
}

/// A string result of at most `room` bytes with its terminator; returns the length stored.
///
/// # Safety
/// `to` must be null or have that room.
pub(crate) unsafe fn put_text(to: *mut c_char, room: usize, s: &str) -> Result<usize> {
    if to.is_null() {
        return fail(Class::ERR_ARG, "a string result is null");
    }
    let n = s.len().min(room.saturating_sub(1));
    std::ptr::copy_nonoverlapping(s.as_ptr(), to.cast(), n);
    to.add(n).write(0);
    Ok(n)
}

/// MPI_MAX_OBJECT_NAME and MPI_MAX_ERROR_STRING.
pub(crate) const MAX_NAME: usize = 128;

pub(crate) const MAX_ERROR: usize = 512;

/// Checks a buffer address: null only where nothing is accessed or addresses are absolute.
#[inline]
pub fn buffer(p: *const u8, bytes: usize, predefined: bool) -> Result<()> {
    if p.is_null() && bytes > 0 && predefined {
        return fail(Class::ERR_BUFFER, "the buffer is a null pointer");
    }
    if p as usize == abi::IN_PLACE {
        return fail(Class::ERR_BUFFER, "MPI_IN_PLACE is not allowed here");
    }
    Ok(())
}
