//! Texts that are written in the program, and given to functions that borrow them: bound by patterns, out of structs, from
//! other functions.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used)]

use pc3::prelude::*;

#[derive(Clone, Copy, Checkpointable)]
struct Named {
    name: &'static str,
    n: u32,
}

#[checkpointable]
fn long(text: &str, by: usize) -> usize {
    let mut all = 0;
    for i in 0..by {
        checkpoint!();
        all += text.len() + i;
    }
    all
}
#[checkpointable]
fn kept(text: &'static str, by: usize) -> &'static str {
    for _ in 0..by {
        checkpoint!();
    }
    text
}
#[checkpointable]
fn generic<S: AsRef<str> + Checkpointable>(text: S) -> usize {
    checkpoint!();
    text.as_ref().len()
}
#[checkpointable]
fn perhaps(text: Option<&str>) -> usize {
    checkpoint!();
    text.map_or(0, |t| t.len())
}
#[checkpointable]
fn pair(p: (&str, u32)) -> usize {
    checkpoint!();
    p.0.len() + p.1 as usize
}
#[checkpointable]
fn longer<'a>(a: &'a str, b: &'a str) -> &'a str {
    checkpoint!();
    if a.len() >= b.len() {
        a
    } else {
        b
    }
}
#[checkpointable]
fn same<T: Checkpointable>(t: T) -> T {
    checkpoint!();
    t
}
#[checkpointable]
fn eat(t: String, n: u64) -> usize {
    checkpoint!();
    t.len() + n as usize
}

#[derive(Checkpointable)]
struct Table {
    names: [&'static str; 3],
}
impl Table {
    #[checkpointable]
    fn count(&self, text: &str) -> usize {
        let mut n = 0;
        for t in &self.names {
            checkpoint!();
            n += usize::from(t.contains(text));
        }
        n
    }
}

fn word(n: usize) -> &'static str {
    ["zero", "one", "two"][n % 3]
}

#[pc3::main]
fn main() {
    for s in ["alpha", "beta"] {
        println!("{}", ck!(long(s, 2)));
        println!("{}", ck!(kept(s, 2)));
        println!("{}", ck!(generic(word(4))));
    }
    let (a, b) = ("x", 3);
    println!("{} {}", ck!(long(a, b)), a);
    for (t, n) in [("a", 1), ("bb", 2)] {
        println!("{} {}", ck!(long(t, n)), ck!(pair((t, 5))));
    }
    let list = vec![Named { name: "q", n: 1 }, Named { name: "rr", n: 2 }];
    for n in &list {
        println!("{}", ck!(long(n.name, n.n as usize)));
    }
    for n in list {
        println!("{} {}", ck!(long(n.name, 1)), ck!(kept(n.name, 1)));
    }
    let mut w = word(2);
    let mut i = 0;
    while i < 3 {
        println!("{}", ck!(long(w, 1)));
        w = word(i);
        i += 1;
        println!("{}", ck!(long(word(i), 1)));
    }
    let o = Some(word(1));
    println!("{}", ck!(perhaps(o)));
    let p = (word(1), 7u32);
    println!("{}", ck!(pair(p)));
    let best = ck!(longer(w, word(5)));
    println!("{best}");
    let table = Table {
        names: ["one", "two", "three"],
    };
    for s in ["o", "e"] {
        println!("{}", ck!(table.count(s)));
    }
    let n = "5".parse().unwrap();
    let m: u16 = ck!(same(n));
    println!("{m} {}", ck!(same(word(3))));
    let text = String::from("text");
    println!("{}", ck!(eat(text, "7".parse().unwrap())));
    let mut t = word(0);
    println!(
        "{}",
        ck!(long(t, {
            t = "second one";
            t.len()
        }))
    );
    println!("{t}");
    match "kind" {
        k if k.len() == 4 => println!("{}", ck!(long(k, 2))),
        _ => {}
    }
}
