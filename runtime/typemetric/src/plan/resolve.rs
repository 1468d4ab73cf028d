//! What running a plan asks for, and what stands against it.

use std::fmt;

use crate::abi::Endian;
use crate::types::TypeId;

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
    /// The address of a place in what is converted, where it comes from.
    fn place(&self, at: u64) -> Option<u64> {
        let _ = at;
        None
    }
    /// Has each member of a union been stored with the tag that was concluded to say so?
    fn tags_hold(&self) -> bool {
        true
    }
    /// How many bytes the program has allocated, in the source and on the target; None: it cannot be told.
    fn allocated(&self) -> Option<(u64, u64)> {
        None
    }
    /// Which members of the union at this place can be in use, by position from bit 0 on, where that was noted.
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
    /// A size, or as long as one, that is another here.
    #[error("{0}")]
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
