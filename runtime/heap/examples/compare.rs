//! Time per operation beside the system's malloc: `cargo run --release -p pc3-heap --example compare`.

use pc3_heap::Arena;
use std::hint::black_box;

trait Heap {
    fn get(&mut self, size: usize, ty: u32) -> *mut u8;
    fn put(&mut self, p: *mut u8);
}

struct System;
impl Heap for System {
    #[inline(always)]
    fn get(&mut self, size: usize, _: u32) -> *mut u8 {
        unsafe { libc::malloc(size).cast() }
    }
    #[inline(always)]
    fn put(&mut self, p: *mut u8) {
        unsafe { libc::free(p.cast()) }
    }
}

impl Heap for Arena {
    #[inline(always)]
    fn get(&mut self, size: usize, ty: u32) -> *mut u8 {
        self.alloc(size, ty)
    }
    #[inline(always)]
    fn put(&mut self, p: *mut u8) {
        self.free(p).expect("our own object")
    }
}

struct Rng(u64);
impl Rng {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize
    }
}

fn ping_pong(heap: &mut impl Heap) -> usize {
    for _ in 0..2_000_000 {
        let p = black_box(heap.get(black_box(40), 1));
        unsafe { *p = 1 };
        heap.put(p);
    }
    2_000_000
}

fn stack(heap: &mut impl Heap) -> usize {
    let mut live = Vec::with_capacity(1000);
    for _ in 0..2000 {
        for i in 0..1000 {
            let p = heap.get(24 + (i & 1) * 32, (i & 1) as u32);
            unsafe { *p = 1 };
            live.push(p);
        }
        while let Some(p) = live.pop() {
            heap.put(p);
        }
    }
    2_000_000
}

fn queue(heap: &mut impl Heap) -> usize {
    let mut ring = vec![std::ptr::null_mut::<u8>(); 1000];
    for i in 0..2_000_000 {
        let slot = &mut ring[i % 1000];
        if !slot.is_null() {
            heap.put(*slot);
        }
        *slot = heap.get(56, 3);
        unsafe { **slot = 1 };
    }
    ring.into_iter().for_each(|p| heap.put(p));
    2_000_000
}

/// Random replacement in a working set of typed nodes.
fn churn(heap: &mut impl Heap, live: usize) -> usize {
    let mut rng = Rng(88172645463325252);
    let mut set = vec![std::ptr::null_mut::<u8>(); live];
    let n = 3_000_000.max(live * 2);
    for _ in 0..n {
        let at = rng.next();
        let slot = &mut set[at % live];
        if !slot.is_null() {
            heap.put(*slot);
        }
        let ty = at % 4;
        *slot = heap.get(24 + 16 * ty, ty as u32);
        unsafe { **slot = 1 };
    }
    set.into_iter()
        .filter(|p| !p.is_null())
        .for_each(|p| heap.put(p));
    n
}

/// Random sizes of one type, as strings.
fn strings(heap: &mut impl Heap) -> usize {
    let mut rng = Rng(88172645463325252);
    let mut set = vec![std::ptr::null_mut::<u8>(); 10_000];
    for _ in 0..3_000_000 {
        let at = rng.next();
        let slot = &mut set[at % 10_000];
        if !slot.is_null() {
            heap.put(*slot);
        }
        *slot = heap.get((at >> 20) % 200, 7);
        unsafe { **slot = 1 };
    }
    set.into_iter()
        .filter(|p| !p.is_null())
        .for_each(|p| heap.put(p));
    3_000_000
}

/// A million nodes, built and then freed in order.
fn tree(heap: &mut impl Heap) -> usize {
    let mut head: *mut *mut u8 = std::ptr::null_mut();
    for _ in 0..1_000_000 {
        let p = heap.get(48, 2).cast::<*mut u8>();
        unsafe { *p = head.cast() };
        head = p;
    }
    while !head.is_null() {
        let next = unsafe { *head };
        heap.put(head.cast());
        head = next.cast();
    }
    1_000_000
}

/// Buffers of 10 to 500 KiB.
fn buffers(heap: &mut impl Heap) -> usize {
    let mut rng = Rng(88172645463325252);
    let mut set = vec![std::ptr::null_mut::<u8>(); 32];
    for _ in 0..200_000 {
        let at = rng.next();
        let slot = &mut set[at % 32];
        if !slot.is_null() {
            heap.put(*slot);
        }
        *slot = heap.get(10_000 + (at >> 20) % 500_000, 7);
        unsafe { **slot = 1 };
    }
    set.into_iter()
        .filter(|p| !p.is_null())
        .for_each(|p| heap.put(p));
    200_000
}

/// A work array per iteration, written as a whole.
fn work_array(heap: &mut impl Heap, size: usize) -> usize {
    for _ in 0..50 {
        let p = heap.get(size, 7);
        unsafe { p.write_bytes(1, size) };
        heap.put(black_box(p));
    }
    50
}

/// Processor time of this thread in nanoseconds: other load does not count.
fn now() -> f64 {
    // SAFETY: a plain system call that fills the structure.
    let t = unsafe {
        let mut t: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t);
        t
    };
    t.tv_sec as f64 * 1e9 + t.tv_nsec as f64
}

fn time<H: Heap>(heap: &mut H, work: impl Fn(&mut H) -> usize) -> f64 {
    (0..5)
        .map(|_| {
            let start = now();
            let n = work(heap);
            (now() - start) / n as f64
        })
        .fold(f64::MAX, f64::min)
}

macro_rules! row {
    ($name:expr, $work:expr) => {{
        let ours = time(&mut Arena::new(0), $work);
        let theirs = time(&mut System, $work);
        println!(
            "{:<24}{theirs:>12.1}{ours:>12.1}{:>8.2}",
            $name,
            ours / theirs
        );
    }};
}

fn main() {
    println!(
        "{:<24}{:>12}{:>12}{:>8}",
        "ns per alloc+free", "malloc", "arena", "ratio"
    );
    row!("ping-pong 40", ping_pong);
    row!("stack of 1000", stack);
    row!("queue of 1000", queue);
    row!("churn of 1000", |h| churn(h, 1000));
    row!("churn of 100 000", |h| churn(h, 100_000));
    row!("churn of 3 000 000", |h| churn(h, 3_000_000));
    row!("strings", strings);
    row!("10^6 nodes", tree);
    row!("buffers", buffers);
    row!("work array 1 MiB", |h| work_array(h, 1 << 20));
    row!("work array 8 MiB", |h| work_array(h, 8 << 20));

    let mut arena = Arena::new(0);
    let mut all = Vec::new();
    let start = now();
    arena.alloc_many(1, 48, 1, 1_000_000, |p| all.push(p as usize));
    println!("alloc_many: {:.1} ns each", (now() - start) / 1e6);
    for (name, span) in [("1000", 1000), ("10^6", 1_000_000)] {
        let mut rng = Rng(88172645463325252);
        let probes: Vec<usize> = (0..1 << 16).map(|_| all[rng.next() % span] + 8).collect();
        let start = now();
        let mut sum = 0;
        for _ in 0..20 {
            for &addr in &probes {
                sum += arena.find(black_box(addr)).expect("live").size;
            }
        }
        black_box(sum);
        println!(
            "find among {name}: {:.1} ns",
            (now() - start) / (20 << 16) as f64
        );
    }
}
