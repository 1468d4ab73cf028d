//! Pointers outside of their objects ([`pc3_state::beside`]): when one is told of, and their way through a checkpoint.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{c_char, CStr, CString};

use pc3_typemetric::types::{TypeId, TypeTable};

use crate::address_map::Directory;
use pc3_format::meta::BesideMeta;
use pc3_state::beside::{Beside, OutOfBoundsOrigin, FEW};
use pc3_state::program::registry::{Extent, Program};
use pc3_state::rank::Rank;

/// The objects of static storage, in order.
fn statics(program: &Program) -> &[Extent] {
    program.statics.get_or_init(|| {
        let all = program.globals.iter();
        let mut list: Vec<_> = all
            .map(|g| Extent::new(&program.types, g.addr, g.size, g.ty))
            .collect();
        list.sort_unstable();
        list
    })
}

/// Does `to`, a pointer to `elem` bytes, lie in the array that `from` lies in, as far as can be told?  Without a size it
/// was counted in bytes, for something that is no character: what `from` is a part of.
fn stays(rank: &Rank, from: usize, to: usize, elem: usize) -> bool {
    let program = &rank.job().program;
    let has = |o: Extent, to: usize| match elem {
        0 => (o.start..o.end).contains(&to),
        _ => o.has(to, elem),
    };
    if let Some(o) = rank.heap.find(from) {
        let object = Extent::new(&program.types, o.base as usize, o.size, TypeId(o.ty));
        return has(object, to);
    }
    holder(rank, from).is_some_and(|o| has(o, template(rank, to)))
}

fn template(rank: &Rank, addr: usize) -> usize {
    addr.wrapping_add_signed(rank.delta().wrapping_neg())
}

/// The object of static storage that an address is in.
fn holder(rank: &Rank, addr: usize) -> Option<Extent> {
    let list = statics(&rank.job().program);
    let addr = template(rank, addr);
    let after = list.partition_point(|o| o.start <= addr);
    let before = after.checked_sub(1).map(|i| list[i]);
    before.filter(|o| addr <= o.end)
}

/// A pointer has gone from one address to another; `elem`: as in what generated code says, `place`: where.
#[inline]
pub fn moved(rank: &mut Rank, from: usize, to: usize, elem: usize, place: *const c_char) {
    let before = rank.beside.known.get(&from).and_then(|list| list.last());
    let object = before.map_or(from, |f| f.object);
    if stays(rank, object, to, elem) {
        if rank.beside.known.is_empty() {
            within(rank, from, elem);
        }
        return;
    }
    rank.abi.within_elem = 0;
    let elem = elem.max(1);
    let known = rank.beside.known.get(&to).and_then(|list| list.last());
    if known.is_some_and(|f| (f.object, f.elem) == (object, elem)) {
        return;
    }
    let from = OutOfBoundsOrigin {
        object,
        elem,
        place: constant(place),
    };
    if rank.beside.is_full(to) {
        // Of objects that are gone there are no pointers in use.
        if let Some(mut list) = rank.beside.known.remove(&to) {
            list.retain(|f| is_there(rank, f.object));
            rank.beside.known.insert(to, list);
        }
    }
    rank.beside.add(to, from);
    if rank.beside.known.len() > rank.beside.enough.max(FEW) {
        tidy(rank);
        rank.beside.enough = 2 * rank.beside.known.len();
    }
}

/// A text of generated code.
#[allow(clippy::not_unsafe_ptr_arg_deref)] // it lives as long as the program
fn constant(text: *const c_char) -> Cow<'static, CStr> {
    match text.is_null() {
        true => c"".into(),
        // SAFETY: a constant string of the program.
        false => unsafe { CStr::from_ptr(text) }.into(),
    }
}

/// Moves from one of its elements to another need not be told, as long as nothing lies outside and the object is there.
fn within(rank: &mut Rank, from: usize, elem: usize) {
    if let Some(o) = rank.heap.find(from) {
        let abi = &mut rank.abi;
        (abi.within, abi.within_bytes, abi.within_elem) = (o.base as usize, o.size, elem);
    }
}

fn is_there(rank: &Rank, addr: usize) -> bool {
    let stack = rank.shadow.start() as usize..rank.shadow.end() as usize;
    rank.heap.find(addr).is_some() || stack.contains(&addr) || holder(rank, addr).is_some()
}

fn tidy(rank: &mut Rank) {
    let mut known = std::mem::take(&mut rank.beside.known);
    known.retain(|_, list| {
        list.retain(|f| is_there(rank, f.object));
        !list.is_empty()
    });
    rank.beside.known = known;
}

/// What a checkpoint keeps of them.
pub fn save(rank: &mut Rank) -> Vec<BesideMeta> {
    tidy(rank);
    let each = |(to, list): (&usize, &Vec<OutOfBoundsOrigin>)| {
        let to = *to as u64;
        let of = move |f: &OutOfBoundsOrigin| BesideMeta {
            addr: to,
            object: f.object as u64,
            elem: f.elem as u64,
            place: f.place.to_string_lossy().into_owned(),
        };
        list.iter().map(of).collect::<Vec<_>>()
    };
    let mut list: Vec<_> = rank.beside.known.iter().flat_map(each).collect();
    list.sort_by_key(|b| (b.addr, b.object));
    list
}

/// What a saved number could mean here.
#[derive(Debug)]
pub struct MovedNumber {
    /// None: the object is there, and nothing here is so far from it.
    pub here: Option<usize>,
    pub elem: u64,
    pub place: String,
}

/// What a checkpoint kept, by number, with their places here.
pub fn load(
    saved: &[BesideMeta],
    source: &TypeTable,
    directory: &Directory,
    into: &mut Beside,
) -> HashMap<u64, Vec<MovedNumber>> {
    let mut map: HashMap<u64, Vec<MovedNumber>> = HashMap::new();
    for b in saved {
        let Ok(object) = directory.translate(source, b.object, TypeId::UNKNOWN) else {
            continue;
        };
        let here = place(b, source, directory, object);
        if let Some((to, elem)) = here {
            into.add(
                to,
                OutOfBoundsOrigin {
                    object,
                    elem,
                    place: CString::new(b.place.clone()).unwrap_or_default().into(),
                },
            );
        }
        map.entry(b.addr).or_default().push(MovedNumber {
            here: here.map(|(to, _)| to),
            elem: b.elem,
            place: b.place.clone(),
        });
    }
    map
}

/// As many elements away from where its object is now, and their size.
fn place(
    b: &BesideMeta,
    source: &TypeTable,
    directory: &Directory,
    object: usize,
) -> Option<(usize, usize)> {
    let unused = 64 - 8 * u32::from(source.abi().pointer.size.min(8));
    let away = (b.addr.wrapping_sub(b.object) << unused) as i64 >> unused;
    let elem = b.elem as i64;
    if !directory.foreign() {
        return Some((object.wrapping_add_signed(away as isize), b.elem as usize));
    }
    if elem <= 0 || away % elem != 0 {
        return None;
    }
    let (start, size) = directory.extent(b.object)?;
    let at = |addr: u64| directory.translate(source, addr, TypeId::UNKNOWN).ok();
    let step = if b.object + b.elem <= start + size {
        at(b.object + b.elem)?.checked_sub(object)?
    } else if b.object >= start + b.elem {
        object.checked_sub(at(b.object - b.elem)?)?
    } else {
        return None;
    };
    let to = isize::try_from(away / elem)
        .ok()?
        .checked_mul(step as isize)?;
    Some((object.wrapping_add_signed(to), step))
}
