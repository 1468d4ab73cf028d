//! Blocking and non-blocking point-to-point calls (MPI 4.1 chapter 3).

use pc3_vmpi_coll::handles::HasObjects;
use std::ffi::{c_int, c_void};

use pc3_typemetric::types::{Kind, TypeId};

use crate::arguments::{buffer, put, wide_count};
use crate::entry::{entry, entry_of};
use crate::messages::status::{put_status, CStatus};
use pc3_vmpi_core::mail::request::{check, RequestKind};
use pc3_vmpi_core::p2p;
use pc3_vmpi_core::p2p::recv::{await_shown, post, show};
use pc3_vmpi_core::p2p::send::{begin, leave, Begun};
use pc3_vmpi_core::p2p::{
    Buf, Dest, Key, Mode, Req, Request, Status, ANY_SOURCE, ANY_TAG, PROC_NULL,
};
use pc3_vmpi_core::rank::{Call, RankState};
use pc3_vmpi_objects::datatype;
use pc3_vmpi_objects::datatype::basic::Basic;
use pc3_vmpi_objects::datatype::bytes::ByteContents;
use pc3_vmpi_objects::datatype::saved::written::compact;
use pc3_vmpi_objects::datatype::{bytes, of_basic, TypeRef};
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::SENT;

/// The buffer arguments of a call, checked.
// Else what it gives goes through memory, here and below.
#[inline(always)]
pub fn data(
    me: &RankState,
    p: *const c_void,
    n: impl Into<i64>,
    datatype: usize,
) -> Result<(usize, TypeRef)> {
    let n = wide_count(n.into())?;
    let ty = described(me, p, n, datatype)?;
    let Some(bytes) = ty.bytes(n) else {
        return fail(
            Class::ERR_COUNT,
            format!(
                "{n} elements of {} bytes are more than memory holds",
                ty.size
            ),
        );
    };
    buffer(p.cast(), bytes, ty.predefined != 0)?;
    Ok((n, ty))
}

/// The type of a buffer's `n` elements.
#[inline(always)]
pub fn described(me: &RankState, p: *const c_void, n: usize, handle: usize) -> Result<TypeRef> {
    if let Some(ty) = datatype::plain(handle) {
        return Ok(ty);
    }
    if let Some(known) = bytes::known(handle) {
        return Ok(found(me, p, n, known));
    }
    let ty = me.objects().committed(handle)?;
    if bytes::is_derived(&ty) {
        return Ok(found_in(me, p, n, ty));
    }
    Ok(ty)
}

/// Bytes of which the memory may know more than the program's text.
fn found(me: &RankState, p: *const c_void, n: usize, known: ByteContents) -> TypeRef {
    let of = match known {
        ByteContents::Characters => None,
        _ => value_type(me, p as usize, n, known),
    };
    of.and_then(bytes::of)
        .unwrap_or_else(|| of_basic(Basic::Byte))
}

/// What they are values of; `None`: they are characters.
#[cold]
fn value_type(me: &RankState, at: usize, bytes: usize, known: ByteContents) -> Option<TypeId> {
    let rank = me.exec()?;
    let types = &rank.job().program.types;
    let held = rank.held_at(at, bytes);
    let text = types.get(held).kind == Kind::Char;
    match known {
        _ if held != TypeId::UNKNOWN && !text => Some(held),
        ByteContents::Text | ByteContents::Characters => None,
        ByteContents::Nothing => (!text).then_some(held),
        // Of whole ones nothing speaks against what the pointer says.
        ByteContents::AtLeast(ty) => Some(match types.size(ty) {
            0 => TypeId::UNKNOWN,
            size if bytes as u64 % size == 0 => ty,
            _ => TypeId::UNKNOWN,
        }),
    }
}

/// The same of a derived type of bytes.
#[cold]
fn found_in(me: &RankState, p: *const c_void, n: usize, ty: TypeRef) -> TypeRef {
    let (from, to) = ty.span(n);
    let at = (p as usize).wrapping_add_signed(from);
    let held = value_type(me, at, (to - from) as usize, ByteContents::Nothing);
    let Some((rank, of)) = me.exec().zip(held) else {
        return ty;
    };
    bytes::derived(&ty, of, rank.job().program.types.size(of))
}

/// Where a send goes; `None`: to `MPI_PROC_NULL`.
#[inline(always)]
pub fn target(
    me: &RankState,
    name: &'static str,
    dest: c_int,
    tag: c_int,
    comm: usize,
) -> Result<Option<Dest>> {
    me.call.set(Call::new(name).comm(comm).peer(dest, tag));
    let c = me.objects().comm(comm)?;
    if tag < 0 {
        return fail(Class::ERR_TAG, format!("the tag is {tag}"));
    }
    if dest == PROC_NULL {
        return Ok(None);
    }
    match usize::try_from(dest)
        .ok()
        .and_then(|d| c.peers().world_rank(d))
    {
        Some(world) => Ok(Some(Dest {
            world,
            ctx: c.p2p_context(),
            src: c.rank as i32,
            tag,
        })),
        None => fail(
            Class::ERR_RANK,
            format!("destination {dest} of {} ranks", c.peers().size()),
        ),
    }
}

/// What a receive accepts; `None`: it is from `MPI_PROC_NULL`.
#[inline(always)]
pub fn source(
    me: &RankState,
    name: &'static str,
    src: c_int,
    tag: c_int,
    comm: usize,
) -> Result<Option<Key>> {
    me.call.set(Call::new(name).comm(comm).peer(src, tag));
    let c = me.objects().comm(comm)?;
    if tag < 0 && tag != ANY_TAG {
        return fail(Class::ERR_TAG, format!("the tag is {tag}"));
    }
    if src == PROC_NULL {
        return Ok(None);
    }
    if src != ANY_SOURCE && !usize::try_from(src).is_ok_and(|s| s < c.peers().size()) {
        return fail(
            Class::ERR_RANK,
            format!("source {src} of {} ranks", c.peers().size()),
        );
    }
    Ok(Some(Key {
        ctx: c.p2p_context(),
        src,
        tag,
    }))
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
unsafe fn send(
    me: &RankState,
    name: &'static str,
    p: *const c_void,
    n: i64,
    ty: usize,
    dest: c_int,
    tag: c_int,
    comm: usize,
    mode: Mode,
) -> Result<()> {
    let to = target(me, name, dest, tag, comm)?;
    let (n, ty) = data(me, p, n, ty)?;
    match to {
        // SAFETY: the program's buffer, as MPI requires it.
        Some(to) => unsafe { p2p::send(me, Buf::new(p.cast_mut().cast(), n, &ty), to, mode) },
        None => Ok(()),
    }
}

/// A request that is not started.  `to` or `from` is `None` for `MPI_PROC_NULL`.
#[inline(always)]
pub fn prepare(
    me: &RankState,
    what: RequestKind,
    to: Option<Dest>,
    key: Option<Key>,
    buf: &Buf<'_>,
    peer: i32,
    comm: usize,
) -> Req {
    let none = Key {
        ctx: 0,
        src: PROC_NULL,
        tag: ANY_TAG,
    };
    let key = to.map(|t| t.key()).or(key);
    let mut r = Request::new(
        me.rank,
        what,
        to.map_or(0, |t| t.world),
        key.unwrap_or(none),
        buf,
    );
    r.null = key.is_none();
    r.peer = peer;
    r.comm = comm;
    me.new_request(r)
}

/// Gives a started or prepared request a handle.
pub unsafe fn publish(me: &RankState, r: Req, handle: *mut usize) -> Result<()> {
    let h = me.requests.borrow_mut().insert(r);
    // SAFETY: the program's own variable.
    unsafe { put(handle, h) }
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
unsafe fn isend(
    me: &RankState,
    name: &'static str,
    p: *const c_void,
    n: i64,
    ty: usize,
    dest: c_int,
    tag: c_int,
    comm: usize,
    request: *mut usize,
    mode: Mode,
) -> Result<()> {
    let to = target(me, name, dest, tag, comm)?;
    let (n, ty) = data(me, p, n, ty)?;
    let buf = Buf::new(p.cast_mut().cast(), n, &ty);
    // SAFETY: the program's buffer, as MPI requires it.
    let begun = match &to {
        Some(to) => unsafe { begin(me, &buf, to, mode)? },
        None => Begun::Not,
    };
    if let Begun::Sent = begun {
        // SAFETY: the program's own variable.
        return unsafe { put(request, SENT) };
    }
    let r = prepare(me, RequestKind::Send(mode), to, None, &buf, dest, comm);
    // SAFETY: as above.
    unsafe {
        if let Begun::Left = begun {
            leave(me, r.get());
        } else if let Err(e) = p2p::send::start(me, r.get()) {
            me.recycle(r);
            return Err(e);
        }
    }
    publish(me, r, request)
}

macro_rules! sends { ($($(#[$doc:meta])* $name:ident $iname:ident $name_c:ident $iname_c:ident $mode:ident;)*) => { $(
    sends!(one $(#[$doc])* $name c_int $mode);
    sends!(one $(#[$doc])* $name_c i64 $mode);
    sends!(begun $(#[$doc])* $iname c_int $mode);
    sends!(begun $(#[$doc])* $iname_c i64 $mode);
)* };
(one $(#[$doc:meta])* $name:ident $n:ident $mode:ident) => {
    $(#[$doc])*
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(p: *const c_void, n: $n, datatype: usize, dest: c_int, tag: c_int, comm: usize) -> c_int {
        entry_of(stringify!($name), comm, |me| {
            send(me, stringify!($name), p, n.into(), datatype, dest, tag, comm, Mode::$mode)
        })
    }
};
(begun $(#[$doc:meta])* $name:ident $n:ident $mode:ident) => {
    $(#[$doc])*
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(p: *const c_void, n: $n, datatype: usize, dest: c_int, tag: c_int, comm: usize, request: *mut usize) -> c_int {
        entry_of(stringify!($name), comm, |me| {
            isend(me, stringify!($name), p, n.into(), datatype, dest, tag, comm, request, Mode::$mode)
        })
    }
} }
sends! {
    /// MPI 4.1 sections 3.2.1 and 3.7.2: completes when the buffer may be used again.
    MPI_Send MPI_Isend MPI_Send_c MPI_Isend_c Standard;
    /// MPI 4.1 sections 3.4 and 3.7.2: completes when the receive has begun.
    MPI_Ssend MPI_Issend MPI_Ssend_c MPI_Issend_c Synchronous;
    /// MPI 4.1 sections 3.4 and 3.7.2: always completes at once.
    MPI_Bsend MPI_Ibsend MPI_Bsend_c MPI_Ibsend_c Buffered;
    /// MPI 4.1 sections 3.4 and 3.7.2: the receive is posted already (we do not rely on it).
    MPI_Rsend MPI_Irsend MPI_Rsend_c MPI_Irsend_c Ready;
}

macro_rules! receives { ($($recv:ident $irecv:ident $n:ident;)*) => { $(
    /// MPI 4.1 section 3.2.4.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $recv(
        p: *mut c_void,
        n: $n,
        datatype: usize,
        src: c_int,
        tag: c_int,
        comm: usize,
        status: *mut CStatus,
    ) -> c_int {
        entry_of(stringify!($recv), comm, |me| {
            let from = source(me, stringify!($recv), src, tag, comm)?;
            let (n, ty) = data(me, p, n, datatype)?;
            let s = match from {
                Some(key) => p2p::recv_status(me, Buf::new(p.cast(), n, &ty), key),
                None => Status::PROC_NULL,
            };
            put_status(status, &s);
            check(s).map(drop)
        })
    }

    /// MPI 4.1 section 3.7.2.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $irecv(
        p: *mut c_void,
        n: $n,
        datatype: usize,
        src: c_int,
        tag: c_int,
        comm: usize,
        request: *mut usize,
    ) -> c_int {
        entry_of(stringify!($irecv), comm, |me| {
            let from = source(me, stringify!($irecv), src, tag, comm)?;
            let (n, ty) = data(me, p, n, datatype)?;
            let buf = Buf::new(p.cast(), n, &ty);
            let r = prepare(me, RequestKind::Recv, None, from, &buf, src, comm);
            post(me, r.get());
            publish(me, r, request)
        })
    }
)* } }
receives! {
    MPI_Recv MPI_Irecv c_int;
    MPI_Recv_c MPI_Irecv_c i64;
}

/// A message out and one in.
struct Exchange {
    to: Option<Dest>,
    from: Option<Key>,
    src: c_int,
    comm: usize,
}

impl Exchange {
    fn new(
        me: &RankState,
        name: &'static str,
        (dest, sendtag): (c_int, c_int),
        (src, recvtag): (c_int, c_int),
        comm: usize,
    ) -> Result<Self> {
        Ok(Exchange {
            to: target(me, name, dest, sendtag, comm)?,
            from: source(me, name, src, recvtag, comm)?,
            src,
            comm,
        })
    }
}

/// Receives while sending.
unsafe fn exchange(
    me: &RankState,
    Exchange { to, from, .. }: Exchange,
    out: Buf<'_>,
    into: Buf<'_>,
    status: *mut CStatus,
) -> Result<()> {
    let key = from.unwrap_or(Key {
        ctx: 0,
        src: PROC_NULL,
        tag: ANY_TAG,
    });
    let mut r = Request::new(me.rank, RequestKind::Recv, 0, key, &into);
    r.null = from.is_none();
    // SAFETY: the program's buffers; we do not leave before the receive is done.
    unsafe {
        let shown = show(me, &r);
        let sent = to.map_or(Ok(()), |to| p2p::send(me, out, to, Mode::Standard));
        let s = await_shown(me, &r, shown);
        put_status(status, &s);
        sent.and(check(s).map(drop))
    }
}

/// Runs `f` with a copy of the buffer's data, a message of the same signature: its own layout may be anything, such as absolute
/// addresses.
unsafe fn with_copy<R>(buf: &Buf<'_>, f: impl FnOnce(Buf<'_>) -> Result<R>) -> Result<R> {
    // SAFETY: the program's buffer.
    let mut packed = unsafe { buf.ty.pack_vec(buf.addr, buf.count) };
    if let Some(unit) = buf.ty.unit() {
        let n = packed.len() / unit.size;
        return f(Buf::new(packed.as_mut_ptr(), n, &unit));
    }
    let ty = compact(&buf.ty.signature)?;
    let (_, end) = ty.span(buf.count);
    let mut copy = vec![0u8; end.unsigned_abs()];
    // SAFETY: room for as many elements, none of which is in front of its beginning.
    unsafe { ty.unpack(packed.as_ptr(), packed.len(), copy.as_mut_ptr(), buf.count) };
    f(Buf::new(copy.as_mut_ptr(), buf.count, &ty))
}

/// Starts to receive, and sends what is to be sent from library memory if nobody waits for it yet: the request
/// is that of the receive.
unsafe fn iexchange(
    me: &RankState,
    Exchange {
        to,
        from,
        src,
        comm,
    }: Exchange,
    out: Buf<'_>,
    into: Buf<'_>,
    request: *mut usize,
) -> Result<()> {
    let r = prepare(me, RequestKind::Recv, None, from, &into, src, comm);
    // SAFETY: the program's buffers.
    unsafe {
        post(me, r.get());
        if let Some(to) = to {
            let sent = p2p::isend(me, out, to, Mode::Standard)?;
            if sent.get().is_done() {
                me.recycle(sent);
            } else {
                me.detach(sent);
                p2p::settle(me);
            }
        }
        publish(me, r, request)
    }
}

macro_rules! exchanges { ($($both:ident $replace:ident $n:ident $how:ident $result:ident: $r:ty;)*) => { $(
    /// MPI 4.1 section 3.10.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $both(
        out: *const c_void,
        nout: $n,
        tout: usize,
        dest: c_int,
        sendtag: c_int,
        into: *mut c_void,
        ninto: $n,
        tinto: usize,
        src: c_int,
        recvtag: c_int,
        comm: usize,
        $result: *mut $r,
    ) -> c_int {
        entry(stringify!($both), comm, |me| {
            let both = Exchange::new(me, stringify!($both), (dest, sendtag), (src, recvtag), comm)?;
            let (nout, tout) = data(me, out, nout, tout)?;
            let (ninto, tinto) = data(me, into, ninto, tinto)?;
            let out = Buf::new(out.cast_mut().cast(), nout, &tout);
            let into = Buf::new(into.cast(), ninto, &tinto);
            $how(me, both, out, into, $result)
        })
    }

    /// MPI 4.1 section 3.10.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $replace(
        p: *mut c_void,
        n: $n,
        datatype: usize,
        dest: c_int,
        sendtag: c_int,
        src: c_int,
        recvtag: c_int,
        comm: usize,
        $result: *mut $r,
    ) -> c_int {
        entry(stringify!($replace), comm, |me| {
            let name = stringify!($replace);
            let both = Exchange::new(me, name, (dest, sendtag), (src, recvtag), comm)?;
            let (n, ty) = data(me, p, n, datatype)?;
            let buf = Buf::new(p.cast(), n, &ty);
            with_copy(&buf, |out| $how(me, both, out, buf, $result))
        })
    }
)* } }
exchanges! {
    MPI_Sendrecv MPI_Sendrecv_replace c_int exchange status: CStatus;
    MPI_Sendrecv_c MPI_Sendrecv_replace_c i64 exchange status: CStatus;
    MPI_Isendrecv MPI_Isendrecv_replace c_int iexchange request: usize;
    MPI_Isendrecv_c MPI_Isendrecv_replace_c i64 iexchange request: usize;
}
