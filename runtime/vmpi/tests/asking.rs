//! What a program asks of requests, statuses, errors and handles (MPI 4.1 and 5.0), on every back end.

#[path = "support/ranks.rs"]
mod ranks;

use std::ffi::c_int;

use pc3_vmpi::c::datatype_query::*;
use pc3_vmpi::c::env::*;
use pc3_vmpi::c::errors::*;
use pc3_vmpi::c::fortran::*;
use pc3_vmpi::c::info::*;
use pc3_vmpi::c::p2p::*;
use pc3_vmpi::c::requests::*;
use pc3_vmpi::c::status::*;
use pc3_vmpi::datatype::basic::Basic;
use pc3_vmpi::error::Class;
use pc3_vmpi::handle::abi::*;
use ranks::{check, is, m, ok, p};

const INT: usize = Basic::Int as usize;

fn empty() -> CStatus {
    // SAFETY: integers.
    unsafe { std::mem::zeroed() }
}

#[test]
fn statuses_of_requests_that_stay() {
    check(2, |me, _| unsafe {
        if me == 0 {
            for (tag, n) in [(5, 1), (6, 2)] {
                ok(MPI_Send(p(&[7, 8]), n, INT, 1, tag, COMM_WORLD));
            }
            return;
        }
        let mut v = [[0; 2]; 2];
        let mut requests = [REQUEST_NULL; 3];
        for (i, tag) in [(0, 5), (2, 6)] {
            let to = m(&mut v[i / 2]);
            ok(MPI_Irecv(to, 2, INT, 0, tag, COMM_WORLD, &mut requests[i]));
        }
        let (mut flag, mut s) = (0, [empty(); 3]);
        while flag == 0 {
            ok(MPI_Request_get_status_all(
                3,
                requests.as_mut_ptr(),
                &mut flag,
                s.as_mut_ptr(),
            ));
        }
        assert_eq!((s[0].source, s[0].tag, s[2].tag), (0, 5, 6));
        assert_eq!(s[1].source, ANY_SOURCE);
        let (mut index, mut one) = (-7, empty());
        ok(MPI_Request_get_status_any(
            3,
            requests.as_mut_ptr(),
            &mut index,
            &mut flag,
            &mut one,
        ));
        assert_eq!((index, flag, one.tag), (0, 1, 5));
        let (mut n, mut which) = (0, [-7; 3]);
        ok(MPI_Request_get_status_some(
            3,
            requests.as_mut_ptr(),
            &mut n,
            which.as_mut_ptr(),
            s.as_mut_ptr(),
        ));
        assert_eq!((n, which), (2, [0, 2, -7]));
        assert_eq!((s[0].tag, s[1].tag), (5, 6));
        // They are all there still.
        assert!(requests[0] != REQUEST_NULL && requests[2] != REQUEST_NULL);
        ok(MPI_Waitall(3, requests.as_mut_ptr(), s.as_mut_ptr()));
        assert_eq!((requests, v), ([REQUEST_NULL; 3], [[7, 0], [7, 8]]));
        // Nothing is left to ask about.
        ok(MPI_Request_get_status_any(
            3,
            requests.as_mut_ptr(),
            &mut index,
            &mut flag,
            &mut one,
        ));
        assert_eq!((index, flag, one.source), (UNDEFINED, 1, ANY_SOURCE));
        let (to, of) = (which.as_mut_ptr(), s.as_mut_ptr());
        ok(MPI_Request_get_status_some(
            3,
            requests.as_mut_ptr(),
            &mut n,
            to,
            of,
        ));
        assert_eq!(n, UNDEFINED);
    });
}

#[test]
fn members_of_statuses() {
    check(1, |_, _| unsafe {
        let (mut s, mut n) = (empty(), -7);
        ok(MPI_Status_set_source(&mut s, 3));
        ok(MPI_Status_set_tag(&mut s, 4));
        ok(MPI_Status_set_error(&mut s, 5));
        assert_eq!((s.source, s.tag, s.error), (3, 4, 5));
        ok(MPI_Status_get_source(&s, &mut n));
        assert_eq!(n, 3);
        ok(MPI_Status_get_tag(&s, &mut n));
        assert_eq!(n, 4);
        ok(MPI_Status_get_error(&s, &mut n));
        assert_eq!(n, 5);
        is(MPI_Status_get_tag(std::ptr::null(), &mut n), Class::ERR_ARG);
    });
}

#[test]
fn error_codes_that_are_removed() {
    check(1, |_, _| unsafe {
        let (mut class, mut code, mut other) = (0, 0, 0);
        ok(MPI_Add_error_class(&mut class));
        ok(MPI_Add_error_code(class, &mut code));
        ok(MPI_Add_error_class(&mut other));
        // A class goes behind its codes; a code is no class.
        is(MPI_Remove_error_class(class), Class::ERR_OTHER);
        is(MPI_Remove_error_class(code), Class::ERR_ARG);
        is(MPI_Remove_error_code(class), Class::ERR_ARG);
        ok(MPI_Remove_error_string(code));
        ok(MPI_Remove_error_code(code));
        let mut of: c_int = 0;
        is(MPI_Error_class(code, &mut of), Class::ERR_ARG);
        ok(MPI_Error_class(other, &mut of));
        assert_eq!(of, other);
        ok(MPI_Remove_error_class(class));
        ok(MPI_Remove_error_class(other));
        // Their numbers may be used again.
        ok(MPI_Add_error_class(&mut of));
        assert_eq!(of, class);
        is(MPI_Remove_error_class(Class::ERR_ARG.0), Class::ERR_ARG);
    });
}

#[test]
fn types_of_pairs_and_handles_as_integers() {
    check(1, |_, _| unsafe {
        let mut pair = 0;
        for (value, handle) in [(Basic::Double, 0x229), (Basic::Int, 0x22b)] {
            ok(MPI_Type_get_value_index(value as usize, INT, &mut pair));
            assert_eq!(pair, handle);
        }
        ok(MPI_Type_get_value_index(
            INT,
            Basic::Double as usize,
            &mut pair,
        ));
        assert_eq!(pair, DATATYPE_NULL);
        assert_eq!(MPI_Comm_fromint(MPI_Comm_toint(COMM_WORLD)), COMM_WORLD);
        assert_eq!(MPI_Type_fromint(MPI_Type_toint(INT)), INT);
    });
}

#[test]
fn what_the_abi_is() {
    check(1, |_, _| unsafe {
        let (mut major, mut minor, mut info) = (0, 7, 0);
        ok(MPI_Abi_get_version(&mut major, &mut minor));
        assert_eq!((major, minor), (1, 0));
        ok(MPI_Abi_get_info(&mut info));
        let (mut text, mut len, mut flag) = ([0u8; 8], 8, 0);
        ok(MPI_Info_get_string(
            info,
            c"mpi_aint_size".as_ptr(),
            &mut len,
            text.as_mut_ptr().cast(),
            &mut flag,
        ));
        let size = size_of::<isize>().to_string();
        assert_eq!((flag, &text[..2]), (1, &[size.as_bytes()[0], 0][..]));
        ok(MPI_Info_free(&mut info));
    });
}
