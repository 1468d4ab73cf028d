//! The functions of generalised requests.

use std::ffi::c_int;

use super::status::CStatus;
use pc3_vmpi_core::mail::request::General;
use pc3_vmpi_core::p2p::{Request, Status};
use pc3_vmpi_objects::below::Below;
use pc3_vmpi_objects::error::{fail, Class, Result};

type Query = unsafe extern "C" fn(usize, *mut CStatus) -> c_int;

type Free = unsafe extern "C" fn(usize) -> c_int;

type Cancel = unsafe extern "C" fn(usize, c_int) -> c_int;

/// What the program says of a complete request.
pub fn query(g: &General) -> Status {
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

pub fn free(g: &General) -> Class {
    if g.free == 0 {
        return Class::SUCCESS;
    }
    let _below = Below::begin();
    // SAFETY: as above.
    Class(unsafe { std::mem::transmute::<usize, Free>(g.free)(g.state) })
}

pub fn cancel(r: &Request) -> Result<()> {
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
