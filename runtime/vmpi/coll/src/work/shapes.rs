//! Who deals with whom in a collective.

use crate::meeting::kind::Kind;
use crate::topo::neighbors::Neighbors;
use pc3_vmpi_objects::error::{fail, Class, Result};

/// Who deals with whom.
#[derive(Clone, Copy)]
pub enum DealShape<'a> {
    /// Everybody with everybody, as the kind of the call says.
    Intra,
    /// Members below `low` with the others.
    Inter { low: usize },
    /// Along the edges of a topology: where from, and where to.
    Neighbors(&'a Neighbors),
}

/// `root` of members of an inter-communicator that take no part.
pub const NOBODY: usize = usize::MAX;

/// Which pairs take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// Only the root receives.
    ToRoot,
    /// Only the root sends.
    FromRoot,
    All,
}

/// Below this many bytes in all, sharing the work costs more than it gains.
pub(crate) const SHARE_FROM: usize = 1 << 16;

/// Which side of an inter-communicator has the root (true: the first); one there is, and the other
/// side names it.
pub(crate) fn root_side(
    root: impl Fn(usize) -> usize,
    n: usize,
    low: usize,
    kind: Kind,
) -> Result<bool> {
    // The root names itself and the others of its side nobody; all of the other side name it.
    let names = |mut side: std::ops::Range<usize>, r| side.all(|i| root(i) == r);
    let is_root_side = |side: std::ops::Range<usize>, other: std::ops::Range<usize>| {
        let (start, mut named) = (side.start, side.clone().filter(|i| root(*i) != NOBODY));
        match (named.next(), named.next()) {
            (Some(i), None) => root(i) == i - start && names(other, root(i)),
            _ => false,
        }
    };
    match (is_root_side(0..low, low..n), is_root_side(low..n, 0..low)) {
        (true, false) => Ok(true),
        (false, true) => Ok(false),
        // With one member on each side both look alike.
        (true, true) => Ok(true),
        (false, false) => fail(
            Class::ERR_ROOT,
            format!("{}: the two groups do not agree on one root", kind.name()),
        ),
    }
}
