//! Calls that go along the tree as they are: up once, and down to whom they are for.
//!
//! A body is a list of parts, `from:u32 to:u32 part`.  A part for all stands for those that the list does not have for a process.

use super::few::Addressed;
use super::members::Members;
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

/// By the processes that they come from.
pub type Parts = Vec<(u32, Box<[u8]>)>;

const ALL: u32 = u32::MAX;

/// More bytes of a process's calls go straight to whom they are for, or are read where they lie.
pub(crate) const LONG: usize = 8 << 10;

/// What members here have for the others.
pub(crate) fn write(
    (remote, own): (&Members, u32),
    (addressed, process_of): (Addressed, impl Fn(usize) -> u32),
    part_for: impl Fn(&[usize]) -> Vec<u8>,
) -> Vec<u8> {
    let one = match addressed {
        Addressed::One(member) => Some(process_of(member)),
        _ => None,
    };
    let apart = |p: &u32| addressed == Addressed::Each || one == Some(*p);
    let mut w = Writer::default();
    let mut part = |to: u32, members: &[usize]| {
        w.u32(own);
        w.u32(to);
        w.bytes(&part_for(members));
    };
    if let Some(other) = remote.others.iter().find(|p| !apart(p)) {
        part(ALL, remote.at(*other));
    }
    for process in remote.others.iter().filter(|p| apart(p)) {
        part(*process, remote.at(*process));
    }
    w.0
}

fn each<'a>(body: &'a [u8], mut f: impl FnMut(u32, u32, &'a [u8])) -> Read<()> {
    let mut r = Reader(body);
    while !r.0.is_empty() {
        f(r.u32()?, r.u32()?, r.bytes()?);
    }
    Ok(())
}

/// What of it is for processes of which `leads` is true.
pub fn passed(body: &[u8], leads: impl Fn(u32) -> bool) -> Read<Vec<u8>> {
    let mut w = Writer::default();
    each(body, |from, to, part| {
        if to == ALL || leads(to) {
            w.u32(from);
            w.u32(to);
            w.bytes(part);
        }
    })?;
    Ok(w.0)
}

/// What each other process has for this one.
pub fn parts(body: &[u8], remote: &Members, own: u32) -> Read<Parts> {
    let mut found: Parts = Vec::with_capacity(remote.others.len());
    each(body, |from, to, part| {
        if from != own && (to == own || to == ALL) {
            found.push((from, part.into()));
        }
    })?;
    // A process's part for all comes before its others.
    found.sort_by_key(|p| p.0);
    found.reverse();
    found.dedup_by_key(|p| p.0);
    let whole = found
        .iter()
        .rev()
        .map(|p| p.0)
        .eq(remote.others.iter().copied());
    match whole {
        true => Ok(found),
        false => bad("a process's part of a collective"),
    }
}
