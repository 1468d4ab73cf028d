//! A rank's objects: which one an address lies in, and what a person calls it.

use std::collections::HashMap;

use pc3_runtime::format::meta::{SlabMeta, Span};
use pc3_runtime::format::pieces::PieceMeta;
use pc3_runtime::format::read::{Checkpoint, RankImage};
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

/// An object that may be pointed to.
#[derive(Clone, Debug)]
pub(super) struct Object<'a> {
    pub name: String,
    pub base: u64,
    pub size: u64,
    pub ty: TypeId,
    /// Empty for a constant, which is not saved.
    pub bytes: &'a [u8],
}

/// Where a pointer leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Null,
    Object { name: String, path: String },
    Function(String),
    Nothing(u64),
}

enum Area<'a> {
    One(Object<'a>),
    /// Slots, and the number of the first object among the heap's.
    Slab(&'a SlabMeta, u64),
}

pub(super) struct Image<'a> {
    pub checkpoint: &'a Checkpoint,
    pub rank: &'a RankImage,
    areas: Vec<(u64, Area<'a>)>,
    functions: HashMap<u64, &'a str>,
}

/// What the program has handed out of a block, and where in it.
pub(super) struct Piece<'a> {
    pub at: u64,
    /// None: what was there is no more.
    pub ty: Option<TypeId>,
    pub free: bool,
    pub bytes: &'a [u8],
}

const HEAP: &str = "heap[";
const BLOCK: &str = "block on the stack";

fn heap_name(number: u64) -> String {
    format!("{HEAP}{number}]")
}

impl<'a> Image<'a> {
    pub fn new(checkpoint: &'a Checkpoint, rank: &'a RankImage) -> Image<'a> {
        let program = &checkpoint.program;
        let mut areas: Vec<(u64, Area)> = Vec::new();
        let mut one = |name: String, base: u64, size: u64, ty: TypeId, bytes: &'a [u8]| {
            let object = Object {
                name,
                base,
                size,
                ty,
                bytes,
            };
            areas.push((base, Area::One(object)))
        };
        let mut spans = rank.meta.globals.iter();
        for g in &program.globals {
            let span = if g.constant { None } else { spans.next() };
            let bytes = span.map_or(&[][..], |s| rank.bytes(*s));
            let moved = if g.constant { 0 } else { rank.meta.delta };
            let base = g.addr.wrapping_add(moved);
            one(g.name.clone(), base, g.size, g.ty, bytes);
        }
        for l in &program.literals {
            let text = l.bytes.strip_suffix(&[0]).unwrap_or(&l.bytes);
            let name = format!("\"{}\"", text.escape_ascii());
            one(name, l.addr, l.bytes.len() as u64, l.ty, &l.bytes);
        }
        for s in &rank.meta.shadow {
            let name = match s.frame.and_then(|f| frame_function(checkpoint, rank, f)) {
                Some(function) => format!("locals of {function}"),
                None => BLOCK.to_owned(),
            };
            one(name, s.addr, s.data.bytes, s.ty, rank.bytes(s.data));
        }
        let small: u64 = rank.meta.slabs.iter().map(SlabMeta::count).sum();
        for (number, l) in (small..).zip(&rank.meta.large) {
            let bytes = rank.bytes(l.data);
            one(heap_name(number), l.base, l.data.bytes, l.ty, bytes);
        }
        let mut number = 0;
        for s in &rank.meta.slabs {
            areas.push((s.base, Area::Slab(s, number)));
            number += s.count();
        }
        areas.sort_by_key(|(base, _)| *base);
        let functions = program
            .fnrefs
            .iter()
            .map(|(name, addr)| (*addr, name.as_str()))
            .collect();
        Image {
            checkpoint,
            rank,
            areas,
            functions,
        }
    }

    pub fn types(&self) -> &'a TypeTable {
        &self.checkpoint.types
    }

    /// Has the program a name for it?
    pub fn is_named(&self, object: &Object) -> bool {
        !object.name.starts_with(HEAP) && object.name != BLOCK
    }

    /// Those that the program may write.
    pub fn globals(&self) -> Vec<Object<'a>> {
        let program = self.checkpoint.program.globals.iter();
        let writable = program.filter(|g| !g.constant);
        let all = writable
            .zip(&self.rank.meta.globals)
            .map(|(g, span)| Object {
                name: g.name.clone(),
                base: g.addr.wrapping_add(self.rank.meta.delta),
                size: g.size,
                ty: g.ty,
                bytes: self.rank.bytes(*span),
            });
        all.collect()
    }

    /// Objects of the heap, in the order of their numbers.
    pub fn heap(&self) -> impl Iterator<Item = Object<'a>> + '_ {
        let slabs = self.rank.meta.slabs.iter().flat_map(|s| {
            let bytes = self.rank.bytes(s.data);
            s.slots().enumerate().filter_map(move |(k, slot)| {
                let (size, ty) = s.object(k)?;
                let start = k * s.slot as usize;
                let here = bytes.get(start..start + size as usize)?;
                Some((s.base + slot * s.slot, ty, here))
            })
        });
        let large = &self.rank.meta.large;
        let large = large
            .iter()
            .map(|l| (l.base, l.ty, self.rank.bytes(l.data)));
        let all = slabs.chain(large).enumerate();
        all.map(|(n, (base, ty, bytes))| Object {
            name: heap_name(n as u64),
            base,
            size: bytes.len() as u64,
            ty,
            bytes,
        })
    }

    /// What has been handed out of the object at an address.
    pub fn pieces(&self, base: u64, bytes: &'a [u8]) -> Vec<Piece<'a>> {
        let end = base + bytes.len() as u64;
        let all = &self.rank.pieces;
        let from = all.partition_point(|p| p.addr < base);
        let to = all.partition_point(|p| p.addr < end);
        let one = |p: &PieceMeta| {
            let at = p.addr - base;
            let to = (at + p.bytes).min(bytes.len() as u64);
            Piece {
                at,
                ty: p.ty,
                free: p.link.is_some(),
                bytes: &bytes[at as usize..to as usize],
            }
        };
        all[from..to.max(from)].iter().map(one).collect()
    }

    /// The piece of an object that an address lies in, as an object.
    fn piece(&self, of: &Object<'a>, addr: u64) -> Option<Object<'a>> {
        let all = &self.rank.pieces;
        let p = all[..all.partition_point(|p| p.addr <= addr)].last()?;
        let p = Some(p).filter(|p| addr < p.addr + p.bytes)?;
        let ty = p.ty.filter(|t| *t != TypeId::UNKNOWN)?;
        let at = p.addr.checked_sub(of.base)?;
        let from = usize::try_from(at).ok()?;
        let to = from.checked_add(usize::try_from(p.bytes).ok()?)?;
        Some(Object {
            name: format!("{}@{at}", of.name),
            base: p.addr,
            size: p.bytes,
            ty,
            bytes: of.bytes.get(from..to)?,
        })
    }

    /// The object that a pointer to `pointee` leads to: of what the program hands out itself, the piece.
    pub fn pointed(&self, addr: u64, pointee: TypeId) -> Option<Object<'a>> {
        let object = self.object(addr, pointee)?;
        Some(self.piece(&object, addr).unwrap_or(object))
    }

    fn object(&self, addr: u64, pointee: TypeId) -> Option<Object<'a>> {
        let after = self.areas.partition_point(|(base, _)| *base <= addr);
        // Globals may touch: the end of one is the start of the next, and the pointer's type tells which is meant.
        let mut near =
            self.areas[..after]
                .iter()
                .rev()
                .take(2)
                .filter_map(|(_, area)| match area {
                    Area::One(object) => Some(object.clone()),
                    Area::Slab(slab, first) => self.slot(slab, *first, addr),
                });
        let holds = |o: &Object| addr - o.base <= o.size;
        let first = near.next().filter(holds);
        let front = near.next().filter(|o| holds(o) && o.size > 0);
        let fits = |o: &Object| self.element(o.ty) == pointee;
        match (first, front) {
            (Some(next), Some(front)) if next.base == addr && fits(&front) && !fits(&next) => {
                Some(front)
            }
            (first, front) => first.or(front),
        }
    }

    /// What an array, at any depth, consists of.
    fn element(&self, ty: TypeId) -> TypeId {
        let t = self.types().get(ty);
        if t.kind == Kind::Array {
            self.element(t.elem)
        } else {
            ty
        }
    }

    /// `pointee`: what the pointer's type says; it tells a struct from its first member.
    pub fn target(&self, addr: u64, pointee: TypeId) -> Target {
        if addr == 0 {
            return Target::Null;
        }
        if let Some(name) = self.functions.get(&addr) {
            return Target::Function((*name).to_owned());
        }
        match self.pointed(addr, pointee) {
            None => Target::Nothing(addr),
            Some(object) => Target::Object {
                path: path(self.types(), &object, addr - object.base, pointee),
                name: object.name,
            },
        }
    }

    fn slot(&self, slab: &'a SlabMeta, first: u64, addr: u64) -> Option<Object<'a>> {
        let index = (addr - slab.base) / slab.slot;
        let word = usize::try_from(index / 64).ok()?;
        let bit = 1u64 << (index % 64);
        let here = *slab.occupied.get(word)?;
        if here & bit == 0 {
            return None;
        }
        let before: u64 = slab.occupied[..word]
            .iter()
            .map(|w| u64::from(w.count_ones()))
            .sum();
        let k = before + u64::from((here & (bit - 1)).count_ones());
        let (size, ty) = slab.object(usize::try_from(k).ok()?)?;
        let start = (k * slab.slot) as usize;
        Some(Object {
            name: heap_name(first + k),
            base: slab.base + index * slab.slot,
            size,
            ty,
            bytes: self
                .rank
                .bytes(slab.data)
                .get(start..start + size as usize)?,
        })
    }

    pub fn bytes(&self, span: Span) -> &'a [u8] {
        self.rank.bytes(span)
    }
}

pub(super) fn frame_function<'a>(
    checkpoint: &'a Checkpoint,
    rank: &RankImage,
    frame: u64,
) -> Option<&'a str> {
    let frame = rank.meta.frames.get(usize::try_from(frame).ok()?)?;
    Some(
        &checkpoint
            .program
            .funcs
            .get(usize::try_from(frame.func).ok()?)?
            .name,
    )
}

/// `[2].left`: the element at an offset, as far down as the pointee's type lies.
pub(super) fn path(types: &TypeTable, object: &Object, mut offset: u64, pointee: TypeId) -> String {
    let mut out = String::new();
    let mut ty = object.ty;
    let size = types.size(ty);
    if offset == object.size && offset > 0 {
        let array = Some(types.get(ty))
            .filter(|t| t.kind == Kind::Array)
            .map(|t| t.count);
        let count = array.or(object.size.checked_div(size)).unwrap_or(1);
        return match count {
            0 | 1 => " + 1 (one past the end)".to_owned(),
            n => format!("[{n}] (one past the end)"),
        };
    }
    if size > 0 && object.size >= 2 * size && types.trailing_array(ty).is_none() {
        if offset >= size || ty == pointee {
            out.push_str(&format!("[{}]", offset / size));
        }
        offset %= size;
    }
    loop {
        let t = types.get(ty);
        if offset == 0 && (ty == pointee || pointee == TypeId::UNKNOWN) {
            break;
        }
        match t.kind {
            Kind::Struct | Kind::Union => {
                let inside = |end: u64| offset < end;
                let member = t
                    .members
                    .iter()
                    .filter(|m| m.bits.is_none() && m.offset <= offset)
                    .rfind(|m| {
                        let flexible = types.size(m.ty) == 0 && types.get(m.ty).kind == Kind::Array;
                        flexible || inside(m.offset + types.size(m.ty))
                    });
                let Some(member) = member else { break };
                if !member.name.is_empty() {
                    out.push_str(&format!(".{}", member.name));
                }
                offset -= member.offset;
                ty = member.ty;
            }
            Kind::Array if types.size(t.elem) > 0 => {
                out.push_str(&format!("[{}]", offset / types.size(t.elem)));
                offset %= types.size(t.elem);
                ty = t.elem;
            }
            _ => break,
        }
    }
    if offset > 0 {
        out.push_str(&format!(" + {offset} bytes"));
    }
    out
}
