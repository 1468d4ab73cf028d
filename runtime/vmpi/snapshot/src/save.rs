//! One rank's MPI state as a checkpoint keeps it; [`crate::load`] reads it back.
//!
//! ```text
//! rank      = version:u8 phase:u8 thread_level:i32 bsend_addr:u64 bsend_size:u64 bsend_untyped:u8 grown?
//!             [request] [message] [handle:u64 message] objects
//!             more extra* late_id:u32 representations? files windows? held*
//! grown     = world:group world_id:u32 universe:i32 appnum:i32 parent:u64 ports:u32 [port:str] [service:str port:str]
//! request   = handle:u64 (0: given up) flags:u8 what:u8 dest:u32 key peer:i32 comm:u64
//!             addr:u64 count:u64 status
//! status    = source:i32 tag:i32 unit:u32 length:u64 cancelled:u8 error:i32
//! ```
//! `[x]` is a list.  The version is 1, and 1 more if there is `grown`, of jobs that have spawned ranks, or ports; 2 more if there are `representations` that the rank has registered; 4 more if there are windows ([`crate::windows`]).  `more` is of [`saved::save_more`]; each request that is no message has an extra
//! ([`crate::other_requests`]); files are in [`crate::files`].  A guest's have no addresses: each pending one has what it is to send, in
//! the portable format (`held`, bytes).  `objects` is what [`saved::save`] writes; the types
//! of the requests go with it, in their order.  Addresses are the saved program's.

use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::meeting::posted::Posted;
use pc3_vmpi_link::ports::Ports;
use std::sync::Arc;

use pc3_runtime::job::Job;
use pc3_runtime::transfer::SaveCtx;
use pc3_vmpi_core::p2p::written;

use crate::status::{
    self, ACTIVE, DONE, GROWN, NULL, PARTS, PERSISTENT, REPRESENTATIONS, SESSIONS, TOGETHER,
    VERSION, WINDOWS,
};
use crate::{files, other_requests, saved, sessions, windows};
use pc3_vmpi_core::mail::mailbox::Message;
use pc3_vmpi_core::mail::request::{Extra, RequestKind};
use pc3_vmpi_core::p2p::{Key, Mode, Request, Status};
use pc3_vmpi_core::rank::{Phase, RankState};
use pc3_vmpi_objects::pack;
use pc3_vmpi_objects::wire::Writer;
use std::sync::atomic::Ordering::Relaxed;

/// Everything of a rank that is unwound or has ended; no rank runs, or none can touch it.
pub fn save(me: &RankState, ctx: &SaveCtx) -> Vec<u8> {
    let mut w = Writer::default();
    let grown = is_grown(me);
    let registered = !me.objects().representations.is_empty();
    let exposes = !me.objects().windows.is_empty();
    let more = |is: bool, more: u8| if is { more } else { 0 };
    let together = !me.objects().together.is_empty();
    let o = me.objects();
    let sessions = !o.sessions.is_empty() || !o.buffers.is_empty();
    let more = [
        more(grown, GROWN),
        more(registered, REPRESENTATIONS),
        more(exposes, WINDOWS),
        more(together, TOGETHER),
        more(sessions, SESSIONS),
    ];
    w.u8(VERSION + more.iter().sum::<u8>());
    w.u8(match me.phase.get() {
        Phase::Before => 0,
        Phase::Initialized => 1,
        Phase::Finalized => 2,
    });
    w.i32(me.thread_level.get());
    w.u64(ctx.address(me.bsend.addr.get() as *const u8));
    w.size(me.bsend.size.get());
    w.u8(me.bsend.untyped.get().into());
    if grown {
        write_grown(me, &mut w);
    }

    let list = kept(me);
    // Nothing of a complete MPI_Comm_idup waits for the program.
    let complete = list.iter().filter(|(_, r)| r.is_done());
    complete.for_each(|(_, r)| pc3_vmpi_coll::comm::idup::settle(me, r));
    let guest = me.exec().is_some_and(|r| r.guest.is_some());
    w.list(list.iter(), |w, (handle, r)| {
        request(w, *handle, r, (!guest).then_some(ctx));
    });
    let at_once = me.world().protocol.lines_are_at_once();
    let sender = |r: &Request| at_once.then(|| place(me.world().rank(r.owner), r))?;
    // A sender may be this rank itself: its mailbox must be free while messages are written.
    let inbound: Vec<(Key, *const Message)> = me.mailbox.with(|q| {
        let all = q.inbound.iter();
        let all = all.filter(|(_, m)| !m.mark.as_ref().is_some_and(|k| k.left_out));
        all.map(|(k, m)| (*k, &raw const *m)).collect()
    });
    w.list(inbound.iter(), |w, (k, m)| {
        // SAFETY: no rank runs, so what is in the queue stays there.
        written::write(w, k, unsafe { &**m }, sender);
    });
    let taken = me.messages.borrow();
    let all: Vec<_> = taken.iter().collect();
    w.list(all.into_iter(), |w, (handle, (k, m))| {
        w.size(handle);
        written::write(w, k, m, sender);
    });

    let over = |r: &Request| r.is_done() && !r.persistent;
    let more: Vec<(&Extra, bool)> = list
        .iter()
        .filter_map(|(_, r)| Some((r.extra.as_deref()?, over(r))))
        .collect();
    let extra_types = more
        .iter()
        .flat_map(|(x, over)| other_requests::types(x, *over));
    let types = list.iter().map(|(_, r)| &r.ty).chain(extra_types);
    let types = types.chain(files::types(me));
    let objects = saved::save(me.objects(), types);
    w.0.extend_from_slice(&objects);
    saved::save_more(me.objects(), &mut w);
    for (extra, over) in more {
        other_requests::write(&mut w, extra, over, (!guest).then_some(ctx));
    }
    w.u32(me.world().late_ids.load(Relaxed));
    if registered {
        files::write_registered(me.objects(), &mut w);
    }
    files::write(me, &mut w);
    if exposes {
        windows::write(me, &mut w, ctx);
    }
    if together {
        let handles = me.objects().together.iter();
        w.list(handles, |w, h| w.size(*h));
    }
    if sessions {
        sessions::write(me, &mut w, ctx);
    }
    if guest {
        list.iter().for_each(|(_, r)| save_unsent(&mut w, r));
    }
    w.0
}

/// Has it, or any other, more than ranks of jobs that stay as they began?  Or can that be so when the checkpoint is complete?
fn is_grown(me: &RankState) -> bool {
    let world = me.world();
    let ports = me.objects().ports > 0 || world.part::<Ports>().any(me.rank);
    let others = |job: &Arc<Job>| {
        job.all() != job.world || world.nonblocking.is_slow() && job.refuses_ranks().is_none()
    };
    ports || world.job.get().is_some_and(others)
}

fn write_grown(me: &RankState, w: &mut Writer) {
    let o = me.objects();
    saved::group(w, &o.world.group);
    w.u32(o.world.id);
    w.i32(o.attr_values.universe_size);
    w.i32(o.attr_values.appnum.unwrap_or(-1));
    w.size(o.parent);
    w.u32(o.ports);
    me.world().part::<Ports>().write(me.rank, w);
}

/// What a guest's request is still to send.
fn save_unsent(w: &mut Writer, r: &Request) {
    let mut content = Vec::new();
    if let Some(p) = Posted::of(r).filter(|_| !r.is_done()) {
        if let Some([Some(sent), _]) = p.memory() {
            // SAFETY: what a pending call sends is readable.
            let native = unsafe { sent.ty.pack_vec(sent.ptr, sent.count) };
            let whole = sent.ty.signature.repeat(sent.count as u64);
            let _ = pack::to_portable(&whole, &native, &mut content);
        }
    } else if matches!(r.what, RequestKind::Send(_)) && !r.is_done() && !r.null {
        let mut native = vec![0; r.buf().len()];
        // SAFETY: a pending send's buffer is readable, and as long.
        unsafe { r.buf().pack(native.as_mut_ptr()) };
        let whole = r.ty.signature.repeat(r.count as u64);
        // Only `long double` has no portable form, and guests have none.
        let _ = pack::to_portable(&whole, &native, &mut content);
    }
    w.bytes(&content);
}

/// Does nothing that a checkpoint keeps lead into the rank's memory?
pub fn is_idle(me: &RankState) -> bool {
    let o = me.objects();
    let attributes = |c: &pc3_vmpi_coll::comm::Comm| !c.attrs.is_empty();
    me.bsend.addr.get() == 0
        && kept(me).is_empty()
        && me.messages.borrow().iter().next().is_none()
        && !attributes(&o.world)
        && !attributes(&o.self_)
        && o.files.iter().next().is_none()
        && o.windows.is_empty()
        && o.keyvals.live.is_empty()
        && o.representations.is_empty()
}

/// The place of a pending request among those that its owner saves.
pub fn place(owner: &RankState, r: &Request) -> Option<u64> {
    let list = kept(owner);
    let at = list.iter().position(|(_, x)| std::ptr::eq(*x, r));
    at.map(|i| i as u64)
}

/// The requests that a checkpoint keeps, with their handles.
fn kept(me: &RankState) -> Vec<(usize, &Request)> {
    let mut list: Vec<(usize, *const Request)> = me
        .requests
        .borrow()
        .iter()
        .map(|(h, r)| (h, r.ptr()))
        .collect();
    list.extend(
        me.detached()
            .iter()
            .filter(|r| !r.get().is_done())
            .map(|r| (0, r.ptr())),
    );
    // Receives in the order in which they were posted, because they match in this order.
    let posted: Vec<*const Request> = me
        .mailbox
        .with(|q| q.posted.iter().map(|(_, r)| *r).collect());
    let place = |r: *const Request| posted.iter().position(|p| *p == r).unwrap_or(0);
    list.sort_by_key(|(_, r)| place(*r));
    // SAFETY: requests of a rank that does not run stay where they are.
    list.into_iter().map(|(h, r)| (h, unsafe { &*r })).collect()
}

/// Without `ctx` its buffer is not told.
fn request(w: &mut Writer, handle: usize, r: &Request, ctx: Option<&SaveCtx>) {
    w.size(handle);
    let flag = |on: bool, bit: u8| if on { bit } else { 0 };
    let done = r.is_done();
    w.u8(flag(r.null, NULL)
        | flag(r.persistent, PERSISTENT)
        | flag(r.active.get(), ACTIVE)
        | flag(done, DONE)
        | flag(r.parts().is_some(), PARTS));
    w.u8(match r.what {
        RequestKind::Recv => 0,
        RequestKind::Send(Mode::Standard) => 1,
        RequestKind::Send(Mode::Synchronous) => 2,
        RequestKind::Send(Mode::Buffered) => 3,
        RequestKind::Send(Mode::Ready) => 4,
        RequestKind::Coll => 5,
        RequestKind::General => 6,
    });
    w.u32(r.dest);
    written::write_key(w, &r.key);
    w.i32(r.peer);
    w.size(r.comm);
    w.u64(ctx.map_or(0, |ctx| ctx.address(r.addr)));
    w.size(r.count);
    status::write(w, &if done { r.status() } else { Status::EMPTY });
}
