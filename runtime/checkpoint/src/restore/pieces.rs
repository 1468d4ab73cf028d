//! Blocks that the program hands out in pieces: each piece is converted by its own type and stays where it is in its block,
//! so that what the program counts in bytes of the block means the same here. What is larger here than its place is refused.

use std::sync::Arc;

use pc3_typemetric::descriptor::{COUNTED, HANDED};
use pc3_typemetric::plan::{Plan, Resolver};
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

use super::convert::{target, HIDDEN};
use super::struct_overlay::Others;
use super::{Name, RankBuilder, RestoreError};
use crate::address_map::address_scan::AddressScan;
use crate::address_map::translate::Translator;
use crate::address_map::Piece;
use pc3_format::pieces::{Extent, PieceMeta};
use pc3_state::pieces::{bytes_around, scalar, Note, Pieces};

impl RankBuilder<'_, '_> {
    /// Gives pieces their places; all objects have theirs.
    pub(super) fn pieces(&mut self) -> Result<(), RestoreError> {
        self.rank.pieces = Pieces::default();
        let mut list = Vec::with_capacity(self.image.pieces.len());
        let source = self.plans.source;
        for p in &self.image.pieces {
            let at = |addr| self.directory.translate(source, addr, TypeId::UNKNOWN);
            let place = self.directory.extent(p.addr).filter(|_| p.room > 0);
            let (Some((start, size)), Ok(here)) = (place, at(p.addr)) else {
                continue;
            };
            let stack = self.rank.shadow.start() as usize..self.rank.shadow.end() as usize;
            let base = match stack.contains(&here) {
                true => stack.start,
                false => match at(start) {
                    Ok(base) => base,
                    Err(_) => continue,
                },
            };
            if p.addr + p.bytes > start + size {
                continue;
            }
            let again = |pieces: &mut Pieces, bytes: u64, ty, link| {
                pieces.restore(base, Note::restored(p, here, bytes, ty, link));
            };
            let Some(ty) = p.ty else {
                again(&mut self.rank.pieces, p.bytes, None, None);
                continue;
            };
            let name = Name::Heap(ty);
            if !self.plans.has_blocks() {
                // Converted as all memory of no type is.
                let link = p.link.and_then(|t| self.plans.find(t).ok());
                let ty = match ty {
                    TypeId::UNKNOWN => ty,
                    ty => self.plans.find(ty).map_or(TypeId::UNKNOWN, |(t, _)| t),
                };
                again(
                    &mut self.rank.pieces,
                    p.bytes,
                    Some(ty),
                    link.map(|(t, _)| t),
                );
                continue;
            }
            if ty == TypeId::UNKNOWN {
                return Err(self.nobody_knows(name, ty, p.addr - start));
            }
            let (to, plan, bytes) = self.fits(p, ty, here)?;
            let link = self.link(p, name)?;
            let to_link = link.as_ref().map(|l| l.0);
            again(&mut self.rank.pieces, bytes, Some(to), to_link);
            list.push(Piece {
                link: link.map(|l| l.1),
                start: p.addr,
                bytes: p.bytes,
                ty,
                target: here,
                plan,
            });
        }
        self.directory.pieces = list;
        Ok(())
    }

    /// A piece's type here, how it is converted, and its size; there is room for it where it is.
    fn fits(
        &mut self,
        p: &PieceMeta,
        ty: TypeId,
        here: usize,
    ) -> Result<(TypeId, Arc<Plan>, u64), RestoreError> {
        let name = Name::Heap(ty);
        let (to, plan) = self.plans.find(ty).map_err(self.types(name))?;
        let bytes = self.size(&plan, p.bytes, name)? as u64;
        if bytes > p.room {
            return Err(self.value(name, &format!(
                "it has {} bytes in the block that it was handed out from (at {}), and would have {bytes} here: there is no room for it; \
                 begin where it is largest, or let it have one size everywhere",
                p.room,
                self.places(HANDED).join(", ")
            )));
        }
        let counted = self.places(COUNTED);
        if let (true, false, Some(place)) =
            (self.directory.foreign(), bytes == p.bytes, counted.first())
        {
            return Err(self.value(name, &format!(
                "it has {} bytes in its block, and would have {bytes} here, where the program goes through such blocks by sizes (at {}): it would \
                 look elsewhere",
                p.bytes,
                place
            )));
        }
        let align = self.align(to);
        if here % align != 0 && self.directory.foreign() {
            return Err(self.value(name, &format!(
                "where it lies in the block that it was handed out from is no multiple of {align} here"
            )));
        }
        Ok((to, plan, bytes))
    }

    /// Of a free piece: the type here of what links it to the next, and how that is converted.
    fn link(
        &mut self,
        p: &PieceMeta,
        name: Name,
    ) -> Result<Option<(TypeId, Arc<Plan>)>, RestoreError> {
        let Some(link) = p.link else { return Ok(None) };
        let (to, plan) = self.plans.find(link).map_err(self.types(name))?;
        let (of, size) = (self.plans.target, self.plans.source.size(link));
        if of.size(to) > p.room || size > p.bytes {
            let why = "it is free, and has no room for the link to the next one";
            return Err(self.value(name, why));
        }
        Ok(Some((to, plan)))
    }

    /// Where the program does something with such blocks.
    pub(super) fn places(&self, what: &str) -> Vec<&str> {
        let all = self.program.untyped.iter();
        all.filter_map(|p| p.strip_suffix(what))
            .map(str::trim)
            .collect()
    }

    /// What objects of a type need here: words may lie anywhere on most architectures, where nothing says otherwise.
    fn align(&self, ty: TypeId) -> usize {
        let align = usize::from(self.plans.target.get(ty).align.max(1));
        let lenient = cfg!(any(
            target_arch = "x86",
            target_arch = "x86_64",
            target_arch = "s390x",
            target_arch = "aarch64",
            target_arch = "riscv64"
        ));
        match lenient && align <= 8 {
            true => 1,
            false => align,
        }
    }

    /// An object with its pieces left out, if it has any, or nobody would know what else is in it.
    pub(super) fn block(
        &self,
        name: Name,
        ty: TypeId,
        start: u64,
        bytes: &[u8],
    ) -> Result<Option<Vec<u8>>, RestoreError> {
        let inside = self.inside(start, bytes.len());
        let whole = ty == TypeId::UNKNOWN && self.plans.has_blocks();
        let heap = matches!(name, Name::Heap(_));
        if inside.is_empty() && !(whole && heap) {
            return Ok(None);
        }
        let strict = match whole {
            true => std::iter::once(0..bytes.len()).collect(),
            false => self.handed_out(ty, start, bytes.len(), inside),
        };
        let mut rest = bytes.to_vec();
        for p in inside {
            let from = (p.addr - start) as usize;
            let free = p.ty.is_some() && (p.link.is_some() || p.extent == Extent::Said);
            // What is known to mean nothing is left out.
            let n = if free && strict.iter().any(|s| s.contains(&from)) {
                p.room
            } else if p.ty.is_some() && self.plans.has_blocks() {
                p.bytes
            } else {
                0
            };
            let to = (from + n as usize).min(rest.len());
            rest[from..to].fill(0);
        }
        for range in strict {
            let from = range.start;
            if let Some(at) = rest[range].iter().position(|b| *b != 0) {
                return Err(self.nobody_knows(name, ty, (from + at) as u64));
            }
        }
        Ok(Some(rest))
    }

    /// Characters of an object from which other things than characters have been handed out: what else there is may be no
    /// characters either.
    fn handed_out(
        &self,
        ty: TypeId,
        start: u64,
        bytes: usize,
        inside: &[PieceMeta],
    ) -> Vec<std::ops::Range<usize>> {
        let types = self.plans.source;
        let mut list: Vec<std::ops::Range<usize>> = Vec::new();
        if !self.plans.has_blocks() {
            return list;
        }
        for p in inside {
            let at = p.addr - start;
            let plain = p.ty.is_none_or(|t| types.get(t).kind == Kind::Char);
            if plain || list.last().is_some_and(|r| r.contains(&(at as usize))) {
                continue;
            }
            let around = bytes_around(types, ty, bytes as u64, at);
            list.extend(around.map(|(from, to)| from as usize..to as usize));
        }
        list
    }

    pub(super) fn fill_pieces(
        &self,
        start: u64,
        bytes: &[u8],
        translator: &mut Translator,
        mut hidden: Option<&mut AddressScan>,
        others: &Others,
    ) -> Result<(), RestoreError> {
        let pieces = &self.directory.pieces;
        let from = pieces.partition_point(|p| p.start < start);
        let end = start + bytes.len() as u64;
        for p in pieces[from..].iter().take_while(|p| p.start < end) {
            let name = Name::Heap(p.ty);
            let at = (p.start - start) as usize;
            let from = &bytes[at..at + p.bytes as usize];
            let size = self.size(&p.plan, p.bytes, name)?;
            // SAFETY: the piece's place in an object that has been made for it.
            let into = unsafe { target(p.target, size) };
            translator.object(p.start);
            if let Some(link) = &p.link {
                // What it was before it was freed may be anything by now.
                let mut rest = from.to_vec();
                rest[..link.src_size() as usize].fill(0);
                let lost = translator.lost();
                if p.plan.run_object(&rest, into, translator).is_err() {
                    into.fill(0);
                }
                translator.forget_lost(lost);
                let from = &from[..link.src_size() as usize];
                // SAFETY: as above; its room has been compared.
                let into = unsafe { target(p.target, link.dst_elem_size() as usize) };
                let done = link.run_object(from, into, translator);
                done.map_err(|e| self.value(name, &e.to_string()))?;
                translator.lost_in(|raw| self.lost(name, p.ty, from, raw));
                continue;
            }
            let done = p.plan.run_object(from, into, translator);
            done.map_err(|e| self.value(name, &e.to_string()))?;
            self.otherwise(others, (name, p.ty, &p.plan), from, into, translator)?;
            if let Some(at) = hidden.as_deref_mut().and_then(|h| h.find(p.ty, from)) {
                return Err(self.hidden(name, &format!("{at}: {HIDDEN}")));
            }
            // What a cell had before it was handed out again may be anything.
            translator.lost_number();
            translator.lost_in(|raw| self.lost(name, p.ty, from, raw));
        }
        Ok(())
    }

    /// Have characters of an object been handed out as something else?  Then there may be addresses among them.
    pub(super) fn deals(&self, start: u64, bytes: usize) -> bool {
        let types = self.plans.source;
        let other = |p: &PieceMeta| p.ty.is_some_and(|t| types.get(t).kind != Kind::Char);
        !self.plans.has_blocks() && self.inside(start, bytes).iter().any(other)
    }

    pub(super) fn inside(&self, start: u64, bytes: usize) -> &[PieceMeta] {
        let list = &self.image.pieces;
        let from = list.partition_point(|p| p.addr < start);
        let to = list.partition_point(|p| p.addr < start + bytes as u64);
        &list[from..to.max(from)]
    }

    /// Which bytes of a block belong to no address: numbers narrower than a pointer, and what pads them, in pieces of known types.
    pub(super) fn no_addresses(&self, start: u64, bytes: usize) -> Vec<bool> {
        let types = self.plans.source;
        let pieces = match self.plans.has_blocks() {
            true => &[],
            false => self.inside(start, bytes),
        };
        let mut none = Vec::new();
        for p in pieces {
            let Some(ty) = p.ty.filter(|t| p.link.is_none() && types.contains(*t)) else {
                continue;
            };
            none.resize(bytes, false);
            let at = (p.addr - start) as usize;
            let own = &mut none[at..(at + p.bytes as usize).min(bytes)];
            let mut one = vec![true; types.size(ty) as usize];
            addresses(types, ty, &mut one);
            let last = types.get(ty).members.last();
            let tail =
                last.filter(|m| types.get(m.ty).kind == Kind::Array && own.len() > one.len());
            match tail {
                // It goes on as it likes.
                Some(m) => one.truncate(m.offset as usize),
                None => one = one.repeat(own.len().div_ceil(one.len().max(1))),
            }
            own.iter_mut().zip(one).for_each(|(to, n)| *to = n);
        }
        none
    }

    /// Numbers of pieces that have been taken for addresses and changed: what lies beside them may be left over.
    pub(super) fn unchanged(
        &self,
        name: Name,
        start: u64,
        from: &[u8],
        into: &[u8],
    ) -> Result<(), RestoreError> {
        const HALF: usize = 4;
        let types = self.plans.source;
        if self.plans.has_blocks() {
            return Ok(());
        }
        for p in self.inside(start, from.len()) {
            let Some(ty) = p.ty.filter(|_| p.link.is_none()) else {
                continue;
            };
            let at = (p.addr - start) as usize;
            let to = (at + p.bytes as usize).min(from.len()).min(into.len());
            let one = types.size(ty).max(1) as usize;
            for word in (at.next_multiple_of(HALF)..to).step_by(HALF) {
                let found = scalar(types, ty, ((word - at) % one) as u64);
                let number = |t| {
                    let kind = types.get(t).kind;
                    let end = (word + types.size(t) as usize).min(to);
                    let same = from[word..end] == into[word..end];
                    !same && !kind.is_reference() && kind != Kind::Char
                };
                if found.is_some_and(number) {
                    return Err(self.value(
                        name,
                        &format!("what lies at its byte {word} is a number by its type, and looks like an address that has moved"),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Something lies in a block of which nobody has told.
    fn nobody_knows(&self, name: Name, ty: TypeId, at: u64) -> RestoreError {
        if ty != TypeId::UNKNOWN {
            return self.value(name, &format!(
                "what lies at its byte {at} was not handed out by a function of the program that pc3cc follows, and may be no \
                 characters, as other pieces of it are none"
            ));
        }
        let unknown = Plan::compile(self.plans.source, ty, self.plans.target, ty);
        match unknown {
            Err(mut list) => {
                // The rest of it may be known.
                if let Some(first) = list.first_mut() {
                    first.reason += &format!("; here those at byte {at}");
                }
                self.types(name)(list)
            }
            Ok(_) => self.value(name, &format!("nobody knows what lies at its byte {at}")),
        }
    }
}

/// Clears the bytes of an object that may belong to an address: what is as wide as one, and what may be any bytes.
fn addresses(types: &TypeTable, ty: TypeId, none: &mut [bool]) {
    let t = types.get(ty);
    let part = |none: &mut [bool], at: u64, of: TypeId| {
        let to = at.saturating_add(types.size(of)).min(none.len() as u64);
        if let Some(part) = none.get_mut(at as usize..to as usize) {
            addresses(types, of, part);
        }
    };
    match t.kind {
        Kind::Array => {
            let (first, step) = (types.size(t.elem), types.size(t.elem) as usize);
            let n = (first as usize).min(none.len());
            part(none, 0, t.elem);
            let (one, rest) = none.split_at_mut(n);
            if step > 0 && n == step {
                rest.chunks_mut(step)
                    .for_each(|c| c.copy_from_slice(&one[..c.len()]));
            }
        }
        Kind::Struct => {
            for m in t.members.iter().filter(|m| m.bits.is_none()) {
                part(none, m.offset, m.ty);
            }
        }
        kind => {
            let wide = t.size >= u64::from(types.abi().pointer.size);
            if wide || matches!(kind, Kind::Union | Kind::Char) || ty == TypeId::UNKNOWN {
                none.fill(false);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pc3_typemetric::abi::Abi;
    use pc3_typemetric::types::{Member, Type};

    #[test]
    fn numbers_and_padding_are_no_addresses() {
        let mut types = TypeTable::new(Abi::host());
        let mut add = |t: Type| types.add(t).expect("a type");
        let flag = add(Type::scalar(Kind::Bool, "_Bool", 1, 1, 0));
        let char = add(Type::scalar(Kind::Char, "char", 1, 1, 0));
        let wide = add(Type::scalar(Kind::UInt, "wide", 8, 8, 0));
        let text = add(Type::array(char, 1, 1, 8));
        let member = |name: &str, ty, offset| Member {
            name: name.into(),
            ty,
            offset,
            bits: None,
            choice: Default::default(),
        };
        let mut s = Type::scalar(Kind::Struct, "s", 32, 8, 0);
        s.members = vec![
            member("on", flag, 0),
            member("n", wide, 8),
            member("text", text, 16),
            member("last", flag, 24),
        ];
        s.count = 4;
        let s = add(s);
        let mut none = vec![true; 32];
        addresses(&types, s, &mut none);
        let expected: Vec<bool> = (0..32).map(|i| !(8..24).contains(&i)).collect();
        assert_eq!(none, expected);
        let two = types.add(Type::array(s, 32, 8, 2)).expect("a type");
        let mut none = vec![true; 64];
        addresses(&types, two, &mut none);
        assert_eq!(none, [expected.clone(), expected].concat());
    }
}
