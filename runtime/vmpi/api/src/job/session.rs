//! Sessions (MPI 4.1 section 11.3): ways to communicators beside MPI_COMM_WORLD.  All ranks of the job are there from its
//! beginning, so a session is little more than an error handler.

use std::ffi::{c_char, c_int};

use crate::arguments::{put, put_text, text};
use crate::collectives::comm::install;
use crate::collectives::inter::between;
use crate::entry::{entry, entry_at_any_time};
use crate::files::file::info_of;
use crate::objects::group;
use crate::raise::raise_session;
use pc3_vmpi_coll::comm::create::of_group_alone;
use pc3_vmpi_coll::handles::{HasObjects, Session};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, MpiError, Result};
use pc3_vmpi_objects::group::{Group, GroupRef};
use pc3_vmpi_objects::handle::abi;
use pc3_vmpi_objects::info::Info;

/// Names of sets of ranks.
const WORLD: &str = "mpi://WORLD";
const SELF: &str = "mpi://SELF";
const SETS: [&str; 2] = [WORLD, SELF];

/// As [`entry`]; errors go to the handler of the session.
fn on_session(
    name: &'static str,
    session: usize,
    f: impl FnOnce(&'static RankState) -> Result<()>,
) -> c_int {
    let mut code = Class::SUCCESS.0;
    let outside = entry_at_any_time(name, |me| {
        if let Err(e) = f(me) {
            code = raise_session(me, name, session, e);
        }
        Ok(())
    });
    match outside == Class::SUCCESS.0 {
        true => code,
        false => outside,
    }
}

/// The ranks of a set.
fn ranks_of(me: &RankState, set: &str) -> Result<GroupRef> {
    match set {
        WORLD => Ok(me.objects().world.group.clone()),
        SELF => Ok(Group::new(vec![me.rank])),
        _ => fail(Class::ERR_ARG, format!("there is no process set \"{set}\"")),
    }
}

/// MPI 4.1 section 11.3.1: may be called at any time.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Session_init(
    info: usize,
    handler: usize,
    session: *mut usize,
) -> c_int {
    entry_at_any_time("MPI_Session_init", |me| {
        let asked = info_of(me, info)?;
        let level = match asked.get("thread_level") {
            Some("MPI_THREAD_SINGLE") => "MPI_THREAD_SINGLE",
            _ => "MPI_THREAD_FUNNELED",
        };
        let mut info = Info::default();
        info.set("thread_level", level)?;
        let o = me.objects();
        let errhandler = o.errhandlers.acquire(handler)?;
        let made = o.sessions.insert(Session { errhandler, info });
        me.sessions.set(me.sessions.get() + 1);
        put(session, made)
    })
}

/// MPI 4.1 section 11.3.1.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Session_finalize(session: *mut usize) -> c_int {
    let handle = match session.is_null() {
        true => abi::SESSION_NULL,
        false => *session,
    };
    on_session("MPI_Session_finalize", handle, |me| {
        let o = me.objects();
        o.session(handle)?;
        if let Some(s) = o.sessions.remove(handle) {
            o.errhandlers.release(s.errhandler)?;
        }
        o.buffers.remove(&handle);
        me.bsend.account(o.buffers.values());
        pc3_vmpi_core::p2p::settle(me);
        me.sessions.set(me.sessions.get() - 1);
        put(session, abi::SESSION_NULL)
    })
}

/// MPI 4.1 section 11.3.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Session_get_num_psets(
    session: usize,
    info: usize,
    n: *mut c_int,
) -> c_int {
    on_session("MPI_Session_get_num_psets", session, |me| {
        me.objects().session(session)?;
        info_of(me, info)?;
        put(n, SETS.len() as c_int)
    })
}

/// MPI 4.1 section 11.3.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Session_get_nth_pset(
    session: usize,
    info: usize,
    n: c_int,
    length: *mut c_int,
    name: *mut c_char,
) -> c_int {
    on_session("MPI_Session_get_nth_pset", session, |me| {
        me.objects().session(session)?;
        info_of(me, info)?;
        let Some(set) = usize::try_from(n).ok().and_then(|n| SETS.get(n)) else {
            return fail(Class::ERR_ARG, format!("process set {n} of {}", SETS.len()));
        };
        let room = match length.is_null() {
            true => return fail(Class::ERR_ARG, "a null pointer to the length"),
            false => usize::try_from(*length).unwrap_or(0),
        };
        if room > 0 {
            put_text(name, room, set)?;
        }
        put(length, set.len() as c_int + 1)
    })
}

/// MPI 4.1 section 11.3.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Session_get_info(session: usize, info: *mut usize) -> c_int {
    on_session("MPI_Session_get_info", session, |me| {
        let copy = me.objects().session(session)?.info.clone();
        put(info, me.objects().infos.insert(copy))
    })
}

/// MPI 4.1 section 11.3.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Session_get_pset_info(
    session: usize,
    name: *const c_char,
    info: *mut usize,
) -> c_int {
    on_session("MPI_Session_get_pset_info", session, |me| {
        me.objects().session(session)?;
        let size = ranks_of(me, &text(name)?)?.size();
        let mut said = Info::default();
        said.set("mpi_size", &size.to_string())?;
        put(info, me.objects().infos.insert(said))
    })
}

/// MPI 4.1 section 7.3.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Group_from_session_pset(
    session: usize,
    name: *const c_char,
    out: *mut usize,
) -> c_int {
    on_session("MPI_Group_from_session_pset", session, |me| {
        me.objects().session(session)?;
        let ranks = ranks_of(me, &text(name)?)?;
        group::give(me, ranks, out)
    })
}

/// Tags of calls that name no communicator: none of those that programs give.
fn tag_of(name: &str) -> i32 {
    let mix = |h: u32, b: u8| (h ^ u32::from(b)).wrapping_mul(0x0100_0193);
    let hash = name.bytes().fold(0x811c_9dc5, mix);
    (0x8000_0000 | hash & 0x3fff_ffff) as i32
}

/// MPI 4.1 section 7.4.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_create_from_group(
    group: usize,
    tag: *const c_char,
    info: usize,
    handler: usize,
    new: *mut usize,
) -> c_int {
    entry("MPI_Comm_create_from_group", 0, |me| {
        info_of(me, info)?;
        let ranks = me.objects().group(group)?;
        if ranks.size() == 0 {
            return put(new, abi::COMM_NULL);
        }
        let mut next = me.objects().next_id;
        let world = &me.objects().world;
        let made = of_group_alone(me, world, &mut next, &ranks, tag_of(&text(tag)?))?;
        me.objects().next_id = next;
        let errors = me.objects().errhandlers.acquire(handler)?;
        // SAFETY: the program's own variable.
        unsafe { install(me, abi::COMM_WORLD, made, None, new)? };
        set_handler(me, *new, errors)
    })
}

/// The handler of a communicator that was just made, which has that of another one.
fn set_handler(me: &RankState, comm: usize, handler: usize) -> Result<()> {
    let o = me.objects();
    if comm == abi::COMM_NULL {
        return o.errhandlers.release(handler);
    }
    let old = std::mem::replace(&mut o.comm_mut(comm)?.errhandler, handler);
    o.errhandlers.release(old)
}

/// MPI 4.1 section 7.6.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Intercomm_create_from_groups(
    local: usize,
    leader: c_int,
    remote: usize,
    remote_leader: c_int,
    tag: *const c_char,
    info: usize,
    handler: usize,
    new: *mut usize,
) -> c_int {
    entry("MPI_Intercomm_create_from_groups", 0, |me| {
        info_of(me, info)?;
        let (ours, theirs) = (me.objects().group(local)?, me.objects().group(remote)?);
        if ours.size() == 0 {
            return put(new, abi::COMM_NULL);
        }
        let within = |rank: c_int| usize::try_from(rank).ok();
        let world = &me.objects().world;
        let remote_leader = within(remote_leader).and_then(|r| theirs.world_rank(r));
        let peer = remote_leader.and_then(|r| world.group.rank_of(r));
        let mut next = me.objects().next_id;
        let tag = tag_of(&text(tag)?);
        let made = of_group_alone(me, world, &mut next, &ours, tag)?;
        me.objects().next_id = next;
        let Some(made) = made else {
            return fail(Class::ERR_GROUP, "the caller is not in the local group");
        };
        let comm = made.into_comm(abi::ERRORS_ARE_FATAL, None);
        let leader = within(leader).filter(|l| *l < ours.size());
        let Some((leader, peer)) = leader.zip(peer) else {
            return fail(Class::ERR_RANK, "a leader is not in its group");
        };
        let peer = (abi::COMM_WORLD, peer as c_int, tag & i32::MAX);
        let made = between(me, &comm, leader, peer)?;
        let errors = me.objects().errhandlers.acquire(handler)?;
        // SAFETY: the program's own variable.
        unsafe { install(me, abi::COMM_WORLD, made, None, new)? };
        set_handler(me, *new, errors)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Session_create_errhandler(func: usize, handler: *mut usize) -> c_int {
    entry_at_any_time("MPI_Session_create_errhandler", |me| {
        put(handler, me.objects().errhandlers.create(func)?)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Session_set_errhandler(session: usize, handler: usize) -> c_int {
    on_session("MPI_Session_set_errhandler", session, |me| {
        let o = me.objects();
        let old = o.session(session)?.errhandler;
        let new = o.errhandlers.acquire(handler)?;
        o.session(session)?.errhandler = new;
        o.errhandlers.release(old)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Session_get_errhandler(session: usize, handler: *mut usize) -> c_int {
    on_session("MPI_Session_get_errhandler", session, |me| {
        let o = me.objects();
        let h = o.session(session)?.errhandler;
        put(handler, o.errhandlers.acquire(h)?)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Session_call_errhandler(session: usize, code: c_int) -> c_int {
    on_session("MPI_Session_call_errhandler", session, |me| {
        me.objects().session(session)?;
        let said = me.objects().codes.text(code)?;
        let e = MpiError::new(Class(code), said);
        raise_session(me, "MPI_Session_call_errhandler", session, e);
        Ok(())
    })
}
