//! Types without names of their own find their partners through what is named.

#![allow(clippy::unwrap_used)]

#[path = "support/dsl.rs"]
mod dsl;

use dsl::{arith, pointer, structure};
use pc3_typemetric::abi::Abi;
use pc3_typemetric::correspond::Correspondence;
use pc3_typemetric::layout::Arith;
use pc3_typemetric::types::{TypeId, TypeTable};

/// What of `i64` a program with these pointers makes on i686, where `int64_t` is `long long`.
fn check(pairs: &[(Arith, Arith)], ask: Arith) -> String {
    let (mut src, mut dst) = (TypeTable::new(Abi::X86_64), TypeTable::new(Abi::I686));
    let mut found = Correspondence::new();
    for &(ours, theirs) in pairs {
        let (s, d) = (arith(&mut src, ours), arith(&mut dst, theirs));
        let (s, d) = (pointer(&mut src, s), pointer(&mut dst, d));
        let s = structure(&mut src, "struct g", &[("p", s, None)]);
        let d = structure(&mut dst, "struct g", &[("p", d, None)]);
        found.relate(&src, s, &dst, d);
    }
    let s = arith(&mut src, ask);
    match found.partner(&src, s, &dst) {
        Ok(d) => dst.describe(d),
        Err(e) => e.to_string(),
    }
}

#[test]
fn partners() {
    use Arith::{Int, Long, LongLong, UInt, ULong};
    assert_eq!(check(&[(Long, LongLong)], Long), "long long");
    assert_eq!(check(&[(Long, Long), (Int, Int)], Long), "long");
    assert_eq!(
        check(&[(Long, Long), (Long, LongLong)], Long),
        "long in the checkpoint may be long or long long here"
    );
    // size_t and unsigned long: spelled differently, laid out alike.
    assert_eq!(
        check(&[(ULong, UInt), (ULong, ULong)], ULong),
        "unsigned int"
    );
    assert_eq!(
        check(&[(Int, Int)], Long),
        "nothing in the program says what long is here"
    );
    let empty = TypeTable::new(Abi::I686);
    assert_eq!(
        Correspondence::new().partner(&empty, TypeId::UNKNOWN, &empty),
        Ok(TypeId::UNKNOWN)
    );
}
