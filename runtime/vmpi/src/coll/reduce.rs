//! Reductions: MPI_Reduce, Allreduce, Reduce_scatter(_block), Scan, Exscan.
//!
//! **Order.**  Contributions are combined in an order that depends on nothing but the number of
//! members: over ranks lo..hi it is (lo..mid) op (mid..hi), where mid - lo is the greatest power
//! of two below hi - lo.  Results are the same bits whatever the workers, the order of arrival and
//! the processes: a process that holds ranks a..b can combine every subtree that lies within and
//! pass on the few partial results.  Scans combine from the left, one rank after the other.
//!
//! Predefined operations go element by element, so members can share the elements out.  A user
//! function runs on one member's stack (the root's, else rank 0's), with whole vectors: what it
//! sees of its rank's globals does not depend on the order of arrival either.

use super::meeting::{All, Call, Kind, Plan};
use super::moves::SHARE_FROM;
use crate::datatype::moving::{copy, with_scratch, Buf};
use crate::datatype::TypeRef;
use crate::error::{fail, Class, Result};
use crate::op::{Kernel, Op, UserOp};

pub struct Reduction<'a> {
    pub kind: Kind,
    pub root: usize,
    /// This rank's contribution (the receive buffer if the program passed MPI_IN_PLACE).
    pub send: *const u8,
    pub recv: *mut u8,
    /// Elements contributed.
    pub count: usize,
    /// Reduce_scatter: elements for each member, the same everywhere.
    pub counts: &'a [i32],
    pub ty: &'a TypeRef,
    pub handle: usize,
    pub op: Op,
    /// Of a predefined operation.
    pub kernel: Option<Kernel>,
}

impl Reduction<'_> {
    /// Elements that member `i` receives: (first, number).
    fn wanted(&self, i: usize) -> (usize, usize) {
        match self.kind {
            Kind::Reduce if i != self.root => (0, 0),
            Kind::ReduceScatter => {
                let first = self.counts[..i].iter().map(|&c| c as usize).sum();
                (first, self.counts[i] as usize)
            }
            Kind::ReduceScatterBlock => (i * self.counts[0] as usize, self.counts[0] as usize),
            _ => (0, self.count),
        }
    }

    fn is_scan(&self) -> bool {
        matches!(self.kind, Kind::Scan | Kind::Exscan)
    }
}

/// Bytes of a partial result that are worked on at a time.
const CHUNK: usize = 4096;

impl Call for Reduction<'_> {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn root(&self) -> usize {
        self.root
    }

    fn plan(all: &All<Self>, workers: usize) -> Result<Plan> {
        let first = all.get(0);
        let name = first.kind.name();
        let parts = matches!(first.kind, Kind::ReduceScatter | Kind::ReduceScatterBlock);
        for (i, c) in all.iter().enumerate() {
            let (a, b) = (first.count * first.ty.size, c.count * c.ty.size);
            if a != b {
                return fail(
                    Class::ERR_COUNT,
                    format!("{name}: rank 0 gives {a} bytes, rank {i} {b}"),
                );
            }
            // The addresses of the same function differ only between builds.
            if c.op != first.op {
                return fail(
                    Class::ERR_OP,
                    format!("{name}: ranks 0 and {i} name different operations"),
                );
            }
            // Slices without elements are not compared: glibc's memcmp of nothing at no address is slow.
            if parts && c.counts != first.counts {
                return fail(
                    Class::ERR_COUNT,
                    format!("{name}: ranks 0 and {i} give different receive counts"),
                );
            }
        }
        Ok(match first.op {
            Op::User(_) => Plan::Member(first.root),
            // In place, a member's part lands where others' contributions may still be read.
            Op::Predef(_) if parts && all.iter().any(|c| c.send == c.recv.cast_const()) => {
                Plan::Last
            }
            Op::Predef(_)
                if workers > 1 && first.count * first.ty.size * all.len() >= SHARE_FROM =>
            {
                Plan::Shares
            }
            Op::Predef(_) => Plan::Last,
        })
    }

    /// An equal part of the elements.
    fn share(all: &All<Self>, i: usize) -> Result<()> {
        let (n, count) = (all.len(), all.get(0).count);
        let at = |i: usize| (count as u128 * i as u128 / n as u128) as usize;
        elements(all, at(i), at(i + 1));
        Ok(())
    }

    fn whole(all: &All<Self>) {
        match all.get(0).op {
            Op::Predef(_) => elements(all, 0, all.get(0).count),
            Op::User(op) => by_function(all, op),
        }
    }
}

/// Combines and delivers elements `from..to`.
fn elements(all: &All<Reduction>, from: usize, to: usize) {
    let first = all.get(0);
    let Some(kernel) = first.kernel else { return };
    let width = first.ty.extent as usize;
    let step = (CHUNK / width.max(1)).max(1);
    let levels = if first.is_scan() {
        2
    } else {
        usize::BITS as usize - all.len().leading_zeros() as usize + 1
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
                    fold(all, kernel, scratch, at, n, width);
                    deliver(all, scratch, at, n, width);
                }
            }
            at += n;
        }
    });
}

/// Tree of the contributions to elements `at..at + n`; the result is at `scratch`.
unsafe fn fold(
    all: &All<Reduction>,
    kernel: Kernel,
    scratch: *mut u8,
    at: usize,
    n: usize,
    width: usize,
) {
    let bytes = n * width;
    let mut top = 0; // partial results on the stack in `scratch`
    for r in 0..all.len() {
        let mine = all.get(r).send.add(at * width);
        let mut done = r + 1;
        if r % 2 == 0 {
            std::ptr::copy_nonoverlapping(mine, scratch.add(top * bytes), bytes);
            top += 1;
            continue;
        }
        kernel(scratch.add((top - 1) * bytes), mine, n);
        done /= 2;
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

unsafe fn deliver(all: &All<Reduction>, result: *const u8, at: usize, n: usize, width: usize) {
    for i in 0..all.len() {
        let c = all.get(i);
        let (first, count) = c.wanted(i);
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
        if r == 0 {
            std::ptr::copy_nonoverlapping(mine, sum, bytes);
            if !exclusive {
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

/// A vector of elements in the layout of its datatype.
struct Vector {
    memory: Vec<u128>,
    offset: isize,
}

impl Vector {
    fn new(ty: &TypeRef, count: usize) -> Self {
        let (lo, hi) = ty.span(count);
        let offset = lo.rem_euclid(16) - lo;
        Vector {
            memory: vec![0; (hi + offset).max(0) as usize / 16 + 1],
            offset,
        }
    }

    fn of(ty: &TypeRef, count: usize, from: *const u8) -> Self {
        let mut v = Vector::new(ty, count);
        let _ = v.take(ty, count, from);
        v
    }

    fn take(&mut self, ty: &TypeRef, count: usize, from: *const u8) -> Result<usize> {
        let dst = Buf {
            ptr: self.ptr(),
            count,
            ty,
        };
        // SAFETY: room for `count` elements was made; the caller's buffer holds as many.
        unsafe {
            copy(
                Buf {
                    ptr: from.cast_mut(),
                    count,
                    ty,
                },
                dst,
            )
        }
    }

    /// What a program would pass as the buffer's address.
    fn ptr(&mut self) -> *mut u8 {
        self.memory
            .as_mut_ptr()
            .cast::<u8>()
            .wrapping_offset(self.offset)
    }
}

/// The same orders as above, with the program's function on whole vectors.
fn by_function(all: &All<Reduction>, op: UserOp) {
    let first = all.get(0);
    let (ty, count, n) = (first.ty, first.count, all.len());
    // Handles are a rank's own: the function gets one of the rank that runs it.
    let handle = all.get(first.root).handle;
    let give = |i: usize, v: &mut Vector| {
        let c = all.get(i);
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
            all.fail(i, e);
        }
    };
    // low op high, left in `high`.
    let combine = |low: &mut Vector, high: &mut Vector| {
        if count > 0 {
            // SAFETY: both hold `count` elements; the running rank owns the handle.
            unsafe { op.apply(low.ptr(), high.ptr(), count, handle) }
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
        stack.push(Vector::of(ty, count, all.get(i).send));
        for _ in 0..(i + 1).trailing_zeros() {
            merge(&mut stack);
        }
    }
    while stack.len() > 1 {
        merge(&mut stack);
    }
    if let Some(mut result) = stack.pop() {
        for i in 0..n {
            if all.get(i).wanted(i).1 > 0 {
                give(i, &mut result);
            }
        }
    }
}
