//! Values that iterators take, and an argument that the attribute does not know.
use pc3::prelude::*;
use std::rc::Rc;

#[checkpointable(often)]
fn arguments() {}

#[checkpointable]
fn given_away(list: &[String], mut other: Vec<u64>) -> u64 {
    let mut all = 0;
    other.push(1);
    for (x, y) in list.iter().zip(other) {
        checkpoint!();
        all += x.len() as u64 + y;
    }
    all
}

#[checkpointable]
fn unlisted(list: Vec<Rc<dyn Fn()>>) -> u64 {
    let mut all = 0;
    for f in list.into_iter().rev() {
        checkpoint!();
        f();
        all += 1;
    }
    all
}

#[checkpointable]
fn length(word: impl AsRef<str>) -> usize {
    checkpoint!();
    word.as_ref().len()
}

#[checkpointable]
fn lengths(text: &str) -> usize {
    let mut all = 0;
    for word in text.split(' ') {
        all += ck!(length(word));
    }
    all
}

struct Own(Vec<Vec<u64>>);

impl IntoIterator for Own {
    type Item = Vec<u64>;
    type IntoIter = std::vec::IntoIter<Vec<u64>>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[checkpointable]
fn nested(list: Vec<Own>) -> u64 {
    let mut all = 0;
    for part in list.into_iter().flatten() {
        checkpoint!();
        all += part.len() as u64;
    }
    all
}

fn main() {}

//= 5:18 `often`: #[checkpointable] takes no arguments but `associated`, for functions of an impl or trait that mention `Self` nowhere
//= 12:35 `other`: a value of type `Vec<u64>` is moved into a loop's iterator, which is made again after a restart
//= 22:31 `rev`: `dyn Fn()` cannot be saved in a checkpoint
//= 22:9 `f`: `dyn Fn()` cannot be saved in a checkpoint
//= 31:11 `word`: `Pc3Type0` cannot be saved in a checkpoint
//= 40:27 `word`: mismatched types
//= 58:34 `flatten`: what `Own` gives cannot be saved
//= 55:1 `#[checkpointable]`: what `Own` gives cannot be saved
//= 58:34 `flatten`: `Own` cannot be saved in a checkpoint
//= 58:17 `list`: what `Own` gives cannot be saved
