//! Unions whose members differ, on the ABI that they stay on: their bytes are copied, and words at places where some member
//! has a reference are translated if they are addresses of live objects.
//!
//! Whichever member is in use, that is right for whole words: a number that is the address of something alive may have
//! come from a pointer.  But where the member in use has a shorter number, the rest of the word is left over from another
//! member, and the number would be changed with it.

use super::union::{expand, MAX_UNION_UNITS};
use super::{one, Compiler, Mode};
use crate::plan::ops::{push, push_repeated, Op, Reference, Step};
use crate::types::TypeId;

impl Compiler<'_> {
    /// The words of a union; where a note may say which member is in use, those that it leaves.
    pub(super) fn words(&mut self, s: TypeId, d: TypeId, at: (u64, u64), out: &mut Vec<Op>) {
        let all = self.words_of_all(s, d);
        let numbers = self.numbers(s, d);
        let members: Vec<Vec<Op>> = numbers.iter().map(|n| beside(&all, n)).collect();
        if members.iter().all(|m| *m == all) {
            return push_repeated(out, all, at, (0, 0), 1);
        }
        push(out, one(at, Step::Words { of: s, members }));
    }

    /// The words of a union that can be references while its `member` is in use.
    pub(super) fn words_beside(
        &mut self,
        s: TypeId,
        d: TypeId,
        member: usize,
        at: (u64, u64),
        out: &mut Vec<Op>,
    ) {
        let all = self.words_of_all(s, d);
        let numbers = self.numbers(s, d);
        let left = numbers.get(member).map_or(all.clone(), |n| beside(&all, n));
        push_repeated(out, left, at, (0, 0), 1);
    }

    /// The places of references in any member, from the union's start.
    fn words_of_all(&mut self, s: TypeId, d: TypeId) -> Vec<Op> {
        let (src, dst) = (self.src, self.dst);
        let mut words = Vec::new();
        let members = src.get(s).members.iter().zip(&dst.get(d).members);
        for (m, n) in members.filter(|(m, _)| m.bits.is_none()) {
            let mut ops = Vec::new();
            self.value(m.ty, n.ty, (m.offset, n.offset), Mode::References, &mut ops);
            for op in ops {
                perhaps(op, &mut words);
            }
        }
        let (mut left, mut all) = (MAX_UNION_UNITS, Vec::new());
        if !expand(&words, (0, 0), &mut left, &mut all) {
            return words;
        }
        // Several members may have one there.
        all.sort_by_key(|op| op.s);
        all.dedup();
        all
    }

    /// Where each member has numbers.
    fn numbers(&mut self, s: TypeId, d: TypeId) -> Vec<Vec<Number>> {
        let (src, dst) = (self.src, self.dst);
        let before = self.mismatches.len();
        let (units, _) = self.readings(src.get(s), dst.get(d));
        // What cannot be converted stays.
        self.mismatches.truncate(before);
        let list = units.into_iter();
        list.map(|u| u.iter().flatten().filter_map(number).collect())
            .collect()
    }
}

/// A number of a member: where it lies, in bits.
#[derive(Clone, Copy)]
struct Number {
    at: u64,
    bits: u64,
}

fn number(op: &Op) -> Option<Number> {
    match &op.step {
        Step::Bits { from, .. } => Some(Number {
            at: from.offset,
            bits: from.width.into(),
        }),
        Step::Refer { .. } => None,
        step => step.unit().map(|(bytes, _)| Number {
            at: 8 * op.s,
            bits: 8 * bytes,
        }),
    }
}

/// The words that are not in part a member's shorter numbers.  Bytes that fill a word are a text, or room for anything.
fn beside(words: &[Op], numbers: &[Number]) -> Vec<Op> {
    let apart = |op: &&Op| {
        let Step::Refer { from, .. } = op.step else {
            return true;
        };
        let (begin, width) = (8 * op.s, 8 * u64::from(from));
        let meets = |n: &&Number| n.at < begin + width && begin < n.at + n.bits;
        let mut bytes = 0;
        for n in numbers.iter().filter(meets) {
            match n.bits {
                8 => bytes += 8,
                _ if (n.at, n.bits) == (begin, width) => {}
                _ => return false,
            }
        }
        bytes == 0 || bytes >= width
    };
    words.iter().filter(apart).cloned().collect()
}

/// References become words that may be some.
fn perhaps(mut op: Op, out: &mut Vec<Op>) {
    let flat = |inner: Vec<Op>, at: (u64, u64), out: &mut Vec<Op>| {
        for op in inner {
            let mut words = Vec::new();
            perhaps(op, &mut words);
            push_repeated(out, words, at, (0, 0), 1);
        }
    };
    let at = (op.s, op.d);
    match &mut op.step {
        Step::Refer { what, .. } => *what = Reference::Word,
        Step::Repeat { body, .. } => {
            let mut words = Vec::new();
            std::mem::take(body)
                .into_iter()
                .for_each(|b| perhaps(b, &mut words));
            *body = words;
        }
        // Whether it holds what decides is not known.
        Step::Agree { readings, .. } => {
            return readings.iter().for_each(|r| flat(r.ops.clone(), at, out));
        }
        Step::Choose { cases, .. } => {
            return cases.iter().for_each(|c| flat(c.ops.clone(), at, out));
        }
        Step::Words { members, .. } => {
            return members.iter().for_each(|m| flat(m.clone(), at, out));
        }
        _ => {}
    }
    push(out, op);
}
