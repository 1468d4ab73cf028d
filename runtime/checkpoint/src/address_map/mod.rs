//! Where the objects of a saved rank went: source address → (object, offset) → address here.

pub mod address_scan;
mod asked;
pub mod out_of_bounds;
mod rules;
pub mod slab;
pub mod translate;
pub mod type_matching;

use std::cell::Cell;
use std::sync::Arc;

use pc3_typemetric::path::PathError;
use pc3_typemetric::plan::Plan;
use pc3_typemetric::types::{TypeId, TypeTable};

use pc3_process::shared_objects::{Shared, SharedAddress};
use rules::{begins, ends, of_bytes};
pub use slab::SlabPlace;

#[derive(Debug)]
enum Mapped {
    Object {
        target: usize,
        plan: Arc<Plan>,
        size: u64,
        ty: TypeId,
        literal: bool,
    },
    /// Index into `slabs`.
    Slab(usize),
    Function(usize),
}

#[derive(Debug)]
struct Range {
    start: u64,
    /// The last address that belongs to it: one past the object's end.
    last: u64,
    what: Mapped,
}

/// An address inside an object.
struct Object<'a> {
    target: usize,
    plan: &'a Plan,
    size: u64,
    offset: u64,
    ty: TypeId,
}

/// Of a block that is handed out in pieces.
#[derive(Debug)]
pub struct Piece {
    pub start: u64,
    pub bytes: u64,
    pub ty: TypeId,
    pub target: usize,
    pub plan: Arc<Plan>,
    /// Of a free one: what links it to the next, at its start.
    pub link: Option<Arc<Plan>>,
}

/// All objects of one saved rank.
#[derive(Debug, Default)]
pub struct Directory {
    ranges: Vec<Range>,
    pub slabs: Vec<SlabPlace>,
    /// Where the shared objects of its process are.
    shared: Shared,
    /// In order; what they lie in is an object as well.
    pub pieces: Vec<Piece>,
    /// The checkpoint is of another ABI: bytes that are looked at as something else do not convert.
    foreign: bool,
    ambiguous: Cell<u64>,
    latest: Cell<usize>,
}

/// Why an address has no counterpart.
#[derive(Debug)]
pub enum Lost {
    /// It points to no object that is alive.
    Dangling,
    /// It points between the elements that exist on this ABI.
    Place(PathError),
    /// It points to something else than bytes, in what are bytes.
    Bytes,
    /// It is the end of one global and the start of the next, which do not touch here.
    Ambiguous,
}

impl Directory {
    pub fn new(foreign: bool, shared: Shared) -> Directory {
        Directory {
            foreign,
            shared,
            ..Directory::default()
        }
    }

    /// Is the checkpoint another ABI's?
    pub fn foreign(&self) -> bool {
        self.foreign
    }

    pub fn object(&mut self, start: u64, size: u64, ty: TypeId, target: usize, plan: Arc<Plan>) {
        let what = Mapped::Object {
            target,
            plan,
            size,
            ty,
            literal: false,
        };
        self.ranges.push(Range {
            start,
            last: start.saturating_add(size),
            what,
        });
    }

    pub fn literal(&mut self, start: u64, size: u64, ty: TypeId, target: usize, plan: Arc<Plan>) {
        let what = Mapped::Object {
            target,
            plan,
            size,
            ty,
            literal: true,
        };
        self.ranges.push(Range {
            start,
            last: start.saturating_add(size),
            what,
        });
    }

    pub fn function(&mut self, start: u64, target: usize) {
        self.ranges.push(Range {
            start,
            last: start,
            what: Mapped::Function(target),
        });
    }

    pub fn slab(&mut self, place: SlabPlace) {
        let (start, last) = place.span();
        self.ranges.push(Range {
            start,
            last,
            what: Mapped::Slab(self.slabs.len()),
        });
        self.slabs.push(place);
    }

    /// To be called when all objects are in; two that overlap mean a damaged file.
    pub(crate) fn seal(&mut self) -> Result<(), (u64, u64)> {
        self.ranges.sort_by_key(|r| (r.start, r.last));
        // Functions may share an address (aliases), as may literals the linker merged.
        let slab = |r: &Range| matches!(r.what, Mapped::Slab(_));
        let mut pairs = self.ranges.windows(2);
        let overlap = pairs.find(|w| w[1].start < w[0].last && (slab(&w[0]) || slab(&w[1])));
        match overlap {
            Some(w) => Err((w[0].start, w[1].start)),
            None => Ok(()),
        }
    }

    /// The address here of what `addr` points to; `pointee` is the pointer's, if known.
    pub fn translate(&self, types: &TypeTable, addr: u64, pointee: TypeId) -> Result<usize, Lost> {
        match self.object_at(types, addr, pointee) {
            Err(Lost::Dangling) => match self.shared.find(addr) {
                Some(SharedAddress::Here(here)) => Ok(here),
                _ => Err(Lost::Dangling),
            },
            other => other,
        }
    }

    /// The shared object in whose variables an address is, or of which there is another here.
    pub(crate) fn in_library(&self, addr: u64) -> Option<&str> {
        match self.shared.find(addr) {
            Some(SharedAddress::Lost(name)) => Some(name),
            _ => None,
        }
    }

    /// Where an address in the C library's initialised data leads here.
    pub fn settled(&self, addr: u64) -> Option<usize> {
        self.shared.settled(addr)
    }

    /// Is it a number that was no address in its process, whose addresses have so many bits?
    pub fn is_never(&self, addr: u64, bits: u32) -> bool {
        self.shared.is_never(addr, bits)
    }

    /// Is it an address in a shared object?
    pub fn is_shared(&self, addr: u64) -> bool {
        self.shared.find(addr).is_some()
    }

    fn object_at(&self, types: &TypeTable, addr: u64, pointee: TypeId) -> Result<usize, Lost> {
        if let Some(found) = self.in_piece(types, addr, pointee) {
            return found;
        }
        // Neighbours in memory point to neighbours: mostly it is the range of last time.
        if let Some(range) = self.ranges.get(self.latest.get()) {
            if range.start < addr && addr < range.last {
                return self.inside(types, range, addr, pointee);
            }
        }
        let after = self.ranges.partition_point(|r| r.start <= addr);
        self.latest.set(after.wrapping_sub(1));
        // A few steps back: merged literals lie inside longer ones.
        let mut candidates = self.ranges[..after]
            .iter()
            .rev()
            .take(4)
            .filter(|r| addr <= r.last);
        let first = candidates.next().ok_or(Lost::Dangling)?;
        if first.start == addr {
            // Globals may touch: this may also be the end of the one in front.
            if let Some(front) = candidates.find(|r| r.start < addr) {
                return self.either(types, first, front, addr, pointee);
            }
        }
        self.inside(types, first, addr, pointee)
    }

    /// The address here of what `addr` points to, if that is a piece of a block.
    fn in_piece(
        &self,
        types: &TypeTable,
        addr: u64,
        pointee: TypeId,
    ) -> Option<Result<usize, Lost>> {
        let i = self
            .pieces
            .partition_point(|p| p.start <= addr)
            .checked_sub(1)?;
        let p = &self.pieces[i];
        let offset = addr - p.start;
        if offset < p.bytes {
            let front = i.checked_sub(1).map(|i| &self.pieces[i]);
            if let Some(front) = front.filter(|f| offset == 0 && f.start + f.bytes == addr) {
                // The end of an array, or the start of the next object of its kind?
                let many = front.bytes > types.size(front.ty);
                let end = self.end_of(front);
                if many && end != Some(p.target) && front.ty == pointee && p.ty == pointee {
                    return Some(Err(Lost::Ambiguous));
                }
                if many && front.ty == pointee && !begins(types, p.ty, pointee) {
                    return end.map(Ok);
                }
            }
            let to = match p.plan.map_offset(p.bytes, offset, pointee) {
                Ok(to) => to,
                Err(e) => return Some(Err(Lost::Place(e))),
            };
            if self.foreign && p.plan.in_bytes(p.bytes, offset) && !of_bytes(types, pointee) {
                return Some(Err(Lost::Bytes));
            }
            return Some(Ok(p.target.wrapping_add(to as usize)));
        }
        // A pointer to what lies in front of it is its end; any other one is to the room behind it.
        (offset == p.bytes && !of_bytes(types, pointee) && ends(types, p.ty, pointee))
            .then(|| self.end_of(p).map(Ok))?
    }

    fn end_of(&self, p: &Piece) -> Option<usize> {
        let size = p.plan.dst_end(p.bytes).ok()?;
        Some(p.target.wrapping_add(size as usize))
    }

    fn either(
        &self,
        types: &TypeTable,
        next: &Range,
        front: &Range,
        addr: u64,
        pointee: TypeId,
    ) -> Result<usize, Lost> {
        let (a, b) = (
            self.inside(types, next, addr, pointee),
            self.inside(types, front, addr, pointee),
        );
        let of = |range: &Range| match &range.what {
            Mapped::Object { ty, .. } => *ty,
            _ => TypeId::UNKNOWN,
        };
        match (a, b) {
            (Ok(a), Ok(b)) if a == b => Ok(a),
            (Err(_), b) => b,
            (a, Err(_)) => a,
            // Literals lie side by side; hardly anyone points behind one.
            (a, _) if matches!(front.what, Mapped::Object { literal: true, .. }) => a,
            (a, b) => match (
                begins(types, of(next), pointee),
                ends(types, of(front), pointee),
            ) {
                (true, false) => a,
                (false, true) => b,
                // An address without a type is a buffer's start as far as anyone can tell.
                _ if pointee == TypeId::UNKNOWN => {
                    self.ambiguous.set(self.ambiguous.get() + 1);
                    a
                }
                _ => Err(Lost::Ambiguous),
            },
        }
    }

    /// Pointers that could mean the end of one global or the start of the next.
    pub fn ambiguous(&self) -> u64 {
        self.ambiguous.get()
    }

    fn inside(
        &self,
        types: &TypeTable,
        range: &Range,
        addr: u64,
        pointee: TypeId,
    ) -> Result<usize, Lost> {
        let object = match &range.what {
            Mapped::Function(target) => return Ok(*target),
            Mapped::Slab(i) => self.slabs[*i].find(addr).ok_or(Lost::Dangling)?,
            Mapped::Object {
                target,
                plan,
                size,
                ty,
                ..
            } => Object {
                target: *target,
                plan,
                size: *size,
                offset: addr - range.start,
                ty: *ty,
            },
        };
        let to = object
            .plan
            .map_offset(object.size, object.offset, pointee)
            .map_err(Lost::Place)?;
        if self.foreign
            && object.plan.in_bytes(object.size, object.offset)
            && !of_bytes(types, pointee)
            && !rules::is_behind(types, (object.ty, object.offset), pointee)
        {
            return Err(Lost::Bytes);
        }
        Ok(object.target.wrapping_add(to as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pc3_typemetric::abi::Abi;
    use pc3_typemetric::types::{Kind, Type};

    const ARRAY: u64 = 10 * 8;

    /// Two arrays that touch in the checkpoint, here at `places`; what the address between them becomes.
    fn between(kind: Kind, size: u64, places: [usize; 2], pointee: &str) -> Result<usize, Lost> {
        let mut types = TypeTable::new(Abi::host());
        let add = |types: &mut TypeTable, kind, name, size: u64| {
            let ty = Type::scalar(kind, name, size, size as u16, 0);
            types.add(ty).expect("a scalar")
        };
        let elem = add(&mut types, kind, "elem", size);
        let other = add(&mut types, Kind::Float, "float", 4);
        let plan = Arc::new(Plan::compile(&types, elem, &types, elem).expect("a plan"));
        let mut d = Directory::new(true, Shared::default());
        d.object(0x1000, ARRAY, elem, places[0], plan.clone());
        d.object(0x1000 + ARRAY, ARRAY, elem, places[1], plan);
        d.seal().expect("no overlap");
        let pointee = match pointee {
            "elem" => elem,
            "float" => other,
            _ => TypeId::UNKNOWN,
        };
        d.translate(&types, 0x1000 + ARRAY, pointee)
    }

    #[test]
    fn touching_objects() {
        let touching = [0x5000, 0x5000 + ARRAY as usize];
        for pointee in ["elem", "float", "void"] {
            let found = between(Kind::Float, 8, touching, pointee);
            assert_eq!(found.expect("one place"), touching[1], "{pointee}");
        }
        let apart = [0x5000, 0x6000];
        for pointee in ["elem", "float"] {
            let found = between(Kind::Float, 8, apart, pointee);
            assert!(
                matches!(found, Err(Lost::Ambiguous)),
                "{pointee}: {found:?}"
            );
        }
        // A buffer without a type is its start.
        assert_eq!(
            between(Kind::Float, 8, apart, "void").expect("a place"),
            0x6000
        );
    }

    #[test]
    fn numbers_among_characters() {
        let touching = [0x5000, 0x5000 + ARRAY as usize];
        let found = between(Kind::Char, 1, touching, "float");
        assert!(matches!(found, Err(Lost::Bytes)), "{found:?}");
        assert!(between(Kind::Char, 1, touching, "elem").is_ok());
    }
}
