//! Values that are moved away, and come back only behind a location.
use pc3::prelude::*;

fn eat(list: Vec<u64>) -> usize {
    list.len()
}

#[checkpointable]
fn before_they_meet(n: u64) -> usize {
    let mut list = vec![n];
    let mut all = 0;
    loop {
        if all > 2 {
            all += eat(list);
        }
        checkpoint!();
        list = vec![2; all];
        all += 1;
        if all > 20 {
            break all + list.len();
        }
    }
}

#[derive(Checkpointable)]
struct Pair {
    first: String,
    second: String,
}

#[checkpointable]
fn in_part(pair: Pair) -> usize {
    let first = pair.first;
    checkpoint!();
    first.len() + pair.second.len()
}

impl Pair {
    #[checkpointable]
    fn both(self, of: Name) -> usize {
        checkpoint!();
        self.first.len() + of.0.len()
    }
}

#[derive(Checkpointable)]
struct Name(String);

impl Name {
    #[checkpointable]
    fn length(self) -> usize {
        checkpoint!();
        self.0.len()
    }
}

#[derive(Checkpointable)]
struct Named {
    name: Name,
    pair: Pair,
}

#[checkpointable]
fn into_a_method(named: Named) -> usize {
    let length = ck!(named.name.length());
    length + named.pair.first.len()
}

/// Numbers are copied.
#[checkpointable]
fn copied(n: u64) -> u64 {
    let mut a = n;
    loop {
        let b = a;
        checkpoint!();
        a = b + 3;
        if a > 20 {
            break a;
        }
    }
}

#[pc3::main]
fn main() {
    println!("{}", ck!(before_they_meet(3)));
    println!("{}", ck!(copied(3)));
    let (first, second) = (String::new(), String::new());
    println!("{}", ck!(in_part(Pair { first, second })));
    let (first, second) = (String::new(), String::new());
    let (name, pair) = (Name(String::new()), Pair { first, second });
    println!("{}", ck!(into_a_method(Named { name, pair })));
    let (first, second) = (String::new(), String::new());
    println!("{}", ck!(Pair { first, second }.both(Name(String::new()))));
}

//= 14:24 `list`: a value of type `Vec<u64>` is moved in front of a location or marked call that would have to save it
//= 33:17 `pair`: a field of type `String` is moved out of a local in front of a location or marked call that would have to save the rest
//= 65:22 `named`: a field of type `Name` is moved out of a local in front of a location or marked call that would have to save the rest
