//! Borrows that become borrows of another type where they stand, which goes through a `Deref`; an `Index` of the program's for lists.
use pc3::prelude::*;
use std::fmt::Debug;
use std::ops::{Deref, DerefMut, Index};
use std::rc::Rc;

#[derive(Checkpointable)]
struct Name(String);

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        println!("deref");
        &self.0
    }
}

impl DerefMut for Name {
    fn deref_mut(&mut self) -> &mut str {
        println!("deref_mut");
        self.0.as_mut_str()
    }
}

trait Size {
    fn size(&self) -> usize;
}

impl Size for Name {
    fn size(&self) -> usize {
        self.0.len()
    }
}

/// Its operators do nothing else.
#[derive(Checkpointable)]
struct Label(String);

impl pc3::Plain for Label {}

impl Deref for Label {
    type Target = String;
    fn deref(&self) -> &String {
        &self.0
    }
}

/// Nor do this one's, but what it leads to.
#[derive(Checkpointable)]
struct Outer(Name);

impl pc3::Plain for Outer {}

impl Deref for Outer {
    type Target = Name;
    fn deref(&self) -> &Name {
        &self.0
    }
}

#[derive(Clone, Copy, Checkpointable)]
struct Id(usize);

impl Index<Id> for Vec<Label> {
    type Output = Label;
    fn index(&self, id: Id) -> &Label {
        println!("index");
        &self[id.0]
    }
}

#[checkpointable]
fn length(text: &str) -> usize {
    checkpoint!();
    text.len()
}

#[checkpointable]
fn capital(text: &mut str) {
    checkpoint!();
    text.make_ascii_uppercase();
}

#[checkpointable]
fn parts(one: Option<&str>, two: (&str, usize), list: [&str; 2], more: &[&str]) -> usize {
    checkpoint!();
    one.map_or(0, str::len) + two.0.len() + list[0].len() + more[0].len()
}

#[checkpointable]
fn shown<T: Debug>(x: &T, size: &dyn Size, list: &[T]) -> String {
    checkpoint!();
    format!("{x:?} {} {list:?}", size.size())
}

#[checkpointable]
fn given(name: &mut Name, names: &[Name]) -> usize {
    ck!(capital(name));
    let mut n = ck!(length(name));
    n += ck!(length(&names[1]));
    n += ck!(length(names.first().unwrap()));
    n
}

#[checkpointable]
fn values(mut name: Name, boxed: Box<Name>, shared: Rc<Outer>) -> usize {
    ck!(capital(&mut name));
    let mut n = ck!(length(&boxed));
    n += ck!(length(&shared));
    n += ck!(parts(Some(&name), (&name, 3), [&name, &name], &[&name]));
    n
}

#[checkpointable]
fn bound(name: &Name, names: &[Name], none: Option<Name>) -> usize {
    let text: &str = &names[0];
    let (other, n): (&str, &str) = (&names[1], "3");
    let found: &str = names.first().unwrap();
    let inner = none.as_deref();
    checkpoint!();
    let size: &dyn Size = name;
    text.len() + other.len() + n.len() + found.len() + inner.map_or(0, str::len) + size.size()
}

#[checkpointable]
fn fine(labels: Vec<Label>, name: Name) -> usize {
    let mut n = ck!(length(&labels[0]));
    n += ck!(length(labels.last().unwrap()));
    n += ck!(parts(Some(&labels[0]), (&labels[0], 1), [&labels[0], "b"], &["c"]));
    let text: &str = &labels[0];
    let inner = Some(&labels[1]).map(|l| l.len());
    let size: &dyn Size = &name;
    println!("{}", ck!(shown(&3, &name, &[4])));
    n + text.len() + inner.unwrap_or(0) + size.size()
}

#[checkpointable]
fn by_id(labels: &Vec<Label>, id: Id) -> usize {
    let label = &labels[id];
    checkpoint!();
    let same = &labels[id.0];
    checkpoint!();
    label.len() + same.len()
}

#[pc3::main]
fn main() {}

//= 98:17 `name`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 99:28 `name`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 100:22 `names`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 101:35 `unwrap`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 107:22 `name`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 108:29 `boxed`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 109:22 `shared`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 110:26 `name`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 110:35 `name`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 110:47 `name`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 110:54 `name`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 110:64 `name`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 116:23 `names`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 117:38 `names`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 118:37 `unwrap`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 119:22 `as_deref`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 139:18 `labels`: a borrow out of a list by `Id` is made again after a checkpoint, which calls the program's `Index` again
