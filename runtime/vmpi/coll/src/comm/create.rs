//! Making communicators.  All constructors are splits: each member names a color, or none, and a
//! key; members of one color become a communicator, ordered by key and rank.  They differ in where
//! color and key come from, and in what is checked.

use super::{Comm, Remote};
use crate::common::common;
use crate::meeting::all::All;
use crate::meeting::call::{Call, Crew};
use crate::meeting::kind::{Algorithm, Kind};
use crate::meeting::{Meeting, MeetingRef, Registry};
use crate::remote::few::{Addressed, CallSignature, Few, Heard, Told};
use crate::remote::kept::Keep;
use crate::remote::members::Members;
use crate::remote::tree::Tree;
use crate::remote::zero_copy::RemoteProcess;
use crate::topo::Topology;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::attr::Attributes;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::{Group, GroupRef};
use pc3_vmpi_objects::wire::{Read, Reader, Writer};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

/// What a member learns of its new communicator.
pub struct NewComm {
    pub id: u32,
    pub group: GroupRef,
    pub rank: u32,
    pub meeting: MeetingRef,
    pub remote: Option<Remote>,
}

/// What one member asks for, and what it gets.
pub(super) struct Wish<'a> {
    pub kind: Kind,
    pub color: Option<i32>,
    pub key: i32,
    /// The group that the program asked for, if the call names one.
    pub asked: Option<Cow<'a, GroupRef>>,
    pub next_id: u32,
    id: Cell<u32>,
    made: Cell<Option<NewComm>>,
}

impl<'a> Wish<'a> {
    pub fn new(
        kind: Kind,
        color: Option<i32>,
        key: i32,
        asked: Option<Cow<'a, GroupRef>>,
        next_id: u32,
    ) -> Self {
        Wish {
            kind,
            color,
            key,
            asked,
            next_id,
            id: Cell::new(0),
            made: Cell::new(None),
        }
    }

    /// All members agree on an identifier: one that none of them has used.
    pub fn agree<'w, I: Iterator<Item = &'w Self>>(all: impl Fn() -> I) -> u32
    where
        'a: 'w,
    {
        let id = all().map(|w| w.next_id).max().unwrap_or(0);
        all().for_each(|w| w.id.set(id));
        id
    }

    pub(crate) fn grant(&self, made: NewComm) {
        self.made.set(Some(made));
    }

    /// The member's communicator, if it is in one; its `next_id` moves on.
    pub fn granted(&self, next_id: &mut u32) -> Option<NewComm> {
        *next_id = self.id.get() + 1;
        self.made.take()
    }

    /// What the member has got.
    pub(crate) fn write_result(&self, w: &mut Writer) {
        w.u32(self.id.get());
        let made = self.made.take();
        w.u8(made.is_some().into());
        if let Some(m) = &made {
            m.write(w);
        }
        self.made.set(made);
    }

    /// Gets that again.
    pub(crate) fn read_result(&self, r: &mut Reader, meetings: &Registry) -> Read<()> {
        self.id.set(r.u32()?);
        let made = match r.u8()? {
            0 => None,
            _ => Some(NewComm::read(r, meetings)?),
        };
        self.made.set(made);
        Ok(())
    }

    /// The group that it names as one of its members, with the color of that.
    fn names(&self) -> Option<(i32, &GroupRef)> {
        Some((self.color?, self.asked.as_deref()?))
    }

    pub fn write(&self, w: &mut Writer) {
        w.u8(self.color.is_some().into());
        w.i32(self.color.unwrap_or(0));
        w.i32(self.key);
        w.u32(self.next_id);
        w.u8(self.asked.is_some().into());
        let asked = self.asked.as_ref().map_or(&[][..], |g| g.ranks());
        w.list(asked.iter(), |w, r| w.u32(*r));
    }

    pub fn read(r: &mut Reader, kind: Kind) -> Read<Self> {
        let colored = r.u8()? != 0;
        let (color, key, next_id) = (r.i32()?, r.i32()?, r.u32()?);
        let asks = r.u8()? != 0;
        let ranks = r.list(Reader::u32)?;
        let asked = asks.then(|| Cow::Owned(Group::new(ranks)));
        let color = colored.then_some(color);
        Ok(Wish::new(kind, color, key, asked, next_id))
    }
}

/// One member's call.
struct Split<'a> {
    parent: &'a GroupRef,
    wish: Wish<'a>,
}

/// The groups that members name, by color, with how many of their members name them: who names a group is in it.
struct NamedGroups<'a>(HashMap<i32, Vec<(&'a GroupRef, usize)>>);

impl<'a> NamedGroups<'a> {
    fn by_all(all: &'a All<Split<'_>>) -> Self {
        let mut named = NamedGroups(HashMap::new());
        for (color, asked) in all.iter().filter_map(|c| c.wish.names()) {
            let of_color = named.0.entry(color).or_default();
            match of_color.iter_mut().find(|n| same(n.0, asked)) {
                Some(known) => known.1 += 1,
                None => of_color.push((asked, 1)),
            }
        }
        named
    }

    /// The first rank that names a group which not all of its members name.
    fn stranger(&self, all: &All<Split<'_>>) -> Option<usize> {
        let incomplete = |color, asked: &GroupRef| {
            let known = self.0.get(&color)?.iter().find(|n| same(n.0, asked))?;
            (known.1 < asked.size()).then_some(())
        };
        if !self.0.values().flatten().any(|n| n.1 < n.0.size()) {
            return None;
        }
        all.iter().position(|c| {
            let names = c.wish.names();
            names.is_some_and(|(color, asked)| incomplete(color, asked).is_some())
        })
    }
}

/// Ranks of a process mostly name one group.
fn same(a: &GroupRef, b: &GroupRef) -> bool {
    Arc::ptr_eq(a, b) || a == b
}

impl Call for Split<'_> {
    fn kind(&self) -> Kind {
        self.wish.kind
    }

    fn algorithm(all: &All<Self>, _: usize) -> Result<Algorithm> {
        match NamedGroups::by_all(all).stranger(all) {
            None => Ok(Algorithm::Last),
            Some(rank) => fail(
                Class::ERR_GROUP,
                format!(
                    "{}: rank {rank} names a group whose members did not all name it",
                    all.get(rank).wish.kind.name()
                ),
            ),
        }
    }

    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }

    fn whole(all: &All<Self>, _: usize) {
        let id = Wish::agree(|| all.iter().map(|c| &c.wish));
        let mut order: Vec<(i32, i32, usize)> = all
            .iter()
            .enumerate()
            .filter_map(|(i, c)| Some((c.wish.color?, c.wish.key, i)))
            .collect();
        order.sort_unstable();
        for part in order.chunk_by(|a, b| a.0 == b.0) {
            let parent = all.get(0).parent;
            let same = part.len() == all.len() && part.iter().enumerate().all(|(i, m)| i == m.2);
            let group = if same {
                parent.clone()
            } else {
                Group::new(part.iter().map(|m| parent.ranks()[m.2]).collect())
            };
            let meeting = Meeting::new(part.len(), id);
            for (rank, &(_, _, i)) in part.iter().enumerate() {
                let (group, meeting) = (group.clone(), meeting.clone());
                all.get(i).wish.grant(NewComm {
                    id,
                    group,
                    rank: rank as u32,
                    meeting,
                    remote: None,
                });
            }
        }
    }

    const APART: bool = true;

    fn record(all: &All<Self>, here: &[usize], _: &Members) -> Option<CallSignature> {
        let whole = |i: &usize| {
            let wish = &all.get(*i).wish;
            wish.color == Some(0) && wish.asked.is_none() && wish.key == *i as i32
        };
        let kind = all.kind(here[0]);
        (kind == Kind::CommDup && here.iter().all(whole))
            .then(|| CallSignature::new(kind, CallSignature::GATE))
            .flatten()
    }

    fn tell(all: &All<Self>, here: &[usize], _: &[usize], into: &mut Few) {
        let id = most(all, here).to_le_bytes();
        // SAFETY: an array; room for it.
        unsafe {
            into.more(id.len())
                .copy_from_nonoverlapping(id.as_ptr(), id.len())
        }
    }

    fn hear(all: &All<Self>, here: &[usize], heard: &Heard) {
        let others = heard.others.iter().map(|o| id_in(o.1.bytes()));
        duplicate(all, here, others.fold(most(all, here), u32::max));
    }

    fn gather(all: &All<Self>, here: &[usize], _: &Tree, below: &[(u32, Told)]) -> Vec<u8> {
        let below = below.iter().map(|b| id_in(b.1.bytes()));
        let id = below.fold(most(all, here), u32::max);
        id.to_le_bytes().into()
    }

    fn spread(all: &All<Self>, here: &[usize], result: &[u8]) {
        duplicate(all, here, id_in(result));
    }

    fn addressed(_: &All<Self>, _: &[usize]) -> Option<Addressed> {
        Some(Addressed::Nobody)
    }

    fn export(&self, _: usize, _: &RemoteProcess, w: &mut Writer) {
        self.wish.write(w);
    }

    fn import(
        r: &mut Reader,
        _: usize,
        _: &[usize],
        like: &Self,
        _: &mut Keep<Self>,
    ) -> Read<Self> {
        Ok(Split {
            parent: like.parent,
            wish: Wish::read(r, like.wish.kind)?,
        })
    }

    fn result(&self, _: usize, _: usize, w: &mut Writer) -> bool {
        self.wish.write_result(w);
        true
    }

    fn put_result(&self, _: usize, _: usize, r: &mut Reader, world: &World) -> Read<()> {
        self.wish.read_result(r, common(world).meetings())
    }
}

/// The greatest of these members' ids.
fn most(all: &All<Split>, here: &[usize]) -> u32 {
    let ids = here.iter().map(|i| all.get(*i).wish.next_id);
    ids.max().unwrap_or(0)
}

/// As another process has told it.
fn id_in(told: &[u8]) -> u32 {
    told.first_chunk().map_or(0, |id| u32::from_le_bytes(*id))
}

/// All of the parent, in its order, for the members `here`.
fn duplicate(all: &All<Split>, here: &[usize], id: u32) {
    let meeting = Meeting::new(all.len(), id);
    for i in here {
        let call = all.get(*i);
        call.wish.id.set(id);
        call.wish.grant(NewComm {
            id,
            group: call.parent.clone(),
            rank: *i as u32,
            meeting: meeting.clone(),
            remote: None,
        });
    }
}

/// Splits `comm`; the caller's `next_id` is moved on.
pub fn split<W: Crew>(
    crew: &W,
    comm: &Comm,
    next_id: &mut u32,
    kind: Kind,
    color: Option<i32>,
    key: i32,
) -> Result<Option<NewComm>> {
    let call = Split {
        parent: &comm.group,
        wish: Wish::new(kind, color, key, None, *next_id),
    };
    comm.meeting
        .take_part(crew, &comm.group, comm.rank as usize, &call)?;
    Ok(call.wish.granted(next_id))
}

/// MPI_Comm_create: every member of `comm` takes part, those in `group` become its members.
pub fn of_group<W: Crew>(
    crew: &W,
    comm: &Comm,
    next_id: &mut u32,
    group: &GroupRef,
) -> Result<Option<NewComm>> {
    within(&comm.group, group)?;
    let world = comm.group.ranks()[comm.rank as usize];
    let mine = group.rank_of(world);
    // Disjoint groups have different first members.
    let color = mine.map(|_| group.ranks()[0] as i32);
    let key = mine.unwrap_or(0) as i32;
    let asked = Some(Cow::Borrowed(group));
    let call = Split {
        parent: &comm.group,
        wish: Wish::new(Kind::CommCreate, color, key, asked, *next_id),
    };
    comm.meeting
        .take_part(crew, &comm.group, comm.rank as usize, &call)?;
    Ok(call.wish.granted(next_id))
}

/// MPI_Comm_create_group: only members of `group` take part.
pub fn of_group_alone<W: Crew>(
    crew: &W,
    comm: &Comm,
    next_id: &mut u32,
    group: &GroupRef,
    tag: i32,
) -> Result<Option<NewComm>> {
    within(&comm.group, group)?;
    let world = comm.group.ranks()[comm.rank as usize];
    let Some(rank) = group.rank_of(world) else {
        return Ok(None);
    };
    let meeting = comm.meeting.inner.find(comm.id, tag as u32, group);
    if crew.elsewhere().is_some() {
        comm.meeting.inner.keep(&meeting);
    }
    let call = Split {
        parent: group,
        wish: Wish::new(Kind::CommCreateGroup, Some(0), 0, None, *next_id),
    };
    meeting.take_part(crew, group, rank as usize, &call)?;
    Ok(call.wish.granted(next_id))
}

/// Are all of `group` in `parent`?
pub fn within(parent: &Group, group: &Group) -> Result<()> {
    match group.ranks().iter().find(|w| parent.rank_of(**w).is_none()) {
        None => Ok(()),
        Some(w) => fail(
            Class::ERR_GROUP,
            format!("process {w} of the group is not in the communicator"),
        ),
    }
}

impl NewComm {
    /// As its owner knows it in another run.
    pub(super) fn write(&self, w: &mut Writer) {
        w.u32(self.id);
        w.list(self.group.ranks().iter(), |w, r| w.u32(*r));
        w.u32(self.rank);
        w.u8(self.remote.is_some().into());
        if let Some(remote) = &self.remote {
            w.list(remote.group.ranks().iter(), |w, r| w.u32(*r));
        }
    }

    /// Members that have it from their checkpoints meet at the same place.
    pub(super) fn read(r: &mut Reader, meetings: &Registry) -> Read<NewComm> {
        let id = r.u32()?;
        let group = Group::new(r.list(Reader::u32)?);
        let rank = r.u32()?;
        let remote = match r.u8()? {
            0 => None,
            _ => Some(Remote::new(&group, Group::new(r.list(Reader::u32)?))),
        };
        let all = remote.as_ref().map_or(&group, |remote| &remote.all);
        Ok(NewComm {
            id,
            meeting: meetings.find(id, Registry::WHOLE, all),
            group,
            rank,
            remote,
        })
    }

    /// The new communicator as its owner holds it, without attributes.
    pub fn into_comm(self, errhandler: usize, topo: Option<Topology>) -> Box<Comm> {
        Box::new(Comm {
            id: self.id,
            group: self.group,
            rank: self.rank,
            errhandler,
            name: None,
            attrs: Attributes::new(),
            topo,
            meeting: self.meeting,
            remote: self.remote,
            rounds: Arc::default(),
        })
    }
}
