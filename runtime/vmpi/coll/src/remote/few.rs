//! What is told of small collectives: a few words of a process's calls, and what its members give.

use super::elsewhere::Places;
use crate::meeting::kind::Kind;
use crate::work::subtrees::subtrees;
use pc3_vmpi_sched::copy::copy_few;

/// What a process gives in one frame, at most.
pub const MOST: usize = 96;

/// The first byte of a part that is told.
pub const MARK: u8 = 2;

/// Kind, operation, type, root: 8, 8, 16 and 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallSignature(pub u64);

impl CallSignature {
    pub(crate) fn new(kind: Kind, root: usize, op: usize, ty: usize) -> Option<CallSignature> {
        let fits = root <= u32::MAX as usize && op <= u8::MAX.into() && ty <= u16::MAX.into();
        let word = (root as u64) << 32 | (ty as u64) << 16 | (op as u64) << 8 | kind as u64;
        fits.then_some(CallSignature(word))
    }

    pub(crate) fn kind(self) -> u32 {
        self.0 as u32 & 0xff
    }

    pub(crate) fn op(self) -> u32 {
        self.0 as u32 >> 8 & 0xff
    }

    pub(crate) fn ty(self) -> u32 {
        self.0 as u32 >> 16
    }

    pub(crate) fn root(self) -> usize {
        (self.0 >> 32) as usize
    }

    /// The same whatever the type is.
    pub(crate) fn untyped(self) -> CallSignature {
        CallSignature(self.0 & !(0xffff << 16))
    }
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

/// What a process has told.
#[derive(Clone, Copy)]
pub struct InlineCall {
    pub record: CallSignature,
    /// The epoch in which it came.
    pub now: u32,
    pub few: Few,
}

impl InlineCall {
    /// As a part among others.
    pub fn part(&self) -> Box<[u8]> {
        let record = self.record.0.to_le_bytes();
        [&[MARK], &record[..], self.few.bytes()].concat().into()
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
    pub others: &'a [(u32, InlineCall)],
}

impl Heard<'_> {
    pub(crate) fn members(&self, process: u32) -> &[usize] {
        self.places.get(&process).map_or(&[], |m| m)
    }

    pub(crate) fn of(&self, process: u32) -> &Few {
        let other = self.others.binary_search_by_key(&process, |o| o.0);
        other.map_or(self.own, |at| &self.others[at].1.few)
    }
}
