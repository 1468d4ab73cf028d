//! Integers that count bytes of objects, or that sizes are in.

use super::{one, Compiler};
use crate::abi::Abi;
use crate::plan::ops::{Int, Op, Share, Step};
use crate::types::{Kind, Member, Type, TypeId, TypeTable, FITS, ONE, SUM};

/// In front of the name of what such numbers share their sizes with: whether any has got there is measured, too, as 1 or 0.
const NODE: char = '@';
/// In front of what the program's author calls such a number.
const OWN_NAME: char = '#';
/// The number may be all that is allocated, or with the member of this name behind: this one is changed, or stays.
const TOTAL: char = '=';
const PART: char = '+';

/// Is a line of a type's name that of a size?
fn is_size(line: &&str) -> bool {
    !line.starts_with([NODE, OWN_NAME, TOTAL, PART])
}

/// Why a number cannot stay as it is.
struct Changed {
    /// The sizes, for people.
    what: String,
    /// 0 can.
    but_nothing: bool,
    /// It is one of these there, and here.
    one_of: Vec<(u64, u64)>,
    /// From here on it can.
    enough: Option<u64>,
}

fn counts(t: &Type) -> bool {
    t.kind == Kind::Bytes && t.elem != TypeId::UNKNOWN
}

fn measured(t: &Type) -> bool {
    t.kind == Kind::Bytes && t.elem == TypeId::UNKNOWN
}

/// What an integer is of all that is allocated, if it may be, and the name of the other one.
fn share_line(t: &Type) -> Option<(char, &str)> {
    let mut lines = t.name.lines().filter(|_| measured(t));
    lines.find_map(|l| {
        let mark = l.chars().next().filter(|c| [TOTAL, PART].contains(c))?;
        Some((mark, &l[mark.len_utf8()..]))
    })
}

/// Does the program have numbers that may be all that it has allocated?
pub fn has_totals(types: &TypeTable) -> bool {
    types.iter().any(|(_, t)| share_line(t).is_some())
}

/// What its author can do.
fn advice(t: &Type) -> String {
    let name = t.name.lines().find_map(|l| l.strip_prefix(OWN_NAME));
    let name = name.unwrap_or("NAME");
    format!(
        " (compute it anew where it is used, or say what it counts: `#pragma pc3 bytes {name} of TYPE`, `of anything` if nothing goes wrong where it stays as it is)"
    )
}

impl Compiler<'_> {
    /// Is one of them such an integer, and the other one any?
    pub(super) fn of_sizes(&self, a: &Type, b: &Type) -> bool {
        let number =
            |t: &Type| t.kind == Kind::Bytes || t.kind.is_integer() && t.kind != Kind::Bool;
        let either = a.kind == Kind::Bytes || b.kind == Kind::Bytes;
        either && number(a) && number(b)
    }

    pub(super) fn same_sizes(&self, a: &Type, b: &Type) -> bool {
        match counts(a) && counts(b) {
            true => self.src.size(a.elem) == self.dst.size(b.elem),
            false => self.changed(a, b).is_none(),
        }
    }

    pub(super) fn sized(&self, a: &Type, b: &Type, at: (u64, u64)) -> Op {
        let (from, to) = (self.int(a, self.src.abi()), self.int(b, self.dst.abi()));
        if counts(a) && counts(b) {
            let of = (self.src.size(a.elem), self.dst.size(b.elem));
            return one(at, Step::Count { from, to, of });
        }
        match self.changed(a, b) {
            None => self.integer(a, b, at),
            Some(changed) if share_line(b) == Some((TOTAL, "")) => {
                one(at, self.total(a, b, Share::Whole, changed))
            }
            Some(Changed {
                what,
                but_nothing,
                one_of,
                enough,
            }) => {
                let what = format!("is made of {what}{}", advice(b));
                let step = Step::Size {
                    from,
                    to,
                    but_nothing,
                    one_of,
                    enough,
                    what,
                };
                one(at, step)
            }
        }
    }

    fn total(&self, a: &Type, b: &Type, share: Share, changed: Changed) -> Step {
        Step::Total {
            from: self.int(a, self.src.abi()),
            to: self.int(b, self.dst.abi()),
            share,
            but_nothing: changed.but_nothing,
            what: format!(
                "is made of {}, and is not all that is allocated, which would be converted{}",
                changed.what,
                advice(b)
            ),
        }
    }

    fn int(&self, t: &Type, abi: &Abi) -> Int {
        Int {
            size: t.size as u8,
            signed: t.is_signed(abi),
        }
    }

    /// A member of a struct that may be, with another one, all that is allocated.
    pub(super) fn shared_total(
        &self,
        outer: &Type,
        m: &Member,
        n: &Member,
        at: (u64, u64),
    ) -> Option<Op> {
        let (a, b) = (self.src.get(m.ty), self.dst.get(n.ty));
        let (mark, other) = share_line(b).filter(|(_, other)| !other.is_empty())?;
        let changed = self.changed(a, b).filter(|_| self.of_sizes(a, b))?;
        let other = outer
            .members
            .iter()
            .find(|o| o.name == other && o.bits.is_none())?;
        let t = self.src.get(other.ty);
        if !t.kind.is_integer() && t.kind != Kind::Bytes {
            return None;
        }
        let by = other.offset as i64 - m.offset as i64;
        let int = self.int(t, self.src.abi());
        let share = match mark {
            TOTAL => Share::Rest(by, int),
            _ => Share::Part(by, int),
        };
        Some(one(at, self.total(a, b, share, changed)))
    }

    /// Has no size got into such numbers of the checkpoint's program?
    fn has_none(&self, a: &Type) -> bool {
        let mut nodes = a.name.lines().filter(|n| n.starts_with(NODE));
        nodes
            .next()
            .is_some_and(|n| self.src.measured(n) == Some(0))
    }

    fn changed(&self, a: &Type, b: &Type) -> Option<Changed> {
        let (from, to) = (self.src.abi(), self.dst.abi());
        let scalars = |x: &Abi| [x.pointer, x.long, x.long_long, x.double, x.long_double];
        let elsewhere = scalars(from) != scalars(to);
        let both = [a, b].into_iter().filter(|t| measured(t));
        let fits = both.clone().any(|t| t.flags & FITS != 0);
        let counted = counts(a) || counts(b);
        if measured(a) && !counted && self.has_none(a) {
            return None;
        }
        let names = both.clone().flat_map(|t| t.name.lines());
        let mut names: Vec<&str> = names.filter(is_size).collect();
        names.sort_unstable();
        names.dedup();
        let pair = |n: &&str| Some((self.src.measured(n)?, self.dst.measured(n)?));
        // Pieces stay where they are, with their sizes.
        let one = !fits && measured(a) && measured(b) && a.flags & b.flags & ONE != 0;
        let one_of: Option<Vec<(u64, u64)>> = names.iter().map(pair).collect();
        let (mut first, mut enough) = (None, 0);
        for name in names {
            let what = match (self.src.measured(name), self.dst.measured(name)) {
                (Some(x), Some(y)) if x == y || fits && y < x => continue,
                (Some(x), Some(y)) => {
                    enough = enough.max(y);
                    format!("{name}, which is {x} there and {y} here")
                }
                // One of the builds does not have it.
                _ if elsewhere => {
                    enough = u64::MAX;
                    format!("{name}, which may be another number here")
                }
                _ => continue,
            };
            first.get_or_insert(what);
        }
        // What one build converts and the other does not.
        let enough = (fits && first.is_some()).then_some(enough);
        let unlike = elsewhere && counted;
        let what = first.or_else(|| unlike.then(|| "sizes that may be others here".to_string()))?;
        Some(Changed {
            what,
            but_nothing: both.clone().all(|t| t.flags & SUM != 0),
            one_of: one_of.filter(|_| one).unwrap_or_default(),
            enough,
        })
    }
}
