//! Non-blocking and persistent collectives, inter-communicators and general requests, on every back
//! end: results equal those of the blocking calls, and mistakes have their classes.

#[path = "support/ranks.rs"]
mod ranks;

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use pc3_vmpi::c::coll::*;
use pc3_vmpi::c::comm::*;
use pc3_vmpi::c::general::*;
use pc3_vmpi::c::inter::*;
use pc3_vmpi::c::p2p::*;
use pc3_vmpi::c::persistent::*;
use pc3_vmpi::c::reduce::*;
use pc3_vmpi::c::request::*;
use pc3_vmpi::c::requests::*;
use pc3_vmpi::c::status::*;
use pc3_vmpi::datatype::basic::Basic;
use pc3_vmpi::error::Class;
use pc3_vmpi::handle::abi::*;
use pc3_vmpi::op::Predef;
use ranks::{check, is, m, ok, p};

const INT: usize = Basic::Int as usize;
const DOUBLE: usize = Basic::Double as usize;
const SUM: usize = Predef::Sum as usize;
const PROD: usize = Predef::Prod as usize;

fn done(r: &mut usize) -> c_int {
    unsafe { MPI_Wait(r, null_mut()) }
}

#[test]
fn sums_are_those_of_the_blocking_call() {
    check(7, |i, _| {
        let mine: Vec<f64> = (0..300)
            .map(|k| f64::from(i + 1) / f64::from(k + 3))
            .collect();
        let (mut now, mut later) = (vec![0.0f64; 300], vec![0.0f64; 300]);
        let mut r = REQUEST_NULL;
        ok(unsafe {
            MPI_Iallreduce(
                p(&mine),
                m(&mut later),
                300,
                DOUBLE,
                SUM,
                COMM_WORLD,
                &mut r,
            )
        });
        ok(unsafe { MPI_Allreduce(p(&mine), m(&mut now), 300, DOUBLE, SUM, COMM_WORLD) });
        ok(done(&mut r));
        assert!(now
            .iter()
            .zip(&later)
            .all(|(a, b)| a.to_bits() == b.to_bits()));
    });
}

#[test]
fn persistent_ones_may_be_started_in_any_order() {
    check(4, |i, n| {
        let (mut a, mut b) = (i, 10 * i);
        let (mut all_a, mut all_b) = (vec![0; n as usize], vec![0; n as usize]);
        let mut r = [REQUEST_NULL; 2];
        ok(unsafe {
            MPI_Allgather_init(
                (&raw const a).cast(),
                1,
                INT,
                m(&mut all_a),
                1,
                INT,
                COMM_WORLD,
                INFO_NULL,
                &mut r[0],
            )
        });
        ok(unsafe {
            MPI_Allgather_init(
                (&raw const b).cast(),
                1,
                INT,
                m(&mut all_b),
                1,
                INT,
                COMM_WORLD,
                INFO_NULL,
                &mut r[1],
            )
        });
        for step in 0..3 {
            // SAFETY: not pending here.
            unsafe { (&raw mut a).write(i + step) };
            unsafe { (&raw mut b).write(10 * i + step) };
            let first = (i + step) as usize % 2;
            ok(unsafe { MPI_Start(&mut r[first]) });
            ok(unsafe { MPI_Start(&mut r[1 - first]) });
            is(unsafe { MPI_Start(&mut r[0]) }, Class::ERR_REQUEST);
            ok(unsafe { MPI_Waitall(2, r.as_mut_ptr(), null_mut()) });
            let all = |f: i32| (0..n).map(move |k| f * k + step);
            assert!(all_a.iter().copied().eq(all(1)) && all_b.iter().copied().eq(all(10)));
        }
        ok(unsafe { MPI_Request_free(&mut r[0]) });
        ok(unsafe { MPI_Request_free(&mut r[1]) });
    });
}

#[test]
fn mismatched_calls_are_told_when_they_are_waited_for() {
    check(3, |i, _| {
        let (mut v, mut r) = ([i], REQUEST_NULL);
        let mut w = [0];
        // Different collectives.
        let code = if i == 1 {
            unsafe { MPI_Ibarrier(COMM_WORLD, &mut r) }
        } else {
            unsafe { MPI_Ibcast(m(&mut v), 1, INT, 0, COMM_WORLD, &mut r) }
        };
        ok(code);
        is(done(&mut r), Class::ERR_OTHER);
        // Roots, operations, counts.
        ok(unsafe { MPI_Ibcast(m(&mut v), 1, INT, i % 2, COMM_WORLD, &mut r) });
        is(done(&mut r), Class::ERR_ROOT);
        let op = if i == 2 { PROD } else { SUM };
        ok(unsafe { MPI_Iallreduce(p(&v), m(&mut w), 1, INT, op, COMM_WORLD, &mut r) });
        is(done(&mut r), Class::ERR_OP);
        let (wide, mut to) = ([0; 3], [0; 3]);
        ok(unsafe { MPI_Iallreduce(p(&wide), m(&mut to), i + 1, INT, SUM, COMM_WORLD, &mut r) });
        is(done(&mut r), Class::ERR_COUNT);
        let mut big = [0; 2];
        let n = if i == 0 { 2 } else { 1 };
        ok(unsafe { MPI_Ibcast(m(&mut big), n, INT, 0, COMM_WORLD, &mut r) });
        let code = done(&mut r);
        assert_eq!(code, if i == 0 { 0 } else { Class::ERR_TRUNCATE.0 });
        // Handles, and what has no meaning for a collective.
        is(unsafe { MPI_Ibarrier(0x77, &mut r) }, Class::ERR_COMM);
        is(
            unsafe { MPI_Ibcast(m(&mut v), 1, 0x77, 0, COMM_WORLD, &mut r) },
            Class::ERR_TYPE,
        );
        is(
            unsafe { MPI_Ibcast(m(&mut v), 1, INT, 9, COMM_WORLD, &mut r) },
            Class::ERR_ROOT,
        );
        ok(unsafe { MPI_Ibarrier(COMM_WORLD, &mut r) });
        let mut gone = r;
        ok(done(&mut r));
        is(unsafe { MPI_Cancel(&mut gone) }, Class::ERR_REQUEST);
    });
}

#[test]
fn two_groups_of_different_size() {
    check(5, |i, _| {
        let low = i < 2;
        let (mut side, mut inter, mut both) = (0, 0, 0);
        ok(unsafe { MPI_Comm_split(COMM_WORLD, c_int::from(low), 0, &mut side) });
        let leader = if low { 2 } else { 0 };
        ok(unsafe { MPI_Intercomm_create(side, 0, COMM_WORLD, leader, 3, &mut inter) });
        let mut n = 0;
        ok(unsafe { MPI_Comm_remote_size(inter, &mut n) });
        assert_eq!(n, if low { 3 } else { 2 });
        is(
            unsafe { MPI_Comm_remote_size(side, &mut n) },
            Class::ERR_COMM,
        );
        let mut sum = 0;
        let mine = i + 1;
        let from = (&raw const mine).cast();
        ok(unsafe { MPI_Allreduce(from, (&raw mut sum).cast(), 1, INT, SUM, inter) });
        assert_eq!(sum, if low { 3 + 4 + 5 } else { 1 + 2 });
        is(
            unsafe { MPI_Scan(from, (&raw mut sum).cast(), 1, INT, SUM, inter) },
            Class::ERR_COMM,
        );
        // Each side may disagree on who is the root.
        let root = if low { ROOT } else { 0 };
        let code = unsafe { MPI_Bcast((&raw mut sum).cast(), 1, INT, root, inter) };
        is(code, Class::ERR_ROOT);
        ok(unsafe { MPI_Intercomm_merge(inter, c_int::from(low), &mut both) });
        let mut rank = 0;
        ok(unsafe { MPI_Comm_rank(both, &mut rank) });
        assert_eq!(rank, if low { i + 3 } else { i - 2 });
        let mut copy = 0;
        let mut r = REQUEST_NULL;
        ok(unsafe { MPI_Comm_idup(inter, &mut copy, &mut r) });
        ok(done(&mut r));
        ok(unsafe { MPI_Barrier(copy) });
        for mut c in [copy, both, inter, side] {
            ok(unsafe { MPI_Comm_free(&mut c) });
        }
    });
}

unsafe extern "C" fn query(state: usize, status: *mut CStatus) -> c_int {
    unsafe { MPI_Status_set_elements(status, INT, state as c_int) };
    0
}
unsafe extern "C" fn free(state: usize) -> c_int {
    c_int::from(state == 13)
}
unsafe extern "C" fn cancel(_: usize, complete: c_int) -> c_int {
    assert_eq!(complete, 0);
    0
}

#[test]
fn the_program_completes_its_requests() {
    check(1, |_, _| {
        for (state, code) in [(5usize, 0), (13, 1)] {
            let mut r = REQUEST_NULL;
            let f = [
                query as *const () as usize,
                free as *const () as usize,
                cancel as *const () as usize,
            ];
            let start = |r: &mut usize| unsafe {
                MPI_Grequest_start(f[0], f[1], f[2], state as *mut c_void, r)
            };
            ok(start(&mut r));
            let (mut flag, mut n) = (7, 0);
            ok(unsafe { MPI_Test(&mut r, &mut flag, null_mut()) });
            ok(unsafe { MPI_Cancel(&mut r) });
            ok(unsafe { MPI_Grequest_complete(r) });
            is(unsafe { MPI_Grequest_complete(r) }, Class::ERR_REQUEST);
            // SAFETY: integers.
            let mut s: CStatus = unsafe { std::mem::zeroed() };
            assert_eq!(unsafe { MPI_Wait(&mut r, &mut s) }, code);
            ok(unsafe { MPI_Get_count(&s, INT, &mut n) });
            assert_eq!((flag, n, r), (0, state as c_int, REQUEST_NULL));
        }
    });
}

#[test]
fn both_ways_at_once() {
    check(3, |i, n| {
        // More than is buffered otherwise.
        let mut v = vec![i; 100_000];
        let mut got = vec![-1; 100_000];
        let (up, down) = ((i + 1) % n, (i + n - 1) % n);
        let mut r = REQUEST_NULL;
        ok(unsafe {
            MPI_Isendrecv(
                p(&v),
                100_000,
                INT,
                up,
                1,
                m(&mut got),
                100_000,
                INT,
                down,
                1,
                COMM_WORLD,
                &mut r,
            )
        });
        ok(done(&mut r));
        assert!(got.iter().all(|x| *x == down));
        ok(unsafe {
            MPI_Isendrecv_replace(m(&mut v), 100_000, INT, up, 2, down, 2, COMM_WORLD, &mut r)
        });
        ok(done(&mut r));
        assert!(v == got);
    });
}
