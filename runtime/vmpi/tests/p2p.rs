//! Messages between ranks, on every back end, with one worker and with several.

#![allow(clippy::unwrap_used)]

use std::hash::{DefaultHasher, Hasher};
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex};

use pc3_vmpi::datatype::{basic::Basic, of_basic, TypeRef};
use pc3_vmpi::engine::world;
use pc3_vmpi::error::Class;
use pc3_vmpi::p2p::{self, Buf, Dest, Key, Mode, Status, ANY_SOURCE, ANY_TAG};
use pc3_vmpi::sched::Backend;
use pc3_vmpi::state::RankState;

const STACK: usize = 256 << 10;

/// Runs `f` on every rank under every back end with 1 and 4 workers.
fn check(ranks: u32, f: impl Fn(&RankState) + Clone + Send + Sync + 'static) {
    for &backend in Backend::ALL {
        for workers in [1, 4] {
            world(ranks, workers, backend, STACK).run(Box::new(f.clone()));
        }
    }
}

fn byte() -> TypeRef {
    of_basic(Basic::Byte)
}

fn send(me: &RankState, data: &[u8], to: u32, tag: i32, mode: Mode) {
    unsafe {
        p2p::send(
            me,
            Buf::new(data.as_ptr().cast_mut(), data.len(), &byte()),
            dest(me, to, tag),
            mode,
        )
    }
    .unwrap();
}

fn dest(me: &RankState, to: u32, tag: i32) -> Dest {
    Dest {
        world: to,
        ctx: 0,
        src: me.rank as i32,
        tag,
    }
}

fn key(src: i32, tag: i32) -> Key {
    Key { ctx: 0, src, tag }
}

fn try_recv(
    me: &RankState,
    room: usize,
    src: i32,
    tag: i32,
) -> pc3_vmpi::error::Result<(Vec<u8>, Status)> {
    let mut v = vec![0; room];
    let s = unsafe { p2p::recv(me, Buf::new(v.as_mut_ptr(), room, &byte()), key(src, tag)) }?;
    v.truncate(s.bytes);
    Ok((v, s))
}

fn recv(me: &RankState, src: i32, tag: i32) -> (Vec<u8>, Status) {
    try_recv(me, 1 << 20, src, tag).unwrap()
}

#[test]
fn messages_of_one_sender_stay_in_order() {
    check(2, |me| {
        for size in [1, 60, 5000, 100_000] {
            if me.rank == 0 {
                for i in 0..50u8 {
                    send(me, &vec![i; size], 1, i32::from(i % 3), Mode::Standard);
                }
            } else {
                // Tag 2 first: later messages with other tags must not get in its way.
                let tags = [2, ANY_TAG, 0, ANY_TAG];
                let mut seen = Vec::new();
                for i in 0..50usize {
                    let tag = if i < 16 { 2 } else { tags[i % 2 * 3] };
                    let tag = if i < 16 { tag } else { ANY_TAG };
                    let (data, s) = recv(me, 0, tag);
                    assert_eq!(
                        (data.len(), s.bytes, s.source, s.tag),
                        (size, size, 0, i32::from(data[0] % 3))
                    );
                    seen.push(data[0]);
                }
                let mut want: Vec<u8> = (0..50).filter(|i| i % 3 == 2).collect();
                want.extend((0..50).filter(|i| i % 3 != 2));
                assert_eq!(seen, want);
            }
        }
    });
}

#[test]
fn wildcards_take_whatever_comes() {
    check(5, |me| {
        if me.rank == 0 {
            let mut from = [0; 5];
            for _ in 0..400 {
                let (data, s) = recv(me, ANY_SOURCE, ANY_TAG);
                let n = from[s.source as usize];
                assert_eq!((s.tag, data[0]), (n, s.source as u8));
                from[s.source as usize] += 1;
            }
            assert_eq!(from, [0, 100, 100, 100, 100]);
        } else {
            for i in 0..100 {
                send(me, &[me.rank as u8; 9], 0, i, Mode::Standard);
            }
        }
    });
}

#[test]
fn posted_receives_match_in_order_of_posting() {
    check(2, |me| {
        let t = byte();
        if me.rank == 0 {
            let mut bufs = [[0u8; 4]; 4];
            let asks = [(0, 7), (1, ANY_TAG), (ANY_SOURCE, 7), (1, 7)];
            let reqs: Vec<_> = std::iter::zip(&mut bufs, asks)
                .map(|(b, (src, tag))| unsafe {
                    p2p::irecv(me, Buf::new(b.as_mut_ptr(), 4, &t), key(src, tag))
                })
                .collect();
            send(me, b"go", 1, 0, Mode::Standard);
            send(me, b"self", 0, 7, Mode::Standard);
            let got: Vec<Status> = reqs
                .into_iter()
                .map(|r| p2p::wait(me, r).unwrap())
                .collect();
            assert_eq!(bufs.map(|b| b[0]), [b's', b'a', b'b', b'c']);
            assert_eq!(got.iter().map(|s| s.tag).collect::<Vec<_>>(), [7, 7, 7, 7]);
        } else {
            recv(me, 0, 0);
            for c in *b"abc" {
                send(me, &[c], 0, 7, Mode::Standard);
            }
        }
    });
}

#[test]
fn longer_messages_are_truncated_with_an_error() {
    for size in [10, 60, 1000, 200_000] {
        for posted in [false, true] {
            check(2, move |me| {
                if me.rank == 0 {
                    if posted {
                        recv(me, 1, 1);
                    }
                    send(me, &vec![7; size], 1, 0, Mode::Standard);
                } else {
                    if posted {
                        let mut b = [0u8; 8];
                        let r = unsafe {
                            p2p::irecv(me, Buf::new(b.as_mut_ptr(), 7, &byte()), key(0, 0))
                        };
                        send(me, b"", 0, 1, Mode::Standard);
                        assert_eq!(p2p::wait(me, r).unwrap_err().class, Class::ERR_TRUNCATE);
                        assert_eq!(b, [7, 7, 7, 7, 7, 7, 7, 0]);
                    } else {
                        let e = try_recv(me, 7, 0, 0).unwrap_err();
                        assert_eq!(e.class, Class::ERR_TRUNCATE);
                    }
                }
            });
        }
    }
}

#[test]
fn modes() {
    check(2, |me| {
        if me.rank == 0 {
            me.bsend.size.set(1 << 20);
            send(me, &[1; 100_000], 1, 1, Mode::Buffered);
            let t = byte();
            let big = vec![0u8; 1 << 20];
            let full = unsafe {
                p2p::send(
                    me,
                    Buf::new(big.as_ptr().cast_mut(), big.len(), &t),
                    dest(me, 1, 1),
                    Mode::Buffered,
                )
            };
            assert_eq!(full.unwrap_err().class, Class::ERR_BUFFER);
            let r = unsafe {
                p2p::isend(
                    me,
                    Buf::new(big.as_ptr().cast_mut(), 1, &t),
                    dest(me, 1, 2),
                    Mode::Synchronous,
                )
            }
            .unwrap();
            assert!(!p2p::test(me, r.get()) || me.world().sched().workers() > 1);
            send(me, b"x", 1, 3, Mode::Standard);
            p2p::wait(me, r).unwrap();
            recv(me, 1, 0);
            send(me, b"ready", 1, 4, Mode::Ready);
            assert!(me.bsend.is_empty());
        } else {
            recv(me, 0, 3);
            assert_eq!(recv(me, 0, 1).0, [1; 100_000]);
            assert_eq!(recv(me, 0, 2).0.len(), 1);
            let mut b = [0u8; 5];
            let r = unsafe { p2p::irecv(me, Buf::new(b.as_mut_ptr(), 5, &byte()), key(0, 4)) };
            send(me, b"", 0, 0, Mode::Standard);
            p2p::wait(me, r).unwrap();
            assert_eq!(&b, b"ready");
        }
    });
}

#[test]
fn to_oneself() {
    check(3, |me| {
        for size in [8, 100_000] {
            send(me, &vec![3; size], me.rank, 5, Mode::Standard);
            assert_eq!(recv(me, me.rank as i32, 5).0, vec![3; size]);
        }
    });
}

/// MPI allows standard sends to block, but a program that needs buffering goes on all the same.
#[test]
fn large_head_to_head_sends_complete() {
    check(4, |me| {
        for _ in 0..3 {
            send(
                me,
                &vec![me.rank as u8; 300_000],
                me.rank ^ 1,
                0,
                Mode::Standard,
            );
            assert_eq!(
                recv(me, (me.rank ^ 1) as i32, 0).0[299_999],
                (me.rank ^ 1) as u8
            );
        }
    });
}

/// Messages of moderate size may stay with their senders, who wait for nobody all the same.
#[test]
fn moderate_sends_wait_for_nobody() {
    fn begin(me: &RankState, data: &[u8], tag: i32) -> p2p::Req {
        let buf = (data.as_ptr().cast_mut(), byte());
        let buf = Buf::new(buf.0, data.len(), &buf.1);
        unsafe { p2p::isend(me, buf, dest(me, 1, tag), Mode::Standard) }.unwrap()
    }
    const TAGS: i32 = 7;
    check(4, |me| match me.rank {
        0 => {
            // The receiver takes the last one first: none of these may wait for it.
            send(me, &[0; 20_000], 1, 0, Mode::Standard);
            let mut data: Vec<Vec<u8>> = (1..6).map(|tag| vec![tag; 20_000]).collect();
            let mut r = data.iter().zip(1..).map(|(d, tag)| begin(me, d, tag));
            let [waited, tested, polled, any, freed] = std::array::from_fn(|_| r.next().unwrap());
            p2p::wait(me, waited).unwrap();
            assert!(p2p::test(me, tested.get()));
            p2p::wait(me, tested).unwrap();
            p2p::wait::poll(me, std::iter::once(polled.get()));
            assert!(polled.get().is_done());
            p2p::wait(me, polled).unwrap();
            let first = p2p::wait::wait_any(me, std::iter::once((3, any.get())));
            assert_eq!(first, Some(3));
            p2p::wait(me, any).unwrap();
            p2p::free(me, freed);
            // All have gone: the memory is the program's again.
            data.iter_mut().for_each(|d| d.fill(255));
            send(me, b"", 1, TAGS, Mode::Standard);
            recv(me, 1, 0);
        }
        1 => {
            recv(me, 0, TAGS);
            for tag in (0..6).rev() {
                assert_eq!(recv(me, 0, tag).0, vec![tag as u8; 20_000]);
            }
            send(me, b"", 0, 0, Mode::Standard);
        }
        // Head to head, while others run.
        _ => {
            for _ in 0..100 {
                send(me, &[me.rank as u8; 5_000], me.rank ^ 1, 0, Mode::Standard);
                assert_eq!(
                    recv(me, (me.rank ^ 1) as i32, 0).0,
                    [me.rank as u8 ^ 1; 5_000]
                );
            }
        }
    });
}

#[test]
fn a_fast_sender_does_not_fill_memory() {
    check(2, |me| {
        const N: u32 = 50_000;
        if me.rank == 0 {
            for i in 0..N {
                send(me, &i.to_le_bytes(), 1, 0, Mode::Standard);
            }
        } else {
            for i in 0..N {
                let (mut b, t) = ([0; 4], byte());
                unsafe { p2p::recv(me, Buf::new(b.as_mut_ptr(), 4, &t), key(0, 0)) }.unwrap();
                assert_eq!(u32::from_le_bytes(b), i);
            }
        }
    });
}

#[test]
fn probes_and_cancellation() {
    check(2, |me| {
        if me.rank == 0 {
            let s = p2p::probe(me, &key(ANY_SOURCE, ANY_TAG));
            assert_eq!((s.source, s.tag, s.bytes), (1, 9, 77));
            assert_eq!(p2p::iprobe(me, &key(1, 9)).map(|s| s.bytes), Some(77));
            assert_eq!(p2p::iprobe(me, &key(1, 8)), None);
            assert_eq!(recv(me, 1, 9).0, [9; 77]);
            let mut b = [0u8; 4];
            let r = unsafe { p2p::irecv(me, Buf::new(b.as_mut_ptr(), 4, &byte()), key(1, 1)) };
            p2p::cancel(me, r.get());
            assert!(p2p::wait(me, r).unwrap().cancelled);
            send(me, b"", 1, 0, Mode::Standard);
            // Polling for something that needs another rank's progress.
            while p2p::iprobe(me, &key(1, 2)).is_none() {}
            assert_eq!(recv(me, 1, 2).0, b"end");
        } else {
            send(me, &[9; 77], 0, 9, Mode::Standard);
            recv(me, 0, 0);
            send(me, b"end", 0, 2, Mode::Standard);
        }
    });
}

/// Ranks 4 and 5 share a worker, wherever there are several: what comes for them lies together. One has receives posted for some of it,
/// one too short, and both look for the rest.
#[test]
fn bursts_for_two_ranks_of_a_worker() {
    const BURST: u8 = 40;
    check(8, |me| {
        let t = byte();
        for round in 0..20u8 {
            match me.rank {
                0 => {
                    for i in 0..BURST {
                        for to in [4, 5, 5, 4] {
                            send(me, &[i, round, to as u8], to, i.into(), Mode::Standard);
                        }
                    }
                }
                4 | 5 => {
                    let mut bufs = [[0u8; 3]; 12];
                    let posted = if me.rank == 4 { 12 } else { 0 };
                    let ask = |(n, b): (usize, &mut [u8; 3])| {
                        let room = if n == 3 { 2 } else { 3 };
                        let tag = if n % 2 == 0 { ANY_TAG } else { n as i32 / 2 };
                        unsafe { p2p::irecv(me, Buf::new(b.as_mut_ptr(), room, &t), key(0, tag)) }
                    };
                    let asked = bufs.iter_mut().take(posted).enumerate().map(ask);
                    let asked: Vec<_> = asked.collect();
                    for (n, r) in asked.into_iter().enumerate() {
                        let got = p2p::wait(me, r).map_err(|e| e.class);
                        let want = (n != 3).then_some(n as i32 / 2);
                        assert_eq!(got.map(|s| s.tag).ok(), want);
                    }
                    for (n, b) in bufs.iter().take(posted).enumerate() {
                        let last = if n == 3 { 0 } else { me.rank as u8 };
                        assert_eq!(*b, [n as u8 / 2, round, last]);
                    }
                    for n in posted..usize::from(BURST) * 2 {
                        let found = p2p::probe(me, &key(0, ANY_TAG));
                        let (data, s) = recv(me, 0, ANY_TAG);
                        assert_eq!(found, s);
                        assert_eq!(data, [n as u8 / 2, round, me.rank as u8]);
                    }
                    send(me, b"", 0, 0, Mode::Standard);
                }
                _ => {}
            }
            if me.rank == 0 {
                [4, 5].into_iter().for_each(|from| drop(recv(me, from, 0)));
            }
        }
    });
}

/// Every rank sends random messages to random ranks; sums of what was sent and received agree.
#[test]
fn random_traffic() {
    for seed in 1..=4u64 {
        let sums = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
        let s = Arc::clone(&sums);
        check(13, move |me| {
            const EACH: u64 = 25;
            let mut x = seed * 1000 + u64::from(me.rank) + 1;
            let mut next = move |n: u64| {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                x % n
            };
            let t = byte();
            let sizes = [0, 1, 8, 62, 63, 500, 6_000, 30_000, 70_000];
            // Receives are posted half in advance; everyone gets exactly EACH from every rank.
            let mut bufs = vec![vec![0u8; 70_000]; 20];
            let total = EACH * 13;
            let mut out = Vec::new();
            let mut order: Vec<u32> = (0..13)
                .flat_map(|r| std::iter::repeat_n(r, EACH as usize))
                .collect();
            for i in (1..order.len()).rev() {
                order.swap(i, next(i as u64 + 1) as usize);
            }
            let mut received = 0;
            let digest = |v: &[u8]| {
                let mut hasher = DefaultHasher::new();
                hasher.write(v);
                hasher.finish()
            };
            let mut datas = Vec::new();
            for to in order {
                let mut data = next(u64::MAX).to_ne_bytes().repeat(70_000 / 8);
                data.truncate(sizes[next(9) as usize]);
                s.0.fetch_add(digest(&data), Relaxed);
                let mode = if next(5) == 0 {
                    Mode::Synchronous
                } else {
                    Mode::Standard
                };
                let b = Buf::new(data.as_ptr().cast_mut(), data.len(), &t);
                out.push(unsafe { p2p::isend(me, b, dest(me, to, next(3) as i32), mode) }.unwrap());
                datas.push(data);
                while next(3) != 0
                    && received < total
                    && p2p::iprobe(me, &key(ANY_SOURCE, ANY_TAG)).is_some()
                {
                    let (v, _) = recv(me, ANY_SOURCE, ANY_TAG);
                    s.1.fetch_add(digest(&v), Relaxed);
                    received += 1;
                }
            }
            while received < total {
                let n = bufs.len().min((total - received) as usize);
                let reqs: Vec<_> = bufs[..n]
                    .iter_mut()
                    .map(|b| unsafe {
                        p2p::irecv(
                            me,
                            Buf::new(b.as_mut_ptr(), b.len(), &t),
                            key(ANY_SOURCE, ANY_TAG),
                        )
                    })
                    .collect();
                for (r, b) in reqs.into_iter().zip(0..) {
                    let got = p2p::wait(me, r).unwrap();
                    s.1.fetch_add(digest(&bufs[b][..got.bytes]), Relaxed);
                    received += 1;
                }
            }
            for r in out {
                p2p::wait(me, r).unwrap();
            }
        });
        assert_eq!(sums.0.load(Relaxed), sums.1.load(Relaxed));
    }
}

#[test]
fn many_ranks_in_a_ring() {
    check(1024, |me| {
        let n = me.size();
        let (left, right) = ((me.rank + n - 1) % n, (me.rank + 1) % n);
        if me.rank == 0 {
            send(me, &0u32.to_le_bytes(), right, 0, Mode::Standard);
        }
        let (v, _) = recv(me, left as i32, 0);
        let hops = u32::from_le_bytes(v.try_into().unwrap());
        if me.rank == 0 {
            assert_eq!(hops, n - 1);
        } else {
            send(me, &(hops + 1).to_le_bytes(), right, 0, Mode::Standard);
        }
    });
}

/// Others of its worker get a turn, though none of its sends blocks.
#[test]
fn who_sends_on_gives_way() {
    for &backend in Backend::ALL {
        let others = Arc::new(AtomicU64::new(0));
        world(4, 2, backend, STACK).run(Box::new(move |me| match me.rank {
            0 => {
                for _ in 0..64 {
                    send(me, &[0], 1, 0, Mode::Standard);
                    std::thread::sleep(std::time::Duration::from_millis(1));
                    if others.load(SeqCst) == 1 {
                        break;
                    }
                }
                assert_eq!(others.load(SeqCst), 1);
                send(me, &[1], 1, 0, Mode::Standard);
            }
            1 => {
                others.store(1, SeqCst);
                while recv(me, 0, 0).0 == [0] {}
            }
            _ => {}
        }));
    }
}

#[test]
fn deadlocks_are_reported() {
    for &backend in Backend::ALL {
        for workers in [1, 3] {
            let world = world(4, workers, backend, STACK);
            let text = Arc::new(Mutex::new(String::new()));
            let seen = Arc::clone(&text);
            let _ = world
                .on_deadlock
                .set(Box::new(move |t| *seen.lock().unwrap() = t.to_string()));
            world.run(Box::new(|me| {
                use pc3_vmpi::state::Call;
                if me.rank == 2 {
                    return;
                }
                me.call.set(Call::new("MPI_Recv").peer(2, 5).comm(0x101));
                recv(me, 2, 5);
            }));
            let want = "deadlock: every rank waits and no message is under way
  ranks 0-1, 3: MPI_Recv(rank 2, tag 5, MPI_COMM_WORLD)
  rank 2: has ended
";
            assert_eq!(*text.lock().unwrap(), want);
        }
    }
}
