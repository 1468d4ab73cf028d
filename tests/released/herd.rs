//! Its checkpoints of earlier releases go on (`tests/suites/released.rs`): nothing in this file may change.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use pc3::prelude::*;

#[derive(Checkpointable, Clone, Debug)]
enum Event {
    Birth { name: String, weight: f64 },
    Visit(u32, [i16; 3]),
    Rest,
}

#[derive(Checkpointable)]
struct Herd {
    counts: BTreeMap<String, u64>,
    events: VecDeque<Event>,
    shared: Rc<RefCell<Vec<f64>>>,
    last: Option<Box<Event>>,
}

#[checkpointable]
fn visit(herd: &mut Herd, day: u32) -> f64 {
    let mut weight = f64::from(day);
    for hour in 0..4u32 {
        checkpoint!();
        let event = match (day + hour) % 3 {
            0 => Event::Birth { name: format!("calf-{day}"), weight: weight / 8.0 },
            1 => Event::Visit(hour, [hour as i16, -1, day as i16]),
            _ => Event::Rest,
        };
        weight += f64::from(hour) * 0.125;
        *herd.counts.entry(format!("{:.4}", format!("{event:?}"))).or_default() += 1;
        herd.shared.borrow_mut().push(weight);
        herd.last = Some(Box::new(event.clone()));
        herd.events.push_back(event);
        if herd.events.len() > 5 {
            herd.events.pop_front();
        }
    }
    weight
}

#[pc3::main]
fn main() {
    let shared = Rc::new(RefCell::new(Vec::new()));
    let mut herd = Herd {
        counts: BTreeMap::new(),
        events: VecDeque::new(),
        shared: shared.clone(),
        last: None,
    };
    let mut total = 0.0;
    for day in 0..6u32 {
        let weight = ck!(visit(&mut herd, day));
        total += weight;
        println!("{day} {total} {:?}", herd.last);
    }
    println!("{:?} {:?} {}", herd.counts, herd.events, shared.borrow().len());
}
