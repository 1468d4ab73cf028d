//! Locals whose types cannot be saved.
use pc3::prelude::*;
use std::net::TcpStream;

struct Handle {
    n: u32,
}

#[checkpointable]
fn local(n: u32) -> u32 {
    let handle = Handle { n };
    for i in 0..n {
        println!("{i}");
        checkpoint!();
    }
    handle.n
}

#[checkpointable]
fn within(n: u32) -> u32 {
    let list: Vec<Handle> = vec![Handle { n }];
    checkpoint!();
    list[0].n
}

#[checkpointable]
fn pattern(n: u32) -> u32 {
    let (k, handle) = (n, Handle { n });
    checkpoint!();
    handle.n + k
}

#[checkpointable]
fn matched(of: Option<Handle>) -> u32 {
    if let Some(handle) = of {
        checkpoint!();
        return handle.n;
    }
    0
}

#[checkpointable]
fn parameter(stream: TcpStream) -> bool {
    checkpoint!();
    stream.nodelay().is_ok()
}

#[checkpointable]
fn raw(mut n: u32) -> bool {
    let p = &mut n as *mut u32;
    checkpoint!();
    p.is_null()
}

#[checkpointable]
fn closure(mut n: u32) -> u32 {
    let mut add = move |x: u32| std::mem::replace(&mut n, x);
    checkpoint!();
    add(4)
}

#[checkpointable]
fn mapped(list: Vec<String>) -> usize {
    let mut all = 0;
    for n in list.into_iter().map(|w| w.len()) {
        checkpoint!();
        all += n;
    }
    all
}

#[checkpointable]
fn variable(text: String) -> u32 {
    let mut all = 0;
    let bytes = text.into_bytes().into_iter().map(|c| c);
    for c in bytes {
        checkpoint!();
        all += u32::from(c);
    }
    all
}

#[checkpointable]
fn borrowed(list: Vec<u32>) -> u32 {
    let most = list.iter().skip(2).max();
    checkpoint!();
    most.copied().unwrap_or(0)
}

#[checkpointable]
fn part(text: &str) -> usize {
    let last = text.split(',').next_back().unwrap();
    checkpoint!();
    last.len()
}

#[checkpointable]
fn made_by_a_closure(words: Vec<String>) -> usize {
    #[reeval]
    let lengths = words.iter().map(|w| w.len());
    checkpoint!();
    lengths.sum()
}

#[checkpointable]
fn argument(n: u32) -> u32 {
    ck!(look(&Handle { n }))
}

#[checkpointable]
fn look(handle: &Handle) -> u32 {
    checkpoint!();
    handle.n
}

#[checkpointable]
fn first_of(list: &Vec<u32>) -> u32 {
    checkpoint!();
    list[0]
}

fn longer<'a>(a: &'a Vec<u32>, b: &'a Vec<u32>) -> &'a Vec<u32> {
    match a.len() > b.len() {
        true => a,
        false => b,
    }
}

#[checkpointable]
fn chosen(a: &Vec<u32>, b: &Vec<u32>) -> u32 {
    1 + ck!(first_of(longer(a, b)))
}

#[checkpointable]
fn in_a_cell(n: &std::cell::Cell<u32>) -> u32 {
    #[reeval]
    let handle = Handle { n: n.get() };
    n.set(5);
    checkpoint!();
    handle.n
}

static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(3);

#[checkpointable]
fn counted(all: &std::sync::Mutex<u32>) -> Vec<u32> {
    use std::sync::atomic::Ordering::Relaxed;
    #[reeval]
    let list = vec![COUNT.load(Relaxed)];
    #[reeval]
    let more = vec![*all.lock().unwrap()];
    COUNT.fetch_add(1, Relaxed);
    checkpoint!();
    [list, more].concat()
}

#[pc3::main]
fn main() {
    println!("{}", ck!(local(3)) + ck!(within(3)) + ck!(pattern(3)) + ck!(argument(3)));
}

#[derive(Checkpointable)]
struct Node {
    next: Option<Box<Node>>,
}

#[checkpointable]
fn cursor(list: &Node) -> usize {
    let mut at = &list.next;
    let mut n = 0;
    while let Some(node) = at {
        n += 1;
        at = &node.next;
        checkpoint!();
    }
    n
}

//= 57:13 `add`: `add` is a closure, which cannot be saved, and is needed behind a location or marked call: leave out `move`, write it where it is used, or as a function
//= 11:9 `handle`: `Handle` cannot be saved in a checkpoint
//= 21:9 `list`: `Handle` cannot be saved in a checkpoint
//= 28:13 `handle`: `Handle` cannot be saved in a checkpoint
//= 35:17 `handle`: `Handle` cannot be saved in a checkpoint
//= 43:14 `stream`: `TcpStream` cannot be saved in a checkpoint
//= 50:9 `p`: `*mut u32` cannot be saved in a checkpoint
//= 76:14 `bytes`: `Map<std::vec::IntoIter<u8>, {closure@src/bin/unsaved.rs:75:51: 75:54}>` cannot be saved in a checkpoint
//= 85:9 `most`: `&u32` cannot be saved in a checkpoint
//= 100:32 `map`: `#[reeval]` cannot make a local again whose type holds a closure: it would be of another type
//= 107:15 `Handle`: `Handle` cannot be saved in a checkpoint
//= 131:22 `longer`: this argument would be kept by the function that is called, which takes a borrow here: `&Vec<u32>`
//= 137:9 `handle`: a `#[reeval]` local is made of a `&Cell<u32>`, which may have cells, or be changed by others, before it is made again
//= 149:21 `COUNT`: use of deprecated method `pc3::point::NotSaved::value`: the value of this static is not saved: behind a restart it is what it was at the start; make it one of `pc3::saved!`, or a local that is handed on; `#[allow(deprecated)]` in front of the function says that it does not matter
//= 149:9 `list`: a `#[reeval]` local is made of a `AtomicU32`, which may have cells, or be changed by others, before it is made again
//= 151:9 `more`: a `#[reeval]` local is made of a `&std::sync::Mutex<u32>`, which may have cells, or be changed by others, before it is made again
//= 169:13 `at`: `&Option<Box<Node>>` becomes another borrow, which a checkpoint cannot hold
