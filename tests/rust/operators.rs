//! Operators, closures and functions of the program's that a borrow or an iterator would call again, and hashers that are the same in
//! each run.
use pc3::prelude::*;
use std::cell::Cell;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::ops::{Add, Deref, DerefMut, Index, IndexMut};

#[derive(Checkpointable)]
struct Table {
    cells: Vec<u32>,
}

impl Index<usize> for Table {
    type Output = u32;
    fn index(&self, i: usize) -> &u32 {
        &self.cells[i]
    }
}

impl IndexMut<usize> for Table {
    fn index_mut(&mut self, i: usize) -> &mut u32 {
        self.cells[i] = 0;
        &mut self.cells[i]
    }
}

#[derive(Checkpointable)]
struct Inner {
    field: u32,
    list: Vec<u32>,
}

#[derive(Checkpointable)]
struct Counted {
    inner: Inner,
    times: Cell<u32>,
}

impl Deref for Counted {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        self.times.set(self.times.get() + 1);
        &self.inner
    }
}

impl DerefMut for Counted {
    fn deref_mut(&mut self) -> &mut Inner {
        &mut self.inner
    }
}

/// Its operators do nothing else.
#[derive(Checkpointable)]
struct Known {
    inner: Inner,
}

impl pc3::Plain for Known {}

impl Deref for Known {
    type Target = Inner;
    fn deref(&self) -> &Inner {
        &self.inner
    }
}

impl Inner {
    #[checkpointable]
    fn step(&mut self) {
        checkpoint!();
        self.field += 1;
    }
}

#[checkpointable]
fn bump(x: &mut u32) {
    checkpoint!();
    *x += 1;
}

#[checkpointable]
fn indexed(table: &mut Table, tables: &[Table]) -> u32 {
    ck!(bump(&mut table[5]));
    let first = &tables[0][1];
    checkpoint!();
    // A value is saved.
    let second = tables[0][2];
    checkpoint!();
    first + second + table[3]
}

#[checkpointable]
fn followed(counted: &mut Counted, boxed: &Box<Counted>, known: &Known) -> u32 {
    ck!(counted.step());
    ck!(bump(&mut counted.field));
    let field = &boxed.field;
    checkpoint!();
    let mut sum = *field;
    for x in &counted.list {
        checkpoint!();
        sum += x;
    }
    // Of what a box holds, and of a type that says so.
    let (whole, other) = (&**boxed, &known.field);
    checkpoint!();
    sum + whole.times.get() + other
}

fn seen(x: &u32) -> u32 {
    println!("{x}");
    *x
}

#[derive(Checkpointable)]
struct Number(u32);

impl Add<u32> for &Number {
    type Output = u32;
    fn add(self, x: u32) -> u32 {
        self.0 + x
    }
}

#[checkpointable]
fn called(list: &[u32]) -> u32 {
    let mut sum = 0;
    let mut of_function = list.iter().map(|x| seen(x) + 1);
    while let Some(x) = of_function.next() {
        checkpoint!();
        sum += x;
    }
    for (x, y) in list.iter().zip(list.iter().map(seen)) {
        checkpoint!();
        sum += x + y;
    }
    // These are called once.
    for x in list.iter().map(seen).filter(|x| *x > 1).chain([1]) {
        sum += x;
    }
    for x in list.iter().map(seen).filter(|x| *x > 1) {
        checkpoint!();
        sum += x;
    }
    sum
}

#[checkpointable]
fn added(numbers: &[Number]) -> u32 {
    let mut sum = 0;
    let mut of_operator = numbers.iter().map(|x| x + 1);
    while let Some(x) = of_operator.next() {
        checkpoint!();
        sum += x;
    }
    sum
}

#[checkpointable]
fn hashed(set: HashSet<u32, BuildHasherDefault<DefaultHasher>>) -> usize {
    checkpoint!();
    set.len()
}

fn is_gap(c: char) -> bool {
    println!("{c}");
    c == ' '
}

#[checkpointable]
fn parts(text: &str, gap: &str) -> usize {
    let mut sum = 0;
    for word in text.split(is_gap) {
        checkpoint!();
        sum += word.len();
    }
    let trimmed = text.trim_matches(is_gap);
    checkpoint!();
    if let Some((left, _)) = trimmed.split_once(is_gap) {
        checkpoint!();
        sum += left.len();
    }
    // These do nothing else.
    let digits = text.trim_start_matches(char::is_numeric);
    for word in digits.split(gap).chain(text.split(|c: char| c == ',' || c.is_alphabetic())) {
        checkpoint!();
        sum += word.len();
    }
    sum
}

struct Name(String);

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[checkpointable]
fn length(text: &str) -> usize {
    checkpoint!();
    text.len()
}

#[checkpointable]
fn coerced(name: &Name, boxed: &Box<Name>) -> usize {
    let text: &str = name;
    checkpoint!();
    let same: &Name = boxed;
    checkpoint!();
    let other: &str = &boxed;
    checkpoint!();
    ck!(length(name.as_ref())) + text.len() + same.0.len() + other.len()
}

#[derive(Checkpointable)]
struct Copied(u32);

impl Clone for Copied {
    fn clone(&self) -> Copied {
        Copied(seen(&self.0))
    }
}

#[checkpointable]
fn copies(list: &[Copied], names: &[String], numbers: &[u32]) -> u32 {
    let mut sum = 0;
    for (x, y) in list.iter().zip(list.iter().cloned()) {
        checkpoint!();
        sum += x.0 + y.0;
    }
    for (x, y) in numbers.iter().zip(std::iter::repeat(Copied(3))) {
        checkpoint!();
        sum += x + y.0;
    }
    for x in std::iter::successors(Some(1), next) {
        checkpoint!();
        sum += x;
    }
    // Of these it is known, or they are copied once.
    for (x, y) in names.iter().cloned().zip(numbers.iter().cloned()) {
        checkpoint!();
        sum += x.len() as u32 + y;
    }
    for x in list.iter().cloned() {
        checkpoint!();
        sum += x.0;
    }
    sum
}

fn next(x: &u32) -> Option<u32> {
    (seen(x) < 9).then_some(x + 1)
}

#[pc3::main]
fn main() {}

//= 129:47 `seen`: `seen` would be called again, as this iterator, or part of a text, is made again behind a checkpoint, and what else it does is not known here: do that in the loop, or keep what this gives as a value (`collect()` into a `Vec`, `to_owned()`)
//= 134:51 `seen`: `seen` would be called again, as this iterator, or part of a text, is made again behind a checkpoint, and what else it does is not known here: do that in the loop, or keep what this gives as a value (`collect()` into a `Vec`, `to_owned()`)
//= 245:45 `next`: `next` would be called again, as this iterator, or part of a text, is made again behind a checkpoint, and what else it does is not known here: do that in the loop, or keep what this gives as a value (`collect()` into a `Vec`, `to_owned()`)
//= 85:19 `table`: a borrow out of `Table` is not made again after a restart: what else its methods, or its `Index`, do would be done twice
//= 86:18 `tables`: a borrow out of `Table` is not made again after a restart: what else its methods, or its `Index`, do would be done twice
//= 96:9 `counted`: a borrow through `Counted` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 97:19 `counted`: a borrow through `Counted` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 98:18 `boxed`: a borrow through `Counted` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 101:15 `counted`: a borrow through `Counted` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 152:50 `x`: this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and what the operators and methods of `Number` do is not known
//= 161:11 `set`: a hash map or set with the hasher `BuildHasherDefault<DefaultHasher>` has the same order in each run, and another one behind a restart
//= 174:28 `is_gap`: this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and what the operators and methods of `fn(char) -> bool {is_gap}` do is not known
//= 178:37 `is_gap`: this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and what the operators and methods of `fn(char) -> bool {is_gap}` do is not known
//= 180:49 `is_gap`: this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and what the operators and methods of `fn(char) -> bool {is_gap}` do is not known
//= 218:9 `same`: `&Name` cannot be saved in a checkpoint
//= 220:24 `boxed`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 222:16 `name`: a borrow out of `Name` is not made again after a restart: what else its methods, or its `Index`, do would be done twice
