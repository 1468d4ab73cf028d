//! The point-to-point functions as programs call them, on every back end.

#[path = "support/ranks.rs"]
mod ranks;

use std::ffi::c_int;
use std::ptr::null_mut;

use pc3_vmpi::c::buffers::*;
use pc3_vmpi::c::datatype::*;
use pc3_vmpi::c::p2p::*;
use pc3_vmpi::c::persistent::*;
use pc3_vmpi::c::probe::*;
use pc3_vmpi::c::request::*;
use pc3_vmpi::c::requests::*;
use pc3_vmpi::c::status::*;
use pc3_vmpi::datatype::basic::Basic;
use pc3_vmpi::error::Class;
use pc3_vmpi::handle::abi::*;
use ranks::{check, is, m, ok, p};

const INT: usize = Basic::Int as usize;
const DOUBLE: usize = Basic::Double as usize;

fn empty() -> CStatus {
    // SAFETY: integers.
    unsafe { std::mem::zeroed() }
}
fn ints(s: &CStatus) -> c_int {
    let mut n = -7;
    ok(unsafe { MPI_Get_count(s, INT, &mut n) });
    n
}

#[test]
fn send_receive_and_status() {
    check(2, |me, _| unsafe {
        let mut s = empty();
        if me == 0 {
            ok(MPI_Send(p(&[1, 2, 3]), 3, INT, 1, 5, COMM_WORLD));
            ok(MPI_Send(
                p(&[9u8; 7]),
                7,
                Basic::Byte as usize,
                1,
                6,
                COMM_WORLD,
            ));
            ok(MPI_Send(p::<i32>(&[]), 0, INT, PROC_NULL, 6, COMM_WORLD));
        } else {
            let mut v = [0; 5];
            ok(MPI_Recv(
                m(&mut v),
                5,
                INT,
                ANY_SOURCE,
                ANY_TAG,
                COMM_WORLD,
                &mut s,
            ));
            assert_eq!((v, s.source, s.tag, ints(&s)), ([1, 2, 3, 0, 0], 0, 5, 3));
            let mut n = 0;
            ok(MPI_Get_count(&s, DOUBLE, &mut n));
            assert_eq!(n, UNDEFINED);
            ok(MPI_Recv(m(&mut v), 5, INT, 0, 6, COMM_WORLD, &mut s));
            assert_eq!(ints(&s), UNDEFINED);
            ok(MPI_Recv(
                m(&mut v),
                5,
                INT,
                PROC_NULL,
                6,
                COMM_WORLD,
                &mut s,
            ));
            assert_eq!((s.source, s.tag, ints(&s)), (PROC_NULL, ANY_TAG, 0));
        }
    });
}

#[test]
fn wrong_arguments_are_errors() {
    check(2, |_, n| unsafe {
        let mut v = [0i32; 4];
        let b = m(&mut v);
        let (mut r, mut flag) = (REQUEST_NULL, 0);
        let mut s = empty();
        s.error = -1;
        ok(MPI_Request_get_status(r, &mut flag, &mut s));
        assert_eq!((flag, s.source, s.error), (1, ANY_SOURCE, 0));
        is(MPI_Send(b, 1, INT, n, 0, COMM_WORLD), Class::ERR_RANK);
        is(
            MPI_Send(b, 1, INT, ANY_SOURCE, 0, COMM_WORLD),
            Class::ERR_RANK,
        );
        is(MPI_Send(b, -1, INT, 0, 0, COMM_WORLD), Class::ERR_COUNT);
        is(MPI_Send(b, 1, INT, 0, -1, COMM_WORLD), Class::ERR_TAG);
        is(
            MPI_Send(b, 1, DATATYPE_NULL, 0, 0, COMM_WORLD),
            Class::ERR_TYPE,
        );
        is(
            MPI_Send(null_mut(), 1, INT, 0, 0, COMM_WORLD),
            Class::ERR_BUFFER,
        );
        is(MPI_Send(b, 1, INT, 0, 0, COMM_NULL), Class::ERR_COMM);
        is(
            MPI_Recv(b, 1, INT, n, 0, COMM_WORLD, null_mut()),
            Class::ERR_RANK,
        );
        is(
            MPI_Irecv(b, 1, INT, 0, -5, COMM_WORLD, &mut r),
            Class::ERR_TAG,
        );
        is(MPI_Bsend(b, 1, INT, 0, 0, COMM_WORLD), Class::ERR_BUFFER);
        let mut bad = 0x1236;
        is(MPI_Wait(&mut bad, null_mut()), Class::ERR_REQUEST);
        is(MPI_Start(&mut bad), Class::ERR_REQUEST);
        ok(MPI_Wait(&mut r, null_mut()));
        ok(MPI_Test(&mut r, &mut flag, null_mut()));
        assert_eq!(flag, 1);
    });
}

/// Everyone to everyone, tested for completion.
unsafe fn all_to_all_tested(me: c_int, n: c_int) {
    let mut out = vec![REQUEST_NULL; 2 * n as usize];
    let mut into = vec![-1; n as usize];
    let mine = [me * 10];
    for i in 0..n {
        ok(MPI_Irecv(
            into.as_mut_ptr().add(i as usize).cast(),
            1,
            INT,
            i,
            77,
            COMM_WORLD,
            &mut out[i as usize],
        ));
        ok(MPI_Issend(
            p(&mine),
            1,
            INT,
            i,
            77,
            COMM_WORLD,
            &mut out[(n + i) as usize],
        ));
    }
    let mut flag = 0;
    while flag == 0 {
        ok(MPI_Testall(2 * n, out.as_mut_ptr(), &mut flag, null_mut()));
    }
    assert_eq!(into, (0..n).map(|i| i * 10).collect::<Vec<_>>());
}

#[test]
fn request_arrays() {
    check(4, |me, n| unsafe {
        let mut s = [empty(); 8];
        if me == 0 {
            for round in 0..3 {
                let mut v = [[0i32; 2]; 3];
                let mut r = [REQUEST_NULL; 5];
                for i in 0..3usize {
                    ok(MPI_Irecv(
                        m(&mut v[i]),
                        2,
                        INT,
                        i as c_int + 1,
                        round,
                        COMM_WORLD,
                        &mut r[i + 1],
                    ));
                }
                let mut seen = [0; 5];
                match round {
                    0 => {
                        ok(MPI_Waitall(5, r.as_mut_ptr(), s.as_mut_ptr()));
                        assert_eq!(
                            [0, 1, 2, 3, 4].map(|i| s[i].source),
                            [ANY_SOURCE, 1, 2, 3, ANY_SOURCE]
                        );
                    }
                    1 => {
                        for _ in 0..3 {
                            let mut i = 0;
                            ok(MPI_Waitany(5, r.as_mut_ptr(), &mut i, s.as_mut_ptr()));
                            assert_eq!((s[0].source, r[i as usize]), (i, REQUEST_NULL));
                            seen[i as usize] += 1;
                        }
                        let mut i = 0;
                        ok(MPI_Waitany(5, r.as_mut_ptr(), &mut i, s.as_mut_ptr()));
                        assert_eq!((i, seen), (UNDEFINED, [0, 1, 1, 1, 0]));
                    }
                    _ => {
                        let (mut count, mut got, mut idx) = (0, 0, [0; 5]);
                        while got < 3 {
                            ok(MPI_Waitsome(
                                5,
                                r.as_mut_ptr(),
                                &mut count,
                                idx.as_mut_ptr(),
                                s.as_mut_ptr(),
                            ));
                            for k in 0..count as usize {
                                assert_eq!(s[k].source, idx[k]);
                            }
                            got += count;
                        }
                        ok(MPI_Testsome(
                            5,
                            r.as_mut_ptr(),
                            &mut count,
                            idx.as_mut_ptr(),
                            s.as_mut_ptr(),
                        ));
                        assert_eq!(count, UNDEFINED);
                    }
                }
                assert_eq!(v, [1, 2, 3].map(|i| [i, round]));
                assert_eq!(r, [REQUEST_NULL; 5]);
            }
        } else {
            for round in 0..3 {
                ok(MPI_Send(p(&[me, round]), 2, INT, 0, round, COMM_WORLD));
            }
        }
        all_to_all_tested(me, n);
    });
}

#[test]
fn failed_receives_say_so_in_the_status() {
    check(2, |me, _| unsafe {
        if me == 0 {
            for tag in 0..2 {
                ok(MPI_Send(p(&[1, 2, 3]), 3, INT, 1, tag, COMM_WORLD));
            }
        } else {
            let (mut a, mut b) = ([0; 3], [0; 2]);
            let mut r = [REQUEST_NULL; 2];
            let mut s = [empty(); 2];
            ok(MPI_Irecv(m(&mut a), 3, INT, 0, 0, COMM_WORLD, &mut r[0]));
            ok(MPI_Irecv(m(&mut b), 2, INT, 0, 1, COMM_WORLD, &mut r[1]));
            is(
                MPI_Waitall(2, r.as_mut_ptr(), s.as_mut_ptr()),
                Class::ERR_IN_STATUS,
            );
            assert_eq!(s.map(|s| s.error), [0, Class::ERR_TRUNCATE.0]);
            assert_eq!((a, b), ([1, 2, 3], [1, 2]));
        }
    });
}

#[test]
fn persistent_requests() {
    check(3, |me, n| unsafe {
        let (left, right) = ((me + n - 1) % n, (me + 1) % n);
        let (mut out, mut into) = ([0i32; 4], [0i32; 4]);
        let (pout, pinto) = (m(&mut out), m(&mut into));
        let mut r = [0; 2];
        ok(MPI_Recv_init(pinto, 4, INT, left, 3, COMM_WORLD, &mut r[0]));
        ok(MPI_Send_init(pout, 4, INT, right, 3, COMM_WORLD, &mut r[1]));
        ok(MPI_Wait(&mut r[0], null_mut()));
        for i in 0..20 {
            pout.cast::<[i32; 4]>().write([me, i, 0, i * me]);
            ok(MPI_Startall(2, r.as_mut_ptr()));
            ok(MPI_Waitall(2, r.as_mut_ptr(), null_mut()));
            assert_eq!(pinto.cast::<[i32; 4]>().read(), [left, i, 0, i * left]);
        }
        is(MPI_Start(&mut 0x180), Class::ERR_REQUEST);
        ok(MPI_Request_free(&mut r[0]));
        ok(MPI_Request_free(&mut r[1]));
        assert_eq!(r, [REQUEST_NULL; 2]);
    });
}

#[test]
fn matched_probes_and_cancel() {
    check(2, |me, _| unsafe {
        let mut s = empty();
        if me == 0 {
            for i in 0..3 {
                ok(MPI_Send(p(&[i; 100]), 100, INT, 1, i, COMM_WORLD));
            }
        } else {
            let (mut msg, mut flag, mut v) = (0, 0, [0; 100]);
            ok(MPI_Mprobe(0, 1, COMM_WORLD, &mut msg, &mut s));
            assert_eq!(ints(&s), 100);
            while flag == 0 {
                ok(MPI_Iprobe(0, 2, COMM_WORLD, &mut flag, &mut s));
            }
            ok(MPI_Improbe(0, 1, COMM_WORLD, &mut flag, &mut 0, &mut s));
            assert_eq!(flag, 0);
            ok(MPI_Mrecv(m(&mut v), 100, INT, &mut msg, &mut s));
            assert_eq!((v, msg, s.tag), ([1; 100], MESSAGE_NULL, 1));
            let mut r = REQUEST_NULL;
            ok(MPI_Mprobe(
                ANY_SOURCE, ANY_TAG, COMM_WORLD, &mut msg, &mut s,
            ));
            ok(MPI_Imrecv(m(&mut v), 100, INT, &mut msg, &mut r));
            ok(MPI_Wait(&mut r, &mut s));
            assert_eq!((v, s.tag), ([0; 100], 0));
            ok(MPI_Irecv(m(&mut v), 100, INT, 0, 50, COMM_WORLD, &mut r));
            ok(MPI_Cancel(&mut r));
            ok(MPI_Wait(&mut r, &mut s));
            ok(MPI_Test_cancelled(&s, &mut flag));
            assert_eq!(flag, 1);
            ok(MPI_Recv(m(&mut v), 100, INT, 0, 2, COMM_WORLD, null_mut()));
        }
    });
}

#[test]
fn derived_types_and_exchange() {
    check(2, |me, _| unsafe {
        let other = 1 - me;
        // A column of a 3 x 4 matrix against a dense buffer, both ways.
        let mut column = 0;
        ok(MPI_Type_vector(3, 1, 4, INT, &mut column));
        is(
            MPI_Send(p(&[0; 12]), 1, column, other, 0, COMM_WORLD),
            Class::ERR_TYPE,
        );
        ok(MPI_Type_commit(&mut column));
        let mut a: Vec<i32> = (0..12).map(|i| i + 100 * me).collect();
        let mut v = [0; 3];
        let mut s = empty();
        let pa = m(&mut a);
        ok(MPI_Sendrecv(
            pa,
            1,
            column,
            other,
            0,
            m(&mut v),
            3,
            INT,
            other,
            0,
            COMM_WORLD,
            &mut s,
        ));
        assert_eq!((v, ints(&s)), ([0, 4, 8].map(|i| i + 100 * other), 3));
        let mut n = 0;
        ok(MPI_Get_count(&s, column, &mut n));
        assert_eq!(n, 1);
        ok(MPI_Get_elements(&s, column, &mut n));
        assert_eq!(n, 3);
        ok(MPI_Sendrecv_replace(
            pa.cast::<i32>().add(1).cast(),
            1,
            column,
            other,
            1,
            other,
            1,
            COMM_WORLD,
            &mut s,
        ));
        let mut want: Vec<i32> = (0..12).map(|i| i + 100 * me).collect();
        for i in [1, 5, 9] {
            want[i] = i as i32 + 100 * other;
        }
        assert_eq!(a, want);
        ok(MPI_Type_free(&mut column));
    });
}

#[test]
fn buffered_sends_have_an_account() {
    check(2, |me, _| unsafe {
        if me == 0 {
            let mut room = vec![0u8; 3000];
            is(MPI_Buffer_attach(m(&mut room), -1), Class::ERR_ARG);
            ok(MPI_Buffer_attach(m(&mut room), 3000));
            is(MPI_Buffer_attach(m(&mut room), 3000), Class::ERR_BUFFER);
            ok(MPI_Bsend(p(&[5; 500]), 500, INT, 1, 0, COMM_WORLD));
            is(
                MPI_Bsend(p(&[5; 500]), 500, INT, 1, 0, COMM_WORLD),
                Class::ERR_BUFFER,
            );
            ok(MPI_Send(p::<i32>(&[]), 0, INT, 1, 1, COMM_WORLD));
            let (mut at, mut size) = (0usize, 0);
            ok(MPI_Buffer_detach((&raw mut at).cast(), &mut size));
            assert_eq!((at, size), (room.as_ptr() as usize, 3000));
            // A few times the data is enough for small messages.
            ok(MPI_Buffer_attach(m(&mut room), 2000));
            for i in 0..10 {
                ok(MPI_Bsend(p(&[i; 10]), 10, INT, 1, 2, COMM_WORLD));
            }
            ok(MPI_Send(p::<i32>(&[]), 0, INT, 1, 1, COMM_WORLD));
        } else {
            let mut v = [0; 500];
            ok(MPI_Recv(m(&mut v), 0, INT, 0, 1, COMM_WORLD, null_mut()));
            ok(MPI_Recv(m(&mut v), 500, INT, 0, 0, COMM_WORLD, null_mut()));
            assert_eq!(v, [5; 500]);
            ok(MPI_Recv(m(&mut v), 0, INT, 0, 1, COMM_WORLD, null_mut()));
            for i in 0..10 {
                ok(MPI_Recv(m(&mut v), 10, INT, 0, 2, COMM_WORLD, null_mut()));
                assert_eq!(v[..10], [i; 10]);
            }
        }
    });
}
