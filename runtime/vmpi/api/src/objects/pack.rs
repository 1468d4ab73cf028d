//! MPI_Pack and its kin (MPI 3.1 section 4.2): the portable format of [`pc3_vmpi_objects::pack`].

use crate::arguments::{buffer, put, wide_count};
use crate::entry::entry;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_objects::datatype::moving::Buf;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::pack::{pack_portable, portable_bytes, unpack_portable};
use std::ffi::{c_int, c_void};

/// The position argument within a buffer of `size` bytes.
unsafe fn place<N: Copy + Into<i64>>(position: *mut N, size: N) -> Result<(usize, usize)> {
    if position.is_null() {
        return fail(Class::ERR_ARG, "the position is a null pointer");
    }
    let (at, size) = (wide_count((*position).into()), wide_count(size.into())?);
    match at {
        Ok(at) if at <= size => Ok((at, size)),
        _ => fail(
            Class::ERR_ARG,
            format!(
                "position {} in a buffer of {size} bytes",
                (*position).into()
            ),
        ),
    }
}

macro_rules! packs { ($($pack:ident $unpack:ident $size:ident $n:ident;)*) => { $(
    /// MPI 4.1 section 5.2.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $pack(
        input: *const c_void,
        n: $n,
        datatype: usize,
        out: *mut c_void,
        outsize: $n,
        position: *mut $n,
        comm: usize,
    ) -> c_int {
        entry(stringify!($pack), comm, |me| {
            me.objects().comm(comm)?;
            let (n, ty) = (wide_count(n.into())?, me.objects().committed(datatype)?);
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
            buffer(out.cast(), bytes, true)?;
            let to = out.cast::<u8>().wrapping_add(at);
            if ty.signature.is_portable_as_is() {
                ty.pack(buf.ptr, n, to);
            } else {
                let mut v = Vec::with_capacity(bytes);
                pack_portable(buf, &mut v)?;
                std::ptr::copy_nonoverlapping(v.as_ptr(), to, v.len());
            }
            put(position, (at + bytes) as $n)
        })
    }

    /// MPI 4.1 section 5.2.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $unpack(
        input: *const c_void,
        insize: $n,
        position: *mut $n,
        out: *mut c_void,
        n: $n,
        datatype: usize,
        comm: usize,
    ) -> c_int {
        entry(stringify!($unpack), comm, |me| {
            me.objects().comm(comm)?;
            let (n, ty) = (wide_count(n.into())?, me.objects().committed(datatype)?);
            let (at, size) = place(position, insize)?;
            buffer(out.cast(), n.saturating_mul(ty.size), ty.predefined != 0)?;
            let data = crate::arguments::slice(input.cast::<u8>().wrapping_add(at), size - at)?;
            let used = unpack_portable(
                data,
                Buf {
                    ptr: out.cast(),
                    count: n,
                    ty: &ty,
                },
            )?;
            put(position, (at + used) as $n)
        })
    }

    /// MPI 4.1 section 5.2.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $size(
        n: $n,
        datatype: usize,
        comm: usize,
        size: *mut $n,
    ) -> c_int {
        entry(stringify!($size), comm, |me| {
            me.objects().comm(comm)?;
            let ty = me.objects().committed(datatype)?;
            match portable_bytes(&ty.signature, wide_count(n.into())?).and_then(|b| <$n>::try_from(b).ok()) {
                Some(b) => put(size, b),
                None => put(size, <$n>::from(pc3_vmpi_objects::handle::abi::UNDEFINED)),
            }
        })
    }
)* } }
packs! {
    MPI_Pack MPI_Unpack MPI_Pack_size c_int;
    MPI_Pack_c MPI_Unpack_c MPI_Pack_size_c i64;
}
