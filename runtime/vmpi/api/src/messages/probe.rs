//! Probes and matched receives (MPI 4.1 section 3.8).

use pc3_vmpi_core::poll::poll;
use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::*;

use crate::arguments::put;
use crate::entry::entry;
use crate::messages::p2p::{data, prepare, publish, source};
use crate::messages::status::{put_status, CStatus};
use pc3_vmpi_core::mail::request::{check, RequestKind};
use pc3_vmpi_core::p2p;
use pc3_vmpi_core::p2p::recv::{fetch, take};
use pc3_vmpi_core::p2p::{Buf, Key, Status};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::abi;

/// MPI 4.1 section 3.8.1.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Probe(
    src: c_int,
    tag: c_int,
    comm: usize,
    status: *mut CStatus,
) -> c_int {
    entry("MPI_Probe", comm, |me| {
        let s = match source(me, "MPI_Probe", src, tag, comm)? {
            Some(key) => p2p::probe(me, &key),
            None => Status::PROC_NULL,
        };
        put_status(status, &s);
        Ok(())
    })
}

/// MPI 4.1 section 3.8.1.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Iprobe(
    src: c_int,
    tag: c_int,
    comm: usize,
    flag: *mut c_int,
    status: *mut CStatus,
) -> c_int {
    entry("MPI_Iprobe", comm, |me| {
        let found = match source(me, "MPI_Iprobe", src, tag, comm)? {
            Some(key) => p2p::iprobe(me, &key),
            None => Some(Status::PROC_NULL),
        };
        if let Some(s) = &found {
            put_status(status, s);
        }
        put(flag, c_int::from(found.is_some()))
    })
}

/// Takes a message for a matched receive and gives it a handle.
unsafe fn matched(
    me: &RankState,
    key: Option<Key>,
    wait: bool,
    message: *mut usize,
    status: *mut CStatus,
) -> Result<bool> {
    let (handle, s) = match key {
        None => (abi::MESSAGE_NO_PROC, Status::PROC_NULL),
        Some(key) => {
            let mut found = take(me, &key, wait);
            if found.is_none() {
                poll(me);
                found = take(me, &key, false);
            }
            let Some((k, m)) = found else {
                return Ok(false);
            };
            let s = Status::of(&k, &m.ty, m.len(), m.len());
            (me.messages.borrow_mut().insert((k, m)), s)
        }
    };
    // SAFETY: the program's own variables.
    unsafe {
        put_status(status, &s);
        put(message, handle)?;
    }
    Ok(true)
}

/// MPI 4.1 section 3.8.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Mprobe(
    src: c_int,
    tag: c_int,
    comm: usize,
    message: *mut usize,
    status: *mut CStatus,
) -> c_int {
    entry("MPI_Mprobe", comm, |me| {
        let key = source(me, "MPI_Mprobe", src, tag, comm)?;
        matched(me, key, true, message, status).map(drop)
    })
}

/// MPI 4.1 section 3.8.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Improbe(
    src: c_int,
    tag: c_int,
    comm: usize,
    flag: *mut c_int,
    message: *mut usize,
    status: *mut CStatus,
) -> c_int {
    entry("MPI_Improbe", comm, |me| {
        let key = source(me, "MPI_Improbe", src, tag, comm)?;
        let found = matched(me, key, false, message, status)?;
        put(flag, c_int::from(found))
    })
}

/// Receives the message behind a handle, which becomes `MPI_MESSAGE_NULL`.
unsafe fn mrecv(me: &RankState, buf: &Buf<'_>, message: *mut usize) -> Result<Status> {
    // SAFETY: the program's own variable.
    let Some(handle) = (unsafe { message.as_mut() }) else {
        return fail(Class::ERR_ARG, "the message is a null pointer");
    };
    let h = std::mem::replace(handle, abi::MESSAGE_NULL);
    if h == abi::MESSAGE_NO_PROC {
        return Ok(Status::PROC_NULL);
    }
    let found = me.messages.borrow_mut().remove(h);
    match found {
        // SAFETY: the program's buffer.
        Some((k, m)) => Ok(unsafe { fetch(me, &k, m, buf) }),
        None => {
            *handle = h;
            fail(Class::ERR_REQUEST, "not a message (received already?)")
        }
    }
}

macro_rules! receives { ($($mrecv:ident $imrecv:ident $n:ident;)*) => { $(
    /// MPI 4.1 section 3.8.3.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $mrecv(
        p: *mut c_void,
        n: $n,
        datatype: usize,
        message: *mut usize,
        status: *mut CStatus,
    ) -> c_int {
        entry(stringify!($mrecv), 0, |me| {
            let (n, ty) = data(me, p, n, datatype)?;
            let s = mrecv(me, &Buf::new(p.cast(), n, &ty), message)?;
            put_status(status, &s);
            check(s).map(drop)
        })
    }

    /// MPI 4.1 section 3.8.3.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $imrecv(
        p: *mut c_void,
        n: $n,
        datatype: usize,
        message: *mut usize,
        request: *mut usize,
    ) -> c_int {
        entry(stringify!($imrecv), 0, |me| {
            let (n, ty) = data(me, p, n, datatype)?;
            let buf = Buf::new(p.cast(), n, &ty);
            let s = mrecv(me, &buf, message)?;
            let r = prepare(me, RequestKind::Recv, None, None, &buf, s.source, 0);
            r.get().set_status(s);
            r.get().done.store(true, Release);
            publish(me, r, request)
        })
    }
)* } }
receives! {
    MPI_Mrecv MPI_Imrecv c_int;
    MPI_Mrecv_c MPI_Imrecv_c i64;
}
