//! Runs the steps of a plan.
//!
//! Elements are taken in blocks that stay in the cache, and within a block step by step, so that
//! the inner loops are over equal conversions and compile to straight vector code.

use crate::abi::Endian;
use crate::choice::Test;
use crate::float::{self, FloatError, Stored};
use crate::plan::agree;
use crate::plan::numbers::{get_bits, load, narrow, put_bits, put_whole, store, whole, widen, Raw};
use crate::plan::ops::ElementPlan;
use crate::plan::ops::{Case, Int, Op, Reference, Share, Step, UnionTag};
use crate::plan::resolve::{Env, Reason, Resolver};
use crate::types::{Bits, TypeId};

/// Where and why running stopped; offsets count from the start of the source.
#[derive(Debug)]
pub(crate) struct Fail {
    pub offset: u64,
    /// Of a bit-field: its position, as several share a byte.
    pub bit: Option<u64>,
    pub value: Option<String>,
    pub reason: Reason,
}

const BLOCK_BYTES: usize = 16 << 10;

/// Converts `count` elements; both slices are long enough, which the caller has checked.
pub(crate) fn run(
    env: Env,
    body: &ElementPlan,
    src: &[u8],
    dst: &mut [u8],
    count: u64,
    ctx: &mut dyn Resolver,
) -> Result<(), Fail> {
    let strides = (body.from_size as usize, body.to_size as usize);
    let count = count as usize;
    if body.copy {
        let n = count * strides.0;
        dst[..n].copy_from_slice(&src[..n]);
    }
    Exec { env, src, dst, ctx }.elements(&body.ops, (0, 0), strides, count)
}

/// Converts one element at an offset, at the start of `dst`.
pub(crate) fn one(
    env: Env,
    ops: &[Op],
    src: &[u8],
    at: usize,
    dst: &mut [u8],
    ctx: &mut dyn Resolver,
) -> Result<(), Fail> {
    Exec { env, src, dst, ctx }.elements(ops, (at, 0), (0, 0), 1)
}

struct Exec<'a> {
    env: Env,
    src: &'a [u8],
    dst: &'a mut [u8],
    ctx: &'a mut dyn Resolver,
}

/// The places a step is applied to: `reps` runs of `n` units, the runs a stride apart.
#[derive(Clone, Copy)]
struct Span {
    s: usize,
    d: usize,
    n: usize,
    reps: usize,
    from_stride: usize,
    to_stride: usize,
}

impl Span {
    /// Where the units begin in the source, in the order in which they are taken.
    fn starts(self, size: usize) -> impl Iterator<Item = usize> {
        let runs = (0..self.reps).map(move |r| self.s + r * self.from_stride);
        runs.flat_map(move |s| (0..self.n).map(move |k| s + k * size))
    }
}

impl Exec<'_> {
    fn elements(
        &mut self,
        ops: &[Op],
        at: (usize, usize),
        strides: (usize, usize),
        count: usize,
    ) -> Result<(), Fail> {
        // One contiguous run of units over all elements needs no blocks.
        if let [op] = ops {
            if let (Some(unit), (0, 0)) = (op.step.unit(), (op.s, op.d)) {
                if (op.n * unit.0, op.n * unit.1) == (strides.0 as u64, strides.1 as u64) {
                    let n = op.n as usize * count;
                    let span = Span {
                        s: at.0,
                        d: at.1,
                        n,
                        reps: 1,
                        from_stride: 0,
                        to_stride: 0,
                    };
                    return self.step(&op.step, span);
                }
            }
        }
        let block = (BLOCK_BYTES / strides.0.max(strides.1).max(1)).max(1);
        let mut first = 0;
        while first < count && !ops.is_empty() {
            let reps = block.min(count - first);
            for op in ops {
                let span = Span {
                    s: at.0 + first * strides.0 + op.s as usize,
                    d: at.1 + first * strides.1 + op.d as usize,
                    n: op.n as usize,
                    reps,
                    from_stride: strides.0,
                    to_stride: strides.1,
                };
                self.step(&op.step, span)?;
            }
            first += reps;
        }
        Ok(())
    }

    fn step(&mut self, step: &Step, span: Span) -> Result<(), Fail> {
        match *step {
            Step::Copy => match span.n {
                4 => self.fixed::<4>(span, |b| b),
                8 => self.fixed::<8>(span, |b| b),
                n => self.each(span, n, n, |s, d| d.copy_from_slice(s)),
            },
            Step::Swap(width) => match width {
                2 => self.units::<2>(span, |b| u16::from_ne_bytes(b).swap_bytes().to_ne_bytes()),
                4 => self.units::<4>(span, |b| u32::from_ne_bytes(b).swap_bytes().to_ne_bytes()),
                8 => self.units::<8>(span, |b| u64::from_ne_bytes(b).swap_bytes().to_ne_bytes()),
                _ => self.units::<16>(span, |b| u128::from_ne_bytes(b).swap_bytes().to_ne_bytes()),
            },
            Step::Int { from, to } => return self.integers(from, to, span),
            Step::Char { to_signed } => return self.chars(to_signed, span),
            Step::Count { from, to, of } => return self.counts(from, to, of, span),
            Step::Size {
                from,
                to,
                but_nothing,
                ref one_of,
                enough,
                ref what,
            } => {
                let stays = |value: i128| {
                    let fits = enough.is_some_and(|n| value >= i128::from(n));
                    fits || value == 0 && but_nothing
                };
                return self.sizes(from, to, (one_of, what), stays, span);
            }
            Step::Total {
                from,
                to,
                share,
                but_nothing,
                ref what,
            } => return self.totals((from, to), share, (but_nothing, what), span),
            Step::Float { from, to } => return self.floats(from, to, span),
            Step::Refer { what, from, to } => return self.references(what, (from, to), span),
            Step::Bits {
                from,
                to,
                signed,
                to_signed,
            } => return self.bits(from, to, signed, to_signed, span),
            Step::Choose {
                ref tag,
                union,
                ref cases,
                ref otherwise,
                concluded,
            } => {
                let cases = match concluded && !self.ctx.tags_hold() {
                    true => &[],
                    false => &cases[..],
                };
                return self.choose(tag, union, (cases, otherwise.as_ref()), span);
            }
            Step::Words { of, ref members } => return self.words(of, members, span),
            Step::Agree {
                ref readings,
                to,
                of,
                ref what,
                left,
            } => {
                let union = agree::Union {
                    readings,
                    what,
                    noted: u64::MAX,
                    left,
                };
                return self.agree(&union, to as usize, of, span);
            }
            Step::Repeat {
                from_stride,
                to_stride,
                ref body,
            } => {
                for r in 0..span.reps {
                    let at = (span.s + r * span.from_stride, span.d + r * span.to_stride);
                    self.elements(body, at, (from_stride as usize, to_stride as usize), span.n)?;
                }
            }
        }
        Ok(())
    }

    fn counts(&mut self, from: Int, to: Int, of: (u64, u64), span: Span) -> Result<(), Fail> {
        let env = self.env;
        self.try_each(span, from.size.into(), to.size.into(), |s, d, _| {
            let value = whole(s, from, env.from);
            let each = i128::from(of.0);
            if value != 0 && (each == 0 || value % each != 0) {
                return Err((Some(value.to_string()), Reason::NoMultiple { of: of.0 }));
            }
            let value = value / each.max(1) * i128::from(of.1);
            put_whole(value, d, to, env.to)
        })
    }

    /// `one_of`: what sizes are there and here; `stays`: may another number stay as it is?
    fn sizes(
        &mut self,
        from: Int,
        to: Int,
        (one_of, what): (&[(u64, u64)], &str),
        stays: impl Fn(i128) -> bool,
        span: Span,
    ) -> Result<(), Fail> {
        let env = self.env;
        self.try_each(span, from.size.into(), to.size.into(), |s, d, _| {
            let value = whole(s, from, env.from);
            let same = one_of.iter().filter(|n| i128::from(n.0) == value);
            let mut here = same.map(|n| i128::from(n.1));
            if let Some(first) = here.next().filter(|n| here.all(|m| m == *n)) {
                return put_whole(first, d, to, env.to);
            }
            if !stays(value) {
                let measured = Reason::Measured(what.to_owned());
                return Err((Some(value.to_string()), measured));
            }
            put_whole(value, d, to, env.to)
        })
    }

    fn totals(
        &mut self,
        (from, to): (Int, Int),
        share: Share,
        (but_nothing, what): (bool, &str),
        span: Span,
    ) -> Result<(), Fail> {
        let (env, src) = (self.env, self.src);
        let allocated = self.ctx.allocated();
        let mut at = span.starts(from.size.into());
        self.try_each(span, from.size.into(), to.size.into(), |s, d, _| {
            let own = whole(s, from, env.from);
            let start = at.next().unwrap_or_default();
            let other = |by: i64, int: Int| {
                let other = start.checked_add_signed(by as isize)?;
                let bytes = src.get(other..other + usize::from(int.size))?;
                Some(whole(bytes, int, env.from))
            };
            let (total, more) = match share {
                Share::Whole => (Some(own), true),
                Share::Part(by, int) => (other(by, int).map(|o| o + own), false),
                Share::Rest(by, int) => (other(by, int).map(|o| o + own), true),
            };
            let known = allocated.filter(|(there, _)| Some(i128::from(*there)) == total);
            match known {
                Some((there, here)) if more => {
                    put_whole(own + i128::from(here) - i128::from(there), d, to, env.to)
                }
                Some(_) => put_whole(own, d, to, env.to),
                None if own == 0 && but_nothing => put_whole(own, d, to, env.to),
                None => Err((Some(own.to_string()), Reason::Measured(what.to_owned()))),
            }
        })
    }

    fn floats(&mut self, from: Stored, to: Stored, span: Span) -> Result<(), Fail> {
        let env = self.env;
        let (n, m) = (usize::from(from.size), usize::from(to.size));
        self.try_each(span, n, m, |s, d, _| {
            float::convert(s, from.format, env.from, d, to.format, env.to).map_err(|e| {
                let reason = match e {
                    FloatError::Inexact => Reason::Inexact,
                    FloatError::Invalid => Reason::InvalidFloat,
                };
                (Some(float::text(s, from.format, env.from)), reason)
            })
        })
    }

    /// References of these sizes.
    fn references(
        &mut self,
        what: Reference,
        (from, to): (u8, u8),
        span: Span,
    ) -> Result<(), Fail> {
        let env = self.env;
        self.try_each(span, from.into(), to.into(), |s, d, ctx| {
            let raw = load(s, env.from);
            let shown = || Some(format!("{raw:#x}"));
            if let Reference::Integer(address) = what {
                let new = address.translate(raw, ctx).map_err(|e| (shown(), e))?;
                store(new, d, env.to);
                return Ok(());
            }
            let translated = match (raw, what) {
                (0, _) => Ok(0),
                (_, Reference::Pointer(pointee)) => ctx.pointer(raw, pointee),
                (_, Reference::Function) => ctx.function(raw),
                (_, Reference::Handle(ty)) => ctx.handle(raw, ty),
                (_, Reference::File) => ctx.file(raw),
                (_, Reference::Word) => Ok(ctx.word(raw)),
                // Done above.
                (_, Reference::Integer(_)) => Ok(raw),
            };
            let new = translated.map_err(|e| (shown(), Reason::Unresolved(e)))?;
            if to == 4 && new > u64::from(u32::MAX) {
                return Err((shown(), Reason::Address(new)));
            }
            store(new, d, env.to);
            Ok(())
        })
    }

    /// Unions at an offset of which a tag says what is in use.
    fn choose(
        &mut self,
        tag: &UnionTag,
        union: u64,
        (cases, otherwise): (&[Case], Option<&Vec<Op>>),
        span: Span,
    ) -> Result<(), Fail> {
        for r in 0..span.reps {
            let at = (span.s + r * span.from_stride, span.d + r * span.to_stride);
            let value = self.tag(tag, at.0);
            let own = self.ctx.place(at.0 as u64 + union);
            let is_own = own.is_some_and(|p| i128::from(p) == value);
            let fits = |c: &&Case| {
                let own = is_own && c.tests.contains(&Test::Own);
                own || c.tests.iter().any(|t| t.fits(value, tag.mask))
            };
            // Of what has no address nothing is known.
            let asks = own.is_none() && cases.iter().any(|c| c.tests.contains(&Test::Own));
            let case = cases.iter().find(fits).filter(|_| !asks);
            let Some(ops) = case.map(|c| &c.ops).or(otherwise) else {
                return Err(Fail {
                    offset: at.0 as u64 + tag.at,
                    bit: tag.bits.map(|b| at.0 as u64 * 8 + b.offset),
                    value: Some(value.to_string()),
                    reason: Reason::NoMember,
                });
            };
            self.elements(ops, at, (0, 0), 1)?;
        }
        Ok(())
    }

    /// Unions that stay on their ABI; a note may say which members can be in use.
    fn words(&mut self, of: TypeId, members: &[Vec<Op>], span: Span) -> Result<(), Fail> {
        for r in 0..span.reps {
            let at = (span.s + r * span.from_stride, span.d + r * span.to_stride);
            let noted = self.ctx.in_use(at.0 as u64, of).unwrap_or(u64::MAX);
            for (i, ops) in members.iter().enumerate() {
                if noted >> i.min(63) & 1 != 0 {
                    self.elements(ops, at, (0, 0), 1)?;
                }
            }
        }
        Ok(())
    }

    /// Unions of `to` bytes here of which nothing but perhaps a note says what is in use.
    fn agree(
        &mut self,
        union: &agree::Union,
        to: usize,
        of: TypeId,
        span: Span,
    ) -> Result<(), Fail> {
        let (env, readings) = (self.env, union.readings);
        for r in 0..span.reps {
            let at = (span.s + r * span.from_stride, span.d + r * span.to_stride);
            let target = &mut self.dst[at.1..at.1 + to];
            let noted = self.ctx.in_use(at.0 as u64, of);
            if let Some(only) = noted.and_then(|n| agree::only(n, readings)) {
                let ctx = &mut *self.ctx;
                let other = agree::otherwise(env, self.src, at.0, only, readings, ctx);
                if let Some(other) = other {
                    return Err(agree::doubt(at.0, only, other, union.what));
                }
                one(env, &only.ops, self.src, at.0, target, ctx)?;
                continue;
            }
            let union = agree::Union {
                noted: noted.unwrap_or(u64::MAX),
                ..*union
            };
            agree::run(env, self.src, at.0, target, union, &mut *self.ctx)?;
        }
        Ok(())
    }

    fn tag(&self, tag: &UnionTag, at: usize) -> i128 {
        match tag.bits {
            Some(bits) => {
                let raw = get_bits(&self.src[at..], bits, self.env.from);
                widen(raw, bits.width, tag.int.signed)
            }
            None => {
                let at = at + tag.at as usize;
                let raw = load(&self.src[at..at + usize::from(tag.int.size)], self.env.from);
                widen(raw, u32::from(tag.int.size) * 8, tag.int.signed)
            }
        }
    }

    /// Runs of one unit each go through a loop of fixed width; longer runs through slices.
    fn units<const N: usize>(&mut self, span: Span, f: impl Fn([u8; N]) -> [u8; N] + Copy) {
        if span.n == 1 {
            return self.fixed(span, f);
        }
        self.each(span, span.n * N, span.n * N, |s, d| {
            for (s, d) in s.chunks_exact(N).zip(d.chunks_exact_mut(N)) {
                let mut unit = [0; N];
                unit.copy_from_slice(s);
                d.copy_from_slice(&f(unit));
            }
        });
    }

    fn fixed<const N: usize>(&mut self, span: Span, f: impl Fn([u8; N]) -> [u8; N]) {
        self.each(span, N, N, |s, d| {
            let mut unit = [0; N];
            unit.copy_from_slice(&s[..N]);
            d[..N].copy_from_slice(&f(unit));
        });
    }

    #[inline(always)]
    fn each(&mut self, span: Span, from: usize, to: usize, f: impl Fn(&[u8], &mut [u8])) {
        let (mut s, mut d) = (span.s, span.d);
        for _ in 0..span.reps {
            f(&self.src[s..s + from], &mut self.dst[d..d + to]);
            s += span.from_stride;
            d += span.to_stride;
        }
    }

    /// Unit by unit, with a way to fail.
    #[inline(always)]
    fn try_each(
        &mut self,
        span: Span,
        from: usize,
        to: usize,
        mut f: impl FnMut(&[u8], &mut [u8], &mut dyn Resolver) -> Result<(), (Option<String>, Reason)>,
    ) -> Result<(), Fail> {
        for r in 0..span.reps {
            let (mut s, mut d) = (span.s + r * span.from_stride, span.d + r * span.to_stride);
            for _ in 0..span.n {
                let result = f(
                    &self.src[s..s + from],
                    &mut self.dst[d..d + to],
                    &mut *self.ctx,
                );
                if let Err((value, reason)) = result {
                    return Err(Fail {
                        offset: s as u64,
                        bit: None,
                        value,
                        reason,
                    });
                }
                s += from;
                d += to;
            }
        }
        Ok(())
    }

    fn chars(&mut self, to_signed: bool, span: Span) -> Result<(), Fail> {
        self.try_each(span, 1, 1, |s, d, _| {
            if s[0] >= 0x80 {
                let value = widen(s[0].into(), 8, !to_signed);
                return Err((Some(value.to_string()), Reason::Char { signed: to_signed }));
            }
            d[0] = s[0];
            Ok(())
        })
    }

    fn integers(&mut self, from: Int, to: Int, span: Span) -> Result<(), Fail> {
        let swap = (self.env.from != Endian::HOST, self.env.to != Endian::HOST);
        let widens = (from.size, to.size) == (4, 8) && self.ctx.widens();
        if from.signed == to.signed && !widens {
            // The pairs that occur between ABIs in bulk: `long` and pointers' integers.
            let fits = match (from.size, to.size, from.signed) {
                (4, 8, true) => self.bulk(span, swap, |v: u32| (i64::from(v as i32) as u64, true)),
                (4, 8, false) => self.bulk(span, swap, |v: u32| (u64::from(v), true)),
                (8, 4, true) => self.bulk(span, swap, |v: u64| {
                    (v as u32, i64::from(v as i32) as u64 == v)
                }),
                (8, 4, false) => {
                    self.bulk(span, swap, |v: u64| (v as u32, u64::from(v as u32) == v))
                }
                _ => false,
            };
            if fits {
                return Ok(());
            }
        }
        // Others, and to find the value that does not fit.
        let env = self.env;
        self.try_each(span, from.size.into(), to.size.into(), |s, d, ctx| {
            let raw = load(s, env.from);
            let value = widen(raw, u32::from(from.size) * 8, from.signed);
            if let Some(was) = ctx.widened(raw, from.signed).filter(|_| widens) {
                return Err((Some(value.to_string()), Reason::Widened(was)));
            }
            let raw = narrow(value, u32::from(to.size) * 8, to.signed)?;
            store(raw, d, env.to);
            Ok(())
        })
    }

    /// Converts without looking whether values fit, and says afterwards whether all did.
    #[inline(always)]
    fn bulk<S: Raw, D: Raw>(
        &mut self,
        span: Span,
        swap: (bool, bool),
        f: impl Fn(S) -> (D, bool) + Copy,
    ) -> bool {
        match swap {
            (false, false) => self.bulk_loop(span, f),
            (true, false) => self.bulk_loop(span, move |v: S| f(v.swapped())),
            (false, true) => self.bulk_loop(span, move |v: S| swapped(f(v))),
            (true, true) => self.bulk_loop(span, move |v: S| swapped(f(v.swapped()))),
        }
    }

    #[inline(always)]
    fn bulk_loop<S: Raw, D: Raw>(&mut self, span: Span, f: impl Fn(S) -> (D, bool) + Copy) -> bool {
        let mut fits = true;
        let (mut s, mut d) = (span.s, span.d);
        for _ in 0..span.reps {
            let from = self.src[s..s + span.n * S::SIZE].chunks_exact(S::SIZE);
            let to = self.dst[d..d + span.n * D::SIZE].chunks_exact_mut(D::SIZE);
            for (from, to) in from.zip(to) {
                let (value, ok) = f(S::get(from));
                value.put(to);
                fits &= ok;
            }
            s += span.from_stride;
            d += span.to_stride;
        }
        fits
    }

    fn bits(
        &mut self,
        from: Bits,
        to: Bits,
        signed: bool,
        to_signed: bool,
        span: Span,
    ) -> Result<(), Fail> {
        let env = self.env;
        for r in 0..span.reps {
            let (s, d) = (span.s + r * span.from_stride, span.d + r * span.to_stride);
            let raw = get_bits(&self.src[s..], from, env.from);
            let value = widen(raw, from.width, signed);
            let raw = narrow(value, to.width, to_signed).map_err(|(value, reason)| Fail {
                offset: s as u64 + from.offset / 8,
                bit: Some(s as u64 * 8 + from.offset),
                value,
                reason,
            })?;
            put_bits(&mut self.dst[d..], to, env.to, raw);
        }
        Ok(())
    }
}

fn swapped<D: Raw>((value, ok): (D, bool)) -> (D, bool) {
    (value.swapped(), ok)
}
