//! Memory of a struct that the program also writes as another one (pc3cc's `portability/heap/struct_overlay`): nothing says which is in
//! it. On its own ABI it is copied, and what either has as pointers is translated if it leads to something alive. Elsewhere
//! it is converted as each of them; where these do not agree, the restart is refused. A word that one has as a pointer and
//! another one as something else is what its value says, if that can be only one of both.

use std::collections::HashMap;
use std::sync::Arc;

use pc3_typemetric::path::path_text;
use pc3_typemetric::plan::{ConvertError, Plan, Resolver};
use pc3_typemetric::types::{counterparts, Kind, TypeId, TypeTable};

use super::{Name, RankBuilder, RestoreError};
use crate::address_map::address_scan::number;
use crate::address_map::translate::Translator;
use crate::address_map::type_matching::Plans;
use pc3_state::program::struct_overlays::StructOverlay;

const WORD: u64 = 8;
/// No 64-bit program has anything below.
const LOWEST: u64 = 1 << 32;
/// More structs in one object are not looked at one by one.
const MOST: u64 = 1 << 20;

/// How such memory may be read.
struct Reading {
    ty: TypeId,
    plan: Arc<Plan>,
    /// Of a pointer.
    width: u64,
    /// Where it has pointers.
    pointers: Vec<Pointer>,
    /// Where it has anything else.
    numbers: Vec<Scalar>,
    /// Where the program makes it this.
    place: String,
}

struct Pointer {
    at: u64,
    /// Where that is here.
    here: Option<u64>,
    /// Numbers are rarely kept in those.
    to_struct: bool,
}

struct Scalar {
    at: u64,
    bytes: u64,
    here: Option<u64>,
    bytes_here: u64,
}

/// A word that a reading says nothing about: where it is, and what is made of it here.
struct Word {
    at: u64,
    here: Vec<(u64, u64)>,
}

impl Reading {
    fn pointer(&self, at: u64) -> Option<&Pointer> {
        self.pointers.iter().find(|p| p.at == at)
    }
}

/// A struct within a type, by what it was made as first.
struct Spot {
    at: u64,
    readings: Arc<[Reading]>,
}

/// By the type of objects.
#[derive(Default)]
pub(super) struct Others(HashMap<TypeId, Vec<Spot>>);

/// What a reading makes of the bytes here, which bits it determines, and how many pointers it loses.
struct Image {
    bytes: Vec<u8>,
    known: Vec<u8>,
    lost: u64,
}

impl Others {
    pub fn new(list: &[StructOverlay], plans: &mut Plans) -> Others {
        let mut others = Others::default();
        if list.is_empty() {
            return others;
        }
        let source = plans.source;
        let mut by: HashMap<TypeId, Arc<[Reading]>> = HashMap::new();
        for (id, t) in source.iter().filter(|(_, t)| t.kind == Kind::Struct) {
            let is = |to: TypeId, plans: &Plans| {
                let target = plans.target.get(to);
                t.name == target.name && counterparts(t, target).is_some()
            };
            let of: Vec<&StructOverlay> = list.iter().filter(|a| is(a.of, plans)).collect();
            let Some(own) = of.first().and_then(|a| reading(plans, id, a.of, "")) else {
                continue;
            };
            let mut readings = vec![own];
            for a in of {
                // A checkpoint of an older build may not know it.
                let found = source.iter().find_map(|(other, o)| {
                    let target = plans.target.get(a.other);
                    let same = o.kind == Kind::Struct && o.name == target.name;
                    (same && counterparts(o, target).is_some()).then_some(other)
                });
                readings.extend(found.and_then(|other| reading(plans, other, a.other, &a.place)));
            }
            by.insert(id, readings.into());
        }
        if by.is_empty() {
            return others;
        }
        for (id, _) in source.iter() {
            let mut spots = Vec::new();
            find(source, id, 0, &by, &mut spots);
            if !spots.is_empty() {
                others.0.insert(id, spots);
            }
        }
        others
    }
}

fn reading(plans: &mut Plans, from: TypeId, to: TypeId, place: &str) -> Option<Reading> {
    let plan = plans.get(from, to).ok()?;
    let mut r = Reading {
        ty: from,
        plan,
        width: u64::from(plans.source.abi().pointer.size),
        pointers: Vec::new(),
        numbers: Vec::new(),
        place: place.to_owned(),
    };
    words([plans.source, plans.target], from, 0, &mut r);
    let (plan, size) = (r.plan.clone(), r.plan.src_size());
    let here = |at| plan.map_offset(size, at, TypeId::UNKNOWN).ok();
    r.pointers.iter_mut().for_each(|p| p.here = here(p.at));
    r.numbers.iter_mut().for_each(|n| n.here = here(n.at));
    Some(r)
}

fn words(tables: [&TypeTable; 2], ty: TypeId, at: u64, out: &mut Reading) {
    let [types, target] = tables;
    let t = types.get(ty);
    match t.kind {
        Kind::Array => {
            let step = types.size(t.elem);
            for i in 0..t.count.min(MOST) {
                words(tables, t.elem, at + i * step, out);
            }
        }
        Kind::Struct | Kind::Union => {
            for m in t.members.iter().filter(|m| m.bits.is_none()) {
                words(tables, m.ty, at + m.offset, out);
            }
        }
        kind if kind.is_reference() => out.pointers.push(Pointer {
            at,
            here: None,
            to_struct: kind == Kind::Pointer && types.get(t.elem).kind == Kind::Struct,
        }),
        Kind::SInt | Kind::UInt | Kind::Float | Kind::Char | Kind::Bool | Kind::Enum
            if t.size <= WORD =>
        {
            let long = t.size == WORD && t.name.ends_with("long") && !t.name.ends_with("long long");
            out.numbers.push(Scalar {
                at,
                bytes: t.size,
                here: None,
                bytes_here: match long {
                    true => target.abi().long.size.into(),
                    false => t.size,
                },
            });
        }
        _ => {}
    }
}

fn find(
    types: &TypeTable,
    ty: TypeId,
    at: u64,
    by: &HashMap<TypeId, Arc<[Reading]>>,
    out: &mut Vec<Spot>,
) {
    let t = types.get(ty);
    if let Some(readings) = by.get(&ty) {
        let readings = readings.clone();
        out.push(Spot { at, readings });
    }
    match t.kind {
        Kind::Array => {
            let step = types.size(t.elem);
            for i in 0..t.count {
                let before = out.len();
                if before as u64 >= MOST {
                    break;
                }
                find(types, t.elem, at + i * step, by, out);
                if out.len() == before {
                    break;
                }
            }
        }
        Kind::Struct => {
            for m in t.members.iter().filter(|m| m.bits.is_none()) {
                find(types, m.ty, at + m.offset, by, out);
            }
        }
        _ => {}
    }
}

impl Image {
    /// `without`: words that it says nothing about.
    fn of(
        r: &Reading,
        bytes: &[u8],
        without: &[Word],
        translator: &mut Translator,
    ) -> Result<Image, ConvertError> {
        let mut whole = bytes.to_vec();
        let from = r.plan.src_size();
        whole.resize(from as usize, 0);
        for w in without {
            let end = (w.at + r.width).min(from);
            whole[w.at as usize..end as usize].fill(0);
        }
        let size = r.plan.dst_elem_size() as usize;
        let (mut zeros, mut ones) = (vec![0; size], vec![0xff; size]);
        let before = translator.lost_so_far();
        let first = r.plan.run(&whole, &mut zeros, 1, translator);
        let lost = translator.lost_so_far() - before;
        let done = first.and_then(|()| r.plan.run(&whole, &mut ones, 1, translator));
        translator.forget_lost(before);
        done?;
        let known = zeros.iter().zip(&ones).map(|(a, b)| !(a ^ b)).collect();
        let mut image = Image {
            bytes: zeros,
            known,
            lost,
        };
        for (to, bytes) in without.iter().flat_map(|w| &w.here) {
            let end = ((to + bytes) as usize).min(size);
            image.known[*to as usize..end].fill(0);
        }
        Ok(image)
    }

    /// Adds what another reading determines, or says where they contradict each other.
    fn join(&mut self, other: &Image) -> Result<(), usize> {
        let n = self.bytes.len().max(other.bytes.len());
        self.bytes.resize(n, 0);
        self.known.resize(n, 0);
        for (i, (b, k)) in other.bytes.iter().zip(&other.known).enumerate() {
            if (self.bytes[i] ^ b) & self.known[i] & k != 0 {
                return Err(i);
            }
            self.bytes[i] |= b;
            self.known[i] |= k;
        }
        Ok(())
    }
}

/// The words that a reading says nothing about: numbers that are addresses of what is alive, where others have pointers;
/// pointers that lead nowhere, where others have none; and what is a pointer in what the memory was made as anyway.
fn not_its(
    r: &Reading,
    all: &[&Reading],
    from: &[u8],
    types: [&TypeTable; 2],
    translator: &mut Translator,
) -> Vec<Word> {
    let [source, target] = types;
    let width = u64::from(source.abi().pointer.size);
    let others = || all.iter().copied().filter(|o| o.ty != r.ty);
    let word = |at: u64| {
        let place = at as usize..(at + width) as usize;
        from.get(place).map(|b| number(source.abi().endian, b))
    };
    let mut out = Vec::new();
    // Shorter numbers are too often addresses by chance.
    for p in others().flat_map(|o| &o.pointers).filter(|_| width == WORD) {
        let end = p.at + width;
        let mut own = r
            .numbers
            .iter()
            .filter(|n| n.at < end && n.at + n.bytes > p.at)
            .peekable();
        let live = |raw| raw >= LOWEST && translator.is_live(raw);
        if own.peek().is_some() && r.pointer(p.at).is_none() && word(p.at).is_some_and(live) {
            out.push(Word {
                at: p.at,
                here: own.filter_map(|n| Some((n.here?, n.bytes_here))).collect(),
            });
        }
    }
    for p in &r.pointers {
        let covers = |o: &&Reading| o.plan.src_size() >= p.at + width;
        let mut none = others()
            .filter(covers)
            .filter(|o| o.pointer(p.at).is_none());
        let nowhere = |raw| raw != 0 && !translator.may_lead(raw, p.to_struct);
        let other = none.next().is_some() && word(p.at).is_some_and(nowhere);
        let own = all[0];
        let same = own.ty != r.ty && own.pointer(p.at).is_some_and(|o| o.here == p.here);
        if other || same {
            let bytes = u64::from(target.abi().pointer.size);
            out.push(Word {
                at: p.at,
                here: p.here.map(|here| (here, bytes)).into_iter().collect(),
            });
        }
    }
    out
}

impl RankBuilder<'_, '_> {
    /// Decides what is in an object that has just been converted by its type.
    pub(super) fn otherwise(
        &self,
        others: &Others,
        (name, ty, plan): (Name, TypeId, &Plan),
        from: &[u8],
        into: &mut [u8],
        translator: &mut Translator,
    ) -> Result<(), RestoreError> {
        if others.0.is_empty() {
            return Ok(());
        }
        let source = self.plans.source;
        let mut one = ty;
        while source.get(one).kind == Kind::Array {
            one = source.get(one).elem;
        }
        let Some(spots) = others.0.get(&one) else {
            return Ok(());
        };
        let size = source.size(one).max(1);
        for k in 0..from.len() as u64 / size {
            for spot in spots {
                let at = k * size + spot.at;
                let Some(own) = spot.readings.first() else {
                    continue;
                };
                let bytes = own.plan.src_size();
                let here = plan.map_offset(from.len() as u64, at, own.ty);
                let here = here.map_err(|e| self.value(name, &e.to_string()))? as usize;
                // What has no room for a struct is none.
                let room = (from.len() as u64).saturating_sub(at);
                let fits = |r: &&Reading| r.place.is_empty() || r.plan.src_size() <= room;
                let readings: Vec<&Reading> = spot.readings.iter().filter(fits).collect();
                let from = &from[at as usize..(at + bytes).min(from.len() as u64) as usize];
                let end = (here + own.plan.dst_elem_size() as usize).min(into.len());
                let into = &mut into[here..end];
                if from.iter().all(|b| *b == 0) {
                    continue;
                }
                translator.begins(at);
                if self.directory.foreign() {
                    let done = self.agreed(&readings, from, into, translator);
                    done.map_err(|(other, byte)| {
                        let k = at / plan.src_size().max(1);
                        let index = match k {
                            0 => String::new(),
                            k => format!("[{k}]"),
                        };
                        let outer = here as u64 - k * plan.dst_elem_size();
                        let path = self.plans.partner_of(ty).zip(byte).map(|(to, byte)| {
                            path_text(self.plans.target, to, outer + byte as u64)
                        });
                        let glue = if k > 0 || path.is_some() { ": " } else { "" };
                        self.value(name, &format!(
                            "{index}{}{glue}the program also writes such memory as '{}' (at {}), and which of both it is is not known: \
                             make both members of a union",
                            path.unwrap_or_default(),
                            self.plans.source.describe(other.ty),
                            other.place
                        ))
                    })?;
                } else {
                    copied(&spot.readings, self.plans.source, from, into, translator);
                }
            }
        }
        Ok(())
    }

    /// What all readings that the value allows make of it; or one that another one contradicts, and at which byte.
    fn agreed<'r>(
        &self,
        readings: &[&'r Reading],
        from: &[u8],
        into: &mut [u8],
        translator: &mut Translator,
    ) -> Result<(), (&'r Reading, Option<usize>)> {
        let types = [self.plans.source, self.plans.target];
        let last = readings[readings.len() - 1];
        let mut all: Option<Image> = None;
        for r in readings {
            let shown = if r.place.is_empty() { last } else { r };
            let without = not_its(r, readings, from, types, translator);
            let image = Image::of(r, from, &without, translator).map_err(|_| (shown, None))?;
            if r.place.is_empty() && !without.is_empty() {
                // What it lost as what it is not does not count.
                let all = Image::of(r, from, &[], translator);
                let more = all.map_or(0, |i| i.lost.saturating_sub(image.lost));
                translator.forget_lost(translator.lost_so_far().saturating_sub(more));
            }
            match &mut all {
                None => all = Some(image),
                Some(all) => all.join(&image).map_err(|at| (shown, Some(at)))?,
            }
        }
        let Some(image) = all else {
            return Ok(());
        };
        let n = into.len().min(image.bytes.len());
        if image.bytes[n..].iter().any(|b| *b != 0) {
            return Err((last, None));
        }
        for (i, byte) in into[..n].iter_mut().enumerate() {
            *byte = *byte & !image.known[i] | image.bytes[i] & image.known[i];
        }
        Ok(())
    }
}

/// On its own ABI.
fn copied(
    readings: &[Reading],
    types: &TypeTable,
    from: &[u8],
    into: &mut [u8],
    translator: &mut Translator,
) {
    let width = usize::from(types.abi().pointer.size);
    let Some(own) = readings.first() else { return };
    let lost = Image::of(own, from, &[], translator).map_or(0, |i| i.lost);
    translator.forget_lost(translator.lost_so_far().saturating_sub(lost));
    for at in readings.iter().flat_map(|r| &r.pointers).map(|p| &p.at) {
        let place = *at as usize..*at as usize + width;
        let (Some(word), Some(to)) = (from.get(place.clone()), into.get_mut(place)) else {
            continue;
        };
        let raw = number(types.abi().endian, word);
        let lost = to.iter().all(|b| *b == 0);
        if own.pointer(*at).is_some() && !lost {
            continue;
        }
        let here = translator.word(raw);
        to.copy_from_slice(&(here as usize).to_ne_bytes()[..width]);
    }
}
