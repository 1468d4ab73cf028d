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
//!   otherwise value by value, where all that it can be converts alike: see [`crate::agree`].
//!   On one ABI it is always copied, and what may be a reference in it translated where it is one.
//! * Opaque and untyped bytes only stay on the same ABI.

use crate::abi::Endian;
use crate::compile::Compiler;
use crate::exec::{self, Fail};
use crate::ops::Op;
use crate::path::Node;
use crate::types::{TypeId, TypeTable};
use std::fmt;
use std::sync::Arc;

/// Translates references of the source into references of the target.  Null is never asked for.
pub trait Resolver {
    /// A pointer to data; `pointee` is the source table's (0: `void` or incomplete).
    fn pointer(&mut self, raw: u64, pointee: TypeId) -> Result<u64, Unresolved>;
    fn function(&mut self, raw: u64) -> Result<u64, Unresolved>;
    /// An opaque token; `ty` is the source table's handle type.
    fn handle(&mut self, raw: u64, ty: TypeId) -> Result<u64, Unresolved>;
    fn file(&mut self, raw: u64) -> Result<u64, Unresolved>;
    /// What may be any of these, or a number: on the ABI it comes from.
    fn word(&mut self, raw: u64) -> u64 {
        raw
    }
    /// An integer of 32 bits that has 64 here: the constant that it may have been, were it not for the 32 bits.
    fn widened(&mut self, raw: u64, signed: bool) -> Option<String> {
        let _ = (raw, signed);
        None
    }
    /// Does [`Resolver::widened`] know any?
    fn widens(&self) -> bool {
        false
    }
    /// How many references led to nothing alive.
    fn lost(&self) -> u64 {
        0
    }
    /// Takes back what was counted since there were so many.
    fn forget_lost(&mut self, _: u64) {}
    /// Is it the address of something alive?
    fn is_live(&mut self, _: u64) -> bool {
        false
    }
    /// What is converted next begins so many bytes behind the start of the object.
    fn begins(&mut self, _: u64) {}
    /// Which members of the union at this place can be in use, by position from bit 0 on, where that was noted.
    /// The address of a place in what is converted, where it comes from.
    fn place(&self, at: u64) -> Option<u64> {
        let _ = at;
        None
    }
    fn in_use(&mut self, at: u64, union: TypeId) -> Option<u64> {
        let _ = (at, union);
        None
    }
}

/// Why a reference cannot be translated, in words for the user.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unresolved(pub String);

/// For values that hold no references.
pub struct NoReferences;

impl Resolver for NoReferences {
    fn pointer(&mut self, _: u64, _: TypeId) -> Result<u64, Unresolved> {
        Err(Unresolved("pointers cannot be translated here".into()))
    }
    fn function(&mut self, _: u64) -> Result<u64, Unresolved> {
        Err(Unresolved(
            "function pointers cannot be translated here".into(),
        ))
    }
    fn handle(&mut self, _: u64, _: TypeId) -> Result<u64, Unresolved> {
        Err(Unresolved("handles cannot be translated here".into()))
    }
    fn file(&mut self, _: u64) -> Result<u64, Unresolved> {
        Err(Unresolved("files cannot be translated here".into()))
    }
}

/// Two types between which no conversion exists, for one reason.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Mismatch {
    /// Where in the type: `.list[].next`; empty for the type itself.
    pub path: String,
    /// The types at that place.
    pub source_type: String,
    pub target_type: String,
    pub reason: String,
}

impl Mismatch {
    /// The same of a function's variables, which are saved as members of a struct without a name.
    #[must_use]
    pub fn of_variables(mut self) -> Mismatch {
        let missed = self.reason.strip_prefix("it has no member ");
        if let Some(which) = missed.filter(|_| self.path.is_empty()) {
            self.reason = format!("it has no local variable {which}");
        }
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "{}", self.reason)
    }
}

/// Why a value cannot be converted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvertError {
    /// `[3].next`, to be put behind the variable's name; empty for the value itself.
    pub path: String,
    /// Byte offset in the source object.
    pub offset: u64,
    /// The source's value as a person writes it.
    pub value: Option<String>,
    pub reason: Reason,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    #[error("does not fit the target's {bits}-bit {} integer", if *.signed { "signed" } else { "unsigned" })]
    Range { bits: u32, signed: bool },
    #[error("is a `char`, which is {} here: build it with {} for both", if *.signed { "signed" } else { "unsigned" }, if *.signed { "-funsigned-char" } else { "-fsigned-char" })]
    Char { signed: bool },
    #[error("has no exact representation in the target's floating-point format")]
    Inexact,
    #[error("is not a number that arithmetic produces")]
    InvalidFloat,
    #[error("{0}")]
    Unresolved(Unresolved),
    #[error("may be what {0} became in 32 bits, and is another number here")]
    Widened(String),
    #[error("the target's address {0:#x} does not fit its pointer")]
    Address(u64),
    #[error("the object ends inside this value and its bytes are not zero")]
    Cut,
    #[error("{bytes} bytes may be several elements or one with a longer array at its end")]
    AmbiguousTail { bytes: u64 },
    #[error("is said to count objects of {of} bytes, and is no multiple of that")]
    NoMultiple { of: u64 },
    #[error("is made of {0} (compute it anew where it is used, or say what it counts: #pragma pc3 bytes, `of anything` if it is only reported)")]
    Measured(String),
    #[error("says of no member of the union that it is in use")]
    NoMember,
    /// Two members of a union.
    #[error("which of the members {:?} and {:?} of {} is in use is not known, and this value does not convert alike", .0[0], .0[1], .0[2])]
    Member(Box<[String; 3]>),
    #[error("{have} bytes where {need} are needed")]
    Size { have: u64, need: u64 },
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        if let Some(value) = &self.value {
            write!(f, "{value} ")?;
        }
        write!(f, "{}", self.reason)
    }
}

impl std::error::Error for ConvertError {}

/// What of an ABI the running of steps depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Env {
    pub from: Endian,
    pub to: Endian,
}

/// The conversion of an array's elements.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub from_size: u64,
    pub to_size: u64,
    /// Both sides are laid out identically: elements are copied, then `ops` fix up references.
    pub copy: bool,
    pub ops: Vec<Op>,
}

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
    pub body: Body,
    pub node: Arc<Node>,
}

impl Tail {
    /// Elements behind the array that both structs have room for in front of their ends: programs count from where the
    /// array begins (`malloc(offsetof(struct s, name) + n)`) and may come out at the struct's own size.
    fn in_padding(&self, from_size: u64, to_size: u64) -> u64 {
        let room = |size: u64, at: u64, each: u64| {
            let end = at + self.declared * each;
            size.saturating_sub(end).checked_div(each).unwrap_or(0)
        };
        let from = room(from_size, self.from, self.body.from_size);
        from.min(room(to_size, self.to, self.body.to_size))
    }
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) env: Env,
    pub(crate) body: Body,
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
    /// Compiles the conversion of `s` of `src` into `d` of `dst`, or says all that stands against it.
    pub fn compile(
        src: &TypeTable,
        s: TypeId,
        dst: &TypeTable,
        d: TypeId,
    ) -> Result<Plan, Vec<Mismatch>> {
        Compiler::new(src, dst).plan(s, d)
    }

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
                    tail: tail.in_padding(size, self.body.to_size),
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
        let runs = |body: &Body| match &body.ops[..] {
            [op] => op.step.unit().filter(|unit| {
                (op.s, op.d, op.n * unit.0, op.n * unit.1) == (0, 0, body.from_size, body.to_size)
            }),
            _ => None,
        };
        let same_step = || self.body.ops[0].step == tail.body.ops[0].step;
        self.is_copy() || runs(&self.body).is_some() && runs(&tail.body).is_some() && same_step()
    }

    /// Size in the target of an object that has `src_bytes` bytes in the source.
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
    /// flexible array, or part of an element).  `dst` has [`Plan::dst_size`] bytes.
    pub fn run_object(
        &self,
        src: &[u8],
        dst: &mut [u8],
        ctx: &mut dyn Resolver,
    ) -> Result<(), ConvertError> {
        let bytes = src.len() as u64;
        let need = self.dst_size(bytes)?;
        self.room(dst.len(), 1, need)?;
        if self.is_copy() {
            dst[..src.len()].copy_from_slice(src);
            return Ok(());
        }
        let extent = self.extent(bytes).map_err(|reason| self.whole(reason))?;
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
