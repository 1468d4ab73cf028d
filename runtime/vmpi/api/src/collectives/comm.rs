//! Communicator functions (MPI 3.1 sections 6.4 and 6.8).

use crate::arguments::{put, put_text, text, MAX_NAME};
use crate::entry::entry;
use crate::files::file::info_of;
use crate::objects::attr;
use pc3_vmpi_coll::comm::create::{of_group, of_group_alone, split, within, NewComm};
use pc3_vmpi_coll::comm::{inter, Comm};
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::meeting::Kind;
use pc3_vmpi_coll::topo::Topology;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::attr::On;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::Compare;
use pc3_vmpi_objects::handle::abi;
use pc3_vmpi_objects::info::Info;
use std::ffi::{c_char, c_int};

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_size(comm: usize, size: *mut c_int) -> c_int {
    entry("MPI_Comm_size", comm, |me| {
        put(size, me.objects().comm(comm)?.size() as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_rank(comm: usize, rank: *mut c_int) -> c_int {
    entry("MPI_Comm_rank", comm, |me| {
        put(rank, me.objects().comm(comm)?.rank as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_group(comm: usize, group: *mut usize) -> c_int {
    entry("MPI_Comm_group", comm, |me| {
        let g = me.objects().comm(comm)?.group.clone();
        crate::objects::group::give(me, g, group)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_compare(comm1: usize, comm2: usize, result: *mut c_int) -> c_int {
    entry("MPI_Comm_compare", comm1, |me| {
        let (a, b) = (me.objects().comm(comm1)?, me.objects().comm(comm2)?);
        let same = match a.group.compare(&b.group) {
            Compare::Ident if a.id != b.id => Compare::Congruent,
            other => other,
        };
        let same = match (&a.remote, &b.remote) {
            (None, None) => same,
            // Both sides count, and the less alike decides.
            (Some(x), Some(y)) => match x.group.compare(&y.group) {
                Compare::Ident => same,
                other if (other as c_int) > same as c_int => other,
                _ => same,
            },
            _ => Compare::Unequal,
        };
        put(result, same as c_int)
    })
}

/// Gives the rank its new communicator's handle, or MPI_COMM_NULL.  Error handlers are inherited.
pub unsafe fn install(
    me: &'static RankState,
    parent: usize,
    made: Option<NewComm>,
    topo: Option<Topology>,
    new: *mut usize,
) -> Result<()> {
    let Some(made) = made else {
        return put(new, abi::COMM_NULL);
    };
    let o = me.objects();
    let handler = o.comm(parent)?.errhandler;
    let handler = o.errhandlers.acquire(handler)?;
    put(new, o.comms.insert(made.into_comm(handler, topo)))
}

/// Colors and keys, on communicators of both kinds.
fn divide(
    me: &'static RankState,
    comm: &Comm,
    next_id: &mut u32,
    kind: Kind,
    color: Option<c_int>,
    key: c_int,
) -> Result<Option<NewComm>> {
    match &comm.remote {
        None => split(me, comm, next_id, kind, color, key),
        Some(r) => inter::divide(me, comm, r, next_id, kind, color, key, None),
    }
}

unsafe fn dup(me: &'static RankState, comm: usize, new: *mut usize) -> Result<()> {
    let mut next = me.objects().next_id;
    let parent = me.objects().comm(comm)?;
    let topo = parent.topo.clone();
    let rank = parent.rank as i32;
    let made = divide(me, parent, &mut next, Kind::CommDup, Some(0), rank)?;
    me.objects().next_id = next;
    install(me, comm, made, topo, new)?;
    let copied = attr::copy_all(me, On::Comm, comm, *new);
    if copied.is_err() {
        me.objects().comms.remove(*new);
        put(new, abi::COMM_NULL)?;
    }
    copied
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_dup(comm: usize, new: *mut usize) -> c_int {
    entry("MPI_Comm_dup", comm, |me| dup(me, comm, new))
}

/// Hints mean nothing to us.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_dup_with_info(
    comm: usize,
    info: usize,
    new: *mut usize,
) -> c_int {
    entry("MPI_Comm_dup_with_info", comm, |me| {
        info_of(me, info)?;
        dup(me, comm, new)
    })
}

unsafe fn split_into(
    me: &'static RankState,
    comm: usize,
    color: Option<c_int>,
    key: c_int,
    new: *mut usize,
) -> Result<()> {
    let mut next = me.objects().next_id;
    let parent = me.objects().comm(comm)?;
    let made = divide(me, parent, &mut next, Kind::CommSplit, color, key)?;
    me.objects().next_id = next;
    // SAFETY: the program's own variable.
    unsafe { install(me, comm, made, None, new) }
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_split(
    comm: usize,
    color: c_int,
    key: c_int,
    new: *mut usize,
) -> c_int {
    entry("MPI_Comm_split", comm, |me| {
        if color < 0 && color != abi::UNDEFINED {
            return fail(Class::ERR_ARG, format!("the color is {color}"));
        }
        let color = (color != abi::UNDEFINED).then_some(color);
        split_into(me, comm, color, key, new)
    })
}

/// MPI 4.1 section 7.4.2.  Ranks share memory if they are in one process.  Hardware has no other parts that a rank stays in, as a
/// restart may place it anywhere: who asks for these gets MPI_COMM_NULL.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_split_type(
    comm: usize,
    split_type: c_int,
    key: c_int,
    info: usize,
    new: *mut usize,
) -> c_int {
    const SHARED: c_int = 221;
    const HW_UNGUIDED: c_int = 222;
    const HW_GUIDED: c_int = 223;
    const RESOURCE_GUIDED: c_int = 224;
    entry("MPI_Comm_split_type", comm, |me| {
        let info = info_of(me, info)?;
        let memory = info.get("mpi_hw_resource_type") == Some("mpi_shared_memory");
        let together = match split_type {
            SHARED => true,
            HW_GUIDED | RESOURCE_GUIDED => memory,
            HW_UNGUIDED | abi::UNDEFINED => false,
            _ => return fail(Class::ERR_ARG, format!("the split type is {split_type}")),
        };
        let process = me.world().process_of(me.rank) as c_int;
        split_into(me, comm, together.then_some(process), key, new)
    })
}

/// MPI 4.1 section 9.1.2: what MPI_Comm_split_type may be asked for.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Get_hw_resource_info(info: *mut usize) -> c_int {
    entry("MPI_Get_hw_resource_info", 0, |me| {
        let mut all = Info::default();
        all.set("mpi_shared_memory", "true")?;
        put(info, me.objects().infos.insert(all))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_create(comm: usize, group: usize, new: *mut usize) -> c_int {
    entry("MPI_Comm_create", comm, |me| {
        let mut next = me.objects().next_id;
        let group = me.objects().group(group)?;
        let parent = me.objects().comm(comm)?;
        let made = match &parent.remote {
            None => of_group(me, parent, &mut next, &group)?,
            Some(r) => {
                within(&parent.group, &group)?;
                let mine = group.rank_of(me.rank);
                let (color, key) = (mine.map(|_| 0), mine.unwrap_or(0) as c_int);
                let kind = Kind::CommCreate;
                inter::divide(me, parent, r, &mut next, kind, color, key, Some(&group))?
            }
        };
        me.objects().next_id = next;
        install(me, comm, made, None, new)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_create_group(
    comm: usize,
    group: usize,
    tag: c_int,
    new: *mut usize,
) -> c_int {
    entry("MPI_Comm_create_group", comm, |me| {
        if tag < 0 {
            return fail(Class::ERR_TAG, format!("the tag is {tag}"));
        }
        let mut next = me.objects().next_id;
        let group = me.objects().group(group)?;
        let made = of_group_alone(
            me,
            me.objects().comm(comm)?.intra()?,
            &mut next,
            &group,
            tag,
        )?;
        me.objects().next_id = next;
        install(me, comm, made, None, new)
    })
}

macro_rules! frees { ($($name:ident)*) => { $(
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(comm: *mut usize) -> c_int {
        let handle = if comm.is_null() {
            abi::COMM_NULL
        } else {
            *comm
        };
        entry(stringify!($name), handle, |me| {
            me.objects().comm(handle)?;
            if handle == abi::COMM_WORLD || handle == abi::COMM_SELF {
                return fail(Class::ERR_COMM, "a predefined communicator cannot be freed");
            }
            attr::delete_all(me, On::Comm, handle)?;
            me.objects().together.remove(&handle);
            me.objects().buffers.remove(&handle);
            me.bsend.account(me.objects().buffers.values());
            if let Some(c) = me.objects().comms.remove(handle) {
                me.objects().errhandlers.release(c.errhandler)?;
            }
            if me.objects().parent == handle {
                me.objects().parent = abi::COMM_NULL;
            }
            put(comm, abi::COMM_NULL)
        })
    }
)* } }
// Messages under way are not touched: they are matched by context, not by handle.  They arrive without their sender's
// help, so who disconnects need not wait for them.
frees! {
    MPI_Comm_free
    MPI_Comm_disconnect
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_set_name(comm: usize, name: *const c_char) -> c_int {
    entry("MPI_Comm_set_name", comm, |me| {
        let mut name = text(name)?;
        while name.len() >= MAX_NAME {
            name.pop();
        }
        me.objects().comm_mut(comm)?.name = Some(name.into());
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_get_name(
    comm: usize,
    name: *mut c_char,
    len: *mut c_int,
) -> c_int {
    entry("MPI_Comm_get_name", comm, |me| {
        let said = match (&me.objects().comm(comm)?.name, comm) {
            (Some(n), _) => n,
            (None, abi::COMM_WORLD) => "MPI_COMM_WORLD",
            (None, abi::COMM_SELF) => "MPI_COMM_SELF",
            (None, _) => "",
        };
        put(len, put_text(name, MAX_NAME, said)? as c_int)
    })
}
