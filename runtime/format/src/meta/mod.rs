//! What the sections of a checkpoint say, as structures with one `encode`/`decode` pair each.
//! Addresses are the saving program's; `Span`s are places in a rank's data section.

mod program;

use pc3_typemetric::types::TypeId;

use super::bytes::{DecodeError, Decoder, Encoder};
pub use super::library::{FileKind, FileMeta, HeldMeta, LibraryMeta};
pub use program::{FuncMeta, GlobalMeta, JobMeta, LiteralMeta, PointMeta, ProgramMeta};

pub(super) type Result<T> = std::result::Result<T, DecodeError>;

/// A type where there may be none: stored as id + 1.
pub(super) fn put_type(e: &mut Encoder, ty: Option<TypeId>) {
    e.u64(ty.map_or(0, |t| u64::from(t.0) + 1));
}

pub(super) fn get_type(d: &mut Decoder) -> Result<Option<TypeId>> {
    Ok(d.u32()?.checked_sub(1).map(TypeId))
}

/// A saved object: `bytes` bytes from `offset` of the data section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    pub offset: u64,
    pub bytes: u64,
}

pub(super) fn put_span(e: &mut Encoder, s: Span) {
    e.u64(s.offset);
    e.u64(s.bytes);
}

pub(super) fn get_span(d: &mut Decoder) -> Result<Span> {
    Ok(Span {
        offset: d.u64()?,
        bytes: d.u64()?,
    })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameMeta {
    /// Index into `ProgramMeta::funcs`.
    pub func: u64,
    /// Index into its points.
    pub point: u64,
    pub live: Span,
}

/// An object on the shadow stack: a function's struct (`frame`: index of its frame), or a block of
/// run-time size of elements of `ty`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShadowMeta {
    pub addr: u64,
    pub ty: TypeId,
    pub frame: Option<u64>,
    pub data: Span,
}

/// Equally large slots; only the occupied ones are saved, one after the other, `slot` bytes each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlabMeta {
    pub base: u64,
    pub slot: u64,
    /// Occupied slots, a bit each.
    pub occupied: Vec<u64>,
    /// Of the objects in order; one entry if all are equal.
    pub sizes: Vec<u64>,
    pub types: Vec<TypeId>,
    pub data: Span,
}

impl SlabMeta {
    pub fn count(&self) -> u64 {
        self.occupied
            .iter()
            .map(|w| u64::from(w.count_ones()))
            .sum()
    }

    /// Slots up to the last occupied one.
    pub fn used(&self) -> u64 {
        let last = self.occupied.iter().rposition(|w| *w != 0);
        last.map_or(0, |word| {
            word as u64 * 64 + u64::from(64 - self.occupied[word].leading_zeros())
        })
    }

    /// Size and type of the `k`-th object.
    pub fn object(&self, k: usize) -> Option<(u64, TypeId)> {
        let pick = |n: usize| if n == 1 { 0 } else { k };
        Some((
            *self.sizes.get(pick(self.sizes.len()))?,
            *self.types.get(pick(self.types.len()))?,
        ))
    }

    /// Numbers of the occupied slots.
    pub fn slots(&self) -> impl Iterator<Item = u64> + '_ {
        self.occupied.iter().enumerate().flat_map(|(i, &word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 != 0)
                .map(move |bit| i as u64 * 64 + bit)
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LargeMeta {
    pub base: u64,
    pub ty: TypeId,
    pub data: Span,
}

/// What `pc3_on` registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallbackMeta {
    pub events: u64,
    pub function: u64,
    pub context: u64,
}

/// A pointer in front of or behind its object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BesideMeta {
    pub addr: u64,
    /// An address in the object.
    pub object: u64,
    /// Bytes of what it points to.
    pub elem: u64,
    /// What moved it there: `file.c:12`.
    pub place: String,
}

/// The floating-point environment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FloatsMeta {
    /// 0 to nearest, 1 to zero, 2 up, 3 down.
    pub rounding: u8,
    /// 1 invalid, 2 division by zero, 4 overflow, 8 underflow, 16 inexact, 32 denormal operand.
    pub flags: u8,
    /// Of the same: those that trap.
    pub traps: u8,
    /// Other settings that are not as at the program's start: family of processors, its bits.
    pub special: Option<(u8, u64)>,
}

impl FloatsMeta {
    fn encode(self, e: &mut Encoder) {
        let names = [self.rounding, self.flags, self.traps];
        names.into_iter().for_each(|v| e.u64(v.into()));
        let (family, bits) = self.special.unwrap_or_default();
        e.u64(self.special.is_some().into());
        e.u64(family.into());
        e.u64(bits);
    }

    fn decode(d: &mut Decoder) -> Result<FloatsMeta> {
        let mut small = || -> Result<u8> {
            u8::try_from(d.u64()?).map_err(|_| DecodeError::Invalid("floating-point environment"))
        };
        let (rounding, flags, traps) = (small()?, small()?, small()?);
        let (is_special, family) = (small()?, small()?);
        let bits = d.u64()?;
        Ok(FloatsMeta {
            rounding,
            flags,
            traps,
            special: (is_special != 0).then_some((family, bits)),
        })
    }
}

/// Section `Rank`.
#[derive(Clone, PartialEq, Debug)]
pub struct RankMeta {
    /// Exit code, if the rank had ended.
    pub finished: Option<i32>,
    pub errno: i32,
    pub floats: FloatsMeta,
    pub passages: u64,
    /// Distance of this rank's globals from the templates, modulo 2^64.
    pub delta: u64,
    /// The writable ones of `ProgramMeta::globals`, in that order.
    pub globals: Vec<Span>,
    /// Innermost first.
    pub frames: Vec<FrameMeta>,
    /// From the bottom of the stack up.
    pub shadow: Vec<ShadowMeta>,
    pub slabs: Vec<SlabMeta>,
    pub large: Vec<LargeMeta>,
    pub callbacks: Vec<CallbackMeta>,
    pub files: Vec<FileMeta>,
    pub library: LibraryMeta,
    /// In a section of its own.
    pub beside: Vec<BesideMeta>,
    /// There, too: the places where an address has become a number that is kept.
    pub numbers: Vec<String>,
    /// The places where what the architecture gave is kept, of code that has run, and what decides (`pc3_order`).
    pub orders: Vec<(String, u32)>,
    pub first_numbers: FirstNumbersMeta,
    /// And the type that the caller of an allocation wrapper has left for the allocation in it.
    pub wanted: Option<TypeId>,
    /// And how many calls of setjmp have been given numbers.
    pub jumps: u64,
    /// And variables of the C library that the program has given values: which, and the value.
    pub variables: Vec<(u64, u64)>,
}

impl RankMeta {
    /// About so many bytes does it have for its objects.
    pub fn weight(&self) -> usize {
        let slab = |s: &SlabMeta| 56 + 8 * (s.occupied.len() + s.sizes.len() + s.types.len());
        let slabs: usize = self.slabs.iter().map(slab).sum();
        slabs + 40 * (self.large.len() + self.frames.len() + self.shadow.len())
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut e = Encoder::default();
        e.u64(self.finished.is_some().into());
        e.u64(u64::from(self.finished.unwrap_or(0) as u32));
        e.u64(u64::from(self.errno as u32));
        e.u64(self.passages);
        e.u64(self.delta);
        e.len(self.globals.len());
        self.globals.iter().for_each(|g| put_span(&mut e, *g));
        e.len(self.frames.len());
        for f in &self.frames {
            e.u64(f.func);
            e.u64(f.point);
            put_span(&mut e, f.live);
        }
        e.len(self.shadow.len());
        for s in &self.shadow {
            e.u64(s.addr);
            e.u64(s.ty.0.into());
            e.u64(s.frame.map_or(0, |f| f + 1));
            put_span(&mut e, s.data);
        }
        e.len(self.slabs.len());
        for s in &self.slabs {
            e.u64(s.base);
            e.u64(s.slot);
            e.len(s.occupied.len());
            s.occupied.iter().for_each(|w| e.u64(*w));
            e.len(s.sizes.len());
            s.sizes.iter().for_each(|n| e.u64(*n));
            e.len(s.types.len());
            s.types.iter().for_each(|t| e.u64(t.0.into()));
            put_span(&mut e, s.data);
        }
        e.len(self.large.len());
        for l in &self.large {
            e.u64(l.base);
            e.u64(l.ty.0.into());
            put_span(&mut e, l.data);
        }
        e.len(self.callbacks.len());
        for c in &self.callbacks {
            [c.events, c.function, c.context]
                .into_iter()
                .for_each(|v| e.u64(v));
        }
        e.len(self.files.len());
        self.files.iter().for_each(|f| f.encode(&mut e));
        self.library.encode(&mut e);
        if self.floats != FloatsMeta::default() {
            self.floats.encode(&mut e);
        }
        e.0
    }

    pub fn decode(bytes: &[u8]) -> Result<RankMeta> {
        let mut d = Decoder::new(bytes, "rank directory");
        let ended = d.u64()? != 0;
        let code = d.u32()? as i32;
        let meta = RankMeta {
            finished: ended.then_some(code),
            errno: d.u32()? as i32,
            passages: d.u64()?,
            delta: d.u64()?,
            globals: d.list(16, get_span)?,
            frames: d.list(32, |d| {
                Ok(FrameMeta {
                    func: d.u64()?,
                    point: d.u64()?,
                    live: get_span(d)?,
                })
            })?,
            shadow: d.list(40, |d| {
                Ok(ShadowMeta {
                    addr: d.u64()?,
                    ty: TypeId(d.u32()?),
                    frame: d.u64()?.checked_sub(1),
                    data: get_span(d)?,
                })
            })?,
            slabs: d.list(56, slab)?,
            large: d.list(32, |d| {
                Ok(LargeMeta {
                    base: d.u64()?,
                    ty: TypeId(d.u32()?),
                    data: get_span(d)?,
                })
            })?,
            callbacks: d.list(24, |d| {
                Ok(CallbackMeta {
                    events: d.u64()?,
                    function: d.u64()?,
                    context: d.u64()?,
                })
            })?,
            files: d.list(89, FileMeta::decode)?,
            library: LibraryMeta::decode(&mut d)?,
            beside: Vec::new(),
            numbers: Vec::new(),
            orders: Vec::new(),
            first_numbers: Default::default(),
            wanted: None,
            jumps: 0,
            variables: Vec::new(),
            // Earlier checkpoints do not say.
            floats: match d.is_empty() {
                true => FloatsMeta::default(),
                false => FloatsMeta::decode(&mut d)?,
            },
        };
        d.end()?;
        Ok(meta)
    }

    /// Section `Outside`, if there is anything to say.
    pub fn outside(&self) -> Option<Vec<u8>> {
        let tails = self
            .files
            .iter()
            .filter_map(|f| Some((f.kind as u64, f.tail?)));
        let tails: Vec<(u64, u64)> = tails.collect();
        let held = self.files.iter();
        let held: Vec<_> = held
            .filter_map(|f| Some((f.addr, f.held.as_ref()?)))
            .collect();
        let empty = tails.is_empty() && self.beside.is_empty() && self.numbers.is_empty();
        let first = self.jumps == 0 && self.variables.is_empty();
        let kept = self.orders.is_empty() && self.first_numbers.is_empty();
        if empty && self.wanted.is_none() && held.is_empty() && first && kept {
            return None;
        }
        let mut e = Encoder::default();
        e.len(self.beside.len());
        for b in &self.beside {
            [b.addr, b.object, b.elem]
                .into_iter()
                .for_each(|v| e.u64(v));
            e.str(&b.place);
        }
        e.len(tails.len());
        for (kind, tail) in tails {
            e.u64(kind);
            e.u64(tail);
        }
        e.len(self.numbers.len());
        self.numbers.iter().for_each(|n| e.str(n));
        put_type(&mut e, self.wanted);
        e.len(held.len());
        for (addr, held) in held {
            e.u64(addr);
            held.encode(&mut e);
        }
        e.u64(self.jumps);
        e.len(self.variables.len());
        for (which, value) in &self.variables {
            e.u64(*which);
            e.u64(*value);
        }
        e.len(self.orders.len());
        for (place, by) in &self.orders {
            e.str(place);
            e.u64((*by).into());
        }
        let first = &self.first_numbers;
        e.len(first.list.len());
        for (at, number) in &first.list {
            e.u64(*at);
            e.u64(*number);
        }
        e.u64(first.other_width.into());
        e.len(first.elsewhere.len());
        for (at, number) in &first.elsewhere {
            e.u64(*at);
            e.u64(*number);
        }
        Some(e.0)
    }

    pub(crate) fn add_outside(&mut self, bytes: &[u8]) -> Result<()> {
        let mut d = Decoder::new(bytes, "rank outside");
        let beside = d.list(32, |d| {
            Ok(BesideMeta {
                addr: d.u64()?,
                object: d.u64()?,
                elem: d.u64()?,
                place: d.str()?,
            })
        })?;
        let tails = d.list(16, |d| Ok((d.u64()?, d.u64()?)))?;
        self.numbers = d.list(8, |d| d.str())?;
        self.wanted = get_type(&mut d)?;
        // Earlier checkpoints do not say.
        let held = match d.is_empty() {
            true => Vec::new(),
            false => d.list(48, |d| Ok((d.u64()?, HeldMeta::decode(d)?)))?,
        };
        if !d.is_empty() {
            self.jumps = d.u64()?;
            self.variables = d.list(16, |d| Ok((d.u64()?, d.u64()?)))?;
            self.orders = d.list(16, |d| Ok((d.str()?, d.u32()?)))?;
            let list = d.list(16, |d| Ok((d.u64()?, d.u64()?)))?;
            let other_width = d.u64()? != 0;
            // Earlier checkpoints do not say which objects are as they were.
            let (list, elsewhere) = match d.is_empty() {
                true if other_width => (Vec::new(), list),
                true => (list, Vec::new()),
                false => (list, d.list(16, |d| Ok((d.u64()?, d.u64()?)))?),
            };
            self.first_numbers = FirstNumbersMeta {
                list,
                elsewhere,
                other_width,
            };
        }
        d.end()?;
        for (addr, held) in held {
            if let Some(file) = self.files.iter_mut().find(|f| f.addr == addr) {
                file.held = Some(held);
            }
        }
        self.beside = beside;
        for (kind, tail) in tails {
            let mut given = self.files.iter_mut().filter(|f| f.mode.is_empty());
            if let Some(file) = given.find(|f| f.kind as u64 == kind) {
                file.tail = Some(tail);
            }
        }
        Ok(())
    }
}

/// What the program has as numbers of addresses that are others now.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct FirstNumbersMeta {
    /// Addresses of objects, and what they were first.
    pub list: Vec<(u64, u64)>,
    /// Likewise of those in which parts lie elsewhere than they did then, and of what pointers lead to in these.
    pub elsewhere: Vec<(u64, u64)>,
    /// Addresses were wider then, or narrower.
    pub other_width: bool,
}

impl FirstNumbersMeta {
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.elsewhere.is_empty()
    }
}

fn slab(d: &mut Decoder) -> Result<SlabMeta> {
    Ok(SlabMeta {
        base: d.u64()?,
        slot: d.u64()?,
        occupied: d.list(8, Decoder::u64)?,
        sizes: d.list(8, Decoder::u64)?,
        types: d.list(8, |d| Ok(TypeId(d.u32()?)))?,
        data: get_span(d)?,
    })
}

#[cfg(test)]
mod tests;
