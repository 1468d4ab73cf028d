use super::*;

/// Against the obvious implementation, long enough to pass from list to bins.
#[test]
fn matches_like_a_plain_list() {
    let mut rng = 1u64;
    let mut next = |n: u64| {
        rng ^= rng << 13;
        rng ^= rng >> 7;
        rng ^= rng << 17;
        (rng % n) as i32
    };
    for wild in [false, true] {
        let (mut q, mut list) = (Queue::default(), Vec::<(Key, u32)>::new());
        for i in 0..20_000u32 {
            let any = |w: bool, v: i32, a: i32| if w && v == 0 { a } else { v };
            let exact = Key {
                ctx: next(2) as u32,
                src: next(9),
                tag: next(4),
            };
            let loose = Key {
                src: any(true, exact.src, ANY_SOURCE),
                tag: any(true, exact.tag, ANY_TAG),
                ..exact
            };
            let (stored, asked) = if wild { (loose, exact) } else { (exact, loose) };
            let fill = if (i / 1000) % 2 == 0 { 3 } else { 1 };
            if next(4) < fill {
                q.push(stored, i);
                list.push((stored, i));
            } else {
                let at = list.iter().position(|(k, _)| {
                    if wild {
                        k.accepts(&asked)
                    } else {
                        asked.accepts(k)
                    }
                });
                let want = at.map(|at| list.remove(at));
                let got = if wild {
                    q.take_receive(&asked)
                } else {
                    q.take_message(&asked)
                };
                assert_eq!(got, want);
            }
            assert_eq!(q.len(), list.len());
        }
        assert!(q.iter().map(|(k, v)| (*k, *v)).eq(list));
    }
}

/// However many of another tag are in front of it.
#[test]
fn the_oldest_of_a_tag_is_the_first_of_its_bin() {
    let of_tag = |tag| Key {
        ctx: 0,
        src: 1,
        tag,
    };
    let mut q = Queue::default();
    for n in 0..20_000 {
        q.push(of_tag(n / 10_000), n);
    }
    for n in 10_000..15_000 {
        let at = q.message(&of_tag(1)).expect("it waits");
        assert_eq!(q.bin(Chain::Key, &of_tag(1)).head, at);
        assert_eq!(q.take_message(&of_tag(1)), Some((of_tag(1), n)));
    }
}

/// What is taken is whole, and what is left goes with the queue.
#[test]
fn values_are_dropped_once() {
    let value = std::rc::Rc::new(());
    let key = |tag| Key {
        ctx: 0,
        src: tag % 3,
        tag,
    };
    for n in [1, 2, 5, 700] {
        let mut q = Queue::default();
        for turn in 0..3 {
            (0..n).for_each(|tag| q.push(key(tag), value.clone()));
            for tag in (0..n).filter(|tag| tag % 2 == turn % 2) {
                let spot = q.spot_message(&key(tag)).expect("it waits");
                assert_eq!(q.at(spot).map(|(k, _)| *k), Some(key(tag)));
                if tag % 3 == 0 {
                    q.discard(spot);
                } else {
                    assert_eq!(q.take(spot).map(|(k, _)| k), Some(key(tag)));
                }
            }
            assert_eq!(q.len(), q.iter().count());
            assert_eq!(std::rc::Rc::strong_count(&value), 1 + q.len());
        }
        drop(q);
        assert_eq!(std::rc::Rc::strong_count(&value), 1);
    }
}
