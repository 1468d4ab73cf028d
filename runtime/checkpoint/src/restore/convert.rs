//! Converts one object, and sees to what its type does not say of it.

use std::borrow::Cow;

use pc3_typemetric::descriptor::{STORED, STORED_IN_TEXT};
use pc3_typemetric::plan::{Plan, Reason};
use pc3_typemetric::types::{Kind, TypeId};

use super::struct_overlay::Others;
use super::{Name, RankBuilder, RestoreError};
use crate::address_map::address_scan::{self, AddressScan};
use crate::address_map::translate::Translator;
use pc3_state::pieces::scalar;

pub(super) const HIDDEN: &str = "is the address of an object, kept as a number: it would lead nowhere here (keep it in a pointer; or, \
    if it is none, such as what lies in memory that the program never gave a value, set PC3_ADDRESSES=ignore)";

const IN_LIBRARY: &str =
    "which has its variables elsewhere now, or is another one here: it would lead nowhere (link \
    the library's own sources, or with -static; or set PC3_ADDRESSES=ignore if it is none)";

const OUTSIDE: &str = "which no checkpoint holds: it would lead nowhere (finish using it before a checkpoint can happen, or \
    link the library's own sources; set PC3_ADDRESSES=ignore if it is not used any more)";

const NO_POINTER: &str = "is a number, and too large for a pointer here (keep it in an integer, or memory that holds several types in a \
    union; or set PC3_ADDRESSES=ignore if it is not used any more)";

/// An object as it was saved, and how it is converted.
pub(super) struct Saved<'s> {
    pub name: Name,
    /// Its type in the checkpoint.
    pub ty: TypeId,
    pub plan: &'s Plan,
    /// Its address in the checkpoint; 0: it has none.
    pub start: u64,
    pub bytes: &'s [u8],
    /// Bytes of unknown type, which may hold pointers.
    pub untyped: bool,
}

/// What answers the questions that come up.
pub(super) struct Answers<'t> {
    pub translator: Translator<'t>,
    /// Finds addresses among numbers of 64 bits, and of 32.
    pub hidden: Option<AddressScan<'t>>,
    pub narrow: Option<AddressScan<'t>>,
    pub others: Others,
}

impl RankBuilder<'_, '_> {
    /// Converts an object into the place made for it.
    pub(super) fn convert(
        &self,
        p: &Saved,
        into: &mut [u8],
        with: &mut Answers,
    ) -> Result<(), RestoreError> {
        let Answers {
            translator,
            hidden,
            narrow,
            others,
        } = with;
        translator.object(p.start);
        let from = &*self.without_handlers(p.start, p.bytes);
        let block = self.block(p.name, p.ty, p.start, from)?;
        let rest = block.as_deref().unwrap_or(from);
        let done = p.plan.run_object(rest, into, translator);
        done.map_err(|e| self.value(p.name, &e.to_string()))?;
        self.otherwise(others, (p.name, p.ty, p.plan), rest, into, translator)?;
        if let Some(why) = self.changed_char(p.name, p.ty, p.bytes) {
            return Err(self.value(p.name, &why));
        }
        let deals = block.is_some() && self.deals(p.start, from.len());
        let stack = match p.name {
            Name::Shadow { .. } | Name::Block | Name::Environment | Name::Live { .. } => true,
            Name::Global(_) | Name::Heap(_) => false,
        };
        let mut look = match hidden {
            Some(h) => Some(h),
            None if stack => narrow.as_mut(),
            None => None,
        };
        if let Some(h) = look.as_mut().filter(|_| !deals) {
            self.among_numbers(p, h, (rest, into), translator)?;
        }
        if p.untyped || deals {
            let none = self.no_addresses(p.start, rest.len());
            let lost = translator.untyped(rest, into, &none);
            self.untyped(p.name, lost)?;
            self.unchanged(p.name, p.start, rest, into)?;
        }
        if block.is_some() {
            self.fill_pieces(p.start, from, translator, hidden.as_mut(), others)?;
        }
        self.outside(p.name, p.ty, p.bytes, translator)?;
        translator.lost_in(|raw| self.lost(p.name, p.ty, p.bytes, raw));
        Ok(())
    }
}

impl RankBuilder<'_, '_> {
    /// An object's bytes without what the frames of handlers, which have returned, left on the stack for signals.
    fn without_handlers<'b>(&self, start: u64, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let end = start.saturating_add(bytes.len() as u64);
        let stack = self.signals.filter(|(at, size)| {
            start > 0 && *at < end && start < at.saturating_add(*size) && *size > 0
        });
        let Some((at, size)) = stack else {
            return Cow::Borrowed(bytes);
        };
        let from = at.max(start) - start;
        let to = at.saturating_add(size).min(end) - start;
        let mut bytes = bytes.to_vec();
        bytes[from as usize..to as usize].fill(0);
        Cow::Owned(bytes)
    }

    /// Addresses in what are numbers by their types.
    fn among_numbers(
        &self,
        p: &Saved,
        hidden: &mut AddressScan,
        (from, into): (&[u8], &mut [u8]),
        translator: &Translator,
    ) -> Result<(), RestoreError> {
        let Some(at) = hidden.find(p.ty, from) else {
            return Ok(());
        };
        let refused = |why| Err(self.hidden(p.name, &format!("{at}: {why}")));
        // What a stack's array has never been given may be anything.
        let given = match p.name {
            Name::Shadow { .. } | Name::Block | Name::Environment => false,
            Name::Live { .. } => !at.contains('['),
            Name::Global(_) | Name::Heap(_) => true,
        };
        let wide = self.plans.source.abi().pointer.size == 8;
        match given {
            true if wide => return refused(HIDDEN),
            // On 32 bits any number may look so.
            true => return Ok(()),
            false => {}
        }
        let source = self.plans.source;
        let one = source.size(p.ty).max(1);
        let kind = |at: &u64| scalar(source, p.ty, at % one).map(|t| source.get(t).kind);
        let is_text = |at: &u64| kind(at) == Some(Kind::Char);
        let is_integer = |at: &u64| kind(at).is_some_and(|k| k.is_integer() && k != Kind::Char);
        let all = hidden.all(p.ty, from);
        if !self.directory.foreign() {
            // What the stack has left over does no harm, and what the program put there by a cast is an address.
            for at in all {
                let word = at as usize..at as usize + size_of::<usize>();
                let raw = address_scan::number(source.abi().endian, &from[word.clone()]);
                if is_integer(&at) && !self.directory.leads_away(raw, address_scan::TAGS) {
                    continue;
                }
                let place = into.get_mut(word);
                if let (Some(here), Some(place)) = (translator.address(raw), place) {
                    place.copy_from_slice(&here.to_ne_bytes());
                }
            }
            return Ok(());
        }
        // What the program puts addresses in has some; other than that the stack has left them over.
        for at in &all {
            // On 32 bits a half of any number of floating point may look so: few look like the very beginning of an object.
            let is_float = |at: u64| kind(&at) == Some(Kind::Float);
            if !wide && (is_float(*at) || at.checked_sub(4).is_some_and(is_float)) {
                let word = &from[*at as usize..*at as usize + 4];
                let raw = address_scan::number(source.abi().endian, word);
                if !self.directory.leads_away(raw, 1) {
                    continue;
                }
            }
            let what = if is_text(at) { STORED_IN_TEXT } else { STORED };
            if let Some(place) = self.places(what).first() {
                return refused(&format!("{HIDDEN}; put there as at {place}"));
            }
        }
        Ok(())
    }

    /// Of bytes of unknown type: what leads into a library's own memory, if anything does.
    fn untyped(&self, name: Name, lost: Option<(usize, &str)>) -> Result<(), RestoreError> {
        match lost.filter(|_| self.look) {
            Some((at, library)) => Err(self.hidden(
                name,
                &format!("at byte {at} is an address in {library}, {IN_LIBRARY}"),
            )),
            None => Ok(()),
        }
    }

    /// Of an object that was converted: a pointer to what only a library has.
    fn outside(
        &self,
        name: Name,
        ty: TypeId,
        bytes: &[u8],
        t: &mut Translator,
    ) -> Result<(), RestoreError> {
        // What a stack's variable has never been given may be anything.
        let given = matches!(name, Name::Global(_) | Name::Heap(_));
        if let Some(raw) = t.lost_number().filter(|_| given && self.look) {
            let member = address_scan::holds(self.plans.source, ty, bytes, raw).unwrap_or_default();
            let glue = if member.is_empty() { "" } else { ": " };
            return Err(self.value(name, &format!("{member}{glue}{raw:#x} {NO_POINTER}")));
        }
        match t.lost_outside().filter(|_| self.look) {
            Some((raw, library)) => {
                let mut error =
                    address_scan::holds(self.plans.source, ty, bytes, raw).unwrap_or_default();
                if !error.is_empty() {
                    error += ": ";
                }
                Err(self.value(name, &format!("{error}a pointer into {library}, {OUTSIDE}")))
            }
            None => Ok(()),
        }
    }

    /// Has every object on its own ABI its old address?
    pub(super) fn is_still(&self) -> bool {
        self.moved.is_none() && !self.displaced && !self.directory.foreign()
    }

    /// Is it a variable of type `char` with a number that is another one here?
    fn changed_char(&self, name: Name, ty: TypeId, bytes: &[u8]) -> Option<String> {
        let (Name::Global(_), [byte]) = (name, bytes) else {
            return None;
        };
        let [from, to] = [self.plans.source, self.plans.target].map(|t| t.abi().char_signed);
        let is_char = self.plans.source.get(ty).kind == Kind::Char;
        if !is_char || from == to || *byte < 0x80 {
            return None;
        }
        let value = match from {
            true => i32::from(*byte as i8),
            false => i32::from(*byte),
        };
        Some(format!("{value} {}", Reason::Char { signed: to }))
    }

    /// What lost a pointer: the object's name, and the member's.
    pub(super) fn lost(&self, name: Name, ty: TypeId, bytes: &[u8], raw: u64) -> String {
        let member = address_scan::holds(self.plans.source, ty, bytes, raw).unwrap_or_default();
        let place = self.place(name).unwrap_or_default();
        self.words(name) + &member + &place
    }
}

/// # Safety
/// `bytes` bytes at `addr` are ours to write while the slice lives.
pub(super) unsafe fn target<'a>(addr: usize, bytes: usize) -> &'a mut [u8] {
    if bytes == 0 {
        return &mut [];
    }
    // SAFETY: by the caller.
    unsafe { std::slice::from_raw_parts_mut(addr as *mut u8, bytes) }
}
