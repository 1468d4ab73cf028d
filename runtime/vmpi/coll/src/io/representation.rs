//! How elements lie in a file (MPI 3.1 section 13.5): as here, in the standard's format, or as functions of the program have it.

use std::collections::BTreeMap;

use pc3_vmpi_objects::datatype::basic::Basic;
use pc3_vmpi_objects::datatype::signature::{Item, Signature};
use pc3_vmpi_objects::external32;

/// One that the program has registered; functions are addresses, 0 for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    pub name: String,
    pub read: usize,
    pub write: usize,
    pub extent: usize,
    pub extra_state: usize,
    /// Its functions take large counts.
    pub wide: bool,
}

/// Of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Representation {
    Native,
    Internal,
    External32,
    /// Its number among those of the rank, and how wide that says elements are.
    Registered(usize, BTreeMap<Basic, usize>),
}

impl Representation {
    /// Bytes of an element in the file.
    pub fn width(&self, b: Basic) -> usize {
        match self {
            Representation::Native | Representation::Internal => b.size(),
            Representation::External32 => external32::width(b),
            Representation::Registered(_, widths) => widths.get(&b).copied().unwrap_or(b.size()),
        }
    }

    /// Are bytes in the file those in memory?
    pub fn is_plain(&self) -> bool {
        matches!(self, Representation::Native | Representation::Internal)
    }

    /// Bytes in the file of so many elements of such a type.
    pub fn bytes(&self, sig: &Signature, count: usize) -> Option<usize> {
        self.total(sig)?.checked_mul(count)
    }

    fn total(&self, sig: &Signature) -> Option<usize> {
        sig.items().iter().try_fold(0usize, |sum, item| {
            let (one, n) = match item {
                Item::Run(b, n) => (self.width(*b), n),
                Item::Values(_, n) => (self.width(Basic::Byte), n),
                Item::Repeat(n, inner) => (self.total(inner)?, n),
            };
            sum.checked_add(one.checked_mul(usize::try_from(*n).ok()?)?)
        })
    }

    /// What of a stream of that type without end the first `bytes` in the file are: whole basic elements, and their bytes here.
    pub fn elements_in(&self, sig: &Signature, bytes: usize) -> (u64, usize) {
        let whole = self.total(sig).unwrap_or(0);
        if whole == 0 {
            return (0, 0);
        }
        let times = (bytes / whole) as u64;
        let mut rest = (bytes % whole) as u64;
        let mut elements = times * sig.elements();
        let mut here = times * sig.native_size();
        sig.each_run(&mut |b, n| {
            let width = self.width(b) as u64;
            let fit = rest.checked_div(width).map_or(n, |k| k.min(n));
            elements += fit;
            here += fit * b.size() as u64;
            rest -= fit * width;
            fit == n
        });
        (elements, here as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_ends_early_has_whole_elements() {
        let sig = Signature::concat([
            Signature::run(Basic::Int, 2),
            Signature::run(Basic::Double, 1),
        ]);
        let r = Representation::Registered(0, BTreeMap::from([(Basic::Int, 12)]));
        assert_eq!(r.bytes(&sig, 3), Some(96));
        for (bytes, elements, here) in [
            (0, 0, 0),
            (11, 0, 0),
            (12, 1, 4),
            (24, 2, 8),
            (31, 2, 8),
            (32, 3, 16),
            (45, 4, 20),
        ] {
            assert_eq!(r.elements_in(&sig, bytes), (elements, here), "{bytes}");
        }
        assert_eq!(Representation::Native.elements_in(&sig, 21), (4, 20));
    }
}
