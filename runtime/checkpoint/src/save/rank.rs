//! What one rank has in a checkpoint: its objects' bytes, and where they are.

use std::io;

use pc3_heap::{Block, Slab};
use pc3_typemetric::descriptor::{pc3_frame, PC3_ORDER_WAY};
use pc3_typemetric::types::TypeId;

use crate::address_map::out_of_bounds;
use crate::size_flows;
use pc3_format::library::{ExitMeta, LibraryMeta};
use pc3_format::meta::{CallbackMeta, FrameMeta, LargeMeta, RankMeta, ShadowMeta, SlabMeta, Span};
use pc3_format::unions::UnionMeta;
use pc3_process::variables;
use pc3_state::floats;
use pc3_state::program::registry::{OrderDependence, Program};
use pc3_state::rank::{Rank, Status};
use pc3_state::save_data::Data;
use pc3_state::stack::exits::AtExit;

pub(super) fn rank_data(
    program: &Program,
    rank: &mut Rank,
    data: &mut Data,
) -> io::Result<RankMeta> {
    let finished = match rank.status() {
        Status::Finished(code) => Some(code),
        _ => None,
    };
    let delta = rank.delta();
    let mut globals = Vec::new();
    let writable = program.globals.iter().filter(|g| !g.constant);
    for g in writable.filter(|_| !rank.retired) {
        let bytes = if g.unsaved { 0 } else { g.size };
        // SAFETY: the rank's own copy; the rank is at rest.
        globals.push(unsafe { data.object(g.addr.wrapping_add_signed(delta), bytes)? });
    }
    let (frames, shadow) = if finished.is_some() {
        (Vec::new(), Vec::new())
    } else {
        (frames(program, rank, data)?, stack(program, rank, data)?)
    };
    let (slabs, large) = match rank.retired {
        true => (Vec::new(), Vec::new()),
        false => heap(rank, data)?,
    };
    Ok(RankMeta {
        finished,
        errno: rank.errno,
        floats: floats::describe(rank.floats),
        passages: rank.passages,
        delta: delta as i64 as u64,
        globals,
        frames,
        shadow,
        slabs,
        large,
        callbacks: rank
            .callbacks
            .iter()
            .map(|c| CallbackMeta {
                events: c.events as u64,
                function: c.function as usize as u64,
                context: c.context as usize as u64,
            })
            .collect(),
        files: rank.files.describe(),
        jumps: rank.jumps.last,
        variables: match rank.job().several() {
            true => Vec::new(),
            false => variables::changed(),
        },
        library: library(rank, data)?,
        beside: out_of_bounds::save(rank),
        numbers: seen(program),
        orders: kept(program, rank),
        first_numbers: rank.first_numbers.saved(),
        // SAFETY: null, or a static site of the program.
        wanted: unsafe { rank.abi.site.as_ref() }
            .filter(|_| finished.is_none())
            // SAFETY: its type is null, or one of the program's.
            .map(|site| unsafe { site.ty.as_ref() }.map_or(TypeId::UNKNOWN, |t| TypeId(t.id))),
    })
}

/// Where addresses have become numbers, of the whole process.
fn seen(program: &Program) -> Vec<String> {
    let seen = program.numbers.iter().filter(|n| n.was_seen());
    let mut list: Vec<String> = seen.map(|n| n.place.clone()).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Where code has run, here or before a restart, that keeps what the architecture gave.
fn kept(program: &Program, rank: &Rank) -> Vec<(String, u32)> {
    let here = program.orders.iter();
    let here = here.filter(|o| o.by < PC3_ORDER_WAY && o.has_run());
    let reached = size_flows::reached(&program.orders);
    let here = here.filter(|o| o.when.as_ref().is_none_or(|n| reached.contains(n)));
    let mut list: Vec<(String, u32)> = here.map(OrderDependence::row).collect();
    list.extend(rank.orders.iter().cloned());
    list.sort_unstable();
    list.dedup();
    list
}

/// State outside of the program's variables, as it was gathered.
fn library(rank: &Rank, data: &mut Data) -> io::Result<LibraryMeta> {
    let mut spans = Vec::new();
    for bytes in rank.files.contents() {
        // SAFETY: the runtime's own copy.
        spans.push(unsafe { data.object(bytes.as_ptr() as usize, bytes.len())? });
    }
    let exits = rank.exits.iter().map(|x| match *x {
        AtExit::Plain(function) => ExitMeta {
            with_status: false,
            function: function as usize as u64,
            argument: 0,
        },
        AtExit::WithStatus(function, argument) => ExitMeta {
            with_status: true,
            function: function as usize as u64,
            argument: argument as usize as u64,
        },
    });
    Ok(LibraryMeta {
        exits: exits.collect(),
        process: rank.process.clone(),
        ..rank.files.library(&spans)
    })
}

/// Of unions in objects that are saved.
pub(super) fn noted(program: &Program, rank: &mut Rank, meta: &RankMeta) -> Vec<UnionMeta> {
    let shapes = program.shapes.clone();
    if shapes.is_empty() {
        return Vec::new();
    }
    let delta = rank.delta();
    let globals = program.globals.iter().filter(|g| !g.constant);
    let globals = globals.map(|g| (g.addr.wrapping_add_signed(delta), g.size, g.ty.0));
    let stack = meta.shadow.iter();
    let stack = stack.map(|s| (s.addr as usize, s.data.bytes as usize, s.ty.0));
    let mut known: Vec<(usize, usize, u32)> = globals.chain(stack).collect();
    known.sort_unstable();
    let Rank { heap, unions, .. } = rank;
    let alive = |at: usize, bytes: usize| {
        let i = known.partition_point(|(start, ..)| *start <= at);
        let near = i.checked_sub(1).map(|i| known[i]);
        near.is_some_and(|(start, size, _)| at + bytes <= start + size)
            || heap
                .find(at)
                .is_some_and(|o| at + bytes <= o.base as usize + o.size)
    };
    let spans = |each: &mut dyn FnMut(usize, usize)| {
        let own = known.iter().filter(|k| shapes.has(k.2));
        own.for_each(|k| each(k.0, k.1));
        heap.for_each_object(|o| {
            if shapes.has(o.ty) {
                each(o.base as usize, o.size);
            }
        });
    };
    // SAFETY: objects of the rank, which is at rest.
    unsafe { unions.list(alive, spans) }
}

fn broken(what: &str) -> io::Error {
    io::Error::other(format!("internal error: {what}"))
}

fn frames(program: &Program, rank: &Rank, data: &mut Data) -> io::Result<Vec<FrameMeta>> {
    let mut list = Vec::new();
    for frame in rank.frames.list() {
        // SAFETY: points are static tables.
        let point = unsafe { &*frame.point };
        let func = program
            .func_index(point.func)
            .ok_or_else(|| broken("a frame of an unknown function"))?;
        let points = &program.funcs[func].points;
        let index = points
            .iter()
            .position(|p| p.raw == frame.point)
            .ok_or_else(|| broken("a frame at an unknown point"))?;
        let bytes = points[index]
            .live
            .map_or(0, |ty| program.types.size(ty) as usize);
        // SAFETY: the record has the size of its type.
        let live = unsafe { data.object(frame.live as usize, bytes)? };
        list.push(FrameMeta {
            func: func as u64,
            point: index as u64,
            live,
        });
    }
    Ok(list)
}

/// The shadow struct of a frame: address and type.
fn shadow_struct(program: &Program, frame: &pc3_frame) -> Option<(usize, TypeId)> {
    // SAFETY: points are static tables.
    let func = program.func_index(unsafe { (*frame.point).func })?;
    let ty = program.funcs[func]
        .shadow
        .filter(|_| !frame.shadow.is_null())?;
    Some((frame.shadow as usize, ty))
}

fn stack(program: &Program, rank: &Rank, data: &mut Data) -> io::Result<Vec<ShadowMeta>> {
    struct Found {
        addr: usize,
        ty: TypeId,
        bytes: usize,
        frame: Option<u64>,
    }
    let mut found = Vec::new();
    for (i, frame) in rank.frames.list().iter().enumerate() {
        if let Some((addr, ty)) = shadow_struct(program, frame) {
            found.push(Found {
                addr,
                ty,
                bytes: program.types.size(ty) as usize,
                frame: Some(i as u64),
            });
        }
    }
    let structs: Vec<(usize, usize)> = found.iter().map(|f| (f.addr, f.bytes)).collect();
    for block in rank.shadow.live_blocks(&structs) {
        // SAFETY: null or an imported descriptor.
        let ty = unsafe { block.elem.as_ref() }.map_or(TypeId::UNKNOWN, |t| TypeId(t.id));
        found.push(Found {
            addr: block.base,
            ty,
            bytes: block.bytes,
            frame: None,
        });
    }
    found.sort_by_key(|f| f.addr);
    found
        .into_iter()
        .map(|f| {
            // SAFETY: live objects of the rank's shadow stack.
            let span = unsafe { data.object(f.addr, f.bytes)? };
            Ok(ShadowMeta {
                addr: f.addr as u64,
                ty: f.ty,
                frame: f.frame,
                data: span,
            })
        })
        .collect()
}

fn heap(rank: &Rank, data: &mut Data) -> io::Result<(Vec<SlabMeta>, Vec<LargeMeta>)> {
    let (mut slabs, mut large) = (Vec::new(), Vec::new());
    for block in rank.heap.blocks() {
        match block {
            Block::Slab(slab) => slabs.push(slab_meta(&slab, data)?),
            Block::Large(obj) => {
                // SAFETY: a live object of the rank's heap.
                let span = unsafe { data.object(obj.base as usize, obj.size)? };
                large.push(LargeMeta {
                    base: obj.base as u64,
                    ty: TypeId(obj.ty),
                    data: span,
                });
            }
        }
    }
    Ok((slabs, large))
}

fn slab_meta(slab: &Slab, data: &mut Data) -> io::Result<SlabMeta> {
    let slot = slab.slot_size();
    let offset = data.align()?;
    let bytes = slot * slab.occupied().count();
    data.out.object(slab.base() as usize as u64, bytes)?;
    // Neighbours go in one write.
    let mut run: Option<(usize, usize)> = None;
    for i in slab.occupied() {
        run = match run {
            Some((start, end)) if end == i => Some((start, i + 1)),
            Some((start, end)) => {
                // SAFETY: slots of a live slab.
                unsafe { data.raw(slab.base() as usize + start * slot, (end - start) * slot)? };
                Some((i, i + 1))
            }
            None => Some((i, i + 1)),
        };
    }
    if let Some((start, end)) = run {
        // SAFETY: as above.
        unsafe { data.raw(slab.base() as usize + start * slot, (end - start) * slot)? };
    }
    let each = |common: Option<u64>, of: &dyn Fn(usize) -> u64| match common {
        Some(one) => vec![one],
        None => slab.occupied().map(of).collect(),
    };
    Ok(SlabMeta {
        base: slab.base() as usize as u64,
        slot: slot as u64,
        occupied: slab.bitmap().collect(),
        sizes: each(slab.size().map(|n| n as u64), &|i| slab.size_at(i) as u64),
        types: each(slab.ty().map(u64::from), &|i| slab.type_at(i).into())
            .into_iter()
            .map(|t| TypeId(t as u32))
            .collect(),
        data: Span {
            offset,
            bytes: data.at - offset,
        },
    })
}
