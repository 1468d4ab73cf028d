//! Ranks that pass locations, without generated code: what it does is done by hand.

#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicU32, Ordering::*};
use std::sync::Mutex;
use std::time::Duration;

use pc3_runtime::control::Every;
use pc3_runtime::job::Job;
use pc3_runtime::transfer::Target;

use super::*;
use pc3_vmpi_api::messages::p2p::*;
use pc3_vmpi_api::messages::persistent::*;
use pc3_vmpi_api::messages::requests::*;
use pc3_vmpi_core::p2p::{Buf, Dest, Key, Mode, ANY_SOURCE, ANY_TAG};
use pc3_vmpi_objects::datatype::basic::Basic;
use pc3_vmpi_objects::datatype::of_basic;
use pc3_vmpi_objects::handle::abi::{COMM_WORLD, REQUEST_NULL};
use std::ptr::null_mut;

#[test]
fn sizes() {
    for (text, want) in [
        ("65536", Some(65536)),
        ("64k", Some(64 << 10)),
        ("8 M", Some(8 << 20)),
        ("", None),
        ("12", None),
        ("M", None),
        ("-1M", None),
        ("99999999999999999999G", None),
    ] {
        assert_eq!(parse_size(text), want, "{text}");
    }
}

/// Runs `body` on an engine with a checkpoint planned for passage `target`; the checkpoint itself
/// fails for want of a directory, which is no business of the coordination.
fn planned(ranks: usize, target: u64, body: Body) {
    let first = |e: &MpiEngine, _: &mut [Box<Rank>]| e.world.coord.lock().plan(target);
    on_all(ranks, Every::Never, first, body);
}

/// With a checkpoint at every `n`-th passage.
fn every(ranks: usize, n: u64, body: Body) {
    on_all(ranks, Every::Passages(n), |_, _| {}, body);
}

fn on_all(ranks: usize, every: Every, first: impl Fn(&MpiEngine, &mut [Box<Rank>]), body: Body) {
    for &backend in Backend::ALL {
        for workers in [1, 3] {
            let engine = MpiEngine::new(ranks, workers, backend);
            let job = Arc::new(Job::detached(ranks, workers, every));
            let mut all: Vec<Box<Rank>> = (0..ranks)
                .map(|id| Rank::new(job.clone(), id).unwrap())
                .collect();
            first(&engine, &mut all);
            assert_eq!(engine.run(&job, all, body), 0);
        }
    }
}

/// What `if (pc3_flag && pc3_due(...)) return ...` and the way back amount to.
fn location(rank: &mut Rank) -> bool {
    rank.abi.passages = rank.abi.passages.wrapping_add(1);
    let world = RankState::current().world();
    let yes = world.protocol.due(world, rank);
    if yes {
        world.protocol.unwound(world, rank);
    }
    yes
}

fn send(me: &RankState, v: u32, to: u32) {
    let (mut v, t) = (v, of_basic(Basic::Unsigned));
    let to = Dest {
        world: to,
        ctx: 0,
        src: me.rank as i32,
        tag: 0,
    };
    unsafe { p2p::send(me, Buf::new((&raw mut v).cast(), 1, &t), to, Mode::Standard) }.unwrap();
}

fn recv(me: &RankState, from: u32) -> u32 {
    let (mut v, t) = (0, of_basic(Basic::Unsigned));
    let key = Key {
        ctx: 0,
        src: from as i32,
        tag: 0,
    };
    unsafe { p2p::recv(me, Buf::new((&raw mut v).cast(), 1, &t), key) }.unwrap();
    v
}

#[test]
fn ranks_in_step_meet_once() {
    planned(6, 5, |rank| {
        let me = RankState::current();
        let n = me.size();
        let mut taken = Vec::new();
        for i in 1..=10 {
            send(me, i, (me.rank + 1) % n);
            assert_eq!(recv(me, (me.rank + n - 1) % n), i);
            if location(rank) {
                taken.push(i);
            }
        }
        assert_eq!(taken, [5]);
        0
    });
}

/// Rank 1 needs what rank 0 sends after its location: no cut at equal passages exists.
#[test]
fn an_infeasible_plan_moves_on() {
    planned(2, 1, |rank| {
        let me = RankState::current();
        let mut taken = Vec::new();
        for i in 1..=20 {
            if me.rank == 0 {
                if location(rank) {
                    taken.push(i);
                }
                send(me, i, 1);
            } else {
                assert_eq!(recv(me, 0), i);
                if location(rank) {
                    taken.push(i);
                }
            }
        }
        assert_eq!(taken.len(), 1);
        0
    });
}

#[test]
fn every_third_passage_is_taken() {
    every(6, 3, |rank| {
        let me = RankState::current();
        let n = me.size();
        let mut taken = Vec::new();
        for i in 1..=11 {
            // Ranks are ahead of others by different amounts.
            if i % 4 == 0 {
                send(me, i, (me.rank + 1) % n);
                assert_eq!(recv(me, (me.rank + n - 1) % n), i);
            }
            if location(rank) {
                taken.push(i);
            }
        }
        assert_eq!(taken, [3, 6, 9]);
        0
    });
}

/// The first plan is infeasible; the later ones meet where the ranks then are.
#[test]
fn every_passage_is_taken_out_of_step() {
    every(2, 1, |rank| {
        let me = RankState::current();
        let mut taken = Vec::new();
        for i in 1..=20 {
            if me.rank == 0 {
                if location(rank) {
                    taken.push(i);
                }
                send(me, i, 1);
            } else {
                assert_eq!(recv(me, 0), i);
                if location(rank) {
                    taken.push(i);
                }
            }
        }
        let from = if me.rank == 0 { 2 } else { 1 };
        assert_eq!(taken, (from..=20).collect::<Vec<_>>());
        0
    });
}

/// Three passages of one rank to one of the other: at intervals of the faster one's.
#[test]
fn unequal_passages_go_by_the_furthest() {
    every(2, 30, |rank| {
        let me = RankState::current();
        let (mut passed, mut taken) = (0, Vec::new());
        for i in 1..=100 {
            for _ in 0..if me.rank == 0 { 3 } else { 1 } {
                passed += 1;
                if location(rank) {
                    taken.push(passed);
                }
            }
            if me.rank == 0 {
                send(me, i, 1);
                assert_eq!(recv(me, 1), i);
            } else {
                assert_eq!(recv(me, 0), i);
                send(me, i, 0);
            }
        }
        // The last one is due after the other rank's last location.
        assert_eq!(taken.len(), 9, "{taken:?}");
        if me.rank == 0 {
            for (k, at) in (30..300).step_by(30).zip(&taken) {
                assert!((k..k + 3).contains(at), "{taken:?}");
            }
        }
        0
    });
}

/// Generated code counts in 32 bits.
#[test]
fn counters_wrap() {
    let near = u64::from(u32::MAX) - 4;
    let set = |e: &MpiEngine, ranks: &mut [Box<Rank>]| {
        for r in ranks {
            r.abi.passages = near as u32;
        }
        e.world.coord.lock().plan(near + 10);
    };
    on_all(3, Every::Never, set, |rank| {
        let me = RankState::current();
        let n = me.size();
        let mut taken = Vec::new();
        for i in 1..=20 {
            send(me, i, (me.rank + 1) % n);
            assert_eq!(recv(me, (me.rank + n - 1) % n), i);
            if location(rank) {
                taken.push(i);
            }
        }
        assert_eq!(taken, [10]);
        0
    });
}

/// The same with a receiver that polls: it never blocks, but nothing comes of it either.
#[test]
fn polling_does_not_hang_a_plan() {
    planned(2, 1, |rank| {
        let me = RankState::current();
        for i in 1..=5 {
            if me.rank == 0 {
                location(rank);
                send(me, i, 1);
            } else {
                while p2p::iprobe(
                    me,
                    &Key {
                        ctx: 0,
                        src: ANY_SOURCE,
                        tag: ANY_TAG,
                    },
                )
                .is_none()
                {}
                assert_eq!(recv(me, 0), i);
                location(rank);
            }
        }
        0
    });
}

#[test]
fn hopeless_plans_let_the_program_go_on() {
    planned(3, 1, |rank| {
        let me = RankState::current();
        // Rank 2 never passes a location and waits for the others' end.
        if me.rank == 2 {
            assert_eq!(recv(me, 0) + recv(me, 1), 2000);
        } else {
            for _ in 0..1000 {
                assert!(!location(rank));
            }
            send(me, 1000, 2);
        }
        0
    });
}

/// Addresses stay as they are: the checkpoint is loaded where it was written.
struct Same;
impl LoadCtx for Same {
    fn pointer(&self, source: u64) -> Target {
        match source as usize as *mut u8 {
            p if p.is_null() => Target::Null,
            p => Target::At(p),
        }
    }
}

static SEEN: AtomicU32 = AtomicU32::new(0);

/// One rank's memory.
#[derive(Default)]
struct Memory {
    into: [i32; 4],
    sync: [i32; 2],
    again: [i32; 1],
    reqs: [usize; 3],
}

const INT: usize = Basic::Int as usize;

/// A rank leaves messages and requests behind.
unsafe fn leaves(me: &RankState, m: &mut Memory) {
    if me.rank == 0 {
        let (small, large) = ([1i32, 2, 3], vec![7i32; 50_000]);
        m.sync = [40, 41];
        MPI_Send(small.as_ptr().cast(), 3, INT, 1, 10, COMM_WORLD);
        MPI_Issend(
            m.sync.as_ptr().cast(),
            2,
            INT,
            1,
            10,
            COMM_WORLD,
            &mut m.reqs[0],
        );
        MPI_Isend(
            large.as_ptr().cast(),
            50_000,
            INT,
            1,
            11,
            COMM_WORLD,
            &mut m.reqs[1],
        );
        MPI_Recv_init(
            m.again.as_mut_ptr().cast(),
            1,
            INT,
            1,
            12,
            COMM_WORLD,
            &mut m.reqs[2],
        );
        p2p::settle(me);
    } else {
        MPI_Irecv(
            m.into.as_mut_ptr().cast(),
            4,
            INT,
            0,
            20,
            COMM_WORLD,
            &mut m.reqs[0],
        );
        MPI_Irecv(
            m.into.as_mut_ptr().add(1).cast(),
            4,
            INT,
            0,
            20,
            COMM_WORLD,
            &mut m.reqs[1],
        );
        m.reqs[2] = REQUEST_NULL;
    }
}

/// What became of them in another world.
unsafe fn goes_on(me: &RankState, m: &mut Memory) {
    let mut big = vec![0i32; 50_000];
    if me.rank == 0 {
        for v in [5i32, 6] {
            MPI_Send((&raw const v).cast(), 1, INT, 1, 20, COMM_WORLD);
        }
        MPI_Start(&mut m.reqs[2]);
        assert_eq!(MPI_Waitall(3, m.reqs.as_mut_ptr(), null_mut()), 0);
        assert_eq!(m.again, [99]);
    } else {
        assert_eq!(MPI_Waitall(3, m.reqs.as_mut_ptr(), null_mut()), 0);
        assert_eq!(m.into[..2], [5, 6]);
        MPI_Recv(
            big.as_mut_ptr().cast(),
            50_000,
            INT,
            0,
            11,
            COMM_WORLD,
            null_mut(),
        );
        assert_eq!(big, vec![7; 50_000]);
        for want in [&[1, 2, 3][..], &[40, 41]] {
            MPI_Recv(
                big.as_mut_ptr().cast(),
                9,
                INT,
                0,
                10,
                COMM_WORLD,
                null_mut(),
            );
            assert_eq!(&big[..want.len()], want);
        }
        MPI_Send([99i32].as_ptr().cast(), 1, INT, 0, 12, COMM_WORLD);
    }
}

/// Takes what ranks have left into another world; damaged it is not taken.
fn carry(first: &MpiEngine, second: &MpiEngine, to: Backend) {
    for (a, b) in first.world.ranks().iter().zip(second.world.ranks()) {
        let bytes = save::save(a, &SaveCtx::default());
        for cut in 0..bytes.len().min(50) {
            let damaged = MpiEngine::new(2, 1, to);
            assert!(
                load::load(damaged.world.rank(b.rank), &bytes[..cut], &Same, false).is_err(),
                "{cut}"
            );
        }
        load::load(b, &bytes, &Same, false).unwrap();
    }
    message::link(&second.world).unwrap();
}

/// Unreceived messages, posted receives, synchronous sends and persistent requests go on in
/// another world, on other workers.
#[test]
fn what_is_in_flight_survives() {
    let memory = || Arc::new([(); 2].map(|()| Mutex::new(Memory::default())));
    for (from, to) in Backend::ALL
        .iter()
        .flat_map(|a| Backend::ALL.iter().map(move |b| (*a, *b)))
    {
        let mem = memory();
        let (first, second) = (MpiEngine::new(2, 1, from), MpiEngine::new(2, 2, to));
        let m = Arc::clone(&mem);
        first.world.run(Box::new(move |me| unsafe {
            me.phase.set(Phase::Initialized);
            leaves(me, &mut m[me.rank as usize].lock().unwrap());
        }));
        carry(&first, &second, to);
        let m = Arc::clone(&mem);
        second.world.run(Box::new(move |me| unsafe {
            let m = &raw mut *m[me.rank as usize].lock().unwrap();
            goes_on(me, &mut *m);
            SEEN.fetch_add(1, Relaxed);
        }));
    }
    assert_eq!(
        SEEN.load(Relaxed),
        2 * (Backend::ALL.len() * Backend::ALL.len()) as u32
    );
}

fn polls(me: &RankState) -> bool {
    let any = Key {
        ctx: 0,
        src: ANY_SOURCE,
        tag: ANY_TAG,
    };
    p2p::iprobe(me, &any).is_some()
}

/// Runs with so many milliseconds of patience; what was reported.
fn watched(ranks: usize, workers: usize, patience: u64, body: Body) -> Vec<String> {
    let engine = MpiEngine::new(ranks, workers, Backend::ALL[0]);
    let said = Arc::new(Mutex::new(Vec::new()));
    let (world, list) = (&engine.world, Arc::clone(&said));
    let report = move |text: &str| list.lock().unwrap().push(text.to_owned());
    assert!(world.on_deadlock.set(Box::new(report)).is_ok());
    let mut job = Job::detached(ranks, workers, Every::Never);
    job.polling = Duration::from_millis(patience);
    let job = Arc::new(job);
    let all = (0..ranks).map(|id| Rank::new(job.clone(), id).unwrap());
    assert_eq!(engine.run(&job, all.collect(), body), 0);
    let said = said.lock().unwrap().clone();
    said
}

/// Rank 0 polls until it loses patience itself, which the report must not forestall.
#[test]
fn polling_for_what_nobody_can_send_is_told() {
    for workers in [1, 3] {
        let said = watched(3, workers, 20, |_| {
            let me = RankState::current();
            match me.rank {
                0 => {
                    let start = std::time::Instant::now();
                    while start.elapsed().as_secs() < 2 {
                        assert!(!polls(me));
                    }
                    send(me, 1, 1);
                }
                1 => assert_eq!(recv(me, 0), 1),
                _ => {}
            }
            0
        });
        assert_eq!(said.len(), 1, "{said:?}");
        for words in ["rank 0: polls", "rank 1: waits", "rank 2: has ended"] {
            assert!(said[0].contains(words), "{words}: {}", said[0]);
        }
    }
}

#[test]
fn polling_for_each_other_is_no_news() {
    for workers in [1, 3] {
        let said = watched(3, workers, 50, |_| {
            let me = RankState::current();
            if me.rank == 2 {
                assert_eq!(recv(me, 0), 7);
                return 0;
            }
            let start = std::time::Instant::now();
            for i in 0.. {
                let last = me.rank == 0 && start.elapsed().as_millis() > 500;
                let v = if last { u32::MAX } else { i };
                if me.rank == 0 {
                    send(me, v, 1);
                    if last {
                        break;
                    }
                }
                while !polls(me) {}
                if recv(me, 1 - me.rank) == u32::MAX {
                    break;
                }
                if me.rank == 1 {
                    send(me, i, 0);
                }
            }
            if me.rank == 0 {
                send(me, 7, 2);
            }
            0
        });
        assert!(said.is_empty(), "{said:?}");
    }
}

/// Rank 1 polls for what rank 2 sends when rank 0, whose messages nobody receives meanwhile, has sent them all.
#[test]
fn polling_lets_go_who_sends_ahead() {
    const AHEAD: u32 = 3 * pc3_vmpi_core::mail::BACKLOG_MESSAGES as u32;
    for workers in [1, 3] {
        let said = watched(3, workers, 60_000, |_| {
            let me = RankState::current();
            match me.rank {
                0 => {
                    (0..AHEAD).for_each(|i| send(me, i, 1));
                    send(me, 7, 2);
                }
                1 => {
                    let key = Key {
                        ctx: 0,
                        src: 2,
                        tag: ANY_TAG,
                    };
                    let start = std::time::Instant::now();
                    while p2p::iprobe(me, &key).is_none() {
                        assert!(start.elapsed().as_secs() < 50);
                    }
                    (0..AHEAD).for_each(|i| assert_eq!(recv(me, 0), i));
                    assert_eq!(recv(me, 2), 9);
                }
                _ => {
                    assert_eq!(recv(me, 0), 7);
                    send(me, 9, 1);
                }
            }
            0
        });
        assert!(said.is_empty(), "{said:?}");
    }
}
