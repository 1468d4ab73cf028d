//! What members in other processes do to those here.

use pc3_runtime::report::{die, EXIT_FATAL};
use pc3_vmpi_core::above::Letter;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::datatype::basic::Basic;
use pc3_vmpi_objects::datatype::moving::Buf;
use pc3_vmpi_objects::datatype::{of_basic, Datatype, TypeRef};
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::wire::{bad, Read, Reader};

use super::ask::ANSWER;
use super::ask::{answered, reply, senseless};
use super::{read_wish, Spot};
use super::{ACCUMULATE, COMPLETE, FLUSH, GET, LOCK, POST, PUT, SWAP, UNLOCK};
use crate::name::Name;
use crate::operations::{self, accumulate, compare_and_swap, transfer, unit, Combine};
use crate::registry::Windows;
use crate::shared::{Member, Shared};
use crate::window::unattached;

/// A process says something.
pub fn hear(world: &World, peer: u32, letter: &Letter) {
    if letter.verb == ANSWER {
        return answered(world, letter.token, letter.bytes);
    }
    let Some(shared) = world.part::<Windows>().find(letter.window) else {
        die(
            EXIT_FATAL,
            "internal error: another process names a window that is not here",
        )
    };
    let here = Here {
        world,
        shared: &shared,
        name: letter.window,
        from: (peer, letter.token),
    };
    let mut r = Reader(letter.bytes);
    let done = match letter.verb {
        LOCK => here.lock(&mut r, letter.quiet),
        POST | COMPLETE => here.signal(letter.verb == POST, &mut r).map(|()| None),
        // Everything in front of it has been done.
        FLUSH => Ok(Some(Ok(Vec::new()))),
        UNLOCK => here.unlock(&mut r).map(|()| Some(Ok(Vec::new()))),
        verb => here.operate(verb, &mut r).map(Some),
    };
    match done {
        Ok(Some(answer)) if letter.token != 0 => {
            reply(world, letter.window, here.from, letter.quiet, Some(answer));
        }
        Ok(Some(Err(e))) => senseless(&e),
        Ok(_) => {}
        Err(e) => die(EXIT_FATAL, &format!("internal error: {e}")),
    }
}

struct Here<'a> {
    world: &'a World,
    shared: &'a Shared,
    name: Name,
    /// Process, and whoever waits there.
    from: (u32, u64),
}

/// A type of packed elements as they travel.
fn raw(like: &Datatype) -> TypeRef {
    of_basic(match like.is_packed() {
        true => Basic::Packed,
        false => Basic::Byte,
    })
}

impl Here<'_> {
    fn member(&self, i: usize) -> Read<&Member> {
        match self.shared.members().get(i) {
            Some(m) if m.elsewhere().is_none() => Ok(m),
            _ => bad("a member of a window that is not here"),
        }
    }

    /// `None`: others come first.
    fn lock(&self, r: &mut Reader, quiet: bool) -> Read<Option<Result<Vec<u8>>>> {
        let wish = read_wish(r, self.from)?;
        if let Some(target) = wish.target {
            self.member(target)?;
        }
        let mut locks = self.shared.locks();
        if locks.ask(wish) {
            return Ok(Some(Ok(Vec::new())));
        }
        // Who is not blocked has to be told, in front of the grant: that comes from whoever has the locks next.
        if quiet {
            reply(self.world, self.name, self.from, quiet, None);
        }
        Ok(None)
    }

    fn unlock(&self, r: &mut Reader) -> Read<()> {
        let wish = read_wish(r, self.from)?;
        if let Some(target) = wish.target {
            self.member(target)?;
        }
        let granted = self.shared.locks().release(&wish);
        self.shared.grant(self.world, self.name, granted, None);
        Ok(())
    }

    fn signal(&self, posts: bool, r: &mut Reader) -> Read<()> {
        let (to, by) = (r.u32()? as usize, r.u32()?);
        let member = self.member(to)?;
        match posts {
            true => member.signals().posted(by),
            false => member.signals().completed += 1,
        }
        self.shared.wake(self.world, to, None);
        Ok(())
    }

    fn operate(&self, verb: i32, r: &mut Reader) -> Read<Result<Vec<u8>>> {
        let spot = Spot::read(r)?;
        let member = self.member(spot.member)?;
        if !spot.checked {
            let (from, to) = spot.ty.span(spot.count);
            let at = |by| spot.at.wrapping_add_signed(by);
            if from != to && !member.has_attached(at(from), at(to)) {
                let why = unattached(spot.member, spot.at as isize, (from, to));
                return Ok(fail(Class::ERR_RMA_RANGE, why));
            }
        }
        let there = Buf {
            ptr: spot.at as *mut u8,
            count: spot.count,
            ty: &spot.ty,
        };
        let raw = raw(&spot.ty);
        // SAFETY: in the member's part, as was checked here or by who asks.
        unsafe {
            match verb {
                PUT => Ok(self.put(stream(r.0, &raw), there)),
                GET => Ok(fetched(there, &raw, |into| transfer(there, into))),
                ACCUMULATE => self.accumulate(member, there, &raw, r),
                SWAP => swap(member, there, r),
                _ => bad("an unknown operation on a window"),
            }
        }
    }

    unsafe fn put(&self, from: Buf, there: Buf) -> Result<Vec<u8>> {
        // SAFETY: by the caller.
        unsafe {
            let changes = self.from.1 != 0 && operations::differ(from, there);
            transfer(from, there)?;
            Ok(vec![changes.into()])
        }
    }

    unsafe fn accumulate(
        &self,
        member: &Member,
        there: Buf,
        raw: &Datatype,
        r: &mut Reader,
    ) -> Read<Result<Vec<u8>>> {
        let (op, fetches) = (r.u32()?, r.u8()? != 0);
        let Ok(op) = Combine::of(op as usize) else {
            return bad("an unknown operation");
        };
        let data = r.0;
        let (mut values, mut from) = (Vec::new(), stream(data, raw));
        if let (Combine::By(_), Some(unit)) = (op, unit(there.ty)) {
            let n = data.len() / unit.size.max(1);
            values.resize(n * unit.extent as usize, 0);
            // SAFETY: as many as there are.
            unsafe { unit.unpack(data.as_ptr(), data.len(), values.as_mut_ptr(), n) };
            from = Buf {
                ptr: values.as_mut_ptr(),
                count: n,
                ty: unit,
            };
        }
        // SAFETY: by the caller.
        Ok(unsafe {
            match fetches {
                true => fetched(there, raw, |was| {
                    accumulate(member, (from, op), there, Some(was))
                }),
                false => accumulate(member, (from, op), there, None).map(|()| Vec::new()),
            }
        })
    }
}

/// Elements as they travel.
fn stream<'a>(bytes: &[u8], raw: &'a Datatype) -> Buf<'a> {
    Buf {
        ptr: bytes.as_ptr().cast_mut(),
        count: bytes.len(),
        ty: raw,
    }
}

/// What `f` gets from there, as it travels.
fn fetched(there: Buf, raw: &Datatype, f: impl FnOnce(Buf) -> Result<()>) -> Result<Vec<u8>> {
    let mut bytes = vec![0; there.bytes()];
    f(Buf {
        ptr: bytes.as_mut_ptr(),
        count: bytes.len(),
        ty: raw,
    })?;
    Ok(bytes)
}

unsafe fn swap(member: &Member, there: Buf, r: &mut Reader) -> Read<Result<Vec<u8>>> {
    let n = there.ty.size;
    let compare = r.next(n as u64)?;
    let new = r.next(n as u64)?;
    let mut answer = vec![0; n + 1];
    let values = (new.as_ptr(), compare.as_ptr(), answer[1..].as_mut_ptr());
    // SAFETY: by the caller; one element each.
    let swapped = unsafe { compare_and_swap(member, values, there.ptr, there.ty) };
    Ok(swapped.map(|swapped| {
        answer[0] = swapped.into();
        answer
    }))
}
