//! Conversion plans: how a value of one ABI's type becomes a value of another's.
//!
//! A plan is compiled once per pair of types and then run over any number of values.  Rules:
//!
//! * Struct members correspond by name and order, anonymous ones by position; arrays by length.
//!   The padding members of system structs have no counterpart.
//! * Integers convert by value whatever their C spelling; a value that does not fit is an error.
//!   Plain `char` to plain `char` keeps the bits, as text needs, although its signedness may differ; by itself in a
//!   struct it is a number.
//! * Floating point converts exactly or not at all: see [`crate::float`].
//! * Pointers, functions, handles and `FILE *` are translated by a [`Resolver`]; null stays null.
//! * A union converts if its members agree about what every byte is (then it does not matter which
//!   is active), or by copy if all of it is laid out identically on both sides and holds no reference;
//!   otherwise value by value, where all that it can be converts alike: see `agree`.
//!   On one ABI it is always copied, and what may be a reference in it translated where it is one.
//! * Opaque and untyped bytes only stay on the same ABI.
//!
//! `compile` makes plans: trees of types that correspond (`node`), and steps (`ops`).  `exec` runs the steps, by `numbers`,
//! `address_bits` and `agree`; `resolve` has what it asks for.

mod address_bits;
mod agree;
pub(crate) mod compile;
mod exec;
pub(crate) mod node;
mod numbers;
pub(crate) mod ops;
mod resolve;

use std::sync::Arc;

pub use compile::has_totals;
use exec::Fail;
use node::Node;
use ops::ElementPlan;
use resolve::Env;
pub use resolve::{ConvertError, Mismatch, NoReferences, Reason, Resolver, Unresolved};

/// The array a struct ends with, where an object may hold more of it than the type says.
#[derive(Clone, Debug)]
pub(crate) struct Tail {
    /// Where the array begins.
    pub from: u64,
    pub to: u64,
    /// Elements that belong to the struct itself.
    pub declared: u64,
    /// Objects are known to be one struct.
    pub one: bool,
    pub body: ElementPlan,
    pub node: Arc<Node>,
}

impl Tail {
    /// Elements behind the array that the struct has room for in front of its end: programs count from where the array
    /// begins (`malloc(offsetof(struct s, name) + n)`) and may come out at the struct's own size.
    fn in_padding(&self, size: u64) -> u64 {
        room(
            size,
            self.from + self.declared * self.body.from_size,
            self.body.from_size,
        )
    }

    /// As many as so many bytes of the target have room for.
    fn room_in(&self, bytes: u64) -> u64 {
        room(
            bytes,
            self.to + self.declared * self.body.to_size,
            self.body.to_size,
        )
    }
}

/// Elements that lie behind `at`.
fn room(bytes: u64, at: u64, each: u64) -> u64 {
    bytes.saturating_sub(at).checked_div(each).unwrap_or(0)
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) env: Env,
    pub(crate) body: ElementPlan,
    pub(crate) tail: Option<Tail>,
    pub(crate) node: Arc<Node>,
    pub(crate) references: bool,
    pub(crate) untyped: bool,
}

/// How many elements an object has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Extent {
    pub count: u64,
    /// Further elements of the trailing array.
    pub tail: u64,
    /// Bytes behind the last whole element.
    pub rest: u64,
}

impl Plan {
    /// Values are copied as they are.
    pub fn is_copy(&self) -> bool {
        self.body.copy && !self.references
    }
    /// Both sides are laid out identically: values are copies of each other but for references.
    pub fn same_layout(&self) -> bool {
        self.body.copy
    }
    /// Values hold pointers, handles or files: running needs a real [`Resolver`].
    pub fn has_pointers(&self) -> bool {
        self.references
    }
    /// Values hold untyped bytes that may hide pointers nobody can translate.
    pub fn has_untyped(&self) -> bool {
        self.untyped
    }
    /// It ends in a flexible array.
    pub fn ends_open(&self) -> bool {
        self.tail.as_ref().is_some_and(|t| t.declared == 0)
    }

    /// Size of one value in the source.
    pub fn src_size(&self) -> u64 {
        self.body.from_size
    }
    /// Size of one value in the target.
    pub fn dst_elem_size(&self) -> u64 {
        self.body.to_size
    }

    pub(crate) fn extent(&self, bytes: u64) -> Result<Extent, Reason> {
        let size = self.body.from_size;
        if let Some(tail) = &self.tail {
            let body = tail.from + tail.declared * tail.body.from_size;
            let multiple = size > 0 && bytes % size == 0;
            let several = tail.declared > 0 && multiple && bytes > size;
            if several && !tail.one && !self.uniform(tail) {
                return Err(Reason::AmbiguousTail { bytes });
            }
            let flexible = tail.declared == 0 || !multiple || several && tail.one;
            if flexible && tail.body.from_size > 0 {
                if bytes < size {
                    let tail = bytes.saturating_sub(body) / tail.body.from_size;
                    return Ok(Extent {
                        count: 0,
                        tail,
                        rest: bytes,
                    });
                }
                let tail = (bytes - body) / tail.body.from_size;
                return Ok(Extent {
                    count: 1,
                    tail,
                    rest: 0,
                });
            }
            if bytes == size {
                return Ok(Extent {
                    count: 1,
                    tail: tail.in_padding(size),
                    rest: 0,
                });
            }
        }
        if size == 0 {
            return Ok(Extent {
                count: 0,
                tail: 0,
                rest: 0,
            });
        }
        Ok(Extent {
            count: bytes / size,
            tail: 0,
            rest: bytes % size,
        })
    }

    /// It does not matter whether an object is several structs or one with a longer array.
    fn uniform(&self, tail: &Tail) -> bool {
        let runs = |body: &ElementPlan| match &body.ops[..] {
            [op] => op.step.unit().filter(|unit| {
                (op.s, op.d, op.n * unit.0, op.n * unit.1) == (0, 0, body.from_size, body.to_size)
            }),
            _ => None,
        };
        let same_step = || self.body.ops[0].step == tail.body.ops[0].step;
        self.is_copy() || runs(&self.body).is_some() && runs(&tail.body).is_some() && same_step()
    }

    /// Size in the target of an object that has `src_bytes` bytes in the source. One of the struct's own size may be larger
    /// than the struct: what lies in its padding belongs to the array at its end if it is on the heap.
    pub fn dst_size(&self, src_bytes: u64) -> Result<u64, ConvertError> {
        let extent = self
            .extent(src_bytes)
            .map_err(|reason| self.whole(reason))?;
        if self.body.copy {
            return Ok(src_bytes);
        }
        let overflow = || {
            self.whole(Reason::Size {
                have: src_bytes,
                need: u64::MAX,
            })
        };
        let elements = extent.count + u64::from(extent.rest > 0);
        let mut size = elements
            .checked_mul(self.body.to_size)
            .ok_or_else(overflow)?;
        if let Some(tail) = self.tail.as_ref().filter(|_| extent.tail > 0) {
            let from = tail.body.from_size;
            // Programs allocate up to sizeof(struct) + n * sizeof(element), or less by the padding
            // between the array and the struct's end: room for the larger.
            let asked = src_bytes.saturating_sub(self.body.from_size) / from;
            let array = (tail.declared + extent.tail).checked_mul(tail.body.to_size);
            let array = array
                .and_then(|n| n.checked_add(tail.to))
                .ok_or_else(overflow)?;
            let behind = asked
                .checked_mul(tail.body.to_size)
                .and_then(|n| n.checked_add(size));
            size = array.max(behind.ok_or_else(overflow)?);
        }
        Ok(size)
    }

    /// Where in the target an object ends, as a pointer to its end has it; what lies in the padding behind an array with a
    /// length is not counted.
    pub fn dst_end(&self, src_bytes: u64) -> Result<u64, ConvertError> {
        let one = src_bytes == self.body.from_size;
        match self.tail.as_ref().filter(|tail| tail.declared > 0 && one) {
            Some(_) => Ok(self.body.to_size),
            None => self.dst_size(src_bytes),
        }
    }

    /// Converts `count` values.  Bytes of the target that are padding are left as they are: pass
    /// zeroed memory.
    pub fn run(
        &self,
        src: &[u8],
        dst: &mut [u8],
        count: u64,
        ctx: &mut dyn Resolver,
    ) -> Result<(), ConvertError> {
        self.room(src.len(), count, self.body.from_size)?;
        self.room(dst.len(), count, self.body.to_size)?;
        exec::run(self.env, &self.body, src, dst, count, ctx)
            .map_err(|fail| self.explain(fail, count != 1))
    }

    /// Converts a whole object: all of `src`, including what lies behind the last whole element (a
    /// flexible array, or part of an element).  `dst` has [`Plan::dst_size`] bytes, or those of a variable.
    pub fn run_object(
        &self,
        src: &[u8],
        dst: &mut [u8],
        ctx: &mut dyn Resolver,
    ) -> Result<(), ConvertError> {
        let bytes = src.len() as u64;
        let need = self.dst_end(bytes)?;
        self.room(dst.len(), 1, need)?;
        if self.is_copy() {
            dst[..src.len()].copy_from_slice(src);
            return Ok(());
        }
        let mut extent = self.extent(bytes).map_err(|reason| self.whole(reason))?;
        if let Some(tail) = self.tail.as_ref() {
            extent.tail = extent.tail.min(tail.room_in(dst.len() as u64));
        }
        let tail = self.tail.as_ref().filter(|_| extent.tail > 0);
        let tail_from = tail.map(|tail| tail.from + tail.declared * tail.body.from_size);
        ctx.begins(0);
        exec::run(self.env, &self.body, src, dst, extent.count, ctx)
            .map_err(|fail| self.explain(fail, extent.count > 1))?;
        if extent.rest > 0 {
            let start = extent.count * self.body.from_size;
            let end = tail_from.map_or(bytes, |from| from.min(bytes));
            self.run_rest(
                &src[start as usize..end as usize],
                start,
                dst,
                extent.count,
                ctx,
            )?;
        }
        if let (Some(tail), Some(from)) = (tail, tail_from) {
            let to = tail.to + tail.declared * tail.body.to_size;
            let (src, dst) = (&src[from as usize..], &mut dst[to as usize..]);
            ctx.begins(from);
            exec::run(self.env, &tail.body, src, dst, extent.tail, ctx).map_err(|fail| {
                self.explain(
                    Fail {
                        offset: fail.offset + from,
                        ..fail
                    },
                    false,
                )
            })?;
        }
        Ok(())
    }

    /// Part of an element: what the object does not hold of it counts as zero.
    fn run_rest(
        &self,
        rest: &[u8],
        start: u64,
        dst: &mut [u8],
        index: u64,
        ctx: &mut dyn Resolver,
    ) -> Result<(), ConvertError> {
        if !self.is_copy() {
            if let Some(cut) = self.node.cut(rest.len() as u64) {
                if rest[cut as usize..].iter().any(|&b| b != 0) {
                    let fail = Fail {
                        offset: start + cut,
                        bit: None,
                        value: None,
                        reason: Reason::Cut,
                    };
                    return Err(self.explain(fail, index > 0));
                }
            }
        }
        let mut element = vec![0; self.body.from_size as usize];
        element[..rest.len()].copy_from_slice(rest);
        let mut converted = vec![0; self.body.to_size as usize];
        ctx.begins(start);
        exec::run(self.env, &self.body, &element, &mut converted, 1, ctx).map_err(|fail| {
            self.explain(
                Fail {
                    offset: fail.offset + start,
                    ..fail
                },
                index > 0,
            )
        })?;
        let to = (index * self.body.to_size) as usize;
        let room = dst.len() - to;
        let n = converted.len().min(room);
        dst[to..to + n].copy_from_slice(&converted[..n]);
        Ok(())
    }

    fn room(&self, have: usize, count: u64, size: u64) -> Result<(), ConvertError> {
        let need = count.saturating_mul(size);
        if have as u64 >= need {
            return Ok(());
        }
        Err(self.whole(Reason::Size {
            have: have as u64,
            need,
        }))
    }

    fn whole(&self, reason: Reason) -> ConvertError {
        ConvertError {
            path: String::new(),
            offset: 0,
            value: None,
            reason,
        }
    }

    fn explain(&self, fail: Fail, indexed: bool) -> ConvertError {
        let path = self.node.text(fail.offset, fail.bit, indexed);
        ConvertError {
            path,
            offset: fail.offset,
            value: fail.value,
            reason: fail.reason,
        }
    }
}
