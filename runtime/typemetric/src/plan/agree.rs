//! A union of which nothing says what is in use is converted as each of its members; where all results agree, it does not
//! matter which it was.
//!
//! What a member leaves alone (padding, bytes behind a short member) another may fill in. A member is left out if it cannot
//! be the one in use: a pointer to nothing alive, if no address is like its value (others may be of the C library's memory),
//! or one with a number below the smallest normal ones that is the address of something alive. Everything else counts, a value that does not fit the target
//! too: if in doubt, the restart is refused.

use crate::plan::exec::{one, Fail};
use crate::plan::numbers::load;
use crate::plan::ops::{Op, Reading, Step};
use crate::plan::resolve::{Env, Reason, Resolver, Unresolved};
use crate::types::TypeId;

/// A union's members, and which of them can be in use.
pub(crate) struct Union<'a> {
    pub readings: &'a [Reading],
    pub what: &'a str,
    /// By position, from bit 0 on.
    pub noted: u64,
    /// No member is in use.
    pub left: bool,
}

fn possible(noted: u64, readings: &[Reading]) -> impl Iterator<Item = &Reading> {
    let in_use = move |i: usize| noted >> i.min(63) & 1 != 0;
    readings
        .iter()
        .enumerate()
        .filter(move |(i, _)| in_use(*i))
        .map(|(_, r)| r)
}

/// The member that is in use, if one alone can be.
pub(crate) fn only(noted: u64, readings: &[Reading]) -> Option<&Reading> {
    let mut list = possible(noted, readings);
    list.next().filter(|_| list.next().is_none())
}

/// It is noted that `only` is in use; does the value say otherwise, as another member? A number that is the address of
/// something alive, or a pointer that is no address of a 64-bit program: the note could be of bytes that another member had.
pub(crate) fn otherwise<'a>(
    env: Env,
    src: &[u8],
    at: usize,
    only: &Reading,
    readings: &'a [Reading],
    ctx: &mut dyn Resolver,
) -> Option<&'a Reading> {
    let raw = |place: u64| {
        let place = at + place as usize;
        src.get(place..place + 8).map_or(0, |b| load(b, env.from))
    };
    let own = addresses(only);
    for r in readings.iter().filter(|r| r.name != only.name) {
        for place in addresses(r) {
            let raw = raw(place);
            if raw >> 32 != 0 && has_number(only, place) && ctx.is_live(raw) {
                return Some(r);
            }
        }
        for place in &own {
            let raw = raw(*place);
            let strange = (SMALLEST_NORMAL..LAST_PAGE).contains(&raw) && has_number(r, *place);
            if strange && is_lost(raw, ctx) {
                return Some(r);
            }
        }
    }
    None
}

/// Where a member has pointers of 64 bits.
fn addresses(r: &Reading) -> Vec<u64> {
    let of = |op: &Op| match op.step {
        Step::Refer { from: 8, .. } => (0..op.n.min(MOST_LOOKED_AT))
            .map(|i| op.s + 8 * i)
            .collect(),
        _ => Vec::new(),
    };
    r.ops.iter().flat_map(of).collect()
}

/// Are the eight bytes there numbers of the member's?
fn has_number(r: &Reading, place: u64) -> bool {
    r.ops.iter().any(|op| {
        let each = match op.step {
            Step::Refer { .. } | Step::Repeat { .. } => None,
            _ => op.step.unit(),
        };
        each.is_some_and(|(bytes, _)| {
            (op.s..=(op.s + op.n * bytes).saturating_sub(8)).contains(&place)
        })
    })
}

fn is_lost(raw: u64, ctx: &mut dyn Resolver) -> bool {
    let before = ctx.lost();
    let found = ctx.pointer(raw, TypeId::UNKNOWN);
    let lost = ctx.lost() > before;
    ctx.forget_lost(before);
    lost || found.is_err()
}

/// That two members could be in use.
pub(crate) fn doubt(at: usize, only: &Reading, other: &Reading, what: &str) -> Fail {
    Fail {
        offset: at as u64,
        bit: None,
        value: None,
        reason: Reason::Member(Box::new([
            only.name.clone(),
            other.name.clone(),
            what.into(),
        ])),
    }
}

/// Converts the union at `at` of `src` into `dst`.
pub(crate) fn run(
    env: Env,
    src: &[u8],
    at: usize,
    dst: &mut [u8],
    union: Union,
    ctx: &mut dyn Resolver,
) -> Result<(), Fail> {
    let what = union.what;
    let readings: Vec<&Reading> = possible(union.noted, union.readings).collect();
    let mut results: Vec<(&str, Result<Image, Fail>)> = Vec::new();
    let mut dead: Vec<(&str, Image)> = Vec::new();
    if union.left {
        left_over(env, src, at, dst, &readings, ctx);
        return Ok(());
    }
    for r in readings.iter().copied() {
        if is_address(env, src, at, r, ctx) {
            continue;
        }
        match image(env, src, at, dst.len(), r, ctx) {
            Ok(i) if i.dead => dead.push((&r.name, i)),
            i => results.push((&r.name, i)),
        }
    }
    if results.is_empty() {
        results.extend(dead.into_iter().map(|(name, i)| (name, Ok(i))));
    }
    let fail = |other: &str, reason: Reason| Fail {
        offset: at as u64,
        bit: None,
        value: None,
        reason: match reason {
            Reason::Member(..) => reason,
            _ => {
                let first = readings.first().map_or(other, |r| &r.name);
                let first = if first == other {
                    readings.last().map_or(other, |r| &r.name)
                } else {
                    first
                };
                Reason::Member(Box::new([first.into(), other.into(), what.into()]))
            }
        },
    };
    let mut all: Option<(&str, Image)> = None;
    for (name, result) in results {
        let image = result.map_err(|f| fail(name, f.reason))?;
        match &mut all {
            None => all = Some((name, image)),
            Some((first, all)) => {
                if !all.join(&image) {
                    return Err(fail(
                        name,
                        Reason::Member(Box::new([(*first).into(), name.into(), what.into()])),
                    ));
                }
            }
        }
    }
    if let Some((_, image)) = all {
        image.put(dst);
    }
    Ok(())
}

/// The address of something alive stays one; everything else is a number, if it can be.
fn left_over(
    env: Env,
    src: &[u8],
    at: usize,
    dst: &mut [u8],
    readings: &[&Reading],
    ctx: &mut dyn Resolver,
) {
    let mut best: Option<(u8, Image)> = None;
    for r in readings {
        let Ok(image) = image(env, src, at, dst.len(), r, ctx) else {
            continue;
        };
        let rank = match reference(r) {
            Some(_) if image.alive => 2,
            Some(_) => 0,
            None => 1,
        };
        if best.as_ref().is_none_or(|(n, _)| rank > *n) {
            best = Some((rank, image));
        }
    }
    if let Some((_, image)) = best {
        image.put(dst);
    }
}

/// What a member makes of the value on the target.
struct Image {
    bytes: Vec<u8>,
    /// Which bits it determines.
    known: Vec<u8>,
    /// It is a pointer to nothing alive.
    dead: bool,
    /// Some pointer in it leads to something.
    alive: bool,
}

impl Image {
    fn put(&self, dst: &mut [u8]) {
        for (i, byte) in dst.iter_mut().enumerate() {
            *byte = *byte & !self.known[i] | self.bytes[i];
        }
    }

    /// Adds what another member determines; false if they contradict each other.
    fn join(&mut self, other: &Image) -> bool {
        for i in 0..self.bytes.len() {
            let both = self.known[i] & other.known[i];
            if (self.bytes[i] ^ other.bytes[i]) & both != 0 {
                return false;
            }
            self.bytes[i] |= other.bytes[i];
            self.known[i] |= other.known[i];
        }
        true
    }
}

fn image(
    env: Env,
    src: &[u8],
    at: usize,
    len: usize,
    r: &Reading,
    ctx: &mut dyn Resolver,
) -> Result<Image, Fail> {
    let mut trial = Trial {
        inner: ctx,
        dead: false,
        alive: false,
        like_address: false,
        most: match reference(r) {
            Some(4) => u64::MAX,
            _ => SMALLEST_NORMAL,
        },
    };
    let (mut zeros, mut ones) = (vec![0; len], vec![0xff; len]);
    one(env, &r.ops, src, at, &mut zeros, &mut trial)?;
    one(env, &r.ops, src, at, &mut ones, &mut trial)?;
    let known: Vec<u8> = zeros.iter().zip(&ones).map(|(a, b)| !(a ^ b)).collect();
    Ok(Image {
        bytes: zeros,
        known,
        alive: trial.alive,
        dead: trial.dead && !trial.alive && reference(r).is_some() && !trial.like_address,
    })
}

/// The size of the reference that a member is: nothing else is lost with it.
fn reference(r: &Reading) -> Option<u8> {
    match &r.ops[..] {
        [Op {
            n: 1,
            step: Step::Refer { from, .. },
            ..
        }] => Some(*from),
        _ => None,
    }
}

/// Below are the bits of doubles that no arithmetic of ordinary size makes, and all addresses of 64-bit programs.
const SMALLEST_NORMAL: u64 = 1 << 52;
/// From here on numbers are marks such as `(void *)-1`.
const LAST_PAGE: u64 = u64::MAX - 4095;
/// Of arrays of pointers.
const MOST_LOOKED_AT: u64 = 64;
/// Nothing is mapped below.
const LEAST_ADDRESS: u64 = 1 << 16;

/// Would it have a double that no arithmetic of ordinary size makes, but that is an address?
fn is_address(env: Env, src: &[u8], at: usize, r: &Reading, ctx: &mut dyn Resolver) -> bool {
    r.doubles.iter().any(|d| {
        let d = at + *d as usize;
        let raw = src.get(d..d + 8).map_or(0, |b| load(b, env.from));
        raw >> 32 != 0 && raw < SMALLEST_NORMAL && ctx.is_live(raw)
    })
}

/// Looks without leaving notes.
struct Trial<'a> {
    inner: &'a mut dyn Resolver,
    dead: bool,
    alive: bool,
    /// A pointer to nothing alive could be one to memory that is not the program's.
    like_address: bool,
    most: u64,
}

impl Trial<'_> {
    fn ask(
        &mut self,
        raw: u64,
        question: impl FnOnce(&mut dyn Resolver) -> Result<u64, Unresolved>,
    ) -> Result<u64, Unresolved> {
        let before = self.inner.lost();
        let answer = question(self.inner);
        if self.inner.lost() > before {
            self.inner.forget_lost(before);
            self.dead = true;
            self.like_address |= (LEAST_ADDRESS..self.most).contains(&raw);
        } else {
            self.alive |= raw != 0;
        }
        answer
    }
}

impl Resolver for Trial<'_> {
    fn pointer(&mut self, raw: u64, pointee: TypeId) -> Result<u64, Unresolved> {
        self.ask(raw, |r| r.pointer(raw, pointee))
    }
    fn function(&mut self, raw: u64) -> Result<u64, Unresolved> {
        self.ask(raw, |r| r.function(raw))
    }
    fn handle(&mut self, raw: u64, ty: TypeId) -> Result<u64, Unresolved> {
        self.ask(raw, |r| r.handle(raw, ty))
    }
    fn file(&mut self, raw: u64) -> Result<u64, Unresolved> {
        self.ask(raw, |r| r.file(raw))
    }
    fn word(&mut self, raw: u64) -> u64 {
        self.inner.word(raw)
    }
    fn widened(&mut self, raw: u64, signed: bool) -> Option<String> {
        self.inner.widened(raw, signed)
    }
    fn widens(&self) -> bool {
        self.inner.widens()
    }
    fn lost(&self) -> u64 {
        self.inner.lost()
    }
    fn forget_lost(&mut self, before: u64) {
        self.inner.forget_lost(before);
    }
    fn is_live(&mut self, raw: u64) -> bool {
        self.inner.is_live(raw)
    }
    fn place(&self, at: u64) -> Option<u64> {
        self.inner.place(at)
    }
    fn allocated(&self) -> Option<(u64, u64)> {
        self.inner.allocated()
    }

    fn in_use(&mut self, at: u64, union: TypeId) -> Option<u64> {
        self.inner.in_use(at, union)
    }
}
