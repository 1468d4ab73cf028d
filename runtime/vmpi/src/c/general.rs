//! Generalised requests (MPI 3.1 section 12.2): the program says when they are complete.

use super::entry;
use super::p2p::publish;
use super::request::look;
use super::status::CStatus;
use crate::p2p::request::{Extra, General, What};
use crate::p2p::{Buf, Key, Request, Status, ANY_TAG};
use pc3_vmpi_objects::below::Below;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::abi::PROC_NULL;
use std::ffi::{c_int, c_void};

type Query = unsafe extern "C" fn(usize, *mut CStatus) -> c_int;
type Free = unsafe extern "C" fn(usize) -> c_int;
type Cancel = unsafe extern "C" fn(usize, c_int) -> c_int;

/// What the program says of a complete request.
pub(super) fn query(g: &General) -> Status {
    let mut c = CStatus::of(&Status::EMPTY);
    let code = if g.query == 0 {
        0
    } else {
        let _below = Below::begin();
        // SAFETY: the program said that this is its function.
        unsafe { std::mem::transmute::<usize, Query>(g.query)(g.state, &mut c) }
    };
    let mut s = c.read();
    s.error = Class(code);
    s
}

pub(super) fn free(g: &General) -> Class {
    if g.free == 0 {
        return Class::SUCCESS;
    }
    let _below = Below::begin();
    // SAFETY: as above.
    Class(unsafe { std::mem::transmute::<usize, Free>(g.free)(g.state) })
}

pub(super) fn cancel(r: &Request) -> Result<()> {
    let Some(g) = r.general().filter(|g| g.cancel != 0) else {
        return Ok(());
    };
    let done = c_int::from(r.is_done());
    let _below = Below::begin();
    // SAFETY: as above.
    let code = unsafe { std::mem::transmute::<usize, Cancel>(g.cancel)(g.state, done) };
    match Class(code) {
        Class::SUCCESS => Ok(()),
        code => fail(
            code,
            "the cancel function of the generalised request failed",
        ),
    }
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Grequest_start(
    query: usize,
    free: usize,
    cancel: usize,
    state: *mut c_void,
    request: *mut usize,
) -> c_int {
    entry("MPI_Grequest_start", 0, |me| {
        if [query, free, cancel].contains(&0) {
            return fail(Class::ERR_ARG, "one of the functions is a null pointer");
        }
        let none = pc3_vmpi_objects::datatype::build::bytes();
        let key = Key {
            ctx: 0,
            src: PROC_NULL,
            tag: ANY_TAG,
        };
        let buf = Buf::new(std::ptr::null_mut(), 0, &none);
        let mut r = Request::new(me.rank, What::General, me.rank, key, &buf);
        r.extra = Some(Box::new(Extra::General(General {
            query,
            free,
            cancel,
            state: state as usize,
        })));
        let r = me.new_request(r);
        publish(me, r, request)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Grequest_complete(request: usize) -> c_int {
    entry("MPI_Grequest_complete", 0, |me| {
        match look(me, request)?.filter(|r| r.general().is_some() && !r.is_done()) {
            // Given up before: nobody waits for it.
            Some(r) if r.null => {
                let code = r.general().map_or(Class::SUCCESS, free);
                let taken = me.requests.borrow_mut().remove(request);
                taken.into_iter().for_each(|r| me.recycle(r));
                match code {
                    Class::SUCCESS => Ok(()),
                    code => fail(code, "the free function of the generalised request failed"),
                }
            }
            Some(r) => {
                // SAFETY: pending, and the program completes it once.
                unsafe { Request::complete(r, me, Some(me.worker()), Status::EMPTY) };
                Ok(())
            }
            None => fail(
                Class::ERR_REQUEST,
                "not a generalised request, or complete already",
            ),
        }
    })
}
