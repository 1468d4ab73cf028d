//! Values of every kind that can be saved: of the standard library and of crates.

#![forbid(unsafe_code)]

use std::cell::{Cell, OnceCell, RefCell};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::marker::PhantomData;
use std::num::{NonZeroI16, NonZeroU64, Saturating, Wrapping};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex, OnceLock, RwLock, Weak as ArcWeak};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use indexmap::{IndexMap, IndexSet};
use num_complex::Complex64;
use pc3::prelude::*;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_pcg::{Pcg64, Pcg64Dxsm};
use rand_xoshiro::{Xoshiro256PlusPlus, Xoshiro512StarStar};
use serde::{Deserialize, Serialize};
use smallvec::{smallvec, SmallVec};
use uuid::Uuid;

/// Known to serde only.
#[derive(Debug, Serialize, Deserialize, Default)]
enum Mood {
    #[default]
    Calm,
    Excited {
        by: String,
        level: usize,
    },
}

#[derive(Checkpointable, Debug)]
struct Numbers {
    small: (u8, i8, u16, i16, bool, char),
    large: (u128, i128, usize, isize),
    floats: [f64; 3],
    single: f32,
    wrapping: Wrapping<u32>,
    saturating: Saturating<i8>,
    nonzero: (NonZeroU64, Option<NonZeroI16>),
    order: Ordering,
    reverse: Reverse<u8>,
    flow: ControlFlow<u8, String>,
    phantom: PhantomData<String>,
    duration: Duration,
}

#[derive(Checkpointable, Debug)]
struct Held {
    cell: Cell<u32>,
    refs: RefCell<Vec<u8>>,
    once: (OnceCell<String>, OnceCell<u8>),
    mutex: Mutex<i64>,
    lock: Arc<RwLock<String>>,
    late: OnceLock<u16>,
    #[pc3(with = "serde")]
    mood: Mood,
    #[pc3(since = 2)]
    added: Option<Box<str>>,
    #[pc3(skip)]
    scratch: Vec<u8>,
}

/// A list in a ring, and who looks at it.
#[derive(Checkpointable)]
struct Ring {
    value: u32,
    next: RefCell<Option<Rc<Ring>>>,
    back: RefCell<Weak<Ring>>,
}

trait Item {
    type Part: std::fmt::Debug;
}

/// Is in no value, and cannot be saved.
#[derive(Debug)]
struct Metre;

impl Item for Metre {
    type Part = String;
}

#[derive(Checkpointable, Debug)]
struct Lengths<U, T, const N: usize = 2>
where
    T: Clone,
    U: Item,
    U::Part: Checkpointable,
{
    values: [Option<T>; N],
    parts: Vec<U::Part>,
}

#[derive(Checkpointable, Debug)]
struct Of<U: ?Sized, S, T: Serialize + serde::de::DeserializeOwned + Default> {
    unit: PhantomData<fn() -> Box<U>>,
    #[pc3(skip)]
    skipped: Option<S>,
    #[pc3(with = "serde")]
    mood: T,
}

#[derive(Checkpointable, Debug)]
enum Tree<T> {
    Leaf(T, #[pc3(skip)] ()),
    Fork {
        left: Box<Tree<T>>,
        right: Arc<Tree<T>>,
        #[pc3(with = "serde")]
        mood: Mood,
    },
    Up(ArcWeak<Tree<T>>),
    Nothing(),
}

#[checkpointable]
fn generics<T: Checkpointable + Clone + std::fmt::Debug>(value: T) {
    let plain = Lengths::<Second, T> {
        values: [Some(value.clone()), None],
        parts: vec![7],
    };
    let of = Of::<dyn std::fmt::Debug, Metre, Mood> {
        unit: PhantomData,
        skipped: None,
        mood: Mood::Calm,
    };
    let right = Arc::new(Tree::Leaf(value.clone(), ()));
    let up = Tree::Up(Arc::downgrade(&right));
    let tree = Tree::Fork {
        left: Box::new(Tree::Leaf(value, ())),
        right,
        mood: Mood::Calm,
    };
    let nothing = Tree::<T>::Nothing();
    checkpoint!();
    println!("{plain:?} {of:?} {:?} {tree:?} {nothing:?}", of.skipped);
    if let (Tree::Up(up), Tree::Fork { right, .. }) = (&up, &tree) {
        println!("{}", up.upgrade().is_some_and(|u| Arc::ptr_eq(&u, right)));
    }
}

/// Saved itself.
#[derive(Checkpointable, Debug)]
struct Second;

impl Item for Second {
    type Part = u32;
}

fn numbers() -> Numbers {
    Numbers {
        small: (200, -100, 60_000, -30_000, true, 'ß'),
        large: (u128::MAX - 5, i128::MIN + 7, 4_000_000_000, -2_000_000_000),
        floats: [1.5, -0.0, f64::MIN_POSITIVE],
        single: 0.1,
        wrapping: Wrapping(u32::MAX),
        saturating: Saturating(127),
        nonzero: (NonZeroU64::MAX, NonZeroI16::new(-3)),
        order: Ordering::Greater,
        reverse: Reverse(3),
        flow: ControlFlow::Continue("on".to_owned()),
        phantom: PhantomData,
        duration: Duration::new(5, 999_999_999),
    }
}

fn held() -> Held {
    let once = OnceCell::new();
    let _ = once.set("set".to_owned());
    Held {
        cell: Cell::new(7),
        refs: RefCell::new(vec![1, 2]),
        once: (once, OnceCell::new()),
        mutex: Mutex::new(-9),
        lock: Arc::new(RwLock::new("locked".to_owned())),
        late: OnceLock::from(11),
        mood: Mood::Excited {
            by: "tests".to_owned(),
            level: 3,
        },
        added: Some("new".into()),
        scratch: Vec::new(),
    }
}

#[checkpointable]
fn standard() {
    let numbers = numbers();
    let held = held();
    let lock = held.lock.clone();
    let mut queue: VecDeque<u16> = (0..9).collect();
    queue.rotate_left(4);
    let mut heap: BinaryHeap<Reverse<u32>> = [5, 1, 4].map(Reverse).into_iter().collect();
    let map: HashMap<String, u8> = (0..4).map(|i| (format!("k{i}"), i)).collect();
    let set: HashSet<u8> = [3, 1, 2].into_iter().collect();
    let tree: BTreeMap<(i8, char), PathBuf> = [((-1, 'b'), "x/y".into())].into_iter().collect();
    let words: BTreeSet<&'static str> = ["one", "two"].into_iter().collect();
    let ranges = (2..5u8, 1..=4i64, ..7usize, 3u32..);
    let results: Vec<Result<u8, String>> = vec![Ok(1), Err("no".to_owned())];
    checkpoint!();
    println!("{numbers:?}");
    println!("{held:?}");
    checkpoint!();
    // The lock is still the same one.
    if let Ok(mut text) = lock.write() {
        text.push('!');
    }
    println!(
        "{:?} {} {}",
        held.lock,
        Arc::strong_count(&lock),
        held.scratch.len()
    );
    println!("{queue:?} {:?} {heap:?}", heap.pop());
    let mut sorted: Vec<_> = map.iter().collect();
    sorted.sort();
    println!("{sorted:?} {} {tree:?} {words:?}", set.contains(&2));
    println!("{ranges:?} {results:?}");
    drop((lock, held));
}

#[checkpointable]
fn rings() {
    let first = Rc::new(Ring {
        value: 1,
        next: RefCell::default(),
        back: RefCell::default(),
    });
    let mut last = first.clone();
    for value in 2..6 {
        let node = Rc::new(Ring {
            value,
            next: RefCell::default(),
            back: RefCell::new(Rc::downgrade(&last)),
        });
        *last.next.borrow_mut() = Some(node.clone());
        checkpoint!();
        last = node;
    }
    *last.next.borrow_mut() = Some(first.clone());
    *first.back.borrow_mut() = Rc::downgrade(&last);
    checkpoint!();
    let mut node = first.clone();
    for _ in 0..7 {
        checkpoint!();
        let next = node.next.borrow().clone();
        print!("{} ", node.value);
        if let Some(next) = next {
            let back = next.back.borrow().upgrade();
            assert!(back.is_some_and(|b| Rc::ptr_eq(&b, &node)));
            node = next;
        }
    }
    println!("{} owners", Rc::strong_count(&first));
    drop((first, last));
}

#[checkpointable]
fn crates() {
    let mut chacha = ChaCha8Rng::seed_from_u64(3);
    let mut pcg = Pcg64::seed_from_u64(4);
    let mut xoshiro = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut text = BytesMut::from(&b"some "[..]);
    let rest = Bytes::from_static(b"bytes");
    let id = Uuid::from_u128(0x1234_5678_9abc_def0_1122_3344_5566_7788);
    let list: SmallVec<[u32; 4]> = smallvec![1, 2, 3, 4, 5];
    let map: IndexMap<String, Complex64> = [
        ("z".to_owned(), Complex64::new(0.0, 1.0)),
        ("a".to_owned(), Complex64::new(2.0, -1.0)),
    ]
    .into_iter()
    .collect();
    let set: IndexSet<String> = ["z", "a", "m"].map(str::to_owned).into();
    let mut others = (
        Pcg64Dxsm::seed_from_u64(6),
        Xoshiro512StarStar::seed_from_u64(7),
    );
    for i in 0..3 {
        checkpoint!();
        println!(
            "{i} {:08x} {:08x} {:08x} {:08x} {:08x}",
            chacha.next_u32(),
            pcg.next_u32(),
            xoshiro.next_u32(),
            others.0.next_u32(),
            others.1.next_u32()
        );
    }
    println!("{set:?}");
    text.extend_from_slice(&rest);
    println!("{text:?} {id} {list:?} {map:?}");
}

/// Written out whenever it is full.
#[checkpointable]
fn full() {
    let (mut buffer, mut line) = (Vec::with_capacity(5), String::with_capacity(9));
    let mut last = VecDeque::with_capacity(3);
    for i in 0..17_u32 {
        if buffer.len() == buffer.capacity() {
            println!("{buffer:?} {line} {last:?}");
            buffer.clear();
        }
        buffer.push(i);
        checkpoint!();
        if line.len() + 2 > line.capacity() {
            line.clear();
        }
        line.push_str(&format!("{i:2}"));
        if last.len() == last.capacity() {
            last.pop_front();
        }
        last.push_back(i);
    }
}

#[pc3::main]
fn main() {
    ck!(standard());
    ck!(full());
    ck!(rings());
    ck!(crates());
    ck!(generics("text".to_owned()));
    ck!(generics(Some(3.5)));
}
