//! Unions: they convert if it does not matter which member is in use, by their types or, if those differ, by their values.
//!
//! Where it does matter, a union that stays on its ABI keeps its bytes: see [`super::words`].

use super::{one, part, Compiler, Mode};
use crate::choice::{Choice, LEFT, VALUE};
use crate::plan::ops::{push, push_repeated, Case, Int, Op, Reading, Reference, Step, UnionTag};
use crate::types::{counterparts, Kind, Type, TypeId};
use std::collections::HashSet;

/// Unions are compared scalar by scalar up to this many.
pub(super) const MAX_UNION_UNITS: u64 = 1 << 16;

impl Compiler<'_> {
    /// Every member as scalars; each scalar of a member must be one of the member that has most.
    pub(super) fn union(
        &mut self,
        s: TypeId,
        d: TypeId,
        at: (u64, u64),
        mode: Mode,
        out: &mut Vec<Op>,
    ) {
        let (src, dst) = (self.src, self.dst);
        let (a, b) = (src.get(s), dst.get(d));
        if counterparts(a, b).is_none() {
            return self.different_members(s, d);
        }
        let stays = mode == Mode::References && src.abi().same_layout(dst.abi());
        let before = self.mismatches.len();
        let (mut units, readings) = self.readings(a, b);
        if stays && self.mismatches.len() > before {
            // A union in it is of that kind.
            self.mismatches.truncate(before);
            return self.words(s, d, at, out);
        }
        let Some(longest) =
            (0..units.len()).max_by_key(|&i| units[i].as_ref().map_or(usize::MAX, Vec::len))
        else {
            return;
        };
        let agree = agree(&units, longest);
        if agree == Agree::No && stays {
            return self.words(s, d, at, out);
        }
        if agree == Agree::No {
            // What stands against a member stands against all.
            if self.mismatches.len() == before {
                push(out, one(at, self.by_value(readings, s, b.size)));
            }
            return;
        }
        let (m, n) = (&a.members[longest], &b.members[longest]);
        self.path.push(part(&m.name, longest));
        match (m.bits, n.bits) {
            (None, None) => {
                let mut ops = Vec::new();
                let place = (at.0 + m.offset, at.1 + n.offset);
                self.value(m.ty, n.ty, place, mode, &mut ops);
                for op in ops {
                    let op = match agree {
                        Agree::ButPointees => any_pointer(&op),
                        _ => op,
                    };
                    push(out, op);
                }
            }
            _ if mode == Mode::References => {}
            _ => {
                let ops = units.swap_remove(longest).unwrap_or_default();
                push_repeated(out, ops, at, (a.size, b.size), 1);
            }
        }
        self.path.pop();
    }

    /// Each member's scalars, unless there are too many, and how it is converted.
    pub(super) fn readings(&mut self, a: &Type, b: &Type) -> (Vec<Option<Vec<Op>>>, Vec<Reading>) {
        let (src, dst) = (self.src, self.dst);
        let mut units = Vec::new();
        let mut readings = Vec::new();
        for (i, (m, n)) in a.members.iter().zip(&b.members).enumerate() {
            let mut ops = Vec::new();
            self.path.push(part(&m.name, i));
            match (m.bits, n.bits) {
                (None, None) => {
                    self.value(m.ty, n.ty, (m.offset, n.offset), Mode::Scalars, &mut ops)
                }
                (Some(from), Some(to)) => {
                    let signed = src.get(m.ty).is_signed(src.abi());
                    let to_signed = dst.get(n.ty).is_signed(dst.abi());
                    self.bits((m.ty, n.ty), (from, to), (signed, to_signed), &mut ops);
                }
                _ => self.mismatch(m.ty, n.ty, "a bit-field on one side only"),
            }
            self.path.pop();
            let mut list = Vec::new();
            let mut left = MAX_UNION_UNITS;
            units.push(expand(&ops, (0, 0), &mut left, &mut list).then_some(list));
            let mut doubles = Vec::new();
            self.doubles(m.ty, m.offset, &mut doubles);
            let name = m.name.clone();
            readings.push(Reading { name, ops, doubles });
        }
        (units, readings)
    }
}

/// Is each scalar of a member one of the longest member's?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Agree {
    Yes,
    /// But for what pointers lead to.
    ButPointees,
    No,
}

fn agree(units: &[Option<Vec<Op>>], longest: usize) -> Agree {
    let Some(most) = &units[longest] else {
        let others = units.len() > 1;
        return if others { Agree::No } else { Agree::Yes };
    };
    let whole: HashSet<&Op> = most.iter().collect();
    let loose: HashSet<Op> = most.iter().map(any_pointer).collect();
    let mut found = Agree::Yes;
    for (_, unit) in units.iter().enumerate().filter(|(i, _)| *i != longest) {
        let Some(part) = unit else {
            return Agree::No;
        };
        if part.iter().all(|op| whole.contains(op)) {
            continue;
        }
        if !part.iter().all(|op| loose.contains(&any_pointer(op))) {
            return Agree::No;
        }
        found = Agree::ButPointees;
    }
    found
}

impl Compiler<'_> {
    fn by_value(&self, mut readings: Vec<Reading>, s: TypeId, to: u64) -> Step {
        let refers = |r: &&Reading| r.ops.iter().any(has_reference);
        if readings.iter().filter(refers).count() > 1 {
            for r in &mut readings {
                r.ops = r.ops.iter().map(any_pointer).collect();
            }
        }
        Step::Agree {
            readings,
            to,
            of: s,
            what: self.src.describe(s),
            left: false,
        }
    }

    /// Where a type has binary64 numbers, up to a few.
    fn doubles(&self, s: TypeId, at: u64, out: &mut Vec<u64>) {
        const MOST: usize = 64;
        let t = self.src.get(s);
        match t.kind {
            Kind::Float if t.size == 8 && out.len() < MOST => out.push(at),
            Kind::Array if out.len() < MOST => {
                let each = self.src.size(t.elem);
                for i in 0..t.count.min(MOST as u64) {
                    self.doubles(t.elem, at + i * each, out);
                }
            }
            Kind::Struct => {
                for m in t.members.iter().filter(|m| m.bits.is_none()) {
                    self.doubles(m.ty, at + m.offset, out);
                }
            }
            _ => {}
        }
    }

    /// A union of which another member of the struct says what is in use.
    pub(super) fn chosen(
        &mut self,
        (s, i): (TypeId, usize),
        (d, k): (TypeId, usize),
        choice: &Choice,
        at: (u64, u64),
        mode: Mode,
        out: &mut Vec<Op>,
    ) {
        let (src, dst) = (self.src, self.dst);
        if mode == Mode::References && !self.has_references(src.get(s).members[i].ty) {
            return;
        }
        let (outer, m, n) = (src.get(s), &src.get(s).members[i], &dst.get(d).members[k]);
        let (a, b) = (src.get(m.ty), dst.get(n.ty));
        let place = (m.offset, n.offset);
        let stays = mode == Mode::References && src.abi().same_layout(dst.abi());
        let concluded = stays && choice.is_concluded();
        let tag = outer.members.iter().find(|t| t.name == choice.tag);
        let (fits, what) = match choice.is_by_address() {
            true => (
                tag.is_some_and(|t| src.get(t.ty).kind == Kind::Pointer),
                "pointer",
            ),
            false => (
                tag.is_some_and(|t| src.get(t.ty).kind.is_integer()),
                "integer",
            ),
        };
        let Some(tag) = tag.filter(|_| fits) else {
            return self.mismatch(s, d, format!("there is no {what} {:?}", choice.tag));
        };
        let int = src.get(tag.ty);
        let tag = UnionTag {
            name: tag.name.clone(),
            at: tag.offset,
            int: Int {
                size: int.size as u8,
                signed: int.is_signed(src.abi()),
            },
            bits: tag.bits,
            mask: choice.mask,
        };
        let mut cases = Vec::new();
        for rule in &choice.rules {
            let mut ops = Vec::new();
            if let Some(rest @ (VALUE | LEFT)) = rule.member.as_deref() {
                self.value(m.ty, n.ty, place, mode, &mut ops);
                for op in &mut ops {
                    if let Step::Agree { left, .. } = &mut op.step {
                        *left = rest == LEFT;
                    }
                }
            } else if let Some(name) = &rule.member {
                let named = |t: &Type| t.members.iter().position(|m| m.name == *name);
                let (Some(x), Some(y)) = (named(a), named(b)) else {
                    self.mismatch(m.ty, n.ty, format!("it has no member {name:?}"));
                    continue;
                };
                let x_at = x;
                let (x, y) = (&a.members[x], &b.members[y]);
                self.path.push(part(name, 0));
                let from = (place.0 + x.offset, place.1 + y.offset);
                match (x.bits, y.bits) {
                    _ if concluded => self.words_beside(m.ty, n.ty, x_at, place, &mut ops),
                    (None, None) => self.value(x.ty, y.ty, from, mode, &mut ops),
                    _ => self.mismatch(x.ty, y.ty, "it is a bit-field"),
                }
                self.path.pop();
            }
            cases.push(Case {
                tests: rule.tests.clone(),
                ops,
            });
        }
        let otherwise = stays.then(|| {
            let mut ops = Vec::new();
            self.words(m.ty, n.ty, place, &mut ops);
            ops
        });
        let step = Step::Choose {
            tag,
            union: place.0,
            cases,
            otherwise,
            concluded,
        };
        let op = Op {
            s: at.0,
            d: at.1,
            n: 1,
            step,
        };
        push(out, op);
    }
}

fn has_reference(op: &Op) -> bool {
    match &op.step {
        Step::Refer { .. } => true,
        Step::Repeat { body, .. } => body.iter().any(has_reference),
        Step::Choose { cases, .. } => cases.iter().flat_map(|c| &c.ops).any(has_reference),
        Step::Agree { readings, .. } => readings.iter().flat_map(|r| &r.ops).any(has_reference),
        Step::Words { members, .. } => members.iter().flatten().any(has_reference),
        _ => false,
    }
}

/// Pointers to different things are one kind of thing.
fn any_pointer(op: &Op) -> Op {
    let mut op = op.clone();
    match &mut op.step {
        Step::Refer { what, .. } => {
            if matches!(what, Reference::Pointer(_) | Reference::Function) {
                *what = Reference::Pointer(TypeId::UNKNOWN);
            }
        }
        Step::Repeat { body, .. } => {
            *body = body.iter().map(any_pointer).collect();
        }
        Step::Agree { readings, .. } => {
            for r in readings {
                r.ops = r.ops.iter().map(any_pointer).collect();
            }
        }
        _ => {}
    }
    op
}

/// Writes runs out as single units; false if there are too many.
pub(super) fn expand(ops: &[Op], at: (u64, u64), left: &mut u64, out: &mut Vec<Op>) -> bool {
    for op in ops {
        if op.n > *left {
            return false;
        }
        let (from, to) = op.step.unit().unwrap_or((0, 0));
        for i in 0..op.n {
            let here = (at.0 + op.s + i * from, at.1 + op.d + i * to);
            match &op.step {
                Step::Repeat { body, .. } => {
                    if !expand(body, here, left, out) {
                        return false;
                    }
                }
                step => {
                    *left = left.saturating_sub(1);
                    push_unit(out, here, step, at);
                }
            }
        }
    }
    true
}

fn push_unit(out: &mut Vec<Op>, here: (u64, u64), step: &Step, at: (u64, u64)) {
    let mut step = step.clone();
    let (mut s, mut d) = here;
    if let Step::Bits { from, to, .. } = &mut step {
        from.offset += 8 * at.0;
        to.offset += 8 * at.1;
        (s, d) = (0, 0);
    }
    out.push(Op { s, d, n: 1, step });
}
