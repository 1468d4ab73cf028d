//! Half round trips and message rate: `pingpong [workers]`.

use std::time::Instant;

use pc3_vmpi::datatype::{basic::Basic, of_basic};
use pc3_vmpi::p2p::{self, Buf, Dest, Key, Mode};
use pc3_vmpi::sched::Backend;
use pc3_vmpi::state::World;

fn main() {
    let workers = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(1);
    for &backend in Backend::ALL {
        for size in [8usize, 1024, 65536, 1 << 20] {
            let n = if backend == Backend::ALL[0] {
                4_000_000_000 / (2000 + size * 2)
            } else {
                20_000
            };
            World::new(2, workers, backend, 256 << 10).run(Box::new(move |me| {
                let t = of_basic(Basic::Byte);
                let mut b = vec![0u8; size];
                let buf = Buf::new(b.as_mut_ptr(), size, &t);
                let other = 1 - me.rank;
                let to = Dest {
                    world: other,
                    ctx: 0,
                    src: me.rank as i32,
                    tag: 1,
                };
                let from = Key {
                    ctx: 0,
                    src: other as i32,
                    tag: 1,
                };
                let start = Instant::now();
                for _ in 0..n {
                    // SAFETY: the buffer outlives the calls.
                    let r = unsafe {
                        if me.rank == 0 {
                            p2p::send(me, buf, to, Mode::Standard)
                                .and_then(|()| p2p::recv(me, buf, from).map(drop))
                        } else {
                            p2p::recv(me, buf, from)
                                .and_then(|_| p2p::send(me, buf, to, Mode::Standard))
                        }
                    };
                    assert!(r.is_ok());
                }
                if me.rank == 0 {
                    let us = start.elapsed().as_secs_f64() * 1e6 / n as f64 / 2.0;
                    println!("{backend:?} {workers} workers: {size} B half round trip {us:.3} us");
                }
            }));
        }
        let n = 2_000_000;
        World::new(2, workers, backend, 256 << 10).run(Box::new(move |me| {
            let t = of_basic(Basic::Byte);
            let mut b = [0u8; 8];
            let buf = Buf::new(b.as_mut_ptr(), 8, &t);
            let start = Instant::now();
            for _ in 0..n {
                // SAFETY: as above.
                let r = unsafe {
                    if me.rank == 0 {
                        p2p::send(
                            me,
                            buf,
                            Dest {
                                world: 1,
                                ctx: 0,
                                src: 0,
                                tag: 1,
                            },
                            Mode::Standard,
                        )
                    } else {
                        p2p::recv(
                            me,
                            buf,
                            Key {
                                ctx: 0,
                                src: 0,
                                tag: 1,
                            },
                        )
                        .map(drop)
                    }
                };
                assert!(r.is_ok());
            }
            if me.rank == 1 {
                println!(
                    "{backend:?} {workers} workers: 8 B message {:.3} us",
                    start.elapsed().as_secs_f64() * 1e6 / f64::from(n)
                );
            }
        }));
    }
}
