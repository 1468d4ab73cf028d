//! One rank's MPI objects, by handle.

use crate::comm::{Comm, FIRST_ID, SELF_ID, WORLD_ID};
use crate::io::representation::Registered;
use crate::io::MpiFile;
use crate::meeting::{Meeting, MeetingRef, Registry};
use crate::win::Win;
use pc3_vmpi_core::rank::{Attached, RankState};
use pc3_vmpi_core::world::Maker;
use pc3_vmpi_objects::attr::{Attributes, Keyvals};
use pc3_vmpi_objects::datatype::portable::AddressLog;
use pc3_vmpi_objects::datatype::{self, TypeObject, TypeRef};
use pc3_vmpi_objects::errhandler::Errhandlers;
use pc3_vmpi_objects::error::{fail, Class, Result, UserCodes};
use pc3_vmpi_objects::group::{Group, GroupRef};
use pc3_vmpi_objects::handle::{abi, Kind, Table};
use pc3_vmpi_objects::info::Info;
use pc3_vmpi_objects::op::UserOp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Values of the predefined attributes, of which programs get pointers.
pub struct AttrValues {
    pub tag_ub: i32,
    pub io: i32,
    pub host: i32,
    pub wtime_is_global: i32,
    pub last_used_code: i32,
    pub universe_size: i32,
    /// Of a spawned rank: the number of the command that it is of.
    pub appnum: Option<i32>,
}

impl AttrValues {
    fn new(size: usize) -> Self {
        AttrValues {
            tag_ub: i32::MAX,
            io: abi::ANY_SOURCE,
            host: abi::PROC_NULL,
            wtime_is_global: 1,
            last_used_code: 0,
            universe_size: size as i32,
            appnum: None,
        }
    }
}

/// A session of MPI's, which has no objects of its own.
pub struct Session {
    pub errhandler: usize,
    pub info: Info,
}

/// A rank has them.
pub trait HasObjects {
    /// Only the rank itself may ask (or the engine while no rank runs), and must not keep the reference while user callbacks run:
    /// they may call MPI.
    #[allow(clippy::mut_from_ref)]
    fn objects(&self) -> &mut Objects;
}

impl HasObjects for RankState {
    #[inline(always)]
    fn objects(&self) -> &mut Objects {
        // SAFETY: `maker` has made them.
        unsafe { self.kept() }
    }
}

/// Makes the objects of the ranks of a job of so many, whose MPI_COMM_WORLD meets there.
#[inline]
pub fn maker(size: usize, meeting: MeetingRef) -> Maker {
    let group = Group::world(size);
    Box::new(move |rank| {
        let alone = Meeting::new(1, SELF_ID);
        Box::new(Objects::new(group.clone(), rank, meeting.clone(), alone))
    })
}

/// Owned and used by its rank alone, whatever worker runs it.
pub struct Objects {
    // They stay where they are, as this does.
    pub world: Comm,
    pub self_: Comm,
    /// Boxed: a collective keeps a reference while user callbacks may add communicators.
    pub comms: Table<Box<Comm>>,
    pub groups: Table<GroupRef>,
    pub types: Table<TypeObject>,
    /// Attributes and names that the program gave to predefined datatypes.
    pub predefined: Vec<(usize, TypeObject)>,
    pub ops: Table<UserOp>,
    pub errhandlers: Errhandlers,
    pub keyvals: Keyvals,
    pub infos: Table<Info>,
    pub files: Table<Box<MpiFile>>,
    pub windows: Table<Box<Win>>,
    pub sessions: Table<Session>,
    /// Buffers of communicators and sessions, by handle; 0: one for all that is as large as it has to be.
    pub buffers: BTreeMap<usize, Attached>,
    /// Communicators on which memory was shared: their members stay together.
    pub together: BTreeSet<usize>,
    /// The handler of MPI_FILE_NULL, which new files inherit.
    pub file_errhandler: usize,
    /// Of files: the program's own, which stay to the end.
    pub representations: Vec<Registered>,
    pub info_env: Info,
    pub codes: UserCodes,
    pub attr_values: Box<AttrValues>,
    /// Addresses that MPI_Get_address handed out.
    pub addresses: AddressLog,
    /// The datatype, or window, that was made last.
    pub made: usize,
    /// Lowest context id that this rank has not seen.
    pub next_id: u32,
    /// Of a spawned rank: the handle of the inter-communicator with those that spawned it.
    pub parent: usize,
    /// So many ports it has opened.
    pub ports: u32,
    /// Where ranks of any MPI_COMM_WORLD find meetings by name.
    pub meetings: MeetingRef,
    /// Ranks that the job began with, or was continued with.
    pub all: u32,
}

impl Objects {
    /// Objects of world rank `rank`; `world` and `alone` are the meeting places of the
    /// predefined communicators.
    pub fn new(world_group: GroupRef, rank: u32, world: MeetingRef, alone: MeetingRef) -> Self {
        let size = world_group.size();
        let comm = |id, group, rank, meeting| Comm {
            id,
            group,
            rank,
            errhandler: abi::ERRORS_ARE_FATAL,
            name: None,
            attrs: Attributes::new(),
            topo: None,
            meeting,
            remote: None,
            rounds: Arc::default(),
        };
        Objects {
            meetings: world.clone(),
            all: size as u32,
            world: comm(WORLD_ID, world_group, rank, world),
            self_: comm(SELF_ID, Group::new(vec![rank]), 0, alone),
            comms: Table::new(Kind::Comm),
            groups: Table::new(Kind::Group),
            types: Table::new(Kind::Datatype),
            predefined: Vec::new(),
            ops: Table::new(Kind::Op),
            errhandlers: Errhandlers::default(),
            keyvals: Keyvals::default(),
            infos: Table::new(Kind::Info),
            files: Table::new(Kind::File),
            windows: Table::new(Kind::Win),
            sessions: Table::new(Kind::Session),
            buffers: BTreeMap::new(),
            together: BTreeSet::new(),
            file_errhandler: abi::ERRORS_RETURN,
            representations: Vec::new(),
            info_env: Info::default(),
            codes: UserCodes::default(),
            attr_values: Box::new(AttrValues::new(size)),
            addresses: AddressLog::default(),
            made: 0,
            next_id: FIRST_ID,
            parent: abi::COMM_NULL,
            ports: 0,
        }
    }

    /// Its MPI_COMM_WORLD is this one; `me`: its number in the job.  False if it is not in it.
    pub fn set_world(&mut self, id: u32, group: GroupRef, me: u32) -> bool {
        let Some(rank) = group.rank_of(me) else {
            return false;
        };
        let meetings = &self.meetings.inner;
        self.world.meeting = meetings.find(id, Registry::WHOLE, &group);
        (self.world.id, self.world.group, self.world.rank) = (id, group, rank);
        true
    }

    /// The communicator of a handle.
    #[inline]
    pub fn comm(&self, handle: usize) -> Result<&Comm> {
        match handle {
            abi::COMM_WORLD => Ok(&self.world),
            abi::COMM_SELF => Ok(&self.self_),
            _ => match self.comms.get(handle) {
                Some(c) => Ok(c),
                None if handle == abi::COMM_NULL => {
                    fail(Class::ERR_COMM, "the communicator is MPI_COMM_NULL")
                }
                None => fail(Class::ERR_COMM, "not a communicator (freed already?)"),
            },
        }
    }

    pub fn comm_mut(&mut self, handle: usize) -> Result<&mut Comm> {
        self.comm(handle)?;
        Ok(match handle {
            abi::COMM_WORLD => &mut self.world,
            abi::COMM_SELF => &mut self.self_,
            _ => match self.comms.get_mut(handle) {
                Some(c) => c,
                None => unreachable!("looked up above"),
            },
        })
    }

    /// The datatype of a handle, committed or not.
    pub fn datatype(&self, handle: usize) -> Result<TypeRef> {
        if let Some(t) = datatype::by_handle(handle) {
            return Ok(t);
        }
        match self.types.get(handle) {
            Some(t) => Ok(t.ty.clone()),
            None if handle == abi::DATATYPE_NULL => {
                fail(Class::ERR_TYPE, "the datatype is MPI_DATATYPE_NULL")
            }
            None => fail(Class::ERR_TYPE, "not a datatype (freed already?)"),
        }
    }

    /// The datatype of a handle for communication: it must be committed.
    pub fn committed(&self, handle: usize) -> Result<TypeRef> {
        if let Some(t) = datatype::by_handle(handle) {
            return Ok(t);
        }
        match self.types.get(handle) {
            Some(t) if !t.committed => fail(Class::ERR_TYPE, "the datatype is not committed"),
            _ => self.datatype(handle),
        }
    }

    /// What the program attached to a datatype handle; made on demand for predefined types.
    pub fn type_object(&mut self, handle: usize) -> Result<&mut TypeObject> {
        let ty = self.datatype(handle)?;
        if handle >= pc3_vmpi_objects::handle::FIRST_DYNAMIC {
            if let Some(t) = self.types.get_mut(handle) {
                return Ok(t);
            }
            return fail(Class::ERR_TYPE, "not a datatype");
        }
        let at = match self.predefined.iter().position(|p| p.0 == handle) {
            Some(i) => i,
            None => {
                let object = TypeObject {
                    ty,
                    committed: true,
                    name: None,
                    attrs: Attributes::new(),
                };
                self.predefined.push((handle, object));
                self.predefined.len() - 1
            }
        };
        Ok(&mut self.predefined[at].1)
    }

    #[inline]
    pub fn op(&self, handle: usize) -> Result<pc3_vmpi_objects::op::Op> {
        pc3_vmpi_objects::op::Op::from_handle(handle, &self.ops)
    }

    #[inline]
    pub fn file(&self, handle: usize) -> Result<&MpiFile> {
        match self.files.get(handle) {
            Some(f) => Ok(f),
            None if handle == abi::FILE_NULL => fail(Class::ERR_FILE, "the file is MPI_FILE_NULL"),
            None => fail(Class::ERR_FILE, "not a file (closed already?)"),
        }
    }

    #[inline]
    pub fn file_mut(&mut self, handle: usize) -> Result<&mut MpiFile> {
        self.file(handle)?;
        match self.files.get_mut(handle) {
            Some(f) => Ok(f),
            None => unreachable!("looked up above"),
        }
    }

    #[inline]
    pub fn window(&mut self, handle: usize) -> Result<&mut Win> {
        match self.windows.get_mut(handle) {
            Some(w) => Ok(w),
            None if handle == abi::WIN_NULL => fail(Class::ERR_WIN, "the window is MPI_WIN_NULL"),
            None => fail(Class::ERR_WIN, "not a window (freed already?)"),
        }
    }

    pub fn session(&mut self, handle: usize) -> Result<&mut Session> {
        match self.sessions.get_mut(handle) {
            Some(s) => Ok(s),
            None if handle == abi::SESSION_NULL => {
                fail(Class::ERR_SESSION, "the session is MPI_SESSION_NULL")
            }
            None => fail(Class::ERR_SESSION, "not a session (finalized already?)"),
        }
    }

    pub fn group(&self, handle: usize) -> Result<GroupRef> {
        match self.groups.get(handle) {
            Some(g) => Ok(g.clone()),
            None if handle == abi::GROUP_EMPTY => Ok(Group::new(Vec::new())),
            None if handle == abi::GROUP_NULL => {
                fail(Class::ERR_GROUP, "the group is MPI_GROUP_NULL")
            }
            None => fail(Class::ERR_GROUP, "not a group (freed already?)"),
        }
    }
}
