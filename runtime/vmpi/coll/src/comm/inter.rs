//! Making inter-communicators, and communicators from them (MPI 3.1 section 6.6).

use super::create::{NewComm, Wish};
use super::{Comm, Remote};
use crate::common::common;
use crate::meeting::all::All;
use crate::meeting::call::{Call, Crew};
use crate::meeting::kind::{Algorithm, Kind};
use crate::meeting::{Meeting, Registry};
use crate::remote::few::Addressed;
use crate::remote::kept::Keep;
use crate::remote::zero_copy::RemoteProcess;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::{Group, GroupRef};
use pc3_vmpi_objects::wire::{Read, Reader, Writer};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// What the leaders of two groups tell one another.
#[derive(Clone, PartialEq, Debug)]
pub struct LedGroup {
    pub next_id: u32,
    pub group: GroupRef,
}

impl LedGroup {
    pub fn write(&self, w: &mut Writer) {
        w.u32(self.next_id);
        w.list(self.group.ranks().iter(), |w, r| w.u32(*r));
    }

    pub fn read(r: &mut Reader) -> Read<LedGroup> {
        Ok(LedGroup {
            next_id: r.u32()?,
            group: Group::new(r.list(Reader::u32)?),
        })
    }
}

/// A group learns what its leader knows: all of it, or only what the members' `next_id` add up to.
struct Tell {
    kind: Kind,
    leader: usize,
    next_id: u32,
    most: Cell<u32>,
    known: RefCell<Option<Result<LedGroup>>>,
}

impl Call for Tell {
    fn kind(&self) -> Kind {
        self.kind
    }
    fn root(&self) -> usize {
        self.leader
    }
    fn algorithm(_: &All<Self>, _: usize) -> Result<Algorithm> {
        Ok(Algorithm::Last)
    }
    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }
    fn whole(all: &All<Self>, _: usize) {
        let most = all.iter().map(|c| c.next_id).max().unwrap_or(0);
        let known = all.get(all.get(0).leader).known.borrow().clone();
        for c in all.iter() {
            c.most.set(most);
            *c.known.borrow_mut() = known.clone();
        }
    }
    const APART: bool = true;
    fn addressed(_: &All<Self>, _: &[usize]) -> Option<Addressed> {
        Some(Addressed::Nobody)
    }

    fn export(&self, _: usize, _: &RemoteProcess, w: &mut Writer) {
        w.size(self.leader);
        w.u32(self.next_id);
        self.write_known(w);
    }
    fn import(
        r: &mut Reader,
        _: usize,
        _: &[usize],
        like: &Self,
        _: &mut Keep<Self>,
    ) -> Read<Self> {
        let (leader, next_id) = (r.size()?, r.u32()?);
        let known = RefCell::new(read_known(r)?);
        Ok(Tell {
            kind: like.kind,
            leader,
            next_id,
            most: Cell::new(0),
            known,
        })
    }

    fn result(&self, _: usize, _: usize, w: &mut Writer) -> bool {
        w.u32(self.most.get());
        self.write_known(w);
        true
    }

    fn put_result(&self, _: usize, _: usize, r: &mut Reader, _: &World) -> Read<()> {
        self.most.set(r.u32()?);
        *self.known.borrow_mut() = read_known(r)?;
        Ok(())
    }
}

impl Tell {
    fn write_known(&self, w: &mut Writer) {
        let known = self.known.borrow();
        w.u8(known.is_some().into());
        if let Some(known) = &*known {
            w.outcome(known, |w, side| side.write(w));
        }
    }
}

fn read_known(r: &mut Reader) -> Read<Option<Result<LedGroup>>> {
    if r.u8()? == 0 {
        return Ok(None);
    }
    r.outcome(LedGroup::read).map(Some)
}

/// MPI_Intercomm_create and its like: `exchange`, which only the leader calls, swaps sides with the other leader.
pub fn create<W: Crew>(
    crew: &W,
    kind: Kind,
    comm: &Comm,
    next_id: &mut u32,
    leader: usize,
    meetings: &Registry,
    exchange: impl FnOnce(LedGroup) -> Result<LedGroup>,
) -> Result<NewComm> {
    let meet = |next_id, known| -> Result<Tell> {
        let call = Tell {
            kind,
            leader,
            next_id,
            most: Cell::new(0),
            known: RefCell::new(known),
        };
        comm.meeting
            .take_part(crew, &comm.group, comm.rank as usize, &call)?;
        Ok(call)
    };
    let most = meet(*next_id, None)?.most.get();
    let known = (comm.rank as usize == leader).then(|| {
        exchange(LedGroup {
            next_id: most,
            group: comm.group.clone(),
        })
    });
    let Some(other) = meet(0, known)?.known.take() else {
        return fail(Class::ERR_INTERN, "the leader knows nothing");
    };
    let other = other?;
    if let Some(both) = other
        .group
        .ranks()
        .iter()
        .find(|w| comm.group.rank_of(**w).is_some())
    {
        return fail(
            Class::ERR_COMM,
            format!("process {both} of MPI_COMM_WORLD belongs to both groups"),
        );
    }
    let id = most.max(other.next_id);
    *next_id = id + 1;
    let remote = Remote::new(&comm.group, other.group);
    Ok(NewComm {
        id,
        group: comm.group.clone(),
        rank: comm.rank,
        meeting: meetings.find(id, Registry::WHOLE, &remote.all),
        remote: Some(remote),
    })
}

/// One member's call to divide an inter-communicator: color and key as of MPI_Comm_split.
struct Divide<'a> {
    all: &'a GroupRef,
    low: usize,
    wish: Wish<'a>,
}

impl Call for Divide<'_> {
    fn kind(&self) -> Kind {
        self.wish.kind
    }
    fn algorithm(all: &All<Self>, _: usize) -> Result<Algorithm> {
        for side in sides(all.get(0).low, all.len()) {
            let first = &all.get(side.start).wish.asked;
            if side.clone().any(|i| all.get(i).wish.asked != *first) {
                let text = "members of one side name different groups";
                return fail(Class::ERR_GROUP, text);
            }
        }
        Ok(Algorithm::Last)
    }
    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }
    fn whole(all: &All<Self>, _: usize) {
        let id = Wish::agree(|| all.iter().map(|c| &c.wish));
        let low = all.get(0).low;
        // By color, side, key: what becomes one group follows upon each other.
        let mut order: Vec<(i32, bool, i32, usize)> = all
            .iter()
            .enumerate()
            .filter_map(|(i, c)| Some((c.wish.color?, i >= low, c.wish.key, i)))
            .collect();
        order.sort_unstable();
        let world = all.get(0).all.ranks();
        for of_color in order.chunk_by(|a, b| a.0 == b.0) {
            let second = of_color.partition_point(|m| !m.1);
            let (first, second) = of_color.split_at(second);
            let parts = [first, second].map(|p| p.iter().map(|m| m.3).collect::<Vec<usize>>());
            // An inter-communicator needs two sides.
            if parts.iter().any(Vec::is_empty) {
                continue;
            }
            let group = |p: &[usize]| Group::new(p.iter().map(|i| world[*i]).collect());
            let groups = [group(&parts[0]), group(&parts[1])];
            let meeting = Meeting::new(parts[0].len() + parts[1].len(), id);
            for (s, p) in parts.iter().enumerate() {
                let remote = Remote::new(&groups[s], groups[1 - s].clone());
                for (rank, &i) in p.iter().enumerate() {
                    all.get(i).wish.grant(NewComm {
                        id,
                        group: groups[s].clone(),
                        rank: rank as u32,
                        meeting: meeting.clone(),
                        remote: Some(remote.clone()),
                    });
                }
            }
        }
    }
    const APART: bool = true;
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
        Ok(Divide {
            all: like.all,
            low: like.low,
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

fn sides(low: usize, all: usize) -> [std::ops::Range<usize>; 2] {
    [0..low, low..all]
}

/// MPI_Comm_dup, MPI_Comm_split, MPI_Comm_create on an inter-communicator.
#[allow(clippy::too_many_arguments)]
pub fn divide<W: Crew>(
    crew: &W,
    comm: &Comm,
    remote: &Remote,
    next_id: &mut u32,
    kind: Kind,
    color: Option<i32>,
    key: i32,
    asked: Option<&GroupRef>,
) -> Result<Option<NewComm>> {
    let call = Divide {
        all: &remote.all,
        low: remote.low,
        wish: Wish::new(kind, color, key, asked.map(Cow::Borrowed), *next_id),
    };
    comm.meeting
        .take_part(crew, &remote.all, comm.seat(), &call)?;
    Ok(call.wish.granted(next_id))
}

struct Merge<'a> {
    all: &'a GroupRef,
    low: usize,
    high: bool,
    next_id: u32,
    made: Cell<Option<NewComm>>,
}

impl Call for Merge<'_> {
    fn kind(&self) -> Kind {
        Kind::IntercommMerge
    }
    fn algorithm(all: &All<Self>, _: usize) -> Result<Algorithm> {
        for mut side in sides(all.get(0).low, all.len()) {
            let high = all.get(side.start).high;
            if side.any(|i| all.get(i).high != high) {
                return fail(
                    Class::ERR_ARG,
                    "MPI_Intercomm_merge: members of one side differ in `high`",
                );
            }
        }
        Ok(Algorithm::Last)
    }
    fn share(_: &All<Self>, _: usize) -> Result<()> {
        Ok(())
    }
    fn whole(all: &All<Self>, _: usize) {
        let id = all.iter().map(|c| c.next_id).max().unwrap_or(0);
        let [a, b] = sides(all.get(0).low, all.len());
        let turned = all.get(a.start).high && !all.get(b.start).high;
        let order: Vec<usize> = if turned {
            b.chain(a).collect()
        } else {
            a.chain(b).collect()
        };
        let world = all.get(0).all.ranks();
        let group = Group::new(order.iter().map(|i| world[*i]).collect());
        let meeting = Meeting::new(order.len(), id);
        for (rank, &i) in order.iter().enumerate() {
            all.get(i).made.set(Some(NewComm {
                id,
                group: group.clone(),
                rank: rank as u32,
                meeting: meeting.clone(),
                remote: None,
            }));
        }
    }
    const APART: bool = true;
    fn addressed(_: &All<Self>, _: &[usize]) -> Option<Addressed> {
        Some(Addressed::Nobody)
    }

    fn export(&self, _: usize, _: &RemoteProcess, w: &mut Writer) {
        w.u8(self.high.into());
        w.u32(self.next_id);
    }
    fn import(
        r: &mut Reader,
        _: usize,
        _: &[usize],
        like: &Self,
        _: &mut Keep<Self>,
    ) -> Read<Self> {
        Ok(Merge {
            all: like.all,
            low: like.low,
            high: r.u8()? != 0,
            next_id: r.u32()?,
            made: Cell::new(None),
        })
    }

    fn result(&self, _: usize, _: usize, w: &mut Writer) -> bool {
        let made = self.made.take();
        if let Some(m) = &made {
            m.write(w);
        }
        let whole = made.is_some();
        self.made.set(made);
        whole
    }

    fn put_result(&self, _: usize, _: usize, r: &mut Reader, world: &World) -> Read<()> {
        self.made
            .set(Some(NewComm::read(r, common(world).meetings())?));
        Ok(())
    }
}

/// MPI_Intercomm_merge.
pub fn merge<W: Crew>(
    crew: &W,
    comm: &Comm,
    remote: &Remote,
    next_id: &mut u32,
    high: bool,
) -> Result<Option<NewComm>> {
    let call = Merge {
        all: &remote.all,
        low: remote.low,
        high,
        next_id: *next_id,
        made: Cell::new(None),
    };
    comm.meeting
        .take_part(crew, &remote.all, comm.seat(), &call)?;
    let made = call.made.take();
    if let Some(m) = &made {
        *next_id = m.id + 1;
    }
    Ok(made)
}
