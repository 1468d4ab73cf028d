//! Generalised requests (MPI 3.1 section 12.2): the program says when they are complete.

use super::callbacks::free;
use crate::entry::entry;
use crate::messages::p2p::publish;
use crate::messages::request::look;
use pc3_vmpi_core::mail::request::{Extra, General, RequestKind};
use pc3_vmpi_core::p2p::{Buf, Key, Request, Status, ANY_TAG};
use pc3_vmpi_objects::error::{fail, Class};
use pc3_vmpi_objects::handle::abi::PROC_NULL;
use std::ffi::{c_int, c_void};

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
        let mut r = Request::new(me.rank, RequestKind::General, me.rank, key, &buf);
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
                unsafe { me.complete(r, Some(me.worker()), Status::EMPTY) };
                Ok(())
            }
            None => fail(
                Class::ERR_REQUEST,
                "not a generalised request, or complete already",
            ),
        }
    })
}
