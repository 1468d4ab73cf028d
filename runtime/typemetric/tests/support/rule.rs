//! What a rule gives, as text.

// Not every test uses all of it.
#![allow(dead_code)]

use crate::dsl::*;
use expect_test::Expect;
use pc3_typemetric::abi::Abi;
use pc3_typemetric::plan::{NoReferences, Plan};

/// Converts and shows the result's bytes, or the error.
pub fn converted(plan: &Plan, src: &[u8]) -> String {
    let mut ctx = NoReferences;
    let size = match plan.dst_size(src.len() as u64) {
        Ok(n) => n,
        Err(e) => return e.to_string(),
    };
    let mut dst = vec![0; size as usize];
    match plan.run_object(src, &mut dst, &mut ctx) {
        Ok(()) => dst
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect::<Vec<_>>()
            .join(" "),
        Err(e) => e.to_string(),
    }
}

pub fn check(from: &Abi, to: &Abi, make: Make, src: &[u8], expect: Expect) {
    let text = match plan(from, to, make) {
        Ok(plan) => converted(&plan, src),
        Err(all) => lines(&all),
    };
    expect.assert_eq(&text);
}

pub fn refused(from: &Abi, ours: Make, to: &Abi, theirs: Make, expect: Expect) {
    expect.assert_eq(&lines(&between(from, ours, to, theirs).unwrap_err()));
}
