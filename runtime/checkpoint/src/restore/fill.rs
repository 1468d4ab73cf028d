//! Converts what was saved into the places made for it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::c_void;

use pc3_typemetric::descriptor::{STORED, STORED_IN_TEXT};
use pc3_typemetric::plan::Reason;
use pc3_typemetric::types::{Kind, TypeId};

use super::also::Others;
use super::place::other_size;
use super::{Name, Pending, RankBuilder, RestoreError};
use crate::objects::address_scan::{self, AddressScan};
use crate::objects::out_of_bounds;
use crate::objects::translate::Translator;
use crate::objects::type_matching::Plans;
use crate::objects::Directory;
use crate::process::gather::{exits, process_here};
use pc3_control::report::say;
use pc3_format::read::RankImage;
use pc3_process::variables;
use pc3_state::first_numbers::FirstNumbers;
use pc3_state::floats;
use pc3_state::pieces::scalar;
use pc3_state::rank::{Rank, Status};
use pc3_state::stack::callbacks::Callback;

pub(super) const HIDDEN: &str = "is the address of an object, kept as a number: it would lead nowhere here (keep it in a pointer; or, \
    if it is none, such as what lies in memory that the program never gave a value, set PC3_ADDRESSES=ignore)";

const IN_LIBRARY: &str =
    "which has its variables elsewhere now, or is another one here: it would lead nowhere (link \
    the library's own sources, or with -static; or set PC3_ADDRESSES=ignore if it is none)";

const OUTSIDE: &str = "which no checkpoint holds: it would lead nowhere (finish using it before a checkpoint can happen, or \
    link the library's own sources; set PC3_ADDRESSES=ignore if it is not used any more)";

const NO_POINTER: &str = "is a number, and too large for a pointer here (keep it in an integer, or memory that holds several types in a \
    union; or set PC3_ADDRESSES=ignore if it is not used any more)";

impl RankBuilder<'_, '_> {
    pub(super) fn finish(mut self) -> Result<Directory, RestoreError> {
        let id = self.rank.id();
        let other = |message: String| RestoreError::Other { rank: id, message };
        self.directory
            .seal()
            .map_err(|(a, b)| other(format!("objects at {a:#x} and {b:#x} overlap")))?;
        self.pieces()?;
        let others = match self.is_still() {
            true => Others::default(),
            false => Others::new(&self.program.also, self.plans),
        };
        let mut streams = HashMap::new();
        let (image, source, directory) = (self.image, self.plans.source, &self.directory);
        let owner = self.rank.owner();
        self.rank
            .files
            .reopen(
                owner,
                &image.meta.files,
                &image.meta.library,
                &|span| image.bytes(span),
                &|addr| directory.translate(source, addr, TypeId::UNKNOWN).ok(),
                |saved, here| _ = streams.insert(saved, here),
            )
            .map_err(other)?;
        let beside =
            out_of_bounds::load(&image.meta.beside, source, directory, &mut self.rank.beside);
        let mut translator = Translator::new(
            self.plans.source,
            &self.directory,
            streams,
            &self.program.marks,
        )
        .wide(&self.program.wide)
        .numbers(!self.program.numbers.is_empty())
        .beside(beside)
        .still(self.is_still())
        .ranks(self.program.calls_mpi)
        .unions(&image.unions);
        let mut hidden = AddressScan::new(self.plans.source, &self.directory)
            .filter(|_| self.look)
            .map(|h| h.anywhere(self.program.pieces));
        let mut narrow =
            AddressScan::narrow(self.plans.source, &self.directory).filter(|_| self.look);
        for p in &self.pending {
            // SAFETY: a place made for this object, which nobody else uses now.
            let into = unsafe { target(p.target, p.bytes) };
            translator.object(p.start);
            let from = &*self.without_handlers(p.start, self.image.bytes(p.span));
            let block = self.block(p.name, p.ty, p.start, from)?;
            let rest = block.as_deref().unwrap_or(from);
            let done = p.plan.run_object(rest, into, &mut translator);
            done.map_err(|e| self.value(p.name, &e.to_string()))?;
            self.otherwise(
                &others,
                (p.name, p.ty, &p.plan),
                rest,
                into,
                &mut translator,
            )?;
            if let Some(why) = self.changed_char(p.name, p.ty, self.image.bytes(p.span)) {
                return Err(self.value(p.name, &why));
            }
            let deals = block.is_some() && self.deals(p.start, from.len());
            let stack = match p.name {
                Name::Shadow { .. } | Name::Block | Name::Environment | Name::Live { .. } => true,
                Name::Global(_) | Name::Heap(_) => false,
            };
            let mut look = match &mut hidden {
                None if stack => narrow.as_mut(),
                look => look.as_mut(),
            };
            if let Some(h) = look.as_mut().filter(|_| !deals) {
                self.among_numbers(p, h, (rest, into), &translator)?;
            }
            if p.untyped || deals {
                let none = self.no_addresses(p.start, rest.len());
                let lost = translator.untyped(rest, into, &none);
                self.untyped(p.name, lost)?;
                self.unchanged(p.name, p.start, rest, into)?;
            }
            if block.is_some() {
                self.fill_pieces(p.start, from, &mut translator, hidden.as_mut(), &others)?;
            }
            self.outside(p.name, p.ty, self.image.bytes(p.span), &mut translator)?;
            translator.lost_in(|raw| self.lost(p.name, p.ty, self.image.bytes(p.span), raw));
        }
        for (name, bytes, at, room) in &self.longer {
            let (own, rest) = bytes.split_at(*room);
            if rest.iter().any(|b| *b != 0) {
                return Err(self.value(*name, &other_size(bytes.len(), *room)));
            }
            // SAFETY: the variable.
            unsafe { target(*at, *room) }.copy_from_slice(own);
        }
        for (s, place) in self.image.meta.slabs.iter().zip(&self.directory.slabs) {
            let data = self.image.bytes(s.data);
            for (k, ((to, slot), number)) in place
                .targets()
                .iter()
                .zip(data.chunks_exact(s.slot as usize))
                .zip(s.slots())
                .enumerate()
            {
                let Some((size, ty)) = s.object(k) else { break };
                let plan = place.plan(k);
                let name = Name::Heap(ty);
                let bytes = plan
                    .dst_size(size)
                    .map_err(|e| self.value(name, &e.to_string()))?
                    as usize;
                // SAFETY: as above.
                let into = unsafe { target(*to, bytes) };
                let start = s.base + number * s.slot;
                translator.object(start);
                let from = &*self.without_handlers(start, &slot[..size as usize]);
                let block = self.block(name, ty, start, from)?;
                let rest = block.as_deref().unwrap_or(from);
                let done = plan.run_object(rest, into, &mut translator);
                done.map_err(|e| self.value(name, &e.to_string()))?;
                self.otherwise(&others, (name, ty, plan), rest, into, &mut translator)?;
                let deals = block.is_some() && self.deals(start, from.len());
                let look = hidden.as_mut().filter(|_| !deals);
                if let Some(at) = look.and_then(|h| h.find(ty, rest)) {
                    return Err(self.hidden(name, &format!("{at}: {HIDDEN}")));
                }
                if ty == TypeId::UNKNOWN || deals {
                    let none = self.no_addresses(start, rest.len());
                    let lost = translator.untyped(rest, into, &none);
                    self.untyped(name, lost)?;
                    self.unchanged(name, start, rest, into)?;
                }
                if block.is_some() {
                    self.fill_pieces(start, from, &mut translator, hidden.as_mut(), &others)?;
                }
                self.outside(name, ty, &slot[..size as usize], &mut translator)?;
                translator.lost_in(|raw| self.lost(name, ty, &slot[..size as usize], raw));
            }
        }
        for report in translator
            .report()
            .into_iter()
            .chain(translator.ambiguous())
        {
            say(&format!("rank {id}: {report}"));
        }
        unions_again(self.rank, image, self.plans, &self.directory);
        let (before, numbers) = (&image.meta.first_numbers, &image.meta.numbers);
        if !before.0.is_empty() || !numbers.is_empty() {
            let [from, to] = [source, self.plans.target].map(|t| t.abi().pointer.size);
            self.rank.first_numbers =
                FirstNumbers::of(|f| self.directory.each(f), before, from != to);
        }
        for c in &self.image.meta.callbacks {
            let function = translator.address(c.function);
            let function = function.ok_or_else(|| {
                other("a callback of pc3_on is not a function of this program".to_owned())
            })?;
            self.rank.callbacks.push(Callback {
                events: c.events as i32,
                // SAFETY: the function that was registered, by name.
                function: unsafe {
                    std::mem::transmute::<usize, unsafe extern "C" fn(i32, *mut c_void)>(function)
                },
                context: translator.address(c.context).unwrap_or(0) as *mut c_void,
            });
        }
        self.rank.exits = exits(&mut translator, &image.meta.library.exits).map_err(other)?;
        if let Some(process) = &image.meta.library.process {
            let (process, own) = process_here(&mut translator, process).map_err(other)?;
            self.rank.process = Some(process);
            self.rank.own_environment = own;
        }
        let wanted = image.meta.wanted.map(|ty| self.plans.find(ty));
        if let Some(Ok((ty, plan))) = wanted {
            let ty = self.program.descriptors.get(&ty).copied();
            self.rank.wanted.ty = ty.unwrap_or(std::ptr::null_mut());
            self.rank.wanted_plan = self.directory.foreign().then_some(plan);
            self.rank.abi.site = &raw mut *self.rank.wanted;
        }
        let saved = &self.image.meta.variables;
        let here = variables::here(saved, |at| match at {
            0 => Some(0),
            at => translator.stream(at).or_else(|| translator.address(at)),
        });
        self.rank.variables = here.map_err(other)?;
        self.rank.jumps.last = self.image.meta.jumps;
        self.rank.errno = self.image.meta.errno;
        self.rank.floats = floats::here(&self.image.meta.floats).map_err(other)?;
        self.rank.passages = self.image.meta.passages;
        self.rank.abi.passages = self.image.meta.passages as u32;
        self.rank.restarted = image.birth.is_none();
        self.rank.status = self
            .image
            .meta
            .finished
            .map_or(Status::Unwound, Status::Finished);
        if let Some(arguments) = &image.birth {
            self.rank.arguments = Some(arguments.clone());
            self.rank.status = Status::Running;
        }
        if self.image.meta.finished.is_some() && self.image.meta.globals.is_empty() {
            self.rank.retire();
        }
        Ok(self.directory)
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
        p: &Pending,
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
    fn is_still(&self) -> bool {
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

/// What was noted of unions holds here, too.
fn unions_again(rank: &mut Rank, image: &RankImage, plans: &Plans, directory: &Directory) {
    let job = rank.job().clone();
    let initial = job.program.unions.iter();
    let delta = rank.delta();
    let initial = initial.map(|(at, _, bytes, _)| (at.wrapping_add_signed(delta), *bytes));
    let unions = &mut rank.unions;
    unions.restart(initial);
    if image.unions.is_empty() {
        return;
    }
    let counterparts = plans.unions();
    for u in &image.unions {
        let here = directory.translate(plans.source, u.addr, TypeId::UNKNOWN);
        if let (Some(to), Ok(here)) = (counterparts.get(&u.ty), here) {
            // SAFETY: an object of the rank, which has been filled.
            unsafe { unions.again(here, to.0, u.last, u.held) };
        }
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
