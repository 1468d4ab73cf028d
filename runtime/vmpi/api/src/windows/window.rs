//! Making, freeing and asking about windows (MPI 4.1 section 12.2).

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null;

use crate::arguments::{put, put_text, text, MAX_NAME};
use crate::collectives::coll::take_part;
use crate::entry::entry;
use crate::files::file::info_of;
use crate::objects::{attr, group};
use crate::raise::raise_window;
use crate::windows::on_window;
use pc3_vmpi_coll::comm::create::split;
use pc3_vmpi_coll::comm::Comm;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::meeting::Kind;
use pc3_vmpi_coll::remote::places;
use pc3_vmpi_coll::win::Win;
use pc3_vmpi_coll::work::barrier::Gate;
use pc3_vmpi_coll::work::moves::Move;
use pc3_vmpi_coll::work::shapes::DealShape;
use pc3_vmpi_coll::work::side::Side;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_nonblocking::above::unsupported;
use pc3_vmpi_objects::attr::On;
use pc3_vmpi_objects::datatype::basic::Basic;
use pc3_vmpi_objects::datatype::of_basic;
use pc3_vmpi_objects::error::{fail, Class, MpiError, Result};
use pc3_vmpi_objects::handle::abi;
use pc3_vmpi_objects::info::Info;
use pc3_vmpi_rma::shared::{Part, Region, Shared};
use pc3_vmpi_rma::window::{Flavor, Window};

extern "C" {
    fn pc3_malloc(n: usize, site: *const c_void) -> *mut c_void;
    fn pc3_free(p: *mut c_void);
}

/// What a member brings to a window.
struct Brought {
    part: Part,
    info: Info,
}

fn brought(me: &RankState, base: usize, (size, unit): (i64, i64), info: usize) -> Result<Brought> {
    let Ok(size) = usize::try_from(size) else {
        return fail(Class::ERR_SIZE, format!("the size is {size}"));
    };
    let Some(unit) = usize::try_from(unit).ok().filter(|u| *u > 0) else {
        return fail(Class::ERR_DISP, format!("the displacement unit is {unit}"));
    };
    let info = info_of(me, info)?;
    let part = Part { base, size, unit };
    Ok(Brought { part, info })
}

fn kind(flavor: Flavor) -> Kind {
    match flavor {
        Flavor::Create => Kind::WinCreate,
        Flavor::Allocate => Kind::WinAllocate,
        Flavor::Dynamic => Kind::WinCreateDynamic,
        Flavor::Shared => Kind::WinAllocateShared,
    }
}

/// All members make a window; its handle. Errors of one must not keep the others waiting: all meet, and then compare.
fn make(
    me: &'static RankState,
    parent_handle: usize,
    flavor: Flavor,
    brought: Result<Brought>,
) -> Result<usize> {
    let parent = me.objects().comm(parent_handle)?.intra()?;
    if flavor == Flavor::Shared && me.world().spans(&parent.group) {
        return fail(
            Class::ERR_UNSUPPORTED_OPERATION,
            "memory shared between ranks of several processes is not available: split the communicator by MPI_COMM_TYPE_SHARED, or run the ranks in one process (pc3run without -p)",
        );
    }
    let kind = kind(flavor);
    unsupported(me, kind.name());
    let mut next = me.objects().next_id;
    let color = brought.is_ok().then_some(0);
    let made = split(me, parent, &mut next, kind, color, parent.rank as i32)?;
    me.objects().next_id = next;
    let size = me.objects().comm(parent_handle)?.size();
    let brought = brought?;
    let Some(made) = made.filter(|m| m.group.size() == size) else {
        return fail(Class::ERR_OTHER, "other members could not make the window");
    };
    let comm = made.into_comm(abi::ERRORS_ARE_FATAL, None);
    let shared = comm.meeting.window();
    let name = (comm.id, places::hash(&comm.group));
    shared.identify(me.world(), name, &comm.group);
    let rank = comm.rank as usize;
    let mut memory = match flavor {
        Flavor::Allocate => brought.part.base,
        _ => 0,
    };
    if flavor == Flavor::Shared {
        memory = side_by_side(me, &comm, &shared, brought.part)?;
        me.objects().together.insert(parent_handle);
    } else {
        shared.members()[rank].set_part(brought.part);
    }
    match me.world().spans(&comm.group) {
        true => tell_parts(me, &comm, &shared)?,
        false => take_part(me, &comm, &Gate(kind))?,
    }
    let mut window = Window::new(shared, (comm.group.clone(), comm.rank), flavor);
    window.memory = memory;
    window.hint(&brought.info)?;
    let win = Win { comm, window };
    let made = me.objects().windows.insert(Box::new(win));
    me.objects().made = made;
    Ok(made)
}

/// All members learn where the parts of all are.
fn tell_parts(me: &'static RankState, comm: &Comm, shared: &Shared) -> Result<()> {
    let numbers = |p: Part| [p.base, p.size, p.unit].map(|n| n as u64);
    let members = shared.members();
    let mine = members[comm.rank as usize].part().map(numbers);
    let (mut mine, mut all) = (mine.unwrap_or_default(), vec![[0u64; 3]; members.len()]);
    let ty = &of_basic(Basic::UInt64);
    let call = Move {
        kind: Kind::Allgather,
        root: 0,
        send: Side::One {
            ptr: mine.as_mut_ptr().cast(),
            count: mine.len(),
            ty,
        },
        recv: Side::Blocks {
            ptr: all.as_mut_ptr().cast(),
            count: mine.len(),
            ty,
        },
        shape: DealShape::Intra,
    };
    take_part(me, comm, &call)?;
    for (member, part) in members.iter().zip(all) {
        let [base, size, unit] = part.map(|n| n as usize);
        member.set_part(Part { base, size, unit });
    }
    Ok(())
}

/// Parts of a shared window follow one another in memory of the first member's; what this one is to free.
fn side_by_side(me: &'static RankState, comm: &Comm, shared: &Shared, part: Part) -> Result<usize> {
    let rank = comm.rank as usize;
    shared.members()[rank].set_wanted(part.size);
    take_part(me, comm, &Gate(Kind::WinAllocateShared))?;
    let sizes = shared.members().iter().map(|m| m.wanted());
    if rank == 0 {
        let all = sizes
            .clone()
            .try_fold(0usize, |all, size| all.checked_add(size));
        // SAFETY: the rank's own heap.
        let p = all.map_or(std::ptr::null_mut(), |n| unsafe {
            pc3_malloc(n.max(1), null())
        });
        let _ = shared.memory.set(p as usize);
    }
    take_part(me, comm, &Gate(Kind::WinAllocateShared))?;
    let memory = shared.memory.get().copied().unwrap_or(0);
    if memory == 0 {
        return fail(Class::ERR_NO_MEM, "no memory for the shared window");
    }
    let before: usize = sizes.take(rank).sum();
    // Programs look for the address of who has nothing, too.
    let base = match part.size {
        0 => 0,
        _ => memory + before,
    };
    shared.members()[rank].set_part(Part { base, ..part });
    Ok(if rank == 0 { memory } else { 0 })
}

macro_rules! creates { ($($name:ident $unit:ident;)*) => { $(
    /// MPI 4.1 section 12.2.1.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(
        base: *mut c_void,
        size: isize,
        unit: $unit,
        info: usize,
        comm: usize,
        window: *mut usize,
    ) -> c_int {
        entry(stringify!($name), comm, |me| {
            let sizes = (size as i64, unit as i64);
            let brought = brought(me, base as usize, sizes, info);
            put(window, make(me, comm, Flavor::Create, brought)?)
        })
    }
)* } }
creates! {
    MPI_Win_create c_int;
    MPI_Win_create_c isize;
}

/// Memory of the caller's, of which generated code knows the type.
unsafe fn allocate(
    name: &'static str,
    (size, unit): (isize, isize),
    (info, comm): (usize, usize),
    base: *mut c_void,
    window: *mut usize,
    site: *const c_void,
) -> c_int {
    entry(name, comm, |me| {
        let mut memory = std::ptr::null_mut();
        let brought = brought(me, 0, (size as i64, unit as i64), info);
        let brought = brought.and_then(|mut b| {
            // SAFETY: the rank's own heap.
            memory = unsafe { pc3_malloc(b.part.size.max(1), site) };
            if memory.is_null() {
                return fail(Class::ERR_NO_MEM, format!("no memory for {size} bytes"));
            }
            b.part.base = memory as usize;
            Ok(b)
        });
        let made = make(me, comm, Flavor::Allocate, brought).inspect_err(|_| {
            // SAFETY: nobody knows of it.
            unsafe { pc3_free(memory) }
        })?;
        put(base.cast::<*mut c_void>(), memory)?;
        put(window, made)
    })
}

/// What generated code calls: it knows the type of the contents.
#[no_mangle]
pub(crate) unsafe extern "C" fn pc3_win_allocate(
    size: isize,
    unit: isize,
    info: usize,
    comm: usize,
    base: *mut c_void,
    window: *mut usize,
    site: *const c_void,
) -> c_int {
    let sizes = (size, unit);
    allocate("MPI_Win_allocate", sizes, (info, comm), base, window, site)
}

macro_rules! allocates { ($($name:ident $unit:ident;)*) => { $(
    /// MPI 4.1 section 12.2.2.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(
        size: isize,
        unit: $unit,
        info: usize,
        comm: usize,
        base: *mut c_void,
        window: *mut usize,
    ) -> c_int {
        allocate(stringify!($name), (size, unit as isize), (info, comm), base, window, null())
    }
)* } }
allocates! {
    MPI_Win_allocate c_int;
    MPI_Win_allocate_c isize;
}

macro_rules! shares { ($($name:ident $unit:ident;)*) => { $(
    /// MPI 4.1 section 12.2.3.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(
        size: isize,
        unit: $unit,
        info: usize,
        comm: usize,
        base: *mut c_void,
        window: *mut usize,
    ) -> c_int {
        entry(stringify!($name), comm, |me| {
            let brought = brought(me, 0, (size as i64, unit as i64), info);
            let made = make(me, comm, Flavor::Shared, brought)?;
            put(base.cast::<usize>(), me.objects().window(made)?.base())?;
            put(window, made)
        })
    }
)* } }
shares! {
    MPI_Win_allocate_shared c_int;
    MPI_Win_allocate_shared_c isize;
}

macro_rules! queries { ($($name:ident $unit:ident;)*) => { $(
    /// MPI 4.1 section 12.2.3.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(
        window: usize,
        rank: c_int,
        size: *mut isize,
        unit: *mut $unit,
        base: *mut c_void,
    ) -> c_int {
        on_window(stringify!($name), window, |me| {
            let w = me.objects().window(window)?;
            let part = w.query(w.target(rank)?)?;
            put(size, part.size as isize)?;
            put(unit, part.unit as $unit)?;
            put(base.cast::<usize>(), part.base)
        })
    }
)* } }
queries! {
    MPI_Win_shared_query c_int;
    MPI_Win_shared_query_c isize;
}

/// MPI 4.1 section 12.2.4.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_create_dynamic(
    info: usize,
    comm: usize,
    window: *mut usize,
) -> c_int {
    entry("MPI_Win_create_dynamic", comm, |me| {
        let brought = brought(me, 0, (0, 1), info);
        put(window, make(me, comm, Flavor::Dynamic, brought)?)
    })
}

/// MPI 4.1 section 12.2.4.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_attach(window: usize, base: *mut c_void, size: isize) -> c_int {
    on_window("MPI_Win_attach", window, |me| {
        let Ok(size) = usize::try_from(size) else {
            return fail(Class::ERR_SIZE, format!("the size is {size}"));
        };
        let at = base as usize;
        me.objects().window(window)?.attach(Region { at, size })
    })
}

/// MPI 4.1 section 12.2.4.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_detach(window: usize, base: *const c_void) -> c_int {
    on_window("MPI_Win_detach", window, |me| {
        me.objects().window(window)?.detach(base as usize)
    })
}

/// MPI 4.1 section 12.2.5.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_free(window: *mut usize) -> c_int {
    let handle = match window.is_null() {
        true => abi::WIN_NULL,
        false => *window,
    };
    on_window("MPI_Win_free", handle, |me| {
        me.objects().window(handle)?.epochs.ended()?;
        unsupported(me, "MPI_Win_free");
        // SAFETY: the program's functions.
        unsafe { attr::delete_all(me, On::Win, handle)? };
        let w = me.objects().window(handle)?;
        w.settle(me, None)?;
        take_part(me, &w.comm, &Gate(Kind::WinFree))?;
        let Some(w) = me.objects().windows.remove(handle) else {
            return Ok(());
        };
        me.objects().errhandlers.release(w.errhandler)?;
        if w.memory != 0 {
            // SAFETY: what the window was made with; nobody accesses it any more.
            unsafe { pc3_free(w.memory as *mut c_void) };
        }
        put(window, abi::WIN_NULL)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_get_group(window: usize, out: *mut usize) -> c_int {
    on_window("MPI_Win_get_group", window, |me| {
        let g = me.objects().window(window)?.window.group.clone();
        group::give(me, g, out)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_set_info(window: usize, info: usize) -> c_int {
    on_window("MPI_Win_set_info", window, |me| {
        let new = info_of(me, info)?;
        me.objects().window(window)?.hint(&new)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_get_info(window: usize, info: *mut usize) -> c_int {
    on_window("MPI_Win_get_info", window, |me| {
        let copy = me.objects().window(window)?.info.clone();
        put(info, me.objects().infos.insert(copy))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_set_name(window: usize, name: *const c_char) -> c_int {
    on_window("MPI_Win_set_name", window, |me| {
        let mut name = text(name)?;
        while name.len() >= MAX_NAME {
            name.pop();
        }
        me.objects().window(window)?.name = Some(name.into());
        Ok(())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_get_name(
    window: usize,
    name: *mut c_char,
    len: *mut c_int,
) -> c_int {
    on_window("MPI_Win_get_name", window, |me| {
        let said = me.objects().window(window)?.name.as_deref().unwrap_or("");
        put(len, put_text(name, MAX_NAME, said)? as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_create_errhandler(func: usize, handler: *mut usize) -> c_int {
    entry("MPI_Win_create_errhandler", 0, |me| {
        put(handler, me.objects().errhandlers.create(func)?)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_set_errhandler(window: usize, handler: usize) -> c_int {
    on_window("MPI_Win_set_errhandler", window, |me| {
        let o = me.objects();
        let old = o.window(window)?.errhandler;
        let new = o.errhandlers.acquire(handler)?;
        o.window(window)?.errhandler = new;
        o.errhandlers.release(old)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_get_errhandler(window: usize, handler: *mut usize) -> c_int {
    on_window("MPI_Win_get_errhandler", window, |me| {
        let o = me.objects();
        let h = o.window(window)?.errhandler;
        put(handler, o.errhandlers.acquire(h)?)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_call_errhandler(window: usize, code: c_int) -> c_int {
    on_window("MPI_Win_call_errhandler", window, |me| {
        me.objects().window(window)?;
        let said = me.objects().codes.text(code)?;
        let e = MpiError::new(Class(code), said);
        raise_window(me, "MPI_Win_call_errhandler", window, e);
        Ok(())
    })
}
