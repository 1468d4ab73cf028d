//! Element paths: which element of an object a byte offset means, and where it lies in the target.
//!
//! An [`OffsetMap`] is compiled once per pair of types.  An offset is mapped if it is the start of
//! an element at any level, one past the end of one, inside a part that both sides lay out
//! identically, or inside a scalar whose bytes are the same on both sides; anything else (padding,
//! the middle of a number whose bytes change) is an error.

use crate::compile::Compiler;
use crate::plan::{Mismatch, Plan};
use crate::types::{counterparts, Kind, Type, TypeId, TypeTable};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// Why an offset has no counterpart.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PathError {
    #[error("offset {offset} lies outside the object's {size} bytes")]
    Outside { offset: u64, size: u64 },
    #[error("offset {offset} lies in padding")]
    Padding { offset: u64 },
    #[error("offset {offset} lies inside {path}, whose bytes differ in the target")]
    InsideScalar { offset: u64, path: String },
    #[error("the size of the object does not say where its elements are: {0}")]
    Size(String),
    #[error("{}", .0.first().map_or(String::new(), ToString::to_string))]
    Mismatch(Vec<Mismatch>),
}

/// A pair of corresponding types as a tree of parts.
#[derive(Debug)]
pub(crate) struct Node {
    /// The source table's type: compared with what a pointer points to.
    ty: TypeId,
    /// Of an integer that means more: pointers to it are pointers to these.
    like: Vec<TypeId>,
    from_size: u64,
    to_size: u64,
    /// Offsets are the same on both sides.
    same: bool,
    parts: Parts,
}

#[derive(Debug)]
enum Parts {
    Scalar,
    Array {
        elem: Arc<Node>,
        count: u64,
    },
    /// Ascending by offset for a struct.
    Record {
        parts: Vec<Part>,
        union: bool,
    },
}

#[derive(Debug)]
struct Part {
    name: String,
    from: u64,
    to: u64,
    /// Bit-field: position in the source.
    bit: Option<u64>,
    /// For a bit-field: the bytes its bits lie in.
    len: u64,
    node: Arc<Node>,
}

/// Builds nodes for types that the compiler has found to correspond.
pub(crate) struct Nodes<'c, 'a> {
    compiler: &'c mut Compiler<'a>,
    known: HashMap<(TypeId, TypeId), Arc<Node>>,
}

impl<'c, 'a> Nodes<'c, 'a> {
    pub fn new(compiler: &'c mut Compiler<'a>) -> Self {
        Nodes {
            compiler,
            known: HashMap::new(),
        }
    }

    pub fn root(mut self, s: TypeId, d: TypeId) -> Arc<Node> {
        self.node(s, d)
    }

    fn node(&mut self, s: TypeId, d: TypeId) -> Arc<Node> {
        if let Some(node) = self.known.get(&(s, d)) {
            return node.clone();
        }
        let (src, dst) = (self.compiler.src, self.compiler.dst);
        let (a, b) = (src.get(s), dst.get(d));
        let parts = match (a.kind, b.kind) {
            (Kind::Array, Kind::Array) => Parts::Array {
                elem: self.node(a.elem, b.elem),
                count: a.count,
            },
            (k, l) if k == l && k.is_record() => {
                let mut parts = Vec::new();
                for (i, k) in counterparts(a, b).unwrap_or_default() {
                    let (m, n) = (&a.members[i], &b.members[k]);
                    let node = self.node(m.ty, n.ty);
                    let bytes = m.bits.map(|bits| bits.bytes());
                    let len = bytes.map_or(node.from_size, |r| r.end - r.start);
                    let bit = m.bits.map(|bits| bits.offset);
                    parts.push(Part {
                        name: m.name.clone(),
                        from: m.offset,
                        to: n.offset,
                        bit,
                        len,
                        node,
                    });
                }
                if k == Kind::Struct {
                    parts.sort_by_key(|p| (p.from, p.bit));
                }
                Parts::Record {
                    parts,
                    union: k == Kind::Union,
                }
            }
            // The parts of a complex number are numbers of their own.
            (Kind::Complex, Kind::Complex) => {
                let same = self.compiler.identical(s, d);
                let half = Node {
                    ty: TypeId::UNKNOWN,
                    like: Vec::new(),
                    from_size: a.size / 2,
                    to_size: b.size / 2,
                    same,
                    parts: Parts::Scalar,
                };
                Parts::Array {
                    elem: Arc::new(half),
                    count: 2,
                }
            }
            _ => Parts::Scalar,
        };
        let same = self.compiler.identical(s, d);
        let number = |t: &Type| t.kind.is_integer() && t.size == a.size;
        let like = match a.kind {
            Kind::Bytes | Kind::Address => {
                let numbers = src.iter().filter(|(_, t)| number(t));
                numbers.map(|(id, _)| id).collect()
            }
            _ => Vec::new(),
        };
        let node = Arc::new(Node {
            ty: s,
            like,
            from_size: a.size,
            to_size: b.size,
            same,
            parts,
        });
        self.known.insert((s, d), node.clone());
        node
    }
}

impl Node {
    /// Maps an offset within (or one past the end of) this part; `hint` is what the pointer points to.
    fn map(&self, offset: u64, hint: TypeId) -> Option<u64> {
        if self.same || offset == 0 {
            return Some(offset);
        }
        if offset == self.from_size {
            return Some(self.to_size);
        }
        match &self.parts {
            Parts::Scalar => None,
            Parts::Array { elem, .. } if elem.from_size == 0 => None,
            Parts::Array { elem, .. } => {
                let (index, inner) = (offset / elem.from_size, offset % elem.from_size);
                Some(index * elem.to_size + elem.map(inner, hint)?)
            }
            Parts::Record { parts, union: true } => {
                let mut found = parts.iter().filter(|p| offset <= p.len && p.bit.is_none());
                found.find_map(|p| p.node.map(offset, hint).map(|to| to + p.to))
            }
            Parts::Record {
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

    fn is(&self, wanted: &dyn Fn(TypeId) -> bool) -> bool {
        wanted(self.ty) || self.like.iter().any(|t| wanted(*t))
    }

    fn starts_with(&self, wanted: &dyn Fn(TypeId) -> bool) -> bool {
        self.is(wanted)
            || match &self.parts {
                Parts::Scalar => false,
                Parts::Array { elem, .. } => elem.starts_with(wanted),
                Parts::Record { parts, union: true } => {
                    parts.iter().any(|p| p.node.starts_with(wanted))
                }
                Parts::Record { parts, .. } => parts
                    .first()
                    .is_some_and(|p| p.from == 0 && p.node.starts_with(wanted)),
            }
    }

    fn ends_with(&self, wanted: &dyn Fn(TypeId) -> bool) -> bool {
        self.is(wanted)
            || match &self.parts {
                Parts::Scalar => false,
                Parts::Array { elem, .. } => elem.ends_with(wanted),
                Parts::Record { parts, union: true } => {
                    parts.iter().any(|p| p.node.ends_with(wanted))
                }
                Parts::Record { parts, .. } => parts
                    .last()
                    .is_some_and(|p| p.from + p.len == self.from_size && p.node.ends_with(wanted)),
            }
    }

    /// Does the byte at `offset` lie in an array of bytes, with no record beginning there?
    fn in_bytes(&self, offset: u64) -> bool {
        match &self.parts {
            Parts::Scalar | Parts::Record { union: true, .. } => false,
            Parts::Array { elem, .. } => {
                elem.is_byte() || elem.from_size > 0 && elem.in_bytes(offset % elem.from_size)
            }
            Parts::Record { parts, .. } => {
                offset > 0
                    && parts
                        .iter()
                        .find(|p| p.bit.is_none() && p.from <= offset && offset < p.from + p.len)
                        .is_some_and(|p| p.node.in_bytes(offset - p.from))
            }
        }
    }

    fn is_byte(&self) -> bool {
        matches!(self.parts, Parts::Scalar) && self.from_size == 1
    }

    /// If the first `len` bytes end inside a scalar: where that starts.
    pub fn cut(&self, len: u64) -> Option<u64> {
        if len == 0 || len >= self.from_size {
            return None;
        }
        match &self.parts {
            Parts::Scalar => Some(0),
            Parts::Array { elem, .. } => {
                let start = len / elem.from_size * elem.from_size;
                elem.cut(len - start).map(|at| start + at)
            }
            Parts::Record { parts, .. } => parts
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

    fn trailing(&self) -> Option<&Part> {
        match &self.parts {
            Parts::Record {
                parts,
                union: false,
            } => parts.last().filter(|p| match &p.node.parts {
                Parts::Array { count, .. } => *count <= 1,
                _ => p.node.trailing().is_some(),
            }),
            _ => None,
        }
    }

    fn write(&self, offset: u64, bit: Option<u64>, out: &mut String) {
        match &self.parts {
            Parts::Scalar => {}
            Parts::Array { elem, .. } => {
                if let Some(index) = offset.checked_div(elem.from_size) {
                    let _ = write!(out, "[{index}]");
                    elem.write(
                        offset % elem.from_size,
                        bit.map(|b| b - index * elem.from_size * 8),
                        out,
                    );
                }
            }
            Parts::Record { parts, .. } => {
                let within = |p: &&Part| match (p.bit, bit) {
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

impl Part {
    fn cut(&self, len: u64) -> Option<u64> {
        let inner = len - self.from;
        if self.bit.is_some() {
            return (inner < self.len).then_some(self.from);
        }
        self.node.cut(inner).map(|at| self.from + at)
    }
}

impl Plan {
    /// Where the byte at `offset` of an object of `size` bytes lies in the target, including one
    /// past the end.  `pointee` (0: unknown) decides where the end of one member is the start of the
    /// next in the source but not in the target.
    pub fn map_offset(&self, size: u64, offset: u64, pointee: TypeId) -> Result<u64, PathError> {
        if offset > size {
            return Err(PathError::Outside { offset, size });
        }
        if self.body.copy {
            return Ok(offset);
        }
        let from = self.body.from_size;
        if let Some(tail) = &self.tail {
            let start = tail.from + tail.declared * tail.body.from_size;
            let extent = self
                .extent(size)
                .map_err(|e| PathError::Size(e.to_string()))?;
            if extent.tail > 0 && offset >= start {
                return self.map_tail(size, offset, start, extent.tail, pointee);
            }
        }
        if offset == size {
            return self
                .dst_size(size)
                .map_err(|e| PathError::Size(e.to_string()));
        }
        if from == 0 {
            return Err(self.no_place(offset));
        }
        let (index, inner) = (offset / from, offset % from);
        match self.node.map(inner, pointee) {
            Some(to) => Ok(index * self.body.to_size + to),
            None => Err(self.no_place(offset)),
        }
    }

    /// Does `offset` of an object of `size` bytes lie among characters (or other bytes)?
    pub fn in_bytes(&self, size: u64, offset: u64) -> bool {
        let from = self.body.from_size;
        if self.node.is_byte() {
            return true;
        }
        if let (Some(tail), Ok(extent)) = (&self.tail, self.extent(size)) {
            if extent.tail > 0 && offset >= tail.from {
                return tail.node.is_byte() || tail.node.in_bytes(offset - tail.from);
            }
        }
        from > 0 && offset < size && self.node.in_bytes(offset % from)
    }

    fn map_tail(
        &self,
        size: u64,
        offset: u64,
        start: u64,
        count: u64,
        pointee: TypeId,
    ) -> Result<u64, PathError> {
        let Some(tail) = &self.tail else {
            return Err(self.no_place(offset));
        };
        let (index, inner) = (
            (offset - start) / tail.body.from_size,
            (offset - start) % tail.body.from_size,
        );
        let base = tail.to + tail.declared * tail.body.to_size;
        // What lies in the padding of a struct does not reach to its end, or reaches further than there is room for.
        let padding = size == self.body.from_size;
        if offset == size && (padding || inner > 0 && index >= count) {
            return self
                .dst_size(size)
                .map_err(|e| PathError::Size(e.to_string()));
        }
        if padding && index >= count {
            return Err(self.no_place(offset));
        }
        if inner == 0 {
            return Ok(base + index * tail.body.to_size);
        }
        let to = tail
            .node
            .map(inner, pointee)
            .ok_or_else(|| self.no_place(offset))?;
        Ok(base + index * tail.body.to_size + to)
    }

    fn no_place(&self, offset: u64) -> PathError {
        let path = self.node.text(offset, None, false);
        let inner = offset % self.body.from_size.max(1);
        match self.node.cut(inner) {
            Some(at) if at < inner => PathError::InsideScalar { offset, path },
            _ => PathError::Padding { offset },
        }
    }
}

/// Maps one offset; whoever maps many compiles a [`Plan`] once and uses [`Plan::map_offset`].
pub fn map_offset(
    src: &TypeTable,
    s: TypeId,
    dst: &TypeTable,
    d: TypeId,
    src_object_size: u64,
    offset: u64,
) -> Result<u64, PathError> {
    let plan = Plan::compile(src, s, dst, d).map_err(PathError::Mismatch)?;
    plan.map_offset(src_object_size, offset, TypeId::UNKNOWN)
}

/// `[3].x`: the element at a byte offset of an object that consists of `ty`s.  The first element's
/// index is left out.
pub fn path_text(table: &TypeTable, ty: TypeId, offset: u64) -> String {
    let mut compiler = Compiler::new(table, table);
    Nodes::new(&mut compiler)
        .root(ty, ty)
        .text(offset, None, false)
}
