//! Collectives on every back end, with one worker and with several, against what the standard
//! says each rank ends up with.

use pc3_vmpi::c::coll::*;
use pc3_vmpi::c::comm::*;
use pc3_vmpi::c::datatype::*;
use pc3_vmpi::c::datatype_query::*;
use pc3_vmpi::c::errors::*;
use pc3_vmpi::c::group::*;
use pc3_vmpi::c::op::*;
use pc3_vmpi::c::reduce::*;
use pc3_vmpi::c::topo::*;
use pc3_vmpi::datatype::basic::Basic;
use pc3_vmpi::engine::world;
use pc3_vmpi::error::Class;
use pc3_vmpi::handle::abi::*;
use pc3_vmpi::handles::HasObjects;
use pc3_vmpi::op::Predef;
use pc3_vmpi::sched::Backend;
use pc3_vmpi::state::{Phase, RankState};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const INT: usize = Basic::Int as usize;
const DOUBLE: usize = Basic::Double as usize;
const SUM: usize = Predef::Sum as usize;

/// Runs `f` on every rank under every back end with 1, 2 and 3 workers.
fn check(sizes: &[u32], f: impl Fn(&RankState, i32) + Clone + Send + Sync + 'static) {
    for &ranks in sizes {
        for &backend in Backend::ALL {
            for workers in [1, 2, 3] {
                let f = f.clone();
                world(ranks, workers, backend, 256 << 10).run(Box::new(move |me| {
                    me.phase.set(Phase::Initialized);
                    f(me, me.size() as i32)
                }));
            }
        }
    }
}

const SIZES: &[u32] = &[1, 2, 3, 8, 13];

fn ok(code: c_int) {
    assert_eq!(code, 0);
}
fn p<T>(v: &[T]) -> *const c_void {
    v.as_ptr().cast()
}
fn m<T>(v: &mut [T]) -> *mut c_void {
    v.as_mut_ptr().cast()
}
const PLACE: *const c_void = IN_PLACE as *const c_void;

/// What rank `i` sends to rank `j` as element `k`.
fn item(i: i32, j: i32, k: i32) -> i32 {
    i * 10_000 + j * 100 + k
}

#[test]
fn data_movement() {
    check(SIZES, |me, n| {
        let i = me.rank as i32;
        // Small and large: the second takes the shared path.
        for len in [1, 3, 5000] {
            for root in 0..n.min(3) {
                let mut v: Vec<i32> = (0..len)
                    .map(|k| if i == root { item(i, 0, k) } else { -1 })
                    .collect();
                ok(unsafe { MPI_Bcast(m(&mut v), len, INT, root, COMM_WORLD) });
                assert!(v.iter().zip(0..).all(|(x, k)| *x == item(root, 0, k)));

                let mine: Vec<i32> = (0..len).map(|k| item(i, root, k)).collect();
                let mut all = vec![-1; (len * n) as usize];
                ok(unsafe {
                    MPI_Gather(p(&mine), len, INT, m(&mut all), len, INT, root, COMM_WORLD)
                });
                let want: Vec<i32> = (0..n)
                    .flat_map(|s| (0..len).map(move |k| item(s, root, k)))
                    .collect();
                assert!(i != root || all == want);
                if i != root {
                    assert!(all.iter().all(|x| *x == -1));
                }

                let out: Vec<i32> = (0..n)
                    .flat_map(|d| (0..len).map(move |k| item(i, d, k)))
                    .collect();
                let mut got = vec![-1; len as usize];
                ok(unsafe {
                    MPI_Scatter(p(&out), len, INT, m(&mut got), len, INT, root, COMM_WORLD)
                });
                assert!(got.iter().zip(0..).all(|(x, k)| *x == item(root, i, k)));
            }
            let mine: Vec<i32> = (0..len).map(|k| item(i, 7, k)).collect();
            let want: Vec<i32> = (0..n)
                .flat_map(|s| (0..len).map(move |k| item(s, 7, k)))
                .collect();
            let mut all = vec![-1; (len * n) as usize];
            ok(unsafe { MPI_Allgather(p(&mine), len, INT, m(&mut all), len, INT, COMM_WORLD) });
            assert_eq!(all, want);
            all.fill(-1);
            all[(i * len) as usize..((i + 1) * len) as usize].copy_from_slice(&mine);
            ok(unsafe {
                MPI_Allgather(PLACE, 0, DATATYPE_NULL, m(&mut all), len, INT, COMM_WORLD)
            });
            assert_eq!(all, want);

            let out: Vec<i32> = (0..n)
                .flat_map(|d| (0..len).map(move |k| item(i, d, k)))
                .collect();
            let want: Vec<i32> = (0..n)
                .flat_map(|s| (0..len).map(move |k| item(s, i, k)))
                .collect();
            let mut got = vec![-1; (len * n) as usize];
            ok(unsafe { MPI_Alltoall(p(&out), len, INT, m(&mut got), len, INT, COMM_WORLD) });
            assert_eq!(got, want);
            got.copy_from_slice(&out);
            ok(unsafe { MPI_Alltoall(PLACE, 0, DATATYPE_NULL, m(&mut got), len, INT, COMM_WORLD) });
            assert_eq!(got, want);
        }
    });
}

/// Elements from one member to another.
fn len(from: i32, to: i32) -> i32 {
    (from + to) % 4
}

/// Where blocks of these lengths are, with a hole before each.
fn lay(lens: &[i32]) -> Vec<i32> {
    lens.iter()
        .scan(0, |at, l| Some((*at + 1, *at += l + 1).0))
        .collect()
}

/// Blocks that a member sends (`from`) or receives.
fn fill(n: i32, of: i32, lens: &[i32], at: &[i32], from: bool) -> Vec<i32> {
    let room = lens.iter().sum::<i32>() as usize + lens.len() + 1;
    let mut v = vec![-1; room];
    for j in 0..n {
        for k in 0..lens[j as usize] {
            v[(at[j as usize] + k) as usize] = if from { item(of, j, k) } else { item(j, of, k) };
        }
    }
    v
}

/// Blocks of (i + j) % 4 elements from i to j, with a hole before each.
#[test]
fn v_variants() {
    check(SIZES, |me, n| {
        let i = me.rank as i32;
        let out_len: Vec<i32> = (0..n).map(|j| len(i, j)).collect();
        let in_len: Vec<i32> = (0..n).map(|j| len(j, i)).collect();
        let (out_at, in_at) = (lay(&out_len), lay(&in_len));
        let out = fill(n, i, &out_len, &out_at, true);
        let want = fill(n, i, &in_len, &in_at, false);
        let mut got = vec![-1; want.len()];
        ok(unsafe {
            MPI_Alltoallv(
                p(&out),
                out_len.as_ptr(),
                out_at.as_ptr(),
                INT,
                m(&mut got),
                in_len.as_ptr(),
                in_at.as_ptr(),
                INT,
                COMM_WORLD,
            )
        });
        assert_eq!(got, want);

        // Alltoallw: displacements in bytes, half of the types a pair of ints where the length is even.
        let bytes = |at: &[i32]| at.iter().map(|a| a * 4).collect::<Vec<_>>();
        let mut two = 0;
        ok(unsafe { MPI_Type_contiguous(2, INT, &mut two) });
        ok(unsafe { MPI_Type_commit(&mut two) });
        let ty: Vec<usize> = in_len
            .iter()
            .map(|l| if l % 2 == 0 { two } else { INT })
            .collect();
        let cnt: Vec<i32> = in_len
            .iter()
            .map(|l| if l % 2 == 0 { l / 2 } else { *l })
            .collect();
        got.fill(-1);
        ok(unsafe {
            MPI_Alltoallw(
                p(&out),
                out_len.as_ptr(),
                bytes(&out_at).as_ptr(),
                vec![INT; n as usize].as_ptr(),
                m(&mut got),
                cnt.as_ptr(),
                bytes(&in_at).as_ptr(),
                ty.as_ptr(),
                COMM_WORLD,
            )
        });
        assert_eq!(got, want);
    });
}

#[test]
fn v_variants_with_a_root() {
    check(SIZES, |me, n| {
        let i = me.rank as i32;
        for root in 0..n.min(2) {
            // To and from the root with its lengths.
            let lens: Vec<i32> = (0..n).map(|j| len(root, j)).collect();
            let at = lay(&lens);
            let whole = fill(n, root, &lens, &at, true);
            let mut part = vec![-1; lens[i as usize] as usize];
            ok(unsafe {
                MPI_Scatterv(
                    p(&whole),
                    lens.as_ptr(),
                    at.as_ptr(),
                    INT,
                    m(&mut part),
                    lens[i as usize],
                    INT,
                    root,
                    COMM_WORLD,
                )
            });
            assert!(part.iter().zip(0..).all(|(x, k)| *x == item(root, i, k)));
            let mut back = vec![-1; whole.len()];
            ok(unsafe {
                MPI_Gatherv(
                    p(&part),
                    lens[i as usize],
                    INT,
                    m(&mut back),
                    lens.as_ptr(),
                    at.as_ptr(),
                    INT,
                    root,
                    COMM_WORLD,
                )
            });
            assert_eq!(
                back,
                if i == root {
                    whole.clone()
                } else {
                    vec![-1; whole.len()]
                }
            );
            back.fill(-1);
            ok(unsafe {
                MPI_Allgatherv(
                    p(&part),
                    lens[i as usize],
                    INT,
                    m(&mut back),
                    lens.as_ptr(),
                    at.as_ptr(),
                    INT,
                    COMM_WORLD,
                )
            });
            assert_eq!(back, whole);
        }
    });
}

/// A transposition: columns as a resized vector type, gathered into rows.
#[test]
fn derived_types_in_collectives() {
    check(&[4], |me, n| {
        let i = me.rank as i32;
        let (mut v, mut col) = (0, 0);
        ok(unsafe { MPI_Type_vector(n, 1, n, INT, &mut v) });
        ok(unsafe { MPI_Type_create_resized(v, 0, 4, &mut col) });
        ok(unsafe { MPI_Type_commit(&mut col) });
        let mine: Vec<i32> = (0..n).map(|k| i * n + k).collect();
        let mut all = vec![0; (n * n) as usize];
        ok(unsafe { MPI_Allgather(p(&mine), n, INT, m(&mut all), 1, col, COMM_WORLD) });
        let want: Vec<i32> = (0..n)
            .flat_map(|r| (0..n).map(move |c| c * n + r))
            .collect();
        assert_eq!(all, want);
    });
}

fn value(rank: i32, k: i32) -> f64 {
    (f64::from(rank) + 0.1) * 1.7f64.powi(rank % 5) / f64::from(k + 1)
}

/// The order that `coll::reduce` promises.
fn tree(lo: i32, hi: i32, k: i32) -> f64 {
    if hi - lo == 1 {
        return value(lo, k);
    }
    let half = (hi - lo) as u32;
    let mid = lo + (1 << (31 - (half - 1).leading_zeros()));
    tree(lo, mid, k) + tree(mid, hi, k)
}

#[test]
fn reductions_have_one_order() {
    check(SIZES, |me, n| {
        let i = me.rank as i32;
        for len in [1, 7, 700, 9000] {
            let mine: Vec<f64> = (0..len).map(|k| value(i, k)).collect();
            let want: Vec<f64> = (0..len).map(|k| tree(0, n, k)).collect();
            let mut got = vec![0.0; len as usize];
            ok(unsafe { MPI_Allreduce(p(&mine), m(&mut got), len, DOUBLE, SUM, COMM_WORLD) });
            assert!(got == want);
            got.copy_from_slice(&mine);
            ok(unsafe { MPI_Allreduce(PLACE, m(&mut got), len, DOUBLE, SUM, COMM_WORLD) });
            assert!(got == want);
            let root = n - 1;
            got.fill(0.0);
            ok(unsafe { MPI_Reduce(p(&mine), m(&mut got), len, DOUBLE, SUM, root, COMM_WORLD) });
            assert!(
                got == if i == root {
                    want.clone()
                } else {
                    vec![0.0; len as usize]
                }
            );

            ok(unsafe { MPI_Scan(p(&mine), m(&mut got), len, DOUBLE, SUM, COMM_WORLD) });
            let upto = |i: i32, k: i32| (1..=i).fold(value(0, k), |s, r| s + value(r, k));
            assert!(got.iter().zip(0..).all(|(x, k)| *x == upto(i, k)));
            got.copy_from_slice(&mine);
            ok(unsafe { MPI_Exscan(PLACE, m(&mut got), len, DOUBLE, SUM, COMM_WORLD) });
            assert!(got
                .iter()
                .zip(0..)
                .all(|(x, k)| *x == if i == 0 { value(0, k) } else { upto(i - 1, k) }));
        }
        // Parts of different lengths, in place and not.
        for base in [1, 900] {
            let counts: Vec<i32> = (0..n).map(|r| base + r % 3).collect();
            let first: i32 = counts[..i as usize].iter().sum();
            let total: i32 = counts.iter().sum();
            let mut mine: Vec<f64> = (0..total).map(|k| value(i, k)).collect();
            let want: Vec<f64> = (first..first + counts[i as usize])
                .map(|k| tree(0, n, k))
                .collect();
            let mut got = vec![0.0; want.len()];
            ok(unsafe {
                MPI_Reduce_scatter(
                    p(&mine),
                    m(&mut got),
                    counts.as_ptr(),
                    DOUBLE,
                    SUM,
                    COMM_WORLD,
                )
            });
            assert!(got == want);
            ok(unsafe {
                MPI_Reduce_scatter(
                    PLACE,
                    m(&mut mine),
                    counts.as_ptr(),
                    DOUBLE,
                    SUM,
                    COMM_WORLD,
                )
            });
            assert!(mine[..want.len()] == want);
            let mut mine: Vec<f64> = (0..n * base).map(|k| value(i, k)).collect();
            let want: Vec<f64> = (i * base..(i + 1) * base).map(|k| tree(0, n, k)).collect();
            ok(unsafe {
                MPI_Reduce_scatter_block(PLACE, m(&mut mine), base, DOUBLE, SUM, COMM_WORLD)
            });
            assert!(mine[..want.len()] == want);
        }
    });
}

/// Affine maps x → a x + b compose associatively but do not commute.
unsafe extern "C" fn compose(input: *mut u8, inout: *mut u8, len: *mut c_int, ty: *mut usize) {
    let mut size = 0;
    MPI_Type_size(*ty, &mut size);
    assert_eq!(size, 8);
    let (f, g) = (input.cast::<[u32; 2]>(), inout.cast::<[u32; 2]>());
    for k in 0..*len as usize {
        let ([a, b], [c, d]) = (*f.add(k), *g.add(k));
        *g.add(k) = [a.wrapping_mul(c), a.wrapping_mul(d).wrapping_add(b)];
    }
}

#[test]
fn user_operations_keep_the_order_of_ranks() {
    check(SIZES, |me, n| {
        let i = me.rank;
        let (mut pair, mut op) = (0, 0);
        ok(unsafe { MPI_Type_contiguous(2, Basic::UInt32 as usize, &mut pair) });
        ok(unsafe { MPI_Type_commit(&mut pair) });
        ok(unsafe { MPI_Op_create(compose as *const () as usize, 0, &mut op) });
        let map = |r: u32, k: u32| [2 * r + 3, r * 5 + k];
        let chain = |to: u32, k: u32| {
            (1..to).fold(map(0, k), |[a, b], r| {
                let [c, d] = map(r, k);
                [a.wrapping_mul(c), a.wrapping_mul(d).wrapping_add(b)]
            })
        };
        let mine: Vec<[u32; 2]> = (0..4).map(|k| map(i, k)).collect();
        let mut got = vec![[0; 2]; 4];
        ok(unsafe { MPI_Allreduce(p(&mine), m(&mut got), 4, pair, op, COMM_WORLD) });
        assert!(got.iter().zip(0..).all(|(x, k)| *x == chain(n as u32, k)));
        ok(unsafe { MPI_Scan(p(&mine), m(&mut got), 4, pair, op, COMM_WORLD) });
        assert!(got.iter().zip(0..).all(|(x, k)| *x == chain(i + 1, k)));
        got.fill([9, 9]);
        ok(unsafe { MPI_Exscan(p(&mine), m(&mut got), 4, pair, op, COMM_WORLD) });
        assert!(got
            .iter()
            .zip(0..)
            .all(|(x, k)| *x == if i == 0 { [9, 9] } else { chain(i, k) }));
        ok(unsafe { MPI_Reduce(p(&mine), m(&mut got), 4, pair, op, n - 1, COMM_WORLD) });
        assert!(i as i32 != n - 1 || got.iter().zip(0..).all(|(x, k)| *x == chain(n as u32, k)));
        ok(unsafe { MPI_Op_free(&mut op) });
    });
}

fn rank_size(comm: usize) -> (i32, i32) {
    let (mut r, mut s) = (0, 0);
    ok(unsafe { MPI_Comm_rank(comm, &mut r) });
    ok(unsafe { MPI_Comm_size(comm, &mut s) });
    (r, s)
}

#[test]
fn communicators() {
    let seen = Arc::new(Mutex::new(std::collections::BTreeSet::new()));
    check(&[8], move |me, n| {
        let i = me.rank as i32;
        let mut half = 0;
        // Descending order of ranks within even and odd; rank 5 stays out.
        let color = if i == 5 { UNDEFINED } else { i % 2 };
        ok(unsafe { MPI_Comm_split(COMM_WORLD, color, -i, &mut half) });
        if i == 5 {
            assert_eq!(half, COMM_NULL);
        } else {
            let members: Vec<i32> = (0..n).rev().filter(|r| r % 2 == i % 2 && *r != 5).collect();
            let at = members.iter().position(|r| *r == i).unwrap() as i32;
            assert_eq!(rank_size(half), (at, members.len() as i32));
            let mut sum = 0;
            ok(unsafe {
                MPI_Allreduce(
                    p(&[i]),
                    m(std::slice::from_mut(&mut sum)),
                    1,
                    INT,
                    SUM,
                    half,
                )
            });
            assert_eq!(sum, members.iter().sum::<i32>());
        }
        let (mut dup, mut grid, mut row) = (0, 0, 0);
        ok(unsafe { MPI_Comm_dup(COMM_WORLD, &mut dup) });
        ok(unsafe { MPI_Cart_create(dup, 2, [2, 3].as_ptr(), [0, 1].as_ptr(), 1, &mut grid) });
        assert_eq!(grid == COMM_NULL, i >= 6);
        if i < 6 {
            ok(unsafe { MPI_Cart_sub(grid, [0, 1].as_ptr(), &mut row) });
            assert_eq!(rank_size(row), (i % 3, 3));
            let (mut from, mut to) = (0, 0);
            ok(unsafe { MPI_Cart_shift(row, 0, 1, &mut from, &mut to) });
            assert_eq!((from, to), ((i + 2) % 3, (i + 1) % 3));
        }
        // Only the members of the group call.
        let (mut world, mut some, mut few) = (0, 0, COMM_NULL);
        ok(unsafe { MPI_Comm_group(COMM_WORLD, &mut world) });
        ok(unsafe { MPI_Group_incl(world, 3, [6, 1, 4].as_ptr(), &mut some) });
        if [1, 4, 6].contains(&i) {
            ok(unsafe { MPI_Comm_create_group(COMM_WORLD, some, 3, &mut few) });
            let at = [6, 1, 4].iter().position(|r| *r == i).unwrap() as i32;
            assert_eq!(rank_size(few), (at, 3));
            ok(unsafe { MPI_Barrier(few) });
        }
        let mut made = 0;
        ok(unsafe { MPI_Comm_create(COMM_WORLD, some, &mut made) });
        assert_eq!(made != COMM_NULL, [1, 4, 6].contains(&i));
        let mut result = 0;
        ok(unsafe { MPI_Comm_compare(COMM_WORLD, dup, &mut result) });
        assert_eq!(result, 202);
        let ids: Vec<u32> = [dup, made, few]
            .iter()
            .filter_map(|c| me.objects().comm(*c).ok().map(|c| c.id))
            .collect();
        // The same ids whatever the order of arrival.
        let mut seen = seen.lock().unwrap();
        seen.insert((i, ids));
        assert!(seen.len() <= 8);
        drop(seen);
        ok(unsafe { MPI_Comm_free(&mut dup) });
        assert_eq!(dup, COMM_NULL);
    });
}

#[test]
fn mistakes_are_reported() {
    check(&[3], |me, _| {
        let i = me.rank as i32;
        ok(unsafe { MPI_Comm_set_errhandler(COMM_WORLD, ERRORS_RETURN) });
        let mut v = [1, 2, 3, 4];
        let other = Class::ERR_OTHER.0;
        // Different collectives.
        let code = if i == 1 {
            unsafe { MPI_Barrier(COMM_WORLD) }
        } else {
            unsafe { MPI_Bcast(m(&mut v), 1, INT, 0, COMM_WORLD) }
        };
        assert_eq!(code, other);
        // Different roots, different lengths, different operations.
        let code = unsafe { MPI_Bcast(m(&mut v), 1, INT, c_int::from(i == 2), COMM_WORLD) };
        assert_eq!(code, Class::ERR_ROOT.0);
        let code = unsafe { MPI_Bcast(m(&mut v), if i == 0 { 4 } else { 2 }, INT, 0, COMM_WORLD) };
        assert_eq!(code, if i == 0 { 0 } else { Class::ERR_TRUNCATE.0 });
        let mut w = [0; 4];
        let code = unsafe {
            MPI_Allreduce(
                p(&v),
                m(&mut w),
                if i == 0 { 4 } else { 2 },
                INT,
                SUM,
                COMM_WORLD,
            )
        };
        assert_eq!(code, Class::ERR_COUNT.0);
        let op = if i == 0 { SUM } else { Predef::Max as usize };
        let code = unsafe { MPI_Allreduce(p(&v), m(&mut w), 1, INT, op, COMM_WORLD) };
        assert_eq!(code, Class::ERR_OP.0);
        // Arguments that are wrong by themselves reach nobody else.
        for (code, class) in [
            (
                unsafe { MPI_Bcast(m(&mut v), -1, INT, 0, COMM_WORLD) },
                Class::ERR_COUNT,
            ),
            (
                unsafe { MPI_Bcast(m(&mut v), 1, DATATYPE_NULL, 0, COMM_WORLD) },
                Class::ERR_TYPE,
            ),
            (
                unsafe { MPI_Bcast(m(&mut v), 1, INT, 3, COMM_WORLD) },
                Class::ERR_ROOT,
            ),
            (
                unsafe { MPI_Bcast(m(&mut v), 1, INT, 0, COMM_NULL) },
                Class::ERR_COMM,
            ),
            (
                unsafe { MPI_Bcast(std::ptr::null_mut(), 1, INT, 0, COMM_WORLD) },
                Class::ERR_BUFFER,
            ),
            (
                unsafe {
                    MPI_Allreduce(
                        p(&v),
                        m(&mut w),
                        1,
                        DOUBLE,
                        Predef::Band as usize,
                        COMM_WORLD,
                    )
                },
                Class::ERR_OP,
            ),
        ] {
            assert_eq!(code, class.0);
        }
        ok(unsafe { MPI_Barrier(COMM_WORLD) });
    });
}

#[test]
fn groups_have_to_be_named_by_all_their_members() {
    check(&[4], |_, n| {
        ok(unsafe { MPI_Comm_set_errhandler(COMM_WORLD, ERRORS_RETURN) });
        let (i, _) = rank_size(COMM_WORLD);
        let create = |named: [&[i32]; 4]| {
            let (mut world, mut group, mut made) = (0, 0, COMM_NULL);
            let members = named[i as usize];
            ok(unsafe { MPI_Comm_group(COMM_WORLD, &mut world) });
            let count = members.len() as c_int;
            ok(unsafe { MPI_Group_incl(world, count, members.as_ptr(), &mut group) });
            let code = unsafe { MPI_Comm_create(COMM_WORLD, group, &mut made) };
            (code, made)
        };
        // Two at once, and one that its own member alone names.
        let (code, made) = create([&[1, 0], &[1, 0], &[3], &[3]]);
        ok(code);
        let expected = [Some((1, 2)), Some((0, 2)), None, Some((0, 1))];
        let got = (made != COMM_NULL).then(|| rank_size(made));
        assert_eq!(got, expected[i as usize]);
        let refused = |named| assert_eq!(create(named), (Class::ERR_GROUP.0, COMM_NULL));
        // In another order; with another member; by some only.
        refused([&[0, 1], &[0, 1], &[2, 3], &[3, 2]]);
        refused([&[0, 1, 2], &[0, 1], &[3], &[3]]);
        refused([&[0, 1], &[2], &[2], &[0, 1]]);
        assert_eq!(n, 4);
    });
}

/// Calls that are told and others in turn, on changing communicators: nobody leaves one before all have come, and each
/// result is of the same call.
#[test]
fn members_meet_in_every_call() {
    static COME: [AtomicUsize; 13] = [const { AtomicUsize::new(0) }; 13];
    const ROUNDS: usize = 300;
    for ranks in [1, 2, 5, 13] {
        COME.iter().for_each(|c| c.store(0, Ordering::SeqCst));
        let worlds = AtomicUsize::new(0);
        let worlds: &'static AtomicUsize = Box::leak(Box::new(worlds));
        check(&[ranks], move |me, n| {
            let i = me.rank as usize;
            // The worlds that `check` makes come one after the other.
            if i == 0 {
                worlds.fetch_add(1, Ordering::SeqCst);
            }
            ok(unsafe { MPI_Barrier(COMM_WORLD) });
            let before = (worlds.load(Ordering::SeqCst) - 1) * ROUNDS;
            for k in 0..ROUNDS {
                COME[i].fetch_add(1, Ordering::SeqCst);
                let mut sum = [0.0f64; 20];
                let mine: Vec<f64> = (0..20).map(|j| (i * 100 + k + j) as f64).collect();
                // Up to 12 elements are told, 20 are not.
                let len = [1, 20, 12, 0][k % 4];
                match k % 3 {
                    0 => ok(unsafe { MPI_Barrier(COMM_WORLD) }),
                    _ => {
                        ok(unsafe {
                            MPI_Allreduce(p(&mine), m(&mut sum), len, DOUBLE, SUM, COMM_WORLD)
                        });
                        for (j, x) in sum.iter().take(len as usize).enumerate() {
                            let all = (0..n as usize).map(|r| (r * 100 + k + j) as f64);
                            assert_eq!(*x, all.sum::<f64>());
                        }
                    }
                }
                for c in COME.iter().take(n as usize) {
                    let come = c.load(Ordering::SeqCst) - before;
                    assert!(come == k + 1 || come == k + 2, "{come} in call {k}");
                }
                if k % 5 == 0 {
                    let root = k as i32 % n;
                    let mut word = [if i as i32 == root { k as i32 } else { -1 }; 2];
                    ok(unsafe { MPI_Bcast(m(&mut word), 2, INT, root, COMM_WORLD) });
                    assert_eq!(word, [k as i32; 2]);
                }
            }
        });
    }
}

/// Broadcasts that are copied piece by piece, into memory that is one block and into other.
#[test]
fn long_broadcasts() {
    const LEN: i32 = 70_001;
    check(&[1, 2, 5], |me, n| {
        let i = me.rank as i32;
        for root in [0, n - 1] {
            let sparse = i % 2 == 1;
            let step = if sparse { 3 } else { 1 };
            let mut v = vec![-1; (LEN * step) as usize];
            if i == root {
                v.iter_mut()
                    .step_by(step as usize)
                    .zip(0..)
                    .for_each(|(x, k)| *x = item(root, 0, k));
            }
            let mut ty = INT;
            if sparse {
                ok(unsafe { MPI_Type_vector(LEN, 1, step, INT, &mut ty) });
                ok(unsafe { MPI_Type_commit(&mut ty) });
            }
            let count = if sparse { 1 } else { LEN };
            ok(unsafe { MPI_Bcast(m(&mut v), count, ty, root, COMM_WORLD) });
            for (at, x) in v.iter().enumerate() {
                let k = at as i32 / step;
                let want = if at as i32 % step == 0 {
                    item(root, 0, k)
                } else {
                    -1
                };
                assert_eq!(*x, want, "rank {i} of {n}, element {at}");
            }
        }
    });
}
