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

use super::combine::{by_function, elements, halves, small, Together};
use super::inline_collective::{reduction, Few, Heard, Record};
use super::meeting::{All, Brief, Call, Kind, Plan};
use super::moves::{root_side, Shape, NOBODY, SHARE_FROM};
use super::remote::Keep;
use super::side::{read_elements, write_elements, Ints};
use super::zero_copy::{Came, To};
use crate::state::World;
use pc3_vmpi_objects::datatype::{Datatype, TypeRef};
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::op::{Kernel, Op, Predef, UserOp};
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};
use pc3_vmpi_sched::copy::copy_few;
use std::ops::Range;

/// In what a contribution from elsewhere differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Odd {
    /// It has so many bytes.
    Bytes(usize),
    Type,
}

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
    pub remote: bool,
    /// Likewise, and what it gives is not what members here give.
    pub odd: Option<Odd>,
    /// A function of the program's is called in every process that has members.
    pub everywhere: bool,
}

/// The one kind of element that a type has.
fn basic(ty: &TypeRef) -> u32 {
    ty.signature.uniform().map_or(u32::MAX, |b| b as u32)
}

/// Whose contributions are combined, and who gets the result.
pub(super) struct Flow {
    pub from: Range<usize>,
    pub to: Range<usize>,
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
    /// Of its contribution.
    fn bytes(&self) -> usize {
        match self.odd {
            Some(Odd::Bytes(n)) => n,
            _ => self.count * self.ty.size,
        }
    }

    /// Elements that member `i` receives: (first, number).
    pub(super) fn wanted(&self, i: usize) -> (usize, usize) {
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

    /// Elements that member `me` has when all is done.
    fn received(&self, me: usize) -> usize {
        let (between, i) = match self.shape {
            Shape::Inter { low } => (true, if me < low { me } else { me - low }),
            _ => (false, me),
        };
        match self.kind {
            Kind::Exscan if me == 0 => 0,
            Kind::Reduce if between && self.contributes => 0,
            _ => self.wanted(i).1,
        }
    }

    /// Do the members `to` need this contribution?
    fn concerns(&self, to: &[usize]) -> bool {
        match (self.shape, self.op, self.kind) {
            (Shape::Inter { .. }, ..) => self.contributes,
            (_, Op::User(_), _) if !self.everywhere => to.contains(&self.root),
            (_, _, Kind::Reduce) => to.contains(&self.root),
            _ => true,
        }
    }

    pub(super) fn is_scan(&self) -> bool {
        matches!(self.kind, Kind::Scan | Kind::Exscan)
    }
}

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
        let bytes = first.bytes();
        let other = |(_, c): &(usize, &Self)| !idle(c) && c.bytes() != bytes;
        if let Some((i, c)) = all.iter().enumerate().find(other) {
            let text = format!(
                "{name}: rank {start} gives {bytes} bytes, rank {i} {}",
                c.bytes()
            );
            return fail(Class::ERR_COUNT, text);
        }
        for (i, c) in all.iter().enumerate() {
            if idle(c) {
                continue;
            }
            // Values of the same size would be combined as what they are not.
            let odd = c.odd.is_some();
            if odd || !(c.ty.same(first.ty) || basic(c.ty) == basic(first.ty)) {
                // An odd one is so beside those here.
                let same = |c: &&Self| !idle(c) && c.odd.is_none();
                let other = match odd {
                    true => all.iter().position(|c| same(&c)).unwrap_or(start),
                    false => start,
                };
                let (a, b) = (other.min(i), other.max(i));
                return fail(
                    Class::ERR_TYPE,
                    format!("{name}: ranks {a} and {b} name different types"),
                );
            }
            let same = match (c.op, first.op) {
                // Whether another process's function is the same is not known.
                (Op::User(a), Op::User(b)) if c.remote || first.remote => a.commute == b.commute,
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
                    let op = if first.remote { own } else { op };
                    by_function(all, &flow, op, runner);
                }
                _ => {}
            }
        }
    }

    #[inline]
    fn brief(&self) -> Option<Brief> {
        let (Some(ty), Op::Predef(op)) = (self.ty.as_static(), self.op) else {
            return None;
        };
        let bytes = self.count.checked_mul(ty.size)?;
        let alike = matches!(self.kind, Kind::Reduce | Kind::Allreduce)
            && matches!(self.shape, Shape::Intra)
            && ty.contiguous
            && ty.extent == ty.size as isize
            && self.kernel.is_some();
        (alike && bytes <= Brief::MOST).then_some(Brief {
            kind: self.kind,
            what: [
                self.root,
                std::ptr::from_ref::<Datatype>(ty) as usize,
                op as usize,
            ],
            bytes,
        })
    }

    #[inline]
    unsafe fn give(&self, to: *mut u8) {
        let bytes = self.count * self.ty.size;
        // SAFETY: the caller's promise, and that of the collective's.
        unsafe { copy_few(self.send, to, bytes) }
    }

    const SUBTREES: bool = true;

    unsafe fn combine(
        &self,
        parts: impl Fn(usize) -> (*const u8, usize),
        members: usize,
        to: *mut u8,
    ) {
        if let Some(kernel) = self.kernel {
            let each = (self.count, self.ty.size);
            // SAFETY: the caller's promise.
            unsafe { small(parts, members, kernel, each, to) }
        }
    }

    unsafe fn combine_halves(&self, room: *mut u8, members: usize, to: *mut u8) {
        if let Some(kernel) = self.kernel {
            let each = (self.count, self.ty.size);
            // SAFETY: the caller's promise.
            unsafe { halves(room, members, kernel, each, to) }
        }
    }

    #[inline]
    unsafe fn take(&self, me: usize, from: *const u8) {
        // Of those that are told.
        if self.kind == Kind::Allreduce || me == self.root {
            // SAFETY: the caller's promise, and that of the collective's.
            unsafe { copy_few(from, self.recv, self.count * self.ty.size) }
        }
    }

    fn result(&self, me: usize, _: usize, w: &mut Writer) -> bool {
        // SAFETY: the caller's own buffer, which holds the result.
        unsafe { write_elements(w, self.recv, self.received(me), self.ty) }
    }

    fn put_result(&self, me: usize, _: usize, r: &mut Reader, world: &World) -> Read<()> {
        // SAFETY: the caller's own buffer.
        unsafe { read_elements(r, (self.recv, self.received(me), self.ty), world) }
    }

    const APART: bool = true;
    const READ_AT_ONCE: bool = true;

    fn together(all: &All<Self>, here: &[usize]) -> Together {
        let first = all.get(here[0]);
        let sums =
            !first.is_scan() && matches!(first.shape, Shape::Intra) && first.kernel.is_some();
        let alike = |i: &usize| {
            let c = all.get(*i);
            (c.count, c.op) == (first.count, first.op) && c.ty.same(first.ty)
        };
        // The root's process sends the others nothing.
        let needed = first.kind != Kind::Reduce || !here.contains(&first.root);
        match sums && needed && here.iter().all(alike) {
            true => Together::of_subtrees(all, here),
            false => Together::default(),
        }
    }

    fn record(all: &All<Self>, here: &[usize], _: usize) -> Option<Record> {
        reduction::record(all, here)
    }

    fn tell(all: &All<Self>, here: &[usize], _: &[usize], into: &mut Few) {
        reduction::tell(all, here, into);
    }

    fn hear(all: &All<Self>, here: &[usize], heard: &Heard) -> bool {
        reduction::hear(all, here, heard)
    }

    fn spell(
        record: Record,
        (from, _): (&[usize], &[usize]),
        given: &[u8],
        w: &mut Writer,
    ) -> Read<()> {
        reduction::spell(record, from, given, w)
    }

    fn export(&self, me: usize, to: &To, w: &mut Writer) {
        let concerned = self.concerns(to.members);
        let (send, covers) = to.given(me).unwrap_or((self.send, self.covers));
        let covers = if concerned { covers } else { 0 };
        let what = (self.root, self.count, self.contributes, covers);
        Reduction::write(w, what, (self.ty, self.op), self.counts);
        if covers > 0 {
            // SAFETY: the caller of the collective vouches for its buffer and waits; what is given together stays.
            unsafe { to.write(w, (send, self.count, self.ty), true) };
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
        let mut odd = (r.u32()? != basic(like.ty)).then_some(Odd::Type);
        let contributes = r.u8()? != 0;
        let op = match r.u32()? {
            n @ 0..=3 => Op::User(UserOp::with_traits(0, n as u8)),
            n => match Predef::from_handle(n as usize) {
                Some(p) => Op::Predef(p),
                None => return bad("an operation that does not exist"),
            },
        };
        let counts = r.list(|r| Ok(r.disp()? as isize))?;
        let covers = r.size()?;
        let bytes = count.saturating_mul(size);
        if bytes != like.bytes() {
            // They do not belong together, as `plan` finds by this.
            odd = Some(Odd::Bytes(bytes));
        }
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
            remote: true,
            odd,
            everywhere: like.everywhere,
        };
        let came = match covers {
            0 => Came::Here(&[]),
            _ => Came::read(r, keep.lender)?,
        };
        if matches!(odd, Some(Odd::Bytes(_))) {
            return Ok(call);
        }
        if covers > 0 {
            let to = keep.elements(like.ty, like.count);
            // SAFETY: room for as many was made.
            unsafe { came.put(like.ty, to, like.count) }
                .or_else(|e| bad(&format!("a contribution: {}", e.detail)))?;
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
    /// How a call goes to other processes, but for what it contributes.
    pub(super) fn write(
        w: &mut Writer,
        (root, count, contributes, covers): (usize, usize, bool, usize),
        (ty, op): (&TypeRef, Op),
        counts: Ints,
    ) {
        w.u64(root as u64);
        w.size(count);
        w.size(ty.size);
        w.u32(basic(ty));
        w.u8(contributes.into());
        match op {
            Op::Predef(p) => w.u32(p as u32),
            Op::User(u) => w.u32(u.traits().into()),
        }
        w.list(counts.iter(), |w, c| w.disp(c));
        w.size(covers);
    }

    /// Does member `i` get nothing here?
    pub(super) fn is_nothing(&self, i: usize) -> bool {
        self.recv.is_null() && self.remote || self.wanted(i).1 == 0
    }
}
