//! What is told of small collectives: a few words of a process's calls, and what its members give.

use super::places::Places;
use crate::meeting::kind::Kind;
use crate::work::subtrees::subtrees;
use pc3_vmpi_sched::copy::copy_few;

/// What a process gives in a frame that is short, at most.
pub const MOST: usize = 96;

/// All on which the processes have to agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallSignature {
    /// Kind, operation, type, root: 8, 8, 16 and 32 bits.
    pub what: u64,
    /// That each member gives, or gets.
    pub bytes: u64,
}

impl CallSignature {
    pub(crate) const GATE: (usize, usize, usize, usize) = (0, 0, 0, 0);

    pub(crate) fn new(
        kind: Kind,
        (root, op, ty, bytes): (usize, usize, usize, usize),
    ) -> Option<CallSignature> {
        let fits = root <= u32::MAX as usize && op <= u8::MAX.into() && ty <= u16::MAX.into();
        let what = (root as u64) << 32 | (ty as u64) << 16 | (op as u64) << 8 | kind as u64;
        let bytes = bytes as u64;
        fits.then_some(CallSignature { what, bytes })
    }

    /// Of calls that go along the tree as they are.
    pub(crate) fn routed(kind: Kind, root: usize) -> Option<CallSignature> {
        const AS_THEY_ARE: usize = u8::MAX as usize;
        CallSignature::new(kind, (root, AS_THEY_ARE, 0, 0))
    }

    /// Is what goes with it for one process only?
    pub(crate) fn is_for_each(self) -> bool {
        self.what as u8 == Kind::Alltoall as u8
    }

    const LEN: usize = 16;

    /// With what is given, as one part among those on the board.
    pub fn part(self, given: &[u8]) -> Box<[u8]> {
        let words = [self.what, self.bytes].map(u64::to_le_bytes);
        [&words[0], &words[1], given].concat().into()
    }
}

/// To whom a process says something else than to all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addressed {
    Nobody,
    /// The process of this member.
    One(usize),
    Each,
}

/// What members of a process give, aligned for any number.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Few {
    pub(crate) bytes: [u8; MOST],
    pub(crate) len: usize,
}

impl Few {
    pub const NONE: Few = Few {
        bytes: [0; MOST],
        len: 0,
    };

    pub fn of(bytes: &[u8]) -> Option<Few> {
        let mut few = Few::NONE;
        let to = few.bytes.get_mut(..bytes.len())?;
        // SAFETY: room for as many.
        unsafe { copy_few(bytes.as_ptr(), to.as_mut_ptr(), bytes.len()) };
        few.len = bytes.len();
        Some(few)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Room for so many more.
    pub(crate) fn more(&mut self, n: usize) -> *mut u8 {
        let at = self.len;
        self.len += n;
        self.bytes[at..self.len].as_mut_ptr()
    }
}

/// What a process has told in a short frame.
#[derive(Clone, Copy)]
pub struct InlineCall {
    pub record: CallSignature,
    /// The epoch in which it came.
    pub now: u32,
    pub few: Few,
}

/// What a process has told.
pub struct Told {
    pub record: CallSignature,
    given: Given,
}

enum Given {
    Few(Few),
    /// Behind the record.
    Long(Box<[u8]>),
    Own(Vec<u8>),
}

impl Told {
    pub fn short(InlineCall { record, few, .. }: InlineCall) -> Told {
        let given = Given::Few(few);
        Told { record, given }
    }

    pub(crate) fn own(record: CallSignature, bytes: Vec<u8>) -> Told {
        let given = Given::Own(bytes);
        Told { record, given }
    }

    /// What [`CallSignature::part`] has made.
    pub fn long(part: Box<[u8]>) -> Option<Told> {
        let word = |at: usize| Some(u64::from_le_bytes(part.get(at..at + 8)?.try_into().ok()?));
        let record = CallSignature {
            what: word(0)?,
            bytes: word(8)?,
        };
        let given = Given::Long(part);
        Some(Told { record, given })
    }

    pub fn bytes(&self) -> &[u8] {
        match &self.given {
            Given::Few(few) => few.bytes(),
            Given::Long(part) => &part[CallSignature::LEN..],
            Given::Own(bytes) => bytes,
        }
    }
}

/// A subtree of the order of reductions within a process, and its number among those.
pub(crate) struct Share {
    pub(crate) first: usize,
    pub(crate) covers: usize,
    pub(crate) process: u32,
    pub(crate) number: usize,
}

/// Who gives which parts of a reduction, in order.
pub struct ReductionOrder(pub(crate) Box<[Share]>);

impl ReductionOrder {
    /// Shares of one process, at most.
    pub(crate) fn most(&self) -> usize {
        self.0.iter().map(|s| s.number + 1).max().unwrap_or(0)
    }

    pub fn new(places: &Places) -> ReductionOrder {
        let of = |(process, members): (&u32, &Vec<usize>)| {
            let process = *process;
            let share = |(number, (first, covers))| Share {
                first,
                covers,
                process,
                number,
            };
            subtrees(members).enumerate().map(share).collect::<Vec<_>>()
        };
        let mut all: Vec<Share> = places.iter().flat_map(of).collect();
        all.sort_unstable_by_key(|s| s.first);
        ReductionOrder(all.into())
    }
}

/// What has been told, and by whom.
pub struct Heard<'a> {
    pub places: &'a Places,
    pub order: &'a ReductionOrder,
    pub own: &'a Few,
    /// By process, ascending.
    pub others: &'a [(u32, Told)],
}

impl Heard<'_> {
    pub(crate) fn members(&self, process: u32) -> &[usize] {
        self.places.get(&process).map_or(&[], |m| m)
    }

    pub(crate) fn of(&self, process: u32) -> &[u8] {
        let other = self.others.binary_search_by_key(&process, |o| o.0);
        other.map_or(self.own.bytes(), |at| self.others[at].1.bytes())
    }
}
