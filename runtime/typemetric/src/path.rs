//! Element paths: which element of an object a byte offset means, and where it lies in the target.
//!
//! [`Plan::map_offset`] maps by a plan, which is compiled once per pair of types.  An offset is mapped if it is the start of
//! an element at any level, one past the end of one, inside a part that both sides lay out
//! identically, or inside a scalar whose bytes are the same on both sides; anything else (padding,
//! the middle of a number whose bytes change) is an error.

use crate::plan::compile::nodes::Nodes;
use crate::plan::compile::Compiler;
use crate::plan::{Mismatch, Plan};
use crate::types::{TypeId, TypeTable};

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
                .dst_end(size)
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
        // What lies in the padding of a struct does not reach to its end.
        let padding = size == self.body.from_size;
        if offset == size && (padding || inner > 0 && index >= count) {
            return self
                .dst_end(size)
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
