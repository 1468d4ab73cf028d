//! Sessions, and buffers of communicators and sessions, in a checkpoint.
//!
//! ```text
//! sessions = [handle:u64 errhandler:u64 [key:str value:str]] [of:u64 automatic:u8 (addr:u64 size:u64 untyped:u8)]
//! ```

use pc3_runtime::transfer::{LoadCtx, SaveCtx, Target};
use pc3_vmpi_coll::handles::{HasObjects, Session};
use pc3_vmpi_core::rank::{Attached, RankState};
use pc3_vmpi_objects::info::Info;
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

pub(crate) fn write(me: &RankState, w: &mut Writer, ctx: &SaveCtx) {
    let o = me.objects();
    let all: Vec<_> = o.sessions.iter().collect();
    w.list(all.into_iter(), |w, (handle, s)| {
        w.size(handle);
        w.size(s.errhandler);
        w.list(s.info.pairs.iter(), |w, (k, v)| (w.str(k), w.str(v)).0);
    });
    w.list(o.buffers.iter(), |w, (of, a)| {
        w.size(*of);
        w.u8(a.is_automatic().into());
        if !a.is_automatic() {
            w.u64(ctx.address(a.addr as *const u8));
            w.size(a.size);
            w.u8(a.untyped.into());
        }
    });
}

pub(crate) fn read(me: &RankState, r: &mut Reader, ctx: &dyn LoadCtx) -> Read<()> {
    let o = me.objects();
    let sessions = r.list(|r| {
        let (handle, errhandler) = (r.size()?, r.size()?);
        let pairs = r.list(|r| Ok((r.str()?, r.str()?)))?;
        let info = Info { pairs };
        Ok((handle, Session { errhandler, info }))
    })?;
    for (handle, session) in sessions {
        if !o.sessions.restore(handle, session) {
            return bad("a session's handle");
        }
    }
    me.sessions.set(o.sessions.len() as u32);
    let buffers = r.list(|r| Ok((r.size()?, buffer(me, r, ctx)?)))?;
    o.buffers.extend(buffers);
    me.bsend.account(o.buffers.values());
    Ok(())
}

fn buffer(me: &RankState, r: &mut Reader, ctx: &dyn LoadCtx) -> Read<Attached> {
    if r.u8()? != 0 {
        return Ok(Attached::automatic());
    }
    let addr = match ctx.pointer(r.u64()?) {
        Target::At(p) => p as usize,
        Target::Null => 0,
        Target::Dangling => {
            return bad(&format!(
                "rank {}: an attached buffer is no object of the program any more",
                me.rank
            ))
        }
    };
    Ok(Attached {
        addr,
        size: r.size()?,
        untyped: r.u8()? != 0,
    })
}
