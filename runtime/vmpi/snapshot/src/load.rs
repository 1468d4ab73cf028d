//! Reads back what [`crate::save`] wrote, perhaps under another ABI.

use pc3_runtime::transfer::{LoadCtx, LoadError, Target};
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::meeting::posted::Posted;
use pc3_vmpi_core::p2p::written;
use pc3_vmpi_link::ports::Ports;
use pc3_vmpi_link::remote;

use crate::status::{
    self, ACTIVE, DONE, GROWN, NULL, PARTS, PERSISTENT, REPRESENTATIONS, SESSIONS, TOGETHER,
    VERSION, WINDOWS,
};
use crate::{files, message, other_requests, saved, sessions, windows};
use pc3_vmpi_coll::comm::WORLD_ID;
use pc3_vmpi_coll::meeting::rounds;
use pc3_vmpi_core::mail::request::{Extra, RequestKind};
use pc3_vmpi_core::p2p::{Buf, Mode, Request, Status};
use pc3_vmpi_core::rank::{Phase, RankState};
use pc3_vmpi_objects::datatype::saved::rebuilt::RebuiltType;
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_objects::pack;
use pc3_vmpi_objects::wire::{bad, Read, Reader};
use std::sync::atomic::Ordering::Relaxed;

/// Fills a fresh rank; its memory is restored already, but for a guest's.
pub fn load(me: &RankState, bytes: &[u8], ctx: &dyn LoadCtx, guest: bool) -> Result<(), LoadError> {
    let mut r = Reader(bytes);
    let version = r.u8()?;
    let has = match version.checked_sub(VERSION) {
        Some(more) if more <= GROWN + REPRESENTATIONS + WINDOWS + TOGETHER + SESSIONS => more,
        _ => return bad(&format!("version {version} is not known")),
    };
    let (registered, grown) = (has & REPRESENTATIONS != 0, has & GROWN != 0);
    begin(me, &mut r, ctx)?;
    if grown {
        read_grown(me, &mut r)?;
    }

    let requests = r.list(|r| request(r, ctx, me))?;
    let world = me.world();
    let senders = message::senders(world);
    let inbound = r.list(|r| written::read(r, &senders, ctx))?;
    let taken = r.list(|r| Ok((r.size()?, written::read(r, &senders, ctx)?)))?;
    let types = saved::load(me.objects(), &mut r, ctx)?;
    if types.len() < requests.len() {
        return bad("types are missing");
    }
    let mut requests = requests;
    let (types, more) = types.split_at(requests.len());
    let mut more = more.iter().cloned();
    // Older checkpoints end here.
    if !r.0.is_empty() {
        saved::load_more(me.objects(), &mut r)?;
        read_extras(me, &mut r, ctx, &mut requests, &mut more)?;
        let late = r.u32()?;
        world.late_ids.fetch_max(late, Relaxed);
        if registered {
            files::read_registered(me.objects(), &mut r, ctx)?;
        }
        files::read(me, &mut r, &mut more)?;
        if has & WINDOWS != 0 {
            windows::read(me, &mut r, ctx)?;
        }
        if has & TOGETHER != 0 {
            windows::read_together(me, &mut r)?;
        }
        if has & SESSIONS != 0 {
            sessions::read(me, &mut r, ctx)?;
        }
    }
    if guest {
        for (q, again) in requests.iter_mut().zip(types) {
            load_landing(me, q, &again.ty, r.list(Reader::u8)?)?;
        }
    }
    if !r.0.is_empty() || more.next().is_some() {
        return bad("something follows its end");
    }

    me.mailbox
        .with(|q| inbound.into_iter().for_each(|(k, m)| q.insert(k, m)));
    for (handle, m) in taken {
        if !me.messages.borrow_mut().restore(handle, m) {
            return bad("a message handle");
        }
    }
    for (mut saved, again) in requests.into_iter().zip(types) {
        measure(&mut saved, again, ctx)?;
        restore(me, saved, again.ty.clone())?;
    }
    Ok(())
}

/// How far MPI has come, and the attached buffer.
fn begin(me: &RankState, r: &mut Reader, ctx: &dyn LoadCtx) -> Result<(), LoadError> {
    me.phase.set(match r.u8()? {
        0 => Phase::Before,
        1 => Phase::Initialized,
        2 => Phase::Finalized,
        _ => return bad("an unknown phase"),
    });
    me.thread_level.set(r.i32()?);
    me.bsend
        .addr
        .set(address(me, r.u64()?, ctx, "the attached buffer")? as usize);
    me.bsend.size.set(r.size()?);
    me.bsend.untyped.set(r.u8()? != 0);
    Ok(())
}

/// What collectives and generalized requests have beside the rest.
fn read_extras(
    me: &RankState,
    r: &mut Reader,
    ctx: &dyn LoadCtx,
    requests: &mut [Saved],
    types: &mut impl Iterator<Item = RebuiltType>,
) -> Result<(), LoadError> {
    for q in requests {
        let extra = match q.make.what {
            RequestKind::Coll => Extra::Coll(Box::new(other_requests::read(r, me, ctx, types)?)),
            RequestKind::General => Extra::General(other_requests::read_general(r, ctx)?),
            _ if q.flags & PARTS != 0 => Extra::Parts(other_requests::read_parts(r)?),
            _ => continue,
        };
        q.make.extra = Some(Box::new(extra));
    }
    Ok(())
}

fn read_grown(me: &RankState, r: &mut Reader) -> Read<()> {
    let o = me.objects();
    let (group, id) = (saved::read_group(o, r)?, r.u32()?);
    let first = id == WORLD_ID && group.size() == o.all as usize;
    if !first && !o.set_world(id, group, me.rank) {
        return bad("an MPI_COMM_WORLD without its owner");
    }
    o.attr_values.universe_size = r.i32()?;
    o.attr_values.appnum = Some(r.i32()?).filter(|n| *n >= 0);
    o.parent = r.size()?;
    o.ports = r.u32()?;
    me.world().part::<Ports>().read(me.rank, r)
}

struct Saved {
    handle: usize,
    flags: u8,
    /// Without its type.
    make: Request,
}

fn request(r: &mut Reader, ctx: &dyn LoadCtx, me: &RankState) -> Read<Saved> {
    let handle = r.size()?;
    let flags = r.u8()?;
    let what = match r.u8()? {
        0 => RequestKind::Recv,
        1 => RequestKind::Send(Mode::Standard),
        2 => RequestKind::Send(Mode::Synchronous),
        3 => RequestKind::Send(Mode::Buffered),
        4 => RequestKind::Send(Mode::Ready),
        5 => RequestKind::Coll,
        6 => RequestKind::General,
        _ => return bad("an unknown kind of request"),
    };
    let dest = r.u32()?;
    if dest >= me.size() {
        return bad("a request to a rank that does not exist");
    }
    let key = written::read_key(r)?;
    let peer = r.i32()?;
    let comm = r.size()?;
    let source = r.u64()?;
    // A completed operation does not touch its buffer any more; it may be gone.
    let over = flags & DONE != 0 && flags & PERSISTENT == 0;
    let addr = if over {
        std::ptr::null_mut()
    } else {
        address(me, source, ctx, "the buffer of a pending request")?
    };
    let count = r.size()?;
    let none = pc3_vmpi_objects::datatype::build::bytes();
    let mut make = Request::new(me.rank, what, dest, key, &Buf::new(addr, count, &none));
    make.null = flags & NULL != 0;
    make.persistent = flags & PERSISTENT != 0;
    make.active.set(flags & ACTIVE != 0);
    make.peer = peer;
    make.comm = comm;
    let status = status::read(r)?;
    // SAFETY: nobody else has it.
    unsafe { make.set_status(status) };
    *make.done.get_mut() = flags & DONE != 0;
    Ok(Saved {
        handle,
        flags,
        make,
    })
}

/// What a guest's pending or persistent message, or pending collective, sends and receives is here until the program takes it
/// back ([`RankState::take_landing`]).
fn load_landing(me: &RankState, saved: &mut Saved, ty: &TypeRef, content: Vec<u8>) -> Read<()> {
    let (done, again) = (saved.flags & DONE != 0, saved.make.persistent);
    let mut landing;
    match saved.make.what {
        RequestKind::Recv | RequestKind::Send(_) if again || !(done || saved.make.null) => {
            landing = filled(ty, saved.make.count, &content)?.into_boxed_slice();
            saved.make.addr = landing.as_mut_ptr();
        }
        RequestKind::Coll if !done => {
            let Some(Extra::Coll(c)) = saved.make.extra.as_deref_mut() else {
                return Ok(());
            };
            let Some(p) = c.any_mut().downcast_mut::<Posted>() else {
                return Ok(());
            };
            let Some([sent, received]) = p.memory() else {
                return Ok(());
            };
            let mut both = match &sent {
                Some(sent) => filled(sent.ty, sent.count, &content)?,
                None => Vec::new(),
            };
            let start = both.len();
            if let Some(received) = &received {
                both.append(&mut filled(received.ty, received.count, &[])?);
            }
            landing = both.into_boxed_slice();
            let at = landing.as_mut_ptr();
            p.place(at, at.wrapping_add(start));
        }
        _ => return Ok(()),
    }
    me.landings.borrow_mut().push((saved.handle, landing));
    Ok(())
}

/// A buffer of so many elements, which are `content`, or nothing yet.
fn filled(ty: &TypeRef, count: usize, content: &[u8]) -> Read<Vec<u8>> {
    let Some(len) = ty.bytes(count) else {
        return bad("a message is too long for this machine");
    };
    let mut native = vec![0; len];
    if !content.is_empty() {
        native.clear();
        let whole = ty.signature.repeat(count as u64);
        pack::from_portable(&whole, content, &mut native)
            .or_else(|e| bad(&format!("a message that is being sent: {}", e.detail)))?;
    }
    if native.len() != len {
        return bad("a message that is being sent");
    }
    Ok(native)
}

/// Numbers of bytes that are values of the program's types follow the types' sizes.
fn measure(saved: &mut Saved, again: &RebuiltType, ctx: &dyn LoadCtx) -> Read<()> {
    let make = &mut saved.make;
    let (over, receives) = (saved.flags & DONE != 0, make.what == RequestKind::Recv);
    if !over || saved.flags & PERSISTENT != 0 {
        make.count = again.count(make.count, receives, ctx)?;
    }
    if over && receives {
        let status = make.status();
        let bytes = again.count(status.bytes, true, ctx)?;
        // SAFETY: nobody else has it.
        unsafe { make.set_status(Status { bytes, ..status }) };
    }
    Ok(())
}

fn restore(me: &RankState, saved: Saved, ty: TypeRef) -> Read<()> {
    let r = me.new_request(Request { ty, ..saved.make });
    let pending = saved.flags & (ACTIVE | DONE) == ACTIVE;
    let q: *const Request = r.ptr();
    me.loaded.borrow_mut().push(q);
    // SAFETY: in place now and for as long as it is pending.
    let req = unsafe { &*q };
    if pending && req.what == RequestKind::Recv {
        me.take_turn(req);
        me.mailbox.with(|m| m.posted.push(req.key, q));
    }
    if pending && req.what == RequestKind::Coll {
        // Some member has not started it, so nobody has to do its work yet.
        match (remote(me.world()), Posted::of(req)) {
            (Some(link), Some(p)) if me.world().spans(&p.all) => link.board.restored(q),
            _ => rounds::wait(req),
        }
    }
    match saved.handle {
        0 => me.detach(r),
        h => {
            if !me.requests.borrow_mut().restore(h, r) {
                return bad("a request handle");
            }
        }
    }
    Ok(())
}

fn address(me: &RankState, source: u64, ctx: &dyn LoadCtx, what: &str) -> Read<*mut u8> {
    match ctx.pointer(source) {
        Target::Null => Ok(std::ptr::null_mut()),
        Target::At(p) => Ok(p),
        Target::Dangling => bad(&format!(
            "rank {}: {what} is no object of the program any more",
            me.rank
        )),
    }
}
