//! Inter-communicators (MPI 3.1 section 6.6) and MPI_Comm_idup.

use crate::arguments::put;
use crate::collectives::coll::{post, When};
use crate::collectives::comm::install;
use crate::entry::entry;
use crate::messages::p2p::target;
use crate::objects::attr;
use pc3_vmpi_coll::comm::create::NewComm;
use pc3_vmpi_coll::comm::inter::{create, merge, LedGroup};
use pc3_vmpi_coll::comm::Comm;
use pc3_vmpi_coll::common::common;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::meeting::posted::Work;
use pc3_vmpi_coll::meeting::Kind;
use pc3_vmpi_core::p2p;
use pc3_vmpi_core::p2p::{Buf, Dest, Key};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::attr::On;
use pc3_vmpi_objects::error::{fail, Class, MpiError, Result};
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_objects::handle::abi;
use pc3_vmpi_objects::wire::{Reader, Writer};
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Arc;

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_test_inter(comm: usize, flag: *mut c_int) -> c_int {
    entry("MPI_Comm_test_inter", comm, |me| {
        let c = me.objects().comm(comm)?;
        put(flag, c_int::from(c.remote.is_some()))
    })
}

fn remote(me: &RankState, comm: usize) -> Result<&pc3_vmpi_coll::comm::Remote> {
    match &me.objects().comm(comm)?.remote {
        Some(r) => Ok(r),
        None => fail(Class::ERR_COMM, "not an inter-communicator"),
    }
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_remote_size(comm: usize, size: *mut c_int) -> c_int {
    entry("MPI_Comm_remote_size", comm, |me| {
        put(size, remote(me, comm)?.group.size() as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_remote_group(comm: usize, group: *mut usize) -> c_int {
    entry("MPI_Comm_remote_group", comm, |me| {
        let g = remote(me, comm)?.group.clone();
        crate::objects::group::give(me, g, group)
    })
}

/// A communicator with ranks that the root alone has to do with: `exchange` is asked of it.
pub(crate) fn led_by(
    me: &'static RankState,
    comm: usize,
    root: c_int,
    kind: Kind,
    exchange: impl FnOnce(LedGroup) -> Result<LedGroup>,
) -> Result<NewComm> {
    let local = me.objects().comm(comm)?.intra()?;
    let Some(root) = usize::try_from(root).ok().filter(|r| *r < local.size()) else {
        return fail(Class::ERR_ROOT, format!("the root is {root}"));
    };
    let mut next = me.objects().next_id;
    let meetings = common(me.world()).meetings();
    let made = create(me, kind, local, &mut next, root, meetings, exchange)?;
    me.objects().next_id = next;
    Ok(made)
}

/// What leaders send one another: lengths first, because groups differ in size.
fn swap(me: &RankState, comm: &Comm, to: Dest, peer: i32, mine: &[u8]) -> Result<Vec<u8>> {
    let bytes = pc3_vmpi_objects::datatype::build::bytes();
    // Tags below 0: others are those of partitioned messages.
    let (ctx, tag) = (comm.coll_context(), to.tag | i32::MIN);
    let src = peer;
    let key = Key { ctx, src, tag };
    let to = Dest { ctx, tag, ..to };
    let exchange = |out: &[u8], into: &mut [u8]| {
        let out = Buf::new(out.as_ptr().cast_mut(), out.len(), &bytes);
        let into = Buf::new(into.as_mut_ptr(), into.len(), &bytes);
        // SAFETY: both outlive the call.
        unsafe { p2p::exchange(me, out, to, into, key) }
    };
    let mut n = [0u8; 8];
    exchange(&(mine.len() as u64).to_le_bytes(), &mut n)?;
    let mut theirs = vec![0u8; usize::try_from(u64::from_le_bytes(n)).unwrap_or(0)];
    exchange(mine, &mut theirs)?;
    Ok(theirs)
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Intercomm_create(
    local: usize,
    leader: c_int,
    peer: usize,
    remote_leader: c_int,
    tag: c_int,
    new: *mut usize,
) -> c_int {
    entry("MPI_Intercomm_create", local, |me| {
        let comm = me.objects().comm(local)?.intra()?;
        let Some(leader) = usize::try_from(leader).ok().filter(|l| *l < comm.size()) else {
            return fail(Class::ERR_RANK, format!("the local leader is {leader}"));
        };
        let made = between(me, comm, leader, (peer, remote_leader, tag))?;
        install(me, local, made, None, new)
    })
}

/// Members of `comm`, led by one of them, with those whose leader is a rank of another communicator: its handle, that rank, a tag.
pub(crate) fn between(
    me: &'static RankState,
    comm: &Comm,
    leader: usize,
    (peer, remote_leader, tag): (usize, c_int, c_int),
) -> Result<Option<NewComm>> {
    let mut next = me.objects().next_id;
    let meetings = common(me.world()).meetings();
    let kind = Kind::IntercommCreate;
    let made = create(me, kind, comm, &mut next, leader, meetings, |mine| {
        let Some(to) = target(me, "MPI_Intercomm_create", remote_leader, tag, peer)? else {
            return fail(Class::ERR_RANK, "the remote leader is MPI_PROC_NULL");
        };
        let mut w = Writer::default();
        w.u32(mine.next_id);
        w.list(mine.group.ranks().iter(), |w, r| w.u32(*r));
        let peer = me.objects().comm(peer)?;
        let theirs = swap(me, peer, to, remote_leader, &w.0)?;
        let mut r = Reader(&theirs);
        let damaged = |_| MpiError::new(Class::ERR_INTERN, "the other leader's message");
        Ok(LedGroup {
            next_id: r.u32().map_err(damaged)?,
            group: Group::new(r.list(Reader::u32).map_err(damaged)?),
        })
    })?;
    me.objects().next_id = next;
    Ok(Some(made))
}

/// MPI 4.1 section 11.9.4: who is at the other end of a socket is not known to be a rank of this job.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_join(_fd: c_int, new: *mut usize) -> c_int {
    entry("MPI_Comm_join", 0, |_| {
        put(new, abi::COMM_NULL)?;
        fail(
            Class::ERR_UNSUPPORTED_OPERATION,
            "sockets of the program's own do not lead to communicators: ranks of one job have MPI_Intercomm_create, those of several parts MPI_Comm_connect",
        )
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Intercomm_merge(comm: usize, high: c_int, new: *mut usize) -> c_int {
    entry("MPI_Intercomm_merge", comm, |me| {
        let mut next = me.objects().next_id;
        let (c, r) = (me.objects().comm(comm)?, remote(me, comm)?);
        let made = merge(me, c, r, &mut next, high != 0)?;
        me.objects().next_id = next;
        install(me, comm, made, None, new)
    })
}

/// The new communicator has its handle and attributes at once; its id comes when all have called.
unsafe fn idup(name: &'static str, comm: usize, new: *mut usize, request: *mut usize) -> c_int {
    entry(name, comm, |me| {
        let o = me.objects();
        let parent = o.comm(comm)?;
        let made = Box::new(Comm {
            id: UNNAMED,
            group: parent.group.clone(),
            rank: parent.rank,
            errhandler: parent.errhandler,
            name: None,
            attrs: Vec::new(),
            topo: parent.topo.clone(),
            meeting: parent.meeting.clone(),
            remote: parent.remote.clone(),
            rounds: Arc::default(),
        });
        me.objects().errhandlers.acquire(made.errhandler)?;
        let handle = me.objects().comms.insert(made);
        // SAFETY: the program's own variables and functions.
        unsafe {
            put(new, handle)?;
            if let Err(e) = attr::copy_all(me, On::Comm, comm, handle) {
                me.objects().comms.remove(handle);
                put(new, abi::COMM_NULL)?;
                return Err(e);
            }
            let work = Work::Dup {
                handle,
                made: Cell::new(None),
            };
            let parent = me.objects().comm(comm)?;
            post(me, parent, comm, Kind::CommIdup, work, When::Begun(request))
        }
    })
}

/// The id of a communicator that is not made yet.
const UNNAMED: u32 = u32::MAX;

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_idup(comm: usize, new: *mut usize, request: *mut usize) -> c_int {
    idup("MPI_Comm_idup", comm, new, request)
}

/// Hints mean nothing to us.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_idup_with_info(
    comm: usize,
    _info: usize,
    new: *mut usize,
    request: *mut usize,
) -> c_int {
    idup("MPI_Comm_idup_with_info", comm, new, request)
}
