//! All types of the standard library that the guide names.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used)]

use arrayvec::{ArrayString, ArrayVec};
use chrono::{FixedOffset, NaiveDate, TimeDelta, Timelike};
use nalgebra::{DMatrix, Isometry3, Matrix2x3, Point2, Translation3, UnitQuaternion, Vector3};
use num_complex::Complex;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{CString, OsString};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::net::{IpAddr, SocketAddr};
use std::num::{NonZero, Saturating, Wrapping};
use std::ops::{Bound, ControlFlow};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicI8, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::task::Poll;
use std::time::{Duration, SystemTime};

use pc3::prelude::*;

/// A value of each type is the same before and behind a location.
#[checkpointable]
fn through<T: Checkpointable + Debug>(value: T) {
    let before = format!("{value:?}");
    checkpoint!();
    let after = format!("{value:?}");
    assert_eq!(before, after);
    println!("{before}");
}

#[checkpointable]
fn numbers() {
    ck!(through((
        1u8,
        -2i16,
        3u32,
        -4i64,
        u128::MAX - 5,
        i128::MIN + 6,
        7usize,
        -8isize
    )));
    ck!(through((0.1f32, -0.0f64, f64::INFINITY, true, 'ß', ())));
    ck!(through((Wrapping(250u8), Saturating(-3i32), Reverse(4u64))));
    ck!(through((
        vec![Wrapping(70_000u32); 3],
        vec![Saturating(-3i64), Saturating(4)]
    )));
    ck!(through((
        vec![Reverse(0x1234_5678u32), Reverse(2)],
        vec![[1.5f32, 2.5, -3.5]; 3]
    )));
    ck!(through((
        vec![[[1usize, 2], [3, 4]], [[5, 6], [7, 8]]],
        vec![[0u8; 0]; 2]
    )));
    ck!(through((
        vec![Complex::new(1.5f64, -2.0); 2],
        vec![Complex::new(3i32, 4)]
    )));
    ck!(through(vec![[Wrapping(0x1234u16), Wrapping(2)]; 2]));
    let table = ndarray::Array2::from_shape_fn((2, 3), |(row, column)| row as f64 - column as f64);
    ck!(through((
        table.clone().into_shared(),
        ndarray::CowArray::from(table.reversed_axes())
    )));
    ck!(through((
        NonZero::new(3u8),
        NonZero::new(u128::MAX),
        NonZero::new(i128::MIN),
        NonZero::new(0u16)
    )));
    ck!(through((1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8, 8u8, 9u8)));
    ck!(through((
        1u8, 2u16, 3u32, 4u64, 5u8, 6u16, 7u32, 8u64, 9u8, 10u16, 11u32, 12u64
    )));
    ck!(through([[1u16; 33]; 2]));
    ck!(through([String::from("a"), String::new()]));
    let atomics = (
        AtomicBool::new(true),
        AtomicI8::new(-3),
        AtomicU64::new(u64::MAX),
        AtomicUsize::new(9),
    );
    ck!(through(atomics));
    ck!(through((
        Duration::new(3, 4),
        SystemTime::UNIX_EPOCH + Duration::new(1 << 33, 7)
    )));
    ck!(through(
        SystemTime::UNIX_EPOCH - Duration::new(3, 999_999_999)
    ));
    ck!(through((2u8..5, 3u16.., ..4u32, ..=5u8, ..)));
    ck!(through((
        2u8..=5,
        Bound::Included(3u8),
        Bound::<u8>::Unbounded
    )));
    ck!(through((std::cmp::Ordering::Less, PhantomData::<u8>)));
}

#[checkpointable]
fn texts() {
    ck!(through(String::from("naïve\0")));
    ck!(through(Box::<str>::from("boxed")));
    let cows: [Cow<'static, str>; 2] = [Cow::Borrowed("borrowed"), Cow::Owned("owned".into())];
    ck!(through(cows));
    ck!(through(Cow::<'static, [u16]>::Owned(vec![1, 2])));
    ck!(through((
        PathBuf::from("/a/b"),
        Box::<Path>::from(Path::new("c"))
    )));
    ck!(through((OsString::from("os"), CString::new("c").unwrap())));
    let addresses: [IpAddr; 2] = ["127.0.0.1".parse().unwrap(), "fe80::1".parse().unwrap()];
    ck!(through(addresses));
    let sockets: [SocketAddr; 2] = ["1.2.3.4:80".parse().unwrap(), "[::1]:8080".parse().unwrap()];
    ck!(through(sockets));
}

#[checkpointable]
fn groups() {
    ck!(through((Some(3u8), None::<String>)));
    ck!(through((
        Ok::<u8, String>(3),
        Err::<u8, String>("e".into())
    )));
    ck!(through((
        ControlFlow::<u8, u16>::Break(3),
        Poll::Ready(4u8),
        Poll::<u8>::Pending
    )));
    ck!(through((
        vec![1u64, 2],
        VecDeque::from([3u8, 4]),
        LinkedList::from([5u8, 6])
    )));
    ck!(through(BinaryHeap::from([3u8, 1, 2]).into_sorted_vec()));
    ck!(through(BTreeMap::from([(1u8, 'a'), (2, 'b')])));
    ck!(through((
        BTreeSet::from([3u8, 1]),
        HashMap::from([(1u8, 2u16)]),
        HashSet::from([4u8])
    )));
    ck!(through((
        vec![1u8, 2].into_iter(),
        Box::<[u8]>::from([1, 2]),
        Box::new(3u8)
    )));
    ck!(through((
        Rc::new(1u8),
        Arc::new(2u8),
        Rc::<[u16]>::from([3, 4]),
        Rc::<str>::from("rc")
    )));
    ck!(through((
        Arc::<[String]>::from(["a".to_owned()]),
        Arc::<str>::from(""),
        Rc::<[u8]>::from([])
    )));
    ck!(through((
        Cell::new(1u8),
        RefCell::new(2u8),
        Mutex::new(3u8),
        RwLock::new(4u8)
    )));
    ck!(through((
        OnceCell::from(1u8),
        OnceCell::<u8>::new(),
        OnceLock::from(2u8)
    )));
}

/// Matrices, lists of limited length, dates.
#[checkpointable]
fn of_other_crates() {
    let turn = UnitQuaternion::from_euler_angles(0.1f64, 0.2, 0.3);
    let table = DMatrix::from_fn(2, 3, |row, column| row as f64 - column as f64 / 3.0);
    ck!(through((
        Matrix2x3::new(1i32, 2, 3, 4, 5, 6),
        vec![Vector3::new(0.1f64, 0.2, 0.3); 2],
        table.column(1).into_owned(),
        table,
        DMatrix::<u16>::zeros(0, 4)
    )));
    ck!(through((
        Point2::new(1u8, 2),
        turn,
        Isometry3::from_parts(Translation3::new(1.5, 2.5, -0.5), turn)
    )));
    let mut list = ArrayVec::<String, 4>::new();
    list.extend(["a".to_owned(), "bc".to_owned()]);
    ck!(through((list, ArrayString::<8>::from("text").unwrap())));
    let day = NaiveDate::from_ymd_opt(-44, 3, 15).unwrap();
    let leap = day.and_hms_nano_opt(11, 30, 59, 1_500_000_000).unwrap();
    let east = FixedOffset::east_opt(5400).unwrap();
    ck!(through((
        day,
        leap,
        leap.time().with_second(7),
        leap.and_utc().with_timezone(&east),
        leap.and_utc()
    )));
    ck!(through((
        TimeDelta::milliseconds(-1500),
        TimeDelta::MAX,
        TimeDelta::MIN,
        NaiveDate::MAX
    )));
}

/// Slices and texts with several owners stay shared, also with themselves.
#[derive(Checkpointable)]
struct Ring {
    all: RefCell<Option<Rc<[Ring]>>>,
    name: Rc<str>,
}

#[checkpointable]
fn sharing() {
    let name: Rc<str> = "shared".into();
    let ring = |name: &Rc<str>| Ring {
        all: RefCell::default(),
        name: name.clone(),
    };
    let list: Rc<[Ring]> = vec![ring(&name), ring(&name)].into();
    for r in list.iter() {
        r.all.replace(Some(list.clone()));
    }
    checkpoint!();
    println!("{} {}", Rc::strong_count(&list), Rc::strong_count(&name));
    let inner = list[1].all.borrow().clone().unwrap();
    println!(
        "{} {}",
        Rc::ptr_eq(&inner, &list),
        Rc::ptr_eq(&inner[0].name, &name)
    );
    list.iter().for_each(|r| drop(r.all.take()));
}

/// What loops by value go over.
#[checkpointable]
fn loops() {
    let map: HashMap<u32, String> = (0..5).map(|i| (i, i.to_string())).collect();
    let mut all = 0;
    for (k, v) in map {
        checkpoint!();
        all += k * 10 + v.len() as u32;
    }
    let set: HashSet<u32> = (0..5).collect();
    for k in set {
        checkpoint!();
        all += k;
    }
    println!("{all}");
    let tree: BTreeMap<u32, char> = (0..3).zip("abc".chars()).collect();
    for (i, (k, v)) in tree.into_iter().enumerate() {
        checkpoint!();
        println!("{i} {k} {v}");
    }
    let queue: VecDeque<u32> = (0..3).collect();
    for x in queue.into_iter().rev() {
        checkpoint!();
        println!("{x}");
    }
    let array = ["a".to_owned(), "b".to_owned()];
    for x in array {
        checkpoint!();
        println!("{x}");
    }
    let list = vec![1, 2, 3, 4, 5, 6, 7];
    for (i, x) in list.clone().into_iter().enumerate().rev() {
        checkpoint!();
        println!("{i} {x}");
    }
    let letters = vec!['a', 'b', 'c'];
    for (x, c) in list
        .clone()
        .into_iter()
        .rev()
        .skip(1)
        .step_by(2)
        .take(2)
        .zip(letters)
    {
        checkpoint!();
        println!("{x} {c}");
    }
    for x in list.clone().into_iter().take(2).chain(vec![8, 9]) {
        checkpoint!();
        println!("{x}");
    }
    for x in list
        .iter()
        .scan(0, |sum, x| Some(std::mem::replace(sum, *sum + x)))
    {
        checkpoint!();
        println!("{x}");
    }
    for (x, y) in std::iter::repeat(3).zip(list.iter().cycle().take(9)) {
        checkpoint!();
        println!("{x} {y}");
    }
    for x in std::iter::successors(Some(1u32), |x| (*x < 50).then(|| x * 3)) {
        checkpoint!();
        println!("{x}");
    }
    let (odd, small) = (BTreeSet::from([1, 3, 5, 7]), BTreeSet::from([1, 2, 3]));
    for x in odd.difference(&small) {
        checkpoint!();
        println!("{x}");
    }
}

#[pc3::main]
fn main() {
    ck!(numbers());
    ck!(texts());
    ck!(groups());
    ck!(of_other_crates());
    ck!(sharing());
    ck!(loops());
}
