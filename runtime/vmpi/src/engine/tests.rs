//! Ranks that pass locations, without generated code: what it does is done by hand.

#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicU32, Ordering::*};
use std::sync::Mutex;

use pc3_runtime::job::Job;
use pc3_runtime::transfer::{Basic as Arith, Target};

use super::*;
use crate::datatype::{basic::Basic, of_basic};
use crate::p2p::{Buf, Dest, Key, Mode, ANY_SOURCE, ANY_TAG};

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
    for &backend in Backend::ALL {
        for workers in [1, 3] {
            let engine = MpiEngine::new(ranks, workers, backend);
            let job = Arc::new(Job::detached(ranks, workers));
            let all = (0..ranks)
                .map(|id| Rank::new(job.clone(), id).unwrap())
                .collect();
            engine.world.coord.lock().plan(target);
            assert_eq!(engine.run(&job, all, body), 0);
        }
    }
}

/// What `if (pc3_flag && pc3_due(...)) return ...` and the way back amount to.
fn location(rank: &mut Rank) -> bool {
    rank.abi.passages += 1;
    let world = RankState::current().world();
    let yes = due(world, rank);
    if yes {
        unwound(world, rank);
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
    fn source_size(&self, _: Arith) -> usize {
        unreachable!("messages are saved in the portable format")
    }
    fn convert(&self, _: Arith, _: &[u8]) -> Result<Vec<u8>, LoadError> {
        unreachable!("messages are saved in the portable format")
    }
}

static SEEN: AtomicU32 = AtomicU32::new(0);

/// Unreceived messages, posted receives, synchronous sends and persistent requests go on in
/// another world, on other workers.
#[test]
fn what_is_in_flight_survives() {
    use crate::c::p2p::*;
    use crate::c::request::*;
    use crate::handle::abi::{COMM_WORLD, REQUEST_NULL};
    use std::ptr::null_mut;
    const INT: usize = Basic::Int as usize;

    /// One rank's memory.
    #[derive(Default)]
    struct Memory {
        into: [i32; 4],
        sync: [i32; 2],
        again: [i32; 1],
        reqs: [usize; 3],
    }
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
            let mut m = m[me.rank as usize].lock().unwrap();
            let m = &mut *m;
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
        }));
        for (a, b) in first.world.ranks().iter().zip(second.world.ranks()) {
            let bytes = state::save::save(a, &SaveCtx::default());
            for cut in 0..bytes.len() {
                let damaged = MpiEngine::new(2, 1, to);
                assert!(
                    state::load::load(damaged.world.rank(b.rank), &bytes[..cut], &Same).is_err(),
                    "{cut}"
                );
                if cut % 50 == 49 {
                    break;
                }
            }
            state::load::load(b, &bytes, &Same).unwrap();
        }
        state::link(&second.world).unwrap();
        let m = Arc::clone(&mem);
        second.world.run(Box::new(move |me| unsafe {
            let m = &raw mut *m[me.rank as usize].lock().unwrap();
            let m = &mut *m;
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
            SEEN.fetch_add(1, Relaxed);
        }));
    }
    assert_eq!(
        SEEN.load(Relaxed),
        2 * (Backend::ALL.len() * Backend::ALL.len()) as u32
    );
}
