//! Converts what was saved into the places made for it.

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;

use pc3_typemetric::plan::has_totals;
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

use super::convert::{target, Answers, Saved};
use super::differs::OF_TAGS;
use super::place::other_size;
use super::struct_overlay::Others;
use super::{Name, RankBuilder, RestoreError};
use crate::address_map::address_scan::{number, AddressScan};
use crate::address_map::out_of_bounds;
use crate::address_map::translate::Translator;
use crate::address_map::type_matching::Plans;
use crate::address_map::Directory;
use crate::process::gather::{exits, process_here};
use pc3_control::report::say;
use pc3_format::meta::SlabMeta;
use pc3_format::read::RankImage;
use pc3_process::variables;
use pc3_state::first_numbers::FirstNumbers;
use pc3_state::floats;
use pc3_state::rank::{Rank, Status};
use pc3_state::stack::callbacks::Callback;

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
        let (image, source) = (self.image, self.plans.source);
        let streams = reopen(self.rank, image, source, &self.directory).map_err(other)?;
        let beside = &mut self.rank.beside;
        let beside = out_of_bounds::load(&image.meta.beside, source, &self.directory, beside);
        let tags = !self.rank.orders.iter().any(|o| o.1 == OF_TAGS);
        let translator = Translator::new(source, &self.directory, streams, &self.program.marks)
            .wide(&self.program.wide)
            .numbers(!self.program.numbers.is_empty())
            .with_out_of_bounds(beside)
            .still(self.is_still())
            .ranks(self.program.calls_mpi)
            .tags(tags)
            .allocated(self.allocated_bytes())
            .follow(has_first_numbers(image))
            .unions(&image.unions);
        let hidden = AddressScan::new(source, &self.directory).filter(|_| self.look);
        let mut with = Answers {
            translator,
            hidden: hidden.map(|h| h.anywhere(self.program.pieces)),
            narrow: AddressScan::narrow(source, &self.directory).filter(|_| self.look),
            others,
        };
        self.objects(&mut with)?;
        let Answers { mut translator, .. } = with;
        let reports = translator.report().into_iter();
        for report in reports.chain(translator.ambiguous()) {
            say(&format!("rank {id}: {report}"));
        }
        unions_again(self.rank, image, self.plans, &self.directory);
        let pointers = translator.followed();
        first_numbers(self.rank, image, self.plans, &self.directory, &pointers);
        registered(self.rank, image, &mut translator).map_err(other)?;
        let wanted = image.meta.wanted.map(|ty| self.plans.find(ty));
        if let Some(Ok((ty, plan))) = wanted {
            let ty = self.program.descriptors.get(&ty).copied();
            self.rank.wanted.ty = ty.unwrap_or(std::ptr::null_mut());
            self.rank.wanted_plan = self.directory.foreign().then_some(plan);
            self.rank.abi.site = &raw mut *self.rank.wanted;
        }
        stands(self.rank, image).map_err(other)?;
        Ok(self.directory)
    }

    /// What the program has allocated of its heap, in the checkpoint and here.
    fn allocated_bytes(&self) -> Option<(u64, u64)> {
        if !has_totals(self.plans.target) {
            return None;
        }
        let large = self.pending.iter();
        let large = large.filter(|p| matches!(p.name, Name::Heap(_)));
        let large = large.map(|p| {
            let here = self
                .is_certain(p.ty, p.span.bytes)
                .then_some(p.bytes as u64)?;
            Some((p.span.bytes, here))
        });
        let slabs = self.image.meta.slabs.iter().zip(&self.directory.slabs);
        let slots = slabs.flat_map(|(s, place)| {
            (0..place.targets().len()).map(move |k| {
                let (size, _) = s.object(k).filter(|o| self.is_certain(o.1, o.0))?;
                Some((size, place.plan(k).dst_size(size).ok()?))
            })
        });
        let add = |sum: (u64, u64), n: Option<(u64, u64)>| {
            let (there, here) = n?;
            Some((sum.0.checked_add(there)?, sum.1.checked_add(here)?))
        };
        let (there, here) = large.chain(slots).try_fold((0, 0), add)?;
        let [from, to] = [self.plans.source, self.plans.target].map(|t| t.abi().pointer.size);
        let (pointers, text) = self.arguments(from.into())?;
        let own = |size: u8| pointers * u64::from(size) + text;
        Some((there.checked_sub(own(from))?, here.checked_sub(own(to))?))
    }

    /// Does an object have as many bytes as the program has asked for, there and here? Of a struct with a longer array at its end
    /// that may be counted from the array or from the struct's end, so that there is room for either.
    fn is_certain(&self, ty: TypeId, bytes: u64) -> bool {
        let types = self.plans.source;
        let mut last = ty;
        while let Some(m) = types.get(last).members.last() {
            last = m.ty;
        }
        let ends_open = last != ty && types.get(last).kind == Kind::Array;
        let whole = bytes.checked_rem(types.size(ty)) == Some(0);
        whole && !ends_open
    }

    /// What the runtime itself has put on the heap, main's arguments: how many pointers, and the bytes of the text they lead to.
    fn arguments(&self, pointer: u64) -> Option<(u64, u64)> {
        let list = &self.checkpoint.job.arguments;
        let pointers = list.len() as u64 + 2;
        let endian = self.plans.source.abi().endian;
        let text = |bytes: &[u8]| {
            let words = bytes.chunks_exact(pointer as usize);
            let words: Vec<u64> = words.map(|w| number(endian, w)).collect();
            let (end, words) = words.split_last().filter(|(end, _)| **end == 0)?;
            let (start, size) = self
                .directory
                .extent(words[0])
                .filter(|e| e.0 == words[0])?;
            // All but the program's name are known.
            let behind = words[1..].iter().copied().chain([start + size]);
            let ends = words[1..]
                .iter()
                .zip(list)
                .map(|(at, a)| at + a.len() as u64 + 1);
            let follow = behind.skip(1).eq(ends) && *end == 0;
            follow.then_some(size)
        };
        let types = self.plans.source;
        let strings = |ty: TypeId| {
            let t = types.get(ty);
            t.kind == Kind::Pointer && types.get(t.elem).kind == Kind::Char
        };
        let large = self.pending.iter();
        let large = large.filter(|p| matches!(p.name, Name::Heap(ty) if strings(ty)));
        let large = large.map(|p| self.image.bytes(p.span));
        let room = |s: &&SlabMeta| s.slot >= pointers * pointer;
        let slabs = self.image.meta.slabs.iter().filter(room);
        let slots = slabs.flat_map(|s| {
            let data = self.image.bytes(s.data).chunks_exact(s.slot as usize);
            data.enumerate().filter_map(move |(k, slot)| {
                let (size, ty) = s.object(k)?;
                slot.get(..size as usize).filter(|_| strings(ty))
            })
        });
        // They have been there since the start.
        let mut fitting = large
            .chain(slots)
            .filter(|b| b.len() as u64 == pointers * pointer);
        Some((pointers, fitting.find_map(text)?))
    }

    /// All of them.
    fn objects(&self, with: &mut Answers) -> Result<(), RestoreError> {
        for p in &self.pending {
            // SAFETY: a place made for this object, which nobody else uses now.
            let into = unsafe { target(p.target, p.bytes) };
            let saved = Saved {
                name: p.name,
                ty: p.ty,
                plan: &p.plan,
                start: p.start,
                bytes: self.image.bytes(p.span),
                untyped: p.untyped,
            };
            self.convert(&saved, into, with)?;
        }
        for (name, bytes, at, room) in &self.longer {
            let (own, rest) = bytes.split_at(*room);
            if rest.iter().any(|b| *b != 0) {
                return Err(self.value(*name, &other_size(bytes.len(), *room)));
            }
            // SAFETY: the variable.
            unsafe { target(*at, *room) }.copy_from_slice(own);
        }
        self.slabs(with)
    }

    /// Those of slabs.
    fn slabs(&self, with: &mut Answers) -> Result<(), RestoreError> {
        for (s, place) in self.image.meta.slabs.iter().zip(&self.directory.slabs) {
            let data = self.image.bytes(s.data);
            let slots = data.chunks_exact(s.slot as usize).zip(s.slots());
            for (k, (to, (slot, number))) in place.targets().iter().zip(slots).enumerate() {
                let Some((size, ty)) = s.object(k) else { break };
                let saved = Saved {
                    name: Name::Heap(ty),
                    ty,
                    plan: place.plan(k),
                    start: s.base + number * s.slot,
                    bytes: &slot[..size as usize],
                    untyped: ty == TypeId::UNKNOWN,
                };
                let bytes = saved.plan.dst_size(size);
                let bytes = bytes.map_err(|e| self.value(saved.name, &e.to_string()))?;
                // SAFETY: as above.
                let into = unsafe { target(*to, bytes as usize) };
                self.convert(&saved, into, with)?;
            }
        }
        Ok(())
    }
}

/// Opens the rank's files again: streams here, by their saved addresses.
fn reopen(
    rank: &mut Rank,
    image: &RankImage,
    source: &TypeTable,
    directory: &Directory,
) -> Result<HashMap<u64, usize>, String> {
    let mut streams = HashMap::new();
    let owner = rank.owner();
    rank.files.reopen(
        owner,
        &image.meta.files,
        &image.meta.library,
        &|span| image.bytes(span),
        &|addr| directory.translate(source, addr, TypeId::UNKNOWN).ok(),
        |saved, here| _ = streams.insert(saved, here),
    )?;
    Ok(streams)
}

/// Has the program made numbers of addresses, which objects keep?
fn has_first_numbers(image: &RankImage) -> bool {
    !image.meta.first_numbers.is_empty() || !image.meta.numbers.is_empty()
}

fn first_numbers(
    rank: &mut Rank,
    image: &RankImage,
    plans: &Plans,
    directory: &Directory,
    pointers: &BTreeMap<u64, usize>,
) {
    if has_first_numbers(image) {
        let saved = &image.meta.first_numbers;
        let [from, to] = [plans.source, plans.target].map(|t| t.abi().pointer.size);
        rank.first_numbers = FirstNumbers::of(|f| directory.each(f), pointers, saved, from != to);
    }
}

/// What the program has registered, and what it has given the process and the C library.
fn registered(
    rank: &mut Rank,
    image: &RankImage,
    translator: &mut Translator,
) -> Result<(), String> {
    for c in &image.meta.callbacks {
        let function = translator.address(c.function);
        let function = function.ok_or("a callback of pc3_on is not a function of this program")?;
        rank.callbacks.push(Callback {
            events: c.events as i32,
            // SAFETY: the function that was registered, by name.
            function: unsafe {
                std::mem::transmute::<usize, unsafe extern "C" fn(i32, *mut c_void)>(function)
            },
            context: translator.address(c.context).unwrap_or(0) as *mut c_void,
        });
    }
    rank.exits = exits(translator, &image.meta.library.exits)?;
    if let Some(process) = &image.meta.library.process {
        let (process, own) = process_here(translator, process)?;
        rank.process = Some(process);
        rank.own_environment = own;
    }
    rank.variables = variables::here(&image.meta.variables, |at| match at {
        0 => Some(0),
        at => translator.stream(at).or_else(|| translator.address(at)),
    })?;
    Ok(())
}

/// Where the rank stands.
fn stands(rank: &mut Rank, image: &RankImage) -> Result<(), String> {
    let meta = &image.meta;
    rank.jumps.last = meta.jumps;
    rank.errno = meta.errno;
    rank.floats = floats::here(&meta.floats)?;
    rank.passages = meta.passages;
    rank.abi.passages = meta.passages as u32;
    rank.restarted = image.birth.is_none();
    rank.status = meta.finished.map_or(Status::Unwound, Status::Finished);
    if let Some(arguments) = &image.birth {
        rank.arguments = Some(arguments.clone());
        rank.status = Status::Running;
    }
    if meta.finished.is_some() && meta.globals.is_empty() {
        rank.retire();
    }
    Ok(())
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
            unsafe { unions.restore(here, to.0, u.last, u.held) };
        }
    }
}
