//! MPI_Pack and its kin (MPI 3.1 section 4.2): the portable format of [`crate::pack`].

use super::{buffer, count, entry, put};
use crate::datatype::moving::Buf;
use crate::error::{fail, Class, Result};
use crate::pack::{pack_portable, portable_bytes, unpack_portable};
use std::ffi::{c_int, c_void};

/// The position argument within a buffer of `size` bytes.
unsafe fn place(position: *mut c_int, size: c_int) -> Result<(usize, usize)> {
    if position.is_null() {
        return fail(Class::ERR_ARG, "the position is a null pointer");
    }
    let (at, size) = (count(*position), count(size)?);
    match at {
        Ok(at) if at <= size => Ok((at, size)),
        _ => fail(
            Class::ERR_ARG,
            format!("position {} in a buffer of {size} bytes", *position),
        ),
    }
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Pack(
    input: *const c_void,
    n: c_int,
    datatype: usize,
    out: *mut c_void,
    outsize: c_int,
    position: *mut c_int,
    comm: usize,
) -> c_int {
    entry("MPI_Pack", comm, |me| {
        me.objects().comm(comm)?;
        let (n, ty) = (count(n)?, me.objects().committed(datatype)?);
        let (at, size) = place(position, outsize)?;
        buffer(input.cast(), n.saturating_mul(ty.size), ty.predefined != 0)?;
        let bytes = portable_bytes(&ty.signature, n).unwrap_or(usize::MAX);
        if bytes > size - at {
            return fail(
                Class::ERR_TRUNCATE,
                format!("packing {bytes} bytes where {} are left", size - at),
            );
        }
        let buf = Buf {
            ptr: input.cast_mut().cast(),
            count: n,
            ty: &ty,
        };
        let to = out.cast::<u8>().wrapping_add(at);
        if ty.signature.is_portable_as_is() {
            ty.pack(buf.ptr, n, to);
        } else {
            let mut v = Vec::with_capacity(bytes);
            pack_portable(buf, &mut v)?;
            std::ptr::copy_nonoverlapping(v.as_ptr(), to, v.len());
        }
        put(position, (at + bytes) as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Unpack(
    input: *const c_void,
    insize: c_int,
    position: *mut c_int,
    out: *mut c_void,
    n: c_int,
    datatype: usize,
    comm: usize,
) -> c_int {
    entry("MPI_Unpack", comm, |me| {
        me.objects().comm(comm)?;
        let (n, ty) = (count(n)?, me.objects().committed(datatype)?);
        let (at, size) = place(position, insize)?;
        buffer(out.cast(), n.saturating_mul(ty.size), ty.predefined != 0)?;
        let data = super::slice(input.cast::<u8>().wrapping_add(at), size - at)?;
        let used = unpack_portable(
            data,
            Buf {
                ptr: out.cast(),
                count: n,
                ty: &ty,
            },
        )?;
        put(position, (at + used) as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Pack_size(
    n: c_int,
    datatype: usize,
    comm: usize,
    size: *mut c_int,
) -> c_int {
    entry("MPI_Pack_size", comm, |me| {
        me.objects().comm(comm)?;
        let ty = me.objects().committed(datatype)?;
        match portable_bytes(&ty.signature, count(n)?).and_then(|b| c_int::try_from(b).ok()) {
            Some(b) => put(size, b),
            None => put(size, crate::handle::abi::UNDEFINED),
        }
    })
}
