//! MPI_Pack_external and its kin (MPI 3.1 section 4.3): the format external32.

use crate::arguments::{buffer, put, text, wide_count};
use crate::entry::entry;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_objects::datatype::moving::Buf;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::external32;
use std::ffi::{c_char, c_int, c_void};

/// # Safety
/// As of the calls.
unsafe fn format(name: *const c_char) -> Result<()> {
    // SAFETY: the program's string.
    match unsafe { text(name)? }.as_str() {
        "external32" => Ok(()),
        other => fail(
            Class::ERR_UNSUPPORTED_DATAREP,
            format!("the data representation is {other:?}; there is external32"),
        ),
    }
}

macro_rules! external { ($($pack:ident $unpack:ident $size:ident $n:ident $at:ident;)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $pack(
        datarep: *const c_char,
        input: *const c_void,
        n: $n,
        datatype: usize,
        out: *mut c_void,
        outsize: $at,
        position: *mut $at,
    ) -> c_int {
        entry(stringify!($pack), 0, |me| {
            format(datarep)?;
            let (count, ty) = (wide_count(n.into())?, me.objects().committed(datatype)?);
            buffer(input.cast(), count.saturating_mul(ty.size), ty.predefined != 0)?;
            let mut v = Vec::new();
            external32::pack(Buf { ptr: input.cast_mut().cast(), count, ty: &ty }, &mut v)?;
            let at = place(position, outsize as i64, v.len())?;
            buffer(out.cast(), v.len(), true)?;
            std::ptr::copy_nonoverlapping(v.as_ptr(), out.cast::<u8>().add(at), v.len());
            put(position, (at + v.len()) as $at)
        })
    }

    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $unpack(
        datarep: *const c_char,
        input: *const c_void,
        insize: $at,
        position: *mut $at,
        out: *mut c_void,
        n: $n,
        datatype: usize,
    ) -> c_int {
        entry(stringify!($unpack), 0, |me| {
            format(datarep)?;
            let (count, ty) = (wide_count(n.into())?, me.objects().committed(datatype)?);
            buffer(out.cast(), count.saturating_mul(ty.size), ty.predefined != 0)?;
            let bytes = external32::bytes(&ty.signature, count);
            let at = place(position, insize as i64, bytes)?;
            let from = std::slice::from_raw_parts(input.cast::<u8>().add(at), bytes);
            external32::unpack(from, Buf { ptr: out.cast(), count, ty: &ty })?;
            put(position, (at + bytes) as $at)
        })
    }

    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $size(
        datarep: *const c_char,
        n: $n,
        datatype: usize,
        size: *mut $at,
    ) -> c_int {
        entry(stringify!($size), 0, |me| {
            format(datarep)?;
            let ty = me.objects().datatype(datatype)?;
            put(size, external32::bytes(&ty.signature, wide_count(n.into())?) as $at)
        })
    }
)* } }
external! {
    MPI_Pack_external MPI_Unpack_external MPI_Pack_external_size c_int isize;
    MPI_Pack_external_c MPI_Unpack_external_c MPI_Pack_external_size_c i64 i64;
}

/// The position in a buffer of `size` bytes, of which `bytes` are needed there.
unsafe fn place<T: Copy + TryInto<i64>>(
    position: *const T,
    size: i64,
    bytes: usize,
) -> Result<usize> {
    // SAFETY: the program's variable.
    let Some(at) = (unsafe { position.as_ref() }).and_then(|p| (*p).try_into().ok()) else {
        return fail(Class::ERR_ARG, "the position is no place in the buffer");
    };
    match (usize::try_from(at), usize::try_from(size)) {
        (Ok(at), Ok(size)) if at <= size && bytes <= size - at => Ok(at),
        _ => fail(
            Class::ERR_TRUNCATE,
            format!("{bytes} bytes at position {at} of {size}"),
        ),
    }
}
