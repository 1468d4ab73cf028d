//! Collectives that go on while the program does something else, and requests that are started many times.

use pc3::mpi::request::{scope, wait_all, CollectiveFuture, PersistentReceive, PersistentSend};
use pc3::mpi::SystemOperation as Op;
use pc3::mpi::{traits::*, SimpleCommunicator};
use pc3::prelude::*;

use crate::{pair, Pair};

/// Those that borrow their buffers, beside each other.
pub fn scoped(world: &SimpleCommunicator) {
    let (me, n) = (world.rank() as usize, world.size() as usize);
    let all: Vec<usize> = (0..n).collect();
    let pairs: Vec<Pair> = all.iter().map(|i| pair(*i)).collect();
    let mine = (pair(me), me as i32, [me as f64, 1.0]);
    let counts: Vec<usize> = all.iter().map(|i| i + 1).collect();
    let whole: Vec<u16> = all.iter().flat_map(|i| vec![*i as u16; i + 1]).collect();
    let (tail, letters) = (vec![me as u16; me + 1], vec!['a'; n]);
    let (mut gathered, mut varied) = (vec![Pair::default(); n], vec![0_u16; 15]);
    let (mut crossed, mut sum, mut upto, mut below) = (vec!['?'; n], [0.0; 2], 0, 100);
    let (mut part, products) = (0_u64, vec![me as u64 + 1; n]);
    scope(|scope| {
        let open = vec![
            world.immediate_all_gather_into(scope, &mine.0, &mut gathered),
            world.immediate_all_gather_varcount_into(scope, &tail, &mut varied, &counts),
            world.immediate_all_to_all_into(scope, &letters, &mut crossed),
            world.immediate_all_reduce_into(scope, &mine.2, &mut sum, Op::sum()),
            world.immediate_scan_into(scope, &mine.1, &mut upto, Op::sum()),
            world.immediate_exclusive_scan_into(scope, &mine.1, &mut below, Op::sum()),
            world.immediate_reduce_scatter_block_into(scope, &products, &mut part, Op::product()),
        ];
        wait_all(open);
    });
    assert_eq!((gathered, crossed), (pairs.clone(), letters));
    assert_eq!((&varied, sum, part), (&whole, [10.0, 5.0], 120));
    let sums = |n: i32| (0..n).sum::<i32>();
    let first = if me == 0 { 100 } else { sums(me as i32) };
    assert_eq!((upto, below), (sums(me as i32 + 1), first));

    for root in 0..n {
        let process = world.process_at_rank(root as i32);
        let here = process.is_self();
        let mut list = if here {
            pairs.clone()
        } else {
            vec![Pair::default(); n]
        };
        let (mut got, mut tails) = (vec![Pair::default(); n], vec![0_u16; 15]);
        let (mut one, mut few, mut most) = (Pair::default(), vec![0_u16; me + 1], [0.0; 2]);
        scope(|scope| {
            // What is not waited for ends with the scope.
            let _ = process.immediate_broadcast_into(scope, &mut list);
            if here {
                let _ = process.immediate_gather_into_root(scope, &mine.0, &mut got);
                let _ =
                    process.immediate_gather_varcount_into_root(scope, &tail, &mut tails, &counts);
                let _ = process.immediate_scatter_into_root(scope, &pairs, &mut one);
                let _ =
                    process.immediate_scatter_varcount_into_root(scope, &whole, &mut few, &counts);
                process.immediate_reduce_into_root(scope, &mine.2, &mut most, Op::max())
            } else {
                let _ = process.immediate_gather_into(scope, &mine.0);
                let _ = process.immediate_gather_varcount_into(scope, &tail);
                let _ = process.immediate_scatter_into(scope, &mut one);
                let _ = process.immediate_scatter_varcount_into(scope, &mut few);
                process.immediate_reduce_into(scope, &mine.2, Op::max())
            }
            .wait();
        });
        assert_eq!((&list, one, &few), (&pairs, pair(me), &tail));
        if here {
            assert_eq!((&got, &tails), (&pairs, &whole));
            assert_eq!(most, [4.0, 1.0]);
        }
    }
}

/// Those that own what they need, pending at locations: some ranks come to them before one, others behind it.
#[checkpointable]
pub fn pending(world: &SimpleCommunicator) -> f64 {
    let (me, n) = (world.rank() as usize, world.size() as usize);
    let early = me % 2 == 0;
    let root = world.process_at_rank(3);
    let mut sum = 0.0;
    for round in 0..3_u32 {
        let value = f64::from(round) + me as f64 / 4.0;
        let mut open: Vec<CollectiveFuture<f64>> = Vec::new();
        let mut pairs: Vec<CollectiveFuture<Pair>> = Vec::new();
        let mut scanned = None;
        if early {
            open = floats(world, value);
            pairs = structs(world);
            scanned = Some(world.immediate_exclusive_scan_owned([me as u64; 2], Op::sum()));
        }
        checkpoint!();
        if !early {
            open = floats(world, value);
            pairs = structs(world);
            scanned = Some(world.immediate_exclusive_scan_owned([me as u64; 2], Op::sum()));
        }
        checkpoint!();
        // One that nobody waits for.
        drop(root.immediate_reduce_owned(1_u8, Op::sum()));
        let mut results: Vec<Vec<f64>> = Vec::new();
        for future in open {
            results.push(future.get());
            checkpoint!();
        }
        let values: Vec<f64> = (0..n).map(|i| f64::from(round) + i as f64 / 4.0).collect();
        let total: f64 = values.iter().sum();
        assert_eq!(results[0], [total]);
        assert_eq!(results[1], values);
        assert_eq!(results[2], [values[3], -values[3]]);
        assert_eq!(
            results[3],
            if me == 3 { values.clone() } else { Vec::new() }
        );
        assert_eq!(results[4], [(me * 5) as f64; 2]);
        assert_eq!(results[5], [values[..=me].iter().sum::<f64>()]);
        assert_eq!(results[6], [(0..n).map(|i| (i * me) as f64).sum::<f64>()]);
        assert_eq!(
            results[7],
            if me == 3 { vec![values[4]] } else { Vec::new() }
        );
        let crossed = pairs.remove(0).get();
        assert_eq!(crossed, (0..n).map(|i| pair(i + me)).collect::<Vec<_>>());
        checkpoint!();
        assert_eq!(pairs.remove(0).get(), vec![pair(60), pair(61)]);
        let below = (0..me as u64).sum::<u64>();
        assert_eq!(
            scanned.take().map(CollectiveFuture::get),
            Some(vec![[below; 2]])
        );
        sum += results[0][0] + results[5][0];
    }
    sum
}

fn floats(world: &SimpleCommunicator, value: f64) -> Vec<CollectiveFuture<f64>> {
    let (me, n) = (world.rank() as usize, world.size() as usize);
    let root = world.process_at_rank(3);
    let shares: Vec<f64> = (0..n).flat_map(|i| [(i * 5) as f64; 2]).collect();
    let products: Vec<f64> = (0..n).map(|i| (i * me) as f64).collect();
    vec![
        world.immediate_all_reduce_owned(value, Op::sum()),
        world.immediate_all_gather_owned(value),
        root.immediate_broadcast_owned(vec![value, -value]),
        root.immediate_gather_owned(value),
        root.immediate_scatter_owned(shares, 2),
        world.immediate_scan_owned(value, Op::sum()),
        world.immediate_reduce_scatter_block_owned(products, Op::sum()),
        root.immediate_reduce_owned(value, Op::max()),
    ]
}

fn structs(world: &SimpleCommunicator) -> Vec<CollectiveFuture<Pair>> {
    let (me, n) = (world.rank() as usize, world.size() as usize);
    let out: Vec<Pair> = (0..n).map(|i| pair(i + me)).collect();
    let root = world.process_at_rank(1);
    let shared = if me == 1 {
        vec![pair(60), pair(61)]
    } else {
        vec![Pair::default(); 2]
    };
    vec![
        world.immediate_all_to_all_owned(out),
        root.immediate_broadcast_owned(shared),
    ]
}

/// Messages of persistent requests, which are at locations before they are started, under way, done, and waited for.
#[checkpointable]
pub fn persistent(world: &SimpleCommunicator) -> usize {
    let (me, n) = (world.rank(), world.size());
    let (next, before) = ((me + 1) % n, (me + n - 1) % n);
    let next = world.process_at_rank(next);
    let before = world.process_at_rank(before);
    let mut out: PersistentSend<Pair> = next.persistent_send(2);
    let mut sync: PersistentSend<f64> = next.persistent_synchronous_send_with_tag(1, 5);
    let mut nobody: PersistentSend<u8> = world.null_process().persistent_send(1);
    let mut into: PersistentReceive<Pair> = before.persistent_receive_with_tag(3, 0);
    let mut last: PersistentReceive<f64> = world.any_process().persistent_receive_with_tag(1, 5);
    let mut seen = 0;
    checkpoint!();
    for round in 0..3_usize {
        into.start();
        checkpoint!();
        out.start(&[pair(round), pair(me as usize)]);
        nobody.start(&[1]);
        checkpoint!();
        sync.start(&[me as f64]);
        checkpoint!();
        last.start();
        let (pairs, status) = into.wait();
        assert_eq!(pairs, [pair(round), pair(status.source_rank() as usize)]);
        checkpoint!();
        out.wait();
        nobody.wait();
        assert!(out.is_done());
        let (value, _) = last.wait();
        sync.wait();
        seen += pairs[1].size / 1000 + value[0] as usize;
        checkpoint!();
    }
    drop(nobody);
    // Under way, and not waited for.
    out.start(&[pair(7), pair(8)]);
    drop(out);
    assert_eq!(before.receive_vec::<Pair>().0, [pair(7), pair(8)]);
    into.start();
    drop((into, sync, last));
    seen
}
