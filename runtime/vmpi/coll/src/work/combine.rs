//! The work of reductions: contributions combined in the order that [`crate::work::reduce`] gives, by predefined operations a chunk at a
//! time, by users' functions with whole vectors.

use super::process_contribution::{Contribution, Vector};
use super::reduce::{Flow, Reduction};
use super::subtrees::subtrees;
use crate::handles::HasObjects;
use crate::meeting::all::All;
use crate::meeting::kind::{Brief, Kind};
use pc3_runtime::floats::Floats;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::datatype::moving::{copy, with_scratch, Buf};
use pc3_vmpi_objects::datatype::{TypeObject, TypeRef};
use pc3_vmpi_objects::op::{Kernel, UserOp};
use pc3_vmpi_sched::copy::copy_few;
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Of all subtrees of more than one member that lie within `here` (ascending) and in no greater one that does.
pub fn together(all: &All<Reduction>, here: &[usize]) -> Contribution {
    let more = subtrees(here).filter(|s| s.1 > 1);
    Contribution(
        more.map(|(first, covers)| (first, covers, sum(all, first, covers)))
            .collect(),
    )
}

/// Bytes of a partial result that are worked on at a time.
const CHUNK: usize = 4096;

/// Combines and delivers elements `from..to`.
pub fn elements(all: &All<Reduction>, flow: &Flow, from: usize, to: usize) {
    let first = all.get(flow.from.start);
    let Some(kernel) = first.kernel else { return };
    // Whoever arrives last: the result is the same.
    let floats = Floats::leave();
    let width = first.ty.extent as usize;
    let step = (CHUNK / width.max(1)).max(1);
    let levels = if first.is_scan() {
        2
    } else {
        usize::BITS as usize - flow.from.len().leading_zeros() as usize + 1
    };
    with_scratch(levels * step * width, |scratch| {
        let mut at = from;
        while at < to {
            let n = step.min(to - at);
            // SAFETY: members' vectors hold `count` elements of `width` bytes; see `levels`.
            unsafe {
                if first.is_scan() {
                    scan(all, kernel, scratch, at, n, width);
                } else {
                    let part = |r| {
                        let c = all.get(flow.from.start + r);
                        (c.send.wrapping_add(at * width), c.covers)
                    };
                    fold(part, flow.from.len(), kernel, scratch, n, width);
                    deliver(all, &flow.to, scratch, at, n, width);
                }
            }
            at += n;
        }
    });
    floats.enter();
}

/// Tree of the contributions of so many members; the result is at `scratch`.  `part`: a contribution, and how many members
/// it is of.
unsafe fn fold(
    part: impl Fn(usize) -> (*const u8, usize),
    members: usize,
    kernel: Kernel,
    scratch: *mut u8,
    n: usize,
    width: usize,
) {
    let bytes = n * width;
    let mut top = 0; // partial results on the stack in `scratch`
    let mut r = 0;
    while r < members {
        let (mine, covers) = part(r);
        let place = r / covers;
        r += covers;
        if place % 2 == 0 {
            copy_few(mine, scratch.add(top * bytes), bytes);
            top += 1;
            continue;
        }
        kernel(scratch.add((top - 1) * bytes), mine, n);
        let mut done = place.div_ceil(2);
        while done % 2 == 0 {
            top -= 1;
            kernel(scratch.add((top - 1) * bytes), scratch.add(top * bytes), n);
            done /= 2;
        }
    }
    while top > 1 {
        top -= 1;
        kernel(scratch.add((top - 1) * bytes), scratch.add(top * bytes), n);
    }
}

/// Room for as many partial results as 2³² members need.
type Levels = [[u128; Brief::MOST / 16]; 33];

/// The same for contributions of up to [`Brief::MOST`] bytes.
pub unsafe fn small(
    part: impl Fn(usize) -> (*const u8, usize),
    members: usize,
    kernel: Kernel,
    (n, width): (usize, usize),
    to: *mut u8,
) {
    let floats = Floats::leave();
    let mut scratch = MaybeUninit::<Levels>::uninit();
    let scratch = scratch.as_mut_ptr().cast::<u8>();
    // SAFETY: by the caller.
    unsafe {
        fold(part, members, kernel, scratch, n, width);
        copy_few(scratch, to, n * width);
    }
    floats.enter();
}

/// The same of any length: contributions in their order, by number.
///
/// # Safety
/// They have `count` elements of so many bytes, and there is room for as many.
pub unsafe fn parts(
    part: impl Fn(usize) -> (*const u8, usize),
    members: usize,
    kernel: Kernel,
    (count, width): (usize, usize),
    to: *mut u8,
) {
    let floats = Floats::leave();
    let step = (CHUNK / width.max(1)).max(1);
    let levels = members.ilog2() as usize + 2;
    with_scratch(levels * step.min(count) * width, |scratch| {
        for at in (0..count).step_by(step) {
            let n = step.min(count - at);
            let next = Cell::new(0);
            let of_chunk = |_| {
                let (from, covers) = part(next.get());
                next.set(next.get() + 1);
                (from.wrapping_add(at * width), covers)
            };
            // SAFETY: by the caller.
            unsafe {
                fold(of_chunk, members, kernel, scratch, n, width);
                scratch.copy_to_nonoverlapping(to.add(at * width), n * width);
            }
        }
    });
    floats.enter();
}

/// Contributions that lie in the order of reversed bits: member 2i's and 2i+1's are half of them apart, and so on.
pub unsafe fn halves(
    room: *mut u8,
    members: usize,
    kernel: Kernel,
    (n, width): (usize, usize),
    to: *mut u8,
) {
    let floats = Floats::leave();
    let mut half = members / 2;
    // SAFETY: by the caller.
    unsafe {
        while half > 0 {
            kernel(room, room.add(half * n * width), half * n);
            half /= 2;
        }
        copy_few(room, to, n * width);
    }
    floats.enter();
}

unsafe fn deliver(
    all: &All<Reduction>,
    members: &Range<usize>,
    result: *const u8,
    at: usize,
    n: usize,
    width: usize,
) {
    for i in members.clone() {
        let c = all.get(i);
        if c.remote {
            continue;
        }
        let (first, count) = c.wanted(i - members.start);
        let (lo, hi) = (at.max(first), (at + n).min(first + count));
        if lo < hi {
            let to = c.recv.add((lo - first) * width);
            std::ptr::copy_nonoverlapping(result.add((lo - at) * width), to, (hi - lo) * width);
        }
    }
}

unsafe fn scan(
    all: &All<Reduction>,
    kernel: Kernel,
    scratch: *mut u8,
    at: usize,
    n: usize,
    width: usize,
) {
    let bytes = n * width;
    let (sum, own) = (scratch, scratch.add(bytes));
    let exclusive = all.get(0).kind == Kind::Exscan;
    for r in 0..all.len() {
        let c = all.get(r);
        let (mine, to) = (c.send.add(at * width), c.recv.wrapping_add(at * width));
        if r > 0 && c.remote {
            kernel(sum, mine, n);
        } else if r == 0 {
            std::ptr::copy_nonoverlapping(mine, sum, bytes);
            if !exclusive && !c.remote {
                std::ptr::copy(sum, to, bytes);
            }
        } else if exclusive {
            // The contribution may lie where the result goes.
            std::ptr::copy_nonoverlapping(mine, own, bytes);
            std::ptr::copy_nonoverlapping(sum, to, bytes);
            kernel(sum, own, n);
        } else {
            kernel(sum, mine, n);
            std::ptr::copy_nonoverlapping(sum, to, bytes);
        }
    }
}

/// The contributions of `members` of one subtree, combined.
fn sum(all: &All<Reduction>, start: usize, members: usize) -> Vector {
    let first = all.get(start);
    let mut into = Vector::new(first.ty, first.count);
    let Some(kernel) = first.kernel else {
        return into;
    };
    let floats = Floats::leave();
    let width = first.ty.extent as usize;
    let step = (CHUNK / width.max(1)).max(1);
    let levels = members.ilog2() as usize + 1;
    with_scratch(levels * step * width, |scratch| {
        for at in (0..first.count).step_by(step) {
            let n = step.min(first.count - at);
            let part = |r| (all.get(start + r).send.wrapping_add(at * width), 1);
            // SAFETY: as in `elements`; the vector has room for all.
            unsafe {
                fold(part, members, kernel, scratch, n, width);
                let to = into.ptr().add(at * width);
                std::ptr::copy_nonoverlapping(scratch, to, n * width);
            }
        }
    });
    floats.enter();
    into
}

/// A handle of the running rank for a datatype: its own, if it still stands for it.
struct Lent {
    handle: usize,
    ours: bool,
}

impl Lent {
    fn new(ty: &TypeRef, handle: usize) -> Lent {
        let own = |handle| Lent {
            handle,
            ours: false,
        };
        if ty.predefined != 0 {
            return own(ty.predefined);
        }
        let Some(me) = RankState::try_current() else {
            return own(handle);
        };
        if me
            .objects()
            .datatype(handle)
            .is_ok_and(|t| t.size == ty.size)
        {
            return own(handle);
        }
        let object = TypeObject {
            ty: ty.clone(),
            committed: true,
            name: None,
            attrs: Vec::new(),
        };
        Lent {
            handle: me.objects().types.insert(object),
            ours: true,
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let (true, Some(me)) = (self.ours, RankState::try_current()) {
            me.objects().types.remove(self.handle);
        }
    }
}

/// The same orders as above, with the program's function on whole vectors.
pub(crate) fn by_function(all: &All<Reduction>, flow: &Flow, op: UserOp, runner: usize) {
    let first = all.get(flow.from.start);
    let (ty, count, n) = (first.ty, first.count, flow.from.len());
    // Handles are a rank's own: the function gets one of the rank that runs it.
    let lent = Lent::new(ty, all.get(runner).handle);
    let handle = lent.handle;
    let give = |i: usize, v: &mut Vector| {
        let c = all.get(flow.to.start + i);
        if c.is_nothing(i) {
            return;
        }
        let (from, count) = c.wanted(i);
        let src = Buf {
            ptr: v.ptr().wrapping_offset(ty.extent * from as isize),
            count,
            ty,
        };
        // SAFETY: member buffers are valid while they wait.
        if let Err(e) = unsafe {
            copy(
                src,
                Buf {
                    ptr: c.recv,
                    count,
                    ty: c.ty,
                },
            )
        } {
            all.fail(flow.to.start + i, e);
        }
    };
    // low op high, left in `high`.
    let combine = |low: &mut Vector, high: &mut Vector| {
        if count > 0 {
            // SAFETY: both hold `count` elements; the running rank owns the handle.
            unsafe { op.apply(low.ptr(), high.ptr(), count, (handle, ty.extent)) }
        }
    };
    if first.is_scan() {
        let exclusive = first.kind == Kind::Exscan;
        let mut sum: Option<Vector> = None;
        for i in 0..n {
            let mut own = Vector::of(ty, count, all.get(i).send);
            if let Some(low) = &mut sum {
                if exclusive {
                    give(i, low);
                }
                combine(low, &mut own);
            }
            if !exclusive {
                give(i, &mut own);
            }
            sum = Some(own);
        }
        return;
    }
    let mut stack: Vec<Vector> = Vec::new();
    let merge = |stack: &mut Vec<Vector>| {
        if let (Some(mut high), Some(mut low)) = (stack.pop(), stack.pop()) {
            combine(&mut low, &mut high);
            stack.push(high);
        }
    };
    for i in 0..n {
        stack.push(Vector::of(ty, count, all.get(flow.from.start + i).send));
        for _ in 0..(i + 1).trailing_zeros() {
            merge(&mut stack);
        }
    }
    while stack.len() > 1 {
        merge(&mut stack);
    }
    if let Some(mut result) = stack.pop() {
        for i in 0..flow.to.len() {
            if all.get(flow.to.start + i).wanted(i).1 > 0 {
                give(i, &mut result);
            }
        }
    }
}
