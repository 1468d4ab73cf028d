//! Keys that are changed behind the `let` of a borrow that is found by them.
use pc3::prelude::*;
use std::collections::BTreeMap;

#[derive(Checkpointable)]
struct Index {
    entries: BTreeMap<String, u32>,
    name: String,
}

impl Index {
    #[checkpointable]
    fn by_field(&mut self) -> u32 {
        let found = &self.entries[&self.name];
        self.name.clear();
        checkpoint!();
        *found
    }

    #[checkpointable]
    fn by_method(&mut self) -> u32 {
        match self.entries.get_mut(self.name.as_str()) {
            Some(found) => {
                self.name.clear();
                checkpoint!();
                *found += 1;
                *found
            }
            None => 0,
        }
    }

    #[checkpointable]
    fn by_local(&mut self) -> u32 {
        let name = &self.name;
        let found = self.entries.get(name).unwrap();
        self.name = String::new();
        checkpoint!();
        *found
    }
}

#[checkpointable]
fn by_parameter(entries: &BTreeMap<String, u32>, name: &mut String) -> u32 {
    let found = entries.get(&*name).unwrap();
    name.clear();
    checkpoint!();
    *found
}

#[checkpointable]
fn by_mutable(entries: &BTreeMap<String, u32>, name: &mut String) -> u32 {
    let found = entries.get(name).unwrap();
    name.clear();
    checkpoint!();
    *found
}

#[checkpointable]
fn unchanged(entries: &BTreeMap<String, u32>, names: &mut Vec<String>) -> u32 {
    let found = &entries[&names[0]];
    checkpoint!();
    let found = found + entries.get(&names[1]).unwrap();
    names[0].clear();
    found
}

struct Made(u64);

/// What `#[reeval]` makes again is made of the same.
#[checkpointable]
fn again(list: &mut Vec<u64>) -> u64 {
    #[reeval]
    let made = Made(list.len() as u64);
    list.push(3);
    checkpoint!();
    made.0
}

#[checkpointable]
fn longer(list: &mut Vec<u64>) {
    checkpoint!();
    list.push(4);
}

#[checkpointable]
fn around(list: &mut Vec<u64>) -> u64 {
    #[reeval]
    let made = Made(list[0]);
    ck!(longer(list));
    made.0
}

fn main() {}

//= 15:9 `self.name.clear()`: cannot borrow `self.name` as mutable because it is also borrowed as immutable
//= 24:17 `self.name.clear()`: cannot borrow `self.name` as mutable because it is also borrowed as immutable
//= 37:9 `self.name`: cannot assign to `self.name` because it is borrowed
//= 46:5 `name.clear()`: cannot borrow `*name` as mutable because it is also borrowed as immutable
//= 54:5 `name`: borrow of moved value: `name`
//= 75:5 `list.push(3)`: cannot borrow `*list` as mutable because it is also borrowed as immutable
//= 86:1 `#[checkpointable]`: cannot borrow `*list` as mutable because it is also borrowed as immutable
//= 90:9 `longer(list)`: cannot borrow `*list` as mutable because it is also borrowed as immutable
