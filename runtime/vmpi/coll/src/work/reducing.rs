//! How reductions are done.

use super::combine::{by_function, elements, halves, small, together};
use super::process_contribution::Contribution;
use super::reduce::{basic, Flow, Odd, Reduction};
use super::shapes::{root_side, DealShape, NOBODY, SHARE_FROM};
use super::side::{read_elements, write_elements, Ints};
use crate::meeting::all::All;
use crate::meeting::call::Call;
use crate::meeting::kind::{Algorithm, Brief, Kind};
use crate::remote::few::{Addressed, CallSignature, Few, Heard, Told};
use crate::remote::inline_collective::reduction;
use crate::remote::kept::Keep;
use crate::remote::members::Members;
use crate::remote::tree::Tree;
use crate::remote::zero_copy::{Came, RemoteProcess};
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::datatype::Datatype;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::op::{Op, Predef, UserOp};
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};
use pc3_vmpi_sched::copy::copy_few;

/// One within a communicator; between two groups one from the side without the root, or both ways.
fn flows(all: &All<Reduction>) -> impl Iterator<Item = Flow> {
    let n = all.len();
    let one = |from, to| Some(Flow { from, to });
    let both = match all.get(0).shape {
        DealShape::Inter { low } => match all.get(0).kind {
            Kind::Reduce if all.get(0).contributes => [one(0..low, low..n), None],
            Kind::Reduce => [one(low..n, 0..low), None],
            _ => [one(0..low, low..n), one(low..n, 0..low)],
        },
        _ => [one(0..n, 0..n), None],
    };
    both.into_iter().flatten()
}

impl Call for Reduction<'_> {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn root(&self) -> usize {
        match self.shape {
            DealShape::Intra => self.root,
            _ => 0,
        }
    }

    fn algorithm(all: &All<Self>, workers: usize) -> Result<Algorithm> {
        let inter = match all.get(0).shape {
            DealShape::Inter { low } => Some(low),
            _ => None,
        };
        let kind = all.get(0).kind;
        if let (Some(low), Kind::Reduce) = (inter, kind) {
            root_side(|i| all.get(i).root, all.len(), low, kind)?;
        }
        // What members of the root's side give who take no part means nothing.
        let idle = |c: &Self| inter.is_some() && kind == Kind::Reduce && c.root == NOBODY;
        let Some((start, first)) = all.iter().enumerate().find(|(_, c)| !idle(c)) else {
            return Ok(Algorithm::Last);
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
            return Ok(Algorithm::Last);
        }
        Ok(match first.op {
            Op::User(_) => Algorithm::Member(first.root),
            // In place, a member's part lands where others' contributions may still be read.
            Op::Predef(_) if parts && all.iter().any(|c| c.send == c.recv.cast_const()) => {
                Algorithm::Last
            }
            Op::Predef(_)
                if workers > 1 && first.count * first.ty.size * all.len() >= SHARE_FROM =>
            {
                Algorithm::Shares
            }
            Op::Predef(_) => Algorithm::Last,
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
        let one = matches!(self.kind, Kind::Reduce | Kind::Allreduce);
        (one && self.is_plain() && bytes <= Brief::MOST).then_some(Brief {
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

    fn together(all: &All<Self>, here: &[usize]) -> Contribution {
        let first = all.get(here[0]);
        let sums =
            !first.is_scan() && matches!(first.shape, DealShape::Intra) && first.kernel.is_some();
        let alike = |i: &usize| {
            let c = all.get(*i);
            (c.count, c.op) == (first.count, first.op) && c.ty.same(first.ty)
        };
        // The root's process sends the others nothing.
        let needed = first.kind != Kind::Reduce || !here.contains(&first.root);
        match sums && needed && here.iter().all(alike) {
            true => together(all, here),
            false => Contribution::default(),
        }
    }

    fn record(all: &All<Self>, here: &[usize], remote: &Members) -> Option<CallSignature> {
        reduction::record(all, here, remote)
    }

    fn tell(all: &All<Self>, here: &[usize], _: &[usize], into: &mut Few) {
        reduction::tell(all, here, into);
    }

    fn hear(all: &All<Self>, here: &[usize], heard: &Heard) {
        reduction::hear(all, here, heard);
    }

    fn gather(all: &All<Self>, here: &[usize], tree: &Tree, below: &[(u32, Told)]) -> Vec<u8> {
        reduction::gather(all, here, tree, below)
    }

    fn addressed(all: &All<Self>, here: &[usize]) -> Option<Addressed> {
        reduction::addressed(all, here)
    }

    fn receiver(all: &All<Self>, here: &[usize]) -> Option<usize> {
        reduction::receiver(all, here)
    }

    fn spread(all: &All<Self>, here: &[usize], result: &[u8]) {
        reduction::spread(all, here, result);
    }

    fn export(&self, me: usize, to: &RemoteProcess, w: &mut Writer) {
        let concerned = self.concerns(to.members);
        let (send, covers) = to.combined(me).unwrap_or((self.send, self.covers));
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
            // They do not belong together, as `algorithm` finds by this.
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
        let within = matches!(like.shape, DealShape::Intra);
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
