//! Every function of `pc3::mpi`, on five ranks: whole, with a checkpoint at each location, and stopped and gone on with at each;
//! and what wrong calls come to.  The test runs itself.

#![allow(clippy::unwrap_used)]

mod later;

use std::path::Path;
use std::process::Command;

use pc3::mpi::buffer::{View, ViewMut};
use pc3::mpi::point_to_point::send_receive_into;
use pc3::mpi::request::{scope, wait_all, wait_any, ReceiveFuture, ReceiveVecFuture};
use pc3::mpi::topology::{dims_create, CartesianCommunicator};
use pc3::mpi::{self, traits::*, Equivalence, Group, Message, SimpleCommunicator, Status};
use pc3::mpi::{SystemOperation as Op, UserOperation};
use pc3::prelude::*;

#[derive(Clone, Copy, Default, PartialEq, Debug, Checkpointable, Equivalence)]
struct Pair {
    even: bool,
    size: usize,
    parts: (i8, [f32; 2]),
}

fn pair(n: usize) -> Pair {
    Pair {
        even: n % 2 == 0,
        size: n * 1000,
        parts: (-(n as i8), [n as f32, 0.5]),
    }
}

fn collectives(world: &SimpleCommunicator) {
    let (me, n) = (world.rank() as usize, world.size() as usize);
    let all: Vec<usize> = (0..n).collect();
    let pairs: Vec<Pair> = all.iter().map(|i| pair(*i)).collect();

    let mut numbers = vec![0; n];
    world.all_gather_into(&me, &mut numbers);
    assert_eq!(numbers, all);
    let mut got = vec![Pair::default(); n];
    world.all_gather_into(&pair(me), &mut got);
    assert_eq!(got, pairs);
    let counts: Vec<usize> = all.iter().map(|i| i + 1).collect();
    let mut got = vec![0_u16; counts.iter().sum()];
    world.all_gather_varcount_into(&vec![me as u16; me + 1], &mut got, &counts);
    let expected: Vec<u16> = all.iter().flat_map(|i| vec![*i as u16; i + 1]).collect();
    assert_eq!(got, expected);
    let mut got = vec!['?'; n];
    let letter = |from: usize, to: usize| char::from(b'a' + (from * 5 + to) as u8 % 26);
    let out: Vec<char> = all.iter().map(|to| letter(me, *to)).collect();
    world.all_to_all_into(&out, &mut got);
    assert_eq!(
        got,
        all.iter().map(|from| letter(*from, me)).collect::<Vec<_>>()
    );

    for root in 0..n {
        let process = world.process_at_rank(root as i32);
        let here = process.is_self();
        let mut value = if here { pair(77) } else { pair(0) };
        process.broadcast_into(&mut value);
        assert_eq!(value, pair(77));
        let mut list = if here { all.clone() } else { vec![0; n] };
        process.broadcast_into(&mut list);
        assert_eq!(list, all);
        let (mut part, mut tail) = (Pair::default(), vec![0_i64; me]);
        let whole: Vec<i64> = all.iter().flat_map(|i| vec![-(*i as i64); *i]).collect();
        let mut sum = [0_u32; 2];
        let mine = [me as u32, 1];
        if here {
            let mut got = vec![Pair::default(); n];
            process.gather_into_root(&pair(me), &mut got);
            assert_eq!(got, pairs);
            let mut got = vec![0; whole.len()];
            process.gather_varcount_into_root(&vec![-(me as i64); me], &mut got, &all);
            assert_eq!(got, whole);
            process.scatter_into_root(&pairs, &mut part);
            process.scatter_varcount_into_root(&whole, &mut tail, &all);
            process.reduce_into_root(&mine, &mut sum, Op::sum());
            assert_eq!(sum, [10, 5]);
        } else {
            process.gather_into(&pair(me));
            process.gather_varcount_into(&vec![-(me as i64); me]);
            process.scatter_into(&mut part);
            process.scatter_varcount_into(&mut tail);
            process.reduce_into(&mine, Op::sum());
        }
        assert_eq!((part, tail), (pair(me), vec![-(me as i64); me]));
    }

    let mut got = 0;
    world.all_reduce_into(&(1_u64 << me), &mut got, Op::bitwise_or());
    assert_eq!(got, 31);
    let mut got = [[0.0_f64; 2]; 2];
    world.all_reduce_into(&[[me as f64; 2], [-1.0; 2]], &mut got, Op::max());
    assert_eq!(got, [[4.0; 2], [-1.0; 2]]);
    // Not commutative: texts of ranks behind each other.
    let mut got = [0_u8; 5];
    let mut text = [0; 5];
    text[0] = b'a' + me as u8;
    let join = UserOperation::associative(|a: &[u8; 5], b: &[u8; 5]| {
        let joined = a.iter().chain(b).filter(|c| **c != 0);
        let mut out = [0; 5];
        out.iter_mut().zip(joined).for_each(|(to, c)| *to = *c);
        out
    });
    world.all_reduce_into(&text, &mut got, &join);
    assert_eq!(&got, b"abcde");
    let larger =
        UserOperation::commutative(|a: &Pair, b: &Pair| if a.size > b.size { *a } else { *b });
    let mut got = Pair::default();
    world.all_reduce_into(&pair(me), &mut got, larger);
    assert_eq!(got, pair(4));
    let (mut upto, mut below) = (0, 100);
    world.scan_into(&(me as i32), &mut upto, Op::sum());
    world.exclusive_scan_into(&(me as i32), &mut below, Op::sum());
    let sum = |n: i32| (0..n).sum::<i32>();
    assert_eq!(upto, sum(me as i32 + 1));
    assert_eq!(below, if me == 0 { 100 } else { sum(me as i32) });
    let mut got = 0.0;
    let parts: Vec<f32> = all.iter().map(|i| (me * i) as f32).collect();
    world.reduce_scatter_block_into(&parts, &mut got, Op::sum());
    assert_eq!(got, (10 * me) as f32);
    world.barrier();
}

fn messages(world: &SimpleCommunicator) {
    let (me, n) = (world.rank(), world.size());
    let next = world.process_at_rank((me + 1) % n);
    let before = world.process_at_rank((me + n - 1) % n);
    // A column to the next, into a column.
    let (mut grid, columns) = (vec![me as f64; 12], 4);
    let sent = View::new(&grid, 3, 1, columns);
    assert_eq!(sent.blocks().items.len(), 12);
    let mut rim = vec![0.0; 9];
    let status = send_receive_into(
        &sent,
        &next,
        &mut ViewMut::new(&mut rim[1..], 3, 1, 3),
        &before,
    );
    assert_eq!(
        (status.source_rank(), status.tag(), status.count::<f64>()),
        (before.rank(), 0, 3)
    );
    assert_eq!(
        rim,
        [0.0, 1.0, 0.0]
            .repeat(3)
            .iter()
            .map(|x| x * f64::from(before.rank()))
            .collect::<Vec<_>>()
    );
    grid[0] = 1.0;
    // Views of what is copied field by field.
    let list: Vec<Pair> = (0..6).map(pair).collect();
    let mut got = [Pair::default(); 6];
    send_receive_into(
        &View::new(&list[1..], 2, 2, 3),
        &next,
        &mut ViewMut::new(&mut got, 2, 2, 4),
        &before,
    );
    assert_eq!(got.map(|p| p.size / 1000), [1, 2, 0, 0, 4, 5]);

    next.send_with_tag(&[1_u8, 2, 3][..], 5);
    next.send(&[0_u8; 0]);
    next.ready_send(&9_i128);
    let status = before.probe_with_tag(5);
    assert_eq!(status.count::<u8>(), 3);
    assert!(before.immediate_probe_with_tag(6).is_none());
    assert_eq!(before.receive_vec_with_tag::<u8>(5).0, [1, 2, 3]);
    assert_eq!(before.receive_vec::<u8>().0, []);
    assert_eq!(world.any_process().receive::<i128>().0, 9);
    world.null_process().send(&1);
    assert_eq!(world.null_process().receive_vec::<u8>().0, []);

    let (out, mut room, mut more) = ([me; 3], [0; 5], [Pair::default(); 2]);
    let pairs = [pair(3), pair(4)];
    let statuses = scope(|scope| {
        let mut open = vec![
            before.immediate_receive_into_with_tag(scope, &mut room[..], 1),
            before.immediate_receive_into_with_tag(scope, &mut more[..], 2),
        ];
        open.push(next.immediate_synchronous_send_with_tag(scope, &pairs[..], 2));
        open.push(next.immediate_send_with_tag(scope, &out[..], 1));
        let first = wait_any(&mut open).unwrap();
        let mut all = wait_all(open);
        all.insert(first.0, first.1);
        all
    });
    assert_eq!(
        (statuses[0].count::<i32>(), &room[..4]),
        (3, &[before.rank(), before.rank(), before.rank(), 0][..])
    );
    assert_eq!((statuses[1].count::<Pair>(), more), (2, pairs));
    // One that nobody answers.
    let mut nothing = [0_u8; 4];
    let cancelled = scope(|scope| {
        let request = before.immediate_receive_into_with_tag(scope, &mut nothing, 99);
        request.cancel();
        request.wait()
    });
    assert!(cancelled.is_cancelled() && cancelled.count::<u8>() == 0);
    drop(before.immediate_receive_with_tag::<u8>(98));
    drop(next.immediate_send_owned_with_tag(vec![7_u8; 100_000], 97));
    assert_eq!(before.receive_vec_with_tag::<u8>(97).0, vec![7; 100_000]);
    let waiting: ReceiveFuture<u8> = before.immediate_receive_with_tag(96);
    let waiting = waiting.r#try().err().unwrap();
    world.barrier();
    next.send_with_tag(&8_u8, 96);
    assert_eq!(waiting.get().0, 8);
    world.barrier();
}

/// Objects that outlive locations.
#[checkpointable]
fn objects(world: &SimpleCommunicator) -> usize {
    let (me, n) = (world.rank(), world.size());
    let own: SimpleCommunicator = world.duplicate();
    let group: Group = world.group().exclude(&[1]);
    checkpoint!();
    assert_eq!((group.size(), group.rank().is_none()), (n - 1, me == 1));
    assert!(own.is_congruent(world) && own.handle() != world.handle());
    let some: Option<SimpleCommunicator> = own.split_by_subgroup_collective(&group);
    assert_eq!(some.is_none(), me == 1);
    let sub = world.group().include(&[2, 0]);
    assert_eq!(sub.translate_ranks(&[0, 1], &group), [Some(1), Some(0)]);
    assert!(sub.union(&group).size() == 4 && sub.intersection(&group).is_identical(&sub));
    assert_eq!(sub.difference(&group).size(), 0);
    let mut dims = [0, 2];
    dims_create(4, &mut dims);
    let grid: Option<CartesianCommunicator> =
        world.create_cartesian_communicator(&dims, &[true, false], false);
    checkpoint!();
    let mut seen = 0;
    if let Some(grid) = &grid {
        let layout = grid.get_layout();
        assert_eq!(
            (&layout.dims[..], &layout.periods[..]),
            (&[2, 2][..], &[true, false][..])
        );
        assert_eq!(grid.coordinates_to_rank(&layout.coords), grid.rank());
        assert_eq!(grid.rank_to_coordinates(3), [1, 1]);
        let line = grid.subgrid(&[false, true]);
        assert_eq!((line.size(), line.num_dimensions()), (2, 1));
        let (before, behind) = grid.shift(1, 1);
        let (before, behind) = (grid.process_or_null(before), grid.process_or_null(behind));
        send_receive_into(&me, &behind, &mut seen, &before);
        checkpoint!();
        let mut sum = 0;
        line.all_reduce_into(&me, &mut sum, Op::sum());
        seen += sum;
    } else {
        checkpoint!();
    }
    // A message that has been taken out of the queue, and one that waits in it.
    let next = own.process_at_rank((me + 1) % n);
    next.send_with_tag(&vec![pair(me as usize); 3], 4);
    next.send_with_tag(&me, 5);
    let (taken, status): (Message, Status) = own.any_process().matched_probe_with_tag(4);
    let later: ReceiveVecFuture<i32> = own.any_process().immediate_receive_vec_with_tag(2, 6);
    let barrier = own.immediate_barrier();
    let sent = next.immediate_synchronous_send_owned_with_tag((me, true, 'x'), 7);
    checkpoint!();
    assert_eq!(status.count::<Pair>(), 3);
    let (pairs, _) = taken.receive_vec::<Pair>();
    assert_eq!(pairs, vec![pair(status.source_rank() as usize); 3]);
    next.send_with_tag(&[me, -1], 6);
    let (number, _) = own.any_process().receive_with_tag::<i32>(5);
    checkpoint!();
    let mut list = vec![later];
    let (at, values, status) = ReceiveVecFuture::get_any(&mut list).unwrap();
    assert_eq!(
        (at, &values[..], list.len()),
        (0, &[status.source_rank(), -1][..], 0)
    );
    assert_eq!(
        own.any_process().receive_with_tag::<(i32, bool, char)>(7).0,
        (number, true, 'x')
    );
    sent.wait();
    barrier.wait();
    checkpoint!();
    if let Some(some) = &some {
        some.barrier();
        assert_eq!(some.size(), n - 1);
    }
    drop((group, some, grid));
    (number + seen) as usize
}

fn wrong(world: &SimpleCommunicator, what: &str) {
    let (me, n) = (world.rank(), world.size());
    let next = world.process_at_rank((me + 1) % n);
    let any = world.any_process();
    match what {
        "long" => {
            next.send(&[1_u8; 9]);
            any.receive_into(&mut [0_u8; 8]);
        }
        "type" => {
            next.send(&1_u8);
            any.receive::<f32>();
        }
        "value" => {
            next.send(&2_u8);
            any.receive::<bool>();
        }
        "part" => {
            next.send(&[1.0; 5]);
            any.receive_vec::<[f64; 2]>();
        }
        "rank" => world.process_at_rank(n).send(&1),
        "deadlock" => {
            any.receive_with_tag::<u8>(3);
        }
        "panic" if me == 2 => panic!("told to"),
        "abort" if me == 2 => world.abort(7),
        _ => world.barrier(),
    }
}

#[pc3::main(mpi)]
fn main() {
    if std::env::var_os("IS_A_JOB").is_none() {
        run();
        return;
    }
    let universe = mpi::initialize().unwrap();
    assert!(mpi::initialize().is_none());
    let world = universe.world();
    if let Some(what) = std::env::args().nth(1) {
        wrong(&world, &what);
    }
    collectives(&world);
    checkpoint!();
    messages(&world);
    let number = ck!(objects(&world));
    later::scoped(&world);
    let sum = ck!(later::pending(&world));
    let seen = ck!(later::persistent(&world));
    checkpoint!();
    collectives(&world);
    let mut numbers = vec![0; world.size() as usize];
    world.all_gather_into(&number, &mut numbers);
    if world.rank() == 0 {
        println!("{numbers:?} {sum} {seen}");
    }
}

struct Done {
    status: Option<i32>,
    out: String,
    err: String,
}

fn itself(dir: &Path, argument: &str, env: &[(&str, &str)]) -> Done {
    let mut c = Command::new(std::env::current_exe().unwrap());
    c.env("IS_A_JOB", "1");
    c.env("PC3_RANKS", "5").env("PC3_DIR", dir.join("ckpt"));
    c.envs(env.iter().copied()).current_dir(dir);
    if !argument.is_empty() {
        c.arg(argument);
    }
    let done = c.output().unwrap();
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    Done {
        status: done.status.code(),
        out: text(&done.stdout),
        err: text(&done.stderr),
    }
}

fn run() {
    let expected = "[5, 1, 6, 9, 3] 25.5 24\n";
    for workers in ["1", "3"] {
        let dir = tempfile::tempdir().unwrap();
        let env = [("PC3_WORKERS", workers), ("PC3_EVERY", "1x")];
        for env in [&env[..1], &env] {
            let done = itself(dir.path(), "", env);
            assert_eq!(
                (done.status, &done.out[..]),
                (Some(0), expected),
                "{}",
                done.err
            );
        }
        let dir = tempfile::tempdir().unwrap();
        let mut env = vec![("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "1")];
        let mut stops = 0;
        let done = loop {
            env.push(("PC3_WORKERS", ["1", "2", "3"][stops % 3]));
            let done = itself(dir.path(), "", &env);
            if done.status != Some(85) {
                break done;
            }
            stops += 1;
            env.truncate(2);
            env.push(("PC3_RESTART", "latest"));
        };
        assert_eq!(
            (done.status, &done.out[..]),
            (Some(0), expected),
            "{}",
            done.err
        );
        assert!(stops > 5, "{stops} checkpoints");
    }
    for (what, status, said) in [
        ("long", 1, "MPI_ERR_TRUNCATE"),
        ("type", 1, "a message of MPI_UINT8_T from rank"),
        ("value", 1, "what arrived is no value of type bool"),
        ("part", 1, "is not made of [f64; 2], which have 2 each"),
        ("rank", 1, "rank 5 of 5 ranks"),
        ("deadlock", 91, "deadlock"),
        ("panic", 101, "told to"),
        ("abort", 7, "MPI_Abort called by rank 2"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let done = itself(dir.path(), what, &[]);
        assert_eq!(done.status, Some(status), "{what}: {}", done.err);
        assert!(done.err.contains(said), "{what}: {}", done.err);
    }
}
