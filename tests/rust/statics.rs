//! Statics that checkpointable functions name: those whose values change are not saved.
use pc3::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex, OnceLock};

static COUNT: AtomicU32 = AtomicU32::new(0);
static LIST: Mutex<Vec<u32>> = Mutex::new(Vec::new());
static MANY: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];
static LATER: LazyLock<Mutex<u32>> = LazyLock::new(|| Mutex::new(3));
static mut NUMBER: u32 = 0;

thread_local! {
    static OWN: RefCell<u32> = const { RefCell::new(0) };
}

mod other {
    pub static COUNT: super::AtomicU32 = super::AtomicU32::new(0);
}

/// These are right.
static TABLE: [u32; 3] = [1, 2, 3];
static NAMES: LazyLock<HashMap<u32, &str>> = LazyLock::new(HashMap::new);
static ONCE: OnceLock<u32> = OnceLock::new();
static LOCK: Mutex<()> = Mutex::new(());
const LIMIT: u32 = 7;
const EMPTY: Cell<u32> = Cell::new(0);

pc3::saved! {
    static SAVED: Cell<u32> = Cell::new(0);
}

#[derive(Checkpointable)]
struct World(u32);

impl World {
    #[checkpointable]
    fn step(&mut self) {
        self.0 += COUNT.load(Relaxed);
        checkpoint!();
    }
}

#[checkpointable]
fn warned(n: u32) -> u32 {
    COUNT.fetch_add(n, Relaxed);
    COUNT.fetch_add(n, Relaxed);
    checkpoint!();
    let add = |x: u32| OWN.with_borrow_mut(|own| *own += x);
    add(1);
    println!("{}", other::COUNT.load(Relaxed));
    MANY[0].store(n, Relaxed);
    unsafe {
        NUMBER += 1;
    }
    let later = *LATER.lock().unwrap();
    ck!(given(&LIST, later))
}

#[checkpointable]
fn given(list: &Mutex<Vec<u32>>, n: u32) -> u32 {
    list.lock().unwrap().push(n);
    checkpoint!();
    n
}

#[checkpointable]
fn quiet<const N: usize>(n: u32) -> u32 {
    const OTHER: &[u32] = &[1];
    let LOCAL = [n];
    let cell = EMPTY;
    SAVED.set(SAVED.get() + n);
    checkpoint!();
    let _guard = LOCK.lock();
    let all = [TABLE[0], OTHER[0], LOCAL[0], NAMES.len() as u32, LIMIT.min(n)];
    cell.get() + all.iter().sum::<u32>() + *ONCE.get_or_init(|| 3) + (&N).min(&3).count_ones()
}

#[checkpointable]
#[allow(deprecated)]
fn meant(n: u32) -> u32 {
    checkpoint!();
    COUNT.fetch_add(n, Relaxed)
}

#[pc3::main]
fn main() {
    let mut world = World(1);
    ck!(world.step());
    println!("{} {} {}", ck!(warned(1)), ck!(quiet::<3>(1)), ck!(meant(1)));
}

//= 55:9 `NUMBER`: use of deprecated constant `pc3::point::STATIC_MUT`: the value of this static is not saved: behind a restart it is what it was at the start; make it one of `pc3::saved!`, or a local that is handed on; `#[allow(deprecated)]` in front of the function says that it does not matter
//= 40:19 `COUNT`: use of deprecated method `pc3::point::NotSaved::value`: the value of this static is not saved: behind a restart it is what it was at the start; make it one of `pc3::saved!`, or a local that is handed on; `#[allow(deprecated)]` in front of the function says that it does not matter
//= 47:5 `COUNT`: use of deprecated method `pc3::point::NotSaved::value`: the value of this static is not saved: behind a restart it is what it was at the start; make it one of `pc3::saved!`, or a local that is handed on; `#[allow(deprecated)]` in front of the function says that it does not matter
//= 57:18 `LATER`: use of deprecated method `pc3::point::NotSaved::value`: the value of this static is not saved: behind a restart it is what it was at the start; make it one of `pc3::saved!`, or a local that is handed on; `#[allow(deprecated)]` in front of the function says that it does not matter
//= 58:16 `LIST`: use of deprecated method `pc3::point::NotSaved::value`: the value of this static is not saved: behind a restart it is what it was at the start; make it one of `pc3::saved!`, or a local that is handed on; `#[allow(deprecated)]` in front of the function says that it does not matter
//= 53:5 `MANY`: use of deprecated method `pc3::point::NotSaved::value`: the value of this static is not saved: behind a restart it is what it was at the start; make it one of `pc3::saved!`, or a local that is handed on; `#[allow(deprecated)]` in front of the function says that it does not matter
//= 50:24 `OWN`: use of deprecated method `pc3::point::NotSaved::value`: the value of this static is not saved: behind a restart it is what it was at the start; make it one of `pc3::saved!`, or a local that is handed on; `#[allow(deprecated)]` in front of the function says that it does not matter
//= 52:27 `COUNT`: use of deprecated method `pc3::point::NotSaved::value`: the value of this static is not saved: behind a restart it is what it was at the start; make it one of `pc3::saved!`, or a local that is handed on; `#[allow(deprecated)]` in front of the function says that it does not matter
//= 71:9 `LOCAL`: variable `LOCAL` should have a snake case name
