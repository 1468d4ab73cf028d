//! A few words for writing types and expecting texts.

#![allow(dead_code)]

use pc3_typemetric::abi::Abi;
use pc3_typemetric::layout::Arith;
use pc3_typemetric::plan::{Mismatch, Plan};
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

pub type Make = fn(&mut TypeTable) -> TypeId;

pub fn table(abi: &Abi, make: Make) -> (TypeTable, TypeId) {
    let mut table = TypeTable::new(abi.clone());
    let id = make(&mut table);
    (table, id)
}

pub fn arith(t: &mut TypeTable, a: Arith) -> TypeId {
    t.arith(a).unwrap()
}
pub fn pointer(t: &mut TypeTable, to: TypeId) -> TypeId {
    t.pointer_to(to).unwrap()
}
pub fn array(t: &mut TypeTable, elem: TypeId, n: u64) -> TypeId {
    t.array_of(elem, n).unwrap()
}
pub fn structure(t: &mut TypeTable, name: &str, members: &[(&str, TypeId, Option<u32>)]) -> TypeId {
    t.record(Kind::Struct, name, members).unwrap()
}
pub fn union(t: &mut TypeTable, name: &str, members: &[(&str, TypeId, Option<u32>)]) -> TypeId {
    t.record(Kind::Union, name, members).unwrap()
}

pub fn plan(from: &Abi, to: &Abi, make: Make) -> Result<Plan, Vec<Mismatch>> {
    between(from, make, to, make)
}
pub fn between(from: &Abi, ours: Make, to: &Abi, theirs: Make) -> Result<Plan, Vec<Mismatch>> {
    let (a, s) = table(from, ours);
    let (b, d) = table(to, theirs);
    Plan::compile(&a, s, &b, d)
}
pub fn lines<T: std::fmt::Display>(all: &[T]) -> String {
    all.iter().map(|m| format!("{m}\n")).collect()
}
