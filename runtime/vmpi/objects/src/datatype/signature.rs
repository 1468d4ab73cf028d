//! Type signatures: the sequence of basic elements that a datatype moves, in typemap order.
//!
//! Kept as runs and repetitions, so that a large array of structs stays small.  A packed stream
//! of native bytes can be read with nothing but its signature.

use super::basic::Basic;
use pc3_typemetric::types::TypeId;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Run(Basic, u64),
    /// MPI_BYTE, so many, that hold values of one of the program's types, or of what nobody knows.
    Values(TypeId, u64),
    Repeat(u64, Signature),
}

#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Signature {
    items: Option<Arc<[Item]>>,
}

impl Signature {
    #[inline]
    pub fn run(basic: Basic, n: u64) -> Self {
        Self::from_items(vec![Item::Run(basic, n)])
    }

    /// Bytes that are values of a type.
    #[inline]
    pub fn values(of: TypeId, bytes: u64) -> Self {
        Self::from_items(vec![Item::Values(of, bytes)])
    }

    /// As they are, equal neighbours and all.
    #[inline]
    pub(crate) fn from_items(items: Vec<Item>) -> Self {
        Signature {
            items: (!items.is_empty()).then(|| items.into()),
        }
    }

    #[inline]
    pub fn items(&self) -> &[Item] {
        self.items.as_deref().unwrap_or(&[])
    }

    pub fn repeat(&self, n: u64) -> Self {
        match (n, self.items()) {
            (0, _) | (_, []) => Self::default(),
            (1, _) => self.clone(),
            (_, [Item::Run(b, k)]) => Self::run(*b, k * n),
            (_, [Item::Values(of, k)]) => Self::values(*of, k * n),
            (_, [Item::Repeat(k, s)]) => Self::from_items(vec![Item::Repeat(k * n, s.clone())]),
            _ => Self::from_items(vec![Item::Repeat(n, self.clone())]),
        }
    }

    /// Concatenation; equal neighbours are merged.
    pub fn concat(parts: impl IntoIterator<Item = Signature>) -> Self {
        let mut out: Vec<Item> = Vec::new();
        for part in parts {
            for item in part.items() {
                match (out.last_mut(), item) {
                    (Some(Item::Run(a, n)), Item::Run(b, k)) if a == b => *n += k,
                    (Some(Item::Values(a, n)), Item::Values(b, k)) if a == b => *n += k,
                    (Some(Item::Repeat(n, s)), Item::Repeat(k, t)) if s == t => *n += k,
                    _ => out.push(item.clone()),
                }
            }
        }
        Self::from_items(out)
    }

    /// The one basic type that the signature consists of.
    pub fn uniform(&self) -> Option<Basic> {
        let mut found = None;
        for item in self.items() {
            let b = match item {
                Item::Run(b, _) => *b,
                Item::Values(..) => Basic::Byte,
                Item::Repeat(_, s) => s.uniform()?,
            };
            if *found.get_or_insert(b) != b {
                return None;
            }
        }
        found
    }

    /// Calls `f` with each run in order until it returns false.
    #[inline]
    pub fn each_run(&self, f: &mut dyn FnMut(Basic, u64) -> bool) -> bool {
        self.items().iter().all(|item| match item {
            Item::Run(b, n) => f(*b, *n),
            Item::Values(_, n) => f(Basic::Byte, *n),
            Item::Repeat(n, s) => (0..*n).all(|_| s.each_run(f)),
        })
    }

    fn total(&self, width: &dyn Fn(Basic) -> u64) -> u64 {
        self.items()
            .iter()
            .map(|item| match item {
                Item::Run(b, n) => width(*b) * n,
                Item::Values(_, n) => width(Basic::Byte) * n,
                Item::Repeat(n, s) => n * s.total(width),
            })
            .sum()
    }

    #[inline]
    pub fn native_size(&self) -> u64 {
        self.total(&|b| b.size() as u64)
    }

    #[inline]
    pub fn portable_size(&self) -> u64 {
        self.total(&|b| b.portable_size() as u64)
    }

    #[inline]
    pub fn elements(&self) -> u64 {
        self.total(&|_| 1)
    }

    /// Whole basic elements in the first `bytes` native bytes of a stream of this signature
    /// repeated without end, and the bytes that remain.
    pub fn elements_in(&self, bytes: u64) -> (u64, u64) {
        let whole = self.native_size();
        if whole == 0 {
            return (0, bytes);
        }
        let (mut n, mut rest) = ((bytes / whole) * self.elements(), bytes % whole);
        self.each_run(&mut |b, k| {
            let fit = (rest / b.size() as u64).min(k);
            n += fit;
            rest -= fit * b.size() as u64;
            fit == k
        });
        (n, rest)
    }

    /// Are any of its bytes values of the program's types?
    #[inline]
    pub fn has_values(&self) -> bool {
        self.items().iter().any(|item| match item {
            Item::Run(..) => false,
            Item::Values(..) => true,
            Item::Repeat(_, s) => s.has_values(),
        })
    }

    /// Does no element look different in the portable format?
    pub fn is_portable_as_is(&self) -> bool {
        self.items().iter().all(|item| match item {
            Item::Run(b, _) => {
                b.size() == b.portable_size()
                    && (cfg!(target_endian = "little") || b.size() == 1)
                    && !matches!(
                        b,
                        Basic::LongDouble | Basic::LongDoubleComplex | Basic::CxxLongDoubleComplex
                    )
            }
            // Who reads them knows how to convert them.
            Item::Values(..) => true,
            Item::Repeat(_, s) => s.is_portable_as_is(),
        })
    }
}
