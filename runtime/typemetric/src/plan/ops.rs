//! The steps of a plan.  Offsets are relative to the element the surrounding loop stands at; runs
//! of equal steps are merged as they are appended.

use crate::choice::Test;
use crate::float::Stored;
use crate::plan::address_bits::Address;
use crate::types::{Bits, TypeId};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Int {
    pub size: u8,
    pub signed: bool,
}

/// Which question the resolver is asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Reference {
    /// Of data; the source table's pointee.
    Pointer(TypeId),
    Function,
    /// The source table's handle type.
    Handle(TypeId),
    File,
    /// Of a union: perhaps one of the above.
    Word,
    /// Of data, in an integer.
    Integer(Address),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Step {
    /// `n` bytes as they are.
    Copy,
    /// `n` numbers of this many bytes, in the other byte order.
    Swap(u8),
    /// `n` integers by value.
    Int { from: Int, to: Int },
    /// `n` plain `char`s by themselves, which are signed on one side only.
    Char { to_signed: bool },
    /// `n` integers that count bytes of objects of these sizes.
    Count { from: Int, to: Int, of: (u64, u64) },
    /// `n` integers made of sizes that are others on the target.
    Size {
        from: Int,
        to: Int,
        /// 0 is none of them.
        but_nothing: bool,
        /// What it is there and here, if it is one of these.
        one_of: Vec<(u64, u64)>,
        /// As it is, if it is no less.
        enough: Option<u64>,
        what: String,
    },
    /// `n` integers that are totals of the bytes that are allocated, or else refused.
    Total {
        from: Int,
        to: Int,
        share: Share,
        /// 0 is none.
        but_nothing: bool,
        what: String,
    },
    /// `n` floating-point numbers.
    Float { from: Stored, to: Stored },
    /// `n` references of these sizes.
    Refer { what: Reference, from: u8, to: u8 },
    /// One bit-field; positions are absolute in the element.
    Bits {
        from: Bits,
        to: Bits,
        signed: bool,
        to_signed: bool,
    },
    /// What the value of `tag` (with the struct's offsets) says is in use.
    Choose {
        tag: UnionTag,
        /// Where the union is.
        union: u64,
        cases: Vec<Case>,
        /// For other values; None: refused.
        otherwise: Option<Vec<Op>>,
        /// The program may have stored without the tag: see [`Resolver::tags_hold`](super::Resolver::tags_hold).
        concluded: bool,
    },
    /// A union on its own ABI: what may be references while each of its members is in use.
    Words { of: TypeId, members: Vec<Vec<Op>> },
    /// A union of which nothing says what is in use: each member's way to convert it, and what of them agree.
    Agree {
        readings: Vec<Reading>,
        /// Bytes on the target.
        to: u64,
        /// The source's union.
        of: TypeId,
        what: String,
        /// Nobody reads it as a certain member (`choice::LEFT`).
        left: bool,
    },
    /// `n` elements.
    Repeat {
        from_stride: u64,
        to_stride: u64,
        body: Vec<Op>,
    },
}

/// What of a total is in an integer. The other one's place is so many bytes from it in the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Share {
    Whole,
    /// Stays; the rest is there.
    Part(i64, Int),
    /// What makes the total, with the part there.
    Rest(i64, Int),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct UnionTag {
    pub name: String,
    pub at: u64,
    pub int: Int,
    pub bits: Option<Bits>,
    pub mask: u64,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Case {
    pub tests: Vec<Test>,
    pub ops: Vec<Op>,
}

/// A union's value as one of its members.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Reading {
    pub name: String,
    pub ops: Vec<Op>,
    /// Where it has binary64 numbers.
    pub doubles: Vec<u64>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Op {
    /// Source and target offset.
    pub s: u64,
    pub d: u64,
    pub n: u64,
    pub step: Step,
}

impl Step {
    /// Bytes of one unit on both sides; `None` where runs cannot be merged.
    pub fn unit(&self) -> Option<(u64, u64)> {
        Some(match self {
            Step::Copy | Step::Char { .. } => (1, 1),
            Step::Swap(w) => ((*w).into(), (*w).into()),
            Step::Int { from, to }
            | Step::Count { from, to, .. }
            | Step::Size { from, to, .. }
            | Step::Total { from, to, .. } => (from.size.into(), to.size.into()),
            Step::Float { from, to } => (from.size.into(), to.size.into()),
            Step::Refer { from, to, .. } => ((*from).into(), (*to).into()),
            Step::Repeat {
                from_stride,
                to_stride,
                ..
            } => (*from_stride, *to_stride),
            Step::Bits { .. } | Step::Choose { .. } | Step::Words { .. } | Step::Agree { .. } => {
                return None
            }
        })
    }
}

impl Op {
    fn shifted(mut self, s: u64, d: u64) -> Op {
        if let Step::Bits { from, to, .. } = &mut self.step {
            from.offset += 8 * s;
            to.offset += 8 * d;
        } else {
            self.s += s;
            self.d += d;
        }
        self
    }
}

pub(crate) fn push(out: &mut Vec<Op>, op: Op) {
    if op.n == 0 {
        return;
    }
    if let (Some(last), Some((from, to))) = (out.last_mut(), op.step.unit()) {
        let follows = last.s + last.n * from == op.s && last.d + last.n * to == op.d;
        if follows && last.step == op.step {
            last.n += op.n;
            return;
        }
    }
    out.push(op);
}

/// Appends `n` elements whose conversion is `body`, at the given offsets and strides.
pub(crate) fn push_repeated(
    out: &mut Vec<Op>,
    body: Vec<Op>,
    at: (u64, u64),
    strides: (u64, u64),
    n: u64,
) {
    if body.is_empty() || n == 0 {
        return;
    }
    if n == 1 {
        for op in body {
            push(out, op.shifted(at.0, at.1));
        }
        return;
    }
    if let [only] = &body[..] {
        if let Some((from, to)) = only.step.unit() {
            if (only.s, only.d) == (0, 0) && (only.n * from, only.n * to) == strides {
                let op = Op {
                    s: at.0,
                    d: at.1,
                    n: only.n * n,
                    step: only.step.clone(),
                };
                push(out, op);
                return;
            }
        }
    }
    let step = Step::Repeat {
        from_stride: strides.0,
        to_stride: strides.1,
        body,
    };
    push(
        out,
        Op {
            s: at.0,
            d: at.1,
            n,
            step,
        },
    );
}

/// The conversion of an array's elements.
#[derive(Clone, Debug)]
pub(crate) struct ElementPlan {
    pub from_size: u64,
    pub to_size: u64,
    /// Both sides are laid out identically: elements are copied, then `ops` fix up references.
    pub copy: bool,
    pub ops: Vec<Op>,
}
