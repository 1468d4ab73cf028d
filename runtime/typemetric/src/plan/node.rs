//! A pair of corresponding types as a tree: which element a byte offset means, and where it lies in the target.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::types::TypeId;

/// A pair of corresponding types as a tree of parts.
#[derive(Debug)]
pub(crate) struct Node {
    /// The source table's type: compared with what a pointer points to.
    pub ty: TypeId,
    /// Of an integer that means more: pointers to it are pointers to these.
    pub like: Vec<TypeId>,
    pub from_size: u64,
    pub to_size: u64,
    /// Offsets are the same on both sides.
    pub same: bool,
    pub parts: PlanShape,
}

#[derive(Debug)]
pub(crate) enum PlanShape {
    Scalar,
    Array {
        elem: Arc<Node>,
        count: u64,
    },
    /// Ascending by offset for a struct.
    Record {
        parts: Vec<PlanMember>,
        union: bool,
    },
}

#[derive(Debug)]
pub(crate) struct PlanMember {
    pub name: String,
    pub from: u64,
    pub to: u64,
    /// Bit-field: position in the source.
    pub bit: Option<u64>,
    /// For a bit-field: the bytes its bits lie in.
    pub len: u64,
    pub node: Arc<Node>,
}

impl Node {
    /// Maps an offset within (or one past the end of) this part; `hint` is what the pointer points to.
    pub fn map(&self, offset: u64, hint: TypeId) -> Option<u64> {
        if self.same || offset == 0 {
            return Some(offset);
        }
        if offset == self.from_size {
            return Some(self.to_size);
        }
        match &self.parts {
            PlanShape::Scalar => None,
            PlanShape::Array { elem, .. } if elem.from_size == 0 => None,
            PlanShape::Array { elem, .. } => {
                let (index, inner) = (offset / elem.from_size, offset % elem.from_size);
                Some(index * elem.to_size + elem.map(inner, hint)?)
            }
            PlanShape::Record { parts, union: true } => {
                let mut found = parts.iter().filter(|p| offset <= p.len && p.bit.is_none());
                found.find_map(|p| p.node.map(offset, hint).map(|to| to + p.to))
            }
            PlanShape::Record {
                parts,
                union: false,
            } => {
                let mut next = parts.partition_point(|p| p.from <= offset);
                // Of empty members at the same place, the one that holds something.
                while next > 1 && parts[next - 1].len == 0 && parts[next - 2].from == offset {
                    next -= 1;
                }
                let before = &parts[next.checked_sub(1)?];
                if before.from < offset || before.bit.is_some() {
                    let inner = offset - before.from;
                    if before.bit.is_some() || inner > before.len {
                        return None;
                    }
                    return before.node.map(inner, hint).map(|to| to + before.to);
                }
                let start = before.to;
                // The end of the member in front is the same place in the source.
                let Some(ended) = next
                    .checked_sub(2)
                    .map(|i| &parts[i])
                    .filter(|p| p.bit.is_none())
                else {
                    return Some(start);
                };
                let end = ended.to + ended.node.to_size;
                if ended.from + ended.len == offset && end != start && hint != TypeId::UNKNOWN {
                    let wanted = |ty| ty == hint;
                    if ended.node.ends_with(&wanted) && !before.node.starts_with(&wanted) {
                        return Some(end);
                    }
                }
                Some(start)
            }
        }
    }

    pub fn is(&self, wanted: &dyn Fn(TypeId) -> bool) -> bool {
        wanted(self.ty) || self.like.iter().any(|t| wanted(*t))
    }

    pub fn starts_with(&self, wanted: &dyn Fn(TypeId) -> bool) -> bool {
        self.is(wanted)
            || match &self.parts {
                PlanShape::Scalar => false,
                PlanShape::Array { elem, .. } => elem.starts_with(wanted),
                PlanShape::Record { parts, union: true } => {
                    parts.iter().any(|p| p.node.starts_with(wanted))
                }
                PlanShape::Record { parts, .. } => parts
                    .first()
                    .is_some_and(|p| p.from == 0 && p.node.starts_with(wanted)),
            }
    }

    pub fn ends_with(&self, wanted: &dyn Fn(TypeId) -> bool) -> bool {
        self.is(wanted)
            || match &self.parts {
                PlanShape::Scalar => false,
                PlanShape::Array { elem, .. } => elem.ends_with(wanted),
                PlanShape::Record { parts, union: true } => {
                    parts.iter().any(|p| p.node.ends_with(wanted))
                }
                PlanShape::Record { parts, .. } => parts
                    .last()
                    .is_some_and(|p| p.from + p.len == self.from_size && p.node.ends_with(wanted)),
            }
    }

    /// Does the byte at `offset` lie in an array of bytes, with no record beginning there?
    pub fn in_bytes(&self, offset: u64) -> bool {
        match &self.parts {
            PlanShape::Scalar | PlanShape::Record { union: true, .. } => false,
            PlanShape::Array { elem, .. } => {
                elem.is_byte() || elem.from_size > 0 && elem.in_bytes(offset % elem.from_size)
            }
            PlanShape::Record { parts, .. } => {
                offset > 0
                    && parts
                        .iter()
                        .find(|p| p.bit.is_none() && p.from <= offset && offset < p.from + p.len)
                        .is_some_and(|p| p.node.in_bytes(offset - p.from))
            }
        }
    }

    pub fn is_byte(&self) -> bool {
        matches!(self.parts, PlanShape::Scalar) && self.from_size == 1
    }

    /// If the first `len` bytes end inside a scalar: where that starts.
    pub fn cut(&self, len: u64) -> Option<u64> {
        if len == 0 || len >= self.from_size {
            return None;
        }
        match &self.parts {
            PlanShape::Scalar => Some(0),
            PlanShape::Array { elem, .. } => {
                let start = len / elem.from_size * elem.from_size;
                elem.cut(len - start).map(|at| start + at)
            }
            PlanShape::Record { parts, .. } => parts
                .iter()
                .filter(|p| p.from < len)
                .filter_map(|p| p.cut(len))
                .min(),
        }
    }

    /// `[3].next`: the innermost named element at an offset.
    pub fn text(&self, offset: u64, bit: Option<u64>, indexed: bool) -> String {
        let mut out = String::new();
        let mut offset = offset;
        let mut bit = bit;
        if self.from_size > 0 && (indexed || offset >= self.from_size && self.trailing().is_none())
        {
            let index = offset / self.from_size;
            let _ = write!(out, "[{index}]");
            offset -= index * self.from_size;
            bit = bit.map(|b| b - index * self.from_size * 8);
        }
        self.write(offset, bit, &mut out);
        out
    }

    pub fn trailing(&self) -> Option<&PlanMember> {
        match &self.parts {
            PlanShape::Record {
                parts,
                union: false,
            } => parts.last().filter(|p| match &p.node.parts {
                PlanShape::Array { count, .. } => *count <= 1,
                _ => p.node.trailing().is_some(),
            }),
            _ => None,
        }
    }

    pub fn write(&self, offset: u64, bit: Option<u64>, out: &mut String) {
        match &self.parts {
            PlanShape::Scalar => {}
            PlanShape::Array { elem, .. } => {
                if let Some(index) = offset.checked_div(elem.from_size) {
                    let _ = write!(out, "[{index}]");
                    elem.write(
                        offset % elem.from_size,
                        bit.map(|b| b - index * elem.from_size * 8),
                        out,
                    );
                }
            }
            PlanShape::Record { parts, .. } => {
                let within = |p: &&PlanMember| match (p.bit, bit) {
                    (Some(at), Some(b)) => at == b,
                    _ => p.from <= offset && offset < p.from + p.len,
                };
                let tail = self.trailing().filter(|p| p.from <= offset);
                if let Some(p) = parts.iter().find(within).or(tail) {
                    if !p.name.is_empty() {
                        let _ = write!(out, ".{}", p.name);
                    }
                    if p.bit.is_none() {
                        p.node
                            .write(offset - p.from, bit.map(|b| b - p.from * 8), out);
                    }
                }
            }
        }
    }
}

impl PlanMember {
    pub fn cut(&self, len: u64) -> Option<u64> {
        let inner = len - self.from;
        if self.bit.is_some() {
            return (inner < self.len).then_some(self.from);
        }
        self.node.cut(inner).map(|at| self.from + at)
    }
}
