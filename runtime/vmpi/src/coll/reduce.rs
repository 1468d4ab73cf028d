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
//! sees of its rank's globals does not depend on the order of arrival either.  In a non-blocking
//! call, and between two groups, that is whoever comes last.

use super::far::Keep;
use super::meeting::{All, Call, Kind, Plan};
use super::moves::{root_side, Shape, NOBODY, SHARE_FROM};
use super::side::Ints;
use crate::datatype::moving::{copy, with_scratch, Buf};
use crate::datatype::{TypeObject, TypeRef};
use crate::error::{fail, Class, Result};
use crate::op::{Kernel, Op, Predef, UserOp};
use crate::state::RankState;
use crate::wire::{bad, Read, Reader, Writer};
use std::ops::Range;

pub struct Reduction<'a> {
    pub kind: Kind,
    pub root: usize,
    /// This rank's contribution (the receive buffer if the program passed MPI_IN_PLACE).
    pub send: *const u8,
    pub recv: *mut u8,
    /// Elements contributed.
    pub count: usize,
    /// Reduce_scatter: elements for each member, the same everywhere.
    pub counts: Ints<'a>,
    pub ty: &'a TypeRef,
    pub handle: usize,
    pub op: Op,
    /// Of a predefined operation.
    pub kernel: Option<Kernel>,
    pub shape: Shape<'a>,
    /// False on the root's side of an inter-communicator.
    pub contributes: bool,
    /// Members from this one on whose combined contribution it is: a power of two.  0: it has none.
    pub covers: usize,
    /// Its member is in another process, which takes care of the result.
    pub far: bool,
}

/// Whose contributions are combined, and who gets the result.
struct Flow {
    from: Range<usize>,
    to: Range<usize>,
}

/// One within a communicator; between two groups one from the side without the root, or both ways.
fn flows(all: &All<Reduction>) -> impl Iterator<Item = Flow> {
    let n = all.len();
    let one = |from, to| Some(Flow { from, to });
    let both = match all.get(0).shape {
        Shape::Inter { low } => match all.get(0).kind {
            Kind::Reduce if all.get(0).contributes => [one(0..low, low..n), None],
            Kind::Reduce => [one(low..n, 0..low), None],
            _ => [one(0..low, low..n), one(low..n, 0..low)],
        },
        _ => [one(0..n, 0..n), None],
    };
    both.into_iter().flatten()
}

impl Reduction<'_> {
    /// Elements that member `i` receives: (first, number).
    fn wanted(&self, i: usize) -> (usize, usize) {
        match self.kind {
            Kind::Reduce if i != self.root => (0, 0),
            Kind::ReduceScatter => {
                let first = (0..i).map(|i| self.counts.at(i) as usize).sum();
                (first, self.counts.at(i) as usize)
            }
            Kind::ReduceScatterBlock => {
                let each = self.counts.at(0) as usize;
                (i * each, each)
            }
            _ => (0, self.count),
        }
    }

    /// Do the members `to` need this contribution?
    fn concerns(&self, to: &[usize]) -> bool {
        match (self.shape, self.op, self.kind) {
            (Shape::Inter { .. }, ..) => self.contributes,
            (_, Op::User(_), _) | (_, _, Kind::Reduce) => to.contains(&self.root),
            _ => true,
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
        match self.shape {
            Shape::Intra => self.root,
            _ => 0,
        }
    }

    fn plan(all: &All<Self>, workers: usize) -> Result<Plan> {
        let inter = match all.get(0).shape {
            Shape::Inter { low } => Some(low),
            _ => None,
        };
        let kind = all.get(0).kind;
        if let (Some(low), Kind::Reduce) = (inter, kind) {
            root_side(|i| all.get(i).root, all.len(), low, kind)?;
        }
        // What members of the root's side give who take no part means nothing.
        let idle = |c: &Self| inter.is_some() && kind == Kind::Reduce && c.root == NOBODY;
        let Some((start, first)) = all.iter().enumerate().find(|(_, c)| !idle(c)) else {
            return Ok(Plan::Last);
        };
        let name = kind.name();
        let parts = matches!(first.kind, Kind::ReduceScatter | Kind::ReduceScatterBlock);
        for (i, c) in all.iter().enumerate() {
            if idle(c) {
                continue;
            }
            let (a, b) = (first.count * first.ty.size, c.count * c.ty.size);
            if a != b {
                return fail(
                    Class::ERR_COUNT,
                    format!("{name}: rank {start} gives {a} bytes, rank {i} {b}"),
                );
            }
            let same = match (c.op, first.op) {
                // Whether another process's function is the same is not known.
                (Op::User(a), Op::User(b)) if c.far || first.far => a.commute == b.commute,
                (a, b) => a == b,
            };
            // The addresses of the same function differ only between builds.
            if !same {
                return fail(
                    Class::ERR_OP,
                    format!("{name}: ranks {start} and {i} name different operations"),
                );
            }
            if parts && inter.is_none() && !c.counts.same(&first.counts) {
                return fail(
                    Class::ERR_COUNT,
                    format!("{name}: ranks 0 and {i} give different receive counts"),
                );
            }
        }
        if inter.is_some() {
            return Ok(Plan::Last);
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
        let flow = Flow {
            from: 0..n,
            to: 0..n,
        };
        elements(all, &flow, at(i), at(i + 1));
        Ok(())
    }

    fn whole(all: &All<Self>, runner: usize) {
        for flow in flows(all) {
            let first = all.get(flow.from.start);
            if flow
                .to
                .clone()
                .all(|i| all.get(i).is_nothing(i - flow.to.start))
            {
                // Nobody here has any use for it.
                continue;
            }
            match (first.op, all.get(runner).op) {
                (Op::Predef(_), _) => elements(all, &flow, 0, first.count),
                // Addresses of functions are a process's own.
                (Op::User(op), Op::User(own)) => {
                    let op = if first.far { own } else { op };
                    by_function(all, &flow, op, runner);
                }
                _ => {}
            }
        }
    }

    const APART: bool = true;

    fn export(&self, _: usize, to: &[usize], w: &mut Writer) {
        w.u64(self.root as u64);
        w.size(self.count);
        w.size(self.ty.size);
        w.u8(self.contributes.into());
        match self.op {
            Op::Predef(p) => w.u32(p as u32),
            Op::User(u) => w.u32(u.commute.into()),
        }
        w.list(self.counts.iter(), |w, c| w.disp(c));
        let concerned = self.concerns(to);
        w.size(if concerned { self.covers } else { 0 });
        if concerned {
            // SAFETY: the caller of the collective vouches for its buffer and waits.
            w.bytes(&unsafe { self.ty.pack_vec(self.send, self.count) });
        }
    }

    fn import(
        r: &mut Reader,
        me: usize,
        here: &[usize],
        like: &Self,
        keep: &mut Keep<Self>,
    ) -> Read<Self> {
        let (root, count, size) = (r.u64()? as usize, r.size()?, r.size()?);
        let contributes = r.u8()? != 0;
        let op = match r.u32()? {
            n @ 0..=1 => Op::User(UserOp {
                func: 0,
                commute: n == 1,
            }),
            n => match Predef::from_handle(n as usize) {
                Some(p) => Op::Predef(p),
                None => return bad("an operation that does not exist"),
            },
        };
        let counts = r.list(|r| Ok(r.disp()? as isize))?;
        let covers = r.size()?;
        let mut call = Reduction {
            kind: like.kind,
            root,
            send: std::ptr::null(),
            recv: std::ptr::null_mut(),
            count: like.count,
            counts: Ints::Aint(keep.counts(counts)),
            ty: like.ty,
            handle: like.handle,
            op,
            kernel: like.kernel,
            shape: like.shape,
            contributes,
            covers,
            far: true,
        };
        let bytes = if covers > 0 { r.bytes()? } else { &[] };
        if count.checked_mul(size) != like.count.checked_mul(like.ty.size) {
            // They do not belong together, as `plan` finds by this.
            call.count = match like.count {
                0 => usize::from(like.ty.size > 0),
                n => n + 1,
            };
            return Ok(call);
        }
        if covers > 0 {
            let to = keep.elements(like.ty, like.count);
            // SAFETY: room for as many was made.
            unsafe {
                like.ty.unpack(bytes.as_ptr(), bytes.len(), to, like.count);
            }
            call.send = to;
        }
        let within = matches!(like.shape, Shape::Intra);
        if within && matches!(op, Op::User(_)) && like.gives() && here.contains(&root) {
            call.recv = keep.elements(like.ty, call.wanted(me).1);
        }
        Ok(call)
    }

    fn gives(&self) -> bool {
        self.kind != Kind::Reduce
    }

    fn results(all: &All<Self>, to: &[usize]) -> Option<Vec<u8>> {
        if !all.get(0).gives() {
            return None;
        }
        let mut w = Writer::default();
        for &i in to {
            let c = all.get(i);
            // SAFETY: made for the results of that member.
            w.bytes(&unsafe { c.ty.pack_vec(c.recv, c.wanted(i).1) });
        }
        Some(w.0)
    }

    fn accept(all: &All<Self>, here: &[usize], r: &mut Reader) -> Read<()> {
        for &i in here {
            let (c, bytes) = (all.get(i), r.bytes()?);
            // SAFETY: the caller of the collective vouches for its buffer and waits.
            unsafe {
                c.ty.unpack(bytes.as_ptr(), bytes.len(), c.recv, c.wanted(i).1);
            }
        }
        Ok(())
    }
}

impl Reduction<'_> {
    /// Does member `i` get nothing here?
    fn is_nothing(&self, i: usize) -> bool {
        self.recv.is_null() && self.far || self.wanted(i).1 == 0
    }
}

/// Combines and delivers elements `from..to`.
fn elements(all: &All<Reduction>, flow: &Flow, from: usize, to: usize) {
    let first = all.get(flow.from.start);
    let Some(kernel) = first.kernel else { return };
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
                    fold(all, &flow.from, kernel, scratch, at, n, width);
                    deliver(all, &flow.to, scratch, at, n, width);
                }
            }
            at += n;
        }
    });
}

/// Tree of the contributions to elements `at..at + n`; the result is at `scratch`.
unsafe fn fold(
    all: &All<Reduction>,
    members: &Range<usize>,
    kernel: Kernel,
    scratch: *mut u8,
    at: usize,
    n: usize,
    width: usize,
) {
    let bytes = n * width;
    let mut top = 0; // partial results on the stack in `scratch`
    let mut r = 0;
    while r < members.len() {
        let c = all.get(members.start + r);
        let mine = c.send.add(at * width);
        let place = r / c.covers;
        r += c.covers;
        if place % 2 == 0 {
            std::ptr::copy_nonoverlapping(mine, scratch.add(top * bytes), bytes);
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
        if c.far {
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
        if r > 0 && c.far {
            kernel(sum, mine, n);
        } else if r == 0 {
            std::ptr::copy_nonoverlapping(mine, sum, bytes);
            if !exclusive && !c.far {
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
fn by_function(all: &All<Reduction>, flow: &Flow, op: UserOp, runner: usize) {
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
