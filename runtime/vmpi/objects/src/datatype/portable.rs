//! Datatypes across a restart on another ABI.
//!
//! A checkpoint keeps each datatype's constructor call, and types are rebuilt from these.  Counts
//! and displacements in elements mean the same everywhere; displacements in bytes must follow the
//! layout of the program's structs.  In this order:
//! 1. The ABIs lay everything out alike: nothing changes.
//! 2. The displacements are differences of addresses (or addresses) that MPI_Get_address had given
//!    to the program, of objects that are still alive: the addresses are translated.
//! 3. They are such differences, of objects of one type, as the program's text says.
//! 4. The program has struct types with fitting members at these displacements: each such type
//!    translates them.  A stride or an offset may also be a number of elements.
//!
//! If nothing applies, or two readings differ, the restart is refused with the line that made the
//! type.

use super::basic::{Basic, Repr};
use super::counted::{self, scalar, Counted};
use super::layout::Node;
use super::Datatype;
use crate::wire::Read;
use pc3_runtime::transfer::{LoadCtx, LoadError, Target};
use pc3_typemetric::abi::Abi;
use pc3_typemetric::plan::Plan;
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

/// Addresses that MPI_Get_address gave to the program: displacements are mostly their differences.
#[derive(Clone, Debug, Default)]
pub struct AddressLog {
    /// Most recent last.
    pub recent: Vec<usize>,
}

/// More than a program takes for one type.
const KEPT: usize = 64;

impl AddressLog {
    pub fn record(&mut self, address: usize) {
        if self.recent.len() >= 4 * KEPT {
            self.recent.drain(..3 * KEPT);
        }
        self.recent.push(address);
    }

    /// What a type made now may be based on.
    pub fn lately(&self) -> Box<[usize]> {
        let n = self.recent.len().saturating_sub(KEPT);
        self.recent[n..].into()
    }
}

/// What a checkpoint says of a type beside its call: its measures in the saved ABI.
#[derive(Clone, Copy, Debug)]
pub struct Saved {
    pub extent: i64,
    /// The first basic element and its offset.
    pub first: Option<Basic>,
    pub first_at: i64,
}

impl Saved {
    pub fn of(t: &Datatype) -> Saved {
        let mut first = None;
        t.signature.each_run(&mut |b, _| {
            first = Some(b);
            false
        });
        Saved {
            extent: t.extent as i64,
            first,
            first_at: first_at(t),
        }
    }
}

fn first_at(t: &Datatype) -> i64 {
    let inner = match &t.layout.node {
        Node::Seq { parts, .. } => parts.first().map_or(0, |p| p.0),
        _ => 0,
    };
    (t.layout.at + inner) as i64
}

/// A block of a byte-displacement constructor: where it lay, how many elements, of what.
pub struct Block<'a> {
    pub at: i64,
    pub count: usize,
    pub saved: Saved,
    pub ty: &'a Datatype,
}

/// What the displacements of one constructor are.
pub struct Question<'a> {
    pub blocks: Vec<Block<'a>>,
    /// Hvector: the distance of blocks; Resized: the extent; both in bytes of the saved ABI.
    pub stride: Option<i64>,
    /// Blocks may be elements of one array, rather than members of a struct.
    pub array: bool,
    /// What the program's text says of them.
    pub counted: Counted,
    pub addresses: &'a [u64],
    pub created_at: Option<&'a str>,
}

/// The displacements of the blocks, then the stride.
type Answer = Vec<i64>;

/// Translates the displacements of one constructor.
pub fn displacements(q: &Question, ctx: &dyn LoadCtx) -> Read<Answer> {
    let same: Answer = q.blocks.iter().map(|b| b.at).chain(q.stride).collect();
    if same.iter().all(|d| *d == 0) {
        return Ok(same);
    }
    let Some((from, to)) = ctx.types() else {
        return refuse(q.created_at, "the program's types are not known");
    };
    if counted::alike(ctx) && !absolute(q, ctx) {
        return Ok(same);
    }
    if let Some(found) = as_said(q, &same, ctx)? {
        return Ok(found);
    }
    let found = by_addresses(q, &same, ctx);
    if let Some(found) = found.clone().filter(|_| absolute(q, ctx)) {
        return Ok(found);
    }
    let mut readings = by_structs(q, &same, from, to);
    if let Some(found) = found {
        // Addresses of what is gone may be another object's by now.
        return match readings.is_empty() || readings.contains(&found) {
            true => Ok(found),
            false => refuse(
                q.created_at,
                "the objects that MPI_Get_address had been asked for do not have its types at such distances",
            ),
        };
    }
    if q.counted == Counted::Varies {
        return refuse(
            q.created_at,
            "the program computes its byte displacements with sizes that are others here",
        );
    }
    let of_structs = readings.len();
    if q.array || readings.is_empty() {
        readings.extend(as_elements(q, from.abi()));
    }
    readings.sort();
    readings.dedup();
    // Any number is one of bytes; what is in these the text has to say.
    let untold = q.blocks.iter().any(|b| counted::is_bytes(b.ty));
    match readings.len() {
        1 if of_structs == 0 && untold => refuse(
            q.created_at,
            "it is not known what its numbers of bytes count",
        ),
        1 => Ok(readings.swap_remove(0)),
        0 => refuse(
            q.created_at,
            "no struct of the program has fitting members at its byte displacements",
        ),
        _ => refuse(
            q.created_at,
            "several structs of the program have fitting members at its byte displacements",
        ),
    }
}

/// Reads displacements by all structs of the program.
fn by_structs(q: &Question, same: &Answer, from: &TypeTable, to: &TypeTable) -> Vec<Answer> {
    let mut readings = Vec::new();
    let structs = from
        .iter()
        .filter(|(_, t)| t.kind == Kind::Struct && t.size > 0);
    for (id, _) in structs {
        let Some(d) = counterpart(from, id, to) else {
            continue;
        };
        if let Ok(plan) = Plan::compile(from, id, to, d) {
            let mut bases = vec![0];
            starts(from, id, 0, &mut bases);
            let all = bases.into_iter();
            readings.extend(all.filter_map(|b| in_struct(q, (from, id), (to, d), &plan, b)));
        }
        readings.extend(as_structs(q, same, from, id, to.size(d)));
    }
    readings
}

/// `line`: where the datatype was made, if that is known.
pub(super) fn refuse<T>(line: Option<&str>, why: &str) -> Read<T> {
    let line = line.unwrap_or("an unknown line");
    Err(LoadError(format!(
        "the MPI datatype made at {line} cannot be rebuilt on this ABI: {why} \
         (displacements from MPI_Get_address on an object that is still alive always work)"
    )))
}

/// Is a displacement the address of an object?
fn absolute(q: &Question, ctx: &dyn LoadCtx) -> bool {
    q.blocks.iter().any(|b| {
        q.addresses.contains(&(b.at as u64)) && matches!(ctx.pointer(b.at as u64), Target::At(_))
    })
}

/// Takes displacements for what the program's text says that they are.
fn as_said(q: &Question, same: &Answer, ctx: &dyn LoadCtx) -> Read<Option<Answer>> {
    let alike = |b: &Block| b.saved.extent == b.ty.extent as i64;
    match q.counted {
        Counted::Multiple(_) | Counted::Place(_) => {}
        Counted::Extents => return Ok(by_extents(q, ctx)),
        Counted::Apart(of) => return by_object(q, of, ctx),
        // Elements of another size would lie elsewhere.
        Counted::Fixed if q.blocks.iter().all(alike) => return Ok(Some(same.clone())),
        // A number without a size is one of bytes.
        Counted::Plain if q.blocks.iter().all(|b| b.ty.extent == 1) => {
            return Ok(Some(same.clone()))
        }
        _ => return Ok(None),
    }
    let here = |at: &i64| match counted::displacement(*at, q.counted, ctx)? {
        Some(here) => Ok(here),
        None => refuse(q.created_at, &format!("{at} bytes lead to no value here")),
    };
    Ok(Some(same.iter().map(here).collect::<Read<_>>()?))
}

/// Reads displacements as how far members of a struct are from one of them; not if there are two readings.
fn by_object(q: &Question, of: TypeId, ctx: &dyn LoadCtx) -> Read<Option<Answer>> {
    let Some((from, to)) = ctx.types().filter(|_| !absolute(q, ctx)) else {
        return Ok(None);
    };
    let here = ctx.partner(of)?;
    let Ok(plan) = Plan::compile(from, of, to, here) else {
        return Ok(None);
    };
    let mut bases = vec![0];
    starts(from, of, 0, &mut bases);
    let read = |base| in_struct(q, (from, of), (to, here), &plan, base);
    let mut readings: Vec<Answer> = bases.into_iter().filter_map(read).collect();
    readings.sort();
    readings.dedup();
    Ok((readings.len() == 1).then(|| readings.swap_remove(0)))
}

/// Reads displacements as multiples of the extents of the types that the program has made of its structs.
fn by_extents(q: &Question, ctx: &dyn LoadCtx) -> Option<Answer> {
    let (from, to) = ctx.types()?;
    let is_struct = |b: &Block| {
        from.iter().any(|(id, t)| {
            let here = || counterpart(from, id, to).map(|d| to.size(d) as i64);
            t.kind == Kind::Struct
                && t.size as i64 == b.saved.extent
                && here() == Some(b.ty.extent as i64)
        })
    };
    let here = |at: i64, b: &Block| {
        let own = b.ty.predefined == 0 && b.saved.extent > 0 && is_struct(b);
        let whole = own && at % b.saved.extent == 0;
        whole.then(|| at / b.saved.extent * b.ty.extent as i64)
    };
    let blocks = q.blocks.iter().map(|b| here(b.at, b));
    let stride = q.stride.into_iter().zip(&q.blocks);
    blocks.chain(stride.map(|(n, b)| here(n, b))).collect()
}

/// Reads displacements as differences of live addresses, all from one base, or as addresses.
fn by_addresses(q: &Question, same: &Answer, ctx: &dyn LoadCtx) -> Option<Answer> {
    let here = |a: u64| match ctx.pointer(a) {
        Target::At(p) => Some(p as usize as i64),
        _ => None,
    };
    let mut readings: Vec<Answer> = Vec::new();
    for base in q.addresses.iter().map(|a| Some(*a)).chain([None]) {
        let (from, to) = match base {
            Some(a) => (a as i64, here(a)),
            None => (0, Some(0)),
        };
        let Some(to) = to else { continue };
        let each = same.iter().map(|d| {
            let address = from.wrapping_add(*d) as u64;
            let known = q.addresses.contains(&address);
            known
                .then(|| here(address))
                .flatten()
                .map(|h| h.wrapping_sub(to))
        });
        readings.extend(each.collect::<Option<Answer>>());
    }
    readings.sort();
    readings.dedup();
    (readings.len() == 1).then(|| readings.swap_remove(0))
}

fn counterpart(from: &TypeTable, id: TypeId, to: &TypeTable) -> Option<TypeId> {
    let ty = from.get(id);
    if !ty.name.is_empty() {
        return to.find(ty.kind, &ty.name);
    }
    // Without a name: the one with the same members.
    let names = |t: &TypeTable, id| {
        t.get(id)
            .members
            .iter()
            .map(|m| m.name.clone())
            .collect::<Vec<_>>()
    };
    let mut same = to.iter().filter(|(d, t)| {
        t.kind == ty.kind && t.name.is_empty() && names(to, *d) == names(from, id)
    });
    let found = same.next()?.0;
    same.next().is_none().then_some(found)
}

/// Reads displacements as distances of members from one at `base`, and the stride as the struct's size.
fn in_struct(
    q: &Question,
    (from, s): (&TypeTable, TypeId),
    (to, d): (&TypeTable, TypeId),
    plan: &Plan,
    base: i64,
) -> Option<Answer> {
    let size = from.size(s);
    if q.stride.is_some_and(|n| n != size as i64) {
        return None;
    }
    // Of an array the place may be in a later one.
    let first = |at: i64, t: &TypeTable, s: TypeId| match (q.array, t.size(s) as i64) {
        (true, size) if at >= size => (at / size, at % size),
        _ => (0, at),
    };
    let map = |at: i64| {
        let (n, at) = first(at, from, s);
        let found = plan.map_offset(size, u64::try_from(at).ok()?, TypeId::UNKNOWN);
        Some(n * to.size(d) as i64 + found.ok()? as i64)
    };
    let is = |t: &TypeTable, s: TypeId, at: i64, b: &Block| {
        u64::try_from(first(at, t, s).1)
            .ok()
            .and_then(|at| scalar_at(t, s, at))
            .is_some_and(|found| matches(found, b, t))
    };
    let mut out = Answer::new();
    let here = map(base)?;
    for b in &q.blocks {
        let start = map(base.checked_add(b.at)?)?;
        // The first and the last element must fit on both sides: an int is no long, though they may
        // look alike on one.
        let ends = [0, b.count.max(1) as i64 - 1];
        for i in ends.into_iter().filter(|_| b.saved.first.is_some()) {
            let then = base + b.at + i * b.saved.extent + b.saved.first_at;
            let now = start + i * b.ty.extent as i64 + first_at(b.ty);
            if !is(from, s, then, b) || !is(to, d, now, b) || map(then)? != now {
                return None;
            }
        }
        out.push(start - here);
    }
    out.extend(q.stride.map(|_| to.size(d) as i64));
    Some(out)
}

/// Reads displacements as numbers of structs, in each of which such an element lies somewhere.
fn as_structs(
    q: &Question,
    same: &Answer,
    from: &TypeTable,
    s: TypeId,
    here: u64,
) -> Option<Answer> {
    let size = from.size(s) as i64;
    let fits = |b: &Block| any_scalar(from, s, &mut |found| matches(found, b, from));
    let whole = q.array && same.iter().all(|d| d % size == 0) && q.blocks.iter().all(fits);
    whole.then(|| same.iter().map(|d| d / size * here as i64).collect())
}

/// Reads displacements as numbers of elements, or of the basic elements that these consist of.
fn as_elements(q: &Question, from: &Abi) -> Option<Answer> {
    let scale = |d: i64, b: &Block| {
        if d == 0 {
            return Some(0);
        }
        let uniform =
            b.ty.signature
                .uniform()
                .map(|u| (u.size_in(from) as i64, u.size() as i64));
        let whole = (b.saved.extent, b.ty.extent as i64);
        let fit = [Some(whole), uniform]
            .into_iter()
            .flatten()
            .find(|(then, _)| *then != 0 && d % then == 0);
        fit.map(|(then, now)| d / then * now)
    };
    let mut out: Answer = q
        .blocks
        .iter()
        .map(|b| scale(b.at, b))
        .collect::<Option<_>>()?;
    if let (Some(stride), Some(b)) = (q.stride, q.blocks.first()) {
        out.push(scale(stride, b)?);
    }
    Some(out)
}

/// The scalar that begins at a byte of a type.
fn scalar_at(t: &TypeTable, id: TypeId, at: u64) -> Option<TypeId> {
    let (start, found) = scalar(t, id, at)?;
    (start == at).then_some(found)
}

/// Where members begin; of arrays, where the first element does.
fn starts(t: &TypeTable, id: TypeId, at: i64, out: &mut Vec<i64>) {
    let ty = t.get(id);
    match ty.kind {
        Kind::Struct | Kind::Union => {
            for m in ty.members.iter().filter(|m| m.bits.is_none()) {
                starts(t, m.ty, at + m.offset as i64, out);
            }
        }
        Kind::Array => starts(t, ty.elem, at, out),
        _ if out.contains(&at) => {}
        _ => out.push(at),
    }
}

/// Is one of a type's scalars such a one?
fn any_scalar(t: &TypeTable, id: TypeId, is: &mut dyn FnMut(TypeId) -> bool) -> bool {
    let ty = t.get(id);
    match ty.kind {
        Kind::Struct | Kind::Union => {
            let mut members = ty.members.iter().filter(|m| m.bits.is_none());
            members.any(|m| any_scalar(t, m.ty, is))
        }
        Kind::Array => any_scalar(t, ty.elem, is),
        _ => is(id),
    }
}

fn matches(scalar: TypeId, b: &Block, t: &TypeTable) -> bool {
    let Some(first) = b.saved.first else {
        return true;
    };
    let ty = t.get(scalar);
    let kind = match first.repr() {
        Repr::Byte => return true,
        Repr::Int { .. } | Repr::Logical => {
            matches!(
                ty.kind,
                Kind::Char | Kind::SInt | Kind::UInt | Kind::Enum | Kind::Bool
            )
        }
        Repr::Float => ty.kind == Kind::Float && !ty.is_long_double(),
        Repr::LongDouble => ty.is_long_double() && ty.kind == Kind::Float,
        // A complex number may be a struct of two.
        Repr::Complex => ty.kind == Kind::Complex || ty.kind == Kind::Float,
        Repr::LongDoubleComplex => ty.is_long_double(),
    };
    let size = first.size_in(t.abi()) as u64;
    kind && (ty.size == size || (first.repr() == Repr::Complex && ty.size * 2 == size))
}
