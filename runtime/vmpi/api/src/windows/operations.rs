//! Operations on windows (MPI 4.1 section 12.3): what they read is the program's again when the call returns.

use std::ffi::{c_int, c_void};

use crate::arguments::{buffer, put, wide_count};
use crate::collective_arguments::Count;
use crate::windows::on_window;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_core::poll::poll;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::datatype::moving::Buf;
use pc3_vmpi_objects::datatype::{plain, TypeRef};
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::SENT;
use pc3_vmpi_rma::operations::{accumulate, compare_and_swap, differ, transfer, Combine};
use pc3_vmpi_rma::remote::ask::wonders;

/// A buffer as the program names it: address, count, datatype.
type Own = (*const c_void, i64, usize);
/// Elements of the target: rank, displacement, count, datatype.
type There = (c_int, isize, i64, usize);

#[inline]
fn datatype(me: &RankState, handle: usize) -> Result<TypeRef> {
    plain(handle).map_or_else(|| me.objects().committed(handle), Ok)
}

/// The caller's elements, checked.
#[inline]
fn own(me: &RankState, (p, n, handle): Own) -> Result<(*mut u8, usize, TypeRef)> {
    let (n, ty) = (wide_count(n)?, datatype(me, handle)?);
    let Some(bytes) = ty.bytes(n) else {
        return fail(
            Class::ERR_COUNT,
            format!("{n} elements are more than memory holds"),
        );
    };
    buffer(p.cast(), bytes, ty.predefined != 0)?;
    Ok((p.cast_mut().cast(), n, ty))
}

fn buf((ptr, count, ty): &(*mut u8, usize, TypeRef)) -> Buf<'_> {
    Buf {
        ptr: *ptr,
        count: *count,
        ty,
    }
}

/// Before an operation that copies.
///
/// # Safety
/// Both buffers are valid for their elements.
#[inline]
unsafe fn notes_copy(me: &RankState, from: Buf, to: Buf) {
    // SAFETY: by the caller.
    if wonders(me) && unsafe { differ(from, to) } {
        me.happened();
    }
}

/// Puts, or gets.
unsafe fn moved(me: &RankState, here: Own, there: There, window: usize, puts: bool) -> Result<()> {
    let here = own(me, here)?;
    let (n, ty) = (wide_count(there.2)?, datatype(me, there.3)?);
    let w = me.objects().window(window)?;
    let Some(target) = w.target(there.0)? else {
        return Ok(());
    };
    let place = w.place(target, there.1, n, &ty)?;
    if let Some(process) = place.member.elsewhere() {
        let at = place.at;
        let far = w.far(target, process, at, (n, &ty));
        // SAFETY: the program's buffer.
        return unsafe {
            match puts {
                true => w.put_far(me, buf(&here), &far),
                false => w.get_far(me, buf(&here), &far),
            }
        };
    }
    let there = Buf {
        ptr: place.at,
        count: n,
        ty: &ty,
    };
    // SAFETY: the program's buffer; the target is in the window.
    unsafe {
        let (from, to) = match puts {
            true => (buf(&here), there),
            false => (there, buf(&here)),
        };
        notes_copy(me, from, to);
        transfer(from, to)
    }
}

/// Accumulates; `result` gets what was there.
unsafe fn combined(
    me: &RankState,
    here: Own,
    result: Option<Own>,
    there: There,
    op: usize,
    window: usize,
) -> Result<()> {
    let op = Combine::of(op)?;
    let reads = op != Combine::Nothing;
    let here = match reads {
        true => Some(own(me, here)?),
        // Not significant.
        false => None,
    };
    let result = result.map(|r| own(me, r)).transpose()?;
    let (n, ty) = (wide_count(there.2)?, datatype(me, there.3)?);
    let w = me.objects().window(window)?;
    let Some(target) = w.target(there.0)? else {
        return Ok(());
    };
    let place = w.place(target, there.1, n, &ty)?;
    if let Some(process) = place.member.elsewhere() {
        let at = place.at;
        let far = w.far(target, process, at, (n, &ty));
        let from = (here.as_ref().map(buf), op);
        // SAFETY: the program's buffers.
        return unsafe { w.accumulate_far(me, from, &far, result.as_ref().map(buf)) };
    }
    let there = Buf {
        ptr: place.at,
        count: n,
        ty: &ty,
    };
    let from = here.as_ref().map_or(there, buf);
    match &result {
        // SAFETY: as above.
        Some(result) => unsafe { notes_copy(me, there, buf(result)) },
        None if reads => me.happened(),
        None => {}
    }
    // SAFETY: as above.
    unsafe { accumulate(place.member, (from, op), there, result.as_ref().map(buf)) }
}

/// A request of what is done already.
unsafe fn begun(me: &RankState, request: *mut usize, done: Result<()>) -> Result<()> {
    done?;
    // Who waits for nothing else may repeat it until others have done something.
    poll(me);
    put(request, SENT)
}

macro_rules! moves { ($($name:ident $with_request:ident $n:ident $p:ty, $puts:literal;)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(
        origin: $p,
        n: $n,
        datatype: usize,
        target: c_int,
        disp: isize,
        target_n: $n,
        target_type: usize,
        window: usize,
    ) -> c_int {
        on_window(stringify!($name), window, |me| {
            let there = (target, disp, target_n.count(), target_type);
            moved(me, (origin, n.count(), datatype), there, window, $puts)
        })
    }
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $with_request(
        origin: $p,
        n: $n,
        datatype: usize,
        target: c_int,
        disp: isize,
        target_n: $n,
        target_type: usize,
        window: usize,
        request: *mut usize,
    ) -> c_int {
        on_window(stringify!($with_request), window, |me| {
            let there = (target, disp, target_n.count(), target_type);
            begun(me, request, moved(me, (origin, n.count(), datatype), there, window, $puts))
        })
    }
)* } }
moves! {
    MPI_Put MPI_Rput c_int *const c_void, true;
    MPI_Put_c MPI_Rput_c i64 *const c_void, true;
    MPI_Get MPI_Rget c_int *mut c_void, false;
    MPI_Get_c MPI_Rget_c i64 *mut c_void, false;
}

macro_rules! accumulates { ($($name:ident $with_request:ident $n:ident;)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(
        origin: *const c_void,
        n: $n,
        datatype: usize,
        target: c_int,
        disp: isize,
        target_n: $n,
        target_type: usize,
        op: usize,
        window: usize,
    ) -> c_int {
        on_window(stringify!($name), window, |me| {
            let there = (target, disp, target_n.count(), target_type);
            combined(me, (origin, n.count(), datatype), None, there, op, window)
        })
    }
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $with_request(
        origin: *const c_void,
        n: $n,
        datatype: usize,
        target: c_int,
        disp: isize,
        target_n: $n,
        target_type: usize,
        op: usize,
        window: usize,
        request: *mut usize,
    ) -> c_int {
        on_window(stringify!($with_request), window, |me| {
            let there = (target, disp, target_n.count(), target_type);
            let origin = (origin, n.count(), datatype);
            begun(me, request, combined(me, origin, None, there, op, window))
        })
    }
)* } }
accumulates! {
    MPI_Accumulate MPI_Raccumulate c_int;
    MPI_Accumulate_c MPI_Raccumulate_c i64;
}

macro_rules! gets_and_accumulates { ($($name:ident $with_request:ident $n:ident;)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(
        origin: *const c_void,
        n: $n,
        datatype: usize,
        result: *mut c_void,
        result_n: $n,
        result_type: usize,
        target: c_int,
        disp: isize,
        target_n: $n,
        target_type: usize,
        op: usize,
        window: usize,
    ) -> c_int {
        on_window(stringify!($name), window, |me| {
            let there = (target, disp, target_n.count(), target_type);
            let result = Some((result.cast_const(), result_n.count(), result_type));
            combined(me, (origin, n.count(), datatype), result, there, op, window)
        })
    }
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $with_request(
        origin: *const c_void,
        n: $n,
        datatype: usize,
        result: *mut c_void,
        result_n: $n,
        result_type: usize,
        target: c_int,
        disp: isize,
        target_n: $n,
        target_type: usize,
        op: usize,
        window: usize,
        request: *mut usize,
    ) -> c_int {
        on_window(stringify!($with_request), window, |me| {
            let there = (target, disp, target_n.count(), target_type);
            let result = Some((result.cast_const(), result_n.count(), result_type));
            let origin = (origin, n.count(), datatype);
            begun(me, request, combined(me, origin, result, there, op, window))
        })
    }
)* } }
gets_and_accumulates! {
    MPI_Get_accumulate MPI_Rget_accumulate c_int;
    MPI_Get_accumulate_c MPI_Rget_accumulate_c i64;
}

/// MPI 4.1 section 12.3.4.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Fetch_and_op(
    origin: *const c_void,
    result: *mut c_void,
    datatype: usize,
    target: c_int,
    disp: isize,
    op: usize,
    window: usize,
) -> c_int {
    on_window("MPI_Fetch_and_op", window, |me| {
        if me.objects().committed(datatype)?.predefined == 0 {
            return fail(Class::ERR_TYPE, "the datatype is not a predefined one");
        }
        let there = (target, disp, 1, datatype);
        let result = Some((result.cast_const(), 1, datatype));
        combined(me, (origin, 1, datatype), result, there, op, window)
    })
}

/// MPI 4.1 section 12.3.4.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Compare_and_swap(
    origin: *const c_void,
    compare: *const c_void,
    result: *mut c_void,
    datatype: usize,
    target: c_int,
    disp: isize,
    window: usize,
) -> c_int {
    on_window("MPI_Compare_and_swap", window, |me| {
        let ty = self::datatype(me, datatype)?;
        for p in [origin, compare, result] {
            buffer(p.cast(), ty.size, true)?;
        }
        let w = me.objects().window(window)?;
        let Some(target) = w.target(target)? else {
            return Ok(());
        };
        let place = w.place(target, disp, 1, &ty)?;
        let values = (origin.cast(), compare.cast(), result.cast());
        let (at, far) = (place.at, place.member.elsewhere());
        // SAFETY: the program's variables; the target is in the window.
        let swapped = unsafe {
            match far {
                None => compare_and_swap(place.member, values, place.at, &ty)?,
                Some(process) => {
                    let far = w.far(target, process, at, (1, &ty));
                    w.swap_far(me, values, &far)?
                }
            }
        };
        if swapped {
            me.happened();
        }
        Ok(())
    })
}
