//! What one process sends another of a collective: its members' calls.

use super::kept::Keep;
use super::zero_copy::RemoteProcess;
use crate::meeting::all::All;
use crate::meeting::call::Call;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

/// What one process sends another: whether it lends something (1), the kinds of its members' calls, and, if they are alike, the calls.
pub(crate) fn write_part<C: Call>(all: &All<C>, from: &[usize], to: &RemoteProcess) -> Vec<u8> {
    // Most calls are short.
    let mut w = Writer(Vec::with_capacity(128));
    w.u8(0);
    let kinds: Vec<u32> = from.iter().map(|&i| all.kind(i) as u32).collect();
    kinds.iter().for_each(|k| w.u32(*k));
    if kinds.iter().all(|k| *k == kinds[0]) {
        from.iter().for_each(|&i| all.get(i).export(i, to, &mut w));
    }
    w.0[0] = to.has_lent().into();
    w.0
}

/// Is there something in it that is to be read where it lies?
pub(crate) fn has_lent(part: &[u8]) -> bool {
    part.first() == Some(&1)
}

/// Seats the calls of another process; `here`: the members of this one, of whom `me` is one.
pub(crate) fn read_part<C: Call>(
    all: &All<C>,
    from: &[usize],
    here: &[usize],
    me: usize,
    bytes: &[u8],
    keep: &mut Keep<C>,
) -> Result<()> {
    let mut go = || -> Read<()> {
        let mut r = Reader(bytes);
        r.u8()?;
        let mine = all.kind(me);
        let mut alike = here.iter().all(|&i| all.kind(i) == mine);
        for &i in from {
            let kind = r.u32()?;
            if kind != mine as u32 {
                alike = false;
            }
            if !all.set_kind(i, kind) {
                return bad("a collective that does not exist");
            }
        }
        if !alike {
            return Ok(());
        }
        for &i in from {
            let call = C::import(&mut r, i, here, all.get(me), keep)?;
            let call = Box::new(call);
            all.seat(i, &call);
            keep.calls.push(call);
        }
        Ok(())
    };
    go().or_else(|e| fail(Class::ERR_INTERN, e.to_string()))
}
