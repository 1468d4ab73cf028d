//! Methods and functions of the program's that have the names of the standard library's, and would be called again.
use std::collections::BTreeMap;
use std::rc::Rc;

use pc3::prelude::*;

trait Ends {
    fn first(&self) -> Option<&i64>;
    fn last_mut(&mut self) -> Option<&mut i64>;
}

impl Ends for Vec<i64> {
    fn first(&self) -> Option<&i64> {
        println!("first");
        self.as_slice().first()
    }
    fn last_mut(&mut self) -> Option<&mut i64> {
        println!("last");
        self.as_mut_slice().last_mut()
    }
}

/// Of types that have no such method themselves.
trait Parts {
    fn values(&self) -> std::slice::Iter<'_, i64>;
    fn front(&self) -> Option<&i64>;
    fn as_str(&self) -> &str;
}

impl Parts for [i64] {
    fn values(&self) -> std::slice::Iter<'_, i64> {
        println!("values");
        self.iter()
    }
    fn front(&self) -> Option<&i64> {
        println!("front");
        self.get(0)
    }
    fn as_str(&self) -> &str {
        println!("text");
        "list"
    }
}

trait Shared {
    fn get(&self, i: usize) -> &i64;
}

impl Shared for Rc<Vec<i64>> {
    fn get(&self, i: usize) -> &i64 {
        println!("get");
        &self[i]
    }
}

#[derive(Checkpointable)]
struct Wide(i64);

impl AsRef<Wide> for Vec<Wide> {
    fn as_ref(&self) -> &Wide {
        println!("wide");
        &self[0]
    }
}

trait Loud {
    fn loud(&self) -> i64;
    fn len(&self) -> i64;
}

impl Loud for i64 {
    fn loud(&self) -> i64 {
        println!("loud");
        *self
    }
    fn len(&self) -> i64 {
        println!("len");
        1
    }
}

impl Loud for Option<i64> {
    fn loud(&self) -> i64 {
        0
    }
    fn len(&self) -> i64 {
        println!("len");
        1
    }
}

#[derive(Debug)]
struct Total(i64);

impl FromIterator<i64> for Total {
    fn from_iter<I: IntoIterator<Item = i64>>(items: I) -> Total {
        println!("total");
        Total(items.into_iter().sum())
    }
}

impl Default for Total {
    fn default() -> Total {
        println!("default");
        Total(0)
    }
}

#[allow(non_snake_case)]
fn Pair(x: &i64) -> (&i64, i64) {
    println!("pair");
    (x, 1)
}

trait Found {
    fn unwrap(&self) -> &i64;
}

impl Found for Vec<i64> {
    fn unwrap(&self) -> &i64 {
        println!("unwrap");
        &self[0]
    }
}

struct Walk<'a>(&'a [i64], usize);

impl<'a> Iterator for Walk<'a> {
    type Item = &'a i64;
    fn next(&mut self) -> Option<&'a i64> {
        println!("next");
        self.1 += 1;
        self.0.get(self.1 - 1)
    }
}

const COUNT: std::cell::Cell<i64> = std::cell::Cell::new(0);

#[checkpointable]
fn counted(count: &std::cell::Cell<i64>) -> i64 {
    count.set(5);
    checkpoint!();
    count.get()
}

#[checkpointable]
fn parts(lists: &[Vec<i64>]) -> i64 {
    let first = lists.first().unwrap().unwrap();
    let mut sum = 0;
    for x in Walk(&lists[0], 0) {
        checkpoint!();
        sum += x + first;
    }
    sum
}

#[checkpointable]
fn lists(list: &Vec<i64>, other: &mut Vec<i64>, shared: &Rc<Vec<i64>>) -> i64 {
    let first = list.first().unwrap();
    let front = list.front().unwrap();
    let text = list.as_str();
    let third = shared.get(2);
    let last = other.last_mut().unwrap();
    for x in list.values() {
        checkpoint!();
        *last += x;
    }
    first + front + third + *last + text.len() as i64
}

#[checkpointable]
fn shown(pair: (&i64, i64), wide: &Wide) -> i64 {
    checkpoint!();
    pair.0 + pair.1 + wide.0
}

#[checkpointable]
fn closures(list: &[i64]) -> i64 {
    let mut sum = 0;
    let mut loud = list.iter().map(|x| x.loud());
    let mut path = list.iter().map(|x| i64::loud(x));
    let mut rest = list.iter().map(|x| Total { 0: *x, ..Default::default() }.0);
    while let (Some(a), Some(b), Some(c)) = (loud.next(), path.next(), rest.next()) {
        checkpoint!();
        sum += a + b + c;
    }
    sum
}

#[checkpointable]
fn by_their_types(list: &[i64]) -> i64 {
    let mut sum = 0;
    let mut total = list.iter().map(|x| (0..*x).collect::<Total>().0);
    let mut alike = list.iter().map(|x| Some(*x).len());
    while let (Some(a), Some(b)) = (total.next(), alike.next()) {
        checkpoint!();
        sum += a + b;
    }
    sum
}

#[checkpointable]
fn theirs(text: &String, map: &BTreeMap<u8, Vec<i64>>, boxed: &Box<[i64; 3]>) -> i64 {
    let word = text.trim().split_once(' ').unwrap().0;
    let list = map.get(&1).unwrap().as_slice();
    let last = boxed.last().unwrap();
    let all: &[u8] = text.as_ref();
    let mut numbers = list.iter().map(|x| x.abs() + i64::from(*x > 1) + i64::pow(*x, 2));
    let mut sum = 0;
    while let Some(x) = numbers.next() {
        checkpoint!();
        sum += x + *last + all.len() as i64 + word.len() as i64;
    }
    sum
}

#[pc3::main]
fn main() {
    let list = vec![1, 2, 3];
    let mut other = list.clone();
    let shared = Rc::new(list.clone());
    println!("{}", ck!(lists(&list, &mut other, &shared)));
    println!("{} {}", ck!(parts(&[list.clone()])), ck!(counted(&COUNT)));
    let wide = vec![Wide(1)];
    println!("{}", ck!(shown(Pair(&list[0]), wide.as_ref())));
    println!("{} {}", ck!(closures(&list)), ck!(by_their_types(&list)));
    let (map, boxed) = (BTreeMap::from([(1, list.clone())]), Box::new([1, 2, 3]));
    println!("{}", ck!(theirs(&"a b".to_owned(), &map, &boxed)));
}

//= 180:42 `loud`: `loud` would be called again, as this iterator, or part of a text, is made again behind a checkpoint, and what else it does is not known here: do that in the loop, or keep what this gives as a value (`collect()` into a `Vec`, `to_owned()`)
//= 181:40 `i64`: `loud` would be called again, as this iterator, or part of a text, is made again behind a checkpoint, and what else it does is not known here: do that in the loop, or keep what this gives as a value (`collect()` into a `Vec`, `to_owned()`)
//= 182:57 `Default`: `default` would be called again, as this iterator, or part of a text, is made again behind a checkpoint, and what else it does is not known here: do that in the loop, or keep what this gives as a value (`collect()` into a `Vec`, `to_owned()`)
//= 225:30 `Pair`: expected a pattern, found a function call
//= 148:40 `unwrap`: this method is the program's, though it has the name of one of the standard library's, and is called again as a borrow, or an iterator, is made again behind a checkpoint
//= 150:14 `Walk`: a borrow out of `Walk<'_>` is not made again after a restart: what else its methods, or its `Index`, do would be done twice
//= 159:22 `first`: this method is the program's, though it has the name of one of the standard library's, and is called again as a borrow, or an iterator, is made again behind a checkpoint
//= 160:22 `front`: this method is the program's, though it has the name of one of the standard library's, and is called again as a borrow, or an iterator, is made again behind a checkpoint
//= 161:21 `as_str`: this method is the program's, though it has the name of one of the standard library's, and is called again as a borrow, or an iterator, is made again behind a checkpoint
//= 162:24 `get`: this method is the program's, though it has the name of one of the standard library's, and is called again as a borrow, or an iterator, is made again behind a checkpoint
//= 163:22 `last_mut`: multiple applicable items in scope
//= 164:19 `values`: this method is the program's, though it has the name of one of the standard library's, and is called again as a borrow, or an iterator, is made again behind a checkpoint
//= 193:49 `collect`: this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and what else `FromIterator` of `Total` does is not known
//= 194:50 `len`: this method is the program's, though it has the name of one of the standard library's, and is called again as a borrow, or an iterator, is made again behind a checkpoint
//= 223:65 `COUNT`: use of deprecated method `pc3::point::NotSaved::value`: the value of this static is not saved: behind a restart it is what it was at the start; make it one of `pc3::saved!`, or a local that is handed on; `#[allow(deprecated)]` in front of the function says that it does not matter
//= 223:65 `COUNT`: `Cell<i64>` is made again after a restart, and it, or what it is made from, may have another value then
//= 225:51 `as_ref`: this method is the program's, though it has the name of one of the standard library's, and is called again as a borrow, or an iterator, is made again behind a checkpoint
