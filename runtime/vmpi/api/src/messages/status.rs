//! `MPI_Status` (MPI 4.1 section 3.2.5) and what programs read out of it.
//!
//! The length is kept as a number of basic elements where the message is made of one kind: a
//! status that lives across a checkpoint then still tells the right count under another ABI.

use pc3_vmpi_coll::handles::HasObjects;
use std::ffi::{c_int, c_longlong};

use crate::arguments::put;
use crate::entry::entry;
use pc3_vmpi_core::p2p::Status;
use pc3_vmpi_objects::datatype::basic::Basic;
use pc3_vmpi_objects::datatype::{of_basic, Datatype};
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::abi::UNDEFINED;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CStatus {
    pub source: c_int,
    pub tag: c_int,
    pub error: c_int,
    /// Length, low and high half; cancelled; what it counts (handle of a basic type, 0: bytes).
    inner: [c_int; 5],
}

impl CStatus {
    fn set_len(&mut self, bytes: usize, basic: Option<Basic>) {
        let (n, of) = match basic.map(|b| (b.size(), b as c_int)) {
            // Divided without a division.
            Some((unit, of)) if unit.is_power_of_two() && bytes & (unit - 1) == 0 => {
                (bytes >> unit.trailing_zeros(), of)
            }
            Some((unit, of)) if bytes % unit == 0 => (bytes / unit, of),
            _ => (bytes, 0),
        };
        self.inner[0] = n as u64 as u32 as c_int;
        self.inner[1] = (n as u64 >> 32) as c_int;
        self.inner[3] = of;
    }

    pub fn of(s: &Status) -> CStatus {
        let mut c = CStatus {
            source: s.source,
            tag: s.tag,
            error: s.error.0,
            inner: [0; 5],
        };
        c.set_len(s.bytes, s.basic);
        c.inner[2] = c_int::from(s.cancelled);
        c
    }

    /// What it says.
    pub fn read(&self) -> Status {
        Status {
            source: self.source,
            tag: self.tag,
            bytes: self.bytes().unwrap_or(0),
            basic: Basic::from_handle(self.inner[3] as usize),
            cancelled: self.inner[2] != 0,
            error: Class(self.error),
        }
    }

    fn bytes(&self) -> Result<usize> {
        let n = u64::from(self.inner[0] as u32) | (u64::from(self.inner[1] as u32) << 32);
        let unit = match self.inner[3] {
            0 => Some(1),
            of => Basic::from_handle(of as usize).map(|b| of_basic(b).size),
        };
        let bytes = unit.and_then(|u| usize::try_from(n).ok()?.checked_mul(u));
        bytes.map_or_else(
            || fail(Class::ERR_ARG, "the status is not one that MPI filled"),
            Ok,
        )
    }
}

/// Fills a status, unless it is to be ignored; `MPI_ERROR` only where several are returned, and where it is
/// the empty one (section 3.7.3).
///
/// # Safety
/// `to` is null or valid.
#[inline]
pub(crate) unsafe fn put_status(to: *mut CStatus, s: &Status) {
    if to.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let c = unsafe { &mut *to };
    c.source = s.source;
    c.tag = s.tag;
    c.set_len(s.bytes, s.basic);
    c.inner[2] = c_int::from(s.cancelled);
    if *s == Status::EMPTY {
        c.error = s.error.0;
    }
}

/// Elements of `ty` in a status; `None`: no whole number.
fn elements(status: &CStatus, ty: &Datatype) -> Result<Option<u64>> {
    let bytes = status.bytes()? as u64;
    let sig = &ty.signature;
    if ty.is_packed() {
        return Ok(Some(bytes));
    }
    let (n, rest) = sig.elements_in(bytes);
    Ok((rest == 0).then_some(n))
}

/// Values of type `ty` in a status; `None`: no whole number.
fn whole(status: &CStatus, ty: &Datatype) -> Result<Option<u64>> {
    Ok(ty.count_in(status.bytes()?).map(|n| n as u64))
}

/// Bytes of the first `n` basic elements of `ty`, repeated.
fn bytes_of(ty: &Datatype, n: u64) -> Option<usize> {
    let per = ty.signature.elements();
    if per == 0 {
        return (n == 0).then_some(0);
    }
    let mut left = n % per;
    let mut bytes = (n / per).checked_mul(ty.size as u64)?;
    ty.signature.each_run(&mut |b, k| {
        let take = left.min(k);
        left -= take;
        bytes = bytes.saturating_add(take * b.size() as u64);
        left > 0
    });
    usize::try_from(bytes).ok()
}

unsafe fn get<'a>(status: *const CStatus) -> Result<&'a CStatus> {
    // SAFETY: the program's own status.
    unsafe { status.as_ref() }
        .map_or_else(|| fail(Class::ERR_ARG, "the status is a null pointer"), Ok)
}

macro_rules! counts { ($($name:ident $found:ident $n:ident;)*) => { $(
    /// MPI 4.1 sections 3.2.5 and 5.1.11.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(status: *const CStatus, datatype: usize, n: *mut $n) -> c_int {
        entry(stringify!($name), 0, |me| {
            let found = $found(get(status)?, &*me.objects().datatype(datatype)?)?;
            put(n, found.and_then(|n| <$n>::try_from(n).ok()).unwrap_or(<$n>::from(UNDEFINED)))
        })
    }
)* } }
counts! {
    MPI_Get_count whole c_int;
    MPI_Get_count_c whole c_longlong;
    MPI_Get_elements elements c_int;
    MPI_Get_elements_x elements c_longlong;
    MPI_Get_elements_c elements c_longlong;
}

/// MPI 4.1 section 3.8.4.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Test_cancelled(status: *const CStatus, flag: *mut c_int) -> c_int {
    entry("MPI_Test_cancelled", 0, |_| {
        put(flag, c_int::from(get(status)?.inner[2] != 0))
    })
}

unsafe fn set_elements(
    me: &pc3_vmpi_core::rank::RankState,
    status: *mut CStatus,
    datatype: usize,
    n: u64,
) -> Result<()> {
    let ty = me.objects().datatype(datatype)?;
    match bytes_of(&ty, n) {
        Some(bytes) if !status.is_null() => {
            // SAFETY: the program's own status.
            unsafe { (*status).set_len(bytes, ty.basic().or_else(|| ty.signature.uniform())) };
            Ok(())
        }
        _ => fail(
            Class::ERR_ARG,
            "no status to set, or a count that does not fit",
        ),
    }
}

macro_rules! settings { ($($name:ident $n:ident;)*) => { $(
    /// MPI 4.1 section 13.3.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(status: *mut CStatus, datatype: usize, n: $n) -> c_int {
        entry(stringify!($name), 0, |me| match u64::try_from(n) {
            Ok(n) => set_elements(me, status, datatype, n),
            Err(_) => fail(Class::ERR_COUNT, format!("the count is {n}")),
        })
    }
)* } }
settings! {
    MPI_Status_set_elements c_int;
    MPI_Status_set_elements_x c_longlong;
    MPI_Status_set_elements_c c_longlong;
}

/// MPI 4.1 section 13.3.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Status_set_cancelled(status: *mut CStatus, flag: c_int) -> c_int {
    entry("MPI_Status_set_cancelled", 0, |_| match status.as_mut() {
        Some(s) => {
            s.inner[2] = c_int::from(flag != 0);
            Ok(())
        }
        None => fail(Class::ERR_ARG, "the status is a null pointer"),
    })
}

macro_rules! members { ($($get:ident $set:ident $member:ident;)*) => { $(
    /// MPI 4.1 section 3.2.5.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $get(status: *const CStatus, value: *mut c_int) -> c_int {
        entry(stringify!($get), 0, |_| put(value, get(status)?.$member))
    }

    /// MPI 4.1 section 3.2.5.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $set(status: *mut CStatus, value: c_int) -> c_int {
        entry(stringify!($set), 0, |_| {
            get(status)?;
            // SAFETY: the program's own status, which is there.
            unsafe { (*status).$member = value };
            Ok(())
        })
    }
)* } }
members! {
    MPI_Status_get_source MPI_Status_set_source source;
    MPI_Status_get_tag MPI_Status_set_tag tag;
    MPI_Status_get_error MPI_Status_set_error error;
}
