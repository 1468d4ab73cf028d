//! Operations on members in other processes.

use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::datatype::moving::{copy, Buf};
use pc3_vmpi_objects::datatype::saved::written::compact;
use pc3_vmpi_objects::datatype::{Datatype, TypeRef};
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::wire::Writer;

use super::ask::{ask, say, wonders};
use super::{Spot, ACCUMULATE, FLUSH, GET, PUT, SWAP};
use crate::operations::{fits, swappable, units, Combine};
use crate::window::Window;

/// More than this is not on its way to a process: whoever puts more waits for what it has put.
const MOST: usize = 4 << 20;
/// What an operation counts beside its data.
const EACH: usize = 1 << 10;

/// Elements of a member in another process.
pub struct Far {
    process: u32,
    spot: Spot,
}

/// What is under way to each process.
pub type Sent = Vec<(u32, usize)>;

/// The elements that are to come to `like`'s, packed as those are.
///
/// # Safety
/// The buffer is valid for its elements.
unsafe fn packed(from: Buf, like: &Datatype, count: usize, w: &mut Writer) -> Result<()> {
    let at = w.0.len();
    // SAFETY: by the caller; there is room, which is filled.
    unsafe {
        if from.ty.is_packed() == like.is_packed() {
            w.0.reserve(from.bytes());
            let n = from.ty.pack(from.ptr, from.count, w.0.as_mut_ptr().add(at));
            w.0.set_len(at + n);
            return Ok(());
        }
        let flat = compact(&like.signature)?;
        w.0.resize(at + flat.size.saturating_mul(count), 0);
        let ptr = w.0.as_mut_ptr().add(at);
        let ty = &flat;
        let n = copy(from, Buf { ptr, count, ty })?;
        w.0.truncate(at + n);
    }
    Ok(())
}

/// Takes elements that were packed as `like`'s are; would that change anything, if somebody asks?
///
/// # Safety
/// As of [`packed`].
unsafe fn unpacked(bytes: &[u8], like: &Datatype, into: Buf, asks: bool) -> Result<bool> {
    // SAFETY: by the caller.
    unsafe {
        let was = asks.then(|| into.ty.pack_vec(into.ptr, into.count));
        if into.ty.is_packed() == like.is_packed() {
            let (ptr, count) = (into.ptr, into.count);
            into.ty.unpack(bytes.as_ptr(), bytes.len(), ptr, count);
        } else {
            let flat = compact(&like.signature)?;
            let from = Buf {
                ptr: bytes.as_ptr().cast_mut(),
                count: bytes.len() / flat.size.max(1),
                ty: &flat,
            };
            copy(from, into)?;
        }
        Ok(was.is_some_and(|was| was != into.ty.pack_vec(into.ptr, into.count)))
    }
}

impl Window {
    /// Elements at a place that is not here.
    pub fn far(
        &self,
        member: usize,
        process: u32,
        at: *mut u8,
        (count, ty): (usize, &TypeRef),
    ) -> Far {
        let spot = Spot {
            member,
            at: at as usize,
            count,
            checked: !self.is_dynamic(),
            ty: ty.clone(),
        };
        Far { process, spot }
    }

    /// Says what needs no answer, and counts it.
    fn send(&mut self, me: &RankState, process: u32, verb: i32, w: &Writer) -> Result<()> {
        let name = self.shared.name();
        say(me.world(), process, name, (verb, &w.0));
        let bytes = w.0.len() + EACH;
        let sent = match self.sent.iter_mut().find(|s| s.0 == process) {
            Some(s) => {
                s.1 += bytes;
                s.1
            }
            None => {
                self.sent.push((process, bytes));
                bytes
            }
        };
        match sent > MOST {
            true => self.settle(me, Some(process)),
            false => Ok(()),
        }
    }

    /// Returns when what was sent to a process, or to all, has been done there.
    pub fn settle(&mut self, me: &RankState, process: Option<u32>) -> Result<()> {
        if self.sent.is_empty() {
            return Ok(());
        }
        let all = std::mem::take(&mut self.sent);
        let (now, later) = all
            .into_iter()
            .partition(|s| process.is_none_or(|p| p == s.0));
        self.sent = later;
        let now: Sent = now;
        let name = self.shared.name();
        let ask = |s: &(u32, usize)| ask(me, s.0, name, (FLUSH, &[]));
        let questions: Vec<_> = now.iter().map(ask).collect();
        questions
            .into_iter()
            .try_for_each(|q| q.answer(me).map(|_| ()))
    }

    /// # Safety
    /// The buffer is valid for its elements.
    pub unsafe fn put_far(&mut self, me: &RankState, from: Buf, far: &Far) -> Result<()> {
        fits(from.bytes(), far.spot.bytes(), "moved to")?;
        let mut w = Writer::default();
        far.spot.write(&mut w);
        // SAFETY: by the caller.
        unsafe { packed(from, &far.spot.ty, far.spot.count, &mut w)? };
        if far.spot.checked && !wonders(me) {
            return self.send(me, far.process, PUT, &w);
        }
        let name = self.shared.name();
        let changed = ask(me, far.process, name, (PUT, &w.0)).answer(me)?;
        if changed.first() == Some(&1) {
            me.happened();
        }
        Ok(())
    }

    /// # Safety
    /// As of `put_far`.
    pub unsafe fn get_far(&mut self, me: &RankState, into: Buf, far: &Far) -> Result<()> {
        fits(far.spot.bytes(), into.bytes(), "moved to")?;
        let mut w = Writer::default();
        far.spot.write(&mut w);
        let asks = wonders(me);
        let name = self.shared.name();
        let data = ask(me, far.process, name, (GET, &w.0)).answer(me)?;
        // SAFETY: by the caller.
        if unsafe { unpacked(&data, &far.spot.ty, into, asks)? } {
            me.happened();
        }
        Ok(())
    }

    /// Combines the origin's values, if they count, into those there, which `result` gets as they were.
    ///
    /// # Safety
    /// As of `put_far`.
    pub unsafe fn accumulate_far(
        &mut self,
        me: &RankState,
        (from, op): (Option<Buf>, Combine),
        far: &Far,
        result: Option<Buf>,
    ) -> Result<()> {
        let spot = &far.spot;
        if let Some(result) = result {
            fits(spot.bytes(), result.bytes(), "moved to")?;
        }
        let mut w = Writer::default();
        spot.write(&mut w);
        w.u32(op.handle() as u32);
        w.u8(result.is_some().into());
        if let Some(from) = from {
            match op {
                Combine::By(_) if from.bytes() == 0 && spot.bytes() == 0 => {}
                Combine::By(op) => {
                    units(op, from, (spot.count, &spot.ty))?;
                }
                _ => fits(from.bytes(), spot.bytes(), "moved to")?,
            }
            // SAFETY: by the caller.
            unsafe { packed(from, &spot.ty, spot.count, &mut w)? };
        }
        let asks = wonders(me);
        if result.is_none() && from.is_some() {
            me.happened();
        }
        if spot.checked && result.is_none() {
            return self.send(me, far.process, ACCUMULATE, &w);
        }
        let name = self.shared.name();
        let was = ask(me, far.process, name, (ACCUMULATE, &w.0)).answer(me)?;
        if let Some(result) = result {
            // SAFETY: by the caller.
            if unsafe { unpacked(&was, &spot.ty, result, asks)? } {
                me.happened();
            }
        }
        Ok(())
    }

    /// # Safety
    /// One element each.
    pub unsafe fn swap_far(
        &mut self,
        me: &RankState,
        (new, compare, result): (*const u8, *const u8, *mut u8),
        far: &Far,
    ) -> Result<bool> {
        let ty = &far.spot.ty;
        swappable(ty)?;
        let mut w = Writer::default();
        far.spot.write(&mut w);
        // SAFETY: by the caller.
        unsafe {
            for value in [compare, new] {
                w.0.extend_from_slice(std::slice::from_raw_parts(value, ty.size));
            }
        }
        let name = self.shared.name();
        let answer = ask(me, far.process, name, (SWAP, &w.0)).answer(me)?;
        let Some((swapped, was)) = answer.split_first().filter(|a| a.1.len() == ty.size) else {
            return fail(Class::ERR_INTERN, "an answer that makes no sense");
        };
        // SAFETY: by the caller.
        unsafe { std::ptr::copy_nonoverlapping(was.as_ptr(), result, ty.size) };
        Ok(*swapped != 0)
    }
}
