use super::*;

fn ring(size: u32) -> (Sender, Receiver) {
    let bytes = vec![0u64; RingLayout::bytes(size) / 8 + 16].leak();
    let base = bytes.as_mut_ptr().cast::<u8>();
    // SAFETY: leaked, and used by these two only; a word's alignment is enough here.
    let place = unsafe { RingLayout::new(base, size) };
    let (mut s, mut r) = (Sender::new(place), Receiver::new(place));
    // Soon both count from 0 again.
    let start = Far {
        lines: 0u32.wrapping_sub(2 * place.lines),
        short: 0u32.wrapping_sub(2 * place.short),
        long: 0u32.wrapping_sub(2 * size),
    };
    (s.at, s.back, r.at) = (start, start, start);
    r.mark.at.store(start.lines, Relaxed);
    r.give_all_back();
    (s, r)
}

fn put(s: &mut Sender, kind: u32, n: u32, len: usize) -> bool {
    let line = len <= INLINE && n % 3 == 0;
    let room = if line { s.line() } else { s.room(len) };
    let Some(to) = room else { return false };
    let bytes: Vec<u8> = (0..len as u32).map(|i| (n * 31 + i) as u8).collect();
    // SAFETY: room for it.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, len) };
    if len > INLINE {
        // SAFETY: as above.
        unsafe { s.lead().write_bytes(n as u8, INLINE) };
    }
    if line {
        s.publish_line(kind, len, n % 2 == 0);
    } else {
        s.publish(kind, len, n % 2 == 0);
    }
    true
}

fn check(r: &mut Receiver, kind: u32, n: u32, len: usize) -> bool {
    let Some((k, bytes)) = r.first() else {
        return false;
    };
    assert_eq!((k, bytes.len()), (kind, len), "record {n}");
    let right = |(i, b): (usize, &u8)| *b == (n * 31 + i as u32) as u8;
    assert!(bytes.iter().enumerate().all(right), "record {n}");
    assert!(len <= INLINE || r.lead().iter().all(|b| *b == n as u8));
    r.next(len);
    true
}

fn shape(seed: &mut u64, most: usize) -> (u32, usize) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    let kind = (*seed % 7) as u32 + 1;
    let len = (*seed >> 8) as usize % [1, 60, 61, 120, most + 1][(*seed >> 40) as usize % 5];
    (kind, len)
}

/// As many as fit, then as many as are there, in turn.
#[test]
fn records_come_as_they_were_put() {
    for size in [2048, 4096, 16384] {
        let (mut s, mut r) = ring(size);
        let (mut to, mut from) = (1u64, 1u64);
        let (mut put_n, mut got) = (0, 0);
        let mut next = shape(&mut to, s.most());
        for round in 0..2000 {
            while put(&mut s, next.0, put_n, next.1) {
                put_n += 1;
                next = shape(&mut to, s.most());
            }
            assert!(put_n > got && r.mark().calls(), "nothing fits: {size}");
            let until = if round % 3 == 0 { got + 1 } else { put_n };
            while got < until {
                let mut ahead = from;
                let (kind, len) = shape(&mut ahead, s.most());
                assert!(check(&mut r, kind, got, len));
                from = ahead;
                got += 1;
            }
            // Nobody else looks: the mark says what there is.
            assert_eq!(r.mark().calls(), got < put_n);
            s.want_room();
            assert!(r.mark().calls());
            assert!(r.give_all_back());
        }
    }
}

/// Each side waits for the other by what the ring itself says.
#[test]
fn two_threads_agree() {
    const N: u32 = 200_000;
    let (mut s, mut r) = ring(4096);
    let most = s.most();
    struct Moved<T>(T);
    // SAFETY: one end each; the memory is shared as between processes.
    unsafe impl<T> Send for Moved<T> {}
    let receiver = Moved(&mut r);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let receiver = receiver;
            let r = receiver.0;
            let (mut seed, mut n) = (7u64, 0);
            while n < N {
                let mut ahead = seed;
                let (kind, len) = shape(&mut ahead, most);
                if check(r, kind, n, len) {
                    seed = ahead;
                    n += 1;
                } else {
                    std::thread::yield_now();
                }
                r.give_back();
            }
        });
        let (mut seed, mut n) = (7u64, 0);
        let mut next = shape(&mut seed, most);
        while n < N {
            if put(&mut s, next.0, n, next.1) {
                n += 1;
                next = shape(&mut seed, most);
            } else {
                s.want_room();
                std::thread::yield_now();
            }
        }
    });
    assert!(r.first().is_none() && r.is_empty());
}
